/* Zones of pajewrite.h, for bench/write.c: a zone at each of 16 places, one after the other.  A zone is two events. */
#define _POSIX_C_SOURCE 200809L
#pragma GCC diagnostic ignored "-Wunused-function"
#ifdef __clang__
#define PAJEWRITE_API __attribute__((noinline)) static
#else
#define PAJEWRITE_API __attribute__((noipa)) static
#endif
#include "write.h"
#define PAJEWRITE_ZONES 1
#define PAJEWRITE_ZONES_BUFFER (256 * 1024) /* BENCH_BUFFER */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#include <stdio.h>
#include <sys/stat.h>

static char path[64];

static int begin(const bench_writer *writer, int threads)
{
    (void)writer;
    snprintf(path, sizeof path, "build/bench/write-zones-%d.trace", threads);
    return pajewrite_begin(path) == PAJEWRITE_OK;
}

#define ZONE(name) \
    { \
        PAJEWRITE_ZONE(name); \
        bench_step(&i); \
    }

static void run(int thread, uint32_t events)
{
    uint32_t i;
    (void)thread;
    for (i = 0; i < events;) {
        ZONE("1") ZONE("2") ZONE("3") ZONE("4") ZONE("5") ZONE("6") ZONE("7") ZONE("8")
        ZONE("9") ZONE("10") ZONE("11") ZONE("12") ZONE("13") ZONE("14") ZONE("15") ZONE("16")
    }
    pajewrite_flush(pajewrite_here());
}

static int64_t end(void)
{
    struct stat file;
    return pajewrite_end() == PAJEWRITE_OK && stat(path, &file) == 0 ? (int64_t)file.st_size : -1;
}

const bench_writer write_zones[] = {{"pajewrite-zones/file", BENCH_SLICE, 0, begin, run, end}, {0}};
