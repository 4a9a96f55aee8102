/* Eviction: what nothing refers to any more waits in a queue, first in, first out, and is then freed. */
#pragma once

#include "../model/model.h"
#include "../model/cache.h"
#include "../model/fields.h"

static void pajesim__enqueue(pajesim *sim, pajesim__queue *queue, pajesim__offset offset, pajesim__offset *next)
{
    *next = 0;
    if (queue->first)
        *(PAJESIM__RECORD(sim, queue->last)->tag == PAJESIM__VALUE
              ? &PAJESIM__VALUE_AT(sim, queue->last)->next
              : &PAJESIM__CONTAINER_AT(sim, queue->last)->aux.next) = offset;
    else
        queue->first = offset;
    queue->last = offset;
    queue->count++;
    PAJESIM__RECORD(sim, offset)->flags |= PAJESIM__QUEUED;
}

static void pajesim__free_record(pajesim *sim, pajesim_ref ref, uint32_t size)
{
    pajesim__free_text(sim, PAJESIM__RECORD(sim, ref)->name);
    if (PAJESIM_FIELDS)
        pajesim__free_text(sim, PAJESIM__RECORD(sim, ref)->color);
    pajesim__free_id(sim, &PAJESIM__RECORD(sim, ref)->id);
    pajesim__free(
        sim,
        (pajesim__offset)(ref - (PAJESIM__RECORD(sim, ref)->tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_HEAD
                                                                                      : PAJESIM__RECORD_HEAD)),
        size);
}

static void pajesim__evict_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__record *record = PAJESIM__RECORD(sim, ref);
    pajesim__uncache(sim, &record->id, PAJESIM__VALUES_SCOPE(record->parent));
    pajesim__table_remove(sim, &PAJESIM__STATE(sim)->values, ref);
    pajesim__free_record(sim, ref, sizeof(pajesim__value));
}

/* Releases an open state's reference to an implicit value. */
static void pajesim__release_value(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__value *value = PAJESIM__VALUE_AT(sim, ref);
    if (--value->refs || (PAJESIM_REPAIRS && (value->record.flags & PAJESIM__QUEUED)))
        return;
    if (!PAJESIM_REPAIRS) {
        pajesim__evict_value(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->unused_values, ref, &value->next);
    if (state->unused_values.count > state->remembered) {
        pajesim_ref oldest = state->unused_values.first;
        pajesim__value *evicted = PAJESIM__VALUE_AT(sim, oldest);
        state->unused_values.first = evicted->next;
        state->unused_values.count--;
        evicted->record.flags &= (uint8_t)~PAJESIM__QUEUED;
        if ((evicted->record.flags & PAJESIM__IMPLICIT) && !evicted->refs)
            pajesim__evict_value(sim, oldest);
    }
}

static uint32_t pajesim__container_size(uint32_t own_slots)
{
    return (uint32_t)((PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST) * PAJESIM__UNIT +
                      own_slots * sizeof(pajesim__slot));
}

static pajesim_ref pajesim__alloc_container(pajesim *sim, uint32_t own_slots)
{
    return PAJESIM__CONTAINER_IN(pajesim__alloc(sim, pajesim__container_size(own_slots)));
}

/* Frees the record of a destroyed container when it is neither queued nor referred to; then, in the same way, those of
 * the containers that it was in. */
static void pajesim__free_destroyed(pajesim *sim, pajesim_ref ref)
{
    pajesim_ref parent;
    do {
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (container->type || container->refs || (container->record.flags & PAJESIM__QUEUED))
            return;
        parent = PAJESIM__KEPT_PARENT(container);
        PAJESIM__CHANGED(sim);
        if (PAJESIM_REPAIRS && (container->record.flags & PAJESIM__LISTED))
            pajesim__table_remove(sim, &PAJESIM__STATE(sim)->containers, ref);
        pajesim__free_record(sim, ref, pajesim__container_size(container->own_slots));
        if (parent)
            PAJESIM__CONTAINER_AT(sim, parent)->refs--;
        ref = parent;
    } while (ref);
}

static void pajesim__retire_container(pajesim *sim, pajesim_ref ref)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (!PAJESIM_REPAIRS) {
        if (PAJESIM_TRAVEL && ref == state->root) /* an image has it, also of what is finished */
            return;
        PAJESIM__CHANGED(sim);
        pajesim__table_remove(sim, &state->containers, ref);
        if (PAJESIM_TRAVEL)
            PAJESIM__RECORD(sim, ref)->flags = 0;
        pajesim__free_destroyed(sim, ref);
        return;
    }
    pajesim__enqueue(sim, &state->destroyed, ref, &PAJESIM__CONTAINER_AT(sim, ref)->aux.next);
    if (state->destroyed.count > state->remembered) {
        pajesim_ref oldest = state->destroyed.first;
        state->destroyed.first = PAJESIM__CONTAINER_AT(sim, oldest)->aux.next;
        state->destroyed.count--;
        PAJESIM__RECORD(sim, oldest)->flags &= (uint8_t)~PAJESIM__QUEUED;
        pajesim__free_destroyed(sim, oldest);
    }
}

static void pajesim__release_end_point(pajesim *sim, pajesim_ref container)
{
    PAJESIM__CONTAINER_AT(sim, container)->refs--;
    pajesim__free_destroyed(sim, container);
}

/* Frees a link that is complete or dropped. */
static void pajesim__free_link(pajesim *sim, pajesim__offset offset)
{
    pajesim__link *link = PAJESIM__AT(sim, pajesim__link, offset);
    pajesim__container *owner = PAJESIM__CONTAINER_AT(sim, link->id.scope);
    pajesim__table_remove(sim, &PAJESIM__STATE(sim)->links, offset);
    if (link->previous)
        PAJESIM__AT(sim, pajesim__link, link->previous)->next = link->next;
    else
        owner->links = link->next;
    if (link->next)
        PAJESIM__AT(sim, pajesim__link, link->next)->previous = link->previous;
    pajesim__release_end_point(sim, link->end_point);
    pajesim__free_fields(sim, link->fields);
    pajesim__free_text(sim, link->value_text);
    pajesim__free_id(sim, &link->id);
    pajesim__free(sim, offset, sizeof *link);
}
