/* Programs that are sampled: what each does is known by its own CPU clock. */
#include "trace/pajetrace.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define APART __attribute__((noinline))
#else
#define APART __attribute__((noinline, noclone))
#endif

/* While it is set, whatever is called here is called by a signal handler of the tracer. */
static volatile int is_quiet;

static void refuse(const char *name)
{
    static const char text[] = " was called\n";
    if (!is_quiet)
        return;
    is_quiet = 0;
    if (write(2, name, 6) != 6 || write(2, text, sizeof text - 1) < 0)
        abort();
    abort();
}

void *__libc_malloc(size_t size);
void *malloc(size_t size)
{
    refuse("malloc");
    return __libc_malloc(size);
}

int dladdr(const void *address, Dl_info *info)
{
    refuse("dladdr");
    return (void)address, (void)info, 0;
}

int vfprintf(FILE *restrict file, const char *restrict format, va_list arguments)
{
    refuse("printf");
    return vdprintf(fileno(file), format, arguments);
}

static double cpu_time(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* The functions that samples tell apart: each burns so much of its thread's CPU time, times a tenth of `rounds`. */
static int rounds;
static volatile double x = 1;
#define BURNS(name) \
    APART static void name(double seconds) \
    { \
        const double end = cpu_time() + seconds * rounds / 10; \
        do \
            for (int i = 0; i < 20000; i++) \
                x = x * 1.0000001; \
        while (cpu_time() < end); \
        x = 1; \
    }
BURNS(seventy)
BURNS(thirty)
BURNS(in_thread)
BURNS(in_other)
BURNS(in_child)
BURNS(in_small)
BURNS(in_handler)
BURNS(in_deep)
BURNS(in_blocked)
BURNS(in_unblocked)
BURNS(in_forked)
BURNS(in_quiet)

static int split(void)
{
    for (int i = 0; i < 10; i++) {
        unsigned state = pajetrace_begin("state of seventy");
        seventy(0.028);
        pajetrace_end(state);
        state = pajetrace_begin("state of thirty");
        thirty(0.012);
        pajetrace_end(state);
    }
    return 0;
}

static void *run_thread(void *data) { in_thread(0.12); return data; }
static void *run_other(void *data) { in_other(0.06); return data; }
static void *run_sleep(void *data) { usleep(100000); return data; }
static void *run_small(void *data) { in_small(0.06); return data; }

static pthread_t start(void *(*run)(void *), size_t stack)
{
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    if (stack)
        pthread_attr_setstacksize(&attributes, stack);
    if (pthread_create(&thread, &attributes, run, NULL) != 0)
        exit(3);
    return thread;
}

static int threads(void)
{
    pthread_t all[] = {start(run_thread, 0), start(run_other, 0), start(run_sleep, 0), start(run_small, 65536)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        pthread_join(all[i], NULL);
    return 0;
}

/* ---- stacks */

APART static int descend(int depth)
{
    if (depth == 0)
        in_deep(0.06);
    else
        x += descend(depth - 1);
    return (int)x;
}

static sigjmp_buf back;
static void handle(int number)
{
    (void)number;
    in_handler(0.06);
    siglongjmp(back, 1);
}

/* A frame that is none; without call, so that nothing needs it. */
APART static void burn_without_frame(uintptr_t frame)
{
#if defined(__x86_64__)
    uintptr_t turns = 30000000;
    __asm__ volatile("push %%rbp; mov %1, %%rbp; 1: dec %0; jnz 1b; pop %%rbp" : "+r"(turns) : "r"(frame) : "memory");
#else
    (void)frame;
#endif
}

static int stacks(void)
{
    const stack_t alternative = {.ss_sp = malloc(65536), .ss_size = 65536};
    const stack_t least = {.ss_sp = malloc(4096), .ss_size = 4096};
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_ONSTACK};
    char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    sigaltstack(&least, NULL); /* enough for a handler that does nothing */
    descend(200);
    sigaltstack(&alternative, NULL);
    sigaction(SIGUSR1, &action, NULL);
    if (sigsetjmp(back, 1) == 0)
        raise(SIGUSR1);
    munmap(page + 4096, 4096);
    burn_without_frame(0);
    burn_without_frame(UINTPTR_MAX - 7);
    burn_without_frame((uintptr_t)&x & ~(uintptr_t)7);
    burn_without_frame((uintptr_t)page + 4096 - 8);
    burn_without_frame((uintptr_t)__builtin_frame_address(0) + 1);
    burn_without_frame((uintptr_t)__builtin_frame_address(0) + (64 << 20));
    return 0;
}

static int processes(void)
{
    pid_t child = fork(); /* calls nothing that is recorded */
    int status;
    if (child == 0) {
        in_child(0.08);
        _exit(4);
    }
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 4 ? 0 : 1;
}

static int until_killed(void)
{
    seventy(0.08);
    raise(SIGKILL);
    return 1;
}

/* ---- signals */

static volatile int profiled, queued, queued_value;
static void count_profile(int number) { profiled += number == SIGPROF; }
static void count_queued(int number, siginfo_t *info, void *context)
{
    (void)context;
    queued += number == SIGRTMAX;
    queued_value = info->si_value.sival_int;
}

/* Real-time signals are this thread's own as long as it blocks them: it finds none that others have sent. */
static int taken, is_child;
static void *run_taking(void *data)
{
    const struct timespec at_once = {0, 0};
    sigset_t own;
    sigemptyset(&own);
    for (int i = SIGRTMIN; i <= SIGRTMAX; i++)
        sigaddset(&own, i);
    pthread_sigmask(SIG_BLOCK, &own, NULL);
    seventy(0.08);
    taken = sigtimedwait(&own, NULL, &at_once);
    pthread_sigmask(SIG_UNBLOCK, &own, NULL);
    if (is_child)
        in_forked(0.08);
    else
        in_unblocked(0.08);
    return data;
}

static void *run_blocked(void *data)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    in_blocked(0.08);
    return data;
}

/* The program has SIGPROF, a timer of it, and the signal that the tracer would take; its waits end as without. */
static int signals(void)
{
    struct sigaction action = {.sa_handler = count_profile, .sa_flags = SA_RESTART}, old;
    struct itimerval times = {{0, 10000}, {0, 10000}};
    int interrupted = 0, left = 0, status = 0;
    pid_t child;
    sigaction(SIGRTMAX, NULL, &old);
    printf("%d", old.sa_handler == SIG_DFL);
    action.sa_handler = NULL;
    action.sa_sigaction = count_queued;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGRTMAX, &action, &old);
    printf(" %d", old.sa_handler == SIG_DFL);
    for (int i = 0; i < 100; i++)
        sigqueue(getpid(), SIGRTMAX, (union sigval){.sival_int = i});
    for (int i = 0; i < 3000; i++) { /* most of the CPU time is in the system */
        const struct timespec shortly = {0, 1000};
        struct timespec rest = {0, 0};
        interrupted += poll(NULL, 0, 0) != 0;
        interrupted += nanosleep(&shortly, &rest) != 0;
        left += rest.tv_nsec != 0;
    }
    printf(" %d %d %d %d", queued, queued_value, interrupted, left);
    action.sa_handler = count_profile;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, NULL);
    setitimer(ITIMER_PROF, &times, NULL);
    for (int i = 0; i < 50 && !profiled; i++) /* the timer may be late */
        seventy(0.06);
    times.it_value.tv_usec = 0;
    setitimer(ITIMER_PROF, &times, NULL);
    pthread_join(start(run_taking, 0), NULL);
    fflush(stdout);
    child = fork();
    if (child == 0) { /* nothing else of it is recorded before */
        is_child = 1;
        run_taking(NULL);
        _exit(taken == -1 ? 0 : 1);
    }
    waitpid(child, &status, 0);
    printf(" %d %d %d\n", profiled > 0, taken, WEXITSTATUS(status));
    pthread_join(start(run_blocked, 0), NULL);
    return 0;
}

static int quiet(void)
{
    is_quiet = 1;
    in_quiet(0.08);
    is_quiet = 0;
    return 0;
}

/* What counters have to be in each state is known. */
static int counters(void)
{
    enum { PAGES = 300, PAGE = 4096 };
    unsigned outer = pajetrace_begin("all"), state;
    char *memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(memory, PAGES * PAGE, MADV_NOHUGEPAGE);
    state = pajetrace_begin("faults");
    for (int i = 0; i < PAGES; i++)
        memory[i * PAGE] = 1;
    pajetrace_end(state);
    state = pajetrace_begin("burns");
    in_quiet(0.05);
    pajetrace_end(state);
    state = pajetrace_begin("waits");
    for (int i = 0; i < 20; i++)
        usleep(1000);
    pajetrace_end(state);
    pajetrace_end(outer);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } cases[] = {{"split", split}, {"threads", threads}, {"stacks", stacks}, {"processes", processes},
                 {"killed", until_killed}, {"signals", signals}, {"quiet", quiet}, {"counters", counters}};
    rounds = argc > 2 ? atoi(argv[2]) : 10;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            return cases[i].run();
    return 2;
}
