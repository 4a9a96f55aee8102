/* The time stamp counter as a clock. */
#pragma once

#include "monotonic.h"
#include "../api/platform.h"

#ifdef PAJEWRITE_TSC
/* Reads both clocks: the counter before and after CLOCK_MONOTONIC; the shortest of five calls counts. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_compare(uint64_t *monotonic)
{
    uint64_t shortest = UINT64_MAX, ticks = 0;
    int i;
    *monotonic = 0;
    for (i = 0; i < 5; i++) {
        uint64_t before = __builtin_ia32_rdtsc(), now = pajewrite_monotonic(NULL), after = __builtin_ia32_rdtsc();
        if (after - before < shortest) {
            shortest = after - before;
            ticks = before + shortest / 2;
            *monotonic = now;
        }
    }
    return ticks;
}

PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_rate(uint64_t time, uint64_t ticks)
{
    for (; time >> 32; time >>= 1)
        ticks >>= 1;
    return (time << 32) / (ticks + !ticks);
}

/* How many ticks so many nanoseconds have; at most 2^33, more than half a second has, where the clock hardly goes. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_ticks(uint64_t time, uint64_t rate)
{
    const uint64_t ticks = (time << 32) / (rate + !rate);
    return ticks >> 33 ? UINT64_C(1) << 33 : ticks;
}

/* Nanoseconds between comparisons.  A rate is off by what a comparison is off, some 10 ns, in the time since the last
 * one; so at first they follow each other soon, else clocks would differ by a microsecond before the second one. */
enum { PAJEWRITE__TSC_LONGEST = 500000000 };

/* The first comparison in the process, to which later clocks refer, so that they need not wait. */
static struct {
    int state; /* 0: none yet; 1: being stored; 2: there */
    uint64_t ticks, monotonic, rate;
} pajewrite__tsc_first;

/* Waits until ten milliseconds after a comparison; returns the rate since then, and the times now.  It does not wait
 * for ever, as a clock that the program or a library gives in place of the system's may stand still: 2^31 ticks, about
 * a second. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__tsc_calibrate(uint64_t first_ticks, uint64_t first_monotonic, uint64_t *ticks,
                                         uint64_t *monotonic)
{
    do
        *ticks = pajewrite__tsc_compare(monotonic);
    while (*monotonic - first_monotonic < 10000000 && (*ticks - first_ticks + (UINT64_C(1) << 31)) >> 32 == 0);
    return pajewrite__tsc_rate(*monotonic - first_monotonic, *ticks - first_ticks);
}

PAJEWRITE__API void pajewrite_tsc_init(pajewrite_tsc *clock)
{
    uint64_t ticks = 0, monotonic = 0, first_ticks, first_monotonic, rate = 0;
    int state = 2;
    if (PAJEWRITE__SWAP_IF(int, pajewrite__tsc_first.state, &state, 2)) { /* a load, where sanitizers know no fences */
        const uint64_t usual = pajewrite__tsc_first.rate;
        rate = pajewrite__tsc_calibrate(pajewrite__tsc_first.ticks, pajewrite__tsc_first.monotonic, &ticks, &monotonic);
        if (rate - (usual - usual / 1000) > usual / 500) /* the machine slept, or another core's counter is off */
            rate = 0;
    }
    if (!rate) {
        first_ticks = pajewrite__tsc_compare(&first_monotonic);
        rate = pajewrite__tsc_calibrate(first_ticks, first_monotonic, &ticks, &monotonic);
        if (!state && PAJEWRITE__SWAP_IF(int, pajewrite__tsc_first.state, &state, 1)) {
            pajewrite__tsc_first.ticks = first_ticks;
            pajewrite__tsc_first.monotonic = first_monotonic;
            pajewrite__tsc_first.rate = rate;
            PAJEWRITE__PUBLISH(int, pajewrite__tsc_first.state, 2);
        }
    }
    clock->rate = rate;
    clock->interval = pajewrite__tsc_ticks(PAJEWRITE__TSC_LONGEST / 64, rate);
    clock->ticks = ticks;
    clock->time = clock->monotonic = monotonic;
}

/* The corrected rate holds up to the next comparison; if that is late, the true rate from there on, as else the time
 * would be as far off on the other side, or farther. */
PAJEWRITE__COLD uint64_t pajewrite__tsc_correct(pajewrite_tsc *clock)
{
    uint64_t monotonic, ticks = pajewrite__tsc_compare(&monotonic), passed = ticks - clock->ticks;
    uint64_t corrected, late, returned, error, rate;
    if (passed >> 63 && 0 - passed <= clock->interval) /* another core's counter is behind: the time stands still */
        return clock->time;
    rate = pajewrite__tsc_rate(monotonic - clock->monotonic, passed);
    /* The counter has begun again, or the time has jumped ahead, as where the machine was suspended. */
    if (passed >> 63 || rate < clock->rate / 4 || (clock->rate && rate / 4 > clock->rate)) {
        clock->time += monotonic - clock->monotonic;
        if (clock->time < monotonic)
            clock->time = monotonic;
        clock->monotonic = monotonic;
        clock->ticks = ticks;
        return clock->time;
    }
    corrected = passed < clock->interval ? passed : clock->interval;
    late = passed - corrected;
    returned = clock->time + (corrected * clock->rate >> 32);
    clock->rate = rate;
    returned += (late >> 32) * clock->rate + ((late & 0xffffffffu) * clock->rate >> 32);
    clock->monotonic = monotonic;
    clock->ticks = ticks;
    clock->time = returned;
    if (clock->interval < pajewrite__tsc_ticks(PAJEWRITE__TSC_LONGEST / 4 * 3, rate))
        clock->interval *= 2;
    if (returned < monotonic && monotonic - returned > 1000000) {
        clock->time = monotonic; /* the machine slept, or the clock was not read for long */
    } else if (returned < monotonic) {
        clock->rate += pajewrite__tsc_rate(monotonic - returned, clock->interval);
    } else {
        error = pajewrite__tsc_rate(returned - monotonic, clock->interval);
        clock->rate -= error < clock->rate / 2 ? error : clock->rate / 2;
    }
    return clock->time;
}

PAJEWRITE__API uint64_t pajewrite_tsc_now(void *data)
{
    pajewrite_tsc *clock = (pajewrite_tsc *)data;
    uint64_t passed = __builtin_ia32_rdtsc() - clock->ticks;
    if (PAJEWRITE__UNLIKELY(passed > clock->interval))
        return pajewrite__tsc_correct(clock);
    return clock->time + (passed * clock->rate >> 32);
}
#endif
