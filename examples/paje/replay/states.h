/* States as they begin, for commands that write a state when it begins and again when it ends.
 *
 * Whether a state that is open before -s is shown is known when the first line from there on comes: it begins then.
 * Put the callbacks below into the command's table (PAJE_SEES_ALL), and call paje_watch_states() in its `begin`. */
#pragma once

#include "replay/run.h"

/* `begin` is called once for each state that is shown, those of a stack from the bottom up. */
void paje_watch_states(paje_run *run, void (*begin)(pajesim *sim, const pajesim_entity *state));
/* Whether `begin` was called for a state that is closed now.  Each one has its end, even if times go back. */
int paje_has_begun(const pajesim *sim, const pajesim_entity *state);

/* For the callbacks `line`, `state_set` and `state_pushed`, `container_destroyed`. */
int paje_states_line(pajesim *sim, const pajesim_line *line);
int paje_states_began(pajesim *sim, const pajesim_entity *state);
int paje_states_destroyed(pajesim *sim, const pajesim_entity *container);
