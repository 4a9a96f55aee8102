/* The lock that threads share when they trace by zones: it is given back, whatever disturbs the thread that has it.
 * Each case ends within seconds; if a thread waits for the lock for ever, the alarm ends the program.
 * usage: zones_lock cancel | hold | errno | claim | moved | wait | ending | again | lock | lines | aliases | pipe |
 *        fill | flood | jumped | ended | disk | memory | paths | instruction | taken | inside | mask | saved */
#define _POSIX_C_SOURCE 200809L /* strict POSIX, which has no name for memory of no file */
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_ZONES_BUFFER 4096
#include <sys/uio.h>
#define writev test_writev /* the disk may be full */
static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count);
#include <pthread.h>
#define pthread_setspecific test_setspecific /* there may be no memory */
static int test_setspecific(pthread_key_t key, const void *value);
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef writev
#undef pthread_setspecific

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

PAJEWRITE_MAIN("zones.%p.trace");

enum { THREADS = 40, ROUNDS = 50 };
static int held, plotted, stop;

static void nap(long nanoseconds)
{
    struct timespec time = {0, 0};
    time.tv_nsec = nanoseconds;
    nanosleep(&time, NULL);
}

/* ---- threads that are cancelled at their first zone, which needs memory */

static void *begin(void *data)
{
    PAJEWRITE_ZONE("begin");
    PAJEWRITE_PLOT_SHARED("shared", 1);
    pause();
    return data;
}

static void cancel(void)
{
    pthread_t threads[THREADS];
    int round, i;
    for (round = 0; round < ROUNDS; round++) {
        for (i = 0; i < THREADS && !pthread_create(&threads[i], NULL, begin, NULL); i++)
            pthread_cancel(threads[i]);
        while (i--)
            pthread_join(threads[i], NULL);
    }
    PAJEWRITE_PLOT_SHARED("shared", 2);
}

/* ---- a signal handler that waits for another thread, as those do that stop threads for a collector of garbage */

static void hold(int number)
{
    const int round = __atomic_add_fetch(&held, 1, __ATOMIC_RELEASE);
    (void)number;
    while (__atomic_load_n(&plotted, __ATOMIC_ACQUIRE) < round)
        nap(10000);
}

static void *plot(void *data)
{
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        PAJEWRITE_PLOT_SHARED("shared", 1);
    return data;
}

static void hold_threads(void)
{
    struct sigaction action;
    pthread_t thread;
    int round;
    memset(&action, 0, sizeof action);
    action.sa_handler = hold;
    sigaction(SIGUSR1, &action, NULL);
    if (pthread_create(&thread, NULL, plot, NULL))
        return;
    for (round = 1; round <= ROUNDS; round++) {
        pthread_kill(thread, SIGUSR1);
        while (__atomic_load_n(&held, __ATOMIC_ACQUIRE) < round)
            nap(10000);
        PAJEWRITE_PLOT_SHARED("shared", 2);
        __atomic_store_n(&plotted, round, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

/* Zones whose lines cannot be written; the program must not see that in errno. */
static int keeps_errno(void)
{
    int i;
    errno = 1234;
    for (i = 0; i < 10000; i++) {
        PAJEWRITE_ZONE("zone");
        PAJEWRITE_PLOT_SHARED("shared", i);
    }
    return errno == 1234;
}

/* A context of another trace is not claimed, and free afterwards; one that is busy counts what it cannot write. */
static int claims(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    pajewrite__thread *thread;
    int right;
    PAJEWRITE_MARK("a mark");
    thread = (pajewrite__thread *)pthread_getspecific(p->key);
    thread->trace++;
    right = !pajewrite__claim_thread(thread) && !thread->busy;
    thread->trace--;
    right &= pajewrite__claim_thread(thread) && thread->busy;
    right &= !pajewrite__claim_slowly() && !pajewrite__claim_slowly() && thread->dropped == 2;
    thread->dropped = 0;
    pajewrite__release(thread);
    return right && pajewrite__claim_slowly() == thread && (pajewrite__release(thread), !thread->busy);
}

/* ---- a zone of a coroutine that goes on in another thread: only the thread that entered it may use its context */

static void *leave_elsewhere(void *zone)
{
    PAJEWRITE_ZONE("elsewhere");
    pajewrite__leave_zone((pajewrite__zone *)zone);
    return zone;
}

static int leaves_to_its_thread(void)
{
    static pajewrite_place place = {"moved", 0, 0};
    const pajewrite *here = pajewrite_here();
    pajewrite__zone zone;
    pthread_t thread;
    uint64_t written;
    PAJEWRITE_ZONE("around");
    zone = pajewrite__enter_zone(&place);
    written = pajewrite_count(here).written;
    return !pthread_create(&thread, NULL, leave_elsewhere, &zone) && !pthread_join(thread, NULL) &&
           pajewrite_count(here).written == written;
}

/* ---- a trace that ends while another thread is in the midst of a call: that ends first */

static void *leave_later(void *data)
{
    pajewrite__thread *thread;
    PAJEWRITE_MARK("another mark");
    thread = (pajewrite__thread *)pthread_getspecific(pajewrite__the_process.key);
    if (!pajewrite__claim_thread(thread))
        return data;
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    nap(50000000);
    __atomic_store_n(&plotted, 1, __ATOMIC_RELEASE);
    pajewrite__release(thread);
    pause();
    return data;
}

static int waits_for_threads(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, leave_later, NULL))
        return 0;
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        nap(10000);
    return pajewrite_end() == PAJEWRITE_OK && __atomic_load_n(&plotted, __ATOMIC_ACQUIRE);
}

/* ---- another thread is ending the trace, which has to wait: what ends it as well does not go on before */

static void *end(void *data)
{
    pajewrite_end();
    return data;
}

static int is_ending(void)
{
    pthread_t busy, ending;
    if (pthread_create(&busy, NULL, leave_later, NULL))
        return 0;
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        nap(10000);
    if (pthread_create(&ending, NULL, end, NULL))
        return 0;
    while (__atomic_load_n(&pajewrite__the_process.trace, __ATOMIC_RELAXED))
        nap(10000);
    return 1;
}

static int begins_again(void)
{
    if (!is_ending() || pajewrite_begin("again.trace"))
        return 0;
    PAJEWRITE_MARK("a mark of the next trace");
    return pajewrite_end() == PAJEWRITE_OK;
}

/* ---- a trace that ends while another thread has the lock, for longer than it takes to ask a thousand times */

/* Starts a thread, and waits until it has the lock. */
static int starts_holder(pthread_t *thread, void *(*holder)(void *))
{
    if (pthread_create(thread, NULL, holder, NULL))
        return 0;
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE))
        nap(10000);
    return 1;
}

static void *unlock_later(void *data)
{
    pthread_mutex_lock(&pajewrite__the_process.lock);
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    nap(50000000);
    pthread_mutex_unlock(&pajewrite__the_process.lock);
    return data;
}

static int waits_for_lock(void)
{
    pthread_t thread;
    PAJEWRITE_MARK("a mark");
    if (!starts_holder(&thread, unlock_later))
        return 0;
    return pajewrite_end() == PAJEWRITE_OK && pthread_join(thread, NULL) == 0;
}

/* ---- a trace that ends while another thread writes without end to a slow pipe, and so has the lock nearly always */

static void *lock_always(void *data)
{
    const pajewrite__blocked before = pajewrite__block();
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
        pajewrite__lock(&before);
        __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
        nap(10000000);
        pajewrite__unlock();
    }
    pajewrite__unblock(&before);
    return data;
}

static int ends_among_lines(void)
{
    pthread_t thread;
    int right;
    PAJEWRITE_MARK("a mark");
    if (!starts_holder(&thread, lock_always))
        return 0;
    right = pajewrite_end() == PAJEWRITE_OK;
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return pthread_join(thread, NULL) == 0 && right;
}

/* ---- a thread that has jumped out of a call: what it wrote before is there, and the next thread is as any other */

static void *jump_or_not(void *jumps)
{
    int i;
    PAJEWRITE_ZONE("zone of a thread");
    for (i = 0; i < 10; i++) {
        if (jumps && i == 5) {
            pajewrite__thread *thread = (pajewrite__thread *)pthread_getspecific(pajewrite__the_process.key);
            thread->w.mode |= PAJEWRITE__BUSY;
        }
        PAJEWRITE_MARK("mark of a thread");
    }
    return jumps;
}

static void jump(void)
{
    pthread_t thread;
    int i;
    for (i = 0; i < 6; i++)
        if (!pthread_create(&thread, NULL, jump_or_not, i % 3 == 1 ? &i : NULL))
            pthread_join(thread, NULL);
}

/* ---- a thread that a handler ends within a call, when the line is written, but the state not counted yet */

static void *end_within(void *depth)
{
    static pajewrite_place place = {"zone that is not counted", 0, 0};
    pajewrite__thread *thread;
    pajewrite__enter_zone(&place);
    thread = (pajewrite__thread *)pthread_getspecific(pajewrite__the_process.key);
    thread->depth = *(uint32_t *)depth;
    thread->busy = 1;
    return depth;
}

static void end_threads(void)
{
    uint32_t depth;
    pthread_t thread;
    for (depth = 0; depth < 3; depth++) {
        if (!pthread_create(&thread, NULL, end_within, &depth))
            pthread_join(thread, NULL);
        if (!pthread_create(&thread, NULL, jump_or_not, NULL))
            pthread_join(thread, NULL);
    }
}

/* ---- aliases that run out: those of variables are types, of which there are fewer */

static void *mark_once(void *data)
{
    PAJEWRITE_MARK("of a thread that has no container");
    return data;
}

static int runs_out(void)
{
    uint32_t *last = &pajewrite__the_process.last_alias;
    pthread_t thread;
    PAJEWRITE_ZONE("zone");
    *last = PAJEWRITE_TYPE_MAX - 1;
    PAJEWRITE_PLOT("the last variable", 1);
    PAJEWRITE_PLOT("a variable too many", 2);
    PAJEWRITE_PLOT_SHARED("another one", 3);
    PAJEWRITE_MARK("a value");
    *last = UINT32_MAX - 1;
    PAJEWRITE_MARK("the last value");
    PAJEWRITE_MARK("a value too many");
    return !pthread_create(&thread, NULL, mark_once, NULL) && !pthread_join(thread, NULL) &&
           pajewrite_end() == PAJEWRITE_E_ALIASES;
}

/* ---- a pipe that is full for a while: neither a signal that the program has blocked comes through, nor one that has a
 * handler, which would find the lock taken */

static int found_locked, handled;
static pthread_t writer;

static void look_at_lock(int number)
{
    (void)number;
    handled++;
    if (pthread_mutex_trylock(&pajewrite__the_process.lock))
        found_locked = 1;
    else
        pthread_mutex_unlock(&pajewrite__the_process.lock);
}

static void *read_late(void *descriptor)
{
    char bytes[4096];
    nap(50000000);
    pthread_kill(writer, SIGUSR1);
    pthread_kill(writer, SIGABRT);
    nap(50000000);
    while (read(*(int *)descriptor, bytes, sizeof bytes) > 0)
        ;
    return descriptor;
}

static int keeps_signals(void)
{
    struct sigaction action;
    sigset_t blocked;
    pthread_t thread;
    int descriptor, i;
    memset(&action, 0, sizeof action);
    action.sa_handler = look_at_lock;
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    pajewrite_flush_at_signals(); /* calls the handler of SIGABRT */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    raise(SIGTERM);
    pajewrite_end();
    if (mkfifo("late", 0600) || (descriptor = open("late", O_RDONLY | O_NONBLOCK)) < 0)
        return 0;
    fcntl(descriptor, F_SETFL, 0);
    writer = pthread_self();
    if (pajewrite_begin("late") || pthread_create(&thread, NULL, read_late, &descriptor))
        return 0;
    for (i = 0; i < 10000; i++)
        PAJEWRITE_MARK("late");
    return pajewrite_end() == PAJEWRITE_OK && !pthread_join(thread, NULL) && handled == 2 && !found_locked;
}

/* Fills the pipe to which the trace is written, and then writes nothing. */
static void fill(void)
{
    char bytes[1024];
    const int descriptor = open("full", O_WRONLY | O_NONBLOCK);
    memset(bytes, '\n', sizeof bytes);
    PAJEWRITE_MARK("a mark");
    while (write(descriptor, bytes, sizeof bytes) > 0)
        ;
    pause();
}

/* Two threads that write more than any pipe takes. */
static void *flood(void *data)
{
    for (;;)
        PAJEWRITE_MARK("a mark");
    return data;
}

/* ---- a disk that is full */

static size_t room = SIZE_MAX; /* how many bytes it takes */

static int cancel_state, cancel_type; /* where the last lines were written */

static ssize_t test_writev(int descriptor, const struct iovec *pieces, int count)
{
    struct iovec some[64];
    size_t left = room;
    ssize_t taken;
    int i;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &cancel_type);
    for (i = 0; i < count && i < 64; i++) {
        some[i] = pieces[i];
        some[i].iov_len = left < pieces[i].iov_len ? left : pieces[i].iov_len;
        left -= some[i].iov_len;
    }
    taken = writev(descriptor, some, i);
    if (taken > 0 && room != SIZE_MAX)
        room -= (size_t)taken;
    errno = taken == 0 ? ENOSPC : errno;
    return taken > 0 ? taken : -1;
}

/* Whether a file has whole lines and definitions only. */
static int is_whole(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[200];
    int is_within = 0, is_right = file != NULL;
    while (is_right && fgets(line, sizeof line, file)) {
        const int begins = strncmp(line, "%EventDef ", 10) == 0, ends = strcmp(line, "%EndEventDef\n") == 0;
        const int is_part = ends || strncmp(line, "% ", 2) == 0;
        is_right = strchr(line, '\n') && (*line == '\n' || is_part == is_within) && (*line != '%' || begins || is_part);
        is_within = (is_within || begins) && !ends;
    }
    if (file)
        fclose(file);
    return is_right && !is_within;
}

/* Nothing stays of a definition that the disk has no room for, also where a page ends within it. */
static int leaves_whole_lines(void)
{
    size_t free_bytes;
    pajewrite_end(); /* that of main */
    for (free_bytes = 1; free_bytes < 9000; free_bytes += 7) {
        int i;
        room = free_bytes;
        if (pajewrite_begin("disk.trace"))
            return 0;
        for (i = 0; i < 60; i++)
            pajewrite_define_variant(pajewrite_here(), PAJEWRITE_NEW_EVENT, "Rank int, Size int");
        if (pajewrite_end() != PAJEWRITE_E_SINK || !is_whole("disk.trace"))
            return 0;
    }
    room = SIZE_MAX;
    return 1;
}

/* A thread that may be cancelled at any instruction may not while it has the lock, by its type, too: glibc may have
 * sent the signal before the state changed, and its handler looks at the type.  Both are as before then. */
static int is_not_cancelled(void)
{
    int i, state, type;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &type);
    for (i = 0; i < 1000; i++)
        PAJEWRITE_MARK("a mark");
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &state);
    return cancel_state == PTHREAD_CANCEL_DISABLE && cancel_type == PTHREAD_CANCEL_DEFERRED &&
           state == PTHREAD_CANCEL_ENABLE && type == PTHREAD_CANCEL_ASYNCHRONOUS;
}

/* ---- no memory for what the C library notes of a thread */

static int refused; /* how many times there is none */

static int test_setspecific(pthread_key_t key, const void *value)
{
    if (refused && refused--)
        return ENOMEM;
    return pthread_setspecific(key, value);
}

static void *mark_ten_times(void *data)
{
    int i;
    for (i = 0; i < 10; i++)
        PAJEWRITE_MARK("ten times");
    return data;
}

/* A context that no thread could note is that of the next one, and what was not written is counted. */
static int hands_on(void)
{
    pthread_t thread;
    refused = 10;
    return !pthread_create(&thread, NULL, mark_ten_times, NULL) && !pthread_join(thread, NULL) && !refused &&
           !pthread_create(&thread, NULL, mark_ten_times, NULL) && !pthread_join(thread, NULL) &&
           pajewrite__the_process.threads == 1;
}

/* ---- paths that are longer than there is memory for */

static int keeps_to_memory(void)
{
    enum { SIZE = 12, BEHIND = 20 };
    static char name[sizeof pajewrite__the_process.path + 1];
    char path[SIZE + BEHIND], pattern[SIZE + BEHIND];
    size_t length, i, percent;
    for (length = 0; length < sizeof pattern; length++)
        for (percent = 0; percent <= length; percent++) {
            int fits;
            memset(path, 'x', sizeof path);
            memset(pattern, 'p', length);
            pattern[length] = '\0';
            if (percent < length)
                pattern[percent] = '%';
            fits = pajewrite__expand(path, SIZE, pattern);
            for (i = SIZE; i < sizeof path; i++)
                if (path[i] != 'x')
                    return 0;
            if ((percent == length && fits != (length < SIZE - 1)) || (fits && strlen(path) >= SIZE - 1))
                return 0;
        }
    pajewrite_end();
    memset(name, 'n', sizeof name - 1);
    return pajewrite_begin(name) == PAJEWRITE_E_SINK;
}

/* ---- a lock that is not given back in time: the trace does not end, and the next call ends it */

static void *keep_lock(void *data)
{
    pthread_mutex_lock(&pajewrite__the_process.lock);
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
        nap(1000000);
    pthread_mutex_unlock(&pajewrite__the_process.lock);
    return data;
}

static int says_that_it_is_taken(void)
{
    pthread_t thread;
    pajewrite_status status;
    PAJEWRITE_MARK("a mark");
    if (!starts_holder(&thread, keep_lock))
        return 0;
    status = pajewrite_end();
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    return status == PAJEWRITE_E_SINK && !pthread_join(thread, NULL) && pajewrite_end() == PAJEWRITE_OK;
}

/* ---- places of threads that take the lock: each is free again */

static int frees_places(void)
{
    pajewrite__process *p = &pajewrite__the_process;
    int i, place;
    for (i = 0; i < PAJEWRITE__INSIDE; i++) {
        const uintptr_t other = 1; /* no thread */
        int k;
        for (k = 0; k < PAJEWRITE__INSIDE; k++)
            p->inside[k] = k == i ? 0 : other;
        place = pajewrite__note_inside(p);
        if (place != i || pajewrite__note_inside(p) != -1)
            return 0;
        pajewrite__forget_inside(p, place);
        if (p->inside[i])
            return 0;
    }
    memset(p->inside, 0, sizeof p->inside);
    return 1;
}

/* ---- what is blocked is as before, in parent and child */

static int has_own_mask(void)
{
    sigset_t now;
    pthread_sigmask(SIG_BLOCK, NULL, &now);
    return sigismember(&now, SIGUSR1) == 1 && sigismember(&now, SIGUSR2) == 0 && sigismember(&now, SIGTERM) == 0;
}

static int keeps_mask(void)
{
    sigset_t one;
    pid_t child;
    int status = 0;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    PAJEWRITE_MARK("a mark");
    fflush(stdout);
    child = fork();
    if (!child)
        _exit(!has_own_mask());
    return has_own_mask() && waitpid(child, &status, 0) == child && !status;
}

/* ---- a signal that is handled: what is shared is in the file, though the program does not end as usual */

static void go_on(int number) { (void)number; }

static int saves_shared(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = go_on;
    sigaction(SIGABRT, &action, NULL);
    pajewrite_flush_at_signals();
    PAJEWRITE_PLOT_SHARED("shared", 7);
    raise(SIGABRT);
    if (pajewrite__the_process.patience != -1) /* it waits for a pipe as before */
        return 0;
    puts("saved");
    fflush(stdout);
    _exit(0);
}

int main(int argc, char **argv)
{
    pthread_t thread;
    const char *what = argc > 1 ? argv[1] : "";
    alarm(30);
    if (strcmp(what, "cancel") == 0)
        cancel();
    else if (strcmp(what, "hold") == 0)
        hold_threads();
    else if (strcmp(what, "errno") == 0 && !keeps_errno())
        puts("errno has changed");
    else if (strcmp(what, "claim") == 0 && !claims())
        puts("it is claimed, or is not free afterwards");
    else if (strcmp(what, "moved") == 0 && !leaves_to_its_thread())
        puts("a thread wrote by the context of another one");
    else if (strcmp(what, "wait") == 0 && !waits_for_threads())
        puts("the trace ended before a call");
    else if (strcmp(what, "ending") == 0 && !is_ending())
        puts("no thread ends the trace");
    else if (strcmp(what, "again") == 0 && !begins_again())
        puts("the next trace did not begin");
    else if (strcmp(what, "lock") == 0 && !waits_for_lock())
        puts("the trace did not wait for the lock");
    else if (strcmp(what, "lines") == 0 && !ends_among_lines())
        puts("the trace did not get the lock");
    else if (strcmp(what, "aliases") == 0 && !runs_out())
        puts("more aliases than there are were handed out");
    else if (strcmp(what, "pipe") == 0 && !keeps_signals())
        puts("a signal came in the midst of a delivery");
    else if (strcmp(what, "disk") == 0 && !leaves_whole_lines())
        puts("a part of a line or a definition is left");
    else if (strcmp(what, "memory") == 0 && !hands_on())
        puts("a context is lost");
    else if (strcmp(what, "paths") == 0 && !keeps_to_memory())
        puts("a path is written behind its memory");
    else if (strcmp(what, "instruction") == 0 && !is_not_cancelled())
        puts("a thread may be cancelled that has the lock");
    else if (strcmp(what, "taken") == 0 && !says_that_it_is_taken())
        puts("a trace ended without the lock, or not with it");
    else if (strcmp(what, "inside") == 0 && !frees_places())
        puts("a place is not free again");
    else if (strcmp(what, "mask") == 0 && !keeps_mask())
        puts("what is blocked has changed");
    else if (strcmp(what, "saved") == 0 && !saves_shared())
        puts("it waits no more");
    else if (strcmp(what, "jumped") == 0)
        jump();
    else if (strcmp(what, "ended") == 0)
        end_threads();
    else if (strcmp(what, "fill") == 0)
        fill();
    else if (strcmp(what, "flood") == 0 && !pthread_create(&thread, NULL, flood, NULL))
        flood(NULL);
    puts(what);
    return 0;
}
