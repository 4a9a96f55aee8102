/* Warnings and errors as lines. */
#include "replay/problem.h"
#include "base/stream.h"

#include <string.h>

#define SHOWN_WARNINGS 5 /* of each code */

static uint64_t warnings[PAJESIM_E_COUNT];

/* A problem is always one of the innermost file. */
static void add_file_name(text_buffer *line, const paje_run *run)
{
    text_put_printable(line, (pajesim_text){run->source->name, strlen(run->source->name)});
}

void paje_format_problem(text_buffer *line, const paje_run *run, const pajesim_problem *problem)
{
    add_file_name(line, run);
    /* A problem of the line as a whole has column 0: print 1. */
    text_printf(line, ":%llu:%lu: %s: %s", (unsigned long long)problem->line,
                problem->column ? (unsigned long)problem->column : 1ul,
                problem->severity == PAJESIM_ERROR ? "error" : "warning", problem->text);
    if (problem->bytes.size > 0) {
        text_puts(line, ": `");
        text_put_printable(line, problem->bytes);
        text_putc(line, '`');
    }
}

int paje_show_problem(pajesim *sim, const pajesim_problem *problem)
{
    if (problem->severity == PAJESIM_WARNING && warnings[problem->code]++ >= SHOWN_WARNINGS)
        return PAJESIM_GO_ON;
    text_buffer line = {0};
    paje_format_problem(&line, pajesim_data(sim), problem);
    text_putc(&line, '\n');
    stream_write_error(&line);
    text_free(&line);
    return PAJESIM_GO_ON;
}

void paje_show_omitted(const paje_run *run)
{
    for (int code = 0; code < PAJESIM_E_COUNT; code++) {
        if (warnings[code] > SHOWN_WARNINGS) {
            text_buffer line = {0};
            add_file_name(&line, run);
            text_printf(&line, ": warning: %llu more times: %s\n",
                        (unsigned long long)(warnings[code] - SHOWN_WARNINGS),
                        pajesim_problem_text((pajesim_code)code));
            stream_write_error(&line);
            text_free(&line);
        }
        warnings[code] = 0;
    }
}
