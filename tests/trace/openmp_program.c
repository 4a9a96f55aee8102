/* A program with OpenMP that counts what it does, and prints it as the states of a trace: NAME COUNT.
 * usage: openmp_program CASE [NUMBER]; as a library: count_all() is called. */
#define _GNU_SOURCE
#include "trace/control.h"

#include <fcntl.h>
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define KINDS(KIND) \
    KIND(parallel) KIND(implicit_task) KIND(task) KIND(for) KIND(sections) KIND(single) KIND(barrier) KIND(taskwait) \
    KIND(taskgroup) KIND(critical) KIND(ordered) KIND(lock)
enum {
#define KIND(name) kind_##name,
    KINDS(KIND)
#undef KIND
    KIND_COUNT
};
static long counts[KIND_COUNT];
#define COUNT(name) ((void)__atomic_add_fetch(&counts[kind_##name], 1, __ATOMIC_RELAXED))

/* Threads of the system that were in a region. */
static long seen[4096], seen_count;

static void print_counts(void)
{
    long threads = 0;
    for (long i = 0; i < seen_count; i++) {
        long k = 0;
        while (seen[k] != seen[i])
            k++;
        threads += k == i;
    }
#define KIND(name) printf("%s %ld\n", #name, counts[kind_##name]);
    KINDS(KIND)
#undef KIND
    printf("threads %ld\n", threads);
}

/* At the begin of each implicit task; the team waits at its end if it is not one thread. */
static void begin_member(void)
{
    COUNT(implicit_task);
    if (omp_get_num_threads() > 1)
        COUNT(barrier);
    seen[__atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED)] = syscall(SYS_gettid);
}

static long number; /* of the command line */
static volatile long sink;
static void work(int turns)
{
    for (int i = 0; i < turns; i++)
        sink += i;
}

#include "openmp_tasks.h"

/* ---- regions */

static void grow_and_shrink(void)
{
    static const int sizes[] = {1, 3, 4, 2, 1, 4, 3, 1, 2};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        COUNT(parallel);
#pragma omp parallel num_threads(sizes[i])
        {
            begin_member();
            work(1000);
        }
    }
}

static void nest(void)
{
    omp_set_max_active_levels(3);
    for (int turn = 0; turn < 20; turn++) { /* each ends threads of its own, in the library of gcc */
        COUNT(parallel);
#pragma omp parallel num_threads(2)
        {
            begin_member();
            COUNT(parallel);
#pragma omp parallel num_threads(2)
            {
                begin_member();
                COUNT(parallel);
#pragma omp parallel num_threads(1)
                begin_member();
                COUNT(barrier);
#pragma omp barrier
            }
        }
    }
    omp_set_max_active_levels(1);
}

/* ---- work and locks */

static void share(void)
{
    static omp_lock_t lock;
    static omp_nest_lock_t nested;
    int sum = 0;
    omp_init_lock(&lock);
    omp_init_nest_lock(&nested);
    COUNT(parallel);
#pragma omp parallel num_threads(3)
    {
        begin_member();
        COUNT(for), COUNT(barrier);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 20; i++) {
#pragma omp critical
            COUNT(critical);
#pragma omp critical(named)
            COUNT(critical);
            omp_set_lock(&lock);
            COUNT(lock);
            work(10);
            omp_unset_lock(&lock);
            if (omp_test_lock(&lock)) {
                COUNT(lock);
                omp_unset_lock(&lock);
            }
            omp_set_nest_lock(&nested);
            COUNT(lock);
            omp_set_nest_lock(&nested);
            omp_unset_nest_lock(&nested);
            omp_unset_nest_lock(&nested);
        }
        COUNT(for), COUNT(barrier);
#pragma omp for schedule(dynamic) ordered
        for (int i = 0; i < 12; i++) {
            work(100);
#pragma omp ordered
            COUNT(ordered);
        }
        COUNT(for);
#pragma omp for schedule(guided) nowait
        for (unsigned long long i = 0; i < 7; i++)
            work(10);
        COUNT(barrier);
#pragma omp barrier
        COUNT(sections), COUNT(barrier);
#pragma omp sections
        {
#pragma omp section
            work(10);
#pragma omp section
            work(10);
        }
        COUNT(barrier);
#pragma omp single
        {
            COUNT(single);
            work(10);
        }
        COUNT(for);
#pragma omp for schedule(dynamic) reduction(+ : sum) nowait
        for (int i = 0; i < 100; i++)
            sum += i;
    }
    if (sum != 4950)
        exit(9);
    COUNT(parallel);
#pragma omp parallel for num_threads(2) schedule(dynamic)
    for (int i = 0; i < 2; i++)
        if (i == 0)
            work(10);
    /* As each of both has: an implicit task, a loop, and a barrier. */
    for (int i = 0; i < 2; i++)
        COUNT(implicit_task), COUNT(barrier), COUNT(for);
    omp_destroy_lock(&lock);
    omp_destroy_nest_lock(&nested);
}

/* ---- tasks */

static int fibonacci(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a) firstprivate(n)
    {
        COUNT(task);
        a = fibonacci(n - 1);
    }
#pragma omp task shared(b) firstprivate(n) if (n > 4)
    {
        COUNT(task);
        b = fibonacci(n - 2);
    }
    COUNT(taskwait);
#pragma omp taskwait
    return a + b;
}

typedef struct large {
    long numbers[100];
} large;

static void make_tasks(void)
{
    int first = 0, second = 0;
    large many;
    for (int i = 0; i < 100; i++)
        many.numbers[i] = i;
    if (fibonacci(10) != 55)
        exit(9);
    for (int i = 0; i < 20; i++) { /* each waits for the one before */
#pragma omp task depend(inout : first) shared(first) firstprivate(i, many)
        {
            COUNT(task);
            if (first++ != i || many.numbers[i] != i)
                exit(9);
        }
#pragma omp task depend(in : first) depend(inout : second) shared(second)
        {
            COUNT(task);
            second++;
        }
    }
    COUNT(taskwait);
#pragma omp taskwait
    for (int i = 0; i < 10; i++) {
#pragma omp task untied
        {
            COUNT(task);
            work(100);
            for (int k = 0; k < 3; k++) {
#pragma omp task
                {
                    COUNT(task);
                    work(10);
                }
#pragma omp taskyield
            }
            COUNT(taskwait);
#pragma omp taskwait
        }
    }
    COUNT(taskgroup);
#pragma omp taskgroup
    {
#pragma omp task final(1)
        {
            COUNT(task);
            fibonacci(4);
        }
    }
}

static void share_tasks(void)
{
    COUNT(parallel);
#pragma omp parallel num_threads(3)
    {
        begin_member();
        COUNT(barrier);
#pragma omp single
        {
            COUNT(single);
            make_tasks();
        }
#pragma omp single nowait
        {
            long left = 0;
            COUNT(single);
#pragma omp taskloop num_tasks(5) nogroup shared(left)
            for (long i = 0; i < 5; i++) {
                COUNT(task);
#pragma omp atomic
                left += i;
            }
            COUNT(taskwait);
#pragma omp taskwait
            if (left != 10)
                exit(9);
        }
    }
}

/* ---- what is seldom used */

static void special(void)
{
    static int cells[4][20];
    long tasks = 0;
    COUNT(parallel);
#pragma omp parallel num_threads(3)
    {
        begin_member();
#pragma omp single nowait
        {
            detach();
            reduce();
            copy(1000);
        }
#pragma omp for ordered(1) schedule(dynamic) nowait
        for (int i = 1; i < 20; i++) {
#pragma omp ordered depend(sink : i - 1)
            cells[0][i] = cells[0][i - 1] + 1;
#pragma omp ordered depend(source)
        }
    }
    COUNT(parallel);
#pragma omp parallel num_threads(2) reduction(task, + : tasks)
    {
        begin_member();
#pragma omp task in_reduction(+ : tasks)
        {
            COUNT(task);
            tasks++;
        }
    }
    if (cells[0][19] != 19 || tasks != 2)
        exit(9);
    counts[kind_for] = -1; /* those that wait for each other are not the same to both libraries, nor are waits */
    counts[kind_barrier] = counts[kind_taskgroup] = counts[kind_single] = -1;
    print_counts();
}

/* ---- cancelling; needs OMP_CANCELLATION */

static void cancel(void)
{
    long found = 0, run = 0;
    if (!omp_get_cancellation())
        exit(8);
    COUNT(parallel);
#pragma omp parallel num_threads(3)
    {
        begin_member();
        COUNT(for), COUNT(barrier);
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 1000; i++) {
#pragma omp critical
            {
                COUNT(critical);
                found++;
            }
            if (i == 5) {
#pragma omp cancel for
            }
#pragma omp cancellation point for
        }
        COUNT(barrier);
#pragma omp single
        {
            COUNT(single), COUNT(taskgroup);
#pragma omp taskgroup
            for (int i = 0; i < 100; i++) {
#pragma omp task shared(run)
                {
                    COUNT(task);
#pragma omp atomic
                    run++;
                    if (i == 3) {
#pragma omp cancel taskgroup
                    }
                }
            }
        }
    }
    if (!found || !run)
        exit(9);
}

/* Before main, or while the library is opened. */
__attribute__((constructor)) static void begin(void)
{
    COUNT(parallel);
#pragma omp parallel num_threads(2)
    begin_member();
}

static void do_all(void)
{
    grow_and_shrink();
    nest();
    share();
    share_tasks();
    grow_and_shrink();
}

void count_all(void);
void count_all(void)
{
    do_all();
    print_counts();
}

static void cancelled(void)
{
    cancel();
    print_counts();
}

/* ---- programs that are not only OpenMP */

static void *run_regions(void *data)
{
    (void)data;
    for (int i = 0; i < 4; i++) {
        COUNT(parallel);
#pragma omp parallel num_threads(2)
        begin_member();
    }
    return NULL;
}

/* More tests that fail than there can be states within each other. */
static void *test_lock(void *data)
{
    omp_lock_t lock;
    COUNT(lock);
    omp_init_lock(&lock);
    omp_set_lock(&lock);
    for (int i = 0; i < 1100; i++)
        if (omp_test_lock(&lock))
            exit(9);
    omp_unset_lock(&lock);
    omp_destroy_lock(&lock);
    return run_regions(data);
}

static void in_threads(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, test_lock, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    run_regions(NULL);
    print_counts();
}

/* The program switches the recording; gcc's library does not have that. */
static void controls(void)
{
#ifdef __clang__
    run_regions(NULL);
    omp_control_tool(omp_control_tool_pause, 0, NULL);
#pragma omp parallel num_threads(2)
    work(10);
    omp_control_tool(omp_control_tool_start, 0, NULL);
    run_regions(NULL);
    omp_control_tool(omp_control_tool_flush, 0, NULL);
    omp_control_tool(omp_control_tool_end, 0, NULL);
#pragma omp parallel num_threads(2)
    work(10);
    omp_control_tool(omp_control_tool_start, 0, NULL); /* it is too late */
#pragma omp parallel num_threads(2)
    work(10);
#endif
    print_counts();
}

static void forks(void)
{
    run_regions(NULL);
    fflush(stdout);
    for (int i = 0; i < 3; i++) {
        pid_t child = fork();
        if (child == 0) {
            COUNT(parallel);
#pragma omp parallel num_threads(1)
            COUNT(implicit_task);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        COUNT(parallel), COUNT(implicit_task); /* of the child */
        seen[__atomic_fetch_add(&seen_count, 1, __ATOMIC_RELAXED)] = child;
        run_regions(NULL);
    }
    print_counts();
}

/* Prints how many tasks depend on which: the first one ends after all are created, so none has ended before. */
static void depend(void)
{
    int is_complete = 0, chain = 0, fan = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task depend(out : chain) depend(out : fan) shared(is_complete)
        while (!__atomic_load_n(&is_complete, __ATOMIC_ACQUIRE))
            usleep(100);
        for (int i = 0; i < 20; i++) { /* each on the one before */
#pragma omp task depend(inout : chain) shared(chain)
            chain++;
        }
        for (int i = 0; i < 5; i++) { /* each on the first */
#pragma omp task depend(in : fan)
            work(10);
        }
#pragma omp task depend(inout : fan) shared(fan) /* on these */
        fan++;
        __atomic_store_n(&is_complete, 1, __ATOMIC_RELEASE);
    }
    if (chain != 20 || fan != 1)
        exit(9);
    printf("dependences %d\n", 20 + 5 + 5);
}

static void exits(void)
{
    puts("exits");
#pragma omp parallel num_threads(3)
    {
#pragma omp barrier
        if (omp_get_thread_num() == 1)
            exit(3);
        work(100000000);
    }
}

static void works(void)
{
    for (;;) {
#pragma omp parallel num_threads(3)
        {
#pragma omp for schedule(dynamic)
            for (int i = 0; i < 100; i++) {
#pragma omp task
                work(100);
#pragma omp critical
                work(1);
            }
        }
    }
}

#include "openmp_switch.h"

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"all", count_all}, {"cancel", cancelled}, {"special", special}, {"threads", in_threads},
                 {"control", controls}, {"fork", forks}, {"exit", exits}, {"work", works}, {"switch", switches},
                 {"once", switches_once}, {"depend", depend}};
    number = argc > 2 ? atol(argv[2]) : 1;
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    return 0;
}
