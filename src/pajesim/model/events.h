/* Tables made of PAJESIM_EVENTS: names, kinds, fields and functions of events; the names of fields. */
#pragma once

#include "../memory/arena.h"

#define PAJESIM__LITERAL(text) text, sizeof(text) - 1

/* A list of names: an array of texts or, where code must be small, one string of them, each ended by NUL. */
#if PAJESIM_SMALL
typedef char pajesim__literal;
#define PAJESIM__NAME(text) text "\0"
#else
typedef struct pajesim__literal {
    const char *bytes;
    uint8_t size;
} pajesim__literal;
#define PAJESIM__NAME(text) {PAJESIM__LITERAL(text)},
#endif

/* In the order of pajesim_event, from 1. */
static const pajesim__literal pajesim__event_names[] = {
#define PAJESIM__X(code, name, kind, required, optional, function) PAJESIM__NAME(name)
    PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

/* By pajesim_event: the roles of the fields that it must have, and of those that it may have, too. */
static const uint16_t pajesim__required_roles[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , required
    0 PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

static const uint16_t pajesim__optional_roles[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , optional
    0 PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

enum pajesim__function {
    PAJESIM__SKIP_EVENT, /* of an unknown event */
#define PAJESIM__X(function, input) PAJESIM__DO_##function,
    PAJESIM__FUNCTIONS(PAJESIM__X)
#undef PAJESIM__X
};

/* By pajesim_event: the function that simulates it, times 8, plus the pajesim_kind of what it defines or acts on. */
static const uint8_t pajesim__functions_and_kinds[PAJESIM_EVENT_COUNT] = {
#define PAJESIM__X(code, name, kind, required, optional, function) , PAJESIM__DO_##function * 8 | kind
    PAJESIM__SKIP_EVENT PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
};

/* Compiles only if `count` events have this function: one that tells its events apart must know each of them. */
#define PAJESIM__ADD_TO_COUNTS(code, name, kind, required, optional, function) \
    +(UINT64_C(1) << 4 * PAJESIM__DO_##function)
#define PAJESIM__KNOWS(function, count) \
    typedef char pajesim__##function##_lacks_an_event_of_PAJESIM_EVENTS \
        [((0 PAJESIM_EVENTS(PAJESIM__ADD_TO_COUNTS)) >> 4 * PAJESIM__DO_##function & 15) == (count) ? 1 : -1]

/* Whether an event must have a field of this role. */
#define PAJESIM__REQUIRES(event, role) ((uint32_t)pajesim__required_roles[event] >> (role) & 1)

/* The names of fields: those of today in the order of pajesim_role, from 1, then older ones. */
static const pajesim__literal pajesim__role_names[] = {
    PAJESIM__NAME("Time") PAJESIM__NAME("Name") PAJESIM__NAME("Alias") PAJESIM__NAME("Type")
    PAJESIM__NAME("Container") PAJESIM__NAME("Value") PAJESIM__NAME("Key")
    PAJESIM__NAME("StartContainer") PAJESIM__NAME("EndContainer")
    PAJESIM__NAME("StartContainerType") PAJESIM__NAME("EndContainerType")
    PAJESIM__NAME("Color") PAJESIM__NAME("Filename") PAJESIM__NAME("File") PAJESIM__NAME("Line")
#if PAJESIM_REPAIRS
    PAJESIM__NAME("ContainerType") PAJESIM__NAME("EntityType") PAJESIM__NAME("NewContainerType")
    PAJESIM__NAME("NewName")
    PAJESIM__NAME("NewType") PAJESIM__NAME("NewValue") PAJESIM__NAME("NewContainer")
    PAJESIM__NAME("SourceContainer") PAJESIM__NAME("DestContainer")
    PAJESIM__NAME("SourceContainerType") PAJESIM__NAME("DestContainerType")
    PAJESIM__NAME("FileName") /* PAJESIM_SOURCE_FILE in an event that has no use for Filename */
    PAJESIM__NAME("LineNumber")
#endif
};

/* The roles of the older ones. */
static const uint8_t pajesim__old_roles[] = {
    PAJESIM_TYPE, PAJESIM_TYPE, PAJESIM_TYPE,
    PAJESIM_NAME,
    PAJESIM_ALIAS, PAJESIM_ALIAS, PAJESIM_ALIAS,
    PAJESIM_START_CONTAINER, PAJESIM_END_CONTAINER,
    PAJESIM_START_CONTAINER_TYPE, PAJESIM_END_CONTAINER_TYPE,
    PAJESIM_FILENAME,
    PAJESIM_SOURCE_LINE
};
#define PAJESIM__ROLE_NAMES (PAJESIM_ROLE_COUNT - 1 + (PAJESIM_REPAIRS ? (uint32_t)sizeof pajesim__old_roles : 0u))

/* In the order of pajesim_field_type, from 0. */
static const pajesim__literal pajesim__field_types[] = {
    PAJESIM__NAME("date") PAJESIM__NAME("double") PAJESIM__NAME("float") PAJESIM__NAME("int")
    PAJESIM__NAME("hex") PAJESIM__NAME("string") PAJESIM__NAME("color")
};
#define PAJESIM__FIELD_TYPES (PAJESIM_FIELD_COLOR + 1u)

static pajesim_text pajesim__name_at(const pajesim__literal *names, uint32_t index)
{
#if PAJESIM_SMALL
    size_t size;
    for (;; names += size + 1) {
        for (size = 0; names[size]; size++) {
        }
        if (!index--)
            return pajesim__view(names, size);
    }
#else
    return pajesim__view(names[index].bytes, names[index].size);
#endif
}

PAJESIM_API const char *pajesim_event_name(pajesim_event event)
{
    uint32_t index = (uint32_t)event - 1;
    return index < PAJESIM_EVENT_COUNT - 1 ? pajesim__name_at(pajesim__event_names, index).bytes : "";
}

PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind)
{
    static const char *const names[] = {"", "Container", "State", "Event", "Variable", "Link"};
    return (uint32_t)kind < sizeof names / sizeof *names ? names[kind] : "";
}
