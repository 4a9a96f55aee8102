/* paje profile: what its files share.
 *
 * rows.c has the containers and the rows that are counted for each of them, slices.c the slices of time, count.c the
 * part of an entity that is counted, print.c the output in three formats, profile.c the command. */
#pragma once

#include "command.h"

enum { PROFILE_TABLE, PROFILE_CSV, PROFILE_JSON };
enum { PROFILE_BY_TIME, PROFILE_BY_COUNT, PROFILE_BY_NAME };

typedef struct profile_settings {
    int format, own, order;
    size_t slices, depth;
    int is_fixed;      /* 1: both -s and -e are given */
    double start, end; /* -s and -e, in the unit that is printed; infinite if not given */
} profile_settings;

extern profile_settings profile_options;

/* ---- sums, compensated (Neumaier) */

typedef struct sum {
    double total, lost;
} sum;

static inline void profile_add(sum *it, double number)
{
    double total = it->total + number, size = it->total < 0 ? -it->total : it->total;
    int smaller = size < (number < 0 ? -number : number);
    it->lost += smaller ? number - total + it->total : it->total - total + number;
    it->total = total;
}

static inline void profile_add_sum(sum *to, const sum *from)
{
    profile_add(to, from->total);
    to->lost += from->lost;
}

static inline double profile_sum_of(const sum *it)
{
    return it->total + it->lost;
}

/* ---- rows.c: each container has a row for each class of entities in it or below it */

typedef struct class {
    pajesim_ref type;
    pajesim_kind kind;
    size_t named; /* of the class of a whole type: how many undefined values have their own class */
} class;

typedef struct slice {
    uint64_t count;
    sum total, exclusive, integral;
} slice;

typedef struct row {
    size_t class;
    slice all;
    double least, greatest;
    slice *slices;
} row;

typedef struct node {
    array_of(row) rows;
    hash_map numbers; /* class -> index in `rows` */
    size_t depth, next_free;
    text_buffer path, alias; /* of a complete container that is kept for the end */
} node;

typedef array_of(class) classes_array;
typedef array_of(node) nodes_array;
extern classes_array profile_classes;
extern nodes_array profile_nodes;

/* Returns MAP_NONE if there is no such class and `add` is 0. */
size_t profile_class(const pajesim *sim, pajesim_ref type, pajesim_text value, int add);
pajesim_text profile_class_value(size_t at);
size_t profile_class_of(pajesim *sim, const pajesim_entity *entity);
/* Returns the row of a class; NULL if there is none. */
const row *profile_find_row(const node *in, size_t one);
row *profile_row_of(node *in, size_t one);
node *profile_new_node(pajesim *sim, pajesim_ref container, size_t depth);
/* Returns the node in which entities of a container are counted; below --depth that is an ancestor's.  NULL: none. */
node *profile_node_of(pajesim *sim, pajesim_ref container);
int profile_has_own_node(pajesim *sim, pajesim_ref container);
/* Frees a node for the next container. */
void profile_free_node(node *it);
void profile_add_slice(slice *to, const slice *from);
void profile_add_row(row *to, const row *from);

/* ---- count.c: the part of an entity within -s and -e */

typedef struct interval {
    double start, end, number;
} interval;

/* Clips an entity to -s and -e.  Returns 0 if nothing is left. */
int profile_clip(const pajesim_entity *entity, interval *part);
void profile_count(row *it, const pajesim_entity *entity, const interval *part);
void profile_add_to_slice(slice *to, sum *time, double duration, double number);

/* ---- slices.c */

/* Returns the time at which slice `i` begins. */
double profile_edge(int64_t i);
/* Call before anything is counted, if there are slices. */
void profile_begin_slices(void);
/* `sign` is 1 to add the time of an entity, -1 to subtract it from the exclusive time of the state below it. */
void profile_add_to_slices(row *it, const interval *part, int kind, int sign);

/* ---- print.c */

typedef struct place {
    const pajesim *sim;
    pajesim_text path, alias;
} place;

void profile_print_header(void);
void profile_print_node(const place *where, const node *it);
