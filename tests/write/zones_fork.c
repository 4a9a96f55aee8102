/* Two threads fork; another one, as a signal handler that interrupts the C library, has a lock for which a fork waits,
 * and traces.  Or, with an argument, it ends the trace, for which it waits within the fork. */
#define _GNU_SOURCE
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

PAJEWRITE_MAIN("zones.%p.trace");

static pthread_mutex_t library = PTHREAD_MUTEX_INITIALIZER;
static int is_held, is_forking, is_ended_within;

static void set(int *flag)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
}

static void wait_for(const int *flag)
{
    while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
        usleep(100);
}

static void take(void)
{
    set(&is_forking);
    if (is_ended_within)
        usleep(100000);
    pthread_mutex_lock(&library);
}

static void give(void)
{
    pthread_mutex_unlock(&library);
}

/* Before the header does so: what is called before a fork is called in reverse order. */
__attribute__((constructor(101))) static void register_first(void)
{
    pthread_atfork(take, give, give);
}

static void *trace_with_lock(void *data)
{
    pthread_mutex_lock(&library);
    set(&is_held);
    wait_for(&is_forking);
    usleep(300000); /* longer than a thread that traces waits for a fork */
    {
        PAJEWRITE_ZONE("while another one forks");
        PAJEWRITE_PLOT_SHARED("shared", 1);
    }
    pthread_mutex_unlock(&library);
    return data;
}

static void *end_meanwhile(void *data)
{
    wait_for(&is_forking);
    pajewrite_end();
    return data;
}

static int fork_once(void)
{
    int status = 1;
    const pid_t child = fork();
    if (child == 0) {
        PAJEWRITE_ZONE("child");
        _exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void *fork_later(void *data)
{
    wait_for(&is_forking);
    return fork_once() ? NULL : data;
}

int main(int argc, char **argv)
{
    pthread_t tracing, forking;
    int status;
    PAJEWRITE_ZONE("main");
    (void)argv;
    if (argc > 1) {
        is_ended_within = 1;
        pthread_create(&tracing, NULL, end_meanwhile, NULL);
        status = fork_once();
        pthread_join(tracing, NULL);
        printf("status %d\n", status);
        return 0;
    }
    pthread_create(&tracing, NULL, trace_with_lock, NULL);
    wait_for(&is_held);
    pthread_create(&forking, NULL, fork_later, NULL);
    status = fork_once();
    pthread_join(tracing, NULL);
    pthread_join(forking, NULL);
    printf("status %d\n", status);
    return 0;
}
