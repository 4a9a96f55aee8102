/* The screen of the viewer: an axis of time, a row for each band of each container, and what the cursor is on. */
#include "view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_LABEL = 8, MOST_LABEL = 48, DETAIL_ROWS = 10, FIXED_ROWS = 3 /* axis, cursor, status */ };
enum { STEPS = 8 /* of a bar */, MOST_SHARES = 4 /* of a column, that are told */, MANY_BYTES = 100000000 };

/* Glyphs, and what stands for them in ASCII. */
typedef struct glyph {
    uint32_t unicode, ascii;
} glyph;

static const glyph opened = {0x25be, '-'}, closed = {0x25b8, '+'}, idle = {0xb7, '.'}, tick = {0x2575, '|'},
                   half = {0x258c, ' '}, edge = {0x258f, '|'}, mark = {0x25cf, '*'};

static uint32_t glyph_of(const view_screen *screen, glyph it)
{
    return screen->unicode ? it.unicode : it.ascii;
}

/* ---- rows */

static void add_row(view_state *state, uint32_t node, view_band *band, int depth, int is_head)
{
    if (state->row_count == state->row_room) {
        state->row_room += state->row_room / 2 + 64;
        state->rows = paje_room(state->rows, state->row_room * sizeof *state->rows);
    }
    state->rows[state->row_count++] = (view_row){node, band, depth, is_head};
}

/* A container's line shows its first states; what else it has comes below. */
static void add_rows(view_state *state, uint32_t node)
{
    view_band *band = view_bands_of(node);
    int is_head = 1;
    if (!band || band->kind != PAJESIM_STATE) {
        add_row(state, node, NULL, VIEW_INNERMOST, 1);
        is_head = 0;
    }
    for (; band; band = band->next) {
        int depths = state->shows_depths && band->kind == PAJESIM_STATE ? (int)band->depth + 1 : 1;
        for (int depth = 0; depth < depths && depth < DIAGRAM_DEPTHS; depth++) {
            add_row(state, node, band, depths > 1 ? depth : VIEW_INNERMOST, is_head);
            is_head = 0;
        }
        if (is_head == 0 && !view_all.nodes[node].is_open && view_all.nodes[node].first)
            break; /* closed: one line */
    }
}

/* Where a row is now; that of its container, or of the nearest that is shown, if it is gone. */
static size_t place_of(const view_state *state, view_row row)
{
    size_t of_node = PAJE_NONE;
    for (uint32_t up = row.node; up; up = view_all.nodes[up].parent)
        if (up != row.node && !view_all.nodes[up].is_open) /* hidden */
            row = (view_row){up, NULL, 0, 1};
    for (size_t i = 0; i < state->row_count; i++)
        if (state->rows[i].node == row.node) {
            if (state->rows[i].band == row.band && state->rows[i].depth == row.depth)
                return i;
            of_node = of_node == PAJE_NONE ? i : of_node;
        }
    return of_node == PAJE_NONE ? 0 : of_node;
}

void view_find_rows(view_state *state)
{
    view_row at = {0, NULL, VIEW_INNERMOST, 1}, top = at;
    if (state->row_count > 0) {
        at = state->rows[state->at];
        top = state->rows[state->top];
    }
    size_t shown = state->at - state->top;
    int is_new = state->row_count == 0;
    state->row_count = 0;
    for (uint32_t node = view_all.nodes[0].bands ? 0 : view_next_node(0, 0); node || state->row_count == 0;
         node = view_next_node(node, 0)) {
        add_rows(state, node);
        if (view_next_node(node, 0) == 0)
            break;
    }
    state->at = is_new ? 0 : place_of(state, at);
    state->top = is_new ? 0 : place_of(state, top);
    if (state->top > state->at)
        state->top = state->at > shown ? state->at - shown : 0;
}

/* ---- the layout */

static int label_columns(const view_state *state, const view_screen *screen)
{
    int most = LEAST_LABEL, limit = screen->columns / 3 < MOST_LABEL ? screen->columns / 3 : MOST_LABEL;
    size_t rows = (size_t)view_body_rows(state, screen);
    for (size_t i = state->top; i < state->row_count && i < state->top + rows && most < limit; i++) {
        const view_row *row = &state->rows[i];
        const view_node *node = &view_all.nodes[row->node];
        pajesim_text name = row->is_head || !row->band ? node->name : view_all.types[row->band->type].name;
        int width = 2 * (int)node->level + 2 + view_width(screen, name) + (row->depth > 0 ? 2 : 0);
        most = width > most ? width : most;
    }
    return most < limit ? most : limit;
}

int view_time_columns(const view_state *state, const view_screen *screen)
{
    int columns = screen->columns - label_columns(state, screen) - 1;
    return columns > 1 ? columns : 1;
}

static int detail_rows(const view_state *state, const view_screen *screen)
{
    int most = screen->rows / 2 < DETAIL_ROWS ? screen->rows / 2 : DETAIL_ROWS;
    return state->shows_details ? most : 0;
}

int view_body_rows(const view_state *state, const view_screen *screen)
{
    int rows = screen->rows - (state->is_once ? 1 : FIXED_ROWS + detail_rows(state, screen));
    return rows > 1 ? rows : 1;
}

/* Where on the screen time is drawn, and which. */
typedef struct view_area {
    view_screen *screen;
    const view_state *state;
    const view_store *store;
    int left, columns; /* of cells */
    double start, width; /* of a cell */
} view_area;

/* ---- times as text */

static int decimals_for(double step)
{
    return (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), 15);
}

/* With as many decimals as columns tell apart, and one more. */
static void add_time(paje_buffer *buffer, const view_area *area, double time)
{
    diagram_unit unit = diagram_unit_of(area->state->end - area->state->start);
    paje_addf(buffer, "%.*f %s", decimals_for(area->width / unit.size / 10), time / unit.size, unit.name);
}

static void add_duration(paje_buffer *buffer, double duration)
{
    diagram_unit unit = diagram_unit_of(fabs(duration));
    paje_addf(buffer, "%.4g %s", duration / unit.size, unit.name);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void draw_axis(const view_area *area)
{
    static paje_buffer label;
    const view_style style = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
    diagram_unit unit = diagram_unit_of(area->state->end - area->state->start);
    double width = area->width / unit.size, start = area->start / unit.size;
    double step = round_step(14 * width), least = fmax(fabs(start), fabs(start + width * area->columns)) / step;
    if (least > 1e8)
        step = round_step(26 * width); /* long labels */
    int end = 0;
    for (double i = ceil(start / step - 1e-6); (i * step - start) / width < area->columns; i++) {
        int column = (int)((i * step - start) / width + 1e-6);
        label.size = 0;
        paje_addf(&label, "%.*f %s", decimals_for(step), fabs(i) > 0 ? i * step : 0, unit.name);
        if (column < end || column + (int)label.size + 1 > area->columns || !(step * (i + 1) > step * i))
            continue;
        view_put_glyph(area->screen, 0, area->left + column, glyph_of(area->screen, tick), style);
        end = column + 2 + view_put(area->screen, 0, area->left + column + 1, area->columns - column - 1,
                                    paje_text(&label), view_plain);
    }
}

/* ---- what a row shows */

static view_column *columns_of(int count)
{
    static view_column *columns;
    static int room;
    if (count > room) {
        room = count;
        columns = paje_room(columns, (size_t)room * sizeof *columns);
    }
    memset(columns, 0, (size_t)count * sizeof *columns);
    return columns;
}

static int has_colors(const view_area *area)
{
    return area->screen->colors >= VIEW_8_COLORS;
}

/* Two columns to a cell, of which each has its colour where there is a glyph for that. */
static void draw_states(const view_area *area, int row, const view_column *columns)
{
    int run = 0, named = -1; /* where a run of cells of one value began */
    for (int i = 0; i < area->columns; i++) {
        size_t left = view_main_value(&columns[2 * i]), right = view_main_value(&columns[2 * i + 1]);
        size_t value = left == PAJE_NONE ? right : left;
        int place = area->left + i;
        if (value == PAJE_NONE) {
            named = -1;
            continue;
        }
        const view_value *it = &view_all.values[value];
        if (!has_colors(area)) {
            view_all.values[value].is_shown = 1;
            view_put_glyph(area->screen, row, place, it->letter, view_plain);
        } else if (left == right || !area->screen->unicode) {
            view_style style = {view_ink_on(it->color), it->color, 0};
            view_put_glyph(area->screen, row, place, ' ', style);
        } else {
            view_style style = {left == PAJE_NONE ? VIEW_DEFAULT : view_all.values[left].color,
                                right == PAJE_NONE ? VIEW_DEFAULT : view_all.values[right].color, 0};
            if (left == PAJE_NONE)
                style = (view_style){style.paper, VIEW_DEFAULT, 0};
            view_put_glyph(area->screen, row, place, left == PAJE_NONE ? 0x2590 : glyph_of(area->screen, half), style);
        }
        int begins = columns[2 * i].count + columns[2 * i + 1].count > 0;
        if (left != right) {
            named = -1;
            continue;
        }
        if (named != (int)value || begins) { /* one more of the same value, or another one */
            if (named == (int)value && run < i - 1 && has_colors(area))
                view_put_glyph(area->screen, row, place, glyph_of(area->screen, edge),
                               (view_style){view_ink_on(it->color), it->color, 0});
            named = (int)value;
            run = i;
        }
    }
}

/* The names of states, each in cells of one value where it fits. */
static void name_states(const view_area *area, int row, const view_column *columns)
{
    for (int i = 0, next; i < area->columns; i = next) {
        size_t value = view_main_value(&columns[2 * i]);
        next = i + 1;
        if (value == PAJE_NONE || view_main_value(&columns[2 * i + 1]) != value)
            continue;
        while (next < area->columns && view_main_value(&columns[2 * next]) == value &&
               view_main_value(&columns[2 * next + 1]) == value &&
               columns[2 * next].count + columns[2 * next + 1].count == 0)
            next++;
        const view_value *it = &view_all.values[value];
        int width = view_width(area->screen, it->name);
        view_style style = {view_ink_on(it->color), it->color, 0};
        if (has_colors(area) && width + 1 < next - i && width > 0)
            view_put(area->screen, row, area->left + i + 1, next - i - 1, it->name, style);
        if (!has_colors(area) && width + 2 < next - i && width > 0) { /* between blanks */
            view_put_glyph(area->screen, row, area->left + i + 1, ' ', view_plain);
            width = view_put(area->screen, row, area->left + i + 2, next - i - 2, it->name, view_plain);
            if (i + 2 + width < next)
                view_put_glyph(area->screen, row, area->left + i + 2 + width, ' ', view_plain);
        }
    }
}

static void draw_variable(const view_area *area, int row, const view_band *band, const view_column *columns)
{
    static const uint32_t ascii[STEPS] = {'_', '.', ',', '-', '=', '+', '*', '#'};
    const view_type *type = &view_all.types[band->type];
    view_style style = {type->color, VIEW_DEFAULT, 0};
    for (int i = 0; i < area->columns; i++) {
        const view_column *column = &columns[i];
        if (column->values == 0)
            continue;
        double mean = column->time > 0 ? column->sum / column->time : column->most;
        double part = type->most > type->least ? (mean - type->least) / (type->most - type->least) : 0;
        int step = (int)fmin(fmax(part * STEPS, 0), STEPS - 1);
        view_put_glyph(area->screen, row, area->left + i, area->screen->unicode ? 0x2581 + (uint32_t)step : ascii[step],
                       style);
    }
}

static void draw_events(const view_area *area, int row, const view_column *columns)
{
    for (int i = 0, next; i < area->columns; i = next) {
        size_t value = view_main_value(&columns[i]);
        next = i + 1;
        if (value == PAJE_NONE)
            continue;
        const view_value *it = &view_all.values[value];
        view_style style = {it->color, VIEW_DEFAULT, VIEW_BOLD}, dim = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
        uint64_t count = columns[i].count;
        view_put_glyph(area->screen, row, area->left + i,
                       count < 2 ? glyph_of(area->screen, mark) : count < 10 ? '0' + (uint32_t)count : '+', style);
        while (next < area->columns && view_main_value(&columns[next]) == PAJE_NONE)
            next++;
        if (next - i > 1 + view_width(area->screen, it->name) && count == 1)
            view_put(area->screen, row, area->left + i + 1, next - i - 1, it->name, dim);
    }
}

/* The first band of states of what is in a closed container. */
static const view_band *states_below(uint32_t node)
{
    uint32_t level = view_all.nodes[node].level;
    for (uint32_t it = view_next_node(node, 1); it && view_all.nodes[it].level > level; it = view_next_node(it, 1))
        if (view_bands_of(it) && view_bands_of(it)->kind == PAJESIM_STATE)
            return view_bands_of(it);
    return NULL;
}

/* A closed container without states shows those of all that is in it. */
static void add_all_below(const view_area *area, uint32_t node, view_column *columns)
{
    const view_band *first = states_below(node);
    uint32_t level = view_all.nodes[node].level;
    for (uint32_t it = node; first && (it = view_next_node(it, 1)) && view_all.nodes[it].level > level;)
        for (const view_band *band = view_all.nodes[it].bands; band; band = band->next)
            if (band->kind == PAJESIM_STATE && band->type == first->type)
                view_add_columns(area->store, it, band, VIEW_INNERMOST, area->start, area->width / 2, 2 * area->columns,
                                 columns);
}

static void draw_lifetime(const view_area *area, int row, uint32_t node)
{
    const view_node *it = &view_all.nodes[node];
    const view_style dim = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
    for (int i = 0; i < area->columns; i++)
        if (area->start + (i + 1) * area->width > it->start && area->start + i * area->width < it->end &&
            area->start + i * area->width <= view_last_time(&area->state->input))
            view_put_glyph(area->screen, row, area->left + i, glyph_of(area->screen, idle), dim);
}

static void draw_row(const view_area *area, int row, const view_row *it)
{
    const view_node *node = &view_all.nodes[it->node];
    const view_band *band = it->band;
    int is_closed = !node->is_open && node->first, doubled = !band || band->kind == PAJESIM_STATE;
    int count = doubled ? 2 * area->columns : area->columns;
    view_column *columns = columns_of(count);
    if (doubled && (it->depth <= 0))
        draw_lifetime(area, row, it->node);
    int depth = area->store->bin > 0 ? VIEW_INNERMOST : it->depth;
    if (area->store->bin > 0 && it->depth > 0)
        return;
    if (band)
        view_add_columns(area->store, it->node, band, depth, area->start, area->width / (doubled ? 2 : 1), count,
                         columns);
    else if (is_closed)
        add_all_below(area, it->node, columns);
    if (doubled) {
        draw_states(area, row, columns);
        name_states(area, row, columns);
    } else if (band->kind == PAJESIM_VARIABLE) {
        draw_variable(area, row, band, columns);
    } else {
        draw_events(area, row, columns);
    }
}

static void draw_label(const view_area *area, int row, const view_row *it)
{
    const view_node *node = &view_all.nodes[it->node];
    int indent = 2 * (int)(node->level ? node->level - 1 : 0), width = area->left - 1;
    indent = indent < width / 2 ? indent : width / 2;
    view_style style = {VIEW_DEFAULT, VIEW_DEFAULT, it->is_head ? 0 : VIEW_DIM};
    if (it->is_head && node->first)
        view_put_glyph(area->screen, row, indent, glyph_of(area->screen, node->is_open ? opened : closed), style);
    if (it->is_head)
        view_put(area->screen, row, indent + 2, width - indent - 2, node->name, style);
    else if (it->depth > 0)
        view_putf(area->screen, row, indent + 4, width - indent - 4, style, "%d", it->depth);
    else if (it->band->type)
        view_put(area->screen, row, indent + 4, width - indent - 4, view_all.types[it->band->type].name, style);
    else
        view_putf(area->screen, row, indent + 4, width - indent - 4, style, "events");
}

/* ---- the cursor, and what it is on */

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

static void draw_cursor(const view_area *area, int rows)
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
    add_time(line, area, span->start);
    if (!(span->end > span->start) && !span->is_open)
        return;
    paje_addf(line, " - ");
    if (span->is_open)
        paje_addf(line, "...");
    else
        add_time(line, area, span->end);
    paje_addf(line, " (");
    add_duration(line, span->end - span->start);
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

static void draw_place(const view_area *area, int row)
{
    static paje_buffer line;
    const view_row *it = &area->state->rows[area->state->at];
    const view_style bold = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_REVERSE};
    line.size = 0;
    add_time(&line, area, area->state->time);
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
static void draw_details(const view_area *area, int row, int end)
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

/* ---- the last line, the help, all of it */

static void add_status(paje_buffer *line, const view_area *area)
{
    const view_state *state = area->state;
    const view_reader *reader = &state->input.readers[VIEW_WHOLE];
    const pajesim_counts *counts = pajesim_count(&reader->run.sim);
    paje_addf(line, "%s  ", state->input.name);
    if (!state->input.at_end && reader->run.source->length)
        paje_addf(line, "reading, %.0f %%  ", 100 * (double)counts->bytes / (double)reader->run.source->length);
    else if (!state->input.at_end)
        paje_addf(line, "reading, %.0f MB  ", 1e-6 * (double)counts->bytes);
    if (state->input.is_cut)
        paje_addf(line, "the file has become shorter: begin anew  ");
    if (counts->errors + reader->run.file_errors)
        paje_addf(line, "%llu errors (see paje validate)  ",
                  (unsigned long long)(counts->errors + reader->run.file_errors));
    if (view_all.left_out)
        paje_addf(line, "%llu containers beyond --memory  ", (unsigned long long)view_all.left_out);
    if (state->input.why)
        paje_addf(line, "its index is not used: %s; paje index makes it anew  ", state->input.why);
    else if (state->input.index == &state->input.own_index && !state->input.at_end &&
             reader->run.source->length > MANY_BYTES)
        paje_addf(line, "paje index would let it begin everywhere at once  ");
    if (area->store->bin > area->width / 2) {
        paje_addf(line, "summed up by ");
        add_duration(line, area->store->bin);
        paje_addf(line, "  ");
    }
    paje_addf(line, "%s%s", state->follows ? "following  " : "", "? for help");
}

static void draw_status(const view_area *area, int row)
{
    static paje_buffer line;
    const view_state *state = area->state;
    line.size = 0;
    if (state->prompt)
        paje_addf(&line, "%s%.*s_", state->prompt, (int)state->answer.size, paje_text(&state->answer).bytes);
    else if (state->message.size > 0)
        paje_add_text(&line, paje_text(&state->message));
    else
        add_status(&line, area);
    view_put(area->screen, row, 0, area->screen->columns, paje_text(&line), view_plain);
}

static void draw_help(const view_state *state, view_screen *screen)
{
    const char *line = state->help;
    for (size_t i = 0; *line; i++) {
        size_t size = strcspn(line, "\n");
        if (i >= state->help_top)
            view_put(screen, (int)(i - state->help_top), 0, screen->columns, (pajesim_text){line, size}, view_plain);
        line += size + (line[size] == '\n');
    }
}

void view_draw(view_state *state, view_screen *screen)
{
    view_clear_screen(screen);
    if (state->help) {
        draw_help(state, screen);
        return;
    }
    int rows = view_body_rows(state, screen), details = detail_rows(state, screen);
    if (state->at < state->top)
        state->top = state->at;
    if (state->at >= state->top + (size_t)rows)
        state->top = state->at - (size_t)rows + 1;
    view_area area = {.screen = screen, .state = state, .columns = view_time_columns(state, screen)};
    area.left = screen->columns - area.columns;
    area.start = state->start;
    area.width = (state->end - state->start) / area.columns;
    area.store = view_best_store(&state->input, state->start, state->end);
    draw_axis(&area);
    for (int i = 0; i < rows && state->top + (size_t)i < state->row_count; i++) {
        draw_label(&area, 1 + i, &state->rows[state->top + (size_t)i]);
        draw_row(&area, 1 + i, &state->rows[state->top + (size_t)i]);
    }
    if (state->is_once)
        return;
    draw_cursor(&area, rows);
    draw_place(&area, 1 + rows);
    draw_details(&area, 2 + rows, 2 + rows + details);
    draw_status(&area, screen->rows - 1);
}

void view_add_legend(paje_buffer *output, int columns)
{
    static paje_buffer entry;
    size_t line = output->size;
    for (size_t i = 0; i < view_all.value_count; i++) {
        const view_value *value = &view_all.values[i];
        if (!value->is_shown)
            continue;
        entry.size = 0;
        paje_addf(&entry, "%c ", (char)value->letter);
        paje_add_printable(&entry, value->name);
        if (output->size > line && output->size - line + entry.size + 2 > (size_t)columns) {
            paje_add(output, "\n", 1);
            line = output->size;
        }
        paje_addf(output, "%s", output->size > line ? "  " : "");
        paje_add_text(output, paje_text(&entry));
    }
    paje_addf(output, "%s", output->size > line ? "\n" : "");
}
