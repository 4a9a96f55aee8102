/* The part of an entity that lies within -s and -e. */
#pragma once

#include "pajesim.h"
#include "replay/settings.h"

typedef struct interval {
    double start, end;
    double number; /* of a variable; else 0 */
} interval;

/* The range of -s and -e, in the unit that callbacks get; infinite where there is none. */
interval interval_of(const paje_settings *settings);
/* Clips an entity to the range.  Returns 0 if nothing is left. */
int interval_clip(const pajesim_entity *entity, const interval *range, interval *part);
