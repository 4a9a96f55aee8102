/* A program with OpenMP whose constructs tracers record: what each takes, in nanoseconds of CPU time, the best of some
 * rounds.  One thread does all, as what is measured is the tracer and not the waiting. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <time.h>

enum { ROUNDS = 15, CALLS = 2000 };

static volatile int sum;
static omp_lock_t lock;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void read_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
}

static void enter_critical(void)
{
#pragma omp critical
    sum++;
}

static void take_lock(void)
{
    omp_set_lock(&lock);
    omp_unset_lock(&lock);
}

static void wait_at_barrier(void)
{
#pragma omp barrier
}

static void wait_for_tasks(void)
{
#pragma omp taskwait
}

static void run_task(void)
{
#pragma omp task
    sum++;
}

static void share_loop(void)
{
#pragma omp for schedule(dynamic) nowait
    for (int i = 0; i < 1; i++)
        sum++;
}

static void begin_region(void)
{
#pragma omp parallel num_threads(1)
    sum++;
}

static void measure(const char *name, void (*call)(void))
{
    double best = 1e30;
    for (int round = 0; round < ROUNDS; round++) {
        const double start = now();
        for (int i = 0; i < CALLS; i++)
            call();
        const double took = (now() - start) / CALLS;
        best = took < best ? took : best;
    }
    printf("%s %.1f\n", name, best);
}

int main(void)
{
    omp_init_lock(&lock);
    measure("clock", read_clock);
    measure("region", begin_region);
#pragma omp parallel num_threads(1)
    {
        measure("critical", enter_critical);
        measure("lock", take_lock);
        measure("barrier", wait_at_barrier);
        measure("taskwait", wait_for_tasks);
        measure("task", run_task);
        measure("for", share_loop);
    }
    return 0;
}
