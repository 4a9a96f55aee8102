# Programs that reply while they run: a library that is linked in, on Linux only.

LIVE_RUNS_HERE := $(shell $(CC) -dM -E -include features.h -x c /dev/null 2>/dev/null | grep -c 'define __linux__ \|define __GLIBC__ ')
LIVE_OBJECTS   := $(patsubst examples/%.c,$(BUILD)/live.d/%.o,$(filter-out examples/live/demo.c,$(wildcard examples/live/*.c)))
LIVE_PROGRAMS  := $(if $(filter 2,$(LIVE_RUNS_HERE)),$(BUILD)/liblive.a $(BUILD)/examples/live/demo)
EXAMPLES       += $(LIVE_PROGRAMS)

$(BUILD)/live.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -Iexamples -c -o $@ $<

$(BUILD)/liblive.a: $(LIVE_OBJECTS)
	@rm -f $@
	$(AR) rc $@ $^

$(BUILD)/examples/live/%: examples/live/%.c $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -Iexamples $(LDFLAGS) -o $@ $< $(BUILD)/liblive.a -pthread $(LDLIBS)
