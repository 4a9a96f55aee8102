/* paje html: a diagram of space and time as a page that shows more the closer one looks.
 *
 * html.html is the page.  It gets, in place of the line @DATA@, one object of JSON:
 *
 *     name, seconds (the unit of times), first, last, bin (the width of bins)
 *     types   [name, kind, color, least, most, of]               least and most: of variables; of: its container type
 *     values  [type, name, color, used]                          the first one stands for "other values"
 *     nodes   [parent, name, prefix, members, start, end, lanes] the first one is the root; parents come first;
 *                                                                prefix 1: its name begins that of the one in it
 *     lanes   [kind, type, depth, entities, bins]
 *     entities, of states     [start, end, value]                and time and count, where containers share the row
 *               of variables  [start, end, number]
 *               of events     [time, value]
 *     bins      of states     [at, value, time, count]           at: where they begin, in units of their width
 *               of variables  [at, mean, time, least, most, count]
 *               of events     [at, value, count]
 *     links   [from, to, type, value, start, end, count]         from and to: nodes
 *     notes   sentences */
#include "diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = DIAGRAM_OWN_OPTIONS };
enum { MOST_PIECES = 1 << 18, MOST_LINKS = 1 << 13, LEAST_ROWS = 10, MOST_ROWS = 10000 };

static size_t most_rows = 250;
static const char *file_name;
static paje_buffer *const out = &paje_output;

static const char *const page[] = {
#include "commands/html.html.h"
};
enum { PAGE_LINES = sizeof page / sizeof *page };

static const char *const kinds[] = {[PAJESIM_CONTAINER] = "container", [PAJESIM_STATE] = "state",
                                    [PAJESIM_EVENT] = "event", [PAJESIM_VARIABLE] = "variable",
                                    [PAJESIM_LINK] = "link"};

/* Adds the format, in which each ~ stands for a number, a double. */
static void add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (;;) {
        size_t size = strcspn(format, "~");
        paje_add(out, format, size);
        if (!format[size])
            break;
        paje_add_number(out, va_arg(arguments, double));
        format += size + 1;
    }
    va_end(arguments);
}

/* Between the parts of a list: all but the first on a line of their own. */
static void begin_part(int *is_first)
{
    if (!*is_first) {
        paje_add(out, ",", 1);
        paje_end_line();
    }
    *is_first = 0;
}

static void add_color(uint32_t color)
{
    paje_addf(out, ",\"#%06lx\"", (unsigned long)color);
}

static void add_types(void)
{
    int is_first = 1;
    paje_addf(out, "\"types\":[");
    for (size_t i = 0; i < diagram.type_count; i++) {
        const diagram_type *type = &diagram.types[i];
        begin_part(&is_first);
        paje_add(out, "[", 1);
        paje_add_json(out, type->name);
        paje_addf(out, ",\"%s\"", kinds[type->kind]);
        add_color(type->color);
        add(",~,~,", type->least, type->most);
        paje_add_json(out, type->of);
        paje_add(out, "]", 1);
    }
    is_first = 1;
    paje_addf(out, "],\n\"values\":[");
    for (size_t i = 0; i < diagram.value_count; i++) {
        const diagram_value *value = &diagram.values[i];
        begin_part(&is_first);
        paje_addf(out, "[%lu,", (unsigned long)value->type);
        paje_add_json(out, value->name);
        add_color(value->color);
        paje_addf(out, ",%d]", value->weight > 0);
    }
    paje_addf(out, "]");
}

static void add_entity(const diagram_node *node, const diagram_lane *lane, const diagram_piece *piece)
{
    add("[~,", piece->start);
    if (lane->kind != PAJESIM_EVENT)
        add("~,", piece->end);
    if (lane->kind == PAJESIM_VARIABLE)
        add("~", piece->least);
    else
        paje_addf(out, "%lu", (unsigned long)piece->value);
    if (lane->kind == PAJESIM_STATE && diagram_is_shared(node)) {
        add(",~", piece->time);
        paje_addf(out, ",%d", (int)piece->count);
    }
    paje_add(out, "]", 1);
}

static void add_bin(const diagram_lane *lane, const diagram_piece *piece)
{
    paje_addf(out, "[%.0f,", piece->start / diagram.bin);
    if (lane->kind == PAJESIM_VARIABLE)
        paje_addf(out, "%.6g,%.6g,%.6g,%.6g", piece->time > 0 ? piece->sum / piece->time : piece->most, piece->time,
                  piece->least, piece->most);
    else
        paje_addf(out, "%lu", (unsigned long)piece->value);
    if (lane->kind == PAJESIM_STATE)
        paje_addf(out, ",%.6g", piece->time);
    paje_addf(out, ",%d]", (int)piece->count);
}

static void add_pieces(const diagram_node *node, const diagram_lane *lane, int are_exact)
{
    int is_first = 1;
    for (size_t i = 0; i < lane->count; i++) {
        const diagram_piece *piece = &lane->pieces[i];
        if ((int)piece->exact != are_exact || piece->end < diagram.first || piece->start > diagram.last)
            continue;
        begin_part(&is_first);
        if (are_exact)
            add_entity(node, lane, piece);
        else
            add_bin(lane, piece);
    }
}

static void add_lanes(const diagram_node *node)
{
    int is_first = 1;
    for (const diagram_lane *lane = node->lanes; lane; lane = lane->next) {
        if (lane->depth == DIAGRAM_DEPTHS)
            continue;
        begin_part(&is_first);
        paje_addf(out, "[\"%s\",%lu,%lu,[", kinds[lane->kind], (unsigned long)lane->type, (unsigned long)lane->depth);
        add_pieces(node, lane, 1);
        paje_addf(out, "],[");
        add_pieces(node, lane, 0);
        paje_addf(out, "]]");
    }
}

/* The number that the page knows a node by. */
static uint32_t *numbers, node_count;

/* The node and those in it; as deep as DIAGRAM_LEVELS. */
static void add_nodes(uint32_t at, uint32_t parent)
{
    const diagram_node *node = &diagram.nodes[at];
    paje_buffer name = {0};
    int is_first = at == 0;
    if (!node->is_shown)
        return;
    numbers[at] = node_count++;
    begin_part(&is_first);
    diagram_add_name(&name, at);
    paje_addf(out, "[%lu,", (unsigned long)parent);
    paje_add_json(out, paje_text(&name));
    paje_addf(out, ",%d,%lu", node->is_prefix, (unsigned long)node->members);
    add(",~,~,", node->start, node->end);
    paje_addf(out, "[");
    add_lanes(node);
    paje_addf(out, "]]");
    paje_release(&name);
    for (uint32_t child = node->first; child; child = diagram.nodes[child].next)
        add_nodes(child, numbers[at]);
}

static void add_links(void)
{
    int is_first = 1;
    paje_addf(out, ",\n\"links\":[");
    for (size_t i = 0; i < diagram.link_count; i++) {
        const diagram_link *link = &diagram.links[i];
        begin_part(&is_first);
        paje_addf(out, "[%lu,%lu,%lu,%lu", (unsigned long)numbers[link->from], (unsigned long)numbers[link->to],
                  (unsigned long)link->type, (unsigned long)link->value);
        add(",~,~", link->start, link->end);
        paje_addf(out, ",%lu]", (unsigned long)link->count);
    }
    paje_addf(out, "]");
}

static void add_notes(void)
{
    paje_buffer notes = {0};
    int is_first = 1;
    diagram_add_notes(&notes);
    paje_addf(out, ",\n\"notes\":[");
    for (size_t at = 0, size; at < notes.size; at += size + 1) {
        size = strcspn(notes.bytes + at, "\n");
        begin_part(&is_first);
        paje_add_json(out, (pajesim_text){notes.bytes + at, size});
    }
    paje_addf(out, "]");
    paje_release(&notes);
}

static void add_data(void)
{
    size_t size = diagram.node_count * sizeof *numbers;
    numbers = memset(paje_room(NULL, size), 0, size);
    paje_addf(out, "{\"name\":");
    paje_add_json(out, (pajesim_text){file_name, strlen(file_name)});
    add(",\"seconds\":~,\"first\":~,\"last\":~,\"bin\":~,\n", diagram.seconds, diagram.first, diagram.last,
        diagram.bin);
    add_types();
    paje_addf(out, ",\n\"nodes\":[");
    add_nodes(0, 0);
    paje_addf(out, "]");
    add_links();
    add_notes();
    paje_addf(out, "}");
    paje_end_line();
    free(numbers);
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    const char *slash = strrchr(run->source->name, '/');
    file_name = slash ? slash + 1 : run->source->name;
    diagram.most_rows = most_rows;
    diagram.most_pieces = MOST_PIECES;
    diagram.most_links = MOST_LINKS;
    diagram_begin(run);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    (void)run;
    diagram_finish();
    for (size_t i = 0; i < PAGE_LINES; i++) {
        if (strcmp(page[i], "@DATA@") == 0) {
            add_data();
        } else {
            paje_add(out, page[i], strlen(page[i]));
            paje_end_line();
        }
    }
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    (void)settings;
    if (key < DIAGRAM_OWN_OPTIONS)
        return diagram_option(key, argument);
    if (!paje_parse_number(argument, &number) || !(number >= LEAST_ROWS && number <= MOST_ROWS))
        return "no number of rows: 10 to 10000";
    most_rows = (size_t)number;
    return NULL;
}

static const paje_option option_table[] = {
    DIAGRAM_OPTIONS,
    {ROWS, "rows", "N", "at most that many; beyond, neighbours share one; default: 250"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_html = {
    .name = "html",
    .summary = "Writes a page that shows a diagram of space and time, to zoom into and to search",
    .details = "One file, which needs nothing else.  The wheel zooms time, with shift the height of rows; dragging\n"
               "moves; the pointer tells what it is on; a double click shows all.  Large traces are summed up, in\n"
               "bins of time and rows of several containers; the page says so.\n"
               "--container, --type: several may be given, of which one must fit.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = DIAGRAM_CALLBACKS,
    .begin = begin,
    .end = end,
};
