# The benchmark programs.

$(BUILD)/bench/%: bench/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

# The reader in several builds: as it is, without the bitmaps, without the cache of names, with SSE2 alone, in plain C.
OPTIONS_relexed  := -DPAJESIM_FAST=0
OPTIONS_uncached := -DPAJESIM_CACHE=0
OPTIONS_narrow   := -DPAJESIM_SIMD=1
OPTIONS_plain    := -DPAJESIM_SIMD=0
$(BUILD)/bench/engine-%.o: bench/engine.c
	@mkdir -p $(@D)
	$(COMPILE) -DENGINE=engine_$* $(OPTIONS_$*) -c -o $@ $<

ENGINES := $(patsubst %,$(BUILD)/bench/engine-%.o,fast relexed uncached narrow plain)

$(BUILD)/bench/replay: bench/replay.c $(ENGINES)
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(ENGINES) $(LDLIBS)

# The writer in three builds: as it is, with the checking mode, compiled out.
$(BUILD)/bench/write-%.o: bench/write_engine.c
	@mkdir -p $(@D)
	$(COMPILE) -DENGINE=write_$* $(if $(filter check,$*),-DPAJEWRITE_CHECK=1) $(if $(filter off,$*),-DPAJEWRITE_DISABLE) \
	    -c -o $@ $<

$(BUILD)/bench/write_zones.o: CFLAGS += -pthread
$(BUILD)/bench/write_zones.o $(BUILD)/bench/spall.o: $(BUILD)/bench/%.o: bench/%.c
	@mkdir -p $(@D)
	$(COMPILE:-std=c99=-std=gnu99) -c -o $@ $<

WRITERS := $(patsubst %,$(BUILD)/bench/%.o,write-plain write-check write-off write_zones spall)

$(BUILD)/bench/write: bench/write.c $(WRITERS)
	@mkdir -p $(@D)
	$(COMPILE) -pthread $(LDFLAGS) -o $@ $< $(WRITERS) -ldl $(LDLIBS)

$(BUILD)/bench/live: bench/live.c $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -Iexamples -pthread $(LDFLAGS) -o $@ $< $(BUILD)/liblive.a $(LDLIBS)

$(BUILD)/bench/gather: bench/gather.c $(MATE_OBJECTS)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate $(LDFLAGS) -o $@ $< $(filter %.o,$^) -lm $(LDLIBS)
