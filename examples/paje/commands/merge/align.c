/* paje merge --align: passes over all messages that correct the clocks until no message arrives before it is sent.
 *
 * The first pass gives each clock an offset (solve.c).  If no constant offsets satisfy all messages, clocks drift, and
 * each further pass corrects them by windows of time (windows.c).  The best of all rounds is taken; for what is wrong
 * then, lines wait (waits.c). */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ROUNDS = 12, PATIENCE = 2 }; /* rounds in all; rounds after the best one */

#define ATTEMPTS 8 /* to find out what lines in circles wait for */

/* ---- the best round */

static double *copy_numbers(double *copy, const double *numbers, uint32_t count)
{
    copy = memory_resize(copy, count, sizeof *copy);
    return memcpy(copy, numbers, count * sizeof *copy);
}

static void keep_best(merge *m, double worst)
{
    merge_alignment *alignment = &m->alignment;
    uint32_t knots = m->clocks.knot_count;
    if (alignment->best.knot_count && !(worst < alignment->best.worst))
        return;
    alignment->best.worst = worst;
    alignment->best.round = alignment->round;
    alignment->best.knot_count = knots;
    alignment->best.knot_times = copy_numbers(alignment->best.knot_times, m->clocks.knot_times, knots);
    for (uint32_t i = 0; i < m->input_count; i++)
        m->inputs[i].clock.best = copy_numbers(m->inputs[i].clock.best, m->inputs[i].clock.values, knots);
}

static void take_best(merge *m)
{
    uint32_t knots = m->alignment.best.knot_count;
    m->clocks.knot_count = knots;
    m->clocks.knot_times = copy_numbers(m->clocks.knot_times, m->alignment.best.knot_times, knots);
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_clock *clock = &m->inputs[i].clock;
        double most = 0;
        clock->values = copy_numbers(clock->values, clock->best, knots);
        for (uint32_t knot = 0; knot < knots; knot++)
            most = merge_max(most, fabs(clock->values[knot]));
        if (!(most > 0)) { /* a clock that needs no correction stays as it is */
            free(clock->values);
            clock->values = NULL;
        }
    }
}

/* ---- rounds */

/* Gives each clock an offset.  Returns whether that is not enough. */
static int correct_offsets(merge *m)
{
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        m->messages.pairs.items[i].limit = m->messages.pairs.items[i].least[0] - m->solver.margin;
    int is_relaxed = merge_solve(m);
    for (uint32_t i = 0; i < m->input_count; i++)
        m->inputs[i].clock.offset += m->solver.offsets[i];
    if (is_relaxed)
        merge_begin_windows(m);
    return is_relaxed;
}

/* Corrects the clocks by the messages of the last pass.  Returns whether another pass may make them better. */
static int correct_clocks(merge *m, double worst)
{
    merge_alignment *alignment = &m->alignment;
    int has_knots = m->clocks.knot_count > 0;
    if (has_knots)
        keep_best(m, worst);
    if (!(worst > 0) || alignment->round == MAX_ROUNDS ||
        (has_knots && alignment->round > alignment->best.round + PATIENCE))
        return 0;
    merge_begin_solver(m);
    if (alignment->round++ == 0)
        return correct_offsets(m);
    merge_correct_drift(m);
    return 1;
}

/* Lets lines wait, unless that makes the worst message worse than `worst`.  What a pass finds out about circles changes
 * the next one, so the last pass is one that has found nothing, and is what will be written. */
static void try_waiting(merge *m, const paje_settings *settings, double worst)
{
    size_t forbidden;
    int attempt = 1;
    m->waits.is_enabled = 1;
    do {
        forbidden = m->waits.forbidden.used;
        m->waits.is_uncertain = 0;
        m->waits.is_last = attempt >= ATTEMPTS;
        merge_run_pass(m, settings);
    } while ((m->waits.is_uncertain || m->waits.forbidden.used > forbidden) && attempt++ < 2 * ATTEMPTS);
    m->waits.is_enabled = merge_worst_message(m) <= 1.01 * worst;
    for (uint32_t i = 0; i < m->input_count; i++) /* what the last lines waited corrects no clock */
        m->inputs[i].clock.delay = 0;
}

void merge_align(merge *m, const paje_settings *settings)
{
    if (merge_has_collectives(m)) /* the names of operations are known now */
        merge_run_pass(m, settings);
    double worst = merge_worst_message(m);
    while (correct_clocks(m, worst)) {
        merge_run_pass(m, settings);
        worst = merge_worst_message(m);
    }
    if (m->alignment.best.knot_count) {
        take_best(m);
        worst = m->alignment.best.worst;
    }
    if (worst > 0)
        try_waiting(m, settings, worst);
    for (uint32_t i = 0; i < m->input_count; i++)
        merge_report_clock(m, &m->inputs[i]);
    merge_shift_to_zero(m);
}

void merge_free_alignment(merge *m)
{
    free(m->alignment.edges);
    free(m->alignment.best.knot_times);
}
