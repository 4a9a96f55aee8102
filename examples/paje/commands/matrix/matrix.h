/* paje matrix: what its files share.
 *
 * pairs.c sums up the links between each two rows, print.c writes tables, draw.c the picture, matrix.c is the
 * command. */
#pragma once

#include "base/sum.h"
#include "chart/rows.h"
#include "command.h"

typedef enum matrix_measure { MATRIX_COUNT, MATRIX_BYTES, MATRIX_TIME, MATRIX_MEAN } matrix_measure;

/* All links from one row to another. */
typedef struct matrix_pair {
    uint32_t from, to;
    uint64_t count;
    sum time, bytes;
    double least, most; /* time */
} matrix_pair;

typedef array_of(matrix_pair) matrix_pairs;

typedef struct matrix_data {
    matrix_measure measure;
    const char *field; /* of bytes; NULL: none */
    chart_rows rows;
    matrix_pairs pairs;
    uint64_t links, without_bytes, backwards; /* backwards: that end before they start */
    uint64_t lines; /* that are there from the creation of their containers on, as the network of SimGrid */
} matrix_data;

extern matrix_data matrix;
extern const char *const matrix_measures[]; /* names */

/* ---- pairs.c */

int matrix_closed(pajesim *sim, const pajesim_entity *entity);
void matrix_save(paje_run *run, text_buffer *to);
int matrix_join(paje_parcel *from);
void matrix_regroup(const uint32_t *to, size_t count);
double matrix_value(const matrix_pair *pair);
/* By the measure, the greatest first. */
void matrix_sort_pairs(void);

/* ---- print.c */

void matrix_print_csv(void);
/* Prints the pairs that weigh most, before rows are grouped. */
void matrix_keep_heaviest(void);
void matrix_print_table(void);

/* ---- draw.c */

/* `seconds`: in the unit of the times; `note`: how it is known, or NULL. */
void matrix_draw(const char *title, int width, double seconds, const char *reason);
