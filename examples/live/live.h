/* live.h: a program that replies while it runs.
 *
 *     static int64_t workers = 8;
 *     static live l;
 *     live_init(&l, &(live_config){.where = getenv("PAJE_LIVE"), .writer = w});
 *     live_thread_begin(&l, w, container, "main");
 *     live_knob(&l, "workers", &workers, LIVE_RANGE(1, 28, 1), "iteration");
 *     live_region *solve = LIVE_NEW_REGION(&l, "solve");
 *     while (more) {
 *         live_point(&l, "iteration");   // here, and nowhere else, knobs and slots change
 *         LIVE_REGION(solve);            // a state, up to the end of the block
 *     }
 *     live_end(&l);
 *
 * Without PAJE_LIVE, which says where to listen, there is no thread, no descriptor, no call of the system and no
 * memory; a region costs one load and one branch where it begins, as live_point does.  README.md has the rest. */
#pragma once

#include "pajewrite.h"

#include <stddef.h>
#include <stdint.h>

enum {
    LIVE_REGIONS = 128,
    LIVE_KNOBS = 64,
    LIVE_SLOTS = 16,
    LIVE_CHOICES_MAX = 8,
    LIVE_CALLS = 32,
    LIVE_INSERTED = 16,
    LIVE_THREADS = 256,
    LIVE_STACK = 64,     /* regions within each other that a snapshot shows */
    LIVE_STATE_METRICS = 32
};

typedef struct live live;
typedef void (*live_function)(void);

typedef struct live_config {
    const char *where;          /* unix:PATH, fd:NUMBER, @FOLDER (a socket for each process), @ (the usual folder: see
                                   README.md); NULL or empty: nothing is opened, ever */
    pajewrite *writer;          /* the context of the thread that calls live_point; NULL: no trace is written */
    pajewrite_type state;       /* of regions in the trace */
    pajewrite_type tuned;       /* of events that tell what was changed; 0: none */
    uint32_t first_value;       /* the first alias of regions as values, with those after it; 0: 1 */
    uint64_t (*clock)(void *);  /* NULL: pajewrite_monotonic */
    void *clock_data;
    uint64_t origin;            /* of all times, as pajewrite_config.origin */
    const char *process, *process_name; /* its identifier in documents; NULL: none */
    const char *folder;         /* below which destinations may be files; NULL: none may */
    int is_polled;              /* 1: no thread is made; the program calls live_poll */
} live_config;

typedef struct live_region {
    uint32_t on; /* atomic: LIVE_TRACED and others; 0: off */
    uint32_t number;
    live *owner;
    const char *name, *file;
    int line;
    pajewrite_value value;
    uint32_t adds;                /* metrics that its executions add to */
    uint64_t both, enter, leave;  /* atomic: probes, as measure_wants */
} live_region;
enum {
    LIVE_TRACED = 1, /* as the program wants */
    LIVE_MEASURED = 2,
    LIVE_AWAITED = 4, /* a thread is to take a peer */
    LIVE_EVENTS = 8,  /* traced, as a client wants */
    LIVE_WRITTEN = LIVE_TRACED | LIVE_EVENTS
};

typedef struct live_scope {
    live_region *region; /* NULL: it was off */
    struct live_thread *thread;
    uint64_t begin, probes;
    uint32_t on;
} live_scope;

typedef struct live_thread {
    live *owner;
    pajewrite *writer;
    pajewrite_container container;
    uint32_t place;
    uint32_t busy;  /* atomic; odd: it uses probes */
    uint32_t depth; /* atomic */
    int cpu_clock;  /* of its CPU time */
    live_region *stack[LIVE_STACK];
    int64_t totals[LIVE_STATE_METRICS]; /* atomic: of metrics that states add to */
    int has_stream;            /* 1: `writer` is sent to a client of its own: see live_offer */
    uint32_t defined;          /* of regions, in that stream */
    pajewrite_peer *peer, *next_peer; /* next_peer: atomic; it takes the stream from the next region on */
    uint64_t flushed;
    char id[16], name[48];
} live_thread;

typedef struct live_choice {
    const char *name;
    live_function function;
} live_choice;

typedef struct live_knob_info {
    const char *name, *at;
    int64_t *word; /* written by live_point only */
    int64_t low, high, step, first;
    int reverts;   /* 1: it goes back to `first` when the client that changed it goes */
    uint32_t changed_by;
} live_knob_info;

typedef struct live_slot_info {
    const char *name, *at;
    live_function *place;
    live_choice choices[LIVE_CHOICES_MAX];
    size_t count;
} live_slot_info;

struct live {
    uint32_t pending; /* atomic: what waits for a live_point */
    live_config config;
    struct live_agent *agent; /* NULL: nothing was opened */
    uint32_t regions, knobs, slots, calls, threads;
    live_region region[LIVE_REGIONS];
    live_region excess; /* for those that there is no place for */
    live_knob_info knob[LIVE_KNOBS];
    live_slot_info slot[LIVE_SLOTS];
    live_choice call[LIVE_CALLS];
    live_thread *thread[LIVE_THREADS];
    pajewrite_variant variant;
    const char *problem; /* why PAJE_LIVE has no effect; NULL: it has, or is not set */
    char problem_text[160];
};

/* Begins.  Returns 0 if `where` cannot be opened: `problem` says why, and the program goes on without.  All names and
 * words are to stay where they are until live_end. */
int live_init(live *l, const live_config *config);
/* Ends: removes the socket. */
void live_end(live *l);

#define LIVE_RANGE(low, high, step) (low), (high), (step)
/* A number that may be changed, at live_points of that name (NULL: at any). */
void live_knob(live *l, const char *name, int64_t *word, int64_t low, int64_t high, int64_t step, const char *at);
/* It goes back to its first value when the client that changed it is gone. */
void live_knob_reverts(live *l, const char *name);
/* A function that may be replaced by another of these. */
#define LIVE_CHOICES(...)                                                                                              \
    (const live_choice[]){__VA_ARGS__}, sizeof((const live_choice[]){__VA_ARGS__}) / sizeof(live_choice)
void live_slot(live *l, const char *name, live_function *place, const live_choice *choices, size_t count,
               const char *at);
/* A function that may be called once, or at each live_point of some name. */
void live_call(live *l, const char *name, live_function function);

/* A part of the program.  If there are too many, it returns one that is always off. */
live_region *live_new_region(live *l, const char *name, const char *file, int line);
#define LIVE_NEW_REGION(l, name) live_new_region(l, name, __FILE__, __LINE__)
/* Traces a region, or not; by default it is not. */
void live_trace_region(live_region *region, int is_traced);

/* The calling thread: its context (NULL: it writes no trace) and container. */
void live_thread_begin(live *l, pajewrite *writer, pajewrite_container container, const char *name);
void live_thread_end(live *l);

void live_enter_on(live_scope *scope, live_region *region);
void live_leave_on(live_scope *scope, int64_t bytes);
void live_point_pending(live *l, const char *at);

static inline void live_enter(live_scope *scope, live_region *region)
{
    scope->region = NULL; /* the rest is set if it is on */
    if (__builtin_expect(__atomic_load_n(&region->on, __ATOMIC_RELAXED), 0))
        live_enter_on(scope, region);
}

static inline void live_leave(live_scope *scope)
{
    if (__builtin_expect(scope->region != NULL, 0))
        live_leave_on(scope, 0);
}

/* With the bytes that were sent, received, read or written. */
static inline void live_leave_bytes(live_scope *scope, int64_t bytes)
{
    if (__builtin_expect(scope->region != NULL, 0))
        live_leave_on(scope, bytes);
    scope->region = NULL;
}

#define LIVE__JOIN(a, b) a##b
#define LIVE__NAME(a, b) LIVE__JOIN(a, b)
#define LIVE_REGION(region) \
    live_scope LIVE__NAME(live_scope_, __LINE__) __attribute__((cleanup(live_leave))); \
    live_enter(&LIVE__NAME(live_scope_, __LINE__), region)

/* A place where the program may be changed.  One thread calls it. */
static inline void live_point(live *l, const char *at)
{
    if (__builtin_expect(__atomic_load_n(&l->pending, __ATOMIC_RELAXED), 0))
        live_point_pending(l, at);
}

/* In place of the agent's thread: serves what there is, and returns at once. */
void live_poll(live *l);
/* For pajewrite_config.offer of `writer`, of live_config or of a thread that has one of its own: takes nothing until a
 * client asks for the trace, or for that of this thread. */
size_t live_offer(void *peer, const char *bytes, size_t size);
