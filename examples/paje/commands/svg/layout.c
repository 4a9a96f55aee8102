/* Where the rows of the picture are: containers from the top down, each with its events, states and variables. */
#include "svg.h"

#include <math.h>

enum { INDENT = 10, LEAST_ROW = 2, TOP_MARGIN = 6, RIGHT_MARGIN = 18, LEAST_LABELS = 70, LEAST_PLOT = 40 };

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
    return row->lane->kind == PAJESIM_EVENT ? text_of("events") : type_at(tl, row->lane->type)->name;
}

/* ---- which rows there are */

static void add_row(svg_picture *svg, uint32_t node, const timeline_lane *lane, int is_first)
{
    svg_row *row = array_push(&svg->rows);
    row->node = node;
    row->lane = lane;
    row->is_first = is_first;
}

static void add_rows(svg_picture *svg, uint32_t node, int indent)
{
    const timeline *tl = &svg->tl;
    size_t before = svg->rows.count;
    if (!node_at(tl, node)->is_shown)
        return;
    svg->places[node].indent = indent;
    for (const timeline_lane *lane = node_at(tl, node)->lanes, *last = NULL; lane; last = lane, lane = lane->next) {
        if (timeline_begins_row(lane, last))
            add_row(svg, node, lane, svg->rows.count == before);
        svg_row *row = &svg->rows.items[svg->rows.count - 1];
        if (lane->depth == LANE_NESTED)
            row->nested = lane;
        else
            row->depths++;
    }
    if (svg->rows.count == before && node > 0 && !node_at(tl, node)->is_prefix)
        add_row(svg, node, NULL, 1);
    if (svg->rows.count == before + 1)
        svg->rows.items[before].is_only = 1;
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next)
        add_rows(svg, child, indent + (node > 0 && !node_at(tl, node)->is_prefix));
}

/* ---- how high they are */

static int has_shown_child(const svg_picture *svg, uint32_t node)
{
    const timeline *tl = &svg->tl;
    uint32_t child = node_at(tl, node)->first;
    while (child && !node_at(tl, child)->is_shown)
        child = node_at(tl, child)->next;
    return child != 0;
}

/* The height of a row; `scale` is 1 if all rows fit at their natural heights. */
static int height_of(svg_picture *svg, const svg_row *row, double scale)
{
    if (!row->lane && has_shown_child(svg, row->node)) /* the name of a group */
        return scale > 0.75 ? SVG_LINE : scale > 0.5 ? SVG_TEXT + 1 : 0;
    double natural = 14;
    if (row->lane && row->lane->kind == PAJESIM_EVENT)
        natural = 9;
    else if (row->lane && row->lane->kind == PAJESIM_VARIABLE)
        natural = 28;
    else if (row->lane)
        natural = 18 + SVG_INSET * (row->depths - 1);
    return (int)fmax(LEAST_ROW, natural * scale);
}

static int gap_before(const svg_picture *svg, const svg_row *row, double scale)
{
    return row == svg->rows.items || scale < 0.35 ? 0 : scale < 0.7 ? 1 : row->is_first ? 4 : 2;
}

/* Puts the rows one below the other; returns where they end. */
static int stack_rows(svg_picture *svg, double scale)
{
    int y = svg->top;
    for (size_t i = 0; i < svg->rows.count; i++) {
        svg_row *row = &svg->rows.items[i];
        row->y = y + gap_before(svg, row, scale);
        row->height = height_of(svg, row, scale);
        y = row->y + row->height;
    }
    return y;
}

/* Finds the place of a node and those below it; `*at` is the first of its rows, and moves on behind the last. */
static void find_place(svg_picture *svg, uint32_t node, size_t *at)
{
    const timeline *tl = &svg->tl;
    svg_place *it = &svg->places[node];
    int is_found = 0;
    it->top = it->bottom = *at < svg->rows.count ? svg->rows.items[*at].y : svg->top;
    for (; *at < svg->rows.count && svg->rows.items[*at].node == node; (*at)++) {
        const svg_row *row = &svg->rows.items[*at];
        int has_states = row->lane && row->lane->kind == PAJESIM_STATE;
        if (row->is_first || (has_states && !is_found))
            it->anchor = row->y + row->height / 2.0;
        is_found |= has_states;
        it->bottom = row->y + row->height;
    }
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next)
        if (node_at(tl, child)->is_shown) {
            find_place(svg, child, at);
            it->bottom = svg->places[child].bottom;
        }
}

/* ---- names of nodes, and of their rows, which are in the same column */

int svg_has_label(const svg_row *row)
{
    return row->lane && !row->is_only && row->height >= SVG_TINY;
}

static int is_beside(const svg_row *row, const svg_row *other)
{
    return fabs(row->y + row->height / 2.0 - other->y - other->height / 2.0) < SVG_TEXT;
}

/* The width of the widest row label beside the name of the node, with a gap; 0: there is none. */
static double widest_beside(const svg_picture *svg, const svg_row *first)
{
    double most = 0;
    for (const svg_row *row = first; row < svg->rows.items + svg->rows.count && row->node == first->node; row++)
        if (svg_has_label(row) && is_beside(first, row))
            most = fmax(most, svg_text_width(svg_row_name(svg, row), SVG_SMALL) + 8);
    return most;
}

double svg_label_beside(const svg_picture *svg, const svg_row *first, pajesim_text name)
{
    double all = svg->left - 6 - svg_label_x(svg, first->node), label = widest_beside(svg, first);
    return fmin(label, fmax(all - svg_text_width(name, SVG_TEXT), fmin(label, all / 2)));
}

double svg_label_room(const svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    const svg_row *first = row;
    while (!first->is_first)
        first--;
    if (!is_beside(first, row))
        return svg->left - 12 - svg_label_x(svg, row->node);
    text_buffer name = {0};
    timeline_put_name(&name, tl, row->node);
    double room = svg_label_beside(svg, first, text_view(&name)) - 7;
    text_free(&name);
    return room;
}

/* The width that names need, up to a share of the picture. */
static int label_width(const svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    double most = LEAST_LABELS;
    text_buffer name = {0};
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        double own = svg_has_label(row) ? svg_text_width(svg_row_name(svg, row), SVG_SMALL) + 8 : 0;
        name.size = 0;
        if (row->is_first)
            timeline_put_name(&name, tl, row->node);
        if (name.size)
            own = widest_beside(svg, row) + svg_text_width(text_view(&name), SVG_TEXT);
        most = fmax(most, svg_label_x(svg, row->node) + own + 8);
    }
    text_free(&name);
    return (int)fmin(most, 0.28 * svg->width);
}

/* The greatest scale at which the rows fit. */
static double find_scale(svg_picture *svg)
{
    double low = 0, high = 1;
    if (stack_rows(svg, high) <= svg->height)
        return high;
    for (int i = 0; i < 20; i++) {
        double middle = (low + high) / 2;
        if (stack_rows(svg, middle) > svg->height)
            high = middle;
        else
            low = middle;
    }
    return low;
}

void svg_lay_out(svg_picture *svg)
{
    size_t at = 0;
    svg->places = memory_alloc_zero(svg->tl.nodes.count, sizeof *svg->places);
    add_rows(svg, 0, 0);
    svg->top = TOP_MARGIN;
    svg->bottom = stack_rows(svg, find_scale(svg));
    svg->left = label_width(svg);
    svg->plot_width = svg->width - svg->left - RIGHT_MARGIN;
    if (svg->bottom < svg->top + LEAST_PLOT)
        svg->bottom = svg->top + LEAST_PLOT;
    find_place(svg, 0, &at);
}
