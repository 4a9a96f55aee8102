# Programs that read traces; mpi_replay only if there is an mpicc.

READ_EXAMPLES := $(patsubst %.c,$(BUILD)/%,$(wildcard examples/read/*.c))
EXAMPLES      += $(filter-out $(if $(call has,mpicc),,%/mpi_replay),$(READ_EXAMPLES))

# It makes lines as the tool does.
$(BUILD)/examples/read/mpi_replay: examples/read/mpi_replay.c \
                                   $(BUILD)/paje.d/paje/replay/dump_line.o \
                                   $(addprefix $(BUILD)/paje.d/base/,memory.o text.o utf8.o)
	@mkdir -p $(@D)
	$(MPI_COMPILE) -Iexamples -Iexamples/paje $(LDFLAGS) -o $@ $(filter %.c %.o,$^) -lm $(LDLIBS)
