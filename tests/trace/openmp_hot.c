/* A program with OpenMP that ends if the tracer calls functions that allocate, take locks, print, or look up symbols.
 * These are defined here, and so found first; the OpenMP library itself may call them.
 * usage: openmp_hot TURNS
 * It stops after 20 s: LLVM's library yields while it waits, which takes long where others use the processors. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    uintptr_t start, end;
} tracer[32]; /* its code */
static int ranges;
static volatile int is_hot;
static volatile long calls; /* while it is hot, of anyone */

static void find_tracer(void)
{
    char line[600];
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fgets(line, sizeof line, file) && ranges < 32)
        if (strstr(line, "/libpajetrace") && strstr(line, "r-xp")) {
            char *at;
            tracer[ranges].start = strtoul(line, &at, 16);
            tracer[ranges++].end = strtoul(at + 1, NULL, 16);
        }
}

static void forbid(const char *name, const void *code)
{
    const uintptr_t caller = (uintptr_t)code;
    if (!is_hot)
        return;
    calls++;
    for (int i = 0; i < ranges; i++)
        if (caller >= tracer[i].start && caller < tracer[i].end) {
            is_hot = 0;
            if (write(2, name, strlen(name)) < 0)
                _exit(8);
            abort();
        }
}
#define FORBID(name) forbid(name, __builtin_return_address(0))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *malloc(size_t size) { return FORBID("malloc"), __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return FORBID("calloc"), __libc_calloc(count, size); }
int pthread_mutex_lock(pthread_mutex_t *lock)
{
    FORBID("pthread_mutex_lock");
    while (pthread_mutex_trylock(lock))
        ;
    return 0;
}
static void *find_next(const char *name)
{
    void *found = dlsym(RTLD_NEXT, name);
    if (!found)
        abort();
    return found;
}
#define PASS_ON(name, parameters, arguments) \
    int name parameters \
    { \
        int(*next) parameters; \
        void *found = (FORBID(#name), find_next(#name)); \
        memcpy(&next, &found, sizeof next); \
        return next arguments; \
    }
PASS_ON(dladdr, (const void *address, Dl_info *info), (address, info))
PASS_ON(pthread_rwlock_rdlock, (pthread_rwlock_t *lock), (lock))
PASS_ON(pthread_rwlock_wrlock, (pthread_rwlock_t *lock), (lock))
PASS_ON(sem_wait, (sem_t *semaphore), (semaphore))

#define PRINT(name, parameters, call) \
    int name parameters \
    { \
        va_list list; \
        int size; \
        FORBID(#name); \
        va_start(list, format); \
        size = call; \
        va_end(list); \
        return size; \
    }
PRINT(snprintf, (char *to, size_t room, const char *format, ...), vsnprintf(to, room, format, list))
PRINT(fprintf, (FILE *file, const char *format, ...), vfprintf(file, format, list))

static void turn(void)
{
    static omp_lock_t lock;
    static volatile int sum, chain;
    omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 4; i++) {
#pragma omp critical
            sum++;
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
#pragma omp task untied
            {
                sum++;
#pragma omp taskyield
                sum++;
            }
        }
#pragma omp single
        {
            for (int i = 0; i < 4; i++) {
#pragma omp task depend(inout : chain)
                chain++;
            }
#pragma omp taskwait
        }
#pragma omp barrier
    }
}

int main(int argc, char **argv)
{
    long turns = argc > 1 ? atol(argv[1]) : 1;
    for (int i = 0; i < 20; i++) /* these set threads up, and define names */
        turn();
    find_tracer();
    is_hot = 1;
    for (double end = omp_get_wtime() + 20; turns-- > 0 && omp_get_wtime() < end;)
        turn();
    is_hot = 0;
    printf("hot, %s\n", calls ? "calls of others" : "no calls"); /* gcc's library allocates tasks */
    return 0;
}
