# make help says what there is.

CC       ?= cc
CFLAGS   ?= -O2 -g
WARNINGS ?= -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wcast-qual -Wcast-align
PREFIX   ?= /usr/local
DESTDIR  ?=
RE2C     ?= re2c
# Real traces, where they are at hand: the tests that can use them do.
CORPUS   ?= $(wildcard ../shared/corpus)
export CC CFLAGS RE2C CORPUS

BUILD   := build
COMPILE  = $(CC) -std=c99 $(WARNINGS) $(CPPFLAGS) $(CFLAGS) -I. -MMD -MP

# Of the examples, those that this machine has the means for: has COMMAND, takes_openmp.
has          = $(shell command -v $(1) 2>/dev/null)
takes_openmp = $(shell $(CC) -fopenmp -include omp.h -x c -fsyntax-only /dev/null 2>/dev/null && echo yes)
EXAMPLES := $(patsubst examples/%.c,$(BUILD)/examples/%,$(wildcard examples/*.c))
EXAMPLES := $(filter-out $(if $(call has,mpicc),,%/mpi %/mpi_replay) $(if $(takes_openmp),,%/openmp),$(EXAMPLES)) \
            $(if $(call has,mpifort),$(BUILD)/examples/fortran/ring)
COMMANDS := $(sort $(wildcard examples/paje/commands/*.c))
PAJE     := $(patsubst examples/%.c,$(BUILD)/%.o,$(wildcard examples/paje/*.c) $(COMMANDS))
PLUGINS  := $(BUILD)/paje.d/plugins.h
HEADERS  := $(wildcard pajesim.h pajewrite.h)
VERSION   = $(shell sed -n 's/^\#define PAJESIM_VERSION_TEXT "\(.*\)"/\1/p' pajesim.h)
DEMO     := $(BUILD)/demo

.PHONY: all paje examples lib demo check check-full check-long check-embedded fuzz coverage mutants sizes bench bench-full verify regenerate \
        install clean help FORCE
.DELETE_ON_ERROR:

all: paje examples
paje: $(BUILD)/paje
examples: $(EXAMPLES)

help:
	@echo 'make              builds build/paje and the examples; needs a C compiler only'
	@echo 'make lib          builds build/libpajesim.so and build/libpajewrite.so, for examples/python and other languages'
	@echo 'make demo         runs a program that traces itself, replays the trace and sums it up'
	@echo 'make check        runs the tests (NO_SKIP=1: what is skipped counts as failed; TESTS="prose ..." runs these)'
	@echo 'make check-full   these, and those that need servers and a browser'
	@echo 'make check-long   a program writes for an hour (LONG=seconds), another follows it: nothing lost, memory flat'
	@echo 'make check-embedded  the firmware of examples/firmware on boards in emulators'
	@echo 'make fuzz         fuzzes everything that reads (TIME=seconds for each target; AFL=1: by AFL++)'
	@echo 'make coverage     what the tests reach of both headers (gcov)'
	@echo 'make mutants      how many of 300 changes to the simulator the tests notice; takes an hour'
	@echo 'make sizes        flash, RAM, stack and instructions of both headers for microcontrollers'
	@echo 'make bench        measures (SIZE=bytes of trace, ROUNDS=how often): see bench/README.md'
	@echo 'make bench-full   draws curves: cost against containers, links, size of the file ...; takes half an hour'
	@echo 'make verify       compares generated files with what they are generated from'
	@echo 'make regenerate   makes src/lex.h (with re2c), pajesim.h and tests/traces/stencil.trace anew'
	@echo 'make install      PREFIX=/usr/local, DESTDIR=: headers, pajesim.pc, paje; the libraries, if make lib was run'
	@echo 'make clean        removes build/'

# ---- the tool: each file in commands/ is a plugin, found by its name

PAJE := $(PAJE:$(BUILD)/paje/%=$(BUILD)/paje.d/%)

$(BUILD)/paje: LDLIBS += -lm
$(BUILD)/paje: $(PAJE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(PAJE) $(LDLIBS)

# Files that a command writes out as they are: FILE becomes FILE.h, a string for each line.
PAGES := $(patsubst examples/paje/%,$(BUILD)/paje.d/%.h,$(wildcard examples/paje/commands/*.html))

# Kept, as a target of its own would be.
.SECONDARY: $(PAGES)
$(BUILD)/paje.d/%.html.h: examples/paje/%.html
	@mkdir -p $(@D)
	@sed 's/[\\"]/\\&/g; s/.*/"&",/' $< >$@

$(BUILD)/paje.d/%.o: examples/paje/%.c | $(PLUGINS) $(PAGES)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples/paje -I$(BUILD)/paje.d -c -o $@ $<

# Rewritten only when the list has changed, so that a command more or less rebuilds what depends on it.
$(PLUGINS): FORCE
	@mkdir -p $(@D)
	@printf 'PAJE_PLUGIN(%s)\n' $(basename $(notdir $(COMMANDS))) >$@.new
	@if cmp -s $@.new $@; then rm $@.new; else mv $@.new $@; fi

# ---- both headers as shared libraries, whose binary interface may change with the minor version

LIBRARIES := $(BUILD)/libpajesim.so $(BUILD)/libpajewrite.so
ABI        = $(basename $(VERSION))

lib: $(LIBRARIES)

$(BUILD)/libpajewrite.so: LDLIBS += -pthread

$(BUILD)/lib%.so: examples/lib/%.c
	@mkdir -p $(@D)
	$(COMPILE) -fPIC -fvisibility=hidden -shared -Wl,-soname,$(@F).$(ABI) -Wl,-z,defs $(LDFLAGS) -o $@ $< $(LDLIBS)
	@ln -sf $(@F) $@.$(ABI)

# ---- programs of one file: examples, tests, benchmarks

$(BUILD)/examples/%: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

$(BUILD)/examples/threads $(BUILD)/examples/runtime: LDLIBS += -pthread
$(BUILD)/examples/openmp: LDLIBS += -fopenmp

# The compiler of MPI is a wrapper around ours.
$(BUILD)/examples/mpi_replay: LDLIBS += -lm
$(BUILD)/examples/mpi $(BUILD)/examples/mpi_replay: $(BUILD)/examples/%: examples/%.c
	@mkdir -p $(@D)
	OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(COMPILE:$(CC)%=mpicc%) $(LDFLAGS) -o $@ $< $(LDLIBS)

FORTRAN := $(BUILD)/examples/fortran

$(FORTRAN)/writer.o: examples/fortran/writer.c
	@mkdir -p $(@D)
	$(COMPILE) -c -o $@ $<

$(FORTRAN)/ring: examples/fortran/pajewrite.f90 examples/fortran/ring.f90 $(FORTRAN)/writer.o
	mpifort -std=f2008 -Wall -Wextra -O2 -g -J$(@D) $(LDFLAGS) -o $@ $^ $(LDLIBS)

# It holds format.c, which the others here do not.
$(BUILD)/tests/format: tests/format.c $(addprefix $(BUILD)/paje.d/,output.o pajesim.o)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples/paje $(LDFLAGS) -o $@ $< $(filter %.o,$^) -lm $(LDLIBS)

# Tests are compiled longer than they run; of debug information, lines will do.
$(BUILD)/tests/%: private CFLAGS := $(patsubst -g,-g1,$(CFLAGS:-O2=-O1))
$(BUILD)/tests/%: tests/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

$(BUILD)/tests/long: LDLIBS += -pthread

$(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

# The same reader several times: as it is, without the bitmaps, without the cache of names, in plain C.
OPTIONS_relexed  := -DPAJESIM_FAST=0
OPTIONS_uncached := -DPAJESIM_CACHE=0
OPTIONS_plain    := -DPAJESIM_SIMD=0
$(BUILD)/bench/engine-%.o: bench/engine.c
	@mkdir -p $(@D)
	$(COMPILE) -DENGINE=engine_$* $(OPTIONS_$*) -c -o $@ $<

ENGINES := $(patsubst %,$(BUILD)/bench/engine-%.o,fast relexed uncached plain)

$(BUILD)/bench/replay: bench/replay.c $(ENGINES)
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(ENGINES) $(LDLIBS)

# The writer three times: as it is, with the checking mode, compiled out.
$(BUILD)/bench/write-%.o: bench/write_engine.c
	@mkdir -p $(@D)
	$(COMPILE) -DENGINE=write_$* $(if $(filter check,$*),-DPAJEWRITE_CHECK=1) $(if $(filter off,$*),-DPAJEWRITE_DISABLE) \
	    -c -o $@ $<

WRITERS := $(patsubst %,$(BUILD)/bench/write-%.o,plain check off)

$(BUILD)/bench/write: bench/write.c $(WRITERS)
	@mkdir -p $(@D)
	$(COMPILE) -pthread $(LDFLAGS) -o $@ $< $(WRITERS) -ldl $(LDLIBS)

-include $(shell find $(BUILD) -name '*.d' -type f 2>/dev/null)

# ---- what one does with them

# Each command is shown, then run.
demo: $(BUILD)/paje $(BUILD)/examples/runtime $(BUILD)/examples/profile
	@mkdir -p $(DEMO)
	@rm -f $(DEMO)/*
	@set -e; show() { printf '\n$$ %s\n' "$$1"; eval "$$1"; }; \
	show '$(BUILD)/examples/runtime $(DEMO)/worker 4 24'; \
	show '$(BUILD)/paje merge -o $(DEMO)/all.trace $(DEMO)/worker.?.trace'; \
	show '$(BUILD)/paje validate $(DEMO)/all.trace'; \
	show '$(BUILD)/paje null $(DEMO)/all.trace'; \
	show '$(BUILD)/examples/profile <$(DEMO)/all.trace'

check-full:
	@tests/run --full $(if $(filter-out 0,$(NO_SKIP)),--no-skip)

check:
	@tests/run $(if $(filter-out 0,$(NO_SKIP)),--no-skip) $(TESTS)

bench: paje $(patsubst %,$(BUILD)/bench/%,generate replay process travel write sql)
	@bench/run

bench-full: paje $(patsubst %,$(BUILD)/bench/%,generate replay process travel sql)
	@bench/full

LONG ?= 3600
check-long: $(BUILD)/tests/long
	@nice $< $(LONG)

check-embedded:
	@FULL=1 tests/embedded.sh

fuzz:
	@tests/fuzz/run

coverage:
	@tests/coverage.sh

mutants:
	@tests/full/mutants.py

sizes:
	@tests/embedded/sizes.sh

verify:
	@tests/verify.sh

regenerate:
	$(RE2C) -W -Werror -i --no-generation-date -o src/lex.h src/lex.re
	src/amalgamate.sh
	tests/traces/stencil.sh >tests/traces/stencil.trace

install: $(BUILD)/paje
	install -d '$(DESTDIR)$(PREFIX)/bin' '$(DESTDIR)$(PREFIX)/include' '$(DESTDIR)$(PREFIX)/share/pkgconfig'
	install -m 755 $(BUILD)/paje '$(DESTDIR)$(PREFIX)/bin/paje'
	install -m 644 $(HEADERS) '$(DESTDIR)$(PREFIX)/include/'
	printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$${prefix}/include' '' 'Name: pajesim' \
	    'Description: Reader and simulator of Paje traces, in one header' 'Version: $(VERSION)' \
	    'Cflags: -I$${includedir}' >'$(DESTDIR)$(PREFIX)/share/pkgconfig/pajesim.pc'
	chmod 644 '$(DESTDIR)$(PREFIX)/share/pkgconfig/pajesim.pc'
	@set -e; for library in $(patsubst $(BUILD)/%.so,%,$(wildcard $(LIBRARIES))); do \
	    lib='$(DESTDIR)$(PREFIX)/lib'; pc=$$lib/pkgconfig/$$library.pc; \
	    install -d "$$lib/pkgconfig"; \
	    install -m 644 $(BUILD)/$$library.so "$$lib/$$library.so.$(ABI)"; \
	    ln -sf $$library.so.$(ABI) "$$lib/$$library.so"; \
	    printf '%s\n' 'prefix=$(PREFIX)' '' "Name: $$library" "Description: $${library#lib}.h, compiled" \
	        'Version: $(VERSION)' 'Cflags: -I$${prefix}/include' "Libs: -L\$${prefix}/lib -l$${library#lib}" >"$$pc"; \
	    chmod 644 "$$pc"; \
	done

clean:
	rm -rf $(BUILD)
