/* A program that was not prepared, for `mirctl poke`: threads that iterate, wait in system calls, or fork, and
 * functions that are called; `fork`: only one that forks, with much memory, so that it takes long; `fork all`: only
 * four that fork; `leave`: its main thread ends.  It ends when `more` is 0, and prints what it has seen.
 * usage: poked [calm | fork [all] | leave] */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };
volatile int more = 1, workers = 4, interrupted, signalled, forked, failed_children, is_calm;
volatile signed char small = -7;
volatile int64_t large = INT64_MAX;
volatile double tolerance = 0.5;
volatile float ratio = 0.25F;
static volatile int twice = 1;
extern volatile int twice_of_other(void);
volatile int table[5];
const int constant = 3;
__thread int of_thread = 1;
volatile long iterations, wrong;
long called;

/* What is in registers on entry has to be the same after a call. */
__attribute__((noinline, noclone)) double iteration(long a, long b, double x, double y)
{
    __atomic_fetch_add(&iterations, 1, __ATOMIC_RELAXED);
    if (b != a + 1 || y != x + 0.5)
        wrong++;
    return x * y + (double)a;
}

__attribute__((used, noinline)) long add(long a, long b, long c)
{
    char text[64];
    called++;
    snprintf(text, sizeof text, "%.3f", (double)a * 1.5); /* uses registers of all kinds */
    return a + b + c + (long)strlen(text) * 0;
}
__attribute__((used)) void crash(void) { *(volatile int *)(uintptr_t)8 = 1; }
__attribute__((used)) void forever(void) { for (;;) pause(); }
__attribute__((used)) void spin(void) { for (volatile int i = 1; i;) ; }
__attribute__((used)) void end(void) { exit(7); }
__attribute__((used)) long nested(void) { return (long)iteration(1, 2, 1, 1.5); }
__attribute__((used, noinline)) int never(void) { return (int)called; }
int get_twice(void) { return twice; }

static void on_signal(int number)
{
    (void)number;
    __atomic_fetch_add(&signalled, 1, __ATOMIC_RELAXED);
}

static void *iterate(void *argument)
{
    const struct timespec moment = {0, 200000};
    double sum = 0;
    for (long i = (long)(intptr_t)argument; more; i++) {
        const double x = (double)(i % 100);
        sum += iteration(i, i + 1, x, x + 0.5);
        if (is_calm)
            nanosleep(&moment, NULL);
    }
    return sum < 0 ? argument : NULL;
}

/* epoll_wait is ended by whatever stops its thread. */
static void *wait_in_system(void *argument)
{
    struct epoll_event event;
    const int epoll = epoll_create1(0);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    while (more)
        if (epoll_wait(epoll, &event, 1, 50) < 0)
            interrupted++;
    close(epoll);
    return argument;
}

static void *nothing(void *argument)
{
    const double x = 3;
    (void)iteration(5, 6, x, x + 0.5);
    return argument;
}

/* Children that call the function, threads that come and go. */
static void *make_others(void *argument)
{
    while (more) {
        pthread_t thread;
        int status;
        const pid_t child = fork();
        if (child == 0)
            _exit(iteration(1, 2, 1, 1.5) > 0 ? 0 : 1);
        if (child > 0 && waitpid(child, &status, 0) == child) {
            forked++;
            if (!WIFEXITED(status) || WEXITSTATUS(status))
                failed_children++;
        }
        if (system("true") != 0)
            failed_children++;
        if (pthread_create(&thread, NULL, nothing, NULL) == 0)
            pthread_join(thread, NULL);
    }
    return argument;
}

/* Children that call the function, and nothing else. */
static void *fork_only(void *argument)
{
    while (more && !failed_children) {
        int status;
        const pid_t child = fork();
        if (child == 0)
            _exit(never());
        if (waitpid(child, &status, 0) != child || status)
            __atomic_fetch_add(&failed_children, 1, __ATOMIC_RELAXED);
    }
    return argument;
}

static int fork_in_threads(int count, size_t memory)
{
    pthread_t threads[4];
    char *bytes = malloc(memory);
    if (!bytes)
        return 1;
    memset(bytes, 1, memory);
    printf("ready\n");
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, fork_only, NULL);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    printf("children %s\n", failed_children ? "ill" : "well");
    return failed_children;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS + 2];
    if (argc > 1 && strcmp(argv[1], "fork") == 0) {
        setvbuf(stdout, NULL, _IOLBF, 0);
        return argc > 2 ? fork_in_threads(4, 1) : fork_in_threads(1, (size_t)128 << 20);
    }
    is_calm = argc > 1;
    signal(SIGUSR1, on_signal);
    setvbuf(stdout, NULL, _IOLBF, 0);
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, iterate, (void *)i);
    pthread_create(&threads[THREADS], NULL, wait_in_system, NULL);
    pthread_create(&threads[THREADS + 1], NULL, make_others, NULL);
    printf("ready\n");
    if (argc > 1 && strcmp(argv[1], "leave") == 0)
        pthread_exit(NULL);
    for (int i = 0; i < THREADS + 2; i++)
        pthread_join(threads[i], NULL);
    printf("workers %d called %ld wrong %ld interrupted %d children %s signals %d twice %d\n", workers, called, wrong,
           interrupted, forked && !failed_children ? "well" : "ill", signalled, get_twice() + twice_of_other());
    return large == 0 || constant == 4 || table[0] || small == 100 || of_thread == 2;
}
