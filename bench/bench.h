/* Shared by the benchmarks: CPU time of a thread, and statistics of repeated measurements. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdlib.h>
#include <time.h>

static inline double bench_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline int bench_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Sorts the values, so that the first is the minimum. */
static inline double bench_median(double *times, int count)
{
    qsort(times, (size_t)count, sizeof *times, bench_by_value);
    return times[count / 2];
}

#endif
