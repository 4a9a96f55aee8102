/* paje slices: what its files share.
 *
 * tracks.c adds up what happens in each slice of time, print.c writes a table or CSV, draw.c the picture, slices.c is
 * the command. */
#pragma once

#include "base/sum.h"
#include "chart/grid.h"
#include "chart/interval.h"
#include "chart/rows.h"
#include "command.h"
#include "timeline/color.h"

/* What of a slice of time belongs to one row and one class: count of entities that begin in it, their time (of states:
 * without that of nested ones), and of variables the integral. */
typedef struct slice {
    uint64_t count;
    sum time, integral;
} slice;

/* A type with one of its values; the type as a whole has no value. */
typedef struct slices_class {
    pajesim_kind kind;
    size_t type;            /* see profile_types */
    size_t container_class; /* of the containers that can have it */
    size_t type_class;      /* of the type as a whole */
    size_t shown_as;        /* its own number, or that of the class of the type: beyond MOST_VALUES; + 1 */
    unsigned values;        /* of the class of a type: classes of its values */
    uint32_t color;
    int has_color;          /* of the trace */
    double weight;          /* set by slices_finish(): the time of states and variables, the count of others */
} slices_class;

typedef struct slices_track {
    uint32_t row;
    size_t class;
    slice *slices;
} slices_track;

typedef array_of(slices_track) slices_tracks;
typedef array_of(slices_class) slices_classes;
typedef array_of(size_t) slices_numbers;

typedef struct slices_data {
    const char *value; /* a glob; NULL: all */
    time_grid grid;
    interval range;
    chart_rows rows;
    slices_tracks tracks;
    slices_classes classes;
    color_palette palette;
    slices_numbers order; /* set by slices_finish(): classes by kind, type and weight */
    size_t count;         /* likewise: the slices in use */
} slices_data;

extern slices_data slices;

/* ---- tracks.c */

/* Begins slices as the grid is by now. */
void slices_begin(void);
int slices_closed(pajesim *sim, const pajesim_entity *entity);
void slices_save(paje_run *run, text_buffer *to);
int slices_join(paje_parcel *from);
void slices_regroup(const uint32_t *to, size_t count);
/* Groups rows until there are at most so many, and finds the order of classes. */
void slices_finish(size_t most_rows);
/* NULL: the row has none of that class. */
const slice *slices_find(uint32_t row, size_t class, size_t i);
/* The share of states, the mean of variables, the count of others; NAN: there can be none. */
double slices_measure(uint32_t row, size_t class, size_t i);
pajesim_text slices_type(size_t class);
pajesim_text slices_value(size_t class);
double slices_edge(size_t i);

/* ---- print.c, draw.c */

void slices_print_csv(void);
void slices_print_table(void);
typedef struct slices_picture {
    const char *title; /* NULL: none */
    int width, height;
    double seconds;     /* in the unit of the times */
    const char *reason; /* how that is known; NULL: by --unit, or nothing tells it */
} slices_picture;
void slices_draw(const slices_picture *how);
