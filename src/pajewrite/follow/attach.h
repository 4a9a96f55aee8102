/* Attaching a sink to a running context (config.offer with config.definitions_size).
 *
 * Definitions, and lines that create containers, are written to a part of the buffer that keeps them, and copied from
 * there to the lines that are offered.  Each kept line has a byte in front: D for a definition, C for a creation. */
#pragma once

#include "flight.h"

#if PAJEWRITE_TABLE
/* Whether another peer may come: the last one died, or did not take all that it had to know. */
PAJEWRITE__UNTRACED
static int pajewrite__may_attach(const pajewrite *w)
{
    return !w->stopped || w->stopped == PAJEWRITE_E_SINK || w->stopped == PAJEWRITE_E_SNAPSHOT;
}

/* Returns the entry of the container that a kept line creates; NULL: it is destroyed. */
PAJEWRITE__UNTRACED
static pajewrite_entry *pajewrite__kept_container(const pajewrite *w, const char *kept)
{
    const char *word = pajewrite__skip_words(kept, 2);
    pajewrite_entry *e;
    uint32_t alias = 0;
    for (; *word >= '0' && *word <= '9'; word++)
        alias = alias * 10 + (uint32_t)(*word - '0');
    e = pajewrite__find_container(w, alias);
    return pajewrite__is_alive(e) && e->number.integer == kept - w->kept ? e : NULL;
}

/* Removes the lines of containers that are destroyed. */
PAJEWRITE__UNTRACED
static void pajewrite__compact_kept(pajewrite *w)
{
    const char *kept = w->kept, *end = w->kept + w->kept_used;
    char *to = w->kept;
    while (kept < end) {
        const char *next = pajewrite__after_line(kept);
        pajewrite_entry *e = *kept == 'C' ? pajewrite__kept_container(w, kept) : NULL;
        if (*kept == 'D' || e) {
            if (e)
                e->number.integer = to - w->kept;
            memmove(to, kept, (size_t)(next - kept));
            to += next - kept;
        }
        kept = next;
    }
    w->kept_used = (size_t)(to - w->kept);
}

/* Copies a line to those that are offered.  Returns 0 if it is dropped. */
PAJEWRITE__UNTRACED
static int pajewrite__copy_kept(pajewrite *w, const char *line, uint64_t time)
{
    const size_t size = (size_t)(pajewrite__after_line(line) - line);
    if ((w->next >= w->limit || pajewrite__free_space(w) < size + 8) && pajewrite__make_room(w, size + 8, time) <= 0)
        return 0;
    pajewrite__commit(w, pajewrite__put_bytes(w->next + 1, line + 1, size - 2), *line);
    w->records++;
    return 1;
}

/* Writes a definition or a creation, and keeps it.  Returns 0 if it is refused or not among the lines that are
 * offered. */
PAJEWRITE__UNTRACED
static int pajewrite__write_kept(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    char *buffer = w->buffer, *next = w->next, *kept;
    const size_t size = w->size;
    const uint32_t blocked = w->blocked, stopped = w->stopped; /* a dead peer may be followed by another one */
    const uint64_t refused = w->refused, records = w->records;
    uint64_t time;
    int written = 0, tries;
    for (tries = 0; tries < 2 && !written && w->refused == refused; tries++) {
        if (tries)
            pajewrite__compact_kept(w);
        kept = w->kept + w->kept_used;
        w->buffer = w->kept;
        w->size = w->kept_size;
        w->blocked = w->stopped = 0;
        w->is_defining = 1;
        pajewrite__set_limit(w);
        if (w->kept_size - w->kept_used > PAJEWRITE__SLACK + 1) {
            pajewrite__set_next(w, kept + 1);
            written = pajewrite__write_line(w, event, fields) > 0;
        }
        if (written) {
            *kept = event->kind == PAJEWRITE_CREATE_CONTAINER ? 'C' : 'D';
            w->kept_used = (size_t)(w->next - w->kept);
        }
        w->buffer = buffer;
        w->next = next;
        w->size = size;
        w->blocked = blocked;
        w->stopped = stopped;
        w->is_defining = 0;
        pajewrite__set_limit(w);
    }
    w->records = records;
    if (w->refused != refused)
        return 0;
    if (written)
        w->kept_last = (size_t)(kept - w->kept);
    else
        w->kept_lost = 1;
    time = pajewrite__has_time(event->kind) ? event->time : w->second_start;
    if (pajewrite__depends_on_dropped(w, event)) { /* this peer does not know what it is in; the next one will */
        pajewrite__drop(w, time);
        return 0;
    }
    return written ? pajewrite__copy_kept(w, kept + 1, time) : pajewrite__write_line(w, event, fields);
}

/* Writes what a new peer has to know: definitions, containers, open states, variables.  What was dropped of these, or
 * was missing, is settled.  Links that are pending have begun elsewhere, so they are left out. */
PAJEWRITE__UNTRACED
static int pajewrite__write_snapshot(pajewrite *w)
{
    const char *kept;
    size_t i;
    w->has_gaps = 1; /* to this peer, of links */
    pajewrite__compact_kept(w);
    for (kept = w->kept; kept < w->kept + w->kept_used; kept = pajewrite__after_line(kept)) {
        if (pajewrite__copy_kept(w, kept + 1, w->config.origin) && !pajewrite__begins_record(kept + 1))
            w->records--; /* the lines of a definition are one record */
        if (w->blocked)
            return 0;
    }
    for (i = 0; i < w->config.table_entries; i++) {
        pajewrite_entry *e = &w->config.table[i];
        if (!e->tag)
            continue;
        e->flags &= (uint16_t)~(PAJEWRITE__DROPPED | PAJEWRITE__MISSING);
        if (e->tag == PAJEWRITE__PAIR_ENTRY)
            e->other = 0;
        if (pajewrite__is_link_entry(e) &&
            (e->flags & (PAJEWRITE__STARTED | PAJEWRITE__ENDED)) != (PAJEWRITE__STARTED | PAJEWRITE__ENDED))
            e->flags |= PAJEWRITE__DROPPED;
    }
    pajewrite__copy_open(w);
    return !w->blocked;
}
#endif
