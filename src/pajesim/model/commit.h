/* The commit of a line, just before it takes effect: its allocations become permanent, the line callback is made, and
 * its warnings are reported. */
#pragma once

#include "definition.h"

PAJESIM__COLD int pajesim__line_returned(pajesim *sim, pajesim__line *line, int result)
{
    pajesim__callback_returned(sim, result);
    if (result == PAJESIM_STOP)
        line->outcome = PAJESIM__VETOED;
    return result != PAJESIM_STOP;
}

/* Makes the `line` callback; returns 0 if that vetoes the line. */
PAJESIM__INLINE int pajesim__show_line(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    int result;
    line->shown.event = (pajesim_event)definition->event;
    line->shown.count = definition->count;
    result = sim->callbacks->line(sim, &line->shown);
    return PAJESIM__LIKELY(result == PAJESIM_GO_ON) || pajesim__line_returned(sim, line, result);
}

static int pajesim__ready_full(pajesim *sim, pajesim__line *line)
{
    int takes = PAJESIM_SMALL || sim->allocs || sim->top != PAJESIM__HEAP(sim)->top;
    if (PAJESIM__UNLIKELY(takes && !pajesim__fits(sim))) {
        sim->needed = sim->top;
        line->outcome = PAJESIM__ARENA_FULL;
        return 0;
    }
    if (sim->callbacks->line && PAJESIM__LIKELY(line->shown.definition) &&
        !pajesim__show_line(sim, line, PAJESIM__DEFINITION_AT(sim, line->shown.definition)))
        return 0;
    if (takes)
        pajesim__commit(sim);
    if (PAJESIM__UNLIKELY(line->abandons_definition))
        pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
    if (PAJESIM__UNLIKELY(line->warnings))
        pajesim__report_warnings(sim, line);
    return 1;
}

/* Returns 0 if the line may not take effect: line->outcome says why.  All that it needs must be allocated by now. */
PAJESIM__SHARED int pajesim__ready(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    PAJESIM__ASSERT(sim->commit_work == PAJESIM__COMMIT_FULL ||
                    (!sim->allocs && sim->top == PAJESIM__HEAP(sim)->top && !line->warnings)); /* nothing to commit */
    if (PAJESIM__LIKELY(!sim->commit_work))
        return 1;
    if (!PAJESIM_SMALL && PAJESIM__LIKELY(sim->commit_work == PAJESIM__COMMIT_SHOW))
        return pajesim__show_line(sim, line, definition);
    return pajesim__ready_full(sim, line);
}
