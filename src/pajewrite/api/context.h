/* The context, and its configuration. */
#pragma once

#include "model.h"

/* All members zero (or a NULL configuration) select the defaults; begin with
 * `pajewrite_config config = PAJEWRITE_CONFIG;`. */
struct pajewrite_config {
    pajewrite_sink sink;       /* NULL: none, which only a flight recorder and `next_buffer` can do without */
    void *sink_data;
    pajewrite_offer offer;     /* in place of `sink`, with its `sink_data`; needs a table for the trace to stay valid */
    pajewrite_clock clock;     /* NULL: pajewrite_monotonic where it is available, with as many decimals as below;
                                  elsewhere a clock is needed */
    void *clock_data;
    pajewrite_next_buffer next_buffer; /* NULL: the buffer of pajewrite_init and the sink are used */
    void *next_buffer_data;
    uint64_t origin;           /* in ticks; subtracted from every time; earlier times are refused.  At least a second
                                  below 2^64 ticks */
    uint32_t decimals;         /* of a second, in a tick: 1 to 9; 0: 9 (nanoseconds); PAJEWRITE_SECONDS: none */
    uint32_t disabled;         /* categories that are disabled at first, one bit each; 0: all are enabled */
    uint32_t alias_first;      /* the first alias that the context hands out; 0: 1 */
    uint32_t alias_step;       /* distance between two of its aliases; 0: 1 */
    uint32_t *aliases;         /* the last alias that was handed out, for any number of contexts, also of processes that
                                  share memory; in place of the two above, also for variants.  NULL: none */
    int old_names;             /* 1: field names of the oldest readers, such as EntityType for Type */
    pajewrite_names names;
    pajewrite_when_full when_full;
    pajewrite_entry *table;    /* memory of the caller, for this context alone; NULL: nothing is followed (see
                                  "The table" above) */
    size_t table_entries;      /* at least 16 */
    size_t definitions_size;   /* bytes of the buffer for definitions.  0: a quarter with PAJEWRITE_OVERWRITE; none with
                                  `offer`, so pajewrite_attach cannot be used */
};

#define PAJEWRITE_CONFIG PAJEWRITE__ZERO
#define PAJEWRITE_SECONDS 10

/* Capacity for the text of pajewrite_problem. */
#define PAJEWRITE__PROBLEM_SIZE 120

/* The context; the caller provides its memory.  All members are private.  A context of zeros is off: every call does
 * nothing. */
struct pajewrite {
    char *next;            /* start of the next record; holds '#' until that record is complete */
    char *limit;           /* an event's record fits if it begins below this address */
    uint64_t second_start; /* first tick of the second of the last event */
    uint64_t window_start; /* the first of some ticks whose times begin alike */
    uint32_t window_ticks; /* how many; 0: none are known */
    uint32_t window_size;
    char window[24];       /* how they begin: all but the last six digits */
    uint32_t second_ticks; /* as ticks_per_second; fewer where the second ends with 2^64 ticks */
    uint32_t enabled;      /* categories, one bit each; any thread may change them */
    uint32_t mode;         /* bits PAJEWRITE__FOLLOWING, PAJEWRITE__BUSY; 0: the fast path may be taken */
    uint32_t following;    /* 1: the table is in use */
    uint32_t reentered;    /* calls dropped because another one was under way; counted modulo 2^32 */
    pajewrite_clock clock; /* NULL: the context is off */
    void *clock_data;
    uint64_t records;      /* committed */
    char prefix[24];       /* the second of the last event as text, with the decimal point; digits up to the end */
    uint32_t prefix_size, decimals, ticks_per_second, scale;
    char *buffer;
    size_t size;
    uint64_t delivered;    /* of `records`, those that the sink took */
    uint64_t dropped, refused;
    pajewrite_status status;
    uint32_t stopped;      /* if not 0, nothing is written any more, because of this status */
    uint32_t blocked;      /* 1: nothing is written until the buffer has been delivered */
    uint32_t alias_next[4];
    uint64_t gap_count, gap_first, gap_last; /* events dropped since the last one that was written, and their times */
    uint64_t latest;       /* with a table: the greatest time so far */
    size_t entries;        /* in the table */
    pajewrite_entry *last_pair; /* table entry of the last state, event or variable */
    char *flight;          /* memory of the flight recorder; NULL: not a flight recorder */
    char *other_buffer;    /* its definitions; while these are being written, its current segment */
    char *other_next;
    size_t other_size;
    uint64_t segments;     /* segments begun so far */
    uint32_t creations;    /* lines of this segment that create a container */
    uint32_t is_defining;  /* 1: a definition is being written, to the place where these are kept */
    int quote_all;         /* 1: texts are always written in quotes */
    size_t taken;          /* config.offer: bytes in front of `buffer` that were taken, and not used again yet */
    uint64_t tried;        /* config.offer: time of the event at which bytes were offered last */
    uint32_t untried;      /* events dropped since then */
    uint32_t settles;      /* 1: the next event ends the gap first */
    uint32_t torn;         /* the bytes taken end within a line, of a record or a comment; 0: they do not */
    char *kept;            /* config.offer: definitions and creations, for pajewrite_attach; NULL: not kept */
    size_t kept_size, kept_used;
    size_t kept_last;      /* offset of the last one */
    uint32_t kept_lost;    /* 1: one did not fit */
    uint32_t undefined;    /* kinds of events whose definition in the header was dropped, one bit each */
    uint32_t has_gaps;     /* 1: entries of the table may be of lines that were dropped */
    uint32_t is_missing;   /* 1: of some, a line may have to be written later */
    uintptr_t caller;      /* checking mode: the thread whose call is under way */
    char problem[PAJEWRITE__PROBLEM_SIZE]; /* the text of the status, and what it is about; empty: only the status */
    pajewrite_config config;
};
