/* Paths of containers. */
#pragma once

#include "base/text.h"

/* Appends the path of a container: "/Host one/Thread one"; that of the root is "/".  A slash or backslash within a name
 * is escaped by a backslash. */
void paje_put_path(text_buffer *buffer, const pajesim *sim, pajesim_ref container);
/* Forgets what was kept of a simulation.  Each run calls it when it begins. */
void paje_begin_paths(void);
