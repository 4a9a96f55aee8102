/* Heat maps in SVG. */
#include "commands/svg/heat.h"
#include "base/encode.h"
#include "base/unit.h"

#include <math.h>

enum {
    LEVELS = 64,        /* colours */
    MOST_TITLES = 5000, /* cells up to which there are tooltips */
    LEAST_GAP = 8,      /* cells of that size have gaps between them */
    NUMBER_WIDTH = 34,  /* of cells in which numbers are written */
    BAR = 12            /* width of the scale */
};

#define EMPTY "#f2f3f5"
#define LEAST_RATIO 1000 /* of a logarithmic scale */

/* Colours of ColorBrewer (YlGnBu, Cynthia Brewer), without the palest. */
uint32_t heat_color(double share)
{
    static const uint32_t colors[] = {0xe4f3c9, 0xc7e9b4, 0x7fcdbb, 0x41b6c4, 0x1d91c0, 0x225ea8, 0x253494, 0x081d58};
    const int count = sizeof colors / sizeof *colors;
    double at = fmin(fmax(share, 0), 1) * (count - 1);
    int i = (int)fmin(at, count - 2);
    uint32_t color = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
        double from = colors[i] >> shift & 0xff, to = colors[i + 1] >> shift & 0xff;
        color |= (uint32_t)(from + (to - from) * (at - i) + 0.5) << shift;
    }
    return color;
}

void heat_find_scale(heat_map *map, int may_be_log)
{
    double least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t i = 0; i < map->rows * map->columns; i++) {
        double cell = map->cells[i];
        if (isnan(cell))
            continue;
        most = fmax(most, cell);
        if (cell < 0 || cell > 0)
            least = fmin(least, cell);
    }
    map->is_log = may_be_log && least > 0 && most / least >= LEAST_RATIO;
    map->least = map->is_log ? least : fmin(least, 0);
    map->most = map->kind == HEAT_SHARE ? 1 : fmax(most, 0);
    if (!(map->most > map->least))
        map->most = map->least + 1;
}

/* Where a number is on the scale, from 0 to 1. */
static double position(const heat_map *map, double number)
{
    if (map->is_log)
        return log(fmax(number, map->least) / map->least) / log(map->most / map->least);
    return (number - map->least) / (map->most - map->least);
}

/* The colour of a cell, as a number of a level; -1: none. */
static int level_of(const heat_map *map, size_t cell)
{
    double number = map->cells[cell];
    if (isnan(number) || (map->is_log && !(number > 0)))
        return -1;
    return (int)fmin(position(map, number) * LEVELS, LEVELS - 1);
}

static uint32_t color_of_level(int level)
{
    return heat_color((double)level / (LEVELS - 1));
}

void heat_put_unit(text_buffer *notes, double seconds, const char *reason)
{
    if (reason && seconds < 0.5)
        text_printf(notes, "Times are taken for %s, %s.\n",
                    seconds < 1e-8 ? "ns" : seconds < 1e-5 ? "\xc2\xb5s" : "ms", reason);
}

void heat_put_value(text_buffer *text, const heat_map *map, double value)
{
    if (map->kind == HEAT_SHARE)
        text_printf(text, "%.3g %%", 100 * value);
    else if (map->kind == HEAT_TIME && fabs(value) > 0)
        text_put_duration(text, value, 3);
    else
        text_put_short(text, value);
}

double heat_row_y(const heat_map *map, size_t i)
{
    return round(map->y + map->height * (double)i / (double)map->rows);
}

double heat_column_x(const heat_map *map, size_t i)
{
    return round(map->x + map->width * (double)i / (double)map->columns);
}

/* ---- cells */

static int has_gaps(const heat_map *map)
{
    return map->width >= LEAST_GAP * (double)map->columns && map->height >= LEAST_GAP * (double)map->rows;
}

static void add_cell(const heat_map *map, size_t row, size_t column, size_t end)
{
    double x = heat_column_x(map, column), y = heat_row_y(map, row);
    double width = heat_column_x(map, end) - x, height = heat_row_y(map, row + 1) - y;
    int gap = has_gaps(map);
    svg_add(map->svg, "M~ ~h~v~h~z", x, y, width - gap, height - gap, gap - width);
}

/* Draws all cells of one colour as one path; neighbours of the same colour as one, unless there are gaps. */
static void draw_level(const heat_map *map, int level)
{
    int is_open = 0, is_apart = has_gaps(map);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t column = 0; column < map->columns;) {
            size_t end = column + 1;
            if (level_of(map, row * map->columns + column) == level) {
                while (!is_apart && end < map->columns && level_of(map, row * map->columns + end) == level)
                    end++;
                if (!is_open++) {
                    text_puts(map->svg->out, "<path");
                    svg_add_color(map->svg, "fill", color_of_level(level));
                    text_puts(map->svg->out, " d=\"");
                }
                add_cell(map, row, column, end);
            }
            column = end;
        }
    if (is_open) {
        text_puts(map->svg->out, "\"/>");
        text_puts(map->svg->out, "\n");
    }
}

/* Draws a cell with a tooltip, and its number where there is room. */
static void draw_cell(const heat_map *map, size_t row, size_t column)
{
    svg_picture *svg = map->svg;
    uint32_t color = color_of_level(level_of(map, row * map->columns + column));
    double x = heat_column_x(map, column), y = heat_row_y(map, row);
    double width = heat_column_x(map, column + 1) - x, height = heat_row_y(map, row + 1) - y;
    text_buffer text = {0};
    text_puts(svg->out, "<path");
    svg_add_color(svg, "fill", color);
    text_puts(svg->out, " d=\"");
    add_cell(map, row, column, column + 1);
    text_puts(svg->out, "\"><title>");
    map->put_title(&text, row, column);
    text_put_xml(svg->out, text_view(&text));
    text_puts(svg->out, "</title></path>\n");
    text_clear(&text);
    heat_put_value(&text, map, map->cells[row * map->columns + column]);
    if (width >= NUMBER_WIDTH && height >= SVG_LINE && svg_text_width(text_view(&text), SVG_TINY) < width - 4)
        svg_draw_text(svg, x + width / 2, y + height / 2 + SVG_TINY / 3.0, width, text_view(&text), SVG_TINY,
                      color_luma(color) < 140000 ? " text-anchor=\"middle\" fill=\"#fff\" pointer-events=\"none\""
                                                 : " text-anchor=\"middle\" pointer-events=\"none\"");
    text_free(&text);
}

void heat_draw_cells(const heat_map *map)
{
    size_t count = 0;
    for (size_t i = 0; i < map->rows * map->columns; i++)
        count += level_of(map, i) >= 0;
    svg_add(map->svg, "<g shape-rendering=\"crispEdges\"><path fill=\"" EMPTY "\" d=\"M~ ~h~v~h~z\"/>\n", map->x,
            map->y, map->width, map->height, -map->width);
    if (map->put_title && count <= MOST_TITLES) {
        for (size_t i = 0; i < map->rows * map->columns; i++)
            if (level_of(map, i) >= 0)
                draw_cell(map, i / map->columns, i % map->columns);
    } else {
        for (int level = 0; level < LEVELS; level++)
            draw_level(map, level);
    }
    text_puts(map->svg->out, "</g>");
    text_puts(map->svg->out, "\n");
}

/* ---- names */

/* How many neighbours share a name. */
static size_t rows_of_name(double size)
{
    return size >= SVG_NAME ? 1 : (size_t)ceil((SVG_NAME + 2) / fmax(size, 1e-3));
}

/* Where the names of neighbours end of which the first is `first`: the last ones get no name that has no room. */
static size_t end_of_name(size_t first, size_t each, size_t count, double size)
{
    size_t end = first + each < count ? first + each : count;
    return end < count && (double)(count - end) * size < SVG_NAME ? count : end;
}

/* The name of a row, or of all from `first` to before `end`. */
static void put_names(text_buffer *text, const chart_rows *names, size_t first, size_t end)
{
    const chart_row *from = &names->items.items[first], *to = &names->items.items[end - 1];
    size_t members = 0;
    text_clear(text);
    if (first + 1 == end) {
        text_append(text, text_view(&from->label));
        return;
    }
    for (size_t i = first; i < end; i++)
        members += names->items.items[i].members;
    text_append(text, from->name);
    text_puts(text, " \xe2\x80\xa6 ");
    text_append(text, to->last_name);
    text_printf(text, " (%llu)", (unsigned long long)members);
}

double heat_names_width(const svg_picture *svg, const chart_rows *names, double size)
{
    size_t each = rows_of_name(size), count = names->items.count;
    double widest = 40;
    text_buffer text = {0};
    for (size_t i = 0, end; i < count; i = end) {
        end = end_of_name(i, each, count, size);
        put_names(&text, names, i, end);
        widest = fmax(widest, svg_text_width(text_view(&text), SVG_SMALL));
    }
    text_free(&text);
    return fmin(ceil(widest) + 16, svg->width / 4.0);
}

void heat_draw_row_names(const heat_map *map)
{
    svg_picture *svg = map->svg;
    text_buffer text = {0};
    double size = map->height / (double)map->rows, room = map->x - 14;
    size_t each = rows_of_name(size);
    for (size_t i = 0, end; i < map->rows; i = end) {
        end = end_of_name(i, each, map->rows, size);
        put_names(&text, map->names, i, end);
        svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\" text-anchor=\"end\">", map->x - 5,
                (heat_row_y(map, i) + heat_row_y(map, end)) / 2 + 3.5, (double)SVG_SMALL);
        svg_add_text_within(svg, text_view(&text), SVG_SMALL, room, 1);
        text_puts(svg->out, "</text>\n");
    }
    text_free(&text);
}

void heat_draw_column_names(const heat_map *map)
{
    svg_picture *svg = map->svg;
    text_buffer text = {0};
    double size = map->width / (double)map->columns;
    size_t each = rows_of_name(size);
    for (size_t i = 0, end; i < map->columns; i = end) {
        end = end_of_name(i, each, map->columns, size);
        double x = (heat_column_x(map, i) + heat_column_x(map, end)) / 2 + 3.5;
        put_names(&text, map->names, i, end);
        svg_add(svg, "<text transform=\"translate(~ ~)rotate(-90)\" font-size=\"~\">", x, map->y - 5,
                (double)SVG_SMALL);
        svg_add_text_within(svg, text_view(&text), SVG_SMALL, map->x - 14, 1);
        text_puts(svg->out, "</text>\n");
    }
    text_free(&text);
}

/* ---- the scale, the title, notes */

static void draw_tick(const heat_map *map, double top, double height, double number)
{
    svg_picture *svg = map->svg;
    text_buffer text = {0};
    double x = map->x + map->width + 14, y = top + height * (1 - position(map, number));
    svg_add(svg, "<path stroke=\"#444\" d=\"M~ ~h4\"/>", x + BAR, round(y) + 0.5);
    heat_put_value(&text, map, number);
    svg_draw_text(svg, x + BAR + 6, y + 3.5, HEAT_SCALE_WIDTH, text_view(&text), SVG_SMALL, "");
    text_free(&text);
}

void heat_draw_scale(const heat_map *map, const char *title)
{
    enum { MOST_HEIGHT = 200, LEAST_HEIGHT = 36, BETWEEN_TICKS = 30 };
    svg_picture *svg = map->svg;
    double x = map->x + map->width + 14, top = map->y + SVG_LINE;
    double height = fmin(fmax(map->height - SVG_LINE, LEAST_HEIGHT), MOST_HEIGHT);
    svg_draw_text(svg, x, map->y + 4, HEAT_SCALE_WIDTH - 14, text_of(title), SVG_SMALL, SVG_GREY);
    text_puts(svg->out, "<g shape-rendering=\"crispEdges\">");
    for (int i = 0; i < LEVELS; i++) {
        double from = round(top + height * (LEVELS - 1 - i) / LEVELS);
        double to = round(top + height * (LEVELS - i) / LEVELS);
        svg_add(svg, "<path d=\"M~ ~h~v~h~z\"", x, from, (double)BAR, to - from, (double)-BAR);
        svg_add_color(svg, "fill", color_of_level(i));
        text_puts(svg->out, "/>");
    }
    text_puts(svg->out, "</g>\n");
    if (map->is_log) {
        double decades = log10(map->most / map->least), step = ceil(decades * BETWEEN_TICKS / height);
        draw_tick(map, top, height, map->least);
        for (double power = ceil(log10(map->least) + 0.3); power <= log10(map->most) + 1e-9; power += step)
            draw_tick(map, top, height, pow(10, power));
    } else {
        double scale = map->kind == HEAT_TIME ? unit_for(map->most)->seconds : 1;
        double step = axis_step((map->most - map->least) / scale * BETWEEN_TICKS / height) * scale;
        double i = ceil(map->least / step - 1e-6);
        for (; i * step <= map->most + 1e-6 * step; i++)
            draw_tick(map, top, height, fabs(i) > 0 ? i * step : 0);
        if ((map->most - (i - 1) * step) / (map->most - map->least) * height > SVG_LINE)
            draw_tick(map, top, height, map->most);
    }
}

void heat_draw_title(svg_picture *svg)
{
    if (svg->title)
        svg_draw_text(svg, svg->width / 2.0, SVG_LINE + 2, svg->width - 16, text_of(svg->title), SVG_TEXT + 3,
                      " text-anchor=\"middle\" font-weight=\"bold\"");
}
