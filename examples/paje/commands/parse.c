/* paje parse: decodes every line without simulating it. */
#include "command.h"

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_print_summary(run, NULL);
}

const paje_command command_parse = {
    .name = "parse",
    .summary = "Decodes the trace without simulating it, and prints what it contains",
    .traces = 1,
    .trials = "FILE",
    .unfiltered = "no entities are made of the lines, so none can be chosen",
    .parse_only = 1,
    .end = end,
};
