/* paje efficiency: what its files share.
 *
 * A row is a container with states; the process of a row is the container around it, or the row itself if that is in
 * the root.  Rows that communicate are what the figures call processes.  calls.c tells what a state is; rows.c keeps
 * rows and processes and adds up their times; messages.c and operations.c pass ideal clocks from row to row, at links
 * and at collective operations; figures.c makes efficiencies of the sums, print.c prints them, efficiency.c is the
 * command.
 *
 * Ideal clocks replay the trace on a network that takes no time.  The clock of a row goes on while it does not
 * communicate; at the end of a message it becomes at least what that of the sender was at the start, and at the end of
 * a collective operation what the greatest clock was with which a process began it.  No clock is ever ahead of the real
 * time, unless a message ends before it starts. */
#pragma once

#include "base/sum.h"
#include "command.h"
#include "replay/active.h"
#include "replay/collective.h"

typedef struct state_class {
    int is_known;
    int communicates, waits;
    paje_call call;
    size_t phase; /* number of its section; 0: none */
} state_class;

/* The range, or a phase: the stretches of time in which any row is in a state of that name. */
typedef struct section {
    size_t class;        /* of a phase */
    int is_open;
    uint64_t epoch;      /* grows whenever it begins; clocks of other epochs are not its own */
    double start;        /* of this stretch; -HUGE_VAL: when the first process begins */
    double ideal_end;    /* of a phase: the greatest clock with which a row has left it since */
    size_t inside;       /* of a phase: rows that are in it */
    double began;        /* of a phase: this stretch, also before -s */
    uint64_t stretches;  /* of a phase, that are in the range */
    sum runtime, ideal;  /* of stretches that have ended */
} section;

/* What is known of a row in a section. */
typedef struct row_part {
    uint64_t epoch;
    double start, clock;
    uint32_t depth;    /* states of the phase that are open */
    int is_cut;        /* the range ends while it waits for others to begin a collective operation */
    sum present;       /* in the section */
    sum outside, busy; /* of that: outside of communication; and not waiting for other threads either */
    sum receiving, untold; /* in calls of that kind */
    uint64_t calls, messages, bytes;
} row_part;

typedef struct row {
    pajesim_ref container; /* 0: it is gone */
    size_t name, process, next_free;
    uint32_t generation;   /* grows when the row is used again */
    double last;           /* up to which its times are added up */
    uint32_t communicating; /* states that are open */
    size_t waiting;        /* types whose innermost open state is one in which it waits for other threads */
    int is_helper, has_called;
    int is_apart; /* of no process, as nothing in it ever communicates: it makes no phase longer */
    paje_call call;        /* that is open */
    double began, left;    /* when it began, or what is known of it; when the last one ended */
    size_t operation;      /* that it is in; ACTIVE_NONE: none */
    uint64_t unnumbered;   /* collective operations without a number so far */
    row_part *parts;       /* by section */
} row;

/* What is known of the threads of a process in a section. */
typedef struct process_part {
    uint64_t epoch;
    sum busy;
    double most; /* of a thread */
} process_part;

typedef struct process {
    size_t next_free;
    size_t threads, threads_most; /* that exist, without those that the library has made; most at once in the range */
    uint64_t epoch;               /* of that range */
    size_t communicating;         /* rows in a call */
    int has_called, has_waited;   /* has_waited: a thread that does not call has */
    process_part *parts;          /* of threads that have ended, by section */
} process;

typedef struct mark {
    uint64_t epoch;
    double clock;
} mark;

enum { MOST_PHASES = 32 };

typedef array_of(section) sections_array;
typedef array_of(row) rows_array;
typedef array_of(process) processes_array;

typedef struct efficiency_data {
    active_globs calls, waits, phases; /* --states, --waiting, --phase */
    const char *field;  /* of bytes; NULL: the usual ones */
    int has_bytes;      /* a message has such a field */
    uint64_t unsized;   /* messages that have none */
    int is_whole;
    double slice;       /* width; 0: none */
    double start, end;  /* -s and -e, infinite if not given */
    size_t section_count;
    sections_array sections; /* 0: the range */
    rows_array rows;
    processes_array processes;
    int is_over;        /* times are beyond -e */
    int has_begun, has_finalized;
    double begun;       /* when the first MPI_Init ended */
    uint64_t late_begins; /* ends of MPI_Init behind a beginning of MPI_Finalize */
    uint64_t received, backwards;     /* messages of a call at either end; those that end before they start */
    uint64_t outer;                   /* waits for containers that are not replayed */
    int is_partial;                   /* --container leaves some out */
    int has_outer_calls;              /* which communicate */
    uint64_t operations, unordered;   /* collective operations; ended before all had begun them */
    uint64_t late_lines;              /* ends of states and links that come after later times */
    int is_unnumbered_wrong;          /* those without a number are not of all processes */
    const char *reason; /* why the run time on an ideal network is not known; NULL: it is */
} efficiency_data;

extern efficiency_data efficiency;

/* ---- calls.c */

const state_class *efficiency_class_of(pajesim *sim, const pajesim_entity *state);

/* Whether a state is communication, of a container that has no row. */
int efficiency_is_call(pajesim *sim, const pajesim_entity *state);

/* ---- rows.c */

void efficiency_begin_rows(void);
/* The threads of a process that exist at once within the range, at most. */
size_t efficiency_threads(process *in);
/* Returns the number of a row, which is made if it is missing; ACTIVE_NONE: the container is not shown, or gone. */
size_t efficiency_row_of(pajesim *sim, pajesim_ref container);
/* Whether a container communicates is known before it does. */
void efficiency_note_caller(const pajesim *sim, pajesim_ref container);
/* The row of a container, or of the first one in it that has states. */
size_t efficiency_row_at(pajesim *sim, pajesim_ref container);
void efficiency_container_ended(pajesim *sim, const pajesim_entity *container);
/* Adds up the times of a row up to `time`. */
void efficiency_advance(row *it, double time);
/* Begins a section, or begins it again; ends it.  real: a time that need not be within -s and -e. */
void efficiency_open(section *it, double time);
void efficiency_close_range(double time);
/* Call it before a range ends: who waits in a collective operation until then does so on an ideal network, too. */
void efficiency_cut_range(double time);
void efficiency_enter_phase(row *it, size_t number, double real);
void efficiency_leave_phase(row *it, size_t number, double real);
/* The marks of a row's clocks in all sections, and what follows from one. */
void efficiency_mark(row *it, mark *marks);
void efficiency_follow(row *it, const mark *marks);
/* Keeps the greater clocks of both. */
void efficiency_join(mark *marks, const mark *more);
/* A row of a section as it is now. */
row_part *efficiency_part(row *it, size_t number);
/* A time within -s and -e. */
double efficiency_time(double time);

/* ---- messages.c */

void efficiency_link_started(pajesim *sim, const pajesim_entity *link);
void efficiency_link_ended(pajesim *sim, const pajesim_entity *link);
/* Call it when both ends are known. */
void efficiency_link_closed(const pajesim_entity *link);

/* A call that has waited until then for a container without a row, as --container leaves it out, has waited for what is
 * not told. */
void efficiency_add_untold(row *it, double time);

/* ---- operations.c */

void efficiency_operation_begins(pajesim *sim, size_t row, const pajesim_entity *state, paje_call call);
void efficiency_operation_ends(size_t row, double time);
/* The range ends while a row is in an operation: it goes on from those whom it waits for.  Returns 0 if not all of them
 * have begun it. */
int efficiency_cut_operation(size_t row);
/* What ended so far takes effect: lines are of a later time from now on, or that row goes on. */
void efficiency_settle(void);
void efficiency_settle_row(size_t row);

/* ---- figures.c */

typedef struct figures {
    double start, end, runtime;
    size_t processes;
    double useful, most;        /* of all processes, of the one that has most */
    double ideal;               /* the run time on an ideal network; NAN: not known */
    double waiting, transfer;   /* of all processes; NAN: not known */
    uint64_t stretches, calls, messages, bytes;
    size_t threads;             /* 0: not hybrid */
    double busy, busy_most;     /* of all threads, of the one that has most */
} figures;

/* Returns 0 if no process is in the section. */
int efficiency_figures(size_t number, figures *it);
int efficiency_is_process(row *it, size_t number);
/* What a process waits for on an ideal network; NAN: not known. */
double efficiency_waiting(row *it, const figures *of);

/* ---- print.c */

enum { EFFICIENCY_TABLE, EFFICIENCY_CSV, EFFICIENCY_JSON };
extern int efficiency_format;

void efficiency_print_begin(void);
/* The range, or a slice of it. */
void efficiency_print_range(void);
void efficiency_print_end(void);
