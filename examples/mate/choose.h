/* Tunlets by name, for options. */
#pragma once

#include "tunlet.h"

#define CHOOSE_NAMES \
    "workers (default), workers-as-printed, factoring, time, pipeline, kernels, chunk, threads, or ./NAME.so"
/* Adds the tunlet of that name to a list of FEED_TUNLETS; a name with a slash is a file NAME.so, which has tunlet_NAME.
 * Returns 0 if there is none, or no room. */
int choose(const char *name, const tunlet **list, size_t *count);
