/* The cursor of the viewer, and what it is on: in one line, and in detail. */
#include "view.h"

#include <math.h>

enum { MOST_SHARES = 4 /* of a column, that are told */ };

static void highlight(const view_area *area, int row, int column)
{
    view_cell *cell = view_cell_at(area->screen, row, column);
    if (cell)
        cell->style.flags ^= VIEW_REVERSE;
}

static double cursor_column(const view_area *area)
{
    double column = floor((area->state->time - area->start) / area->width + 1e-9);
    return area->state->time <= area->state->end ? fmin(column, area->columns - 1) : column;
}

void view_draw_cursor(const view_area *area, int rows)
{
    const view_state *state = area->state;
    double column = cursor_column(area);
    int row = 1 + (int)(state->at - state->top);
    if (column >= 0 && column < area->columns) {
        highlight(area, 0, area->left + (int)column);
        if (row <= rows)
            highlight(area, row, area->left + (int)column);
    }
    for (int i = 0; i < area->left - 1 && row <= rows; i++)
        highlight(area, row, i);
}

static void add_span(paje_buffer *line, const view_area *area, const view_span *span)
{
    view_add_time(line, area, span->start);
    if (!(span->end > span->start) && !span->is_open)
        return;
    paje_addf(line, " - ");
    if (span->is_open)
        paje_addf(line, "...");
    else
        view_add_time(line, area, span->end);
    paje_addf(line, " (");
    view_add_duration(line, span->end - span->start);
    paje_addf(line, span->is_exact ? ")" : ", summed up)");
}

static void add_name(paje_buffer *line, pajesim_text name)
{
    paje_add_text(line, name.size > 0 ? name : (pajesim_text){"\"\"", 2});
}

/* What has most of the cursor's column. */
static void add_shares(paje_buffer *line, const view_area *area, uint32_t node, const view_band *band)
{
    view_column column = {.count = 0};
    double start = area->start + cursor_column(area) * area->width;
    view_add_columns(area->store, node, band, VIEW_INNERMOST, start, area->width, 1, &column);
    for (int i = 0; i < MOST_SHARES && view_main_value(&column) != PAJE_NONE; i++) {
        size_t value = view_main_value(&column);
        for (int j = 0; j < column.values; j++)
            if (column.shares[j].value == value) {
                paje_addf(line, i ? ", " : "");
                add_name(line, view_all.values[value].name);
                if (band->kind == PAJESIM_STATE)
                    paje_addf(line, " %.3g %%", 100 * column.shares[j].time / area->width);
                else if (column.shares[j].time > 1)
                    paje_addf(line, " (%.0f)", column.shares[j].time);
                column.shares[j].time = 0;
            }
    }
    if (column.values == 0)
        paje_addf(line, "-");
}

/* "inner < outer < outermost  from - to (duration)"; or the number of a variable; or shares of a column. */
static void add_band(paje_buffer *line, const view_area *area, uint32_t node, const view_band *band)
{
    view_span span, inner = {0};
    int found = 0;
    if (band->kind == PAJESIM_EVENT || (band->kind == PAJESIM_STATE && area->store->bin > 0)) {
        add_shares(line, area, node, band);
        return;
    }
    if (band->kind == PAJESIM_STATE) {
        for (uint32_t depth = band->depth + 1; depth-- > 0;)
            if (depth < DIAGRAM_DEPTHS && view_span_at(area->store, node, band, depth, area->state->time, &span)) {
                paje_addf(line, found ? " < " : "");
                add_name(line, view_all.values[span.value].name);
                inner = found ? inner : span;
                found = 1;
            }
    } else {
        found = view_span_at(area->store, node, band, 0, area->state->time, &inner);
        if (found)
            paje_addf(line, "%.10g", inner.number);
    }
    if (!found) {
        paje_addf(line, "-");
        return;
    }
    paje_addf(line, "  ");
    add_span(line, area, &inner);
}

void view_draw_place(const view_area *area, int row)
{
    static paje_buffer line;
    const view_row *it = &area->state->rows[area->state->at];
    const view_style bold = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_REVERSE};
    line.size = 0;
    view_add_time(&line, area, area->state->time);
    paje_addf(&line, "  ");
    view_add_path(&line, it->node);
    for (int i = 0; i < area->screen->columns; i++)
        view_put_glyph(area->screen, row, i, ' ', bold);
    if (it->band) {
        paje_addf(&line, "  ");
        if (it->band->type)
            paje_add_text(&line, view_all.types[it->band->type].name);
        else
            paje_addf(&line, "events");
        paje_addf(&line, ": ");
        add_band(&line, area, it->node, it->band);
    }
    view_put(area->screen, row, 0, area->screen->columns, paje_text(&line), bold);
}

static void put_line(const view_area *area, int *row, int end, paje_buffer *line)
{
    if (*row < end)
        view_put(area->screen, (*row)++, 0, area->screen->columns, paje_text(line), view_plain);
    line->size = 0;
}

static void draw_links(const view_area *area, int *row, int end, uint32_t node)
{
    static paje_buffer line;
    double from = area->start + cursor_column(area) * area->width, to = from + area->width;
    for (size_t i = 0; i < area->store->link_count && *row < end; i++) {
        const view_link *link = &area->store->links[i];
        double first = fmin(link->start, link->end), last = fmax(link->start, link->end);
        if ((link->from != node && link->to != node) || last < from || first >= to)
            continue;
        view_span span = {.start = link->start, .end = link->end, .is_exact = 1};
        paje_add_text(&line, view_all.types[link->type].name);
        paje_addf(&line, ": ");
        add_name(&line, view_all.values[link->value].name);
        paje_addf(&line, link->from == node ? " to " : " from ");
        view_add_path(&line, link->from == node ? link->to : link->from);
        paje_addf(&line, "  ");
        add_span(&line, area, &span);
        put_line(area, row, end, &line);
    }
    if (area->store->links_left_out)
        paje_addf(&line, "(%llu more links were left out; closer up there are all)",
                  (unsigned long long)area->store->links_left_out);
    put_line(area, row, end, &line);
}

/* All that the cursor's container has there: each state on its stacks, variables, events, links. */
void view_draw_details(const view_area *area, int row, int end)
{
    static paje_buffer line;
    uint32_t node = area->state->rows[area->state->at].node;
    view_span span;
    for (const view_band *band = view_bands_of(node); band; band = band->next) {
        if (band->kind != PAJESIM_STATE || area->store->bin > 0) {
            if (band->type)
                paje_add_text(&line, view_all.types[band->type].name);
            else
                paje_addf(&line, "events");
            paje_addf(&line, ": ");
            add_band(&line, area, node, band);
            put_line(area, &row, end, &line);
            continue;
        }
        for (uint32_t depth = 0; depth <= band->depth && depth < DIAGRAM_DEPTHS; depth++)
            if (view_span_at(area->store, node, band, depth, area->state->time, &span)) {
                paje_add_text(&line, view_all.types[band->type].name);
                paje_addf(&line, " %u: ", depth);
                add_name(&line, view_all.values[span.value].name);
                paje_addf(&line, "  ");
                add_span(&line, area, &span);
                put_line(area, &row, end, &line);
            }
    }
    draw_links(area, &row, end, node);
}
