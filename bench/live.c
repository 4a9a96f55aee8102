/* What a live program costs: regions that are off, measured, traced; a live_point.  Prints nanoseconds.
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

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 25;
    char where[16];
    int ends[2];
    live_config config = {.is_polled = 1, .where = where};
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return 1;
    end = ends[0];
    snprintf(where, sizeof where, "fd:%d", ends[1]);
    if (!live_init(&l, &config))
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
    return 0;
}
