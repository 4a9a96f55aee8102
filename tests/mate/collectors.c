/* Decisions are the same whatever stands between program and analyser: a stream for each actor, read by the analyser
 * itself or by collectors in one or two layers, in pieces of any size and any order, with clocks that differ; and where
 * a collector is killed, whose streams the analyser then reads itself.
 * Prints PASS and FAIL lines.  usage: collectors [ROUNDS] */
#include "analyse.h"
#include "record.h"
#include "reduce.h"
#include "tunlets/tunlets.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

enum { WORKERS = 40, ITERATIONS = GATHER_ITERATIONS, NODES = 10 };

typedef array_of(char) bytes;
static bytes streams[WORKERS + 1]; /* the last one is the master's */
static size_t half[WORKERS + 1];   /* their bytes of the first half of the iterations */

static uint64_t seed = 1;
static uint32_t draw(uint32_t below)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % below;
}

static pajewrite_status keep(void *data, const char *from, size_t size)
{
    bytes *it = (bytes *)data;
    array_reserve(it, size);
    memcpy(it->items + it->count, from, size);
    it->count += size;
    return PAJEWRITE_OK;
}

/* ---- the program: a stream for each actor, with the number of workers drawn by lot for each iteration */

static recorder recorders[WORKERS + 1];
static int64_t skew[WORKERS + 1];

static void happened(void *data, const application_moment *moment)
{
    const int stream = moment->actor < 0 ? WORKERS : moment->actor;
    application_moment at = *moment;
    (void)data;
    at.time += skew[stream];
    record_moment(&recorders[stream], &at);
}

static void record_program(int is_skewed, int is_dealt)
{
    application of = {100000, 10, 64000, 12000000, happened, NULL};
    int64_t time = 1000000000, iteration, task_time[APPLICATION_WORKERS];
    int i;
    for (i = 0; i <= WORKERS; i++) {
        array_clear(&streams[i]);
        skew[i] = is_skewed ? (int64_t)draw(100000000) - 50000000 : 0;
        record_begin(&recorders[i], i < WORKERS ? i : -1, 0, keep, &streams[i]);
    }
    for (iteration = 0; iteration < ITERATIONS; iteration++) {
        for (i = 0; i <= WORKERS && iteration == ITERATIONS / 2; i++) {
            record_flush(&recorders[i]);
            half[i] = streams[i].count;
        }
        const int workers = 1 + (int)(iteration * 13 / 20 % WORKERS);
        for (i = 0; i < workers; i++)
            task_time[i] = 17000 * (1 + (iteration + i * 7) % 5); /* some are equal */
        if (is_dealt)
            time = application_deal(&of, iteration, workers, iteration * 9 % 300, iteration * 20000, task_time, time);
        else
            time = application_iterate(&of, iteration, workers, 1 + iteration / 30, time);
    }
    for (i = 0; i <= WORKERS; i++)
        record_end(&recorders[i]);
}

/* ---- nodes: collectors, and the analyser */

typedef struct node {
    gathering gathered;
    reduction reduced;
    feed *up; /* where its output goes */
    int is_killed;
    feed own; /* of `up` of the node below: the reader of this node's output */
} node;

static analysis analyser;
static node nodes[NODES];
static feed inputs[WORKERS + 1];
static int64_t wanted_by[ITERATIONS]; /* what iterations ask for, in order */
static int evaluated;

static void decided(void *data, const decision *made)
{
    (void)data, (void)made;
}

extern const tunlet tunlet_generated_workers, tunlet_cumulative, tunlet_generated_cumulative;
static const tunlet *tried;

/* The point of the tunlet, which notes what it is asked. */
static int note(const void *state, int64_t *wanted)
{
    const int is_known = tried->points[0].evaluate(state, wanted);
    if (evaluated < ITERATIONS)
        wanted_by[evaluated++] = is_known ? *wanted : -1;
    return is_known;
}

static tunlet_point point;
static tunlet noting; /* the tunlet that is tried, with that point */

static pajewrite_status forward(void *data, const char *from, size_t size)
{
    node *it = (node *)data;
    if (!it->is_killed)
        reader_bytes(&it->own.reader, from, size);
    return PAJEWRITE_OK;
}

static void collected(gathering *it, const gather_iteration *complete)
{
    reduce_iteration(&((node *)it->data)->reduced, complete, it->covered);
}

/* Begins a collector whose output goes to a node, or, where that is NULL, to the analyser. */
static void begin_node(node *it, node *above)
{
    gathering *to = above ? &above->gathered : analyser.gathered[0];
    it->is_killed = 0;
    gather_begin(&it->gathered, &noting, 1, collected, it);
    feed_begin(&it->own, &to, 1);
    reduce_begin(&it->reduced, &noting, "collector", forward, it);
}

static size_t at[WORKERS + 1]; /* what has been fed of each stream */

/* Feeds all streams up to `ends`, in pieces, in an order drawn by lot. */
static void feed_up_to(const size_t *ends, uint32_t most)
{
    int open = 0, i;
    for (i = 0; i <= WORKERS; i++)
        open += at[i] < ends[i];
    while (open > 0) {
        const uint32_t which = draw(WORKERS + 1), size = 1 + draw(most);
        const size_t left = ends[which] - at[which];
        const size_t piece = size < left ? size : left;
        if (left == 0)
            continue;
        reader_bytes(&inputs[which].reader, streams[which].items + at[which], piece);
        at[which] += piece;
        open -= at[which] == ends[which];
    }
}

/* Kills the first collector: what is above it sees the end of its stream, and the analyser reads what it had, whose
 * definitions come again; events that come again are of iterations that have been passed on. */
static void kill_first(int low)
{
    gathering *to = analyser.gathered[0];
    int i;
    nodes[0].is_killed = 1;
    (void)feed_end(&nodes[0].own);
    for (i = 0; i < WORKERS; i += low) {
        (void)feed_end(&inputs[i]);
        feed_begin(&inputs[i], &to, 1);
        at[i] = 0;
    }
}

/* Runs the program's streams through a tree: `low` collectors take those of workers, and above them `high` collectors,
 * if any, take theirs; the first is killed after half of the iterations if that is wanted.  Returns how many lines and
 * events were refused or lost. */
static uint64_t run(int low, int high, int is_killed, uint32_t most)
{
    const tunlet *const tunlets[] = {&noting};
    size_t ends[WORKERS + 1];
    uint64_t wrong = 0;
    int i;
    evaluated = 0;
    analyse_begin(&analyser, tunlets, 1, 2, decided, NULL);
    for (i = 0; i < high; i++)
        begin_node(&nodes[low + i], NULL);
    for (i = 0; i < low; i++)
        begin_node(&nodes[i], high ? &nodes[low + i % high] : NULL);
    for (i = 0; i <= WORKERS; i++) {
        gathering *to = low && i < WORKERS ? &nodes[i % low].gathered : analyser.gathered[0];
        feed_begin(&inputs[i], &to, 1);
        ends[i] = streams[i].count;
        at[i] = 0;
    }
    if (is_killed) {
        feed_up_to(half, most);
        kill_first(low);
    }
    feed_up_to(ends, most);
    for (i = 0; i <= WORKERS; i++) /* links, of which each stream has one end, take no memory */
        wrong += inputs[i].reader.sim.capacity > 1 << 15;
    for (i = 0; i <= WORKERS; i++)
        wrong += feed_end(&inputs[i]) + inputs[i].incomplete;
    for (i = 0; i < low + high; i++) {
        wrong += reduce_end(&nodes[i].reduced) != PAJEWRITE_OK;
        if (!nodes[i].is_killed)
            wrong += feed_end(&nodes[i].own) + nodes[i].own.incomplete;
        gather_free(&nodes[i].gathered);
    }
    wrong += analyser.analysts[0].gathered.given_up + (analyser.analysts[0].gathered.complete != ITERATIONS);
    analyse_end(&analyser);
    return wrong;
}

/* How many collectors are needed: workers, events of each, ns for an event, ns of an iteration, share. */
static int count_needed(void)
{
    static const struct {
        double workers, each, cost, duration, busy;
        int layers;
        int64_t needed[2];
    } cases[] = {{25, 6, 80, 1e6, 0.5, 0, {0, 0}},      /* 12 of 500 us */
                 {25, 6, 4000, 1e6, 0.5, 1, {2, 0}},    /* 150 events, 125 fit */
                 {1000, 6, 4000, 1e6, 0.5, 1, {48, 0}}, /* 96 lines fit */
                 {3000, 6, 4000, 1e6, 0.5, 2, {144, 3}},
                 {4, 600, 4000, 1e6, 0.5, 0, {0, 0}}};  /* one worker's events are too many */
    int status = 0;
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t layers[REDUCE_LAYERS] = {0, 0};
        const int count = reduce_needed(cases[i].workers, cases[i].each, cases[i].cost, cases[i].duration,
                                        cases[i].busy, layers);
        const int is_right = count == cases[i].layers && layers[0] == cases[i].needed[0] &&
                             layers[1] == cases[i].needed[1];
        printf("%s mate: collectors for %.0f workers\n", is_right ? "PASS" : "FAIL", cases[i].workers);
        status |= !is_right;
    }
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        int low, high, is_killed;
    } trees[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {8, 2, 0}, {2, 0, 1}, {8, 2, 1}};
    enum { TREES = sizeof trees / sizeof *trees };
    static const uint32_t pieces[] = {1, 7, 100, 4000};
    static const tunlet *const all[] = {&tunlet_workers, &tunlet_generated_workers, &tunlet_cumulative,
                                        &tunlet_generated_cumulative};
    static int64_t first[ITERATIONS];
    int rounds = argc > 1 ? atoi(argv[1]) : 1, status = 0, is_first = 1, tunlet_index, tree, piece, round;
    for (tunlet_index = 0; tunlet_index < 4; tunlet_index++) {
        const int is_dealt = tunlet_index >= 2; /* and compares times of several workers, so that clocks agree */
        tried = all[tunlet_index];
        noting = *tried;
        is_first = 1;
        point = tried->points[0];
        point.evaluate = note;
        noting.points = &point;
        for (tree = 0; tree < TREES; tree++)
            for (piece = 0; piece < 4; piece++)
                for (round = 0; round < 2 * rounds; round++) {
                    uint64_t wrong;
                    int is_same;
                    record_program(round % 2 && !is_dealt, is_dealt);
                    wrong = run(trees[tree].low, trees[tree].high, trees[tree].is_killed, pieces[piece]);
                    if (is_first)
                        memcpy(first, wanted_by, sizeof first);
                    is_first = 0;
                    is_same = evaluated == ITERATIONS && memcmp(first, wanted_by, sizeof first) == 0;
                    printf("%s mate: %s: %d collectors below %d%s, pieces to %u bytes, clocks that %s",
                           is_same && !wrong ? "PASS" : "FAIL", tried->name, trees[tree].low, trees[tree].high,
                           trees[tree].is_killed ? ", one killed" : "", (unsigned)pieces[piece],
                           round % 2 && !is_dealt ? "differ" : "agree");
                    if (is_same && !wrong)
                        puts("");
                    else
                        printf(": %d iterations of %d, %s; %llu lines or events are wrong\n", evaluated, ITERATIONS,
                               is_same ? "the same" : "other results", (unsigned long long)wrong);
                    status |= !is_same || wrong;
                }
    }
    return status | count_needed();
}
