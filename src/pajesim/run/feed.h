/* Feeding: splits pieces of a trace into lines. */
#pragma once

#include "batch.h"
#include "carry.h"
#include "digest.h"
#include "lifecycle.h"

static const unsigned char *pajesim__newline(const unsigned char *p, const unsigned char *end)
{
#if PAJESIM__SIMD
    for (; end - p >= 16; p += 16) {
        uint64_t found = pajesim__bitmap16(pajesim__compare16(pajesim__load16(p), '\n', 0));
        if (found)
            return p + PAJESIM__FIRST16(found);
    }
#endif
    while (p < end && *p != '\n')
        p++;
    return p;
}

/* Appends the rest of a line, from p on, to the carry, and simulates the line if it is complete. */
static pajesim_status pajesim__feed_carry(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    const unsigned char *line_end = pajesim__newline(p, end);
    uint32_t size = state->carry_size;
    uint8_t cut = state->cut;
    pajesim_status status;
    int consumed;
    *next = p;
    if (!pajesim__carry_append(sim, p, (size_t)(line_end - p)))
        return PAJESIM_FULL;
    if (line_end == end) {
        *next = end;
        return PAJESIM_OK;
    }
    status = pajesim__step_carried_line(sim, &consumed);
    if (consumed) {
        *next = line_end + 1;
    } else { /* the caller feeds it again */
        PAJESIM__STATE(sim)->carry_size = size;
        PAJESIM__STATE(sim)->cut = cut;
    }
    return status;
}

/* Skips a byte order mark at the very start of a file, which may arrive a byte at a time.  A partial one is carried as
 * text; the carry always has room for it. */
static const unsigned char *pajesim__skip_bom(pajesim *sim, const unsigned char *p, const unsigned char *end)
{
    static const unsigned char bom[] = {0xEF, 0xBB, 0xBF};
    pajesim__state *state = PAJESIM__STATE(sim);
    while (p < end && state->bom_state < 3) {
        if (*p != bom[state->bom_state]) {
            pajesim__carry_append(sim, bom, state->bom_state);
            state->bom_state = 3;
            break;
        }
        state->bom_state++;
        p++;
    }
    return p;
}

#if PAJESIM_SMALL
/* Small builds simulate every line in the carry. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    for (; status == PAJESIM_OK && p < end; p = *next)
        status = pajesim__feed_carry(sim, p, end, next);
    return status;
}
#else
/* Completes the carried line.  Then simulates whole lines in place: first those with PAJESIM__PADDING readable bytes
 * behind their newline, then the others.  Carries the rest. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    const unsigned char *whole_end;
    if (p < end && (PAJESIM__STATE(sim)->carry_size || PAJESIM__STATE(sim)->cut != PAJESIM__IN_INDENT))
        status = pajesim__feed_carry(sim, p, end, next);
    if (status != PAJESIM_OK)
        return status;
    p = *next;
    if ((size_t)(end - p) > PAJESIM__PADDING) {
        for (whole_end = end - PAJESIM__PADDING; whole_end > p && whole_end[-1] != '\n'; whole_end--) {
        }
        status = pajesim__run_lines(sim, p, whole_end, PAJESIM__PADDED, next);
        p = *next;
    }
    for (whole_end = end; whole_end > p && whole_end[-1] != '\n'; whole_end--) {
    }
    if (status == PAJESIM_OK)
        status = pajesim__run_lines(sim, p, whole_end, 0, next);
    if (status == PAJESIM_OK && whole_end < end)
        status = pajesim__feed_carry(sim, whole_end, end, next);
    return status;
}
#endif

static pajesim_status pajesim__feed_bytes(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    *next = p;
    if (PAJESIM_REPAIRS && PAJESIM__UNLIKELY(PAJESIM__STATE(sim)->bom_state < 3)) {
        p = pajesim__skip_bom(sim, p, end);
        *next = p;
    }
    return pajesim__feed_lines(sim, p, end, next);
}

PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken)
{
    const unsigned char *p = (const unsigned char *)bytes, *next = p;
    pajesim_status status;
    if (taken)
        *taken = 0;
    if (!sim || (!bytes && size))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__STATE(sim)->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    if (PAJESIM__STATE(sim)->stopped)
        return PAJESIM_STOPPED;
    if (!size)
        return PAJESIM_OK;
    pajesim__enter(sim);
    status = pajesim__feed_bytes(sim, p, p + size, &next);
#if PAJESIM_TRAVEL
    if (PAJESIM__STATE(sim)->digests)
        pajesim__digest_bytes(PAJESIM__STATE(sim), p, (size_t)(next - p));
#endif
    PAJESIM__STATE(sim)->counts.bytes += (pajesim_counter)(next - p);
    if (taken)
        *taken = (size_t)(next - p);
    return pajesim__leave(sim, status);
}
