/* Replays of a range of time, from an index; by several processes if asked for. */
#pragma once

#include "replay/settings.h"

/* Calls the command's callbacks, in order, for all entities that overlap [from, to], and perhaps for others.
 *
 * With an index only the part between two checkpoints is replayed; entities that are still open at the second one
 * follow without a line of the trace: `before_rest` is called before them, if it is not NULL.  Without an index the
 * whole trace is replayed.  If the trace is a file, `processes` share the work; then callbacks must not depend on what
 * earlier callbacks have noted.  Writes stream_output; returns an exit status. */
int paje_replay_range(const paje_settings *settings, const char *name, double from, double to, int processes,
                      void (*before_rest)(void));
/* Replays a trace, but only what -s and -e choose of it if there is an index.  For commands whose callback `closed`
 * needs no other callback before it: types, values and containers may be older than what is replayed.  It is called for
 * all that overlaps the range, and perhaps for more.  If types are defined behind it, or the trace has the variable
 * that the settings name, the whole trace is replayed all the same.  (The flag PAJE_FROM_INDEX, for commands that have
 * no `run` of their own.) */
int paje_replay_chosen(const paje_settings *settings, const char *name, int trace);
