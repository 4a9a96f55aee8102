/* What the parts of `paje dump` share. */
#pragma once

#include "command.h"

/* ---- tree.c: the containers of the whole trace, also those that were destroyed */

typedef struct dump_container {
    size_t parent; /* index; that of the root: itself */
    pajesim_ref type;
    const char *name, *alias; /* alias: the identifier */
} dump_container;

/* Orders in which pj_dump visits containers, each before those in it. */
typedef enum dump_order {
    DUMP_BY_TYPE, /* descending, by identifiers of types, then of containers */
    DUMP_BY_NAME  /* ascending, by identifiers of containers */
} dump_order;

/* Adds a container when it is created; the root, which has index 0, is added before the first one. */
void dump_add_container(const pajesim *sim, pajesim_ref container);
/* Returns the index of a container, which has been added, and the container of an index. */
size_t dump_index_of(pajesim_ref container);
const dump_container *dump_container_at(size_t index);
/* The indexes of all containers in that order, until one is added. */
const size_t *dump_containers(const pajesim *sim, dump_order order, size_t *count);
/* The types within a container type, ascending by identifier, until the next call. */
const pajesim_ref *dump_types_of(const pajesim *sim, pajesim_ref type, size_t *count);
/* Whether strings are ascending as bytes, as the keys of pj_dump's maps. */
int dump_compare(const char *a, const char *b);
/* A copy that lasts. */
char *dump_copy(pajesim_text text);

/* ---- hierarchy.c: types, values and containers, as pj_dump prints them */

/* Notes whether the definition of a type gives an alias: pass on callbacks line and new_type. */
void dump_note_alias(const pajesim *sim, const pajesim_line *line);
void dump_note_type(pajesim *sim, const pajesim_type_info *type);
/* Notes a value of a type. */
void dump_note_value(pajesim_ref type, pajesim_text alias, pajesim_text name);

void dump_print_type_graph(pajesim *sim);                /* -d */
void dump_print_containers(const pajesim *sim);          /* -c */
void dump_put_types(text_buffer *text, pajesim *sim);    /* --type-hierarchy */
void dump_put_entities(text_buffer *text, pajesim *sim); /* --entity-hierarchy */

/* ---- global.c: -p, what all containers were in between two times of the trace */

/* `has_filters`: they choose intervals and containers. */
void dump_set_global(const char *type, int precision, int has_filters);
void dump_global_time(const pajesim *sim, pajesim_time time);
void dump_global_entity(const pajesim *sim, const pajesim_entity *entity);
void dump_global_number(const pajesim *sim, const pajesim_entity *variable, double number);

/* ---- single.c: variables in single precision */

void dump_single_line(const pajesim *sim, const pajesim_line *line);
void dump_single_changed(const pajesim_entity *variable);
/* Returns the value of a variable. */
double dump_single(const pajesim_entity *variable);
/* Forgets the variables of a container that has ended. */
void dump_single_forget(pajesim_ref container);
