/* Measures CPU time and memory for the first events of a trace, and for windows into it by way of its index, each a
 * millionth of its time.
 * usage: travel NAME TRACE INDEX WINDOWS MEGABYTES   prints lines `bench NAME/WHAT/MEASURE VALUE UNIT` */
#define _DEFAULT_SOURCE
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec it;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &it);
    return 1e3 * (double)it.tv_sec + 1e-6 * (double)it.tv_nsec;
}

static int trace;

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    static char buffer[1 << 18];
    ssize_t got = pread(trace, buffer, most < sizeof buffer ? most : sizeof buffer, (off_t)offset);
    (void)data;
    *bytes = buffer;
    return got > 0 ? (size_t)got : 0;
}

static unsigned long shown;

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)sim, (void)entity;
    shown++;
    return PAJESIM_GO_ON;
}

static int compare(const void *left, const void *right)
{
    double l = *(const double *)left, r = *(const double *)right;
    return (l > r) - (l < r);
}

static uint32_t draw(uint32_t below)
{
    static uint32_t seed = 1;
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static unsigned long events;

static int line(pajesim *sim, const pajesim_line *it)
{
    (void)sim, (void)it;
    return events++ < 10000 ? PAJESIM_GO_ON : PAJESIM_STOP;
}

/* Measures the replay of 10,000 events, with all entities that they close. */
static double first_events(void *memory, size_t size)
{
    static const pajesim_callbacks callbacks = {.line = line, .closed = closed};
    static pajesim sim;
    double began = now();
    const void *bytes;
    size_t got;
    uint64_t at = 0;
    pajesim_init(&sim, memory, size, NULL, &callbacks, NULL);
    while ((got = read_trace(NULL, at, &bytes, 1 << 16)) > 0 && pajesim_feed(&sim, bytes, got, NULL) == PAJESIM_OK)
        at += got;
    return now() - began;
}

int main(int argc, char **argv)
{
    static const pajesim_callbacks callbacks = {.closed = closed};
    static pajesim_index index;
    static pajesim_window window;
    if (argc != 6)
        return 2;
    int count = atoi(argv[4]), file = open(argv[3], O_RDONLY);
    size_t budget = (size_t)atoi(argv[5]) << 20;
    struct stat status;
    trace = open(argv[2], O_RDONLY);
    if (count < 2 || trace < 0 || file < 0 || fstat(file, &status) < 0)
        return 3;

    double began = now();
    size_t size = (size_t)status.st_size;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED || pajesim_index_load(&index, memory, size, size) != PAJESIM_OK)
        return 3;
    double loaded = now() - began;
    pajesim_checkpoint last;
    pajesim_index_checkpoint(&index, pajesim_index_count(&index) - 1, &last);
    double *took = malloc((size_t)count * sizeof *took), span = last.greatest, late = 0;
    void *block = malloc(budget);
    if (!took || !block)
        return 3;
    double first = first_events(block, budget);
    shown = 0;
    for (int i = 0; i < count; i++) { /* the first one is late in the trace, the others anywhere, each into an empty
                                       * window */
        double from = i ? span * (draw(1u << 30) / (double)(1u << 30)) : span * 0.999;
        began = now();
        if (pajesim_window_init(&window, block, budget, &index, NULL, read_trace, NULL) != PAJESIM_OK ||
            pajesim_window_show(&window, from, from + span * 1e-6, &callbacks, NULL) != PAJESIM_OK)
            return 3;
        took[i] = now() - began;
        late = i ? late : took[0];
    }
    /* The same window again, and one within it: nothing has to be replayed. */
    double from = span / 2;
    pajesim_window_show(&window, from, from + span * 1e-6, &callbacks, NULL);
    began = now();
    pajesim_window_show(&window, from, from + span * 1e-6, &callbacks, NULL);
    double again = now() - began;
    qsort(took, (size_t)count, sizeof *took, compare);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const struct {
        const char *what, *measure, *unit;
        double value;
    } found[] = {
        {"first-10000-events", "time", "ms", first},  {"index-load", "time", "ms", loaded},
        {"window-median", "time", "ms", took[count / 2]}, {"window-worst", "time", "ms", took[count - 1]},
        {"window-late", "time", "ms", late},          {"window-held", "time", "ms", again},
        {"window", "entities", "entities", (double)shown / (count + 2)},
        {"window", "memory", "MB", (double)usage.ru_maxrss / 1024},
    };
    for (size_t i = 0; i < sizeof found / sizeof *found; i++)
        printf("bench %s/%s/%s %.3f %s\n", argv[1], found[i].what, found[i].measure, found[i].value, found[i].unit);
    return 0;
}
