/* A program that tunes itself: its trace goes to tunlets in the same process, which turn its knobs, without a server or
 * a thread.  With PAJE_LIVE, the trace goes to a tuner outside (mate), by the same calls.
 *
 *     self_begin(&it, &config);
 *     self_knob(&it, "Batch", &batch, 1, 512);
 *     self_ready(&it);
 *     for (i = 0; i < iterations; i++) {
 *         self_point(&it);                                   // knobs change here
 *         self_event(&it, STARTS, SELF_MAIN, now, i, fields);
 *         ...
 *     }
 *     self_end(&it); */
#pragma once

#include "analyse.h"
#include "live/live.h"

enum { SELF_MAIN = -1, SELF_KNOBS = 16, SELF_TABLE = 256, SELF_BUFFER = 1 << 16 };

typedef struct self_config {
    const tunlet *const *tunlets; /* the events of the first are those that the program writes; others use the same */
    size_t count;
    int actors;         /* that there are at most */
    int persistence;
    int is_off;         /* no trace, no tunlets: knobs stay as they are */
    const char *output; /* a file that the trace goes to; NULL: none */
} self_config;

typedef struct self {
    self_config config;
    live live;
    int is_live;
    pajewrite writer;
    char buffer[SELF_BUFFER];
    pajewrite_entry table[SELF_TABLE];
    pajewrite_variant variants[TUNLET_EVENTS], decision, intrusion;
    analysis analysis;
    feed feed;
    int file, has_failed;
    struct {
        const char *name;
        int64_t *word;        /* NULL: it is a slot */
        live_function *place;
        live_function choices[LIVE_CHOICES_MAX];
        int64_t iteration, from, wanted; /* of a decision that waits */
    } knobs[SELF_KNOBS];
    uint32_t turned[SELF_KNOBS], turned_count; /* decisions that wait, in their order: indexes of knobs */
    uint32_t knob_count;
    uint64_t decisions;
    feed_intrusion cost;
} self;

/* What a run came to. */
typedef struct self_sum {
    uint64_t decisions;  /* that were made here */
    feed_intrusion cost; /* zeros if nothing was traced */
} self_sum;

/* Begins; `it` must stay where it is.  Ends the program after a message if it cannot. */
void self_begin(self *it, const self_config *config);
/* A number that tunlets may change; both names have to stay. */
void self_knob(self *it, const char *name, int64_t *word, int64_t low, int64_t high);
/* A function that may be replaced by another one; what tunlets decide is the index of the choice.  */
void self_slot(self *it, const char *name, live_function *place, const live_choice *choices, size_t count);
/* All knobs are there. */
void self_ready(self *it);
/* What was decided is done, between two iterations. */
void self_point(self *it);
/* An event of the tunlets, by its index, of an actor or SELF_MAIN; `actors`: how many take part, 0: it does not say. */
void self_event(self *it, uint32_t event, int actor, int64_t time, int64_t iteration, int64_t actors,
                const int64_t *fields);
/* The state of an actor from `begin` to `end`, for pictures. */
void self_state(self *it, int actor, int64_t begin, int64_t end);
self_sum self_end(self *it);
/* Prints on standard error what tracing and tuning have cost, unless there was none. */
void self_print(const self_sum *sum);
/* ns of CLOCK_MONOTONIC. */
int64_t self_now(void);
