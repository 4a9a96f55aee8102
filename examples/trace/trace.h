/* Records what the threads of a process do: the calls for layers.
 *
 * A layer wraps functions of a library.  It tests whether its category is recorded, begins a state, calls the function,
 * and ends the state:
 *
 *     int pthread_join(pthread_t thread, void **result)
 *     {
 *         trace_scope scope = trace_begin(TRACE_THREADS, TRACE_JOIN);
 *         int status = real(thread, result);
 *         trace_end(&scope);
 *         return status;
 *     }
 *
 * Layers share one stack of states for each thread.  A scope remembers how deep the stack was when it began, and its
 * end pops down to there: so no layer can unbalance another one, whatever is left by longjmp, exceptions or
 * cancellation, and categories may be switched at any moment.  A scope that begins where the program's stack is shorter
 * than at the innermost one pops that, which was left without its end.
 *
 * All calls may be made in signal handlers, and keep errno.  A handler that interrupts the tracer itself is not
 * recorded; that is counted.  A thread gets its context and its container at its first call, also one that no layer saw
 * begin.
 *
 * Nothing here allocates by malloc, takes a lock, or keeps a file open. */
#pragma once

#include "control.h"
#include "states.h"

#include <stddef.h>
#include <stdint.h>

/* What is exported is what programs call; all else is hidden. */
#define TRACE_EXPORT __attribute__((visibility("default")))

typedef struct trace_thread trace_thread;

/* A state that is open. */
typedef struct trace_scope {
    trace_thread *thread; /* NULL: it is not recorded */
    uint32_t depth;       /* of the stack of states before it began */
} trace_scope;

/* Categories that are recorded; of the control page, or none. */
TRACE_EXPORT extern const uint32_t *trace_mask;

/* Categories that the calling thread does not record now, as it is inside a library that calls others. */
TRACE_EXPORT extern __thread uint32_t trace_hidden __attribute__((tls_model("initial-exec")));

static inline int trace_is_on(uint32_t category)
{
    return (__atomic_load_n(trace_mask, __ATOMIC_RELAXED) & ~trace_hidden & category) != 0;
}

/* Begins a state of the calling thread.  `frame`: an address on its stack. */
trace_scope trace_begin_at(trace_state state, const void *frame);
TRACE_EXPORT void trace_end_open(const trace_scope *scope);
/* Ends it with the result of the call: how many bytes were read or written. */
void trace_end_open_bytes(const trace_scope *scope, int64_t bytes);

#define trace_begin(category, state) \
    (trace_is_on(category) ? trace_begin_at(state, __builtin_frame_address(0)) : (trace_scope){NULL, 0})
#define trace_end(scope) ((scope)->thread ? trace_end_open(scope) : (void)0)
#define trace_end_bytes(scope, bytes) ((scope)->thread ? trace_end_open_bytes(scope, bytes) : (void)0)

/* A value of states that a layer defines, at its first use in each process. */
typedef struct trace_defined {
    const char *name, *color;
    uint64_t known; /* atomic: number of the process, and the identifier there; 0: it was not used yet */
} trace_defined;

/* What a collective operation is begun with, as user fields: its communicator, the root (-1: there is none), bytes, and
 * the how many-th of the communicator it is, from 1. */
typedef struct trace_collective {
    const char *communicator;
    int64_t root, bytes, instance;
} trace_collective;

/* One process uses the memory of another. */
typedef enum trace_access_kind { TRACE_PUT = 1, TRACE_GET, TRACE_UPDATE } trace_access_kind;
typedef struct trace_access {
    trace_access_kind kind;
    int64_t target, bytes; /* target: the rank of the other one; -1: unknown */
    uint32_t process;      /* its container; 0: unknown */
    uint64_t time;         /* at which it begins, as trace_begin_access notes it */
} trace_access;

TRACE_EXPORT trace_scope trace_begin_defined(trace_defined *state, const void *frame);
TRACE_EXPORT trace_scope trace_begin_collective(trace_defined *state, const void *frame, const trace_collective *it);
TRACE_EXPORT trace_scope trace_begin_access(trace_defined *state, const void *frame, trace_access *it);

/* States, events and variables that are named at run time. */
trace_scope trace_begin_named(const char *name);
void trace_end_depth(uint32_t depth);
void trace_mark(const char *name);
void trace_set(const char *name, double value);

/* Functions: an exit pops down to the innermost enter of that function, if there is one. */
void trace_enter_function(uintptr_t function, const void *frame);
void trace_exit_function(uintptr_t function);

/* Bytes that the calling thread has allocated; negative: that it has freed.  Exported for libpajetrace-heap.so. */
TRACE_EXPORT void pajetrace_lib_heap(int64_t bytes);

/* Where and when a thread was created. */
typedef struct trace_origin {
    uint64_t time;
    uint32_t container; /* 0: unknown */
} trace_origin;

trace_origin trace_get_origin(void);
/* When the call has ended that the innermost state of the calling thread stands for. */
TRACE_EXPORT trace_origin trace_get_end_of_call(void);
/* Begins the calling thread, with a link from there. */
void trace_begin_thread(trace_origin origin);

/* Messages between threads, also of other processes: links whose ends have the same key.  One end may be written before
 * the other, and by any thread.  `at`: when and where it was sent or received; NULL: by the calling thread, when the
 * call began, or has ended, that its innermost state stands for.  `bytes`: -1: unknown. */
TRACE_EXPORT void trace_start_message(const char *key, const trace_origin *at, int64_t bytes);
TRACE_EXPORT void trace_end_message(const char *key, const trace_origin *at, int64_t bytes);
/* The link of an access, from the calling thread to the process: from its beginning to now. */
TRACE_EXPORT void trace_link_access(const trace_access *it);

/* Tells which parallel job of the run has a number, that of all its processes, from 1; 0: there are too many. */
TRACE_EXPORT uint32_t trace_find_job(uint64_t number);
/* Finds a process of such a job by a number; NULL: it is on another machine, is not recorded, or there are too many. */
TRACE_EXPORT trace_rank *trace_find_rank(uint64_t number);
/* Notes that the calling process has it.  Returns NULL if there are too many. */
TRACE_EXPORT trace_rank *trace_add_rank(uint64_t number);

/* Stops the recording of this process, of all categories, or goes on with it. */
TRACE_EXPORT void trace_pause(int is_paused);

/* Notes the name that the calling thread has now, unless it is that of the process, or noted already. */
void trace_name_thread(void);

/* Ends the calling thread's container: the process is about to end. */
void trace_end_process(void);

/* Notes a process that was forked: it may outlive the run without a call of its own. */
void trace_note_child(long process);

/* Starts a link to a program that is about to be executed by a new process, of posix_spawn, or else of vfork if this is
 * one.  Puts TRACE_PARENT=KEY:TIME into `text`, of TRACE_PARENT_SIZE bytes; nothing if there is no link. */
enum { TRACE_PARENT_SIZE = 80 };
void trace_start_spawn(int is_posix_spawn, char *text);

/* Finds the next definition of a function behind this library's.  `place`: of a pointer to a function. */
void trace_find_next(const char *name, void *place);

/* Declares next_NAME, a pointer to that definition.  It is found before main, as a signal handler must not look for it;
 * or at the first call, of TRACE_FIND, if a library calls the function even earlier. */
#define TRACE_NEXT(type, name, parameters) \
    static type (*next_##name) parameters; \
    __attribute__((constructor)) static void find_##name(void) { trace_find_next(#name, &next_##name); }
#define TRACE_FIND(name) (next_##name ? (void)0 : find_##name())
