/* paje profile: what its files share.
 *
 * classes.c has types and values, rows.c the containers and the rows that are counted for each of them, parts.c what
 * processes hand over, print.c the output in three formats, profile.c the command. */
#pragma once

#include "base/sum.h"
#include "chart/interval.h"
#include "command.h"

enum { PROFILE_TABLE, PROFILE_CSV, PROFILE_JSON };
enum { PROFILE_BY_TIME, PROFILE_BY_COUNT, PROFILE_BY_NAME };

typedef struct profile_settings {
    int format, own, order;
    size_t depth;
} profile_settings;

extern profile_settings profile_options;

/* ---- classes.c: types, each as a whole and by its values.  Nothing refers to a simulation, so that the tables of
 * several processes can be joined. */

typedef struct profile_type {
    pajesim_kind kind;
    pajesim_text name, alias;
    size_t above; /* the type of the containers that have it; MAP_NONE: of the root */
    int is_shown; /* --type chooses it */
    size_t named; /* how many undefined values have their own class */
} profile_type;

typedef array_of(profile_type) profile_types_array;
typedef array_of(size_t) profile_classes_array;
extern profile_types_array profile_types;
extern profile_classes_array profile_classes; /* the type of each */

size_t profile_class_type_number(size_t class);
const profile_type *profile_class_type(size_t class);
/* Empty for a type as a whole. */
pajesim_text profile_class_value(size_t class);
/* The class of a value of a type.  Returns MAP_NONE if there is no such class and `add` is 0. */
size_t profile_class(size_t type, pajesim_text value, int add);
size_t profile_type_number(pajesim *sim, pajesim_ref type);
size_t profile_class_of_type(pajesim *sim, pajesim_ref type);
size_t profile_class_of(pajesim *sim, const pajesim_entity *entity);
/* Hands all classes over and forgets them. */
void profile_save_classes(text_buffer *to);
/* Adds those that were handed over; returns their numbers. */
const size_t *profile_join_classes(paje_parcel *from);

/* ---- rows.c: each container has a row for each class of entities in it or below it */

typedef struct row {
    size_t class;
    uint64_t count;
    sum total, exclusive, integral; /* times; and of variables: value times time */
    double least, greatest;
} row;

typedef struct node {
    array_of(row) rows;
    hash_map numbers; /* class -> index in `rows` */
    size_t depth, next_free;
    uint32_t serial; /* of the container */
} node;

typedef array_of(node) nodes_array;
extern nodes_array profile_nodes;

/* Returns the row of a class; NULL if there is none. */
const row *profile_find_row(const node *in, size_t class);
row *profile_row_of(node *in, size_t class);
/* Returns the node in which entities of a container are counted, which is made if it is missing; below --depth that is
 * an ancestor's.  NULL: none. */
node *profile_node_of(pajesim *sim, pajesim_ref container);
int profile_has_own_node(pajesim *sim, pajesim_ref container);
/* Frees a node for the next container. */
void profile_free_node(node *it);
void profile_free_nodes(void);
void profile_count(row *it, const pajesim_entity *entity, const interval *part);
void profile_add_row(row *to, const row *from);

/* ---- parts.c: tables of several processes */

typedef struct place {
    pajesim_text path, alias;
} place;

#define PROFILE_ROOT UINT32_MAX
/* Keeps the node of a container that has ended; `above`: the serial of the one that it is in; PROFILE_ROOT: none. */
void profile_keep_ended(const node *it, const place *where, uint32_t above);
void profile_save(paje_run *run, text_buffer *to);
int profile_join(paje_parcel *from);

/* ---- print.c */

void profile_print_header(void);
void profile_print_node(const place *where, const node *it);
