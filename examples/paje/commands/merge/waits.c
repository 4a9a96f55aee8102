/* Lines that wait for the start of their link.
 *
 * Clocks that are corrected piecewise linearly may still let some messages arrive before they are sent.  Then the end
 * of the link waits for its start and is delayed until just after it; what follows in its file is delayed by less and
 * less: the controlled logical clock of Rolf Rabenseifner.  So all messages come right, except for those that wait for
 * one another in a circle, and for lines that are not in the order of time in their file, which stay where they are. */
#include "merge.h"

int merge_may_wait(merge *m, const merge_input *input, pajesim_time time)
{
    return m->waits.is_enabled && m->alignment.groups[input->group].may_wait && !input->skips_wait &&
           !(time < input->latest) &&
           merge_find(m, &m->waits.forbidden, input->index, input->processed, merge_no_text) == MAP_NONE;
}

void merge_forbid_wait(merge *m, const merge_input *input, uint64_t line)
{
    merge_add(m, &m->waits.forbidden, input->index, line, merge_no_text);
}

void merge_record_source(merge *m, const merge_input *input, uint64_t line, merge_input *source)
{
    if (!m->waits.is_enabled)
        return;
    size_t before = m->waits.lines.used, number = merge_add(m, &m->waits.lines, input->index, line, merge_no_text);
    if (m->waits.lines.used > before)
        *array_at(&m->waits.sources, number) = source;
}

merge_input *merge_find_source(merge *m, const merge_input *input)
{
    size_t found = merge_find(m, &m->waits.lines, input->index, input->processed, merge_no_text);
    return found == MAP_NONE ? NULL : m->waits.sources.items[found];
}

/* ---- lists of inputs that wait for the same start: the oldest comes first */

void merge_wait(merge *m, merge_input *input, const merge_type *type, const merge_container *container,
                uint32_t keys_of, pajesim_text key)
{
    input->wait_list = merge_add(m, &m->waits.keys, merge_two(type->number, keys_of), container->number, key);
    merge_wait_list *list = array_at(&m->waits.lists, input->wait_list);
    input->wait_next = NULL;
    input->wait_previous = list->last;
    if (list->last)
        list->last->wait_next = input;
    else
        list->first = input;
    list->last = input;
    input->is_waiting = 1;
}

void merge_stop_waiting(merge *m, merge_input *input)
{
    merge_wait_list *list = &m->waits.lists.items[input->wait_list];
    if (input->wait_previous)
        input->wait_previous->wait_next = input->wait_next;
    else
        list->first = input->wait_next;
    if (input->wait_next)
        input->wait_next->wait_previous = input->wait_previous;
    else
        list->last = input->wait_previous;
    if (!list->first)
        map_remove(&m->waits.keys, input->wait_list);
    input->is_waiting = 0;
}

void merge_wake(merge *m, const merge_type *type, const merge_container *container, uint32_t keys_of, pajesim_text key,
                pajesim_time time)
{
    if (!m->waits.is_enabled)
        return;
    size_t found = merge_find(m, &m->waits.keys, merge_two(type->number, keys_of), container->number, key);
    if (found == MAP_NONE)
        return;
    merge_input *input = m->waits.lists.items[found].first;
    merge_delay(m, input, time + MERGE_RESOLUTION, input->lines.items[input->next].time);
    merge_stop_waiting(m, input);
    m->waits.woken = input;
}

void merge_free_waits(merge *m)
{
    array_free(&m->waits.lists);
    array_free(&m->waits.sources);
    map_free(&m->waits.keys);
    map_free(&m->waits.forbidden);
    map_free(&m->waits.lines);
}
