/* An OpenMP loop that tunes its chunks and its threads. */
#include "base/platform.h"
#include "knobs.h"
#include "self.h"
#include "tunlets/tunlets.h"

#include <getopt.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: loop [OPTIONS]\n"
    "Runs a loop over items, which are all light, or of which the last ones are heavy; some loops have few items.\n"
    "\n"
    "  -k, --knob=NAME   what is tuned, or fixed: chunk (default), threads, or both, by two tunlets at once\n"
    "  -f, --fixed=N     so many always; default: tuned\n"
    "  -o, --output=F    write the trace of the run that tunes itself\n"
    "  -c, --compare=N   N rounds of fixed numbers and tuned: what tuning gains, and what it costs\n"
    "  -h, --help        print this\n";

enum { MOST_ITEMS = 20000, FEW_ITEMS = 20, ITERATIONS = 240, BLOCK = 60, MOST_THREADS = 8, TRIALS = 15 };
enum { STARTS, FINISHES, THREAD_ENDS }; /* of tunlets/loop.c */

static uint64_t values[MOST_ITEMS];
static int64_t begins[MOST_THREADS], ends[MOST_THREADS];

static void process(int64_t item, int64_t steps)
{
    uint64_t value = values[item];
    for (; steps > 0; steps--)
        value = value * 6364136223846793005u + 1442695040888963407u;
    values[item] = value;
}

/* The loop itself: items from `heavy` on are 400 times as heavy. */
static void run_loop(int64_t items, int64_t heavy, int64_t steps, int threads, int chunk)
{
#pragma omp parallel num_threads(threads)
    {
        int64_t i;
        const int itself = omp_get_thread_num();
        begins[itself] = self_now();
#pragma omp for schedule(dynamic, chunk) nowait
        for (i = 0; i < items; i++)
            process(i, i < heavy ? steps : 400 * steps);
        ends[itself] = self_now();
    }
}

/* What an empty loop takes: in ns for a chunk of one item and two threads, or for a thread. */
static double measure(int64_t items, int threads)
{
    int64_t times[TRIALS];
    int i;
    for (i = 0; i < TRIALS; i++) {
        const int64_t begin = self_now();
        run_loop(items, items, 0, threads, 1);
        times[i] = self_now() - begin;
    }
    return knobs_median(times, TRIALS);
}

enum { CHUNK, THREADS, BOTH };
static int which;
static const char *output;
static uint64_t decisions;

static int64_t run(void *data, int64_t setting, int is_traced)
{
    static self it;
    const tunlet *const tunlets[] = {which == THREADS ? &tunlet_threads : &tunlet_chunk, &tunlet_threads};
    const self_config config = {tunlets, which == BOTH ? 2 : 1, MOST_THREADS, DECIDE_USUAL, !is_traced,
                                setting == KNOBS_TUNED ? output : NULL};
    const int64_t fork = is_traced ? (int64_t)(measure(2, 2) / 2) : 0;
    const int64_t grab = is_traced ? (int64_t)(measure(MOST_ITEMS, 2) * 1000 / MOST_ITEMS) : 0;
    const int64_t begin = self_now(), cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t chunk = 16, threads = 2, ignored = 1, iteration;
    int k;
    (void)data;
    if (setting != KNOBS_TUNED)
        *(which == THREADS ? &threads : &chunk) = setting;
    memset(values, 0, sizeof values);
    self_begin(&it, &config);
    if (which != CHUNK)
        self_knob(&it, "Threads", setting == KNOBS_TUNED ? &threads : &ignored, 1, MOST_THREADS);
    if (which != THREADS)
        self_knob(&it, "Chunk", setting == KNOBS_TUNED ? &chunk : &ignored, 1, MOST_ITEMS);
    self_ready(&it);
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        const int is_second = (int)(iteration / BLOCK % 2);
        const int64_t items = which != CHUNK && !is_second ? FEW_ITEMS : MOST_ITEMS;
        int64_t fields[5] = {0, items, grab, fork, cores};
        int used;
        self_point(&it);
        used = (int)threads;
        fields[0] = chunk;
        self_event(&it, STARTS, SELF_MAIN, self_now(), iteration, used, fields);
        run_loop(items, which != THREADS && is_second ? items - items / 100 : items, 10, used, (int)chunk);
        for (k = 0; k < used && is_traced; k++) {
            const int64_t busy = ends[k] - begins[k];
            self_state(&it, k, begins[k], ends[k]);
            self_event(&it, THREAD_ENDS, k, ends[k], iteration, used, &busy);
        }
        self_event(&it, FINISHES, SELF_MAIN, self_now(), iteration, 0, NULL);
    }
    self_point(&it);
    decisions = it.decisions;
    self_end(&it);
    return self_now() - begin;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"knob", required_argument, NULL, 'k'},
                                            {"fixed", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const knobs_program chunks = {"chunk", {1, 4, 16, 64, 256, 1024, 10000}, 7, run, NULL};
    const knobs_program threads = {"threads", {1, 2, 4}, 3, run, NULL};
    int64_t fixed = KNOBS_TUNED, time;
    uint64_t sum = 0;
    int rounds = 0, option, i;
    while ((option = getopt_long(argc, argv, "k:f:o:c:h", options, NULL)) != -1)
        switch (option) {
        case 'k':
            which = strcmp(optarg, "both") == 0 ? BOTH : strcmp(optarg, "threads") == 0 ? THREADS : CHUNK;
            if (which != CHUNK || strcmp(optarg, "chunk") == 0)
                break;
            fprintf(stderr, "loop: there is no knob `%s`: chunk, threads, both\n", optarg);
            return 2;
        case 'f': fixed = atoll(optarg) < 1 ? 1 : atoll(optarg) > MOST_ITEMS ? MOST_ITEMS : atoll(optarg); break;
        case 'o': output = optarg; break;
        case 'c': rounds = atoi(optarg); break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    if (which == THREADS && fixed > MOST_THREADS)
        fixed = MOST_THREADS;
    if (rounds > 0) {
        knobs_compare(which == THREADS ? &threads : &chunks, rounds);
        return 0;
    }
    time = run(NULL, fixed, fixed == KNOBS_TUNED);
    for (i = 0; i < MOST_ITEMS; i++)
        sum = sum * 31 + (values[i] >> 13);
    printf("result %016llx\n%.2f ms, %llu decisions\n", (unsigned long long)sum, (double)time / 1e6,
           (unsigned long long)decisions);
    return 0;
}
