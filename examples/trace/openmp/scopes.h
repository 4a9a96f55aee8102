/* What each thread is in: regions, tasks, waits and so on, each within the one before.
 *
 * It is kept also while it is not recorded, within what was, so that an end meets its own begin if categories are
 * switched in between.  A thread that is in nothing keeps nothing as long as OpenMP is switched off: its events return
 * at once.  Both ways to see OpenMP use it: OMPT (ompt.c), and wrappers of gcc's library (gomp.h). */
#pragma once

#include "../trace.h"

/* States: name of the constant, name, colour. */
#define OMP_STATES(STATE) \
    STATE(PARALLEL, "omp parallel", "0.45 0.60 0.45") \
    STATE(IMPLICIT_TASK, "omp implicit task", NULL) \
    STATE(TASK, "omp task", NULL) \
    STATE(TASK_RESUMED, "omp task resumed", NULL) \
    STATE(FOR, "omp for", "0.35 0.70 0.35") \
    STATE(SECTIONS, "omp sections", "0.30 0.65 0.50") \
    STATE(SINGLE, "omp single", "0.30 0.60 0.65") \
    STATE(WORKSHARE, "omp workshare", "0.40 0.70 0.60") \
    STATE(DISTRIBUTE, "omp distribute", "0.40 0.70 0.45") \
    STATE(TASKLOOP, "omp taskloop", "0.45 0.65 0.75") \
    STATE(SCOPE, "omp scope", "0.50 0.70 0.70") \
    STATE(MASKED, "omp masked", "0.35 0.55 0.70") \
    STATE(BARRIER, "omp barrier", "0.80 0.20 0.30") \
    STATE(TASKWAIT, "omp taskwait", "0.85 0.45 0.20") \
    STATE(TASKGROUP, "omp taskgroup", "0.90 0.55 0.30") \
    STATE(REDUCTION, "omp reduction", "0.55 0.40 0.65") \
    STATE(WAIT_CRITICAL, "omp wait critical", "0.65 0.10 0.10") \
    STATE(CRITICAL, "omp critical", "0.95 0.80 0.25") \
    STATE(WAIT_ORDERED, "omp wait ordered", "0.65 0.15 0.30") \
    STATE(ORDERED, "omp ordered", "0.90 0.75 0.40") \
    STATE(WAIT_ATOMIC, "omp wait atomic", "0.60 0.10 0.20") \
    STATE(ATOMIC, "omp atomic", "0.90 0.85 0.35") \
    STATE(WAIT_LOCK, "omp wait lock", "0.70 0.15 0.10") \
    STATE(LOCK, "omp lock", "0.95 0.85 0.45") \
    STATE(IDLE, "omp idle", "0.88 0.88 0.88")

typedef enum omp_state {
    OMP_NONE,
#define STATE(NAME, name, color) OMP_##NAME,
    OMP_STATES(STATE)
#undef STATE
} omp_state;

typedef enum omp_kind {
    OMP_OUTSIDE, /* a worker waits for the next region */
    OMP_REGION,
    OMP_MEMBER,  /* an implicit task */
    OMP_EXPLICIT,
    OMP_WORK,    /* loops and the like */
    OMP_LOOSE,   /* work that may have no end of its own: it ends at the next work or barrier */
    OMP_WAIT,
    OMP_ACQUIRE, /* waiting for a lock; ends also if something else begins */
    OMP_HOLD     /* holding one */
} omp_kind;

typedef struct omp_thread omp_thread;

/* When a region has ended. */
typedef struct omp_region_end {
    uint64_t number; /* atomic; 0: none, or it is being written */
    uint64_t time;   /* atomic */
} omp_region_end;

/* A region, in memory of the thread that begins it, and that alone writes there: to fetch what another processor has
 * written costs more than a line of the trace.  Its workers fetch this once, when they begin the next one. */
typedef struct omp_region {
    omp_thread *owner; /* who has begun it */
    uint64_t number;   /* no other one of the process has it; 0: none */
    const void *code;
    omp_region_end last; /* of those that were here before */
} __attribute__((aligned(64))) omp_region;

/* An explicit task; or that one depends on another. */
typedef struct omp_record {
    struct omp_record *next; /* in a list */
    omp_thread *owner;       /* who has made it */
    uint32_t uses;           /* atomic; 0: it is free again */
    const void *code;
    trace_origin ended;      /* time: 0: it has not */
    trace_origin created;    /* of a task */
    struct omp_record *depends; /* of a task: a list, each of whose members has ... */
    struct omp_record *on;      /* ... the task that has to end before */
} omp_record;

typedef struct omp_scope {
    trace_scope state; /* its thread is NULL: it is not recorded */
    omp_kind kind;
    uint32_t hidden;   /* categories that were hidden before it */
    const void *id;    /* of a task or a lock */
    const omp_region *region; /* of an implicit task; it is a later one's if that has ended */
    uint64_t number;   /* of that; 0: there is none */
    uint32_t times;    /* that a lock is held */
    int is_released;   /* 1: the lock is not held any more, but what has begun since is open */
} omp_scope;

enum { OMP_DEPTH = 1000 /* scopes within each other that are recorded */, OMP_ENDS = 64 };

struct omp_thread {
    omp_thread *next;
    int claimed;          /* atomic; 1: a thread has it */
    uint32_t count;       /* of scopes that are open */
    uint64_t parked;      /* atomic: number of the region at whose end this worker waits; or when that has ended, with
                             the highest bit; 0: it does not wait */
    const omp_region *joined; /* that region, or a later one in its place */
    uint64_t number;      /* of the last region that this thread has begun */
    uint64_t ending;      /* atomic: of the one that it has ended last, or is about to end */
    uint64_t told;        /* regions that have ended before have no worker any more that has to look for that */
    omp_record *free;     /* records for its own use */
    uint32_t made;        /* how many records there are */
    char *chunk, *chunk_end; /* memory for new ones */
    omp_scope scopes[OMP_DEPTH];
    /* What other threads read, away from what this one writes often. */
    omp_region regions[OMP_DEPTH];  /* of scopes that are regions */
    omp_region_end ends[OMP_ENDS];  /* of the last ones, each in the place that its number tells */
    omp_record *returned; /* atomic: records that are free again */
};

extern __thread omp_thread *omp_self __attribute__((tls_model("initial-exec")));

omp_thread *omp_claim_thread(void);

/* 1: omp_control_tool has stopped the recording. */
extern int omp_is_paused __attribute__((visibility("hidden")));

/* 1: LLVM's library tells this tool, and no other. */
extern int omp_is_tool __attribute__((visibility("hidden")));

/* Where the calling thread tests a lock of LLVM's library; NULL: it does not. */
extern __thread const void *omp_tested __attribute__((tls_model("initial-exec"), visibility("hidden")));

static inline int omp_is_on(void)
{
    return trace_is_on(TRACE_OMP) && !__atomic_load_n(&omp_is_paused, __ATOMIC_RELAXED);
}

/* Whether an event of the calling thread has no effect: it is not recorded, and can end nothing that was. */
static inline int omp_is_off(void)
{
    return !omp_is_on() && (!omp_self || !omp_self->count);
}

/* Returns that of the calling thread; NULL: there is nothing to do, or no memory. */
static inline omp_thread *omp_get_thread(void)
{
    if (omp_is_off())
        return NULL;
    return omp_self ? omp_self : omp_claim_thread();
}

/* ---- scopes.c */

/* Begins a scope.  `code`: the place in the program; NULL: the state has none.  Returns NULL if there are too many, or
 * if it would be the outermost one and is not recorded. */
omp_scope *omp_begin(omp_thread *o, omp_kind kind, omp_state state, const void *code, const void *id);
/* Ends the innermost scope of that kind, and what is open in it; nothing if there is none in this task. */
void omp_end(omp_thread *o, omp_kind kind);
void omp_end_at(omp_thread *o, omp_kind kind, uint64_t time); /* 0: now */
/* Ends the task or releases the lock `id`.  Returns 0 if it has not begun on this thread. */
int omp_end_of(omp_thread *o, omp_kind kind, const void *id);
/* Whether a task has begun on this thread, and not ended. */
int omp_is_in(const omp_thread *o, const void *task);
/* Begins to hold a lock, now that it is acquired: ends the wait for it, if there was one. */
void omp_hold(omp_thread *o, omp_state state, const void *code, const void *lock);
/* Holds a lock once more that can be.  Returns 0 if it is not held. */
int omp_hold_again(omp_thread *o, const void *lock);
/* Begins and ends to wait in the library, whose own locks are not recorded. */
void omp_begin_wait(omp_thread *o, omp_state state);
void omp_begin_work(omp_thread *o, omp_kind kind, omp_state state, const void *code);
void omp_begin_task(omp_thread *o, omp_state state, const void *code, const void *id);

/* For regions.c: the outermost state that is recorded from a place on, with which all others end; NULL: none is.
 * Forgets the scopes from there on, without ends of states. */
trace_scope *omp_outermost_state(omp_thread *o, uint32_t first);
void omp_forget_from(omp_thread *o, uint32_t first);
extern const trace_construct omp_constructs[];

/* ---- regions.c */

/* Takes a record, with one use; NULL: there is no memory.  Adds a use; returns 0 if it had none any more.  Ends a
 * use. */
omp_record *omp_new_record(omp_thread *o, const void *code);
int omp_use_record(omp_record *record);
void omp_drop_record(omp_record *record);

/* Returns NULL also if the region is not kept. */
const omp_region *omp_begin_region(omp_thread *o, const void *code);
void omp_end_region(omp_thread *o);
void omp_begin_member(omp_thread *o, const omp_region *region);
void omp_end_member(omp_thread *o);
/* Whether the calling thread waits at the end of a region that it has begun there.  That wait ends with the region. */
int omp_is_at_end(const omp_thread *o, const void *code);
/* A worker waits at the end of its region, and goes on when there is another one; returns 1 if the region has ended:
 * then its implicit task has ended with it, and the thread was idle since. */
void omp_park(omp_thread *o);
int omp_unpark(omp_thread *o);
/* Does so if the region has ended, and nothing was seen of the next one, as OpenMP was switched off. */
void omp_unpark_late(omp_thread *o);
/* A worker begins, which is idle. */
void omp_begin_idle(omp_thread *o);
