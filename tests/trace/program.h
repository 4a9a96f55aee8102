/* What the cases of program.c share. */
#ifndef TESTS_TRACE_PROGRAM_H
#define TESTS_TRACE_PROGRAM_H

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char **arguments;
static long number;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int pipes[2];

static void need(int right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "program: %s: %s\n", what, strerror(errno));
    exit(9);
}

static void sleep_for(long microseconds)
{
    struct timespec time = {microseconds / 1000000, microseconds % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static pthread_t start(void *(*run)(void *), void *data)
{
    pthread_t thread;
    need(pthread_create(&thread, NULL, run, data) == 0, "pthread_create");
    return thread;
}

#endif
