/* Links: a start line and an end line, paired by their key (section "Semantics"). */
#pragma once

#include "entity.h"
#include "evict.h"
#include "place.h"
#include "watch.h"

/* One line of a link, which gives one of its two ends. */
typedef struct pajesim__link_end {
    int is_start;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim_text value_name; /* as written, if the value is not defined */
    pajesim__key key;
} pajesim__link_end;

static int pajesim__read_link_end(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                  pajesim_ref type, pajesim__link_end *end)
{
    const pajesim__type *link_type = PAJESIM__TYPE_AT(sim, type);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE), end_word;
    pajesim_ref expected_type;
    end->is_start = definition->event == PAJESIM_START_LINK;
    end_word = PAJESIM__FIELD(definition, end->is_start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    end->end_point = pajesim__container_at(sim, line, end_word);
    if (!end->end_point)
        return 0;
    expected_type = end->is_start ? link_type->of.link.start_type : link_type->of.link.end_type;
    end->end_point = pajesim__resolve_root(sim, end->end_point, expected_type);
    if (PAJESIM__IS_DESTROYED(sim, end->end_point) &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_ENDPOINT_GONE, end_word))
        return 0;
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(sim, end->end_point)->type != expected_type && /* hot member first */
        PAJESIM__CONTAINER_AT(sim, end->end_point)->declared_type != expected_type &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_ENDPOINT_TYPE, end_word))
        return 0;
    end->value = pajesim__value_at(sim, line, value_word, type);
    end->value_name = end->value ? pajesim_name(sim, end->value) : pajesim__line_word(line, value_word);
    end->key = pajesim__key_at(line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    return 1;
}

static void pajesim__call_link_half(pajesim *sim, pajesim__line *line, pajesim__place place,
                                    const pajesim__link_end *end)
{
    pajesim__entity_callback callback = end->is_start ? sim->callbacks->link_started : sim->callbacks->link_ended;
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_LINK, place.container, place.type, line->shown.time, 1);
        *(end->is_start ? &entity->start_container : &entity->end_container) = end->end_point;
        entity->value = end->value;
        entity->value_name = end->value_name;
        entity->key = pajesim__view((const char *)end->key.bytes, (size_t)end->key.size);
        pajesim__view_line_fields(sim, line, end->is_start ? &entity->opening : &entity->closing);
        pajesim__call_entity(sim, callback, entity);
        pajesim__entity_clear_optional(entity);
    }
}

/* Applies the first line of a link, which then waits for the other one. */
static pajesim__outcome pajesim__begin_link(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                            pajesim__place place, const pajesim__link_end *end)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__used_ids_reservation used = {0, 0, 0, 0, 0};
    pajesim__half fingerprint = 0;
    pajesim__offset offset, bytes, fields, slots;
    pajesim__table_reservation entry;
    pajesim__text value_text = 0;
    pajesim__container *owner;
    pajesim__link *link;

    if (PAJESIM__IS_STRICT(state)) {
        /* The container is hashed by its identifier: offsets are reused; identifiers, in strict mode, are not. */
        const pajesim__id *id = &PAJESIM__RECORD(sim, place.container)->id;
        pajesim__key owner_key = pajesim__key_of_id(id);
        fingerprint = pajesim__fingerprint(&end->key, pajesim__mix(&owner_key, id->size, place.type));
        if (pajesim__used_ids_contain(sim, &state->used_ids, fingerprint, &used)) {
            pajesim__diagnose_at(sim, line, PAJESIM_E_LINK_KEY_USED, (uint32_t)(end->key.bytes - PAJESIM__TEXT(line)),
                                 end->key.size);
            return PAJESIM__REFUSED;
        }
        pajesim__used_ids_reserve(sim, &state->used_ids, fingerprint, &used);
    }
    offset = pajesim__alloc(sim, sizeof *link);
    bytes = pajesim__alloc_id(sim, &end->key);
    entry = pajesim__table_reserve(sim, &state->links, pajesim__hash(&end->key, place.container, place.type));
    if (!end->value)
        value_text = pajesim__alloc_text(sim, (uint32_t)end->value_name.size);
    fields = pajesim__reserve_fields(sim, line, definition);
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__ensure_slot(sim, place, slots);
    link = PAJESIM__AT(sim, pajesim__link, offset);
    pajesim__init_id(sim, &link->id, &end->key, bytes, place.container, place.type);
    pajesim__table_insert(sim, &state->links, &entry, offset);
    owner = PAJESIM__CONTAINER_AT(sim, place.container);
    link->previous = 0;
    link->next = owner->links;
    if (owner->links)
        PAJESIM__AT(sim, pajesim__link, owner->links)->previous = offset;
    owner->links = offset;
    link->time = line->shown.time;
    link->end_point = end->end_point;
    PAJESIM__CONTAINER_AT(sim, end->end_point)->refs++;
    link->value = end->value;
    link->value_text = value_text;
    if (value_text)
        pajesim__write_text(sim, value_text, end->value_name.bytes, (uint32_t)end->value_name.size);
    link->fields = fields;
    pajesim__store_fields(sim, line, fields);
    link->started = (pajesim__length)end->is_start;
    if (PAJESIM__IS_STRICT(state))
        pajesim__used_ids_insert(sim, &state->used_ids, fingerprint, used);
    pajesim__note_time(sim, line->shown.time);
    pajesim__call_link_half(sim, line, place, end);
    return PAJESIM__DONE;
}

/* Whether both lines name the same value, defined or not, by its identifier (section "Identity": the name of a value
 * that has an alias makes a second value). */
static int pajesim__same_value(const pajesim *sim, const pajesim__link *link, const pajesim__link_end *end)
{
    pajesim_text first = link->value ? pajesim_alias(sim, link->value) : pajesim__text_at(sim, link->value_text);
    pajesim_text second = end->value ? pajesim_alias(sim, end->value) : end->value_name;
    return first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0;
}

PAJESIM__KNOWS(link_event, 2); /* start, end */

static pajesim__outcome pajesim__link_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                            pajesim__place place)
{
    uint32_t time_word = PAJESIM__FIELD(definition, PAJESIM_TIME);
    pajesim__slot *slot = place.slot;
    pajesim__link_end end;
    pajesim__link *link;
    pajesim__offset offset;
    pajesim_text first_value;
    pajesim_time start_time, end_time;

    if (!pajesim__read_link_end(sim, line, definition, place.type, &end))
        return PAJESIM__REFUSED;
    offset = pajesim__table_find(sim, &PAJESIM__STATE(sim)->links, &end.key, place.container, place.type);
    if (!offset)
        return pajesim__begin_link(sim, line, definition, place, &end);

    link = PAJESIM__AT(sim, pajesim__link, offset);
    if (link->started == (pajesim__length)end.is_start) {
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_KEY_TWICE, PAJESIM__FIELD(definition, PAJESIM_KEY));
        return PAJESIM__REFUSED;
    }
    first_value = pajesim__link_value(sim, link);
    if (PAJESIM_CHECKS && !pajesim__same_value(sim, link, &end) &&
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_VALUE, PAJESIM__FIELD(definition, PAJESIM_VALUE)))
        return PAJESIM__REFUSED;
    start_time = link->started ? link->time : line->shown.time;
    end_time = link->started ? line->shown.time : link->time;
    if (PAJESIM_CHECKS && end_time < start_time)
        pajesim__diagnose(sim, line, PAJESIM_E_LINK_BACKWARD, time_word);
    if (!pajesim__check_time_order(sim, line, definition, slot)) /* only the completion of a link is ordered */
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot->last = end_time > start_time ? end_time : start_time;
    pajesim__note_time(sim, line->shown.time);
    PAJESIM__STATE(sim)->counts.links++;
    pajesim__call_link_half(sim, line, place, &end);
    if (pajesim__has_listener(sim, sim->callbacks->link_completed)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_LINK, place.container, place.type, start_time, 0);
        entity->end = end_time;
        entity->start_container = link->started ? link->end_point : end.end_point;
        entity->end_container = link->started ? end.end_point : link->end_point;
        entity->value = link->started ? link->value : end.value;
        entity->value_name = link->started ? first_value : end.value_name;
        entity->key = pajesim__view((const char *)end.key.bytes, (size_t)end.key.size);
        pajesim__view_kept_fields(sim, link->fields, link->started ? &entity->opening : &entity->closing);
        pajesim__view_line_fields(sim, line, link->started ? &entity->closing : &entity->opening);
        pajesim__call_closed(sim, sim->callbacks->link_completed, entity);
        pajesim__entity_clear_optional(entity);
    }
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(link->fields))
        pajesim__notify_end(sim, line, link->open_index, end_time, end.end_point, NULL);
#endif
    pajesim__free_link(sim, offset);
    return PAJESIM__DONE;
}
