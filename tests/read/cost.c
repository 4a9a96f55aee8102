/* Replays adversarial traces at two sizes, the second four times the first.  Prints the name of each case, and the
 * bytes of arena used at both sizes; under valgrind's callgrind, dumps the instructions of both.  See
 * tests/read/cost.sh.
 *
 *     cost SIZE [CASE]     SIZE: the smaller one, in lines or in repeated parts of a line */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__has_include)
#if __has_include(<valgrind/callgrind.h>)
#include <valgrind/callgrind.h>
#endif
#endif
#ifndef CALLGRIND_DUMP_STATS_AT
#define CALLGRIND_ZERO_STATS ((void)0)
#define CALLGRIND_DUMP_STATS_AT(name) ((void)(name))
#endif

#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 5\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 6\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 7\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 8\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePushState 9\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 10\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeResetState 11\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 12\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeNewEvent 13\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 14\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 15\n% Time date\n% Type string\n% Container string\n% EndContainer string\n% Value string\n"
    "% Key string\n%EndEventDef\n"
    "0 P 0 Process\n1 S P State\n2 V P Variable\n3 E P Event\n4 L P P P Link\n6 0 home P 0 home\n";

/* ---- a trace under construction */

static char *trace;
static size_t size, room;

static void add(const void *bytes, size_t count)
{
    while (size + count > room) {
        room = room ? 2 * room : 1 << 20;
        trace = (char *)realloc(trace, room);
        if (!trace) {
            fputs("cost: no memory\n", stderr);
            exit(3);
        }
    }
    memcpy(trace + size, bytes, count);
    size += count;
}

static void addf(const char *format, ...)
{
    char text[1000];
    va_list arguments;
    va_start(arguments, format);
    add(text, (size_t)vsnprintf(text, sizeof text, format, arguments));
    va_end(arguments);
}

/* ---- identifiers that collide, made from the hash itself */

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;
    int i;
    for (i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

static int is_plain(uint64_t word)
{
    int i;
    for (i = 0; i < 8; i++, word >>= 8)
        if ((word & 255) <= 32 || strchr("\"'#%,\x7f", (int)(word & 255)))
            return 0;
    return 1;
}

static uint64_t random_word(void)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uint64_t random_plain(void)
{
    static const char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    uint64_t word = 0;
    int i;
    for (i = 0; i < 8; i++)
        word = word << 8 | (uint64_t)letters[random_word() >> 58];
    return word;
}

/* Makes up to sixteen bytes of which pajesim__mix makes `mixed`. */
static void add_colliding(uint64_t mixed, uint32_t scope, size_t bytes)
{
    uint64_t words[2];
    mixed *= inverse(PAJESIM__MIX3);
    mixed ^= mixed >> 32;
    do {
        uint64_t y;
        words[1] = random_plain() >> 8 * (16 - bytes);
        y = words[1] * PAJESIM__MIX2;
        words[0] = (mixed ^ (y >> 32 | y << 32)) * inverse(PAJESIM__MIX1) - scope;
    } while (!is_plain(words[0]));
    add(words, bytes);
}

/* Makes thirty-two bytes with a common beginning, whose rest has the same hash. */
static void add_long_colliding(void)
{
    const char begin[] = "beginning";
    uint64_t words[3], hash;
    do {
        words[0] = random_plain();
        words[1] = random_plain();
        hash = (32 ^ words[0]) * PAJESIM__MIX1;
        hash = ((hash ^ hash >> 32) ^ words[1]) * PAJESIM__MIX1;
        words[2] = UINT64_C(0x123456789abcdef) ^ hash ^ hash >> 32;
    } while (!is_plain(words[2]));
    add(begin, 8);
    add(words, sizeof words);
}

enum collision { SAME, NEAR, CLUSTER, PRINTS, LONG };

static void add_identifier(enum collision how, uint64_t i)
{
    switch (how) {
    case SAME: add_colliding(12345, 0, 16); break;
    case NEAR: add_colliding(i << 32, 0, 16); break;    /* different, but the upper bits */
    case CLUSTER: add_colliding(i << 40, 0, 16); break; /* one after the other */
    case PRINTS: /* pairs with the same lower half; the last byte is not hashed */
        add_colliding((i << 32 | i) - ('b' + 2) / 5 * PAJESIM__MIX2, 16u << 24, 15);
        add("b", 1);
        break;
    case LONG: add_long_colliding(); break;
    }
}

/* ---- the cases */

/* Containers are created, get entities, and are destroyed in another order. */
static void collide(unsigned long n, enum collision how)
{
    unsigned long i;
    size_t *at = (size_t *)malloc(n * sizeof *at), bytes = how == LONG ? 32 : 16;
    char id[33] = "";
    for (i = 0; i < n; i++) {
        add("6 1 ", 4);
        at[i] = size;
        add_identifier(how, i);
        addf(" P 0 name\n");
    }
    for (i = 0; i < n; i++) {
        memcpy(id, trace + at[i], bytes);
        addf("12 2 V %s %lu\n", id, i);
    }
    for (i = 0; i < n; i++) {
        memcpy(id, trace + at[(i * 7919) % n], bytes);
        addf("7 3 P %s\n", id);
    }
    free(at);
}

static void collide_same(unsigned long n) { collide(n, SAME); }
static void collide_near(unsigned long n) { collide(n, NEAR); }
static void collide_cluster(unsigned long n) { collide(n, CLUSTER); }
static void collide_prints(unsigned long n) { collide(n, PRINTS); }
static void collide_long(unsigned long n) { collide(n, LONG); }

static void values_in_one_type(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("5 v%lu S value-%lu\n", i, i);
    for (i = 0; i < n; i++)
        addf("8 %lu S home v%lu\n", i, (i * 7919) % n);
}

static void values_on_the_fly(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("9 %lu S home undefined-value-%lu\n", i, i);
    addf("11 %lu S home\n", n);
}

static void pending_links(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("14 %lu L home home x k%lu\n", i, i);
    for (i = 0; i < n; i += 2)
        addf("15 %lu L home home x k%lu\n", n, i);
    addf("7 %lu P home\n", n);
}

static void deep_stack(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("9 %lu S home x\n", i);
    for (i = 0; i < n; i++)
        addf("10 %lu S home\n", n);
    for (i = 0; i < n; i++)
        addf("9 %lu S home x\n", n);
    for (i = 0; i < n; i++)
        addf("%s %lu S home x\n", i % 2 ? "9" : "10", n);
    addf("8 %lu S home y\n", n);
}

static void event_definitions(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("%%EventDef PajeNewEvent e%lu\n%% Time date\n%% Type string\n%% Container string\n%% Value string\n"
             "%% field%lu string\n%%EndEventDef\n", i, i);
    for (i = 0; i < n; i++)
        addf("e%lu %lu E home x y\n", (i * 7919) % n, i);
}

/* Each type is used as soon as it is defined. */
static void variables_of_a_container(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("2 v%lu P variable-%lu\n12 %lu v%lu home 1\n", i, i, i, i);
    for (i = 0; i < n; i++)
        addf("12 %lu v%lu home 2\n", n, (i * 7919) % n);
}

/* Each container uses one of the types of entities that it may have, and of those that containers in it have. */
static void types_of_many_containers(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("2 v%lu P v\n0 T%lu P T\n", i, i);
    for (i = 0; i < n; i++)
        addf("6 0 c%lu P 0 c\n12 1 v%lu c%lu 1\n", i, (i * 7919) % n, i);
    for (i = 0; i < n; i += 2)
        addf("7 2 P c%lu\n", i);
}

static void deep_types(unsigned long n)
{
    unsigned long i;
    addf("0 p0 P p\n");
    for (i = 0; i < n; i++)
        addf("0 p%lu p%lu p\n", i + 1, i);
    for (i = 0; i < n; i++)
        addf("4 l%lu p1 p%lu p%lu l\n", i, n, n);
}

static void nested_containers(unsigned long n)
{
    unsigned long i;
    addf("0 T0 P T\n6 0 c0 T0 home x\n");
    for (i = 0; i < n; i++)
        addf("0 T%lu T%lu T\n1 S%lu T%lu S\n6 0 c%lu T%lu c%lu x\n", i + 1, i, i + 1, i + 1, i + 1, i + 1, i);
    for (i = 0; i < n; i++)
        addf("9 1 S%lu c%lu x\n", n - i, n - i);
    for (i = 0; i < n / 2; i++)
        addf("7 2 T%lu c%lu\n", n - i, n - i);
    addf("7 3 T0 c0\n7 3 P home\n");
}

static void many_descendants(unsigned long n)
{
    unsigned long i;
    addf("0 T P T\n1 ST T ST\n");
    for (i = 0; i < n; i++)
        addf("6 0 c%lu T home x\n9 0 ST c%lu x\n", i, i);
    addf("7 2 P home\n");
}

static void long_line(unsigned long n)
{
    unsigned long i;
    addf("13 1 E home \"");
    for (i = 0; i < n; i++)
        add("a long value of an event ", 25);
    addf("\"\n# ");
    for (i = 0; i < n; i++)
        add("a long comment as well : ", 25);
    addf("\n9 2 S home '");
    for (i = 0; i < n; i++)
        add("a string without its end ", 25);
    addf("\n13 3 E home %s", "");
    for (i = 0; i < n; i++)
        add("too many words on a line ", 25);
    addf("\n");
}

static void small_lines(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("12 %lu V home %lu\n\n", i, i);
}

static void bad_lines(unsigned long n)
{
    unsigned long i;
    for (i = 0; i < n; i++)
        addf("12 x V home %lu\n%% x y z\n%%EventDef A\n99 1\n10 1 S home\n6 0 home P 0 home\n", i);
}

static const struct {
    const char *name;
    void (*make)(unsigned long n);
    size_t piece; /* the bytes fed at once; 0: all */
    int strict, exact; /* the arena grows in place, by no more than needed */
} cases[] = {
    {"identifiers of one hash", collide_same, 0, 0, 0},
    {"identifiers of one hash, when strict", collide_same, 0, 1, 0},
    {"identifiers of one place", collide_near, 0, 0, 0},
    {"identifiers of one place, when strict", collide_near, 0, 1, 0},
    {"identifiers side by side", collide_cluster, 0, 0, 0},
    {"identifiers of like fingerprints, when strict", collide_prints, 0, 1, 0},
    {"long identifiers of one hash", collide_long, 0, 0, 0},
    {"long identifiers of one hash, when strict", collide_long, 0, 1, 0},
    {"values of one type", values_in_one_type, 0, 0, 0},
    {"values on the fly", values_on_the_fly, 0, 0, 0},
    {"pending links", pending_links, 0, 0, 0},
    {"pending links, when strict", pending_links, 0, 1, 0},
    {"a deep stack", deep_stack, 0, 0, 0},
    {"event definitions", event_definitions, 0, 0, 0},
    {"variables of a container", variables_of_a_container, 0, 0, 0},
    {"types of many containers", types_of_many_containers, 0, 0, 0},
    {"types of many containers, when strict", types_of_many_containers, 0, 1, 0},
    {"types within types", deep_types, 0, 0, 0},
    {"containers within containers", nested_containers, 0, 0, 0},
    {"containers within containers, when strict", nested_containers, 0, 1, 0},
    {"an end with many descendants", many_descendants, 0, 0, 0},
    {"long lines", long_line, 0, 0, 0},
    {"long lines, a byte at a time", long_line, 1, 0, 0},
    {"long lines, some bytes at a time", long_line, 100, 0, 1},
    {"small lines, a byte at a time", small_lines, 1, 0, 0},
    {"an arena that grows in small steps", many_descendants, 40, 0, 1}, /* each call scans its bytes again */
    {"bad lines", bad_lines, 0, 0, 0},
};

/* ---- replaying */

static size_t most = (size_t)3 << 30; /* reserved address space for the arena; untouched pages take no memory */
static uint64_t told;

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    told += entity->end >= entity->start && pajesim_name(sim, entity->type).size;
    return PAJESIM_GO_ON;
}

/* Returns the bytes of arena used. */
static size_t replay(size_t which, void *arena)
{
    static const pajesim_callbacks callbacks = {.closed = closed};
    static pajesim sim;
    pajesim_options options;
    size_t capacity, at = 0, piece = cases[which].piece ? cases[which].piece : size;
    pajesim_status status = PAJESIM_OK;
    memset(&options, 0, sizeof options);
    options.strict = cases[which].strict;
    capacity = pajesim_arena_min(&options);
    pajesim_init(&sim, arena, capacity, &options, &callbacks, NULL);
    do {
        size_t taken;
        if (at < size) {
            status = pajesim_feed(&sim, trace + at, piece < size - at ? piece : size - at, &taken);
            at += taken;
        } else {
            status = pajesim_finish(&sim);
            if (status != PAJESIM_FULL)
                break;
        }
        if (status == PAJESIM_FULL) {
            uint64_t needed = pajesim_capacity_needed(&sim);
            capacity = (size_t)(cases[which].exact ? needed : needed + needed / 2);
            if (capacity > most || pajesim_move(&sim, arena, capacity) != PAJESIM_OK) {
                printf("FAIL cost/%s: no room\n", cases[which].name);
                exit(1);
            }
        }
    } while (status == PAJESIM_OK || status == PAJESIM_FULL);
    if (pajesim_count(&sim)->lines < 50 || pajesim_count(&sim)->states + pajesim_count(&sim)->containers < 2) {
        printf("FAIL cost/%s: not replayed\n", cases[which].name);
        exit(1);
    }
    return pajesim_used(&sim);
}

int main(int argc, char **argv)
{
    const unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    size_t which, used[2];
    void *arena = malloc(most);
    int larger;
    if (!arena || n < 1) {
        fputs("usage: cost SIZE [CASE]\n", stderr);
        return 2;
    }
    for (which = 0; which < sizeof cases / sizeof *cases; which++) {
        if (argc > 2 && strcmp(argv[2], cases[which].name) != 0)
            continue;
        for (larger = 0; larger < 2; larger++) {
            size = 0;
            add(header, sizeof header - 1);
            cases[which].make(larger ? 4 * n : n);
            CALLGRIND_ZERO_STATS;
            used[larger] = replay(which, arena);
            CALLGRIND_DUMP_STATS_AT(cases[which].name);
        }
        printf("%s\tarena\t%lu\t%lu\n", cases[which].name, (unsigned long)used[0], (unsigned long)used[1]);
        fflush(stdout);
    }
    free(arena);
    free(trace);
    return 0;
}
