/* Offsets of clocks from messages: none may arrive before it is sent.
 *
 * For each pair of inputs the least time that a message took says how far their clocks may be moved against each other:
 * difference constraints, a graph whose shortest paths (Bellman, Ford) are offsets.  Within a block of inputs that
 * messages connect both ways, the middle between the least and the greatest offsets is taken: as if messages took the
 * same time both ways.  A block that others only send to is moved as a whole, if it must be.  What is right already
 * stays as it is.  Cycles of constraints that cannot all hold are relaxed so that the worst of them is violated
 * least. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define RELAXATIONS 8 /* of single cycles, before all constraints are relaxed alike */

/* Marks the blocks in which a message arrives before it is sent, by the present limits. */
static void find_wrong_blocks(merge *m)
{
    merge_solver *solver = &m->solver;
    memset(solver->is_wrong, 0, m->input_count * sizeof *solver->is_wrong);
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        const merge_pair *pair = &m->messages.pairs.items[i];
        if (solver->block[pair->from] == solver->block[pair->to] && pair->limit + solver->margin < 0)
            solver->is_wrong[solver->block[pair->from]] = 1;
    }
}

/* Returns twice what a time may lose by rounding. */
static double find_margin(const merge *m)
{
    double greatest = 0;
    for (uint32_t i = 0; i < m->input_count; i++) {
        const merge_input *input = &m->inputs[i];
        if (input->is_timed)
            greatest = merge_max(greatest, merge_max(fabs(input->latest), fabs(input->first)));
    }
    return merge_max(2 * MERGE_RESOLUTION, 8 * DBL_EPSILON * greatest);
}

void merge_begin_solver(merge *m)
{
    merge_solver *solver = &m->solver;
    size_t count = m->input_count;
    solver->block = memory_resize(solver->block, count, sizeof *solver->block);
    solver->is_wrong = memory_resize(solver->is_wrong, count, sizeof *solver->is_wrong);
    solver->forward = memory_resize(solver->forward, count, sizeof *solver->forward);
    solver->backward = memory_resize(solver->backward, count, sizeof *solver->backward);
    solver->order = memory_resize(solver->order, count, sizeof *solver->order);
    solver->offsets = memory_resize(solver->offsets, count, sizeof *solver->offsets);
    solver->reached_by = memory_resize(solver->reached_by, count, sizeof *solver->reached_by);
    solver->margin = find_margin(m);
    merge_find_reverse_pairs(m);
    merge_find_blocks(m);
}

void merge_free_solver(merge *m)
{
    merge_solver *solver = &m->solver;
    void *const blocks[] = {solver->block,    solver->order,   solver->first_leaving, solver->leaving, solver->is_wrong,
                            solver->forward,  solver->backward, solver->offsets,     solver->reached_by};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
}

/* ---- shortest paths */

/* Whether a pair is within a block that must be corrected. */
static int is_in_block(const merge_solver *solver, const merge_pair *pair)
{
    return solver->block[pair->from] == solver->block[pair->to] && solver->is_wrong[solver->block[pair->from]];
}

/* One round of Bellman's and Ford's algorithm, from `to` to `from`, or the other way.  Returns 1 + an input whose
 * distance became less, or 0. */
static uint32_t shorten(merge *m, double *distance, int is_backward)
{
    const merge_solver *solver = &m->solver;
    const merge_pair *pairs = m->messages.pairs.items;
    uint32_t shortened = 0;
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        if (!is_in_block(solver, &pairs[i]))
            continue;
        uint32_t here = is_backward ? pairs[i].from : pairs[i].to, there = is_backward ? pairs[i].to : pairs[i].from;
        if (distance[here] + pairs[i].limit < distance[there] - solver->margin / 64) {
            distance[there] = distance[here] + pairs[i].limit;
            solver->reached_by[there] = i + 1;
            shortened = there + 1;
        }
    }
    return shortened;
}

/* Shortens all distances.  What could still be shortened after so many rounds is lost by rounding, since constraints
 * that contradict one another have been relaxed. */
static void settle(merge *m, double *distance, int is_backward)
{
    for (uint32_t round = 0; round <= m->input_count && shorten(m, distance, is_backward); round++)
        ;
}

/* ---- constraints that contradict one another */

/* Returns an input on a cycle that leads to this one by shortest paths; UINT32_MAX if there is none. */
static uint32_t find_cycle(const merge *m, uint32_t input)
{
    const size_t *reached_by = m->solver.reached_by;
    uint32_t steps = 0;
    while (reached_by[input] && steps++ <= m->input_count)
        input = m->messages.pairs.items[reached_by[input] - 1].to;
    return reached_by[input] ? input : UINT32_MAX;
}

/* Relaxes pairs of constraints that contradict each other: most contradictions are such pairs. */
static int relax_pairs(merge *m)
{
    double margin = m->solver.margin;
    merge_pair *pairs = m->messages.pairs.items;
    int is_relaxed = 0;
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        size_t reverse = pairs[i].reverse;
        double sum = reverse ? pairs[i].limit + pairs[reverse - 1].limit : 0;
        if (sum < -margin / 64) {
            pairs[i].limit += margin / 32 - sum / 2;
            pairs[reverse - 1].limit += margin / 32 - sum / 2;
            is_relaxed = 1;
        }
    }
    return is_relaxed;
}

/* Returns by how much all constraints of a cycle must be relaxed, and so much that rounding does not undo it. */
static double lack_of(const merge *m, uint32_t cycle, uint32_t *length)
{
    const merge_solver *solver = &m->solver;
    double sum = 0, greatest = 0;
    uint32_t at = cycle;
    *length = 0;
    do {
        const merge_pair *pair = &m->messages.pairs.items[solver->reached_by[at] - 1];
        sum += pair->limit;
        greatest = merge_max(greatest, fabs(pair->limit));
        ++*length;
        at = pair->to;
    } while (at != cycle);
    return merge_max(merge_max(-sum / *length, 0) + solver->margin / 32, 2 * DBL_EPSILON * greatest);
}

/* Returns an input on a cycle of constraints that contradict one another; UINT32_MAX if there is none. */
static uint32_t find_contradiction(merge *m)
{
    merge_solver *solver = &m->solver;
    uint32_t shortened, cycle = UINT32_MAX;
    memset(solver->forward, 0, m->input_count * sizeof *solver->forward);
    memset(solver->reached_by, 0, m->input_count * sizeof *solver->reached_by);
    while (cycle == UINT32_MAX && (shortened = shorten(m, solver->forward, 0)) != 0)
        cycle = find_cycle(m, shortened - 1);
    return cycle;
}

static void relax_all(merge *m, double more)
{
    merge_pair *pairs = m->messages.pairs.items;
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        pairs[i].limit += is_in_block(&m->solver, &pairs[i]) ? more : 0;
}

/* Relaxes the constraints of a cycle, evenly as far as each may be, until they can hold. */
static void relax_cycle(merge *m, uint32_t cycle, double most)
{
    const merge_solver *solver = &m->solver;
    merge_pair *pairs = m->messages.pairs.items;
    uint32_t length, at = cycle, open = 1;
    double lack = lack_of(m, cycle, &length) * length, share = lack / length;
    while (lack > 0 && open > 0) {
        open = 0;
        do {
            merge_pair *pair = &pairs[solver->reached_by[at] - 1];
            double more = merge_min(share, pair->tight + most - pair->limit);
            if (more > 0) {
                pair->limit += more;
                lack -= more;
                open += pair->limit < pair->tight + most;
            }
            at = pair->to;
        } while (at != cycle);
        share = open ? lack / open : 0;
    }
}

/* Relaxes constraints until all of them can hold, none by more than what is needed if all are relaxed alike: so the
 * worst of them is violated least.  Returns whether it had to. */
static int relax(merge *m)
{
    merge_pair *pairs = m->messages.pairs.items;
    uint32_t cycle, length;
    double most = 0, more;
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        pairs[i].tight = pairs[i].limit;
    for (; (cycle = find_contradiction(m)) != UINT32_MAX; most += more)
        relax_all(m, more = lack_of(m, cycle, &length));
    if (!(most > 0))
        return 0;
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        pairs[i].limit = pairs[i].tight;
    relax_pairs(m);
    for (int relaxations = 0; (cycle = find_contradiction(m)) != UINT32_MAX; relaxations++) {
        if (relaxations < RELAXATIONS) {
            relax_cycle(m, cycle, most);
            continue;
        }
        for (size_t i = 0; i < m->messages.pairs.count; i++)
            pairs[i].limit = pairs[i].tight;
        relax_all(m, most);
        break;
    }
    return 1;
}

/* ---- offsets */

/* Finds how far the blocks must be moved to which this input sends. */
static void move_next(const merge *m, uint32_t input, double *moves)
{
    const merge_solver *solver = &m->solver;
    for (size_t i = solver->first_leaving[input]; i < solver->first_leaving[input + 1]; i++) {
        const merge_pair *pair = &m->messages.pairs.items[solver->leaving[i]];
        uint32_t to = solver->block[pair->to];
        double lacks = solver->offsets[input] - solver->offsets[pair->to] - pair->limit;
        if (to != solver->block[input] && lacks > solver->margin)
            moves[to] = merge_max(moves[to], lacks);
    }
}

/* Moves blocks as a whole, to later times, where messages from other blocks require it; these come first. */
static void move_blocks(merge *m)
{
    const merge_solver *solver = &m->solver;
    double *moves = solver->forward; /* of blocks */
    memset(moves, 0, m->input_count * sizeof *moves);
    for (uint32_t first = 0, end; first < m->input_count; first = end) {
        uint32_t block = solver->block[solver->order[first]];
        for (end = first; end < m->input_count && solver->block[solver->order[end]] == block; end++)
            solver->offsets[solver->order[end]] += moves[block];
        for (uint32_t i = first; i < end; i++)
            move_next(m, solver->order[i], moves);
    }
}

int merge_solve(merge *m)
{
    merge_solver *solver = &m->solver;
    find_wrong_blocks(m);
    int is_relaxed = relax(m);
    for (uint32_t i = 0; i < m->input_count; i++)
        solver->forward[i] = solver->backward[i] = solver->block[i] == i || m->alignment.round > 2 ? 0 : DBL_MAX / 4;
    settle(m, solver->forward, 0);
    settle(m, solver->backward, 1);
    for (uint32_t i = 0; i < m->input_count; i++)
        solver->offsets[i] =
            solver->is_wrong[solver->block[i]] ? (solver->forward[i] - solver->backward[i]) / 2 : 0;
    move_blocks(m);
    return is_relaxed;
}
