/* Measures how fast traces in memory are replayed, as a fraction of the speed at which memchr finds their newlines.
 *
 * Each trace is cut into slices.  In every round each variant takes a slice in turn, so that whatever disturbs the
 * machine disturbs all alike.  A variant's time is the sum over the slices of the minimum (or the median) of the
 * rounds, in CPU time of this thread.  Variants that do the same must find the same: lines, words, entities. */
#define _DEFAULT_SOURCE /* madvise */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench.h"
/* Declarations only: this file calls the reader through its engines. */
#include "engine.h"

enum { SLICES = 64, ROUNDS_MAX = 99, CHUNK = 64 * 1024 };
enum { NEWLINES, READING, LEXING, DECODING, REPLAY, REPLAY_CALLBACKS, KINDS };

typedef struct {
    const char *name;
    const engine *reader; /* NULL: none */
    int kind, lenient;
    size_t chunk; /* 0: whole slices */
} variant;

static const variant variants[] = {
    {"memchr", NULL, NEWLINES, 0, 0},
    {"words-of-8", NULL, READING, 0, 0},
    {"lexing", &engine_fast, LEXING, 0, 0},
    {"lexing-without-fast-path", &engine_relexed, LEXING, 0, 0},
    {"lexing-without-avx", &engine_narrow, LEXING, 0, 0},
    {"lexing-without-simd", &engine_plain, LEXING, 0, 0},
    {"decoding", &engine_fast, DECODING, 0, 0},
    {"decoding-without-avx", &engine_narrow, DECODING, 0, 0},
    {"strict", &engine_fast, REPLAY, 0, 0},
    {"lenient", &engine_fast, REPLAY, 1, 0},
    {"strict-callbacks", &engine_fast, REPLAY_CALLBACKS, 0, 0},
    {"lenient-callbacks", &engine_fast, REPLAY_CALLBACKS, 1, 0},
    {"strict-64k-chunks", &engine_fast, REPLAY, 0, CHUNK},
    {"strict-without-fast-path", &engine_relexed, REPLAY, 0, 0},
    {"strict-without-cache", &engine_uncached, REPLAY, 0, 0},
    {"strict-without-avx", &engine_narrow, REPLAY, 0, 0},
    {"strict-without-simd", &engine_plain, REPLAY, 0, 0},
    {"strict-callbacks-without-simd", &engine_plain, REPLAY_CALLBACKS, 0, 0}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* The result of a variant on the current trace. */
typedef struct {
    pajesim sim; /* the first member, so that callbacks, which get a pointer to it, have access to the rest */
    void *arena;
    size_t lexed; /* bytes */
    /* the result: newlines, words, or a checksum of the entities passed to callbacks */
    uint64_t found, sink;
    double times[SLICES][ROUNDS_MAX];
    double best, median;
} outcome;

static outcome outcomes[VARIANTS];

static size_t arena_size = (size_t)1 << 30, chunk;
static int rounds = 7, small_pages, chosen[VARIANTS];

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "replay: %s: %s\n", what, why);
    exit(1);
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* The minimum that a program would do: look at the times, type, container and value of each entity. */
static int take(pajesim *sim, const pajesim_entity *entity)
{
    outcome *o = (outcome *)(void *)sim;
    o->found += bits_of(entity->start) + bits_of(entity->end) * 3 + bits_of(entity->number) * 5 +
                entity->value_name.size + (entity->type != 0) + (entity->container != 0);
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

static char *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    long end = 0;
    char *bytes;
    if (!file || fseek(file, 0, SEEK_END) || (end = ftell(file)) < 0)
        fail(path, strerror(errno));
    rewind(file);
    bytes = calloc((size_t)end + ENGINE_PAD, 1);
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
        o->found++;
    }
}

static void read_words(outcome *o, const char *bytes, const char *end)
{
    uint64_t word;
    for (; end - bytes >= 8; bytes += 8) {
        memcpy(&word, bytes, 8);
        o->sink ^= word;
    }
}

static void feed(const variant *v, outcome *o, const char *bytes, const char *end)
{
    size_t size = (size_t)(end - bytes), piece = v->chunk ? v->chunk : chunk ? chunk : size;
    while (size) {
        if (piece > size)
            piece = size;
        if (v->reader->feed(&o->sim, bytes, piece, NULL) != PAJESIM_OK)
            fail(v->name, "the arena is too small for this trace");
        bytes += piece;
        size -= piece;
    }
}

/* Uses large pages, as a program with many containers would ask for. */
static void *take_arena(void)
{
    void *arena = NULL;
    if (posix_memalign(&arena, (size_t)2 << 20, arena_size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(arena, arena_size, small_pages ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
#endif
    return arena;
}

static void begin(const variant *v, outcome *o)
{
    pajesim_options options = {.strict = !v->lenient, .parse_only = v->kind == DECODING};
    o->lexed = 0;
    o->found = 0;
    if (v->kind < DECODING)
        return;
    if (!o->arena && !(o->arena = take_arena()))
        fail(v->name, "out of memory");
    if (v->reader->init(&o->sim, o->arena, arena_size, &options, v->kind == REPLAY_CALLBACKS ? &all_callbacks : NULL,
                        o) != PAJESIM_OK)
        fail(v->name, "cannot begin");
}

static void take_slice(const variant *v, outcome *o, const char *bytes, size_t from, size_t to)
{
    switch (v->kind) {
    case NEWLINES: count_newlines(o, bytes + from, bytes + to); break;
    case READING: read_words(o, bytes + from, bytes + to); break;
    case LEXING: o->lexed += v->reader->lex(bytes + o->lexed, to - o->lexed, &o->found); break;
    default: feed(v, o, bytes + from, bytes + to); break;
    }
}

/* Checks that the trace is valid and has a line for each newline, and that the results of variants agree. */
static void check_all(void)
{
    const outcome *first[KINDS] = {NULL};
    const pajesim_counts *reference = NULL;
    int i;
    for (i = 0; i < VARIANTS; i++) {
        const variant *v = variants + i;
        outcome *o = outcomes + i;
        if (!chosen[i])
            continue;
        if (v->kind >= DECODING) {
            const pajesim_counts *counts;
            if (v->reader->finish(&o->sim) != PAJESIM_OK)
                fail(v->name, v->reader->last_problem(&o->sim).text);
            counts = v->reader->count(&o->sim);
            if (!reference)
                reference = counts;
            if (counts->errors || counts->warnings)
                fail(v->name, v->reader->last_problem(&o->sim).text);
            if (counts->events != reference->events || counts->bytes != reference->bytes ||
                memcmp(counts->by_event, reference->by_event, sizeof counts->by_event) != 0)
                fail(v->name, "counts other events than other variants");
            if (counts->lines != outcomes[0].found)
                fail(v->name, "counts other lines than memchr");
        }
        if (!first[v->kind])
            first[v->kind] = o;
        if (o->found != first[v->kind]->found)
            fail(v->name, "finds other words or entities than other variants");
    }
}

/* Sorts the times of each slice. */
static void sum_up(outcome *o)
{
    int s;
    o->best = o->median = 0;
    for (s = 0; s < SLICES; s++) {
        o->median += bench_median(o->times[s], rounds);
        o->best += o->times[s][0];
    }
}

static const outcome *find(const char *name)
{
    int i;
    for (i = 0; i < VARIANTS; i++)
        if (chosen[i] && strcmp(variants[i].name, name) == 0)
            return outcomes + i;
    return NULL;
}

static void report(const char *trace, size_t size)
{
    const outcome *decoding, *strict;
    double events = 0;
    int i;
    for (i = 0; i < VARIANTS; i++)
        if (chosen[i] && variants[i].kind >= DECODING)
            events = (double)variants[i].reader->count(&outcomes[i].sim)->events;
    if (events > 0)
        printf("bench %s/line %.1f bytes\n", trace, (double)size / (double)outcomes[0].found);
    for (i = 0; i < VARIANTS; i++) {
        const variant *v = variants + i;
        outcome *o = outcomes + i;
        if (!chosen[i])
            continue;
        sum_up(o);
        printf("bench %s/%s/speed %.1f MB/s\n", trace, v->name, (double)size / o->best / 1e6);
        printf("bench %s/%s/median-speed %.1f MB/s\n", trace, v->name, (double)size / o->median / 1e6);
        if (i > 0)
            printf("bench %s/%s/ratio %.3f of-memchr\n", trace, v->name, outcomes[0].best / o->best);
        if (events > 0)
            printf("bench %s/%s/event %.1f ns\n", trace, v->name, o->best / events * 1e9);
        if (v->kind >= DECODING)
            printf("bench %s/%s/arena %zu bytes\n", trace, v->name, v->reader->used(&o->sim));
    }
    decoding = find("decoding");
    strict = find("strict");
    if (decoding && strict)
        printf("bench %s/simulating/event %.1f ns\n", trace, (strict->best - decoding->best) / events * 1e9);
    fflush(stdout);
}

static void measure(const char *trace, const char *path)
{
    size_t size;
    char *bytes = load(path, &size);
    int r, s, i;
    for (r = 0; r < rounds; r++) {
        for (i = 0; i < VARIANTS; i++)
            if (chosen[i])
                begin(variants + i, outcomes + i);
        for (s = 0; s < SLICES; s++)
            for (i = 0; i < VARIANTS; i++)
                if (chosen[i]) {
                    double t = bench_now();
                    take_slice(variants + i, outcomes + i, bytes, size / SLICES * (size_t)s,
                               s + 1 == SLICES ? size : size / SLICES * (size_t)(s + 1));
                    outcomes[i].times[s][r] = bench_now() - t;
                }
        check_all();
    }
    report(trace, size);
    free(bytes);
}

/* memchr is always measured. */
static void choose(char *names)
{
    char *name;
    int i;
    chosen[0] = 1;
    for (name = strtok(names, ","); name; name = strtok(NULL, ",")) {
        for (i = 0; i < VARIANTS && strcmp(variants[i].name, name) != 0; i++) {
        }
        if (i == VARIANTS)
            fail(name, "no such variant");
        chosen[i] = 1;
    }
}

int main(int argc, char **argv)
{
    int option, i;
    while ((option = getopt(argc, argv, "r:a:c:v:p")) != -1)
        switch (option) {
        case 'r': rounds = atoi(optarg); break;
        case 'a': arena_size = (size_t)strtoul(optarg, NULL, 10) << 20; break;
        case 'c': chunk = (size_t)strtoul(optarg, NULL, 10); break;
        case 'v': choose(optarg); break;
        case 'p': small_pages = 1; break;
        default: rounds = 0; break;
        }
    if (rounds < 1 || rounds > ROUNDS_MAX || !arena_size || optind == argc || (argc - optind) % 2) {
        fputs("usage: replay [-r ROUNDS] [-a ARENA-MIB] [-c CHUNK-BYTES] [-v VARIANT,...] [-p] (NAME TRACE)...\n"
              "-p: arenas in small pages\n"
              "variants (all, if none is said):", stderr);
        for (i = 0; i < VARIANTS; i++)
            fprintf(stderr, " %s", variants[i].name);
        fputs("\n", stderr);
        return 2;
    }
    if (!chosen[0])
        for (i = 0; i < VARIANTS; i++)
            chosen[i] = 1;
    for (i = optind; i < argc; i += 2)
        measure(argv[i], argv[i + 1]);
    return 0;
}
