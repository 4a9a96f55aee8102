/* paje slices: what happens in each slice of time, by containers. */
#include "slices.h"
#include "commands/svg/svg.h"

#include <math.h>

enum { FORMAT = PAJE_LONG_ONLY, DEPTH, ROWS, SLICES, SLICE, VALUE, TITLE, WIDTH, HEIGHT, COLORS };
enum { TABLE, CSV, SVG };
enum { WIDTH_SLICES = 1000 /* with --slice */, MOST_SLICES = 10000 };

static int format, has_format;
static size_t most_rows, most_slices;
static double slice_width; /* 0: not given */
static const char *output_name; /* NULL: standard output */
static slices_picture picture = {.width = 1000, .height = 600};

static void begin(paje_run *run, int trace)
{
    static const size_t counts[] = {10, 100, 200}; /* by format */
    const paje_filter *filter = &run->settings->filter;
    time_grid *grid = &slices.grid;
    (void)trace;
    if (output_name && !has_format)
        format = SVG;
    slices.range = interval_of(run->settings);
    grid->is_fixed = filter->has_start && filter->has_end && !(slice_width > 0);
    grid->start = slices.range.start;
    grid->end = slices.range.end;
    grid->most = most_slices ? most_slices : slice_width > 0 ? WIDTH_SLICES : counts[format];
    grid->width = paje_in_seconds(run->settings, slice_width);
    if (grid->is_fixed && !(grid->end > grid->start))
        paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
    grid_begin(grid);
    slices_begin();
    if (output_name)
        svg_open_file(output_name, format == SVG);
}

static void tell(const paje_run *run)
{
    const char *name = run->source->name;
    if (slice_width > 0 && slices.grid.doublings > 0)
        stream_message("%s: there would be more than %llu slices: they are %.6g wide (--slices)", name,
                       (unsigned long long)slices.grid.most - (slices.grid.is_single ? 1 : 0), slices.grid.width);
    if (slices.rows.grouped > 0 && !most_rows && format == CSV)
        stream_message("%s: %llu containers share rows with neighbours; --depth, --container, --type or fewer --slices "
                       "show them apart", name, (unsigned long long)slices.rows.grouped);
    if (slices.value && slices.order.count == 0)
        paje_report_no_value(run->settings, name, slices.value);
}

static void end(paje_run *run, int trace)
{
    static const size_t rows[] = {16, 1 << 16, 256}; /* by format */
    (void)trace;
    slices_finish(most_rows ? most_rows : rows[format]);
    if (format == TABLE) {
        slices_print_table();
        if (slices.order.count > 0)
            paje_suggest_unit(run);
    } else if (format == CSV) {
        slices_print_csv();
    } else {
        int is_given = run->settings->filter.unit != NULL;
        picture.seconds = is_given ? 1 : paje_unit_of(run)->seconds;
        picture.reason = is_given ? NULL : paje_guess_unit(run).reason;
        slices_draw(&picture);
    }
    svg_close_file();
    tell(run);
}

static const char *parse(const char *argument, double least, double most, double *number)
{
    static text_buffer text;
    if (paje_parse_number(argument, number) && *number >= least && *number <= most)
        return NULL;
    text_clear(&text);
    text_printf(&text, "must be %g to %g", least, most);
    return text_string(&text);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const formats[] = {"table", "csv", "svg", NULL};
    const char *wrong = NULL;
    double number = 0;
    switch (key) {
    case 'j':
        return paje_parse_processes(argument, &settings->processes);
    case FORMAT:
        has_format = 1;
        return paje_parse_choice(argument, formats, &format) ? NULL : "no format: table, csv or svg";
    case DEPTH:
        wrong = parse(argument, 0, 1e9, &number);
        slices.rows.depth = number < CHART_MOST_DEPTH ? (size_t)number : CHART_MOST_DEPTH;
        return wrong;
    case ROWS:
        wrong = parse(argument, 1, 1 << 16, &number);
        most_rows = (size_t)number;
        return wrong;
    case SLICES:
        wrong = parse(argument, 1, MOST_SLICES, &number);
        most_slices = (size_t)number;
        return wrong;
    case SLICE:
        return paje_parse_number(argument, &slice_width) && slice_width > 0 && slice_width < HUGE_VAL
                   ? NULL : "must be a time greater than 0";
    case WIDTH:
        wrong = parse(argument, 300, 20000, &number);
        picture.width = (int)number;
        return wrong;
    case HEIGHT:
        wrong = parse(argument, 60, 20000, &number);
        picture.height = (int)number;
        return wrong;
    case COLORS:
        return palette_option(&slices.palette, argument);
    case VALUE:
        slices.value = argument;
        return NULL;
    case TITLE:
        picture.title = argument;
        return NULL;
    default:
        output_name = argument;
        return NULL;
    }
}

static const paje_option option_table[] = {
    {COLORS, "colors", "WHOSE", PALETTE_HELP},
    {DEPTH, "depth", "N", "containers further down belong to those at that depth; 0: the root, all in all"},
    {FORMAT, "format", "FORMAT", "table, csv or svg; default: table"},
    {HEIGHT, "height", "PIXELS", "height of all rows of the picture, unless they are too low; default: 600"},
    {'j', "jobs", "N", PAJE_JOBS_HELP},
    {'o', "output", "FILE", CHART_FILE_HELP},
    {ROWS, "rows", "N", "rows at most: neighbours are one then; default: 16 in a table, 256 in a picture"},
    {SLICE, "slice", "TIME", "width of a slice, in the unit of the trace; slices begin at its multiples"},
    {SLICES, "slices", "N", "slices at most; default: 10 in a table, 100 in CSV, 200 in a picture; 1000 with --slice"},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {VALUE, "value", "GLOB", "values of that name; the picture shows their share by one colour"},
    {WIDTH, "width", "PIXELS", "width of the picture; default: 1000"},
    {0, NULL, NULL, NULL},
};

static const paje_table table = {slices_save, slices_join, NULL, 0};

const paje_command command_slices = {
    .name = "slices",
    .summary = "Shows how shares of states and means of variables change: by slices of time and containers",
    .details =
        "States are shares of the lifetime of the containers that could have them, without the time of states above\n"
        "them; variables are means over the time in which they are set; of events and links it is the number of those\n"
        "that begin in a slice (the first one: or before it), which count if --type chooses them.  A container has a\n"
        "row if anything is on it; --depth adds up what is in one.\n"
        "The format csv has a line for each container, type, value and slice with anything in it: count, time, share,\n"
        "mean and integral.  In a picture, states are stacked in their colours, the rest are heat maps.\n"
        "With -s and -e there are N slices of the same width.  Else there are at most N, usually more than N/2, and\n"
        "their width is a power of two, as it doubles while the trace goes on; all is exact nevertheless.  0 is an\n"
        "edge between two of them: with --slices 1, a trace with times on both sides of it has two.\n"
        "The first 64 values of each type, of those that --value chooses, have rows of their own.",
    .traces = 1,
    .trials = "FILE\n-s 1 -e 4 --slices 7 --depth 1 -j 2 -o OUT FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = slices_closed},
    .begin = begin,
    .end = end,
    .table = &table,
};
