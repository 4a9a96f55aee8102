/* A program that ends if the tracer calls what it must not: functions that allocate, take locks, print, or look up
 * symbols.  These are defined here, and so found first by all libraries.
 * usage: hot TURNS */
#define _GNU_SOURCE
#include "trace/pajetrace.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

static volatile int is_hot; /* 1: none may be called */

PLAIN static void forbid(const char *name)
{
    if (is_hot) {
        is_hot = 0;
        if (write(2, name, strlen(name)) < 0)
            _exit(8);
        abort();
    }
}

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
PLAIN void *malloc(size_t size) { return forbid("malloc"), __libc_malloc(size); }
PLAIN void *calloc(size_t count, size_t size) { return forbid("calloc"), __libc_calloc(count, size); }
PLAIN void *realloc(void *memory, size_t size) { return forbid("realloc"), __libc_realloc(memory, size); }

/* The others are only called by the tracer, or before this is hot, where they need not work. */
#define FORBID(name, parameters) \
    PLAIN int name parameters { return forbid(#name), 0; }
FORBID(dladdr, (const void *address, Dl_info *info))
FORBID(dl_iterate_phdr, (void *call, void *data))
FORBID(pthread_rwlock_rdlock, (pthread_rwlock_t *lock))
FORBID(pthread_rwlock_wrlock, (pthread_rwlock_t *lock))
FORBID(sem_wait, (void *semaphore))
FORBID(snprintf, (char *to, size_t size, const char *format, ...))
FORBID(fprintf, (FILE *file, const char *format, ...))
FORBID(printf, (const char *format, ...))

/* This one has to work, before the program is hot. */
PLAIN int pthread_mutex_lock(pthread_mutex_t *lock)
{
    forbid("pthread_mutex_lock");
    while (pthread_mutex_trylock(lock))
        ;
    return 0;
}

static int add(int a, int b)
{
    return a + b;
}

PLAIN static int turn(int n)
{
    const struct timespec none = {0, 0};
    static int pipes[2];
    unsigned state = pajetrace_begin("turn");
    char byte = 0;
    if ((!pipes[1] && pipe(pipes)) || write(pipes[1], "x", 1) != 1 || read(pipes[0], &byte, 1) != 1)
        exit(9);
    nanosleep(&none, NULL);
    pajetrace_set("number", n);
    pajetrace_mark("marked");
    n = add(n, byte == 'x');
    pajetrace_end(state);
    return n;
}

PLAIN int main(int argc, char **argv)
{
    int turns = argc > 1 ? atoi(argv[1]) : 1, n = turn(0); /* the first calls set the thread up, and define names */
    is_hot = 1;
    while (n < turns)
        n = turn(n);
    is_hot = 0;
    puts("hot");
    return 0;
}
