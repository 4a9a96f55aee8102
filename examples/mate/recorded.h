/* Decisions that a trace has recorded: events of the type Decision, with the knob as value and the fields Iteration,
 * From and To, and, with the same fields, ranges of knobs (Range), and
 * iterations that tunlets gave up (Given up). */
#pragma once

#include "analyse.h"
#include "base/array.h"

typedef struct recorded_decision {
    char knob[64]; /* its beginning, if it is longer */
    int64_t iteration, from, to;
} recorded_decision;

typedef struct recorded {
    reader reader;
    analysis *of;
    array_of(recorded_decision) found; /* the caller frees it */
} recorded;

/* `it` must stay where it is.  Ranges limit `of`, which ignores what was given up.  Then: reader_bytes and reader_end
 * of its reader. */
void recorded_begin(recorded *it, analysis *of);
