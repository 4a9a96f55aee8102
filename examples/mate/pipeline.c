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

static const char usage[] =
    "Usage: pipeline [OPTIONS]\n"
    "Items go through three threads, in batches; most iterations have light items, some heavy ones.\n"
    "\n"
    "  -b, --batch=N    a fixed number of items that are passed on at once; default: tuned from 16\n"
    "  -o, --output=F   write the trace of the run that tunes itself\n"
    "  -c, --compare=N  N rounds of fixed numbers and tuned: what tuning gains, and what it costs\n"
    "  -h, --help       print this\n";

enum { STAGES = 3, ITEMS = 256, ROOM = 4, BLOCKS = 2, LIGHT = 30, HEAVY = 10, MOST_BATCH = 256, TRIALS = 9 };
enum { STARTS, FINISHES, STAGE_ENDS }; /* of tunlets/pipeline.c */

typedef struct queue {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    int batches;    /* that are in it, of ROOM */
    int64_t first;  /* item of the next one */
    int sizes[ROOM], begin;
} queue;

typedef struct stage {
    int number;
    int64_t begin, busy, end;
} stage;

static queue queues[STAGES - 1];
static stage stages[STAGES];
static pthread_barrier_t begins, ends;
static int64_t batch, weight, values[ITEMS];
static int is_over;

static void put(queue *to, int size)
{
    pthread_mutex_lock(&to->lock);
    while (to->batches == ROOM)
        pthread_cond_wait(&to->changed, &to->lock);
    to->sizes[(to->begin + to->batches++) % ROOM] = size;
    pthread_cond_signal(&to->changed);
    pthread_mutex_unlock(&to->lock);
}

static int take(queue *from)
{
    int size;
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

/* Processes items; returns ns. */
static int64_t process(int64_t first, int count)
{
    const int64_t begin = self_now();
    int64_t i, k;
    for (i = first; i < first + count; i++)
        for (k = 0; k < weight; k++)
            values[i] = (int64_t)((uint64_t)values[i] * 6364136223846793005u + 1442695040888963407u);
    return self_now() - begin;
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
        while (done < ITEMS) {
            const int left = (int)(ITEMS - done);
            const int size = it->number ? take(&queues[it->number - 1]) : batch < left ? (int)batch : left;
            it->busy += process(done, size);
            done += size;
            if (it->number < STAGES - 1)
                put(&queues[it->number], size);
        }
        it->end = self_now();
        pthread_barrier_wait(&ends);
    }
}

static void iterate(int64_t of)
{
    weight = of;
    pthread_barrier_wait(&begins);
    pthread_barrier_wait(&ends);
}

static int64_t result(void)
{
    uint64_t sum = 0;
    int i;
    for (i = 0; i < ITEMS; i++)
        sum = sum * 31 + ((uint64_t)values[i] >> 13);
    return (int64_t)sum;
}

/* What it takes to pass on a batch: of iterations that do nothing else. */
static int64_t measure_handoff(void)
{
    int64_t times[TRIALS];
    int i;
    batch = 8;
    for (i = 0; i < TRIALS; i++) {
        const int64_t begin = self_now();
        iterate(0);
        times[i] = self_now() - begin;
    }
    return (int64_t)knobs_median(times, TRIALS) / (ITEMS / batch);
}

static const char *output;
static uint64_t decisions;

static int64_t run(void *data, int64_t setting, int is_traced)
{
    static self it;
    const tunlet *const tunlets[] = {&tunlet_pipeline};
    const self_config config = {tunlets, 1, STAGES, DECIDE_USUAL, !is_traced, setting == KNOBS_TUNED ? output : NULL};
    const int64_t handoff = is_traced ? measure_handoff() : 0, begin = self_now();
    int64_t turned = setting == KNOBS_TUNED ? 16 : setting, ignored = turned, iteration = 0;
    int block, i, k;
    (void)data;
    memset(values, 0, sizeof values);
    self_begin(&it, &config);
    self_knob(&it, "Batch", setting == KNOBS_TUNED ? &turned : &ignored, 1, MOST_BATCH);
    self_ready(&it);
    for (block = 0; block < BLOCKS; block++)
        for (i = 0; i < LIGHT + HEAVY; i++, iteration++) {
            int64_t fields[3] = {0, ITEMS, handoff};
            self_point(&it);
            batch = fields[0] = turned;
            self_event(&it, STARTS, SELF_MAIN, self_now(), iteration, STAGES, fields);
            iterate(i < LIGHT ? 20 : 10000);
            for (k = 0; k < STAGES && is_traced; k++) {
                self_state(&it, k, stages[k].begin, stages[k].end);
                self_event(&it, STAGE_ENDS, k, stages[k].end, iteration, STAGES, &stages[k].busy);
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
    static const struct option options[] = {{"batch", required_argument, NULL, 'b'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"compare", required_argument, NULL, 'c'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const knobs_program program = {"batch", {8, 16, 32, 64, 128, 256}, 6, run, NULL};
    pthread_t threads[STAGES];
    int64_t fixed = KNOBS_TUNED, time;
    int rounds = 0, option, i;
    while ((option = getopt_long(argc, argv, "b:o:c:h", options, NULL)) != -1)
        switch (option) {
        case 'b': fixed = atoll(optarg) < 1 ? 1 : atoll(optarg) > MOST_BATCH ? MOST_BATCH : atoll(optarg); break;
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
        knobs_compare(&program, rounds);
    } else {
        time = run(NULL, fixed, fixed == KNOBS_TUNED);
        printf("result %016llx\n%.2f ms, %llu decisions\n", (unsigned long long)result(), (double)time / 1e6,
               (unsigned long long)decisions);
    }
    is_over = 1;
    pthread_barrier_wait(&begins);
    for (i = 0; i < STAGES; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
