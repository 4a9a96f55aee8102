/* What may be counted in the states of a thread: its name in settings, its name in the trace, what counts it, which of
 * these, what it is. */
#pragma once

#define TRACE_COUNTERS(COUNTER) \
    COUNTER("cpu-time", "CpuTime", CLOCK, 0, "nanoseconds of CPU time") \
    COUNTER("faults", "Faults", USAGE, TRACE_USAGE_FAULTS, "pages that the system had to provide") \
    COUNTER("switches", "Switches", USAGE, TRACE_USAGE_SWITCHES, "times that the thread waited") \
    COUNTER("preemptions", "Preemptions", USAGE, TRACE_USAGE_PREEMPTIONS, "times that another thread took its place") \
    COUNTER("cycles", "Cycles", HARDWARE, 0, "of the processor, as what follows, where the machine counts them") \
    COUNTER("instructions", "Instructions", HARDWARE, 1, "that were executed") \
    COUNTER("cache-references", "CacheReferences", HARDWARE, 2, "to the last cache") \
    COUNTER("cache-misses", "CacheMisses", HARDWARE, 3, "of the last cache") \
    COUNTER("branches", "Branches", HARDWARE, 4, "that were executed") \
    COUNTER("branch-misses", "BranchMisses", HARDWARE, 5, "that were mispredicted")

enum { TRACE_USAGE_FAULTS, TRACE_USAGE_SWITCHES, TRACE_USAGE_PREEMPTIONS };
/* HARDWARE: the numbers of PERF_COUNT_HW_CPU_CYCLES and so on. */
enum { TRACE_COUNTED_BY_CLOCK, TRACE_COUNTED_BY_USAGE, TRACE_COUNTED_BY_HARDWARE };

#define TRACE_COUNTER(setting, name, way, number, help) +1
enum { TRACE_COUNTER_COUNT = 0 TRACE_COUNTERS(TRACE_COUNTER) };
#undef TRACE_COUNTER
