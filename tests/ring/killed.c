/* Two processes write, each into a ring of its own in memory shared with a third, which reads; one writer is killed at
 * a random moment.  Everything it has written before comes out, in whole lines; the other continues and loses nothing,
 * and the reader never waits for the dead one.
 *
 *     killed [TIMES]     default: 100
 *
 * As reader and writer run on several cores, PAJEWRITE_ENTER takes a lock, which is taken over from a dead process. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile int *lock_of_ring; /* 1: locked; the lock of the current process's ring */
static unsigned take_lock(void)
{
    while (__sync_lock_test_and_set(lock_of_ring, 1))
        sched_yield();
    return 0;
}
static uint64_t read_clock(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}
#define PAJEWRITE_API static inline
#define PAJEWRITE_RING 1
#define PAJEWRITE_ENTER(saved) ((saved) = take_lock())
#define PAJEWRITE_LEAVE(saved) ((void)(saved), __sync_lock_release(lock_of_ring))
#define PAJEWRITE_BARRIER() __sync_synchronize()
#define PAJEWRITE_NOW() read_clock()
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { RING = 1024, OUT = 1 << 24, EVENTS = 400, AFTER = 100, SECONDS = 20 };

typedef struct line {
    pajewrite w;
    volatile int lock;
    volatile int last; /* from now on it writes AFTER events more, then ends */
    volatile uint64_t written, dropped;
    char ring[RING];
} line;

static struct {
    char bytes[OUT];
    size_t size;
} out[2];

static char why[200];
static void expect(int holds, const char *what)
{
    if (!holds && !why[0])
        snprintf(why, sizeof why, "%s", what);
}

/* Writes events with ascending numbers, until it has to end. */
static void write_events(line *l)
{
    int64_t number = 0;
    int left = -1;
    lock_of_ring = &l->lock;
    while (left) {
        pajewrite_set_variable(&l->w, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(2), number++);
        l->written = (uint64_t)number;
        if (left < 0 && l->last)
            left = AFTER;
        left -= left > 0;
        if (number % 16 == 0)
            sched_yield(); /* otherwise most of it is dropped */
    }
    l->dropped = pajewrite_count(&l->w).dropped;
}

static size_t drain(line *l, int which)
{
    size_t size;
    lock_of_ring = &l->lock;
    size = pajewrite_read(&l->w, out[which].bytes + out[which].size, OUT - out[which].size);
    out[which].size += size;
    return size;
}

/* Checks whole lines of consecutive numbers, except for reported gaps.  Returns how many events there are, with those
 * of the gaps. */
static uint64_t check(int which, uint64_t *gaps)
{
    const char *p = out[which].bytes, *end = p + out[which].size;
    uint64_t next = 0;
    *gaps = 0;
    expect(out[which].size == 0 || end[-1] == '\n', "the last line is whole");
    while (p < end && !why[0]) {
        const char *newline = (const char *)memchr(p, '\n', (size_t)(end - p));
        char text[150];
        uint64_t number, seconds;
        unsigned kind, container, type, decimals;
        if (!newline || newline - p >= (long)sizeof text) {
            expect(0, "lines are whole");
            break;
        }
        memcpy(text, p, (size_t)(newline - p));
        text[newline - p] = 0;
        if (sscanf(text, "# dropped %" SCNu64 " events from ", &number) == 1) {
            next += number;
            *gaps += number;
        } else if (sscanf(text, "%u %" SCNu64 ".%u %u %u %" SCNu64, &kind, &seconds, &decimals, &container, &type,
                          &number) == 6) {
            expect(kind == PAJEWRITE_SET_VARIABLE && container == 1 && type == 2, "a line is what was written");
            expect(number == next, "nothing is lost except for reported gaps");
            next = number + 1;
        } else {
            snprintf(why, sizeof why, "a line is `%s`", text);
        }
        p = newline + 1;
    }
    return next;
}

static void one_time(line *lines, unsigned random)
{
    pid_t children[2];
    int victim = (int)(random & 1), other = !victim, i, status;
    uint64_t moment = random / 2 % EVENTS, gaps, events, deadline = read_clock() + SECONDS * UINT64_C(1000000000);
    struct timespec pause = {0, (long)(random % 50000)};
    for (i = 0; i < 2; i++) {
        memset(&lines[i], 0, sizeof lines[i]);
        lock_of_ring = &lines[i].lock;
        pajewrite_init(&lines[i].w, lines[i].ring, RING, NULL);
        out[i].size = 0;
    }
    fflush(stdout);
    for (i = 0; i < 2; i++) {
        children[i] = fork();
        if (children[i] < 0) {
            perror("killed");
            if (i)
                kill(children[0], SIGKILL);
            exit(2);
        }
        if (children[i] == 0) {
            alarm(2 * SECONDS); /* if the reader is killed, no process drains the ring any more */
            write_events(&lines[i]);
            _exit(0);
        }
    }
    while (lines[victim].written <= moment && read_clock() < deadline) {
        drain(&lines[0], 0);
        drain(&lines[1], 1);
    }
    if (random & 64)
        nanosleep(&pause, NULL);
    kill(children[victim], SIGKILL);
    waitpid(children[victim], &status, 0);
    expect(WIFSIGNALED(status), "it was killed");
    lines[victim].lock = 0;
    while (drain(&lines[victim], victim)) {
    }
    lines[other].last = 1;
    while (waitpid(children[other], &status, WNOHANG) == 0 && read_clock() < deadline)
        drain(&lines[other], other);
    if (read_clock() >= deadline) {
        kill(children[other], SIGKILL);
        expect(0, "the other comes to its end");
    }
    while (drain(&lines[other], other)) {
    }
    events = check(other, &gaps);
    /* the last drops are reported with the next line, and there is none */
    expect(events - gaps == lines[other].written - lines[other].dropped, "what the other writes comes out, all of it");
    expect(gaps <= lines[other].dropped, "no more drops are reported than there were");
    events = check(victim, &gaps);
    expect(events <= lines[victim].written + 1, "of the dead nothing comes out that it did not write");
}

int main(int argc, char **argv)
{
    long times = argc > 1 && *argv[1] ? atol(argv[1]) : 100, i;
    line *lines = (line *)mmap(NULL, 2 * sizeof *lines, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (lines == MAP_FAILED || times <= 0) {
        fputs("usage: killed [TIMES]\n", stderr);
        return 2;
    }
    srand(2026);
    for (i = 0; i < times && !why[0]; i++)
        one_time(lines, (unsigned)rand());
    if (why[0])
        printf("FAIL ring/one of two writers is killed: at time %ld: not so: %s\n", i, why);
    else
        printf("PASS ring/one of two writers is killed at any moment\n");
    return why[0] != 0;
}
