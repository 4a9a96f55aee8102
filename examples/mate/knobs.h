/* Runs a program with each of some fixed settings and tuned, in turn, and prints what tuning gains and costs.
 *
 * Other programs disturb some iterations of some rounds.  So what is compared is the sum over the iterations of the
 * median that each has over the rounds. */
#pragma once

#include <stdint.h>

enum { KNOBS_TUNED = -1, KNOBS_SETTINGS = 16, KNOBS_LOADS = 4, KNOBS_PAIR = 1000000 };

typedef struct knobs_program {
    const char *knob;
    int64_t settings[KNOBS_SETTINGS]; /* of two knobs: the first one times KNOBS_PAIR + the second one */
    int count;
    int64_t iterations;
    const char *loads[KNOBS_LOADS]; /* names of the loads that take turns; NULL after the last one */
    int (*load)(int64_t iteration);
    /* Runs it once with a setting, or KNOBS_TUNED, and stores how long each iteration took, in ns.  `is_traced`: with a
     * fixed setting it writes the events, too, and tunlets see them, but nothing is turned. */
    void (*run)(int64_t setting, int is_traced, int64_t *times);
} knobs_program;

/* The median of so many times, which are put in order. */
double knobs_median(int64_t *times, int64_t count);
/* Prints the comparison of so many rounds, of which each runs all settings. */
void knobs_compare(const knobs_program *program, int rounds);
