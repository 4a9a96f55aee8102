/* Measuring: probes, and the cells that they gather values in.  It has two feeds: a program's regions as they are
 * entered and left (live.c), or the states of a trace (examples/mir).  The same calls in the same order give the same
 * values.
 *
 * A cell has one writer, the thread that it belongs to, which never waits; the agent reads it at any time.  Values are
 * integers, and their sums and the sums of their squares are exact, so the order in which threads are merged has no
 * effect, and the variance is that of two passes. */
#pragma once

#include "metrics.h"
#include "request.h"

#ifdef LIVE_SMALL /* limits that the inputs of a fuzzer reach */
enum { MEASURE_PROBES = 6, MEASURE_PLACES = 6, MEASURE_NESTED = 3, MEASURE_SAMPLES = 8 };
#else
enum {
    MEASURE_PROBES = 64,
    MEASURE_PLACES = 256,  /* threads, also those that have ended */
    MEASURE_NESTED = 16,   /* executions of a region within itself that are measured, for metrics other than WC_TIME */
    MEASURE_SAMPLES = 256  /* of a thread, that are delivered one by one and have not been fetched */
};
#endif
#define MEASURE_NO_REGION UINT32_MAX

/* A thread of the program, with the entities that it belongs to.  Texts stay where they are. */
typedef struct measure_place {
    const char *id[LEVELS], *name[LEVELS]; /* NULL: there is none */
    int is_master, is_over;
} measure_place;

typedef struct measure_values {
    uint64_t count;
    uint64_t time;                     /* of the last one */
    int64_t last, sum, least, most;
    uint64_t squares_high, squares_low; /* the sum of squares, of 128 bits */
} measure_values;

/* `epoch`: that of the probe when the first value was added; others are none any more. */
typedef struct measure_cell {
    uint32_t sequence, epoch; /* odd while it is written */
    measure_values values;
} __attribute__((aligned(64))) measure_cell;

/* A value that is to be delivered by itself. */
typedef struct measure_sample {
    uint64_t time;
    int64_t value;
    uint32_t probe, metric, place, epoch;
} measure_sample;

typedef struct measure_samples {
    uint32_t head, tail, lost; /* atomic; head: written by the thread */
    measure_sample items[MEASURE_SAMPLES];
} measure_samples;

/* What a thread remembers of a region that it is in. */
typedef struct measure_begun {
    uint64_t since; /* the probe's, as it was then */
    uint32_t epoch, depth; /* depth: how many are remembered */
} measure_begun;

typedef struct measure_probe {
    int is_used, is_active;
    int is_held, is_awaited;            /* held: until a request with flush="true"; awaited: it is active then */
    int has_event;                      /* the region is traced while the probe is active */
    uint32_t epoch;                     /* atomic; changes when it is reset */
    uint64_t since;                     /* when it became active: what was entered before is not measured */
    uint32_t from, to;                  /* regions; MEASURE_NO_REGION: that one was not given */
    int has_region, is_each;
    int is_own, is_by_any;              /* by any: an execution by any thread measures all that are selected */
    int metrics[REQUEST_METRICS];
    uint32_t metric_count;
    request_measuring measuring;
    request_path paths[REQUEST_PATHS];
    uint32_t path_count;
    uint8_t selected[MEASURE_PLACES];   /* atomic: 1: this thread is, 2: it is not, 0: not known yet */
    uint32_t missed;                    /* atomic: values that could not be taken */
    uint32_t busy;                      /* atomic: by any: a thread is measuring */
    measure_cell *cells;                /* [metric][place] */
    measure_begun *begun;               /* [place] */
    int64_t *begun_values;              /* [place][depth or place][metric] */
    uint32_t begun_width;
    uint64_t next_interval, next_delivery, until; /* ns; until: when the second value of a duration is taken; 0: none */
    int64_t *first_values;              /* of a duration: [metric][place] */
    uint32_t owner;                     /* who is sent what is delivered */
    int file, is_file_open;             /* of its destination; file -1: it could not be opened */
    uint64_t device, inode;             /* of that: its descriptor may be another file's, if the program closes all */
    char id[16];
} measure_probe;

/* The feed.  `value`: of a metric and a thread now; `time` is that of the event. */
typedef struct measure_source {
    void *data;
    uint32_t (*region)(void *data, const char *name); /* MEASURE_NO_REGION: there is none */
    const char *(*lacks)(void *data, int metric, int by_region); /* why it cannot be measured; NULL: it can be */
    int64_t (*value)(void *data, int metric, uint32_t place, uint64_t time);
    void (*changed)(void *data); /* probes begin or end to be active: see measure_wants; may be NULL */
} measure_source;

typedef struct measure {
    measure_source source;
    uint64_t origin; /* of WC_TIME */
    uint32_t places; /* atomic */
    int is_over;     /* 1: the trace has ended; its entities have what they had then */
    uint32_t next_id, next_epoch;
    measure_place place[MEASURE_PLACES];
    measure_samples *samples[MEASURE_PLACES]; /* atomic pointers */
    measure_probe probe[MEASURE_PROBES];
    request_measuring defaults;
} measure;

/* `it` has to be zeros, best from calloc: most of it is not used, and then is no memory. */
void measure_init(measure *it, const measure_source *source, uint64_t origin);
void measure_free(measure *it);
/* Adds a thread.  Returns its number, or MEASURE_PLACES if there are too many. */
uint32_t measure_add_place(measure *it, const measure_place *place);

/* Makes a probe of an instrumentation request.  Returns its number; MEASURE_PROBES, with the reason in `problem`, if it
 * cannot be measured. */
uint32_t measure_add_probe(measure *it, const request *from, char *problem, size_t size);
/* Changes a probe as a control request says.  Returns 0 if it cannot be measured. */
int measure_change_probe(measure *it, uint32_t number, const request *from, uint64_t now, char *problem, size_t size);
void measure_activate(measure *it, uint32_t number, int is_active, uint64_t now);
void measure_reset(measure *it, uint32_t number);
void measure_remove(measure *it, uint32_t number);
/* The file of its destination is that descriptor, or -1; and whether the descriptor still is that file. */
void measure_set_file(measure_probe *probe, int file);
int measure_has_file(const measure_probe *probe);
uint32_t measure_find_probe(const measure *it, document_text id);

/* What a region is wanted for: bit n: by probe n. */
typedef struct measure_wants {
    uint64_t both;  /* it is measured from its beginning to its end */
    uint64_t enter; /* something is to be done where it is entered, */
    uint64_t leave; /* or left, whether it was seen to be entered or not */
} measure_wants;
measure_wants measure_wanted(const measure *it, uint32_t region);
/* Metrics of states that are wanted by a probe that is active, one bit each. */
uint32_t measure_wanted_metrics(const measure *it);

/* The events of a thread: it enters a region (`probes`: measure_wants.enter), and leaves one that it entered at `begin`
 * (measure_wants.both as it was then and still is, and measure_wants.leave). */
void measure_enter(measure *it, uint64_t probes, uint32_t region, uint32_t place, uint64_t time);
void measure_leave(measure *it, uint64_t probes, uint32_t region, uint32_t place, uint64_t begin, uint64_t time);

/* Takes what is due up to `now`: of each probe one interval, or the end of a duration.  Returns 1 if more is due. */
int measure_tick(measure *it, uint64_t now);
/* When measure_tick has to be called next; UINT64_MAX: never. */
uint64_t measure_next(const measure *it);
/* Measures a probe that has neither region nor interval. */
void measure_now(measure *it, uint32_t number, uint64_t now);
/* Fetches a value that is to be delivered by itself.  Returns 0 if there is none. */
int measure_fetch(measure *it, uint32_t place, measure_sample *sample);

/* Whether a thread is selected by a path, and how many levels of it. */
int measure_matches(const measure_place *place, const request_path *path);
/* The first thread of the entity of a path that a thread is in: it stands for the entity. */
uint32_t measure_first(const measure *it, const measure_probe *probe, uint32_t path, uint32_t place);
/* The values of some thread. */
measure_values measure_read(const measure *it, uint32_t number, uint32_t metric, uint32_t place);
void measure_merge(measure_values *to, const measure_values *from);
double measure_variance(const measure_values *values);
