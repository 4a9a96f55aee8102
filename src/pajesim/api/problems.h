/* What can be wrong with a trace: one table makes the codes, the texts, and the policy of both modes. */
#pragma once

#include "types.h"

/* After a warning the line took effect, perhaps repaired; after an error it did not (or, when a container is
 * destroyed and at the end of the trace, a pending link was discarded). */
typedef enum pajesim_severity { PAJESIM_SILENT = 0, PAJESIM_WARNING = 1, PAJESIM_ERROR = 2 } pajesim_severity;

/* All problems: X(code, severity in strict mode, severity in lenient mode, text).  To add one: a row here, a call of
 * pajesim__diagnose, and a case in tests/read/prose.  SILENT: the line is accepted, and nothing is reported. */
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
    X(HEADER_NESTED,        ERROR,   ERROR,   "%EventDef within a definition without %EndEventDef, which is ignored") \
    X(HEADER_OUTSIDE,       ERROR,   ERROR,   "field outside of a definition; is its %EventDef within a comment?") \
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
    X(CONTAINER_RESERVED,   ERROR,   WARNING, "the root's identifier; means this one where the root does not fit") \
    X(CONTAINER_TYPE,       ERROR,   WARNING, "container's type is no child of its parent's type") \
    X(CONTAINER_PARENT_GONE, ERROR,  WARNING, "parent is a container that is destroyed already; the root replaces it") \
    X(CONTAINER_NOT_TYPE,   ERROR,   WARNING, "container is not of this type") \
    X(CONTAINER_AS_NAME,    ERROR,   WARNING, "PajeDestroyContainer has Container in place of Name") \
    X(ROOT_DESTROYED,       ERROR,   WARNING, "root container is destroyed; it ends with the trace nevertheless") \
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

/* One problem: a view, valid during the callback; from pajesim_last_problem: until the next call that takes a
 * `pajesim *`. */
typedef struct pajesim_problem {
    pajesim_code code;
    pajesim_severity severity;
    const char *text;   /* constant, terminated by NUL; empty without PAJESIM_TEXTS */
    uint64_t line;      /* of the file that is being read, from 1 */
    uint32_t column;    /* in bytes, from 1; 0: the line as a whole */
    uint32_t depth;     /* 0: in the trace itself, 1: in a file that it includes, ... */
    pajesim_text bytes; /* the offending bytes, 64 at most (16 without PAJESIM_TEXTS); empty if there are none */
} pajesim_problem;
