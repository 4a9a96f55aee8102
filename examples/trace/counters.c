/* Counters: what a thread has used in each state, as fields of the state's end; and all that it has used, as variables.
 *
 * They are read after a state was written, and before its end is, so that the tracer's own work counts least. */
#include "counters.h"
#include "hardware.h"
#include "thread.h"

#include <sys/resource.h>
#include <time.h>

enum { PERIOD = 10000000 /* nanoseconds between two values of the variables, at least */ };

struct trace_counters {
    trace_hardware *hardware[TRACE_COUNTER_COUNT];
    uint64_t next; /* time of the next values */
    int64_t first[TRACE_COUNTER_COUNT];
    int64_t begin[TRACE_DEPTH][TRACE_COUNTER_COUNT];
};

static const struct {
    const char *name;
    int way;
    uint32_t number;
} kinds[] = {
#define TRACE_COUNTER(setting, name, way, number, help) {name, TRACE_COUNTED_BY_##way, number},
    TRACE_COUNTERS(TRACE_COUNTER)
#undef TRACE_COUNTER
};

static uint32_t list[TRACE_COUNTER_COUNT], count; /* those that are counted */
static pajewrite_variant counted, counted_bytes;

void trace_define_counters(pajewrite *w)
{
    char fields[TRACE_COUNTER_COUNT * 24 + 16] = "Bytes int", *p = fields + strlen(fields);
    char *begin = p + 2;
    uint32_t i;
    count = 0;
    for (i = 0; i < TRACE_COUNTER_COUNT; i++)
        if (trace_page->counters >> i & 1) {
            p = stpcpy(stpcpy(stpcpy(p, ", "), kinds[i].name), " int");
            list[count++] = i;
        }
    counted = pajewrite_define_variant(w, PAJEWRITE_POP_STATE, begin);
    counted_bytes = pajewrite_define_variant(w, PAJEWRITE_POP_STATE, fields);
}

void trace_define_counter_types(pajewrite *w)
{
    static const char *const colors[] = {"1f77b4", "ff7f0e", "2ca02c", "d62728", "9467bd",
                                         "8c564b", "e377c2", "bcbd22", "17becf", "aec7e8"};
    uint32_t i;
    for (i = 0; i < count; i++)
        pajewrite_define_variable_type(w, PAJEWRITE_TYPE(TRACE_COUNTER_TYPE + list[i]),
                                       PAJEWRITE_TYPE(TRACE_THREAD_TYPE), kinds[list[i]].name, colors[list[i] % 10]);
}

/* ---- reading */

static int64_t of_usage(const struct rusage *usage, uint32_t number)
{
    return number == TRACE_USAGE_FAULTS     ? usage->ru_minflt + usage->ru_majflt
           : number == TRACE_USAGE_SWITCHES ? usage->ru_nvcsw
                                            : usage->ru_nivcsw;
}

static void read_counters(const struct trace_counters *c, int64_t *numbers)
{
    struct rusage usage;
    struct timespec time;
    int has_usage = 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        const int way = kinds[list[i]].way;
        if (way == TRACE_COUNTED_BY_HARDWARE) {
            numbers[i] = trace_read_hardware(c->hardware[i]);
        } else if (way == TRACE_COUNTED_BY_CLOCK) {
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
            numbers[i] = (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
        } else {
            if (!has_usage)
                getrusage(RUSAGE_THREAD, &usage);
            has_usage = 1;
            numbers[i] = of_usage(&usage, kinds[list[i]].number);
        }
    }
}

/* ---- threads */

static void close_hardware(struct trace_counters *c)
{
    uint32_t i;
    for (i = 0; i < TRACE_COUNTER_COUNT; i++)
        if (c->hardware[i])
            munmap((void *)(uintptr_t)c->hardware[i], TRACE_HARDWARE_PAGE);
    memset(c->hardware, 0, sizeof c->hardware);
}

void trace_begin_counters(trace_thread *t)
{
    struct trace_counters *c = t->counted;
    uint32_t i;
    if (!c) {
        c = (struct trace_counters *)mmap(NULL, sizeof *c, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (c == MAP_FAILED)
            return;
        t->counted = c;
    }
    for (i = 0; i < count; i++)
        if (kinds[list[i]].way == TRACE_COUNTED_BY_HARDWARE &&
            !(c->hardware[i] = trace_open_hardware(kinds[list[i]].number))) {
            close_hardware(c);
            __atomic_add_fetch(&trace_page->uncounted, 1, __ATOMIC_RELAXED);
            return;
        }
    read_counters(c, c->first);
    memcpy(c->begin[0], c->first, sizeof c->first); /* of the state that is open already */
    c->next = 0;
    t->counters = c;
}

void trace_end_counters(trace_thread *t)
{
    if (t->counters)
        close_hardware(t->counters);
    t->counters = NULL;
}

/* ---- states */

void trace_count_begin(trace_thread *t)
{
    if (t->depth <= TRACE_DEPTH)
        read_counters(t->counters, t->counters->begin[t->depth - 1]);
}

/* Writes what the thread has used so far, unless that was done shortly before. */
static void write_variables(trace_thread *t, const int64_t *now)
{
    struct trace_counters *c = t->counters;
    const uint64_t time = pajewrite_now(&t->out.w);
    uint32_t i;
    if (time < c->next && t->depth > 1) /* the thread's last ones are all */
        return;
    c->next = time + PERIOD;
    for (i = 0; i < count; i++)
        pajewrite_set_variable(&t->out.w, t->container, PAJEWRITE_TYPE(TRACE_COUNTER_TYPE + list[i]),
                               now[i] - c->first[i]);
}

void trace_count_end(trace_thread *t, int64_t bytes)
{
    int64_t numbers[1 + TRACE_COUNTER_COUNT] = {bytes}, now[TRACE_COUNTER_COUNT];
    const int has_bytes = bytes != TRACE_NO_BYTES;
    const int64_t *begin = t->counters->begin[t->depth - 1 < TRACE_DEPTH ? t->depth - 1 : TRACE_DEPTH - 1];
    pajewrite_event event;
    uint32_t i;
    read_counters(t->counters, now);
    for (i = 0; i < count; i++)
        numbers[1 + i] = t->depth <= TRACE_DEPTH ? now[i] - begin[i] : 0;
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_POP_STATE;
    event.time = PAJEWRITE_TIME_NOW;
    event.container = t->container;
    event.type = PAJEWRITE_TYPE(TRACE_STATE_TYPE);
    pajewrite_write_ints(&t->out.w, &event, has_bytes ? counted_bytes : counted, has_bytes ? numbers : numbers + 1,
                         count + (has_bytes != 0));
    write_variables(t, now);
}
