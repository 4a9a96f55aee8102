# The libraries that `paje trace` preloads; on Linux with glibc and 64 bits only.

trace_runs_here := $(shell $(CC) -dM -E -include features.h -x c /dev/null 2>/dev/null | \
                     grep -c 'define __linux__ \|define __GLIBC__ \|define __LP64__ ')
TRACE_LIBRARY   := $(if $(filter 3,$(trace_runs_here)),$(BUILD)/libpajetrace.so $(BUILD)/libpajetrace-heap.so)
TRACE_OBJECTS   := $(patsubst examples/%.c,$(BUILD)/trace.d/%.o,$(wildcard examples/trace/*.c))

paje: $(TRACE_LIBRARY)
trace: $(BUILD)/paje $(TRACE_LIBRARY)

# Wrappers have to be unwound through, by exceptions and cancellation.
$(BUILD)/trace.d/%.o: examples/%.c
	@mkdir -p $(@D)
	$(COMPILE) -D_GNU_SOURCE -fPIC -fvisibility=hidden -fexceptions -c -o $@ $<

$(BUILD)/libpajetrace.so: $(TRACE_OBJECTS)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpajetrace.so -o $@ $(TRACE_OBJECTS) -ldl -pthread

$(BUILD)/libpajetrace-heap.so: $(BUILD)/trace.d/trace/heap/heap.o
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libpajetrace-heap.so -o $@ $< -ldl
