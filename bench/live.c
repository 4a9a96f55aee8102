/* What a live program costs: regions that are off, measured, traced; a live_point.  Prints nanoseconds.  Then how long
 * a change takes from its request until it is made, in a program whose iterations take no time.
 * usage: live [ROUNDS] */
#include "live/agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 100000 };
static live l;
static live_region *region;
static int end;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void nothing(void)
{
    __asm__ volatile("" ::: "memory");
}

static void clocks(void)
{
    (void)pajewrite_monotonic(NULL);
    (void)pajewrite_monotonic(NULL);
}

static void in_region(void)
{
    LIVE_REGION(region);
    __asm__ volatile("" ::: "memory");
}

static void at_point(void)
{
    live_point(&l, "iteration");
    __asm__ volatile("" ::: "memory");
}

/* The least of some rounds. */
static void measure_call(const char *name, void (*call)(void), int rounds)
{
    double best = 1e9;
    for (int round = 0; round < rounds; round++) {
        const double begin = now();
        for (int i = 0; i < COUNT; i++)
            call();
        if ((now() - begin) / COUNT < best)
            best = (now() - begin) / COUNT;
    }
    printf("%-40s %6.2f ns\n", name, best);
}

static void ask(const char *text)
{
    char got[4096];
    (void)!send(end, text, strlen(text), 0);
    for (int i = 0; i < 4; i++)
        live_poll(&l);
    (void)!recv(end, got, sizeof got, MSG_DONTWAIT);
}

/* ---- from a request to its change ---- */

static int is_over;
static int64_t knob;

static void *iterate(void *argument)
{
    while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
        live_point(&l, "iteration");
    return argument;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sends changes one by one, a millisecond apart: the program says when each was made, by the same clock. */
static void measure_changes(int count)
{
    static double took[10000];
    const struct timespec moment = {0, 1000000};
    pthread_t thread;
    pthread_create(&thread, NULL, iterate, NULL);
    for (int i = 0; i < count; i++) {
        char text[128], got[512];
        const char *time;
        double begin;
        ssize_t size;
        nanosleep(&moment, NULL);
        snprintf(text, sizeof text, "<tunereq id=\"1\"><set name=\"knob\" value=\"%d\"/></tunereq>", i);
        begin = now();
        (void)!send(end, text, strlen(text), 0);
        size = recv(end, got, sizeof got - 1, 0);
        got[size > 0 ? size : 0] = 0;
        time = strstr(got, "time=\"");
        took[i] = time ? strtod(time + 6, NULL) * 1e9 - begin : 0;
    }
    __atomic_store_n(&is_over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    qsort(took, (size_t)count, sizeof *took, compare);
    printf("%-40s %6.1f us, 95 of 100 within %.1f us (of %d)\n", "from a request to its change, median",
           took[count / 2] / 1e3, took[count * 95 / 100] / 1e3, count);
}

/* Begins with a channel that was inherited.  Returns 0 if it cannot. */
static int begin(int is_polled)
{
    char where[16];
    int ends[2];
    live_config config = {.is_polled = is_polled, .where = where};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 0;
    end = ends[0];
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    return live_init(&l, &config);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 25;
    if (!begin(1))
        return 1;
    live_thread_begin(&l, NULL, PAJEWRITE_CONTAINER(1), "main");
    region = LIVE_NEW_REGION(&l, "region");
    measure_call("a call of an empty function", nothing, rounds);
    measure_call("live_point, nothing is asked", at_point, rounds);
    measure_call("a region that is off", in_region, rounds);
    measure_call("two readings of the clock", clocks, rounds);
    ask("<instrreq activated=\"true\"><codeRegion from=\"region\" to=\"region\"/><metric name=\"WC_TIME\"/><measuring>"
        "<aggregate function=\"AVERAGE\"/><aggregate function=\"MAXIMUM\"/><aggregate function=\"MINIMUM\"/>"
        "<aggregate function=\"SUM\"/><aggregate function=\"VARIANCE\"/></measuring></instrreq>");
    measure_call("a region with five aggregates", in_region, rounds);
    ask("<instrreq activated=\"true\"><codeRegion from=\"region\" to=\"region\"/><metric "
        "name=\"CPU_TIME\"/></instrreq>");
    measure_call("and with CPU_TIME", in_region, rounds);
    live_end(&l);
    close(end);
    if (!begin(0))
        return 1;
    live_knob(&l, "knob", &knob, LIVE_RANGE(0, INT64_MAX, 1), "iteration");
    measure_changes(rounds < 1 ? 1 : rounds > 250 ? 10000 : 40 * rounds);
    live_end(&l);
    close(end);
    return 0;
}
