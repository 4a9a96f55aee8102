/* A trace of 100 seconds, in each of which a state begins and ends, and an index of it.  Include it after pajesim.h. */
#ifndef TESTS_SECONDS_H
#define TESTS_SECONDS_H

#include "../lib/expect.h"

#include <string.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 4\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeTraceFile 5\n% Type string\n% Container string\n% Filename string\n%EndEventDef\n"
    "0 P 0 Process\n1 S P State\n2 0 p P 0 first\n2 0 q P 0 second\n";

enum { SECONDS = 100, EVENTS = 4 + 2 * SECONDS, BLOCK = 1 << 20, SMALL = 1 << 16 };

static char trace[1 << 14];
static size_t trace_size, given; /* the part of it that windows use */
static uint64_t arena[SMALL], block[BLOCK / 8], budget[BLOCK / 8];
static pajesim sim;
static pajesim_index idx;
static pajesim_window window;

static void make_trace(void)
{
    int i;
    trace_size = (size_t)sprintf(trace, "%s", header);
    for (i = 0; i < SECONDS; i++)
        trace_size += (size_t)sprintf(trace + trace_size, "3 %d.25 S p R\n4 %d.75 S p\n", i, i);
    given = trace_size;
}

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    size_t left = offset < given ? given - (size_t)offset : 0;
    (void)data;
    *bytes = trace + offset;
    return left < most ? left : most;
}

static void begin(const pajesim_callbacks *callbacks, const pajesim_index_options *apart)
{
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, callbacks, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, apart) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_OK);
}

/* Feeds the rest of the trace line by line. */
static void feed_lines(void)
{
    size_t at = (size_t)pajesim_count(&sim)->bytes, size;
    for (; at < trace_size; at += size) {
        size = (size_t)(strchr(trace + at, '\n') - (trace + at)) + 1;
        EXPECT(pajesim_feed(&sim, trace + at, size, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    }
}

static void make_index(uint64_t bytes, uint64_t events)
{
    pajesim_index_options apart = {0, 0};
    apart.bytes = bytes;
    apart.events = events;
    begin(NULL, &apart);
    feed_lines();
    EXPECT(!pajesim_index_complete(&idx));
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    EXPECT(pajesim_index_complete(&idx));
}

static unsigned closings;

static int closed(pajesim *it, const pajesim_entity *entity)
{
    EXPECT(*pajesim_user_data(it, entity->container) == 0); /* the default */
    closings += entity->kind == PAJESIM_STATE;
    return PAJESIM_GO_ON;
}

static int stopping(pajesim *it, const pajesim_entity *entity)
{
    closed(it, entity);
    return PAJESIM_STOP;
}

static pajesim_callbacks of_closed(int (*callback)(pajesim *, const pajesim_entity *))
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = callback;
    closings = 0;
    return callbacks;
}

#endif
