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

#define TRACE_HIDES_ALL UINT32_MAX /* of trace_hidden: the thread itself is not recorded either */

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
 * the how many-th of the communicator it is, from 1; the own rank there (the root is one of these), and how many
 * processes the communicator has (0: it joins two groups or worlds, so that numbers do not tell operations apart). */
typedef struct trace_collective {
    const char *communicator;
    int64_t root, bytes, instance, rank, size;
} trace_collective;

/* A kind of states that have a name for each place in the program where they are begun: of one directive of OpenMP. */
typedef struct trace_construct {
    const char *name, *color; /* color: NULL: one for each place */
    uint32_t number;          /* from 1 to 255; each kind has its own */
} trace_construct;

/* Begins such a state of the calling thread.  `code`: the address in the program; NULL: it is named by its kind alone.
 * `time`: 0: now. */
TRACE_EXPORT trace_scope trace_begin_construct(const trace_construct *kind, const void *code, uint64_t time);
/* Ends it.  A time in the past is taken if the thread has written nothing else since the state began. */
TRACE_EXPORT void trace_end_construct(const trace_scope *scope, uint64_t time);
/* Ends a state and begins another one in its place, of the thread that has begun the first.  If that is not the calling
 * thread, it has to be at rest. */
TRACE_EXPORT trace_scope trace_next_construct(const trace_scope *before, const trace_construct *kind, const void *code,
                                              uint64_t time);
/* The same; if there is only `running` below, the new state takes its place as well, which is one line. */
TRACE_EXPORT trace_scope trace_replace_construct(const trace_scope *before, const trace_construct *kind,
                                                 const void *code, uint64_t time);

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

TRACE_EXPORT trace_origin trace_get_origin(void);
/* When the call has ended that the innermost state of the calling thread stands for. */
TRACE_EXPORT trace_origin trace_get_end_of_call(void);
/* Begins the calling thread, with a link from there. */
void trace_begin_thread(trace_origin origin);

/* The same with a name of any length.  Blanks at its end are left out; NULL: the thread has none. */
TRACE_EXPORT void trace_begin_thread_as(trace_origin origin, const char *name);
/* Gives the calling thread a name that it keeps, whatever the system has. */
TRACE_EXPORT void trace_name_thread_as(const char *name);
/* Ends the container of the calling thread, which may begin another one. */
TRACE_EXPORT void trace_leave_thread(void);

/* The code of a runtime: threads that it creates are not recorded before they call trace_begin_hidden_thread. */
TRACE_EXPORT extern uintptr_t trace_runtime_start, trace_runtime_end;
TRACE_EXPORT void trace_begin_hidden_thread(const char *name);

/* A container of the process for what no thread of the program does.  It has one state, which only one thread may begin
 * and end at a time. */
typedef struct trace_lane {
    const char *type, *name, *state_type, *state, *color;
    trace_thread *context; /* NULL: it was not used yet */
    uint32_t process, depth;
} trace_lane;
TRACE_EXPORT void trace_begin_lane(trace_lane *lane);
TRACE_EXPORT void trace_end_lane(trace_lane *lane);

/* Variables of the process, which only one thread may set at a time.  A process has one set of them. */
typedef struct trace_variables {
    const char *const *names;
    uint32_t count;
    trace_thread *context; /* NULL: it was not used yet */
    uint32_t process;
} trace_variables;
#define TRACE_NO_VALUE INT64_MIN /* a variable is not set */
TRACE_EXPORT void trace_set_variables(trace_variables *it, const int64_t *values);

/* The page of the run; NULL: the process is not recorded. */
TRACE_EXPORT const trace_control *trace_get_page(void);

/* Whether a name matches a list of patterns with commas between them, in which * is any text and ? any character.
 * Those that begin with ! are of names that are left out; a list of such only has all others. */
TRACE_EXPORT int trace_is_in_list(const char *list, const char *name);
/* Returns a colour that depends on the name only. */
TRACE_EXPORT const char *trace_color_of(const char *name);

/* An event of a layer, of the calling thread.  `bytes`: -1: none. */
TRACE_EXPORT void trace_note(trace_defined *note, const char *class_name, int64_t bytes);

/* A link from the thread that has ended the waiting of the calling one. */
TRACE_EXPORT void trace_note_wake(trace_origin origin);

/* Messages between threads, also of other processes: links whose ends have the same key.  One end may be written before
 * the other, and by any thread.  `at`: when and where it was sent or received; NULL: by the calling thread, when the
 * call began, or has ended, that its innermost state stands for.  `bytes`: -1: unknown. */
TRACE_EXPORT void trace_start_message(const char *key, const trace_origin *at, int64_t bytes);
TRACE_EXPORT void trace_end_message(const char *key, const trace_origin *at, int64_t bytes);
/* Whether the call of the innermost state has lasted so long that it may have waited; and the event which says that it
 * has waited until the message with that key was sent. */
TRACE_EXPORT int trace_has_waited(void);
TRACE_EXPORT void trace_complete_message(const char *key);
/* What a collective operation passes from process to process: such a link, by the innermost state of the caller. */
TRACE_EXPORT void trace_start_collective(const char *key, int64_t bytes);
TRACE_EXPORT void trace_end_collective(const char *key, int64_t bytes);
/* The link of an access, from the calling thread to the process: from its beginning to now. */
TRACE_EXPORT void trace_link_access(const trace_access *it);

/* Writes a link between threads of this process: from there to the calling thread, now. */
typedef enum trace_link { TRACE_TASK_LINK, TRACE_DEPENDENCE_LINK } trace_link;
TRACE_EXPORT void trace_write_link(trace_link link, const trace_origin *from);

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
/* In a copy of a process that was made without the handlers of forks. */
void trace_begin_child(void);

/* Notes a process that was forked: it may outlive the run without a call of its own. */
void trace_note_child(long process);

/* Starts a link to a program that is about to be executed by a new process, of posix_spawn, or else of vfork if this is
 * one.  Puts TRACE_PARENT=KEY:TIME into `text`, of TRACE_PARENT_SIZE bytes; nothing if there is no link. */
enum { TRACE_PARENT_SIZE = 80 };
void trace_start_spawn(int is_posix_spawn, char *text);
/* Before a program is executed: counts it if it cannot have a file, as this process has become another user, and
 * returns whether it cannot.  Behind a call that failed: takes that back. */
int trace_start_exec(void);
void trace_fail_exec(int is_stranger);

/* Finds the next definition of a function behind this library's.  `place`: of a pointer to a function. */
TRACE_EXPORT void trace_find_next(const char *name, void *place);

/* Declares next_NAME, a pointer to that definition.  It is found before main, as a signal handler must not look for it;
 * or at the first call, of TRACE_FIND, if a library calls the function even earlier. */
#define TRACE_NEXT(type, name, parameters) \
    static type (*next_##name) parameters; \
    __attribute__((constructor)) static void find_##name(void) { trace_find_next(#name, &next_##name); }
#define TRACE_FIND(name) (next_##name ? (void)0 : find_##name())

/* Wraps a function whose calls are states: `begin` returns a scope, `end` may use `scope` and `result`.  What records
 * has a function of its own, so that a call of a category that is off is a test and a jump. */
#define TRACE_WRAP(category, type, name, parameters, arguments, begin, end) \
    TRACE_NEXT(type, name, parameters) \
    __attribute__((noinline)) static type record_##name parameters \
    { \
        trace_scope scope = begin; \
        type result; \
        TRACE_FIND(name); \
        result = next_##name arguments; \
        end; \
        return result; \
    } \
    TRACE_EXPORT type name parameters \
    { \
        if (!trace_is_on(category) && next_##name) \
            return next_##name arguments; \
        return record_##name arguments; \
    }
