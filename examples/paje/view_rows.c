/* Rows of the viewer: which there are, one for each band of each container that is shown, and what is drawn in each. */
#include "view.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8 /* of a bar */ };

/* ---- which there are */

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

/* ---- what they show */

/* Glyphs, and what stands for them in ASCII. */
typedef struct glyph {
    uint32_t unicode, ascii;
} glyph;

static const glyph opened = {0x25be, '-'}, closed = {0x25b8, '+'}, idle = {0xb7, '.'}, half = {0x258c, ' '},
                   edge = {0x258f, '|'}, mark = {0x25cf, '*'};

static uint32_t glyph_of(const view_screen *screen, glyph it)
{
    return screen->unicode ? it.unicode : it.ascii;
}

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

void view_draw_row(const view_area *area, int row, const view_row *it)
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

void view_draw_label(const view_area *area, int row, const view_row *it)
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
