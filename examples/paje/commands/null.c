/* paje null: simulates the trace and prints a summary. */
#include "command.h"

enum { EVENTS = PAJE_LONG_ONLY };

static uint64_t most, seen; /* events; 0: all */
static uint64_t shown[PAJESIM_LINK + 1];

static int line(pajesim *sim, const pajesim_line *it)
{
    (void)sim, (void)it;
    return seen++ < most ? PAJESIM_GO_ON : PAJESIM_STOP;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)sim;
    shown[entity->kind]++;
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (most)
        run->callbacks.line = line;
    if (paje_is_filtered(run->settings))
        run->callbacks.closed = closed;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    if (key == 'j')
        return paje_parse_processes(argument, &settings->processes);
    settings->simulation.ignore_links = 1; /* their other ends may come after the last event */
    return paje_parse_count(argument, &most) ? NULL : "no number of events";
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_print_summary(run, paje_is_filtered(run->settings) ? shown : NULL);
}

static const paje_option options[] = {
    {EVENTS, "events", "N", "only the first N; entities that are open then end there"},
    {'j', "jobs", "N", "N processes share the work, if the trace is a large file and no filter is given"},
    {0, NULL, NULL, NULL},
};

const paje_command command_null = {
    .name = "null",
    .summary = "Simulates the trace and prints what it contains, and how long that took",
    .details = "Filters choose the entities that are counted; lines, events and times are those of the whole trace.",
    .traces = 1,
    .trials = "FILE\n--events=9 FILE\n--type S -e 3 --unit ns FILE\n--arena 64K FILE\n-j 2 FILE",
    .filters = PAJE_FILTERS,
    .options = options,
    .option = option,
    .begin = begin,
    .end = end,
};
