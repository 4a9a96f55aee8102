/* The rows of a chart: containers with all that is in them, down to a depth, in bounded memory.  Where there are more
 * than a limit, neighbours become one row. */
#pragma once

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"


enum { CHART_MOST_DEPTH = 256 };

struct paje_parcel;

typedef struct chart_row {
    pajesim_text path, name, alias; /* of the first container */
    pajesim_text last_path, last_name;
    size_t members;
    uint32_t serial; /* of the first container */
    text_buffer label;
} chart_row;

typedef struct chart_rows {
    size_t depth; /* containers deeper down belong to their ancestor there; at most CHART_MOST_DEPTH */
    size_t most;  /* rows while the trace is read */
    /* Row i of `count` becomes a part of row to[i]. */
    void (*regroup)(const uint32_t *to, size_t count);
    array_of(chart_row) items;
    uint64_t grouped; /* containers that share a row, after chart_group_rows() */

    /* Private. */
    hash_map known; /* keys: path and alias; numbers: rows */
    uint32_t groupings;
} chart_rows;

/* The row that stands for a container, which is made if it is missing; that may group rows. */
uint32_t chart_row_of(chart_rows *rows, pajesim *sim, pajesim_ref container);
/* For tables that several processes make (replay/table.h): hands the rows over and forgets them; and adds those of a
 * process, whose rows it returns, or NULL if there would be groups. */
void chart_save_rows(chart_rows *rows, text_buffer *to);
const uint32_t *chart_join_rows(chart_rows *rows, struct paje_parcel *from);
/* Orders rows as diagrams do, by numbers in names and else as they were created, and groups neighbours until there are
 * at most so many.  `sim` is NULL at the end of the trace. */
void chart_group_rows(chart_rows *rows, pajesim *sim, size_t most);
/* Gives each row its label: the name where these are all different, else the path without what all have in common. */
void chart_label_rows(chart_rows *rows);
/* The path of a row: "/a/b", or "/a/b ... /a/e (4)" of a group. */
void chart_put_path(text_buffer *text, const chart_row *row);
/* The alias of a row's container; empty of a group. */
pajesim_text chart_alias(const chart_row *row);
/* Appends a text, printable, in exactly so many columns: cut in its middle, or followed by blanks. */
void chart_put_column(text_buffer *text, pajesim_text more, size_t columns);
