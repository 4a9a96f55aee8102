/* Names left of the rows: those of containers, as a tree, and those of their types of states and variables. */
#include "svg.h"
#include "base/encode.h"

#include <math.h>

/* Draws a name, and says how much of the column of names its line leaves for the types of rows. */
static void draw_name(svg_picture *svg, svg_label *label)
{
    text_buffer name = {0};
    svg_put_label(&name, svg, label);
    double x = svg_label_x(svg, label->first), size = svg->name_size, middle = svg_label_middle(svg, label);
    double room = svg_label_room(svg, label, text_view(&name), &label->beside);
    svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\"", x, middle + 0.36 * size, size);
    text_puts(svg->out, label->is_group ? " font-weight=\"bold\">" : ">");
    if (svg_add_text_within(svg, text_view(&name), size * (label->is_group ? 1.1 : 1), room, 1)) {
        text_puts(svg->out, "<title>");
        text_put_xml(svg->out, text_view(&name));
        text_puts(svg->out, "</title>");
    }
    text_puts(svg->out, "</text>");
    stream_end_line();
    text_free(&name);
}

/* Draws the name of a row's type; `label` is that of its node. */
static void draw_type(svg_picture *svg, const svg_row *row, const svg_label *label)
{
    double middle = row->y + row->height / 2.0, room = svg->left - 12 - svg_label_x(svg, row->node);
    if (label && fabs(middle - svg_label_middle(svg, label)) < SVG_TEXT)
        room = label->beside - 7;
    svg_draw_text(svg, svg->left - 6, middle + 3.5, room, svg_row_name(svg, row), SVG_SMALL,
                  " text-anchor=\"end\" fill=\"#666\"");
}

void svg_draw_labels(svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    for (size_t i = 0; i < svg->labels.count; i++)
        draw_name(svg, &svg->labels.items[i]);
    for (size_t i = 0, at = 0; i < svg->rows.count; i++) {
        const svg_label *label = at < svg->labels.count ? &svg->labels.items[at] : NULL;
        while (label && at + 1 < svg->labels.count && label[1].row <= i)
            label = &svg->labels.items[++at];
        if (svg_has_label(&svg->rows.items[i]))
            draw_type(svg, &svg->rows.items[i], label && label->row <= i ? label : NULL);
    }
    text_puts(svg->out, "<path stroke=\"#bbb\" fill=\"none\" d=\"");
    for (uint32_t i = 1; i < tl->nodes.count; i++) {
        const timeline_node *node = node_at(tl, i);
        const svg_place *place = &svg->places[i];
        if (node->is_shown && !node->is_prefix && svg_is_group(svg, i) && place->bottom - place->top > SVG_LINE)
            svg_add(svg, "M~ ~V~", svg_label_x(svg, i) - 4.5, place->top + 1.5, place->bottom - 1.5);
    }
    text_puts(svg->out, "\"/>");
    stream_end_line();
}
