# The client of live programs, and the side program.

MIR_PROGRAMS := $(if $(LIVE_PROGRAMS),$(BUILD)/examples/mir/mirctl $(BUILD)/examples/mir/mir_engine)
EXAMPLES     += $(MIR_PROGRAMS)
MIR_OBJECTS   = $(patsubst examples/%.c,$(BUILD)/live.d/%.o,$(wildcard examples/mir/$(1)/*.c))

$(BUILD)/examples/mir/mirctl: $(call MIR_OBJECTS,mirctl)
$(BUILD)/examples/mir/mir_engine: $(call MIR_OBJECTS,engine)
$(BUILD)/examples/mir/%: $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/liblive.a -pthread $(LDLIBS)
