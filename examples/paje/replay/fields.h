/* User fields of an entity, and their JSON. */
#pragma once

#include "base/map.h"
#include "base/text.h"

/* Stores the user field at *index or behind it whose name no field before it has, and moves *index behind it.  Returns
 * 0 if there is none. */
int paje_next_field(const pajesim *sim, const pajesim_fields *fields, uint32_t *index, pajesim_field *field);

/* User fields as a JSON object of strings; of fields with the same name the first one counts. */
void paje_put_json_fields(text_buffer *buffer, const pajesim *sim, const pajesim_fields *fields);

/* The names of the user fields that entities have, in order of appearance: each becomes a column. */
void paje_note_fields(hash_map *names, const pajesim *sim, const pajesim_fields *fields);
/* Returns a text for each of the names, until the next call; without an address where the line has no such field.  Of
 * fields with the same name the first one counts. */
const pajesim_text *paje_find_fields(const hash_map *names, const pajesim *sim, const pajesim_fields *fields);
