/* The number of workers that makes an iteration of a master and its workers shortest (section 5.1 of the thesis):
 *
 *     Nopt = sqrt((lambda V + Tc) / tl)
 *
 * tl: time that the master takes to send a message, whatever its size; V: bytes sent and received; lambda: time for a
 * byte; Tc: computing time of all workers.  It is where T(n) = n tl + (lambda V + Tc) / n is least.
 *
 * Decided against the text: tl is measured in each iteration, as section 5.1.1 asks for, and is not the 1000 ms of
 * section 5.1.2, which is longer than an iteration.  lambda is printed as the communication time over the bytes of one
 * worker; that time contains the n - 1 other sends, which n tl has already, so that n feeds on itself and runs away
 * (tunlet_workers_as_printed shows it).  They are taken out here.  Of its bytes, appendix B divides those
 * received by n and not those sent; section 5.1.2 both, as here.  The last worker is the one whose reply came last,
 * where appendix B takes the task that received it, which is the master.
 *
 * The model has one message for each worker: where factoring deals several, nothing is known. */
#include "tunlets/tunlets.h"

#include <math.h>

typedef struct state {
    int64_t workers, spread, begin, sends, first_send, last_send, bytes, last_reply, last_worker; /* of the master */
    int64_t computing, computing_of[TUNLET_ACTORS];                                       /* of workers */
} state;

enum { STARTS, FINISHES, SENDS, REPLIES, WORKER_STARTS, WORKER_FINISHES };
static const tunlet_event events[] = {
    [STARTS] = {"IterationStarts", TUNLET_BEGIN, {"Spread"}},
    [FINISHES] = {"IterationFinishes", TUNLET_END, {NULL}},
    [SENDS] = {"MSendsTaskW", TUNLET_INSIDE, {"Worker", "Bytes"}},
    [REPLIES] = {"WRepliesM", TUNLET_INSIDE, {"Worker", "Bytes"}},
    [WORKER_STARTS] = {"WStartsTask", TUNLET_INSIDE, {NULL}},
    [WORKER_FINISHES] = {"WFinishesTask", TUNLET_DONE, {NULL}},
};

static const tunlet_part parts[] = {
    TUNLET_ONE(state, computing, TUNLET_SUM),
    TUNLET_EACH(state, computing_of, TUNLET_SUM),
};

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    switch (it->event) {
    case STARTS:
        s->workers = it->actors;
        s->spread = it->fields[0];
        s->begin = it->time;
        break;
    case SENDS:
        if (s->sends++ == 0)
            s->first_send = it->time;
        s->last_send = it->time;
        s->bytes += it->fields[1];
        break;
    case REPLIES:
        s->last_reply = it->time;
        s->last_worker = it->fields[0];
        s->bytes += it->fields[1];
        break;
    case WORKER_STARTS: /* ends less beginnings are times, whatever the order */
        s->computing -= it->time;
        s->computing_of[it->actor] -= it->time;
        break;
    case WORKER_FINISHES:
        s->computing += it->time;
        s->computing_of[it->actor] += it->time;
        break;
    default: break;
    }
}

static int evaluate(const state *s, double sends_counted, int64_t *wanted)
{
    double latency, communication, lambda_bytes, best;
    if (s->sends == 0 || s->spread != 0 || s->workers <= 0 || s->last_worker < 0 || s->last_worker >= TUNLET_ACTORS)
        return 0;
    latency = (double)(s->last_send - s->begin) / (double)s->sends;
    communication = (double)(s->last_reply - s->first_send - s->computing_of[s->last_worker]);
    lambda_bytes = (communication - sends_counted * latency) * (double)s->workers; /* V / (V / n) is n */
    if (!(latency > 0))
        return 0;
    best = sqrt(fmax(0, lambda_bytes + (double)s->computing) / latency);
    if (!(best < 1e9))
        return 0;
    *wanted = (int64_t)(best + 0.5);
    return 1;
}

static int evaluate_corrected(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    return evaluate(s, (double)(s->workers - 1), wanted);
}

static int evaluate_as_printed(const void *data, int64_t *wanted)
{
    return evaluate((const state *)data, 0, wanted);
}

static int latency(const void *data, double *value)
{
    const state *s = (const state *)data;
    *value = s->sends ? (double)(s->last_send - s->begin) / (double)s->sends : 0;
    return s->sends > 0;
}

static int computing(const void *data, double *value)
{
    *value = (double)((const state *)data)->computing;
    return 1;
}

static int best(const void *data, double *value)
{
    int64_t wanted = 0;
    const int is_known = evaluate_corrected(data, &wanted);
    *value = (double)wanted;
    return is_known;
}

/* Times are in ns. */
static const tunlet_value values[] = {{"tl", latency}, {"Tc", computing}, {"Nopt", best}};

/* A difference of two workers or less is not worth a change (section 5.1.4). */
#define POINT(evaluate) \
    {"NOptWorkers", 1, TUNLET_ACTORS - 1, 2, offsetof(state, workers), evaluate, TUNLET_SET, NULL, 0}
static const tunlet_point points[] = {POINT(evaluate_corrected)}, points_as_printed[] = {POINT(evaluate_as_printed)};

#define TUNLET(name, points) \
    {name, "Worker", events, sizeof events / sizeof *events, parts, sizeof parts / sizeof *parts, points, 1, \
     values, sizeof values / sizeof *values, sizeof(state), happened}
const tunlet tunlet_workers = TUNLET("workers", points);
const tunlet tunlet_workers_as_printed = TUNLET("workers", points_as_printed);
