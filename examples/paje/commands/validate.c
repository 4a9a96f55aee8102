/* paje validate: prints every problem of a trace. */
#include "command.h"

static uint64_t backward; /* lines whose time is before that of the last event of their container and type */

static int problem(pajesim *sim, const pajesim_problem *it)
{
    backward += it->code == PAJESIM_E_TIME_ORDER;
    paje_format_problem(&stream_output, pajesim_data(sim), it);
    stream_end_line();
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    const pajesim_counts *counts = pajesim_count(&run->sim);
    uint64_t errors = counts->errors + run->file_errors;
    pajesim_text name = text_of(run->source->name);
    if (backward > 0) {
        text_put_printable(&stream_output, name);
        text_printf(&stream_output, ": %llu lines are out of order in time: `paje merge` sorts them\n",
                    (unsigned long long)backward);
    }
    backward = 0;
    text_put_printable(&stream_output, name);
    text_printf(&stream_output, ": %llu lines, %llu events, %llu errors, %llu warnings: %s\n",
                (unsigned long long)counts->lines, (unsigned long long)counts->events, (unsigned long long)errors,
                (unsigned long long)counts->warnings, errors ? "invalid" : "valid");
}

const paje_command command_validate = {
    .name = "validate",
    .summary = "Prints every violation of the format, one a line as FILE:LINE:COLUMN: error|warning: text",
    .details = "A warning is a line that took effect, perhaps repaired; an error is one that did not take effect.\n"
               "The last line sums up.",
    .traces = 1,
    .trials = "FILE\n--lenient FILE",
    .unfiltered = "the file is checked as a whole, as a line may be wrong because of any line before it",
    .strict = 1,
    .callbacks = {.problem = problem},
    .end = end,
};
