# The tool, paje.  A command NAME is commands/NAME.c, or commands/NAME/NAME.c and what is beside it.

PAJE_SOURCES := $(wildcard examples/paje/*.c $(addprefix examples/paje/,raw/*.c replay/*.c timeline/*.c chart/*.c commands/*.c commands/*/*.c))
COMMANDS     := $(sort $(basename $(notdir $(wildcard examples/paje/commands/*.c)                     $(foreach file,$(wildcard examples/paje/commands/*/*.c),                         $(filter %/$(basename $(notdir $(file)))/$(notdir $(file)),$(file))))))
PAJE         := $(patsubst examples/%.c,$(BUILD)/paje.d/%.o,$(PAJE_SOURCES) $(wildcard examples/base/*.c))
COMMAND_LIST := $(BUILD)/paje.d/command_list.h

$(BUILD)/paje: LDLIBS += -lm
$(BUILD)/paje: $(PAJE)
	$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(PAJE) $(LDLIBS)

# Files that a command writes out as they are: FILE becomes FILE.h, a string for each line.
PAGES := $(patsubst examples/%,$(BUILD)/paje.d/%.h,$(wildcard $(addprefix examples/paje/commands/*/*.,html css js)))
$(PAGES): $(BUILD)/paje.d/%.h: examples/%
	@mkdir -p $(@D)
	@sed 's/[\\"]/\\&/g; s/.*/"&",/' $< >$@

$(BUILD)/paje.d/%.o: examples/%.c | $(COMMAND_LIST) $(PAGES)
	@mkdir -p $(@D)
	$(COMPILE) -Iexamples -Iexamples/paje -I$(BUILD)/paje.d -I$(BUILD)/paje.d/paje -c -o $@ $<

# Rewritten only when the list has changed, so that a command more or less rebuilds what depends on it; several make at
# once, as tests do, have a new one each.
$(COMMAND_LIST): FORCE
	@mkdir -p $(@D)
	@new=$@.$$$$; printf 'PAJE_COMMAND(%s)\n' $(COMMANDS) >$$new; \
	if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi
