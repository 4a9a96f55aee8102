/* Names of a trace: copies of limited size, and keys to look them up by. */
#pragma once

#include "base/text.h"

enum { NAME_BYTES = 200 };

/* A copy of the name, for name_free(); a longer one is cut behind a character, and ends with "...". */
pajesim_text name_copy(pajesim_text name);
void name_free(pajesim_text copy);
/* The key of a name within a scope (a type, a container): its first NAME_BYTES, and of a longer one a hash of all.  It
 * lies in `buffer`. */
pajesim_text name_key(text_buffer *buffer, uint32_t scope, pajesim_text name);
