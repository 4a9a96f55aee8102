/* User fields of the entities of a timeline, for tooltips. */
#include "timeline/timeline.h"

enum { MOST_BYTES = 1 << 20, MOST_OF_ONE = 400 };

static void put_fields(text_buffer *text, size_t start, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim_field field;
    for (uint32_t i = 0; text->size - start < MOST_OF_ONE && pajesim_user_field(sim, fields, i, &field); i++) {
        if (text->size > start)
            text_puts(text, ", ");
        text_append(text, field.name);
        text_puts(text, ": ");
        pajesim_text copy = name_copy(field.text);
        text_append(text, copy);
        name_free(copy);
    }
}

void timeline_put_fields(text_buffer *text, const pajesim *sim, const pajesim_entity *entity)
{
    size_t start = text->size;
    put_fields(text, start, sim, &entity->opening);
    put_fields(text, start, sim, &entity->closing);
}

uint32_t timeline_add_fields(timeline *tl, const timeline_seen *it)
{
    if (it->sim ? it->entity->opening.count == 0 && it->entity->closing.count == 0 : !it->has_fields)
        return 0;
    if (tl->fields.size >= MOST_BYTES) {
        tl->has_more_fields = 1;
        return 0;
    }
    if (it->sim)
        timeline_put_fields(&tl->fields, it->sim, it->entity);
    else
        text_append(&tl->fields, it->fields);
    *array_push(&tl->field_ends) = (uint32_t)tl->fields.size;
    return (uint32_t)tl->field_ends.count;
}

pajesim_text timeline_fields(const timeline *tl, uint32_t number)
{
    uint32_t start = number > 1 ? tl->field_ends.items[number - 2] : 0;
    if (number == 0)
        return text_of("");
    return (pajesim_text){tl->fields.bytes + start, tl->field_ends.items[number - 1] - start};
}

/* Returns the number of these fields among `kept`. */
static uint32_t keep_fields(const timeline *tl, timeline *kept, uint32_t number)
{
    if (number == 0)
        return 0;
    text_append(&kept->fields, timeline_fields(tl, number));
    *array_push(&kept->field_ends) = (uint32_t)kept->fields.size;
    return (uint32_t)kept->field_ends.count;
}

void timeline_drop_fields(timeline *tl)
{
    timeline kept = {0};
    if (tl->fields.size < MOST_BYTES)
        return;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            for (size_t k = 0; k < lane->pieces.count; k++) {
                lane_piece *piece = &lane->pieces.items[k];
                piece->fields = piece->exact ? keep_fields(tl, &kept, piece->fields) : 0;
            }
    for (size_t i = 0; i < tl->links.count; i++)
        tl->links.items[i].fields = keep_fields(tl, &kept, tl->links.items[i].fields);
    text_free(&tl->fields);
    array_free(&tl->field_ends);
    tl->fields = kept.fields;
    tl->field_ends.items = kept.field_ends.items;
    tl->field_ends.count = kept.field_ends.count;
    tl->field_ends.capacity = kept.field_ends.capacity;
}
