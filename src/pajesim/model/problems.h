/* Reports of problems, and whether one keeps a line from taking effect. */
#pragma once

#include "state.h"
#include "../text/line.h"

static const uint8_t pajesim__severities[][1 + PAJESIM_CHECKS] = {
#if PAJESIM_CHECKS
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient, PAJESIM_##strict},
#else
#define PAJESIM__X(code, strict, lenient, text) {PAJESIM_##lenient},
#endif
    PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
};

PAJESIM_API const char *pajesim_problem_text(pajesim_code code)
{
#if PAJESIM_TEXTS
    static const char *const texts[] = {
#define PAJESIM__X(code, strict, lenient, text) text,
        PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
    };
    return (uint32_t)code < PAJESIM_E_COUNT ? texts[code] : "unknown problem";
#else
    (void)code;
    return "";
#endif
}

/* Makes a callback and notes what it returns. */
#define PAJESIM__CALL(sim, entry, argument) \
    do { \
        if ((sim)->callbacks->entry) \
            pajesim__callback_returned(sim, (sim)->callbacks->entry(sim, argument)); \
    } while (0)

PAJESIM__INLINE void pajesim__callback_returned(pajesim *sim, int result)
{
    if (PAJESIM__UNLIKELY(result > sim->callback_result))
        sim->callback_result = result;
}

PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim_problem problem;
    problem.code = (pajesim_code)state->problem.code;
    problem.severity = (pajesim_severity)state->problem.severity;
    problem.text = pajesim_problem_text(problem.code);
    problem.line = state->problem.line;
    problem.column = state->problem.column;
    problem.depth = state->problem.depth;
    problem.bytes = pajesim__view(state->problem.bytes, state->problem.size);
    return problem;
}

PAJESIM__COLD void pajesim__report(pajesim *sim, pajesim_code code, pajesim_severity severity, uint32_t column,
                                   const void *bytes, uint32_t size)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_problem problem;
    if (severity == PAJESIM_ERROR)
        state->counts.errors++;
    else
        state->counts.warnings++;
    memset(&state->problem, 0, sizeof state->problem);
    state->problem.code = (uint8_t)code;
    state->problem.severity = (uint8_t)severity;
    state->problem.line = state->line + !state->ended;
    state->problem.column = column;
    state->problem.depth = PAJESIM__DEPTH(state);
    state->problem.size = (uint8_t)PAJESIM__MIN(size, (uint32_t)sizeof state->problem.bytes);
    if (size)
        memcpy(state->problem.bytes, bytes, state->problem.size);
    problem = pajesim_last_problem(sim);
    PAJESIM__CALL(sim, problem, &problem);
}

static pajesim_severity pajesim__severity(const pajesim *sim, pajesim_code code)
{
    return (pajesim_severity)pajesim__severities[code][PAJESIM__IS_STRICT(PAJESIM__CONST_STATE(sim))];
}

/* The outcome of a line. */
typedef enum pajesim__outcome {
    PAJESIM__DONE,    /* it took effect */
    PAJESIM__REFUSED, /* it did not: an error was reported */
    PAJESIM__ARENA_FULL, /* it did not: the arena is too small */
    PAJESIM__VETOED  /* it did not: the line callback returned PAJESIM_STOP */
} pajesim__outcome;

/* Notes a problem at bytes [begin, begin + size) of the line.  Returns 1 if it is an error, which is reported now; a
 * warning is reported when the line takes effect. */
PAJESIM__COLD int pajesim__diagnose_at(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t begin,
                                       uint32_t size)
{
    pajesim_severity severity = pajesim__severity(sim, code);
    if (severity == PAJESIM_ERROR) {
        pajesim__report(sim, code, severity, begin + 1, PAJESIM__TEXT(line) + begin, size);
        return 1;
    }
    if (severity == PAJESIM_WARNING && line->warnings < sizeof line->warning / sizeof *line->warning) {
        line->warning[line->warnings].code = code;
        line->warning[line->warnings].begin = begin;
        line->warning[line->warnings].size = size;
        line->warnings++;
        sim->commit_work = PAJESIM__COMMIT_FULL;
    }
    return 0;
}

/* As pajesim__diagnose_at, for a word of the line. */
static int pajesim__diagnose(pajesim *sim, pajesim__line *line, pajesim_code code, uint32_t word)
{
    return pajesim__diagnose_at(sim, line, code, line->spans[2 * word], line->spans[2 * word + 1]);
}

static void pajesim__report_warnings(pajesim *sim, const pajesim__line *line)
{
    uint32_t i;
    for (i = 0; i < line->warnings; i++)
        pajesim__report(sim, line->warning[i].code, PAJESIM_WARNING, line->warning[i].begin + 1,
                        PAJESIM__TEXT(line) + line->warning[i].begin, line->warning[i].size);
}
