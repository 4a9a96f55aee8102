/* The picture: for each type a panel, with containers as rows and slices as columns.  Shares of states are stacked in
 * the colours of their values; what is one number for each slice is a heat map. */
#include "slices.h"
#include "commands/svg/heat.h"

#include <math.h>

enum { MOST_PANELS = 8, MOST_ROW = 22, LEAST_ROW = 2, LEGEND_VALUES = 24, THIN = 7, SWATCH = 10 };

typedef struct panel {
    const size_t *classes; /* of one type, the heaviest first */
    size_t count;
    chart_rows names;      /* rows that have any of them; only the items are used */
    array_of(uint32_t) rows;
} panel;

static const slices_class *class_in(const panel *it, size_t i)
{
    return &slices.classes.items[it->classes[i]];
}

static int is_stacked(const panel *it)
{
    return class_in(it, 0)->kind == PAJESIM_STATE && !slices.value;
}

/* ---- one number for each slice */

static double cell_of(const panel *it, size_t row, size_t i)
{
    double all = NAN;
    for (size_t k = 0; k < it->count; k++) {
        double measure = slices_measure(it->rows.items[row], it->classes[k], i);
        if (!isnan(measure))
            all = isnan(all) ? measure : all + measure;
    }
    return class_in(it, 0)->kind == PAJESIM_STATE && all < 0 ? 0 : all; /* a rounding error */
}

static const char *measure_name(const panel *it)
{
    switch (class_in(it, 0)->kind) {
    case PAJESIM_STATE: return "share of time";
    case PAJESIM_VARIABLE: return "mean";
    case PAJESIM_LINK: return "links";
    default: return "events";
    }
}

static void draw_heat(const panel *it, heat_map *map)
{
    map->kind = class_in(it, 0)->kind == PAJESIM_STATE ? HEAT_SHARE : HEAT_NUMBER;
    map->cells = memory_alloc(map->rows * map->columns, sizeof *map->cells);
    for (size_t row = 0; row < map->rows; row++)
        for (size_t i = 0; i < map->columns; i++)
            map->cells[row * map->columns + i] = cell_of(it, row, i);
    heat_find_scale(map, 0);
    heat_draw_cells(map);
    heat_draw_scale(map, measure_name(it));
    free(map->cells);
}

/* ---- shares of states */

static double share_of(const panel *it, size_t row, size_t k, size_t i)
{
    double share = slices_measure(it->rows.items[row], it->classes[k], i);
    return isnan(share) ? 0 : fmin(fmax(share, 0), 1);
}

/* The class that takes most of a slice; the count of classes: none takes a half percent. */
static size_t heaviest(const panel *it, size_t row, size_t i)
{
    size_t best = it->count;
    double most = 0.005;
    for (size_t k = 0; k < it->count; k++)
        if (share_of(it, row, k, i) > most) {
            most = share_of(it, row, k, i);
            best = k;
        }
    return best;
}

static void begin_path(svg_picture *svg, int *is_open, uint32_t color)
{
    if ((*is_open)++)
        return;
    text_puts(svg->out, "<path");
    svg_add_color(svg, "fill", color);
    text_puts(svg->out, " d=\"");
}

/* Draws one colour for each slice of a low row. */
static void draw_thin(const panel *it, const heat_map *map, size_t row)
{
    size_t *best = memory_alloc(map->columns, sizeof *best);
    double y = heat_row_y(map, row), height = heat_row_y(map, row + 1) - y;
    for (size_t i = 0; i < map->columns; i++)
        best[i] = heaviest(it, row, i);
    for (size_t k = 0; k < it->count; k++) {
        int is_open = 0;
        for (size_t i = 0, end; i < map->columns; i = end) {
            for (end = i + 1; end < map->columns && best[end] == best[i];)
                end++;
            if (best[i] != k)
                continue;
            begin_path(map->svg, &is_open, class_in(it, k)->color);
            double x = heat_column_x(map, i), width = heat_column_x(map, end) - x;
            svg_add(map->svg, "M~ ~h~v~h~z", x, y, width, height, -width);
        }
        text_puts(map->svg->out, is_open ? "\"/>\n" : "");
    }
    free(best);
}

/* Draws, for each slice, the shares above each other. */
static void draw_shares(const panel *it, const heat_map *map, size_t row)
{
    double *y = memory_alloc(map->columns, sizeof *y);
    double bottom = heat_row_y(map, row + 1) - 1, height = bottom - heat_row_y(map, row);
    for (size_t i = 0; i < map->columns; i++)
        y[i] = bottom;
    for (size_t k = 0; k < it->count; k++) {
        int is_open = 0;
        for (size_t i = 0; i < map->columns; i++) {
            double share = share_of(it, row, k, i), x = heat_column_x(map, i), width = heat_column_x(map, i + 1) - x;
            if (share * height < 0.01)
                continue;
            begin_path(map->svg, &is_open, class_in(it, k)->color);
            y[i] -= share * height;
            svg_add(map->svg, "M~ ~h~v~h~z", x, y[i], width, share * height, -width);
        }
        text_puts(map->svg->out, is_open ? "\"/>\n" : "");
    }
    free(y);
}

static double draw_legend(const panel *it, svg_picture *svg, double y)
{
    double x = svg->left;
    text_buffer text = {0};
    for (size_t k = 0; k < it->count && k < LEGEND_VALUES; k++) {
        text_clear(&text);
        text_append(&text, slices_value(it->classes[k]));
        double width = fmin(svg_text_width(text_view(&text), SVG_TEXT), svg->plot_width) + SWATCH + 18;
        if (x > svg->left && x + width > svg->width) {
            x = svg->left;
            y += SVG_LINE + 1;
        }
        svg_add(svg, "<path stroke=\"#000\" stroke-opacity=\".25\" d=\"M~ ~h~v~h~z\"", x, y - 8.5, (double)SWATCH,
                (double)SWATCH, (double)-SWATCH);
        svg_add_color(svg, "fill", class_in(it, k)->color);
        text_puts(svg->out, "/>");
        svg_draw_text(svg, x + SWATCH + 4, y, svg->plot_width, text_view(&text), SVG_TEXT, "");
        x += width;
    }
    if (it->count > LEGEND_VALUES) {
        text_clear(&text);
        text_printf(&text, "and %llu of less time", (unsigned long long)(it->count - LEGEND_VALUES));
        y += SVG_LINE + 1;
        svg_draw_text(svg, svg->left, y, svg->plot_width, text_view(&text), SVG_TEXT, SVG_GREY);
    }
    text_free(&text);
    return y;
}

static void draw_stacks(const panel *it, const heat_map *map)
{
    svg_picture *svg = map->svg;
    int is_thin = map->height / (double)map->rows < THIN;
    svg_add(svg, "<g shape-rendering=\"crispEdges\"><path fill=\"#f2f3f5\" d=\"M~ ~h~v~h~z\"/>\n", map->x, map->y,
            map->width, map->height, -map->width);
    for (size_t row = 0; row < map->rows; row++)
        if (is_thin)
            draw_thin(it, map, row);
        else
            draw_shares(it, map, row);
    text_puts(svg->out, "</g>\n");
}

/* ---- panels */

/* Colours of the trace, unless it gives all values the same one. */
static void choose_colors(const panel *it)
{
    int has_trace = class_in(it, 0)->has_color, differ = it->count == 1;
    for (size_t k = 1; k < it->count; k++)
        differ |= class_in(it, k)->has_color && class_in(it, k)->color != class_in(it, 0)->color;
    for (size_t k = 0; k < it->count; k++) {
        slices_class *class = &slices.classes.items[it->classes[k]];
        if (!class->has_color || (has_trace && !differ))
            class->color = palette_for_name(&slices.palette, slices_value(it->classes[k]));
    }
}

static void choose_rows(panel *it)
{
    for (uint32_t row = 0; row < slices.rows.items.count; row++)
        for (size_t k = 0; k < it->count; k++)
            if (slices_find(row, it->classes[k], 0)) {
                *array_push(&it->rows) = row;
                *array_push(&it->names.items) = slices.rows.items.items[row];
                break;
            }
}

typedef array_of(panel) panels_array;

static size_t zeros; /* variables that are not drawn */

static int is_zero(const panel *it)
{
    if (class_in(it, 0)->kind != PAJESIM_VARIABLE)
        return 0;
    for (size_t row = 0; row < it->rows.count; row++)
        for (size_t i = 0; i < slices.count; i++)
            if (fabs(cell_of(it, row, i)) > 0)
                return 0;
    return 1;
}

static void free_panel(panel *it)
{
    array_free(&it->rows);
    array_free(&it->names.items);
}

/* A panel for each type. */
static size_t choose_panels(panels_array *panels)
{
    size_t left_out = 0;
    for (size_t i = 0, end; i < slices.order.count; i = end) {
        const slices_class *first = &slices.classes.items[slices.order.items[i]];
        for (end = i + 1; end < slices.order.count; end++)
            if (slices.classes.items[slices.order.items[end]].type != first->type)
                break;
        if (panels->count >= MOST_PANELS) {
            left_out++;
            continue;
        }
        panel *it = array_push(panels);
        it->classes = &slices.order.items[i];
        it->count = end - i;
        choose_rows(it);
        choose_colors(it);
        if (is_zero(it)) {
            free_panel(it);
            panels->count--;
            zeros++;
        }
    }
    return left_out;
}

static double draw_panel(const panel *it, svg_picture *svg, double top, double row_height)
{
    heat_map map = {.svg = svg, .names = &it->names, .rows = it->rows.count, .columns = slices.count};
    text_buffer name = {0};
    text_append(&name, slices_type(it->classes[0]));
    if (slices.value) {
        text_puts(&name, ": ");
        text_puts(&name, slices.value);
    }
    svg_draw_text(svg, svg->left, top + SVG_LINE - 3, svg->plot_width, text_view(&name), SVG_TEXT,
                  " font-weight=\"bold\"");
    map.x = svg->left;
    map.y = top + SVG_LINE + 3;
    map.width = svg->plot_width;
    map.height = fmax(round(row_height * (double)map.rows), 1);
    svg->top = (int)map.y;
    svg->bottom = (int)(map.y + map.height);
    if (is_stacked(it))
        draw_stacks(it, &map);
    else
        draw_heat(it, &map);
    heat_draw_row_names(&map);
    svg_draw_axis(svg);
    double bottom = svg->bottom + SVG_LINE;
    if (is_stacked(it))
        bottom = draw_legend(it, svg, bottom + SVG_LINE + 4);
    else
        bottom = fmax(bottom, map.y + 52);
    text_free(&name);
    return bottom + SVG_LINE;
}

static void put_notes(text_buffer *notes, const panels_array *panels, size_t left_out, double height,
                      const slices_picture *how)
{
    int has_stacks = 0, has_means = 0;
    for (size_t i = 0; i < panels->count; i++) {
        has_stacks |= is_stacked(&panels->items[i]);
        has_means |= class_in(&panels->items[i], 0)->kind == PAJESIM_VARIABLE;
    }
    text_printf(notes, "%llu slices of ", (unsigned long long)slices.count);
    text_put_duration(notes, (slices_edge(1) - slices_edge(0)) * how->seconds, 4);
    text_puts(notes, has_stacks ? "; states: shares of the lifetime of containers" : "");
    text_puts(notes, has_means ? "; variables: means over time and containers" : "");
    text_puts(notes, ".\n");
    if (has_stacks && height < THIN)
        text_puts(notes, "A slice has the colour of the state that takes most of it.\n");
    if (zeros > 0)
        text_printf(notes, "%llu variables are 0 throughout, and not drawn.\n", (unsigned long long)zeros);
    if (slices.rows.grouped > 0)
        text_printf(notes, "%llu containers share rows with neighbours.\n", (unsigned long long)slices.rows.grouped);
    if (left_out > 0)
        text_printf(notes, "%llu more types are not drawn (--type chooses).\n", (unsigned long long)left_out);
    heat_put_unit(notes, how->seconds, how->reason);
}

void slices_draw(const slices_picture *how)
{
    panels_array panels = {0};
    text_buffer body = {0}, notes = {0};
    svg_picture svg = {.out = &body, .title = how->title, .width = how->width};
    size_t left_out = choose_panels(&panels), rows = 0;
    double y = how->title ? 2 * SVG_LINE : 4;
    for (size_t i = 0; i < panels.count; i++)
        rows += panels.items[i].rows.count;
    if (panels.count > 0) {
        double height = fmin(fmax(floor(how->height / (double)rows), LEAST_ROW), MOST_ROW);
        svg.tl.first = slices_edge(0);
        svg.tl.last = slices_edge(slices.count);
        svg.tl.seconds = how->seconds;
        svg.left = svg_axis_room(&svg, (int)heat_names_width(&svg, &slices.rows, height));
        svg.plot_width = svg.width - svg.left - HEAT_SCALE_WIDTH;
        for (size_t i = 0; i < panels.count; i++)
            y = draw_panel(&panels.items[i], &svg, y, height);
        put_notes(&notes, &panels, left_out, height, how);
    } else {
        text_puts(&notes, "Nothing to show: no states and no variables.\n");
    }
    y = svg_draw_notes(&svg, y - 4, &notes);
    svg.out = &stream_output;
    svg_begin(&svg, (int)y + 10);
    heat_draw_title(&svg);
    text_append(&stream_output, text_view(&body));
    text_puts(&stream_output, "</svg>\n");
    for (size_t i = 0; i < panels.count; i++)
        free_panel(&panels.items[i]);
    array_free(&panels);
    text_free(&body);
    text_free(&notes);
}
