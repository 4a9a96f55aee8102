/* A live program: what it registers, its regions, its threads. */
#include "agent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static __thread live_thread *self;

uint64_t live_now(const live *l)
{
    return l->config.clock(l->config.clock_data) - l->config.origin;
}

void live_forget_self(void)
{
    self = NULL;
}

/* ---- what the program registers ---- */

void live_knob(live *l, const char *name, int64_t *word, int64_t low, int64_t high, int64_t step, const char *at)
{
    if (l->knobs < LIVE_KNOBS)
        l->knob[l->knobs++] = (live_knob_info){name, at ? at : "", word, low, high, step > 0 ? step : 1, *word, 0, 0};
}

void live_knob_reverts(live *l, const char *name)
{
    for (uint32_t i = 0; i < l->knobs; i++)
        if (strcmp(l->knob[i].name, name) == 0)
            l->knob[i].reverts = 1;
}

void live_slot(live *l, const char *name, live_function *place, const live_choice *choices, size_t count,
               const char *at)
{
    live_slot_info *slot = &l->slot[l->slots];
    if (l->slots == LIVE_SLOTS)
        return;
    slot->name = name;
    slot->at = at ? at : "";
    slot->place = place;
    slot->count = count < LIVE_CHOICES_MAX ? count : LIVE_CHOICES_MAX;
    memcpy(slot->choices, choices, slot->count * sizeof *choices);
    l->slots++;
}

void live_call(live *l, const char *name, live_function function)
{
    if (l->calls < LIVE_CALLS)
        l->call[l->calls++] = (live_choice){name, function};
}

live_region *live_new_region(live *l, const char *name, const char *file, int line)
{
    const uint32_t number = __atomic_load_n(&l->regions, __ATOMIC_RELAXED);
    live_region *region = &l->region[number];
    if (number == LIVE_REGIONS)
        return &l->excess;
    *region = (live_region){.number = number, .owner = l, .name = name, .file = file, .line = line};
    region->adds = metrics_of_state(name, strlen(name));
    region->value.alias = (l->config.first_value ? l->config.first_value : 1) + number;
    if (l->config.writer)
        pajewrite_define_value(l->config.writer, region->value, l->config.state, name, NULL);
    __atomic_store_n(&l->regions, number + 1, __ATOMIC_RELEASE);
    return region;
}

void live_trace_region(live_region *region, int is_traced)
{
    if (!region->owner)
        return;
    if (is_traced)
        (void)__atomic_or_fetch(&region->on, LIVE_TRACED, __ATOMIC_RELAXED);
    else
        (void)__atomic_and_fetch(&region->on, ~(uint32_t)LIVE_TRACED, __ATOMIC_RELAXED);
}

/* ---- threads ---- */

void live_thread_begin(live *l, pajewrite *writer, pajewrite_container container, const char *name)
{
    live_thread *thread;
    uint32_t number;
    self = NULL;
    if (!l->agent && !writer)
        return;
    number = __atomic_fetch_add(&l->threads, 1, __ATOMIC_RELAXED);
    if (number >= LIVE_THREADS || !(thread = calloc(1, sizeof *thread)))
        return;
    thread->owner = l;
    thread->writer = writer;
    thread->container = container;
    thread->has_stream = writer && writer != l->config.writer && writer->config.offer == live_offer;
    thread->place = MEASURE_PLACES;
    snprintf(thread->id, sizeof thread->id, "%u", (unsigned)container.alias);
    snprintf(thread->name, sizeof thread->name, "%s", name);
    __atomic_store_n(&l->thread[number], thread, __ATOMIC_RELEASE);
    if (l->agent) {
        measure_place place = {{NULL}, {NULL}, number == 0, 0};
        clockid_t clock;
        place.id[LEVEL_PROCESS] = l->config.process;
        place.name[LEVEL_PROCESS] = l->config.process_name;
        place.id[LEVEL_THREAD] = thread->id;
        place.name[LEVEL_THREAD] = thread->name;
        thread->cpu_clock =
            pthread_getcpuclockid(pthread_self(), &clock) == 0 ? (int)clock : (int)CLOCK_PROCESS_CPUTIME_ID;
        pthread_mutex_lock(&l->agent->places);
        if (l->agent->feed->measure.places < MEASURE_PLACES) /* the agent may ask for it as soon as it has a place */
            l->agent->of_place[l->agent->feed->measure.places] = thread;
        thread->place = measure_add_place(&l->agent->feed->measure, &place);
        pthread_mutex_unlock(&l->agent->places);
    }
    self = thread;
}

void live_thread_end(live *l)
{
    if (self && l->agent && self->place < MEASURE_PLACES)
        __atomic_store_n(&l->agent->feed->measure.place[self->place].is_over, 1, __ATOMIC_RELAXED);
    self = NULL;
}

/* ---- the stream of a thread ---- */

/* A stream by itself has the regions' names, too. */
static void define_regions(live_thread *thread, uint32_t up_to)
{
    const live *l = thread->owner;
    for (; thread->defined <= up_to; thread->defined++)
        pajewrite_define_value(thread->writer, l->region[thread->defined].value, l->config.state,
                               l->region[thread->defined].name, NULL);
}

static void take_peer(live_thread *thread)
{
    pajewrite_peer *const peer = __atomic_exchange_n(&thread->next_peer, NULL, __ATOMIC_ACQ_REL);
    if (!peer)
        return;
    channel_end_peer(thread->peer);
    free(thread->peer);
    thread->peer = peer;
    pajewrite_attach(thread->writer, peer);
}

/* Sends what there is, a hundred times a second at most. */
static void flush_stream(live_thread *thread, uint64_t time)
{
    if (time - thread->flushed < 10000000)
        return;
    thread->flushed = time;
    pajewrite_flush(thread->writer);
}

/* ---- regions that are on ---- */

void live_enter_on(live_scope *scope, live_region *region)
{
    live_thread *thread = self;
    live *l = region->owner;
    const uint32_t on = __atomic_load_n(&region->on, __ATOMIC_RELAXED);
    uint64_t time;
    if (!thread || thread->owner != l)
        return;
    if (__builtin_expect(__atomic_load_n(&thread->next_peer, __ATOMIC_RELAXED) != NULL, 0))
        take_peer(thread);
    time = l->config.clock(l->config.clock_data);
    scope->region = region;
    scope->thread = thread;
    scope->begin = time;
    scope->on = on;
    scope->probes = 0;
    if (thread->depth < LIVE_STACK)
        __atomic_store_n(&thread->stack[thread->depth], region, __ATOMIC_RELAXED);
    __atomic_store_n(&thread->depth, thread->depth + 1, __ATOMIC_RELEASE);
    if ((on & LIVE_WRITTEN) && thread->has_stream)
        define_regions(thread, region->number);
    if ((on & LIVE_WRITTEN) && thread->writer)
        pajewrite_push_state_at(thread->writer, time, thread->container, l->config.state, region->value);
    if ((on & LIVE_MEASURED) && thread->place < MEASURE_PLACES && l->agent) {
        scope->probes = __atomic_load_n(&region->both, __ATOMIC_RELAXED);
        if (__atomic_load_n(&region->enter, __ATOMIC_RELAXED)) {
            __atomic_store_n(&thread->busy, thread->busy + 1, __ATOMIC_SEQ_CST);
            measure_enter(&l->agent->feed->measure, __atomic_load_n(&region->enter, __ATOMIC_SEQ_CST), region->number,
                          thread->place, time - l->config.origin);
            __atomic_store_n(&thread->busy, thread->busy + 1, __ATOMIC_RELEASE);
        }
    }
}

/* Adds an execution to the metrics that states of this name are counted by. */
static void add_totals(live_thread *thread, uint32_t which, int64_t duration, int64_t bytes)
{
    for (; which; which &= which - 1) {
        const int number = __builtin_ctz(which);
        const metric_kind kind = metrics[number].kind;
        const int64_t more = kind == METRIC_STATE_TIME ? duration : kind == METRIC_STATE_BYTES ? bytes : 1;
        __atomic_store_n(&thread->totals[number], thread->totals[number] + more, __ATOMIC_RELAXED);
    }
}

void live_leave_on(live_scope *scope, int64_t bytes)
{
    live_region *region = scope->region;
    live_thread *thread = scope->thread;
    live *l = region->owner;
    const uint64_t time = l->config.clock(l->config.clock_data);
    __atomic_store_n(&thread->depth, thread->depth - 1, __ATOMIC_RELEASE);
    if ((scope->on & LIVE_WRITTEN) && thread->writer)
        pajewrite_pop_state_at(thread->writer, time, thread->container, l->config.state);
    if (thread->peer && !thread->depth)
        flush_stream(thread, time);
    if (region->adds)
        add_totals(thread, region->adds, (int64_t)(time - scope->begin), bytes);
    if ((scope->on | __atomic_load_n(&region->on, __ATOMIC_RELAXED)) & LIVE_MEASURED) {
        if (thread->place < MEASURE_PLACES && l->agent) { /* none in a child of fork */
            uint64_t probes;
            __atomic_store_n(&thread->busy, thread->busy + 1, __ATOMIC_SEQ_CST);
            probes = (scope->probes & __atomic_load_n(&region->both, __ATOMIC_SEQ_CST)) |
                     __atomic_load_n(&region->leave, __ATOMIC_SEQ_CST);
            if (probes)
                measure_leave(&l->agent->feed->measure, probes, region->number, thread->place,
                              scope->begin - l->config.origin, time - l->config.origin);
            __atomic_store_n(&thread->busy, thread->busy + 1, __ATOMIC_RELEASE);
        }
    }
}

size_t live_offer(void *peer, const char *bytes, size_t size)
{
    return peer ? pajewrite_to_peer(peer, bytes, size) : 0;
}
