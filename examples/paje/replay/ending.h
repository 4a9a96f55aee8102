/* When a trace ends, before it is read. */
#pragma once

#include "replay/source.h"

/* The time of its end, in the trace's unit, from its first and its last lines, and some in the middle; -HUGE_VAL if
 * these do not tell it, or the trace can be read only once.  Lines that have times, but are wrong, or later than others
 * behind them, may make it another one; not much later, though, than the middle lets expect. */
double paje_find_end(const paje_source *trace);
