/* Replays without callbacks, by several processes: each reads chunks of the trace without what is before them, and one
 * feeds what lasts of them to the simulation.  See `pajesim_chunk_read` in pajesim.h. */
#pragma once

#include "replay/run.h"

/* Whether that pays, and gives what feeding gives: the trace is a large file, not compressed, and the run has no
 * callbacks but that for problems. */
int paje_chunks_pay(const paje_run *run, int processes);

/* Feeds most of the trace, from its beginning; feed the rest as always.  `checkpoint`, which may be NULL, is called
 * with `data` before each chunk: an index is made, which a chunk that does not suit would spoil, so each is tried on a
 * copy. */
void paje_feed_chunks(paje_run *run, int processes, void (*checkpoint)(paje_run *run, void *data), void *data);
