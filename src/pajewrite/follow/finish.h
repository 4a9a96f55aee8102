/* What pajewrite_finish writes at the end of the trace. */
#pragma once

#include "event.h"

#if PAJEWRITE_TABLE
/* Closes what is open: states on containers of other contexts, then the containers of this one, children first. */
PAJEWRITE__UNTRACED
static void pajewrite__close_all(pajewrite *w)
{
    pajewrite_entry *table = w->config.table;
    pajewrite_event event = PAJEWRITE__ZERO;
    uint64_t deepest = 0;
    size_t i;
    event.time = w->latest > w->config.origin ? w->latest : w->config.origin;
    for (i = 0; i < w->config.table_entries; i++) {
        const pajewrite_entry *e = &table[i], *owner = pajewrite__find_container(w, e->container);
        if (e->tag == PAJEWRITE__PAIR_ENTRY && e->value && (!owner || owner->flags & PAJEWRITE__LEARNED)) {
            event.kind = PAJEWRITE_RESET_STATE;
            event.container.alias = e->container;
            event.type.alias = e->type;
            if (!pajewrite__depends_on_dropped(w, &event))
                pajewrite__write_retry(w, &event, NULL);
            table[i].value = 0;
        } else if (e->tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e)) {
            table[i].time = pajewrite__depth(w, e);
            if (table[i].time > deepest)
                deepest = table[i].time;
        }
    }
    event.kind = PAJEWRITE_DESTROY_CONTAINER;
    for (; deepest; deepest--)
        for (i = 0; i < w->config.table_entries; i++) {
            const pajewrite_entry *e = &table[i];
            if (e->tag == PAJEWRITE__CONTAINER_ENTRY && pajewrite__is_alive(e) && e->time == deepest &&
                !(e->flags & (PAJEWRITE__LEARNED | PAJEWRITE__DROPPED))) {
                event.container.alias = e->container;
                event.type.alias = e->value;
                pajewrite__write_retry(w, &event, NULL);
                table[i].flags |= PAJEWRITE__DESTROYED;
            }
        }
}
#endif
