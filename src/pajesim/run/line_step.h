/* Steps: finds the definition of a line, applies the line, and turns its outcome into the status of the feed. */
#pragma once

#include "../model/header.h"
#include "../simulation/simulate.h"

PAJESIM__APART pajesim_ref pajesim__definition_of(pajesim *sim, const pajesim__line *line)
{
    pajesim__key number = pajesim__number_key(line);
    return pajesim__find_definition(sim, &number);
}

static pajesim__outcome pajesim__step_line(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__outcome outcome;
    sim->commit_work = sim->callbacks->line ? PAJESIM__COMMIT_SHOW : 0;
    if (PAJESIM__UNLIKELY(line->size > state->line_max && state->line_max)) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_LINE_TOO_LONG, state->line_max, 0);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->error != PAJESIM_E_NONE)) {
        pajesim__diagnose_at(sim, line, line->error, line->error_at, pajesim__text_end(line) - line->error_at);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->simple_quote))
        pajesim__diagnose(sim, line, PAJESIM_E_QUOTE_SINGLE, line->simple_quote - 1u);
    if (PAJESIM__UNLIKELY(line->header)) {
        outcome = pajesim__header(sim, line);
    } else {
        if (line->count == 0)
            return PAJESIM__DONE;
        if (PAJESIM__UNLIKELY(state->defining)) {
            sim->commit_work = PAJESIM__COMMIT_FULL;
            line->abandons_definition = 1;
        }
        state->skip_definition = 0;
        outcome = pajesim__event_line(sim, line, pajesim__definition_of(sim, line), line->surplus_at, NULL);
    }
    if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
        pajesim__rollback(sim);
    return outcome;
}

/* Returns what a line's outcome means for the feed: PAJESIM_OK to go on with the next line.  *consumed is 0 if the line
 * must be fed again, after PAJESIM_FULL, or PAJESIM_STOPPED by the `line` callback; else 1. */
PAJESIM__INLINE pajesim_status pajesim__finish_line(pajesim *sim, pajesim__outcome outcome, int *consumed)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    *consumed = 0;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__ARENA_FULL))
        return PAJESIM_FULL;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__VETOED)) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    *consumed = 1;
    state->line++;
    state->counts.lines++;
    if (PAJESIM__LIKELY(!sim->callback_result))
        return PAJESIM_OK;
    if (PAJESIM__NEXT_FILE(state))
        pajesim__enter_file(sim);
    if (sim->callback_result == PAJESIM_STOP) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    return !PAJESIM_FILES || state->line ? PAJESIM_PAUSED : PAJESIM_OPEN;
}
