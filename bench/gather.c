/* How many events a second an analyser takes: streams of 25 workers and their master, in pieces in turn, whose
 * iterations a tunlet evaluates; in CPU time, the least of some rounds.  usage: gather [ROUNDS] */
#include "base/platform.h"

#include "analyse.h"
#include "record.h"
#include "tunlets/tunlets.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WORKERS = 25, ITERATIONS = 4000, PIECE = 1 << 16 };

typedef array_of(char) bytes;
static bytes streams[WORKERS + 1]; /* the last one is the master's */
static recorder recorders[WORKERS + 1];

static pajewrite_status keep(void *data, const char *from, size_t size)
{
    bytes *it = (bytes *)data;
    array_reserve(it, size);
    memcpy(it->items + it->count, from, size);
    it->count += size;
    return PAJEWRITE_OK;
}

static void happened(void *data, const application_moment *moment)
{
    (void)data;
    record_moment(&recorders[moment->actor < 0 ? WORKERS : moment->actor], moment);
}

static void decided(void *data, const decision *made)
{
    (void)made;
    ++*(int *)data;
}

static double cpu(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
    const application of = {100000, 10, 64000, 12000000, happened, NULL};
    const tunlet *const tunlets[] = {&tunlet_workers};
    static analysis analyser;
    static feed inputs[WORKERS + 1];
    int64_t time = 0, iteration;
    int rounds = argc > 1 ? atoi(argv[1]) : 5, round, decisions = 0, i;
    double least = 0;
    uint64_t events = 0, complete = 0;
    for (i = 0; i <= WORKERS; i++)
        record_begin(&recorders[i], i < WORKERS ? i : -1, 0, keep, &streams[i]);
    for (iteration = 0; iteration < ITERATIONS; iteration++)
        time = application_iterate(&of, iteration, WORKERS, 4, time);
    for (i = 0; i <= WORKERS; i++)
        record_end(&recorders[i]);
    for (round = 0; round < rounds; round++) {
        size_t at[WORKERS + 1] = {0};
        double begin;
        int open = WORKERS + 1;
        analyse_begin(&analyser, tunlets, 1, 3, decided, &decisions);
        for (i = 0; i <= WORKERS; i++)
            feed_begin(&inputs[i], analyser.gathered, 1);
        begin = cpu();
        while (open > 0)
            for (i = 0; i <= WORKERS; i++) { /* pieces in proportion, as the streams grow together */
                const size_t whole = (size_t)((double)streams[i].count * PIECE / (double)streams[WORKERS].count) + 1;
                const size_t left = streams[i].count - at[i], piece = left < whole ? left : whole;
                if (left == 0)
                    continue;
                reader_bytes(&inputs[i].reader, streams[i].items + at[i], piece);
                at[i] += piece;
                open -= at[i] == streams[i].count;
            }
        begin = cpu() - begin;
        least = round == 0 || begin < least ? begin : least;
        for (i = 0, events = 0; i <= WORKERS; i++) {
            events += pajesim_count(&inputs[i].reader.sim)->events;
            feed_end(&inputs[i]);
        }
        complete = analyser.analysts[0].gathered.complete;
        analyse_end(&analyser);
    }
    printf("%llu events of %d streams, %llu iterations evaluated: ", (unsigned long long)events, WORKERS + 1,
           (unsigned long long)complete);
    printf("%.3f s of CPU, %.0f ns an event, %.2f million events/s\n", least, least * 1e9 / (double)events,
           (double)events / least / 1e6);
    return complete != ITERATIONS;
}
