/* Plain types: handles, kinds of events, status codes, callbacks, events and user fields. */
#pragma once

#include "config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Handles: numbers that name things, written in decimal.  Their C types differ, so that the compiler catches a mix-up.
 * The upper 5 bits of a type are its category, by which pajewrite_enable and pajewrite_disable select. */
typedef struct pajewrite_type { uint32_t alias; } pajewrite_type;
typedef struct pajewrite_container { uint32_t alias; } pajewrite_container;
typedef struct pajewrite_value { uint32_t alias; } pajewrite_value;

#ifdef __cplusplus
#define PAJEWRITE__CAST(type, number) static_cast<type>(number) /* for -Wold-style-cast where a macro is used */
#define PAJEWRITE__HANDLE(type, number) (type{PAJEWRITE__CAST(uint32_t, number)})
#define PAJEWRITE__ZERO {}
#else
#define PAJEWRITE__CAST(type, number) ((type)(number))
#define PAJEWRITE__HANDLE(type, number) ((type){PAJEWRITE__CAST(uint32_t, number)})
#define PAJEWRITE__ZERO {0}
#endif

/* A handle from a number of your choice, from 1 on; types up to PAJEWRITE_TYPE_MAX.  Values are numbered within their
 * type.  C accepts none of these as the initializer of a static object: write
 * `static const pajewrite_type thread = {1};`. */
#define PAJEWRITE_TYPE(number) PAJEWRITE__HANDLE(pajewrite_type, number)
#define PAJEWRITE_TYPE_IN(category, number) \
    PAJEWRITE__HANDLE(pajewrite_type, PAJEWRITE__CAST(uint32_t, category) << 27 | (number))
#define PAJEWRITE_CONTAINER(number) PAJEWRITE__HANDLE(pajewrite_container, number)
#define PAJEWRITE_VALUE(number) PAJEWRITE__HANDLE(pajewrite_value, number)
#define PAJEWRITE_TYPE_MAX 0x7ffffffu

/* A type without its category. */
PAJEWRITE__UNTRACED
static inline uint32_t pajewrite__alias(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }

/* The root container and its type, which every trace has. */
#define PAJEWRITE_ROOT_TYPE PAJEWRITE_TYPE(0)
#define PAJEWRITE_ROOT PAJEWRITE_CONTAINER(0)

/* The events of the format: kind, its option in PAJEWRITE_KINDS, name, and fields in the order in which they are
 * written, as letters of pajewrite__fields.  The kind is the event's number in the trace. */
#define PAJEWRITE__KINDS(X) \
    X(DEFINE_CONTAINER_TYPE, ALWAYS,    "PajeDefineContainerType", "ywN") \
    X(DEFINE_STATE_TYPE,     STATES,    "PajeDefineStateType",     "ywN") \
    X(DEFINE_EVENT_TYPE,     EVENTS,    "PajeDefineEventType",     "ywN") \
    X(DEFINE_VARIABLE_TYPE,  VARIABLES, "PajeDefineVariableType",  "ywNc") \
    X(DEFINE_LINK_TYPE,      LINKS,     "PajeDefineLinkType",      "ywseN") \
    X(DEFINE_VALUE,          ALWAYS,    "PajeDefineEntityValue",   "vTNc") \
    X(CREATE_CONTAINER,      ALWAYS,    "PajeCreateContainer",     "tCYPN") \
    X(DESTROY_CONTAINER,     ALWAYS,    "PajeDestroyContainer",    "tDY") \
    X(SET_STATE,             STATES,    "PajeSetState",            "tkYV") \
    X(PUSH_STATE,            STATES,    "PajePushState",           "tkYV") \
    X(POP_STATE,             STATES,    "PajePopState",            "tkY") \
    X(RESET_STATE,           STATES,    "PajeResetState",          "tkY") \
    X(NEW_EVENT,             EVENTS,    "PajeNewEvent",            "tkYV") \
    X(SET_VARIABLE,          VARIABLES, "PajeSetVariable",         "tkYn") \
    X(ADD_VARIABLE,          VARIABLES, "PajeAddVariable",         "tkYn") \
    X(SUB_VARIABLE,          VARIABLES, "PajeSubVariable",         "tkYn") \
    X(START_LINK,            LINKS,     "PajeStartLink",           "tkYVSK") \
    X(END_LINK,              LINKS,     "PajeEndLink",             "tkYVEK") \
    X(TRACE_FILE,            FILES,     "PajeTraceFile",           "kYF")

typedef enum pajewrite_kind {
    PAJEWRITE__BEFORE_KINDS = 9,
#define PAJEWRITE__X(kind, group, name, fields) PAJEWRITE_##kind,
    PAJEWRITE__KINDS(PAJEWRITE__X)
#undef PAJEWRITE__X
    PAJEWRITE__AFTER_KINDS
} pajewrite_kind;

/* Problems: codes and texts.  The first problem of a context stays its status.  Problems up to CLOSED stop the context;
 * each of the others refuses one call (pajewrite_counts.refused counts these). */
#define PAJEWRITE_PROBLEMS(X) \
    X(MISUSE,        "pajewrite_init has no buffer, no clock, or impossible arguments") \
    X(SINK,          "the sink failed; what it did not take is lost") \
    X(NO_SINK,       "there is no sink to take what was written") \
    X(FORKED,        "the context is that of the parent process; pajewrite_init makes one for the child") \
    X(SNAPSHOT,      "what is open does not fit a segment of the flight recorder, or what a new peer takes") \
    X(CLOSED,        "called after pajewrite_finish") \
    X(DEFINITIONS,   "the flight recorder's place for definitions is full") \
    X(RECORDER,      "memory is not that of a flight recorder, or is damaged") \
    X(OVERTAKEN,     "the writer went on and wrote over what was being dumped") \
    X(REENTERED,     "called while another call of this context was under way: from a signal handler or a sink") \
    X(THREADS,       "two threads use this context at the same time") \
    X(TOO_LONG,      "record is longer than the buffer") \
    X(NAME,          "name is empty or has a byte that the format cannot represent") \
    X(COLOR,         "colour is not 3 or 4 numbers between blanks, nor RRGGBB in hex") \
    X(NUMBER,        "infinity and not-a-number cannot be written") \
    X(TIME,          "time is before the origin") \
    X(KIND,          "kind of event is unknown, or PAJEWRITE_KINDS leaves it out") \
    X(FIELDS,        "user fields do not match their definition, or are too long") \
    X(VARIANT,       "definition of user fields is malformed, or of too many fields") \
    X(FIELD_NAME,    "name of a user field is one that the event has already, or that the format reserves") \
    X(ALIASES,       "no aliases are left to hand out") \
    X(TABLE_FULL,    "the table is full; what is open is no longer followed") \
    X(TYPE,          "type is not defined, defined already, or of another kind") \
    X(CONTAINER,     "container does not exist, exists already, or is destroyed") \
    X(MISMATCH,      "type does not belong to the type of the container") \
    X(VALUE,         "value is defined or used already, or is another one than at the link's other end") \
    X(EMPTY,         "no state to pop") \
    X(UNSET,         "variable is added to before it was set") \
    X(ORDER,         "time is before that of the last event of this container and type") \
    X(KEY,           "a link with this key is pending or was completed already")

typedef enum pajewrite_status {
    PAJEWRITE_OK = 0,
#define PAJEWRITE__X(code, text) PAJEWRITE_E_##code,
    PAJEWRITE_PROBLEMS(PAJEWRITE__X)
#undef PAJEWRITE__X
    PAJEWRITE__STATUS_COUNT
} pajewrite_status;

/* The text of a status, constant; "no problem" for PAJEWRITE_OK, "unknown problem" for a number that is no status. */
PAJEWRITE__API const char *pajewrite_status_text(pajewrite_status status);
/* PAJEWRITE_VERSION of the implementation that was compiled, to compare with that of the header. */
PAJEWRITE__API uint32_t pajewrite_version(void);

/* A clock returns the time in ticks, of which 10^decimals make a second.  It must not go back. */
typedef uint64_t (*pajewrite_clock)(void *data);

/* A sink takes all of the bytes, which are whole lines, and returns PAJEWRITE_OK.  If it fails, it returns another
 * status (PAJEWRITE_E_SINK), and the context does not call it again. */
typedef pajewrite_status (*pajewrite_sink)(void *data, const char *bytes, size_t size);

/* A sink that never waits.  It returns how many of the bytes it took, 0 if none now, also in the middle of a line;
 * PAJEWRITE_OFFER_FAILED: it takes nothing any more.  The rest stays in the buffer and is offered again by
 * pajewrite_flush, and when the buffer is full.  If there is no room then, events are dropped as with PAJEWRITE_DROP;
 * while they are, the bytes are offered again after 64 events or 100 microseconds, and as soon as half of the buffer is
 * free, the gap is reported and events are written again.  So a sink that would throw bytes away refuses them here, and
 * they are counted. */
typedef size_t (*pajewrite_offer)(void *data, const char *bytes, size_t size);
#define PAJEWRITE_OFFER_FAILED SIZE_MAX

/* A source of buffers, in place of buffer and sink, for memory that is the trace itself, such as a mapped file.  It is
 * called when `used` bytes of the last buffer are written and `needed` more bytes are to be written.  It returns a
 * buffer of at least `needed` bytes, filled with newlines, and stores its size in `*size`; or it fails, returns NULL
 * and stores a status in `*size`.  If `needed` is 0, the trace is complete; a nonzero `*size` then reports a
 * failure. */
typedef char *(*pajewrite_next_buffer)(void *data, size_t used, size_t needed, size_t *size);

/* What happens when the buffer is full. */
typedef enum pajewrite_when_full {
    PAJEWRITE_FLUSH = 0, /* it is delivered to the sink */
    PAJEWRITE_DROP,      /* events are dropped and counted until you call pajewrite_flush: for programs that a wait for
                            the sink would disturb more than a gap.  A comment line in the trace reports the gap:
                            `# dropped 12 events from 1.000000001 to 1.500000002`.  Needs a table to stay valid, and a
                            buffer that holds the header (2 KB) */
    PAJEWRITE_OVERWRITE  /* new events overwrite the oldest; see pajewrite_flight_dump.  Requires a table */
} pajewrite_when_full;

/* What happens to names that some readers do not accept: empty ones, and those with a control byte (newline, tab) or
 * one of " ' % # , */
typedef enum pajewrite_names {
    PAJEWRITE_REPLACE = 0, /* such a byte, and the empty name, is written as _ */
    PAJEWRITE_REFUSE       /* the call is refused */
} pajewrite_names;

/* An entry of the table.  Private. */
typedef struct pajewrite_entry {
    uint16_t tag, flags;
    uint32_t container, type, value;
    uint64_t key, time;
    union { int64_t integer; double real; } number;
    uint32_t other, next;
} pajewrite_entry;

/* Numbers of records; a record is an event, or an %EventDef with all its lines.  A ring counts only `dropped`,
 * including refused calls. */
typedef struct pajewrite_counts {
    uint64_t written; /* taken by the sink, or still in the buffer */
    uint64_t dropped; /* because the buffer was full, or another call of the context was under way; or lost with a sink
                         that failed */
    uint64_t refused; /* calls that were refused; the status tells why the first one was */
} pajewrite_counts;

/* A definition of an event with user fields.  It may be used by every context whose lines come after it. */
typedef struct pajewrite_variant {
    uint32_t number; /* the event's number in the trace; 0: the definition was refused, or dropped */
    pajewrite_kind kind;
    uint32_t fields;
} pajewrite_variant;

#define PAJEWRITE_TIME_NOW UINT64_MAX

/* Any event, for pajewrite_write; each kind uses the members that its function has as arguments. */
typedef struct pajewrite_event {
    pajewrite_kind kind;
    pajewrite_container container;
    pajewrite_type type;
    pajewrite_value value;
    uint64_t time;                        /* or PAJEWRITE_TIME_NOW */
    pajewrite_container other;            /* links: the container where it starts or ends; containers: the parent */
    pajewrite_type of;                    /* types: the type of their containers */
    pajewrite_type start_type, end_type;  /* link types */
    int64_t integer;                      /* variables */
#if PAJEWRITE_DOUBLE
    double real;                          /* variables, if is_real is 1 */
    int is_real;
#endif
    uint64_t key;                         /* links, if `name` is NULL */
    const char *name;                     /* links: the key; trace files: the file name; else: the name */
    const char *color;
} pajewrite_event;

/* The user fields of one line, in the order of their definition.  May be used for several lines. */
typedef struct pajewrite_fields {
    pajewrite_variant variant;
    uint32_t count;
    uint32_t size;     /* of the text; above its capacity: it did not fit */
    uint32_t invalid;    /* 1: a text has bytes that PAJEWRITE_REFUSE refuses */
    uint32_t not_finite; /* 1: infinity or not-a-number */
    char text[PAJEWRITE_FIELDS_SIZE ? PAJEWRITE_FIELDS_SIZE : 1];
} pajewrite_fields;

#define PAJEWRITE_GREY "0.5 0.5 0.5"

/* The context, and its configuration. */
typedef struct pajewrite pajewrite;
typedef struct pajewrite_config pajewrite_config;

#ifdef __cplusplus
}
#endif
