/* Signals that the tracer handles, and what the program may see of that: nothing.
 *
 * Timers that sample send the highest real-time signal that has no handler when the process begins.  SIGBUS says that a
 * page of the run's files cannot be written: the tracer goes on in memory of its own, and records nothing more.  A
 * handler that the program sets for one of them is called by the tracer's, for what is not the tracer's own; and where
 * the program blocks all signals, these stay free. */
#include "samples.h"
#include "sample.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

TRACE_NEXT(int, sigaction, (int, const struct sigaction *, struct sigaction *))
TRACE_NEXT(__sighandler_t, signal, (int, __sighandler_t))
TRACE_NEXT(int, pthread_sigmask, (int, const sigset_t *, sigset_t *))

/* A signal, and what the program wants of it. */
typedef struct handled {
    int number; /* 0: it is not handled */
    struct sigaction of_program;
} handled;
static handled timer, fault;
static long process;

/* Returns NULL also in a child of vfork, which shares the memory of its parent, but not its handlers. */
static handled *find_handled(int number)
{
    handled *it = !number ? NULL : number == timer.number ? &timer : number == fault.number ? &fault : NULL;
    return it && process == (long)syscall(SYS_getpid) ? it : NULL;
}

static void note_process(void)
{
    process = (long)syscall(SYS_getpid);
}

__attribute__((constructor)) static void begin(void)
{
    note_process();
    pthread_atfork(NULL, NULL, note_process);
}

/* Does what the program wants of a signal that is not the tracer's own.  A handler may leave by a jump, so it has the
 * mask that it would have without a tracer. */
static void pass_on(handled *signal_of, siginfo_t *info, void *context)
{
    const struct sigaction it = signal_of->of_program;
    const int number = signal_of->number;
    sigset_t mask = ((const ucontext_t *)context)->uc_sigmask;
    if (it.sa_handler == SIG_IGN && info->si_code <= 0)
        return;
    if (it.sa_handler == SIG_DFL || it.sa_handler == SIG_IGN) { /* it ends the process, when this handler returns */
        struct sigaction end;
        memset(&end, 0, sizeof end);
        next_sigaction(number, &end, NULL);
        if (info->si_code <= 0) /* a fault comes again by itself */
            syscall(SYS_tgkill, syscall(SYS_getpid), syscall(SYS_gettid), number);
        return;
    }
    if (it.sa_flags & (int)SA_RESETHAND)
        signal_of->of_program.sa_handler = SIG_DFL;
    sigorset(&mask, &mask, &it.sa_mask);
    if (!(it.sa_flags & SA_NODEFER))
        sigaddset(&mask, number);
    next_pthread_sigmask(SIG_SETMASK, &mask, NULL);
    if (it.sa_flags & SA_SIGINFO)
        it.sa_sigaction(number, info, context);
    else
        it.sa_handler(number);
}

static void handle(int number, siginfo_t *info, void *context)
{
    const int before = errno;
    if (number == fault.number) {
        if (info->si_code <= 0 || !trace_replace_memory(info->si_addr))
            pass_on(&fault, info, context);
    } else if (info->si_code == SI_TIMER && info->si_value.sival_ptr == &trace_the_process) {
        trace_take_sample(info, context);
    } else {
        pass_on(&timer, info, context);
    }
    errno = before;
}

/* Sets the handler, with what the program wants for its own.  It runs on the stack of the thread: another one that the
 * program has for its handlers (sigaltstack) may be too small.  SIGBUS may come at any time, as the tracer may write
 * in handlers. */
static int set_handler(int number, const struct sigaction *wanted)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigfillset(&action.sa_mask);
    sigdelset(&action.sa_mask, SIGBUS);
    if (wanted && wanted->sa_handler != SIG_DFL && wanted->sa_handler != SIG_IGN)
        action.sa_flags = SA_SIGINFO | (wanted->sa_flags & (SA_RESTART | SA_ONSTACK));
    if (number == SIGBUS)
        action.sa_flags |= SA_NODEFER;
    return next_sigaction(number, &action, NULL);
}

int trace_sample_signal(void)
{
    int number = __atomic_load_n(&timer.number, __ATOMIC_ACQUIRE), none = 0;
    struct sigaction there;
    if (number)
        return number;
    TRACE_FIND(sigaction); /* threads begin before the functions of other files are found */
    for (number = SIGRTMAX; number >= SIGRTMIN; number--)
        if (next_sigaction(number, NULL, &there) == 0 && !(there.sa_flags & SA_SIGINFO) && there.sa_handler == SIG_DFL)
            break;
    if (number < SIGRTMIN || set_handler(number, NULL))
        return 0;
    __atomic_compare_exchange_n(&timer.number, &none, number, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    return timer.number;
}

void trace_handle_faults(void)
{
    TRACE_FIND(sigaction);
    TRACE_FIND(pthread_sigmask);
    if (next_sigaction(SIGBUS, NULL, &fault.of_program) == 0 && set_handler(SIGBUS, &fault.of_program) == 0)
        fault.number = SIGBUS;
}

/* ---- what the program does with signals */

TRACE_EXPORT int sigaction(int number, const struct sigaction *restrict wanted, struct sigaction *restrict old)
{
    handled *it = find_handled(number);
    struct sigaction before;
    TRACE_FIND(sigaction);
    if (!it)
        return next_sigaction(number, wanted, old);
    before = it->of_program;
    if (wanted) {
        it->of_program = *wanted;
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
    if (!find_handled(number))
        return next_signal(number, handler);
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = handler;
    wanted.sa_flags = SA_RESTART;
    return sigaction(number, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

/* Whether a set is of all signals, so that the program does not mean those that are handled. */
static int is_all(const sigset_t *set)
{
    return sigismember(set, SIGBUS) == 1 && sigismember(set, SIGRTMIN) == 1 && sigismember(set, SIGRTMAX) == 1 &&
           sigismember(set, SIGTERM) == 1;
}

TRACE_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    sigset_t others;
    TRACE_FIND(pthread_sigmask);
    if ((timer.number || fault.number) && set && how != SIG_UNBLOCK && is_all(set)) {
        others = *set;
        if (timer.number)
            sigdelset(&others, timer.number);
        if (fault.number)
            sigdelset(&others, fault.number);
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
