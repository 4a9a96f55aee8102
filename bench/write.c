/* Measures the cost of writing an event: with pajewrite.h in many setups, with fprintf, for the clock alone, and with
 * other tracers.  These are plug-ins, and are left out if their packages are missing.
 *
 * In every round each writer takes a slice in turn, so that whatever disturbs the machine disturbs all alike.  Reported
 * are medians over the rounds: nanoseconds for an event, of CPU time of the writing thread and of elapsed time (with
 * two threads: the mean of both), delivery to the file included, and the ratio to another writer in the same round.
 * The events are a state entered and left, again and again, in one container of each thread. */
#define _POSIX_C_SOURCE 200809L
#include "bench.h"
#include "write.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS_MAX = 99, WRITERS_MAX = 48 };

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "write: %s: %s\n", what, why);
    exit(1);
}

/* ---- the loop, the clocks, fprintf */

static FILE *streams[BENCH_THREADS];
static char stream_buffers[BENCH_THREADS][BENCH_BUFFER];
static int streams_used;
static uint64_t seen[BENCH_THREADS][8]; /* a cache line each */

static int begin_nothing(const bench_writer *writer, int threads) { return writer && threads; }
static int64_t end_nothing(void) { return 0; }

static void run_loop(int thread, uint32_t events)
{
    uint32_t i;
    (void)thread;
    for (i = 0; i < events; bench_step(&i))
        ;
}

static void run_clock(int thread, uint32_t events)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        sum += bench_clock();
        sum += bench_clock();
    }
    seen[thread][0] = sum;
}

#if BENCH_TSC
static void run_tsc(int thread, uint32_t events)
{
    uint64_t sum = 0;
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        sum += bench_tsc();
        sum += bench_tsc();
    }
    seen[thread][0] = sum;
}
#endif

static int begin_fprintf(const bench_writer *writer, int threads)
{
    char path[64];
    (void)writer;
    for (streams_used = 0; streams_used < threads; streams_used++) {
        FILE **stream = &streams[streams_used];
        snprintf(path, sizeof path, "build/bench/fprintf-%d.trace", streams_used);
        if (!(*stream = fopen(path, "w")) ||
            setvbuf(*stream, stream_buffers[streams_used], _IOFBF, sizeof *stream_buffers))
            return 0;
    }
    return 1;
}

/* Writes the lines of pajewrite.h: with integers as pajewrite.h does, and with a double as programs commonly do. */
static void run_fprintf(int thread, uint32_t events)
{
    FILE *stream = streams[thread];
    unsigned container = 1 + (unsigned)thread, type = 3 + (unsigned)thread;
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        uint64_t t = bench_clock();
        fprintf(stream, "19 %" PRIu64 ".%09" PRIu64 " %u %u %" PRIu32 "\n", t / 1000000000u, t % 1000000000u, container,
                type, bench_region(i));
        t = bench_clock();
        fprintf(stream, "20 %" PRIu64 ".%09" PRIu64 " %u %u\n", t / 1000000000u, t % 1000000000u, container, type);
    }
    fflush(stream);
}

static void run_fprintf_double(int thread, uint32_t events)
{
    FILE *stream = streams[thread];
    unsigned container = 1 + (unsigned)thread, type = 3 + (unsigned)thread;
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        fprintf(stream, "19 %.9f %u %u %" PRIu32 "\n", 1e-9 * (double)bench_clock(), container, type, bench_region(i));
        fprintf(stream, "20 %.9f %u %u\n", 1e-9 * (double)bench_clock(), container, type);
    }
    fflush(stream);
}

static int64_t end_fprintf(void)
{
    int64_t bytes = 0;
    int i;
    for (i = 0; i < streams_used; i++) {
        bytes += ftell(streams[i]);
        fclose(streams[i]);
    }
    return bytes;
}

static const bench_writer own[] = {
    {"loop", BENCH_SLICE, 0, begin_nothing, run_loop, end_nothing},
    {"clock", BENCH_SLICE, 0, begin_nothing, run_clock, end_nothing},
#if BENCH_TSC
    {"clock-tsc", BENCH_SLICE, 0, begin_nothing, run_tsc, end_nothing},
#endif
    {"fprintf", BENCH_SLICE / 16, 0, begin_fprintf, run_fprintf, end_fprintf},
    {"fprintf-double", BENCH_SLICE / 16, 0, begin_fprintf, run_fprintf_double, end_fprintf},
    {0}};

/* bench/write_engine.c with three sets of options, bench/write_zones.c, bench/spall.c */
extern const bench_writer write_plain[], write_check[], write_off[], write_zones[], write_spall[];

/* ---- measuring */

typedef struct {
    double cpu, wall; /* seconds; as an outcome: nanoseconds an event */
} duration;

typedef struct {
    const bench_writer *writer;
    duration round[ROUNDS_MAX];
    double bytes;
} outcome;

static outcome outcomes[WRITERS_MAX];
static int count;

static struct {
    pthread_barrier_t start, stop;
    const bench_writer *writer; /* NULL: end */
    duration took[BENCH_THREADS];
} shared;

static void add(const bench_writer *writers)
{
    for (; writers->name; writers++) {
        if (count == WRITERS_MAX)
            fail(writers->name, "too many writers");
        outcomes[count++].writer = writers;
    }
}

static void run(int thread)
{
    uint64_t wall = bench_clock();
    double cpu = bench_now();
    shared.writer->run(thread, shared.writer->slice);
    shared.took[thread].cpu = bench_now() - cpu;
    shared.took[thread].wall = 1e-9 * (double)(bench_clock() - wall);
}

static void *second(void *unused)
{
    for (;;) {
        pthread_barrier_wait(&shared.start);
        if (!shared.writer)
            return unused;
        run(1);
        pthread_barrier_wait(&shared.stop);
    }
}

static duration slice(outcome *o, int threads)
{
    const double nanoseconds = 1e9 / o->writer->slice / threads;
    duration sum = {0, 0};
    int64_t bytes;
    int i;
    shared.writer = o->writer;
    if (!o->writer->begin(o->writer, threads))
        fail(o->writer->name, "cannot begin");
    if (threads > 1)
        pthread_barrier_wait(&shared.start);
    run(0);
    if (threads > 1)
        pthread_barrier_wait(&shared.stop);
    if ((bytes = o->writer->end()) < 0)
        fail(o->writer->name, "went wrong");
    for (i = 0; i < threads; i++) {
        sum.cpu += shared.took[i].cpu * nanoseconds;
        sum.wall += shared.took[i].wall * nanoseconds;
    }
    o->bytes = (double)bytes / o->writer->slice / threads;
    return sum;
}

static const outcome *find(const char *name)
{
    int i;
    for (i = 0; i < count; i++)
        if (strcmp(outcomes[i].writer->name, name) == 0)
            return outcomes + i;
    return NULL;
}

/* What writers are compared with, in CPU time: `factor` times `of`, and `more` nanoseconds. */
static const struct {
    const char *name, *of, *unit;
    double factor, more;
} comparisons[] = {
    {"pajewrite/null", "clock", "of-1.2-clocks-and-15-ns", 1.2, 15},
    {"pajewrite-tsc/null", "clock-tsc", "of-1.2-clocks-and-15-ns", 1.2, 15},
    {"pajewrite-tracks/null", "clock", "of-clock-and-10-ns", 1, 10},
    {"pajewrite/disabled", "loop", "of-2-ns", 0, 2},
    {"compiled-out", "loop", "of-loop", 1, 0},
    {"pajewrite/null", "otf2/null", "of-otf2", 1, 0},
    {"pajewrite/file", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite/mapped", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite/table", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite/checked", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite-zones/file", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite-tracks/null", "otf2/null", "of-otf2", 1, 0},
    {"pajewrite-tracks/file", "otf2/file", "of-otf2", 1, 0},
    {"pajewrite-ints/null", "otf2-ints/null", "of-otf2", 1, 0},
    {"pajewrite-ints/file", "otf2-ints/file", "of-otf2", 1, 0},
    {"pajewrite-tsc/null", "otf2-tsc/null", "of-otf2", 1, 0},
    {"pajewrite-tsc/file", "otf2-tsc/file", "of-otf2", 1, 0},
    {"pajewrite-tracks-tsc/null", "otf2-tsc/null", "of-otf2", 1, 0},
    {"pajewrite-tracks-tsc/file", "otf2-tsc/file", "of-otf2", 1, 0},
    {"spall-like/null", "otf2/null", "of-otf2", 1, 0},
    {"spall-like/file", "otf2/file", "of-otf2", 1, 0},
    {"spall-like-tsc/null", "otf2-tsc/null", "of-otf2", 1, 0},
    {"spall-like-tsc/file", "otf2-tsc/file", "of-otf2", 1, 0},
    {"lttng", "otf2/file", "of-otf2", 1, 0},
    {"fprintf", "otf2/file", "of-otf2", 1, 0},
    {"fprintf-double", "otf2/file", "of-otf2", 1, 0},
};

static void report(int threads, int rounds)
{
    double values[ROUNDS_MAX];
    size_t k;
    int i, r;
    for (i = 0; i < count; i++) {
        const outcome *o = outcomes + i;
        const char *name = o->writer->name;
        for (r = 0; r < rounds; r++)
            values[r] = o->round[r].cpu;
        printf("bench write-%d/%s/cpu %.2f ns\n", threads, name, bench_median(values, rounds));
        for (r = 0; r < rounds; r++)
            values[r] = o->round[r].wall;
        printf("bench write-%d/%s/wall %.2f ns\n", threads, name, bench_median(values, rounds));
        if (o->bytes > 0)
            printf("bench write-%d/%s/size %.1f bytes\n", threads, name, o->bytes);
    }
    for (k = 0; k < sizeof comparisons / sizeof *comparisons; k++) {
        const outcome *o = find(comparisons[k].name), *of = find(comparisons[k].of);
        if (!o || !of)
            continue;
        for (r = 0; r < rounds; r++)
            values[r] = o->round[r].cpu / (comparisons[k].factor * of->round[r].cpu + comparisons[k].more);
        printf("bench write-%d/%s/ratio %.3f %s\n", threads, comparisons[k].name, bench_median(values, rounds),
               comparisons[k].unit);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    int rounds = argc > 1 ? atoi(argv[1]) : 0, threads, r, i;
    pthread_t thread;
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fputs("usage: write ROUNDS [PLUGIN]...\n", stderr);
        return 2;
    }
    add(own);
    add(write_off);
    add(write_plain);
    add(write_check);
    add(write_zones);
    add(write_spall);
    for (i = 2; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW);
        const bench_writer *peers = plugin ? dlsym(plugin, "peers") : NULL;
        if (!peers)
            fail(argv[i], dlerror());
        add(peers);
    }
    pthread_barrier_init(&shared.start, NULL, 2);
    pthread_barrier_init(&shared.stop, NULL, 2);
    if (pthread_create(&thread, NULL, second, NULL))
        fail("second thread", "cannot be made");
    printf("bench write/slice %d events\n", BENCH_SLICE);
    for (threads = 1; threads <= BENCH_THREADS; threads++) {
        for (r = 0; r < rounds; r++)
            for (i = 0; i < count; i++)
                outcomes[i].round[r] = slice(outcomes + i, threads);
        report(threads, rounds);
    }
    shared.writer = NULL;
    pthread_barrier_wait(&shared.start);
    pthread_join(thread, NULL);
    return 0;
}
