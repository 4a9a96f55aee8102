/* The checking mode: finds events that would make the trace invalid. */
#pragma once

#include "table.h"

#if PAJEWRITE_TABLE && PAJEWRITE_CHECK
PAJEWRITE__UNTRACED
static int pajewrite__is_container_type(const pajewrite *w, uint32_t type)
{
    const pajewrite_entry *e = pajewrite__find_type(w, type);
    return !type || (e && e->value == PAJEWRITE_DEFINE_CONTAINER_TYPE);
}

/* Whether a container type is `outer`, or within it. */
PAJEWRITE__UNTRACED
static int pajewrite__is_type_within(const pajewrite *w, uint32_t type, uint32_t outer)
{
    while (type != outer) {
        if (!type)
            return 0;
        type = pajewrite__find_type(w, type)->other;
    }
    return 1;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check_definition(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t type = pajewrite__alias(event->type), of = pajewrite__alias(event->of);
    const pajewrite_entry *known = pajewrite__find_type(w, type);
    uint64_t number;
    if (event->kind == PAJEWRITE_DEFINE_VALUE) {
        if (!known || known->value == PAJEWRITE_DEFINE_CONTAINER_TYPE || known->value == PAJEWRITE_DEFINE_VARIABLE_TYPE)
            return PAJEWRITE_E_TYPE;
        if (pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, event->value.alias))
            return PAJEWRITE_E_VALUE;
        return event->name && pajewrite__is_number(event->name, &number) &&
               pajewrite__find(w, PAJEWRITE__VALUE_ENTRY, 0, type, number) ? PAJEWRITE_E_VALUE : PAJEWRITE_OK;
    }
    if (!type || known || !pajewrite__is_container_type(w, of))
        return PAJEWRITE_E_TYPE;
    if (event->kind == PAJEWRITE_DEFINE_CONTAINER_TYPE && event->name && event->name[0] == '0' && !event->name[1])
        return PAJEWRITE_E_TYPE; /* which is the root type to readers */
    if (event->kind == PAJEWRITE_DEFINE_LINK_TYPE) {
        uint32_t start = pajewrite__alias(event->start_type), end = pajewrite__alias(event->end_type);
        if (!pajewrite__is_container_type(w, start) || !pajewrite__is_container_type(w, end))
            return PAJEWRITE_E_TYPE;
        if (!pajewrite__is_type_within(w, start, of) || !pajewrite__is_type_within(w, end, of))
            return PAJEWRITE_E_MISMATCH;
    }
    return PAJEWRITE_OK;
}

/* Returns the type of a live container; UINT32_MAX: there is none. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__type_of(const pajewrite *w, uint32_t container)
{
    const pajewrite_entry *e = pajewrite__find_container(w, container);
    return !container ? 0 : pajewrite__is_alive(e) ? e->value : UINT32_MAX;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check_link(const pajewrite *w, const pajewrite_event *event,
                                              const pajewrite_entry *type)
{
    uint32_t of = pajewrite__type_of(w, event->other.alias);
    int starts = event->kind == PAJEWRITE_START_LINK;
    uint32_t end = (uint32_t)((uint64_t)type->number.integer >> (starts ? 32 : 0));
    const pajewrite_entry *link = pajewrite__find(w, pajewrite__link_tag(event), event->container.alias, type->type,
                                                  pajewrite__key_of(event));
    const pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, event->container.alias, type->type, 0);
    if (of == UINT32_MAX)
        return PAJEWRITE_E_CONTAINER;
    if (of != end)
        return PAJEWRITE_E_MISMATCH;
    if (!link)
        return PAJEWRITE_OK;
    if (link->flags & (starts ? PAJEWRITE__STARTED : PAJEWRITE__ENDED))
        return PAJEWRITE_E_KEY;
    if (link->value != event->value.alias)
        return PAJEWRITE_E_VALUE;
    return pair && pair->time > event->time ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static pajewrite_status pajewrite__check(const pajewrite *w, const pajewrite_event *event)
{
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type), of;
    const pajewrite_entry *known, *pair;
    size_t i;
    if (event->kind <= PAJEWRITE_DEFINE_VALUE)
        return pajewrite__check_definition(w, event);
    if (event->kind == PAJEWRITE_CREATE_CONTAINER) {
        if (!container || pajewrite__find_container(w, container))
            return PAJEWRITE_E_CONTAINER;
        if (!type || !pajewrite__is_container_type(w, type))
            return PAJEWRITE_E_TYPE;
        of = pajewrite__type_of(w, event->other.alias);
        return of == UINT32_MAX ? PAJEWRITE_E_CONTAINER :
               of != pajewrite__find_type(w, type)->other ? PAJEWRITE_E_MISMATCH : PAJEWRITE_OK;
    }
    of = pajewrite__type_of(w, container);
    if (of == UINT32_MAX)
        return PAJEWRITE_E_CONTAINER;
    if (event->kind == PAJEWRITE_TRACE_FILE)
        return of == type ? PAJEWRITE_OK : PAJEWRITE_E_MISMATCH;
    if (event->kind == PAJEWRITE_DESTROY_CONTAINER) {
        if (!container)
            return PAJEWRITE_E_CONTAINER;
        if (of != type)
            return PAJEWRITE_E_MISMATCH;
        known = pajewrite__find_container(w, container);
        if (!w->flight && !w->kept && (uint64_t)known->number.integer > event->time)
            return PAJEWRITE_E_ORDER;
        if (pajewrite__is_leaf(known)) {
            pair = pajewrite__find_next_pair(w, container, known->next);
            while (pair && pair->time <= event->time)
                pair = pajewrite__find_next_pair(w, container, pair->next);
            return pair ? PAJEWRITE_E_ORDER : PAJEWRITE_OK;
        }
        for (i = 0; i < w->config.table_entries; i++)
            if (w->config.table[i].tag == PAJEWRITE__PAIR_ENTRY && w->config.table[i].time > event->time &&
                pajewrite__is_within(w, w->config.table[i].container, container))
                return PAJEWRITE_E_ORDER;
        return PAJEWRITE_OK;
    }
    known = pajewrite__find_type(w, type);
    if (!known || known->value != (uint32_t)(pajewrite__is_state(event->kind) ? PAJEWRITE_DEFINE_STATE_TYPE :
                                             pajewrite__is_variable(event->kind) ? PAJEWRITE_DEFINE_VARIABLE_TYPE :
                                             pajewrite__is_link(event->kind) ? PAJEWRITE_DEFINE_LINK_TYPE :
                                                                               PAJEWRITE_DEFINE_EVENT_TYPE))
        return PAJEWRITE_E_TYPE;
    if (known->other != of)
        return PAJEWRITE_E_MISMATCH;
    if (pajewrite__is_link(event->kind))
        return pajewrite__check_link(w, event, known);
    pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
    if (pair && pair->time > event->time)
        return PAJEWRITE_E_ORDER;
    if (event->kind == PAJEWRITE_POP_STATE && (!pair || !pair->value))
        return PAJEWRITE_E_EMPTY;
    if ((event->kind == PAJEWRITE_ADD_VARIABLE || event->kind == PAJEWRITE_SUB_VARIABLE) &&
        (!pair || !(pair->flags & PAJEWRITE__IS_SET)))
        return PAJEWRITE_E_UNSET;
    return PAJEWRITE_OK;
}
#endif
