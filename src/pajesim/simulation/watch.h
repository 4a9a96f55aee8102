/* Hooks that notify an index of what happens to entities that were open at its latest checkpoint.
 *
 * Such an entity is tracked: the reference to its user fields has the bit PAJESIM__TRACKED, and it has an open index,
 * by its place in the order of pajesim__walk_next.  travel/index_build.h sets the hooks, which are called when it
 * closes or changes. */
#pragma once

#include "../model/model.h"
#include "../text/line.h"
#include "../api/travel.h"

#if PAJESIM_TRAVEL

#define PAJESIM__IS_TRACKED(fields) PAJESIM__UNLIKELY((fields) & PAJESIM__TRACKED)

/* Flags of an end record. */
enum {
    PAJESIM__IS_LOST = 1,     /* the other end of a link never came */
    PAJESIM__IS_CHANGED = 2,  /* the value of a variable changed while it was open */
    PAJESIM__WAS_IMPLICIT = 4 /* the value of a state was not defined yet */
};

typedef struct pajesim__watch {
    void (*ended)(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time, pajesim_ref ref,
                  const pajesim_quantity *number);
    void (*flagged)(pajesim *sim, uint32_t open_index, uint32_t flag);
} pajesim__watch;

/* Reports that the tracked entity `open_index` closes.  `ref`: the value of a state, or the end point of a link that
 * was not known yet; `number`: the value of a variable. */
PAJESIM__COLD void pajesim__notify_end(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time,
                                       pajesim_ref ref, const pajesim_quantity *number)
{
    if (sim->index)
        sim->index->watch->ended(sim, line, open_index, time, ref, number);
}

/* Sets a flag of the tracked entity `open_index`, which stays open unless the flag is PAJESIM__IS_LOST. */
PAJESIM__COLD void pajesim__notify_flag(pajesim *sim, uint32_t open_index, uint32_t flag)
{
    if (sim->index)
        sim->index->watch->flagged(sim, open_index, flag);
}
#endif /* PAJESIM_TRAVEL */
