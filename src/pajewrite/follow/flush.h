/* Flushing: what is in the buffer is delivered, and what a gap has left out is written. */
#pragma once

#include "flight.h"
#include "state.h"
#include "../core/definition.h"

#if PAJEWRITE_TABLE
/* Whether one more line can be written; with a sink that does not wait, the buffer may be full. */
PAJEWRITE__UNTRACED
static int pajewrite__can_repair(pajewrite *w)
{
    return !w->config.offer || (!w->stopped && pajewrite__free_space(w) >= PAJEWRITE__EVENT_SIZE + 8);
}

/* Writes the missing lines of an entry.  Returns 0 if the buffer is full; the rest is still missing then. */
PAJEWRITE__UNTRACED
static int pajewrite__repair_entry(pajewrite *w, pajewrite_entry *e)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.container.alias = e->container;
    event.type.alias = e->type;
    event.time = e->time;
    for (; e->tag == PAJEWRITE__PAIR_ENTRY && e->other; e->other--) {
        if (!pajewrite__can_repair(w))
            return 0;
        event.kind = PAJEWRITE_POP_STATE;
        pajewrite__write_line(w, &event, NULL);
    }
    if (!(e->flags & PAJEWRITE__MISSING))
        return 1;
    if (!pajewrite__can_repair(w))
        return 0;
    if (e->tag == PAJEWRITE__PAIR_ENTRY) {
        pajewrite__make_set_event(&event, e);
    } else if (e->tag == PAJEWRITE__CONTAINER_ENTRY) {
        event.kind = PAJEWRITE_DESTROY_CONTAINER;
        event.type.alias = e->value;
    } else {
        event.kind = e->flags & PAJEWRITE__ENDED_LAST ? PAJEWRITE_END_LINK : PAJEWRITE_START_LINK;
        event.value.alias = e->value;
        event.other.alias = e->other;
        event.key = e->key;
    }
    pajewrite__write_line(w, &event, NULL);
    e->flags &= (uint16_t)~PAJEWRITE__MISSING;
    return 1;
}

/* Returns the depth of a container: 1, and 1 for each container that it is in. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__depth(const pajewrite *w, const pajewrite_entry *e)
{
    uint64_t depth;
    for (depth = 0; e; depth++)
        e = pajewrite__parent_of(w, e);
    return depth;
}

/* Whether a has to be repaired before b: by time.  Containers that ended at one time, innermost first; links that were
 * complete at one time, those last that end before they start: for readers, they last until their start. */
PAJEWRITE__UNTRACED
static int pajewrite__is_due_before(const pajewrite *w, const pajewrite_entry *a, const pajewrite_entry *b)
{
    if (a->time != b->time)
        return a->time < b->time;
    if (a->tag != PAJEWRITE__CONTAINER_ENTRY)
        return (uint64_t)a->number.integer < (uint64_t)b->number.integer;
    return pajewrite__depth(w, a) > pajewrite__depth(w, b);
}

/* Merges two lists of entries, each in the order in which they are due.  A list is 1 + the slot of its first entry; 0:
 * it is empty. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__merge_missing(const pajewrite *w, uint32_t a, uint32_t b)
{
    pajewrite_entry *table = w->config.table;
    uint32_t first = 0, *end = &first;
    while (a && b) {
        uint32_t *from = pajewrite__is_due_before(w, &table[b - 1], &table[a - 1]) ? &b : &a;
        *end = *from;
        end = &table[*from - 1].next;
        *from = *end;
    }
    *end = a ? a : b;
    return first;
}

/* Makes a list of the entries with this tag of which a line is missing, which need their member `next` no more. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__sort_missing(const pajewrite *w, uint32_t tag)
{
    enum { PAJEWRITE__LISTS = 32 }; /* of 1, 2, 4 and so on entries; there are fewer than 2^32 */
    pajewrite_entry *table = w->config.table;
    uint32_t lists[PAJEWRITE__LISTS] = PAJEWRITE__ZERO, all = 0, at;
    size_t i;
    for (i = 0; i < w->config.table_entries; i++) {
        if (table[i].tag != tag || !(table[i].flags & PAJEWRITE__MISSING))
            continue;
        table[i].next = 0;
        all = (uint32_t)i + 1;
        for (at = 0; lists[at]; at++) {
            all = pajewrite__merge_missing(w, lists[at], all);
            lists[at] = 0;
        }
        lists[at] = all;
    }
    for (all = at = 0; at < PAJEWRITE__LISTS; at++)
        all = pajewrite__merge_missing(w, lists[at], all);
    return all;
}

/* Writes the missing lines of all entries with this tag, in order of time.  Returns 0 if the buffer is full. */
PAJEWRITE__UNTRACED
static int pajewrite__repair_all(pajewrite *w, uint32_t tag)
{
    uint32_t list = pajewrite__sort_missing(w, tag);
    int done = 1;
    while (list) {
        pajewrite_entry *e = &w->config.table[list - 1];
        list = e->next;
        e->next = 0;
        done = done && pajewrite__repair_entry(w, e);
    }
    return done;
}

/* Writes the lines that were dropped and that the trace needs: ends of links, pops, values of variables, ends of
 * containers.  Returns 0 if the buffer is full before all are written, which happens with config.offer only. */
PAJEWRITE__UNTRACED
static int pajewrite__repair(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    const pajewrite_when_full when_full = w->config.when_full;
    size_t i;
    int done;
    if (!w->is_missing) /* the table, which may be large, need not be scanned */
        return 1;
    w->config.when_full = PAJEWRITE_FLUSH;
    done = pajewrite__repair_all(w, PAJEWRITE__LINK_ENTRY);
    for (i = 0; done && i < w->config.table_entries; i++)
        if (table[i].tag == PAJEWRITE__PAIR_ENTRY)
            done = pajewrite__repair_entry(w, &table[i]);
    done = done && pajewrite__repair_all(w, PAJEWRITE__CONTAINER_ENTRY);
    w->config.when_full = when_full;
    w->is_missing = !done;
    return done;
}
#endif

/* Offers the buffer, and ends a gap if half of the buffer is free then. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_offer(pajewrite *w)
{
    int done;
    pajewrite__deliver(w);
    if ((!w->blocked && !w->gap_count) || w->stopped || !pajewrite__is_half_free(w))
        return;
    w->blocked = 0;
    pajewrite__set_limit(w);
    if (w->gap_count)
        pajewrite__write_gap(w);
    done = pajewrite__define_missing(w);
#if PAJEWRITE_TABLE
    done = done && (!w->following || pajewrite__repair(w));
#endif
    if (!done) {
        w->blocked = 1;
        pajewrite__set_limit(w);
    }
    pajewrite__deliver(w);
}

/* Offers the buffer for as long as some of it is taken: at the end, after which nothing is offered. */
PAJEWRITE__UNTRACED
static void pajewrite__offer_rest(pajewrite *w)
{
    size_t before;
    do {
        before = (size_t)(w->next - w->buffer);
        pajewrite__deliver(w);
    } while (!w->stopped && (size_t)(w->next - w->buffer) < before);
}

PAJEWRITE__UNTRACED
static void pajewrite__flush(pajewrite *w)
{
    if (w->config.offer) {
        pajewrite__flush_offer(w);
        return;
    }
    pajewrite__deliver(w);
    if (w->gap_count && !w->stopped && !w->flight && pajewrite__free_space(w) >= PAJEWRITE__GAP_SIZE)
        pajewrite__write_gap(w);
    if (w->undefined && !w->stopped && !w->flight) {
        const pajewrite_when_full when_full = w->config.when_full;
        w->config.when_full = PAJEWRITE_FLUSH;
        pajewrite__define_missing(w);
        w->config.when_full = when_full;
    }
#if PAJEWRITE_TABLE
    if (w->following && w->config.when_full == PAJEWRITE_DROP)
        pajewrite__repair(w);
#endif
    pajewrite__deliver(w);
}

/* As pajewrite__flush, at the end: again while lines that a gap has left, which may be more than the buffer, are
 * written. */
PAJEWRITE__UNTRACED
static void pajewrite__flush_all(pajewrite *w)
{
    uint64_t records;
    do {
        records = w->records;
        if (w->config.offer)
            pajewrite__offer_rest(w);
        pajewrite__flush(w);
    } while (w->config.offer && w->blocked && !w->stopped && w->records != records);
}
