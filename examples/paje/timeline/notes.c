/* Notes below a picture: what of the trace is not drawn as it is. */
#include "base/stream.h"
#include "base/unit.h"
#include "timeline/timeline.h"

/* Below this share of the drawn range a bin is too narrow to be seen. */
#define INVISIBLE 1e-6

static void note_bins(text_buffer *notes, const timeline *tl)
{
    if (tl->bin > 0) {
        text_puts(notes, "What is shorter than ");
        text_put_duration(notes, tl->bin * tl->seconds, 3);
        text_puts(notes, " is summed up in bins of that width.\n");
        if (tl->is_flat)
            text_puts(notes, "All states are summed up, the innermost ones only, as there are too many rows.\n");
    }
    if (tl->link_bin > INVISIBLE * (tl->last - tl->first)) {
        text_puts(notes, "Links between the same rows are drawn as one if both of their ends lie within the same ");
        text_put_duration(notes, tl->link_bin * tl->seconds, 3);
        text_puts(notes, ".\n");
    } else if (tl->link_bin > 0) {
        text_puts(notes, "Links between the same rows at the same times are drawn as one.\n");
    }
}

static void note_left_out(text_buffer *notes, const timeline *tl)
{
    const struct {
        uint64_t count;
        const char *text;
    } left_out[] = {
        {tl->flat_variables, "variables that are 0 throughout"},
        {tl->empty_containers, "containers with nothing to show"},
        {tl->empty_links, "links between such containers, that take no time"},
        {tl->outer_links, "links with an end on a container that is not drawn"},
        {tl->lines, "lines of the network, which paje platform draws"},
        {tl->deep_states, "states nested more than 8 deep"},
        {tl->dropped_types, "types beyond the first 128"},
        {tl->far_times, "entities at times beyond 1e150"},
    };
    int is_first = 1;
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (!left_out[i].count)
            continue;
        text_printf(notes, "%s%s (%llu)", is_first ? "Left out: " : "; ", left_out[i].text,
                    (unsigned long long)left_out[i].count);
        is_first = 0;
    }
    if (!is_first)
        text_puts(notes, ".\n");
}

/* Says what the unit of the axis was guessed from, where it may be wrong. */
static void note_unit(text_buffer *notes, const timeline *tl)
{
    const double long_run = 3 * 86400;
    if (tl->is_unit_given)
        return;
    if (tl->unit.reason && tl->unit.unit->seconds < 1)
        text_printf(notes, "The times of the trace are taken for %s, %s; --unit says otherwise.\n", tl->unit.unit->name,
                    tl->unit.reason);
    else if (!tl->unit.reason && tl->last - tl->first > long_run)
        text_puts(notes, "The times of the trace are taken for seconds; --unit ms, us or ns says otherwise.\n");
}

static int compare_numbers(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Whether the trace gives two values of a type of states one colour. */
static int has_equal_colors(const timeline *tl)
{
    uint64_t *colors = memory_alloc(tl->values.count, sizeof *colors);
    size_t count = 0;
    int found = 0;
    for (uint32_t i = 1; i < tl->values.count; i++) {
        const timeline_value *value = value_at(tl, i);
        if (value->weight > 0 && value->has_trace_color && type_at(tl, value->type)->kind == PAJESIM_STATE)
            colors[count++] = (uint64_t)value->type << 32 | value->color;
    }
    qsort(colors, count, sizeof *colors, compare_numbers);
    for (size_t i = 1; i < count && !found; i++)
        found = colors[i] == colors[i - 1];
    free(colors);
    return found;
}

void timeline_suggest(const timeline *tl, const paje_run *run)
{
    if (timeline_is_platform(tl))
        stream_message("%s: nothing happens in it; `paje platform` draws its containers and their network",
                       run->source->name);
}

void timeline_put_notes(text_buffer *notes, const timeline *tl)
{
    if (timeline_is_platform(tl))
        text_puts(notes, "Nothing happens in this trace: paje platform draws its containers and their network.\n");
    note_unit(notes, tl);
    if (tl->most_members > 1)
        text_printf(notes, "%llu containers: up to %lu of them share a row.\n", (unsigned long long)tl->containers,
                    (unsigned long)tl->most_members);
    note_bins(notes, tl);
    if (tl->has_more_fields)
        text_printf(notes, "Tooltips have the user fields of %lu of the entities; there was no room for all.\n",
                    (unsigned long)tl->field_ends.count);
    if (tl->has_more_values)
        text_printf(notes, "Values beyond the first %d are drawn as one.\n", TIMELINE_VALUES);
    if (has_equal_colors(tl))
        text_puts(notes, "Some states have the same colour in the trace; --colors own tells them apart.\n");
    if (tl->dropped)
        text_puts(notes,
                  "Left out, as there are too many rows: events and variables; --type draws those of one type.\n");
    if (tl->link_stride > 1)
        text_printf(notes, "One link in %lu is drawn.\n", (unsigned long)tl->link_stride);
    if (tl->deep_containers)
        text_printf(notes, "Containers more than %d levels deep are drawn as parts of their ancestors.\n",
                    TIMELINE_LEVELS);
    note_left_out(notes, tl);
}
