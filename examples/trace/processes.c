/* Layer: processes that fork, wait for others, and end without exit. */
#include "trace.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALL(STATE, name, parameters, arguments) \
    TRACE_NEXT(pid_t, name, parameters) \
    TRACE_EXPORT pid_t name parameters \
    { \
        trace_scope scope = trace_begin(TRACE_PROCESSES, STATE); \
        pid_t result; \
        TRACE_FIND(name); \
        result = next_##name arguments; \
        trace_end(&scope); \
        return result; \
    }

CALL(TRACE_WAIT, wait, (int *status), (status))
CALL(TRACE_WAIT, waitpid, (pid_t process, int *status, int options), (process, status, options))
CALL(TRACE_WAIT, wait3, (int *status, int options, struct rusage *usage), (status, options, usage))
CALL(TRACE_WAIT, wait4, (pid_t process, int *status, int options, struct rusage *usage),
     (process, status, options, usage))
CALL(TRACE_WAIT, waitid, (idtype_t type, id_t process, siginfo_t *info, int options), (type, process, info, options))

TRACE_NEXT(pid_t, fork, (void))
TRACE_EXPORT pid_t fork(void)
{
    trace_scope scope = trace_begin(TRACE_PROCESSES, TRACE_FORK);
    pid_t process;
    TRACE_FIND(fork);
    process = next_fork();
    if (process > 0)
        trace_note_child(process);
    trace_end(&scope);
    return process;
}

/* A copy of the process by these does not call the handlers of forks. */
TRACE_NEXT(pid_t, _Fork, (void))
TRACE_EXPORT pid_t _Fork(void);
TRACE_EXPORT pid_t _Fork(void)
{
    pid_t process;
    TRACE_FIND(_Fork);
    if (!next__Fork) {
        errno = ENOSYS;
        return -1;
    }
    process = next__Fork();
    if (process == 0)
        trace_begin_child();
    return process;
}

typedef struct cloned {
    int (*run)(void *);
    void *data;
} cloned;

static int run_cloned(void *data)
{
    const cloned *it = data;
    trace_begin_child();
    return it->run(it->data);
}

TRACE_NEXT(int, clone, (int (*)(void *), void *, int, void *, ...))
TRACE_EXPORT int clone(int (*run)(void *), void *stack, int flags, void *data, ...)
{
    cloned it = {run, data};
    const int is_copy = run && !(flags & CLONE_VM);
    void *parent, *tls, *child;
    va_list rest;
    va_start(rest, data);
    parent = va_arg(rest, void *);
    tls = va_arg(rest, void *);
    child = va_arg(rest, void *);
    va_end(rest);
    TRACE_FIND(clone);
    return next_clone(is_copy ? run_cloned : run, stack, flags, is_copy ? &it : data, parent, tls, child);
}

/* Functions that end the process at once. */
#define ENDS(name) \
    TRACE_NEXT(void, name, (int status)) \
    TRACE_EXPORT void name(int status) \
    { \
        TRACE_FIND(name); \
        trace_end_process(); \
        next_##name(status); \
        abort(); /* unreached, but the compiler does not know */ \
    }

ENDS(_exit)
ENDS(_Exit)
ENDS(quick_exit)
