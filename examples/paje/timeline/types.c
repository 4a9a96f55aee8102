/* Types and values of a timeline. */
#include "timeline/timeline.h"

uint32_t timeline_add_type(timeline *tl, pajesim_text name, pajesim_kind kind, uint32_t color)
{
    timeline_type *type = array_push(&tl->types);
    type->name = name_copy(name);
    type->kind = kind;
    type->color = color;
    return (uint32_t)tl->types.count - 1;
}

uint32_t timeline_known_type(const timeline *tl, pajesim_text name, pajesim_kind kind, pajesim_text container_type)
{
    for (uint32_t i = 1; i < tl->known_types; i++) {
        const timeline_type *type = type_at(tl, i);
        if (type->kind == kind && text_is_equal(type->name, name) &&
            text_is_equal(type->container_type, container_type))
            return i;
    }
    return 0;
}

pajesim_text timeline_type_path(const pajesim *sim, pajesim_ref type)
{
    enum { MOST_NAMES = 4 };
    pajesim_ref path[MOST_NAMES];
    int count = 0;
    text_buffer names = {0};
    do {
        path[count++] = type;
        type = pajesim_parent(sim, type);
    } while (type && type != pajesim_root_type(sim) && count < MOST_NAMES);
    while (count-- > 0) {
        text_append(&names, pajesim_name(sim, path[count]));
        if (count > 0)
            text_putc(&names, '/');
    }
    pajesim_text copy = name_copy(text_view(&names));
    text_free(&names);
    return copy;
}

uint32_t timeline_add_value(timeline *tl, uint32_t type, pajesim_text name, pajesim_text color)
{
    pajesim_text key = name_key(&tl->key, type, name);
    size_t index = map_find(&tl->value_names, key.bytes, key.size);
    if (index == MAP_NONE && tl->values.count < TIMELINE_VALUES) {
        index = map_add(&tl->value_names, key.bytes, key.size);
        timeline_value *value = array_push(&tl->values);
        *value = (timeline_value){.name = name_copy(name), .type = type, .color = type_at(tl, type)->color};
        value->has_trace_color = palette_from_trace(&tl->palette, color, type_at(tl, type)->kind, &value->color);
    }
    tl->has_more_values |= index == MAP_NONE;
    return index == MAP_NONE ? OTHER_VALUES : (uint32_t)index;
}

uint32_t timeline_value_of(timeline *tl, pajesim *sim, uint32_t type, const pajesim_entity *entity)
{
    if (!entity->value)
        return timeline_add_value(tl, type, entity->value_name, text_of(""));
    pajesim_user_word *word = pajesim_user_data(sim, entity->value);
    if (!*word)
        *word = timeline_add_value(tl, type, entity->value_name, pajesim_color(sim, entity->value)) + 1;
    return (uint32_t)*word - 1;
}

static int is_drawn(const timeline_value *value, uint32_t type)
{
    return value->type == type && value->weight > 0;
}

void timeline_color_values(timeline *tl, uint32_t type)
{
    uint32_t drawn = 0, alike = 0, color = 0;
    for (uint32_t i = 1; i < tl->values.count; i++) {
        const timeline_value *value = value_at(tl, i);
        if (!is_drawn(value, type))
            continue;
        color = drawn++ ? color : value->color;
        alike += value->has_trace_color && value->color == color;
    }
    int are_all_alike = drawn > 1 && drawn == alike;
    for (uint32_t i = 1; i < tl->values.count; i++) {
        timeline_value *value = value_at(tl, i);
        if (value->type != type || (value->has_trace_color && !are_all_alike))
            continue;
        value->has_trace_color = 0;
        if (type_at(tl, type)->kind == PAJESIM_STATE)
            value->color = palette_for_name(&tl->palette, value->name);
        else
            value->color = type_at(tl, type)->color;
    }
}
