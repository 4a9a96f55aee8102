/* Names and fields of the events of the format, as the header of a trace defines them. */
#pragma once

#include "bytes.h"
#include "numbers.h"

/* An event's name; empty where PAJEWRITE_KINDS leaves it out. */
#define PAJEWRITE__IF_ALWAYS(text) text
#if PAJEWRITE__HAS_STATES
#define PAJEWRITE__IF_STATES(text) text
#else
#define PAJEWRITE__IF_STATES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_EVENTS
#define PAJEWRITE__IF_EVENTS(text) text
#else
#define PAJEWRITE__IF_EVENTS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_VARIABLES
#define PAJEWRITE__IF_VARIABLES(text) text
#else
#define PAJEWRITE__IF_VARIABLES(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_LINKS
#define PAJEWRITE__IF_LINKS(text) text
#else
#define PAJEWRITE__IF_LINKS(text) PAJEWRITE__ABSENT
#endif
#if PAJEWRITE__HAS_FILES
#define PAJEWRITE__IF_FILES(text) text
#else
#define PAJEWRITE__IF_FILES(text) PAJEWRITE__ABSENT
#endif
#define PAJEWRITE__ABSENT ""

/* A field of the format: letter in PAJEWRITE__KINDS, name, old name, type. */
typedef struct pajewrite__field {
    char letter;
    const char *name, *old, *type;
} pajewrite__field;

static const pajewrite__field pajewrite__fields[] = {
    {'t', "Time", NULL, "date"},
    {'y', "Alias", NULL, "string"},                                  /* type being defined */
    {'w', "Type", "ContainerType", "string"},                        /* type of its containers */
    {'v', "Alias", NULL, "string"},                                  /* value being defined */
    {'C', "Alias", NULL, "string"},                                  /* container being created */
    {'P', "Container", NULL, "string"},                              /* its parent */
    {'D', "Name", NULL, "string"},                                   /* container being destroyed */
    {'N', "Name", NULL, "string"},
    {'c', "Color", NULL, "color"},
    {'s', "StartContainerType", "SourceContainerType", "string"},
    {'e', "EndContainerType", "DestContainerType", "string"},
    {'Y', "Type", NULL, "string"},
    {'T', "Type", "EntityType", "string"},
    {'k', "Container", NULL, "string"},
    {'V', "Value", NULL, "string"},
    {'n', "Value", NULL, "double"},
    {'S', "StartContainer", "SourceContainer", "string"},
    {'E', "EndContainer", "DestContainer", "string"},
    {'K', "Key", NULL, "string"},
    {'F', "Filename", NULL, "string"}
};

static const struct {
    const char *name, *fields;
} pajewrite__kinds[] = {
#define PAJEWRITE__X(kind, group, name, fields) {PAJEWRITE__IF_##group(name), fields},
    PAJEWRITE__KINDS(PAJEWRITE__X)
#undef PAJEWRITE__X
};

PAJEWRITE__UNTRACED
static const char *pajewrite__field_letters(pajewrite_kind kind)
{
    return pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].fields;
}

/* Whether the header defines this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__is_kind(uint32_t kind)
{
    return kind > PAJEWRITE__BEFORE_KINDS && kind < PAJEWRITE__AFTER_KINDS &&
           *pajewrite__kinds[kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name;
}

/* Writes the first line of an event definition. */
PAJEWRITE__UNTRACED
static char *pajewrite__put_event_def(char *p, pajewrite_kind kind, uint32_t number)
{
    p = pajewrite__put_string(p, "%EventDef ");
    p = pajewrite__put_string(p, pajewrite__kinds[(uint32_t)kind - PAJEWRITE_DEFINE_CONTAINER_TYPE].name);
    *p++ = ' ';
    p = pajewrite__put_u32(p, number);
    *p++ = '\n';
    return p;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_time(pajewrite_kind kind) { return *pajewrite__field_letters(kind) == 't'; }

#if PAJEWRITE_TABLE || PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static int pajewrite__is_variable(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_VARIABLE && kind <= PAJEWRITE_SUB_VARIABLE;
}
#endif

/* Whether an event of this kind has a name, a key that may be a text, or the name of a file. */
PAJEWRITE__UNTRACED
static int pajewrite__has_name(pajewrite_kind kind)
{
    return kind <= PAJEWRITE_CREATE_CONTAINER || kind >= PAJEWRITE_START_LINK;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_color(pajewrite_kind kind)
{
    return kind == PAJEWRITE_DEFINE_VARIABLE_TYPE || kind == PAJEWRITE_DEFINE_VALUE;
}

/* Whether pajewrite_enable and pajewrite_disable apply to events of this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__is_switchable(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_END_LINK;
}
