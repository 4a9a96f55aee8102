/* A random program of calls that makes a valid trace, for same.c. */
#ifndef TESTS_SAME_PROGRAM_H
#define TESTS_SAME_PROGRAM_H

#include "../lib/expect.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- random numbers: one source for the program, and one for what must make no difference */

static uint64_t program_seed, other_seed;

static uint64_t next_random(uint64_t *seed)
{
    uint64_t x = (*seed += UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
static uint32_t below(uint32_t n) { return (uint32_t)(next_random(&program_seed) % n); }
/* Returns a number of any magnitude, with at least `zeros` zeros in front. */
static uint64_t spread(uint32_t zeros)
{
    const uint32_t shift = zeros + below(64 - zeros);
    return next_random(&program_seed) >> shift;
}
static uint32_t other(uint32_t n) { return (uint32_t)(next_random(&other_seed) % n); }

/* ---- the program: events, and what they have opened */

enum { EVENTS = 600, CONTAINERS = 12, TYPES = 9, DEPTH = 40, KEYS = 24, FIELDS_MAX = 3 };
/* Types: 1 and 2 are those of containers (2 within 1); then two of each kind, within 1 and 2; a link. */
enum { OUTER = 1, INNER, STATES, MARKS = STATES + 2, GAUGES = MARKS + 2, LINKS = GAUGES + 2, LINKS_NAMED };

typedef struct operation {
    pajewrite_event event;
    int by_name;         /* a link whose key is a text */
    uint32_t ints;       /* 1 + number of integer fields; 0: not by a variant of these */
    int has_fields;      /* a variant with fields of each type */
    int64_t numbers[FIELDS_MAX];
} operation;

static operation program[EVENTS + KEYS]; /* more, to end what is open */
static size_t operations;
static int has_doubles = 1, has_fields = 1, has_files = 1;
static uint64_t origin;
static uint32_t decimals, categories;
static int old_names;

static const char *const names[] = {NULL, "", "a", "two words", "it's", "say \"it\"", "50%", "#1", "a,b", "tab\there",
                                    "new\nline", "\xff\xfe\x80", "\xc3\xa9t\xc3\xa9", "\x01\x7f", " ", "  x  ", "2",
                                    "0x1", "name", "%EventDef x 1", "-1", "1e9"};
static const char *const colors[] = {NULL, "0.1 0.2 0.3", "33cc33", "1 1 1 0.5", "0 0 0"};
#define ONE_OF(list) list[below(sizeof list / sizeof *list)]

static char long_name[2000];

static double real_number(void)
{
    static const volatile double thousand = 1000, billion = 1e9; /* else -ffast-math makes other numbers */
    uint64_t bits = next_random(&program_seed);
    double number;
    switch (below(4)) {
    case 0: return (double)(int32_t)bits;
    case 1: return (double)(int32_t)bits / thousand;
    case 2: return (double)(bits >> 40) / billion;
    }
    bits &= ~(UINT64_C(1) << 62); /* finite, and no sum is infinite */
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t container_type(uint32_t container) { return container <= CONTAINERS / 2 ? OUTER : INNER; }

static pajewrite_type type_of(uint32_t number) { return PAJEWRITE_TYPE_IN(categories ? number : 0, number); }

static void make_program(void)
{
    struct {
        uint32_t depth, children;
        int was_created, alive, is_set;
    } containers[CONTAINERS + 1];
    struct { uint32_t state, type, start, value; } links[KEYS];
    uint32_t i, count = 20 + below(EVENTS - 20 - CONTAINERS);
    uint64_t time, step;
    memset(containers, 0, sizeof containers);
    memset(links, 0, sizeof links);
    memset(program, 0, sizeof program);
    old_names = (int)below(2);
    categories = below(2);
    decimals = below(3) ? 9 : below(11);
    origin = below(2) ? 0 : spread(1);
    step = UINT64_C(1) << below(34);
    time = origin + (below(2) ? 0 : spread(6));
    operations = 0;
    while (operations < count) {
        operation *o = &program[operations];
        pajewrite_event *e = &o->event;
        uint32_t c = 1 + below(CONTAINERS), inner = c > CONTAINERS / 2, kind = below(20);
        if (below(3))
            time += step > 1 ? next_random(&program_seed) % step : 0;
        e->time = time;
        e->container = PAJEWRITE_CONTAINER(c);
        e->value = PAJEWRITE_VALUE(1 + below(3));
        if (!containers[c].alive) {
            const uint32_t parent = inner ? c - CONTAINERS / 2 : 0;
            if (containers[c].was_created || (parent && !containers[parent].alive))
                continue; /* a container is created once */
            e->kind = PAJEWRITE_CREATE_CONTAINER;
            e->type = PAJEWRITE_TYPE(container_type(c));
            e->other = PAJEWRITE_CONTAINER(parent);
            e->name = below(30) ? ONE_OF(names) : long_name + below(sizeof long_name);
            e->value = PAJEWRITE_VALUE(0);
            containers[c].alive = 1;
            containers[c].was_created = 1;
            containers[parent].children++;
            operations++;
            continue;
        }
        if (kind < 8) {
            uint32_t *depth = &containers[c].depth;
            e->type = type_of(STATES + inner);
            e->kind = kind < 3 ? PAJEWRITE_PUSH_STATE : kind < 6 ? PAJEWRITE_POP_STATE :
                      kind == 6 ? PAJEWRITE_SET_STATE : PAJEWRITE_RESET_STATE;
            if ((e->kind == PAJEWRITE_POP_STATE && !*depth) || (e->kind == PAJEWRITE_PUSH_STATE && *depth == DEPTH))
                continue;
            *depth = e->kind == PAJEWRITE_PUSH_STATE ? *depth + 1 : e->kind == PAJEWRITE_POP_STATE ? *depth - 1 :
                     e->kind == PAJEWRITE_SET_STATE;
            if (e->kind == PAJEWRITE_POP_STATE || e->kind == PAJEWRITE_RESET_STATE)
                e->value = PAJEWRITE_VALUE(0);
        } else if (kind < 11) {
            e->type = type_of(MARKS + inner);
            e->kind = PAJEWRITE_NEW_EVENT;
        } else if (kind < 15) {
            e->type = type_of(GAUGES + inner);
            e->kind = !containers[c].is_set || kind < 13 ? PAJEWRITE_SET_VARIABLE :
                      kind == 13 ? PAJEWRITE_ADD_VARIABLE : PAJEWRITE_SUB_VARIABLE;
            e->value = PAJEWRITE_VALUE(0);
            e->integer = (int64_t)spread(0);
            e->integer = below(2) ? e->integer : (int64_t)(0 - (uint64_t)e->integer);
            containers[c].is_set = 1;
#if PAJEWRITE_DOUBLE
            e->is_real = below(2) && has_doubles;
            e->real = real_number();
#else
            below(2);
            real_number();
#endif
        } else if (kind < 18) {
            uint32_t k = below(KEYS);
            if (links[k].state == 2 || !containers[c].alive || container_type(c) != OUTER)
                continue;
            e->container = PAJEWRITE_ROOT;
            if (links[k].state == 0) {
                links[k].type = LINKS + below(2);
                links[k].start = c;
                links[k].value = e->value.alias;
            }
            e->kind = links[k].state++ ? PAJEWRITE_END_LINK : PAJEWRITE_START_LINK;
            e->type = type_of(links[k].type);
            e->value = PAJEWRITE_VALUE(links[k].value);
            e->other = PAJEWRITE_CONTAINER(c);
            e->key = k + UINT64_C(0xffffffffffffff00) * (k % 2);
            if (links[k].type == LINKS_NAMED) {
                static char texts[KEYS][24];
                snprintf(texts[k], sizeof texts[k], k % 3 ? "key %" PRIu32 : "%" PRIu32, k);
                e->name = texts[k];
                o->by_name = 1;
            }
        } else if (kind == 18 && !containers[c].children && below(4) == 0) {
            i = 0;
            while (i < KEYS && !(links[i].state == 1 && links[i].start == c))
                i++;
            if (i < KEYS)
                continue;
            e->kind = PAJEWRITE_DESTROY_CONTAINER;
            e->type = PAJEWRITE_TYPE(container_type(c));
            e->value = PAJEWRITE_VALUE(0);
            containers[c].alive = 0;
            containers[inner ? c - CONTAINERS / 2 : 0].children--;
            containers[c].depth = 0;
            operations++;
            continue;
        } else if (kind == 19 && below(8) == 0 && has_files) {
            e->kind = PAJEWRITE_TRACE_FILE;
            e->type = PAJEWRITE_TYPE(container_type(c));
            e->value = PAJEWRITE_VALUE(0);
            e->name = "other.trace";
            e->time = 0;
            operations++;
            continue;
        } else {
            continue;
        }
        if (below(4) == 0 && has_fields) {
            o->ints = below(2) ? 1 + below(FIELDS_MAX + 1) : 0;
            o->has_fields = !o->ints && !below(2);
            for (i = 0; i < FIELDS_MAX; i++)
                o->numbers[i] = (int64_t)spread(0);
        }
        operations++;
    }
    for (i = 0; i < KEYS; i++) /* no link is left without an end */
        if (links[i].state == 1) {
            operation *o = &program[operations];
            size_t at = operations;
            while (at-- && !(program[at].event.kind == PAJEWRITE_START_LINK &&
                             program[at].event.key == i + UINT64_C(0xffffffffffffff00) * (i % 2)))
                ;
            o->event = program[at].event;
            o->by_name = program[at].by_name;
            o->event.kind = PAJEWRITE_END_LINK;
            o->event.time = time;
            operations++;
        }
    for (i = CONTAINERS; i > 0; i--) /* nor a container: the inner ones end first */
        if (containers[i].alive) {
            operation *o = &program[operations++];
            o->event.kind = PAJEWRITE_DESTROY_CONTAINER;
            o->event.time = time;
            o->event.container = PAJEWRITE_CONTAINER(i);
            o->event.type = PAJEWRITE_TYPE(container_type(i));
        }
}

#endif
