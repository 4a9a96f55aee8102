/* A pipeline of threads with bounded queues, that tunes how many items are passed on at once. */
#include "base/platform.h"
#include "knobs.h"
#include "self.h"
#include "tunlets/tunlets.h"

#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char usage[] =
    "Usage: pipeline [OPTIONS]\n"
    "Items go through three threads, in batches.  Iterations have many small items, or, for a while, few large ones.\n"
    "\n"
    "  -b, --batch=N    a fixed number of items that are passed on at once; default: tuned from 16\n"
    "  -s, --sleep      threads sleep in place of computing, and for 2 ms with each batch that they pass on, as if\n"
    "                   each were a machine of its own\n"
    "  -o, --output=F   write the trace of the run that tunes itself\n"
    "  -c, --compare=N  N rounds of fixed numbers and tuned: what tuning gains, and what it costs\n"
    "  -h, --help       print this\n";

enum { STAGES = 3, ROOM = 4, BLOCKS = 2, MOST_ITEMS = 1024, MOST_BATCH = MOST_ITEMS, TRIALS = 9, LATENCY = 2000000 };
enum { STARTS, FINISHES, STAGE_ENDS }; /* of tunlets/pipeline.c */

/* Loads: in each block, so many iterations of one, then of the other. */
enum { SMALL, LARGE };
typedef struct items {
    int64_t iterations, count;
    int64_t weight; /* of an item: steps of computing, or ns to sleep */
} items;
static const items computed[] = {[SMALL] = {90, 1024, 50}, [LARGE] = {60, 16, 100000}};
static const items slept[] = {[SMALL] = {60, 256, 100000}, [LARGE] = {24, 16, 4000000}};

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int batches; /* that are in it, of ROOM */
    int64_t sizes[ROOM];
    int begin;
} queue;

typedef struct stage {
    int number;
    int64_t begin, busy, end;
} stage;

static queue queues[STAGES - 1];
static stage stages[STAGES];
static pthread_barrier_t begins, ends;
static const items *loads = computed;
static int64_t batch, count, weight, latency;
static uint64_t values[MOST_ITEMS];
static int is_over;

static void rest(int64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static void put(queue *to, int64_t size)
{
    if (latency)
        rest(latency);
    pthread_mutex_lock(&to->lock);
    while (to->batches == ROOM)
        pthread_cond_wait(&to->changed, &to->lock);
    to->sizes[(to->begin + to->batches++) % ROOM] = size;
    pthread_cond_signal(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static int64_t take(queue *from)
{
    int64_t size;
    pthread_mutex_lock(&from->lock);
    while (from->batches == 0)
        pthread_cond_wait(&from->changed, &from->lock);
    size = from->sizes[from->begin];
    from->begin = (from->begin + 1) % ROOM;
    from->batches--;
    pthread_cond_signal(&from->changed);
    pthread_mutex_unlock(&from->lock);
    return size;
}

/* Processes items; returns ns: of those who sleep without how late they wake, which is a part of passing on. */
static int64_t process(int64_t first, int64_t size)
{
    const int64_t begin = self_now(), steps = latency ? 1 : weight;
    int64_t i, k;
    for (i = first; i < first + size; i++)
        for (k = 0; k < steps; k++)
            values[i] = values[i] * 6364136223846793005u + 1442695040888963407u;
    if (!latency)
        return self_now() - begin;
    rest(size * weight);
    return size * weight;
}

static void *work(void *data)
{
    stage *it = (stage *)data;
    for (;;) {
        int64_t done = 0;
        pthread_barrier_wait(&begins);
        if (is_over)
            return NULL;
        it->begin = self_now();
        it->busy = 0;
        while (done < count) {
            const int64_t left = count - done;
            const int64_t size = it->number ? take(&queues[it->number - 1]) : batch < left ? batch : left;
            it->busy += process(done, size);
            done += size;
            if (it->number < STAGES - 1)
                put(&queues[it->number], size);
        }
        it->end = self_now();
        pthread_barrier_wait(&ends);
    }
}

static void iterate(int64_t items_count, int64_t of)
{
    count = items_count;
    weight = of;
    pthread_barrier_wait(&begins);
    pthread_barrier_wait(&ends);
}

static uint64_t result(void)
{
    uint64_t sum = 0;
    int i;
    for (i = 0; i < MOST_ITEMS; i++)
        sum = sum * 31 + (values[i] >> 13);
    return sum;
}

/* What it takes to pass on a batch: of iterations that do nothing else to speak of. */
static int64_t measure_handoff(void)
{
    enum { BATCHES = 32 };
    int64_t times[TRIALS];
    int i;
    batch = 1;
    for (i = 0; i < TRIALS; i++) {
        const int64_t begin = self_now();
        iterate(BATCHES, 1);
        times[i] = self_now() - begin;
    }
    return (int64_t)knobs_median(times, TRIALS) / BATCHES;
}

static const char *output;
static self_sum ended;

static int64_t block_size(void) { return loads[SMALL].iterations + loads[LARGE].iterations; }
static int load(int64_t iteration) { return iteration % block_size() < loads[SMALL].iterations ? SMALL : LARGE; }

static void run(int64_t setting, int is_traced, int64_t *times)
{
    static self it;
    const tunlet *const tunlets[] = {&tunlet_pipeline};
    const self_config config = {tunlets, 1, STAGES, DECIDE_USUAL, !is_traced, setting == KNOBS_TUNED ? output : NULL};
    const int64_t handoff = is_traced ? measure_handoff() : 0;
    int64_t turned = setting == KNOBS_TUNED ? 16 : setting, ignored = turned, iteration;
    int k;
    memset(values, 0, sizeof values);
    self_begin(&it, &config);
    self_knob(&it, "Batch", setting == KNOBS_TUNED ? &turned : &ignored, 1, MOST_BATCH);
    self_ready(&it);
    for (iteration = 0; iteration < BLOCKS * block_size(); iteration++) {
        const items *now = &loads[load(iteration)];
        int64_t fields[3] = {0, now->count, handoff};
        times[iteration] = -self_now();
        self_point(&it);
        batch = fields[0] = turned;
        self_event(&it, STARTS, SELF_MAIN, self_now(), iteration, STAGES, fields);
        iterate(now->count, now->weight);
        for (k = 0; k < STAGES && is_traced; k++) {
            self_state(&it, k, stages[k].begin, stages[k].end);
            self_event(&it, STAGE_ENDS, k, stages[k].end, iteration, STAGES, &stages[k].busy);
        }
        self_event(&it, FINISHES, SELF_MAIN, self_now(), iteration, 0, NULL);
        times[iteration] += self_now();
    }
    self_point(&it);
    ended = self_end(&it);
}

static void print_run(int64_t fixed)
{
    static int64_t times[BLOCKS * 230];
    int64_t time = 0, i;
    run(fixed, fixed == KNOBS_TUNED, times);
    for (i = 0; i < BLOCKS * block_size(); i++)
        time += times[i];
    printf("result %016llx\n%.2f ms, %llu decisions\n", (unsigned long long)result(), (double)time / 1e6,
           (unsigned long long)ended.decisions);
    self_print(&ended);
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"batch", required_argument, NULL, 'b'},
                                            {"sleep", no_argument, NULL, 's'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    pthread_t threads[STAGES];
    int64_t fixed = KNOBS_TUNED;
    int rounds = 0, option, i;
    while ((option = getopt_long(argc, argv, "b:so:c:h", options, NULL)) != -1)
        switch (option) {
        case 'b': fixed = atoll(optarg) < 1 ? 1 : atoll(optarg) > MOST_BATCH ? MOST_BATCH : atoll(optarg); break;
        case 's': loads = slept; latency = LATENCY; break;
        case 'o': output = optarg; break;
        case 'c': rounds = atoi(optarg); break;
        case 'h': fputs(usage, stdout); return 0;
        default: fputs(usage, stderr); return 2;
        }
    pthread_barrier_init(&begins, NULL, STAGES + 1);
    pthread_barrier_init(&ends, NULL, STAGES + 1);
    for (i = 0; i < STAGES - 1; i++) {
        pthread_mutex_init(&queues[i].lock, NULL);
        pthread_cond_init(&queues[i].changed, NULL);
    }
    for (i = 0; i < STAGES; i++) {
        stages[i].number = i;
        pthread_create(&threads[i], NULL, work, &stages[i]);
    }
    if (rounds > 0) {
        knobs_program program = {"batch", {2, 8, 32, 128}, 4, BLOCKS * block_size(),
                                 {[SMALL] = "small", [LARGE] = "large"}, load, run};
        for (i = 0; i < program.count && latency; i++)
            program.settings[i] *= 2; /* batches of 2 would take minutes */
        knobs_compare(&program, rounds);
    } else {
        print_run(fixed);
    }
    is_over = 1;
    pthread_barrier_wait(&begins);
    for (i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
