/* Threads that take tasks from a queue, traced by zones alone: zones [THREADS [TASKS]]
 * PAJEWRITE_TRACE=FILE, or =off, says where to write in place of zones.trace. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THREADS = 64, MAX_TASKS = 10000 };

PAJEWRITE_MAIN("zones.trace");

typedef struct task {
    long number;
    pajewrite_message sent; /* travels with the task */
} task;

static task tasks[MAX_TASKS];
static long queued, taken, count = 200;
static double total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;

static double compute(const task *t)
{
    PAJEWRITE_ZONE("compute");
    double sum = 0;
    PAJEWRITE_MESSAGE_IN("task", &t->sent); /* a link from the thread that has queued it */
    for (long i = 1; i < 20000; i++)
        sum += 1.0 / ((double)t->number * (double)i + 1);
    return sum;
}

/* Returns the next task; NULL: there is none left. */
static task *take(void)
{
    PAJEWRITE_ZONE("wait");
    task *t = NULL;
    pthread_mutex_lock(&lock);
    while (taken == queued && queued < count)
        pthread_cond_wait(&more, &lock);
    if (taken < queued)
        t = &tasks[taken++];
    PAJEWRITE_PLOT_SHARED("queued", queued - taken);
    pthread_mutex_unlock(&lock);
    return t;
}

static void *work(void *unused)
{
    const task *t;
    (void)unused;
    while ((t = take()) != NULL) {
        double sum = compute(t);
        pthread_mutex_lock(&lock);
        total += sum;
        pthread_mutex_unlock(&lock);
    }
    PAJEWRITE_MARK("nothing left");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MAX_THREADS];
    long started = argc > 1 ? atol(argv[1]) : 4;
    count = argc > 2 ? atol(argv[2]) : count;
    if (started < 1 || started > MAX_THREADS || count < 1 || count > MAX_TASKS) {
        fputs("usage: zones [THREADS [TASKS]]\n", stderr);
        return 2;
    }
    for (long i = 0; i < started; i++)
        if (pthread_create(&threads[i], NULL, work, NULL))
            return 1;
    for (long i = 0; i < count; i++) {
        PAJEWRITE_ZONE("queue");
        tasks[i].number = i + 1;
        PAJEWRITE_MESSAGE_OUT(&tasks[i].sent);
        pthread_mutex_lock(&lock);
        queued++;
        PAJEWRITE_PLOT_SHARED("queued", queued - taken);
        pthread_cond_broadcast(&more);
        pthread_mutex_unlock(&lock);
    }
    for (long i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    printf("%.6f\n", total);
    return 0;
}
