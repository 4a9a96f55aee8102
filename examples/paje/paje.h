/* paje, the command line tool: what its files share.
 *
 * A command is a plugin: one file commands/NAME.c that defines `const paje_plugin paje_NAME`, a table of callbacks and
 * options.  The Makefile lists the files of that folder in plugins.h, so adding a command touches nothing else. */
#ifndef PAJE_H
#define PAJE_H

#ifndef _XOPEN_SOURCE
#define _XOPEN_SOURCE 700
#endif
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "pajesim.h"

#define PAJE_VERSION_TEXT "0.1.0"

/* Exit statuses. */
enum { PAJE_WELL = 0, PAJE_ERRORS = 1, PAJE_USAGE = 2, PAJE_FAILED = 3 };

/* ---- output.c: bytes that grow, standard output, and the end ----------------------------------------------------- */

typedef struct paje_buffer {
    char *bytes;
    size_t size, room;
} paje_buffer;

#if defined(__GNUC__)
#define PAJE_PRINTF(text, first) __attribute__((format(printf, text, first)))
#define PAJE_NO_RETURN __attribute__((noreturn))
#else
#define PAJE_PRINTF(text, first)
#define PAJE_NO_RETURN
#endif

void paje_add(paje_buffer *buffer, const char *bytes, size_t size);
/* Where to write up to `size` bytes more, by which buffer->size is to grow then. */
char *paje_reserve(paje_buffer *buffer, size_t size);
void paje_add_text(paje_buffer *buffer, pajesim_text text);
/* Bytes of a trace, fit for a terminal: control bytes as \n, \t or \xNN. */
void paje_add_printable(paje_buffer *buffer, pajesim_text text);
void paje_release(paje_buffer *buffer);
/* What is in it, until it grows. */
pajesim_text paje_text(const paje_buffer *buffer);
void paje_addf(paje_buffer *buffer, const char *format, ...) PAJE_PRINTF(2, 3);
void paje_add_formatted(paje_buffer *buffer, const char *format, va_list arguments) PAJE_PRINTF(2, 0);

/* What goes to standard output: add to it, and call paje_end_line after each line. */
extern paje_buffer paje_output;
extern size_t paje_output_room; /* how much is gathered before it is written */
void paje_end_line(void);
/* Writes what is in paje_output; ends the program with PAJE_FAILED if that is not possible. */
void paje_flush(void);
/* Of a command that writes files: called by paje_flush, as it is when the input has to wait.  NULL: there are none. */
extern void (*paje_flush_files)(void);

/* Writes the buffer's bytes to a file and empties it; ends the program with PAJE_FAILED if that is not possible. */
void paje_write(int file, const char *name, paje_buffer *buffer);

/* "paje: " and the message, on standard error; paje_fail ends the program with PAJE_FAILED then. */
void paje_message(const char *format, ...) PAJE_PRINTF(1, 2);
void paje_fail(const char *format, ...) PAJE_PRINTF(1, 2) PAJE_NO_RETURN;
/* What is to be done before a message, NULL: nothing.  A viewer gives the terminal back. */
extern void (*paje_before_message)(void);
/* The buffer's bytes to standard error; empties it. */
void paje_complain(paje_buffer *buffer);
/* malloc and realloc that answer, or end the program. */
void *paje_room(void *block, size_t size);
/* The same for a simulation, to be freed: arena.c. */
unsigned char *paje_arena(size_t capacity);

/* A line on standard error that the next output or message wipes out, or paje_end_progress. */
void paje_progress(const char *format, ...) PAJE_PRINTF(1, 2);
void paje_end_progress(void);

/* ---- set.c: each distinct string of bytes once, numbered in the order of their coming ---------------------------- */

typedef struct paje_set {
    paje_buffer bytes;
    size_t *ends; /* of entry i in `bytes` */
    size_t count, room;
    size_t *slots; /* entry + 1; 0: free */
    size_t slot_count;
} paje_set;

#define PAJE_NONE ((size_t)-1)

size_t paje_set_find(const paje_set *set, const void *bytes, size_t size);
size_t paje_set_add(paje_set *set, const void *bytes, size_t size);
pajesim_text paje_set_entry(const paje_set *set, size_t entry);
/* Whether a set of names has that of a container or type, or its alias. */
int paje_set_names(const paje_set *names, const pajesim *sim, pajesim_ref ref);

/* ---- format.c: an entity as a line of pj_dump -------------------------------------------------------------------- */

/* As many digits as tell the number from every other, in place of so many decimals. */
#define PAJE_EXACT (-1)

/* Without user fields and line end. */
void paje_format_entity(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity, int precision);
/* A comma, a blank and the text, for each. */
void paje_format_fields(paje_buffer *line, const pajesim *sim, const pajesim_fields *fields);
/* Those that pj_dump prints of such an entity. */
void paje_format_user_fields(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity);
void paje_format_user_field_names(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity);

/* ---- path.c, encode.c: names of a trace in other notations ------------------------------------------------------- */

/* The names of a container and of those that it is in, each after a slash: "/Host one/Thread one"; the root is "/".
 * A slash or backslash within a name has a backslash before it. */
void paje_add_path(paje_buffer *buffer, const pajesim *sim, pajesim_ref container);
/* A callback `container_destroyed`: remembers the path, which a link may still need that ends later. */
int paje_keep_path(pajesim *sim, const pajesim_entity *container);

/* How many bytes the UTF-8 character takes that begins there; 0 if none does. */
size_t paje_character(const char *bytes, size_t size);
/* A JSON string, quotes included, valid UTF-8 whatever the trace holds: each byte that belongs to no character becomes
 * U+FFFD.  `<` is \u003c, so that it may stand within a <script>. */
void paje_add_json(paje_buffer *buffer, pajesim_text text);
/* Text or an attribute's value of XML and HTML: `<`, `>`, `&` and quotes as entities; what is no character, or none
 * that XML permits, becomes U+FFFD. */
void paje_add_xml(paje_buffer *buffer, pajesim_text text);
/* A field of RFC 4180, in quotes where it needs them; its bytes stay as they are. */
void paje_add_csv(paje_buffer *buffer, pajesim_text text);
/* A string of SQL, in single quotes, valid UTF-8 as in JSON; NUL becomes U+FFFD, too.  `backslashes`: those are doubled,
 * for MySQL. */
void paje_add_sql(paje_buffer *buffer, pajesim_text text, int backslashes);
/* A number of JSON, SQL and CSV, with as many digits as tell it from every other.  An infinite one becomes the greatest
 * one, what is none becomes null. */
void paje_add_number(paje_buffer *buffer, double number);
/* The end less the start, as their decimals tell it: 0.3 less 0.2 is 0.1. */
void paje_add_span(paje_buffer *buffer, double start, double end);
void paje_add_integer(paje_buffer *buffer, int64_t number);
/* User fields as a JSON object of strings; a name that comes twice counts once. */
void paje_add_json_fields(paje_buffer *buffer, const pajesim *sim, const pajesim_fields *fields);

/* ---- replay.c, source.c: a trace from its file through the simulation -------------------------------------------- */

typedef struct paje_plugin paje_plugin;

/* What options set. */
typedef struct paje_settings {
    const paje_plugin *plugin;
    pajesim_options simulation;
    size_t arena; /* limit in bytes; 0: none */
    const char *files; /* a folder where included files may be, too; NULL: none */
    int stats;
    int follow;
    int stops;            /* 1: what is open at the end of the trace ends at `stop_time` */
    pajesim_time stop_time;
} paje_settings;

/* A file that is being read: the trace, or what it includes. */
typedef struct paje_source {
    struct paje_source *includer; /* NULL: the trace itself */
    char *name;                   /* as it appears in messages */
    int file;
    int follow;
    uint64_t device, inode;
    uint64_t length; /* 0: unknown */
    uint64_t consumed;
    uint32_t included; /* of the trace itself: how many files so far */
    size_t at, size; /* what is not fed yet of `bytes` */
    char bytes[1 << 16];
} paje_source;

/* One trace on its way through the simulation: pajesim_data(sim) within callbacks. */
typedef struct paje_run {
    const paje_settings *settings;
    pajesim sim;
    pajesim_callbacks callbacks;
    unsigned char *arena;
    size_t capacity;
    unsigned moves;
    paje_source *source; /* the innermost */
    uint64_t file_errors;
    double began, seconds;
} paje_run;

/* Replays one trace: `name` is a file, "-" standard input.  Answers an exit status. */
int paje_replay(const paje_settings *settings, const char *name, int trace);

/* The same in steps, for a command that replays several traces side by side. */
void paje_open_run(paje_run *run, const paje_settings *settings, const char *name);
/* Reads, or feeds `most` bytes.  Answers 0 at the end of the trace, and when a callback stopped it. */
int paje_feed_run(paje_run *run, size_t most);
void paje_finish_run(paje_run *run);
/* Answers an exit status. */
int paje_close_run(paje_run *run);
double paje_seconds(void);

paje_source *paje_open_trace(const char *name, int follow);
/* Opens what a trace includes, relative to the file that does: a file below the folder of the trace, or below `allowed`,
 * if that is not NULL.  NULL, and why in `*refused`, if that cannot be. */
paje_source *paje_open_included(paje_source *includer, pajesim_text name, const char *allowed, const char **refused);
void paje_close_source(paje_source *source);
/* Reads the next bytes; answers 0 at the end.  Flushes standard output when it would have to wait. */
int paje_read_source(paje_source *source);

/* Moves the arena into a larger block, as PAJESIM_FULL asks for. */
void paje_grow_run(paje_run *run);
/* How far it is, on a terminal. */
void paje_show_run(const paje_run *run);
/* Opens a trace that is replayed from a checkpoint of its index on; or from its last one on, to add to the index. */
void paje_open_run_at(paje_run *run, const paje_settings *settings, const char *name, const pajesim_index *index,
                      uint32_t checkpoint);
void paje_resume_run(paje_run *run, const paje_settings *settings, const char *name, pajesim_index *index);

/* ---- index_file.c: the index of a trace, which lies beside it in FILE.pajeidx ------------------------------------ */

typedef struct paje_index {
    pajesim_index index;
    unsigned char *memory; /* its block, mapped */
    size_t size;
    char *name;            /* of its file */
    int had_errors;        /* so has the trace */
} paje_index_file;

typedef enum paje_index_state {
    PAJE_INDEX_ABSENT, /* there is none, or none that may be used: `why` tells, unless there is no such file */
    PAJE_INDEX_PART,   /* it is right, as far as it goes: the trace has grown since */
    PAJE_INDEX_WHOLE
} paje_index_state;

/* Loads the index of a trace, into a block of `room` bytes at least, if it belongs to that: size, date, digests of head
 * and tail, options of the simulation.  Else an empty one is made in that block. */
paje_index_state paje_load_index(paje_index_file *it, const paje_settings *settings, const char *trace, size_t room,
                                 const pajesim_index_options *options, const char **why);
/* Makes room for that many bytes at least. */
void paje_grow_index(paje_index_file *it, uint64_t size);
/* Writes it for the trace that lies in `file`; what was there before stays until it is written.  Answers its size. */
size_t paje_save_index(paje_index_file *it, const paje_settings *settings, int file);
void paje_release_index(paje_index_file *it);
/* Says on standard error why an index is not used, if it is there. */
void paje_refuse_index(const paje_index_file *it, const char *why);

/* ---- parts.c: with an index, what overlaps a range of time; by several processes if need be ----------------------- */

/* Replays what may overlap [from, to] with the plugin's callbacks, in their order: with an index from one checkpoint to
 * another, then what is open there, before which no line comes: `before_rest`, if it is not NULL; without one the whole
 * trace.  Writes what they added to paje_output.  Answers an exit status.  Several processes share the work, if the
 * trace is a file; the plugin may only look at what it is shown then. */
int paje_replay_range(const paje_settings *settings, const char *name, double from, double to, int processes,
                      void (*before_rest)(void));

/* ---- problem.c: warnings and errors ------------------------------------------------------------------------------ */

/* FILE:LINE:COLUMN: error: text: `bytes`, without a line end. */
void paje_format_problem(paje_buffer *line, const paje_run *run, const pajesim_problem *problem);
/* The callback of all commands that have no other: on standard error, the first few warnings of each code only. */
int paje_show_problem(pajesim *sim, const pajesim_problem *problem);
/* How many warnings were left out. */
void paje_show_omitted(const paje_run *run);

/* ---- summary.c ----------------------------------------------------------------------------------------------------*/

/* What `null` and `parse` print. */
void paje_print_summary(const paje_run *run);

/* ---- main.c, options.c: commands --------------------------------------------------------------------------------- */

typedef struct paje_option {
    int key;              /* the letter; from PAJE_LONG_ONLY for those that have none */
    const char *name;     /* without -- */
    const char *argument; /* what it is called in the help; NULL: takes none */
    const char *help;     /* NULL ends a table */
} paje_option;

#define PAJE_LONG_ONLY 512
#define PAJE_ANY INT_MAX

struct paje_plugin {
    const char *name;
    const char *summary; /* one line */
    const char *details; /* the rest of the help; may be NULL */
    int traces;          /* how many it takes; PAJE_ANY: one or more, side by side, which `run` does */
    const char *operands; /* in the help, where they are not just traces; then `run` counts them.  May be NULL */
    int strict;          /* 1: strict if nothing else is said */
    int parse_only;
    const paje_option *options; /* NULL: none of its own */
    /* One of its own options.  Answers NULL, or what is wrong with the argument. */
    const char *(*option)(int key, const char *argument, paje_settings *settings);
    /* A `problem` of its own replaces paje_show_problem. */
    pajesim_callbacks callbacks;
    /* Before and after each trace, numbered from 0; may be NULL. */
    void (*begin)(paje_run *run, int trace);
    void (*end)(paje_run *run, int trace);
    /* At the very end, with the worst exit status of the traces; answers the program's.  May be NULL. */
    int (*result)(int status);
    const char *result_help; /* what else exit status 1 means then, in the help */
    /* In place of paje_replay for each trace; answers an exit status.  May be NULL. */
    int (*run)(const paje_settings *settings, char **names, int count);
};

/* Reads options into `settings`; answers the index of the first operand, which all operands follow.  Ends the program
 * with PAJE_USAGE, or PAJE_WELL after --help. */
int paje_parse_options(int argc, char **argv, paje_settings *settings);
/* Ends the program with PAJE_USAGE. */
void paje_usage(const paje_plugin *plugin, const char *format, ...) PAJE_PRINTF(2, 3) PAJE_NO_RETURN;
/* A number that is an option's argument: 1 well, 0 none; a size such as 64K, 16M, 2G; a whole number from 1 on. */
int paje_parse_number(const char *argument, double *number);
int paje_parse_size(const char *argument, size_t *size);
int paje_parse_count(const char *argument, uint64_t *count);
/* The unit of a trace's times, as how many of it are in a second.  Answers NULL, or what is wrong. */
const char *paje_parse_unit(const char *argument, double *per_second);

#endif
