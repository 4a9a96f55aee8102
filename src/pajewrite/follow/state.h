/* Updating the table: what each event defines, creates, opens and closes. */
#pragma once

#include "table.h"
#include "../format/doubles.h"

#if PAJEWRITE_TABLE
/* Whether an event has to be dropped because it depends on a line that was dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__depends_on_dropped(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    if (event->kind == PAJEWRITE_DEFINE_LINK_TYPE &&
        (pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->start_type))) ||
         pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->end_type)))))
        return 1;
    if (event->kind < PAJEWRITE_DEFINE_VALUE)
        return pajewrite__is_dropped(pajewrite__find_type(w, pajewrite__alias(event->of)));
    if (pajewrite__is_dropped(pajewrite__find_type(w, type)))
        return 1;
    if (event->kind == PAJEWRITE_DEFINE_VALUE)
        return 0;
    if (pajewrite__is_dropped(pajewrite__find_container(w, container)))
        return 1;
    if (event->kind == PAJEWRITE_CREATE_CONTAINER)
        return pajewrite__is_dropped(pajewrite__find_container(w, event->other.alias));
    if (event->kind == PAJEWRITE_POP_STATE) {
        const pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
        return pair && pair->value &&
               pajewrite__is_dropped(pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, pair->value - 1));
    }
    return pajewrite__is_link(event->kind) &&
           (pajewrite__is_dropped(pajewrite__find_container(w, event->other.alias)) ||
            pajewrite__is_dropped(pajewrite__find(w, pajewrite__link_tag(event), container, type,
                                                    pajewrite__key_of(event))));
}

/* Removes states from the stack down to depth `to`.  Returns how many of them were written. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__pop_to_depth(pajewrite *w, uint32_t container, uint32_t type, uint32_t *depth, uint32_t to)
{
    uint32_t written = 0;
    while (*depth > to) {
        pajewrite_entry *level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, --*depth);
        if (level) {
            written += !(level->flags & PAJEWRITE__DROPPED);
            pajewrite__erase(w, level);
        }
    }
    return written;
}

/* Updates the value of a variable as readers compute it. */
PAJEWRITE__UNTRACED
static void pajewrite__follow_variable(pajewrite_entry *pair, const pajewrite_event *event)
{
#if PAJEWRITE_DOUBLE
    double number = event->is_real ? event->real : (double)event->integer;
    pair->number.real = event->kind == PAJEWRITE_SET_VARIABLE ? number :
                        event->kind == PAJEWRITE_ADD_VARIABLE ? pair->number.real + number : pair->number.real - number;
#else
    uint64_t number = (uint64_t)event->integer, was = (uint64_t)pair->number.integer;
    pair->number.integer = (int64_t)(event->kind == PAJEWRITE_SET_VARIABLE ? number :
                                     event->kind == PAJEWRITE_ADD_VARIABLE ? was + number : was - number);
#endif
    pair->flags |= PAJEWRITE__IS_SET;
}

/* Makes the event that sets a variable to its current value.  A sum that is infinite cannot be written: the greatest
 * number stands for it, so that the variable has a value. */
PAJEWRITE__UNTRACED
static void pajewrite__make_set_event(pajewrite_event *event, const pajewrite_entry *pair)
{
    event->kind = PAJEWRITE_SET_VARIABLE;
#if PAJEWRITE_DOUBLE
    event->is_real = 1;
    event->real = pair->number.real;
    if (!pajewrite__is_finite(event->real))
        event->real = event->real > 0 ? DBL_MAX : -DBL_MAX;
#else
    event->integer = pair->number.integer;
#endif
}

PAJEWRITE__UNTRACED
static void pajewrite__follow_entity(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type), depth, lost = 0;
    pajewrite_entry *pair = pajewrite__pair_of(w, container, type), *level;
    w->last_pair = written ? pair : NULL;
    pair->time = event->time;
    if (pajewrite__is_variable(event->kind)) {
        pajewrite__follow_variable(pair, event);
        if (!written && !pajewrite__depends_on_dropped(w, event))
            pair->flags |= PAJEWRITE__MISSING;
        return;
    }
    if (!pajewrite__is_state(event->kind))
        return;
    depth = pair->value;
    if (w->config.when_full == PAJEWRITE_FLUSH) {
        pair->value = event->kind == PAJEWRITE_PUSH_STATE ? depth + 1 :
                      event->kind == PAJEWRITE_POP_STATE ? depth - (depth > 0) : event->kind == PAJEWRITE_SET_STATE;
        return;
    }
    if (event->kind == PAJEWRITE_POP_STATE && depth) {
        level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth - 1);
        lost = level && !(level->flags & PAJEWRITE__DROPPED);
        if (level)
            pajewrite__erase(w, level);
        depth--;
    } else if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_RESET_STATE) {
        lost = pajewrite__pop_to_depth(w, container, type, &depth, 0);
    }
    if (event->kind == PAJEWRITE_SET_STATE || event->kind == PAJEWRITE_PUSH_STATE) {
        level = pajewrite__find_or_insert(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth++);
        level->value = event->value.alias;
        level->time = event->time;
        level->flags = written ? 0 : PAJEWRITE__DROPPED;
    }
    pair = pajewrite__pair_of(w, container, type); /* erasing and inserting may have moved it */
    pair->value = depth;
    PAJEWRITE__ASSERT(!written || !pair->other); /* what is missing is written first */
    if (!written)
        pair->other += lost;
}

PAJEWRITE__UNTRACED
static void pajewrite__follow_link(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    pajewrite_entry *link, *pair;
    uint64_t later;
    if (w->config.when_full != PAJEWRITE_DROP && !PAJEWRITE_CHECK)
        return;
    link = pajewrite__find_or_insert(w, pajewrite__link_tag(event), container, type, pajewrite__key_of(event));
    later = link->time > event->time ? link->time : event->time;
    if (!link->flags)
        link->flags = written ? 0 : PAJEWRITE__DROPPED;
    else if (!written && link->tag == PAJEWRITE__LINK_ENTRY && !pajewrite__depends_on_dropped(w, event))
        link->flags |= PAJEWRITE__MISSING;
    link->flags &= (uint16_t)~PAJEWRITE__ENDED_LAST;
    link->flags |= event->kind == PAJEWRITE_START_LINK ? PAJEWRITE__STARTED : PAJEWRITE__ENDED | PAJEWRITE__ENDED_LAST;
    link->value = event->value.alias;
    link->other = event->other.alias;
    link->time = event->time;
    link->number.integer = (int64_t)later;
    if (link->flags & PAJEWRITE__STARTED && link->flags & PAJEWRITE__ENDED) {
        pair = pajewrite__pair_of(w, container, type);
        if (pair->time < later)
            pair->time = later;
    }
}

/* Erases the pairs of a container and their states. */
PAJEWRITE__UNTRACED
static void pajewrite__erase_pairs(pajewrite *w, uint32_t container)
{
    uint32_t next = pajewrite__find_container(w, container)->next;
    pajewrite_entry *pair, *level;
    while ((pair = pajewrite__find_next_pair(w, container, next)) != NULL) {
        const uint32_t type = pair->type;
        uint32_t depth = 0;
        next = pair->next;
        pajewrite__erase(w, pair);
        while ((level = pajewrite__find(w, PAJEWRITE__LEVEL_ENTRY, container, type, depth++)) != NULL)
            pajewrite__erase(w, level);
    }
}

/* Destroys a container, and the containers within it. */
PAJEWRITE__UNTRACED
static void pajewrite__follow_destroy(pajewrite *w, const pajewrite_event *event, int written)
{
    const uint32_t container = event->container.alias;
    pajewrite_entry *table = w->config.table, *e = pajewrite__find_container(w, container), *parent;
    size_t i;
    if (!pajewrite__is_alive(e))
        return;
    parent = pajewrite__find_container(w, e->other);
    if (pajewrite__is_alive(parent) && parent->time)
        parent->time--;
    if (pajewrite__is_leaf(e)) {
        pajewrite__erase_pairs(w, container);
    } else {
        for (i = 0; i < w->config.table_entries; i++)
            while ((table[i].tag == PAJEWRITE__PAIR_ENTRY || table[i].tag == PAJEWRITE__LEVEL_ENTRY) &&
                   pajewrite__is_within(w, table[i].container, container))
                pajewrite__erase(w, &table[i]);
        for (i = 0; i < w->config.table_entries; i++)
            if (table[i].tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_within(w, table[i].container, container))
                table[i].flags |= PAJEWRITE__DESTROYED;
    }
    e = pajewrite__find_container(w, container);
    e->flags |= PAJEWRITE__DESTROYED;
    if (!written && !(e->flags & PAJEWRITE__DROPPED)) {
        e->flags |= PAJEWRITE__MISSING;
        e->time = event->time;
    }
}

PAJEWRITE__UNTRACED
static void pajewrite__follow(pajewrite *w, const pajewrite_event *event, int written)
{
    uint32_t type = pajewrite__alias(event->type);
    pajewrite_entry *e;
    if (pajewrite__has_time(event->kind) && event->time > w->latest)
        w->latest = event->time;
    if (event->kind < PAJEWRITE_DEFINE_VALUE) {
        e = pajewrite__find_or_insert(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
        e->value = (uint32_t)event->kind;
        e->other = pajewrite__alias(event->of);
        e->number.integer = (int64_t)((uint64_t)pajewrite__alias(event->start_type) << 32 |
                                      pajewrite__alias(event->end_type));
        e->flags = written ? 0 : PAJEWRITE__DROPPED;
    } else if (event->kind == PAJEWRITE_DEFINE_VALUE) {
        if (PAJEWRITE_CHECK)
            pajewrite__find_or_insert(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = 0;
    } else if (event->kind == PAJEWRITE_CREATE_CONTAINER) {
        const uint32_t parent = pajewrite__outer_parent(w, event->container.alias, event->other.alias);
        e = pajewrite__find_container(w, parent);
        if (pajewrite__is_alive(e) && !pajewrite__is_alive(pajewrite__find_container(w, event->container.alias)))
            e->time++;
        e = pajewrite__find_or_insert(w, PAJEWRITE__CONTAINER_ENTRY, event->container.alias, 0, 0);
        if (!pajewrite__is_alive(e))
            e->time = e->next = 0;
        e->value = type;
        e->other = parent;
        e->number.integer = (int64_t)event->time;
        e->flags = written ? 0 : PAJEWRITE__DROPPED;
        if (PAJEWRITE_CHECK && (w->flight || w->kept)) /* where `number` is not the time */
            pajewrite__pair_of(w, event->container.alias, type)->time = event->time;
    } else if (event->kind == PAJEWRITE_DESTROY_CONTAINER) {
        pajewrite__follow_destroy(w, event, written);
    } else if (pajewrite__is_link(event->kind)) {
        pajewrite__follow_link(w, event, written);
    } else if (event->kind != PAJEWRITE_TRACE_FILE) {
        pajewrite__follow_entity(w, event, written);
    }
    if (PAJEWRITE_CHECK && pajewrite__has_value(event->kind) &&
        !pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias))
        pajewrite__find_or_insert(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias)->flags = PAJEWRITE__DESTROYED;
}
#endif
