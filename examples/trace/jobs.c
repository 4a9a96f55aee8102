/* Parallel jobs of a run, and their processes, on the page that all processes map. */
#include "process.h"

/* Takes the place for a number: the first free one, unless another process has taken it, or takes it meanwhile. */
static int claim(uint64_t *place, uint64_t number)
{
    uint64_t found = 0;
    return __atomic_compare_exchange_n(place, &found, number, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
           found == number;
}

uint32_t trace_find_job(uint64_t number)
{
    uint32_t i;
    for (i = 0; trace_page && i < TRACE_JOBS; i++)
        if (claim(&trace_page->jobs[i], number))
            return i + 1;
    return 0;
}

trace_rank *trace_find_rank(uint64_t number)
{
    uint32_t i;
    for (i = 0; trace_page && i < TRACE_RANKS; i++) {
        trace_rank *it = &trace_page->ranks[(number + i) % TRACE_RANKS];
        const uint64_t found = __atomic_load_n(&it->number, __ATOMIC_ACQUIRE);
        if (found == number)
            return it;
        if (!found)
            break;
    }
    return NULL;
}

trace_rank *trace_add_rank(uint64_t number)
{
    uint32_t i;
    if (!trace_begin_process())
        return NULL;
    for (i = 0; i < TRACE_RANKS; i++) {
        trace_rank *it = &trace_page->ranks[(number + i) % TRACE_RANKS];
        if (claim(&it->number, number)) {
            __atomic_store_n(&it->container, trace_the_process.container.alias, __ATOMIC_RELEASE);
            return it;
        }
    }
    return NULL;
}
