/* Counters that are asked for, and those that there are. */
#define _GNU_SOURCE /* syscall */
#include "trace.h"
#include "trace/counters.h"
#include "trace/hardware.h"

static const struct {
    const char *name;
    int way;
    uint32_t number;
} counters[] = {
#define TRACE_COUNTER(setting, name, way, number, help) {setting, TRACE_COUNTED_BY_##way, number},
    TRACE_COUNTERS(TRACE_COUNTER)
#undef TRACE_COUNTER
};

#define TRACE_COUNTER(setting, name, way, number, help) ", " setting
const char *const trace_counter_list = &(TRACE_COUNTERS(TRACE_COUNTER) ", with commas between them")[2];
#undef TRACE_COUNTER

int trace_read_counters(const char *text, uint32_t *result)
{
    *result = 0;
    while (*text) {
        size_t size = strcspn(text, ","), i = 0;
        while (i < TRACE_COUNTER_COUNT && !text_is_equal((pajesim_text){text, size}, text_of(counters[i].name)))
            i++;
        if (i == TRACE_COUNTER_COUNT)
            return 0;
        *result |= UINT32_C(1) << i;
        text += size + (text[size] != '\0');
    }
    return *result != 0;
}

/* Says why a counter of the processor cannot be had, and what to do. */
static void tell_refusal(const char *name, int error)
{
    const char *why = error == EPERM  ? "programs may not read it; `echo 2 >/sys/devices/cpu/rdpmc` would allow it"
                      : error == EACCES ? "the system refuses it; `sysctl kernel.perf_event_paranoid=2` would allow it"
                      : error == ENOENT || error == EOPNOTSUPP
                          ? "this machine has none, as it is with virtual ones; faults and cpu-time are always there"
                          : strerror(error);
    stream_message("%s is not counted: %s", name, why);
}

uint32_t trace_check_counters(uint32_t wanted)
{
    uint32_t there = wanted;
    for (uint32_t i = 0; i < TRACE_COUNTER_COUNT; i++) {
        if (!(wanted >> i & 1) || counters[i].way != TRACE_COUNTED_BY_HARDWARE)
            continue;
        trace_hardware *page = trace_open_hardware(counters[i].number);
        if (page) {
            munmap((void *)(uintptr_t)page, TRACE_HARDWARE_PAGE);
        } else {
            tell_refusal(counters[i].name, errno);
            there &= ~(UINT32_C(1) << i);
        }
    }
    return there;
}
