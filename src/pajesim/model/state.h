/* The state of a simulation, at the beginning of its arena. */
#pragma once

#include "../memory/table.h"
#include "../memory/used_ids.h"

/* A queue, first in, first out, of records that are no longer in use and may be used again. */
typedef struct pajesim__queue {
    pajesim__offset first, last;
    pajesim__length count;
} pajesim__queue;
#define PAJESIM__QUEUE_MEMBERS(X, T) \
    X(T, first) X(T, last) X(T, count)

enum pajesim__stage { PAJESIM__READING, PAJESIM__CLOSING, PAJESIM__FINISHED };

#define PAJESIM__DIGEST_BLOCK 64u /* bytes */

#define PAJESIM__PROBLEM_BYTES (PAJESIM_TEXTS ? 64 : 16) /* of the offending text */

#define PAJESIM__COUNTS_MEMBERS(X, T) \
    X(T, bytes) X(T, lines) X(T, events) X(T, skipped) X(T, warnings) X(T, errors) X(T, by_event) X(T, containers) \
    X(T, states) X(T, variables) X(T, links) X(T, punctual) X(T, first) X(T, last)

typedef struct pajesim__state {
    pajesim__heap heap; /* first: see arena.h */
    uint32_t line_max, line_capacity;
    pajesim__length strict, parse_only, ignore_links, old_names, remembered, file_depth_max;

    pajesim__table definitions, types, containers, values, links;
    pajesim__used_ids used_ids;
    pajesim__queue destroyed, unused_values;
    pajesim_ref root, root_type;
    pajesim__offset defining; /* the %EventDef that is not ended yet */
    pajesim__offset file;     /* the file that is being read; 0: the trace itself */
    pajesim__offset next_file; /* the file that is read next, from the end of the line on */
    pajesim__length depth;    /* of files: 0: the trace itself is read */
    pajesim__length scopes;   /* number of scopes of definitions so far */
    pajesim__offset carry;    /* the piece of a line that is carried over to the next feed */
    uint32_t carry_capacity;

    /* position, counters and last problem: what a refused line changes */
    uint32_t carry_size;
    uint8_t cut;             /* pajesim__cut: where in the grammar the carried piece ends */
    uint8_t skip_definition; /* an %EventDef was refused: its fields are skipped */
    uint8_t stage;
    uint8_t stopped;
    uint8_t ended;           /* there is no next line: problems are of the last one */
    uint8_t bom_state;       /* how much of a byte order mark was seen; 3: it is over */
#if PAJESIM_TRAVEL
    uint8_t digests;         /* 1: an index is made of the trace, or was */
#endif
    pajesim_time finish_time;
    pajesim_time first, last; /* least and greatest time; first > last: none yet.  With an index: since its last
                                 checkpoint */
#if PAJESIM_TRAVEL
    pajesim_time past_first, past_last; /* before that */
#endif
    pajesim_counter line;    /* lines ended, of the file that is being read */
    pajesim_counts counts;
    struct {
        pajesim_counter line;
        uint32_t column;
        pajesim__length depth;
        uint8_t code, severity, size;
        char bytes[PAJESIM__PROBLEM_BYTES];
    } problem;
#if PAJESIM_TRAVEL
    uint64_t digest[8]; /* of the whole blocks of the trace so far: see run/digest.h */
    unsigned char digest_rest[PAJESIM__DIGEST_BLOCK]; /* the bytes behind them, then zeros */
#endif
} pajesim__state;
#define PAJESIM__STATE_MEMBERS(X, T) \
    X(T, heap) X(T, line_max) X(T, line_capacity) X(T, strict) X(T, parse_only) X(T, ignore_links) X(T, old_names) \
    X(T, remembered) X(T, file_depth_max) X(T, definitions) X(T, types) X(T, containers) X(T, values) X(T, links) \
    X(T, used_ids) X(T, destroyed) X(T, unused_values) X(T, root) X(T, root_type) X(T, defining) X(T, file) \
    X(T, next_file) X(T, depth) X(T, scopes) X(T, carry) X(T, carry_capacity) X(T, carry_size) X(T, cut) \
    X(T, skip_definition) X(T, stage) X(T, stopped) X(T, ended) X(T, bom_state) \
    PAJESIM__IF_TRAVEL(X(T, digests)) X(T, finish_time) X(T, first) X(T, last) \
    PAJESIM__IF_TRAVEL(X(T, past_first) X(T, past_last)) X(T, line) X(T, counts) \
    X(T, problem.line) X(T, problem.column) X(T, problem.depth) X(T, problem.code) X(T, problem.severity) \
    X(T, problem.size) X(T, problem.bytes) PAJESIM__IF_TRAVEL(X(T, digest) X(T, digest_rest))

#define PAJESIM__STATE_SIZE (PAJESIM__UNITS((uint32_t)sizeof(pajesim__state)) * PAJESIM__UNIT)
#define PAJESIM__STATE(sim) ((pajesim__state *)(void *)(sim)->arena)
#define PAJESIM__CONST_STATE(sim) ((const pajesim__state *)(const void *)(sim)->arena)

/* Options, constant 0 where the code for them is not compiled. */
#define PAJESIM__IS_STRICT(state) (PAJESIM_CHECKS && (state)->strict)
#define PAJESIM__IS_PARSER(state) (PAJESIM_CHECKS && (state)->parse_only)
#define PAJESIM__FILE(state) (PAJESIM_FILES ? (state)->file : 0)
#define PAJESIM__DEPTH(state) ((pajesim__length)(PAJESIM_FILES ? (state)->depth : 0))
#define PAJESIM__NEXT_FILE(state) (PAJESIM_FILES ? (state)->next_file : 0)
