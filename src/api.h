#include <stddef.h>
#include <stdint.h>

#define PAJESIM_VERSION_MAJOR 0
#define PAJESIM_VERSION_MINOR 1
#define PAJESIM_VERSION_PATCH 0
#define PAJESIM_VERSION \
    (PAJESIM_VERSION_MAJOR * UINT32_C(0x10000) + PAJESIM_VERSION_MINOR * 0x100 + PAJESIM_VERSION_PATCH)
#define PAJESIM_VERSION_TEXT "0.1.0"

#ifdef __cplusplus
extern "C" {
#endif

/* PAJESIM_VERSION of the implementation that was compiled, to compare with that of the header. */
PAJESIM_API uint32_t pajesim_version(void);

/* ------------------------------------------------------------------------------------------------
 * Plain types
 * --------------------------------------------------------------------------------------------- */

/* Bytes of the trace: not terminated by NUL, in whatever encoding the trace has.  `bytes` is never NULL. */
typedef struct pajesim_text {
    const char *bytes;
    size_t size;
} pajesim_text;

/* Names a type, a container, a value or an event definition within one simulation; 0 names nothing.  It stays the
 * same when the arena moves or is restored elsewhere.  It is valid while what it names is alive, that is for a
 * container until the `container_destroyed` callback has returned, for a type to the end, for a value to the end if
 * a line of the trace defined it, else within the callback that showed it. */
#if PAJESIM_REFERENCE == 16
typedef uint16_t pajesim_ref;
typedef uint32_t pajesim_counter;
typedef uint32_t pajesim_user_word; /* see pajesim_word */
typedef uint16_t pajesim__length;   /* also of lists, and the like: as many as there can be in a line or an arena */
typedef uint32_t pajesim__size;     /* in bytes, of an arena */
#elif PAJESIM_REFERENCE == 32
typedef uint32_t pajesim_ref;
typedef uint64_t pajesim_counter;
typedef uint64_t pajesim_user_word;
typedef uint32_t pajesim__length;
typedef uint64_t pajesim__size;
#else
#error "PAJESIM_REFERENCE is neither 16 nor 32"
#endif
#if PAJESIM_TIME_DECIMALS > 18 || PAJESIM_VALUE_DECIMALS > 18
#error "PAJESIM_TIME_DECIMALS and PAJESIM_VALUE_DECIMALS are 18 at most"
#endif

/* A time in the trace's own unit, which the format does not declare: seconds by convention, milliseconds in some.  An
 * integer counts units of 10^-PAJESIM_TIME_DECIMALS of that. */
#if PAJESIM_TIME_DECIMALS < 0
typedef double pajesim_time;
#else
typedef int64_t pajesim_time;
#endif

/* The value of a variable.  An integer counts units of 10^-PAJESIM_VALUE_DECIMALS. */
#if PAJESIM_VALUE_DECIMALS < 0
typedef double pajesim_quantity;
#else
typedef int64_t pajesim_quantity;
#endif

/* What an entity is, and what a type is a type of. */
typedef enum pajesim_kind {
    PAJESIM_CONTAINER = 1,
    PAJESIM_STATE,
    PAJESIM_EVENT,
    PAJESIM_VARIABLE,
    PAJESIM_LINK
} pajesim_kind;

/* The events of the format (section "Events"), in its own order. */
typedef enum pajesim_event {
    PAJESIM_UNKNOWN_EVENT = 0, /* lenient: a definition whose name is not of the format; its lines are skipped */
    PAJESIM_DEFINE_CONTAINER_TYPE,
    PAJESIM_DEFINE_STATE_TYPE,
    PAJESIM_DEFINE_EVENT_TYPE,
    PAJESIM_DEFINE_VARIABLE_TYPE,
    PAJESIM_DEFINE_LINK_TYPE,
    PAJESIM_DEFINE_ENTITY_VALUE,
    PAJESIM_CREATE_CONTAINER,
    PAJESIM_DESTROY_CONTAINER,
    PAJESIM_SET_STATE,
    PAJESIM_PUSH_STATE,
    PAJESIM_POP_STATE,
    PAJESIM_RESET_STATE,
    PAJESIM_NEW_EVENT,
    PAJESIM_SET_VARIABLE,
    PAJESIM_ADD_VARIABLE,
    PAJESIM_SUB_VARIABLE,
    PAJESIM_START_LINK,
    PAJESIM_END_LINK,
    PAJESIM_TRACE_FILE,
    PAJESIM_EVENT_COUNT /* not an event: how many there are */
} pajesim_event;

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

/* What feed, finish and the like answer. */
typedef enum pajesim_status {
    PAJESIM_OK = 0,
    PAJESIM_PAUSED,  /* a callback answered PAJESIM_PAUSE: feed the rest to go on */
    PAJESIM_STOPPED, /* a callback answered PAJESIM_STOP: no further line is taken; pajesim_finish still closes */
    PAJESIM_OPEN,    /* the last line names a file (pajesim_file): feed that one, pajesim_end_file, feed the rest */
    PAJESIM_FULL,    /* the arena is too small for the next line, which had no effect: pajesim_needed bytes would
                        do; pajesim_move, then feed the rest */
    PAJESIM_INVALID, /* pajesim_finish: the whole trace was replayed, but some lines were refused (errors) */
    PAJESIM_BUSY,    /* called from within a callback: nothing was done */
    PAJESIM_FINISHED, /* fed after pajesim_finish: nothing was done */
    PAJESIM_MISUSE,  /* NULL, misaligned or impossible arguments: nothing was done */
    PAJESIM_FOREIGN, /* not an image (or an index), or of another version, options, word size or byte order */
    PAJESIM_DAMAGED, /* an image (or index) that is not as it was saved */
    PAJESIM_STALE    /* the index is not of this trace */
} pajesim_status;

/* What a callback answers.  All callbacks of the line are made whatever the answers are; the strongest answer takes
 * effect at the end of the line. */
enum { PAJESIM_GO_ON = 0, PAJESIM_PAUSE = 1, PAJESIM_STOP = 2 };

/* ------------------------------------------------------------------------------------------------
 * Problems: one table makes the codes, the texts, and the policy of both modes
 * --------------------------------------------------------------------------------------------- */

/* A warning is a line that took effect, perhaps repaired; an error is a line that did not (or, at a container's
 * destruction and at the end, a pending link that was given up). */
typedef enum pajesim_severity { PAJESIM_SILENT = 0, PAJESIM_WARNING = 1, PAJESIM_ERROR = 2 } pajesim_severity;

/* X(code, severity when strict, severity when lenient, text) */
#define PAJESIM_PROBLEMS(X) \
    X(NONE,                 SILENT,  SILENT,  "no problem") \
    /* lines and words: section 1 */ \
    X(LINE_TOO_LONG,        ERROR,   ERROR,   "line is longer than the limit") \
    X(QUOTE_OPEN,           ERROR,   ERROR,   "quoted string does not end on its line") \
    X(QUOTE_GLUED,          ERROR,   ERROR,   "text follows a closing quote without a blank") \
    X(QUOTE_SINGLE,         SILENT,  WARNING, "string in single quotes") \
    X(TOO_MANY_WORDS,       ERROR,   WARNING, "more words on the line than are read; the rest is ignored") \
    /* event definitions: section 2 */ \
    X(HEADER_LINE,          ERROR,   ERROR,   "neither %EventDef, %EndEventDef nor a field of a definition") \
    X(HEADER_NAME,          ERROR,   ERROR,   "%EventDef lacks its event name or number") \
    X(HEADER_EVENT,         ERROR,   WARNING, "event name unknown; its events are skipped") \
    X(HEADER_TWICE,         ERROR,   ERROR,   "event number defined twice") \
    X(HEADER_FIELD,         ERROR,   ERROR,   "field lacks its type") \
    X(HEADER_TYPE,          ERROR,   WARNING, "field type unknown; read as a string") \
    X(HEADER_REPEAT,        ERROR,   WARNING, "field repeated in its definition; the first one counts") \
    X(HEADER_MISSING,       ERROR,   ERROR,   "definition lacks a field that its event requires") \
    X(HEADER_OLD_NAME,      ERROR,   WARNING, "field name of an older version of the format") \
    X(HEADER_NESTED,        ERROR,   ERROR,   "%EventDef within a definition that has no %EndEventDef; that one is given up") \
    X(HEADER_OUTSIDE,       ERROR,   ERROR,   "field outside of a definition; was its %EventDef swallowed by a comment?") \
    X(HEADER_END,           ERROR,   ERROR,   "%EndEventDef without %EventDef") \
    X(HEADER_OPEN,          ERROR,   ERROR,   "event within a definition that has no %EndEventDef") \
    X(HEADER_WORDS,         ERROR,   ERROR,   "definition has more fields than a line has words") \
    /* events: section 3 */ \
    X(EVENT_UNKNOWN,        ERROR,   ERROR,   "no event definition has this number") \
    X(EVENT_SKIPPED,        ERROR,   WARNING, "event of an unknown kind; skipped") \
    X(FIELDS_MISSING,       ERROR,   ERROR,   "fewer fields than the event's definition has") \
    X(FIELDS_SURPLUS,       WARNING, WARNING, "more fields than the event's definition has; the rest is ignored") \
    X(TIME,                 ERROR,   ERROR,   "time is not a number") \
    X(NUMBER,               ERROR,   ERROR,   "value of a variable is not a number") \
    /* identity: section 4 */ \
    X(TYPE_UNKNOWN,         ERROR,   ERROR,   "type is not defined") \
    X(TYPE_TWICE,           ERROR,   ERROR,   "type is defined already") \
    X(TYPE_AGAIN,           ERROR,   WARNING, "type is defined already, alike") \
    X(TYPE_RESERVED,        ERROR,   ERROR,   "identifier of the root type is reserved") \
    X(TYPE_NOT_CONTAINER,   ERROR,   ERROR,   "type is not a container type") \
    X(TYPE_KIND,            ERROR,   ERROR,   "type is of another kind than the event") \
    X(TYPE_ANCESTOR,        ERROR,   WARNING, "link type belongs to no common ancestor of its end points' types") \
    X(VALUE_TWICE,          ERROR,   WARNING, "value is defined already; the first definition counts") \
    X(VALUE_LATE,           ERROR,   WARNING, "value is defined after its first use") \
    X(VALUE_NAME,           ERROR,   SILENT,  "name is the identifier of another value of the type") \
    X(VALUE_TYPE,           ERROR,   ERROR,   "only state, event and link types have values") \
    X(COLOR,                ERROR,   WARNING, "color is neither 3 or 4 numbers nor RRGGBB in hex") \
    X(ALIAS_NULL,           WARNING, WARNING, "identifier is (null): was it never set?") \
    X(CONTAINER_UNKNOWN,    ERROR,   ERROR,   "container does not exist") \
    X(CONTAINER_DESTROYED,  ERROR,   ERROR,   "container is destroyed already") \
    X(CONTAINER_TWICE,      ERROR,   ERROR,   "container exists already") \
    X(CONTAINER_AGAIN,      ERROR,   SILENT,  "identifier was used by a container that is destroyed") \
    X(CONTAINER_RESERVED,   ERROR,   WARNING, "identifier of the root container; it finds this one where the root does not fit") \
    X(CONTAINER_TYPE,       ERROR,   WARNING, "container's type is no child of its parent's type") \
    X(CONTAINER_PARENT_GONE, ERROR,  WARNING, "parent is a container that is destroyed already; the root takes its place") \
    X(CONTAINER_NOT_TYPE,   ERROR,   WARNING, "container is not of this type") \
    X(CONTAINER_AS_NAME,    ERROR,   WARNING, "PajeDestroyContainer has Container in place of Name") \
    X(ROOT_DESTROYED,       ERROR,   ERROR,   "root container cannot be destroyed") \
    X(ROOT_SLASH,           ERROR,   WARNING, "root is written / in place of 0") \
    /* semantics: section 5 */ \
    X(TYPE_MISMATCH,        ERROR,   ERROR,   "type is no child of the container's type") \
    X(TIME_ORDER,           ERROR,   WARNING, "time is before that of the last event of this container and type") \
    X(DESTROY_ORDER,        ERROR,   WARNING, "container ends before its last event") \
    X(DESTROY_INNER,        WARNING, WARNING, "container ends before the last event of one within it") \
    X(STATE_EMPTY,          ERROR,   ERROR,   "no state to pop") \
    X(VARIABLE_UNSET,       ERROR,   WARNING, "variable was never set; it starts from 0") \
    X(LINK_ENDPOINT_TYPE,   ERROR,   WARNING, "end point is not of the link type's container type") \
    X(LINK_ENDPOINT_GONE,   ERROR,   WARNING, "end point is a container that is destroyed already") \
    X(LINK_KEY_TWICE,       ERROR,   ERROR,   "a link with this key is pending at the same end already") \
    X(LINK_KEY_USED,        ERROR,   SILENT,  "key was used by an earlier link of this container and type") \
    X(LINK_VALUE,           ERROR,   WARNING, "the two ends of the link bear different values; the start's counts") \
    X(LINK_BACKWARD,        WARNING, WARNING, "link ends before it starts") \
    X(LINK_PENDING,         ERROR,   ERROR,   "link never got its other end") \
    /* files: PajeTraceFile and Filename */ \
    X(FILE_DEPTH,           ERROR,   ERROR,   "files are nested too deep") \
    X(FILE_NAME,            ERROR,   ERROR,   "file name is empty")

typedef enum pajesim_code {
#define PAJESIM__X(code, strict, lenient, text) PAJESIM_E_##code,
    PAJESIM_PROBLEMS(PAJESIM__X)
#undef PAJESIM__X
    PAJESIM_E_COUNT
} pajesim_code;

/* A view, valid during the callback; or, from pajesim_last_problem, until the next call that takes a `pajesim *`. */
typedef struct pajesim_problem {
    pajesim_code code;
    pajesim_severity severity;
    const char *text;   /* constant, terminated by NUL; empty without PAJESIM_TEXTS */
    uint64_t line;      /* of the file that is being read, from 1 */
    uint32_t column;    /* in bytes, from 1; 0: the line as a whole */
    uint32_t depth;     /* 0: in the trace itself, 1: in a file that it includes, ... */
    pajesim_text bytes; /* the offending bytes, 64 at most (16 without PAJESIM_TEXTS); empty if there are none */
} pajesim_problem;

/* The constant text of a code; "unknown problem" for what is none.  Without PAJESIM_TEXTS: empty. */
PAJESIM_API const char *pajesim_problem_text(pajesim_code code);

/* ------------------------------------------------------------------------------------------------
 * What callbacks are given: views, valid during the call
 * --------------------------------------------------------------------------------------------- */

typedef struct pajesim pajesim;

/* One %EventDef, told at its %EndEventDef. */
typedef struct pajesim_definition {
    pajesim_ref ref;
    pajesim_event event;
    pajesim_text name;   /* PajePushState */
    pajesim_text number; /* any word */
    uint32_t fields;     /* how many: pajesim_definition_field */
} pajesim_definition;

/* A field: of a definition (`text` is empty), of a line, or one of the user fields that an entity bears. */
typedef struct pajesim_field {
    pajesim_text name;
    pajesim_role role;
    pajesim_field_type type;
    pajesim_text text;
} pajesim_field;

/* The user fields of one line: all that its event itself has no use for, also fields of the format that belong to
 * other events (their role tells).  `count` is 0 where there are none. */
typedef struct pajesim_fields {
    uint32_t count;
    pajesim_ref definition;
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_fields;

/* One decoded line, before it is simulated. */
typedef struct pajesim_line {
    pajesim_event event;
    pajesim_ref definition;
    pajesim_time time; /* 0 where the event has none */
    pajesim_quantity number; /* of PajeSetVariable, PajeAddVariable and PajeSubVariable; else 0 */
    uint32_t count;          /* fields of the definition, each readable with pajesim_line_field */
    const char *text;             /* private */
    const pajesim__length *spans; /* private */
} pajesim_line;

/* A container, a state, an event, a segment of a variable, or a link. */
typedef struct pajesim_entity {
    pajesim_kind kind;
    uint32_t imbrication;    /* states: how many states are below it on the stack, 0 for the bottom */
    pajesim_ref container;   /* a container's own ref, else of the container that bears it (for links: Container) */
    pajesim_ref type;
    pajesim_ref value;       /* states; events and links where the value is defined, else 0: see value_name */
    pajesim_ref start_container, end_container; /* links; 0: not known yet */
    pajesim_time start;      /* events: the time.  A link that has only ended: the end's time */
    pajesim_time end;        /* as long as `open`: that of the line, for a link that has only ended its end */
    int open;                /* 1: not closed yet, so it has no end */
    pajesim_quantity number; /* variables: the value */
    pajesim_text value_name; /* states, events, links: name of the value; empty for the rest */
    pajesim_text key;        /* links */
    pajesim_fields opening;  /* user fields of the line that started it, */
    pajesim_fields closing;  /* and of the one that closed it; none if that one closed it only by the way (a state
                                by PajeSetState, a container by its parent's end) */
} pajesim_entity;

typedef struct pajesim_type_info {
    pajesim_ref ref;
    pajesim_kind kind;
    pajesim_ref parent;                    /* the container type that it belongs to; 0 for the root type */
    pajesim_ref start_type, end_type;      /* link types: container types of the end points */
    pajesim_text name, alias, color;       /* alias: the identifier, the name where it has no other; color: as written */
} pajesim_type_info;

typedef struct pajesim_value_info {
    pajesim_ref ref;
    pajesim_ref type;
    int implicit; /* 1: never defined, made by its first use (told again if it comes back after a long absence) */
    pajesim_text name, alias, color;
} pajesim_value_info;

/* Every entry may be NULL, and costs nothing then.  Each answers PAJESIM_GO_ON, PAJESIM_PAUSE or PAJESIM_STOP.
 * pajesim_data(sim) is the pointer that was given to pajesim_init.  Within a callback only queries are allowed: what
 * would change the simulation answers PAJESIM_BUSY (pajesim_init and pajesim_restore, which begin another one, cannot
 * tell: do not call them on this one).
 *
 * Order within a line: line; problem; new_value, of a value that is made on the fly; link_started or link_ended; closed,
 * for each entity that the line closes; then the entry point of the event. */
typedef struct pajesim_callbacks {
    /* every %EventDef, at its end */
    int (*definition)(pajesim *sim, const pajesim_definition *definition);
    /* every event line that is about to take effect (when parsing only: that could be decoded).  Answering
     * PAJESIM_STOP here keeps it from that: it is not taken (`paje dump -a` is made of this). */
    int (*line)(pajesim *sim, const pajesim_line *line);
    /* every warning and error */
    int (*problem)(pajesim *sim, const pajesim_problem *problem);

    /* the entry points of Aiyra: types, values, containers */
    int (*new_type)(pajesim *sim, const pajesim_type_info *type);
    int (*new_value)(pajesim *sim, const pajesim_value_info *value);
    int (*container_created)(pajesim *sim, const pajesim_entity *container);   /* open */
    int (*container_destroyed)(pajesim *sim, const pajesim_entity *container); /* closed: also at its parent's end */
    /* states: set and pushed are open; popped is the closed state; reset has container, type and time only */
    int (*state_set)(pajesim *sim, const pajesim_entity *state);
    int (*state_pushed)(pajesim *sim, const pajesim_entity *state);
    int (*state_popped)(pajesim *sim, const pajesim_entity *state);
    int (*state_reset)(pajesim *sim, const pajesim_entity *state);
    /* variables: the segment that begins, open; updated: by PajeAddVariable and PajeSubVariable */
    int (*variable_set)(pajesim *sim, const pajesim_entity *segment);
    int (*variable_updated)(pajesim *sim, const pajesim_entity *segment);
    /* links: the half that is known; completed: the whole, at whichever end came last */
    int (*link_started)(pajesim *sim, const pajesim_entity *link);
    int (*link_ended)(pajesim *sim, const pajesim_entity *link);
    int (*link_completed)(pajesim *sim, const pajesim_entity *link);
    int (*event)(pajesim *sim, const pajesim_entity *event);

    /* every closed entity, of every kind, once, in order of completion */
    int (*closed)(pajesim *sim, const pajesim_entity *entity);
    /* the end of the trace, after all was closed */
    int (*finished)(pajesim *sim);
} pajesim_callbacks;

/* ------------------------------------------------------------------------------------------------
 * A simulation
 * --------------------------------------------------------------------------------------------- */

/* All zero (or NULL) is lenient, with the defaults. */
typedef struct pajesim_options {
    int strict;              /* 1: what the specification and pj_dump refuse is refused */
    int parse_only;          /* 1: lines are decoded (callbacks definition, line, problem) and files opened, nothing is
                                simulated */
    int ignore_links;        /* 1: links that never got their other end are no error (pj_dump -z) */
    int old_names;           /* 1: old field names are no error in strict mode, and no warning (pj_dump -n) */
    uint32_t line_max;       /* bytes; a longer line is skipped and reported.  0: as long as the arena permits */
    uint32_t line_room;      /* bytes set apart at the start for a line that two pieces share; it grows when
                                needed.  0: 256 (small: 128) */
    uint32_t kept;           /* how many destroyed containers (lenient), and how many undefined values that nothing
                                bears any more, are remembered, each.  0: 64 */
    uint32_t depth_max;      /* files within files.  0: 8 */
} pajesim_options;

/* The small part outside of the arena; the caller provides it.  All members are private. */
struct pajesim {
    unsigned char *arena;
    size_t capacity;
    const pajesim_callbacks *callbacks;
    void *data;
    int answer; /* of the callbacks of the line at hand */
    uint8_t busy;
    uint8_t loud; /* before the line takes effect: 1: something is to be told or kept; 2: it is to be shown, no more */
    pajesim__size top;  /* of what the line at hand has taken from the arena, */
    pajesim__size needed;
    uint32_t takes; /* and from the free lists: 16 blocks at the most */
    pajesim_ref taken[16];
    uint8_t taken_class[16];
#if PAJESIM_SIMD && defined(__SSE2__)
    uint32_t changes; /* of what the identifiers of containers find */
#endif
#if PAJESIM_SIMD > 1
    int machine; /* pajesim__machine; 0: not asked yet */
#endif
    pajesim_entity entity; /* that is shown: see pajesim__entity */
#if PAJESIM_CACHE
    uint64_t cache_factor;  /* of its hash, */
    uint32_t cache_clashes; /* which is another one after so many */
    struct {
        uint64_t lo, hi;
        uint64_t tag;
        pajesim_ref ref, unused;
    } cache[PAJESIM_CACHE];
#endif
#if PAJESIM_TRAVEL
    struct pajesim_index *index; /* is told when what was open at a checkpoint closes */
#endif
};

/* Counters since pajesim_init; part of the image. */
typedef struct pajesim_counts {
    pajesim_counter bytes;    /* taken, of all files */
    pajesim_counter lines;    /* ended, of all files, comments and blank lines included */
    pajesim_counter events;   /* lines that are events and took effect (when parsing only: that could be decoded) */
    pajesim_counter skipped;  /* events of an unknown kind */
    pajesim_counter warnings;
    pajesim_counter errors;
    pajesim_counter by_event[PAJESIM_EVENT_COUNT]; /* events, by kind */
    pajesim_counter containers, states, variables, links, punctual; /* entities closed; punctual: PajeNewEvent */
    pajesim_time first, last; /* least and greatest time of an event; 0 both before there was one */
} pajesim_counts;

/* The least arena that pajesim_init accepts with these options (NULL: defaults), in bytes. */
PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options);

/* Begins a simulation.  The arena is the caller's, aligned as an uint64_t, and must stay in place until pajesim_move or
 * the end of use; beyond 4 GiB of it (512 KiB with references of 16 bits) nothing is used.  `callbacks` is not copied
 * and must outlive the simulation; NULL: none.  `data` is for the callbacks.
 * Answers PAJESIM_OK, PAJESIM_FULL (less than pajesim_arena_min; pajesim_needed says how much), PAJESIM_MISUSE. */
PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data);

PAJESIM_API void *pajesim_data(const pajesim *sim);

/* Gives bytes of the trace, in pieces of any size; a piece may end anywhere.  Nothing of it is kept or written to.
 * `*taken` (may be NULL) is how many bytes were taken; fewer than `size` only with another answer than PAJESIM_OK.
 * What was not taken must be fed again, to go on. */
PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken);

/* After PAJESIM_OPEN: the name of the file that the trace includes, as it was written, valid until the next feed. */
PAJESIM_API pajesim_text pajesim_file(const pajesim *sim);

/* Ends the file that was included last; also at once, when it cannot be read.  Its last line may lack a line end, so it
 * may answer what pajesim_feed does: until it answers PAJESIM_OK, do what that asks for and call again.  PAJESIM_MISUSE
 * when there is no such file. */
PAJESIM_API pajesim_status pajesim_end_file(pajesim *sim);

/* Ends the trace: takes a last line without line end, then closes all that is open at the greatest time seen.
 * Answers PAJESIM_OK, PAJESIM_INVALID (all is closed; there were errors), PAJESIM_PAUSED or PAJESIM_FULL (call again
 * to go on), PAJESIM_OPEN (by the last line: feed that file, pajesim_end_file, call again), PAJESIM_STOPPED (a callback
 * stopped it half-way). */
PAJESIM_API pajesim_status pajesim_finish(pajesim *sim);

/* The same, closing at `time` in place of the greatest time seen. */
PAJESIM_API pajesim_status pajesim_finish_at(pajesim *sim, pajesim_time time);

/* After PAJESIM_FULL: the capacity that would do, in bytes; with one byte less it would not (beyond 4 GiB, or 512 KiB
 * with references of 16 bits, none will).  For a line that comes in several pieces: that would do for the piece at hand;
 * the whole line may then need more. */
PAJESIM_API uint64_t pajesim_needed(const pajesim *sim);

/* Bytes of the arena in use: its high-water mark.  What lies beyond is untouched. */
PAJESIM_API size_t pajesim_used(const pajesim *sim);

/* Copies the simulation into another block, larger or smaller (PAJESIM_FULL below pajesim_used), which may not overlap
 * the old one; or, where the block is the same one, tells that it has another capacity.  The old block is the caller's
 * again. */
PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity);

/* Images: what was simulated so far, as bytes that can be kept, sent to another process, and restored at any address.
 * An image holds everything but the callbacks and their data.  It may be taken between any two feeds, also within a line. */
PAJESIM_API size_t pajesim_image_size(const pajesim *sim);
/* Writes pajesim_image_size bytes to `image`, of any alignment.  PAJESIM_FULL if `size` is less than that.  Bytes that
 * are zero, as those of what is no longer alive, are left out, but where PAJESIM_TRAVEL is 0. */
PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size);
/* Begins a simulation from an image: as pajesim_init, but with the state and the options of the image, whose `size` is
 * exactly that of pajesim_image_size.  The arena may not overlap the image.  PAJESIM_FOREIGN if that is none of ours,
 * PAJESIM_DAMAGED if it is not as it was saved, PAJESIM_FULL if the arena is too small. */
PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data);

/* ------------------------------------------------------------------------------------------------
 * Queries: at any time, also within callbacks
 * --------------------------------------------------------------------------------------------- */

/* Brought up to date by this call, in the arena; valid until the arena moves. */
PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim);
/* Line number in the file being read, from 1: of the line that is simulated, between feeds of the one to come. */
PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim);
/* The last problem that was reported (code PAJESIM_E_NONE: none yet). */
PAJESIM_API pajesim_problem pajesim_last_problem(const pajesim *sim);

/* The root container and the root type, called "0". */
PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim);
PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim);

/* Of a type, a container or a value: what it is called, what lines of the trace refer to it by, and the Color field
 * of its definition, as it was written.  Empty for ref 0, and where there is none. */
PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref);
/* Of a type its container type, of a container its parent, of a value its type; 0 for the roots. */
PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref);
/* A container's type; a type or a value has none: 0. */
PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container);
/* The kind of a type, of what a value is a value of; PAJESIM_CONTAINER for a container. */
PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref);
/* The first container within a container, or type within a type; and the next beside it, in order of creation; 0: none. */
PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref);
PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref);
/* When a container was created. */
PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container);

/* A word for the user, of a container, a type or a value: 0 at first, kept in the arena, copied with it.  It has 64 bits,
 * 32 where references have 16.  An index is a good thing to keep there; a pointer would not survive a restore in another
 * process.  The pointer is valid as long as the ref, but not after the arena moves; it is never NULL for a valid ref. */
PAJESIM_API pajesim_user_word *pajesim_word(pajesim *sim, pajesim_ref ref);

/* By identifier, of `size` bytes (NULL will do for none); 0: there is no such thing (alive). */
PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size);
PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size);

/* How many states of a type are open on a container, and the one at a depth (0: the bottom).  Answers 0 if there is
 * none.  The current segment of a variable: the same, depth 0. */
PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type);
PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity);

/* A field of a definition, of a line, of an entity's user fields; `index` from 0.  Answers 0 if there is none. */
PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index, pajesim_field *field);
PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field);
PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index, pajesim_field *field);
/* The same by name, which is terminated by NUL. */
PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field);
/* The text of a line's field by its role; empty if the line has none such. */
PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role);

/* The event's name in the format ("PajePushState"), terminated by NUL; "" for none. */
PAJESIM_API const char *pajesim_event_name(pajesim_event event);
/* "Container", "State", "Event", "Variable", "Link"; "" for none. */
PAJESIM_API const char *pajesim_kind_name(pajesim_kind kind);

/* A decimal number, correctly rounded, whatever its length: [+-] digits [. digits] [e [+-] digits], with a digit
 * before or after the point.  Answers 0, and leaves `*number` alone, for anything else.  Beyond the range: infinity.
 * Only where times or values are doubles. */
#if PAJESIM_TIME_DECIMALS < 0 || PAJESIM_VALUE_DECIMALS < 0
PAJESIM_API int pajesim_number(const char *bytes, size_t size, double *number);
#endif
/* The same in units of 10^-decimals, from 0 to 18 of them: more are rounded, halves away from zero.  Answers 0 also for
 * what 64 bits do not hold. */
PAJESIM_API int pajesim_fixed(const char *bytes, size_t size, int decimals, int64_t *number);

#ifdef __cplusplus
}
#endif
