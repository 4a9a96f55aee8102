/* What the parts of `paje trace` share. */
#pragma once

#include "command.h"
#include "base/job.h"
#include "trace/control.h"

#include <poll.h>
#include <sys/types.h>

extern const paje_command command_trace;

/* What is recorded, and how. */
typedef struct trace_settings {
    uint32_t record; /* categories, one bit each */
    uint32_t slots;
    int is_omp_llvm; /* 1: LLVM's library of OpenMP is loaded for programs of gcc */
    int are_names_mangled; /* 1: names of C++ functions are as in the file */
    char functions[TRACE_PATTERNS];
    uint64_t throttle_calls, throttle_time; /* functions that are called more often and take less are left out */
    uint64_t heap; /* from how many bytes on allocations are events */
    uint32_t counters; /* one bit each, in the order of counters.h */
    uint32_t rate;    /* samples of a second of CPU time; 0: none are taken */
    char methods[TRACE_METHODS]; /* of Java */
    uint64_t allocations; /* bytes between two allocations of Java that are recorded; 0: none are */
    uint32_t no_exceptions; /* 1: exceptions of Java are not recorded */
    uint32_t beans; /* milliseconds between two readings of what the JVM counts; 0: it is not read */
    uint32_t shows_jvm;   /* 1: threads of the JVM that run no Java are recorded */
    uint32_t sampler; /* TRACE_PERF or TRACE_TIMERS; TRACE_NO_SAMPLER: what is possible */
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
    int is_kept;
    int lock;          /* the file that its launchers have locked; -1: there is only this one */
    int is_first;      /* 1: this one has made it */
    int held;          /* the folder itself, locked by the launcher that made it and by what makes its trace; else -1 */
} trace_folder;

/* Makes the folder, and what processes find in it.  `name`: where; NULL: below $TMPDIR.  Returns 0, with errno, if that
 * is not possible. */
int trace_make_folder(trace_folder *it, const char *name, const trace_settings *settings);
/* Joins the folder that all launchers of a parallel job on this machine share, below $TMPDIR.  Returns 0, with
 * errno. */
int trace_join_folder(trace_folder *it, uint64_t job, const trace_settings *settings);
/* Waits until all `launchers` have joined and left it, or were killed. */
void trace_wait_for_launchers(trace_folder *it, int launchers);
/* Leaves it; the last one waits until its trace is made. */
void trace_leave_folder(trace_folder *it, int launchers);
/* Opens the folder of a run to change what it records.  Returns 0, with errno. */
int trace_open_folder(trace_folder *it, const char *name);
/* Writes its control page again if that has been truncated: without it, raw files are not known as such. */
void trace_mend_control(const trace_folder *it);
void trace_list_files(trace_folder *it);
void trace_free_files(trace_folder *it);
/* Puts a copy in place of each raw file of a process that still runs, which goes on with the file that it had. */
void trace_detach_files(const trace_folder *it);
/* Whether a process still runs: it is there, and not only until its parent waits for it. */
int trace_is_running(long process);
/* Removes it with all its files. */
void trace_remove_folder(trace_folder *it);

/* ---- outside.c: a program that cannot be traced from within */

void trace_write_outside(const trace_folder *folder, const char *program, long process, uint64_t begin, uint64_t end);

/* ---- live.c */

/* Starts a process that lets the trace grow, as long as this one runs.  Returns its number; -1: there is none. */
pid_t trace_start_live(trace_folder *folder, const char *output);
void trace_end_live(pid_t process);

/* ---- counters.c */

/* Reads a list of counters, such as faults,instructions.  Returns 0 if there is no such counter. */
int trace_read_counters(const char *text, uint32_t *counters);
extern const char *const trace_counter_list;
/* Returns those of them that this machine has, and says of each of the others why not. */
uint32_t trace_check_counters(uint32_t counters);

/* ---- sampler.c: samples that the system takes */

typedef struct trace_sampler {
    array_of(struct trace_ring) rings; /* of each processor; none: it takes no samples */
    array_of(struct pollfd) files;
    uint32_t period;     /* nanoseconds */
    int without_system;  /* 1: samples of the system's own code are not allowed */
    int output, failed;  /* failed: errno */
    uint64_t lost;       /* samples, as they were not read in time */
    uint32_t throttled;  /* times that the system took fewer */
    text_buffer lines;
} trace_sampler;

/* Chooses what takes samples, if any are wanted, of what this process will execute in its children. */
void trace_begin_sampling(trace_sampler *it, const trace_folder *folder, const trace_settings *settings);
/* Waits for a child, and reads samples meanwhile.  Returns 0, with errno, if there is no such child. */
int trace_wait(trace_sampler *it, pid_t child, int *status);
void trace_close_sampler(trace_sampler *it);

/* ---- samples.c */

typedef struct trace_sample_counts {
    uint64_t samples, outside; /* outside: of threads that are not in the trace */
    int failed;
} trace_sample_counts;

/* Makes states of samples, in the raw files.  It is called before these are made whole. */
trace_sample_counts trace_finish_samples(trace_folder *folder, int are_names_readable);
/* sampler.c: says what is missing; if `is_verbose`, how many there are. */
void trace_report_samples(const trace_folder *folder, const trace_sampler *sampler, const trace_sample_counts *counts,
                          const char *output, int is_verbose);

/* ---- code.c: what code processes have in their memory, in order of time */

typedef struct trace_place {
    uint32_t function;
    int is_code;
    int is_below; /* 1: in the C library or the tracer, which call main, and what threads run */
} trace_place;

/* A process begins without code, or with that of its parent unless it is UINT64_MAX. */
void trace_code_begins(uint64_t process, uint64_t parent);
/* `path` is used until trace_free_code. */
void trace_code_mapped(uint64_t process, uint64_t start, uint64_t end, uint64_t offset, pajesim_text path);
trace_place trace_find_place(uint64_t process, uint64_t address, int is_readable);
pajesim_text trace_function_name(uint32_t function);
void trace_free_code(void);

/* ---- finish.c */

/* Makes the trace of a run that has ended, and removes its folder; if it cannot be made, says where the files are. */
void trace_finish(trace_folder *folder, const trace_sampler *sampler, const char *output, int is_verbose);
/* Begins the process that makes the trace of a parallel job when all launchers have left it. */
void trace_begin_finisher(trace_folder *folder, const trace_sampler *sampler, const char *output, int is_verbose,
                          int launchers, int is_live);
/* The name of the program, with .trace, in the current folder; with the name of the machine if the job has processes
 * on others, and with the rank if it shares no folder with those on this one.  The caller frees it. */
char *trace_output_name(const char *program, const parallel_job *job, int is_joined);
