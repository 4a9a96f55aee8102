/* A program whose calls tracers record: what each takes, in nanoseconds of elapsed time, the best of some rounds.
 * usage: trace [CALL...]
 * It is compiled with -finstrument-functions for the call `function`. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define PLAIN __attribute__((no_instrument_function))

enum { ROUNDS = 15 };

static FILE *file;
static int null;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile memory;
static volatile int sum;

PLAIN static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

PLAIN static void call_clock(void)
{
    now();
}

PLAIN static void call_fflush(void)
{
    fflush(file);
}

PLAIN static void call_write(void)
{
    sum += (int)write(null, "x", 1);
}

PLAIN static void call_lock(void)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
}

PLAIN static void call_malloc(void)
{
    memory = malloc(100);
    free(memory);
}

__attribute__((noinline)) static void call_function(void)
{
    sum++;
}

PLAIN static void *run(void *data)
{
    return write(null, "x", 1) == 1 ? data : NULL;
}

PLAIN static void call_thread(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL) == 0)
        pthread_join(thread, NULL);
}

PLAIN int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*call)(void);
        int times;
    } calls[] = {{"clock", call_clock, 20000},       {"fflush", call_fflush, 4000}, {"write", call_write, 4000},
                 {"lock", call_lock, 4000},          {"malloc", call_malloc, 4000}, {"function", call_function, 4000},
                 {"thread", call_thread, 200}};
    size_t i;
    int round, n;
    file = fopen("/dev/null", "w");
    null = open("/dev/null", O_WRONLY);
    for (i = 0; i < sizeof calls / sizeof *calls; i++) {
        double best = 1e18;
        int is_asked = argc == 1;
        for (n = 1; n < argc; n++)
            is_asked |= strcmp(argv[n], calls[i].name) == 0;
        for (round = 0; is_asked && round < ROUNDS; round++) {
            double begin = now(), time;
            for (n = 0; n < calls[i].times; n++)
                calls[i].call();
            time = (now() - begin) / calls[i].times;
            best = time < best ? time : best;
        }
        if (is_asked)
            printf("%s %.1f\n", calls[i].name, best);
    }
    return 0;
}
