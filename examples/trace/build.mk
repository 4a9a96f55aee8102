# The library that `paje trace` preloads; on Linux with glibc only.

has_glibc     := $(shell $(CC) -dM -E -include features.h -x c /dev/null 2>/dev/null | grep -c 'define __linux__ \|define __GLIBC__ ')
TRACE_LIBRARY := $(if $(filter 2,$(has_glibc)),$(BUILD)/libpajetrace.so)
TRACE_OBJECTS := $(patsubst examples/%.c,$(BUILD)/trace.d/%.o,$(wildcard examples/trace/*.c))

paje: $(TRACE_LIBRARY)
trace: $(BUILD)/paje $(TRACE_LIBRARY)

# Wrappers have to be unwound through, by exceptions and cancellation.
$(BUILD)/trace.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fexceptions -c -o $@ $<

$(BUILD)/libpajetrace.so: $(TRACE_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpajetrace.so -o $@ $(TRACE_OBJECTS) -ldl -pthread
