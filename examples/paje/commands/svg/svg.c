/* paje svg: a diagram of space and time, for papers and browsers. */
#include "svg.h"
#include "base/encode.h"
#include "command.h"
#include "timeline/timeline.h"

#include <math.h>

enum { WIDTH = PAJE_LONG_ONLY, HEIGHT, COLORS, TITLE, ORDER };

enum {
    LEAST_WIDTH = 300,
    LEAST_HEIGHT = 60,
    MOST_SIZE = 20000,
    MOST_TITLES = 5000,
    MOST_LINKS = 2048
};

static const char *output_name; /* NULL: standard output */
static svg_picture picture = {.out = &stream_output, .width = 1000, .height = 900};

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

/* ---- the command */

static void begin(paje_run *run, int trace)
{
    timeline *tl = &picture.tl;
    (void)trace;
    tl->most_rows = (size_t)picture.height / 2;
    tl->most_pieces = 2 * tl->most_rows * (size_t)picture.width;
    tl->most_links = MOST_LINKS;
    if (!timeline_begin(tl, run))
        paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
    if (output_name)
        svg_open_file(output_name);
}

static void end(paje_run *run, int trace)
{
    svg_picture *svg = &picture;
    text_buffer legend = {0};
    (void)trace;
    timeline_finish(&svg->tl, run);
    timeline_suggest(&svg->tl, run);
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

/* Parses a length in pixels.  Returns 0 unless it is from `least` to MOST_SIZE. */
static int parse_size(const char *argument, int least, int *size)
{
    double number;
    if (!paje_parse_number(argument, &number) || !(number >= least && number <= MOST_SIZE))
        return 0;
    *size = (int)number;
    return 1;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    switch (key) {
    case 'o':
        output_name = argument;
        return NULL;
    case WIDTH:
        return parse_size(argument, LEAST_WIDTH, &picture.width) ? NULL : "must be a width of 300 to 20000 pixels";
    case HEIGHT:
        picture.has_height = 1;
        return parse_size(argument, LEAST_HEIGHT, &picture.height) ? NULL : "must be a height of 60 to 20000 pixels";
    case TITLE:
        picture.title = argument;
        return NULL;
    case ORDER:
        return timeline_order_option(&picture.tl, argument);
    default:
        return palette_option(&picture.tl.palette, argument);
    }
}

static const paje_option option_table[] = {
    {COLORS, "colors", "WHOSE", PALETTE_HELP},
    {WIDTH, "width", "PIXELS", "width of the picture; default: 1000"},
    {HEIGHT, "height", "PIXELS", "height of all rows, unless their names need more; default: 900"},
    {ORDER, "order", "ORDER", TIMELINE_ORDER_HELP},
    {'o', "output", "FILE", SVG_FILE_HELP},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {0, NULL, NULL, NULL},
};

const paje_command command_svg = {
    .name = "svg",
    .summary = "Draws a diagram of space and time, as an SVG picture",
    .details = "Containers are drawn from the top down, time from left to right; states as bars, nested ones inset,\n"
               "variables as steps, events as marks, links as arrows.  What is narrower than two pixels is summed up;\n"
               "if there are more rows than fit into the height, neighbours share one.  The picture says so.  Each\n"
               "row has its name, or shares one with neighbours: P0 ... P7 (8).  A variable that never changes is its\n"
               "value.\n"
               "-s and -e set the range of time that is drawn.",
    .traces = 1,
    .trials = "FILE\n--width 300 --height 60 --unit ns FILE\n-s 1 -e 4 --colors own -o OUT FILE",
    .filters = TIMELINE_FILTERS,
    .options = option_table,
    .option = option,
    .callbacks = TIMELINE_CALLBACKS,
    .begin = begin,
    .end = end,
};
