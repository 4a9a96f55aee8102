/* A Pajé stream of a program, or of a collector, whose events go to the iterations of tunlets. */
#pragma once

#include "gather.h"
#include "reader.h"

enum { FEED_TUNLETS = 8 }; /* a byte of the user word of a value each */

/* Where the user fields of an event are among those of its line. */
typedef struct feed_layout {
    pajesim_ref definition;
    uint8_t iteration, actors, fields[TUNLET_FIELDS]; /* indexes; 255: it has no such field */
} feed_layout;

/* The container type of collectors. */
#define FEED_COLLECTOR "Collector"
/* Names of the events that collectors write, before a blank and the name of the tunlet, and their fields. */
#define FEED_PART "Part"          /* on a container of the collector: Iteration, Actors, Done, single parts */
#define FEED_ACTOR_PART "Part of" /* on a container of the actor: Iteration, arrays */
#define FEED_READY "Ready"        /* on a container of the collector: all its actors have been created */

/* What tracing has cost a task, by its own clock, or several tasks together; times are in ns. */
#define FEED_INTRUSION "Intrusion"
typedef struct feed_intrusion {
    int64_t tasks, events, setup, monitoring, tuning;
} feed_intrusion;
/* Fields of the event, for pajewrite_define_variant. */
#define FEED_INTRUSION_FIELDS "Tasks int, Events int, Setup int, Monitoring int, Tuning int"

typedef struct feed {
    reader reader;
    gathering *to[FEED_TUNLETS];
    size_t count;
    feed_layout layouts[FEED_TUNLETS][TUNLET_EVENTS];
    uint64_t actors[FEED_TUNLETS][TUNLET_ACTORS / 64]; /* those that it has named: a bit each */
    int64_t last;        /* time of the last event */
    int is_ready;        /* it has said whose events it has */
    int is_collector;    /* it is that of a collector */
    feed_intrusion intrusion;
    uint64_t incomplete; /* events without a number in Iteration, or whose fields are no integers */
} feed;

/* `it` must stay where it is.  Its events go to `count` gatherings, FEED_TUNLETS at most.  Then: reader_bytes of its
 * reader. */
void feed_begin(feed *it, gathering *const *to, size_t count);
/* Ends the stream; returns how many lines were refused. */
uint64_t feed_end(feed *it);
