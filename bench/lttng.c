/* LTTng-UST, a plug-in of bench/write.c.  It reads CLOCK_MONOTONIC itself, its default.  bench/write.sh creates the
 * session that records. */
#define _POSIX_C_SOURCE 200809L
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench/lttng.h"
#include "write.h"

/* The session daemon enables the events after a delay. */
static int begin(const bench_writer *writer, int threads)
{
    const struct timespec pause = {0, 10000000};
    int tries;
    for (tries = 0; tries < 300 && !lttng_ust_tracepoint_enabled(pajewrite_bench, leave); tries++)
        nanosleep(&pause, NULL);
    return writer && threads && tries < 300;
}

static void run(int thread, uint32_t events)
{
    uint32_t i;
    (void)thread;
    for (i = 0; i < events; bench_step(&i)) {
        lttng_ust_tracepoint(pajewrite_bench, enter, bench_region(i));
        lttng_ust_tracepoint(pajewrite_bench, leave, bench_region(i));
    }
}

static int64_t end(void) { return 0; }

const bench_writer peers[] = {{"lttng", BENCH_SLICE, 0, begin, run, end}, {0}};
