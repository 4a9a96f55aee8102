/* The chunks in which the tasks of an iteration are dealt to workers of different speed (section 5.2 of the thesis):
 *
 *     x = (mu + sigma sqrt(P / 2)) / mu for the first batch, (2 mu + sigma sqrt(P / 2)) / mu for others
 *
 * A chunk has one x P-th of the tasks that are left.  mu, sigma: mean and standard deviation of the time of a task, by
 * worker.  The program computes the chunks (application_chunks), so the knob is sigma / mu, in millionths.
 *
 * Decided against the text: mu is the sum over workers by their number P, where appendix C divides by the number of
 * tasks; that number is of tasks, where appendix C has their bytes; sigma is that of all P workers, which are no
 * sample. */
#include "tunlets/tunlets.h"

#include <math.h>

typedef struct state {
    int64_t workers, spread; /* of the master; spread: with which the iteration was dealt */
    int64_t tasks[TUNLET_ACTORS], computing[TUNLET_ACTORS];
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
    TUNLET_EACH(state, tasks, TUNLET_SUM),
    TUNLET_EACH(state, computing, TUNLET_SUM),
};

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    switch (it->event) {
    case STARTS:
        s->workers = it->actors;
        s->spread = it->fields[0];
        break;
    case WORKER_STARTS:
        s->tasks[it->actor] += it->fields[0];
        s->computing[it->actor] -= it->time;
        break;
    case WORKER_FINISHES: s->computing[it->actor] += it->time; break;
    default: break;
    }
}

static int evaluate(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    double mean = 0, square = 0;
    int64_t workers = 0, i;
    for (i = 0; i < s->workers && i < TUNLET_ACTORS; i++)
        if (s->tasks[i] > 0) {
            mean += (double)s->computing[i] / (double)s->tasks[i];
            workers++;
        }
    if (workers == 0 || !(mean > 0))
        return 0;
    mean /= (double)workers;
    for (i = 0; i < s->workers && i < TUNLET_ACTORS; i++)
        if (s->tasks[i] > 0) {
            const double distance = (double)s->computing[i] / (double)s->tasks[i] - mean;
            square += distance * distance;
        }
    *wanted = (int64_t)(sqrt(square / (double)workers) / mean * 1e6 + 0.5);
    return 1;
}

/* Five hundredths do not change chunks by much. */
static const tunlet_point points[] = {
    {"Spread", 0, 10000000, 50000, offsetof(state, spread), evaluate, TUNLET_SET, NULL, 0}};

const tunlet tunlet_factoring = {"factoring", "Worker", events, sizeof events / sizeof *events, parts,
                                 sizeof parts / sizeof *parts, points, 1, NULL, 0, sizeof(state), happened};
