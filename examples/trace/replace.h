/* Goes on without a file of the run where its page in memory cannot be written (SIGBUS). */
#pragma once

#include "control.h"

#include <string.h>
#include <sys/mman.h>

/* Takes memory of the process alone; `place`: in place of what is there, NULL: anywhere. */
static inline void *replace_take_memory(void *place, size_t size)
{
    void *memory = mmap(place, size, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | (place ? MAP_FIXED : 0), -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Puts a copy in its place, for a handler of SIGBUS, which has to be entered again where the page cannot be read
 * either: then it is zeros.  `change` is called with the copy first.  Other threads never see it half filled, where the
 * system can move memory.  Returns 0 if there is no memory. */
static inline int replace_control(trace_control *page, void (*change)(trace_control *copy))
{
    static uint32_t is_copying; /* atomic */
    void *copy = replace_take_memory(NULL, sizeof *page);
    if (!copy)
        return 0;
    if (!__atomic_exchange_n(&is_copying, 1, __ATOMIC_ACQUIRE))
        memcpy(copy, page, sizeof *page);
    change((trace_control *)copy);
#ifdef MREMAP_FIXED
    if (mremap(copy, sizeof *page, sizeof *page, MREMAP_MAYMOVE | MREMAP_FIXED, page) != MAP_FAILED)
        return 1;
#endif
    if (!replace_take_memory(page, sizeof *page))
        return 0;
    memcpy(page, copy, sizeof *page);
    return 1;
}
