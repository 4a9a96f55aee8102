/* Inputs that wait for one another in a circle.
 *
 * There is a circle if all inputs that are left wait.  Which of them wait for which is not known then, but it is in the
 * next pass (merge_record_source). */
#include "merge.h"

/* Lets a line that waits be processed; with `always`, in all further passes as well. */
static void let_go_on(merge *m, merge_input *input, int always)
{
    input->skips_wait = 1;
    if (always)
        merge_forbid_wait(m, input, input->processed);
    merge_stop_waiting(m, input);
    merge_push_input(m, input);
}

/* Lets all inputs of the circle go on that waiting for this one leads to.  Returns 0 if it leads to none. */
static int break_circle_from(merge *m, merge_input *input, uint32_t mark)
{
    merge_input *at = input, *next;
    for (; at && at->is_waiting && !at->mark; at = merge_find_source(m, at))
        at->mark = mark;
    if (!at || !at->is_waiting || at->mark != mark)
        return 0;
    for (; at->is_waiting; at = next) {
        next = merge_find_source(m, at);
        let_go_on(m, at, 1);
    }
    return 1;
}

/* Lets those go on whose source does not wait, or is not known. */
static void break_uncertain(merge *m)
{
    int is_last = m->pass == MERGE_WRITE || m->waits.is_last;
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *input = &m->inputs[i];
        const merge_input *source = input->is_waiting ? merge_find_source(m, input) : NULL;
        if (!input->is_waiting || (source && source->is_waiting))
            continue;
        let_go_on(m, input, is_last || source);
        if (is_last)
            return;
        m->waits.is_uncertain |= !source;
    }
}

void merge_break_circles(merge *m)
{
    int is_any_waiting = 0, is_broken = 0;
    for (uint32_t i = 0; i < m->input_count; i++) {
        m->inputs[i].mark = 0;
        is_any_waiting |= m->inputs[i].is_waiting;
    }
    if (!is_any_waiting)
        return;
    for (uint32_t i = 0; i < m->input_count; i++)
        is_broken |= break_circle_from(m, &m->inputs[i], i + 1);
    if (!is_broken)
        break_uncertain(m);
}
