/* A long run: a process writes, with four threads and a context each, and another follows it through a pipe.  Nothing
 * is lost, every time and number comes out as it was written, and neither takes more memory late than early.
 *
 *     long [SECONDS [EVENTS]]     default: 3600 s, 100000 events a second
 *
 * Halfway, the clocks of two threads pass 2^32 microseconds, those of the others 2^31 seconds; numbers and keys pass
 * 2^32. */
#define _GNU_SOURCE
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { THREADS = 4, ROUND = 10, ROUNDS_PER_CHILD = 50, PAUSE = 5000000 /* ns */, SAMPLES = 200, SLACK = 1 << 18 };
static const pajewrite_type thread_type = {1}, task = {2}, state = {3}, time_set = {4}, count_added = {5}, mark = {6},
                            link_type = {7}, task_state = {8};
static const pajewrite_value idle = {1}, busy = {2};

/* Counts of what was written; shared by both processes. */
typedef struct totals {
    uint64_t by_kind[PAJEWRITE__AFTER_KINDS], bytes, rounds[THREADS];
} totals;

static totals *written;
static uint64_t seconds = 3600, events_per_second = 100000, begin, bases[THREADS], boundaries[THREADS];
static char why[200];

static void expect(int holds, const char *what)
{
    if (!holds && !why[0])
        snprintf(why, sizeof why, "%s", what);
}

static uint64_t microseconds(void) { return pajewrite_monotonic(NULL) / 1000; }

/* ---- the writing process */

static pajewrite_file file;

static pajewrite_status count_and_write(void *data, const char *bytes, size_t size)
{
    __atomic_fetch_add(&written->bytes, size, __ATOMIC_RELAXED);
    return pajewrite_to_file(data, bytes, size);
}

static void counted(uint64_t *by_kind, pajewrite_kind kind, uint64_t number)
{
    __atomic_fetch_add(&by_kind[kind], number, __ATOMIC_RELAXED);
}

static pajewrite_config to_the_pipe(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = count_and_write;
    config.sink_data = &file;
    config.decimals = 6;
    return config;
}

static void *write_events(void *number)
{
    const uint64_t self = (uint64_t)(uintptr_t)number, each = UINT64_C(1) << 32;
    static char buffers[THREADS][1 << 14];
    const pajewrite_container me = PAJEWRITE_CONTAINER(self + 1);
    pajewrite_config config = to_the_pipe();
    uint64_t i = 0, most, key = each - 1000;
    pajewrite w;
    pajewrite_init(&w, buffers[self], sizeof buffers[self], &config);
    pajewrite_create_container_at(&w, bases[self], me, thread_type, PAJEWRITE_ROOT, NULL);
    pajewrite_set_variable_at(&w, bases[self], me, count_added, (int64_t)(each - 1000));
    while (microseconds() - begin < seconds * 1000000) {
        const struct timespec pause = {0, PAUSE};
        nanosleep(&pause, NULL);
        most = (microseconds() - begin) * events_per_second / (1000000 * THREADS * ROUND);
        for (; i < most; i++) {
            const uint64_t time = bases[self] + (microseconds() - begin);
            const pajewrite_container child = PAJEWRITE_CONTAINER(i % 1000000 * THREADS + self + 1000);
            pajewrite_push_state_at(&w, time, me, state, busy);
            pajewrite_push_state_at(&w, time, me, state, idle);
            pajewrite_set_variable_at(&w, time, me, time_set, (int64_t)time);
            pajewrite_add_variable_at(&w, time, me, count_added, 3);
            pajewrite_sub_variable_at(&w, time, me, count_added, 2);
            pajewrite_new_event_at(&w, time, me, mark, busy);
            pajewrite_start_link_at(&w, time, me, link_type, idle, me, key * THREADS + self);
            pajewrite_end_link_at(&w, time, me, link_type, idle, me, key * THREADS + self);
            pajewrite_pop_state_at(&w, time, me, state);
            pajewrite_pop_state_at(&w, time, me, state);
            key++;
            if (i % ROUNDS_PER_CHILD)
                continue;
            pajewrite_create_container_at(&w, time, child, task, me, "a task that comes and goes");
            pajewrite_set_state_at(&w, time, child, task_state, busy);
            pajewrite_destroy_container_at(&w, time, child, task);
        }
    }
    pajewrite_destroy_container_at(&w, bases[self] + (microseconds() - begin), me, thread_type);
    expect(pajewrite_finish(&w) == PAJEWRITE_OK, pajewrite_status_text(pajewrite_get_status(&w)));
    written->rounds[self] = i;
    counted(written->by_kind, PAJEWRITE_PUSH_STATE, 2 * i);
    counted(written->by_kind, PAJEWRITE_POP_STATE, 2 * i);
    counted(written->by_kind, PAJEWRITE_SET_VARIABLE, i + 1);
    counted(written->by_kind, PAJEWRITE_ADD_VARIABLE, i);
    counted(written->by_kind, PAJEWRITE_SUB_VARIABLE, i);
    counted(written->by_kind, PAJEWRITE_NEW_EVENT, i);
    counted(written->by_kind, PAJEWRITE_START_LINK, i);
    counted(written->by_kind, PAJEWRITE_END_LINK, i);
    i = (i + ROUNDS_PER_CHILD - 1) / ROUNDS_PER_CHILD;
    counted(written->by_kind, PAJEWRITE_SET_STATE, i);
    counted(written->by_kind, PAJEWRITE_CREATE_CONTAINER, i + 1);
    counted(written->by_kind, PAJEWRITE_DESTROY_CONTAINER, i + 1);
    return NULL;
}

static int write_all(int descriptor)
{
    static char buffer[1 << 14];
    static pthread_t threads[THREADS];
    pajewrite_config config;
    pajewrite w;
    uintptr_t i;
    pajewrite_file_init(&file, descriptor);
    config = to_the_pipe();
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, thread_type, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_container_type(&w, task, thread_type, "Task");
    pajewrite_define_state_type(&w, state, thread_type, "State");
    pajewrite_define_state_type(&w, task_state, task, "State of a task");
    pajewrite_define_variable_type(&w, time_set, thread_type, "Time", NULL);
    pajewrite_define_variable_type(&w, count_added, thread_type, "Count", NULL);
    pajewrite_define_event_type(&w, mark, thread_type, "Mark");
    pajewrite_define_link_type(&w, link_type, thread_type, thread_type, thread_type, "Link");
    expect(pajewrite_finish(&w) == PAJEWRITE_OK, pajewrite_status_text(pajewrite_get_status(&w)));
    for (i = 0; i < THREADS; i++)
        expect(pthread_create(&threads[i], NULL, write_events, (void *)i) == 0, "threads can be made");
    for (i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (why[0])
        fprintf(stderr, "long: writing: %s\n", why);
    return why[0] != 0;
}

/* ---- the following process */

static struct {
    uint64_t first, last; /* times of the variable, by its number */
    double count;
} seen[THREADS];
static uint64_t closed_of[PAJESIM_LINK + 1];

static uint64_t number_of(pajesim_text text)
{
    uint64_t number = 0;
    size_t i;
    for (i = 0; i < text.size; i++)
        number = number * 10 + (uint64_t)(text.bytes[i] - '0');
    return number;
}

static int problem(pajesim *sim, const pajesim_problem *p)
{
    (void)sim;
    if (!why[0])
        snprintf(why, sizeof why, "line %" PRIu64 ": %s: %.*s", p->line, p->text, (int)p->bytes.size, p->bytes.bytes);
    return PAJESIM_GO_ON;
}

static int variable_set(pajesim *sim, const pajesim_entity *segment)
{
    const uint64_t who = number_of(pajesim_alias(sim, segment->container)) - 1;
    const uint64_t time = (uint64_t)(segment->start * 1e6 + 0.5);
    if (number_of(pajesim_alias(sim, segment->type)) == count_added.alias) {
        seen[who].count = segment->number;
        return PAJESIM_GO_ON;
    }
    expect(segment->number == (double)time, "the time is that which was written");
    expect(time >= seen[who].last, "the time goes on");
    if (!seen[who].first)
        seen[who].first = time;
    seen[who].last = time;
    return PAJESIM_GO_ON;
}

static int variable_updated(pajesim *sim, const pajesim_entity *segment)
{
    const uint64_t who = number_of(pajesim_alias(sim, segment->container)) - 1;
    const double change = segment->number - seen[who].count;
    expect(change == 3 || change == -2, "no number is lost");
    seen[who].count = segment->number;
    return PAJESIM_GO_ON;
}

static int link_completed(pajesim *sim, const pajesim_entity *link)
{
    static uint64_t last[THREADS];
    const uint64_t key = number_of(link->key), who = number_of(pajesim_alias(sim, link->start_container)) - 1;
    expect(key % THREADS == who, "a link is its thread's");
    expect(!last[who] || key == last[who] + THREADS, "no link is lost");
    last[who] = key;
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)sim;
    closed_of[entity->kind]++;
    return PAJESIM_GO_ON;
}

/* Resident memory of a process, in bytes. */
static long resident(pid_t process)
{
    char path[64];
    long size = 0, pages = 0;
    FILE *statistics;
    snprintf(path, sizeof path, "/proc/%ld/statm", (long)process);
    statistics = fopen(path, "r");
    if (statistics && fscanf(statistics, "%ld %ld", &size, &pages) != 2)
        pages = 0;
    if (statistics)
        fclose(statistics);
    return pages * sysconf(_SC_PAGESIZE);
}

typedef struct memory {
    long reader, writer, arena;
} memory;

static void keep_most(long *to, long at_least)
{
    if (*to < at_least)
        *to = at_least;
}

static void sample(memory *most, const pajesim *sim, pid_t writer)
{
    keep_most(&most->reader, resident(getpid()));
    keep_most(&most->writer, resident(writer));
    keep_most(&most->arena, (long)pajesim_used(sim));
}

/* Feeds the output of the pipe, until its end.  `early`, `late`: the greatest memory in the first tenth, and after
 * it. */
static void follow(pajesim *sim, int pipe, pid_t writer, memory *early, memory *late)
{
    static char bytes[1 << 16];
    uint64_t next_sample = 0;
    ssize_t size;
    while (!why[0] && (size = read(pipe, bytes, sizeof bytes)) > 0) {
        uint64_t elapsed = microseconds() - begin;
        expect(pajesim_feed(sim, bytes, (size_t)size, NULL) == PAJESIM_OK, "the arena is large enough");
        if (elapsed < next_sample)
            continue;
        sample(elapsed < seconds * 100000 ? early : late, sim, writer);
        next_sample = elapsed + seconds * 1000000 / SAMPLES;
    }
}

static void compare(pajesim *sim)
{
    const pajesim_counts *counts = pajesim_count(sim);
    const uint64_t *by_kind = written->by_kind;
    uint64_t i;
    expect(counts->by_event[PAJESIM_PUSH_STATE] == by_kind[PAJEWRITE_PUSH_STATE] &&
           counts->by_event[PAJESIM_POP_STATE] == by_kind[PAJEWRITE_POP_STATE] &&
           counts->by_event[PAJESIM_SET_STATE] == by_kind[PAJEWRITE_SET_STATE] &&
           closed_of[PAJESIM_STATE] == by_kind[PAJEWRITE_PUSH_STATE] + by_kind[PAJEWRITE_SET_STATE],
           "no state is lost");
    expect(counts->by_event[PAJESIM_SET_VARIABLE] == by_kind[PAJEWRITE_SET_VARIABLE] &&
           counts->by_event[PAJESIM_ADD_VARIABLE] == by_kind[PAJEWRITE_ADD_VARIABLE] &&
           counts->by_event[PAJESIM_SUB_VARIABLE] == by_kind[PAJEWRITE_SUB_VARIABLE],
           "no change of a variable is lost");
    expect(counts->by_event[PAJESIM_NEW_EVENT] == by_kind[PAJEWRITE_NEW_EVENT] &&
           closed_of[PAJESIM_EVENT] == by_kind[PAJEWRITE_NEW_EVENT], "no event is lost");
    expect(counts->by_event[PAJESIM_START_LINK] == by_kind[PAJEWRITE_START_LINK] &&
           counts->by_event[PAJESIM_END_LINK] == by_kind[PAJEWRITE_END_LINK] &&
           closed_of[PAJESIM_LINK] == by_kind[PAJEWRITE_END_LINK], "no link is lost");
    expect(counts->by_event[PAJESIM_CREATE_CONTAINER] == by_kind[PAJEWRITE_CREATE_CONTAINER] &&
           counts->by_event[PAJESIM_DESTROY_CONTAINER] == by_kind[PAJEWRITE_DESTROY_CONTAINER] &&
           closed_of[PAJESIM_CONTAINER] == by_kind[PAJEWRITE_DESTROY_CONTAINER] + 1, "no container is lost");
    expect(counts->bytes == written->bytes, "no byte is lost");
    for (i = 0; i < THREADS; i++) {
        expect(seen[i].count == (double)((UINT64_C(1) << 32) - 1000 + written->rounds[i]), "numbers are as written");
        expect(seen[i].first < boundaries[i] && seen[i].last >= boundaries[i], "the clocks come past their boundary");
    }
}

int main(int argc, char **argv)
{
    static uint64_t arena[1 << 14];
    static const pajesim_callbacks callbacks = {.problem = problem, .variable_set = variable_set,
        .variable_updated = variable_updated, .link_completed = link_completed, .closed = closed};
    static pajesim sim;
    memory early = {0, 0, 0}, late = {0, 0, 0};
    int pipes[2], status = 1;
    uint64_t i;
    pid_t writer;
    if (argc > 1)
        seconds = strtoull(argv[1], NULL, 10);
    if (argc > 2)
        events_per_second = strtoull(argv[2], NULL, 10);
    if (seconds < 1 || seconds > 8000 || events_per_second < 1 || argc > 3) {
        fputs("usage: long [SECONDS [EVENTS]]: up to 8000, and events a second\n", stderr);
        return 2;
    }
    for (i = 0; i < THREADS; i++) {
        boundaries[i] = i < THREADS / 2 ? UINT64_C(1) << 32 : (UINT64_C(1) << 31) * 1000000;
        bases[i] = boundaries[i] - seconds * 500000;
    }
    written = (totals *)mmap(NULL, sizeof *written, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (written == MAP_FAILED || pipe(pipes) != 0 ||
        pajesim_init(&sim, arena, sizeof arena, NULL, &callbacks, NULL) != PAJESIM_OK) {
        fputs("long: cannot begin\n", stderr);
        return 2;
    }
    begin = microseconds();
    writer = fork();
    if (writer < 0) {
        perror("long");
        return 2;
    }
    if (writer == 0) {
        close(pipes[0]);
        _exit(write_all(pipes[1]));
    }
    close(pipes[1]);
    follow(&sim, pipes[0], writer, &early, &late);
    if (why[0])
        kill(writer, SIGKILL);
    waitpid(writer, &status, 0);
    expect(status == 0, "the writer ends well");
    expect(pajesim_finish(&sim) == PAJESIM_OK, "the trace is valid");
    compare(&sim);
    expect(late.reader > 0 && late.reader <= early.reader + SLACK && late.writer > 0 &&
           late.writer <= early.writer + SLACK, "memory is flat"); /* some pages are touched late for the first time */
    expect(late.arena > 0 && late.arena <= early.arena + early.arena / 4, "the arena is flat");
    if (why[0])
        printf("FAIL long/a writer and who follows it: not so: %s\n", why);
    else
        printf("PASS long/a writer and who follows it\n");
    fprintf(stderr,
            "long: %" PRIu64 " s, %" PRIu64 " events, %" PRIu64 " bytes; resident early and late, KB: reader %ld %ld, "
            "writer %ld %ld; arena %ld %ld bytes\n", seconds, pajesim_count(&sim)->events, pajesim_count(&sim)->bytes,
            early.reader / 1024, late.reader / 1024, early.writer / 1024, late.writer / 1024, early.arena, late.arena);
    return why[0] != 0;
}
