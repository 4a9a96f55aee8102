/* The context of a thread, and its stack of states.  Only thread.c, stack.c and events.c use it.
 *
 * Every call is between trace_enter and trace_leave: a signal handler that comes in between finds the context busy. */
#pragma once

#include "process.h"

enum { TRACE_DEPTH = 1024 /* scopes whose place on the program's stack is known */,
       TRACE_VALUE_BITS = 6, TRACE_VALUES = 1 << TRACE_VALUE_BITS, TRACE_WAYS = 4 };

#define TRACE_NO_FRAME UINTPTR_MAX /* of a state that only its own end ends */

/* What a thread has to be sampled by a timer (sample.c). */
typedef struct trace_samples {
    pajewrite_block block;
    char *at, *end;  /* of the block; NULL: it has none yet */
    int64_t number;  /* of the thread, as the system has it */
    int timer;       /* of the system, and 1 more; 0: there is none */
    uint64_t left;  /* nanoseconds of CPU time up to the next one, while there are none; 0: the timer runs */
} trace_samples;

/* The value of a construct's state. */
typedef struct trace_known_value {
    uint64_t key; /* of a trace_function; 0: free */
    uint32_t value, unloads;
} trace_known_value;

/* A thread, or one that has ended: the next new thread goes on with its context, and so with the rest of its block. */
struct trace_thread {
    int busy;                  /* 1: the tracer is at work, which a signal handler must not interrupt by another call */
    uint32_t depth;            /* of the stack of states */
    uint32_t lines;            /* that it had written when a construct began or ended last */
    int is_replaced;           /* 1: the second state of the stack is in the place of the first one, `running` */
    uint64_t leaving;          /* when the call of the innermost state has ended; 0: it was not asked for */
    pajewrite_track track;     /* of its states */
    trace_writer out;          /* what is before it, and its beginning, is what each event needs */
    struct trace_thread *next; /* of all; none is ever freed */
    int claimed;               /* 1: a thread has it */
    uint32_t number, ends;     /* ends: calls of the destructor of its key */
    pajewrite_container container;
    char name[16];             /* that the system had for it last; at first, that of the process */
    int has_own_name;          /* 1: a layer has named it, and that is not replaced by what the system has */
    int64_t heap;              /* bytes that it has allocated less those that it has freed, since it wrote them last */
    trace_samples samples;
    struct trace_counters *counters, *counted; /* NULL: there are none; the memory of the last ones */
    uint32_t skipped;          /* functions that were entered below that depth, and are not recorded */
    uint64_t left_out;         /* calls of functions that the throttle has left out */
    trace_known_value values[TRACE_VALUES][TRACE_WAYS] __attribute__((aligned(64))); /* those of a place are in one line
                                                                                        of the processor's cache */
    uint32_t way;              /* where the next one is put there */
    struct {
        uintptr_t frame;
        trace_function *function; /* NULL: it is another state */
        uint64_t began;
        uint32_t inside; /* calls of the same function within it that are left out, and have not ended */
    } calls[TRACE_DEPTH];
};

/* The context of the calling thread; NULL: it has none yet, or has ended. */
extern __thread trace_thread *trace_self __attribute__((tls_model("initial-exec")));

/* Keeps the compiler from moving writes of the context across. */
#define TRACE_BARRIER() __asm__ volatile("" ::: "memory")

/* The name of the thread that is about to be set up; NULL: it is "main" or "thread 12". */
extern __thread const char *trace_next_name __attribute__((tls_model("initial-exec")));

/* Returns the identifier of a value of a type, which it defines if this process has not used it. */
uint32_t trace_find_defined(trace_thread *t, trace_defined *it, pajewrite_type type);

/* sample.c: begins and ends to sample the calling thread. */
void trace_begin_samples(trace_thread *t);
void trace_end_samples(trace_thread *t);

/* counters.c: begins and ends to count; what is done when the innermost state has begun, and in place of ending it.
 * `bytes`: that were read or written, or TRACE_NO_BYTES. */
#define TRACE_NO_BYTES INT64_MIN
void trace_begin_counters(trace_thread *t);
void trace_end_counters(trace_thread *t);
void trace_count_begin(trace_thread *t);
void trace_count_end(trace_thread *t, int64_t bytes);

/* Sets the calling thread up; NULL: it cannot be recorded. */
trace_thread *trace_make_thread(void);

static inline int trace_is_over(void)
{
    return trace_page && __atomic_load_n(&trace_page->is_over, __ATOMIC_RELAXED);
}

/* Claims the context of the calling thread for a call; NULL: nothing can be recorded now. */
static inline trace_thread *trace_enter(void)
{
    trace_thread *t = trace_self;
    if (trace_is_over() || (!t && !(t = trace_make_thread())))
        return NULL;
    if (t->busy) {
        __atomic_add_fetch(&trace_page->missed, 1, __ATOMIC_RELAXED);
        return NULL;
    }
    t->busy = 1;
    TRACE_BARRIER();
    return t;
}

/* Claims the context for the end of a scope; NULL: the scope is that of the process that forked, or the tracer was
 * interrupted. */
static inline trace_thread *trace_enter_again(const trace_thread *of)
{
    trace_thread *t = trace_self;
    if (!t || t != of || t->busy || trace_is_over())
        return NULL;
    t->busy = 1;
    TRACE_BARRIER();
    return t;
}

static inline void trace_leave(trace_thread *t)
{
    TRACE_BARRIER();
    t->busy = 0;
}

/* Notes that a state was pushed. */
static inline void trace_note_state(trace_thread *t, uintptr_t frame)
{
    t->leaving = 0;
    if (t->depth < TRACE_DEPTH) {
        t->calls[t->depth].frame = frame;
        t->calls[t->depth].function = NULL;
        t->calls[t->depth].began = 0;
    }
    t->depth++;
    if (t->counters)
        trace_count_begin(t);
}

static inline void trace_push(trace_thread *t, uint32_t state, uintptr_t frame)
{
    pajewrite_track_push_state(&t->track, PAJEWRITE_VALUE(state));
    trace_note_state(t, frame);
}

/* Ends all states, and begins `running` once more. */
static inline void trace_pop_replaced(trace_thread *t, uint64_t time)
{
    pajewrite_track_set_state_at(&t->track, time, PAJEWRITE_VALUE(TRACE_RUNNING));
    t->is_replaced = 0;
    t->depth = 1;
}

static inline void trace_pop_to(trace_thread *t, uint32_t depth)
{
    if (t->is_replaced && depth < 2)
        trace_pop_replaced(t, pajewrite_now(&t->out.w));
    for (; t->depth > depth; t->depth--)
        if (t->counters)
            trace_count_end(t, TRACE_NO_BYTES);
        else
            pajewrite_track_pop_state(&t->track);
}
