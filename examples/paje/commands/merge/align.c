/* paje merge --align: passes over all messages that correct the clocks until no message arrives before it is sent.
 *
 * The first pass gives each clock an offset (solve.c).  If no constant offsets satisfy all messages, clocks drift, and
 * each further pass corrects them by windows of time (windows.c).  Inputs that messages connect are a group; of each
 * group the best of all rounds is taken, and for what is wrong then, lines wait (waits.c). */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_ROUNDS = 12, PATIENCE = 2 }; /* rounds in all; rounds after the best one */

#define ATTEMPTS 8 /* to find out what lines in circles wait for */

/* ---- groups of inputs that messages connect: what is wrong in one of them changes no other */

static uint32_t first_of_group(merge *m, uint32_t input)
{
    while (m->inputs[input].group != input)
        input = m->inputs[input].group = m->inputs[m->inputs[input].group].group;
    return input;
}

static void find_groups(merge *m)
{
    m->alignment.groups = memory_alloc_zero(m->input_count, sizeof *m->alignment.groups);
    for (uint32_t i = 0; i < m->input_count; i++)
        m->inputs[i].group = i;
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        const merge_pair *pair = &m->messages.pairs.items[i];
        m->inputs[first_of_group(m, pair->from)].group = first_of_group(m, pair->to);
    }
    for (uint32_t i = 0; i < m->input_count; i++)
        m->inputs[i].group = first_of_group(m, i);
}

/* Finds the worst message of each group in the last pass. */
static void find_worst(merge *m)
{
    merge_group *groups = m->alignment.groups;
    for (uint32_t i = 0; i < m->input_count; i++)
        groups[i].worst = 0;
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        const merge_pair *pair = &m->messages.pairs.items[i];
        merge_group *group = &groups[m->inputs[pair->from].group];
        group->worst = merge_max(group->worst, pair->worst);
    }
}

/* ---- the best round of each group */

static void keep_best(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_group *group = &m->alignment.groups[i];
        group->is_better = !group->best.round || group->worst < group->best.worst;
        if (group->is_better) {
            group->best.worst = group->worst;
            group->best.round = m->alignment.round;
        }
    }
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_clock *clock = &m->inputs[i].clock;
        if (m->alignment.groups[m->inputs[i].group].is_better) {
            clock->best = memory_resize(clock->best, m->clocks.knot_count, sizeof *clock->best);
            memcpy(clock->best, clock->values, m->clocks.knot_count * sizeof *clock->best);
        }
    }
}

static void take_best(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_clock *clock = &m->inputs[i].clock;
        double most = 0;
        free(clock->values);
        clock->values = clock->best;
        clock->best = NULL;
        m->alignment.groups[i].worst = m->alignment.groups[i].best.worst;
        for (uint32_t knot = 0; knot < m->clocks.knot_count; knot++)
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
        m->messages.pairs.items[i].limit = m->messages.pairs.items[i].least[0] - m->messages.pairs.items[i].margin;
    int is_relaxed = merge_solve(m);
    for (uint32_t i = 0; i < m->input_count; i++)
        m->inputs[i].clock.offset += m->solver.offsets[i];
    if (is_relaxed)
        merge_begin_windows(m);
    return is_relaxed;
}

/* Whether the messages of a group are wrong, and another round may make them better. */
static int needs_round(const merge *m, const merge_group *group)
{
    if (!group->best.round)
        return group->worst > 0;
    return group->best.worst > 0 && m->alignment.round <= group->best.round + PATIENCE;
}

/* Corrects the clocks by the messages of the last pass.  Returns whether another pass may make them better. */
static int correct_clocks(merge *m)
{
    merge_alignment *alignment = &m->alignment;
    int needs = 0;
    if (m->clocks.knot_count > 0)
        keep_best(m);
    for (uint32_t i = 0; i < m->input_count; i++)
        needs |= needs_round(m, &alignment->groups[i]);
    if (!needs || alignment->round == MAX_ROUNDS)
        return 0;
    merge_begin_solver(m);
    if (alignment->round++ == 0)
        return correct_offsets(m);
    merge_correct_drift(m);
    return 1;
}

/* Lets lines wait, unless that makes the worst message of their group worse.  What a pass finds out about circles
 * changes the next one, so the last pass is one that has found nothing, and is what will be written. */
static void try_waiting(merge *m, const paje_settings *settings)
{
    size_t forbidden;
    int attempt = 1;
    do {
        forbidden = m->waits.forbidden.used;
        m->waits.is_uncertain = 0;
        m->waits.is_last = attempt >= ATTEMPTS;
        merge_run_pass(m, settings);
    } while ((m->waits.is_uncertain || m->waits.forbidden.used > forbidden) && attempt++ < 2 * ATTEMPTS);
    find_worst(m);
    m->waits.is_enabled = 0;
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_group *group = &m->alignment.groups[i];
        group->may_wait = group->may_wait && group->worst <= 1.01 * group->best.worst;
        m->waits.is_enabled |= group->may_wait;
        m->inputs[i].clock.delay = 0; /* what the last lines waited corrects no clock */
    }
}

void merge_align(merge *m, const paje_settings *settings)
{
    if (merge_has_collectives(m)) /* the names of operations are known now */
        merge_run_pass(m, settings);
    find_groups(m);
    for (find_worst(m); correct_clocks(m); find_worst(m))
        merge_run_pass(m, settings);
    if (m->clocks.knot_count > 0)
        take_best(m);
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_group *group = &m->alignment.groups[i];
        group->best.worst = group->worst; /* also where offsets were enough */
        group->may_wait = group->worst > 0;
        m->waits.is_enabled |= group->may_wait;
    }
    if (m->waits.is_enabled)
        try_waiting(m, settings);
    for (uint32_t i = 0; i < m->input_count; i++)
        merge_report_clock(m, &m->inputs[i]);
    merge_shift_to_zero(m);
}

void merge_free_alignment(merge *m)
{
    free(m->alignment.edges);
    free(m->alignment.groups);
}
