/* How fast traces that are in memory are replayed, as a fraction of the speed at which memchr finds their newlines.
 *
 * Each trace is cut into slices.  In every round each variant takes a slice in turn, so that whatever disturbs the
 * machine disturbs all alike.  A variant's time is the sum over the slices of the best that any round made of each, in
 * CPU time of this thread; the median is that of whole rounds.  All variants must count the same entities. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Declarations only: this file calls the reader through its engines. */
#include "engine.h"

enum { SLICES = 64, ROUNDS_MAX = 99, CHUNK = 64 * 1024, ALL_CALLBACKS = 1, CHUNKED = 2, MAIN_ONLY = 4 };

typedef struct {
    const char *name;
    const engine *reader; /* NULL: memchr */
    int flags;
    pajesim_options options;
} variant;

static const variant variants[] = {
    {"memchr", NULL, 0, {0}},
    {"strict", &engine_fast, 0, {.strict = 1}},
    {"lenient", &engine_fast, 0, {.strict = 0}},
    {"strict-callbacks", &engine_fast, ALL_CALLBACKS | MAIN_ONLY, {.strict = 1}},
    {"strict-64k-chunks", &engine_fast, CHUNKED | MAIN_ONLY, {.strict = 1}},
    {"parse-only", &engine_fast, MAIN_ONLY, {.strict = 1, .parse_only = 1}},
    {"strict-without-fast-path", &engine_relexed, MAIN_ONLY, {.strict = 1}},
    {"strict-without-simd", &engine_plain, MAIN_ONLY, {.strict = 1}}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* What came of a variant, on the trace at hand. */
typedef struct {
    pajesim sim;
    void *arena;
    double best[SLICES];
    double round[ROUNDS_MAX];
    uint64_t newlines;
    uint64_t seen; /* entities that the callbacks were told of */
} outcome;

static outcome outcomes[VARIANTS];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "replay: %s: %s\n", what, why);
    exit(1);
}

/* What a program would do at least: look at each entity's times, type and container. */
static int take(pajesim *sim, const pajesim_entity *entity)
{
    outcome *o = engine_fast.data(sim);
    o->seen += entity->end >= entity->start && entity->type && entity->container;
    return PAJESIM_GO_ON;
}
static int take_line(pajesim *sim, const pajesim_line *line) { (void)sim, (void)line; return PAJESIM_GO_ON; }
static int take_definition(pajesim *sim, const pajesim_definition *d) { (void)sim, (void)d; return PAJESIM_GO_ON; }
static int take_problem(pajesim *sim, const pajesim_problem *p) { (void)sim, (void)p; return PAJESIM_GO_ON; }
static int take_type(pajesim *sim, const pajesim_type_info *t) { (void)sim, (void)t; return PAJESIM_GO_ON; }
static int take_value(pajesim *sim, const pajesim_value_info *v) { (void)sim, (void)v; return PAJESIM_GO_ON; }
static int take_open(pajesim *sim, const pajesim_entity *e) { (void)sim, (void)e; return PAJESIM_GO_ON; }
static int take_end(pajesim *sim) { (void)sim; return PAJESIM_GO_ON; }

static const pajesim_callbacks all_callbacks = {
    take_definition, take_line, take_problem, take_type, take_value, take_open, take_open, take_open, take_open,
    take_open, take_open, take_open, take_open, take_open, take_open, take_open, take_open, take, take_end};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long end = 0;
    char *bytes;
    if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0)
        fail(path, strerror(errno));
    rewind(file);
    bytes = malloc((size_t)end + 1);
    if (!bytes || fread(bytes, 1, (size_t)end, file) != (size_t)end)
        fail(path, "cannot be read");
    fclose(file);
    *size = (size_t)end;
    return bytes;
}

static void count_newlines(outcome *o, const char *bytes, const char *end)
{
    while ((bytes = memchr(bytes, '\n', (size_t)(end - bytes))) != NULL) {
        bytes++;
        o->newlines++;
    }
}

static void feed(const variant *v, outcome *o, const char *bytes, size_t size)
{
    size_t piece = v->flags & CHUNKED ? CHUNK : size;
    while (size) {
        if (piece > size)
            piece = size;
        if (v->reader->feed(&o->sim, bytes, piece, NULL) != PAJESIM_OK)
            fail(v->name, "the arena is too small for this trace");
        bytes += piece;
        size -= piece;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* All variants agree on what is in the trace, and the trace is valid. */
static void check(const variant *v, const outcome *o, const pajesim_counts *reference)
{
    const pajesim_counts *counts = v->reader->count(&o->sim);
    if (counts->errors || counts->warnings)
        fail(v->name, v->reader->last_problem(&o->sim).text);
    if (counts->events != reference->events || counts->bytes != reference->bytes ||
        memcmp(counts->by_event, reference->by_event, sizeof counts->by_event) != 0)
        fail(v->name, "counts other events than the first variant");
    if (!v->options.parse_only &&
        (counts->states != reference->states || counts->variables != reference->variables ||
         counts->links != reference->links || counts->punctual != reference->punctual ||
         counts->containers != reference->containers))
        fail(v->name, "counts other entities than the first variant");
    if (v->flags & ALL_CALLBACKS &&
        o->seen != counts->states + counts->variables + counts->links + counts->punctual + counts->containers)
        fail(v->name, "its callbacks saw other entities than were counted");
    if (counts->lines != outcomes[0].newlines)
        fail(v->name, "counts other lines than memchr");
}

static double sum(const double *slices)
{
    double total = 0;
    int i;
    for (i = 0; i < SLICES; i++)
        total += slices[i];
    return total;
}

static void report(const variant *v, const outcome *o, const char *trace, size_t size, uint64_t events, int rounds)
{
    double best = sum(o->best), whole[ROUNDS_MAX];
    memcpy(whole, o->round, sizeof whole);
    qsort(whole, (size_t)rounds, sizeof *whole, by_value);
    printf("bench %s/%s/speed %.1f MB/s\n", trace, v->name, (double)size / best / 1e6);
    printf("bench %s/%s/median-speed %.1f MB/s\n", trace, v->name, (double)size / whole[rounds / 2] / 1e6);
    if (v->reader) {
        printf("bench %s/%s/event %.1f ns\n", trace, v->name, best / (double)events * 1e9);
        printf("bench %s/%s/ratio %.3f of-memchr\n", trace, v->name, sum(outcomes[0].best) / best);
        printf("bench %s/%s/arena %zu bytes\n", trace, v->name, v->reader->used(&o->sim));
    }
    fflush(stdout);
}

static void begin(const variant *v, outcome *o, size_t arena_size)
{
    o->seen = o->newlines = 0;
    if (!v->reader)
        return;
    if (!o->arena && !(o->arena = malloc(arena_size)))
        fail(v->name, "out of memory");
    if (v->reader->init(&o->sim, o->arena, arena_size, &v->options,
                        v->flags & ALL_CALLBACKS ? &all_callbacks : NULL, o) != PAJESIM_OK)
        fail(v->name, "cannot begin");
}

static void measure(const char *trace, const char *path, size_t arena_size, int rounds, int is_main, const char *only)
{
    size_t size, i, n = 0, chosen[VARIANTS];
    char *bytes = load(path, &size);
    pajesim_counts reference;
    int r, s;

    for (i = 0; i < VARIANTS; i++)
        if (!i || (only ? strcmp(only, variants[i].name) == 0 : is_main || !(variants[i].flags & MAIN_ONLY)))
            chosen[n++] = i;
    memset(&reference, 0, sizeof reference);
    for (r = 0; r < rounds; r++) {
        for (i = 0; i < n; i++) {
            begin(variants + chosen[i], outcomes + chosen[i], arena_size);
            outcomes[chosen[i]].round[r] = 0;
        }
        for (s = 0; s < SLICES; s++) {
            const char *slice = bytes + size / SLICES * (size_t)s;
            const char *end = s + 1 == SLICES ? bytes + size : slice + size / SLICES;
            for (i = 0; i < n; i++) {
                const variant *v = variants + chosen[i];
                outcome *o = outcomes + chosen[i];
                double t = now();
                if (v->reader)
                    feed(v, o, slice, (size_t)(end - slice));
                else
                    count_newlines(o, slice, end);
                t = now() - t;
                o->round[r] += t;
                if (!r || t < o->best[s])
                    o->best[s] = t;
            }
        }
        for (i = 1; i < n; i++) {
            const variant *v = variants + chosen[i];
            outcome *o = outcomes + chosen[i];
            if (v->reader->finish(&o->sim) != PAJESIM_OK)
                fail(v->name, v->reader->last_problem(&o->sim).text);
            if (!reference.events)
                reference = *v->reader->count(&o->sim);
            check(v, o, &reference);
        }
    }
    for (i = 0; i < n; i++)
        report(variants + chosen[i], outcomes + chosen[i], trace, size, reference.events, rounds);
    free(bytes);
}

int main(int argc, char **argv)
{
    const char *only = getenv("ONLY");
    int rounds, i;
    size_t arena_size;
    if (argc < 5 || argc % 2 == 0 || (rounds = atoi(argv[1])) < 1 || rounds > ROUNDS_MAX) {
        fputs("usage: [ONLY=VARIANT] replay ROUNDS ARENA-MIB NAME TRACE [NAME TRACE]...\n"
              "the first trace is measured in all variants, the others in strict and lenient\n", stderr);
        return 2;
    }
    arena_size = (size_t)strtoul(argv[2], NULL, 10) << 20;
    for (i = 3; i < argc; i += 2)
        measure(argv[i], argv[i + 1], arena_size, rounds, i == 3, only);
    return 0;
}
