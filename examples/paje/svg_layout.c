/* Where the rows of the picture are: containers from the top down, each with its events, states and variables. */
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { INDENT = 10, LEAST_ROW = 2, TOP_MARGIN = 6, RIGHT_MARGIN = 18, LEAST_LABELS = 70, LEAST_PLOT = 40 };

svg_layout svg;

double svg_x(double time)
{
    return svg.x + (time - diagram.first) / (diagram.last - diagram.first) * svg.width;
}

double svg_label_x(uint32_t node)
{
    return 8 + INDENT * svg.places[node].indent;
}

pajesim_text svg_row_name(const svg_row *row)
{
    return row->lane->kind == PAJESIM_EVENT ? (pajesim_text){"events", 6} : diagram.types[row->lane->type].name;
}

double svg_text_width(pajesim_text text, double size)
{
    double sum = 0;
    for (size_t i = 0; i < text.size; i++) {
        unsigned char byte = (unsigned char)text.bytes[i];
        if ((byte & 0xc0) == 0x80) /* within a character */
            continue;
        if (byte && strchr("ijltfrI.,:;'|!()[]/ -", byte))
            sum += 0.33;
        else if (byte && strchr("mwMW@%", byte))
            sum += 0.9;
        else if (byte >= 'A' && byte <= 'Z')
            sum += 0.7;
        else
            sum += byte < 0xe3 ? 0.56 : 1; /* from there on: Chinese, Japanese, emoji */
    }
    return sum * size;
}

/* ---- which rows there are */

static void add_row(uint32_t node, const diagram_lane *lane, int is_first)
{
    static size_t room;
    if (svg.row_count == room) {
        room += room / 2 + 64;
        svg.rows = paje_room(svg.rows, room * sizeof *svg.rows);
    }
    svg.rows[svg.row_count++] = (svg_row){.node = node, .lane = lane, .is_first = is_first};
}

static void add_rows(uint32_t node, int indent)
{
    size_t before = svg.row_count;
    if (!diagram.nodes[node].is_shown)
        return;
    svg.places[node].indent = indent;
    for (const diagram_lane *lane = diagram.nodes[node].lanes, *last = NULL; lane; lane = lane->next) {
        if (!last || last->kind != lane->kind || last->type != lane->type)
            add_row(node, lane, svg.row_count == before);
        if (lane->depth < DIAGRAM_DEPTHS)
            svg.rows[svg.row_count - 1].depths++;
        else
            svg.rows[svg.row_count - 1].flat = lane;
        last = lane;
    }
    if (svg.row_count == before && node > 0 && !diagram.nodes[node].is_prefix)
        add_row(node, NULL, 1);
    if (svg.row_count == before + 1)
        svg.rows[before].is_only = 1;
    for (uint32_t child = diagram.nodes[node].first; child; child = diagram.nodes[child].next)
        add_rows(child, indent + (node > 0 && !diagram.nodes[node].is_prefix));
}

/* ---- how high they are */

static int has_shown_child(uint32_t node)
{
    uint32_t child = diagram.nodes[node].first;
    while (child && !diagram.nodes[child].is_shown)
        child = diagram.nodes[child].next;
    return child != 0;
}

/* `scale` is 1 where there is room for all. */
static int height_of(const svg_row *row, double scale)
{
    if (!row->lane && has_shown_child(row->node)) /* a headline */
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

static int gap_before(const svg_row *row, double scale)
{
    return row == svg.rows || scale < 0.35 ? 0 : scale < 0.7 ? 1 : row->is_first ? 4 : 2;
}

/* Puts the rows one below the other; answers where they end. */
static int stack_rows(double scale)
{
    int y = svg.top;
    for (size_t i = 0; i < svg.row_count; i++) {
        svg_row *row = &svg.rows[i];
        row->y = y + gap_before(row, scale);
        row->height = height_of(row, scale);
        y = row->y + row->height;
    }
    return y;
}

/* `*at` is the first of the node's rows. */
static void find_place(uint32_t node, size_t *at)
{
    svg_place *it = &svg.places[node];
    int is_found = 0;
    it->top = it->bottom = *at < svg.row_count ? svg.rows[*at].y : svg.top;
    for (; *at < svg.row_count && svg.rows[*at].node == node; (*at)++) {
        const svg_row *row = &svg.rows[*at];
        int has_states = row->lane && row->lane->kind == PAJESIM_STATE;
        if (row->is_first || (has_states && !is_found))
            it->anchor = row->y + row->height / 2.0;
        is_found |= has_states;
        it->bottom = row->y + row->height;
    }
    for (uint32_t child = diagram.nodes[node].first; child; child = diagram.nodes[child].next)
        if (diagram.nodes[child].is_shown) {
            find_place(child, at);
            it->bottom = svg.places[child].bottom;
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

/* The widest label of a row that is beside the name of the row's node, and a gap; 0: there is none. */
static double widest_beside(const svg_row *first)
{
    double most = 0;
    for (const svg_row *row = first; row < svg.rows + svg.row_count && row->node == first->node; row++)
        if (svg_has_label(row) && is_beside(first, row))
            most = fmax(most, svg_text_width(svg_row_name(row), SVG_SMALL) + 8);
    return most;
}

double svg_label_beside(const svg_row *first, pajesim_text name)
{
    double all = svg.x - 6 - svg_label_x(first->node), label = widest_beside(first);
    return fmin(label, fmax(all - svg_text_width(name, SVG_TEXT), fmin(label, all / 2)));
}

double svg_label_room(const svg_row *row)
{
    const svg_row *first = row;
    while (!first->is_first)
        first--;
    if (!is_beside(first, row))
        return svg.x - 12 - svg_label_x(row->node);
    paje_buffer name = {0};
    diagram_add_name(&name, row->node);
    double room = svg_label_beside(first, paje_text(&name)) - 7;
    paje_release(&name);
    return room;
}

/* The room that names need, within reason. */
static int label_width(int width)
{
    double most = LEAST_LABELS;
    paje_buffer name = {0};
    for (size_t i = 0; i < svg.row_count; i++) {
        const svg_row *row = &svg.rows[i];
        double own = svg_has_label(row) ? svg_text_width(svg_row_name(row), SVG_SMALL) + 8 : 0;
        name.size = 0;
        if (row->is_first)
            diagram_add_name(&name, row->node);
        if (name.size)
            own = widest_beside(row) + svg_text_width(paje_text(&name), SVG_TEXT);
        most = fmax(most, svg_label_x(row->node) + own + 8);
    }
    paje_release(&name);
    return (int)fmin(most, 0.28 * width);
}

void svg_lay_out(int width, int height)
{
    size_t size = diagram.node_count * sizeof *svg.places, at = 0;
    svg.places = memset(paje_room(NULL, size), 0, size);
    add_rows(0, 0);
    svg.top = TOP_MARGIN;
    double low = 0, high = 1;
    if (stack_rows(high) > height) {
        for (int i = 0; i < 20; i++)
            *(stack_rows((low + high) / 2) > height ? &high : &low) = (low + high) / 2;
        high = low;
    }
    svg.bottom = stack_rows(high);
    svg.x = label_width(width);
    svg.width = width - svg.x - RIGHT_MARGIN;
    if (svg.bottom < svg.top + LEAST_PLOT)
        svg.bottom = svg.top + LEAST_PLOT;
    find_place(0, &at);
}
