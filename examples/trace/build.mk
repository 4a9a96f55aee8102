# The libraries that `paje trace` preloads; on Linux with glibc and 64 bits only.

trace_runs_here := $(shell $(CC) -dM -E -include features.h -x c /dev/null 2>/dev/null | \
                     grep -c 'define __linux__ \|define __GLIBC__ \|define __LP64__ ')
TRACE_LIBRARY   := $(if $(filter 3,$(trace_runs_here)),$(BUILD)/libpajetrace.so $(BUILD)/libpajetrace-heap.so \
                     $(BUILD)/libpajetrace-omp.so)
TRACE_OBJECTS   := $(patsubst examples/%.c,$(BUILD)/trace.d/%.o,$(wildcard examples/trace/*.c) examples/base/job.c)

# Wrappers have to be unwound through, by exceptions and cancellation.
$(BUILD)/trace.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fexceptions -c -o $@ $<

$(BUILD)/libpajetrace.so: $(TRACE_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,libpajetrace.so -o $@ $(TRACE_OBJECTS) -ldl -pthread

$(BUILD)/libpajetrace-heap.so: $(BUILD)/trace.d/trace/heap/heap.o
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpajetrace-heap.so -o $@ $< -ldl

TRACE_OPENMP := $(patsubst examples/%.c,$(BUILD)/trace.d/%.o,$(wildcard examples/trace/openmp/*.c))
$(BUILD)/libpajetrace-omp.so: $(TRACE_OPENMP) $(BUILD)/libpajetrace.so
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,$(@F) -o $@ $(TRACE_OPENMP) -L$(BUILD) -lpajetrace \
	    -Wl,-rpath,'$$ORIGIN' -ldl -pthread

# The layers of MPI, one for each make that the machine has, as NAME=PACKAGE of pkg-config: its mpi.h tells what there is
# to wrap.
TRACE_MPIS := $(if $(TRACE_LIBRARY),$(foreach mpi,openmpi=ompi-c mpich=mpich,\
                $(if $(shell pkg-config --exists $(lastword $(subst =, ,$(mpi))) 2>/dev/null && echo yes),$(mpi))))
TRACE_LIBRARIES := $(TRACE_LIBRARY) $(foreach mpi,$(TRACE_MPIS),$(BUILD)/libpajetrace-$(firstword $(subst =, ,$(mpi))).so)

paje: $(TRACE_LIBRARIES)
trace: $(BUILD)/paje $(TRACE_LIBRARIES)

TRACE_MPI_OBJECTS := $(notdir $(patsubst %.c,%.o,$(wildcard examples/trace/mpi/*.c))) job.o wrappers.o
TRACE_COMPILE_MPI  = $(subst -std=c99,-std=c11,$(COMPILE)) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fexceptions \
                       -Iexamples -Iexamples/trace/mpi -I$(@D) $$(pkg-config --cflags $(1) | sed 's/-I/-isystem /g') -c -o $@

define TRACE_MPI_RULES
$(BUILD)/trace.d/$(1)/mpi.i:
	@mkdir -p $$(@D)
	echo '#include <mpi.h>' | $$(CC) -E -P $$$$(pkg-config --cflags $(2)) - >$$@

$(BUILD)/trace.d/$(1)/by_hand.h: examples/trace/mpi/wrap.awk $(BUILD)/trace.d/$(1)/mpi.i
	awk -f $$< -v part=calls $$(word 2,$$^) >$$@

$(BUILD)/trace.d/$(1)/wrappers.c: examples/trace/mpi/wrap.awk $(BUILD)/trace.d/$(1)/mpi.i
	awk -f $$< -v part=wrappers $$(word 2,$$^) >$$@

$(BUILD)/trace.d/$(1)/wrappers.o: $(BUILD)/trace.d/$(1)/wrappers.c $(BUILD)/trace.d/$(1)/by_hand.h
	$$(call TRACE_COMPILE_MPI,$(2)) $$<

$(BUILD)/trace.d/$(1)/job.o: examples/base/job.c
	@mkdir -p $$(@D)
	$$(call TRACE_COMPILE_MPI,$(2)) $$<

$(BUILD)/trace.d/$(1)/%.o: examples/trace/mpi/%.c $(BUILD)/trace.d/$(1)/by_hand.h
	$$(call TRACE_COMPILE_MPI,$(2)) $$<

$(BUILD)/libpajetrace-$(1).so: $(addprefix $(BUILD)/trace.d/$(1)/,$(TRACE_MPI_OBJECTS)) $(TRACE_LIBRARY)
	$$(CC) $$(CFLAGS) $$(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,$$(@F) -o $$@ $$(filter %.o,$$^) -L$(BUILD) -lpajetrace \
	    -Wl,-rpath,'$$$$ORIGIN' -ldl
endef

$(foreach mpi,$(TRACE_MPIS),$(eval $(call TRACE_MPI_RULES,$(firstword $(subst =, ,$(mpi))),$(lastword $(subst =, ,$(mpi))))))

# Programs to be traced, which know nothing of it.
$(BUILD)/examples/trace/programs/%: examples/trace/programs/%.c
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

# The layer of Java, for the JDK that the machine has: of JAVA_HOME, else that of javac.
JAVA_HOME  ?= $(patsubst %/bin/javac,%,$(realpath $(call has,javac)))
TRACE_JAVA := $(if $(TRACE_LIBRARY),$(if $(wildcard $(JAVA_HOME)/include/jvmti.h),$(BUILD)/libpajetrace-java.so))
TRACE_JAVA_OBJECTS := $(patsubst examples/%.c,$(BUILD)/trace.d/%.o,$(wildcard examples/trace/java/*.c))

TRACE_LIBRARIES += $(TRACE_JAVA)
paje trace: $(TRACE_JAVA)

$(TRACE_JAVA_OBJECTS): $(BUILD)/trace.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fexceptions -Iexamples -isystem $(JAVA_HOME)/include \
	    -isystem $(JAVA_HOME)/include/linux -c -o $@ $<

$(BUILD)/libpajetrace-java.so: $(TRACE_JAVA_OBJECTS) $(TRACE_LIBRARY)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-z,defs -Wl,-soname,$(@F) -o $@ $(TRACE_JAVA_OBJECTS) -L$(BUILD) -lpajetrace \
	    -Wl,-rpath,'$$ORIGIN' -ldl

# ---- demos, which print each command, then run it

.PHONY: demo-trace demo-mpi demo-java

# A threaded program that every Debian has; any other one will do.
demo-trace: paje
	@rm -rf $(BUILD)/demo-trace; mkdir -p $(BUILD)/demo-trace
	@set -e; paje=$$PWD/$(BUILD)/paje; input=$$PWD/pajesim.h; cd $(BUILD)/demo-trace; \
	show() { printf '\n$$ %s\n' "$$1" | sed "s,$$paje,paje,g; s,$$input,pajesim.h,g"; eval "$$1"; }; \
	if command -v xz >/dev/null; then set xz "xz -T2 --block-size=64KiB -c $$input >out"; \
	else set sort "sort --parallel=2 -S 64K $$input >out"; fi; \
	show "$$paje trace $$2"; rm -f out; \
	show "ls"; \
	show "$$paje validate --strict $$1.trace"; \
	show "$$paje profile --depth 0 --type State $$1.trace"; \
	show "$$paje svg $$1.trace >$$1.svg"; \
	printf '\nLook at it: %s in a browser, or\n%s view %s\n' "$(BUILD)/demo-trace/$$1.svg" "$(BUILD)/paje" "$(BUILD)/demo-trace/$$1.trace"

# An MPI program as it is; more ranks than cores share these.
demo-mpi: paje $(if $(call has,mpicc),$(BUILD)/examples/trace/programs/heat)
	@for program in mpicc mpirun pkg-config; do command -v $$program >/dev/null || { \
	    echo "make demo-mpi needs $$program: install an MPI (Debian: libopenmpi-dev and openmpi-bin) and pkg-config" >&2; exit 1; }; done
	@rm -rf $(BUILD)/demo-mpi; mkdir -p $(BUILD)/demo-mpi
	@set -e; build=$$PWD/$(BUILD); cd $(BUILD)/demo-mpi; \
	export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1; \
	show() { printf '\n$$ %s\n' "$$1" | sed "s,$$build/paje,paje,g; s,$$build/.*/heat,heat,g"; eval "$$1"; }; \
	show "mpirun -n 4 $$build/paje trace $$build/examples/trace/programs/heat"; \
	test -e heat.trace || { echo "there is no heat.trace: the MPI of mpirun has no layer here, or the machine refused" >&2; exit 1; }; \
	show "$$build/paje validate --strict heat.trace"; \
	show "$$build/paje profile --depth 0 --type State heat.trace | grep -e Kind -e MPI_"; \
	show "$$build/paje matrix --bytes Bytes --type Message heat.trace"; \
	show "$$build/paje efficiency heat.trace"; \
	show "$$build/paje waits --receive 'MPI_*' --send 'MPI_*' --top 4 heat.trace"; \
	show "$$build/paje svg heat.trace >heat.svg"; \
	printf '\nLook at it: %s in a browser, or\n%s view %s\n' "$(BUILD)/demo-mpi/heat.svg" "$(BUILD)/paje" "$(BUILD)/demo-mpi/heat.trace"

# examples/trace/java/PiExample.java: 15 threads of its own, main, and three that the JVM starts in Java.
demo-java: paje
	@$(if $(TRACE_JAVA),,echo 'demo-java: there is no JDK with jvmti.h (install default-jdk-headless)'; exit 1)
	@rm -rf $(BUILD)/demo-java; mkdir -p $(BUILD)/demo-java
	@$(JAVA_HOME)/bin/javac -d $(BUILD)/demo-java examples/trace/java/PiExample.java
	@set -e; paje=$$PWD/$(BUILD)/paje; cd $(BUILD)/demo-java; \
	show() { printf '\n$$ %s\n' "$$1" | sed "s,$$paje,paje,g"; eval "$$1"; }; \
	show "$$paje trace java PiExample"; \
	show "$$paje validate --strict java.trace"; \
	show "$$paje profile --type State java.trace"; \
	show "$$paje svg java.trace >java.svg"; \
	printf '\nThreads: '; $$paje dump java.trace | awk -F', ' \
	    '/^Container/ && $$3 == "Thread" {names = names "  " $$NF "\n"; n++} END {printf "%d\n%s", n, names}'; \
	printf '\nLook at it: %s in a browser, or\n%s view %s\n' "$(BUILD)/demo-java/java.svg" "$(BUILD)/paje" "$(BUILD)/demo-java/java.trace"
