/* paje profile: what its files share.
 *
 * rows.c has the containers and the rows that are counted for each of them, print.c the output in three formats,
 * profile.c the command. */
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

/* ---- rows.c: each container has a row for each class of entities in it or below it */

typedef struct class {
    pajesim_ref type;
    pajesim_kind kind;
    size_t named; /* of the class of a whole type: how many undefined values have their own class */
} class;

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
/* Returns the node in which entities of a container are counted, which is made if it is missing; below --depth that is
 * an ancestor's.  NULL: none. */
node *profile_node_of(pajesim *sim, pajesim_ref container);
int profile_has_own_node(pajesim *sim, pajesim_ref container);
/* Frees a node for the next container. */
void profile_free_node(node *it);
void profile_count(row *it, const pajesim_entity *entity, const interval *part);
void profile_add_row(row *to, const row *from);

/* ---- print.c */

typedef struct place {
    const pajesim *sim;
    pajesim_text path, alias;
} place;

void profile_print_header(void);
void profile_print_node(const place *where, const node *it);
