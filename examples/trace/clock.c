/* CLOCK_MONOTONIC, by the processor's time stamp counter where the system takes that clock from it, without a call.
 *
 * To read the counter takes a third of the time that the system's clock takes.  The thread that comes by when a
 * millisecond has passed compares both; until the next time the counter goes on from there, at the rate that they have
 * had to one another lately.
 *
 * What one thread has told another is not earlier there, if that calls trace_order_clock: where one line, or the
 * system's clock, takes over from another line, it is not behind that one's end. */
#include "clock.h"
#include "writer.h"

#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __x86_64__
enum { INTERVAL = 1000000, LEAST = 4000000, LATELY = 64000000, AHEAD = INTERVAL / 1024 }; /* nanoseconds */
enum { TRIES = 8 }; /* so many comparisons tell how long one takes */

/* Both clocks at the same time. */
typedef struct instant {
    uint64_t ticks, time;
} instant;

/* How the counter goes on from there. */
typedef struct line {
    instant from;
    uint64_t interval; /* for how many ticks; 0: the system's clock is read */
    uint64_t rate;     /* nanoseconds in 2^32 ticks from there on */
} line;

/* `lines[version % 2]` is read without a lock, and is right if `version` is the same afterwards.  The rest is that of
 * the thread that compares.  Where one is jumped out of that by a signal handler, the system's clock is read from then
 * on. */
static struct {
    uint32_t version;
    line lines[2];
    int is_usable, is_compared;
    int tries;
    uint64_t measured;    /* as `rate`, of late */
    uint64_t shortest;    /* ticks that a comparison has taken */
    instant older, newer; /* comparisons of the last 128 ms, for the rate */
} shared __attribute__((aligned(64)));

static uint64_t load(const uint64_t *number)
{
    return __atomic_load_n(number, __ATOMIC_RELAXED);
}

static void store(uint64_t *number, uint64_t value)
{
    __atomic_store_n(number, value, __ATOMIC_RELAXED);
}

static uint64_t read_counter(void)
{
    return __builtin_ia32_rdtsc();
}

static uint64_t read_counter_in_order(void)
{
    trace_order_clock();
    return read_counter();
}

static uint64_t end_of(const line *it)
{
    return load(&it->from.time) + (load(&it->interval) * load(&it->rate) >> 32);
}

static uint64_t rate_of(uint64_t time, uint64_t ticks)
{
    for (; time >> 31; time >>= 1)
        ticks >>= 1;
    return (time << 32) / (ticks + !ticks);
}

/* Returns whether both were read without anything in between. */
static int compare(instant *it)
{
    const uint64_t before = read_counter_in_order();
    uint64_t took;
    it->time = pajewrite_monotonic(NULL);
    took = read_counter_in_order() - before;
    it->ticks = before + took / 2;
    if (shared.tries < TRIES) {
        if (!shared.tries++ || took < shared.shortest)
            shared.shortest = took;
        return 0;
    }
    if (took > 2 * shared.shortest) {
        shared.shortest += shared.shortest / 8; /* the processor may have become slower */
        return 0;
    }
    if (took < shared.shortest)
        shared.shortest = took;
    return 1;
}

static void go_on(const line *next)
{
    const uint32_t version = shared.version + 1;
    line *it = &shared.lines[version % 2];
    __atomic_thread_fence(__ATOMIC_RELEASE);
    store(&it->from.ticks, next->from.ticks);
    store(&it->from.time, next->from.time);
    store(&it->interval, next->interval);
    store(&it->rate, next->rate);
    __atomic_store_n(&shared.version, version, __ATOMIC_RELEASE);
}

/* Goes on from a comparison.  Time never goes back: where it is ahead, it goes slower. */
static void go_on_from(const instant *now)
{
    const line *last = &shared.lines[shared.version % 2];
    const uint64_t reached = end_of(last);
    const uint64_t ahead = last->interval && reached > now->time ? reached - now->time : 0;
    const uint64_t known = now->time - shared.older.time, rate = rate_of(known, now->ticks - shared.older.ticks);
    const uint64_t usual = last->interval ? shared.measured : rate;
    const int has_changed = rate - (usual - usual / 1024) > usual / 512;
    const int is_possible = rate >> 27 && !(rate >> 40); /* from 4 MHz to 30 GHz */
    if (!shared.older.time || !is_possible || has_changed || ahead > INTERVAL / 16) { /* at first, or it has slept */
        const line none = {{now->ticks, reached}, 0, 0};
        shared.older = shared.newer = *now;
        go_on(&none);
    } else if (known >= LEAST) {
        const line next = {{now->ticks, now->time + ahead}, ((uint64_t)INTERVAL << 32) / rate,
                           rate - rate / INTERVAL * ahead};
        shared.measured = rate;
        if (now->time - shared.newer.time > LATELY) {
            shared.older = shared.newer;
            shared.newer = *now;
        }
        go_on(&next);
    }
}

/* Reads the system's clock, and compares the counter with it unless another thread does.  `reached`: the end of the
 * line, which is later if the system's clock has become slower. */
static uint64_t read_both(uint32_t version, uint64_t reached)
{
    instant now;
    if (!shared.is_usable || __atomic_exchange_n(&shared.is_compared, 1, __ATOMIC_ACQUIRE)) {
        now.time = pajewrite_monotonic(NULL);
    } else {
        if (compare(&now) && version == shared.version) /* else another thread has just done it */
            go_on_from(&now);
        __atomic_store_n(&shared.is_compared, 0, __ATOMIC_RELEASE);
    }
    return reached > now.time && reached - now.time < AHEAD ? reached : now.time;
}

/* Apart from the usual case, whose registers need not be saved then. */
static __attribute__((noinline, cold)) uint64_t read_slowly(void)
{
    for (;;) {
        const uint32_t version = __atomic_load_n(&shared.version, __ATOMIC_ACQUIRE);
        const line *it = &shared.lines[version % 2];
        const uint64_t passed = read_counter() - load(&it->from.ticks), interval = load(&it->interval);
        const uint64_t time = load(&it->from.time) + (passed * load(&it->rate) >> 32), reached = end_of(it);
        __atomic_thread_fence(__ATOMIC_ACQUIRE);
        if (version == __atomic_load_n(&shared.version, __ATOMIC_RELAXED))
            return passed < interval ? time : read_both(version, reached);
    }
}

/* Mostly the line has not ended, and is not written meanwhile. */
static uint64_t read_clock(void)
{
    const uint32_t version = __atomic_load_n(&shared.version, __ATOMIC_ACQUIRE);
    const line *it = &shared.lines[version % 2];
    const uint64_t passed = read_counter() - load(&it->from.ticks);
    const uint64_t time = load(&it->from.time) + (passed * load(&it->rate) >> 32);
    const int goes_on = passed < load(&it->interval);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return goes_on && version == __atomic_load_n(&shared.version, __ATOMIC_RELAXED) ? time : read_slowly();
}

/* Returns the least ticks that reading the system's clock takes. */
static uint64_t measure(int is_call)
{
    struct timespec now;
    uint64_t least = UINT64_MAX;
    int i;
    for (i = 0; i < 2 * TRIES; i++) {
        const uint64_t before = read_counter_in_order();
        uint64_t took;
        if (is_call)
            syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        else
            pajewrite_monotonic(NULL);
        took = read_counter_in_order() - before;
        if (took < least)
            least = took;
    }
    return least;
}

/* The vDSO reads the clock without a system call only where that is by the counter, and this is one for all processors:
 * the clock sources `tsc`, `kvm-clock` if the host says so (PVCLOCK_TSC_STABLE_BIT), Hyper-V's page. */
void trace_begin_clock(void)
{
    memset(&shared, 0, sizeof shared);
    shared.is_usable = measure(0) < measure(1) / 4 * 3;
}
#else
static uint64_t read_clock(void)
{
    return pajewrite_monotonic(NULL);
}

void trace_begin_clock(void) {}
#endif

uint64_t trace_clock(void *last)
{
    uint64_t *before = (uint64_t *)last, time = read_clock();
    if (before && time < *before)
        time = *before;
    if (before)
        *before = time;
    return time;
}
