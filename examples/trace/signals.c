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
TRACE_NEXT(__sighandler_t, ssignal, (int, __sighandler_t))
TRACE_NEXT(__sighandler_t, bsd_signal, (int, __sighandler_t))
TRACE_NEXT(__sighandler_t, sysv_signal, (int, __sighandler_t))
TRACE_NEXT(__sighandler_t, __sysv_signal, (int, __sighandler_t))
TRACE_NEXT(__sighandler_t, sigset, (int, __sighandler_t))
TRACE_NEXT(int, sigignore, (int))
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

/* Whether the program blocks all signals except those that are handled, which pthread_sigmask leaves free. */
static int is_rest_blocked(const sigset_t *set)
{
    int i;
    for (i = 1; i <= SIGRTMAX; i++) /* some between are the C library's own */
        if ((i < 32 || i >= SIGRTMIN) && i != SIGKILL && i != SIGSTOP && i != timer.number && i != fault.number &&
            sigismember(set, i) != 1)
            return 0;
    return 1;
}

/* Blocks a signal, and sends it again, so that it waits until the program wants it.  Another thread may take it. */
static void defer(int number, siginfo_t *info, ucontext_t *context)
{
    const long process_number = syscall(SYS_getpid);
    sigset_t it;
    sigemptyset(&it);
    sigaddset(&it, number);
    next_pthread_sigmask(SIG_BLOCK, &it, NULL);
    sigaddset(&context->uc_sigmask, number);
    if (info->si_code == SI_TKILL)
        syscall(SYS_rt_tgsigqueueinfo, process_number, syscall(SYS_gettid), number, info);
    else if (syscall(SYS_rt_sigqueueinfo, process_number, number, info)) /* as other threads than the first may not */
        syscall(SYS_kill, process_number, number);
}

/* Does what the program wants of a signal that is not the tracer's own.  A handler may leave by a jump, so it has the
 * mask that it would have without a tracer. */
static void pass_on(handled *signal_of, siginfo_t *info, void *context)
{
    const struct sigaction it = signal_of->of_program;
    const int number = signal_of->number;
    sigset_t mask = ((const ucontext_t *)context)->uc_sigmask;
    if (info->si_code <= 0 && is_rest_blocked(&mask)) {
        defer(number, info, context);
        return;
    }
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
 * in handlers.  A program that ignores SIGBUS does so itself, as programs that it executes inherit that. */
static int set_handler(int number, const struct sigaction *wanted)
{
    struct sigaction action;
    if (number == SIGBUS && wanted && wanted->sa_handler == SIG_IGN)
        return next_sigaction(number, wanted, NULL);
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

/* As the system has it. */
int trace_is_sample_signal_blocked(void)
{
    sigset_t now;
    TRACE_FIND(pthread_sigmask);
    return timer.number && next_pthread_sigmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, timer.number) == 1;
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
    if (!it) {
        const int result = next_sigaction(number, wanted, old);
        if (!result && old && (old->sa_flags & SA_SIGINFO) && old->sa_sigaction == handle) /* in a child of vfork */
            *old = number == fault.number ? fault.of_program : timer.of_program;
        return result;
    }
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

/* As `signal` and its relatives do: they call no other function that is wrapped. */
static __sighandler_t set_for_program(int number, __sighandler_t handler, int flags)
{
    struct sigaction wanted, old;
    if (handler == SIG_ERR) {
        errno = EINVAL;
        return SIG_ERR;
    }
    memset(&wanted, 0, sizeof wanted);
    wanted.sa_handler = handler;
    wanted.sa_flags = flags;
    if (flags & SA_RESTART)
        sigaddset(&wanted.sa_mask, number);
    return sigaction(number, &wanted, &old) == 0 ? old.sa_handler : SIG_ERR;
}

#define SIGNAL(name, flags) \
    TRACE_EXPORT __sighandler_t name(int number, __sighandler_t handler) \
    { \
        TRACE_FIND(name); \
        return find_handled(number) ? set_for_program(number, handler, flags) : next_##name(number, handler); \
    }

__sighandler_t bsd_signal(int number, __sighandler_t handler); /* headers declare it no more */
SIGNAL(signal, SA_RESTART)
SIGNAL(ssignal, SA_RESTART)
SIGNAL(bsd_signal, SA_RESTART)
SIGNAL(sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))
SIGNAL(__sysv_signal, (int)(SA_RESETHAND | SA_NODEFER))

TRACE_EXPORT __sighandler_t sigset(int number, __sighandler_t handler)
{
    handled *it = find_handled(number);
    __sighandler_t before;
    sigset_t set, old;
    TRACE_FIND(sigset);
    if (!it)
        return next_sigset(number, handler);
    sigemptyset(&set);
    sigaddset(&set, number);
    before = handler == SIG_HOLD ? it->of_program.sa_handler : set_for_program(number, handler, 0);
    if (before == SIG_ERR || sigprocmask(handler == SIG_HOLD ? SIG_BLOCK : SIG_UNBLOCK, &set, &old))
        return SIG_ERR;
    return sigismember(&old, number) == 1 ? SIG_HOLD : before;
}

TRACE_EXPORT int sigignore(int number)
{
    TRACE_FIND(sigignore);
    if (!find_handled(number))
        return next_sigignore(number);
    return set_for_program(number, SIG_IGN, 0) == SIG_ERR ? -1 : 0;
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
    int error;
    TRACE_FIND(pthread_sigmask);
    if ((timer.number || fault.number) && set && how != SIG_UNBLOCK && is_all(set)) {
        others = *set;
        if (timer.number)
            sigdelset(&others, timer.number);
        if (fault.number)
            sigdelset(&others, fault.number);
        set = &others;
    }
    if (timer.number && set && how != SIG_UNBLOCK && sigismember(set, timer.number) == 1)
        trace_rest_samples();
    error = next_pthread_sigmask(how, set, old);
    if (timer.number && set && trace_are_samples_at_rest() && !trace_is_sample_signal_blocked())
        trace_resume_samples();
    if (!error && old && (timer.number || fault.number) && is_rest_blocked(old)) {
        if (timer.number)
            sigaddset(old, timer.number);
        if (fault.number)
            sigaddset(old, fault.number);
    }
    return error;
}

TRACE_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
    const int error = pthread_sigmask(how, set, old);
    if (error)
        errno = error;
    return error ? -1 : 0;
}
