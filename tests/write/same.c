/* A random program of calls, made in several ways, is one trace: by the calls of each event, by pajewrite_write, on
 * tracks and with integer fields; with a table and without; in buffers of any size, in memory that is the trace itself,
 * offered to a peer, and in a flight recorder.  That trace is strictly valid; so is one with gaps, of a recorder that
 * has written over its beginning, and of each peer that is attached.
 * usage: same SEED COUNT [WITHOUT...]   prints the sum of the traces, which is that of any other build; WITHOUT is
 *                                       doubles, fields or files, for comparison with a build that has none of these */
#define _POSIX_C_SOURCE 200809L
#ifndef PAJEWRITE_KINDS
#define PAJEWRITE_KINDS 31
#endif
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "same_calls.h"

#include <stdlib.h>

/* ---- where the lines go */

enum { OUT = 1 << 20 };
static struct output {
    char bytes[OUT];
    size_t size;
} out, reference;

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (!size || bytes[size - 1] != '\n' || size > OUT - out.size) {
        fail("a sink is given %zu bytes, no whole lines, or too many", size);
        return PAJEWRITE_E_SINK;
    }
    memcpy(out.bytes + out.size, bytes, size);
    out.size += size;
    return PAJEWRITE_OK;
}

static uint32_t reluctance; /* how often nothing is taken, of 8 times */

static size_t offer(void *data, const char *bytes, size_t size)
{
    const size_t taken = other(8) < reluctance ? 0 : other(3) ? size : other((uint32_t)size + 1);
    (void)data;
    if (taken > OUT - out.size)
        return PAJEWRITE_OFFER_FAILED;
    memcpy(out.bytes + out.size, bytes, taken);
    out.size += taken;
    return taken;
}

/* Memory that is the trace itself: each buffer is behind the last one, after some blank lines. */
static size_t next_begin;
static char *next_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    (void)data;
    if (next_begin + used > OUT || !memset(out.bytes + next_begin + used, '\n', 1))
        fail("more is used of a buffer than it has");
    out.size = next_begin + used;
    next_begin = out.size + other(20);
    *size = PAJEWRITE_E_SINK;
    if (!needed) {
        *size = 0;
        return NULL;
    }
    if (next_begin + needed + 4096 > OUT)
        return NULL;
    *size = needed + other(4000);
    memset(out.bytes + out.size, '\n', next_begin - out.size + *size);
    return out.bytes + next_begin;
}

/* Removes what readers skip: blank lines, and comments. */
static void leave_out_comments(void)
{
    const char *line = out.bytes, *last = out.bytes + out.size, *end;
    char *to = out.bytes;
    for (; line < last; line = end) {
        end = (const char *)memchr(line, '\n', (size_t)(last - line));
        end = end ? end + 1 : last;
        if (*line != '\n' && *line != '#') {
            memmove(to, line, (size_t)(end - line));
            to += end - line;
        }
    }
    out.size = (size_t)(to - out.bytes);
}

/* ---- reading it back */

static int allows_pending;
static char first_error[300];

static int read_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    if (problem->severity == PAJESIM_ERROR && !(problem->code == PAJESIM_E_LINK_PENDING && allows_pending) &&
        !first_error[0])
        snprintf(first_error, sizeof first_error, "line %" PRIu64 ": %s: %.*s", problem->line, problem->text,
                 (int)problem->bytes.size, problem->bytes.bytes);
    return PAJESIM_GO_ON;
}

static void read_back(const char *way)
{
    static uint64_t arena[1 << 18];
    pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    size_t at = 0, taken;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&options, 0, sizeof options);
    options.strict = 1;
    options.old_names = old_names;
    callbacks.problem = read_problem;
    first_error[0] = 0;
    if (pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL) != PAJESIM_OK)
        fail("the reader does not begin");
    for (; at < out.size; at += taken) {
        pajesim_status status = pajesim_feed(&sim, out.bytes + at, out.size - at, &taken);
        if (status == PAJESIM_OPEN)
            status = pajesim_end_file(&sim);
        if (status != PAJESIM_OK) {
            fail("%s: the reader returns %d", way, (int)status);
            return;
        }
    }
    pajesim_finish(&sim);
    if (first_error[0])
        fail("%s: %s", way, first_error);
}

/* ---- the ways */

enum { TABLE_SIZE = 2048, BUFFER = 1 << 18, SMALL = 4096 };
#if PAJEWRITE_TABLE
static pajewrite_entry table[TABLE_SIZE];
#endif
static char buffer[BUFFER];
static writing it;

/* Returns the status. */
static pajewrite_status write_program(pajewrite_config *config, size_t size, uint32_t flushes)
{
    const uint32_t reluctant = reluctance;
    size_t i;
    out.size = next_begin = 0;
    config->clock = clock_of_test;
    config->origin = origin;
    config->decimals = decimals;
    config->old_names = old_names;
    it.clock_ahead = (int)other(2);
    pajewrite_init(&it.w, config->next_buffer ? NULL : buffer, size, config);
    reluctance = 0; /* the buffer has to hold the definitions */
    define(&it);
    pajewrite_flush(&it.w);
    reluctance = reluctant;
    for (i = 0; i < operations; i++) {
        call(&it, &program[i]);
        if (flushes && other(flushes) == 0)
            pajewrite_flush(&it.w);
    }
    return pajewrite_get_status(&it.w);
}

static void compare(const char *way, uint64_t seed)
{
    pajewrite_status status = pajewrite_finish(&it.w);
    size_t at = 0;
    leave_out_comments();
    if (status)
        fail("%s: %s", way, pajewrite_problem(&it.w));
    while (at < out.size && at < reference.size && out.bytes[at] == reference.bytes[at])
        at++;
    if (out.size != reference.size || at < out.size) {
        while (at && out.bytes[at - 1] != '\n')
            at--;
        fail("seed %" PRIu64 ", %s: %zu bytes, not %zu; at %zu: %.80s", seed, way, out.size, reference.size, at,
             reference.bytes + at);
    }
}

#if PAJEWRITE_TABLE
static void use_table(pajewrite_config *config)
{
    config->table = table;
    config->table_entries = TABLE_SIZE;
}
#endif

static pajewrite_config no_config(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    return config;
}

/* Nothing is lost: all traces are equal. */
static void lossless(uint64_t seed)
{
    pajewrite_config config = no_config();
    config.sink = to_memory;
    write_program(&config, BUFFER, 0);
    pajewrite_finish(&it.w);
    leave_out_comments();
    if (pajewrite_get_status(&it.w))
        fail("seed %" PRIu64 ": %s", seed, pajewrite_problem(&it.w));
    memcpy(&reference, &out, sizeof reference);
    read_back("reference");
    write_program(&config, SMALL + other(2000), 50);
    compare("small buffer", seed);
    config.when_full = PAJEWRITE_DROP;
    write_program(&config, BUFFER, 10);
    compare("dropping", seed);
    config = no_config();
    config.next_buffer = next_buffer;
    write_program(&config, 0, 30);
    compare("next buffer", seed);
#if PAJEWRITE_TABLE
    config = no_config();
    config.sink = to_memory;
    use_table(&config);
    write_program(&config, SMALL + other(2000), 50);
    compare("table", seed);
    config.when_full = PAJEWRITE_DROP;
    write_program(&config, BUFFER, 50);
    compare("table, dropping", seed);
    config = no_config();
    config.offer = offer;
    use_table(&config);
    config.definitions_size = other(2) ? BUFFER / 4 : 0;
    reluctance = other(8);
    write_program(&config, BUFFER, 20);
    reluctance = 0;
    while (it.w.next > it.w.buffer && !pajewrite_flush(&it.w))
        ;
    compare("offer", seed);
    config = no_config();
    use_table(&config);
    config.when_full = PAJEWRITE_OVERWRITE;
    config.definitions_size = BUFFER / 4;
    write_program(&config, BUFFER, 0);
    out.size = 0;
    pajewrite_flight_dump(buffer, BUFFER, (int)other(2), NULL, 0, to_memory, NULL);
    if (PAJEWRITE_SEGMENTS <= 8) /* else a segment is too small */
        compare("recorder", seed);
#endif
}

#if PAJEWRITE_TABLE
/* What is lost leaves a valid trace. */
static void lossy(uint64_t seed)
{
    static char scratch[4096];
    pajewrite_config config = no_config();
    char way[80];
    size_t i;
    allows_pending = 1;
    config.sink = to_memory;
    use_table(&config);
    config.when_full = PAJEWRITE_DROP;
    write_program(&config, SMALL * 4 + other(4000), 1 + other(200));
    pajewrite_finish(&it.w);
    snprintf(way, sizeof way, "seed %" PRIu64 ", gaps", seed);
    read_back(way);
    config = no_config();
    use_table(&config);
    config.when_full = PAJEWRITE_OVERWRITE;
    config.definitions_size = BUFFER / 8;
    if (write_program(&config, BUFFER / 8 + SMALL * 6 + other(40000), 0) == PAJEWRITE_OK) {
        out.size = 0;
        allows_pending = 0;
        i = other(3) ? other(sizeof scratch) : 0;
        pajewrite_flight_dump(buffer, BUFFER, 0, i ? scratch : NULL, i, to_memory, NULL);
        snprintf(way, sizeof way, "seed %" PRIu64 ", overwriting", seed);
        read_back(way);
        allows_pending = 1;
    }
    config = no_config();
    config.offer = offer;
    use_table(&config);
    config.definitions_size = BUFFER / 8;
    reluctance = 4 + other(4);
    write_program(&config, BUFFER / 8 + SMALL * (2 + other(6)), 1 + other(200));
    reluctance = 0;
    for (i = 0; i < 20 && !pajewrite_flush(&it.w); i++)
        ;
    pajewrite_finish(&it.w);
    snprintf(way, sizeof way, "seed %" PRIu64 ", slow peer", seed);
    read_back(way);
    /* Peers one after the other; each begins with what is open. */
    config.definitions_size = BUFFER / 4;
    out.size = 0;
    config.clock = clock_of_test;
    config.origin = origin;
    config.decimals = decimals;
    config.old_names = old_names;
    reluctance = other(8);
    pajewrite_init(&it.w, buffer, BUFFER - other(BUFFER / 2), &config);
    define(&it);
    for (i = 0; i < operations; i++) {
        call(&it, &program[i]);
        if (other(100) == 0) {
            out.size = 0;
            pajewrite_attach(&it.w, NULL);
        } else if (other(50) == 0) {
            pajewrite_flush(&it.w);
        }
    }
    reluctance = 0;
    for (i = 0; i < 20 && !pajewrite_flush(&it.w); i++)
        ;
    if (pajewrite_finish(&it.w) == PAJEWRITE_OK) {
        snprintf(way, sizeof way, "seed %" PRIu64 ", attached", seed);
        read_back(way);
    }
    allows_pending = 0;
}
#endif

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 100;
    uint64_t seed, sum = UINT64_C(0xcbf29ce484222325);
    size_t i;
    int a;
    for (a = 3; a < argc; a++) {
        has_doubles &= strcmp(argv[a], "doubles") != 0;
        has_fields &= strcmp(argv[a], "fields") != 0;
        has_files &= strcmp(argv[a], "files") != 0;
    }
    memset(long_name, 'n', sizeof long_name - 1);
    for (seed = first; seed - first < count && !fault[0]; seed++) {
        program_seed = seed * UINT64_C(0x2545f4914f6cdd1d);
        other_seed = ~program_seed;
        make_program();
        lossless(seed);
        for (i = 0; i < reference.size; i++)
            if (reference.bytes[i] == '%') /* definitions of kinds that another build may not have */
                i += strcspn(reference.bytes + i, "\n");
            else
                sum = (sum ^ (unsigned char)reference.bytes[i]) * UINT64_C(0x100000001b3);
#if PAJEWRITE_TABLE
        lossy(seed);
#endif
    }
    if (!fault[0])
        fprintf(stderr, "%016" PRIx64 "\n", sum);
    report("write/", "same: a program of calls in all ways");
    return failed != 0;
}
