/* The picture as a whole. */
#include "svg.h"
#include "base/encode.h"

#include <math.h>

enum {
    MOST_TITLES = 5000,
    MOST_LINKS = 2048,
    NARROW = 2000 /* pixels: then two of the first bins of a timeline, or more, are in each */
};

void svg_limit(svg_picture *svg)
{
    svg->tl.most_rows = (size_t)svg->height / 2;
    svg->tl.most_pieces = 2 * svg->tl.most_rows * (size_t)svg->width;
    svg->tl.most_links = MOST_LINKS;
    svg->tl.bins_suffice = svg->width <= NARROW;
}

/* Draws the lifetime of each container, as the background of its rows. */
static void draw_background(svg_picture *svg)
{
    text_puts(svg->out, "<path fill=\"#f2f3f5\" d=\"");
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        const timeline_node *node = node_at(&svg->tl, row->node);
        double from = svg->left, to = svg->left + svg->plot_width;
        if (node->level > 0) {
            from = fmax(svg_x(svg, node->start), from);
            to = fmin(svg_x(svg, node->end), to);
        }
        if (row->height > 0 && to > from && (row->lane || !svg_is_group(svg, row->node)))
            svg_add(svg, "M~ ~H~v~H~z", from, (double)row->y, to, (double)row->height, from);
    }
    text_puts(svg->out, "\"/>");
    stream_end_line();
}

static void draw_title(svg_picture *svg)
{
    if (svg->title)
        svg_draw_text(svg, svg->width / 2.0, SVG_LINE + 2, svg->width - 16, text_of(svg->title), SVG_TEXT + 3,
                      " text-anchor=\"middle\" font-weight=\"bold\"");
}

static void draw_row(svg_picture *svg, const svg_row *row)
{
    if (!row->lane)
        return;
    text_buffer name = {0};
    timeline_put_path(&name, &svg->tl, row->node);
    text_puts(svg->out, "<g><title>");
    text_put_xml(svg->out, text_view(&name));
    text_puts(svg->out, ": ");
    text_put_xml(svg->out, svg_row_name(svg, row));
    text_puts(svg->out, "</title>");
    stream_end_line();
    text_free(&name);
    if (row->is_constants)
        svg_draw_constants(svg, row);
    else if (row->lane->kind == PAJESIM_EVENT)
        svg_draw_events(svg, row);
    else if (row->lane->kind == PAJESIM_VARIABLE)
        svg_draw_variable(svg, row);
    else if (row->height <= SVG_THIN)
        svg_draw_thin_states(svg, row);
    else
        svg_draw_states(svg, row);
    text_puts(svg->out, "</g>");
    stream_end_line();
}

/* Counts entities, as only few of them get tooltips; and finds out whether some states are too narrow to be bars. */
static void count_entities(svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    size_t count = tl->links.count;
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        const timeline_lane *lane = row->lane;
        for (int depth = 0; lane && depth < row->depths; depth++, lane = lane->next)
            for (size_t k = 0; k < lane->pieces.count; k++) {
                const lane_piece *piece = &lane->pieces.items[k];
                int is_wide = svg_is_wide(svg, node_at(tl, row->node), piece, SVG_WIDE);
                count += lane->kind == PAJESIM_EVENT || is_wide;
                svg->has_narrow |= lane->kind == PAJESIM_STATE && !is_wide && piece->time > 0;
            }
    }
    svg->has_titles = count <= MOST_TITLES;
}

void svg_draw(svg_picture *svg)
{
    text_buffer legend = {0};
    svg_lay_out(svg);
    count_entities(svg);

    svg->out = &legend; /* first, as the picture's height depends on it */
    int height = (int)svg_draw_legend(svg) + 8;
    svg->out = &stream_output;
    svg_begin(svg, height);
    draw_background(svg);
    draw_title(svg);
    svg_draw_axis(svg);
    svg_draw_labels(svg);
    for (size_t i = 0; i < svg->rows.count; i++)
        draw_row(svg, &svg->rows.items[i]);
    svg_draw_links(svg);
    text_append(svg->out, text_view(&legend));
    text_puts(svg->out, "</svg>\n");
    text_free(&legend);
    svg_close_file();
}
