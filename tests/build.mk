# Tests in C: build/tests/FOLDER/NAME is made of tests/FOLDER/NAME.c.

# Includes dump_line.c of the tool, so it is linked with the other objects only.
$(BUILD)/tests/tool/format: tests/tool/format.c $(addprefix $(BUILD)/paje.d/,base/memory.o base/text.o base/utf8.o paje/replay/pajesim.o)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/paje $(LDFLAGS) -o $@ $< $(filter %.o,$^) -lm $(LDLIBS)

$(addprefix $(BUILD)/tests/tool/lib-,base texts process): $(BUILD)/tests/tool/%: tests/tool/%.c $(patsubst examples/%.c,$(BUILD)/paje.d/%.o,$(wildcard examples/base/*.c))
$(BUILD)/tests/tool/lib-replay: tests/tool/lib-replay.c $(patsubst examples/%.c,$(BUILD)/paje.d/%.o,$(wildcard examples/base/*.c examples/paje/replay/*.c))
$(BUILD)/tests/tool/lib-lanes: tests/tool/lib-lanes.c $(addprefix $(BUILD)/paje.d/,base/memory.o paje/timeline/lane.o)
$(BUILD)/tests/tool/lib-charts: tests/tool/lib-charts.c
$(BUILD)/tests/tool/lib-timeline: tests/tool/lib-timeline.c
$(addprefix $(BUILD)/tests/tool/lib-,charts timeline): $(patsubst examples/%.c,$(BUILD)/paje.d/%.o,$(wildcard examples/base/*.c $(addprefix examples/paje/,raw/*.c replay/*.c timeline/*.c chart/*.c)))
$(addprefix $(BUILD)/tests/tool/lib-,base texts process replay lanes charts timeline):
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/paje $(LDFLAGS) -o $@ $< $(filter %.o,$^) -lm $(LDLIBS)

# Compiling most tests takes longer than running them, so -O0; and line numbers are enough debug information.
OPTIMIZED := $(patsubst %,$(BUILD)/tests/%,read/prose read/memory read/forged read/forged_late write/disturbed write/threads write/blocks trace/clock tool/lib-lanes)
$(BUILD)/tests/%: private CFLAGS := $(patsubst -g,-g1,$(CFLAGS:-O2=-O0))
$(OPTIMIZED): private CFLAGS := $(patsubst -g,-g1,$(CFLAGS:-O2=-O1))
# Preconditions are checked in tests, but not where instructions are counted.
CHECKED = -include tests/lib/checked.h
$(BUILD)/tests/%: private CPPFLAGS += $(CHECKED)
$(BUILD)/tests/builds/%: CHECKED :=
$(BUILD)/tests/%: tests/%.c
	@mkdir -p $(@D)
	$(COMPILE) $(LDFLAGS) -o $@ $< $(LDLIBS)

# Includes the tracer's clock.
$(BUILD)/tests/trace/clock: private CPPFLAGS += -D_GNU_SOURCE
$(BUILD)/tests/trace/clock: private LDLIBS += -pthread

# Nearly all types are late ones, and most records are in trees.
$(BUILD)/tests/read/%_late: tests/read/%.c
	@mkdir -p $(@D)
	$(COMPILE) -DPAJESIM__EARLY_TYPES=1u -DPAJESIM__PROBES=1u -DPAJESIM__BUCKET=1u $(LDFLAGS) -o $@ $< $(LDLIBS)

# Nothing that was destroyed is remembered.
$(BUILD)/tests/read/%_bare: tests/read/%.c
	@mkdir -p $(@D)
	$(COMPILE) -DPAJESIM_REPAIRS=0 $(LDFLAGS) -o $@ $< $(LDLIBS)

# Times and values in whole thousandths, and lines of as many words as there may be.
$(BUILD)/tests/read/%_fixed: tests/read/%.c
	@mkdir -p $(@D)
	$(COMPILE) -DPAJESIM_TIME_DECIMALS=3 -DPAJESIM_VALUE_DECIMALS=3 -DPAJESIM_WORDS=255 $(LDFLAGS) -o $@ $< $(LDLIBS)

$(patsubst %,$(BUILD)/tests/write/%,long open pieces blocks offer disturbed edges same process): LDLIBS += -pthread
$(BUILD)/tests/write/edges: private CFLAGS := $(patsubst -g,-g1,$(CFLAGS:-O2=-O1)) -ffast-math
$(BUILD)/tests/write/edges: LDLIBS += -lm

$(BUILD)/tests/mate/%: tests/mate/%.c $(MATE_OBJECTS)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate $(LDFLAGS) -o $@ $< $(filter %.o,$^) -lm $(LDLIBS)

$(BUILD)/mate.d/generated/cumulative.c: tests/mate/cumulative.tunlet $(TG)
	@mkdir -p $(@D)
	$(TG) $< $@
$(BUILD)/mate.d/cumulative_by_hand.o: tests/mate/cumulative_by_hand.c
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples/mate -c -o $@ $<
$(BUILD)/tests/mate/generated $(BUILD)/tests/mate/collectors: $(MATE_GENERATED) $(addprefix $(BUILD)/mate.d/,generated/cumulative.o cumulative_by_hand.o)

$(patsubst %,$(BUILD)/tests/mate/%,turn actions slow): $(BUILD)/tests/mate/%: tests/mate/%.c $(addprefix $(BUILD)/mate.d/mate/,clients.o streams.o) $(MATE_OBJECTS) $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate $(LDFLAGS) -o $@ $< $(filter %.o %.a,$^) -lm -pthread $(LDLIBS)

KILLED_WRAPS := $(patsubst %,--wrap=%,getppid send recv transport_begin transport_again transport_send transport_receive transport_end)
$(BUILD)/tests/mate/killed: tests/mate/killed.c $(addprefix $(BUILD)/mate.d/mate/,mw.o transport_fork.o) $(MATE_OBJECTS) $(BUILD)/liblive.a
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/mate $(LDFLAGS) $(addprefix -Xlinker ,$(KILLED_WRAPS)) -o $@ $< $(filter %.o %.a,$^) -lm -pthread $(LDLIBS)

# Live programs and side programs.
LIVE_TESTS := $(patsubst %,$(BUILD)/tests/live/%,document requests same clients fork trouble)
$(LIVE_TESTS): private CFLAGS := $(patsubst -g,-g1,$(CFLAGS:-O2=-O1))
$(LIVE_TESTS): $(BUILD)/tests/live/%: tests/live/%.c $(BUILD)/liblive.a $(BUILD)/live.d/mir/engine/feed.o
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -Iexamples $(LDFLAGS) -o $@ $< $(BUILD)/live.d/mir/engine/feed.o $(BUILD)/liblive.a -lm -pthread $(LDLIBS)
