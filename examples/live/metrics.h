/* The catalogue of metrics: those of the paper's table 1, and which of them can be measured here. */
#pragma once

#include <stdint.h>

/* How a metric is measured.  The states are those of a program's regions, or of a trace, which have such a name; their
 * time, how many ended, and their field Bytes are added up for each thread. */
typedef enum metric_kind {
    METRIC_CLOCK,  /* the time, the same for all */
    METRIC_CPU,    /* CPU time of a thread */
    METRIC_THREADS,
    METRIC_HEAP,   /* memory of the process: that is allocated, */
    METRIC_NON_HEAP, /* and all other that it occupies */
    METRIC_STATE_TIME,
    METRIC_STATE_COUNT,
    METRIC_STATE_BYTES,
    METRIC_EVENT_COUNT, /* events of a trace */
    METRIC_VARIABLE     /* the last value of a variable of a trace, of all its process */
} metric_kind;

typedef struct metric_info {
    const char *name;
    metric_kind kind;
    int decimals;       /* a value of 1 means 10^-decimals of the unit */
    const char *unit;
    const char *states; /* names, of events and variables as well, separated by commas */
    const char *description;
    int is_java;        /* of the Java virtual machine: its traces have it, programs do not */
} metric_info;

enum { METRIC_WC_TIME = 0, METRICS = 25 };
extern const metric_info metrics[METRICS];

/* Returns the number of a metric by its name, -1 if there is none.  A name space in front (ns:WC_TIME) is left out. */
int metric_find(const char *name);
/* Which metrics a state adds to, by its name: a bit for each. */
uint32_t metrics_of_state(const char *name, unsigned long size);
/* Which metrics an event adds to, or a variable has: METRIC_EVENT_COUNT, METRIC_VARIABLE. */
uint32_t metrics_of(metric_kind kind, const char *name, unsigned long size);
