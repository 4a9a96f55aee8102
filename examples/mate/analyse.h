/* Tunlets at work: iterations that are complete are evaluated, and knobs turned. */
#pragma once

#include "decide.h"
#include "feed.h"

enum { ANALYSE_POINTS = 8 }; /* of one tunlet */

/* A knob is to be turned, as an iteration asks for. */
typedef struct decision {
    const tunlet *of;
    const tunlet_point *point;
    const char *knob;
    int64_t iteration, time; /* time: of the iteration's last event */
    int64_t from, to;
} decision;

typedef struct analysis analysis;

/* What one tunlet finds. */
typedef struct analyst {
    gathering gathered;
    decider deciders[ANALYSE_POINTS];
    analysis *of;
} analyst;

struct analysis {
    analyst analysts[FEED_TUNLETS];
    gathering *gathered[FEED_TUNLETS]; /* for feed_begin */
    size_t count;
    void (*decided)(void *data, const decision *decision);
    /* Is called with each value of an iteration.  NULL, as analyse_begin sets it: none is computed. */
    void (*valued)(void *data, const tunlet_value *which, const gather_iteration *of, double value);
    /* Is called when iterations are given up; NULL: not at all. */
    void (*lost)(void *data, const tunlet *of, int64_t first, int64_t last);
    /* Is called before and after an iteration is evaluated.  NULL, as analyse_begin sets it: not at all. */
    void (*evaluated)(void *data, const gather_iteration *of, int is_over);
    void *data;
};

/* Begins with these tunlets; `it` must stay where it is.  `persistence`: how many iterations in a row have to ask for a
 * change.  Returns NULL, or why not: what two tunlets claim, or a table that is too long. */
const char *analyse_begin(analysis *it, const tunlet *const *tunlets, size_t count, int persistence,
                          void (*decided)(void *data, const decision *decision), void *data);
/* A knob may be this at most, and at least, if that is less than what tunlets permit. */
void analyse_limit(analysis *it, const char *knob, int64_t min, int64_t max);
/* The iterations that a tunlet of that name is to ignore, in the order of numbers. */
void analyse_lose(analysis *it, const char *name, int64_t first, int64_t last);
void analyse_end(analysis *it);
