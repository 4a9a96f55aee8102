/* Runs a program with each of some fixed settings and tuned, in turn, and prints what tuning gains and costs. */
#pragma once

#include <stdint.h>

enum { KNOBS_TUNED = -1, KNOBS_SETTINGS = 16 };

typedef struct knobs_program {
    const char *knob;
    int64_t settings[KNOBS_SETTINGS];
    int count;
    /* Runs it once with a setting, or KNOBS_TUNED; `is_traced`: with a fixed setting it writes the events, too, and
     * tunlets see them, but nothing is turned.  Returns how long it took, in ns. */
    int64_t (*run)(void *data, int64_t setting, int is_traced);
    void *data;
} knobs_program;

/* The median of so many times, which are put in order. */
double knobs_median(int64_t *times, int count);
/* Prints the medians of so many rounds, of which each runs all settings. */
void knobs_compare(const knobs_program *program, int rounds);
