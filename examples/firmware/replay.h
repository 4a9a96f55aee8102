/* Replays a trace while it is sent, and prints a summary in comment lines: when a container is destroyed, how often and
 * how many nanoseconds it was in each state; at the end, the number of entities of each kind.
 *
 * The firmware replays the trace that it sends, with the integer times of PAJESIM_SMALL.  A host that replays what it
 * received, with doubles, must print the same summary; tests compare them. */
#ifndef REPLAY_H
#define REPLAY_H

#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#ifndef REPLAY_ARENA
#define REPLAY_ARENA 6144
#endif

enum { REPLAY_SUMS = 12 };

typedef struct {
    pajesim_ref container, value; /* container 0: free */
    uint32_t count;
    int64_t time;
} replay_sum;

static pajesim replay_sim;
static uint64_t replay_arena[REPLAY_ARENA / sizeof(uint64_t)];
static replay_sum replay_sums[REPLAY_SUMS];

static void replay_print(const char *text, size_t size)
{
    while (size) {
        size_t taken = board_send(text, size);
        text += taken;
        size -= taken;
    }
}

static void replay_print_number(const char *name, int64_t number)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    replay_print(" ", 1);
    replay_print(p, (size_t)(digits + sizeof digits - p));
    replay_print(" ", 1);
    replay_print(name, strlen(name));
}

static int64_t replay_nanoseconds(pajesim_time time)
{
#if PAJESIM_TIME_DECIMALS >= 0
    return time;
#else
    return (int64_t)(time * 1e9 + 0.5);
#endif
}

/* Returns the sum for a container's state, a new one if necessary; NULL if all are in use. */
static replay_sum *replay_find(pajesim_ref container, pajesim_ref value)
{
    replay_sum *sum, *unused = NULL;
    for (sum = replay_sums; sum < replay_sums + REPLAY_SUMS; sum++) {
        if (sum->container == container && sum->value == value)
            return sum;
        if (!sum->container && !unused)
            unused = sum;
    }
    if (unused)
        *unused = (replay_sum){container, value, 0, 0};
    return unused;
}

static void replay_print_sum(pajesim *sim, const replay_sum *sum)
{
    pajesim_text who = pajesim_name(sim, sum->container), what = pajesim_name(sim, sum->value);
    replay_print("# ", 2);
    replay_print(who.bytes, who.size);
    replay_print(" ", 1);
    replay_print(what.bytes, what.size);
    replay_print_number("times,", sum->count);
    replay_print_number("ns\n", sum->time);
}

static int replay_closed(pajesim *sim, const pajesim_entity *entity)
{
    replay_sum *sum;
    if (entity->kind == PAJESIM_STATE) {
        sum = replay_find(entity->container, entity->value);
        if (!sum)
            return PAJESIM_STOP;
        sum->count++;
        sum->time += replay_nanoseconds(entity->end) - replay_nanoseconds(entity->start);
    } else if (entity->kind == PAJESIM_CONTAINER) {
        for (sum = replay_sums; sum < replay_sums + REPLAY_SUMS; sum++)
            if (sum->container == entity->container) {
                replay_print_sum(sim, sum);
                sum->container = 0;
            }
    }
    return PAJESIM_GO_ON;
}

static void replay_begin(void)
{
    static const pajesim_callbacks callbacks = {.closed = replay_closed};
    pajesim_init(&replay_sim, replay_arena, sizeof replay_arena, NULL, &callbacks, NULL);
}

/* If the arena is too small, the rest of the trace is not replayed, and the sums stay too small. */
static void replay(const char *bytes, size_t size) { pajesim_feed(&replay_sim, bytes, size, NULL); }

static void replay_end(void)
{
    const pajesim_counts *counts;
    pajesim_finish(&replay_sim);
    counts = pajesim_count(&replay_sim);
    replay_print("#", 1);
    replay_print_number("states,", (int64_t)counts->states);
    replay_print_number("variables,", (int64_t)counts->variables);
    replay_print_number("links,", (int64_t)counts->links);
    replay_print_number("events,", (int64_t)counts->punctual);
    replay_print_number("containers,", (int64_t)counts->containers);
    replay_print_number("errors\n", (int64_t)counts->errors);
}

#endif
