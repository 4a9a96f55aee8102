# Programs that read traces; mpi_replay only if there is an mpicc.

READ_EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/read/*.c))
EXAMPLES      += $(filter-out $(if $(call has,mpicc),,%/mpi_replay),$(READ_EXAMPLES))

$(BUILD)/examples/read/mpi_replay: examples/read/mpi_replay.c
	@mkdir -p $(@D)
	$(MPI_COMPILE) $(LDFLAGS) -o $@ $< -lm $(LDLIBS)
