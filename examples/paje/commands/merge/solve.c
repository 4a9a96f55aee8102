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

#define RELAXATIONS 8 /* of single cycles, before all constraints of a block are relaxed alike */

/* The margin of a pair is twice what a time of its group may lose by rounding. */
static void find_margins(merge *m)
{
    merge_group *groups = m->alignment.groups;
    for (uint32_t i = 0; i < m->input_count; i++)
        groups[i].margin = 2 * MERGE_RESOLUTION;
    for (uint32_t i = 0; i < m->input_count; i++) {
        const merge_input *input = &m->inputs[i];
        double *margin = &groups[input->group].margin;
        if (input->is_timed)
            *margin = merge_max(*margin, 8 * DBL_EPSILON * merge_max(fabs(input->latest), fabs(input->first)));
    }
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        merge_pair *pair = &m->messages.pairs.items[i];
        pair->margin = groups[m->inputs[pair->from].group].margin;
    }
}

void merge_begin_solver(merge *m)
{
    merge_solver *solver = &m->solver;
    size_t count = m->input_count;
    solver->block = memory_resize(solver->block, count, sizeof *solver->block);
    solver->forward = memory_resize(solver->forward, count, sizeof *solver->forward);
    solver->backward = memory_resize(solver->backward, count, sizeof *solver->backward);
    solver->order = memory_resize(solver->order, count, sizeof *solver->order);
    solver->offsets = memory_resize(solver->offsets, count, sizeof *solver->offsets);
    solver->reached_by = memory_resize(solver->reached_by, count, sizeof *solver->reached_by);
    find_margins(m);
    merge_find_reverse_pairs(m);
    merge_find_blocks(m);
}

void merge_free_solver(merge *m)
{
    merge_solver *solver = &m->solver;
    void *const blocks[] = {solver->block,   solver->order,    solver->first_leaving, solver->leaving,
                            solver->forward, solver->backward, solver->offsets,       solver->reached_by};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    array_free(&solver->within);
    array_free(&solver->blocks);
}

/* ---- shortest paths */

static merge_pair *pair_at(const merge *m, size_t within)
{
    return &m->messages.pairs.items[m->solver.within.items[within]];
}

/* One round of Bellman's and Ford's algorithm, from `to` to `from`, or the other way.  Returns 1 + an input whose
 * distance became less, or 0. */
static uint32_t shorten(merge *m, merge_block block, double *distance, int is_backward)
{
    const merge_solver *solver = &m->solver;
    uint32_t shortened = 0;
    for (size_t i = block.first; i < block.end; i++) {
        const merge_pair *pair = pair_at(m, i);
        uint32_t here = is_backward ? pair->from : pair->to, there = is_backward ? pair->to : pair->from;
        if (distance[here] + pair->limit < distance[there] - pair->margin / 64) {
            distance[there] = distance[here] + pair->limit;
            solver->reached_by[there] = solver->within.items[i] + 1;
            shortened = there + 1;
        }
    }
    return shortened;
}

/* Shortens all distances.  What could still be shortened after so many rounds is lost by rounding, since constraints
 * that contradict one another have been relaxed. */
static void settle(merge *m, merge_block block, double *distance, int is_backward)
{
    for (size_t round = block.first; round <= block.end && shorten(m, block, distance, is_backward); round++)
        ;
}

/* ---- constraints that contradict one another */

/* Returns an input on a cycle that leads to this one by shortest paths; UINT32_MAX if there is none. */
static uint32_t find_cycle(const merge *m, merge_block block, uint32_t input)
{
    const size_t *reached_by = m->solver.reached_by;
    size_t steps = block.first; /* there are no more inputs than pairs */
    while (reached_by[input] && steps++ <= block.end)
        input = m->messages.pairs.items[reached_by[input] - 1].to;
    return reached_by[input] ? input : UINT32_MAX;
}

/* Relaxes pairs of constraints that contradict each other: most contradictions are such pairs. */
static void relax_pairs(merge *m, merge_block block)
{
    for (size_t i = block.first; i < block.end; i++) {
        merge_pair *pair = pair_at(m, i), *pairs = m->messages.pairs.items;
        merge_pair *reverse = pair->reverse ? &pairs[pair->reverse - 1] : NULL;
        double sum = reverse ? pair->limit + reverse->limit : 0;
        if (sum < -pair->margin / 64) {
            pair->limit += pair->margin / 32 - sum / 2;
            reverse->limit += pair->margin / 32 - sum / 2;
        }
    }
}

/* Returns by how much all constraints of a cycle must be relaxed, and so much that rounding does not undo it. */
static double lack_of(const merge *m, uint32_t cycle, uint32_t *length)
{
    const merge_solver *solver = &m->solver;
    double sum = 0, greatest = 0, margin = 0;
    uint32_t at = cycle;
    *length = 0;
    do {
        const merge_pair *pair = &m->messages.pairs.items[solver->reached_by[at] - 1];
        sum += pair->limit;
        greatest = merge_max(greatest, fabs(pair->limit));
        margin = pair->margin;
        ++*length;
        at = pair->to;
    } while (at != cycle);
    return merge_max(merge_max(-sum / *length, 0) + margin / 32, 2 * DBL_EPSILON * greatest);
}

/* Returns an input on a cycle of constraints that contradict one another; UINT32_MAX if there is none. */
static uint32_t find_contradiction(merge *m, merge_block block)
{
    merge_solver *solver = &m->solver;
    uint32_t shortened, cycle = UINT32_MAX;
    for (size_t i = block.first; i < block.end; i++) {
        uint32_t from = pair_at(m, i)->from; /* messages leave each input of a block */
        solver->forward[from] = 0;
        solver->reached_by[from] = 0;
    }
    while (cycle == UINT32_MAX && (shortened = shorten(m, block, solver->forward, 0)) != 0)
        cycle = find_cycle(m, block, shortened - 1);
    return cycle;
}

/* Relaxes all constraints by as much from what messages require. */
static void relax_all(merge *m, merge_block block, double more)
{
    for (size_t i = block.first; i < block.end; i++)
        pair_at(m, i)->limit = pair_at(m, i)->tight + more;
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

/* Relaxes the constraints of a block until all of them can hold, none by more than what is needed if all are relaxed
 * alike: so the worst of them is violated least.  Returns whether it had to. */
static int relax(merge *m, merge_block block)
{
    uint32_t cycle, length;
    double most = 0;
    for (size_t i = block.first; i < block.end; i++)
        pair_at(m, i)->tight = pair_at(m, i)->limit;
    while ((cycle = find_contradiction(m, block)) != UINT32_MAX) /* by so much that it is not lost by rounding */
        relax_all(m, block, most += merge_max(lack_of(m, cycle, &length), 4 * DBL_EPSILON * most));
    if (!(most > 0))
        return 0;
    relax_all(m, block, 0);
    relax_pairs(m, block);
    for (int relaxations = 0; (cycle = find_contradiction(m, block)) != UINT32_MAX; relaxations++) {
        if (relaxations == RELAXATIONS) {
            relax_all(m, block, most);
            break;
        }
        relax_cycle(m, cycle, most);
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
        if (to != solver->block[input] && lacks > pair->margin)
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

/* Whether a message within a block arrives before it is sent, by the present limits. */
static int is_wrong(const merge *m, merge_block block)
{
    int found = 0;
    for (size_t i = block.first; i < block.end && !found; i++)
        found = pair_at(m, i)->limit + pair_at(m, i)->margin < 0;
    return found;
}

/* Finds the offsets of the inputs of a block.  Returns whether constraints had to be relaxed. */
static int solve_block(merge *m, merge_block block)
{
    const merge_solver *solver = &m->solver;
    int is_relaxed = relax(m, block);
    for (size_t i = block.first; i < block.end; i++) {
        uint32_t input = pair_at(m, i)->from;
        solver->forward[input] = solver->backward[input] =
            solver->block[input] == input || m->alignment.round > 2 ? 0 : DBL_MAX / 4;
    }
    settle(m, block, solver->forward, 0);
    settle(m, block, solver->backward, 1);
    for (size_t i = block.first; i < block.end; i++) {
        uint32_t input = pair_at(m, i)->from;
        solver->offsets[input] = (solver->forward[input] - solver->backward[input]) / 2;
    }
    return is_relaxed;
}

int merge_solve(merge *m)
{
    merge_solver *solver = &m->solver;
    int is_relaxed = 0;
    for (uint32_t i = 0; i < m->input_count; i++)
        solver->offsets[i] = 0;
    for (size_t i = 0; i < solver->blocks.count; i++)
        if (is_wrong(m, solver->blocks.items[i]))
            is_relaxed |= solve_block(m, solver->blocks.items[i]);
    move_blocks(m);
    return is_relaxed;
}
