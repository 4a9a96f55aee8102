/* User fields of an entity, as JSON and as columns. */
#include "replay/fields.h"

#include <string.h>

#include "base/array.h"
#include "base/encode.h"

static int is_repeated(const pajesim *sim, const pajesim_fields *fields, uint32_t index, pajesim_text name)
{
    pajesim_field field;
    for (uint32_t i = 0; i < index && pajesim_user_field(sim, fields, i, &field); i++)
        if (text_is_equal(field.name, name))
            return 1;
    return 0;
}

int paje_next_field(const pajesim *sim, const pajesim_fields *fields, uint32_t *index, pajesim_field *field)
{
    while (pajesim_user_field(sim, fields, *index, field))
        if (!is_repeated(sim, fields, (*index)++, field->name))
            return 1;
    return 0;
}

void paje_put_json_fields(text_buffer *buffer, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim_field field;
    text_putc(buffer, '{');
    for (uint32_t at = 0, first = 1; paje_next_field(sim, fields, &at, &field); first = 0) {
        if (!first)
            text_putc(buffer, ',');
        text_put_json(buffer, field.name);
        text_putc(buffer, ':');
        text_put_json(buffer, field.text);
    }
    text_putc(buffer, '}');
}

void paje_note_fields(hash_map *names, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim_field field;
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        map_add(names, field.name.bytes, field.name.size);
}

const pajesim_text *paje_find_fields(const hash_map *names, const pajesim *sim, const pajesim_fields *fields)
{
    static array_of(pajesim_text) texts;
    pajesim_field field;
    array_clear(&texts);
    if (names->count)
        *array_at(&texts, names->count - 1) = (pajesim_text){NULL, 0};
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++) {
        size_t column = map_find(names, field.name.bytes, field.name.size);
        if (column != MAP_NONE && !texts.items[column].bytes)
            texts.items[column] = field.text;
    }
    return texts.items;
}
