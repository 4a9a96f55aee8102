/* The experiment with chunks, in virtual time: tasks of an iteration are dealt to workers, one of which becomes slower,
 * in chunks that a tunlet tunes from the trace. */
#include "analyse.h"
#include "record.h"
#include "tunlets/tunlets.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 200, TASKS = 1000, TASK_TIME = 20000, LATENCY = 2000, MOST_DECISIONS = 64 };

static const char usage[] =
    "Usage: virtual_chunks [OPTIONS]\n"
    "Deals 1000 tasks to workers in virtual time, in 200 iterations; from the 50th to the 149th the last worker takes\n"
    "four times as long.  Compares equal chunks, chunks for tasks that spread by a half, and tuned ones.\n"
    "\n"
    "  -s, --persist=N       iterations in a row that have to ask for a change, 1 to 15; default: 3\n"
    "  -o, --output=FILE     write the trace of the tuned run, with 8 workers\n"
    "      --chunks=N,P,S    print the chunks of N tasks for P workers, of times that spread by S millionths\n"
    "  -h, --help            print this\n";

typedef struct run {
    application of;
    recorder record;
    feed feed;
    analysis analysis;
    FILE *file; /* NULL: the trace is not kept */
    int has_failed;
    int64_t spread;
    decision made[MOST_DECISIONS];
    int decided, recorded;
} run;

static pajewrite_status sink(void *data, const char *bytes, size_t size)
{
    run *it = (run *)data;
    reader_bytes(&it->feed.reader, bytes, size);
    if (it->file && fwrite(bytes, 1, size, it->file) != size)
        it->has_failed = 1;
    return it->has_failed ? PAJEWRITE_E_SINK : PAJEWRITE_OK;
}

static void happened(void *data, const application_moment *moment)
{
    record_moment(&((run *)data)->record, moment);
}

static void ignore(void *data, const application_moment *moment)
{
    (void)data, (void)moment;
}

static void decided(void *data, const decision *made)
{
    run *it = (run *)data;
    it->spread = made->to;
    if (it->decided < MOST_DECISIONS)
        it->made[it->decided++] = *made;
}

static void set_speeds(int64_t iteration, int workers, int has_load, int64_t *task_time)
{
    int i;
    for (i = 0; i < workers; i++)
        task_time[i] = TASK_TIME;
    if (has_load && iteration >= 50 && iteration < 150)
        task_time[workers - 1] = 4 * TASK_TIME;
}

/* Returns how long all iterations take with one spread, in ns. */
static int64_t run_fixed(int workers, int has_load, int64_t spread)
{
    const application of = {LATENCY, 0, 0, 0, ignore, NULL};
    int64_t task_time[APPLICATION_WORKERS], time = 0, iteration;
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        set_speeds(iteration, workers, has_load, task_time);
        time = application_deal(&of, iteration, workers, TASKS, spread, task_time, time);
    }
    return time;
}

/* How long it would take if the work could be divided as finely as one likes, in ns. */
static double run_ideal(int workers)
{
    double time = 0;
    int64_t task_time[APPLICATION_WORKERS], iteration;
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        double speed = 0;
        int i;
        set_speeds(iteration, workers, 1, task_time);
        for (i = 0; i < workers; i++)
            speed += 1 / (double)task_time[i];
        time += TASKS / speed;
    }
    return time;
}

static int64_t run_tuned(run *it, int workers, int persistence)
{
    const tunlet *of = &tunlet_factoring;
    int64_t task_time[APPLICATION_WORKERS], time = 0, iteration;
    it->of = (application){LATENCY, 0, 0, 0, happened, it};
    it->spread = it->decided = it->recorded = 0;
    analyse_begin(&it->analysis, &of, 1, persistence, decided, it);
    feed_begin(&it->feed, it->analysis.gathered, 1);
    if (record_begin(&it->record, RECORD_ALL, 0, sink, it) != PAJEWRITE_OK) {
        fprintf(stderr, "virtual_chunks: %s\n", pajewrite_problem(&it->record.writer));
        exit(3);
    }
    record_setting(&it->record, 0, workers, 1);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        set_speeds(iteration, workers, 1, task_time);
        if (iteration == 50 || iteration == 150)
            record_setting(&it->record, time, workers, task_time[workers - 1] / TASK_TIME);
        time = application_deal(&it->of, iteration, workers, TASKS, it->spread, task_time, time);
        record_flush(&it->record); /* the tunlet runs here */
        for (; it->recorded < it->decided; it->recorded++) {
            const decision *made = &it->made[it->recorded];
            record_decision(&it->record, time, made->knob, made->iteration, made->from, made->to);
        }
    }
    if (record_end(&it->record) != PAJEWRITE_OK && !it->has_failed)
        fprintf(stderr, "virtual_chunks: the trace is not whole: %s\n", pajewrite_problem(&it->record.writer));
    feed_end(&it->feed);
    analyse_end(&it->analysis);
    return time;
}

static void print_chunks(const char *text)
{
    int64_t tasks, spread, *chunks, last = 0;
    int workers, count, i;
    long long n, s;
    if (sscanf(text, "%lld,%d,%lld", &n, &workers, &s) != 3 || n < 0 || n > 1000000000 || workers < 1 ||
        workers > APPLICATION_WORKERS || s < 0) {
        fprintf(stderr, "virtual_chunks: --chunks takes N,P,S: tasks, workers (1 to %d), millionths; not `%s`\n",
                APPLICATION_WORKERS, text);
        exit(2);
    }
    tasks = n;
    spread = s;
    count = application_chunks(tasks, workers, spread, NULL, 0);
    chunks = (int64_t *)malloc(((size_t)count + 1) * sizeof *chunks);
    if (!chunks) {
        fprintf(stderr, "virtual_chunks: no memory for %d chunks\n", count);
        exit(3);
    }
    application_chunks(tasks, workers, spread, chunks, count);
    for (i = 0; i < count; i++) {
        tasks -= chunks[i];
        if (i % workers == 0 && i / workers < APPLICATION_BATCHES)
            printf("%s%lld", i ? " " : "", (long long)chunks[i]);
        last += i / workers >= APPLICATION_BATCHES;
    }
    printf(", one by one: %lld, left: %lld\n", (long long)last, (long long)tasks);
    free(chunks);
}

static void compare(run *it, int persistence, const char *output)
{
    static const int shown[] = {2, 4, 8, 16, 25};
    size_t i;
    puts("workers  no load: equal    load: equal  spread 1/2      tuned  of the loss is won back  at most");
    for (i = 0; i < sizeof shown / sizeof *shown; i++) {
        const int64_t no_load = run_fixed(shown[i], 0, 0), equal = run_fixed(shown[i], 1, 0);
        const int64_t half = run_fixed(shown[i], 1, 500000);
        int64_t tuned;
        if (output && shown[i] == 8 && !(it->file = fopen(output, "w"))) {
            fprintf(stderr, "virtual_chunks: %s: %s\n", output, strerror(errno));
            exit(3);
        }
        tuned = run_tuned(it, shown[i], persistence);
        if (it->file && (fclose(it->file) != 0 || it->has_failed)) {
            fprintf(stderr, "virtual_chunks: %s: it cannot be written whole\n", output);
            exit(3);
        }
        it->file = NULL;
        printf("%7d %13.3f s %11.3f s %9.3f s %8.3f s %21.0f %% %5.0f %%\n", shown[i], (double)no_load / 1e9,
               (double)equal / 1e9, (double)half / 1e9, (double)tuned / 1e9,
               100 * (double)(equal - tuned) / (double)(equal - no_load),
               100 * ((double)equal - run_ideal(shown[i])) / (double)(equal - no_load));
    }
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"persist", required_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"chunks", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static run it;
    const char *output = NULL;
    int persistence = DECIDE_USUAL, option;
    while ((option = getopt_long(argc, argv, "s:o:h", options, NULL)) != -1)
        switch (option) {
        case 's':
            if (decide_read_persistence(optarg, &persistence))
                break;
            fprintf(stderr, "virtual_chunks: --persist takes a number from 1 to %d, not `%s`\n", DECIDE_MOST, optarg);
            return 2;
        case 'o': output = optarg; break;
        case 'c': print_chunks(optarg); return 0;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    compare(&it, persistence, output);
    return 0;
}
