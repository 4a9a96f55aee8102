/* What cumulative.tunlet specifies, by hand: of all that workers tell, collectors pass on a line an iteration. */
#include "tunlet.h"

#include <math.h>

typedef struct state {
    int64_t workers, spread;                                   /* of the master */
    int64_t begin[TUNLET_ACTORS], computing_of[TUNLET_ACTORS]; /* stay where events are collected */
    int64_t tasks, first, last, sign, small, longest_chunk, slowest, computing, longest, shortest, all, odd;
} state;

enum { STARTS, FINISHES, WORKER_STARTS, WORKER_FINISHES, WORKER_ENDS };
static const tunlet_event events[] = {
    [STARTS] = {"IterationStarts", TUNLET_BEGIN, {"Spread"}},
    [FINISHES] = {"IterationFinishes", TUNLET_END, {NULL}},
    [WORKER_STARTS] = {"WStartsTask", TUNLET_INSIDE, {"Tasks"}},
    [WORKER_FINISHES] = {"WFinishesTask", TUNLET_INSIDE, {NULL}},
    [WORKER_ENDS] = {"WEndsIteration", TUNLET_DONE, {NULL}},
};

static const tunlet_part parts[] = {
    TUNLET_ONE(state, tasks, TUNLET_SUM),          TUNLET_ONE(state, first, TUNLET_MIN),
    TUNLET_ONE(state, last, TUNLET_MAX),           TUNLET_ONE(state, sign, TUNLET_PRODUCT),
    TUNLET_ONE(state, small, TUNLET_AND),          TUNLET_ONE(state, longest_chunk, TUNLET_MAX),
    TUNLET_ONE(state, slowest, TUNLET_ARGMAX),     TUNLET_ONE(state, computing, TUNLET_SUM),
    TUNLET_ONE(state, longest, TUNLET_MAX),        TUNLET_ONE(state, shortest, TUNLET_MIN),
    TUNLET_ONE(state, all, TUNLET_AND),            TUNLET_ONE(state, odd, TUNLET_PRODUCT),
};

static void finishes(state *s, int64_t time, uint32_t worker)
{
    const int64_t chunk = time - s->begin[worker];
    s->computing_of[worker] += chunk;
    s->last = time > s->last ? time : s->last;
    if (chunk > s->longest_chunk || (chunk == s->longest_chunk && worker < s->slowest))
        s->slowest = worker;
    s->longest_chunk = chunk > s->longest_chunk ? chunk : s->longest_chunk;
}

static void ends(state *s, int64_t computing)
{
    s->computing += computing;
    s->longest = computing > s->longest ? computing : s->longest;
    if (computing > 0)
        s->shortest = computing < s->shortest ? computing : s->shortest;
    else
        s->all = 0;
    if (computing < 1000000)
        s->odd = -s->odd;
}

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    switch (it->event) {
    case STARTS:
        s->workers = it->actors;
        s->spread = it->fields[0];
        break;
    case WORKER_STARTS:
        s->begin[it->actor] = it->time;
        s->tasks += it->fields[0];
        s->first = it->time < s->first ? it->time : s->first;
        s->sign *= it->fields[0] > 1 ? -1 : 1;
        s->small = s->small && it->fields[0] < 40;
        break;
    case WORKER_FINISHES: finishes(s, it->time, it->actor); break;
    case WORKER_ENDS: ends(s, s->computing_of[it->actor]); break;
    default: break;
    }
}

static int evaluate(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    const double value = (double)s->computing / (double)s->workers +
                         3 * (fmax(0, (double)s->longest) - fmin(1e18, (double)s->shortest)) +
                         5 * ((double)s->last - (double)s->first) + 1000 * (double)s->slowest + 7 * (double)s->tasks +
                         11 * (double)s->sign + 13 * (double)s->small + 17 * (double)(1 - s->all) + 19 * (double)s->odd;
    if (!(value > -1e15 && value < 1e15))
        return 0;
    *wanted = (int64_t)value;
    return 1;
}

static const tunlet_point points[] = {
    {"Spread", 0, 10000000, 0, offsetof(state, spread), evaluate, TUNLET_SET, NULL, 0}};

extern const tunlet tunlet_cumulative;
const tunlet tunlet_cumulative = {"cumulative", "Worker", events, sizeof events / sizeof *events, parts,
                                  sizeof parts / sizeof *parts, points, 1, NULL, 0, sizeof(state), happened};
