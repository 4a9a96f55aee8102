/* The events of the format and their fields.  PAJESIM_EVENTS is the one list of events: all else is made of it. */
#pragma once

#include "types.h"

/* What a field of an event is for.  A field whose name is none of the format's is a user field. */
typedef enum pajesim_role {
    PAJESIM_USER_FIELD = 0,
    PAJESIM_TIME,
    PAJESIM_NAME,
    PAJESIM_ALIAS,
    PAJESIM_TYPE,
    PAJESIM_CONTAINER_FIELD,
    PAJESIM_VALUE,
    PAJESIM_KEY,
    PAJESIM_START_CONTAINER,
    PAJESIM_END_CONTAINER,
    PAJESIM_START_CONTAINER_TYPE,
    PAJESIM_END_CONTAINER_TYPE,
    PAJESIM_COLOR,
    PAJESIM_FILENAME,
    PAJESIM_SOURCE_FILE, /* File and Line: of the program's source; no event uses them */
    PAJESIM_SOURCE_LINE,
    PAJESIM_ROLE_COUNT
} pajesim_role;

/* The declared type of a field. */
typedef enum pajesim_field_type {
    PAJESIM_FIELD_DATE,
    PAJESIM_FIELD_DOUBLE,
    PAJESIM_FIELD_FLOAT,
    PAJESIM_FIELD_INT,
    PAJESIM_FIELD_HEX,
    PAJESIM_FIELD_STRING,
    PAJESIM_FIELD_COLOR
} pajesim_field_type;

/* Sets of roles, as bits, for the list of events. */
#define PAJESIM__BIT(role) (1u << PAJESIM_##role)
#define PAJESIM__NAMED (PAJESIM__BIT(NAME) | PAJESIM__BIT(TYPE))
#define PAJESIM__TIMED (PAJESIM__BIT(TIME) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(CONTAINER_FIELD))
#define PAJESIM__VALUED (PAJESIM__TIMED | PAJESIM__BIT(VALUE))
#define PAJESIM__COLORED (PAJESIM__BIT(ALIAS) | PAJESIM__BIT(COLOR))
#define PAJESIM__LINK_TYPES (PAJESIM__BIT(START_CONTAINER_TYPE) | PAJESIM__BIT(END_CONTAINER_TYPE))

/* The events of the format (section "Events"), in its own order: X(code, name, kind, required, optional, function).
 *
 *     code       PAJESIM_code is its pajesim_event
 *     name       as a trace writes it in %EventDef
 *     kind       pajesim_kind of what it defines or acts on; 0: none
 *     required   roles of the fields that its definition must have
 *     optional   roles of the fields that it uses where its definition has them; all others are user fields
 *     function   pajesim__function simulates it; listed in PAJESIM__FUNCTIONS
 *
 * To add an event, add a row here; its function in simulation/, listed below, or another case in a function that exists
 * (count its PAJESIM__KNOWS up); and a definition and a case in tests/read/prose.  If it has a number, see also
 * pajesim__parse_event. */
#define PAJESIM_EVENTS(X) \
    X(DEFINE_CONTAINER_TYPE, "PajeDefineContainerType", PAJESIM_CONTAINER, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_STATE_TYPE,     "PajeDefineStateType",     PAJESIM_STATE, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_EVENT_TYPE,     "PajeDefineEventType",     PAJESIM_EVENT, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_VARIABLE_TYPE,  "PajeDefineVariableType",  PAJESIM_VARIABLE, \
      PAJESIM__NAMED, PAJESIM__COLORED, define_type) \
    X(DEFINE_LINK_TYPE,      "PajeDefineLinkType",      PAJESIM_LINK, \
      PAJESIM__NAMED | PAJESIM__LINK_TYPES, PAJESIM__COLORED, define_type) \
    X(DEFINE_ENTITY_VALUE,   "PajeDefineEntityValue",   0, PAJESIM__NAMED, PAJESIM__COLORED, define_value) \
    X(CREATE_CONTAINER,      "PajeCreateContainer",     PAJESIM_CONTAINER, \
      PAJESIM__TIMED | PAJESIM__BIT(NAME), PAJESIM__BIT(ALIAS) | PAJESIM__BIT(FILENAME), create_container) \
    X(DESTROY_CONTAINER,     "PajeDestroyContainer",    PAJESIM_CONTAINER, \
      PAJESIM__NAMED | PAJESIM__BIT(TIME), 0, destroy_container) \
    X(SET_STATE,             "PajeSetState",            PAJESIM_STATE, PAJESIM__VALUED, 0, open_state) \
    X(PUSH_STATE,            "PajePushState",           PAJESIM_STATE, PAJESIM__VALUED, 0, open_state) \
    X(POP_STATE,             "PajePopState",            PAJESIM_STATE, PAJESIM__TIMED, 0, pop_state) \
    X(RESET_STATE,           "PajeResetState",          PAJESIM_STATE, PAJESIM__TIMED, 0, reset_state) \
    X(NEW_EVENT,             "PajeNewEvent",            PAJESIM_EVENT, PAJESIM__VALUED, 0, new_event) \
    X(SET_VARIABLE,          "PajeSetVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(ADD_VARIABLE,          "PajeAddVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(SUB_VARIABLE,          "PajeSubVariable",         PAJESIM_VARIABLE, PAJESIM__VALUED, 0, change_variable) \
    X(START_LINK,            "PajeStartLink",           PAJESIM_LINK, \
      PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(START_CONTAINER), 0, link_event) \
    X(END_LINK,              "PajeEndLink",             PAJESIM_LINK, \
      PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(END_CONTAINER), 0, link_event) \
    X(TRACE_FILE,            "PajeTraceFile",           0, \
      PAJESIM__BIT(CONTAINER_FIELD) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(FILENAME), 0, trace_file)

typedef enum pajesim_event {
    PAJESIM_UNKNOWN_EVENT = 0, /* lenient: a definition whose name is not of the format; its lines are skipped */
#define PAJESIM__X(code, name, kind, required, optional, function) PAJESIM_##code,
    PAJESIM_EVENTS(PAJESIM__X)
#undef PAJESIM__X
    PAJESIM_EVENT_COUNT /* not an event: how many there are */
} pajesim_event;

/* The functions that simulate events: X(function, input).
 *
 *     function   pajesim__function
 *     input      what it is given: LINE: the line alone; PLACE: its time, and container, type and slot, too */
#define PAJESIM__FUNCTIONS(X) \
    X(create_container, LINE) \
    X(destroy_container, LINE) \
    X(define_value, LINE) \
    X(trace_file, LINE) \
    X(define_type, LINE) \
    X(open_state, PLACE) \
    X(pop_state, PLACE) \
    X(reset_state, PLACE) \
    X(new_event, PLACE) \
    X(link_event, PLACE) \
    X(change_variable, PLACE)
