/* A library to preload into a program with OpenMP under `paje trace`: it is recorded in one of each two turns of the
 * program's main loop, drawn at random, and at the end it is printed what turns take with over without.  Both are of
 * one process, so that little else disturbs the comparison.
 *
 * A turn begins at the loop (of clang) or region (of gcc) that comes most seldom, of those that come again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PLACES = 512, LEARNT = 6000 /* loops */, PAIRS = 1 << 16 };

static struct {
    const void *code;
    long count;
} places[PLACES];
static const void *first_loop; /* of a turn */
static long loops, turns;
static int is_on;
static void (*trace_pause)(int is_paused); /* of the tracer */
static double begun, begun_cpu, elapsed[PAIRS][2], cpu[PAIRS][2];

static double now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void begin_turn(void)
{
    const double time = now(CLOCK_MONOTONIC), used = now(CLOCK_PROCESS_CPUTIME_ID);
    const long pair = (turns - 1) / 2;
    if (turns > 0 && pair < PAIRS) {
        elapsed[pair][is_on] = time - begun;
        cpu[pair][is_on] = used - begun_cpu;
    }
    is_on = turns % 2 ? !is_on : rand() % 2;
    turns++;
    trace_pause(!is_on);
    begun = now(CLOCK_MONOTONIC);
    begun_cpu = now(CLOCK_PROCESS_CPUTIME_ID);
}

static void learn(const void *code)
{
    int i, least = 0;
    for (i = 0; i < PLACES && places[i].code && places[i].code != code; i++)
        ;
    if (i < PLACES) {
        places[i].code = code;
        places[i].count++;
    }
    if (++loops < LEARNT)
        return;
    for (i = 1; i < PLACES && places[i].code; i++)
        if (places[i].count > 3 && (places[least].count <= 3 || places[i].count < places[least].count))
            least = i;
    first_loop = places[least].code;
}

static void find(const char *name, void *place)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) {
        fprintf(stderr, "turns: there is no %s\n", name);
        exit(1);
    }
    memcpy(place, &found, sizeof found);
}

static void pass(const void *code)
{
    if (!trace_pause)
        find("trace_pause", &trace_pause);
    if (!first_loop)
        learn(code);
    else if (code == first_loop)
        begin_turn();
}

void __kmpc_for_static_init_4(void *place, int thread, int kind, int *is_last, int *lower, int *upper, int *stride,
                              int step, int chunk);
void __kmpc_for_static_init_4(void *place, int thread, int kind, int *is_last, int *lower, int *upper, int *stride,
                              int step, int chunk)
{
    static void (*next)(void *, int, int, int *, int *, int *, int *, int, int);
    if (!next)
        find("__kmpc_for_static_init_4", &next);
    if (thread == 0)
        pass(__builtin_return_address(0));
    next(place, thread, kind, is_last, lower, upper, stride, step, chunk);
}

void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*region)(void *), void *data, unsigned threads, unsigned flags)
{
    static void (*next)(void (*)(void *), void *, unsigned, unsigned);
    if (!next)
        find("GOMP_parallel", &next);
    pass(__builtin_return_address(0));
    next(region, data, threads, flags);
}

static int compare(const void *a, const void *b)
{
    const double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static void print(const char *what, double (*times)[2], long count)
{
    static double ratios[PAIRS];
    double spread, root = 1;
    long i;
    for (i = 0; i < count; i++)
        ratios[i] = times[i][1] / times[i][0];
    qsort(ratios, (size_t)count, sizeof *ratios, compare);
    while (root * root < (double)count)
        root++;
    spread = (ratios[count * 3 / 4] - ratios[count / 4]) / 1.349;
    fprintf(stderr, "turns %s %.4f %.4f %ld\n", what, ratios[count / 2], 1.253 * spread / root, count);
}

__attribute__((destructor)) static void end(void)
{
    const long pairs = (turns - 1) / 2 < PAIRS ? (turns - 1) / 2 : PAIRS;
    if (pairs > 3) {
        print("elapsed", elapsed, pairs);
        print("cpu", cpu, pairs);
    }
}
