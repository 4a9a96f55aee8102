/* Rows of the viewer: one for each band of each shown container, and what is drawn in them. */
#include "view.h"

#include <math.h>
#include <string.h>

enum { STEPS = 8 /* of a bar */ };

/* ---- which there are */

static void add_row(view_state *state, uint32_t node, view_band *band, int depth, int is_head)
{
    *array_push(&state->rows) = (view_row){node, band, depth, is_head};
}

/* Adds the rows of a container: its own line shows its first type of states. */
static void add_rows(view_state *state, uint32_t node)
{
    view_tree *tree = state->input.tree;
    view_band *band = view_bands_of(tree, node);
    int is_head = 1;
    if (!band || band->kind != PAJESIM_STATE) {
        add_row(state, node, NULL, VIEW_INNERMOST, 1);
        is_head = 0;
    }
    for (; band; band = band->next) {
        int depths = state->shows_depths && band->kind == PAJESIM_STATE ? (int)band->depth + 1 : 1;
        for (int depth = 0; depth < depths && depth < LANE_DEPTHS; depth++) {
            add_row(state, node, band, depths > 1 ? depth : VIEW_INNERMOST, is_head);
            is_head = 0;
        }
        if (is_head == 0 && !tree->nodes.items[node].is_open && tree->nodes.items[node].first)
            break; /* closed containers have one line */
    }
}

/* The index of a row now; if it is gone, that of its container, or of the nearest one that is shown. */
static size_t place_of(const view_state *state, view_row row)
{
    view_tree *tree = state->input.tree;
    size_t of_node = MAP_NONE;
    for (uint32_t up = row.node; up; up = tree->nodes.items[up].parent)
        if (up != row.node && !tree->nodes.items[up].is_open) /* hidden */
            row = (view_row){up, NULL, 0, 1};
    for (size_t i = 0; i < state->rows.count; i++)
        if (state->rows.items[i].node == row.node) {
            if (state->rows.items[i].band == row.band && state->rows.items[i].depth == row.depth)
                return i;
            of_node = of_node == MAP_NONE ? i : of_node;
        }
    return of_node == MAP_NONE ? 0 : of_node;
}

void view_find_rows(view_state *state)
{
    view_tree *tree = state->input.tree;
    view_row at = {0, NULL, VIEW_INNERMOST, 1}, top = at;
    if (state->rows.count > 0) {
        at = state->rows.items[state->at];
        top = state->rows.items[state->top];
    }
    size_t shown = state->at - state->top;
    int is_new = state->rows.count == 0;
    state->rows.count = 0;
    for (uint32_t node = tree->nodes.items[0].bands ? 0 : view_next_node(tree, 0, 0); node || state->rows.count == 0;
         node = view_next_node(tree, node, 0)) {
        add_rows(state, node);
        if (view_next_node(tree, node, 0) == 0)
            break;
    }
    state->at = is_new ? 0 : place_of(state, at);
    state->top = is_new ? 0 : place_of(state, top);
    if (state->top > state->at)
        state->top = state->at > shown ? state->at - shown : 0;
}

/* ---- what they show */

/* A glyph, and what stands for it in ASCII. */
typedef struct glyph {
    uint32_t unicode, ascii;
} glyph;

static const glyph opened = {0x25be, '-'}, closed = {0x25b8, '+'}, idle = {0xb7, '.'}, half = {0x258c, ' '},
                   edge = {0x258f, '|'}, mark = {0x25cf, '*'};

static uint32_t glyph_of(const view_screen *screen, glyph it)
{
    return screen->unicode ? it.unicode : it.ascii;
}

static int has_colors(const view_area *area)
{
    return area->screen->colors >= VIEW_8_COLORS;
}

/* Draws two columns in each cell, each in its colour if there is a glyph for that. */
static void draw_states(const view_area *area, int row, const view_column *columns)
{
    view_tree *tree = area->tree;
    int run = 0, named = -1; /* the first cell of the current run, and its value */
    for (int i = 0; i < area->columns; i++) {
        size_t left = view_main_value(&columns[2 * i]), right = view_main_value(&columns[2 * i + 1]);
        size_t value = left == MAP_NONE ? right : left;
        int place = area->left + i;
        if (value == MAP_NONE) {
            named = -1;
            continue;
        }
        const view_value *it = &tree->values.items[value];
        if (!has_colors(area)) {
            tree->values.items[value].is_shown = 1;
            view_put_glyph(area->screen, row, place, it->letter, view_plain);
        } else if (left == right || !area->screen->unicode) {
            view_style style = {view_ink_on(it->color), it->color, 0};
            view_put_glyph(area->screen, row, place, ' ', style);
        } else {
            view_style style = {left == MAP_NONE ? VIEW_DEFAULT : tree->values.items[left].color,
                                right == MAP_NONE ? VIEW_DEFAULT : tree->values.items[right].color, 0};
            if (left == MAP_NONE)
                style = (view_style){style.paper, VIEW_DEFAULT, 0};
            view_put_glyph(area->screen, row, place, left == MAP_NONE ? 0x2590 : glyph_of(area->screen, half), style);
        }
        int begins = columns[2 * i].count + columns[2 * i + 1].count > 0;
        if (left != right) {
            named = -1;
            continue;
        }
        if (named != (int)value || begins) { /* another entity, of this value or another */
            if (named == (int)value && run < i - 1 && has_colors(area))
                view_put_glyph(area->screen, row, place, glyph_of(area->screen, edge),
                               (view_style){view_ink_on(it->color), it->color, 0});
            named = (int)value;
            run = i;
        }
    }
}

/* Writes the names of states into runs of cells of one value, where they fit. */
static void name_states(const view_area *area, int row, const view_column *columns)
{
    view_tree *tree = area->tree;
    for (int i = 0, next; i < area->columns; i = next) {
        size_t value = view_main_value(&columns[2 * i]);
        next = i + 1;
        if (value == MAP_NONE || view_main_value(&columns[2 * i + 1]) != value)
            continue;
        while (next < area->columns && view_main_value(&columns[2 * next]) == value &&
               view_main_value(&columns[2 * next + 1]) == value &&
               columns[2 * next].count + columns[2 * next + 1].count == 0)
            next++;
        const view_value *it = &tree->values.items[value];
        int width = view_width(area->screen, it->name);
        view_style style = {view_ink_on(it->color), it->color, 0};
        if (has_colors(area) && width + 1 < next - i && width > 0)
            view_put(area->screen, row, area->left + i + 1, next - i - 1, it->name, style);
        if (!has_colors(area) && width + 2 < next - i && width > 0) { /* with a blank on either side */
            view_put_glyph(area->screen, row, area->left + i + 1, ' ', view_plain);
            width = view_put(area->screen, row, area->left + i + 2, next - i - 2, it->name, view_plain);
            if (i + 2 + width < next)
                view_put_glyph(area->screen, row, area->left + i + 2 + width, ' ', view_plain);
        }
    }
}

static void draw_variable(const view_area *area, int row, const view_band *band, const view_column *columns)
{
    view_tree *tree = area->tree;
    static const uint32_t ascii[STEPS] = {'_', '.', ',', '-', '=', '+', '*', '#'};
    const view_type *type = &tree->types.items[band->type];
    view_style style = {type->color, VIEW_DEFAULT, 0};
    for (int i = 0; i < area->columns; i++) {
        const view_column *column = &columns[i];
        if (column->segments == 0)
            continue;
        double mean = column->time > 0 ? column->sum / column->time : column->most;
        double part = type->most > type->least ? (mean - type->least) / (type->most - type->least) : 0;
        int step = (int)fmin(fmax(part * STEPS + 1e-9, 0), STEPS - 1); /* means are rounded */
        view_put_glyph(area->screen, row, area->left + i, area->screen->unicode ? 0x2581 + (uint32_t)step : ascii[step],
                       style);
    }
}

static void draw_events(const view_area *area, int row, const view_column *columns)
{
    view_tree *tree = area->tree;
    for (int i = 0, next; i < area->columns; i = next) {
        size_t value = view_main_value(&columns[i]);
        next = i + 1;
        if (value == MAP_NONE)
            continue;
        const view_value *it = &tree->values.items[value];
        view_style style = {it->color, VIEW_DEFAULT, VIEW_BOLD}, dim = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
        uint64_t count = columns[i].count;
        view_put_glyph(area->screen, row, area->left + i,
                       count < 2 ? glyph_of(area->screen, mark) : count < 10 ? '0' + (uint32_t)count : '+', style);
        while (next < area->columns && view_main_value(&columns[next]) == MAP_NONE)
            next++;
        if (next - i > 1 + view_width(area->screen, it->name) && count == 1)
            view_put(area->screen, row, area->left + i + 1, next - i - 1, it->name, dim);
    }
}

/* The first band of states below a node; NULL: there is none. */
static const view_band *states_below(view_tree *tree, uint32_t node)
{
    uint32_t level = tree->nodes.items[node].level;
    for (uint32_t it = node; (it = view_next_node(tree, it, 1)) != 0 && tree->nodes.items[it].level > level;)
        if (view_bands_of(tree, it) && view_bands_of(tree, it)->kind == PAJESIM_STATE)
            return view_bands_of(tree, it);
    return NULL;
}

/* Adds the states of all nodes below a closed one that has none of its own. */
static void add_all_below(const view_area *area, uint32_t node, view_column *columns)
{
    view_tree *tree = area->tree;
    const view_band *first = states_below(tree, node);
    uint32_t level = tree->nodes.items[node].level;
    for (uint32_t it = node; first && (it = view_next_node(tree, it, 1)) && tree->nodes.items[it].level > level;)
        for (const view_band *band = tree->nodes.items[it].bands; band; band = band->next)
            if (band->kind == PAJESIM_STATE && band->type == first->type)
                view_add_columns(area->store, it, band, VIEW_INNERMOST, area->start, area->width / 2, 2 * area->columns,
                                 columns);
}

/* Marks the cells in which the container exists. */
static void draw_lifetime(const view_area *area, int row, uint32_t node)
{
    view_tree *tree = area->tree;
    const view_node *it = &tree->nodes.items[node];
    const view_style dim = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
    int ends_with = (it->start - area->start) / area->width <= view_last_column(area->columns);
    for (int i = 0; i < area->columns; i++)
        if ((area->start + (i + 1) * area->width > it->start || (i + 1 == area->columns && ends_with)) &&
            area->start + i * area->width < it->end &&
            area->start + i * area->width <= view_last_time(&area->state->input))
            view_put_glyph(area->screen, row, area->left + i, glyph_of(area->screen, idle), dim);
}

void view_draw_row(const view_area *area, int row, const view_row *it)
{
    view_tree *tree = area->tree;
    const view_node *node = &tree->nodes.items[it->node];
    const view_band *band = it->band;
    int is_closed = !node->is_open && node->first, doubled = !band || band->kind == PAJESIM_STATE;
    int count = doubled ? 2 * area->columns : area->columns, has_bins = area->store->bin > 0;
    if (doubled && it->depth <= 0)
        draw_lifetime(area, row, it->node);
    if (has_bins && it->depth > 0) /* bins know innermost states only */
        return;
    int depth = has_bins ? VIEW_INNERMOST : it->depth;
    view_column *columns = memory_alloc_zero((size_t)count, sizeof *columns);
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
    view_free_columns(columns, count);
    free(columns);
}

void view_draw_label(const view_area *area, int row, const view_row *it)
{
    view_tree *tree = area->tree;
    const view_node *node = &tree->nodes.items[it->node];
    int indent = 2 * (int)(node->level ? node->level - 1 : 0), width = area->left - 1;
    indent = indent < width / 2 ? indent : width / 2;
    view_style style = {VIEW_DEFAULT, VIEW_DEFAULT, it->is_head ? 0 : VIEW_DIM};
    if (it->is_head && node->first)
        view_put_glyph(area->screen, row, indent, glyph_of(area->screen, node->is_open ? opened : closed), style);
    if (it->is_head)
        view_put(area->screen, row, indent + 2, width - indent - 2, node->name, style);
    else if (it->depth > 0)
        view_putf(area->screen, row, indent + 4, width - indent - 4, style, "%d", it->depth);
    else
        view_put(area->screen, row, indent + 4, width - indent - 4, view_band_name(tree, it->band), style);
}

void view_add_legend(const view_tree *tree, text_buffer *output, int columns)
{
    text_buffer entry = {0};
    size_t line = output->size;
    for (size_t i = 0; i < tree->values.count; i++) {
        const view_value *value = &tree->values.items[i];
        if (!value->is_shown)
            continue;
        text_clear(&entry);
        text_printf(&entry, "%c ", (char)value->letter);
        text_put_printable(&entry, value->name);
        if (output->size > line && output->size - line + entry.size + 2 > (size_t)columns) {
            text_putc(output, '\n');
            line = output->size;
        }
        text_puts(output, output->size > line ? "  " : "");
        text_append(output, text_view(&entry));
    }
    text_puts(output, output->size > line ? "\n" : "");
    text_free(&entry);
}
