/* Layer: processes that fork, wait for others, and end without exit. */
#include "trace.h"

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
