/* The table of what is defined, alive and open: open addressing; erasing shifts entries back. */
#pragma once

#include "../core/record.h"
#include "../format/kinds.h"
#include "../format/names.h"

#if PAJEWRITE_TABLE
/* Tags of entries, and how they use their members other than container, type and key, which are the hash key. */
enum {
    PAJEWRITE__TYPE_ENTRY = 1,  /* type.  value: its kind; other: type of its containers; number: a link's end types */
    PAJEWRITE__VALUE_ENTRY,     /* type, key.  Checking mode only; DESTROYED: used but not defined */
    PAJEWRITE__VARIANT_ENTRY,   /* key: number of a variant whose definition was dropped, though its number is fixed */
    PAJEWRITE__CONTAINER_ENTRY, /* container.  value: its type; other: its parent; time: number of its live children,
                                   or, if MISSING, when it was destroyed; number: when it was created; in a flight
                                   recorder, or with `kept`, offset of the line that creates it;
                                   next: 1 + type of its newest pair; 0: none */
    PAJEWRITE__PAIR_ENTRY,      /* container, type.  value: depth of the stack; other: pops to be written; time: of the
                                   last event; number: of the variable; next: 1 + type of the next older pair */
    PAJEWRITE__LEVEL_ENTRY,     /* container, type, key (depth): an open state.  value; time: its start */
    PAJEWRITE__LINK_ENTRY,      /* container, type, key.  value; of the end written last: other (its container), time;
                                   number: the later one of the times of both ends */
    PAJEWRITE__NAMED_LINK_ENTRY /* like LINK_ENTRY; key: hash of the text */
};

enum {
    PAJEWRITE__DROPPED = 1, /* the line that creates it was dropped */
    PAJEWRITE__DESTROYED = 2,      /* a container that is destroyed */
    PAJEWRITE__MISSING = 4,      /* a dropped line has to be written later, to keep the trace valid */
    PAJEWRITE__LEARNED = 8,   /* learned from another context */
    PAJEWRITE__IS_SET = 16,   /* a variable that has a value */
    PAJEWRITE__STARTED = 32,  /* a link whose start, or end, was written */
    PAJEWRITE__ENDED = 64,
    PAJEWRITE__ENDED_LAST = 128 /* its end came last, not its start */
};

PAJEWRITE__UNTRACED
static size_t pajewrite__home_slot(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type, uint64_t key)
{
    uint64_t hash = (key ^ tag) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 29 ^ container) * UINT64_C(0xbf58476d1ce4e5b9);
    hash = (hash ^ hash >> 32 ^ type) * UINT64_C(0x94d049bb133111eb);
    return (size_t)((hash >> 32) * w->config.table_entries >> 32);
}

/* Finds an entry, or the free slot where it belongs. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_slot(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    size_t i = pajewrite__home_slot(w, tag, container, type, key);
    for (;;) {
        pajewrite_entry *e = &w->config.table[i];
        if (!e->tag || (e->tag == tag && e->container == container && e->type == type && e->key == key))
            return e;
        if (++i == w->config.table_entries)
            i = 0;
    }
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find(const pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                        uint64_t key)
{
    pajewrite_entry *e = pajewrite__find_slot(w, tag, container, type, key);
    return e->tag ? e : NULL;
}

/* Finds or inserts an entry; the table must have a free slot to spare. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_or_insert(pajewrite *w, uint32_t tag, uint32_t container, uint32_t type,
                                                  uint64_t key)
{
    pajewrite_entry *e = pajewrite__find_slot(w, tag, container, type, key);
    if (!e->tag) {
        PAJEWRITE__ASSERT(w->entries + 1 < w->config.table_entries);
        memset(e, 0, sizeof *e);
        e->tag = (uint16_t)tag;
        e->container = container;
        e->type = type;
        e->key = key;
        w->entries++;
    }
    return e;
}

PAJEWRITE__UNTRACED
static void pajewrite__erase(pajewrite *w, pajewrite_entry *e)
{
    size_t hole = (size_t)(e - w->config.table), i = hole;
    PAJEWRITE__ASSERT(e->tag && w->entries);
    for (;;) {
        size_t home;
        if (++i == w->config.table_entries)
            i = 0;
        e = &w->config.table[i];
        if (!e->tag)
            break;
        home = pajewrite__home_slot(w, e->tag, e->container, e->type, e->key);
        if (hole <= i ? home <= hole || home > i : home <= hole && home > i) {
            w->config.table[hole] = *e;
            hole = i;
        }
    }
    w->config.table[hole].tag = 0;
    w->entries--;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_link_entry(const pajewrite_entry *e)
{
    return e->tag == PAJEWRITE__LINK_ENTRY || e->tag == PAJEWRITE__NAMED_LINK_ENTRY;
}

/* Whether an entry may be evicted when the table is full: finished links, destroyed containers, undefined values. */
PAJEWRITE__UNTRACED
static int pajewrite__is_evictable(const pajewrite *w, const pajewrite_entry *e)
{
    if (e->tag == PAJEWRITE__CONTAINER_ENTRY || e->tag == PAJEWRITE__VALUE_ENTRY)
        return (e->flags & (PAJEWRITE__DESTROYED | PAJEWRITE__MISSING)) == PAJEWRITE__DESTROYED;
    if (!pajewrite__is_link_entry(e))
        return 0;
    return w->config.when_full != PAJEWRITE_DROP ||
           (!(e->flags & PAJEWRITE__MISSING) && e->flags & PAJEWRITE__STARTED && e->flags & PAJEWRITE__ENDED);
}

/* Evicts the older half, by time, of the links whose other end may be in another trace.  Returns 0 if there is none. */
PAJEWRITE__UNTRACED
static int pajewrite__evict_older_links(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    uint64_t first = UINT64_MAX, last = 0, middle;
    size_t i, entries = w->entries;
    for (i = 0; i < w->config.table_entries; i++)
        if (pajewrite__is_link_entry(&table[i]) && !(table[i].flags & PAJEWRITE__MISSING)) {
            first = table[i].time < first ? table[i].time : first;
            last = table[i].time > last ? table[i].time : last;
        }
    middle = first + (last - first) / 2;
    for (i = 0; i < w->config.table_entries; i++)
        while (pajewrite__is_link_entry(&table[i]) && !(table[i].flags & PAJEWRITE__MISSING) &&
               table[i].time <= middle)
            pajewrite__erase(w, &table[i]);
    return w->entries < entries;
}

/* Returns how many entries there may be at most before an event inserts its own. */
PAJEWRITE__UNTRACED
static size_t pajewrite__most_entries(const pajewrite *w)
{
    return w->config.table_entries - w->config.table_entries / 8 - 2;
}

/* Makes sure that an event can insert its entries, by eviction if necessary: of an eighth, so that not each event scans
 * the table.  Returns 0 if the table is full. */
PAJEWRITE__UNTRACED
static int pajewrite__table_reserve(pajewrite *w)
{
    const size_t most = pajewrite__most_entries(w);
    size_t i;
    if (w->entries < most)
        return 1;
    for (i = 0; i < w->config.table_entries; i++)
        while (w->config.table[i].tag && pajewrite__is_evictable(w, &w->config.table[i]))
            pajewrite__erase(w, &w->config.table[i]);
    while (w->entries >= most - most / 8 && pajewrite__evict_older_links(w))
        ;
    return w->entries < most;
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_type(const pajewrite *w, uint32_t type)
{
    return pajewrite__find(w, PAJEWRITE__TYPE_ENTRY, 0, type, 0);
}

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_container(const pajewrite *w, uint32_t container)
{
    return pajewrite__find(w, PAJEWRITE__CONTAINER_ENTRY, container, 0, 0);
}

PAJEWRITE__UNTRACED
static int pajewrite__is_alive(const pajewrite_entry *e) { return e && !(e->flags & PAJEWRITE__DESTROYED); }

/* Whether everything that ends with a container is in its list of pairs, so that the table need not be scanned. */
PAJEWRITE__UNTRACED
static int pajewrite__is_leaf(const pajewrite_entry *e) { return !(e->flags & PAJEWRITE__LEARNED) && !e->time; }

PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__find_next_pair(const pajewrite *w, uint32_t container, uint32_t next)
{
    return next ? pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, next - 1, 0) : NULL;
}

/* Finds or inserts the entry of a container and a type. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__pair_of(pajewrite *w, uint32_t container, uint32_t type)
{
    pajewrite_entry *pair = pajewrite__find(w, PAJEWRITE__PAIR_ENTRY, container, type, 0), *owner;
    if (pair)
        return pair;
    pair = pajewrite__find_or_insert(w, PAJEWRITE__PAIR_ENTRY, container, type, 0);
    owner = pajewrite__find_container(w, container);
    if (owner) {
        pair->next = owner->next;
        owner->next = type + 1;
    }
    return pair;
}

/* Returns the entry of the container that a container is in; NULL: it is in the root, or in one that is unknown. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__parent_of(const pajewrite *w, const pajewrite_entry *e)
{
    return e->other ? pajewrite__find_container(w, e->other) : NULL;
}

/* Whether a container is `outer`, or within it. */
PAJEWRITE__UNTRACED
static int pajewrite__is_within(const pajewrite *w, uint32_t container, uint32_t outer)
{
    while (container != outer) {
        const pajewrite_entry *e = container ? pajewrite__find_container(w, container) : NULL;
        if (!e)
            return 0;
        container = e->other;
    }
    return 1;
}

/* Returns the parent of a container that is created; the root in place of one within the container itself, as the
 * parents of each container have to end. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__outer_parent(const pajewrite *w, uint32_t container, uint32_t parent)
{
    return pajewrite__is_within(w, parent, container) ? 0 : parent;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_link(pajewrite_kind kind)
{
    return kind == PAJEWRITE_START_LINK || kind == PAJEWRITE_END_LINK;
}

PAJEWRITE__UNTRACED
static int pajewrite__has_value(pajewrite_kind kind)
{
    return kind == PAJEWRITE_SET_STATE || kind == PAJEWRITE_PUSH_STATE || kind == PAJEWRITE_NEW_EVENT ||
           pajewrite__is_link(kind);
}

PAJEWRITE__UNTRACED
static int pajewrite__is_state(pajewrite_kind kind)
{
    return kind >= PAJEWRITE_SET_STATE && kind <= PAJEWRITE_RESET_STATE;
}

/* A key that is the text of a number is that number, and bytes that are written as _ are _, as for readers. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__key_of(const pajewrite_event *event)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325), number;
    const char *text = event->name;
    if (!text)
        return event->key;
    if (pajewrite__is_number(text, &number))
        return number;
    do { /* an empty text is written as _, too */
        const unsigned char c = (unsigned char)*text;
        hash = (hash ^ (pajewrite__is_replaced(c) ? '_' : c)) * UINT64_C(0x100000001b3);
    } while (*text && *++text);
    return hash;
}

PAJEWRITE__UNTRACED
static uint32_t pajewrite__link_tag(const pajewrite_event *event)
{
    uint64_t number;
    return event->name && !pajewrite__is_number(event->name, &number) ? PAJEWRITE__NAMED_LINK_ENTRY
                                                                      : PAJEWRITE__LINK_ENTRY;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_dropped(const pajewrite_entry *e) { return e && e->flags & PAJEWRITE__DROPPED; }

/* Whether the definition of a variant in a table of definitions was dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__is_variant_dropped(const pajewrite *w, uint32_t number)
{
    return w->has_gaps && w->following &&
           pajewrite__is_dropped(pajewrite__find(w, PAJEWRITE__VARIANT_ENTRY, 0, 0, number));
}

PAJEWRITE__UNTRACED
static void pajewrite__stop_following(pajewrite *w)
{
    if (!w->status)
        w->status = PAJEWRITE_E_TABLE_FULL;
    w->following = 0;
    w->mode &= ~(uint32_t)PAJEWRITE__FOLLOWING;
    if (w->flight)
        pajewrite__fail(w, PAJEWRITE_E_TABLE_FULL);
}

/* Remembers that the definition of a variant was dropped. */
PAJEWRITE__UNTRACED
static void pajewrite__remember_variant(pajewrite *w, uint32_t number)
{
    if (w->following && pajewrite__table_reserve(w)) {
        pajewrite__find_or_insert(w, PAJEWRITE__VARIANT_ENTRY, 0, 0, number)->flags = PAJEWRITE__DROPPED;
        w->has_gaps = 1;
    } else if (w->following) {
        pajewrite__stop_following(w);
    }
}
#else
#define pajewrite__is_variant_dropped(w, number) 0
#define pajewrite__remember_variant(w, number) ((void)0)
#endif
