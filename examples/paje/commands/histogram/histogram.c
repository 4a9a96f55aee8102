/* paje histogram: how long states last, and links take. */
#include "histogram.h"
#include "commands/svg/svg.h"

enum { FORMAT = PAJE_LONG_ONLY, BINS, BY, VALUE, TITLE, WIDTH };
enum { TABLE, CSV, SVG };
enum { TABLE_BINS = 24, PICTURE_BINS = 60, MOST_BINS = 10000 };

static int format, has_format, has_bins;
static size_t most_bins;
static const char *output_name; /* NULL: standard output */
static histogram_picture picture = {.width = 800};

static void begin(paje_run *run, int trace)
{
    (void)run, (void)trace;
    if (output_name && !has_format)
        format = SVG;
    if (!has_bins)
        most_bins = format == TABLE ? TABLE_BINS : PICTURE_BINS;
    if (output_name)
        svg_open_file(output_name, format == SVG);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    histogram_sort();
    if (format == TABLE) {
        histogram_print_table(most_bins);
        if (histograms.count > 0)
            paje_suggest_unit(run);
    } else if (format == CSV) {
        histogram_print_csv(most_bins);
    } else {
        int is_given = run->settings->filter.unit != NULL;
        picture.seconds = is_given ? 1 : paje_unit_of(run)->seconds;
        picture.reason = is_given ? NULL : paje_guess_unit(run).reason;
        picture.most_bins = most_bins ? most_bins : 1;
        histogram_draw(&picture);
    }
    svg_close_file();
    if (histogram_value && histograms.count == 0)
        paje_report_no_value(run->settings, run->source->name, histogram_value);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const formats[] = {"table", "csv", "svg", NULL};
    static const char *const keys[] = {"type", "value", "container", NULL};
    double number;
    int chosen;
    switch (key) {
    case 'j':
        return paje_parse_processes(argument, &settings->processes);
    case FORMAT:
        has_format = 1;
        return paje_parse_choice(argument, formats, &format) ? NULL : "no format: table, csv or svg";
    case BINS:
        has_bins = 1;
        if (!paje_parse_number(argument, &number) || !(number >= 0 && number <= MOST_BINS))
            return "must be 0 to 10000";
        most_bins = (size_t)number;
        return NULL;
    case BY:
        if (!paje_parse_choice(argument, keys, &chosen))
            return "must be type, value or container";
        histogram_by = (histogram_key)chosen;
        return NULL;
    case WIDTH:
        if (!paje_parse_number(argument, &number) || !(number >= 300 && number <= 20000))
            return "must be 300 to 20000 pixels";
        picture.width = (int)number;
        return NULL;
    case VALUE:
        histogram_value = argument;
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
    {BINS, "bins", "N", "bins at most; default: 24 in a table, else 60; 0: statistics only, a line for each"},
    {BY, "by", "WHAT", "a histogram for each type (default), and of it each value or container"},
    {FORMAT, "format", "FORMAT", "table, csv or svg; default: table"},
    {'j', "jobs", "N", PAJE_JOBS_HELP},
    {'o', "output", "FILE", CHART_FILE_HELP},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {VALUE, "value", "GLOB", "states and links of that value"},
    {WIDTH, "width", "PIXELS", "width of the picture; default: 800"},
    {0, NULL, NULL, NULL},
};

static const paje_table table = {histogram_save, histogram_join, NULL, 0};

const paje_command command_histogram = {
    .name = "histogram",
    .summary = "Shows how long states last and links take: count, sum, percentiles and logarithmic bins",
    .details =
        "Of each type of states (with nested ones, which count in full) and of links the durations; entities that\n"
        "overlap the range of -s and -e count as a whole.  Of each bin: the number of them, its share, and the share\n"
        "of all their time.  Edges of bins have up to three digits: 1, 2, 5 or more of them for each power of ten, as\n"
        "--bins permits.  A bin begins with its lower edge.  Durations that are 0 have a bin of their own, so have\n"
        "those of links that end before they start.\n"
        "Percentiles are rounded down to three digits.  --by value and --by container (of links: where they start):\n"
        "the first 256 have their own; the rest of each type is one.  Aliases tell containers of one path apart.",
    .traces = 1,
    .trials = "FILE\n--by value --bins 7 -j 2 -o OUT FILE",
    .filters = PAJE_FILTERS | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = histogram_closed},
    .begin = begin,
    .end = end,
    .table = &table,
};
