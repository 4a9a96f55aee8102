/* Lines that do without the reader, which is a third of the work of a merge: states, variables, events and links whose
 * first field is a time in decimals, and that have no quotes.  Each of their bytes is looked at once.  The survey needs
 * but the times of these lines, except for links.  Whatever else a line may be is left to the reader. */
#include "merge.h"

void merge_begin_direct(merge_input *input, int is_possible)
{
    memset(&input->direct, 0, sizeof input->direct);
    input->direct.is_possible = is_possible;
    input->direct.skips = input->merge->pass == MERGE_SURVEY && !input->merge->aligns;
}

void merge_note_direct(merge_input *input, pajesim_text number, const merge_definition *definition)
{
    size_t short_number = merge_short_number(number.bytes, number.size);
    if (short_number < MERGE_SHORT_NUMBERS)
        input->direct.events[short_number] = definition;
}

/* ---- times that the survey skips: of those in order the first and the last one matter */

static void note_time(merge_input *input, double time)
{
    input->least = merge_min(input->least, time);
    input->unkept = merge_max(input->unkept, merge_correct(input->merge, input, time));
}

void merge_settle_times(merge_input *input)
{
    if (input->direct.latest.size)
        note_time(input, merge_read_latest(input, &input->direct.latest));
    input->direct.latest.size = 0;
}

/* Makes a mark at a line, `at`, that may be taken. */
static void mark_line(merge_input *input, const char *at)
{
    merge_share *share = &input->merge->share;
    if (!share->is_possible)
        return;
    uint64_t offset = merge_offset_of(input, at);
    uint64_t before = input->marks.count ? input->marks.items[input->marks.count - 1].offset : 0;
    if (offset - before < share->distance)
        return;
    merge_settle_times(input);
    share->direct += input->is_direct ? offset - before : 0;
    *array_push(&input->marks) = (merge_mark){
        offset, pajesim_line_number(&input->run.sim) + input->direct.lines, input->unkept, input->is_direct};
    input->is_direct = 1;
}

/* ---- lines */

/* A line that may be taken. */
typedef struct candidate {
    const merge_definition *definition;
    int is_next;         /* its time is not before the one before it, and was not converted */
    merge_plain time;    /* otherwise */
    pajesim_text fields; /* from the time to the end of the line */
} candidate;

static int find_candidate(const merge_input *input, const char *bytes, const char *end, candidate *it)
{
    const char *at = NULL;
    size_t number = merge_read_short_number(bytes, end, &at);
    it->definition = number < MERGE_SHORT_NUMBERS ? input->direct.events[number] : NULL;
    if (!it->definition)
        return 0;
    it->is_next = input->direct.skips && !merge_is_surveyed(it->definition->event) &&
                  merge_is_next(&input->direct.latest, at, end);
    if (!it->is_next && !merge_read_plain(at, end, &it->time))
        return 0;
    size_t size = it->is_next ? input->direct.latest.size : it->time.size;
    const char *newline = memchr(at + size, '\n', (size_t)(end - at) - size);
    it->fields = (pajesim_text){at, newline ? (size_t)(newline - at) : 0};
    return newline != NULL;
}

/* Not of one that is next. */
static double time_of(const merge_input *input, const candidate *it)
{
    return merge_read_time(input, (pajesim_text){it->fields.bytes, it->time.size}, merge_plain_number(&it->time));
}

/* Whether a line comes before what this process writes, so that its time is all that matters of it. */
static int is_outside(merge_input *input, const candidate *it)
{
    merge *m = input->merge;
    if (!m->share.processes || !(input->unkept < m->share.from))
        return 0;
    double reached = merge_max(input->unkept, merge_correct(m, input, time_of(input, it)));
    if (!(reached < m->share.from))
        return 0;
    input->unkept = reached;
    return 1;
}

static void skip_time(merge_input *input, const candidate *it)
{
    merge_latest *latest = &input->direct.latest;
    if (it->is_next) {
        merge_go_to_next(latest, it->fields.bytes);
    } else {
        merge_settle_times(input);
        note_time(input, time_of(input, it));
        merge_note_decimal_count(input->merge, it->time.decimals);
        merge_set_latest(latest, it->fields.bytes, it->time.size);
    }
}

/* Returns 0, with nothing changed, if the reader is needed. */
static int take(merge_input *input, const candidate *it)
{
    const merge_definition *definition = it->definition;
    merge_plain number;
    merge_line *line = merge_add_line(input);
    if (merge_add_words(input, line, it->fields, it->time.size, definition->field_count)) {
        pajesim_text value = merge_no_text;
        line->definition = definition;
        line->time = time_of(input, it);
        if (definition->event >= PAJESIM_SET_VARIABLE && definition->event <= PAJESIM_SUB_VARIABLE)
            value = merge_field(input, line, PAJESIM_VALUE);
        if (!value.size || merge_read_plain(value.bytes, value.bytes + value.size, &number))
            return 1;
        input->text.size = line->text;
        input->spans.count = line->spans;
    }
    input->lines.count--;
    return 0;
}

size_t merge_take_lines(merge_input *input, const char *bytes, size_t size, size_t most)
{
    const char *at = bytes, *end = bytes + size;
    candidate line;
    while (at < end && ((size_t)(at - bytes) < most || !input->lines.count) && find_candidate(input, at, end, &line)) {
        mark_line(input, at);
        if (input->direct.skips && !merge_is_surveyed(line.definition->event)) {
            skip_time(input, &line);
        } else if (!is_outside(input, &line)) {
            merge_settle_times(input);
            if (!take(input, &line))
                break;
            merge_reach(input, input->lines.items[input->lines.count - 1].time);
        }
        input->direct.lines++;
        at = line.fields.bytes + line.fields.size + 1;
    }
    return (size_t)(at - bytes);
}

size_t merge_count_others(const merge_input *input, const char *bytes, size_t size)
{
    const char *at = bytes, *end = bytes + size;
    candidate line;
    do {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    } while (at < end && !find_candidate(input, at, end, &line));
    return (size_t)(at - bytes);
}
