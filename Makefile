# `make help` lists the targets.  Each folder of programs has a build.mk, included below.

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS ?= -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align
PREFIX   ?= /usr/local
DESTDIR  ?=
RE2C     ?= re2c
# A folder with traces of other tracers, for the tests that use them; may be empty.
CORPUS   ?= $(wildcard ../shared/corpus)
export CC CFLAGS RE2C CORPUS

BUILD   := build
COMPILE  = $(CC) -std=c99 $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -I. -MMD -MP
# mpicc is a wrapper around the C compiler.
MPI_COMPILE = OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(COMPILE:$(CC)%=mpicc%)
has      = $(shell command -v $(1) 2>/dev/null)

HEADERS  := $(wildcard pajesim.h pajewrite.h)
VERSION   = $(shell sed -n 's/^\#define PAJESIM_VERSION_TEXT "\(.*\)"/\1/p' pajesim.h)
DEMO     := $(BUILD)/demo

.PHONY: all paje trace examples lib demo check check-full check-long check-embedded fuzz coverage mutants sizes bench bench-full verify regenerate \
        install uninstall clean help FORCE
.DELETE_ON_ERROR:

all: paje examples
paje: $(BUILD)/paje

help:
	@echo 'Build'
	@echo '  make              build/paje and the examples; needs a C compiler only'
	@echo '  make paje         build/paje and the library of `paje trace` only'
	@echo '  make lib          build/libpajesim.so and build/libpajewrite.so, for Python and other languages'
	@echo '  make web          build/paje-viewer.html, the viewer in a browser (needs clang, lld, wasi-libc: examples/web)'
	@echo '  make demo         builds, runs a program that traces itself, merges its traces and summarises them'
	@echo '  make demo-trace   traces a program of this machine, checks the one file that appears, and sums it up'
	@echo '  make demo-mate    a program in virtual time whose number of workers is tuned from its own trace'
	@echo '  make demo-mpi     traces an MPI program with 4 ranks: its calls, messages, bytes and efficiencies by rank'
	@echo '  make demo-java    traces a program of Java: its threads by name, and where their time went; needs a JDK'
	@echo '  make demo-live    asks a program what it does while it runs, changes it, and prints the documents between them'
	@echo '  make install      paje, headers, manual page, completion, files for pkg-config and CMake; the libraries if'
	@echo '                    they were built (PREFIX=/usr/local, LIBDIR=PREFIX/lib, DESTDIR=; PJ_DUMP=1: paje also as'
	@echo '                    pj_dump and pj_equals)'
	@echo '  make uninstall    removes these again (the same PREFIX, LIBDIR, DESTDIR)'
	@echo '  make clean        removes build/'
	@echo 'Test: see tests/README.md'
	@echo '  make check        the tests, two to six minutes (TESTS="prose readme": these only; NO_SKIP=1: skipped ones fail)'
	@echo '  make check-full   these with more cases, and those that need servers, a browser, emulators'
	@echo '  make check-embedded  the firmware of examples/firmware on boards in emulators'
	@echo '  make check-long   a process follows a program that writes for an hour (LONG=seconds)'
	@echo '  make fuzz         all fuzz targets (TIME=seconds for each; AFL=1: by AFL++)'
	@echo '  make coverage     lines and branches of both headers that the tests reach; needs gcov'
	@echo '  make mutants      how many of 100 changes to each header and to the tool the tests notice; an hour or two'
	@echo 'Measure: see bench/README.md'
	@echo '  make bench        speed (SIZE=bytes of trace, ROUNDS=repetitions)'
	@echo '  make bench-full   curves of cost against containers, links, size of the file ...; half an hour'
	@echo '  make sizes        flash, RAM, stack and instructions of both headers on microcontrollers'
	@echo 'Generate: see src/README.md'
	@echo '  make regenerate   generates both headers, the lexers (needs re2c) and tests/traces/stencil.trace'
	@echo '  make verify       compares the generated files with their sources'

# ---- programs, folder by folder

include $(patsubst %,examples/%/build.mk,paje trace write read bindings live mir mate tg web packaging) tests/build.mk bench/build.mk

examples: $(EXAMPLES)

# Examples of one file; their build.mk adds libraries.
$(BUILD)/examples/%: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)

# ---- demo, tests, benchmarks

# Prints each command, then runs it.
demo: paje $(BUILD)/examples/write/runtime $(BUILD)/examples/read/profile
	@mkdir -p $(DEMO)
	@rm -f $(DEMO)/*
	@set -e; show() { printf '\n$$ %s\n' "$$1"; eval "$$1"; }; \
	show '$(BUILD)/examples/write/runtime $(DEMO)/worker 4 24'; \
	show '$(BUILD)/paje merge -o $(DEMO)/all.trace $(DEMO)/worker.?.trace'; \
	show '$(BUILD)/paje validate $(DEMO)/all.trace'; \
	show '$(BUILD)/paje null $(DEMO)/all.trace'; \
	show '$(BUILD)/examples/read/profile <$(DEMO)/all.trace'

check-full:
	@tests/run --full $(if $(filter-out 0,$(NO_SKIP)),--no-skip)

check:
	@tests/run $(if $(filter-out 0,$(NO_SKIP)),--no-skip) $(TESTS)

bench: paje $(patsubst %,$(BUILD)/bench/%,generate replay process travel write sql)
	@bench/run

bench-full: paje $(patsubst %,$(BUILD)/bench/%,generate replay process travel sql)
	@bench/full

LONG ?= 3600
check-long: $(BUILD)/tests/write/long
	@nice $< $(LONG)

check-embedded:
	@FULL=1 tests/ring/embedded.sh

fuzz:
	@tests/fuzz/run

coverage:
	@tests/full/coverage.sh

mutants:
	@tests/full/mutants.py

sizes:
	@tests/ring/embedded/sizes.sh

verify:
	@tests/builds/verify.sh

regenerate:
	@set -e; for source in $$(find src examples -name '*.re'); do \
	    $(RE2C) -W -Werror -i --no-generation-date -o $${source%.re}.h $$source; \
	done
	awk -f src/disabled.awk src/pajewrite/api/calls.h >src/pajewrite/api/disabled.h
	@set -e; for folder in src/*/; do src/amalgamate.sh $$(basename $$folder); done
	tests/traces/stencil.sh >tests/traces/stencil.trace

clean:
	rm -rf $(BUILD)
