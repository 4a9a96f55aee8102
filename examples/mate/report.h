/* How well the actors of a run were used: speedup, efficiency, load balance (section 1.2 of the thesis). */
#pragma once

#include "reader.h"
#include "tunlet.h"

typedef struct report {
    reader reader;
    const tunlet *of;
    int64_t begin, actors;                /* of the iteration that is under way; actors: 0: none is */
    int64_t busy[TUNLET_ACTORS];          /* in it: ns in states */
    int64_t iterations, time;             /* that are over; ns of all */
    double actor_time, all_busy, longest; /* of all iterations: of their actors, in states, of the busiest one */
} report;

/* Begins, for the iterations of a tunlet; `it` must stay where it is.  Then: reader_bytes and reader_end. */
void report_begin(report *it, const tunlet *of);
void report_print(const report *it);
