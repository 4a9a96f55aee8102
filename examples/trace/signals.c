/* The signal of the timers that sample, and what the program may see of it: nothing.
 *
 * It is the highest real-time signal that has no handler when the process begins.  A handler that the program sets for
 * it later is called by the tracer's, for signals that are not of a timer of it; and where the program blocks all
 * signals, this one stays free. */
#include "samples.h"
#include "sample.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

TRACE_NEXT(int, sigaction, (int, const struct sigaction *, struct sigaction *))
TRACE_NEXT(__sighandler_t, signal, (int, __sighandler_t))
TRACE_NEXT(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))

static int own; /* the signal; 0: none is used */
static struct sigaction of_program;

/* Does what the program wants of a signal that somebody else has sent. */
static void pass_on(int number, siginfo_t *info, void *context)
{
    const struct sigaction it = of_program;
    if (it.sa_handler == SIG_IGN)
        return;
    if (it.sa_handler == SIG_DFL) { /* it ends the process, when this handler returns */
        next_sigaction(number, &it, NULL);
        syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
    } else if (it.sa_flags & SA_SIGINFO) {
        it.sa_sigaction(number, info, context);
    } else {
        it.sa_handler(number);
    }
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int before = errno;
    if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &trace_the_process)
        trace_take_sample(info, context);
    else
        pass_on(number, info, context);
    errno = before;
}

/* Sets the handler, with what the program wants for its own.  It runs on the stack of the thread: another one that the
 * program has for its handlers (sigaltstack) may be too small. */
static int set_handler(int number, const struct sigaction *wanted)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    if (wanted && wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN)
        action.sa_flags = SA_SIGINFO | (wanted->sa_flags & (SA_RESTART | SA_ONSTACK));
    return next_sigaction(number, &action, NULL);
}

int trace_sample_signal(void)
{
    int number = __atomic_load_n(&own, __ATOMIC_ACQUIRE), none = 0;
    struct sigaction there;
    if (number)
        return number;
    TRACE_FIND(sigaction); /* threads begin before the functions of other files are found */
    for (number = SIGRTMAX; number >= SIGRTMIN; number--)
        if (next_sigaction(number, NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO) && there.sa_handler == SIG_DFL)
            break;
    if (number < SIGRTMIN || set_handler(number, NULL))
        return 0;
    __atomic_compare_exchange_n(&own, &none, number, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return own;
}

/* ---- what the program does with signals */

TRACE_EXPORT int sigaction(int number, const struct sigaction *restrict wanted, struct sigaction *restrict old)
{
    const struct sigaction before = of_program;
    TRACE_FIND(sigaction);
    if (!own || number != own)
        return next_sigaction(number, wanted, old);
    if (wanted) {
        of_program = *wanted;
        if (set_handler(number, wanted))
            return -1;
    }
    if (old)
        *old = before;
    return 0;
}

TRACE_EXPORT __sighandler_t signal(int number, __sighandler_t handler)
{
    struct sigaction wanted, old;
    TRACE_FIND(signal);
    if (!own || number != own)
        return next_signal(number, handler);
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = handler;
    wanted.sa_flags = SA_RESTART;
    return sigaction(number, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* Whether a set is of all signals, so that the program does not mean this one. */
static int is_all(const sigset_t *set)
{
    return sigismember(set, own) == 1 && sigismember(set, SIGRTMIN) == 1 && sigismember(set, SIGRTMAX) == 1 &&
           sigismember(set, SIGTERM) == 1;
}

TRACE_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t others;
    TRACE_FIND(pthread_sigmask);
    if (own && set && how != SIG_UNBLOCK && is_all(set)) {
        others = *set;
        sigdelset(&others, own);
        set = &others;
    }
    return next_pthread_sigmask(how, set, old);
}

TRACE_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    const int error = pthread_sigmask(how, set, old);
    if (error)
        errno = error;
    return error ? -1 : 0;
}
