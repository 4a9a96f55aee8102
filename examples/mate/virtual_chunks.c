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
enum { SLOW = 50, FAST = 150 }; /* iterations from which on a worker is slow, and no longer */
enum { MOST_WORKERS = 8, FEW_TASKS = 8, LONG_LATENCY = 10000 }; /* where the number of workers is tuned, too */

static const char usage[] =
    "Usage: virtual_chunks [OPTIONS]\n"
    "Deals 1000 tasks to workers in virtual time, in 200 iterations; from the 50th to the 149th the last worker takes\n"
    "four times as long.  Compares equal chunks, chunks for tasks that spread by a half, and tuned ones.\n"
    "\n"
    "  -b, --both            tune the number of workers as well, from one to eight, by two tunlets at once; the last\n"
    "                        50 iterations have eight tasks only, and a message takes 10 us\n"
    "  -s, --persist=N       iterations in a row that have to ask for a change, 1 to 15; default: 3\n"
    "  -o, --output=FILE     write the trace of the tuned run, with 8 workers\n"
    "      --chunks=N,P,S    print the chunks of N tasks for P workers, of times that spread by S millionths\n"
    "  -h, --help            print this\n";

typedef struct run {
    application of;
    int64_t (*tasks)(int64_t iteration);
    int slow; /* the worker that becomes slower; -1: none */
    recorder record;
    feed feed;
    analysis analysis;
    FILE *file; /* NULL: the trace is not kept */
    int has_failed;
    int64_t workers, spread;
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
    *(strcmp(made->knob, "Spread") == 0 ? &it->spread : &it->workers) = made->to;
    if (it->decided < MOST_DECISIONS)
        it->made[it->decided++] = *made;
}

static int64_t many(int64_t iteration) { return (void)iteration, TASKS; }
static int64_t few_at_last(int64_t iteration) { return iteration < FAST ? TASKS : FEW_TASKS; }

static void set_speeds(const run *it, int64_t iteration, int64_t *task_time)
{
    int i;
    for (i = 0; i < APPLICATION_WORKERS; i++)
        task_time[i] = TASK_TIME;
    if (it->slow >= 0 && iteration >= SLOW && iteration < FAST)
        task_time[it->slow] = 4 * TASK_TIME;
}

/* Returns how long all iterations take with one spread, in ns. */
static int64_t run_fixed(run *it, int workers, int64_t spread)
{
    int64_t task_time[APPLICATION_WORKERS], time = 0, iteration;
    it->of.happened = ignore;
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        set_speeds(it, iteration, task_time);
        time = application_deal(&it->of, iteration, workers, it->tasks(iteration), spread, task_time, time);
    }
    return time;
}

/* How long it would take if the work could be divided as finely as one likes, in ns. */
static double run_ideal(const run *it, int workers)
{
    double time = 0;
    int64_t task_time[APPLICATION_WORKERS], iteration;
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        double speed = 0;
        int i;
        set_speeds(it, iteration, task_time);
        for (i = 0; i < workers; i++)
            speed += 1 / (double)task_time[i];
        time += TASKS / speed;
    }
    return time;
}

/* Runs it with what tunlets find, from `workers` workers and equal chunks on. */
static int64_t run_tuned(run *it, const tunlet *const *tunlets, size_t count, int persistence, int workers, int most)
{
    int64_t task_time[APPLICATION_WORKERS], time = 0, iteration, shown = 0;
    it->workers = workers;
    it->spread = it->decided = it->recorded = 0;
    it->of.happened = happened;
    it->of.data = it;
    analyse_begin(&it->analysis, tunlets, count, persistence, decided, it);
    analyse_limit(&it->analysis, "NOptWorkers", 1, most);
    feed_begin(&it->feed, it->analysis.gathered, count);
    if (record_begin(&it->record, RECORD_ALL, 0, sink, it) != PAJEWRITE_OK) {
        fprintf(stderr, "virtual_chunks: %s\n", pajewrite_problem(&it->record.writer));
        exit(3);
    }
    record_range(&it->record, 0, "NOptWorkers", 1, most);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        set_speeds(it, iteration, task_time);
        if (iteration == SLOW || iteration == FAST || it->workers != shown)
            record_setting(&it->record, time, it->workers, task_time[it->slow] / TASK_TIME);
        shown = it->workers;
        time = application_deal(&it->of, iteration, (int)it->workers, it->tasks(iteration), it->spread, task_time,
                                time);
        record_flush(&it->record); /* tunlets run here */
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

static void open_output(run *it, const char *output)
{
    if (output && !(it->file = fopen(output, "w"))) {
        fprintf(stderr, "virtual_chunks: %s: %s\n", output, strerror(errno));
        exit(3);
    }
}

static void close_output(run *it, const char *output)
{
    if (it->file && (fclose(it->file) != 0 || it->has_failed)) {
        fprintf(stderr, "virtual_chunks: %s: it cannot be written whole\n", output);
        exit(3);
    }
    it->file = NULL;
}

static void compare(run *it, int persistence, const char *output)
{
    static const int shown[] = {2, 4, 8, 16, 25};
    const tunlet *const tunlets[] = {&tunlet_factoring};
    size_t i;
    it->of.latency = LATENCY;
    it->tasks = many;
    puts("workers  no load: equal    load: equal  spread 1/2      tuned  of the loss is won back  at most");
    for (i = 0; i < sizeof shown / sizeof *shown; i++) {
        int64_t no_load, equal, half, tuned;
        it->slow = -1;
        no_load = run_fixed(it, shown[i], 0);
        it->slow = shown[i] - 1;
        equal = run_fixed(it, shown[i], 0);
        half = run_fixed(it, shown[i], 500000);
        open_output(it, shown[i] == 8 ? output : NULL);
        tuned = run_tuned(it, tunlets, 1, persistence, shown[i], shown[i]);
        close_output(it, output);
        printf("%7d %13.3f s %11.3f s %9.3f s %8.3f s %21.0f %% %5.0f %%\n", shown[i], (double)no_load / 1e9,
               (double)equal / 1e9, (double)half / 1e9, (double)tuned / 1e9,
               100 * (double)(equal - tuned) / (double)(equal - no_load),
               100 * ((double)equal - run_ideal(it, shown[i])) / (double)(equal - no_load));
    }
}

static void compare_both(run *it, int persistence, const char *output)
{
    const tunlet *const both[] = {&tunlet_workers, &tunlet_factoring};
    int64_t best = INT64_MAX, time;
    int best_n = 0, n, i;
    it->of.latency = LONG_LATENCY;
    it->tasks = few_at_last;
    it->slow = 0;
    for (n = 1; n <= MOST_WORKERS; n++) {
        time = run_fixed(it, n, 0);
        best_n = time < best ? n : best_n;
        best = time < best ? time : best;
    }
    printf("equal chunks, best fixed, %d workers: %.6f s\n", best_n, (double)best / 1e9);
    for (i = 0; i < 2; i++) {
        time = run_tuned(it, both + i, 1, persistence, i ? best_n : 1, MOST_WORKERS);
        printf("%s: %.6f s\n", i ? "tuned, chunks alone, of so many workers" : "tuned, workers alone, from 1",
               (double)time / 1e9);
    }
    open_output(it, output);
    time = run_tuned(it, both, 2, persistence, 1, MOST_WORKERS);
    close_output(it, output);
    printf("tuned, both, from 1 worker: %.6f s, %.1f %% less than the best fixed number\n", (double)time / 1e9,
           100 * (1 - (double)time / (double)best));
    for (i = 0; i < it->decided; i++)
        printf("iteration %3lld: %s %lld -> %lld\n", (long long)it->made[i].iteration, it->made[i].knob,
               (long long)it->made[i].from, (long long)it->made[i].to);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"both", no_argument, NULL, 'b'},
                                            {"persist", required_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"chunks", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static run it;
    const char *output = NULL;
    int persistence = DECIDE_USUAL, is_both = 0, option;
    while ((option = getopt_long(argc, argv, "bs:o:h", options, NULL)) != -1)
        switch (option) {
        case 'b': is_both = 1; break;
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
    (is_both ? compare_both : compare)(&it, persistence, output);
    return 0;
}
