/* Records like those of the spall format, for bench/write.c: begin and end of a function, packed, in the byte order of
 * the machine, in a buffer for each thread.  Their times are doubles, and the name is in each record that begins. */
#define _POSIX_C_SOURCE 200809L
#include "write.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TO_FILE = 1 };
enum { BEGIN = 3, END = 4, BEGIN_SIZE = 20, END_SIZE = 17 };

typedef struct {
    uint32_t number;
    int file, failed;
    size_t size;
    int64_t bytes;
    char buffer[BENCH_BUFFER];
} spall;

static spall threads_of[BENCH_THREADS];
static int used;

static char *put(char *at, const void *bytes, size_t size)
{
    memcpy(at, bytes, size);
    return at + size;
}

static __attribute__((noinline)) void flush(spall *s)
{
    s->failed |= s->file >= 0 && write(s->file, s->buffer, s->size) != (ssize_t)s->size;
    s->bytes += (int64_t)s->size;
    s->size = 0;
}

static __attribute__((noinline)) void enter(spall *s, double time, const char *name, size_t length)
{
    static const uint32_t process = 1;
    char *at;
    if (sizeof s->buffer - s->size < BEGIN_SIZE + 255)
        flush(s);
    at = s->buffer + s->size;
    *at++ = BEGIN;
    *at++ = 0; /* category */
    at = put(at, &process, sizeof process);
    at = put(at, &s->number, sizeof s->number);
    at = put(at, &time, sizeof time);
    *at++ = (char)length;
    *at++ = 0; /* size of arguments */
    memcpy(at, name, length);
    s->size += BEGIN_SIZE + length;
}

static __attribute__((noinline)) void leave(spall *s, double time)
{
    static const uint32_t process = 1;
    char *at;
    if (sizeof s->buffer - s->size < END_SIZE)
        flush(s);
    at = s->buffer + s->size;
    *at++ = END;
    at = put(at, &process, sizeof process);
    at = put(at, &s->number, sizeof s->number);
    put(at, &time, sizeof time);
    s->size += END_SIZE;
}

static const char names[BENCH_REGIONS][10] = {
    "region 1", "region 2", "region 3", "region 4", "region 5", "region 6", "region 7", "region 8", "region 9",
    "region 10", "region 11", "region 12", "region 13", "region 14", "region 15", "region 16"};

static int begin(const bench_writer *writer, int threads)
{
    static const struct {
        uint64_t magic, version;
        double microseconds; /* of a unit of time */
        uint64_t zero;
    } header = {0x0BADF00D, 1, 1e-3, 0};
    char path[64];
    for (used = 0; used < threads; used++) {
        spall *s = &threads_of[used];
        s->number = (uint32_t)used + 1;
        s->file = -1; /* nothing is written */
        s->failed = 0;
        if (writer->setup & TO_FILE) {
            snprintf(path, sizeof path, "build/bench/write-%d.spall", used);
            s->file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
            s->failed = write(s->file, &header, sizeof header) != sizeof header;
        }
        s->bytes = 0;
        s->size = 0;
    }
    return 1;
}

static void run(int thread, uint32_t events)
{
    spall *s = &threads_of[thread];
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        const char *name = names[bench_region(i) - 1];
        enter(s, (double)bench_clock(), name, strlen(name));
        leave(s, (double)bench_clock());
    }
    flush(s);
}

#if BENCH_TSC
static void run_tsc(int thread, uint32_t events)
{
    spall *s = &threads_of[thread];
    uint32_t i;
    for (i = 0; i < events; bench_step(&i)) {
        const char *name = names[bench_region(i) - 1];
        enter(s, (double)bench_tsc(), name, strlen(name));
        leave(s, (double)bench_tsc());
    }
    flush(s);
}
#endif

static int64_t end(void)
{
    int64_t bytes = 0;
    int failed = 0, i;
    for (i = 0; i < used; i++) {
        bytes += threads_of[i].bytes;
        failed |= threads_of[i].failed;
        if (threads_of[i].file >= 0)
            close(threads_of[i].file);
    }
    return failed ? -1 : bytes;
}

const bench_writer write_spall[] = {
    {"spall-like/null", BENCH_SLICE, 0, begin, run, end},
    {"spall-like/file", BENCH_SLICE, TO_FILE, begin, run, end},
#if BENCH_TSC
    {"spall-like-tsc/null", BENCH_SLICE, 0, begin, run_tsc, end},
    {"spall-like-tsc/file", BENCH_SLICE, TO_FILE, begin, run_tsc, end},
#endif
    {0}};
