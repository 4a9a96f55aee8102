/* How long messages take, by pairs of inputs and by windows of time. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

static void forget_pairs(merge_messages *messages)
{
    for (size_t i = 0; i < messages->pairs.count; i++)
        free(messages->pairs.items[i].least);
    array_clear(&messages->pairs);
    map_clear(&messages->keys);
}

void merge_begin_messages(merge *m)
{
    merge_messages *messages = &m->messages;
    forget_pairs(messages);
    if (messages->window_count == 0)
        messages->window_count = 1;
    if (messages->counts)
        memset(messages->counts, 0, messages->window_count * sizeof *messages->counts);
    for (uint32_t i = 0; i < m->input_count; i++) {
        m->inputs[i].own_early = 0;
        m->inputs[i].own_worst = 0;
    }
}

static uint32_t window_at(const merge *m, uint32_t input, double time)
{
    const merge_messages *messages = &m->messages;
    return messages->borders ? merge_find_time(messages->borders, messages->window_count,
                                               merge_place(m, &m->inputs[input], time)) : 0;
}

static merge_pair *find_or_add(merge *m, uint32_t from, uint32_t to, pajesim_time sent)
{
    merge_messages *messages = &m->messages;
    size_t number = merge_add(m, &messages->keys, from, to, merge_no_text);
    if (number < messages->pairs.count)
        return &messages->pairs.items[number];
    merge_pair *pair = array_push(&messages->pairs);
    pair->from = from;
    pair->to = to;
    pair->first = pair->last = sent;
    pair->least = memory_alloc(messages->window_count, sizeof *pair->least);
    for (uint32_t i = 0; i < messages->window_count; i++)
        pair->least[i] = INFINITY;
    return pair;
}

void merge_add_message(merge *m, uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received)
{
    merge_messages *messages = &m->messages;
    double duration = received - sent;
    if (from == to) { /* a file has one clock, which no message within it can correct */
        m->inputs[from].own_early += duration < 0;
        m->inputs[from].own_worst = merge_max(m->inputs[from].own_worst, -duration);
        return;
    }
    merge_pair *pair = find_or_add(m, from, to, sent);
    pair->first = merge_min(pair->first, sent);
    pair->last = merge_max(pair->last, sent);
    if (duration < 0) {
        pair->first_early = pair->early ? merge_min(pair->first_early, received) : received;
        pair->last_early = pair->early ? merge_max(pair->last_early, sent) : sent;
        pair->early++;
        pair->worst = merge_max(pair->worst, -duration);
    }
    uint32_t first = window_at(m, from, sent), last = window_at(m, to, received);
    if (messages->counts)
        messages->counts[first]++;
    pair->least[first] = merge_min(pair->least[first], duration);
    pair->least[last] = merge_min(pair->least[last], duration);
}

void merge_find_reverse_pairs(merge *m)
{
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        merge_pair *pair = &m->messages.pairs.items[i];
        pair->reverse = merge_find(m, &m->messages.keys, pair->to, pair->from, merge_no_text) + 1; /* MAP_NONE + 1: 0 */
    }
}

double merge_worst_message(const merge *m)
{
    double worst = 0;
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        worst = merge_max(worst, m->messages.pairs.items[i].worst);
    return worst;
}

void merge_report_messages(const merge *m)
{
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        const merge_pair *pair = &m->messages.pairs.items[i];
        if (pair->early)
            stream_message("%s -> %s: %llu of the messages arrive up to %g before they are sent, between %.9f and %.9f",
                           m->inputs[pair->from].name, m->inputs[pair->to].name, (unsigned long long)pair->early,
                           pair->worst, pair->first_early, pair->last_early);
    }
    for (uint32_t i = 0; i < m->input_count; i++) {
        const merge_input *input = &m->inputs[i];
        if (input->own_early)
            stream_message("%s: %llu messages within it arrive up to %g before they are sent: --align takes all of a "
                           "file for one clock", input->name, (unsigned long long)input->own_early, input->own_worst);
    }
}

void merge_free_messages(merge *m)
{
    forget_pairs(&m->messages);
    array_free(&m->messages.pairs);
    map_free(&m->messages.keys);
    free(m->messages.borders);
    free(m->messages.counts);
}
