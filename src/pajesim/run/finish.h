/* Finishing: the end of an included file, and of the trace. */
#pragma once

#include "carry.h"
#include "lifecycle.h"
#include "../simulation/close.h"

static void pajesim__leave_file(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__offset offset = state->file;
    pajesim__file *file = PAJESIM__AT(sim, pajesim__file, offset);
    state->ended = 1;
    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
    state->ended = 0;
    state->skip_definition = 0;
    pajesim__drop_definitions(sim, file->definitions);
    state->file = file->importer;
    state->depth--;
    state->line = file->importer_line;
    state->bom_state = 3;
    pajesim__free_text(sim, file->name);
    pajesim__free(sim, offset, sizeof *file);
}

PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim)
{
    pajesim_status status;
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (!PAJESIM__FILE(PAJESIM__STATE(sim)))
        return PAJESIM_MISUSE;
    if (PAJESIM__STATE(sim)->stopped)
        return PAJESIM_STOPPED;
    pajesim__enter(sim);
    status = pajesim__flush_last_line(sim);
    if (status == PAJESIM_OK) {
        pajesim__leave_file(sim);
        if (sim->callback_result == PAJESIM_STOP) { /* by the problem callback, for an unterminated definition */
            PAJESIM__STATE(sim)->stopped = 1;
            status = PAJESIM_STOPPED;
        }
    }
    return pajesim__leave(sim, status);
}

/* ---- the end of the trace ---- */

static pajesim_status pajesim__close_all(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__cursor cursor = pajesim__begin_closing(state->root);
    int more = 1;
    while (more) {
        more = pajesim__close_step(sim, NULL, &cursor, state->finish_time);
        if (!more) {
            state->stage = PAJESIM__FINISHED;
            if (sim->callbacks->finished)
                pajesim__callback_returned(sim, sim->callbacks->finished(sim));
        } else if (sim->callback_result != PAJESIM_GO_ON) {
            if (sim->callback_result != PAJESIM_STOP)
                return PAJESIM_PAUSED;
            state->stage = PAJESIM__FINISHED;
            return PAJESIM_STOPPED;
        }
    }
    return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
}

static pajesim_status pajesim__finish(pajesim *sim, int has_time, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_status status;
    if (state->stage == PAJESIM__FINISHED)
        return PAJESIM_FINISHED;
    while (state->stage == PAJESIM__READING) {
        status = state->stopped ? PAJESIM_OK : pajesim__flush_last_line(sim);
        if (status != PAJESIM_OK && status != PAJESIM_STOPPED)
            return status;
        if (PAJESIM__FILE(state)) {
            pajesim__leave_file(sim);
            continue;
        }
        state->ended = 1;
        pajesim__abandon_definition(sim, PAJESIM_E_HEADER_OPEN);
        state->finish_time = has_time ? time : pajesim_count(sim)->last;
        state->stage = PAJESIM__CLOSING;
        sim->callback_result = PAJESIM_GO_ON; /* a stop before the end does not prevent closing */
    }
    if (PAJESIM__IS_PARSER(state)) {
        state->stage = PAJESIM__FINISHED;
        if (sim->callbacks->finished)
            pajesim__callback_returned(sim, sim->callbacks->finished(sim));
        return state->counts.errors ? PAJESIM_INVALID : PAJESIM_OK;
    }
    return pajesim__close_all(sim);
}

static pajesim_status pajesim__finish_checked(pajesim *sim, int has_time, pajesim_time time)
{
    if (!sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    pajesim__enter(sim);
    return pajesim__leave(sim, pajesim__finish(sim, has_time, time));
}

PAJESIM_API pajesim_status pajesim_finish(pajesim *sim)
{
    return pajesim__finish_checked(sim, 0, 0);
}

PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time)
{
    return pajesim__finish_checked(sim, 1, time);
}
