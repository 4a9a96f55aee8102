/* The interface between bench/write.c and writers of one pair of events again and again: a state entered and left. */
#ifndef BENCH_WRITE_H
#define BENCH_WRITE_H

#include <stdint.h>
#include <time.h>

enum { BENCH_THREADS = 2, BENCH_BUFFER = 256 * 1024, BENCH_SLICE = 1 << 18, BENCH_REGIONS = 16 };

/* A writer.  A slice is: begin, then in each thread run (which is measured: the events and their delivery), then
 * end. */
typedef struct bench_writer {
    const char *name;
    uint32_t slice; /* events in a slice; even */
    uint32_t setup; /* distinguishes writers with the same functions */
    int (*begin)(const struct bench_writer *writer, int threads); /* 0: it failed */
    void (*run)(int thread, uint32_t events);
    int64_t (*end)(void); /* bytes that the slice took, 0: none or not known; -1: something went wrong */
} bench_writer;

/* Returns which of the states 1 to 16 the i-th event is about. */
static inline uint32_t bench_region(uint32_t i) { return 1 + i / 2 % BENCH_REGIONS; }

/* Keeps the compiler from removing a loop. */
static inline void bench_step(uint32_t *i)
{
    __asm__ volatile("" : "+r"(*i) : : "memory");
    *i += 2;
}

/* Nanoseconds of CLOCK_MONOTONIC. */
static inline uint64_t bench_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Ticks of the processor's own clock. */
#if defined(__x86_64__) || defined(__i386__)
#define BENCH_TSC 1
static inline uint64_t bench_tsc(void) { return __builtin_ia32_rdtsc(); }
#else
#define BENCH_TSC 0
#endif

#endif
