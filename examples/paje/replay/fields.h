/* User fields of an entity in other notations. */
#pragma once

#include "base/text.h"

/* User fields as a JSON object of strings; of fields with the same name the first one counts. */
void paje_put_json_fields(text_buffer *buffer, const pajesim *sim, const pajesim_fields *fields);
