/* Draws what graph.c has placed, and the legend. */
#include "platform.h"
#include "base/encode.h"
#include "base/unit.h"

#include <ctype.h>
#include <math.h>

enum { MOST_NAMES = 400 /* more could not be read */ };

typedef struct box {
    double left, right, top, bottom;
} box;

typedef array_of(box) box_array;

/* Links of a network are diamonds, what has a size otherwise is a square, all others are circles. */
typedef enum mark { CIRCLE, SQUARE, DIAMOND } mark;

static mark mark_of(const platform_picture *picture, uint32_t type)
{
    const pajesim_text name = type_at(&picture->svg.tl, type)->name;
    for (size_t i = 0; i + 4 <= name.size; i++)
        if (tolower((unsigned char)name.bytes[i]) == 'l' && tolower((unsigned char)name.bytes[i + 1]) == 'i' &&
            tolower((unsigned char)name.bytes[i + 2]) == 'n' && tolower((unsigned char)name.bytes[i + 3]) == 'k')
            return DIAMOND;
    return picture->most[type] > 0 ? SQUARE : CIRCLE;
}

/* A colour mixed with white: marks hide the lines below them. */
static uint32_t pale(uint32_t color)
{
    uint32_t mixed = 0;
    for (int shift = 16; shift >= 0; shift -= 8)
        mixed |= (((color >> shift & 0xff) * 7 + 0xff * 3) / 10) << shift;
    return mixed;
}

/* Draws a mark; its area is that of a square whose sides are twice the radius. */
static void draw_mark(svg_picture *svg, mark kind, double x, double y, double radius)
{
    if (kind == SQUARE)
        svg_add(svg, "<path d=\"M~ ~h~v~h~z\"", x - radius * 0.9, y - radius * 0.9, 1.8 * radius, 1.8 * radius,
                -1.8 * radius);
    else if (kind == DIAMOND)
        svg_add(svg, "<path d=\"M~ ~l~ ~l~ ~l~ ~z\"", x, y - radius, radius, radius, -radius, radius, -radius, -radius);
    else
        svg_add(svg, "<circle cx=\"~\" cy=\"~\" r=\"~\"", x, y, radius);
}

static void put_variable(text_buffer *text, const timeline *tl, uint32_t type, double value)
{
    text_puts(text, ", ");
    text_append(text, type_at(tl, type)->name);
    text_puts(text, " ");
    text_put_short(text, value);
}

static void add_title(platform_picture *picture, uint32_t node)
{
    const timeline *tl = &picture->svg.tl;
    const platform_item *item = &picture->items[node];
    uint32_t type = node_at(tl, node)->type;
    text_buffer text = {0};
    text_append(&text, type_at(tl, type)->name);
    text_putc(&text, ' ');
    timeline_put_name(&text, tl, node);
    if (item->size >= 0 && item->is_leaf)
        put_variable(&text, tl, item->summed ? item->summed : picture->size_type[type], item->size);
    if (item->used >= 0 && !item->summed && picture->used_type[type])
        put_variable(&text, tl, picture->used_type[type], item->used);
    text_puts(picture->svg.out, "<title>");
    text_put_xml(picture->svg.out, text_view(&text));
    text_puts(picture->svg.out, "</title>");
    text_free(&text);
}

static void draw_leaf(platform_picture *picture, uint32_t node)
{
    svg_picture *svg = &picture->svg;
    const platform_item *item = &picture->items[node];
    uint32_t type = node_at(&svg->tl, node)->type, color = picture->colors[type];
    mark kind = mark_of(picture, type);
    int has_used = item->used >= 0 && item->size > 0;
    text_puts(svg->out, "<g>");
    add_title(picture, node);
    draw_mark(svg, kind, item->x, item->y, item->radius);
    svg_add_color(svg, "fill", has_used ? 0xffffff : pale(color));
    svg_add_color(svg, "stroke", color);
    text_puts(svg->out, "/>");
    if (has_used && item->used > 0) {
        draw_mark(svg, kind, item->x, item->y, item->radius * sqrt(fmin(item->used / item->size, 1)));
        svg_add_color(svg, "fill", color);
        text_puts(svg->out, "/>");
    }
    text_puts(svg->out, "</g>");
    text_putc(svg->out, '\n');
}

/* Draws the circle of each group below a node, the outer ones first. */
static void draw_groups(platform_picture *picture, uint32_t node)
{
    svg_picture *svg = &picture->svg;
    const timeline *tl = &svg->tl;
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next) {
        const platform_item *item = &picture->items[child];
        if (!item->is_shown || item->is_leaf)
            continue;
        svg_add(svg, "<circle cx=\"~\" cy=\"~\" r=\"~\" fill=\"#456\" fill-opacity=\".06\" stroke=\"#bbb\">", item->x,
                item->y, item->radius);
        add_title(picture, child);
        text_puts(svg->out, "</circle>");
        text_putc(svg->out, '\n');
        draw_groups(picture, child);
    }
}

static void draw_edges(platform_picture *picture)
{
    svg_picture *svg = &picture->svg;
    double most = 1, few = fmin(1, sqrt(60 / (double)(picture->edges.count + 1)));
    for (size_t i = 0; i < picture->edges.count; i++)
        most = fmax(most, picture->edges.items[i].count);
    svg_add(svg, "<g stroke=\"#555\" stroke-opacity=\"~\">\n",
            fmax(0.08, 0.8 * few));
    for (size_t i = 0; i < picture->edges.count; i++) {
        const timeline_link *edge = &picture->edges.items[i];
        const platform_item *a = &picture->items[edge->from], *b = &picture->items[edge->to];
        svg_add(svg, "<path d=\"M~ ~L~ ~\" stroke-width=\"~\"/>", a->x, a->y, b->x, b->y,
                picture->has_lines ? 0.8 : 0.5 + 3.5 * few * edge->count / most);
        text_putc(svg->out, '\n');
    }
    text_puts(svg->out, "</g>\n");
}

/* ---- names: of groups, then of what is largest, where there is room */

static int is_free(const box_array *boxes, const box *it)
{
    for (size_t i = 0; i < boxes->count; i++) {
        const box *other = &boxes->items[i];
        if (it->left < other->right && other->left < it->right && it->top < other->bottom && other->top < it->bottom)
            return 0;
    }
    return 1;
}

static box box_of(const platform_item *item)
{
    return (box){item->x - item->radius, item->x + item->radius, item->y - item->radius, item->y + item->radius};
}

/* Draws a name at the first of some places where it is over no mark and no other name.  The marks are `marks`; its own
 * is never in the way, as it is beside it. */
static void draw_name(platform_picture *picture, box_array *names, const box_array *marks, uint32_t node)
{
    enum { PLACES = 4 };
    svg_picture *svg = &picture->svg;
    const platform_item *item = &picture->items[node];
    text_buffer name = {0};
    timeline_put_name(&name, &svg->tl, node);
    double width = svg_text_width(text_view(&name), SVG_TINY), high = SVG_TINY;
    double away = item->radius + 2, up = item->is_leaf ? -away - high : -item->radius;
    const double places[PLACES][2] = {{-width / 2, item->is_leaf ? away : up}, {-width / 2, up}, {away, -high / 2},
                                      {-away - width, -high / 2}};
    int has_room = item->is_leaf ? item->radius >= 3 : width < 2.4 * item->radius;
    for (int i = 0; i < (item->is_leaf ? PLACES : 1) && has_room && name.size > 0 && names->count < MOST_NAMES; i++) {
        double x = item->x + places[i][0], y = item->y + places[i][1];
        box own = {x, x + width, y, y + high};
        if (x < 2 || x + width > svg->width - 2 || !is_free(names, &own) || (item->is_leaf && !is_free(marks, &own)))
            continue;
        *array_push(names) = own;
        svg_draw_text(svg, x, y + 0.85 * high, svg->width, text_view(&name), SVG_TINY,
                      item->is_leaf ? "" : " font-weight=\"bold\"");
        break;
    }
    text_free(&name);
}

static const platform_picture *sorted_picture; /* for qsort() */

static int compare_radius(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    double first = sorted_picture->items[a].radius, second = sorted_picture->items[b].radius;
    if (first < second || first > second)
        return first > second ? -1 : 1;
    return (a > b) - (a < b);
}

static void draw_names(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    box_array names = {0}, marks = {0};
    array_of(uint32_t) nodes = {0};
    for (uint32_t i = 1; i < tl->nodes.count; i++) {
        const platform_item *item = &picture->items[i];
        if (!item->is_shown || !(item->radius > 0) || i == picture->top)
            continue;
        *array_push(&nodes) = i;
        if (item->is_leaf)
            *array_push(&marks) = box_of(item);
    }
    sorted_picture = picture;
    if (nodes.count > 0)
        qsort(nodes.items, nodes.count, sizeof *nodes.items, compare_radius);
    for (int leaves = 0; leaves < 2; leaves++)
        for (size_t i = 0; i < nodes.count; i++)
            if (picture->items[nodes.items[i]].is_leaf == leaves)
                draw_name(picture, &names, &marks, nodes.items[i]);
    array_free(&names);
    array_free(&marks);
    array_free(&nodes);
}

void platform_draw_graph(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    draw_groups(picture, picture->top);
    draw_edges(picture);
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        if (picture->items[i].is_shown && picture->items[i].is_leaf && picture->items[i].radius > 0)
            draw_leaf(picture, i);
    draw_names(picture);
}

/* ---- the legend */

static void put_size(text_buffer *text, const platform_picture *picture, uint32_t type)
{
    const timeline *tl = &picture->svg.tl;
    uint32_t size = picture->size_type[type];
    for (uint32_t i = 1; i < tl->nodes.count && !size; i++)
        if (node_at(tl, i)->type == type && picture->items[i].is_shown)
            size = picture->items[i].summed;
    if (!size || !(picture->most[type] > 0))
        return;
    text_puts(text, ": area: ");
    text_append(text, type_at(tl, size)->name);
    text_puts(text, ", up to ");
    text_put_short(text, picture->most[type]);
    if (picture->used_type[type]) {
        text_puts(text, "; filled: ");
        text_append(text, type_at(tl, picture->used_type[type])->name);
    }
}

double platform_draw_legend(platform_picture *picture, double y)
{
    svg_picture *svg = &picture->svg;
    const timeline *tl = &svg->tl;
    text_buffer text = {0};
    for (uint32_t type = 1; type < tl->types.count; type++) {
        unsigned long count = 0;
        for (uint32_t i = 1; i < tl->nodes.count; i++)
            if (node_at(tl, i)->type == type && picture->items[i].is_shown && picture->items[i].is_leaf)
                count += node_at(tl, i)->members;
        if (type_at(tl, type)->kind != PAJESIM_CONTAINER || !count)
            continue;
        text_clear(&text);
        text_append(&text, type_at(tl, type)->container_type.size ? type_at(tl, type)->container_type
                                                                  : type_at(tl, type)->name);
        text_printf(&text, " (%lu)", count);
        put_size(&text, picture, type);
        y += SVG_LINE + 1;
        draw_mark(svg, mark_of(picture, type), 14, y - 4, 5);
        svg_add_color(svg, "fill", pale(picture->colors[type]));
        svg_add_color(svg, "stroke", picture->colors[type]);
        text_puts(svg->out, "/>");
        svg_draw_text(svg, 26, y, svg->width - 34, text_view(&text), SVG_TEXT, "");
    }
    text_clear(&text);
    if (picture->edges.count > 0)
        text_printf(&text, "Lines: %lu %s.", (unsigned long)picture->edges.count,
                    picture->has_lines ? "of the network" : "pairs that exchange messages; width: how many");
    if (tl->changes > 0) {
        text_puts(&text, " Variables: their means over ");
        text_put_duration(&text, (tl->last - tl->first) * tl->seconds, 4);
        text_puts(&text, ".");
    }
    y += SVG_LINE + 3;
    svg_draw_text(svg, 8, y, svg->width - 16, text_view(&text), SVG_SMALL, SVG_GREY);
    text_free(&text);
    return y;
}
