/* The tuning actions of section 2.2.2, each at a breakpoint, a live_point: it is done there, and not at another.
 * Prints PASS and FAIL lines.  usage: actions FOLDER [TIMES]      TIMES: prints how long each takes, too */
#include "clients.h"
#include "live/live.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static live l;
static clients all;
static int64_t knob = 1, parameter = 10, calls;

static void first(void) {}
static void second(void) {}
static live_function slot = first;

static void call(void)
{
    calls++;
}

static void found(void *data, const client *it)
{
    (void)data, (void)it;
}

static void serve(void)
{
    struct pollfd files[16];
    const nfds_t count = clients_wait(&all, files, 16);
    if (poll(files, count, all.waits ? 1 : 10) > 0 || all.waits)
        clients_read(&all, files, count);
}

/* What an action changes, as a number. */
static int64_t state_of(tunlet_action action)
{
    switch (action) {
    case TUNLET_SET: return knob;
    case TUNLET_REPLACE: return slot == second;
    case TUNLET_PARAM: return parameter;
    case TUNLET_CALL:
    case TUNLET_INSERT:
    case TUNLET_REMOVE:
    case TUNLET_LOAD: break;
    }
    return calls;
}

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Asks for it, and passes the place until it is done.  Returns ns; -1: it is refused. */
static int64_t act(const tunlet_point *point, int64_t value, int is_tried_elsewhere)
{
    const int64_t before = state_of(point->action), begin = now();
    const uint64_t pending = l.pending;
    if (!clients_turn(&all, point, value))
        return -1;
    while (__atomic_load_n(&l.pending, __ATOMIC_RELAXED) == pending)
        ;
    if (is_tried_elsewhere) {
        live_point(&l, "elsewhere");
        if (state_of(point->action) != before)
            return -1;
    }
    live_point(&l, "here");
    return now() - begin;
}

static int status;

static void check(const char *name, int is_right)
{
    printf("%s mate/actions: %s\n", is_right ? "PASS" : "FAIL", name);
    status |= !is_right;
}

static int in_order(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Waits until it was reported, so that the next one finds no change that waits. */
static void wait_for_reports(uint64_t before)
{
    int i;
    for (i = 0; i < 1000 && all.applied + all.refused == before; i++)
        serve();
}

enum { POINTS = 6, MOST_TIMES = 1000 };
static const tunlet_point points[POINTS] = {
    {"Knob", 0, 100, 0, 0, NULL, TUNLET_SET, "here", 0},
    {"Slot", 0, 1, 0, 0, NULL, TUNLET_REPLACE, "here", 0},
    {"Function", 0, 100, 0, 0, NULL, TUNLET_PARAM, "here", 2},
    {"Call", 0, 1, 0, 0, NULL, TUNLET_CALL, "here", 0},
    {"Call", 0, 1, 0, 0, NULL, TUNLET_INSERT, "here", 0},
    {"Call", 0, 1, 0, 0, NULL, TUNLET_REMOVE, "here", 0}};

static void print_times(int count)
{
    static const char *const names[POINTS] = {"SetVariableValue", "ReplaceFunction", "FunctionParamChange",
                                              "OneTimeFunctionCall", "InsertFunctionCall", "RemoveFunctionCall"};
    static int64_t times[MOST_TIMES];
    int i, k;
    for (i = 0; i < POINTS; i++) {
        for (k = 0; k < count && k < MOST_TIMES; k++) {
            const uint64_t before = all.applied + all.refused;
            if (i == 5) { /* there has to be one to be removed */
                act(&points[4], 1, 0);
                wait_for_reports(before);
            }
            times[k] = act(&points[i], k % 2, 0);
            wait_for_reports(all.applied + all.refused);
            if (i == 4) {
                act(&points[5], 1, 0);
                wait_for_reports(all.applied + all.refused);
            }
        }
        qsort(times, (size_t)k, sizeof *times, in_order);
        printf("%-20s median %7.1f us, 95 %% below %7.1f us\n", names[i], (double)times[k / 2] / 1e3,
               (double)times[k * 95 / 100] / 1e3);
    }
}

int main(int argc, char **argv)
{
    char where[300];
    const live_config config = {.where = where};
    const tunlet_point none = {"None", 0, 1, 0, 0, NULL, TUNLET_SET, NULL, 0}, load = {"Knob", 0, 1, 0, 0, NULL,
                                                                                      TUNLET_LOAD, NULL, 0};
    int i;
    if (argc < 2)
        return 2;
    snprintf(where, sizeof where, "@%s", argv[1]);
    mkdir(argv[1], 0700);
    if (!live_init(&l, &config)) {
        printf("FAIL mate/actions: %s\n", l.problem);
        return 1;
    }
    live_knob(&l, "Knob", &knob, LIVE_RANGE(0, 100, 1), NULL);
    live_knob(&l, "Function:2", &parameter, LIVE_RANGE(0, 100, 1), NULL);
    live_slot(&l, "Slot", &slot, LIVE_CHOICES({"first", first}, {"second", second}), NULL);
    live_call(&l, "Call", call);
    live_thread_begin(&l, NULL, PAJEWRITE_CONTAINER(1), "main");
    clients_begin(&all, argv[1], found, NULL);
    clients_look(&all);
    for (i = 0; i < 1000 && (all.all.count == 0 || !all.all.items[0]->is_known); i++)
        serve();

    check("SetVariableValue", act(&points[0], 7, 1) >= 0 && knob == 7);
    check("ReplaceFunction", act(&points[1], 1, 1) >= 0 && slot == second);
    check("FunctionParamChange", act(&points[2], 42, 1) >= 0 && parameter == 42);
    check("OneTimeFunctionCall", act(&points[3], 1, 1) >= 0 && calls == 1);
    live_point(&l, "here");
    check("OneTimeFunctionCall: once", calls == 1);
    check("InsertFunctionCall", act(&points[4], 1, 0) >= 0 && calls == 2);
    live_point(&l, "here");
    live_point(&l, "elsewhere");
    check("InsertFunctionCall: each time, there alone", calls == 3);
    check("RemoveFunctionCall", act(&points[5], 1, 0) >= 0 && calls == 3);
    live_point(&l, "here");
    check("RemoveFunctionCall: no more", calls == 3);
    check("LoadLibrary is refused", !clients_turn(&all, &load, 1));
    check("a knob that is none", !clients_turn(&all, &none, 1));
    check("a value out of range", !clients_turn(&all, &points[0], 101));
    for (i = 0; i < 1000 && all.applied < 6; i++)
        serve();
    check("all are reported", all.applied == 6 && all.refused == 0);
    if (argc > 2)
        print_times(atoi(argv[2]));
    clients_end(&all);
    live_end(&l);
    return status;
}
