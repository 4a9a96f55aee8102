/* The tracer's clock against CLOCK_MONOTONIC: of clocks that are made up, and of those of the machine, by threads.
 * usage: clock SECONDS
 * Prints PASS and FAIL lines; exit status 1: one has failed. */
#define PAJEWRITE_IMPLEMENTATION
#include "../../examples/trace/writer.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __x86_64__
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int is_used, reads; /* reads: of the system's clock */
    double ticks, time, rate; /* rate: nanoseconds of a tick */
    double call; /* nanoseconds of a system call */
} made_up;

static double draw(double most)
{
    return most * (double)rand() / RAND_MAX;
}

static void pass(double time)
{
    made_up.time += time;
    made_up.ticks += time / made_up.rate;
}

static uint64_t counter(void)
{
    if (!made_up.is_used)
        return __builtin_ia32_rdtsc();
    pass(9);
    return (uint64_t)made_up.ticks;
}

static uint64_t monotonic(void *data)
{
    if (!made_up.is_used)
        return pajewrite_monotonic(data);
    pass(13 + (made_up.reads++ ? rand() % 100 ? 0 : draw(5000) : 1e5)); /* interrupted, now and then, and at first */
    return (uint64_t)made_up.time;
}

static long call(long number, clockid_t clock, struct timespec *now)
{
    if (!made_up.is_used)
        return (syscall)(number, clock, now);
    pass(made_up.call);
    return 0;
}

#define __builtin_ia32_rdtsc counter
#define pajewrite_monotonic monotonic
#define syscall call
#include "../../examples/trace/clock.c"
#undef syscall
#undef pajewrite_monotonic
#undef __builtin_ia32_rdtsc
#else
#include "../../examples/trace/clock.c"
#endif

static int failed;

static void report(const char *name, int is_well, double worst)
{
    if (is_well)
        printf("PASS trace_clock/%s\n", name);
    else
        printf("FAIL trace_clock/%s: %.0f ns\n", name, worst);
    failed |= !is_well;
}

#ifdef __x86_64__
/* Reads the clock at random times.  `slew`: by how much of its speed the system's clock is set right now and then.
 * `gaps`: whether the counter starts from another number now and then, as where the machine sleeps.  Returns the
 * greatest error. */
static double follow(double slew, int gaps, double *share)
{
    const int turns = 300000;
    const double usual = 0.2 + draw(1);
    uint64_t last = 0;
    double worst = 0;
    int i;
    memset(&shared, 0, sizeof shared);
    shared.is_usable = 1;
    made_up.ticks = draw(1e15);
    made_up.time = draw(1e15);
    made_up.rate = usual;
    made_up.reads = 0;
    for (i = 0; i < turns; i++) {
        const double before = made_up.time;
        const uint64_t time = trace_clock(NULL), clamped = trace_clock(&last);
        if (before - (double)time > worst)
            worst = before - (double)time;
        if ((double)time - made_up.time > worst)
            worst = (double)time - made_up.time;
        if (clamped < time)
            worst = 1e9;
        pass(rand() % 1000 ? draw(20000) : rand() % 100 ? draw(2e6) : draw(5e9));
        if (slew && rand() % 10000 == 0)
            made_up.rate = usual * (1 - slew + draw(2 * slew));
        if (gaps && rand() % 10000 == 0)
            made_up.ticks = rand() % 2 ? draw(1e9) : made_up.ticks + 1e7 + draw(1e12);
    }
    *share = (double)made_up.reads / turns / 2;
    return worst;
}

static void follow_all(void)
{
    double steady = 0, slewed = 0, slept = 0, share, most = 0, it;
    int i;
    made_up.is_used = 1;
    for (i = 0; i < 20; i++) {
        steady = (it = follow(0, 0, &share)) > steady ? it : steady;
        most = share > most ? share : most;
        slewed = (it = follow(0.0005, 0, &share)) > slewed ? it : slewed;
        slept = (it = follow(0.0005, 1, &share)) > slept ? it : slept;
    }
    made_up.is_used = 0;
    fprintf(stderr, "made up: %.0f, %.0f, %.0f ns, %.3f\n", steady, slewed, slept, most);
    report("as the system's clock", steady < 100, steady);
    report("of a system that sets its clock right", slewed < 1200, slewed);
    report("of a machine that sleeps", slept < 1200, slept);
    report("is seldom compared", most < 0.05, most * 100);
}

/* Whether the counter is used if a system call takes so long, and reading the system's clock without one 13. */
static int is_counter_used(double nanoseconds)
{
    int usable;
    made_up.is_used = made_up.reads = 1;
    made_up.rate = 0.4;
    made_up.call = nanoseconds;
    trace_begin_clock();
    usable = shared.is_usable;
    made_up.is_used = 0;
    return usable;
}

static void choose(void)
{
    report("by the counter where the system reads it without a call", is_counter_used(60), 60);
    report("by the system where that takes a call", !is_counter_used(13) && !is_counter_used(15), 13);
}

#endif

enum { THREADS = 16 };

static void *read_clocks(void *data)
{
    const uint64_t end = pajewrite_monotonic(NULL) + (uint64_t)(atof((const char *)data) * 1e9);
    static double worst[THREADS];
    static int threads;
    double *mine = &worst[__atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED)];
    uint64_t last = 0, before = 0, time = 0, after = 0;
    while (after < end) {
        before = pajewrite_monotonic(NULL);
        time = trace_clock(&last);
        after = pajewrite_monotonic(NULL);
        if ((double)before - (double)time > *mine)
            *mine = (double)before - (double)time;
        if ((double)time - (double)after > *mine)
            *mine = (double)time - (double)after;
    }
    return mine;
}

/* What a thread reads after it has read what another one has told is not earlier than that. */
static struct {
    uint64_t time;
} told[THREADS] __attribute__((aligned(64)));

static void *tell(void *data)
{
    const uint64_t end = pajewrite_monotonic(NULL) + (uint64_t)(atof((const char *)data) * 1e9);
    static double early[THREADS];
    static int threads;
    const int me = __atomic_fetch_add(&threads, 1, __ATOMIC_RELAXED);
    uint64_t random = (uint64_t)me, time = 0;
    while (time < end) {
        const uint64_t before = __atomic_load_n(&told[(random = random * 6364136223846793005u + 1) >> 60].time,
                                                __ATOMIC_ACQUIRE);
        trace_order_clock();
        time = trace_clock(NULL);
        if (time < before)
            early[me]++;
        __atomic_store_n(&told[me].time, trace_clock(NULL), __ATOMIC_RELEASE);
        if (!(random >> 40 & 63))
            usleep(1);
    }
    return &early[me];
}

static double sum_of(void *(*run)(void *), const char *seconds, int is_sum)
{
    pthread_t threads[THREADS];
    double all = 0;
    int i;
    for (i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)seconds))
            exit(3);
    for (i = 0; i < THREADS; i++) {
        void *found;
        pthread_join(threads[i], &found);
        all = is_sum ? all + *(double *)found : *(double *)found > all ? *(double *)found : all;
    }
    return all;
}

int main(int argc, char **argv)
{
    double worst, early;
#ifdef __x86_64__
    follow_all();
    choose();
#endif
    trace_begin_clock();
    worst = sum_of(read_clocks, argc > 1 ? argv[1] : "1", 0);
    early = sum_of(tell, argc > 1 ? argv[1] : "1", 1);
    fprintf(stderr, "threads: %.0f ns, %.0f told early\n", worst, early);
    report("of threads", worst < 1000, worst);
    if (early)
        printf("FAIL trace_clock/of what threads have told: %.0f are early\n", early);
    else
        printf("PASS trace_clock/of what threads have told\n");
    return failed || early > 0;
}
