/* A program that replies while it runs: an iterative solver by some threads, whose count may be changed.
 * usage: demo [ITERATIONS [TRACE]]      TRACE: a file; live: sent to the client that asks for it
 *        PAJE_LIVE=@ demo 1000000 & mirctl $! -r solve -m WC_TIME -a max -i 1s */
#include "live/live.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORKERS = 4, SIZE = 4096 };
static const pajewrite_type process = {1}, thread = {2}, state = {3}, tuned = {4};
static int64_t workers = 2, rows = 64, iterations = 1000;
static double field[SIZE];
static long rebalanced;

static live l;
static live_region *solve, *exchange;
static pthread_barrier_t begun, done;
static int64_t active;
static int is_over, is_sent;

static double plain(double x) { return x * 0.5 + 0.25; }
static double damped(double x) { return x * 0.25 + 0.375; }
static double (*kernel)(double) = plain;
static live_function kernel_slot = (live_function)plain;

static void rebalance(void)
{
    rebalanced++;
}

static void compute(int64_t number)
{
    LIVE_REGION(solve);
    for (int64_t k = 0; k < rows; k++)
        for (int i = (int)number; i < SIZE / 8; i += (int)active)
            field[i] = kernel(field[i]);
}

/* A context whose trace is for clients: what none takes is dropped, and counted. */
static pajewrite *open_sent(void)
{
    static pajewrite contexts[WORKERS];
    static char buffers[WORKERS][1 << 16];
    static pajewrite_entry tables[WORKERS][64];
    static uint32_t count;
    const uint32_t number = __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    pajewrite_entry *const table = tables[number];
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.offer = live_offer;
    config.when_full = PAJEWRITE_DROP;
    config.table = table;
    config.table_entries = sizeof tables[0] / sizeof *table;
    config.definitions_size = 8192;
    pajewrite_init(&contexts[number], buffers[number], sizeof buffers[number], &config);
    pajewrite_header(&contexts[number]);
    return &contexts[number];
}

/* What a context's thread is in: each stream has that. */
static void define(pajewrite *w, uint32_t number, const char *name)
{
    pajewrite_define_container_type(w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(w, thread, process, "Thread");
    pajewrite_define_state_type(w, state, thread, "Region");
    pajewrite_define_event_type(w, tuned, thread, "Tuned");
    pajewrite_create_container(w, PAJEWRITE_CONTAINER(1), process, PAJEWRITE_ROOT, "demo");
    pajewrite_create_container(w, PAJEWRITE_CONTAINER(2 + number), thread, PAJEWRITE_CONTAINER(1), name);
}

static void end_sent(pajewrite *w, uint32_t number)
{
    pajewrite_destroy_container(w, PAJEWRITE_CONTAINER(2 + number), thread);
    pajewrite_destroy_container(w, PAJEWRITE_CONTAINER(1), process);
    pajewrite_finish(w);
}

static void *work(void *argument)
{
    const int64_t number = (int64_t)(intptr_t)argument;
    char name[16];
    pajewrite *const w = is_sent ? open_sent() : NULL; /* each thread has a stream of its own */
    snprintf(name, sizeof name, "worker %d", (int)number);
    if (w)
        define(w, (uint32_t)number, name);
    live_thread_begin(&l, w, PAJEWRITE_CONTAINER(2 + (uint32_t)number), name);
    for (;;) {
        pthread_barrier_wait(&begun);
        if (is_over)
            break;
        if (number < active)
            compute(number);
        pthread_barrier_wait(&done);
    }
    if (w)
        end_sent(w, (uint32_t)number);
    live_thread_end(&l);
    return NULL;
}

int main(int argc, char **argv)
{
    static pajewrite_trace trace;
    is_sent = argc > 2 && strcmp(argv[2], "live") == 0;
    pajewrite *w = is_sent ? open_sent() : argc > 2 ? pajewrite_open(&trace, argv[2]) : NULL;
    pthread_t threads[WORKERS];
    double sum = 0;
    live_config config = {.where = getenv("PAJE_LIVE"), .writer = w, .state = state, .tuned = tuned, .process = "1",
                          .process_name = "demo", .folder = getenv("DEMO_FOLDER")};
    iterations = argc > 1 ? atol(argv[1]) : iterations;
    if (w)
        define(w, 0, "main");
    if (!live_init(&l, &config))
        fprintf(stderr, "demo: %s; going on without\n", l.problem);
    live_thread_begin(&l, w, PAJEWRITE_CONTAINER(2), "main");
    solve = LIVE_NEW_REGION(&l, "solve");
    exchange = LIVE_NEW_REGION(&l, "exchange");
    if (w) {
        live_trace_region(solve, 1);
        live_trace_region(exchange, 1);
    }
    live_knob(&l, "workers", &workers, LIVE_RANGE(1, WORKERS, 1), "iteration");
    live_knob(&l, "rows", &rows, LIVE_RANGE(16, 1024, 16), "iteration");
    live_knob_reverts(&l, "rows");
    live_knob(&l, "iterations", &iterations, LIVE_RANGE(0, INT64_MAX, 1), "iteration");
    live_slot(&l, "kernel", &kernel_slot,
              LIVE_CHOICES({"plain", (live_function)plain}, {"damped", (live_function)damped}), "iteration");
    live_call(&l, "rebalance", rebalance);
    pthread_barrier_init(&begun, NULL, WORKERS);
    pthread_barrier_init(&done, NULL, WORKERS);
    for (int64_t k = 1; k < WORKERS; k++)
        pthread_create(&threads[k], NULL, work, (void *)(intptr_t)k);
    int64_t i;
    for (i = 0; i < iterations; i++) {
        live_point(&l, "iteration");
        active = workers; /* one value for the whole iteration */
        kernel = (double (*)(double))kernel_slot;
        pthread_barrier_wait(&begun);
        compute(0);
        {
            LIVE_REGION(exchange);
            pthread_barrier_wait(&done);
        }
    }
    is_over = 1;
    pthread_barrier_wait(&begun);
    for (int k = 1; k < WORKERS; k++)
        pthread_join(threads[k], NULL);
    if (is_sent) {
        end_sent(w, 0);
    } else if (w) {
        pajewrite_destroy_container(w, PAJEWRITE_CONTAINER(2), thread);
        pajewrite_destroy_container(w, PAJEWRITE_CONTAINER(1), process);
        pajewrite_close(&trace);
    }
    live_end(&l);
    for (int k = 0; k < SIZE; k++)
        sum += field[k];
    printf("%lld iterations, %d workers at the end, %ld times rebalanced, sum %.17g\n", (long long)i, (int)workers,
           rebalanced, sum);
    return sum < 0;
}
