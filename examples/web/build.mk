# The viewer in the browser: one page, paje-viewer.html.  Needs clang and wasm-ld, WASI's C library and compiler-rt
# (Debian: clang lld wasi-libc libclang-rt-14-dev-wasm32), gzip and coreutils.

WEB_CLANG  ?= clang
WEB        := examples/web
# For browsers whose WebAssembly has no SIMD128: make web SIMD=0
WEB_PLAIN  := $(if $(filter 0,$(SIMD)),-plain)
WEB_OUT    := $(BUILD)/web.d$(WEB_PLAIN)
# Commands of the tool that the page runs.
WEB_COMMANDS := at histogram index matrix profile
WEB_SOURCES  := $(wildcard $(WEB)/reader/*.c $(WEB)/posix/*.c examples/paje/timeline/*.c examples/paje/chart/*.c) \
    $(filter-out %/compressed.c %/relay.c,$(wildcard examples/paje/replay/*.c)) \
    $(addprefix examples/paje/,main.c options.c) \
    $(wildcard $(foreach name,$(WEB_COMMANDS),examples/paje/commands/$(name).c examples/paje/commands/$(name)/*.c)) \
    $(addprefix examples/paje/commands/svg/,axis.c draw.c export.c heat.c labels.c legend.c markup.c) \
    $(addprefix examples/paje/commands/view/,reader.c store.c tree.c find.c) \
    $(addprefix examples/base/,$(addsuffix .c,array clock encode map memory similar stream text unit utf8))
WEB_OBJECTS  := $(patsubst examples/%.c,$(WEB_OUT)/%.o,$(WEB_SOURCES))
WEB_EMULATE  := $(addprefix -D_WASI_EMULATED_,SIGNAL MMAN GETPID PROCESS_CLOCKS)
# WASI's lseek() is a macro with a statement as an expression; the tool is written for 64-bit machines.
WEB_FLAGS    := --target=wasm32-wasi -std=c99 $(WARNINGS) -Wno-gnu-statement-expression -Wno-shorten-64-to-32 \
    -Oz -flto $(if $(WEB_PLAIN),,-msimd128) $(WEB_EMULATE) -I$(WEB)/posix -include posix.h -I. -Iexamples -Iexamples/paje -I$(WEB) -I$(WEB_OUT) -MMD -MP
WEB_SCRIPTS  := $(wildcard $(WEB)/page/*.js)

.PHONY: web
web: $(BUILD)/paje-viewer$(WEB_PLAIN).html

$(WEB_OUT)/command_list.h: $(WEB)/build.mk
	@mkdir -p $(@D)
	printf 'PAJE_COMMAND(%s)\n' $(WEB_COMMANDS) >$@

$(WEB_OUT)/paje/main.o: WEB_FLAGS += -Dmain=paje_main
# Most of the time is spent in these.
$(addprefix $(WEB_OUT)/,paje/replay/pajesim.o paje/timeline/lane.o paje/commands/view/store.o paje/commands/view/tree.o \
    base/map.o web/reader/row.o): WEB_FLAGS += -O2
$(WEB_OUT)/%.o: examples/%.c $(WEB_OUT)/command_list.h
	@mkdir -p $(@D)
	$(WEB_CLANG) $(WEB_FLAGS) -c -o $@ $<

$(WEB_OUT)/reader.wasm: $(WEB_OBJECTS)
	$(WEB_CLANG) --target=wasm32-wasi -mexec-model=reactor -o $@ $^ -lwasi-emulated-mman -lwasi-emulated-signal \
	    -lwasi-emulated-getpid -flto -Wl,--gc-sections -Wl,--strip-all -Wl,-z,stack-size=262144 -Wl,--stack-first

$(BUILD)/paje-viewer$(WEB_PLAIN).html: $(WEB)/page.sh $(WEB)/page.html $(WEB)/page.css $(WEB_OUT)/reader.wasm $(WEB_SCRIPTS) \
        $(wildcard $(WEB)/worker/*.js)
	$(WEB)/page.sh $(WEB_OUT)/reader.wasm >$@
