# tg, which makes tunlets of specifications, and the tunlets that it makes.

TG := $(BUILD)/examples/tg/tg
EXAMPLES += $(TG)

$(BUILD)/mate.d/tg/%.o: examples/tg/%.c
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate -c -o $@ $<

$(TG): $(patsubst examples/%.c,$(BUILD)/mate.d/%.o,$(wildcard examples/tg/*.c) \
         $(wildcard examples/base/*.c))
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ -lm $(LDLIBS)

$(BUILD)/mate.d/generated/%.c: examples/mate/tunlets/%.tunlet $(TG)
	@mkdir -p $(@D)
	$(TG) $< $@

.SECONDARY: $(patsubst examples/mate/tunlets/%.tunlet,$(BUILD)/mate.d/generated/%.c,$(wildcard examples/mate/tunlets/*.tunlet))
$(BUILD)/mate.d/generated/%.o: $(BUILD)/mate.d/generated/%.c examples/mate/tunlet.h
	$(COMPILE) -Wno-unused-parameter -Iexamples/mate -c -o $@ $<
