# Programs that are tuned from their own traces.  Those in real time need examples/live, so Linux.

MATE_MAIN    := virtual virtual_chunks analyser
MATE_LIVE    := mw transport_fork transport_mpi nbody mate clients streams choose collector helpers self knobs pipeline kernels loop
MATE_OBJECTS := $(patsubst examples/%.c,$(BUILD)/mate.d/%.o,$(filter-out $(patsubst %,examples/mate/%.c,$(MATE_MAIN) $(MATE_LIVE)),$(wildcard examples/mate/*.c examples/mate/tunlets/*.c)) \
                  examples/base/memory.c examples/base/array.c)
# Made by tg of specifications; time.tunlet has no other.
MATE_GENERATED := $(patsubst examples/mate/tunlets/%.tunlet,$(BUILD)/mate.d/generated/%.o,$(wildcard examples/mate/tunlets/*.tunlet))
MATE         := $(patsubst %,$(BUILD)/examples/mate/%,$(MATE_MAIN))
# In real time: master and workers by fork, by MPI; the launcher.
MATE_RUNS    := $(if $(filter 2,$(LIVE_RUNS_HERE)),$(patsubst %,$(BUILD)/examples/mate/%,nbody mate collector pipeline kernels $(if $(takes_openmp),loop) $(if $(call has,mpicc),nbody_mpi)))
EXAMPLES     += $(MATE) $(MATE_RUNS)

$(BUILD)/mate.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate -c -o $@ $<

# What a tunlet sums up of hostile numbers wraps around, as in gather.c.
$(BUILD)/mate.d/mate/tunlets/%.o $(BUILD)/mate.d/generated/%.o: CPPFLAGS += -fwrapv

$(BUILD)/mate.d/mate/transport_mpi.o: examples/mate/transport_mpi.c
	@mkdir -p $(@D)
	$(MPI_COMPILE) -Iexamples -Iexamples/mate -c -o $@ $<

$(MATE): $(BUILD)/examples/mate/%: $(BUILD)/mate.d/mate/%.o $(MATE_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm $(LDLIBS)
$(patsubst %,$(BUILD)/examples/mate/%,analyser mate collector): LDLIBS += $(if $(filter 2,$(LIVE_RUNS_HERE)),-ldl)
$(BUILD)/examples/mate/analyser: $(addprefix $(BUILD)/mate.d/,generated/time.o mate/choose.o)

$(MATE_RUNS): MATE_LINK = $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm -pthread $(LDLIBS)
$(BUILD)/examples/mate/nbody: $(addprefix $(BUILD)/mate.d/mate/,nbody.o mw.o transport_fork.o) $(MATE_OBJECTS) $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(MATE_LINK)
$(BUILD)/examples/mate/nbody_mpi: $(addprefix $(BUILD)/mate.d/mate/,nbody.o mw.o transport_mpi.o) $(MATE_OBJECTS) $(BUILD)/liblive.a
	@mkdir -p $(@D)
	OMPI_CC='$(CC)' MPICH_CC='$(CC)' $(MATE_LINK:$(CC)%=mpicc%)
$(BUILD)/examples/mate/mate: $(addprefix $(BUILD)/mate.d/mate/,mate.o clients.o helpers.o streams.o choose.o) $(BUILD)/mate.d/generated/time.o $(MATE_OBJECTS) $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(MATE_LINK)
$(BUILD)/examples/mate/collector: $(addprefix $(BUILD)/mate.d/mate/,collector.o streams.o choose.o) $(BUILD)/mate.d/generated/time.o $(MATE_OBJECTS)
	@mkdir -p $(@D)
	$(MATE_LINK)
MATE_SELF := $(addprefix $(BUILD)/mate.d/mate/,self.o knobs.o) $(MATE_OBJECTS) $(BUILD)/liblive.a
$(BUILD)/mate.d/mate/loop.o: CPPFLAGS += -fopenmp
$(BUILD)/examples/mate/loop: LDLIBS += -fopenmp
$(addprefix $(BUILD)/examples/mate/,pipeline kernels loop): $(BUILD)/examples/mate/%: $(BUILD)/mate.d/mate/%.o $(MATE_SELF)
	@mkdir -p $(@D)
	$(MATE_LINK)

.PHONY: demo-mate
demo-mate: $(BUILD)/examples/mate/virtual
	@$< --persist=1
