/* paje parse: decodes every line without simulating it. */
#include "paje.h"

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_print_summary(run);
}

const paje_plugin paje_parse = {
    .name = "parse",
    .summary = "Decodes the trace without simulating it, and prints what there was in it",
    .traces = 1,
    .parse_only = 1,
    .end = end,
};
