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
    "Runs loops over items.  Iterations have one loop over many small items, or over some of which the last ones are\n"
    "large, or many loops over a few small items; these take turns.\n"
    "\n"
    "  -k, --knob=NAME   what is tuned, or fixed: chunk (default), threads, or both, by two tunlets at once\n"
    "  -f, --fixed=N     so many always; default: tuned\n"
    "  -o, --output=F    write the trace of the run that tunes itself\n"
    "  -c, --compare=N   N rounds of fixed numbers and tuned: what tuning gains, and what it costs\n"
    "  -h, --help        print this\n";

enum { MOST_ITEMS = 1 << 16, BLOCK = 120, TURNS = 2, LOADS = 3, MOST_ITERATIONS = TURNS * LOADS * BLOCK };
enum { MOST_THREADS = 8, TRIALS = 15, STEPS = 30, LARGE_ITEMS = 4 };
enum { STARTS, FINISHES, THREAD_ENDS }; /* of tunlets/loop.c */

typedef struct loops {
    int count;
    int64_t items, steps_of_large; /* of the last LARGE_ITEMS */
} loops;
static const loops many = {1, MOST_ITEMS, STEPS}, uneven = {1, 256, 8000 * STEPS}, few = {25, 20, STEPS};

static uint64_t values[MOST_ITEMS];
static int64_t begins[MOST_THREADS], ends[MOST_THREADS], busy[MOST_THREADS];

static void process(int64_t item, int64_t steps)
{
    uint64_t value = values[item];
    for (; steps > 0; steps--)
        value = value * 6364136223846793005u + 1442695040888963407u;
    values[item] = value;
}

static void run_loops(const loops *of, int64_t steps, int threads, int chunk)
{
    const int64_t items = of->items, large = items - LARGE_ITEMS;
    int again;
    memset(busy, 0, sizeof busy);
    for (again = 0; again < of->count; again++) {
#pragma omp parallel num_threads(threads)
        {
            int64_t i;
            const int itself = omp_get_thread_num();
            begins[itself] = self_now();
#pragma omp for schedule(dynamic, chunk) nowait
            for (i = 0; i < items; i++)
                process(i, i < large ? steps : of->steps_of_large);
            ends[itself] = self_now();
            busy[itself] += ends[itself] - begins[itself];
        }
    }
}

/* What loops take that do nothing, in ns. */
static double measure(int count, int64_t items, int threads)
{
    const loops empty = {count, items, 0};
    int64_t times[TRIALS];
    int i;
    for (i = 0; i < TRIALS; i++) {
        const int64_t begin = self_now();
        run_loops(&empty, 0, threads, 1);
        times[i] = self_now() - begin;
    }
    return knobs_median(times, TRIALS);
}

enum { CHUNK, THREADS, BOTH };
static int which;
static const char *output;
static self_sum ended;

static const loops *const loads[][LOADS] = {
    [CHUNK] = {&many, &uneven}, [THREADS] = {&many, &few}, [BOTH] = {&many, &uneven, &few}};

static int64_t iterations(void) { return which == BOTH ? MOST_ITERATIONS : MOST_ITERATIONS / LOADS * 2; }

/* Which of the loads of this knob. */
static int load(int64_t iteration) { return (int)(iteration / BLOCK % (which == BOTH ? LOADS : 2)); }

static void run(int64_t setting, int is_traced, int64_t *times)
{
    static self it;
    const tunlet *const tunlets[] = {which == THREADS ? &tunlet_threads : &tunlet_chunk, &tunlet_threads};
    const self_config config = {tunlets, which == BOTH ? 2 : 1, MOST_THREADS, DECIDE_USUAL, !is_traced,
                                setting == KNOBS_TUNED ? output : NULL};
    const int64_t fork = is_traced ? (int64_t)(measure(50, 2, 2) / 50 / 2) : 0;
    const int64_t grab = is_traced ? (int64_t)(2 * measure(1, MOST_ITEMS, 2) * 1000 / MOST_ITEMS) : 0;
    const int64_t cores = sysconf(_SC_NPROCESSORS_ONLN);
    int64_t chunk = which == THREADS ? 256 : 16, threads = 2, ignored = 1, iteration;
    int k;
    if (setting >= KNOBS_PAIR)
        threads = setting / KNOBS_PAIR;
    if (setting != KNOBS_TUNED)
        *(which == THREADS ? &threads : &chunk) = setting % KNOBS_PAIR;
    memset(values, 0, sizeof values);
    self_begin(&it, &config);
    if (which != CHUNK)
        self_knob(&it, "Threads", setting == KNOBS_TUNED ? &threads : &ignored, 1, MOST_THREADS);
    if (which != THREADS)
        self_knob(&it, "Chunk", setting == KNOBS_TUNED ? &chunk : &ignored, 1, MOST_ITEMS);
    self_ready(&it);
    for (iteration = 0; iteration < iterations(); iteration++) {
        const loops *now = loads[which][load(iteration)];
        int64_t fields[5] = {0, now->count * now->items, grab, now->count * fork, cores};
        int used;
        times[iteration] = -self_now();
        self_point(&it);
        used = (int)threads;
        fields[0] = chunk;
        self_event(&it, STARTS, SELF_MAIN, self_now(), iteration, used, fields);
        run_loops(now, STEPS, used, (int)chunk);
        for (k = 0; k < used && is_traced; k++) {
            self_state(&it, k, ends[k] - busy[k], ends[k]);
            self_event(&it, THREAD_ENDS, k, ends[k], iteration, used, &busy[k]);
        }
        self_event(&it, FINISHES, SELF_MAIN, self_now(), iteration, 0, NULL);
        times[iteration] += self_now();
    }
    self_point(&it);
    ended = self_end(&it);
}

static void compare(int rounds)
{
    enum { TWO = 2 * KNOBS_PAIR, ONE = KNOBS_PAIR };
    const knobs_program programs[] = {
        [CHUNK] = {"chunk", {1, 4, 16, 64, 256, 4096}, 6, iterations(), {"many", "uneven"}, load, run},
        [THREADS] = {"threads", {1, 2, 4}, 3, iterations(), {"many", "few"}, load, run},
        [BOTH] = {"threads, chunk", {ONE + 1, ONE + 256, TWO + 1, TWO + 16, TWO + 256, TWO + 4096}, 6, iterations(),
                  {"many", "uneven", "few"}, load, run}};
    knobs_compare(&programs[which], rounds);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"knob", required_argument, NULL, 'k'},
                                            {"fixed", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    static int64_t times[MOST_ITERATIONS];
    int64_t fixed = KNOBS_TUNED, time = 0;
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
        compare(rounds);
        return 0;
    }
    run(fixed, fixed == KNOBS_TUNED, times);
    for (i = 0; i < iterations(); i++)
        time += times[i];
    for (i = 0; i < MOST_ITEMS; i++)
        sum = sum * 31 + (values[i] >> 13);
    printf("result %016llx\n%.2f ms, %llu decisions\n", (unsigned long long)sum, (double)time / 1e6,
           (unsigned long long)ended.decisions);
    self_print(&ended);
    return 0;
}
