/* paje svg: a diagram of space and time, for papers and browsers. */
#include "svg.h"
#include "command.h"
#include "timeline/timeline.h"

enum { WIDTH = PAJE_LONG_ONLY, HEIGHT, COLORS, TITLE, ORDER };

enum {
    LEAST_WIDTH = 300,
    LEAST_HEIGHT = 60,
    MOST_SIZE = 20000
};

static const char *output_name; /* NULL: standard output */
static svg_picture picture = {.out = &stream_output, .width = 1000, .height = 900};

static void begin(paje_run *run, int trace)
{
    timeline *tl = &picture.tl;
    (void)trace;
    svg_limit(&picture);
    if (!timeline_begin(tl, run))
        paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
    if (output_name)
        svg_open_file(output_name, 1);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    timeline_finish(&picture.tl, run);
    timeline_suggest(&picture.tl, run);
    svg_draw(&picture);
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
    switch (key) {
    case 'j':
        timeline_share(&picture.tl, settings);
        return paje_parse_processes(argument, &settings->processes);
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
    {'j', "jobs", "N", TIMELINE_JOBS_HELP},
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
    .trials = "FILE\n-j 2 FILE\n--width 300 --height 60 --unit ns FILE\n-s 1 -e 4 --colors own -o OUT FILE",
    .filters = TIMELINE_FILTERS,
    .options = option_table,
    .option = option,
    .callbacks = TIMELINE_CALLBACKS,
    .begin = begin,
    .end = end,
    .table = &timeline_table,
};
