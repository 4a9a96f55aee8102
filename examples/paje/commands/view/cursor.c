/* The cursor of the viewer, and what is below it: in one line, and in detail. */
#include "view.h"

#include <math.h>

enum { MOST_SHARES = 4 /* values of a column that are listed */ };

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

static void add_span(text_buffer *line, const view_area *area, const view_span *span)
{
    view_add_time(line, area, span->start);
    if (!(span->end > span->start) && !span->is_open)
        return;
    text_puts(line, " - ");
    if (span->is_open)
        text_puts(line, "...");
    else
        view_add_time(line, area, span->end);
    text_puts(line, " (");
    view_add_duration(line, area, span->end - span->start);
    text_printf(line, span->is_exact ? ")" : ", summed up)");
}

static void add_name(text_buffer *line, pajesim_text name)
{
    text_append(line, name.size > 0 ? name : (pajesim_text){"\"\"", 2});
}

/* Appends the values of most time in the cursor's column. */
static void add_shares(text_buffer *line, const view_area *area, uint32_t node, const view_band *band)
{
    view_tree *tree = area->tree;
    view_column column = {.count = 0};
    double start = area->start + cursor_column(area) * area->width;
    view_add_columns(area->store, node, band, VIEW_INNERMOST, start, area->width, 1, &column);
    for (int i = 0; i < MOST_SHARES && view_main_value(&column) != MAP_NONE; i++) {
        size_t value = view_main_value(&column);
        for (size_t j = 0; j < column.shares.count; j++)
            if (column.shares.items[j].value == value) {
                text_printf(line, i ? ", " : "");
                add_name(line, tree->values.items[value].name);
                if (band->kind == PAJESIM_STATE)
                    text_printf(line, " %.3g %%", 100 * column.shares.items[j].time / area->width);
                else if (column.shares.items[j].time > 1)
                    text_printf(line, " (%.0f)", column.shares.items[j].time);
                column.shares.items[j].time = 0;
            }
    }
    if (column.shares.count == 0)
        text_puts(line, "-");
    view_free_columns(&column, 1);
}

/* Appends "inner < outer < outermost  from - to (duration)"; or the number of a variable; or shares of a column.
 * "..." stands for states that are nested deeper than the store tells apart, whether there are any or not. */
static void add_band(text_buffer *line, const view_area *area, uint32_t node, const view_band *band)
{
    view_tree *tree = area->tree;
    view_span span, inner = {0};
    int found = 0;
    if (band->kind == PAJESIM_EVENT || (band->kind == PAJESIM_STATE && area->store->bin > 0)) {
        add_shares(line, area, node, band);
        return;
    }
    if (band->kind == PAJESIM_STATE) {
        for (uint32_t depth = band->depth + 1; depth-- > 0;)
            if (depth < LANE_DEPTHS && view_span_at(area->store, node, band, depth, area->state->time, &span)) {
                text_printf(line, found ? " < " : depth < band->depth && depth + 1 == LANE_DEPTHS ? "... < " : "");
                add_name(line, tree->values.items[span.value].name);
                inner = found ? inner : span;
                found = 1;
            }
    } else {
        found = view_span_at(area->store, node, band, 0, area->state->time, &inner);
        if (found)
            text_printf(line, "%.10g", inner.number);
    }
    if (!found) {
        text_puts(line, "-");
        return;
    }
    text_puts(line, "  ");
    add_span(line, area, &inner);
}

static void add_band_name(text_buffer *line, const view_tree *tree, const view_band *band)
{
    text_append(line, view_band_name(tree, band));
    text_puts(line, ": ");
}

void view_draw_place(const view_area *area, int row)
{
    view_tree *tree = area->tree;
    text_buffer line = {0};
    const view_row *it = &area->state->rows.items[area->state->at];
    const view_style bold = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_REVERSE};
    view_add_time(&line, area, area->state->time);
    text_puts(&line, "  ");
    view_add_path(tree, &line, it->node);
    for (int i = 0; i < area->screen->columns; i++)
        view_put_glyph(area->screen, row, i, ' ', bold);
    if (it->band) {
        text_puts(&line, "  ");
        add_band_name(&line, tree, it->band);
        add_band(&line, area, it->node, it->band);
    }
    view_put(area->screen, row, 0, area->screen->columns, text_view(&line), bold);
    text_free(&line);
}

static void put_line(const view_area *area, int *row, int end, text_buffer *line)
{
    if (*row < end)
        view_put(area->screen, (*row)++, 0, area->screen->columns, text_view(line), view_plain);
    text_clear(line);
}

static void draw_links(const view_area *area, int *row, int end, uint32_t node)
{
    view_tree *tree = area->tree;
    text_buffer line = {0};
    double from = area->start + cursor_column(area) * area->width, to = from + area->width;
    for (size_t i = 0; i < area->store->link_count && *row < end; i++) {
        const view_link *link = &area->store->links[i];
        double first = fmin(link->start, link->end), last = fmax(link->start, link->end);
        if ((link->from != node && link->to != node) || last < from || first >= to)
            continue;
        view_span span = {.start = link->start, .end = link->end, .is_exact = 1};
        text_append(&line, tree->types.items[link->type].name);
        text_puts(&line, ": ");
        add_name(&line, tree->values.items[link->value].name);
        text_puts(&line, link->from == node ? " to " : " from ");
        view_add_path(tree, &line, link->from == node ? link->to : link->from);
        text_puts(&line, "  ");
        add_span(&line, area, &span);
        put_line(area, row, end, &line);
    }
    if (area->store->links_left_out)
        text_printf(&line, "(%llu more links left out; zoom in to see all)",
                    (unsigned long long)area->store->links_left_out);
    put_line(area, row, end, &line);
    text_free(&line);
}

void view_draw_details(const view_area *area, int row, int end)
{
    view_tree *tree = area->tree;
    text_buffer line = {0};
    uint32_t node = area->state->rows.items[area->state->at].node;
    view_span span;
    for (const view_band *band = view_bands_of(tree, node); band; band = band->next) {
        if (band->kind != PAJESIM_STATE || area->store->bin > 0) {
            add_band_name(&line, tree, band);
            add_band(&line, area, node, band);
            put_line(area, &row, end, &line);
            continue;
        }
        for (uint32_t depth = 0; depth <= band->depth && depth < LANE_DEPTHS; depth++)
            if (view_span_at(area->store, node, band, depth, area->state->time, &span)) {
                text_append(&line, tree->types.items[band->type].name);
                text_printf(&line, " %u: ", depth);
                add_name(&line, tree->values.items[span.value].name);
                text_puts(&line, "  ");
                add_span(&line, area, &span);
                put_line(area, &row, end, &line);
            }
        if (band->depth >= LANE_DEPTHS) {
            text_append(&line, tree->types.items[band->type].name);
            text_printf(&line, " %d and deeper: not kept one by one; the row shows the innermost", LANE_DEPTHS);
            put_line(area, &row, end, &line);
        }
    }
    draw_links(area, &row, end, node);
    text_free(&line);
}
