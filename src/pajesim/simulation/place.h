/* The place of an event: its container, its type, and the slot of that type on the container. */
#pragma once

#include "../model/commit.h"
#include "../model/resolve.h"

typedef struct pajesim__place {
    pajesim_ref container, type;
    pajesim__slot *slot; /* NULL: there is none yet */
} pajesim__place;

/* Handles a type that does not belong to the container.  If the container is the root, its name `0` may mean another
 * container called so: returns that one if the type belongs to it.  Otherwise reports the error and returns 0. */
PAJESIM__COLD pajesim_ref pajesim__resolve_misplaced(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition, pajesim_ref container,
                                                     pajesim_ref type)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    if (PAJESIM_REPAIRS && PAJESIM__RECORD(sim, type)->kind == definition->kind &&
        container == PAJESIM__STATE(sim)->root) {
        pajesim_ref other = pajesim__second_root(sim, PAJESIM__RECORD(sim, type)->parent);
        if (other)
            return other;
    }
    if (PAJESIM__RECORD(sim, type)->kind != definition->kind)
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_KIND, type_word);
    else if (PAJESIM__IS_DESTROYED(sim, container))
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_DESTROYED,
                          PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    else
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_MISMATCH, type_word);
    return 0;
}

/* Finds the container and type of an event, and its slot if there is one yet; returns 0 after reporting an error. */
PAJESIM__INLINE int pajesim__resolve_place(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           const pajesim__hint *hint, pajesim__place *place)
{
    const pajesim__type *type;
    const pajesim__container *container;
    uint32_t container_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    place->container = hint ? pajesim__hinted_container(sim, line, container_word, hint) : 0;
    if (!place->container)
        place->container = pajesim__container_at(sim, line, container_word);
    if (PAJESIM__UNLIKELY(!place->container))
        return 0;
    place->type = hint ? hint->type : 0;
    if (!place->type)
        place->type = pajesim__type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (PAJESIM__UNLIKELY(!place->type))
        return 0;
    PAJESIM__ASSERT(PAJESIM__RECORD(sim, place->type)->tag == PAJESIM__TYPE &&
                    PAJESIM__RECORD(sim, place->container)->tag == PAJESIM__CONTAINER);
    type = PAJESIM__TYPE_AT(sim, place->type);
    container = PAJESIM__CONTAINER_AT(sim, place->container);
    if (PAJESIM__UNLIKELY(type->record.parent != container->type || type->record.kind != definition->kind)) {
        place->container = pajesim__resolve_misplaced(sim, line, definition, place->container, place->type);
        if (!place->container)
            return 0;
        container = PAJESIM__CONTAINER_AT(sim, place->container);
    }
    place->slot = pajesim__find_slot(sim, container, place->type);
    return 1;
}

static pajesim__size pajesim__slots_size(uint32_t slots)
{
    return (pajesim__size)slots * sizeof(pajesim__slot);
}

/* Returns the number of slots that fill a block with room for all early types, so that types that are used one by one,
 * as soon as they are defined, do not copy the slots each time. */
static uint32_t pajesim__slots_capacity(const pajesim *sim, pajesim__place place)
{
    uint32_t slots = PAJESIM__TYPE_AT(sim, PAJESIM__RECORD(sim, place.type)->parent)->of.slots;
    pajesim__size size = pajesim__slots_size(PAJESIM__EARLY_SLOTS(slots));
    slots = (uint32_t)(pajesim__class_size(pajesim__class_of(size)) / sizeof(pajesim__slot));
    return PAJESIM__EARLY_SLOTS(slots);
}

/* Reserves a late slot, or a larger block of early ones. */
PAJESIM__COLD pajesim__offset pajesim__reserve_missing_slot(pajesim *sim, pajesim__place place)
{
#if PAJESIM_REFERENCE != 16
    if (PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, place.type)))
        return pajesim__alloc(sim, sizeof(pajesim__late_slot));
#endif
    return pajesim__alloc(sim, pajesim__slots_size(pajesim__slots_capacity(sim, place)));
}

/* Reserves what the slot of a place takes if there is none yet; else returns 0. */
PAJESIM__INLINE pajesim__offset pajesim__reserve_slots(pajesim *sim, pajesim__place place)
{
    return PAJESIM__LIKELY(place.slot != NULL) ? 0 : pajesim__reserve_missing_slot(sim, place);
}

PAJESIM__COLD pajesim__slot *pajesim__make_slot(pajesim *sim, pajesim__place place, pajesim__offset offset)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, place.container);
    pajesim__slot *slots = PAJESIM__AT(sim, pajesim__slot, offset);
#if PAJESIM_REFERENCE != 16
    if (PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, place.type))) {
        pajesim__late_slot *late = PAJESIM__LATE_SLOT_AT(sim, offset);
        pajesim__offset *next = container->late ? &PAJESIM__LATE_SLOT_AT(sim, container->late)->next : &offset;
        memset(slots, 0, sizeof *slots);
        slots->last = PAJESIM__TIME_LEAST;
        late->type = place.type;
        late->next = *next;
        *next = offset;
        pajesim__add_late_slot(sim, container, offset);
        return slots;
    }
#endif
    memcpy(slots, PAJESIM__AT(sim, pajesim__slot, container->slots), container->slot_count * sizeof *slots);
    pajesim__free_slots(sim, place.container);
    container->slots = offset;
    pajesim__clear_slots(sim, container, pajesim__slots_capacity(sim, place));
    return slots + PAJESIM__TYPE_AT(sim, place.type)->slot;
}

/* Returns the slot, after making it in the reserved block if needed.  Call it after pajesim__ready. */
PAJESIM__INLINE pajesim__slot *pajesim__ensure_slot(pajesim *sim, pajesim__place place, pajesim__offset slots)
{
    return PAJESIM__LIKELY(place.slot != NULL) ? place.slot : pajesim__make_slot(sim, place, slots);
}

/* Records an event of the slot at the time of the line. */
PAJESIM__INLINE void pajesim__note_event(pajesim *sim, const pajesim__line *line, pajesim__slot *slot)
{
    PAJESIM__ASSERT(slot && !sim->allocs);
    slot->last = line->shown.time;
    pajesim__note_time(sim, line->shown.time);
}

PAJESIM__INLINE int pajesim__check_time_order(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                              const pajesim__slot *slot)
{
    return PAJESIM__LIKELY(!slot || line->shown.time >= slot->last) ||
           !pajesim__diagnose(sim, line, PAJESIM_E_TIME_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME));
}
