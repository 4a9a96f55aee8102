/* Heat maps: a matrix of numbers as colours, in SVG. */
#pragma once

#include "chart/rows.h"
#include "commands/svg/svg.h"

typedef enum heat_kind { HEAT_NUMBER, HEAT_SHARE, HEAT_TIME } heat_kind; /* HEAT_TIME: in seconds */

typedef struct heat_map {
    svg_picture *svg;
    const chart_rows *names;   /* of the rows */
    size_t rows, columns;
    double *cells;             /* row by row; NAN: there is nothing */
    heat_kind kind;
    double x, y, width, height; /* of the plot */
    double least, most;        /* of the scale; least is not 0 if it is logarithmic */
    int is_log;
    /* Puts the text of a tooltip; NULL: there are none. */
    void (*put_title)(text_buffer *text, size_t row, size_t column);
} heat_map;

enum { HEAT_SCALE_WIDTH = 84 }; /* right of the plot */

/* A colour for 0 to 1: light to dark, also without colours. */
uint32_t heat_color(double share);
/* Finds the scale: linear from 0 on; or logarithmic, if it may be, where numbers differ by a factor of 1000. */
void heat_find_scale(heat_map *map, int may_be_log);
/* The width that names take, of rows of this height. */
double heat_names_width(const svg_picture *svg, const chart_rows *names, double size);
/* Says how the unit of times is known, unless it is seconds or `reason` is NULL. */
void heat_put_unit(text_buffer *notes, double seconds, const char *reason);
void heat_put_value(text_buffer *text, const heat_map *map, double value);
/* The edges of row i and column i, in whole pixels. */
double heat_row_y(const heat_map *map, size_t i);
double heat_column_x(const heat_map *map, size_t i);
void heat_draw_cells(const heat_map *map);
/* Draws names left of the rows; neighbours share one where the rows are too low. */
void heat_draw_row_names(const heat_map *map);
/* Draws the same names, upright, above the columns. */
void heat_draw_column_names(const heat_map *map);
/* Draws the colours with their numbers right of the plot. */
void heat_draw_scale(const heat_map *map, const char *title);
/* Draws the title of a picture, if it has one: 2 * SVG_LINE high. */
void heat_draw_title(svg_picture *svg);
