/* Closing states, variables and containers, with everything inside them. */
#pragma once

#include "entity.h"
#include "evict.h"
#include "watch.h"

/* ---- states ---- */

PAJESIM__INLINE void pajesim__call_state_end(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                             const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    pajesim_entity *entity = pajesim__entity_begin(sim);
    pajesim__view_state(sim, entity, container, type, frame, slot->open.stack.depth);
    pajesim__entity_close(sim, entity, line, time);
    pajesim__call_closed(sim, line ? sim->callbacks->state_popped : NULL, entity);
}

/* Finishes a state that was popped off its stack: counts it, makes the callbacks, and frees what it holds. */
PAJESIM__INLINE void pajesim__end_state(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                        const pajesim__slot *slot, pajesim_time time)
{
    const pajesim__frame *frame = PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth;
    PAJESIM__STATE(sim)->counts.states++;
    if (sim->callbacks->closed || (line && sim->callbacks->state_popped))
        pajesim__call_state_end(sim, line, container, type, slot, time);
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(frame->fields))
        pajesim__free_fields(sim, frame->fields);
    if (PAJESIM__UNLIKELY(PAJESIM__RECORD(sim, frame->value)->flags & PAJESIM__IMPLICIT)) /* others are never freed */
        pajesim__release_value(sim, frame->value);
}

#if PAJESIM_TRAVEL
/* Out of line, so that pajesim__close_top has no registers to save across the call. */
PAJESIM__COLD void pajesim__end_tracked_state(pajesim *sim, pajesim__line *line, pajesim_ref container,
                                              pajesim_ref type, const pajesim__slot *slot, pajesim_time time)
{
    pajesim__notify_end(sim, line, slot->open.stack.open_index + slot->open.stack.depth, time,
                        (PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->value,
                        NULL);
    pajesim__end_state(sim, line, container, type, slot, time);
}
#endif

/* Pops and closes the top of a stack.  `line` is the line that pops it; NULL if it is closed implicitly. */
PAJESIM__INLINE void pajesim__close_top(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                        pajesim__slot *slot, pajesim_time time)
{
    slot->open.stack.depth--;
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(
            (PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth)->fields)) {
        pajesim__end_tracked_state(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_state(sim, line, container, type, slot, time);
}

/* pajesim__close_top out of line, for paths that are not hot. */
static void pajesim__close_state(pajesim *sim, pajesim_ref container, pajesim_ref type, pajesim__slot *slot,
                                 pajesim_time time)
{
    pajesim__close_top(sim, NULL, container, type, slot, time);
}

static pajesim__size pajesim__stack_size(uint32_t capacity)
{
    return (pajesim__size)capacity * sizeof(pajesim__frame);
}

/* Shrinks a deep stack: frees it if it is empty; else, at a quarter of its capacity, halves it if a block of that size
 * is free, as it is after the stack has grown. */
static void pajesim__shrink_large_stack(pajesim *sim, pajesim__slot *slot)
{
    uint32_t capacity = slot->open.stack.capacity;
    if (slot->open.stack.depth > capacity / 4)
        return;
    if (slot->open.stack.depth == 0) {
        pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        slot->open.stack.frames = 0;
        slot->open.stack.capacity = 0;
    } else if (!PAJESIM_SMALL && PAJESIM__HEAP(sim)->free_list[pajesim__class_of(pajesim__stack_size(capacity / 2))]) {
        pajesim__offset frames = pajesim__alloc(sim, pajesim__stack_size(capacity / 2));
        pajesim__commit(sim);
        memcpy(PAJESIM__BYTES(sim, frames), PAJESIM__BYTES(sim, slot->open.stack.frames),
               slot->open.stack.depth * sizeof(pajesim__frame));
        pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(capacity));
        slot->open.stack.frames = frames;
        slot->open.stack.capacity = (pajesim__length)(capacity / 2);
    }
}

PAJESIM__INLINE void pajesim__shrink_stack(pajesim *sim, pajesim__slot *slot)
{
    if (PAJESIM__UNLIKELY(slot->open.stack.capacity > 8))
        pajesim__shrink_large_stack(sim, slot);
}

/* ---- variables ---- */

PAJESIM__INLINE void pajesim__end_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                           pajesim__slot *slot, pajesim_time time)
{
    PAJESIM__STATE(sim)->counts.variables++;
    if (sim->callbacks->closed) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_variable(sim, entity, container, type, slot);
        pajesim__entity_close(sim, entity, line, time);
        pajesim__call_entity(sim, sim->callbacks->closed, entity);
    }
    pajesim__free_fields(sim, slot->open.variable.fields);
    slot->open.variable.fields = 0;
}

#if PAJESIM_TRAVEL
PAJESIM__COLD void pajesim__end_tracked_variable(pajesim *sim, pajesim__line *line, pajesim_ref container,
                                                 pajesim_ref type, pajesim__slot *slot, pajesim_time time)
{
    pajesim__notify_end(sim, line, slot->open.variable.set >> 1, time, 0, &slot->open.variable.number);
    pajesim__end_variable(sim, line, container, type, slot, time);
}
#endif

static void pajesim__close_variable(pajesim *sim, pajesim__line *line, pajesim_ref container, pajesim_ref type,
                                    pajesim__slot *slot, pajesim_time time)
{
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(slot->open.variable.fields)) {
        pajesim__end_tracked_variable(sim, line, container, type, slot, time);
        return;
    }
#endif
    pajesim__end_variable(sim, line, container, type, slot, time);
}

static void pajesim__close_container(pajesim *sim, pajesim__line *line, pajesim_ref ref, pajesim_time time)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    PAJESIM__STATE(sim)->counts.containers++;
    if (pajesim__has_listener(sim, sim->callbacks->container_destroyed)) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__entity_close(sim, entity, line, time);
        pajesim__call_closed(sim, sim->callbacks->container_destroyed, entity);
    }
    pajesim__tree_remove(sim, ref);
    if (PAJESIM__KEPT_PARENT(container))
        PAJESIM__CONTAINER_AT(sim, container->record.parent)->refs++;
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_TRACKED(container->fields))
        pajesim__notify_end(sim, line, container->aux.open_index, time, 0, NULL);
#endif
    pajesim__free_fields(sim, container->fields);
    container->fields = 0;
    pajesim__free_slots(sim, ref);
    pajesim__free_late_slots(sim, container);
    container->slot_count = 0;
    container->type = 0;
    pajesim__retire_container(sim, ref);
}

/* The cursor of closing a container descends the tree without recursion.  What is closed is removed, so that each
 * container itself shows what is left. */
typedef struct pajesim__cursor {
    pajesim_ref root, container;
    pajesim_ref type; /* type whose slot is at hand; 0: none yet, or (types_done) none any more */
    int types_done;
} pajesim__cursor;

static pajesim__cursor pajesim__begin_closing(pajesim_ref container)
{
    pajesim__cursor cursor;
    cursor.root = cursor.container = container;
    cursor.type = 0;
    cursor.types_done = 0;
    return cursor;
}

/* Closes one entity: the open states and variables of the container, by type; then its pending links, which are
 * dropped; then everything within its children; and finally the container itself.  Returns 0 when all is closed. */
static int pajesim__close_step(pajesim *sim, pajesim__line *line, pajesim__cursor *cursor, pajesim_time time)
{
    for (;;) {
        pajesim_ref current = cursor->container;
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, current);
        while (!cursor->types_done) {
            pajesim__slot *slot = pajesim__slot_at(sim, container, cursor->type);
            uint32_t kind = cursor->type ? PAJESIM__RECORD(sim, cursor->type)->kind : 0;
            if (kind == PAJESIM_STATE) {
                if (slot->open.stack.depth) {
                    pajesim__close_state(sim, current, cursor->type, slot, time);
                    return 1;
                }
                if (slot->open.stack.capacity) {
                    pajesim__free(sim, slot->open.stack.frames, pajesim__stack_size(slot->open.stack.capacity));
                    slot->open.stack.capacity = 0;
                }
            } else if (kind == PAJESIM_VARIABLE && PAJESIM__IS_SET(slot)) {
                slot->open.variable.set--;
                pajesim__close_variable(sim, NULL, current, cursor->type, slot, time);
                return 1;
            }
            cursor->type = pajesim__next_slot_type(sim, container, cursor->type);
            cursor->types_done = !cursor->type;
        }
        if (container->links) {
            const pajesim__link *link = PAJESIM__AT(sim, pajesim__link, container->links);
            if (!PAJESIM__STATE(sim)->ignore_links) {
                pajesim_text key = pajesim__id_text(sim, &link->id);
                pajesim__report(sim, PAJESIM_E_LINK_PENDING, PAJESIM_ERROR, 0, key.bytes, (uint32_t)key.size);
            }
#if PAJESIM_TRAVEL
            if (PAJESIM__IS_TRACKED(link->fields))
                pajesim__notify_flag(sim, link->open_index, PAJESIM__IS_LOST);
#endif
            pajesim__free_link(sim, container->links);
            return 1;
        }
        cursor->type = 0;
        cursor->types_done = 0;
        if (container->tree.first) {
            cursor->container = container->tree.first;
            continue;
        }
        cursor->container = container->record.parent;
        cursor->types_done = 1; /* the parent's were closed on the way down */
        pajesim__close_container(sim, current == cursor->root ? line : NULL, current, time);
        return current != cursor->root;
    }
}
