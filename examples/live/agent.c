/* The agent: a thread of the program, or live_poll, that serves clients.  It waits in poll() and nowhere else. */
#include "agent.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <time.h>
#include <unistd.h>

/* ---- the feed of measure.h: the program's regions ---- */

static uint32_t find_region(void *data, const char *name)
{
    const live *l = data;
    for (uint32_t i = 0; i < __atomic_load_n(&l->regions, __ATOMIC_ACQUIRE); i++)
        if (strcmp(l->region[i].name, name) == 0)
            return i;
    return MEASURE_NO_REGION;
}

static const char *lacks(void *data, int number, int by_region)
{
    const live *l = data;
    switch (metrics[number].kind) {
    case METRIC_CLOCK:
    case METRIC_CPU:
    case METRIC_THREADS:
        return NULL;
    case METRIC_HEAP:
    case METRIC_NON_HEAP:
        return by_region ? "is measured at intervals or when it is asked for, not by regions" : NULL;
    case METRIC_STATE_TIME:
    case METRIC_STATE_COUNT:
    case METRIC_STATE_BYTES:
        for (uint32_t i = 0; i < __atomic_load_n(&l->regions, __ATOMIC_ACQUIRE); i++)
            if (l->region[i].adds >> number & 1)
                return NULL;
        return metrics[number].is_java ? "not in this catalogue"
                                       : "the program has no region of such a name (see README.md)";
    case METRIC_EVENT_COUNT:
    case METRIC_VARIABLE:
        break;
    }
    return "not in this catalogue";
}

/* Memory of the process: allocated, or all other that it occupies. */
static int64_t memory_of_process(int is_heap)
{
    const struct mallinfo2 heap = mallinfo2();
    const int64_t allocated = (int64_t)(heap.uordblks + heap.hblkhd);
    long pages = 0;
    FILE *file = is_heap ? NULL : fopen("/proc/self/statm", "re");
    if (file) {
        if (fscanf(file, "%*s %ld", &pages) != 1)
            pages = 0;
        fclose(file);
    }
    return is_heap ? allocated : (int64_t)pages * sysconf(_SC_PAGESIZE) - allocated;
}

static int64_t value(void *data, int number, uint32_t place, uint64_t time)
{
    const live *l = data;
    const live_thread *thread = l->agent->of_place[place];
    const int is_over = __atomic_load_n(&l->agent->feed->measure.place[place].is_over, __ATOMIC_RELAXED);
    struct timespec used;
    (void)time;
    switch (metrics[number].kind) {
    case METRIC_CPU:
        if (is_over || clock_gettime((clockid_t)thread->cpu_clock, &used) != 0)
            return 0;
        return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
    case METRIC_THREADS:
        return !is_over;
    case METRIC_HEAP: /* of the process: its first thread has it, as values of threads are added */
    case METRIC_NON_HEAP:
        return place == 0 ? memory_of_process(metrics[number].kind == METRIC_HEAP) : 0;
    default:
        return __atomic_load_n(&thread->totals[number], __ATOMIC_RELAXED);
    }
}

/* Tells the regions which probes want them, and waits until no thread uses one that does not. */
static void probes_changed(void *data)
{
    live *l = data;
    const struct timespec moment = {0, 20000};
    const measure *measured = &l->agent->feed->measure;
    const uint32_t wanted = measure_wanted_metrics(measured);
    for (uint32_t i = 0; i < __atomic_load_n(&l->regions, __ATOMIC_ACQUIRE); i++) {
        live_region *region = &l->region[i];
        const measure_wants wants = measure_wanted(measured, i);
        uint32_t events = 0;
        __atomic_store_n(&region->both, wants.both, __ATOMIC_SEQ_CST);
        __atomic_store_n(&region->enter, wants.enter, __ATOMIC_SEQ_CST);
        __atomic_store_n(&region->leave, wants.leave, __ATOMIC_SEQ_CST);
        if (wants.both || wants.enter || wants.leave || (region->adds & wanted))
            (void)__atomic_or_fetch(&region->on, LIVE_MEASURED, __ATOMIC_SEQ_CST);
        else
            (void)__atomic_and_fetch(&region->on, ~(uint32_t)LIVE_MEASURED, __ATOMIC_SEQ_CST);
        for (uint32_t p = 0; p < MEASURE_PROBES; p++)
            events += measured->probe[p].is_used && measured->probe[p].is_active && measured->probe[p].has_event &&
                      (measured->probe[p].from == i || measured->probe[p].to == i);
        if (events)
            (void)__atomic_or_fetch(&region->on, LIVE_EVENTS, __ATOMIC_RELAXED);
        else
            (void)__atomic_and_fetch(&region->on, ~(uint32_t)LIVE_EVENTS, __ATOMIC_RELAXED);
    }
    for (uint32_t i = 0; i < LIVE_THREADS; i++) {
        const live_thread *thread = __atomic_load_n(&l->thread[i], __ATOMIC_ACQUIRE);
        uint32_t busy = thread ? __atomic_load_n(&thread->busy, __ATOMIC_SEQ_CST) : 0;
        while ((busy & 1) && __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) == busy)
            nanosleep(&moment, NULL);
    }
}

static const char *region_name(void *data, uint32_t number, const char **file, int *line)
{
    const live *l = data;
    if (number >= __atomic_load_n(&l->regions, __ATOMIC_ACQUIRE))
        return NULL;
    *file = l->region[number].file;
    *line = l->region[number].line;
    return l->region[number].name;
}

static const char *frame(void *data, uint32_t place, uint32_t depth)
{
    const live *l = data;
    const live_thread *thread = l->agent->of_place[place];
    const uint32_t open = __atomic_load_n(&thread->depth, __ATOMIC_ACQUIRE);
    const live_region *region;
    if (depth >= open || open - 1 - depth >= LIVE_STACK)
        return NULL;
    region = __atomic_load_n(&thread->stack[open - 1 - depth], __ATOMIC_RELAXED);
    return region ? region->name : NULL;
}

static uint64_t now(void *data)
{
    return live_now(data);
}

/* ---- the thread ---- */

static int deliver(void *data, uint32_t client, const char *bytes, size_t size)
{
    const live *l = data;
    return channel_send(l->agent, client, bytes, size);
}

/* Serves what there is, and waits for it at most so many milliseconds. */
static void serve(live_agent *agent, int at_most)
{
    const uint64_t due = reply_next(agent->feed), time = live_now(agent->owner);
    if (due != UINT64_MAX && (int64_t)(due - time) < (int64_t)at_most * 1000000)
        at_most = due > time ? (int)((due - time) / 1000000) + 1 : 0;
    if ((tune_is_pending(agent) || agent->is_awaiting) && at_most > 1)
        at_most = 1; /* live_point calls nothing that could wake this thread */
    for (uint32_t p = 0; p < MEASURE_PROBES; p++)
        if (agent->feed->measure.probe[p].is_active && agent->feed->measure.probe[p].is_each && at_most > 1)
            at_most = 1;
    channel_serve(agent, at_most);
    tune_report(agent, live_now(agent->owner));
    tune_end_await(agent);
    reply_tick(agent->feed, live_now(agent->owner), deliver);
}

static void *run(void *data)
{
    live_agent *agent = data;
    while (agent->wake[0].file >= 0)
        serve(agent, 60000);
    return NULL;
}

void live_poll(live *l)
{
    if (l->agent && l->config.is_polled)
        serve(l->agent, 0);
}

/* A child of fork has no agent, and nothing of its parent's channel. */
static live *the_live;

/* Closes what clients that asked for the trace would have had it by, where no live_point comes any more. */
static void end_awaited_peers(live_agent *agent)
{
    for (uint32_t i = 0; i < AGENT_MAIL; i++) {
        mail *it = &agent->mail[i];
        if (it->kind == MAIL_ATTACH && __atomic_load_n(&it->state, __ATOMIC_ACQUIRE) == MAIL_POSTED) {
            channel_end_peer(it->peer);
            if (agent->process == getpid())
                free(it->peer);
            it->peer = NULL;
        }
    }
}

static void after_fork(void)
{
    live *l = the_live;
    if (!l || !l->agent)
        return;
    for (uint32_t i = 0; i < l->regions; i++)
        l->region[i].on &= LIVE_TRACED;
    l->pending = 0;
    l->agent->path[0] = 0; /* it is the parent's */
    channel_close(l->agent);
    channel_close_file(&l->agent->wake[1]);
    channel_end_peer(l->agent->peer);
    end_awaited_peers(l->agent);
    for (uint32_t i = 0; i < LIVE_THREADS; i++)
        for (int is_next = 0; is_next < 2 && l->thread[i]; is_next++)
            channel_end_peer(is_next ? l->thread[i]->next_peer : l->thread[i]->peer);
    l->agent = NULL;
}

static int begin(live *l, char *problem, size_t size)
{
    live_agent *agent = calloc(1, sizeof *agent);
    const measure_source source = {l, find_region, lacks, value, probes_changed};
    static int is_registered;
    sigset_t all, before;
    int wake[2];
    if (!agent) {
        snprintf(problem, size, "no memory");
        return 0;
    }
    agent->owner = l;
    agent->feed = &agent->own;
    agent->process = getpid();
    agent->wake[0].file = agent->wake[1].file = agent->listener.file = -1;
    pthread_mutex_init(&agent->places, NULL);
    measure_init(&agent->feed->measure, &source, 0);
    agent->feed->folder = l->config.folder;
    agent->feed->data = l;
    agent->feed->now = now;
    agent->feed->region = region_name;
    agent->feed->frame = frame;
    agent->feed->tune = tune_request;
    agent->feed->trace = tune_trace;
    agent->feed->catalog = tune_catalog;
    l->agent = agent;
    if (!channel_open(agent, l->config.where, problem, size)) {
        l->agent = NULL;
        free(agent);
        return 0;
    }
    the_live = l;
    if (!is_registered)
        is_registered = pthread_atfork(NULL, NULL, after_fork) == 0;
    if (l->config.is_polled)
        return 1;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the program's own threads */
    if (pipe2(wake, O_CLOEXEC) == 0) {
        agent->wake[0] = channel_file(wake[0]);
        agent->wake[1] = channel_file(wake[1]);
        agent->has_thread = pthread_create(&agent->thread, NULL, run, agent) == 0;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!agent->has_thread) {
        snprintf(problem, size, "a thread: %s", strerror(errno));
        channel_close(agent);
        l->agent = NULL;
        return 0;
    }
    return 1;
}

int live_init(live *l, const live_config *config)
{
    memset(l, 0, sizeof *l);
    l->config = *config;
    if (!l->config.clock)
        l->config.clock = pajewrite_monotonic;
    if (config->writer && config->tuned.alias)
        l->variant = pajewrite_define_variant(config->writer, PAJEWRITE_NEW_EVENT,
                                              "Request string, Knob string, Old int, New int");
    if (!config->where || !*config->where)
        return 1;
    if (getauxval(AT_SECURE))
        snprintf(l->problem_text, sizeof l->problem_text, "a program with privileges of its file is not to be asked");
    else if (begin(l, l->problem_text, sizeof l->problem_text))
        return 1;
    l->problem = l->problem_text;
    return 0;
}

void live_end(live *l)
{
    live_agent *agent = l->agent;
    if (agent && agent->process == getpid()) {
        if (agent->has_thread) {
            if (!channel_is_ours(&agent->wake[1]) || write(agent->wake[1].file, "", 1) != 1)
                pthread_cancel(agent->thread); /* the program has closed it; the thread waits in poll */
            pthread_join(agent->thread, NULL);
            channel_close_file(&agent->wake[1]);
        }
        the_live = NULL;
        tune_report(agent, live_now(l)); /* what the last live_point has done */
        channel_flush(agent);
        channel_close(agent);
        l->pending = 0;
        l->agent = NULL;
        measure_free(&agent->feed->measure);
        channel_end_peer(agent->peer);
        free(agent->peer);
        end_awaited_peers(agent);
        free(agent);
    }
    for (uint32_t i = 0; i < LIVE_THREADS; i++) {
        for (int is_next = 0; is_next < 2 && l->thread[i]; is_next++) {
            pajewrite_peer *peer = is_next ? l->thread[i]->next_peer : l->thread[i]->peer;
            if (agent)
                channel_end_peer(peer);
            free(peer);
        }
        free(l->thread[i]);
    }
    memset(l->thread, 0, sizeof l->thread);
    live_forget_self();
}
