/* pajewrite.h, compiled once for each ENGINE in bench/write.c, each time with other options.  Its functions are called,
 * not inlined, as in a program of several files that include the header. */
#define _POSIX_C_SOURCE 200809L
#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define PAJEWRITE_API __attribute__((noipa)) static
#else
#define PAJEWRITE_API __attribute__((noinline)) static
#endif
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include "write.h"

#ifndef PAJEWRITE_DISABLE
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#endif

/* The setup of a writer; its traces are named by it. */
enum { TO_FILE = 1, MAPPED = 2, TSC = 4, TABLE = 8, OFF = 16, TRACKS = 32, INTS = 64 };
enum { ENTRIES = 64, MAPPED_PIECE = 4 * 1024 * 1024 };

/* The state of each thread. */
typedef struct {
    pajewrite w;
    pajewrite_container container;
    pajewrite_type state;
#ifndef PAJEWRITE_DISABLE
    pajewrite_variant sized;
    uint64_t bytes;
    pajewrite_map map;
#if BENCH_TSC
    pajewrite_tsc tsc;
#endif
    pajewrite_entry table[ENTRIES];
    char buffer[BENCH_BUFFER];
#endif
} context;

static context contexts[BENCH_THREADS];

static void run(int thread, uint32_t events)
{
    context *c = &contexts[thread];
    pajewrite_container container = c->container;
    pajewrite_type state = c->state;
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        pajewrite_push_state(&c->w, container, state, PAJEWRITE_VALUE(bench_region(i)));
        pajewrite_pop_state(&c->w, container, state);
    }
    pajewrite_flush(&c->w);
}

#ifndef PAJEWRITE_DISABLE
static void run_tracks(int thread, uint32_t events)
{
    context *c = &contexts[thread];
    pajewrite_track track;
    uint32_t i;
    pajewrite_track_init(&track, &c->w, c->container, c->state);
    for (i = 0; i < events; bench_step(&i)) {
        pajewrite_track_push_state(&track, PAJEWRITE_VALUE(bench_region(i)));
        pajewrite_track_pop_state(&track);
    }
    pajewrite_flush(&c->w);
}

/* Two integers with each state that is entered. */
static void run_ints(int thread, uint32_t events)
{
    context *c = &contexts[thread];
    pajewrite_event event = PAJEWRITE__ZERO;
    uint32_t i;
    event.kind = PAJEWRITE_PUSH_STATE;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = c->container;
    event.type = c->state;
    for (i = 0; i < events; bench_step(&i)) {
        const int64_t numbers[2] = {i, bench_region(i)};
        event.value = PAJEWRITE_VALUE(bench_region(i));
        pajewrite_write_ints(&c->w, &event, c->sized, numbers, 2);
        pajewrite_pop_state(&c->w, c->container, c->state);
    }
    pajewrite_flush(&c->w);
}
#endif

#ifdef PAJEWRITE_DISABLE

static int begin(const bench_writer *writer, int threads) { return writer && threads; }
static int64_t end(void) { return 0; }

const bench_writer ENGINE[] = {{"compiled-out", BENCH_SLICE, 0, begin, run, end}, {0}};

#else

static pajewrite_file file;
static uint32_t setup;
static int used;

/* Counts the bytes of each thread, and writes them unless the writer has no file. */
static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    context *c = (context *)data;
    c->bytes += size;
    return setup & TO_FILE ? pajewrite_to_file(&file, bytes, size) : PAJEWRITE_OK;
}

/* Two threads write to one file, except for mapped files. */
static int begin_context(context *c)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_type type;
    int number = (int)(c - contexts), i;
    char path[64];
    config.alias_first = 1 + (uint32_t)number;
    config.alias_step = BENCH_THREADS;
#if BENCH_TSC
    if (setup & TSC) {
        if (!c->tsc.rate)
            pajewrite_tsc_init(&c->tsc);
        config.clock = pajewrite_tsc_now;
        config.clock_data = &c->tsc;
    }
#endif
    if (setup & TABLE) {
        config.table = c->table;
        config.table_entries = ENTRIES;
    }
    if (setup & MAPPED) {
        snprintf(path, sizeof path, "build/bench/write-mapped-%d.trace", number);
        if (pajewrite_map_open(&c->map, path, MAPPED_PIECE) != PAJEWRITE_OK)
            return 0;
        config.next_buffer = pajewrite_map_next_buffer;
        config.next_buffer_data = &c->map;
    }
    config.sink = sink;
    config.sink_data = c;
    pajewrite_init(&c->w, c->buffer, sizeof c->buffer, &config);
    if (number == 0 || setup & MAPPED)
        pajewrite_header(&c->w);
    type = pajewrite_new_type(&c->w);
    c->state = pajewrite_new_type(&c->w);
    c->container = pajewrite_new_container(&c->w);
    pajewrite_define_container_type(&c->w, type, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&c->w, c->state, type, "Function");
    for (i = 1; i <= BENCH_REGIONS; i++)
        pajewrite_define_value(&c->w, PAJEWRITE_VALUE(i), c->state, NULL, NULL);
    pajewrite_create_container(&c->w, c->container, type, PAJEWRITE_ROOT, NULL);
    if (setup & INTS)
        c->sized = pajewrite_define_variant(&c->w, PAJEWRITE_PUSH_STATE, "Size int, Tag int");
    if (setup & OFF)
        pajewrite_disable(&c->w, UINT32_MAX);
    pajewrite_flush(&c->w);
    c->bytes = 0;
    return pajewrite_get_status(&c->w) == PAJEWRITE_OK;
}

static int begin(const bench_writer *writer, int threads)
{
    char path[64];
    setup = writer->setup;
    if (setup & TO_FILE) {
        snprintf(path, sizeof path, "build/bench/write-%u-%d.trace", (unsigned)setup, threads);
        pajewrite_file_init(&file, open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    }
    for (used = 0; used < threads; used++)
        if (!begin_context(&contexts[used]))
            return 0;
    return 1;
}

static int64_t end(void)
{
    uint64_t bytes = 0;
    int failed = 0, i;
    for (i = 0; i < used; i++) {
        bytes += contexts[i].bytes;
        failed |= pajewrite_finish(&contexts[i].w) != PAJEWRITE_OK;
    }
    if (setup & TO_FILE)
        close(file.descriptor);
    return failed ? -1 : (int64_t)bytes;
}

#if PAJEWRITE_CHECK
const bench_writer ENGINE[] = {{"pajewrite/checked", BENCH_SLICE, TABLE | TO_FILE, begin, run, end}, {0}};
#else
const bench_writer ENGINE[] = {
    {"pajewrite/null", BENCH_SLICE, 0, begin, run, end},
    {"pajewrite/file", BENCH_SLICE, TO_FILE, begin, run, end},
    {"pajewrite/mapped", BENCH_SLICE, MAPPED, begin, run, end},
    {"pajewrite/table", BENCH_SLICE, TABLE | TO_FILE, begin, run, end},
    {"pajewrite/disabled", BENCH_SLICE, OFF, begin, run, end},
    {"pajewrite-tracks/null", BENCH_SLICE, TRACKS, begin, run_tracks, end},
    {"pajewrite-tracks/file", BENCH_SLICE, TRACKS | TO_FILE, begin, run_tracks, end},
    {"pajewrite-ints/null", BENCH_SLICE, INTS, begin, run_ints, end},
    {"pajewrite-ints/file", BENCH_SLICE, INTS | TO_FILE, begin, run_ints, end},
#if BENCH_TSC
    {"pajewrite-tsc/null", BENCH_SLICE, TSC, begin, run, end},
    {"pajewrite-tsc/file", BENCH_SLICE, TSC | TO_FILE, begin, run, end},
    {"pajewrite-tracks-tsc/null", BENCH_SLICE, TRACKS | TSC, begin, run_tracks, end},
    {"pajewrite-tracks-tsc/file", BENCH_SLICE, TRACKS | TSC | TO_FILE, begin, run_tracks, end},
#endif
    {0}};
#endif

#endif
