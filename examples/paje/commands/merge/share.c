/* Processes that share the last pass.
 *
 * The time of the merge is cut into ranges, and of N processes each writes every Nth of them, in turn, so the output is
 * that of one process.  Of the lines before its range a process needs only those that change containers, as long as no
 * line is refused and no value is new.  Where that happens, the process that finds it writes all that is left.  By the
 * marks that the survey has made, most lines of other ranges are not even read. */
#include "merge.h"

#include "base/stream.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    LEAST_SHARED = 1 << 18, /* bytes of all inputs: fewer are merged before the processes have started */
    MOST_BYTES = 4 << 20,   /* of a range; its output is kept in memory until those before are written */
    MARKS = 64,             /* in a range, at least */
    MARKS_EACH = 16         /* in an input, if it is not a small one among large ones */
};

static uint64_t size_of_all(const merge *m)
{
    uint64_t size = 0;
    for (uint32_t i = 0; i < m->input_count; i++)
        size += m->inputs[i].copy.lines >= 0 ? m->inputs[i].copy.size : m->inputs[i].size;
    return size;
}

/* ---- marks */

void merge_begin_share(merge *m, uint64_t processes)
{
    merge_share *share = &m->share;
    uint64_t size = size_of_all(m);
    share->is_possible = processes > 1 && size >= LEAST_SHARED && !m->aligns && !m->shows_stats;
    if (!share->is_possible)
        return;
    for (uint32_t i = 0; i < m->input_count; i++)
        share->is_possible &= !m->inputs[i].path; /* it may be open once only */
    share->most = size / processes / 8 + 1;
    share->most = share->most < MOST_BYTES ? share->most : MOST_BYTES;
    share->distance = size / m->input_count / MARKS_EACH;
    share->distance = 1 + (share->distance < share->most / MARKS ? share->distance : share->most / MARKS);
}

uint64_t merge_offset_of(const merge_input *input, const char *byte)
{
    const paje_source *source = input->run.source;
    return source->consumed - (uint64_t)(source->bytes + source->size - byte);
}

void merge_skip_to_mark(merge_input *input)
{
    merge *m = input->merge;
    paje_source *source = input->run.source;
    const merge_mark *marks = input->marks.items;
    if (!m->share.processes)
        return;
    uint64_t offset = merge_offset_of(input, source->bytes + source->at);
    while (input->next_mark < input->marks.count && marks[input->next_mark].offset <= offset)
        input->next_mark++;
    size_t next = input->next_mark;
    while (next < input->marks.count && marks[next].is_direct && marks[next].reached < m->share.from)
        next++;
    if (next == input->next_mark)
        return;
    const merge_mark *mark = &marks[next - 1];
    if (mark->offset <= source->consumed) {
        source->at += (size_t)(mark->offset - offset);
    } else {
        m->read += mark->offset - source->consumed;
        source->at = source->size = 0;
        source->consumed = mark->offset;
        if (input->copy.lines < 0 && source->file >= 0 && lseek(source->file, (off_t)mark->offset, SEEK_SET) < 0)
            stream_fail("%s: %s", source->name, strerror(errno));
    }
    input->direct.lines = mark->line - pajesim_line_number(&input->run.sim);
    input->unkept = merge_max(input->unkept, mark->reached);
}

/* ---- ranges */

static int compare_marks(const void *one, const void *other)
{
    const merge_mark *a = one, *b = other;
    return a->reached < b->reached ? -1 : a->reached > b->reached;
}

size_t merge_cut(merge *m)
{
    merge_share *share = &m->share;
    int pays = share->is_possible && share->direct > size_of_all(m) / 4 * 3;
    share->is_possible = 0;
    if (!pays)
        return 1;
    array_of(merge_mark) all = {0};
    for (uint32_t i = 0; i < m->input_count; i++)
        for (size_t k = 0; k < m->inputs[i].marks.count; k++)
            *array_push(&all) = m->inputs[i].marks.items[k];
    if (all.count)
        qsort(all.items, all.count, sizeof *all.items, compare_marks);
    for (size_t i = 0, last = 0; i < all.count; i++) {
        double time = all.items[i].reached;
        if ((i - last) * share->distance < share->most || !(time > all.items[last].reached))
            continue;
        *array_push(&share->cuts) = time;
        last = i;
    }
    array_free(&all);
    return share->cuts.count + 1;
}

static void set_range(merge *m, size_t range)
{
    merge_share *share = &m->share;
    share->range = range;
    share->from = range > 0 ? share->cuts.items[range - 1] : -INFINITY;
    share->to = range < share->cuts.count ? share->cuts.items[range] : INFINITY;
}

/* Writes the range when it is its turn; ends the process if others have written all. */
static void write_range(merge *m, int is_last)
{
    paje_turn *turn = &m->share.turn;
    paje_wait_for_turn(turn, m->share.range);
    int is_over = turn->is_over;
    if (!is_over)
        stream_flush();
    turn->is_over |= is_last;
    paje_pass_turn(turn);
    if (is_over)
        _exit(EXIT_OK);
}

static void end_range(merge *m)
{
    size_t next = m->share.range + m->share.processes;
    write_range(m, 0);
    if (next > m->share.cuts.count)
        _exit(EXIT_OK);
    set_range(m, next);
}

void merge_begin_line(merge *m, double time)
{
    merge_share *share = &m->share;
    if (!share->processes)
        return;
    while (share->range < share->cuts.count && time >= share->to)
        end_range(m);
    share->is_outside = time < share->from;
}

void merge_go_on_alone(merge *m)
{
    if (!m->share.processes)
        return;
    write_range(m, 1);
    stream_output_limit = m->share.usual_limit;
    m->share.processes = 0;
}

void merge_end_ranges(merge *m)
{
    while (m->share.processes && m->share.range < m->share.cuts.count)
        end_range(m);
    m->share.is_outside = 0;
    merge_go_on_alone(m);
}

void merge_enter_share(merge *m, paje_turn turn, size_t own, size_t processes)
{
    m->share.turn = turn;
    m->share.processes = processes;
    m->share.usual_limit = stream_output_limit;
    stream_output_limit = SIZE_MAX;
    set_range(m, own);
}

void merge_free_share(merge *m)
{
    array_free(&m->share.cuts);
}
