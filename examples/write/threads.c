/* Traces threads that compute and wait for a lock.  Each thread has its own writer; all of them write to one file.
 * usage: threads FILE [THREADS [ROUNDS]] */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MAX_THREADS = 64 };

static const pajewrite_type process = {1}, thread = {2}, activity = {3}, rounds_done = {4};
static const pajewrite_value computing = {1}, waiting = {2}, adding = {3}; /* of activity */
static const pajewrite_container the_process = {1};

static pajewrite_file file; /* shared; it keeps lines whole */
static pajewrite_config config = PAJEWRITE_CONFIG;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static double total;
static long rounds = 1000;

static void report(pajewrite_status status)
{
    if (status == PAJEWRITE_OK)
        return;
    fprintf(stderr, "threads: %s\n", pajewrite_status_text(status));
    exit(1);
}

static double compute(long round)
{
    double sum = 0;
    for (int i = 1; i < 2000; i++)
        sum += 1.0 / ((double)round * i + 1);
    return sum;
}

static void *work(void *number)
{
    long self = *(long *)number;
    pajewrite_container me = PAJEWRITE_CONTAINER(self + 2); /* 1 is the process */
    char *buffer = malloc(1 << 16), name[32];
    pajewrite w;

    pajewrite_init(&w, buffer, buffer ? 1 << 16 : 0, &config);
    snprintf(name, sizeof name, "thread %ld", self);
    pajewrite_create_container(&w, me, thread, the_process, name);
    pajewrite_set_variable(&w, me, rounds_done, 0);
    for (long round = 1; round <= rounds; round++) {
        double sum = 0;
        {
            PAJEWRITE_SCOPE(&w, me, activity, computing);
            sum = compute(round);
        }
        {
            PAJEWRITE_SCOPE(&w, me, activity, waiting);
            pthread_mutex_lock(&lock);
        }
        {
            PAJEWRITE_SCOPE(&w, me, activity, adding);
            total += sum;
        }
        pthread_mutex_unlock(&lock);
        pajewrite_add_variable(&w, me, rounds_done, 1);
    }
    pajewrite_destroy_container(&w, me, thread);
    report(pajewrite_finish(&w)); /* before the buffer is freed */
    free(buffer);
    return NULL;
}

int main(int argc, char **argv)
{
    static char buffer[4096];
    static pthread_t threads[MAX_THREADS];
    static long numbers[MAX_THREADS];
    long count = argc > 2 ? atol(argv[2]) : 4;
    pajewrite w;

    if (argc < 2 || count < 1 || count > MAX_THREADS) {
        fputs("usage: threads FILE [THREADS [ROUNDS]]\n", stderr);
        return 2;
    }
    if (argc > 3)
        rounds = atol(argv[3]);
    pajewrite_file_init(&file, open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.origin = pajewrite_monotonic(NULL);
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, process, PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&w, thread, process, "Thread");
    pajewrite_define_state_type(&w, activity, thread, "Activity");
    pajewrite_define_value(&w, computing, activity, "computing", "0.2 0.7 0.3");
    pajewrite_define_value(&w, waiting, activity, "waiting", "0.8 0.2 0.2");
    pajewrite_define_value(&w, adding, activity, "adding", "0.2 0.4 0.8");
    pajewrite_define_variable_type(&w, rounds_done, thread, "Rounds done", NULL);
    pajewrite_create_container(&w, the_process, process, PAJEWRITE_ROOT, "process");

    /* The definitions have to be in the file before the first line of any thread. */
    report(pajewrite_flush(&w));
    for (long i = 0; i < count; i++) {
        numbers[i] = i;
        if (pthread_create(&threads[i], NULL, work, &numbers[i])) {
            fputs("threads: pthread_create failed\n", stderr);
            return 1;
        }
    }
    for (long i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    pajewrite_destroy_container(&w, the_process, process);
    report(pajewrite_finish(&w));
    printf("%.6f\n", total);
    return close(file.descriptor) != 0;
}
