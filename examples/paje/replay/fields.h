/* User fields of an entity, and their JSON. */
#pragma once

#include "base/text.h"

/* Stores the user field at *index or behind it whose name no field before it has, and moves *index behind it.  Returns
 * 0 if there is none. */
int paje_next_field(const pajesim *sim, const pajesim_fields *fields, uint32_t *index, pajesim_field *field);

/* User fields as a JSON object of strings; of fields with the same name the first one counts. */
void paje_put_json_fields(text_buffer *buffer, const pajesim *sim, const pajesim_fields *fields);
