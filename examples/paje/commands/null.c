/* paje null: replays, and does nothing with it. */
#include "paje.h"

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_print_summary(run);
}

const paje_plugin paje_null = {
    .name = "null",
    .summary = "Simulates the trace and prints what there was in it, and how long it took",
    .traces = 1,
    .end = end,
};
