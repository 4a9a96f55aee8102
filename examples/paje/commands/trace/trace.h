/* What the parts of `paje trace` share. */
#pragma once

#include "command.h"
#include "trace/control.h"

extern const paje_command command_trace;

/* What is recorded, and how. */
typedef struct trace_settings {
    uint32_t record; /* categories, one bit each */
    uint32_t slots;
    uint64_t throttle_calls, throttle_time; /* functions that are called more often and take less are left out */
    uint64_t heap; /* from how many bytes on allocations are events */
} trace_settings;

/* ---- settings.c */

/* Reads settings, KEY=VALUE each, between blanks; # begins a comment.  `from`: where they are from, for messages.  Ends
 * the program if one is wrong. */
void trace_read_settings(trace_settings *it, const char *from, const char *text);
void trace_read_settings_file(trace_settings *it, const char *name);
/* Reads a list of categories, such as threads,io.  Returns 0 if there is no such category. */
int trace_read_categories(const char *text, uint32_t *categories);
/* What such a list has to be, for messages. */
extern const char *const trace_category_list;

/* ---- program.c */

/* Returns why the library cannot be preloaded into a program, as the end of a sentence that begins with its name; NULL:
 * it can, or there is no such program. */
const char *trace_check_program(const char *name);
/* Finds a program as execvp does.  Returns its path, to be freed; NULL: there is none. */
char *trace_find_program(const char *name);

/* ---- parallel.c: parallel programs */

/* Returns which MPI a command is run with: "openmpi", "mpich", or NULL: none that is known. */
const char *trace_find_mpi(char **command);

/* ---- folder.c: the folder of a run, in which each process has a file */

typedef struct trace_folder {
    char *name;
    trace_control *control;
    char **files;      /* the raw files, sorted */
    uint32_t count;
    uint32_t running;  /* processes that still run */
    uint32_t not_received, not_sent; /* messages of which one end is missing */
    int is_kept;
    int lock;          /* the file that its launchers have locked; -1: there is only this one */
    int is_first;      /* 1: this one has made it */
} trace_folder;

/* Makes the folder, and what processes find in it.  `name`: where; NULL: below $TMPDIR.  Returns 0, with errno, if that
 * is not possible. */
int trace_make_folder(trace_folder *it, const char *name, const trace_settings *settings);
/* Joins the folder that all launchers of a parallel job on this machine share, below $TMPDIR.  Returns 0, with errno. */
int trace_join_folder(trace_folder *it, uint64_t job, const trace_settings *settings);
/* Waits until all `launchers` have joined and left it, or were killed. */
void trace_wait_for_launchers(trace_folder *it, int launchers);
/* Leaves it; the last one waits until its trace is made. */
void trace_leave_folder(trace_folder *it, int launchers);
/* Opens the folder of a run to change what it records.  Returns 0, with errno. */
int trace_open_folder(trace_folder *it, const char *name);
void trace_list_files(trace_folder *it);
/* Removes it with all its files. */
void trace_remove_folder(trace_folder *it);

/* ---- outside.c: a program that cannot be traced from within */

void trace_write_outside(const trace_folder *folder, const char *program, long process, uint64_t begin, uint64_t end);

/* ---- symbols.c */

/* Puts the name of the function at a place, @FILE+0xOFFSET; if it has none, FILE+0xOFFSET without the folder. */
void trace_put_function(text_buffer *to, pajesim_text place);
void trace_free_symbols(void);

/* ---- finish.c */

/* Makes raw files whole, however their processes ended: ends what is open, at the last time of each file; removes links
 * of which one end is missing, and what a last line left unfinished. */
void trace_finish_files(trace_folder *folder);
