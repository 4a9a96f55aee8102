/* The clock of all events. */
#pragma once

#include <stdint.h>

/* Begins to use the processor's counter, if the system itself does; a child of fork has to call it again. */
void trace_begin_clock(void);

/* Returns the nanoseconds of CLOCK_MONOTONIC, to less than a microsecond.  Threads of a process read the same clock.
 * `last`: NULL, or the uint64_t that this call keeps for its caller, so that what it gets never goes back.  A clock of
 * pajewrite.h. */
__attribute__((visibility("default"))) uint64_t trace_clock(void *last);

/* A processor may read its counter before what the thread reads first, as that another thread has sent something.  From
 * here on it does not: the end of a link is not before its start then. */
static inline void trace_order_clock(void)
{
#ifdef __x86_64__
    __builtin_ia32_lfence();
#endif
}
