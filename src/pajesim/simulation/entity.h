/* Entities: the record that callbacks are passed. */
#pragma once

#include "../model/fields.h"
#include "../model/model.h"

/* Clears what few entities have: the end points and the key of a link, and user fields. */
PAJESIM__APART void pajesim__entity_clear_optional(pajesim_entity *entity)
{
    entity->start_container = entity->end_container = 0;
    entity->key = pajesim__view("", 0);
    entity->opening.count = entity->closing.count = 0;
    entity->opening.definition = entity->closing.definition = 0;
}

/* Returns the record that all callbacks share.  pajesim__entity_init sets what every entity has; the rest stays clear,
 * since clearing all of it each time would cost more than everything else.  Callers that show a link clear its end
 * points afterwards. */
PAJESIM__INLINE pajesim_entity *pajesim__entity_begin(pajesim *sim)
{
    pajesim_entity *entity = &sim->entity;
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(entity->opening.count | entity->closing.count))
        pajesim__entity_clear_optional(entity);
    return entity;
}

/* Sets what every entity has; the optional members are clear already. */
PAJESIM__SHARED void pajesim__entity_init(pajesim_entity *entity, pajesim_kind kind, pajesim_ref container,
                                          pajesim_ref type, pajesim_time time, int open)
{
    entity->kind = kind;
    entity->imbrication = 0;
    entity->container = container;
    entity->type = type;
    entity->value = 0;
    entity->start = entity->end = time;
    entity->open = open;
    entity->number = 0;
    entity->value_name = pajesim__view("", 0);
}

/* Closes the entity at `time`; `line` is NULL when it is closed implicitly. */
PAJESIM__INLINE void pajesim__entity_close(const pajesim *sim, pajesim_entity *entity, pajesim__line *line,
                                           pajesim_time time)
{
    entity->end = time;
    entity->open = 0;
    if (line)
        pajesim__view_line_fields(sim, line, &entity->closing);
}

typedef int (*pajesim__entity_callback)(pajesim *sim, const pajesim_entity *entity);

PAJESIM__INLINE int pajesim__has_listener(const pajesim *sim, pajesim__entity_callback callback)
{
    return callback || sim->callbacks->closed;
}

PAJESIM__SHARED void pajesim__call_entity(pajesim *sim, pajesim__entity_callback callback, const pajesim_entity *entity)
{
    if (callback)
        pajesim__callback_returned(sim, callback(sim, entity));
}

PAJESIM__SHARED void pajesim__call_closed(pajesim *sim, pajesim__entity_callback callback, const pajesim_entity *entity)
{
    pajesim__call_entity(sim, sim->callbacks->closed, entity);
    pajesim__call_entity(sim, callback, entity);
}

PAJESIM__INLINE void pajesim__view_state(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                         pajesim_ref type, const pajesim__frame *frame, uint32_t depth)
{
    pajesim_ref value = frame->value;
    pajesim_text value_name = pajesim__name_of(sim, value);
    pajesim__entity_init(entity, PAJESIM_STATE, container, type, frame->start, 1);
    entity->imbrication = depth;
    entity->value = value;
    entity->value_name = value_name;
    pajesim__view_kept_fields(sim, frame->fields, &entity->opening);
}

PAJESIM__INLINE void pajesim__view_variable(const pajesim *sim, pajesim_entity *entity, pajesim_ref container,
                                            pajesim_ref type, const pajesim__slot *slot)
{
    pajesim__entity_init(entity, PAJESIM_VARIABLE, container, type, slot->start, 1);
    entity->number = slot->open.variable.number;
    pajesim__view_kept_fields(sim, slot->open.variable.fields, &entity->opening);
}

static void pajesim__view_container(const pajesim *sim, pajesim_entity *entity, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    pajesim__entity_init(entity, PAJESIM_CONTAINER, ref, container->declared_type, container->start, 1);
    pajesim__view_kept_fields(sim, container->fields, &entity->opening);
}

PAJESIM_API int pajesim_open_entity(const pajesim *sim, pajesim_ref container, pajesim_ref type, uint32_t depth,
                                    pajesim_entity *entity)
{
    const pajesim__slot *slot;
    if (depth >= pajesim_depth(sim, container, type))
        return 0;
    slot = pajesim__slot_of(sim, container, type);
    pajesim__entity_clear_optional(entity);
    if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_STATE)
        pajesim__view_state(sim, entity, container, type,
                            PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + depth, depth);
    else
        pajesim__view_variable(sim, entity, container, type, slot);
    return 1;
}

static pajesim_text pajesim__link_value(const pajesim *sim, const pajesim__link *link)
{
    return link->value ? pajesim_name(sim, link->value) : pajesim__text_at(sim, link->value_text);
}
