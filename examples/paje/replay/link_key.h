/* What tells a link that is not complete from all others: its container, type and key, as the key of a hash_map. */
#pragma once

#include "pajesim.h"

/* The bytes hold until the next call. */
pajesim_text link_key(const pajesim_entity *link);
