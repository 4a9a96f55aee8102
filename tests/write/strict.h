/* Reading a trace in strict mode, for tests that leave links open. */
#ifndef TESTS_STRICT_H
#define TESTS_STRICT_H

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The first problem, as text; empty: there was none. */
static char problem[200];

#define PROBLEM(...) (problem[0] ? 0 : snprintf(problem, sizeof problem, __VA_ARGS__))

static int on_problem(pajesim *sim, const pajesim_problem *p)
{
    (void)sim;
    if (p->severity == PAJESIM_ERROR && p->code != PAJESIM_E_LINK_PENDING)
        PROBLEM("line %" PRIu64 ": %s: %.*s", p->line, p->text, (int)p->bytes.size, p->bytes.bytes);
    return PAJESIM_GO_ON;
}

/* Returns the status at the end, which is not PAJESIM_OK either where links are open. */
static pajesim_status read_strictly(const char *bytes, size_t size)
{
    static uint64_t arena[1 << 18];
    pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&options, 0, sizeof options);
    options.strict = 1;
    callbacks.problem = on_problem;
    pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL);
    if (pajesim_feed(&sim, bytes, size, NULL) != PAJESIM_OK)
        PROBLEM("the reader stops");
    return pajesim_finish(&sim);
}

#endif
