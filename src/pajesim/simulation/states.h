/* States, variables and punctual events: the lines that open, change and close them (section "Semantics"). */
#pragma once

#include "close.h"
#include "place.h"
#include "values.h"

PAJESIM__KNOWS(open_state, 2); /* set, push */

PAJESIM__INLINE pajesim__outcome pajesim__open_state(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__frame *frame;
    pajesim_ref value, known;
    pajesim__offset slots, frames = 0, fields;
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t depth, set = definition->event == PAJESIM_SET_STATE;
    pajesim__entity_callback callback = set ? sim->callbacks->state_set : sim->callbacks->state_pushed;

    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    value = known = pajesim__value_at(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(!known))
        value = pajesim__reserve_implicit_value(sim, line, value_word, place.type);
    slots = pajesim__reserve_slots(sim, place);
    depth = slot && !set ? slot->open.stack.depth : 0;
    if (PAJESIM__UNLIKELY(depth == (slot ? slot->open.stack.capacity : 0)))
        frames = pajesim__alloc(sim, pajesim__stack_size(depth ? 2 * depth : 2));
    fields = pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    if (PAJESIM__UNLIKELY(frames)) {
        uint32_t capacity = slot->open.stack.capacity;
        if (capacity) {
            memcpy(PAJESIM__BYTES(sim, frames), PAJESIM__BYTES(sim, slot->open.stack.frames),
                   (size_t)capacity * sizeof *frame);
            pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        }
        slot->open.stack.frames = frames;
        slot->open.stack.capacity = (pajesim__length)(capacity ? 2 * capacity : 2);
    }
    if (PAJESIM__UNLIKELY(!known))
        pajesim__create_implicit_value(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(PAJESIM__RECORD(sim, value)->flags & PAJESIM__IMPLICIT))
        PAJESIM__VALUE_AT(sim, value)->refs++;
    if (set)
        while (slot->open.stack.depth)
            pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__note_event(sim, line, slot);
    frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth++;
    frame->start = line->shown.time;
    frame->value = value;
    frame->fields = fields;
    pajesim__store_fields(sim, line, fields);
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_state(sim, entity, place.container, place.type, frame, slot->open.stack.depth - 1);
        pajesim__call_entity(sim, callback, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__pop_state(pajesim *sim, pajesim__line *line,
                                                    const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    if (PAJESIM__UNLIKELY(!slot || !slot->open.stack.depth)) {
        pajesim__diagnose(sim, line, PAJESIM_E_STATE_EMPTY, PAJESIM__FIELD(definition, PAJESIM_TYPE));
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_event(sim, line, slot);
    pajesim__close_top(sim, line, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__reset_state(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                             pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    pajesim__note_event(sim, line, slot);
    while (slot->open.stack.depth)
        pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    if (sim->callbacks->state_reset) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_STATE, place.container, place.type, line->shown.time, 0);
        pajesim__view_line_fields(sim, line, &entity->closing);
        pajesim__call_entity(sim, sim->callbacks->state_reset, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__KNOWS(change_variable, 3); /* set, add, subtract */

PAJESIM__INLINE pajesim__outcome pajesim__change_variable(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition, pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots, fields;
    pajesim_quantity number;
    int set = definition->event == PAJESIM_SET_VARIABLE, in_place;
    pajesim__entity_callback callback = set ? sim->callbacks->variable_set : sim->callbacks->variable_updated;

    if (PAJESIM__UNLIKELY(!pajesim__read_quantity(line->readable, PAJESIM__WORD(line, value_word),
                                                  PAJESIM__SIZE(line, value_word), &number))) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    line->shown.number = number;
    if (!set && PAJESIM__UNLIKELY(!slot || !PAJESIM__IS_SET(slot)) &&
        pajesim__diagnose(sim, line, PAJESIM_E_VARIABLE_UNSET, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!set && !pajesim__add_quantities(slot ? slot->open.variable.number : 0, /* 0 if it is not set yet */
                                         definition->event == PAJESIM_ADD_VARIABLE ? number : -number, &number)) {
        pajesim__diagnose(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    in_place = slot && PAJESIM__IS_SET(slot) && slot->start == line->shown.time;
    fields = in_place ? 0 : pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__ensure_slot(sim, place, slots);
    pajesim__note_event(sim, line, slot);
    if (!in_place) {
        if (PAJESIM__IS_SET(slot))
            pajesim__close_variable(sim, line, place.container, place.type, slot, line->shown.time);
        slot->start = line->shown.time;
        slot->open.variable.set = 1;
        slot->open.variable.fields = fields;
        pajesim__store_fields(sim, line, fields);
    }
#if PAJESIM_TRAVEL
    if (in_place && PAJESIM__IS_TRACKED(slot->open.variable.fields))
        pajesim__notify_flag(sim, slot->open.variable.set >> 1, PAJESIM__IS_CHANGED);
#endif
    slot->open.variable.number = number;
    if (callback) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_variable(sim, entity, place.container, place.type, slot);
        pajesim__call_entity(sim, callback, entity);
    }
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__new_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__check_time_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__reserve_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_event(sim, line, pajesim__ensure_slot(sim, place, slots));
    PAJESIM__STATE(sim)->counts.punctual++;
    if (pajesim__has_listener(sim, sim->callbacks->event)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__entity_init(entity, PAJESIM_EVENT, place.container, place.type, line->shown.time, 0);
        entity->value = pajesim__uncached_value_at(sim, line, value_word, place.type);
        entity->value_name =
            entity->value ? pajesim__name_of(sim, entity->value) : pajesim__line_word(line, value_word);
        pajesim__view_line_fields(sim, line, &entity->opening);
        pajesim__call_closed(sim, sim->callbacks->event, entity);
    }
    return PAJESIM__DONE;
}
