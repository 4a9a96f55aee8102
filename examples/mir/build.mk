# The client of live programs, and the side program.

MIR_PROGRAMS := $(if $(LIVE_PROGRAMS),$(BUILD)/examples/mir/mirctl $(BUILD)/examples/mir/mir_engine)
EXAMPLES     += $(MIR_PROGRAMS)
MIR_OBJECTS   = $(patsubst examples/%.c,$(BUILD)/live.d/%.o,$(wildcard examples/mir/$(1)/*.c))

$(BUILD)/examples/mir/mirctl: $(call MIR_OBJECTS,mirctl) $(addprefix $(BUILD)/live.d/base/,memory.o text.o utf8.o)
$(BUILD)/examples/mir/mir_engine: $(call MIR_OBJECTS,engine)
$(BUILD)/examples/mir/%: $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(BUILD)/liblive.a -pthread $(LDLIBS)

.PHONY: demo-live

# -> is what mirctl sends, <- what the program replies; both go to standard error.
demo-live: paje $(LIVE_PROGRAMS) $(MIR_PROGRAMS)
	@rm -rf $(BUILD)/demo-live; mkdir -p $(BUILD)/demo-live
	@set -e; cd $(BUILD)/demo-live; bin=../examples; \
	show() { printf '\n$$ %s\n' "$$1" | sed "s,$$bin/[a-z]*/,,g; s,\.\./paje,paje,"; eval "$$1"; }; \
	show "PAJE_LIVE=unix:socket $$bin/live/demo 100000000 demo.trace & program=\$$!"; \
	while ! $$bin/mir/mirctl socket --clock >/dev/null 2>&1; do sleep 0.1; done; \
	show "$$bin/mir/mirctl socket --catalog"; \
	show "$$bin/mir/mirctl socket --show -r solve -m WC_TIME -a all -i 500ms -n 1 2>&1"; \
	show "$$bin/mir/mirctl socket --show --set rows=256 -r solve -a mean -i 500ms -n 1 2>&1"; \
	show "$$bin/mir/mirctl socket --show --snapshot=3 2>&1"; \
	show "$$bin/mir/mirctl socket --set iterations=0"; \
	wait $$program; \
	show "../paje validate --strict demo.trace"; \
	show "../paje dump -u demo.trace | grep Tuned"
