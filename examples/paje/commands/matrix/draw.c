/* The matrix as a heat map. */
#include "matrix.h"
#include "commands/svg/heat.h"

#include <math.h>

enum { LEAST_WIDTH = 560 }; /* for the notes */

static double *cells;
static heat_map *drawn;

static void put_title(text_buffer *text, size_t row, size_t column)
{
    text_append(text, text_view(&matrix.rows.items.items[row].label));
    text_puts(text, " \xe2\x86\x92 ");
    text_append(text, text_view(&matrix.rows.items.items[column].label));
    text_puts(text, ": ");
    heat_put_value(text, drawn, cells[row * drawn->columns + column]);
}

static void put_notes(text_buffer *notes, double seconds, const char *reason)
{
    static const char *const what[] = {"number of links", "bytes of links", "time of links, in sum",
                                       "mean time of a link"};
    text_printf(notes, "Rows: where links start; columns: where they end.  Colour: %s", what[matrix.measure]);
    if (matrix.measure == MATRIX_BYTES)
        text_printf(notes, " (%s)", matrix.field);
    text_printf(notes, "; %llu links in all", (unsigned long long)matrix.links);
    if (drawn->is_log)
        text_puts(notes, "; the scale is logarithmic");
    text_puts(notes, ".\n");
    if (matrix.rows.grouped > 0)
        text_printf(notes, "%llu containers share rows and columns with neighbours.\n",
                    (unsigned long long)matrix.rows.grouped);
    if (matrix.without_bytes > 0)
        text_printf(notes, "Links without such a number: %llu.\n", (unsigned long long)matrix.without_bytes);
    if (matrix.measure >= MATRIX_TIME)
        heat_put_unit(notes, seconds, reason);
}

void matrix_draw(const char *title, int width, double seconds, const char *reason)
{
    size_t count = matrix.rows.items.count;
    text_buffer body = {0}, notes = {0};
    svg_picture svg = {.out = &body, .title = title, .width = width};
    heat_map map = {.svg = &svg, .names = &matrix.rows, .rows = count, .columns = count,
                    .kind = matrix.measure >= MATRIX_TIME ? HEAT_TIME : HEAT_NUMBER, .put_title = put_title};
    double names = heat_names_width(&svg, &matrix.rows, 0.7 * width / (double)(count + 1));
    double top = svg.title ? 2 * SVG_LINE : 0;
    cells = map.cells = memory_alloc(count * count, sizeof *cells);
    drawn = &map;
    for (size_t i = 0; i < count * count; i++)
        cells[i] = NAN;
    for (size_t i = 0; i < matrix.pairs.count; i++) {
        const matrix_pair *pair = &matrix.pairs.items[i];
        cells[pair->from * count + pair->to] = matrix_value(pair) * (map.kind == HEAT_TIME ? seconds : 1);
    }
    heat_find_scale(&map, 1);
    map.x = names;
    map.y = top + names;
    double room = width - names - HEAT_SCALE_WIDTH, most = 48, size = fmin(room / (double)(count ? count : 1), most);
    if (size > 2)
        size = floor(size);
    map.width = map.height = size * (double)count;
    if (count > 0) {
        heat_draw_cells(&map);
        heat_draw_row_names(&map);
        heat_draw_column_names(&map);
        heat_draw_scale(&map, matrix_measures[matrix.measure]);
        svg.width = (int)fmin(width, fmax(map.x + map.width + HEAT_SCALE_WIDTH, LEAST_WIDTH));
    } else {
        text_puts(&notes, "No links.\n");
    }
    put_notes(&notes, seconds, reason);
    double bottom = svg_draw_notes(&svg, fmax(map.y + map.height, count ? map.y + 90 : 10) + 6, &notes);
    svg.out = &stream_output;
    svg_begin(&svg, (int)bottom + 10);
    heat_draw_title(&svg);
    text_append(&stream_output, text_view(&body));
    text_puts(&stream_output, "</svg>\n");
    text_free(&body);
    text_free(&notes);
    free(cells);
}
