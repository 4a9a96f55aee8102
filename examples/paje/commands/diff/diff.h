/* paje diff: what its files share.
 *
 * rows.c sums up both traces, match.c finds which containers of them are the same, print.c prints tables or CSV,
 * picture.c draws both on one axis of time, diff.c is the command. */
#pragma once

#include "base/sum.h"
#include "command.h"

typedef struct diff_settings {
    int has_format, is_csv, is_picture;
    size_t top;         /* rows of each table; 0: all */
    const char *output; /* the file of the picture; NULL: standard output */
    const char *title;  /* of the picture; NULL: none */
} diff_settings;

extern diff_settings diff_options;

/* What a trace has of a row: entities, and their time (of variables: the integral). */
typedef struct diff_side {
    uint64_t count;
    sum time;
} diff_side;

typedef struct diff_row {
    size_t container, class;
    diff_side of[2];
} diff_row;

/* A container by its path and alias. */
typedef struct diff_container {
    unsigned char is_in[2];
    size_t matched; /* the container that it counts as; set by diff_match() */
    int is_named_by_alias; /* as others have that path; set by diff_match() */
} diff_container;

typedef struct diff_trace {
    text_buffer name;
    double first, last;
    uint64_t counts[PAJESIM_LINK + 1]; /* entities that are shown, by kind */
} diff_trace;

typedef array_of(diff_row) diff_rows_array;
typedef array_of(diff_container) diff_containers_array;

/* ---- rows.c */

extern diff_rows_array diff_rows;
extern diff_containers_array diff_containers;
extern diff_trace diff_traces[2];

/* Begins with a trace, 0 or 1; a callback; its end. */
void diff_begin(paje_run *run, int trace);
void diff_closed(pajesim *sim, const pajesim_entity *entity);
void diff_end(paje_run *run, int trace);

/* The row of a container and class; it is added if it is missing. */
diff_row *diff_row_of(diff_rows_array *rows, hash_map *numbers, size_t container, size_t class);
pajesim_text diff_path(size_t container);
pajesim_text diff_alias(size_t container);
pajesim_kind diff_kind(size_t class);
pajesim_text diff_type(size_t class);
pajesim_text diff_value(size_t class);

/* ---- match.c */

/* Finds which containers of the traces are the same: those of one path, if each trace has at most one of it; else
 * those of one path and alias.  Then joins the rows of each. */
void diff_match(void);

/* ---- print.c, picture.c */

void diff_print(void);

/* Makes a replay draw the picture. */
void diff_draw(paje_settings *settings);
