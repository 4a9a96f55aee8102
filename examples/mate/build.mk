# Programs that are tuned from their own traces.

MATE_OBJECTS := $(patsubst examples/%.c,$(BUILD)/mate.d/%.o,$(filter-out %/virtual.c %/virtual_chunks.c %/analyser.c,$(wildcard examples/mate/*.c examples/mate/tunlets/*.c)) \
                  examples/base/memory.c examples/base/array.c)
# Made by tg of specifications; time.tunlet has no other.
MATE_GENERATED := $(patsubst examples/mate/tunlets/%.tunlet,$(BUILD)/mate.d/generated/%.o,$(wildcard examples/mate/tunlets/*.tunlet))
MATE         := $(patsubst %,$(BUILD)/examples/mate/%,virtual virtual_chunks analyser)
EXAMPLES     += $(MATE)

$(BUILD)/mate.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate -c -o $@ $<

$(MATE): $(BUILD)/examples/mate/%: $(BUILD)/mate.d/mate/%.o $(MATE_OBJECTS)
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm $(LDLIBS)
$(BUILD)/examples/mate/analyser: $(BUILD)/mate.d/generated/time.o

.PHONY: demo-mate
demo-mate: $(BUILD)/examples/mate/virtual
	@$< --persist=1
