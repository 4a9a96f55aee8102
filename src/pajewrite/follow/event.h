/* An event: with a table it is checked, written and followed; without one it is written. */
#pragma once

#include "../api/calls.h"
#include "attach.h"
#include "check.h"
#include "flight.h"
#include "flush.h"

/* Ends the gap of an offer, by a flush within the call, before anything of the event is written. */
PAJEWRITE__COLD void pajewrite__settle(pajewrite *w)
{
    w->settles = 0;
    pajewrite__flush(w);
}

#if PAJEWRITE_TABLE
/* Drops an event that depends on a line that was dropped, unless it is refused. */
PAJEWRITE__COLD void pajewrite__drop_dependent(pajewrite *w, const pajewrite_event *event,
                                               const pajewrite_fields *fields)
{
    pajewrite__text name = PAJEWRITE__ZERO;
    const uint64_t time = pajewrite__has_time(event->kind) ? event->time : w->second_start;
    if (!pajewrite__is_writable(w, event, fields, &name))
        return;
    pajewrite__drop(w, time);
    if (w->blocked && w->config.offer && !w->stopped)
        pajewrite__offer_again(w, time);
}

/* Checks, writes and follows an event, or only writes it if the table is full. */
PAJEWRITE__NOINLINE void pajewrite__write_followed(pajewrite *w, const pajewrite_event *event,
                                                   const pajewrite_fields *fields)
{
    uint64_t refused = w->refused;
    int keeps = w->kept && !w->kept_lost && pajewrite__may_attach(w) && event->kind <= PAJEWRITE_CREATE_CONTAINER;
    int written = 0, defines = w->flight && event->kind <= PAJEWRITE_DEFINE_VALUE;
    if (!pajewrite__table_reserve(w)) {
        pajewrite__stop_following(w);
        pajewrite__write_line(w, event, fields);
        return;
    }
#if PAJEWRITE_CHECK
    {
        pajewrite_status status = pajewrite__check(w, event);
        if (status) {
            pajewrite__refuse(w, status);
            return;
        }
    }
#endif
    if (defines)
        pajewrite__switch_area(w);
    if (w->has_gaps && !keeps && pajewrite__depends_on_dropped(w, event))
        pajewrite__drop_dependent(w, event, fields);
    else if (keeps)
        written = pajewrite__write_kept(w, event, fields);
    else
        written = pajewrite__write_retry(w, event, fields);
    if (defines)
        pajewrite__switch_area(w);
    w->has_gaps |= !written;
    w->is_missing |= !written;
    if (w->refused == refused)
        pajewrite__follow(w, event, written);
    if (keeps && w->refused == refused && event->kind == PAJEWRITE_CREATE_CONTAINER)
        pajewrite__find_container(w, event->container.alias)->number.integer = (int64_t)w->kept_last;
    if (w->flight && written && event->kind == PAJEWRITE_CREATE_CONTAINER)
        pajewrite__find_container(w, event->container.alias)->number.integer = pajewrite__flight_creation(w);
}

/* Writes an event whose variant was dropped, as one with the number that says so. */
PAJEWRITE__COLD void pajewrite__write_without(pajewrite *w, const pajewrite_event *event,
                                              const pajewrite_fields *fields)
{
    pajewrite_fields without = *fields;
    without.variant.number = 0;
    pajewrite__write_followed(w, event, &without);
}

/* Writes any event.  What is not common is in functions of its own, so that no registers are saved for it. */
PAJEWRITE__UNTRACED
static void pajewrite__write_event(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (PAJEWRITE__UNLIKELY(w->settles))
        pajewrite__settle(w);
    if (!w->following)
        pajewrite__write_line(w, event, fields);
    else if (PAJEWRITE__UNLIKELY(fields && pajewrite__is_variant_dropped(w, fields->variant.number)))
        pajewrite__write_without(w, event, fields);
    else
        pajewrite__write_followed(w, event, fields);
}

/* Whether a container, or one that it is in, is destroyed. */
PAJEWRITE__UNTRACED
static int pajewrite__has_ended(const pajewrite *w, uint32_t container)
{
    const pajewrite_entry *e = pajewrite__find_container(w, container);
    while (pajewrite__is_alive(e))
        e = pajewrite__parent_of(w, e);
    return e != NULL;
}

/* Ends what is within containers that another context has destroyed. */
PAJEWRITE__UNTRACED
static void pajewrite__end_learned(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        while ((table[i].tag == PAJEWRITE__PAIR_ENTRY || table[i].tag == PAJEWRITE__LEVEL_ENTRY) &&
               pajewrite__has_ended(w, table[i].container))
            pajewrite__erase(w, &table[i]);
        if (table[i].tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__has_ended(w, table[i].container))
            table[i].flags |= PAJEWRITE__DESTROYED;
    }
}

/* Learns an entry of another context. */
PAJEWRITE__UNTRACED
static void pajewrite__learn_entry(pajewrite *w, const pajewrite *from, const pajewrite_entry *e)
{
    pajewrite_entry *known = pajewrite__find(w, e->tag, e->container, e->type, e->key), *parent = NULL;
    uint32_t outer = e->other;
    if (known && e->tag == PAJEWRITE__CONTAINER_ENTRY) { /* `from` may know less of it */
        known->flags |= (uint16_t)(e->flags & PAJEWRITE__DESTROYED);
        return;
    }
    if (known && !(known->flags & PAJEWRITE__LEARNED)) /* the other context has learned it from this one */
        return;
    if (!known && w->entries >= pajewrite__most_entries(w))
        pajewrite__end_learned(w); /* before containers that are destroyed may be evicted */
    if (!known && !pajewrite__table_reserve(w)) {
        pajewrite__stop_following(w);
        return;
    }
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY) {
        outer = pajewrite__outer_parent(w, e->container, e->other);
        parent = pajewrite__find_container(w, outer);
    }
    if (pajewrite__is_alive(parent))
        parent->time++;
    known = pajewrite__find_or_insert(w, e->tag, e->container, e->type, e->key);
    *known = *e;
    known->other = outer;
    known->flags = (uint16_t)((e->flags & ~PAJEWRITE__MISSING) | PAJEWRITE__LEARNED); /* `from` writes those */
    w->has_gaps |= e->flags & PAJEWRITE__DROPPED;
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY && (from->flight || from->kept))
        known->number.integer = 0; /* not a time */
}

PAJEWRITE__API void pajewrite_learn(pajewrite *w, const pajewrite *from)
{
    size_t i;
    if (!pajewrite__enter(w))
        return;
    if (from->latest > w->latest)
        w->latest = from->latest;
    for (i = 0; w->following && from->following && i < from->config.table_entries; i++)
        if (from->config.table[i].tag && from->config.table[i].tag <= PAJEWRITE__CONTAINER_ENTRY)
            pajewrite__learn_entry(w, from, &from->config.table[i]);
    if (w->following)
        pajewrite__end_learned(w);
    pajewrite__end_call(w);
}

/* Follows a state in the common case: same stack as the last event, space in the buffer, no checking.  Returns 0 in all
 * other cases. */
PAJEWRITE__INLINE int pajewrite__follow_fast(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                                pajewrite_container container, pajewrite_type type)
{
    pajewrite_entry *pair = w->last_pair; /* may be stale, so it is compared */
    if (PAJEWRITE_CHECK || w->config.when_full != PAJEWRITE_FLUSH || !pair || pair->tag != PAJEWRITE__PAIR_ENTRY ||
        pair->container != container.alias || pair->type != pajewrite__alias(type) || w->next >= w->limit ||
        time - w->second_start >= w->second_ticks)
        return 0;
    pair->time = time;
    if (time > w->latest)
        w->latest = time;
    pair->value = kind == PAJEWRITE_PUSH_STATE ? pair->value + 1 :
                  kind == PAJEWRITE_POP_STATE ? pair->value - (pair->value > 0) : kind == PAJEWRITE_SET_STATE;
    return 1;
}
#else
PAJEWRITE__UNTRACED
static void pajewrite__write_event(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (PAJEWRITE__UNLIKELY(w->settles))
        pajewrite__settle(w);
    pajewrite__write_line(w, event, fields);
}

#define pajewrite__follow_fast(w, kind, time, container, type) 0
#endif
