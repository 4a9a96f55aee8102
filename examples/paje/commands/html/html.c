/* paje html: a diagram of space and time as a page that shows more the closer one looks.
 *
 * page.html is the page.  Its line @STYLE@ is replaced by page.css; @SCRIPT@ by data.js, draw.js and page.js; and
 * @DATA@ by one object of JSON:
 *
 *     name, seconds (the unit of times), first, last, bin (the width of bins)
 *     types   [name, kind, color, least, most, of]    least and most: of variables; of: its container type
 *     values  [type, name, color, weight]             weight: time of states, number of others; 0: it is not drawn
 *                                                     the first one stands for "other values"
 *     nodes   [parent, name, prefix, members, start, end, lanes, living]
 *                                                     the first one is the root; parents come first;
 *                                                     prefix 1: its name begins that of the one node below it;
 *                                                     living: members at a time on average, where these are fewer
 *     lanes   [kind, type, depth, entities, bins, fields]   fields: {index of an entity: its user fields}
 *     entities  of states     [start, end, value]     and time and count, where containers share the row
 *               of variables  [start, end, number]
 *               of events     [time, value]
 *     bins      of states     [at, value, time, count]   at: where they begin, in units of their width
 *               of variables  [at, mean, time, least, most, count]
 *               of events     [at, value, count]
 *     links   [from, to, type, value, start, end, count, fields]   from and to: nodes; fields: if there are any
 *     notes   sentences */
#include "base/encode.h"
#include "base/stream.h"
#include "command.h"
#include "timeline/timeline.h"

#include <math.h>

enum { ROWS = PAJE_LONG_ONLY, COLORS, ORDER, TITLE };
enum { MOST_PIECES = 1 << 18, MOST_LINKS = 1 << 13, LEAST_ROWS = 10, MOST_ROWS = 10000 };

/* What is written. */
typedef struct html_page {
    timeline tl;
    const char *name;  /* of the trace's file */
    const char *title; /* NULL: the name */
    uint32_t *numbers; /* of each node: its index in the page, which has only those that are shown */
    uint32_t node_count;
} html_page;

static html_page page;
static size_t most_rows = 250;
static text_buffer *const out = &stream_output;

/* The page, line by line. */
static const char *const page_lines[] = {
#include "commands/html/page.html.h"
};

static const char *const style_lines[] = {
#include "commands/html/page.css.h"
};

static const char *const script_lines[] = {
#include "commands/html/data.js.h"
#include "commands/html/draw.js.h"
#include "commands/html/page.js.h"
};

static const char *const kinds[] = {[PAJESIM_CONTAINER] = "container", [PAJESIM_STATE] = "state",
                                    [PAJESIM_EVENT] = "event", [PAJESIM_VARIABLE] = "variable",
                                    [PAJESIM_LINK] = "link"};

/* ---- elements of lists */

/* Begins an element of a list: all but the first are on a line of their own. */
static void begin_element(int *is_first)
{
    if (!*is_first) {
        text_putc(out, ',');
        stream_end_line();
    }
    *is_first = 0;
}

static void put_index(uint32_t index)
{
    text_put_integer(out, index);
}

/* A comma, and a number with six digits: without printf(), as there are many. */
static void put_rounded(double number)
{
    const double size = fabs(number);
    double scale = 1e9;
    text_putc(out, ',');
    if (!(size > 0) && !signbit(number)) {
        text_putc(out, '0');
        return;
    }
    if (!(size >= 1e-3 && size < 1e6)) {
        text_printf(out, "%.6g", number);
        return;
    }
    while (size * scale >= 1e6)
        scale /= 10;
    text_put_number(out, round(number * scale) / scale);
}

static void put_count(const lane_piece *piece)
{
    text_putc(out, ',');
    text_put_integer(out, piece->count);
}

static void put_color(uint32_t color)
{
    text_printf(out, ",\"#%06lx\"", (unsigned long)color);
}

/* Two numbers, with a comma between them. */
static void put_pair(double first, double second)
{
    text_put_number(out, first);
    text_putc(out, ',');
    text_put_number(out, second);
}

/* ---- types and values */

static void put_types(const timeline *tl)
{
    int is_first = 1;
    text_puts(out, "\"types\":[");
    for (uint32_t i = 0; i < tl->types.count; i++) {
        const timeline_type *type = type_at(tl, i);
        begin_element(&is_first);
        text_putc(out, '[');
        text_put_json(out, type->name);
        text_printf(out, ",\"%s\"", kinds[type->kind]);
        put_color(type->color);
        text_putc(out, ',');
        put_pair(type->least, type->most);
        text_putc(out, ',');
        text_put_json(out, type->container_type);
        text_putc(out, ']');
    }
    text_putc(out, ']');
}

static void put_values(const timeline *tl)
{
    int is_first = 1;
    text_puts(out, ",\n\"values\":[");
    for (uint32_t i = 0; i < tl->values.count; i++) {
        const timeline_value *value = value_at(tl, i);
        begin_element(&is_first);
        text_printf(out, "[%lu,", (unsigned long)value->type);
        text_put_json(out, value->name);
        put_color(value->color);
        text_printf(out, ",%.6g]", fmax(value->weight, 0));
    }
    text_putc(out, ']');
}

/* ---- nodes, lanes, pieces */

static void put_entity(const timeline_node *node, const timeline_lane *lane, const lane_piece *piece)
{
    text_putc(out, '[');
    if (lane->kind == PAJESIM_EVENT)
        text_put_number(out, piece->start);
    else
        put_pair(piece->start, piece->end);
    text_putc(out, ',');
    if (lane->kind == PAJESIM_VARIABLE)
        text_put_number(out, piece->least);
    else
        put_index(piece->value);
    if (lane->kind == PAJESIM_STATE && timeline_is_shared(node)) {
        text_putc(out, ',');
        if (piece->time < 0) /* what a nested state takes from the one around it */
            text_put_span(out, piece->end, piece->start);
        else
            text_put_span(out, piece->start, piece->end);
        put_count(piece);
    }
    text_putc(out, ']');
}

static void put_bin(double width, const timeline_lane *lane, const lane_piece *piece)
{
    const double bin = piece->start / width; /* a whole number */
    text_putc(out, '[');
    if (fabs(bin) < 1e15 && !signbit(bin))
        text_put_integer(out, llround(bin));
    else
        text_printf(out, "%.0f", bin);
    if (lane->kind == PAJESIM_VARIABLE) {
        put_rounded(piece->time > 0 ? piece->sum / piece->time : piece->most);
        put_rounded(piece->time);
        put_rounded(piece->least);
        put_rounded(piece->most);
    } else {
        text_putc(out, ',');
        put_index(piece->value);
    }
    if (lane->kind == PAJESIM_STATE)
        put_rounded(piece->time);
    put_count(piece);
    text_putc(out, ']');
}

static void put_pieces(const timeline *tl, const timeline_node *node, const timeline_lane *lane, unsigned exact)
{
    int is_first = 1;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        if (piece->exact != exact || piece->end < tl->first || piece->start > tl->last)
            continue;
        begin_element(&is_first);
        if (exact)
            put_entity(node, lane, piece);
        else
            put_bin(tl->bin, lane, piece);
    }
}

/* Puts the user fields of the entities that put_pieces() has put. */
static void put_fields(const timeline *tl, const timeline_lane *lane)
{
    int is_first = 1;
    unsigned long index = 0;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        if (!piece->exact || piece->end < tl->first || piece->start > tl->last)
            continue;
        if (piece->fields) {
            if (is_first)
                text_puts(out, ",{");
            begin_element(&is_first);
            text_printf(out, "\"%lu\":", index);
            text_put_json(out, timeline_fields(tl, piece->fields));
        }
        index++;
    }
    if (!is_first)
        text_putc(out, '}');
}

static void put_lanes(const timeline *tl, const timeline_node *node)
{
    int is_first = 1;
    for (const timeline_lane *lane = node->lanes; lane; lane = lane->next) {
        if (lane->depth == LANE_NESTED)
            continue;
        begin_element(&is_first);
        text_printf(out, "[\"%s\",%lu,%lu,[", kinds[lane->kind], (unsigned long)lane->type, (unsigned long)lane->depth);
        put_pieces(tl, node, lane, 1);
        text_puts(out, "],[");
        put_pieces(tl, node, lane, 0);
        text_putc(out, ']');
        put_fields(tl, lane);
        text_putc(out, ']');
    }
}

/* Puts a node and those below; the recursion is at most TIMELINE_LEVELS deep. */
static void put_nodes(html_page *html, uint32_t at, uint32_t parent)
{
    const timeline *tl = &html->tl;
    const timeline_node *node = node_at(tl, at);
    text_buffer name = {0};
    int is_first = at == 0;
    if (!node->is_shown)
        return;
    html->numbers[at] = html->node_count++;
    begin_element(&is_first);
    timeline_put_name(&name, tl, at);
    text_printf(out, "[%lu,", (unsigned long)parent);
    text_put_json(out, text_view(&name));
    text_printf(out, ",%d,%lu,", node->is_prefix, (unsigned long)node->members);
    put_pair(node->start, node->end);
    text_puts(out, ",[");
    put_lanes(tl, node);
    text_putc(out, ']');
    double living = timeline_living(tl, node);
    if (living < node->members) {
        text_putc(out, ',');
        text_put_number(out, living);
    }
    text_putc(out, ']');
    text_free(&name);
    for (uint32_t child = node->first; child; child = node_at(tl, child)->next)
        put_nodes(html, child, html->numbers[at]);
}

/* ---- links and notes */

static void put_links(const html_page *html)
{
    int is_first = 1;
    text_puts(out, ",\n\"links\":[");
    for (size_t i = 0; i < html->tl.links.count; i++) {
        const timeline_link *link = &html->tl.links.items[i];
        begin_element(&is_first);
        text_printf(out, "[%lu,%lu,%lu,%lu,", (unsigned long)html->numbers[link->from],
                    (unsigned long)html->numbers[link->to], (unsigned long)link->type, (unsigned long)link->value);
        put_pair(link->start, link->end);
        text_printf(out, ",%lu", (unsigned long)link->count);
        if (link->fields) {
            text_putc(out, ',');
            text_put_json(out, timeline_fields(&html->tl, link->fields));
        }
        text_putc(out, ']');
    }
    text_putc(out, ']');
}

static void put_notes(const timeline *tl)
{
    text_buffer notes = {0};
    int is_first = 1;
    timeline_put_notes(&notes, tl);
    text_puts(out, ",\n\"notes\":[");
    for (size_t at = 0, size; at < notes.size; at += size + 1) {
        size = strcspn(notes.bytes + at, "\n");
        begin_element(&is_first);
        text_put_json(out, (pajesim_text){notes.bytes + at, size});
    }
    text_putc(out, ']');
    text_free(&notes);
}

static void put_data(html_page *html)
{
    const timeline *tl = &html->tl;
    html->numbers = memory_alloc_zero(tl->nodes.count, sizeof *html->numbers);
    text_puts(out, "{\"name\":");
    text_put_json(out, text_of(html->title ? html->title : html->name));
    text_puts(out, ",\"seconds\":");
    text_put_number(out, tl->seconds);
    text_puts(out, ",\"first\":");
    text_put_number(out, tl->first);
    text_puts(out, ",\"last\":");
    text_put_number(out, tl->last);
    text_puts(out, ",\"bin\":");
    text_put_number(out, tl->bin);
    text_puts(out, ",\n");
    put_types(tl);
    put_values(tl);
    text_puts(out, ",\n\"nodes\":[");
    put_nodes(html, 0, 0);
    text_putc(out, ']');
    put_links(html);
    put_notes(tl);
    text_putc(out, '}');
    stream_end_line();
    free(html->numbers);
}

static void put_lines(const char *const *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_puts(out, lines[i]);
        stream_end_line();
    }
}

/* ---- the command */

static void begin(paje_run *run, int trace)
{
    timeline *tl = &page.tl;
    const char *slash = strrchr(run->source->name, '/');
    (void)trace;
    page.name = slash ? slash + 1 : run->source->name;
    tl->most_rows = most_rows;
    tl->most_pieces = MOST_PIECES;
    tl->most_links = MOST_LINKS;
    if (!timeline_begin(tl, run))
        paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    timeline_finish(&page.tl, run);
    timeline_suggest(&page.tl, run);
    for (size_t i = 0; i < sizeof page_lines / sizeof *page_lines; i++) {
        if (strcmp(page_lines[i], "@STYLE@") == 0)
            put_lines(style_lines, sizeof style_lines / sizeof *style_lines);
        else if (strcmp(page_lines[i], "@SCRIPT@") == 0)
            put_lines(script_lines, sizeof script_lines / sizeof *script_lines);
        else if (strcmp(page_lines[i], "@DATA@") == 0)
            put_data(&page);
        else
            put_lines(&page_lines[i], 1);
    }
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    if (key == 'j') {
        timeline_share(&page.tl, settings);
        return paje_parse_processes(argument, &settings->processes);
    }
    if (key == COLORS)
        return palette_option(&page.tl.palette, argument);
    if (key == ORDER)
        return timeline_order_option(&page.tl, argument);
    if (key == TITLE) {
        page.title = argument;
        return NULL;
    }
    if (!paje_parse_number(argument, &number) || !(number >= LEAST_ROWS && number <= MOST_ROWS))
        return "must be 10 to 10000 rows";
    most_rows = (size_t)number;
    return NULL;
}

static const paje_option option_table[] = {
    {COLORS, "colors", "WHOSE", PALETTE_HELP},
    {'j', "jobs", "N", TIMELINE_JOBS_HELP},
    {ORDER, "order", "ORDER", TIMELINE_ORDER_HELP},
    {ROWS, "rows", "N", "at most so many rows: beyond, neighbours share one; default: 250"},
    {TITLE, "title", "TEXT", "the title of the page; default: the name of the file"},
    {0, NULL, NULL, NULL},
};

const paje_command command_html = {
    .name = "html",
    .summary = "Writes a page that shows a diagram of space and time, to zoom into and to search",
    .details = "The page is one file that needs nothing else.  The wheel zooms time; with shift, the height of rows.\n"
               "Dragging moves; tooltips say what is below the pointer; a double click shows all.  A click on the\n"
               "name of a container with others in it collapses it; with shift, all of its level.  Large traces are\n"
               "summed up in bins of time, and in rows of several containers; the page says so.\n"
               "-s and -e set the range of time that is drawn.",
    .traces = 1,
    .trials = "FILE\n-j 2 FILE\n--rows 10 --type S FILE\n-s 1 -e 4 --container p FILE",
    .filters = TIMELINE_FILTERS,
    .options = option_table,
    .option = option,
    .callbacks = TIMELINE_CALLBACKS,
    .begin = begin,
    .end = end,
    .table = &timeline_table,
};
