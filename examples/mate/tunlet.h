/* A tunlet: what is known of one performance problem, as tables and pure functions.
 *
 * It names the events that a program writes (measure points), computes from those of one iteration what a knob of the
 * program should be (performance function), and says when to turn it (tuning point): chapter 4 of P. Caymes Scutari,
 * "Automatic development of tunlets" (MATE).  It sees integer nanoseconds, and neither a clock nor a file.  What events
 * of several actors are reduced to is a sum, product, minimum or maximum of integers.  So neither collectors between
 * program and analyser, nor the order in which lines arrive, nor a replay of the recorded trace changes a decision.
 *
 * Events are of the kind PajeNewEvent.  Each has a user field Iteration; those that begin an iteration, or the work of
 * an actor on it, have Actors, too: among how many actors the iteration is divided, which are those with the numbers 0
 * to Actors - 1.  An actor is a container; its number is what its name ends with (worker 3), else 0. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum {
    TUNLET_ACTORS = 128, /* actors with higher numbers are ignored, and counted */
    TUNLET_FIELDS = 6,
    TUNLET_EVENTS = 32, /* of one tunlet */
    TUNLET_PARTS = 24
};

/* What an event says of the iteration. */
typedef enum tunlet_role {
    TUNLET_INSIDE, /* nothing: it is one of its events */
    TUNLET_BEGIN,  /* it begins */
    TUNLET_END,    /* it ends */
    TUNLET_DONE    /* an actor has done its part of it */
} tunlet_role;

typedef struct tunlet_event {
    const char *name;                  /* of its value */
    tunlet_role role;
    const char *fields[TUNLET_FIELDS]; /* names of user fields, of integers, beside Iteration and Actors */
} tunlet_event;

/* An event as a tunlet sees it. */
typedef struct tunlet_happening {
    uint32_t event;        /* index in the tunlet's table */
    uint32_t actor;        /* number of the actor that wrote it, below TUNLET_ACTORS */
    int64_t time;          /* nanoseconds */
    int64_t actors;        /* field Actors; 0 if it has none */
    const int64_t *fields; /* in the order of the table; 0 where the line has none */
} tunlet_happening;

/* How a member of a tunlet's state is made of what collectors have got of it. */
typedef enum tunlet_merge {
    TUNLET_SUM,
    TUNLET_PRODUCT,
    TUNLET_MIN,
    TUNLET_MAX,
    TUNLET_AND,
    TUNLET_ARGMAX /* it goes with the part before it, a TUNLET_MAX; where that is equal, the least */
} tunlet_merge;

/* A member of the state that collectors compute: an int64_t, or an array of TUNLET_ACTORS of them, of which an actor
 * changes only the one with its number. */
typedef struct tunlet_part {
    const char *name; /* a name of a field in traces */
    size_t offset;
    tunlet_merge merge;
    int is_array;
} tunlet_part;
#define TUNLET_ONE(state, member, merge) {#member, offsetof(state, member), merge, 0}
#define TUNLET_EACH(state, member, merge) {#member, offsetof(state, member), merge, 1}

/* What is done to a program (section 2.2.2 of the thesis). */
typedef enum tunlet_action {
    TUNLET_SET,     /* SetVariableValue: the knob */
    TUNLET_REPLACE, /* ReplaceFunction: the slot, by the choice with that index */
    TUNLET_INSERT,  /* InsertFunctionCall: at a place, from now on */
    TUNLET_REMOVE,  /* RemoveFunctionCall */
    TUNLET_CALL,    /* OneTimeFunctionCall */
    TUNLET_PARAM,   /* FunctionParamChange: of a function, by its index */
    TUNLET_LOAD     /* LoadLibrary: programs refuse it */
} tunlet_action;

/* A tuning point: a knob, and what it should be. */
typedef struct tunlet_point {
    const char *knob;
    int64_t min, max;
    int64_t tolerance; /* a value that is not farther than that from the current one is left as it is */
    size_t current;    /* offset in the state: with which value the iteration ran */
    /* Stores in `wanted` what the knob should have been in this iteration.  Returns 0 if that is not known. */
    int (*evaluate)(const void *state, int64_t *wanted);
    tunlet_action action; /* of calls: `knob` is the function's name, which is called if the value should be another */
    const char *at;       /* the live_point where it is done; NULL: where the program says */
    int index;            /* of a parameter */
} tunlet_point;

/* A number that is worth to be known of an iteration, such as a parameter of the model. */
typedef struct tunlet_value {
    const char *name;
    /* Stores it.  Returns 0 if it is not known. */
    int (*evaluate)(const void *state, double *value);
} tunlet_value;

typedef struct tunlet {
    const char *name;
    const char *actor; /* container type of the actors that share the work of an iteration */
    const tunlet_event *events;
    size_t event_count;
    const tunlet_part *parts; /* what events of these actors change; all else belongs to the other actor */
    size_t part_count;
    const tunlet_point *points;
    size_t point_count;
    const tunlet_value *values;
    size_t value_count;
    size_t state_size; /* the state of one iteration: int64_t members, zeros at first, parts as their merge begins */
    void (*happened)(void *state, const tunlet_happening *happening);
} tunlet;
