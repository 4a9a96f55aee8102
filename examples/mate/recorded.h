/* Decisions that a trace has recorded: events of the type Decision, with the knob as value and the fields Iteration,
 * From and To. */
#pragma once

#include "base/array.h"
#include "reader.h"

typedef struct recorded_decision {
    char knob[32]; /* its beginning, if it is longer */
    int64_t iteration, from, to;
} recorded_decision;

typedef struct recorded {
    reader reader;
    array_of(recorded_decision) found; /* the caller frees it */
} recorded;

/* `it` must stay where it is.  Then: reader_bytes and reader_end of its reader. */
void recorded_begin(recorded *it);
