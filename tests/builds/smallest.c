/* Replays a small trace in as much arena as the argument says: 4 containers, 2 state types, 8 values, after a header
 * that defines every event.  Prints what closes, in whole nanoseconds and millionths whatever the options of the header
 * are, so that builds can be compared; then the use of the arena.  See tests/builds/smallest.sh. */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <stdio.h>
#include <stdlib.h>

static const pajewrite_type board = {1}, task = {2}, activity = {3}, power = {4};

static char trace[1 << 14];
static size_t trace_size;
static uint64_t arena[1 << 12];

static pajewrite_status keep(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (size > sizeof trace - trace_size)
        return PAJEWRITE_E_SINK;
    memcpy(trace + trace_size, bytes, size);
    trace_size += size;
    return PAJEWRITE_OK;
}

/* Strict C99 has no ready-made clock; this one is not read, as all events have times. */
static uint64_t no_time(void *data)
{
    (void)data;
    return 0;
}

static int write_trace(void)
{
    static const char *const names[8] = {"computing", "waiting", "sending", "idle", "run", "sleep", "off", "reset"};
    pajewrite_config config = PAJEWRITE_CONFIG;
    static char buffer[PAJEWRITE_BUFFER_MIN];
    pajewrite w;
    uint64_t time = 0;
    uint32_t i, depth;
    config.sink = keep;
    config.clock = no_time;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, board, PAJEWRITE_ROOT_TYPE, "Board");
    pajewrite_define_container_type(&w, task, board, "Task");
    pajewrite_define_state_type(&w, activity, task, "Activity");
    pajewrite_define_state_type(&w, power, board, "Power");
    for (i = 0; i < 8; i++) {
        pajewrite_value value = {1 + i % 4};
        pajewrite_define_value(&w, value, i < 4 ? activity : power, names[i], "0.2 0.7 0.3");
    }
    for (i = 0; i < 4; i++) {
        static const char *const called[] = {"board", "control", "radio", "sensor"};
        pajewrite_container container = {1 + i}, parent = {1};
        pajewrite_create_container_at(&w, time++, container, i ? task : board, i ? parent : PAJEWRITE_ROOT, called[i]);
    }
    for (i = 0; i < 60; i++, time += 1000000007) {
        pajewrite_container container = {2 + i % 3}, whole = {1};
        pajewrite_value value = {1 + i % 4}, other = {1 + i / 4 % 4};
        for (depth = 0; depth < 1 + i % 4; depth++)
            pajewrite_push_state_at(&w, time + depth, container, activity, value);
        for (depth = 0; depth < 1 + i % 4; depth++)
            pajewrite_pop_state_at(&w, time + 100 + depth, container, activity);
        pajewrite_set_state_at(&w, time, whole, power, other);
    }
    pajewrite_destroy_container_at(&w, time, (pajewrite_container){4}, task);
    return pajewrite_finish(&w) == PAJEWRITE_OK;
}

static long long nanoseconds(pajesim_time time)
{
    return PAJESIM_TIME_DECIMALS == PAJESIM_DOUBLE ? (long long)((double)time * 1e9 + 0.5) : (long long)time;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_text name = pajesim_name(sim, entity->container), type = pajesim_name(sim, entity->type);
    printf("%s %.*s %.*s %.*s %u %lld %lld\n", pajesim_kind_name(entity->kind), (int)name.size, name.bytes,
           (int)type.size, type.bytes, (int)entity->value_name.size, entity->value_name.bytes,
           (unsigned)entity->imbrication, nanoseconds(entity->start), nanoseconds(entity->end));
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *it)
{
    (void)sim;
    printf("problem %d in line %lu\n", (int)it->code, (unsigned long)it->line);
    return PAJESIM_GO_ON;
}

int main(int count, char **arguments)
{
    size_t capacity = count > 1 ? (size_t)strtoul(arguments[1], NULL, 10) : sizeof arena, at;
    static pajesim_callbacks callbacks;
    pajesim sim;
    pajesim_status status;
    callbacks.closed = closed;
    callbacks.problem = problem;
    if (!write_trace() || capacity > sizeof arena) {
        fputs("smallest: cannot write the trace, or the arena is too large\n", stderr);
        return 2;
    }
    status = pajesim_init(&sim, arena, capacity, NULL, &callbacks, NULL);
    for (at = 0; at < trace_size && status == PAJESIM_OK; at += 64) /* in pieces of 64 bytes, as from a serial line */
        status = pajesim_feed(&sim, trace + at, trace_size - at < 64 ? trace_size - at : 64, NULL);
    if (status == PAJESIM_OK)
        status = pajesim_finish(&sim);
    fprintf(stderr, "%lu bytes of trace, %lu of arena, %lu of struct pajesim\n", (unsigned long)trace_size,
            (unsigned long)pajesim_used(&sim), (unsigned long)sizeof sim);
    if (status != PAJESIM_OK) {
        printf("status %d, %lu bytes would do\n", (int)status, (unsigned long)pajesim_capacity_needed(&sim));
        return 1;
    }
    return 0;
}
