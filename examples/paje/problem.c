/* Warnings and errors as lines. */
#include "paje.h"

#include <string.h>

#define SHOWN_WARNINGS 5 /* of each code */

static uint64_t warnings[PAJESIM_E_COUNT];

/* Problems are always of the innermost file. */
static void add_file_name(paje_buffer *line, const paje_run *run)
{
    paje_add_printable(line, (pajesim_text){run->source->name, strlen(run->source->name)});
}

void paje_format_problem(paje_buffer *line, const paje_run *run, const pajesim_problem *problem)
{
    add_file_name(line, run);
    /* What concerns the line as a whole is said of its first column. */
    paje_addf(line, ":%llu:%lu: %s: %s", (unsigned long long)problem->line,
              problem->column ? (unsigned long)problem->column : 1ul,
              problem->severity == PAJESIM_ERROR ? "error" : "warning", problem->text);
    if (problem->bytes.size > 0) {
        paje_add(line, ": `", 3);
        paje_add_printable(line, problem->bytes);
        paje_add(line, "`", 1);
    }
}

int paje_show_problem(pajesim *sim, const pajesim_problem *problem)
{
    if (problem->severity == PAJESIM_WARNING && warnings[problem->code]++ >= SHOWN_WARNINGS)
        return PAJESIM_GO_ON;
    paje_buffer line = {0};
    paje_format_problem(&line, pajesim_data(sim), problem);
    paje_add(&line, "\n", 1);
    paje_complain(&line);
    paje_release(&line);
    return PAJESIM_GO_ON;
}

void paje_show_omitted(const paje_run *run)
{
    for (int code = 0; code < PAJESIM_E_COUNT; code++) {
        if (warnings[code] > SHOWN_WARNINGS) {
            paje_buffer line = {0};
            add_file_name(&line, run);
            paje_addf(&line, ": warning: %llu more times: %s\n", (unsigned long long)(warnings[code] - SHOWN_WARNINGS),
                      pajesim_problem_text((pajesim_code)code));
            paje_complain(&line);
            paje_release(&line);
        }
        warnings[code] = 0;
    }
}
