/* Which of two kernels visits the cells that are active: one goes through all cells, the other through a list of those.
 * A cell of the list costs `Ratio` thousandths of what a cell of all costs, which the program measures:
 *
 *     all: N, list: A Ratio / 1000 */
#include "tunlets/tunlets.h"

typedef struct state {
    int64_t kernel, cells, active, ratio; /* kernel: 0: all cells, 1: the list */
} state;

enum { STARTS, FINISHES, DONE };
static const tunlet_event events[] = {
    [STARTS] = {"IterationStarts", TUNLET_BEGIN, {"Kernel", "Cells", "Active", "Ratio"}},
    [FINISHES] = {"IterationFinishes", TUNLET_END, {NULL}},
    [DONE] = {"KernelEnds", TUNLET_DONE, {NULL}},
};

static const tunlet_part parts[] = {{NULL, 0, TUNLET_SUM, 0}};

static void happened(void *data, const tunlet_happening *it)
{
    state *s = (state *)data;
    if (it->event == STARTS) {
        s->kernel = it->fields[0];
        s->cells = it->fields[1];
        s->active = it->fields[2];
        s->ratio = it->fields[3];
    }
}

static int evaluate(const void *data, int64_t *wanted)
{
    const state *s = (const state *)data;
    *wanted = (double)s->active * (double)s->ratio < (double)s->cells * 1000;
    return s->cells > 0;
}

static const tunlet_point points[] = {
    {"Kernel", 0, 1, 0, offsetof(state, kernel), evaluate, TUNLET_REPLACE, NULL, 0}};

const tunlet tunlet_kernels = {"kernels", "Thread", events, sizeof events / sizeof *events, parts, 0,
                               points, 1, NULL, 0, sizeof(state), happened};
