/* The experiment in virtual time: a master and its workers, whose number a tunlet tunes from the trace that they write,
 * in one process.  The sink of the writer is the reader, so there is no server; the tunlet runs in pajewrite_flush. */
#include "analyse.h"
#include "record.h"
#include "tunlets/tunlets.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 400, MOST_DECISIONS = 1024 };

static const char usage[] =
    "Usage: virtual [OPTIONS]\n"
    "Runs a master and workers in virtual time, with the number of workers tuned from their own trace, and with each\n"
    "fixed number.\n"
    "\n"
    "  -p, --pattern=NAME  how the load changes: step (4 times from the middle on; default), ladder (1, 2, 4, 4, 2, 1\n"
    "                      times in 60 iterations), blocks (300 iterations, then 100 of 64 times the\n"
    "                      load, three times)\n"
    "  -s, --persist=N     iterations in a row that have to ask for a change, 1 to 15; default: 3; 1 decides as MATE\n"
    "      --as-printed    the cost of a byte as the thesis prints it: the number of workers runs away\n"
    "  -o, --output=FILE   write the trace of the tuned run\n"
    "  -q, --quiet         print totals only\n"
    "  -h, --help          print this\n";

/* ---- load */

static int64_t step(int64_t iteration) { return iteration < ITERATIONS / 2 ? 1 : 4; }
static int64_t blocks(int64_t iteration) { return iteration % 400 < 300 ? 1 : 64; }
static int64_t ladder(int64_t iteration)
{
    static const int64_t loads[] = {1, 2, 4, 4, 2, 1};
    return loads[iteration / 10 % 6];
}

typedef struct load_pattern {
    const char *name;
    int64_t (*load)(int64_t iteration);
    int64_t iterations;
} load_pattern;
static const load_pattern patterns[] = {
    {"step", step, ITERATIONS}, {"ladder", ladder, 60}, {"blocks", blocks, 3 * ITERATIONS}};

/* ---- a run */

typedef struct run {
    application of;
    recorder record;
    feed feed;
    analysis analysis;
    FILE *file; /* NULL: the trace is not kept */
    int has_failed;
    decision decided[MOST_DECISIONS];
    size_t made, applied;
    double wanted; /* by the last iteration; 0: it is not known */
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

static void decided(void *data, const decision *made)
{
    run *it = (run *)data;
    if (it->made < MOST_DECISIONS)
        it->decided[it->made++] = *made;
}

static void valued(void *data, const tunlet_value *which, const gather_iteration *of, double value)
{
    (void)of;
    if (strcmp(which->name, "Nopt") == 0)
        ((run *)data)->wanted = value;
}

static void ignore(void *data, const application_moment *moment)
{
    (void)data, (void)moment;
}

/* Returns how long the application takes on so many workers, in ns. */
static int64_t run_fixed(application of, const load_pattern *pattern, int workers)
{
    int64_t time = 0, iteration;
    of.happened = ignore;
    for (iteration = 0; iteration < pattern->iterations; iteration++)
        time = application_iterate(&of, iteration, workers, pattern->load(iteration), time);
    return time;
}

/* Runs the application, tuned, from one worker on.  Returns how long it takes, in ns. */
static int64_t run_tuned(run *it, const load_pattern *pattern, const tunlet *of, int persistence)
{
    int64_t time = 0, iteration, load = 0;
    int workers = 1;
    analyse_begin(&it->analysis, &of, 1, persistence, decided, it);
    it->analysis.valued = valued;
    feed_begin(&it->feed, it->analysis.gathered, 1);
    if (record_begin(&it->record, RECORD_ALL, 0, sink, it) != PAJEWRITE_OK) {
        fprintf(stderr, "virtual: %s\n", pajewrite_problem(&it->record.writer));
        exit(3);
    }
    for (iteration = 0; iteration < pattern->iterations; iteration++) {
        if (pattern->load(iteration) != load || it->applied < it->made) {
            for (; it->applied < it->made; it->applied++) {
                const decision *now = &it->decided[it->applied];
                record_decision(&it->record, time, now->knob, now->iteration, now->from, now->to);
                workers = (int)now->to;
            }
            load = pattern->load(iteration);
            record_setting(&it->record, time, workers, load);
        }
        time = application_iterate(&it->of, iteration, workers, load, time);
        record_flush(&it->record); /* the tunlet runs here */
        record_wanted(&it->record, time, it->wanted);
    }
    if (record_end(&it->record) != PAJEWRITE_OK && !it->has_failed)
        fprintf(stderr, "virtual: the trace is not whole: %s\n", pajewrite_problem(&it->record.writer));
    feed_end(&it->feed);
    analyse_end(&it->analysis);
    return time;
}

static int best_for(const application *app, int64_t load)
{
    int best = 1, n;
    for (n = 2; n < APPLICATION_WORKERS; n++)
        if (application_time(app, n, load) < application_time(app, best, load))
            best = n;
    return best;
}

static void print_models(const application *of, const load_pattern *pattern)
{
    int64_t iteration, known[8];
    int count = 0, i;
    for (iteration = 0; iteration < pattern->iterations; iteration++) {
        const int64_t load = pattern->load(iteration);
        const int best = best_for(of, load);
        for (i = 0; i < count && known[i] != load; i++)
            ;
        if (i < count)
            continue;
        known[count++] = load;
        printf("load %2lld: Nopt = %.3f; T(%d) = %.0f ns is the least\n", (long long)load,
               sqrt(((double)(of->byte_time * of->bytes) + (double)(load * of->computing)) / (double)of->latency), best,
               application_time(of, best, load));
    }
}

/* The run that would switch to the best number at once, in ns. */
static double oracle(const application *of, const load_pattern *pattern)
{
    double sum = 0;
    int64_t iteration;
    for (iteration = 0; iteration < pattern->iterations; iteration++)
        sum += application_time(of, best_for(of, pattern->load(iteration)), pattern->load(iteration));
    return sum;
}

static void print_run(run *it, const load_pattern *pattern, const tunlet *of, int persistence, const char *output,
                      int is_quiet)
{
    static const int shown[] = {1, 2, 4, 8, 16, 25};
    int64_t tuned, best = INT64_MAX;
    int best_n = 0, n, last;
    size_t i;
    if (output && !(it->file = fopen(output, "w"))) {
        fprintf(stderr, "virtual: %s: %s\n", output, strerror(errno));
        exit(3);
    }
    it->of = (application){100000, 10, 64000, 12000000, happened, it};
    tuned = run_tuned(it, pattern, of, persistence);
    last = it->made ? (int)it->decided[it->made - 1].to : 1;
    if (output && (fclose(it->file) != 0 || it->has_failed)) {
        fprintf(stderr, "virtual: %s: it cannot be written whole\n", output);
        exit(3);
    }
    it->file = NULL;
    if (!is_quiet)
        print_models(&it->of, pattern);
    for (i = 0; !is_quiet && i < it->made; i++)
        printf("iteration %3lld: %lld -> %lld workers\n", (long long)it->decided[i].iteration,
               (long long)it->decided[i].from, (long long)it->decided[i].to);
    for (n = 1, i = 0; n < APPLICATION_WORKERS; n++) {
        const int64_t time = run_fixed(it->of, pattern, n);
        if (time < best) {
            best = time;
            best_n = n;
        }
        if (i < sizeof shown / sizeof *shown && n == shown[i]) {
            printf("%8d workers: %9.6f s\n", n, (double)time / 1e9);
            i++;
        }
    }
    printf("best fixed, %2d:   %9.6f s\n", best_n, (double)best / 1e9);
    printf("tuned from 1:     %9.6f s, %.1f %% %s the best fixed number; it ends with %d workers\n",
           (double)tuned / 1e9, 100 * fabs(1 - (double)tuned / (double)best), tuned > best ? "over" : "under", last);
    printf("switched at once: %9.6f s, %.1f %% under it, the most that can be gained\n", oracle(&it->of, pattern) / 1e9,
           100 * (1 - oracle(&it->of, pattern) / (double)best));
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"pattern", required_argument, NULL, 'p'},
                                            {"persist", required_argument, NULL, 's'},
                                            {"as-printed", no_argument, NULL, 'P'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static run it;
    const load_pattern *chosen = &patterns[0];
    const tunlet *of = &tunlet_workers;
    const char *output = NULL;
    int persistence = DECIDE_USUAL, is_quiet = 0, option;
    size_t i;
    while ((option = getopt_long(argc, argv, "p:s:o:qh", options, NULL)) != -1)
        switch (option) {
        case 'p':
            for (i = 0, chosen = NULL; i < sizeof patterns / sizeof *patterns; i++)
                if (strcmp(optarg, patterns[i].name) == 0)
                    chosen = &patterns[i];
            if (chosen)
                break;
            fprintf(stderr, "virtual: there is no pattern `%s`: step, ladder, blocks\n", optarg);
            return 2;
        case 's':
            if (decide_read_persistence(optarg, &persistence))
                break;
            fprintf(stderr, "virtual: --persist takes a number from 1 to %d, not `%s`\n", DECIDE_MOST, optarg);
            return 2;
        case 'P': of = &tunlet_workers_as_printed; break;
        case 'o': output = optarg; break;
        case 'q': is_quiet = 1; break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (optind < argc) {
        fputs(usage, stderr);
        return 2;
    }
    print_run(&it, chosen, of, persistence, output, is_quiet);
    return 0;
}
