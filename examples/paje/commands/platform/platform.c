/* paje platform: the containers of a trace, their sizes, the lines of its network; or a treemap of them. */
#include "platform.h"
#include "command.h"

#include <math.h>

enum { WIDTH = PAJE_LONG_ONLY, HEIGHT, TITLE, SIZE, USED, TREEMAP, DEPTH };
enum {
    LEAST_SIZE = 100,
    MOST_SIZE = 20000,
    MOST_ROWS = 16384,
    MOST_PIECES = 1 << 18,
    MOST_LINKS = 1 << 16,
    MOST_SHOWN = 1200 /* without --depth, containers are shown down to the level at which there are so many */
};

static const char *output_name; /* NULL: standard output */
static platform_picture picture = {.svg = {.out = &stream_output, .width = 1000, .height = 700}};

static void begin(paje_run *run, int trace)
{
    timeline *tl = &picture.svg.tl;
    (void)trace;
    tl->shows_all = 1;
    tl->most_rows = MOST_ROWS;
    tl->most_pieces = MOST_PIECES;
    tl->most_links = MOST_LINKS;
    if (!timeline_begin(tl, run))
        paje_usage(run->settings->command, "the end, -e, is not after the start, -s");
    if (output_name)
        svg_open_file(output_name, 1);
}

/* Limits the depth so that marks are not too small to see. */
static void choose_depth(void)
{
    const timeline *tl = &picture.svg.tl;
    size_t counts[TIMELINE_LEVELS + 1] = {0}, count = 0;
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        if (node_at(tl, i)->merged_into == i)
            counts[node_at(tl, i)->level]++;
    if (picture.depth > 0)
        return;
    picture.depth = 1;
    for (uint32_t level = 1; level <= TIMELINE_LEVELS; level++) {
        count += counts[level];
        if (counts[level] == 0 || (level > 1 && count > MOST_SHOWN))
            break;
        picture.depth = level;
    }
}

/* Skips containers that have all that is shown in them: their names go above the picture. */
static void choose_top(text_buffer *path)
{
    const timeline *tl = &picture.svg.tl;
    for (size_t before = 0; !picture.items[picture.top].is_leaf;) {
        uint32_t only = 0, count = 0;
        for (uint32_t child = node_at(tl, picture.top)->first; child; child = node_at(tl, child)->next)
            if (picture.items[child].is_shown) {
                only = child;
                count++;
            }
        if (count != 1 || picture.items[only].is_leaf)
            return;
        if (node_at(tl, picture.top)->is_prefix) /* the next name begins with this one */
            path->size = before;
        picture.top = only;
        before = path->size;
        if (path->size > 0)
            text_puts(path, " / ");
        timeline_put_name(path, tl, only);
    }
}

static void tell_missing(const char *file, const char *name, int is_found, const char *option)
{
    if (name && !is_found)
        stream_message("%s: no container that is shown has a variable `%s` (%s; `paje info` lists them)", file, name,
                       option);
}

static void draw(text_buffer *out, const char *file)
{
    svg_picture *svg = &picture.svg;
    text_buffer path = {0}, body = {0};
    double top = svg->title ? SVG_LINE + 8 : 0, bottom;
    svg->out = &body;
    int is_found = 1;
    if (picture.area_name)
        is_found = platform_find_areas(&picture);
    else
        platform_choose(&picture);
    choose_top(&path);
    if (svg->title)
        svg_draw_text(svg, svg->width / 2.0, SVG_LINE + 2, svg->width - 16, text_of(svg->title), SVG_TEXT + 3,
                      " text-anchor=\"middle\" font-weight=\"bold\"");
    if (path.size > 0) {
        top += SVG_LINE + 2;
        svg_draw_text(svg, 8, top - 4, svg->width - 16, text_view(&path), SVG_TEXT, " font-weight=\"bold\"");
    }
    if (!is_found) {
        bottom = top;
        stream_message("%s: nothing is shown: `%s` is no type of variables or states (`paje info` lists them)", file,
                       picture.area_name);
    } else if (picture.area_name) {
        bottom = platform_draw_treemap(&picture, top);
    } else {
        bottom = platform_place(&picture, top);
        platform_draw_graph(&picture);
        bottom = platform_draw_legend(&picture, bottom);
        tell_missing(file, picture.size_name, picture.has_size, "--size");
        tell_missing(file, picture.used_name, picture.has_used, "--used");
    }
    if (svg->tl.most_members > 1) {
        text_buffer note = {0};
        text_printf(&note, "%llu containers: up to %lu of them share a mark.", (unsigned long long)svg->tl.containers,
                    (unsigned long)svg->tl.most_members);
        bottom += SVG_LINE;
        svg_draw_text(svg, 8, bottom, svg->width - 16, text_view(&note), SVG_SMALL, SVG_GREY);
        text_free(&note);
    }
    svg->out = out;
    svg_begin(svg, (int)bottom + 10);
    text_append(out, text_view(&body));
    text_puts(out, "</svg>\n");
    text_free(&path);
    text_free(&body);
}

/* Containers in the range of -s and -e are shown, also if nothing happens in them. */
static void note_leaves(void)
{
    for (uint32_t i = 1; i < picture.svg.tl.nodes.count; i++)
        if (picture.items[i].is_shown && picture.items[i].is_leaf)
            paje_note_shown();
}

/* Leaves out what a range has before and behind the trace, of which no mean is. */
static void cut_range(timeline *tl, const paje_run *run)
{
    const pajesim_counts counts = paje_whole_counts(run);
    double first = fmax(tl->first, paje_in_seconds(run->settings, counts.first));
    double last = fmin(tl->last, paje_in_seconds(run->settings, counts.last));
    if (tl->is_instant || !(last > first))
        return;
    tl->first = first;
    tl->last = last;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    timeline *tl = &picture.svg.tl;
    timeline_finish(tl, run);
    cut_range(tl, run);
    for (uint32_t i = 0; i < tl->nodes.count && !picture.area_name; i++)
        node_at(tl, i)->is_prefix = 0; /* each container has its own circle or mark here */
    platform_find_sizes(&picture);
    choose_depth();
    draw(&stream_output, run->source->name);
    if (!picture.area_name && !run->settings->filter.types.count && !run->settings->filter.containers.count)
        note_leaves();
    svg_close_file();
}

static const char *parse_size(const char *argument, int *size)
{
    double number;
    if (!paje_parse_number(argument, &number) || !(number >= LEAST_SIZE && number <= MOST_SIZE))
        return "must be 100 to 20000 pixels";
    *size = (int)number;
    return NULL;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    uint64_t depth;
    (void)settings;
    switch (key) {
    case 'o': output_name = argument; return NULL;
    case WIDTH: return parse_size(argument, &picture.svg.width);
    case HEIGHT: return parse_size(argument, &picture.svg.height);
    case TITLE: picture.svg.title = argument; return NULL;
    case SIZE: picture.size_name = argument; return NULL;
    case USED: picture.used_name = argument; return NULL;
    case TREEMAP: picture.area_name = argument; return NULL;
    default:
        if (!paje_parse_count(argument, &depth))
            return "must be 1 or more";
        picture.depth = depth < TIMELINE_LEVELS ? (uint32_t)depth : TIMELINE_LEVELS;
        return NULL;
    }
}

static const paje_option option_table[] = {
    {DEPTH, "depth", "LEVELS", "containers further down are summed up; default: such that at most 1200 are shown"},
    {HEIGHT, "height", "PIXELS", "height of the picture, at most; default: 700"},
    {SIZE, "size", "VARIABLE", "the size of containers; default: speed, power, bandwidth or the first of each type"},
    {'o', "output", "FILE", SVG_FILE_HELP},
    {TITLE, "title", "TEXT", "a line above the picture"},
    {TREEMAP, "treemap", "TYPE", "draw a treemap of this variable, or of the time in states of this type"},
    {USED, "used", "VARIABLE", "what of the size is filled; default: one with `used`, `utilization` or `load`"},
    {WIDTH, "width", "PIXELS", "width of the picture; default: 1000"},
    {0, NULL, NULL, NULL},
};

const paje_command command_platform = {
    .name = "platform",
    .summary = "Draws the machine: containers by size, and the lines of its network, as an SVG picture",
    .details = "Containers with a size are marks of that area, those around them circles.  What is used of a size is\n"
               "filled.  Variables are means over the trace, or what the range of -s and -e has of it.  Lines are\n"
               "the links that are there from the creation of their containers on, as SimGrid writes them; without\n"
               "any, all links, by their number.",
    .traces = 1,
    .trials = "FILE\n--treemap S --title T FILE\n--depth 1 --size P -s 1 -e 4 -o OUT FILE",
    .filters = TIMELINE_FILTERS,
    .options = option_table,
    .option = option,
    .callbacks = TIMELINE_CALLBACKS,
    .begin = begin,
    .end = end,
};
