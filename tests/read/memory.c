/* Memory is proportional to what is open, not to the length of the trace: compares the arena's high-water mark after a
 * thousand rounds of creating and destroying with that after very many. */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEventType 3\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeSetState 7\n% Time date\n% Type string\n% Container string\n% Value string\n% Mark string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 8\n% Time date\n% Type string\n% Container string\n% Value string\n% Mark string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 9\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 10\n% Time date\n% Type string\n% Container string\n% Value double\n% Mark string\n"
    "%EndEventDef\n"
    "%EventDef PajeNewEvent 11\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajeStartLink 12\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n% Mark string\n%EndEventDef\n"
    "%EventDef PajeEndLink 13\n% Time date\n% Type string\n% Container string\n% EndContainer string\n% Value string\n"
    "% Key string\n%EndEventDef\n"
    "%EventDef PajeTraceFile 14\n% Type string\n% Container string\n% Filename string\n%EndEventDef\n"
    "0 P 0 Process\n1 S P State\n2 V P Variable\n3 E P Event\n4 L 0 P P Link\n5 0 home P 0 home\n";

static pajesim sim;
static void *arena;
static uint32_t random_state;
static int failed, verbose;

/* Returns pseudo-random numbers, the same in each run. */
static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state % limit;
}

/* Returns lengths of names, 1 to 200 in random order.  `steady` repeats the same order, so that each round takes as
 * much memory as 1000 rounds before; otherwise the order never repeats, and memory varies. */
static unsigned char lengths[200];
static unsigned next_length;
static int steady;

static void shuffle_lengths(void)
{
    unsigned i;
    for (i = 0; i < 200; i++) {
        unsigned j = random_below(i + 1);
        lengths[i] = lengths[j];
        lengths[j] = (unsigned char)(i + 1);
    }
    next_length = 0;
}

/* Writes a new name, of at least as many bytes as its number takes. */
static const char *fresh(char *name, unsigned long number)
{
    size_t size, digits = 0;
    if (next_length == 200) {
        if (!steady)
            shuffle_lengths();
        next_length = 0;
    }
    size = lengths[next_length++];
    do {
        name[digits++] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ._"[number & 63];
        number >>= 6;
    } while (number);
    if (size < digits + 1)
        size = digits + 1;
    memset(name + digits, '-', size - digits);
    name[size] = 0;
    return name;
}

static void begin(int strict)
{
    pajesim_options options;
    size_t capacity = 1 << 16;
    memset(&options, 0, sizeof options);
    options.strict = strict;
    free(arena);
    arena = malloc(capacity);
    random_state = 2463534242u;
    shuffle_lengths();
    if (!arena || pajesim_init(&sim, arena, capacity, &options, NULL, NULL) != PAJESIM_OK ||
        pajesim_feed(&sim, header, sizeof header - 1, NULL) != PAJESIM_OK) {
        fputs("memory: cannot begin\n", stderr);
        exit(2);
    }
}

/* Feeds lines; the arena grows by no more than needed. */
static void feed(const char *format, ...)
{
    char lines[4096];
    const char *p = lines;
    size_t size, taken;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(lines, sizeof lines, format, arguments);
    va_end(arguments);
    size = strlen(lines);
    while (pajesim_feed(&sim, p, size, &taken) == PAJESIM_FULL) {
        size_t needed = (size_t)pajesim_capacity_needed(&sim) + (size_t)pajesim_capacity_needed(&sim) / 4;
        void *wider = malloc(needed);
        if (!wider || pajesim_move(&sim, wider, needed) != PAJESIM_OK) {
            fputs("memory: out of memory\n", stderr);
            exit(2);
        }
        free(arena);
        arena = wider;
        p += taken;
        size -= taken;
    }
}

static int errors_are_expected;

static void check(const char *name, int good, size_t few, size_t many)
{
    if (pajesim_count(&sim)->errors && !errors_are_expected) {
        pajesim_problem problem = pajesim_last_problem(&sim);
        printf("FAIL memory %s: line %u: %s\n", name, (unsigned)problem.line, problem.text);
        failed = 1;
    } else if (!good) {
        printf("FAIL memory %s: %lu bytes early on, %lu at the end\n", name, (unsigned long)few, (unsigned long)many);
        failed = 1;
    } else {
        printf("PASS memory %s\n", name);
    }
    if (verbose)
        printf("     %lu bytes early on, %lu at the end\n", (unsigned long)few, (unsigned long)many);
}

/* ---- rounds of creating and destroying: each leaves as many entities open as it found ---- */

enum { ALIVE = 20 };
static char names[ALIVE][256], keys[ALIVE][256];

static unsigned next_of_alive(unsigned long i)
{
    return steady ? (unsigned)(i % ALIVE) : random_below(ALIVE);
}

static void container_round(unsigned long i)
{
    unsigned which = next_of_alive(i);
    char name[256];
    if (names[which][0])
        feed("6 %lu P %s\n", i, names[which]);
    fresh(names[which], i);
    feed("5 %lu %s P 0 \"%s\"\n7 %lu S %s busy \"\"\n", i, names[which], fresh(name, i), i, names[which]);
}

static void link_round(unsigned long i)
{
    unsigned which = next_of_alive(i);
    char mark[256];
    if (keys[which][0])
        feed("13 %lu L 0 home %s %s\n", i, keys[which], keys[which]);
    fresh(keys[which], i);
    feed("12 %lu L 0 home %s %s %s\n", i, keys[which], keys[which], fresh(mark, i));
}

/* Stacks of up to 25 states, with values and user fields that are never used again. */
static void state_round(unsigned long i)
{
    char value[256], mark[256];
    if (i / 25 % 2 == 0)
        feed("8 %lu S home %s \"%s\"\n", i, fresh(value, i), fresh(mark, i));
    else
        feed("9 %lu S home\n", i);
}

/* Stacks of 200 states, which are closed at once or one by one. */
static void stack_round(unsigned long i)
{
    if (i / 200 % 2 == 0)
        feed("8 %lu S home busy \"\"\n", i);
    else if (i / 400 % 2 == 0)
        feed("9 %lu S home\n", i);
    else if (i % 200 == 0)
        feed("7 %lu S home busy \"\"\n9 %lu S home\n", i, i);
}

static void entity_round(unsigned long i)
{
    char name[256];
    feed("10 %lu V home %lu %s\n", i, i, fresh(name, i));
    feed("11 %lu E home %s\n", i, fresh(name, i));
    feed("7 %lu S home %s %s\n", i, name, name);
}

/* Included files with their own definitions, one of which is kept for a while by an open state. */
static void file_round(unsigned long i)
{
    char file[256], field[256], number[256];
    feed("14 P home \"%s\"\n", fresh(file, i));
    feed("%%EventDef PajePushState 8\n%% Time date\n%% Type string\n%% %s string\n%% Container string\n"
         "%% Value string\n%%EndEventDef\n%%EventDef PajePopState %s\n%% Time date\n%% %s int\n%% Type string\n"
         "%% Container string\n%%EndEventDef\n8 %lu S \"%s\" home busy\n",
         fresh(field, i), fresh(number, i), field, i, file);
    if (i % 20 == 19)
        feed("%s %lu 1 S home\n7 %lu S home idle \"\"\n", number, i, i);
    feed("%%EventDef Unknown %s.\n%% %s quad\n%%EndEventDef\n", number, field);
    while (pajesim_end_file(&sim) != PAJESIM_OK)
        ;
}

/* Definitions that are refused, incomplete, or nested. */
static void refused_round(unsigned long i)
{
    char field[256], number[256];
    fresh(field, i);
    fresh(number, i);
    feed("%%EventDef PajePushState 0%s\n%% Time date\n%% %s string\n%% %s string\n%%EndEventDef\n", number, field,
         number);
    feed("%%EventDef PajePushState 0%s\n%% Time date\n%% %s string\n%% %s string\n", number, field, number);
    feed("%%EventDef PajePushState 1%s\n%% Time date\n%% %s string\n9 1 S home\n", number, field);
}

static void every_round(unsigned long i)
{
    container_round(i);
    link_round(i);
    state_round(i);
}

static void check_flat(const char *name, void (*round)(unsigned long), unsigned long rounds, int order_is_steady)
{
    unsigned long i;
    size_t few, many;
    steady = order_is_steady;
    begin(0);
    memset(names, 0, sizeof names);
    memset(keys, 0, sizeof keys);
    for (i = 0; i < 1000; i++)
        round(i);
    few = pajesim_used(&sim);
    for (; i < rounds; i++)
        round(i);
    many = pajesim_used(&sim);
    check(name, steady ? many <= few : many <= few + few / 3, few, many);
}

/* Strict mode remembers each identifier and key that was used, in at most 16 bytes. */
static void check_slope(const char *name, void (*round)(unsigned long), unsigned long rounds)
{
    unsigned long i;
    size_t few, many = 0;
    int good = 1;
    steady = 1;
    begin(1);
    memset(names, 0, sizeof names);
    memset(keys, 0, sizeof keys);
    for (i = 0; i < 1000; i++)
        round(i);
    few = pajesim_used(&sim);
    for (; i < rounds && good; i++) {
        round(i);
        many = pajesim_used(&sim);
        good = many <= few + 16 * i;
    }
    check(name, good, few, many);
}

int main(int count, char **arguments)
{
    const unsigned long million = 1000000;
    verbose = count > 1 && !strcmp(arguments[1], "-v");
    check_flat("of a million containers", container_round, million, 1);
    check_flat("of a million links", link_round, million, 1);
    check_flat("of a million pushes and pops, with values and user fields of any names", state_round, million, 1);
    check_flat("of stacks that become deep and empty", stack_round, million / 10, 1);
    check_flat("of variables, events and states with values of any names", entity_round, million / 4, 1);
    check_flat("of files with definitions of their own", file_round, million / 10, 1);
    errors_are_expected = 1;
    check_flat("of definitions that are refused", refused_round, million / 10, 1);
    errors_are_expected = 0;
    check_flat("of all at once", every_round, million / 4, 1);
    check_flat("of all at once, in an order that never repeats", every_round, million / 4, 0);
    check_slope("of containers, when strict", container_round, million / 4);
    check_slope("of links, when strict", link_round, million / 4);
    free(arena);
    return failed;
}
