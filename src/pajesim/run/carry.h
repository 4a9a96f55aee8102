/* The carry: the piece of a line that is kept for the next feed. */
#pragma once

#include "line_step.h"
#include "../text/cut.h"
#include "../text/lex.h"

/* Empties the carry.  A carry that grew for a long line shrinks again if a block of its first size is free. */
static void pajesim__carry_clear(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    state->carry_size = 0;
    state->cut = PAJESIM__IN_INDENT;
    if (!PAJESIM_SMALL &&
        PAJESIM__UNLIKELY(state->carry_capacity > state->line_capacity && state->carry_capacity > 4096 &&
                          state->heap.free_list[pajesim__class_of(state->line_capacity)])) {
        pajesim__offset smaller = pajesim__alloc(sim, state->line_capacity);
        pajesim__commit(sim);
        pajesim__free(sim, state->carry, state->carry_capacity);
        state->carry = smaller;
        state->carry_capacity = state->line_capacity;
    }
}

/* Reserves room for `size` more bytes and a newline; returns 0 if the arena is full. */
static int pajesim__carry_reserve(pajesim *sim, size_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__size needed_size = state->carry_size + (pajesim__size)size + 1;
    pajesim__offset larger;
    if (PAJESIM__LIKELY(needed_size <= state->carry_capacity))
        return 1;
    needed_size = pajesim__class_size(pajesim__class_of(needed_size));
    larger = pajesim__alloc(sim, needed_size);
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return 0;
    }
    pajesim__commit(sim);
    memcpy(PAJESIM__BYTES(sim, larger), PAJESIM__BYTES(sim, state->carry), (size_t)state->carry_size);
    pajesim__free(sim, state->carry, state->carry_capacity);
    state->carry = larger;
    state->carry_capacity = (uint32_t)needed_size;
    return 1;
}

/* Appends bytes without a newline to the carry, leaving out comments.  Returns 0, and appends nothing, if the arena is
 * full. */
static int pajesim__carry_append(pajesim *sim, const unsigned char *p, size_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint8_t cut = state->cut;
    size_t kept;
    if (cut == PAJESIM__IN_COMMENT || cut == PAJESIM__IN_LONG_LINE)
        return 1;
    kept = (size_t)(pajesim__lex_partial(&cut, p, p + size, (int)PAJESIM__IS_STRICT(state)) - p);
    if (state->line_max && kept > state->line_max - state->carry_size) {
        kept = 0;
        cut = PAJESIM__IN_LONG_LINE;
    }
    if (kept) {
        if (!pajesim__carry_reserve(sim, kept))
            return 0;
        state = PAJESIM__STATE(sim);
        memcpy(PAJESIM__BYTES(sim, state->carry) + state->carry_size, p, kept);
        state->carry_size += (uint32_t)kept;
    }
    state->cut = cut;
    return 1;
}

/* Simulates the carried line, which is complete. */
static pajesim_status pajesim__step_carried_line(pajesim *sim, int *consumed)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__line line;
    pajesim_status status;
    PAJESIM__BYTES(sim, state->carry)[state->carry_size] = '\n'; /* pajesim__carry_reserve left room for it */
    if (PAJESIM__UNLIKELY(state->cut == PAJESIM__IN_LONG_LINE)) {
        pajesim__report(sim, PAJESIM_E_LINE_TOO_LONG, PAJESIM_ERROR, state->line_max + 1, "", 0);
        status = pajesim__finish_line(sim, PAJESIM__REFUSED, consumed);
    } else {
        pajesim__begin_line(&line, PAJESIM__BYTES(sim, state->carry), 0);
        pajesim__lex(&line, line.readable, (int)PAJESIM__IS_STRICT(state));
        status = pajesim__finish_line(sim, pajesim__step_line(sim, &line), consumed);
    }
    if (*consumed)
        pajesim__carry_clear(sim);
    return status;
}

/* Simulates the last line of a file if it lacks its newline. */
static pajesim_status pajesim__flush_last_line(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    int consumed;
    if (PAJESIM_REPAIRS && state->bom_state < 3) { /* the whole file is 1 or 2 bytes of a byte order mark */
        uint8_t seen = state->bom_state;
        static const unsigned char bom[] = {0xEF, 0xBB};
        pajesim__carry_append(sim, bom, seen);
        state->bom_state = 3;
    }
    if (!state->carry_size && state->cut == PAJESIM__IN_INDENT)
        return PAJESIM_OK;
    return pajesim__step_carried_line(sim, &consumed);
}
