/* A collector's output: what it has got of each iteration, as a Pajé stream that feed.h reads.  So the analyser, or a
 * collector above, sees a few lines an iteration in place of several for each actor. */
#pragma once

#include "feed.h"
#include "pajewrite.h"

enum { REDUCE_BUFFER = 1 << 14, REDUCE_LAYERS = 8 };

typedef struct reduction {
    pajewrite writer;
    char buffer[REDUCE_BUFFER];
    const tunlet *of;
    pajewrite_container collector;
    pajewrite_variant part, actor_part, intrusion;
    uint64_t time; /* of the last line */
    int is_ready;  /* it has said whose events it has */
    uint8_t introduced[TUNLET_ACTORS];
} reduction;

/* Begins a stream of a collector of that name into a sink; it must stay where it is.  Returns what the writer does. */
pajewrite_status reduce_begin(reduction *it, const tunlet *of, const char *name,
                              pajewrite_status (*sink)(void *data, const char *bytes, size_t size), void *data);
/* Writes an iteration, for `told` of gather.h; `covered`: the collector's actors. */
void reduce_iteration(reduction *it, const gather_iteration *complete, const uint8_t *covered);
/* Writes what tracing has cost the tasks whose streams it read. */
void reduce_intrusion(reduction *it, const feed_intrusion *of);
pajewrite_status reduce_end(reduction *it);

/* How many collectors are needed (section 3.1.4 of the thesis) where `workers` workers have `each` events in an
 * iteration of `duration` ns, and an event takes `cost` ns, so that each collector, and what reads the last layer, is
 * busy for a share `busy` of the time at most.  Stores those of each layer, from below; returns how many layers there
 * are.  If one worker's events are too many, collectors do not help: none. */
int reduce_needed(double workers, double each, double cost, double duration, double busy, int64_t *layers);
