/* Batches: simulates the whole lines of a feed, by the block scanner where it applies, else by the lexer. */
#pragma once

#include "line_step.h"
#include "prefetch.h"
#include "../text/lex.h"
#include "../text/scan.h"

#if PAJESIM__BLOCKS
/* Lexes the block's next line as pajesim__lex does; returns NULL if pajesim__lex must handle it.  `prefetching`:
 * run/prefetch.h provides the blocks. */
PAJESIM__INLINE const unsigned char *pajesim__lex_fast(pajesim *sim, pajesim__line *line, pajesim__prefetch *prefetch,
                                                       pajesim__block *block, const unsigned char *p,
                                                       const unsigned char *end, int prefetching)
{
    if (PAJESIM__UNLIKELY(block->next == block->stop)) {
        if (prefetching) {
            pajesim__prefetch_step(sim, prefetch, block, p, end);
        } else if (PAJESIM__UNLIKELY(PAJESIM__PREFETCH_PAYS(sim))) { /* since the batch began */
            return NULL;
        } else {
            pajesim__scan_block(sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
            pajesim__enter_block(block, 0);
        }
        if (PAJESIM__UNLIKELY(block->next == block->lines))
            return NULL;
    }
    return pajesim__next_line(line, block, p);
}

/* Returns the definition of the block's next line, which is at p; 0 if it is unknown or was not looked up. */
PAJESIM__INLINE pajesim_ref pajesim__definition_of_next(pajesim *sim, const pajesim__block *block,
                                                        const unsigned char *p)
{
    const uint16_t *bounds = block->bounds + block->first;
    pajesim__key number;
    if (PAJESIM__UNLIKELY(block->next == block->lines) ||
        PAJESIM__UNLIKELY(block->line_end[block->next] - block->first < 2) || PAJESIM__UNLIKELY(block->special & 2))
        return 0; /* not listed yet, without words, or maybe an empty string with its quote */
    number = pajesim__key_of_number(p + (bounds[0] - block->begin), (uint32_t)bounds[1] - bounds[0], PAJESIM__PADDED);
    return pajesim__find_definition(sim, &number);
}

/* Simulates the lines from *at on, up to one that pajesim__lex must handle, that is too long, or that is within a
 * definition: so they are all events.  The definition of a line is looked up before the previous line is simulated: so
 * the unpredictable branch on its event resolves early.  `prefetching`: there are so many containers that prefetching
 * pays. */
PAJESIM__INLINE pajesim_status pajesim__run_fast_lines(pajesim *sim, pajesim__line *line, pajesim__prefetch *prefetch,
                                                       pajesim__block *block, const unsigned char **at,
                                                       const unsigned char *end, int prefetching)
{
    uint32_t line_max = PAJESIM__STATE(sim)->defining   ? 0
                        : PAJESIM__STATE(sim)->line_max ? PAJESIM__STATE(sim)->line_max
                                                        : UINT32_MAX;
    uint8_t commit_work = sim->callbacks->line ? PAJESIM__COMMIT_SHOW : 0;
    int consumed;
    pajesim_ref next = 0;
    const unsigned char *p = *at;
    pajesim_status status = PAJESIM_OK;
    while (PAJESIM__LIKELY(status == PAJESIM_OK)) {
        const unsigned char *following = pajesim__lex_fast(sim, line, prefetch, block, p, end, prefetching);
        const pajesim__target *target = prefetching ? pajesim__target_of_line(prefetch, block) : NULL;
        pajesim__outcome outcome;
        pajesim_ref ref;
        if (PAJESIM__UNLIKELY(!following || line->size > line_max))
            break;
        PAJESIM__STATE(sim)->skip_definition = 0;
        sim->commit_work = commit_work;
        ref = prefetching ? target->definition : next;
        if (PAJESIM__UNLIKELY(!ref))
            ref = pajesim__definition_of(sim, line);
        if (!prefetching)
            next = pajesim__definition_of_next(sim, block, following);
        outcome = pajesim__event_line(sim, line, ref, 0, prefetching ? &target->hint : NULL);
        if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
            pajesim__rollback(sim);
        status = pajesim__finish_line(sim, outcome, &consumed);
        if (PAJESIM__LIKELY(consumed))
            p = following;
    }
    *at = p;
    return status;
}
#endif

#if !PAJESIM_SMALL
/* Simulates the whole lines in [p, end).  `padded`: PAJESIM__PADDED if PAJESIM__PADDING bytes behind `end` may be read,
 * 0 if none.  Returns the first status that is not PAJESIM_OK, and in *next where it stopped. */
static pajesim_status pajesim__run_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                         uint32_t padded, const unsigned char **next)
{
    pajesim__line line;
    pajesim_status status = PAJESIM_OK;
    int strict = (int)PAJESIM__IS_STRICT(PAJESIM__STATE(sim));
#if PAJESIM__BLOCKS
    pajesim__prefetch prefetch;
    pajesim__block block;
    int prefetching = PAJESIM__PREFETCH_PAYS(sim);
    pajesim__prefetch_init(&prefetch);
    pajesim__block_init(&block);
#endif
    pajesim__begin_line(&line, p, padded);
    while (p < end && status == PAJESIM_OK) {
        const unsigned char *following;
        int consumed;
#if PAJESIM__BLOCKS
        if (padded) {
            if (PAJESIM__UNLIKELY(prefetching != PAJESIM__PREFETCH_PAYS(sim))) { /* the block has no targets */
                prefetching = !prefetching;
                pajesim__prefetch_init(&prefetch);
                pajesim__block_init(&block);
            }
            status = prefetching ? pajesim__run_fast_lines(sim, &line, &prefetch, &block, &p, end, 1)
                                 : pajesim__run_fast_lines(sim, &line, &prefetch, &block, &p, end, 0);
            if (status != PAJESIM_OK || p == end)
                break;
        }
#endif
        following = pajesim__lex(&line, p, strict);
        status = pajesim__finish_line(sim, pajesim__step_line(sim, &line), &consumed);
        if (consumed)
            p = following;
    }
    *next = p;
    return status;
}
#endif
