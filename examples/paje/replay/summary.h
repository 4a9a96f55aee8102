/* The summary of a trace. */
#pragma once

#include "replay/run.h"

/* Prints the summary.  `entities`: their number by pajesim_kind; NULL: those of the whole trace. */
void paje_print_summary(const paje_run *run, const uint64_t *entities);
