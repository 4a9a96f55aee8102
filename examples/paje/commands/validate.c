/* paje validate: prints every problem of a trace. */
#include "command.h"

static uint64_t backward; /* lines whose time is before that of the last event of their container and type */

static int problem(pajesim *sim, const pajesim_problem *it)
{
    paje_run *run = pajesim_data(sim);
    backward += it->code == PAJESIM_E_TIME_ORDER;
    if (paje_admits_problem(run, it, run->settings->limit ? run->settings->limit : UINT64_MAX)) {
        paje_format_problem(&stream_output, run, it);
        stream_end_line();
    }
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    const pajesim_counts *counts = pajesim_count(&run->sim);
    uint64_t errors = counts->errors + run->file_errors;
    pajesim_text name = text_of(run->source->name);
    paje_put_omitted(&stream_output, run, run->settings->limit ? run->settings->limit : UINT64_MAX);
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

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)key;
    return paje_parse_processes(argument, &settings->processes);
}

static const paje_option options[] = {
    {'j', "jobs", "N", "N processes share the work, if the trace is a large file"},
    {0, NULL, NULL, NULL},
};

const paje_command command_validate = {
    .name = "validate",
    .summary = "Prints the violations of the format, one a line as FILE:LINE:COLUMN: error|warning: text",
    .details = "A warning is a line that took effect, perhaps repaired; an error is one that did not take effect.\n"
               "Of errors by a name that nothing has, the first is shown and the others are counted.  The last line\n"
               "sums up.",
    .traces = 1,
    .trials = "FILE\n--lenient FILE",
    .unfiltered = "the file is checked as a whole, as a line may be wrong because of any line before it",
    .strict = 1,
    .options = options,
    .option = option,
    .callbacks = {.problem = problem},
    .end = end,
};
