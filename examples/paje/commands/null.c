/* paje null: replays, and does nothing with it. */
#include "paje.h"

enum { EVENTS = PAJE_LONG_ONLY };

static uint64_t most, seen; /* events; 0: all */

static int line(pajesim *sim, const pajesim_line *it)
{
    (void)sim, (void)it;
    return seen++ < most ? PAJESIM_GO_ON : PAJESIM_STOP;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (most)
        run->callbacks.line = line;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)key;
    settings->simulation.ignore_links = 1; /* their other ends may come later */
    return paje_parse_count(argument, &most) ? NULL : "no number of events";
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_print_summary(run);
}

static const paje_option options[] = {
    {EVENTS, "events", "N", "only the first N; what is open then ends there"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_null = {
    .name = "null",
    .summary = "Simulates the trace and prints what there was in it, and how long it took",
    .traces = 1,
    .options = options,
    .option = option,
    .begin = begin,
    .end = end,
};
