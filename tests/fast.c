/* Replays traces, each also with random damage and in random pieces, and prints a digest of all that the callbacks are
 * shown and of the image at the end: tests/fast.sh compares those of readers that were compiled with other options.
 *
 *     fast [-m MACHINE] ROUNDS TRACE...       MACHINE: pajesim__machine, no better than what is there */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Wunused-function"
#endif
#define PAJESIM_API static
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

enum { SIZE_MAX_READ = 8 << 20, ARENA = 64 << 20 };

static uint64_t digest, seed;
static int machine;

static uint32_t below(uint32_t n)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(((seed >> 32) * n) >> 32);
}

static void mix(const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes;
    size_t i;
    for (i = 0; i < size; i++)
        digest = (digest ^ p[i]) * UINT64_C(0x100000001B3);
}

static void mix_number(uint64_t number) { mix(&number, sizeof number); }
static void mix_time(pajesim_time time) { mix(&time, sizeof time); }

static void mix_text(pajesim_text text)
{
    mix_number(text.size);
    mix(text.bytes, text.size);
}

static int entity(pajesim *sim, const pajesim_entity *e)
{
    pajesim_field field;
    uint32_t i;
    mix_number((uint64_t)e->kind << 32 | e->imbrication);
    mix_number((uint64_t)e->container << 32 | e->type);
    mix_number((uint64_t)e->start_container << 32 | e->end_container);
    mix_time(e->start);
    mix_time(e->end);
    mix(&e->number, sizeof e->number);
    mix_text(e->value_name);
    mix_text(e->key);
    for (i = 0; pajesim_user_field(sim, &e->opening, i, &field); i++)
        mix_text(field.text);
    for (i = 0; pajesim_user_field(sim, &e->closing, i, &field); i++)
        mix_text(field.text);
    return PAJESIM_GO_ON;
}

static int line(pajesim *sim, const pajesim_line *l)
{
    uint32_t i;
    (void)sim;
    mix_number((uint64_t)l->event << 32 | l->count);
    mix_time(l->time);
    for (i = 0; i <= l->count; i++)
        mix_text((pajesim_text){l->text + l->spans[2 * i], l->spans[2 * i + 1]});
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *p)
{
    (void)sim;
    mix_number((uint64_t)p->code << 32 | (uint64_t)p->severity << 8 | p->depth);
    mix_number(p->line);
    mix_number(p->column);
    mix_text(p->bytes);
    return PAJESIM_GO_ON;
}

/* In pieces of up to `piece` bytes, each in a block of its own, so that a read beyond is seen by sanitizers. */
static void replay(const unsigned char *bytes, size_t size, int strict, uint32_t piece)
{
    static uint64_t arena[ARENA / 8];
    static const pajesim_callbacks callbacks = {
        .line = line, .problem = problem, .closed = entity, .state_pushed = entity, .variable_updated = entity,
        .link_started = entity, .container_created = entity};
    pajesim_options options;
    pajesim sim;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    if (pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL) != PAJESIM_OK)
        exit(3);
#if PAJESIM_SIMD > 1
    sim.machine = machine;
#endif
    while (size) {
        uint32_t part = piece < 2 ? piece : 1 + below(piece);
        unsigned char *copy;
        size_t taken;
        if (part > size || !part)
            part = (uint32_t)size;
        copy = malloc(part);
        if (!copy)
            exit(3);
        memcpy(copy, bytes, part);
        if (pajesim_feed(&sim, copy, part, &taken) == PAJESIM_OPEN)
            pajesim_end_file(&sim);
        free(copy);
        bytes += taken;
        size -= taken;
    }
    while (pajesim_finish(&sim) == PAJESIM_OPEN)
        pajesim_end_file(&sim);
    mix(arena, pajesim_used(&sim));
}

/* Bytes that mean something, in other places. */
static void damage(unsigned char *bytes, size_t size)
{
    static const char what[] = " \t\r\n\n#\"'%\0\x01\x80\xff 0123456789.-e";
    uint32_t n = 1 + (uint32_t)size / 200;
    while (n--) {
        uint32_t at = below((uint32_t)size);
        bytes[at] = (unsigned char)what[below(sizeof what - 1)];
    }
}

int main(int argc, char **argv)
{
    static unsigned char bytes[SIZE_MAX_READ], damaged[SIZE_MAX_READ];
    int first = 1, rounds, i, r;
    if (argc > 2 && strcmp(argv[1], "-m") == 0) {
        machine = atoi(argv[2]);
        first = 3;
    }
    if (argc < first + 2 || (rounds = atoi(argv[first])) < 1) {
        fputs("usage: fast [-m MACHINE] ROUNDS TRACE...\n", stderr);
        return 2;
    }
    for (i = first + 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        size_t size = file ? fread(bytes, 1, sizeof bytes, file) : 0;
        if (!file)
            return 3;
        fclose(file);
        digest = UINT64_C(0xcbf29ce484222325);
        seed = UINT64_C(88172645463325252);
        for (r = 0; r < 2 * rounds; r++) {
            memcpy(damaged, bytes, size);
            if (r > 1)
                damage(damaged, size);
            replay(damaged, size, r & 1, r < 2 ? 0 : 1u << below(18));
        }
        printf("%016llx %s\n", (unsigned long long)digest, argv[i]);
    }
    return 0;
}
