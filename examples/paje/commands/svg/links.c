/* Draws links, as arrows while they are few. */
#include "svg.h"

#include <math.h>

enum { FEW_LINKS = 300 }; /* that have heads */

typedef struct colored_link {
    const timeline_link *link;
    uint32_t color;
} colored_link;

static uint32_t color_of(const timeline *tl, const timeline_link *link)
{
    return link->value == OTHER_VALUES ? type_at(tl, link->type)->color : value_at(tl, link->value)->color;
}

/* By colour, then by time. */
static int compare_links(const void *left, const void *right)
{
    const colored_link *a = left, *b = right;
    if (a->color != b->color)
        return a->color < b->color ? -1 : 1;
    return (a->link->start > b->link->start) - (a->link->start < b->link->start);
}

/* Defines the head of arrows of a colour. */
static void add_head(svg_picture *svg, uint32_t color, double opacity)
{
    text_printf(svg->out, "<marker id=\"head-%06lx\" viewBox=\"0 0 8 6\" refX=\"8\" refY=\"3\" markerWidth=\"8\" "
                          "markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 3L0 6z\"",
                (unsigned long)color);
    svg_add_color(svg, "fill", color);
    svg_add(svg, " fill-opacity=\"~\"/></marker>", opacity);
    stream_end_line();
}

/* Draws the part of a link that lies in the drawn range. */
static void draw_link(svg_picture *svg, const colored_link *it, int has_head)
{
    const timeline *tl = &svg->tl;
    const timeline_link *link = it->link;
    double length = link->end - link->start, y = svg->places[link->from].anchor;
    double fall = svg->places[link->to].anchor - y;
    double from = fmin(fmax(link->start, tl->first), tl->last);
    double to = fmin(fmax(link->end, tl->first), tl->last);
    double top = y, bottom = y + fall;
    if (length > 0 || length < 0) {
        top = y + (from - link->start) / length * fall;
        bottom = y + (to - link->start) / length * fall;
    }
    has_head = has_head && fabs(svg_x(svg, to) - svg_x(svg, from)) + fabs(bottom - top) > 4;
    svg_add(svg, "<path d=\"M~ ~L~ ~\"", svg_x(svg, from), top, svg_x(svg, to), bottom);
    svg_add_color(svg, "stroke", it->color);
    if (has_head && !(to < link->end))
        text_printf(svg->out, " marker-end=\"url(#head-%06lx)\"", (unsigned long)it->color);
    text_puts(svg->out, svg->has_titles ? ">" : "/>");
    svg_add_title(svg, link->type, link->value, link->start, link->end, link->count, link->fields);
    if (svg->has_titles)
        text_puts(svg->out, "</path>");
    stream_end_line();
}

/* The denser the links are, the fainter each of them. */
static double opacity_of(const svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    const double sparse = 0.02; /* pixels of links in a pixel of the plot */
    double sum = 0, area = fmax(1, (double)svg->plot_width * (svg->bottom - svg->top));
    for (size_t i = 0; i < tl->links.count; i++) {
        const timeline_link *link = &tl->links.items[i];
        double from = fmin(fmax(link->start, tl->first), tl->last), to = fmin(fmax(link->end, tl->first), tl->last);
        sum += hypot(svg_x(svg, to) - svg_x(svg, from), svg->places[link->to].anchor - svg->places[link->from].anchor);
    }
    return fmin(0.9, fmax(0.06, 0.9 * sqrt(sparse * area / fmax(sum, 1))));
}

void svg_draw_links(svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    size_t count = tl->links.count;
    int has_heads = count <= FEW_LINKS;
    if (count == 0)
        return;
    double opacity = opacity_of(svg);
    colored_link *links = memory_alloc(count, sizeof *links);
    for (size_t i = 0; i < count; i++)
        links[i] = (colored_link){&tl->links.items[i], color_of(tl, &tl->links.items[i])};
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; has_heads && i < count; i++)
        if (i == 0 || links[i].color != links[i - 1].color)
            add_head(svg, links[i].color, opacity);
    svg_add(svg, "<g fill=\"none\" stroke-width=\"~\" stroke-opacity=\"~\">\n",
            opacity < 0.2 ? 0.4 : opacity < 0.5 ? 0.7 : 1.0, opacity);
    for (size_t i = 0; i < count; i++)
        draw_link(svg, &links[i], has_heads);
    text_puts(svg->out, "</g>");
    stream_end_line();
    free(links);
}
