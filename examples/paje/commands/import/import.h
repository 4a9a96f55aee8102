/* What the parts of `paje import` share: traces of other formats, written as Pajé. */
#pragma once

#include "command.h"

#define PAJEWRITE_POSIX 0
#define PAJEWRITE_STDIO 0
#define PAJEWRITE_TABLE 0
#include "pajewrite.h"

extern const paje_command command_import;

/* ---- lines.c: lines of a text, and what is wrong with them */

typedef struct input_lines {
    const char *name;
    paje_source *source; /* NULL: `file` is read */
    int file;
    const char *bytes; /* at[0] to at[size - 1] are not taken yet */
    size_t at, size;
    text_buffer line;
    uint64_t number; /* of the current line */
    paje_progress progress;
    char block[1 << 14]; /* of `file` */
} input_lines;

/* Begins to read a source, or a file descriptor. */
void lines_begin(input_lines *it, const char *name, paje_source *source, int file);
/* Opens a file.  Returns 0, with errno, if that is not possible. */
int lines_open(input_lines *it, const char *name);
void lines_end(input_lines *it);
/* Stores the next line, without its end; it is valid until the next call.  Returns 0 at the end. */
int lines_next(input_lines *it, pajesim_text *line);
/* The next bytes of the input, which are not taken; none at its end. */
pajesim_text lines_peek(input_lines *it);

/* Prints an error in the current line, with so many of its bytes. */
void lines_report(const input_lines *it, const char *line, const char *at, size_t size, const char *what);
/* How many there were; those beyond --limit are counted here, and reported. */
uint64_t lines_errors(const char *name);
extern uint64_t lines_limit; /* of errors that are printed; 0: no limit */

/* ---- write.c: the trace that is written */

extern pajewrite writer;

/* `decimals` of a second are a unit of its times: 0, 3, 6 or 9. */
void write_begin(uint32_t decimals);
void write_end(void);
/* Copies a name as a C string, valid until the next call, of 4000 bytes at most. */
const char *write_name(pajesim_text name);
/* Defines a value; color: 0xRRGGBB; NULL: one is chosen by the name. */
void write_value(pajewrite_value value, pajewrite_type type, pajesim_text name, const uint32_t *color);

/* ---- prv.c, prv_header.c, prv_labels.c: Paraver */

typedef struct prv_options {
    int has_cpus; /* 1: a variable says on which CPU a thread is */
    array_of(uint64_t) stacks; /* event types whose values are nested */
} prv_options;

void prv_import(input_lines *lines, const prv_options *options);

typedef struct prv_thread {
    uint32_t task; /* of all tasks */
    uint32_t cpu;
    uint32_t ends; /* counts the states: an end that waits belongs to one of them */
    int is_open; /* a state */
} prv_thread;

typedef struct prv_task {
    uint32_t application, node, threads;
    uint32_t first; /* of its threads */
} prv_task;

typedef struct prv_application {
    uint32_t first, tasks;
} prv_application;

typedef struct prv_model {
    uint64_t length;
    uint32_t decimals; /* of the unit of times */
    array_of(prv_application) applications;
    array_of(prv_task) tasks;
    array_of(prv_thread) threads;
} prv_model;

/* Reads the header, which is the line. */
void prv_read_header(prv_model *model, const input_lines *lines, pajesim_text line);
/* Reads a number that a line has at `*at`, and moves behind it.  Returns 0 if there is none, or one beyond 63 bits. */
int prv_read_number(const char **at, const char *end, int64_t *number);

typedef enum prv_kind { PRV_STATE = 1, PRV_STACK, PRV_EVENT, PRV_VARIABLE } prv_kind;

typedef struct prv_type {
    prv_kind kind;
    double scale;
    uint64_t number;
    pajewrite_type type;
    uint32_t values; /* identifier of the last one that is defined */
} prv_type;

enum { PRV_APPLICATION_TYPE = 1, PRV_TASK_TYPE, PRV_THREAD_TYPE, PRV_STATE_TYPE, PRV_LINK_TYPE, PRV_CPU_TYPE,
       PRV_FIRST_TYPE };

/* Reads .pcf and .row beside a .prv, where they are. */
void labels_read(const char *prv);
/* The name of an object, by its number from 0; empty if .row has none. */
typedef enum prv_level { PRV_NODE, PRV_APPL, PRV_TASK, PRV_THREAD, PRV_LEVELS } prv_level;
pajesim_text labels_row(prv_level level, size_t number);
/* Returns an event type, by its index; defines it at first. */
uint32_t labels_find_type(uint64_t number, const prv_options *options);
prv_type *labels_type_at(uint32_t index);
/* Return a value of it, or a state; define them at first. */
pajewrite_value labels_find_value(uint32_t type, int64_t value);
pajewrite_value labels_find_state(int64_t state);

/* ---- otf2.c: OTF2, by way of otf2-print */

void otf2_import(const paje_source *source);
