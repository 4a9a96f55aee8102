/* A collector's output: what it has got of each iteration, as a Pajé stream that feed.h reads.  So the analyser, or a
 * collector above, sees a few lines an iteration in place of several for each actor. */
#pragma once

#include "gather.h"
#include "pajewrite.h"

enum { REDUCE_BUFFER = 1 << 14 };

typedef struct reduction {
    pajewrite writer;
    char buffer[REDUCE_BUFFER];
    const tunlet *of;
    pajewrite_container collector;
    pajewrite_variant part, actor_part;
    uint64_t time; /* of the last line */
    int is_ready;  /* its actors were introduced */
} reduction;

/* Begins a stream of a collector of that name into a sink; it must stay where it is.  Returns what the writer does. */
pajewrite_status reduce_begin(reduction *it, const tunlet *of, const char *name,
                              pajewrite_status (*sink)(void *data, const char *bytes, size_t size), void *data);
/* Writes an iteration, for `told` of gather.h; `covered`: the collector's actors. */
void reduce_iteration(reduction *it, const gather_iteration *complete, const uint8_t *covered);
pajewrite_status reduce_end(reduction *it);
