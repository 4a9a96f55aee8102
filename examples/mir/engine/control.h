/* The categories of a run of `paje trace`, which a side program switches for its clients. */
#pragma once

#include "live/reply.h"

/* Lets clients change the categories of the run in a folder (paje trace --keep).  Returns 0, with errno, if it is none.
 */
int control_open(reply *it, const char *folder);
