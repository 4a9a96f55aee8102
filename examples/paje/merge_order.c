/* Lines in the order of time: that of the input whose next line is the first to be taken. */
#include "merge.h"

#include <math.h>
#include <stdlib.h>

typedef struct place {
    double time; /* greatest of the input until now, its next line included: so its lines keep their order */
    merge_input *input;
} place;

/* A heap: the first to be taken is at the top. */
static place *heap;
static size_t heap_count;

static int is_before(const place *a, const place *b)
{
    if (a->time < b->time || a->time > b->time)
        return a->time < b->time;
    return a->input->index < b->input->index;
}

static void swap(size_t a, size_t b)
{
    place kept = heap[a];
    heap[a] = heap[b];
    heap[b] = kept;
}

static void sink(size_t at)
{
    for (size_t child; (child = 2 * at + 1) < heap_count; at = child) {
        if (child + 1 < heap_count && is_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_before(&heap[child], &heap[at]))
            break;
        swap(child, at);
    }
}

/* What the next line does to the input's place in the order. */
static double place_of(merge_input *input)
{
    const merge_line *line = &input->lines[input->next];
    if (!line->definition)
        return input->latest;
    pajesim_event event = line->definition->event;
    if (event >= PAJESIM_CREATE_CONTAINER && line->definition->at[PAJESIM_TIME]) {
        double time = merge_correct(input, line->time);
        input->least = merge_least(input->least, line->time);
        if (!input->timed && event != PAJESIM_CREATE_CONTAINER) { /* these are often said to be created at 0 */
            input->timed = 1;
            input->first = time;
        }
        input->latest = merge_greatest(input->latest, time);
        if (merge_pass == MERGE_SURVEY)
            merge_note_decimals(merge_role(input, line, PAJESIM_TIME));
    }
    /* Before anything is known of how the clocks stand, time goes from the first event of each. */
    if (merge_pass == MERGE_SURVEY && merge_aligns)
        return input->timed ? input->latest - input->first : -INFINITY;
    return input->latest;
}

/* The input is in the heap as long as it has lines, and does not wait. */
static void add(merge_input *input)
{
    size_t at = heap_count++;
    heap[at] = (place){place_of(input), input};
    for (; at > 0 && is_before(&heap[at], &heap[(at - 1) / 2]); at = (at - 1) / 2)
        swap(at, (at - 1) / 2);
}

void merge_go_on(merge_input *input)
{
    merge_remove(input->waits);
    input->waits = NULL;
    add(input);
}

static void drop_top(void)
{
    heap[0] = heap[--heap_count];
    sink(0);
}

static void take_top(void)
{
    merge_input *input = heap[0].input;
    const merge_line *line = &input->lines[input->next];
    if (line->definition && !merge_take_line(input, line)) {
        drop_top();
        return;
    }
    if (!line->definition)
        merge_write_comment(input, line);
    else
        input->taken++;
    input->passes = 0;
    input->next++;
    if (!merge_next_line(input)) {
        drop_top();
        return;
    }
    heap[0].time = place_of(input);
    sink(0);
}

static int is_any_waiting(void)
{
    for (uint32_t i = 0; merge_waiting && i < merge_input_count; i++)
        if (merge_inputs[i].waits)
            return 1;
    return 0;
}

int merge_take_all(const paje_settings *settings)
{
    int status = PAJE_WELL;
    heap = paje_room(heap, merge_input_count * sizeof *heap);
    merge_begin_names();
    merge_begin_links();
    merge_begin_writing();
    merge_begin_clocks();
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_open_input(&merge_inputs[i], settings);
        if (merge_next_line(&merge_inputs[i]))
            add(&merge_inputs[i]);
    }
    do {
        while (heap_count > 0)
            take_top();
        if (is_any_waiting())
            merge_break_circle();
    } while (heap_count > 0);
    paje_flush();
    merge_end_links();
    merge_end_names();
    for (uint32_t i = 0; i < merge_input_count; i++) {
        int one = merge_close_input(&merge_inputs[i]);
        status = one > status ? one : status;
    }
    return status;
}

void merge_free_order(void)
{
    free(heap);
    heap = NULL;
}
