/* A small task runtime that traces itself: work stealing, and tasks that depend on each other.
 * usage: runtime PREFIX [WORKERS [BLOCKS]]
 *
 * Each worker writes PREFIX.WORKER.trace; `paje merge -o all.trace PREFIX.*.trace` makes one trace of them. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { MAX_WORKERS = 64, MAX_BLOCKS = 24, MAX_TASKS = MAX_BLOCKS * MAX_BLOCKS, EDGES = 4, SIDE = 128 };

static const pajewrite_type machine_type = {1}, worker_type = {2};
static const pajewrite_type activity = {3}, length = {4}, steal = {5}, edge = {6};
static const pajewrite_value idle = {1}, border = {2}, inner = {3}; /* of activity */
static const pajewrite_value stolen = {1}, ready = {1};             /* of steal, of edge */
static const pajewrite_container machine = {1};

typedef struct {
    void (*function)(int argument);
    int argument;
    pajewrite_value state; /* of the worker while it runs this task */
    int missing;           /* number of tasks in `before` that are not done; atomic */
    int before[EDGES], before_count, after[EDGES], after_count; /* dependencies and dependents, by number */
} task;

typedef struct {
    pthread_mutex_t lock;
    int queue[MAX_TASKS], bottom, top; /* the owner takes from the top, other workers steal from the bottom */
    int number;
    pajewrite_container container;
    pajewrite_file file;
    pajewrite w;
    char buffer[1 << 16];
} worker;

static task tasks[MAX_TASKS];
static worker workers[MAX_WORKERS];
static int task_count, worker_count, done_count; /* done_count is atomic */

/* Every file has all definitions and containers, so it can be read by itself (ends of links between workers
 * are elsewhere: `paje validate -z`); merging makes one of each. */
static void open_trace(worker *me, const char *prefix, uint64_t origin)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    char name[4096];
    snprintf(name, sizeof name, "%s.%d.trace", prefix, me->number);
    pajewrite_file_init(&me->file, open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = &me->file;
    config.origin = origin;
    pajewrite_init(&me->w, me->buffer, sizeof me->buffer, &config);
    pajewrite_header(&me->w);
    pajewrite_define_container_type(&me->w, machine_type, PAJEWRITE_ROOT_TYPE, "Machine");
    pajewrite_define_container_type(&me->w, worker_type, machine_type, "Worker");
    pajewrite_define_state_type(&me->w, activity, worker_type, "Activity");
    pajewrite_define_value(&me->w, idle, activity, "idle", "0.8 0.2 0.2");
    pajewrite_define_value(&me->w, border, activity, "border block", "0.9 0.7 0.1");
    pajewrite_define_value(&me->w, inner, activity, "inner block", "0.2 0.7 0.3");
    pajewrite_define_variable_type(&me->w, length, worker_type, "Queue length", NULL);
    pajewrite_define_event_type(&me->w, steal, worker_type, "Steal");
    pajewrite_define_value(&me->w, stolen, steal, "stolen", NULL);
    pajewrite_define_link_type(&me->w, edge, machine_type, worker_type, worker_type, "Dependency");
    pajewrite_define_value(&me->w, ready, edge, "ready", NULL);
    pajewrite_create_container_at(&me->w, origin, machine, machine_type, PAJEWRITE_ROOT, "machine");
    for (int i = 0; i < worker_count; i++) {
        snprintf(name, sizeof name, "worker %d", i);
        pajewrite_create_container_at(&me->w, origin, workers[i].container, worker_type, machine, name);
    }
    pajewrite_set_variable_at(&me->w, origin, me->container, length, me->top);
}

static void depend(task *t, int on)
{
    t->before[t->before_count++] = on;
    t->missing++;
    tasks[on].after[tasks[on].after_count++] = (int)(t - tasks);
}

/* Returns the key of the link for a dependency: both ends compute the same. */
static uint64_t key(int before, int after) { return (uint64_t)before * MAX_TASKS + (uint64_t)after; }

/* Appends to the worker's own queue.  The length is written under the lock, so that the lengths of a queue are in order
 * of time although several workers write them. */
static void put(worker *me, int number)
{
    pthread_mutex_lock(&me->lock);
    me->queue[me->top++] = number;
    pajewrite_set_variable(&me->w, me->container, length, me->top - me->bottom);
    pthread_mutex_unlock(&me->lock);
}

/* Takes a task from the queue of `from`, which may be `me`.  Returns its number, or -1 if the queue is empty. */
static int take(worker *me, worker *from)
{
    int number = -1;
    pthread_mutex_lock(&from->lock);
    if (from->top > from->bottom) {
        number = me == from ? from->queue[--from->top] : from->queue[from->bottom++];
        pajewrite_set_variable(&me->w, from->container, length, from->top - from->bottom);
    }
    pthread_mutex_unlock(&from->lock);
    if (number >= 0 && me != from)
        pajewrite_new_event(&me->w, me->container, steal, stolen);
    return number;
}

static void run(worker *me, int number)
{
    task *t = &tasks[number];
    for (int i = 0; i < t->before_count; i++)
        pajewrite_end_link(&me->w, machine, edge, ready, me->container, key(t->before[i], number));
    {
        PAJEWRITE_SCOPE(&me->w, me->container, activity, t->state);
        t->function(t->argument);
    }
    for (int i = 0; i < t->after_count; i++) {
        pajewrite_start_link(&me->w, machine, edge, ready, me->container, key(number, t->after[i]));
        if (!__atomic_sub_fetch(&tasks[t->after[i]].missing, 1, __ATOMIC_ACQ_REL))
            put(me, t->after[i]);
    }
    __atomic_add_fetch(&done_count, 1, __ATOMIC_RELEASE);
}

static void *work(void *argument)
{
    worker *me = argument;
    {
        PAJEWRITE_SCOPE(&me->w, me->container, activity, idle);
        while (__atomic_load_n(&done_count, __ATOMIC_ACQUIRE) < task_count) {
            int number = take(me, me);
            for (int i = 1; number < 0 && i < worker_count; i++)
                number = take(me, &workers[(me->number + i) % worker_count]);
            if (number >= 0)
                run(me, number);
            else
                nanosleep(&(struct timespec){0, 20000}, NULL);
        }
    }
    pajewrite_destroy_container(&me->w, me->container, worker_type);
    return NULL;
}

/* The computation: the longest common subsequence of two texts.  A block depends on the blocks above and to its
 * left. */
static uint16_t longest[MAX_BLOCKS * SIDE + 1][MAX_BLOCKS * SIDE + 1];
static int blocks;

static unsigned letter(int text, int i) { return (unsigned)i * (text ? 2246822519u : 2654435761u) >> 16 & 3; }

static void fill(int number)
{
    int row = number / blocks * SIDE, column = number % blocks * SIDE;
    for (int i = row + 1; i <= row + SIDE; i++)
        for (int j = column + 1; j <= column + SIDE; j++) {
            uint16_t above = longest[i - 1][j], left = longest[i][j - 1];
            uint16_t one_more = (uint16_t)(longest[i - 1][j - 1] + 1);
            longest[i][j] = letter(0, i) == letter(1, j) ? one_more : above > left ? above : left;
        }
}

int main(int argc, char **argv)
{
    static pthread_t threads[MAX_WORKERS];
    uint64_t origin = pajewrite_monotonic(NULL);
    int failed = 0;
    worker_count = argc > 2 ? atoi(argv[2]) : 4;
    blocks = argc > 3 ? atoi(argv[3]) : 16;
    if (argc < 2 || worker_count < 1 || worker_count > MAX_WORKERS || blocks < 1 || blocks > MAX_BLOCKS) {
        fputs("usage: runtime PREFIX [WORKERS [BLOCKS]]\n", stderr);
        return 2;
    }
    for (task_count = 0; task_count < blocks * blocks; task_count++) {
        task *t = &tasks[task_count];
        *t = (task){.function = fill, .argument = task_count, .state = border};
        if (task_count >= blocks)
            depend(t, task_count - blocks);
        if (task_count % blocks)
            depend(t, task_count - 1);
        if (t->before_count == 2)
            t->state = inner;
    }
    for (int i = 0; i < worker_count; i++) {
        pthread_mutex_init(&workers[i].lock, NULL);
        workers[i].number = i;
        workers[i].container = PAJEWRITE_CONTAINER(i + 2); /* 1 is the machine */
    }
    workers[0].queue[workers[0].top++] = 0;
    memset(longest, 0, sizeof longest); /* touches all pages, so that page faults do not count as time of tasks */
    for (int i = 0; i < worker_count; i++)
        open_trace(&workers[i], argv[1], origin);
    for (int i = 0; i < worker_count; i++)
        if (pthread_create(&threads[i], NULL, work, &workers[i]))
            abort();
    for (int i = 0; i < worker_count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < worker_count; i++) {
        pajewrite_destroy_container(&workers[i].w, machine, machine_type);
        pajewrite_status status = pajewrite_finish(&workers[i].w);
        if (close(workers[i].file.descriptor) && status == PAJEWRITE_OK)
            status = PAJEWRITE_E_SINK;
        if (status != PAJEWRITE_OK)
            fprintf(stderr, "runtime: %s.%d.trace: %s\n", argv[1], i, pajewrite_status_text(status));
        failed += status != PAJEWRITE_OK;
    }
    printf("longest common subsequence: %d letters\n", longest[blocks * SIDE][blocks * SIDE]);
    return failed != 0;
}
