/* A small simulation to test functions with: a machine and two processes, with a type of each kind.  Include it after
 * pajesim.h. */
#ifndef TESTS_SCENE_H
#define TESTS_SCENE_H

#include "../lib/expect.h"

#include <string.h>

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineVariableType 2\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineLinkType 3\n% Alias string\n% Type string\n% StartContainerType string\n"
    "% EndContainerType string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineEntityValue 4\n% Alias string\n% Type string\n% Name string\n% Color color\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 5\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajeDestroyContainer 6\n% Time date\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajePushState 7\n% Time date\n% Type string\n% Container string\n% Value string\n% Mark string\n"
    "%EndEventDef\n"
    "%EventDef PajePopState 8\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeSetVariable 9\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
    "%EventDef PajeTraceFile 10\n% Type string\n% Container string\n% Filename string\n%EndEventDef\n";
static const char scene[] =
    "0 M 0 Machine\n0 P M Process\n1 S P \"Process State\"\n2 V P Memory\n3 L M P P Message\n4 R S Running \"0 1 0\"\n"
    "5 0 m M 0 \"Machine 1\"\n5 0.5 p1 P m \"Process 1\"\n5 1 p2 P m \"Process 2\"\n";

static uint64_t arena[4096];
static pajesim sim;

/* Returns the number of lines in header and scene. */
static uint64_t lines_before(void)
{
    uint64_t lines = 0;
    const char *p;
    for (p = header; *p; p++)
        lines += *p == '\n';
    for (p = scene; *p; p++)
        lines += *p == '\n';
    return lines;
}

static pajesim_status feed(const char *lines)
{
    return pajesim_feed(&sim, lines, strlen(lines), NULL);
}

static void begin(const pajesim_options *options, const pajesim_callbacks *callbacks)
{
    EXPECT(pajesim_init(&sim, arena, sizeof arena, options, callbacks, &failed) == PAJESIM_OK);
    EXPECT(feed(header) == PAJESIM_OK);
    EXPECT(feed(scene) == PAJESIM_OK);
}

static int is(pajesim_text text, const char *expected)
{
    return text.size == strlen(expected) && !memcmp(text.bytes, expected, text.size);
}

static pajesim_ref container(const char *alias)
{
    return pajesim_find_container(&sim, alias, strlen(alias));
}

static pajesim_ref type(const char *alias)
{
    return pajesim_find_type(&sim, alias, strlen(alias));
}

#endif
