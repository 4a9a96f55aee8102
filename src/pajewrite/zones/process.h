/* What the libraries of a process share when they trace by zones. */
#pragma once

#include "../api/platform.h"
#include "../api/zones.h"
#include "../host/file.h"
#include "../calls/open.h"

#if PAJEWRITE_ZONES
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

/* The trace of every process has these, whose aliases are fixed; those of names and threads follow. */
enum {
    PAJEWRITE__PROCESS_TYPE = 1,
    PAJEWRITE__THREAD_TYPE,
    PAJEWRITE__ZONE_TYPE,
    PAJEWRITE__MARK_TYPE,
    PAJEWRITE__MESSAGE_TYPE,
    PAJEWRITE__FIRST_FREE_ALIAS = 16
};
enum { PAJEWRITE__PROCESS_CONTAINER = 1 };

/* A thread's context with its buffer.  When a thread ends, the next one goes on with it, as the same container. */
typedef struct pajewrite__thread {
    struct pajewrite__thread *next;      /* of all; none is ever freed */
    struct pajewrite__thread *next_idle; /* of those whose thread has ended */
    uint32_t busy;    /* 1: a call is in progress, so that a signal handler must not begin another one */
    uint32_t trace;   /* number of the trace for which the context is set up */
    uint32_t depth;   /* of open zones */
    uint32_t number, links, dropped;
    size_t saved;     /* bytes of the buffer that a signal handler has written already */
    pajewrite_container container;
    pajewrite w;
    char buffer[PAJEWRITE_ZONES_BUFFER];
} pajewrite__thread;

enum { PAJEWRITE__INSIDE = 32 }; /* how many threads are noted */

/* The functions are those of the library that has the variable, which stays loaded.  The first two members are at the
 * same place in all versions. */
typedef struct pajewrite__process {
    uint32_t layout;      /* PAJEWRITE__LAYOUT of that library */
    uint32_t trace;       /* number of the trace being written; 0: none */
    uint32_t first_alias; /* smaller aliases of places are from earlier traces */
    uint32_t waiting;     /* 1: a child of fork, which begins a trace by its first call */
    pajewrite_status (*begin)(const char *path);
    pajewrite_status (*end)(int crashed); /* 2: the process may go on, and so does the trace */
    pajewrite__thread *(*attach)(void);
    uint32_t (*define)(pajewrite_place *place, pajewrite_kind kind, uint32_t type);
    pthread_key_t key;    /* of the thread's pajewrite__thread */
    pthread_mutex_t lock; /* of all that follows */
    uint32_t open_trace;  /* number of the trace whose file is open */
    uint32_t traces, last_alias, threads, dropped, disabled;
    int has_key, descriptor;
    int has_handlers;     /* 1: of forks and of the end of the process */
    long process;
    dev_t device;         /* of the file */
    ino_t inode;
    uint64_t origin, position; /* where the file ends */
    pajewrite__thread *newest, *idle;
    pajewrite__thread *inherited, *forked; /* child of fork: of threads of its parent, from here on; but this one */
    pajewrite w;          /* definitions, containers, what threads share: its lines come before those of threads */
    char *memory;         /* for its buffer, and names that are defined */
    size_t names_size;
    pthread_mutex_t fork_lock; /* in place of `lock` while a fork has that */
    uint32_t is_forking, has_fork_lock;
    const sigset_t *blocked; /* what the thread that has the lock had blocked before */
    int patience;         /* for how many milliseconds a pipe is waited for; negative: without end */
    int stalled;          /* for how many it has taken nothing */
    int ending;           /* how many threads wait for the lock to end the trace; the others let them go first */
    uintptr_t inside[PAJEWRITE__INSIDE]; /* threads that have the lock, or will take it, outside of a zone; 0: none */
    char path[512];
} pajewrite__process;

enum { PAJEWRITE__DEFINITIONS_SIZE = 32768, PAJEWRITE__NAMES_SIZE = 32768 };
enum { PAJEWRITE__STALLED = 1000 }; /* the greatest value of process->stalled */

/* Tells apart versions and options that do not work together. */
#define PAJEWRITE__LAYOUT \
    ((uint32_t)(PAJEWRITE_VERSION * 2654435761u + sizeof(pajewrite) * 40503u + sizeof(pajewrite__process) * 31u + \
                (PAJEWRITE_KINDS) * 8u + (PAJEWRITE_TABLE) * 4u + (PAJEWRITE_DOUBLE) * 2u + 1u))

/* The variable is one in a process.  On ELF systems with glibc a unique symbol points to it, which holds for libraries
 * loaded by dlopen(..., RTLD_LOCAL), too, and keeps the library that has it loaded; a program shares it with such
 * libraries if it is linked with -rdynamic. */
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__ELF__) && defined(__linux__)
extern __attribute__((visibility("hidden"))) pajewrite__process pajewrite__own_process;
extern __attribute__((visibility("default"))) pajewrite__process *const pajewrite__shared_process;
#define PAJEWRITE__PROCESS_NAME pajewrite__own_process
#define pajewrite__the_process (*pajewrite__shared_process)
/* The assembler defines all of the pointer: an alias of the variable would have to be in the same object file, but
 * link-time optimization makes several of a large program, and moves the variable to one and this to another. */
#define PAJEWRITE__POINTER_OF(size) PAJEWRITE__POINTER_AS(size)
#define PAJEWRITE__POINTER_AS(size) \
    ".pushsection .data.rel.ro,\"aw\"\n" \
    ".balign " #size "\n" \
    ".globl pajewrite__shared_process\n" \
    ".type pajewrite__shared_process,%gnu_unique_object\n" \
    ".size pajewrite__shared_process," #size "\n" \
    "pajewrite__shared_process: ." #size "byte pajewrite__own_process\n" \
    ".popsection\n"
__asm__(PAJEWRITE__POINTER_OF(__SIZEOF_POINTER__));
#else
extern __attribute__((visibility("default"), weak)) pajewrite__process pajewrite__the_process;
#define PAJEWRITE__PROCESS_NAME pajewrite__the_process
#endif
#ifdef __cplusplus
}
#endif

/* Whether a signal that comes now ends or stops the process: its action is the default one, or is to write what is in
 * the buffers and then that one.  The latter cannot take the lock now, so it waits until a pipe has taken nothing for a
 * second. */
PAJEWRITE__UNTRACED
static int pajewrite__ends_process(const pajewrite__process *p, int number, const struct sigaction *action)
{
    int i = 0;
    if (!(action->sa_flags & SA_SIGINFO) || action->sa_sigaction != pajewrite__on_signal)
        return !pajewrite__has_handler(action);
    while (pajewrite__signals[i] != number)
        i++;
    return !pajewrite__has_handler(&pajewrite__old_actions[i]) &&
           __atomic_load_n(&p->stalled, __ATOMIC_RELAXED) >= PAJEWRITE__STALLED;
}

/* Lets signals end the process, or stop it, for which a thread is not to wait that has blocked all.  Handlers of the
 * program's own could find the lock taken, or jump away with it. */
PAJEWRITE__UNTRACED
static void pajewrite__let_signals_end(const pajewrite__process *p, const sigset_t *blocked)
{
    enum { PAJEWRITE__MOST = 64 };
    sigset_t pending, one;
    int number;
    sigpending(&pending);
    for (number = 1; number <= PAJEWRITE__MOST; number++) {
        struct sigaction action;
        if (sigismember(&pending, number) != 1 || sigismember(blocked, number) || sigaction(number, NULL, &action) ||
            !pajewrite__ends_process(p, number, &action))
            continue;
        sigemptyset(&one);
        sigaddset(&one, number);
        pthread_sigmask(SIG_UNBLOCK, &one, NULL);
        pthread_sigmask(SIG_BLOCK, &one, NULL);
    }
}

/* A fork has the lock while it waits for locks of the C library, and a thread that comes here in a signal handler may
 * have one of those.  So none waits for a fork for ever: that changes nothing, and the other lock is enough. */
PAJEWRITE__UNTRACED
static void pajewrite__wait_for_lock(const sigset_t *blocked)
{
    pajewrite__process *p = &pajewrite__the_process;
#ifdef __linux__
    struct timespec until;
    while (pthread_mutex_trylock(&p->lock)) {
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += until.tv_nsec >= 900000000;
        until.tv_nsec += until.tv_nsec >= 900000000 ? -900000000 : 100000000;
        if (!pthread_mutex_timedlock(&p->lock, &until))
            return;
        pajewrite__let_signals_end(p, blocked); /* another thread may wait for a pipe */
        if (!__atomic_load_n(&p->is_forking, __ATOMIC_ACQUIRE))
            continue;
        pthread_mutex_lock(&p->fork_lock);
        if (__atomic_load_n(&p->is_forking, __ATOMIC_RELAXED)) {
            p->has_fork_lock = 1;
            return;
        }
        pthread_mutex_unlock(&p->fork_lock);
    }
#else
    (void)blocked;
    pthread_mutex_lock(&p->lock);
#endif
}

PAJEWRITE__UNTRACED
static void pajewrite__unlock(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    if (p->has_fork_lock) {
        p->has_fork_lock = 0;
        pthread_mutex_unlock(&p->fork_lock);
    } else {
        pthread_mutex_unlock(&p->lock);
    }
}

/* `before`: what the calling thread has blocked.  Who ends the trace asks for the lock once in a millisecond, and would
 * hardly get it while others write without end to a pipe that is slow: they have it nearly always. */
PAJEWRITE__UNTRACED
static void pajewrite__lock(const pajewrite__blocked *before)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__wait_for_lock(&before->signals);
    while (__atomic_load_n(&p->ending, __ATOMIC_RELAXED)) {
        pajewrite__unlock();
        pajewrite__let_signals_end(p, &before->signals);
        pajewrite__sleep(1000000);
        pajewrite__wait_for_lock(&before->signals);
    }
    p->blocked = &before->signals;
}

/* Notes that the calling thread is about to take the lock, though it is within no zone.  What is called meanwhile may
 * have zones, where a program has its own malloc, mmap, close, pthread_mutex_trylock.  Returns what to pass to
 * pajewrite__forget_inside; -1: it is noted already. */
PAJEWRITE__UNTRACED
static int pajewrite__note_inside(pajewrite__process *p)
{
    const uintptr_t self = (uintptr_t)pthread_self();
    uintptr_t none;
    int i;
    for (i = 0; i < PAJEWRITE__INSIDE; i++)
        if (__atomic_load_n(&p->inside[i], __ATOMIC_RELAXED) == self)
            return -1;
    do
        none = 0;
    while (i-- && !__atomic_compare_exchange_n(&p->inside[i], &none, self, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return i < 0 ? PAJEWRITE__INSIDE : i;
}

PAJEWRITE__UNTRACED
static void pajewrite__forget_inside(pajewrite__process *p, int place)
{
    if (place >= 0 && place < PAJEWRITE__INSIDE)
        __atomic_store_n(&p->inside[place], 0, __ATOMIC_RELAXED);
}

PAJEWRITE__UNTRACED
static pajewrite_type pajewrite__type_in(uint32_t category, uint32_t type)
{
    return PAJEWRITE_TYPE_IN(category & 31, type);
}
#endif
