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

#include "../lib/expect.h"

#include <inttypes.h>
#include <stdlib.h>
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

/* ---- making its calls */

typedef struct writing {
    pajewrite w;
    pajewrite_variant ints[PAJEWRITE_END_LINK + 1][FIELDS_MAX + 1], all[PAJEWRITE_END_LINK + 1];
    int clock_ahead; /* 1: the time is that of the clock */
} writing;

static uint64_t now;

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
}

static void define(writing *it)
{
    static const char *const lists[] = {"", "Count int", "Count int, Rank int", "Count int, Rank int, Size int"};
    static const char of_most_types[] = "Mask hex, Note string", of_each_type[] = "Mask hex, Note string, X double";
    pajewrite *w = &it->w;
    uint32_t i, k, kind;
    pajewrite_header(w);
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(OUTER), PAJEWRITE_ROOT_TYPE, "Outer");
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(INNER), PAJEWRITE_TYPE(OUTER), NULL);
    for (i = 0; i < 2; i++) {
        pajewrite_define_state_type(w, type_of(STATES + i), PAJEWRITE_TYPE(OUTER + i), i ? "it's \"a\" state" : "");
        pajewrite_define_event_type(w, type_of(MARKS + i), PAJEWRITE_TYPE(OUTER + i), NULL);
        pajewrite_define_variable_type(w, type_of(GAUGES + i), PAJEWRITE_TYPE(OUTER + i), "a gauge", colors[1 + i]);
        pajewrite_define_link_type(w, type_of(LINKS + i), PAJEWRITE_ROOT_TYPE, PAJEWRITE_TYPE(OUTER),
                                   PAJEWRITE_TYPE(OUTER), "link");
        for (k = 1; k < 4; k++) {
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(STATES + i), k == 1 ? NULL : "value", colors[k]);
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(MARKS + i), "value's", NULL);
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(LINKS + i), "", colors[k]);
        }
    }
    memset(it->ints, 0, sizeof it->ints);
    memset(it->all, 0, sizeof it->all);
    for (kind = PAJEWRITE_SET_STATE; kind <= PAJEWRITE_END_LINK && has_fields; kind++) {
        for (k = 0; k <= FIELDS_MAX; k++)
            it->ints[kind][k] = pajewrite_define_variant(w, (pajewrite_kind)kind, lists[k]);
        it->all[kind] = pajewrite_define_variant(w, (pajewrite_kind)kind, has_doubles ? of_each_type : of_most_types);
    }
}

/* Makes the call of an event in the way that its function is for. */
static void call_plainly(writing *it, const pajewrite_event *e, int by_name)
{
    pajewrite *w = &it->w;
    const pajewrite_container c = e->container;
    const pajewrite_type t = e->type;
    const int at = !it->clock_ahead;
    now = e->time;
#define FORMS(name, ...) \
    do { \
        if (at) \
            pajewrite_##name##_at(w, e->time, __VA_ARGS__); \
        else \
            pajewrite_##name(w, __VA_ARGS__); \
    } while (0)
    switch (e->kind) {
    case PAJEWRITE_CREATE_CONTAINER: FORMS(create_container, c, t, e->other, e->name); break;
    case PAJEWRITE_DESTROY_CONTAINER: FORMS(destroy_container, c, t); break;
    case PAJEWRITE_SET_STATE: FORMS(set_state, c, t, e->value); break;
    case PAJEWRITE_PUSH_STATE: FORMS(push_state, c, t, e->value); break;
    case PAJEWRITE_POP_STATE: FORMS(pop_state, c, t); break;
    case PAJEWRITE_RESET_STATE: FORMS(reset_state, c, t); break;
    case PAJEWRITE_NEW_EVENT: FORMS(new_event, c, t, e->value); break;
#if PAJEWRITE_DOUBLE
    case PAJEWRITE_SET_VARIABLE:
        if (e->is_real)
            FORMS(set_variable_double, c, t, e->real);
        else
            FORMS(set_variable, c, t, e->integer);
        break;
    case PAJEWRITE_ADD_VARIABLE:
        if (e->is_real)
            FORMS(add_variable_double, c, t, e->real);
        else
            FORMS(add_variable, c, t, e->integer);
        break;
    case PAJEWRITE_SUB_VARIABLE:
        if (e->is_real)
            FORMS(sub_variable_double, c, t, e->real);
        else
            FORMS(sub_variable, c, t, e->integer);
        break;
#else
    case PAJEWRITE_SET_VARIABLE: FORMS(set_variable, c, t, e->integer); break;
    case PAJEWRITE_ADD_VARIABLE: FORMS(add_variable, c, t, e->integer); break;
    case PAJEWRITE_SUB_VARIABLE: FORMS(sub_variable, c, t, e->integer); break;
#endif
    case PAJEWRITE_START_LINK:
        if (by_name)
            FORMS(start_link_named, c, t, e->value, e->other, e->name);
        else
            FORMS(start_link, c, t, e->value, e->other, e->key);
        break;
    case PAJEWRITE_END_LINK:
        if (by_name)
            FORMS(end_link_named, c, t, e->value, e->other, e->name);
        else
            FORMS(end_link, c, t, e->value, e->other, e->key);
        break;
    default: pajewrite_write(w, e, NULL);
    }
}

#define TRACK_FORMS(name, value) \
    do { \
        if (at) \
            pajewrite_track_##name##_at(&track, e->time, value); \
        else \
            pajewrite_track_##name(&track, value); \
        return 1; \
    } while (0)

/* Makes the call on a track; returns 0 if there is none for this event. */
static int call_on_track(writing *it, const pajewrite_event *e)
{
    const int at = !it->clock_ahead;
    pajewrite_track track;
    pajewrite_track_init(&track, &it->w, e->container, e->type);
    now = e->time;
    switch (e->kind) {
    case PAJEWRITE_SET_STATE: TRACK_FORMS(set_state, e->value);
    case PAJEWRITE_PUSH_STATE: TRACK_FORMS(push_state, e->value);
    case PAJEWRITE_NEW_EVENT: TRACK_FORMS(new_event, e->value);
    case PAJEWRITE_POP_STATE:
        if (at)
            pajewrite_track_pop_state_at(&track, e->time);
        else
            pajewrite_track_pop_state(&track);
        return 1;
    case PAJEWRITE_SET_VARIABLE:
#if PAJEWRITE_DOUBLE
        if (e->is_real)
            return 0;
#endif
        TRACK_FORMS(set_variable, e->integer);
    default: return 0;
    }
}

static void call(writing *it, const operation *o)
{
    pajewrite_event event = o->event;
    pajewrite_fields fields;
    uint32_t i;
    now = event.time;
    if (it->clock_ahead && event.kind != PAJEWRITE_TRACE_FILE && other(2))
        event.time = PAJEWRITE_TIME_NOW;
    if (o->ints && other(2)) {
        pajewrite_write_ints(&it->w, &event, it->ints[event.kind][o->ints - 1], o->numbers, o->ints - 1);
    } else if (o->ints || o->has_fields) {
        fields = pajewrite_fields_of(o->ints ? it->ints[event.kind][o->ints - 1] : it->all[event.kind]);
        for (i = 0; i + 1 < o->ints; i++)
            pajewrite_field_int(&fields, o->numbers[i]);
        if (!o->ints) {
            pajewrite_field_hex(&fields, (uint64_t)o->numbers[0]);
            pajewrite_field_string(&fields, names[(uint64_t)o->numbers[1] % (sizeof names / sizeof *names)]);
#if PAJEWRITE_DOUBLE
            if (has_doubles)
                pajewrite_field_double(&fields, (double)o->numbers[2] / 64);
#endif
        }
        pajewrite_write(&it->w, &event, &fields);
    } else if (other(3) == 0) {
        pajewrite_write(&it->w, &event, NULL);
    } else if (other(2) || !call_on_track(it, &o->event)) {
        call_plainly(it, &o->event, o->by_name);
    }
}

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
