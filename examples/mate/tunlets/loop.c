/* OpenMP loops over N items in all, dealt in chunks of c to p threads: two tunlets that see the same events.
 *
 * Chunk: the program measures what a thread needs to get a chunk, o.  The thread that ends last does so later than the
 * mean by I, which chunks of c cause: I is about c times a constant.  (N / c) o / p + I is least at
 *
 *     Copt = sqrt(N o c / (p I))
 *
 * Threads: the work of all is W, and a thread costs f to be begun and waited for in all loops of an iteration, which
 * the program measures, too:
 *
 *     T(p) = W / p + p f     Popt = sqrt(W / f), as many as there are cores at most */
#include "tunlets/tunlets.h"

#include <math.h>

typedef struct state {
    int64_t threads, chunk, items, grab, fork, cores; /* grab: o, in ps; fork: f, in ns */
    int64_t busy, ends, last; /* of threads: sum, and of when they end, the sum and the last */
} state;

enum { STARTS, FINISHES, THREAD_ENDS };
static const tunlet_event events[] = {
    [STARTS] = {"LoopStarts", TUNLET_BEGIN, {"Chunk", "Items", "Grab", "Fork", "Cores"}},
    [FINISHES] = {"LoopFinishes", TUNLET_END, {NULL}},
    [THREAD_ENDS] = {"ThreadEnds", TUNLET_DONE, {"Busy"}},
};

static const tunlet_part parts[] = {TUNLET_ONE(state, busy, TUNLET_SUM), TUNLET_ONE(state, ends, TUNLET_SUM),
                                    TUNLET_ONE(state, last, TUNLET_MAX)};

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    switch (it->event) {
    case STARTS:
        s->threads = it->actors;
        s->chunk = it->fields[0];
        s->items = it->fields[1];
        s->grab = it->fields[2];
        s->fork = it->fields[3];
        s->cores = it->fields[4];
        break;
    case THREAD_ENDS:
        s->busy += it->fields[0];
        s->ends += it->time;
        s->last = it->time > s->last ? it->time : s->last;
        break;
    default: break;
    }
}

static int evaluate_chunk(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    double imbalance, best;
    if (s->threads < 2 || s->items <= 0)
        return 0;
    imbalance = (double)(s->last * s->threads - s->ends) / (double)s->threads;
    best = sqrt((double)s->items * (double)s->grab / 1e3 * (double)s->chunk /
                ((double)s->threads * fmax(imbalance, 1)));
    best = fmin(best, 4 * (double)s->chunk); /* not far beyond what was tried */
    best = fmin(best, (double)s->items / (double)s->threads);
    *wanted = (int64_t)(best + 0.5);
    if (2 * *wanted > s->chunk && *wanted < 2 * s->chunk) /* the time is flat around its minimum */
        *wanted = s->chunk;
    return 1;
}

static int evaluate_threads(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    double best;
    if (s->fork <= 0 || s->threads <= 0)
        return 0;
    best = fmin(sqrt((double)s->busy / (double)s->fork), (double)s->cores);
    *wanted = best < 1 ? 1 : (int64_t)(best + 0.5);
    return 1;
}

static const tunlet_point chunk_points[] = {
    {"Chunk", 1, 1000000, 0, offsetof(state, chunk), evaluate_chunk, TUNLET_SET, NULL, 0}};
static const tunlet_point thread_points[] = {
    {"Threads", 1, TUNLET_ACTORS, 0, offsetof(state, threads), evaluate_threads, TUNLET_SET, NULL, 0}};

#define TUNLET(name, points) \
    {name, "Thread", events, sizeof events / sizeof *events, parts, sizeof parts / sizeof *parts, points, 1, \
     NULL, 0, sizeof(state), happened}
const tunlet tunlet_chunk = TUNLET("chunk", chunk_points);
const tunlet tunlet_threads = TUNLET("threads", thread_points);
