/* One thread forks; another one, as in a signal handler, has a lock for which the fork waits, and traces. */
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
static int held, forking;
static void take(void) { __atomic_store_n(&forking, 1, __ATOMIC_RELEASE); pthread_mutex_lock(&library); }
static void give(void) { pthread_mutex_unlock(&library); }
/* Before the header's are registered: those of preparation are called in reverse order. */
__attribute__((constructor(101))) static void first(void) { pthread_atfork(take, give, give); }

static void *run(void *data)
{
    pthread_mutex_lock(&library);
    __atomic_store_n(&held, 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&forking, __ATOMIC_ACQUIRE)) usleep(100);
    usleep(20000);
    { PAJEWRITE_ZONE("while another one forks"); PAJEWRITE_PLOT_SHARED("shared", 1); }
    pthread_mutex_unlock(&library);
    return data;
}
int main(void)
{
    pthread_t thread; int status = 1; pid_t child;
    PAJEWRITE_ZONE("main");
    pthread_create(&thread, NULL, run, NULL);
    while (!__atomic_load_n(&held, __ATOMIC_ACQUIRE)) usleep(100);
    child = fork();
    if (!child) { PAJEWRITE_ZONE("child"); _exit(0); }
    waitpid(child, &status, 0);
    pthread_join(thread, NULL);
    printf("status %d\n", status);
    return 0;
}
