/* The programs whose instructions tests/builds/instructions.sh counts: functions `measured_...`, on a trace in memory
 * or for a number of events.
 *
 *     instructions strict|lenient|callbacks|parse TRACE
 *     instructions states|table|variables|ints|tracks EVENTS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#if defined(__clang__)
#define NOT_INLINED __attribute__((noinline))
#elif defined(__GNUC__)
#define NOT_INLINED __attribute__((noipa))
#else
#define NOT_INLINED
#endif
#define PAJESIM_API static
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#define PAJEWRITE_API NOT_INLINED static
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

static uint64_t arena[1 << 19], entities, ticks, step = 1234567, written;
static const char *what;

static int fail(const char *why)
{
    fprintf(stderr, "instructions: %s\n", why);
    return 1;
}

/* ---- the reader */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)sim;
    entities += entity->end >= entity->start;
    return PAJESIM_GO_ON;
}

static int line(pajesim *sim, const pajesim_line *at)
{
    (void)sim, (void)at;
    return PAJESIM_GO_ON;
}

NOT_INLINED static pajesim_status measured_replay(pajesim *sim, const char *bytes, size_t size)
{
    pajesim_status status = pajesim_feed(sim, bytes, size, NULL);
    return status == PAJESIM_OK ? pajesim_finish(sim) : status;
}

static int replay(const char *path)
{
    static char bytes[4 << 20];
    static pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (!size || !feof(file))
        return fail("the trace cannot be read, or is too large");
    fclose(file);
    memset(&options, 0, sizeof options);
    options.strict = strcmp(what, "lenient") != 0;
    options.parse_only = strcmp(what, "parse") == 0;
    if (strcmp(what, "callbacks") == 0) {
        callbacks.closed = callbacks.state_pushed = callbacks.state_popped = callbacks.variable_set =
            callbacks.variable_updated = callbacks.link_started = callbacks.link_completed = callbacks.event = closed;
        callbacks.line = line;
    }
    if (pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL) != PAJESIM_OK ||
        measured_replay(&sim, bytes, size) != PAJESIM_OK || pajesim_count(&sim)->warnings)
        return fail("the trace is not valid");
    printf("%llu\n", (unsigned long long)pajesim_count(&sim)->events);
    return 0;
}

/* ---- the writer */

static uint64_t tick(void *data)
{
    (void)data;
    return ticks += step;
}

static pajewrite_status count_bytes(void *data, const char *bytes, size_t size)
{
    (void)data, (void)bytes;
    written += size;
    return PAJEWRITE_OK;
}

NOT_INLINED static void measured_states(pajewrite *w, uint32_t events)
{
    const pajewrite_container me = {1};
    const pajewrite_type state = {2};
    uint32_t i;
    for (i = 0; i < events; i += 2) {
        pajewrite_push_state(w, me, state, PAJEWRITE_VALUE(i % 16 + 1));
        pajewrite_pop_state(w, me, state);
    }
}

NOT_INLINED static void measured_variables(pajewrite *w, uint32_t events)
{
    const pajewrite_container me = {1};
    const pajewrite_type variable = {3};
    uint32_t i;
    for (i = 0; i < events; i++)
        pajewrite_set_variable_double(w, me, variable, 0.001 * i);
}

NOT_INLINED static void measured_ints(pajewrite *w, pajewrite_variant two, uint32_t events)
{
    const pajewrite_container me = {1};
    const pajewrite_type mark = {4};
    uint32_t i;
    for (i = 0; i < events; i++) {
        const int64_t numbers[] = {i & 31, -(int64_t)(i & 1023)};
        const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .container = me, .type = mark, .value = {1},
                                       .time = PAJEWRITE_TIME_NOW};
        pajewrite_write_ints(w, &event, two, numbers, 2);
    }
}

NOT_INLINED static void measured_tracks(pajewrite *w, uint32_t events)
{
    const pajewrite_container me = {1};
    const pajewrite_type state = {2};
    pajewrite_track track;
    uint32_t i;
    pajewrite_track_init(&track, w, me, state);
    for (i = 0; i < events; i += 2) {
        pajewrite_track_push_state(&track, PAJEWRITE_VALUE(i % 16 + 1));
        pajewrite_track_pop_state(&track);
    }
}

static int write_events(uint32_t events)
{
    static char buffer[1 << 16];
    static pajewrite_entry table[64];
    const pajewrite_type thread = {1}, state = {2}, variable = {3}, mark = {4};
    const pajewrite_container me = {1};
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite w;
    config.clock = tick;
    config.sink = count_bytes;
    if (strcmp(what, "table") == 0) {
        config.table = table;
        config.table_entries = 64;
    }
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, state, thread, "State");
    pajewrite_define_variable_type(&w, variable, thread, "Variable", "0 0 1");
    pajewrite_define_event_type(&w, mark, thread, "Mark");
    pajewrite_create_container(&w, me, thread, PAJEWRITE_ROOT, "me");
    if (strcmp(what, "variables") == 0)
        measured_variables(&w, events);
    else if (strcmp(what, "ints") == 0) {
        step = 1000; /* events that follow each other closely */
        measured_ints(&w, pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Worker int, Bytes int"), events);
    } else if (strcmp(what, "tracks") == 0) {
        step = 1000;
        measured_tracks(&w, events);
    } else
        measured_states(&w, events);
    if (pajewrite_finish(&w) != PAJEWRITE_OK || !written)
        return fail(pajewrite_status_text(pajewrite_get_status(&w)));
    printf("%u\n", (unsigned)events);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    what = argv[1];
    return strchr("slcp", *what) && strcmp(what, "states") != 0 ? replay(argv[2])
                                                                 : write_events((uint32_t)strtoul(argv[2], NULL, 10));
}
