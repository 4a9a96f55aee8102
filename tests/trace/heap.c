/* A program whose heap is recorded: threads allocate in all ways, and others free.
 * usage: heap TURNS */
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int turns;
static void *handed; /* to the thread that frees it */

/* Keeps the compiler from leaving both calls out. */
static void *volatile seen;
static void drop(void *memory)
{
    seen = memory;
    if (!seen)
        exit(9);
    free(seen);
}

/* Nine allocations of 100,000 bytes or more, one of 10. */
static void *allocate(void *data)
{
    int i;
    for (i = 0; i < turns; i++) {
        void *aligned = NULL;
        drop(realloc(malloc(100000), 200000));
        drop(posix_memalign(&aligned, 4096, 100000) ? NULL : aligned);
        drop(aligned_alloc(64, 128000));
        drop(memalign(64, 100000));
        drop(valloc(100000));
        drop(calloc(100, 1000));
        drop(reallocarray(NULL, 4, 30000));
        drop(malloc(10));
    }
    handed = malloc(3000000);
    memset(handed, 1, 3000000);
    return data;
}

int main(int argc, char **argv)
{
    int i;
    turns = argc > 1 ? atoi(argv[1]) : 1;
    for (i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, allocate, NULL);
        pthread_join(thread, NULL);
        drop(handed);
    }
    handed = malloc(500000);
    fflush(stdout);
    for (i = 0; i < 3; i++)
        if (fork() == 0) {
            syscall(SYS_nanosleep, &(struct timespec){0, (3 - i) * 4000000}, NULL); /* its trace begins late */
            free(handed); /* which the child has, too */
            handed = malloc(200000);
            _exit(0);
        }
    for (i = 0; i < 3; i++)
        wait(NULL);
    puts("allocated");
    return reallocarray(NULL, (size_t)-1 / 4, (size_t)argc + 8) != NULL;
}
