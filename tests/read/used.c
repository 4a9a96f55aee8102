/* Strict mode refuses keys of links and identifiers of containers that were used before, and nothing else: compared
 * with a plain list.  Identifiers are drawn at random from many similar ones.
 * usage: used N: so many of each kind */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 4\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeStartLink 12\n% Time date\n% Type string\n% Container string\n% StartContainer string\n"
    "% Value string\n% Key string\n%EndEventDef\n"
    "%EventDef PajeEndLink 13\n% Time date\n% Type string\n% Container string\n% EndContainer string\n% Value string\n"
    "% Key string\n%EndEventDef\n"
    "0 P 0 Process\n4 L P P P Link\n4 M P P P Message\n5 0 bearer-0 P 0 bearer-0\n5 0 bearer-1 P 0 bearer-1\n"
    "5 0 bearer-20 P 0 bearer-20\n";

enum { SPACE = 1 << 16 };

static const char *const types[] = {"L", "M"}, *const bearers[] = {"bearer-0", "bearer-1", "bearer-20"};

static pajesim sim;
static uint64_t arena[1 << 22];
static unsigned char used[SPACE];

static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 88172645463325252;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % limit;
}

/* ---- kinds of identifiers: different for different numbers */

static void decimal(char *id, uint32_t i) { sprintf(id, "%u", (unsigned)i); }
static void named(char *id, uint32_t i) { sprintf(id, "message_%05u", (unsigned)i); }
static void counted(char *id, uint32_t i)
{
    sprintf(id, "%u_%u_%u", (unsigned)i % 16, (unsigned)i / 16 % 16, (unsigned)i / 256);
}
static void lengthy(char *id, uint32_t i)
{
    sprintf(id, "0123456789%u-and-behind-the-words-%u", (unsigned)i / 7, (unsigned)i % 7);
}

/* Returns one byte or two, without those that have a meaning. */
static void bytes(char *id, uint32_t i)
{
    static const char signs[] = "!$&()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"
                                "abcdefghijklmnopqrstuvwxyz{|}~";
    uint32_t base = sizeof signs - 1, size = 0;
    for (i++; i; i = (i - 1) / base)
        id[size++] = signs[(i - 1) % base];
    id[size] = 0;
}

/* ---- using them */

static int feed(const char *text)
{
    uint64_t errors = pajesim_count(&sim)->errors;
    if (pajesim_feed(&sim, text, strlen(text), NULL) != PAJESIM_OK)
        return -1;
    return (int)(pajesim_count(&sim)->errors - errors);
}

static int use_as_key(const char *id, uint32_t within)
{
    char text[400];
    const char *type = types[within % 2], *bearer = bearers[within / 2];
    int start;
    sprintf(text, "12 1 %s %s bearer-0 v %s\n", type, bearer, id);
    start = feed(text);
    if (start)
        return start;
    sprintf(text, "13 1 %s %s bearer-0 v %s\n", type, bearer, id);
    return feed(text) ? -1 : 0;
}

static int use_as_container(const char *id, uint32_t within)
{
    char text[400];
    int created;
    (void)within;
    sprintf(text, "5 1 %s P 0 name\n", id);
    created = feed(text);
    if (created)
        return created;
    sprintf(text, "6 1 P %s\n", id);
    return feed(text) ? -1 : 0;
}

static int run(const char *name, void (*make)(char *, uint32_t), int (*use)(const char *, uint32_t), uint32_t withins,
               uint32_t draws)
{
    pajesim_options options;
    uint32_t i, again = 0, space = draws < SPACE / 6 ? draws : SPACE / 6;
    memset(&options, 0, sizeof options);
    memset(used, 0, sizeof used);
    options.strict = 1;
    if (pajesim_init(&sim, arena, sizeof arena, &options, NULL, NULL) != PAJESIM_OK || feed(header) != 0) {
        printf("FAIL used/%s: cannot begin\n", name);
        return 1;
    }
    for (i = 0; i < draws; i++) {
        uint32_t within = random_below(withins), drawn, refused;
        char id[64];
        /* some count up, some are random */
        drawn = i % 2 ? random_below(space) : i / 2 % space;
        make(id, drawn);
        if (strcmp(id, "0") == 0 && use == use_as_container)
            continue; /* the root's */
        refused = (uint32_t)use(id, within);
        if (refused != used[drawn * withins + within]) {
            printf("FAIL used/%s: %s, the %u. one, was used %d times: %d (%s)\n", name, id, (unsigned)i,
                   used[drawn * withins + within], (int)refused, pajesim_last_problem(&sim).text);
            return 1;
        }
        again += refused;
        used[drawn * withins + within] = 1;
    }
    if (!again) {
        printf("FAIL used/%s: nothing was used again\n", name);
        return 1;
    }
    printf("PASS used/%s\n", name);
    return 0;
}

int main(int argc, char **argv)
{
    uint32_t draws = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    int failed = 0;
    if (!draws) {
        fputs("usage: used N\n", stderr);
        return 2;
    }
    failed |= run("keys that are numbers", decimal, use_as_key, 6, draws);
    failed |= run("keys with numbers", named, use_as_key, 6, draws);
    failed |= run("keys of pairs", counted, use_as_key, 6, draws);
    failed |= run("long keys", lengthy, use_as_key, 6, draws);
    failed |= run("short keys", bytes, use_as_key, 6, draws);
    failed |= run("containers that are numbers", decimal, use_as_container, 1, draws);
    failed |= run("long containers", lengthy, use_as_container, 1, draws);
    failed |= run("short containers", bytes, use_as_container, 1, draws);
    return failed;
}
