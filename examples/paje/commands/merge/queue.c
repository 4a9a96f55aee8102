/* The inputs in the order of their next lines: a heap. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

static int is_before(const merge_queue_item *a, const merge_queue_item *b)
{
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time;
    return a->input->index < b->input->index;
}

static void swap(merge_queue_item *items, uint32_t a, uint32_t b)
{
    merge_queue_item item = items[a];
    items[a] = items[b];
    items[b] = item;
}

static void sift_down(merge_queue *queue, uint32_t at)
{
    merge_queue_item *items = queue->items;
    for (uint32_t child; (child = 2 * at + 1) < queue->count; at = child) {
        if (child + 1 < queue->count && is_before(&items[child + 1], &items[child]))
            child++;
        if (!is_before(&items[child], &items[at]))
            break;
        swap(items, child, at);
    }
}

static void sift_up(merge_queue *queue, uint32_t at)
{
    for (; at > 0 && is_before(&queue->items[at], &queue->items[(at - 1) / 2]); at = (at - 1) / 2)
        swap(queue->items, at, (at - 1) / 2);
}

/* Notes the time of the next line; returns where that line puts the input in the order. */
static double note_time(merge *m, merge_input *input)
{
    const merge_line *line = &input->lines.items[input->next];
    input->latest = merge_max(input->latest, line->latest);
    if (!line->definition)
        return input->latest;
    pajesim_event event = line->definition->event;
    if (event >= PAJESIM_CREATE_CONTAINER && line->definition->positions[PAJESIM_TIME]) {
        double time = merge_correct(m, input, line->time);
        input->least = merge_min(input->least, line->time);
        if (!input->is_timed && event != PAJESIM_CREATE_CONTAINER) { /* many traces create all containers at 0 */
            input->is_timed = 1;
            input->first = time;
        }
        if (!line->is_early)
            input->latest = merge_max(input->latest, time);
    }
    /* In the survey the clocks are not corrected yet, so times count from the first event of each input. */
    if (m->pass == MERGE_SURVEY && m->aligns)
        return input->is_timed ? input->latest - input->first : -INFINITY;
    return input->latest;
}

void merge_begin_queue(merge *m)
{
    m->queue.items = memory_resize(m->queue.items, m->input_count, sizeof *m->queue.items);
    m->queue.count = 0;
}

void merge_push_input(merge *m, merge_input *input)
{
    uint32_t at = m->queue.count++;
    m->queue.items[at] = (merge_queue_item){note_time(m, input), input};
    sift_up(&m->queue, at);
}

void merge_update_first(merge *m)
{
    m->queue.items[0].time = note_time(m, m->queue.items[0].input);
    sift_down(&m->queue, 0);
}

void merge_remove_first(merge *m)
{
    m->queue.items[0] = m->queue.items[--m->queue.count];
    sift_down(&m->queue, 0);
}

void merge_free_queue(merge *m)
{
    free(m->queue.items);
}
