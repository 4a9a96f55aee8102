/* How many problems a trace had, and which of them were shown. */
#pragma once

#include "base/array.h"
#include "base/map.h"
#include "pajesim.h"

typedef struct paje_tally {
    uint64_t warnings[PAJESIM_E_COUNT]; /* by code */
    uint64_t errors[PAJESIM_E_COUNT];
    uint64_t shown, omitted; /* errors; omitted: beyond the limit */
    int has_refused;         /* a definition was refused, so events by its number have their error already */
    hash_map names;          /* code, and a name that nothing has: errors by it are shown once, then counted */
    array_of(uint64_t) counts; /* of those that were not shown, by name */
} paje_tally;
