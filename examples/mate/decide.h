/* Decides when a knob is turned: not for one iteration that is unlike the others, but when several in a row ask for
 * more, or for less; then to the median of what they ask for. */
#pragma once

#include "tunlet.h"

enum { DECIDE_MOST = 15, DECIDE_USUAL = 3 };

typedef struct decider {
    int persistence; /* how many in a row, 1 to DECIDE_MOST; 1 decides as MATE does */
    int64_t min, max; /* what the knob may be, as far as the point permits it */
    int count;
    int64_t wanted[DECIDE_MOST];
    int64_t current;       /* the value for which they were asked */
    int64_t pending;       /* what was decided last and has not been seen since */
    int is_pending, waited; /* iterations */
} decider;

/* Takes what an iteration asks for, which ran with `current`.  Returns 1 and stores the new value if the knob is to be
 * turned.  A decision that does not show within 64 iterations is taken for refused. */
int decide(decider *it, const tunlet_point *point, int64_t current, int64_t wanted, int64_t *value);

/* Reads a persistence from an option.  Returns 0 if it is none. */
int decide_read_persistence(const char *text, int *persistence);
