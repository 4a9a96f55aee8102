# Programs that write traces; openmp and mpi only if the compiler has OpenMP and there is an mpicc.

takes_openmp   = $(shell $(CC) -fopenmp -include omp.h -x c -fsyntax-only /dev/null 2>/dev/null && echo yes)
WRITE_EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/write/*.c))
WRITE_EXAMPLES := $(filter-out $(if $(call has,mpicc),,%/mpi) $(if $(takes_openmp),,%/openmp),$(WRITE_EXAMPLES))
EXAMPLES       += $(WRITE_EXAMPLES)

$(BUILD)/examples/write/threads $(BUILD)/examples/write/runtime $(BUILD)/examples/write/zones: LDLIBS += -pthread
$(BUILD)/examples/write/openmp: LDLIBS += -fopenmp

$(BUILD)/examples/write/mpi: examples/write/mpi.c
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)
