/* The walk over all that is open, in an order that is the same for a simulation and for its restored image. */
#pragma once

#include "../model/model.h"

#if PAJESIM_TRAVEL

/* The cursor of a walk, at a container, the states of one type on it, a variable, or a pending link.  A walk begins
 * with all zero. */
typedef struct pajesim__walk {
    pajesim_kind kind;
    uint32_t count;      /* number of states, the outermost first; else 1 */
    pajesim_ref ref;     /* container or link */
    pajesim_ref type;    /* of states and variables */
    pajesim__slot *slot; /* of states and variables */
    /* what comes next */
    pajesim_ref container, next_type;
    pajesim__offset next_link;
} pajesim__walk;

/* Returns the next container in preorder; 0 after the last one. */
static pajesim_ref pajesim__next_container(const pajesim *sim, pajesim_ref ref)
{
    if (PAJESIM__CONTAINER_AT(sim, ref)->tree.first)
        return PAJESIM__CONTAINER_AT(sim, ref)->tree.first;
    while (ref && !PAJESIM__CONTAINER_AT(sim, ref)->tree.next)
        ref = PAJESIM__RECORD(sim, ref)->parent;
    return ref ? PAJESIM__CONTAINER_AT(sim, ref)->tree.next : 0;
}

/* Advances to the next item; returns 0 after the last one. */
static int pajesim__walk_next(const pajesim *sim, pajesim__walk *walk)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, walk->container);
    while (walk->next_type) {
        walk->type = walk->next_type;
        walk->next_type = pajesim__next_slot_type(sim, container, walk->type);
        walk->kind = (pajesim_kind)PAJESIM__RECORD(sim, walk->type)->kind;
        walk->slot = pajesim__find_slot(sim, container, walk->type);
        walk->count = walk->kind == PAJESIM_STATE      ? walk->slot->open.stack.depth
                      : walk->kind == PAJESIM_VARIABLE ? PAJESIM__IS_SET(walk->slot)
                                                       : 0;
        if (walk->count)
            return 1;
    }
    walk->count = 1;
    if (walk->next_link) {
        walk->kind = PAJESIM_LINK;
        walk->ref = walk->next_link;
        walk->next_link = PAJESIM__AT(sim, const pajesim__link, walk->ref)->next;
        return 1;
    }
    walk->container = walk->container ? pajesim__next_container(sim, walk->container) : PAJESIM__CONST_STATE(sim)->root;
    if (!walk->container)
        return 0;
    container = PAJESIM__CONTAINER_AT(sim, walk->container);
    walk->kind = PAJESIM_CONTAINER;
    walk->ref = walk->container;
    walk->next_type = pajesim__next_slot_type(sim, container, 0);
    walk->next_link = container->links;
    return 1;
}

static pajesim__frame *pajesim__frame_of(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    return PAJESIM__AT(sim, pajesim__frame, walk->slot->open.stack.frames) + depth;
}

/* Returns when the current item began; `depth`: of a state. */
static pajesim_time pajesim__start_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return PAJESIM__CONTAINER_AT(sim, walk->ref)->start;
    case PAJESIM_LINK: return PAJESIM__AT(sim, const pajesim__link, walk->ref)->time;
    case PAJESIM_STATE: return pajesim__frame_of(sim, walk, depth)->start;
    default: return walk->slot->start;
    }
}

/* Returns the reference to the current item's user fields, which holds the bit PAJESIM__TRACKED. */
static pajesim__offset *pajesim__fields_at(const pajesim *sim, const pajesim__walk *walk, uint32_t depth)
{
    switch (walk->kind) {
    case PAJESIM_CONTAINER: return &PAJESIM__CONTAINER_AT(sim, walk->ref)->fields;
    case PAJESIM_LINK: return &PAJESIM__AT(sim, pajesim__link, walk->ref)->fields;
    case PAJESIM_STATE: return &pajesim__frame_of(sim, walk, depth)->fields;
    default: return &walk->slot->open.variable.fields;
    }
}

/* Sets the open index of the current item, for several states that of the first; returns the old one. */
static uint32_t pajesim__renumber(const pajesim *sim, const pajesim__walk *walk, uint32_t open_index)
{
    uint32_t *at, old_index;
    if (walk->kind == PAJESIM_VARIABLE) {
        old_index = walk->slot->open.variable.set >> 1;
        walk->slot->open.variable.set = open_index << 1 | 1;
        return old_index;
    }
    at = walk->kind == PAJESIM_CONTAINER ? &PAJESIM__CONTAINER_AT(sim, walk->ref)->aux.open_index
         : walk->kind == PAJESIM_LINK    ? &PAJESIM__AT(sim, pajesim__link, walk->ref)->open_index
                                         : &walk->slot->open.stack.open_index;
    old_index = *at;
    *at = open_index;
    return old_index;
}

static uint32_t pajesim__count_open(const pajesim *sim)
{
    pajesim__walk walk;
    uint32_t count = 0;
    memset(&walk, 0, sizeof walk);
    while (pajesim__walk_next(sim, &walk))
        count += walk.count;
    return count;
}
#endif /* PAJESIM_TRAVEL */
