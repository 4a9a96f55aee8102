/* paje matrix: who communicates with whom, by links. */
#include "matrix.h"
#include "commands/svg/svg.h"

enum { FORMAT = PAJE_LONG_ONLY, DEPTH, ROWS, BYTES, MEASURE, TITLE, WIDTH };
enum { TABLE, CSV, SVG };
enum { TABLE_ROWS = 10, PICTURE_ROWS = 256, LEAST_WIDTH = 300, MOST_WIDTH = 20000, DEFAULT_WIDTH = 1000 };

static int format, has_format, has_measure, width = DEFAULT_WIDTH;
static size_t most_rows;
static const char *output_name, *title; /* NULL: standard output; none */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (output_name && !has_format)
        format = SVG;
    if (matrix.measure == MATRIX_BYTES && !matrix.field)
        paje_usage(run->settings->command, "--measure bytes needs --bytes FIELD");
    if (matrix.field && !has_measure)
        matrix.measure = MATRIX_BYTES;
    if (output_name)
        svg_open_file(output_name, format == SVG);
}

static void tell(const paje_run *run)
{
    const char *name = run->source->name;
    if (matrix.without_bytes > 0)
        stream_message("%s: %llu of %llu links have no number called `%s`: no field of that name, no variable of their "
                       "containers%s", name, (unsigned long long)matrix.without_bytes, (unsigned long long)matrix.links,
                       matrix.field, matrix.without_bytes == matrix.links ? " (`paje info --types` lists them)" : "");
    if (matrix.backwards > 0)
        stream_message("%s: %llu of %llu links end before they start; `paje merge --align` aligns clocks of files",
                       name, (unsigned long long)matrix.backwards, (unsigned long long)matrix.links);
    if (matrix.lines > 0 && matrix.lines < matrix.links)
        stream_message("%s: %llu of %llu links are lines of the network, as they take no time and are there from the "
                       "creation of their containers on; --type chooses others", name, (unsigned long long)matrix.lines,
                       (unsigned long long)matrix.links);
}

static void end(paje_run *run, int trace)
{
    static const size_t rows[] = {TABLE_ROWS, SIZE_MAX, PICTURE_ROWS};
    (void)trace;
    chart_group_rows(&matrix.rows, NULL, SIZE_MAX); /* those that have links */
    chart_label_rows(&matrix.rows);
    if (format == TABLE)
        matrix_keep_heaviest();
    if (matrix.rows.items.count > (most_rows ? most_rows : rows[format]))
        chart_group_rows(&matrix.rows, NULL, most_rows ? most_rows : rows[format]);
    chart_label_rows(&matrix.rows);
    if (format == TABLE) {
        matrix_print_table();
        if (matrix.measure >= MATRIX_TIME)
            paje_suggest_unit(run);
    } else if (format == CSV) {
        matrix_print_csv();
    } else {
        int is_given = run->settings->filter.unit != NULL;
        matrix_draw(title, width, is_given ? 1 : paje_unit_of(run)->seconds,
                    is_given ? NULL : paje_guess_unit(run).reason);
    }
    svg_close_file();
    tell(run);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const formats[] = {"table", "csv", "svg", NULL};
    double number;
    int chosen;
    switch (key) {
    case 'j':
        return paje_parse_processes(argument, &settings->processes);
    case FORMAT:
        has_format = 1;
        return paje_parse_choice(argument, formats, &format) ? NULL : "no format: table, csv or svg";
    case MEASURE:
        has_measure = paje_parse_choice(argument, matrix_measures, &chosen);
        matrix.measure = (matrix_measure)chosen;
        return has_measure ? NULL : "no measure: count, bytes, time or mean";
    case BYTES:
        matrix.field = settings->variable = argument;
        return NULL;
    case TITLE:
        title = argument;
        return NULL;
    case 'o':
        output_name = argument;
        return NULL;
    default:
        break;
    }
    double least = key == DEPTH ? 0 : key == ROWS ? 1 : LEAST_WIDTH, most = key == WIDTH ? MOST_WIDTH : 1 << 16;
    if (!paje_parse_number(argument, &number) || !(number >= least && number <= most))
        return key == DEPTH ? "must be 0 to 65536" : key == ROWS ? "must be 1 to 65536" : "must be 300 to 20000 pixels";
    if (key == DEPTH)
        matrix.rows.depth = number < CHART_MOST_DEPTH ? (size_t)number : CHART_MOST_DEPTH;
    else if (key == ROWS)
        most_rows = (size_t)number;
    else
        width = (int)number;
    return NULL;
}

static const paje_option option_table[] = {
    {BYTES, "bytes", "FIELD", "sum up this user field of links, or `Value`, or this variable of their containers"},
    {DEPTH, "depth", "N", "containers further down belong to those at that depth; 1: those in the root"},
    {FORMAT, "format", "FORMAT", "table, csv or svg; default: table"},
    {'j', "jobs", "N", PAJE_JOBS_HELP},
    {MEASURE, "measure", "WHAT", "count (default), bytes (default with --bytes), time or mean, of latencies"},
    {'o', "output", "FILE", CHART_FILE_HELP},
    {ROWS, "rows", "N", "rows at most: neighbours are one then; default: 10 in a table, 256 in a picture"},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {WIDTH, "width", "PIXELS", "width of the picture; default: 1000"},
    {0, NULL, NULL, NULL},
};

static const paje_table table = {matrix_save, matrix_join, NULL, 0};

const paje_command command_matrix = {
    .name = "matrix",
    .summary = "Shows who communicates with whom: links from container to container, as table, CSV or heat map",
    .details =
        "Rows are the containers where links start, columns those where they end.  Cells of the table have three\n"
        "digits and a prefix (k, M, G; m, u, n); below are the pairs of containers that weigh most.  The format csv\n"
        "has a line for each pair, with all digits: the number of links, the sum of their times from start to end,\n"
        "the least and the greatest of them, the sum of --bytes, and the aliases, as several may have one path.\n"
        "--bytes FIELD looks for a user field of that name in the event that starts a link, then in that which ends\n"
        "it.  `Value` is the value of the link.  Else FIELD is a variable: what it is when both ends of the link are\n"
        "known, on the container where it starts, or else where it ends; with -e all of the trace is read for that.\n"
        "Links that overlap the range of -s and -e count as a whole.",
    .traces = 1,
    .trials = "FILE\n--bytes V --depth 1 -j 2 -o OUT FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = matrix_closed},
    .begin = begin,
    .end = end,
    .table = &table,
};
