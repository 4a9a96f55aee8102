/* A pass: reads all inputs once and processes their lines in the order of time. */
#include "merge.h"

static void process_first(merge *m)
{
    merge_input *input = m->queue.items[0].input;
    const merge_line *line = &input->lines.items[input->next];
    merge_begin_line(m, m->queue.items[0].time);
    if (line->problem) {
        merge_show_problem(input, line);
    } else if (!line->definition) {
        if (!m->share.is_outside)
            merge_write_comment(m, input, line);
    } else if (merge_process_line(m, input, line)) {
        input->processed++;
    } else {
        merge_remove_first(m);
        return;
    }
    input->skips_wait = 0;
    input->next++;
    if (merge_next_line(input))
        merge_update_first(m);
    else
        merge_remove_first(m);
    if (m->waits.woken)
        merge_push_input(m, m->waits.woken);
    m->waits.woken = NULL;
}

int merge_run_pass(merge *m, const paje_settings *settings)
{
    static const char *const passes[] = {[MERGE_SURVEY] = "reading: ", [MERGE_MEASURE] = "aligning: ",
                                         [MERGE_WRITE] = "writing: "};
    int status = EXIT_OK;
    m->progress = paje_begin_progress(passes[merge_surveys_links(m) ? MERGE_SURVEY : m->pass], 0, 0);
    m->progress.is_shown &= m->share.range == 0; /* the first process shows that of all */
    m->read = 0;
    merge_begin_queue(m);
    merge_begin_containers(m);
    merge_begin_links(m);
    merge_begin_messages(m);
    merge_begin_collectives();
    if (m->pass == MERGE_WRITE && m->share.range == 0)
        merge_write_definitions(m);
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_open_input(&m->inputs[i], settings);
        if (merge_next_line(&m->inputs[i]))
            merge_push_input(m, &m->inputs[i]);
    }
    while (m->queue.count > 0) {
        process_first(m);
        if (m->queue.count == 0)
            merge_break_circles(m);
    }
    merge_end_ranges(m);
    stream_flush();
    stream_end_progress();
    if (merge_surveys_links(m)) {
        merge_note_disputes(m);
        merge_settle_scopes(m);
    }
    merge_end_links(m);
    merge_end_containers(m);
    const time_unit *told = NULL;
    for (uint32_t i = 0; i < m->input_count; i++) {
        if (m->pass == MERGE_SURVEY)
            paje_compare_unit(&m->inputs[i].run, &told);
        int one = merge_close_input(&m->inputs[i]);
        status = one > status ? one : status;
    }
    return status;
}

int merge_look_again(merge *m, const paje_settings *settings, int by_clocks)
{
    int waits = m->waits.is_enabled, is_share_possible = m->share.is_possible;
    if (!merge_begin_second_survey(m, by_clocks))
        return 0;
    m->waits.is_enabled = m->share.is_possible = 0; /* it makes no marks again */
    merge_run_pass(m, settings);
    m->waits.is_enabled = waits;
    m->share.is_possible = is_share_possible;
    m->links.is_second = 0;
    return 1;
}
