/* Names left of the rows: those of containers, as a tree, and those of their types of states and variables. */
#include "svg.h"

/* Reserves the lines of a name around `middle`.  Returns 0 if some are taken, which `taken` says for each line. */
static int reserve(const svg_picture *svg, unsigned char *taken, int middle)
{
    int from = middle - SVG_TEXT / 2, to = from + SVG_TEXT;
    if (from < 0 || to > svg->bottom + SVG_TEXT)
        return 0;
    for (int i = from; i < to; i++)
        if (taken[i])
            return 0;
    memset(taken + from, 1, (size_t)(to - from));
    return 1;
}

/* Draws the name of a node beside its first row; that of a group anywhere beside its children, if there is room. */
static void draw_name(svg_picture *svg, unsigned char *taken, const svg_row *row, int is_group)
{
    const timeline *tl = &svg->tl;
    const timeline_node *node = node_at(tl, row->node);
    const svg_place *place = &svg->places[row->node];
    int middle = row->y + row->height / 2;
    text_buffer name = {0};
    timeline_put_name(&name, tl, row->node);
    int is_taken = name.size > 0 && reserve(svg, taken, middle);
    if (!is_taken && is_group && name.size > 0)
        for (middle = place->top + SVG_TEXT / 2; middle < place->bottom && !is_taken; middle += !is_taken)
            is_taken = reserve(svg, taken, middle);
    if (is_taken) {
        double x = svg_label_x(svg, row->node), label = svg_label_beside(svg, row, text_view(&name));
        svg_draw_text(svg, x, middle + 4, svg->left - 6 - x - label, text_view(&name), SVG_TEXT,
                  node->first ? " font-weight=\"bold\"" : "");
    }
    text_free(&name);
}

void svg_draw_labels(svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    unsigned char *taken = memory_alloc_zero((size_t)svg->bottom + SVG_TEXT, 1);
    for (uint32_t level = 0; level <= TIMELINE_LEVELS; level++) /* ancestors first */
        for (size_t i = 0; i < svg->rows.count; i++) {
            const svg_row *row = &svg->rows.items[i];
            if (row->is_first && node_at(tl, row->node)->level == level)
                draw_name(svg, taken, row, node_at(tl, row->node)->first != 0);
        }
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        if (svg_has_label(row))
            svg_draw_text(svg, svg->left - 6, row->y + row->height / 2 + 3.5, svg_label_room(svg, row),
                          svg_row_name(svg, row), SVG_SMALL, " text-anchor=\"end\" fill=\"#666\"");
    }
    text_puts(svg->out, "<path stroke=\"#bbb\" fill=\"none\" d=\"");
    for (uint32_t i = 1; i < tl->nodes.count; i++) {
        const timeline_node *node = node_at(tl, i);
        const svg_place *place = &svg->places[i];
        if (node->is_shown && !node->is_prefix && node->first && place->bottom - place->top > SVG_LINE)
            svg_add(svg, "M~ ~V~", svg_label_x(svg, i) - 4.5, place->top + 1.5, place->bottom - 1.5);
    }
    text_puts(svg->out, "\"/>");
    stream_end_line();
    free(taken);
}
