/* paje svg: a diagram of space and time, for papers and browsers. */
#include "svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = DIAGRAM_OWN_OPTIONS, HEIGHT };

enum {
    LEAST_WIDTH = 300,
    LEAST_HEIGHT = 60,
    MOST_SIZE = 20000,
    LEGEND_TYPES = 24,
    LEGEND_COLUMN = 6, /* one below the other; more are side by side */
    LEGEND_VALUES = 48, /* of a type */
    MOST_TITLES = 5000,
    MOST_LINKS = 2048,
    FEW_LINKS = 300, /* that bear a head */
    SWATCH = 10
};

static int width = 1000, height = 900; /* of the rows: at most */
static paje_buffer *const out = &paje_output;

/* ---- the tree, on the left */

static const char grey[] = " fill=\"#666\"";

/* The text, or as much of it as fits, and an ellipsis. */
static void add_text_within(pajesim_text text, double size, double room)
{
    pajesim_text part = text;
    if (svg_text_width(text, size) > room)
        for (size_t at = part.size = 0; at < text.size;) {
            size_t character = paje_character(text.bytes + at, text.size - at);
            at += character ? character : 1;
            if (svg_text_width((pajesim_text){text.bytes, at}, size) > room - size)
                break;
            part.size = at;
        }
    paje_add_xml(out, part);
    if (part.size < text.size)
        paje_addf(out, "\xe2\x80\xa6");
}

static void draw_text(double x, double y, double room, pajesim_text text, double size, const char *attributes)
{
    svg_add("<text x=\"~\" y=\"~\" font-size=\"~\"", x, y, size);
    paje_addf(out, "%s>", attributes);
    add_text_within(text, size, room);
    paje_addf(out, "</text>\n");
}

/* Which lines of the tree's column have a name. */
static unsigned char *taken;

/* Answers 0 if there is no room for a name around there. */
static int take(int middle)
{
    int from = middle - SVG_TEXT / 2, to = from + SVG_TEXT;
    if (from < 0 || to > svg.bottom + SVG_TEXT)
        return 0;
    for (int i = from; i < to; i++)
        if (taken[i])
            return 0;
    memset(taken + from, 1, (size_t)(to - from));
    return 1;
}

static void draw_name(const svg_row *row, int is_headline)
{
    const diagram_node *node = &diagram.nodes[row->node];
    const svg_place *place = &svg.places[row->node];
    int middle = row->y + row->height / 2;
    paje_buffer name = {0};
    diagram_add_name(&name, row->node);
    int is_taken = name.size > 0 && take(middle);
    if (!is_taken && is_headline && name.size > 0) /* somewhere beside what is in it */
        for (middle = place->top + SVG_TEXT / 2; middle < place->bottom && !is_taken; middle += !is_taken)
            is_taken = take(middle);
    if (is_taken) {
        double x = svg_label_x(row->node), label = svg_label_beside(row, paje_text(&name));
        draw_text(x, middle + 4, svg.x - 6 - x - label, paje_text(&name), SVG_TEXT,
                  node->first ? " font-weight=\"bold\"" : "");
    }
    paje_release(&name);
}

static void draw_tree(void)
{
    taken = memset(paje_room(NULL, (size_t)svg.bottom + SVG_TEXT), 0, (size_t)svg.bottom + SVG_TEXT);
    for (uint32_t level = 0; level <= DIAGRAM_LEVELS; level++) /* what stands above others first */
        for (size_t i = 0; i < svg.row_count; i++) {
            const svg_row *row = &svg.rows[i];
            if (row->is_first && diagram.nodes[row->node].level == level)
                draw_name(row, diagram.nodes[row->node].first != 0);
        }
    for (size_t i = 0; i < svg.row_count; i++) {
        const svg_row *row = &svg.rows[i];
        if (svg_has_label(row))
            draw_text(svg.x - 6, row->y + row->height / 2 + 3.5, svg_label_room(row), svg_row_name(row), SVG_SMALL,
                      " text-anchor=\"end\" fill=\"#666\"");
    }
    paje_addf(out, "<path stroke=\"#bbb\" fill=\"none\" d=\"");
    for (uint32_t i = 1; i < diagram.node_count; i++) {
        const diagram_node *node = &diagram.nodes[i];
        const svg_place *place = &svg.places[i];
        if (node->is_shown && !node->is_prefix && node->first && place->bottom - place->top > SVG_LINE)
            svg_add("M~ ~V~", svg_label_x(i) - 4.5, place->top + 1.5, place->bottom - 1.5);
    }
    paje_addf(out, "\"/>");
    paje_end_line();
    free(taken);
}

/* ---- the axis of time */

/* 1, 2 or 5 times a power of ten. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void draw_axis(void)
{
    enum { BETWEEN_TICKS = 80 };
    diagram_unit unit = diagram_unit_of(diagram.last - diagram.first);
    double first = diagram.first / unit.size, last = diagram.last / unit.size;
    double step = round_step((last - first) * BETWEEN_TICKS / svg.width), base = 0;
    int decimals = (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), 12);
    if (fmax(fabs(first), fabs(last)) / step >= 1e6) /* too many digits for each label */
        base = floor(first / step) * step;
    svg_add("<path stroke=\"#000\" stroke-opacity=\".12\" d=\"");
    double tick = ceil((first - base) / step - 1e-6);
    for (double i = tick; base + i * step <= last + 1e-6 * step && i < tick + svg.width; i++) {
        double x = round(svg_x((base + i * step) * unit.size)) + 0.5;
        svg_add("M~ ~V~", x, (double)svg.top, (double)svg.bottom + 4);
    }
    svg_add("\"/>\n<path stroke=\"#444\" d=\"M~ ~h~\"/>\n<g font-size=\"~\" text-anchor=\"middle\">\n", (double)svg.x,
            svg.bottom + 0.5, (double)svg.width, (double)SVG_SMALL);
    for (double i = tick; base + i * step <= last + 1e-6 * step && i < tick + svg.width; i++) {
        svg_add("<text x=\"~\" y=\"~\">", svg_x((base + i * step) * unit.size), (double)svg.bottom + SVG_LINE);
        paje_addf(out, "%.*f</text>\n", decimals, fabs(i) > 0 ? i * step : 0);
    }
    svg_add("</g>\n<text x=\"~\" y=\"~\" font-size=\"~\" text-anchor=\"end\">", (double)svg.x - 14,
            (double)svg.bottom + SVG_LINE, (double)SVG_SMALL);
    paje_addf(out, "time [%s]", unit.name);
    if (base > 0 || base < 0)
        paje_addf(out, " from %.15g s", base * unit.size * diagram.seconds);
    paje_addf(out, "</text>");
    paje_end_line();
}

/* ---- links */

static uint32_t color_of_link(const diagram_link *link)
{
    return link->value == DIAGRAM_OTHER_VALUES ? diagram.types[link->type].color : diagram.values[link->value].color;
}

/* The head of arrows of that colour. */
static void add_head(uint32_t color)
{
    paje_addf(out, "<marker id=\"head-%06lx\" viewBox=\"0 0 8 6\" refX=\"8\" refY=\"3\" markerWidth=\"8\" "
                   "markerHeight=\"6\" markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path d=\"M0 0L8 3L0 6z\"",
              (unsigned long)color);
    svg_add_color("fill", color);
    paje_addf(out, "/></marker>");
    paje_end_line();
}

static int compare_colors(const void *left, const void *right)
{
    const diagram_link *a = left, *b = right;
    uint32_t first = color_of_link(a), second = color_of_link(b);
    if (first != second)
        return first < second ? -1 : 1;
    return (a->start > b->start) - (a->start < b->start);
}

/* The part of it that is in the window. */
static void draw_link(const diagram_link *link, int has_head)
{
    double length = link->end - link->start, y = svg.places[link->from].anchor;
    double fall = svg.places[link->to].anchor - y;
    double from = fmin(fmax(link->start, diagram.first), diagram.last);
    double to = fmin(fmax(link->end, diagram.first), diagram.last);
    double top = y, bottom = y + fall;
    if (length > 0 || length < 0) {
        top = y + (from - link->start) / length * fall;
        bottom = y + (to - link->start) / length * fall;
    }
    has_head = has_head && fabs(svg_x(to) - svg_x(from)) + fabs(bottom - top) > 4;
    svg_add("<path d=\"M~ ~L~ ~\"", svg_x(from), top, svg_x(to), bottom);
    svg_add_color("stroke", color_of_link(link));
    if (has_head && !(to < link->end))
        paje_addf(out, " marker-end=\"url(#head-%06lx)\"", (unsigned long)color_of_link(link));
    paje_addf(out, svg_has_titles ? ">" : "/>");
    svg_add_title(link->type, link->value, link->start, link->end, link->count);
    paje_addf(out, svg_has_titles ? "</path>" : "");
    paje_end_line();
}

static void draw_links(void)
{
    size_t seen = diagram.link_count;
    if (seen == 0)
        return;
    qsort(diagram.links, seen, sizeof *diagram.links, compare_colors);
    int has_heads = seen <= FEW_LINKS;
    for (size_t i = 0; has_heads && i < seen; i++)
        if (i == 0 || color_of_link(&diagram.links[i]) != color_of_link(&diagram.links[i - 1]))
            add_head(color_of_link(&diagram.links[i]));
    svg_add("<g fill=\"none\" stroke-width=\"~\" stroke-opacity=\"~\">\n", has_heads ? 1.0 : 0.7,
            has_heads ? 0.9 : fmax(0.15, 0.6 * sqrt(FEW_LINKS / (double)seen)));
    for (size_t i = 0; i < seen; i++)
        draw_link(&diagram.links[i], has_heads);
    paje_addf(out, "</g>");
    paje_end_line();
}

/* ---- the legend, and what there is to say */

static double legend_x, legend_y;

/* Room for an item of that width; the next line, if this one is full. */
static void begin_item(double item, double indent)
{
    if (legend_x + item > width - 8 && legend_x > indent) {
        legend_x = indent;
        legend_y += SVG_LINE + 1;
    }
}

static void draw_item(pajesim_kind kind, uint32_t color, pajesim_text name, double indent)
{
    double room = width - 3 * SWATCH - indent, item = fmin(svg_text_width(name, SVG_TEXT), room) + SWATCH + 18;
    begin_item(item, indent);
    if (kind == PAJESIM_LINK)
        svg_add("<path fill=\"none\" d=\"M~ ~h~m-4 -3l4 3l-4 3\"", legend_x, legend_y - 4, (double)SWATCH);
    else if (kind == PAJESIM_EVENT)
        svg_add("<path d=\"M~ ~h6l-3 8z\"", legend_x + 2, legend_y - 8);
    else
        svg_add("<rect x=\"~\" y=\"~\" width=\"~\" height=\"~\" stroke=\"#000\" stroke-opacity=\".25\"", legend_x,
                legend_y - 8.5, (double)SWATCH, (double)SWATCH);
    svg_add_color(kind == PAJESIM_LINK ? "stroke" : "fill", color);
    paje_addf(out, "/>");
    draw_text(legend_x + SWATCH + 4, legend_y, room, name, SVG_TEXT, "");
    legend_x += item;
}

static void draw_rest(unsigned count, const char *what, double indent)
{
    paje_buffer text = {0};
    paje_addf(&text, "and %u %s", count, what);
    begin_item(svg_text_width(paje_text(&text), SVG_TEXT), indent);
    if (count)
        draw_text(legend_x, legend_y, width, paje_text(&text), SVG_TEXT, grey);
    paje_release(&text);
}

static int has_own_colors(uint32_t type)
{
    for (uint32_t i = 1; i < diagram.value_count; i++)
        if (diagram.values[i].type == type && diagram.values[i].weight > 0 && diagram.values[i].own_color)
            return 1;
    return 0;
}

static void draw_values(uint32_t type, double indent)
{
    unsigned left = 0;
    for (uint32_t i = 1; i < diagram.value_count; i++) {
        uint32_t heavier = 0;
        if (diagram.values[i].type != type || !(diagram.values[i].weight > 0))
            continue;
        for (uint32_t k = 1; k < diagram.value_count; k++)
            heavier += diagram.values[k].type == type && diagram.values[k].weight > diagram.values[i].weight;
        if (heavier < LEGEND_VALUES)
            draw_item(diagram.types[type].kind, diagram.values[i].color, diagram.values[i].name, indent);
        else
            left++;
    }
    draw_rest(left, "of less time", indent);
}

static int is_drawn(uint32_t type)
{
    const diagram_type *it = &diagram.types[type];
    if (it->kind == PAJESIM_VARIABLE)
        return it->most > it->least;
    for (uint32_t i = 1; i < diagram.value_count; i++)
        if (diagram.values[i].type == type && diagram.values[i].weight > 0)
            return 1;
    return 0;
}

static int is_same(pajesim_text a, pajesim_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Its name, and that of its container type where there are others of that name. */
static pajesim_text legend_name(uint32_t type)
{
    static paje_buffer longer;
    pajesim_text name = diagram.types[type].name;
    uint32_t other = 0;
    while (other < diagram.type_count &&
           (other == type || !is_drawn(other) || !is_same(diagram.types[other].name, name)))
        other++;
    if (other == diagram.type_count)
        return name;
    longer.size = 0;
    paje_add_text(&longer, name);
    paje_add(&longer, " (", 2);
    paje_add_text(&longer, diagram.types[type].of);
    paje_add(&longer, ")", 1);
    return paje_text(&longer);
}

/* Whether it is one item: there is nothing to tell of single values. */
static int is_short(uint32_t at)
{
    const diagram_type *type = &diagram.types[at];
    return type->kind == PAJESIM_VARIABLE || (type->kind != PAJESIM_STATE && !has_own_colors(at));
}

static void add_short(paje_buffer *text, const diagram_type *type)
{
    if (type->kind == PAJESIM_VARIABLE)
        paje_addf(text, "from %g to %g", type->least, type->most);
    else
        paje_addf(text, "%llu %s%s", (unsigned long long)type->count, type->kind == PAJESIM_LINK ? "link" : "event",
                  type->count == 1 ? "" : "s");
}

/* The name of a type at `x`, and what there is to say of it `indent` further on. */
static void draw_type(uint32_t at, double x, double indent)
{
    const diagram_type *type = &diagram.types[at];
    paje_buffer text = {0};
    legend_x = x + indent;
    draw_text(x + 8, legend_y, indent - 14, legend_name(at), SVG_TEXT, grey);
    add_short(&text, type);
    if (is_short(at))
        draw_item(type->kind, type->color, paje_text(&text), legend_x);
    else
        draw_values(at, legend_x);
    paje_release(&text);
}

/* Each type on a line of its own; side by side, where there are many that take one item. */
static void draw_legend(void)
{
    double indent = 60, widest = 0, x = 0, column;
    unsigned drawn = 0, shorts = 0;
    paje_buffer text = {0};
    for (uint32_t i = 0; i < diagram.type_count; i++)
        if (is_drawn(i)) {
            indent = fmax(indent, 22 + svg_text_width(legend_name(i), SVG_TEXT));
            shorts += (unsigned)is_short(i);
            text.size = 0;
            add_short(&text, &diagram.types[i]);
            widest = fmax(widest, SWATCH + 22 + svg_text_width(paje_text(&text), SVG_TEXT));
        }
    paje_release(&text);
    indent = fmin(indent, fmax(svg.x, 200));
    column = shorts > LEGEND_COLUMN ? indent + widest : width;
    legend_y = svg.bottom + 2 * SVG_LINE;
    for (uint32_t i = 0, last = 0; i < diagram.type_count; i++)
        if (is_drawn(i) && drawn++ < LEGEND_TYPES) {
            int is_beside = drawn > 1 && is_short(i) && is_short(last) && x + 2 * column <= width;
            x = is_beside ? x + column : 0;
            legend_y += is_beside ? 0 : SVG_LINE + 1;
            draw_type(i, x, indent);
            last = i;
        }
    if (drawn > LEGEND_TYPES) {
        legend_x = 8;
        legend_y += SVG_LINE + 1;
        draw_rest(drawn - LEGEND_TYPES, "more types", 8);
    }
}

static void draw_notes(void)
{
    paje_buffer notes = {0};
    int is_summed = diagram.most_members > 1 || diagram.bin > 0, has_thin = 0, has_shares = 0;
    for (size_t i = 0; i < svg.row_count; i++)
        if (svg.rows[i].lane && svg.rows[i].lane->kind == PAJESIM_STATE)
            *(svg.rows[i].height <= SVG_THIN ? &has_thin : &has_shares) = 1;
    diagram_add_notes(&notes);
    if (has_thin)
        paje_addf(&notes, "A pixel has the colour of the innermost state that takes most of its time.\n");
    else if (has_shares && (is_summed || svg_has_narrow))
        paje_addf(&notes, "Where states are narrower than %d pixels%s, heights are their shares of the time.\n",
                  SVG_WIDE, diagram.most_members > 1 ? ", or containers share a row" : "");
    legend_y += 4;
    for (size_t at = 0; at < notes.size;) {
        size_t size = strcspn(notes.bytes + at, "\n"), line = size;
        while (svg_text_width((pajesim_text){notes.bytes + at, line}, SVG_SMALL) > width - 16 && line > 1)
            do /* one word less */
                line--;
            while (line > 1 && notes.bytes[at + line] != ' ');
        legend_y += SVG_LINE - 1;
        draw_text(8, legend_y, width, (pajesim_text){notes.bytes + at, line}, SVG_SMALL, grey);
        at += line + 1;
    }
    paje_release(&notes);
}

/* ---- all of it */

static void draw_background(void)
{
    paje_addf(out, "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<path fill=\"#f2f3f5\" d=\"");
    for (size_t i = 0; i < svg.row_count; i++) { /* the life of each container */
        const svg_row *row = &svg.rows[i];
        const diagram_node *node = &diagram.nodes[row->node];
        double from = node->level ? fmax(svg_x(node->start), svg.x) : svg.x, to = svg.x + svg.width;
        if (node->level)
            to = fmin(svg_x(node->end), to);
        if (row->height > 0 && to > from && (row->lane || !node->first))
            svg_add("M~ ~H~v~H~z", from, (double)row->y, to, (double)row->height, from);
    }
    paje_addf(out, "\"/>");
    paje_end_line();
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    diagram.most_rows = (size_t)height / 2;
    diagram.most_pieces = 2 * diagram.most_rows * (size_t)width;
    diagram.most_links = MOST_LINKS;
    diagram_begin(run);
}

static void count_titles(void)
{
    size_t count = diagram.link_count;
    for (size_t i = 0; i < svg.row_count; i++) {
        const diagram_lane *lane = svg.rows[i].lane;
        for (int depth = 0; lane && depth < svg.rows[i].depths; depth++, lane = lane->next)
            for (size_t k = 0; k < lane->count; k++) {
                int is_wide = svg_is_wide(&diagram.nodes[svg.rows[i].node], &lane->pieces[k], SVG_WIDE);
                count += lane->kind == PAJESIM_EVENT || is_wide;
                svg_has_narrow |= lane->kind == PAJESIM_STATE && !is_wide && lane->pieces[k].time > 0;
            }
    }
    svg_has_titles = count <= MOST_TITLES;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    (void)run;
    diagram_finish();
    svg_lay_out(width, height);
    count_titles();

    draw_legend();
    draw_notes();
    paje_buffer legend = *out;
    memset(out, 0, sizeof *out);

    int whole = (int)legend_y + 8;
    paje_addf(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                   "width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                   "font-family=\"Helvetica, Arial, Liberation Sans, sans-serif\" fill=\"#111\">\n",
              width, whole, width, whole);
    draw_background();
    draw_axis();
    draw_tree();
    for (size_t i = 0; i < svg.row_count; i++)
        svg_draw_row(&svg.rows[i]);
    draw_links();
    paje_add_text(out, paje_text(&legend));
    paje_addf(out, "</svg>\n");
    paje_release(&legend);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    (void)settings;
    if (key < DIAGRAM_OWN_OPTIONS)
        return diagram_option(key, argument);
    int least = key == WIDTH ? LEAST_WIDTH : LEAST_HEIGHT;
    if (!paje_parse_number(argument, &number) || !(number >= least && number <= MOST_SIZE))
        return key == WIDTH ? "no width: 300 to 20000 pixels" : "no height: 60 to 20000 pixels";
    *(key == WIDTH ? &width : &height) = (int)number;
    return NULL;
}

static const paje_option option_table[] = {
    DIAGRAM_OPTIONS,
    {WIDTH, "width", "PIXELS", "of the picture; default: 1000"},
    {HEIGHT, "height", "PIXELS", "of all rows: at most that; default: 900"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_svg = {
    .name = "svg",
    .summary = "Draws a diagram of space and time, as an SVG picture",
    .details = "Containers from the top down, time from left to right; states as bars, those within others inset,\n"
               "variables as steps, events as marks, links as arrows.  What is narrower than two pixels is summed up;\n"
               "where there are more rows than the height has room for, neighbours share one.  The picture says so.\n"
               "--container, --type: several may be given, of which one must fit.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = DIAGRAM_CALLBACKS,
    .begin = begin,
    .end = end,
};
