/* One part of N of a replay, so that any engine can share the work among processes that know nothing of each other. */
#pragma once

#include "base/text.h"
#include "replay/index.h"
#include "replay/run.h"

/* Calls the command's callbacks for part settings->part of settings->parts only, its `begin` and `end` around them.
 *
 * A part is a range of bytes of the trace.  What the lines that end there complete belongs to it, and what is open at
 * the end of the trace to the last part.  So the parts have all entities, each once and in order, whatever their
 * number, and whether there is an index or not: with one the lines before need not be replayed.
 *
 * `before`: called for the lines before the part, which are all replayed then; &settings->callbacks: those that are
 * called for the part; NULL: none.  What they append to stream_output is dropped.  But if `skips` is not NULL, and
 * returns 1 for a run that was opened at a checkpoint, the lines before that need not be replayed for them. */
int paje_replay_part(const paje_settings *settings, const char *name, const pajesim_callbacks *before,
                     int (*skips)(paje_run *run, const paje_index_file *file));

/* Whether the part is the first or the last one; both are true without --part. */
int paje_is_first_part(const paje_settings *settings);
int paje_is_last_part(const paje_settings *settings);
/* Appends what the name of a file of the part has before its ending, such as ".07-of-64"; nothing without --part. */
void paje_put_part(text_buffer *name, uint64_t part, uint64_t parts);
