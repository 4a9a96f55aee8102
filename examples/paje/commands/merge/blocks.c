/* Blocks of inputs that messages connect both ways: strongly connected components of the graph of pairs, which Tarjan's
 * algorithm (1972) finds in linear time, with their order. */
#include "merge.h"

#include <stdlib.h>

typedef array_of(uint32_t) input_stack;

typedef struct search {
    merge *m;
    uint32_t *number, *low; /* in the order in which inputs are found, from 1 on; low: least one that is reached */
    size_t *next;           /* of each input the next of its pairs to follow */
    input_stack path, open; /* open: inputs whose block is not known yet */
    uint32_t found, left;   /* left: of solver.order, places that are free */
} search;

/* Lists the pairs of each input that messages leave. */
static void list_pairs(merge *m)
{
    merge_solver *solver = &m->solver;
    const merge_pair *pairs = m->messages.pairs.items;
    size_t count = m->messages.pairs.count;
    free(solver->first_leaving);
    free(solver->leaving);
    solver->first_leaving = memory_alloc_zero((size_t)m->input_count + 2, sizeof *solver->first_leaving);
    solver->leaving = memory_alloc_zero(count + 1, sizeof *solver->leaving);
    for (size_t i = 0; i < count; i++)
        solver->first_leaving[pairs[i].from + 2]++;
    for (uint32_t i = 0; i < m->input_count; i++)
        solver->first_leaving[i + 2] += solver->first_leaving[i + 1];
    for (size_t i = 0; i < count; i++)
        solver->leaving[solver->first_leaving[pairs[i].from + 1]++] = i;
}

static uint32_t lesser(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Makes a block of the inputs that were found since this one. */
static void close_block(search *s, uint32_t input)
{
    merge_solver *solver = &s->m->solver;
    size_t first = s->open.count;
    uint32_t least = input;
    while (s->open.items[--first] != input)
        least = lesser(least, s->open.items[first]);
    for (size_t i = first; i < s->open.count; i++) {
        solver->block[s->open.items[i]] = least;
        solver->order[--s->left] = s->open.items[i];
    }
    s->open.count = first;
}

/* Follows the next pair of the last input of the path, or leaves that input. */
static void step(search *s)
{
    const merge_solver *solver = &s->m->solver;
    uint32_t at = s->path.items[s->path.count - 1];
    if (!s->number[at]) {
        s->number[at] = s->low[at] = ++s->found;
        *array_push(&s->open) = at;
    }
    if (s->next[at] < solver->first_leaving[at + 1]) {
        uint32_t there = s->m->messages.pairs.items[solver->leaving[s->next[at]++]].to;
        if (!s->number[there])
            *array_push(&s->path) = there;
        else if (solver->block[there] == UINT32_MAX)
            s->low[at] = lesser(s->low[at], s->number[there]);
        return;
    }
    s->path.count--;
    if (s->low[at] == s->number[at])
        close_block(s, at);
    else
        s->low[s->path.items[s->path.count - 1]] = lesser(s->low[s->path.items[s->path.count - 1]], s->low[at]);
}

/* Lists the pairs within each block. */
static void list_blocks(merge *m)
{
    merge_solver *solver = &m->solver;
    array_clear(&solver->within);
    array_clear(&solver->blocks);
    for (uint32_t i = 0, end; i < m->input_count; i = end) {
        uint32_t block = solver->block[solver->order[i]];
        merge_block within = {solver->within.count, 0};
        for (end = i; end < m->input_count && solver->block[solver->order[end]] == block; end++) {
            uint32_t input = solver->order[end];
            for (size_t j = solver->first_leaving[input]; j < solver->first_leaving[input + 1]; j++)
                if (solver->block[m->messages.pairs.items[solver->leaving[j]].to] == block)
                    *array_push(&solver->within) = solver->leaving[j];
        }
        within.end = solver->within.count;
        if (within.end > within.first)
            *array_push(&solver->blocks) = within;
    }
}

void merge_find_blocks(merge *m)
{
    merge_solver *solver = &m->solver;
    search s = {.m = m, .left = m->input_count};
    list_pairs(m);
    s.number = memory_alloc_zero((size_t)m->input_count + 1, sizeof *s.number);
    s.low = memory_alloc_zero((size_t)m->input_count + 1, sizeof *s.low);
    s.next = memory_alloc_zero((size_t)m->input_count + 1, sizeof *s.next);
    for (uint32_t i = 0; i < m->input_count; i++) {
        s.next[i] = solver->first_leaving[i];
        solver->block[i] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < m->input_count; i++) {
        if (!s.number[i])
            *array_push(&s.path) = i;
        while (s.path.count > 0)
            step(&s);
    }
    free(s.number);
    free(s.low);
    free(s.next);
    array_free(&s.path);
    array_free(&s.open);
    list_blocks(m);
}
