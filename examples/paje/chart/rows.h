/* The rows of a chart: containers with all that is in them, down to a depth, in bounded memory.  Where there are more
 * than a limit, neighbours become one row. */
#pragma once

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"

#define CHART_NO_ROW UINT32_MAX

enum { CHART_MOST_DEPTH = 256 };

typedef struct chart_row {
    pajesim_text path, name, alias; /* of the first container */
    pajesim_text last_path, last_name;
    size_t members;
    int is_used; /* it has something to show: set by chart_row_of() */
    text_buffer label;
} chart_row;

typedef struct chart_rows {
    size_t depth; /* containers deeper down belong to their ancestor there; at most CHART_MOST_DEPTH */
    size_t most;  /* rows while the trace is read */
    /* Row i of `count` becomes a part of row to[i]; CHART_NO_ROW: it is not used. */
    void (*regroup)(const uint32_t *to, size_t count);
    array_of(chart_row) items;
    uint64_t grouped; /* containers that share a row, after chart_group_rows() */

    /* Private. */
    hash_map known; /* keys: path and alias; numbers: rows */
    uint64_t generation;
} chart_rows;

/* Call it before the trace, then for each container that is created. */
void chart_begin_rows(chart_rows *rows, pajesim *sim);
void chart_add_container(chart_rows *rows, pajesim *sim, pajesim_ref container);
/* The row that stands for a container. */
uint32_t chart_row_of(chart_rows *rows, pajesim *sim, pajesim_ref container);
/* Drops rows without anything, orders the others as diagrams do, and groups neighbours until there are at most so many.
 * `sim` is NULL at the end of the trace. */
void chart_group_rows(chart_rows *rows, pajesim *sim, size_t most);
/* Gives each row its label: the name where these are all different, else the path without what all have in common. */
void chart_label_rows(chart_rows *rows);
/* The path of a row: "/a/b", or "/a/b ... /a/e (4)" of a group. */
void chart_put_path(text_buffer *text, const chart_row *row);
/* Appends a text, printable, in exactly so many columns: cut in its middle, or followed by blanks. */
void chart_put_column(text_buffer *text, pajesim_text more, size_t columns);
