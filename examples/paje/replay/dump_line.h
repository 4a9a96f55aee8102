/* An entity as a line of pj_dump. */
#pragma once

#include "base/text.h"

/* A precision: the fewest digits that read back as the same double. */
#define PAJE_EXACT (-1)

/* Appends an entity, without user fields and line end.  `precision`: decimals, or PAJE_EXACT. */
void paje_format_entity(text_buffer *line, const pajesim *sim, const pajesim_entity *entity, int precision);
/* Appends ", " and a number. */
void paje_format_number(text_buffer *line, double number, int precision);
/* Appends ", " and the text of each user field. */
void paje_format_fields(text_buffer *line, const pajesim *sim, const pajesim_fields *fields);
/* Appends the user fields, or their names, that pj_dump prints of an entity of that kind. */
void paje_format_user_fields(text_buffer *line, const pajesim *sim, const pajesim_entity *entity);
void paje_format_user_field_names(text_buffer *line, const pajesim *sim, const pajesim_entity *entity);
