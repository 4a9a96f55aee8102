/* What the parts of `paje paraver` share.
 *
 * A record of the .prv is known when an entity ends, but has to stand where it begins, behind a header that counts all
 * threads.  So records go to a spool, which sorts them by time; files are written at the end. */
#pragma once

#include "command.h"

extern const paje_command command_paraver;

/* ---- spool.c: records, sorted by time in memory that does not grow */

typedef enum record_kind {
    RECORD_STATE, /* more: its end; what: state */
    RECORD_EVENT, /* more: value; what: event type */
    RECORD_LINK,  /* more: its end; what: 0.  The size, and then the tag, are in the next two records */
    RECORD_SIZE,  /* more: size of the message; who: container where the link ends */
    RECORD_TAG    /* more: tag */
} record_kind;

typedef struct record {
    int64_t time;    /* in nanoseconds */
    uint64_t order;  /* of records of the same time, behind states */
    int64_t more;
    uint32_t who;    /* container, by number */
    unsigned kind : 3, what : 29;
} record;

#define WHAT_MOST 0x1fffffffu

extern size_t spool_size; /* bytes of memory; change it before the first record */
/* Adds a record.  `beside`: a path; where memory does not suffice, a file beside it has the rest. */
void spool_add(const char *beside, const record *it);
/* Calls `take` for each record, by time, states first, then by order; once, at the end. */
void spool_take(const char *beside, void (*take)(const record *it));

/* ---- time.c */

#define TIME_MOST INT64_C(4500000000000000000) /* 142 years before and behind 0; from end to end fits, too */

/* Call it in the callback `line`. */
void time_begin_line(const pajesim *sim, const pajesim_line *line);
/* Converts a time of the current line, or the one at which the trace ends, to nanoseconds. */
int64_t time_of(pajesim *sim, pajesim_time time);
/* Converts any other time. */
int64_t time_of_option(pajesim *sim, pajesim_time time);

/* ---- stacks.c: what is open */

/* Begins a state that was set or pushed, and ends one that closed. */
void stacks_open(pajesim *sim, const pajesim_entity *state);
void stacks_close(pajesim *sim, const pajesim_entity *state);
/* Begins a segment of a variable, and ends one that closed. */
void stacks_begin_segment(pajesim *sim, const pajesim_entity *segment);
void stacks_end_segment(pajesim *sim, const pajesim_entity *segment);
/* Notes that one end of a link is known; then that both are. */
void stacks_note_link(pajesim *sim, const pajesim_entity *link, int is_start);
/* Takes the ends of a complete link out of what was noted. */
void stacks_take_link(pajesim *sim, const pajesim_entity *link, int64_t *start, int64_t *end);
/* Reports what had to be changed or left out. */
void stacks_report(const char *name);

/* ---- paraver.c */

/* Adds a record; its order is that of the calls, unless it has one. */
void add_record(record it);
uint64_t next_order(void);
/* The trace lasts up to this time at least, also where no record says so, as of the last value of a variable. */
void note_end(int64_t time);
/* Whether -s and -e show this range, in nanoseconds. */
int is_in_range(pajesim *sim, int64_t start, int64_t end);

/* ---- rows.c: containers as threads, tasks and nodes */

typedef struct row_options {
    const char *task, *node; /* globs of the types of containers that become these; NULL: by their depth */
    int has_task, has_node;  /* a container has such a type */
} row_options;

void rows_add_root(pajesim *sim);
void rows_add(pajesim *sim, pajesim_ref container, row_options *options);
/* Returns the number of a container, for records, and notes that it has some. */
uint32_t rows_use(pajesim *sim, pajesim_ref container);
/* Whether a type has that name or alias. */
int rows_matches(const pajesim *sim, pajesim_ref type, const char *glob);
/* Counts threads, tasks and nodes, once all containers are known. */
void rows_number(void);
/* Appends `nodes(cpus,...):1:tasks(threads:node,...)` of the header. */
void rows_put_header(text_buffer *text);
/* Appends `cpu:application:task:thread:`. */
void rows_put_thread(text_buffer *text, uint32_t container);
/* Appends the file .row. */
void rows_put_names(text_buffer *text);

/* ---- labels.c: states, event types and their values */

enum { LABEL_PRECISION = 9 /* decimals that variables keep at most */ };

void labels_add_type(pajesim *sim, const pajesim_type_info *type);
/* Returns the index of a type, for records. */
uint32_t labels_type(pajesim *sim, pajesim_ref type);
/* Returns the index of a value, from 1 on; `value` may be 0. */
uint32_t labels_value(pajesim *sim, uint32_t type, pajesim_ref value, pajesim_text name);
/* Returns the number of a value within its type, from 1 on, as in event records. */
uint32_t labels_number(uint32_t index);
/* Returns the state of a value, as in state records. */
uint32_t labels_state(uint32_t index);
/* Notes a value of a variable; returns 0 if it is no number. */
int labels_note_number(uint32_t type, double number);
/* Appends `type:value`, and notes that the type is in use.  `bits`: the value, of a variable those of a double. */
void labels_put_event(text_buffer *text, uint32_t type, int64_t bits);
/* Reports variables that were rounded. */
void labels_report(const char *name);
/* Returns the name of a value, by its index. */
pajesim_text labels_name(uint32_t index);
/* Appends the file .pcf; records have been written by then. */
void labels_put_all(text_buffer *text);
/* Appends a name as a line of these files can have it. */
void labels_put_name(text_buffer *text, pajesim_text name);

/* ---- java.c: events of Java, with the types and values that Extrae gives them */

enum { JAVA_BASE = 48000000, JAVA_THREAD_RUN = 48000005 }; /* types of events; those of the trace are no such index */

void java_add_type(const pajesim_type_info *type);
/* Returns the type of events of a state or event of that name, and its value; 0: it has none. */
uint32_t java_type(pajesim_text name, int64_t *value);
/* Returns the state of Paraver for it; -1: it has none. */
int java_state(pajesim_text name);
/* Appends `type:value`, and notes that both are in use. */
void java_put_event(text_buffer *text, uint32_t type, int64_t value);
/* Appends what the .pcf has of them. */
void java_put_labels(text_buffer *text);
