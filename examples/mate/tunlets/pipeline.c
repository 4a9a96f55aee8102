/* How many items a stage of a pipeline passes on at once.  For N items in an iteration, at whose end the pipeline is
 * empty, of which the slowest stage needs w for each, S stages, and h to pass on a batch, which the program measures:
 *
 *     T(b) = N w + (N / b) h + (S - 1) b w      Bopt = sqrt(N h / ((S - 1) w))
 *
 * The first batch goes through S - 1 stages before all have work: large ones are waited for, small ones cost more. */
#include "tunlets/tunlets.h"

#include <math.h>

typedef struct state {
    int64_t stages, batch, items, handoff; /* of the program */
    int64_t slowest;                       /* ns of all items, of the stage that needs most */
} state;

enum { STARTS, FINISHES, STAGE_ENDS };
static const tunlet_event events[] = {
    [STARTS] = {"IterationStarts", TUNLET_BEGIN, {"Batch", "Items", "Handoff"}},
    [FINISHES] = {"IterationFinishes", TUNLET_END, {NULL}},
    [STAGE_ENDS] = {"StageEnds", TUNLET_DONE, {"Busy"}},
};

static const tunlet_part parts[] = {TUNLET_ONE(state, slowest, TUNLET_MAX)};

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    switch (it->event) {
    case STARTS:
        s->stages = it->actors;
        s->batch = it->fields[0];
        s->items = it->fields[1];
        s->handoff = it->fields[2];
        break;
    case STAGE_ENDS: s->slowest = it->fields[0] > s->slowest ? it->fields[0] : s->slowest; break;
    default: break;
    }
}

static int evaluate(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    double each;
    if (s->items <= 0 || s->stages < 2 || s->slowest <= 0)
        return 0;
    each = (double)s->slowest / (double)s->items;
    *wanted = (int64_t)(sqrt((double)s->items * (double)s->handoff / ((double)(s->stages - 1) * each)) + 0.5);
    if (3 * *wanted > 2 * s->batch && 2 * *wanted < 3 * s->batch) /* T is flat around its minimum */
        *wanted = s->batch;
    return 1;
}

static const tunlet_point points[] = {
    {"Batch", 1, 1000000, 0, offsetof(state, batch), evaluate, TUNLET_SET, NULL, 0}};

const tunlet tunlet_pipeline = {"pipeline", "Stage", events, sizeof events / sizeof *events, parts,
                                sizeof parts / sizeof *parts, points, 1, NULL, 0, sizeof(state), happened};
