/* paje validate: every problem of a trace is a line of the output. */
#include "paje.h"

static int problem(pajesim *sim, const pajesim_problem *it)
{
    paje_format_problem(&paje_output, pajesim_data(sim), it);
    paje_end_line();
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    const pajesim_counts *counts = pajesim_count(&run->sim);
    uint64_t errors = counts->errors + run->file_errors;
    paje_addf(&paje_output, "%s: %llu lines, %llu events, %llu errors, %llu warnings: %s\n", run->source->name,
              (unsigned long long)counts->lines, (unsigned long long)counts->events, (unsigned long long)errors,
              (unsigned long long)counts->warnings, errors ? "invalid" : "valid");
}

const paje_plugin paje_validate = {
    .name = "validate",
    .summary = "Prints every violation of the format, one a line as FILE:LINE:COLUMN: error|warning: text",
    .details = "A warning is a line that took effect, perhaps repaired; an error is one that did not.\n"
               "The last line sums up.",
    .traces = 1,
    .strict = 1,
    .callbacks = {.problem = problem},
    .end = end,
};
