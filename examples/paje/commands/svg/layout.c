/* Where the rows of the picture are: containers from the top down, each with its events, states and variables. */
#include "svg.h"

#include <math.h>

enum { INDENT = 10, TOP_MARGIN = 6, RIGHT_MARGIN = 18, LEAST_LABELS = 70, LEAST_PLOT = 40 };

double svg_x(const svg_picture *svg, double time)
{
    const timeline *tl = &svg->tl;
    return svg->left + (time - tl->first) / (tl->last - tl->first) * svg->plot_width;
}

double svg_label_x(const svg_picture *svg, uint32_t node)
{
    return 8 + INDENT * svg->places[node].indent;
}

pajesim_text svg_row_name(const svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    if (row->is_constants)
        return text_of("constants");
    return row->lane->kind == PAJESIM_EVENT ? text_of("events") : type_at(tl, row->lane->type)->name;
}

/* ---- which rows there are */

static uint32_t first_shown(const timeline *tl, uint32_t node)
{
    while (node && !node_at(tl, node)->is_shown)
        node = node_at(tl, node)->next;
    return node;
}

int svg_is_group(const svg_picture *svg, uint32_t node)
{
    const timeline *tl = &svg->tl;
    return node > 0 && first_shown(tl, node_at(tl, node)->first) != 0;
}

static svg_row *add_row(svg_picture *svg, uint32_t node, const timeline_lane *lane)
{
    svg_row *row = array_push(&svg->rows);
    row->node = node;
    row->lane = lane;
    return row;
}

/* Adds the rows of the node's lanes: one for all constant variables, at the end. */
static void add_lanes(svg_picture *svg, uint32_t node)
{
    const timeline *tl = &svg->tl;
    const timeline_lane *constant = NULL, *last = NULL;
    svg_row *row = NULL;
    for (const timeline_lane *lane = node_at(tl, node)->lanes; lane; lane = lane->next) {
        if (lane->is_constant) {
            constant = constant ? constant : lane;
            continue;
        }
        if (!row || timeline_begins_row(lane, last))
            row = add_row(svg, node, lane);
        last = lane;
        if (lane->depth == LANE_NESTED)
            row->nested = lane;
        else
            row->depths++;
    }
    if (constant)
        add_row(svg, node, constant)->is_constants = 1;
}

/* Adds the rows of a node and those below it.  A group of several rows of its own, or of none, begins with a row for
 * its name. */
static void add_rows(svg_picture *svg, uint32_t node, int indent)
{
    const timeline *tl = &svg->tl;
    size_t first = svg->rows.count;
    int is_named = node > 0 && !node_at(tl, node)->is_prefix;
    if (!node_at(tl, node)->is_shown)
        return;
    svg->places[node].indent = indent;
    if (is_named && svg_is_group(svg, node))
        add_row(svg, node, NULL);
    add_lanes(svg, node);
    size_t count = svg->rows.count - first;
    if (is_named && svg_is_group(svg, node) && count == 2) { /* the name goes beside the only row */
        svg->rows.items[first] = svg->rows.items[first + 1];
        svg->rows.count = first + (count = 1);
    }
    if (is_named && count == 0)
        add_row(svg, node, NULL);
    if (svg->rows.count > first) {
        svg->rows.items[first].is_first = 1;
        svg->rows.items[first].is_only = svg->rows.count == first + 1;
    }
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next)
        add_rows(svg, child, indent + is_named);
}

/* ---- how high they are */

/* The height of a row; `scale` is 1 if all rows fit at their natural heights. */
static int height_of(const svg_picture *svg, const svg_row *row, double scale)
{
    double natural = 14, least = svg->least_row;
    if (row->is_first && svg_is_group(svg, row->node)) {
        least = SVG_TEXT;
        scale = fmin(1, scale * 1.3);
    }
    if (!row->lane)
        natural = SVG_LINE;
    else if (row->lane->kind == PAJESIM_EVENT)
        natural = fmax(9, row->is_only ? SVG_TEXT + 1 : 0);
    else if (row->lane->kind == PAJESIM_VARIABLE && !row->is_constants)
        natural = 28;
    else if (row->lane->kind == PAJESIM_STATE)
        natural = 18 + SVG_INSET * (row->depths - 1);
    return (int)fmax(least, natural * scale);
}

/* Puts rows one below the other, from `y` on, and finds their labels. */
typedef struct row_stack {
    svg_picture *svg;
    size_t next; /* row */
    double scale;
    int y;
} row_stack;

static void stack_own_rows(row_stack *at, uint32_t node)
{
    svg_picture *svg = at->svg;
    for (; at->next < svg->rows.count && svg->rows.items[at->next].node == node; at->next++) {
        svg_row *row = &svg->rows.items[at->next];
        double scale = at->scale;
        at->y += at->next == 0 || scale < 0.35 ? 0 : scale < 0.7 ? 1 : row->is_first ? 4 : 2;
        row->y = at->y;
        row->height = height_of(svg, row, scale);
        at->y += row->height;
    }
}

static svg_label *add_label(row_stack *at, uint32_t node, size_t row)
{
    const timeline *tl = &at->svg->tl;
    svg_label *label = array_push(&at->svg->labels);
    label->first = label->last = node;
    label->members = node_at(tl, node)->members;
    label->row = row;
    label->top = at->svg->rows.items[row].y;
    label->bottom = at->y;
    return label;
}

static int is_low(const svg_label *label)
{
    return label->bottom - label->top < SVG_NAME;
}

/* Ends a label of low rows: makes it a part of the one before it, or makes room for it. */
static void end_label(row_stack *at, size_t first_label)
{
    svg_picture *svg = at->svg;
    size_t count = svg->labels.count;
    if (count == first_label || !is_low(&svg->labels.items[count - 1]))
        return;
    svg_label *label = &svg->labels.items[count - 1];
    if (count - 1 > first_label) {
        label[-1].last = label->last;
        label[-1].members += label->members;
        label[-1].bottom = label->bottom;
        svg->labels.count--;
    } else { /* room that the last row takes */
        svg_row *row = &svg->rows.items[at->next - 1];
        at->y = label->bottom = label->top + SVG_NAME;
        row->height = at->y - row->y;
    }
}

/* Stacks a node and those below it.  Neighbours whose rows are too low for a name of each share a label.  The recursion
 * is at most TIMELINE_LEVELS deep. */
static void stack_node(row_stack *at, uint32_t node)
{
    svg_picture *svg = at->svg;
    const timeline *tl = &svg->tl;
    size_t row = at->next;
    stack_own_rows(at, node);
    if (at->next > row && node_at(tl, node)->name.size > 0) {
        add_label(at, node, row)->is_group = node > 0;
        end_label(at, svg->labels.count - 1);
    }
    size_t first = svg->labels.count;
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next) {
        uint32_t named = child;
        while (node_at(tl, named)->is_prefix)
            named = first_shown(tl, node_at(tl, named)->first);
        if (!node_at(tl, child)->is_shown)
            continue;
        if (svg_is_group(svg, named)) {
            end_label(at, first);
            stack_node(at, named);
            first = svg->labels.count;
            continue;
        }
        row = at->next;
        stack_own_rows(at, named);
        svg_label *last = svg->labels.count > first ? &svg->labels.items[svg->labels.count - 1] : NULL;
        if (last && is_low(last)) {
            last->last = named;
            last->members += node_at(tl, named)->members;
            last->bottom = at->y;
        } else {
            add_label(at, named, row);
        }
    }
    end_label(at, first);
}

/* Returns where the rows end. */
static int stack_rows(svg_picture *svg, double scale)
{
    row_stack at = {svg, 0, scale, svg->top};
    array_clear(&svg->labels);
    stack_node(&at, 0);
    return at.y;
}

/* Finds the place of a node and those below it; `*at` is the first of its rows, and moves on behind the last. */
static void find_place(svg_picture *svg, uint32_t node, size_t *at)
{
    const timeline *tl = &svg->tl;
    svg_place *it = &svg->places[node];
    int found = 0; /* 1: the name or any row, 2: a row of entities, 3: states */
    it->top = it->bottom = *at < svg->rows.count ? svg->rows.items[*at].y : svg->top;
    for (; *at < svg->rows.count && svg->rows.items[*at].node == node; (*at)++) {
        const svg_row *row = &svg->rows.items[*at];
        int rank = row->lane ? row->lane->kind == PAJESIM_STATE ? 3 : 2 : 1;
        if (rank > found) {
            it->anchor = row->y + row->height / 2.0;
            found = rank;
        }
        it->bottom = row->y + row->height;
    }
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next)
        if (node_at(tl, child)->is_shown) {
            find_place(svg, child, at);
            it->bottom = svg->places[child].bottom;
            if (!found)
                it->anchor = svg->places[child].anchor;
        }
}

/* ---- names of nodes, and of their rows, which are in the same column */

int svg_has_label(const svg_row *row)
{
    return row->lane && !row->is_only && row->height >= SVG_TINY;
}

double svg_label_middle(const svg_picture *svg, const svg_label *label)
{
    const svg_row *row = &svg->rows.items[label->row];
    if (label->first != label->last)
        return (label->top + label->bottom) / 2.0;
    return fmax(row->y + row->height / 2.0, label->top + SVG_NAME / 2.0);
}

void svg_put_label(text_buffer *text, const svg_picture *svg, const svg_label *label)
{
    text_clear(text);
    timeline_put_names(text, &svg->tl, label->first, label->last, label->members);
}

/* The width that the name of a node needs. */
static double width_of(const svg_picture *svg, const svg_label *label, pajesim_text name)
{
    return svg_text_width(name, svg->name_size) * (label->is_group ? 1.1 : 1); /* bold */
}

/* The width of the widest label of a type beside the name, with a gap; 0: there is none. */
static double widest_beside(const svg_picture *svg, const svg_label *label)
{
    double most = 0, middle = svg_label_middle(svg, label);
    for (size_t i = label->row; i < svg->rows.count && svg->rows.items[i].node == label->first; i++) {
        const svg_row *row = &svg->rows.items[i];
        if (svg_has_label(row) && fabs(row->y + row->height / 2.0 - middle) < SVG_TEXT)
            most = fmax(most, svg_text_width(svg_row_name(svg, row), SVG_SMALL) + 8);
    }
    return most;
}

double svg_label_room(const svg_picture *svg, const svg_label *label, pajesim_text name, double *beside)
{
    double all = svg->left - 6 - svg_label_x(svg, label->first), type = widest_beside(svg, label);
    type = fmin(type, fmax(all - width_of(svg, label, name), fmin(type, all / 3)));
    *beside = type;
    return all - type;
}

/* The width that names need, up to a share of the picture. */
static int label_width(const svg_picture *svg)
{
    double most = LEAST_LABELS;
    text_buffer name = {0};
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        if (svg_has_label(row))
            most = fmax(most, svg_label_x(svg, row->node) + svg_text_width(svg_row_name(svg, row), SVG_SMALL) + 16);
    }
    for (size_t i = 0; i < svg->labels.count; i++) {
        const svg_label *label = &svg->labels.items[i];
        svg_put_label(&name, svg, label);
        most = fmax(most, svg_label_x(svg, label->first) + widest_beside(svg, label) +
                              width_of(svg, label, text_view(&name)) + 8);
    }
    text_free(&name);
    return (int)fmin(most, 0.32 * svg->width);
}

/* Finds the greatest scale at which the rows fit: each with its name, if that is possible at all.  Returns where the
 * rows end. */
static int scale_rows(svg_picture *svg)
{
    double low = 0, high = 1;
    int most = svg->height;
    svg->least_row = SVG_NAME;
    int named = stack_rows(svg, 0);
    if (named > (svg->has_height ? svg->height : SVG_MOST_NAMED))
        svg->least_row = SVG_LEAST_ROW;
    else if (named > most)
        most = named;
    int bottom = stack_rows(svg, high);
    if (bottom <= most)
        return bottom;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        if (stack_rows(svg, middle) > most)
            high = middle;
        else
            low = middle;
    }
    return stack_rows(svg, low);
}

void svg_lay_out(svg_picture *svg)
{
    size_t at = 0;
    svg->places = memory_alloc_zero(svg->tl.nodes.count, sizeof *svg->places);
    add_rows(svg, 0, 0);
    svg->top = TOP_MARGIN + (svg->title ? SVG_LINE + 6 : 0);
    svg->bottom = scale_rows(svg);
    svg->name_size = SVG_TEXT;
    for (size_t i = 0; i < svg->labels.count; i++)
        if (svg->labels.items[i].bottom - svg->labels.items[i].top < SVG_TEXT)
            svg->name_size = SVG_TINY;
    svg->left = svg_axis_room(svg, label_width(svg));
    svg->plot_width = svg->width - svg->left - RIGHT_MARGIN;
    if (svg->bottom < svg->top + LEAST_PLOT)
        svg->bottom = svg->top + LEAST_PLOT;
    find_place(svg, 0, &at);
}
