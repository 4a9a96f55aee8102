/* Iterations whose events are gathered until all have come.
 *
 * An iteration is passed on when it has begun and ended and each of its actors has done its part, in the order of
 * numbers, whatever the order in which events came.  It is given up when a later one with at least as many actors is
 * complete: the events of an actor come in order, so what is missing was lost.  A collector, which has only some of the
 * actors, passes on what it has of an iteration when all of these that take part have done theirs, and again if
 * another one appears, with what that has done. */
#pragma once

#include "base/array.h"
#include "tunlet.h"

enum { GATHER_ITERATIONS = 64 }; /* at once: the oldest is given up when one more begins */

typedef struct gather_iteration {
    int64_t number;
    int64_t actors; /* 0: not known yet */
    int64_t done;   /* actors that have done their part; of a collector, since it was passed on */
    int64_t all_done;
    int64_t last;   /* time of its last event */
    uint64_t who[TUNLET_ACTORS / 64]; /* of these, those whose events come here: a bit each */
    int is_used, has_begun, has_ended;
    void *state;
} gather_iteration;

/* Iterations `first` to `last`. */
typedef struct gather_range {
    int64_t first, last;
} gather_range;

typedef struct gathering gathering;
struct gathering {
    const tunlet *of;
    int is_collector;
    int silent; /* of a collector: streams that have not said yet whose events they have */
    uint8_t covered[TUNLET_ACTORS];  /* whether events of the actor with that number have come here */
    uint16_t sources[TUNLET_ACTORS]; /* the streams that are open and have its events */
    /* Is called with each iteration that is complete. */
    void (*completed)(gathering *it, const gather_iteration *complete);
    /* Is called when these are given up; NULL: not at all. */
    void (*lost)(gathering *it, int64_t first, int64_t last);
    void *data;
    array_of(gather_range) known_lost; /* by gather_lose */
    int64_t next; /* the iteration whose turn is next; of a collector without meaning */
    int has_next;
    uint64_t complete, given_up; /* iterations */
    uint64_t late, ignored;      /* events of iterations that were given up or passed on; of actors without room */
    gather_iteration iterations[GATHER_ITERATIONS];
    char *states;
};

/* Begins with no iterations.  `of` has to stay. */
void gather_begin(gathering *it, const tunlet *of, int is_collector,
                  void (*completed)(gathering *it, const gather_iteration *complete), void *data);
void gather_free(gathering *it);
/* A stream will come here, whose actors are not known yet; it has said which they are.  A collector passes nothing
 * on before all have, as it could not know what is still to come. */
void gather_attach(gathering *it);
void gather_ready(gathering *it);
/* Ignores these iterations: they were given up when the trace was recorded.  To be called in the order of numbers. */
void gather_lose(gathering *it, int64_t first, int64_t last);
/* Notes an actor of the kind that shares the work, of a stream that has not named it before. */
void gather_actor(gathering *it, uint32_t number);
/* A stream has ended that had the events of these actors, a bit each: a collector waits for them no more. */
void gather_leave(gathering *it, const uint64_t *actors);
/* Ends the gathering: passes on what is complete, and gives up what is not. */
void gather_end(gathering *it);
void gather_event(gathering *it, int64_t iteration, const tunlet_happening *happening);
/* Merge what a collector has got of an iteration: of an actor, its elements of arrays; of all actors, single members,
 * and how many have done their part.  `numbers`: in the order of the tunlet's parts, of that kind. */
void gather_actor_part(gathering *it, int64_t iteration, uint32_t actor, const int64_t *numbers);
void gather_part(gathering *it, int64_t iteration, int64_t time, int64_t actors, int64_t done,
                 const int64_t *numbers);
