/* Plain types of the reader: texts, references, times, kinds, and what functions return. */
#pragma once

#include "config.h"

#include <stddef.h>
#include <stdint.h>

#define PAJESIM_VERSION_MAJOR 0
#define PAJESIM_VERSION_MINOR 2
#define PAJESIM_VERSION_PATCH 0
#define PAJESIM_VERSION \
    (PAJESIM_VERSION_MAJOR * UINT32_C(0x10000) + PAJESIM_VERSION_MINOR * 0x100 + PAJESIM_VERSION_PATCH)
#define PAJESIM_VERSION_TEXT "0.2.0"

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
typedef uint32_t pajesim_user_word; /* see pajesim_user_data */
typedef uint16_t pajesim__length;   /* of a text or a list in a line or an arena */
typedef uint32_t pajesim__size;     /* bytes of an arena */
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

/* The kind of an entity, and of a type. */
typedef enum pajesim_kind {
    PAJESIM_CONTAINER = 1,
    PAJESIM_STATE,
    PAJESIM_EVENT,
    PAJESIM_VARIABLE,
    PAJESIM_LINK
} pajesim_kind;

/* What pajesim_feed, pajesim_finish and others return. */
typedef enum pajesim_status {
    PAJESIM_OK = 0,
    PAJESIM_PAUSED,  /* a callback returned PAJESIM_PAUSE: feed the rest to go on */
    PAJESIM_STOPPED, /* a callback returned PAJESIM_STOP: no further line is taken; pajesim_finish still closes */
    PAJESIM_OPEN,    /* the last line names a file (pajesim_file): feed that one, pajesim_end_file, feed the rest */
    PAJESIM_FULL,    /* the arena is too small for the next line, which had no effect: pajesim_move to a block of
                        pajesim_capacity_needed bytes, then feed the rest */
    PAJESIM_INVALID, /* pajesim_finish: the whole trace was replayed, but some lines were refused (errors) */
    PAJESIM_BUSY,    /* called from within a callback, which may only query: nothing was done */
    PAJESIM_FINISHED, /* fed after pajesim_finish: nothing was done */
    PAJESIM_MISUSE,  /* NULL, misaligned or impossible arguments, or a copy of other options: nothing was done */
    PAJESIM_INCOMPATIBLE, /* not an image (or an index), or one of another version, layout, word size or byte order */
    PAJESIM_DAMAGED, /* an image (or index) that is not as it was saved */
    PAJESIM_STALE    /* the index is not of this trace, or that was changed since; the chunk is to be fed whole */
} pajesim_status;

/* What a callback returns.  All callbacks of the line are made, whatever they return; the greatest result takes effect
 * at the end of the line. */
enum { PAJESIM_GO_ON = 0, PAJESIM_PAUSE = 1, PAJESIM_STOP = 2 };
