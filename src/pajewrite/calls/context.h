/* Setup, delivery and end of a context; its aliases. */
#pragma once

#include "fast.h"
#include "fields.h"
#include "../follow/finish.h"
#include "../follow/flight.h"
#include "../api/host.h"

PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w) { return (pajewrite_status)w->status; }

PAJEWRITE__API const char *pajewrite_problem(const pajewrite *w)
{
    return w->problem[0] ? w->problem : pajewrite_status_text(w->status);
}

PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    if (w->clock)
        PAJEWRITE__OR_RELAXED(&w->enabled, categories);
}

PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    PAJEWRITE__AND_RELAXED(&w->enabled, ~categories);
}

PAJEWRITE__API void pajewrite_enable_everywhere(uint32_t categories)
{
    PAJEWRITE__OR_RELAXED(&pajewrite__enabled_everywhere, categories);
}

PAJEWRITE__API void pajewrite_disable_everywhere(uint32_t categories)
{
    PAJEWRITE__AND_RELAXED(&pajewrite__enabled_everywhere, ~categories);
}

#if PAJEWRITE_POSIX
/* CLOCK_MONOTONIC in ticks of other than 9 decimals; `data`: nanoseconds per tick, as a number, since a context may be
 * moved. */
PAJEWRITE__UNTRACED
static uint64_t pajewrite__scaled_monotonic(void *data) { return pajewrite_monotonic(NULL) / (uintptr_t)data; }

/* Sets the clock of a context for which none is given.  Returns 0 where there is none. */
PAJEWRITE__UNTRACED
static int pajewrite__set_usual_clock(pajewrite *w)
{
    w->clock = w->scale == 1 ? pajewrite_monotonic : pajewrite__scaled_monotonic;
    w->clock_data = (void *)(uintptr_t)w->scale;
    return 1;
}
#else
PAJEWRITE__UNTRACED
static uint64_t pajewrite__no_clock(void *data)
{
    (void)data;
    return 0;
}

/* Sets the clock of a context that pajewrite_init refuses, as none is given. */
PAJEWRITE__UNTRACED
static int pajewrite__set_usual_clock(pajewrite *w)
{
    w->clock = pajewrite__no_clock;
    return 0;
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    static const pajewrite_config defaults = PAJEWRITE_CONFIG;
    uint32_t i;
    int misused;
    memset(w, 0, sizeof *w);
    memset(w->prefix, '0', sizeof w->prefix);
    w->config = config ? *config : defaults;
    pajewrite__begin_call(w);
    w->clock = w->config.clock;
    w->clock_data = w->config.clock_data;
    w->second_start = w->config.origin; /* the time of definitions that are dropped */
    w->enabled = ~w->config.disabled;
    w->config.alias_first += !w->config.alias_first;
    w->config.alias_step += !w->config.alias_step;
    for (i = 0; i <= PAJEWRITE__VARIANTS; i++)
        w->alias_next[i] = w->config.alias_first;
    w->decimals = !w->config.decimals ? 9 : w->config.decimals == PAJEWRITE_SECONDS ? 0 : w->config.decimals;
    w->ticks_per_second = w->scale = 1;
    for (i = 0; i < w->decimals && i < 9; i++)
        w->ticks_per_second *= 10;
    for (; i < 9; i++)
        w->scale *= 10;
    misused = !w->clock && !pajewrite__set_usual_clock(w);
    if (w->config.offer && w->config.when_full == PAJEWRITE_FLUSH)
        w->config.when_full = PAJEWRITE_DROP;
    w->following = PAJEWRITE_TABLE && w->config.table != NULL;
    misused |= w->decimals > 9 || w->config.origin > UINT64_MAX - w->ticks_per_second ||
               (!w->config.next_buffer && (!buffer || size < PAJEWRITE_BUFFER_MIN)) ||
               (w->following && (w->config.table_entries < 16 || w->config.table_entries > UINT32_MAX));
    if (w->config.when_full == PAJEWRITE_OVERWRITE)
        misused |= !w->following || !pajewrite__flight_fits(w, size);
    misused |= w->config.offer && (w->config.sink || w->config.next_buffer || w->config.when_full != PAJEWRITE_DROP);
    if (w->config.offer && w->config.definitions_size)
        misused |= !w->following || w->config.definitions_size < PAJEWRITE_BUFFER_MIN || size < PAJEWRITE_BUFFER_MIN ||
                   w->config.definitions_size > size - PAJEWRITE_BUFFER_MIN;
    if (misused) {
        w->decimals = w->following = 0;
        pajewrite__fail(w, PAJEWRITE_E_MISUSE);
        pajewrite__end_call(w);
        return w->status;
    }
    w->mode |= w->following; /* PAJEWRITE__FOLLOWING */
    if (w->following)
        memset(w->config.table, 0, w->config.table_entries * sizeof *w->config.table);
    w->buffer = (char *)buffer;
    w->size = size;
    if (w->config.offer && w->config.definitions_size) {
        w->kept_size = w->config.definitions_size;
        w->size -= w->kept_size;
        w->kept = w->buffer + w->size;
    }
    if (w->config.when_full == PAJEWRITE_OVERWRITE) {
        pajewrite__flight_begin(w);
    } else if (w->config.next_buffer) {
        w->buffer = NULL;
        pajewrite__next_buffer(w, PAJEWRITE_BUFFER_MIN);
    } else {
        pajewrite__set_next(w, w->buffer);
        pajewrite__set_limit(w);
    }
    pajewrite__end_call(w);
    return w->status;
}

PAJEWRITE__API pajewrite_status pajewrite_flush(pajewrite *w)
{
    if (pajewrite__enter(w)) {
        pajewrite__flush(w);
        pajewrite__end_call(w);
    }
    return w->status;
}

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static void pajewrite__attach(pajewrite *w, void *sink_data)
{
    if (!w->kept || w->kept_lost || !w->following || !pajewrite__may_attach(w)) {
        pajewrite__refuse(w, !w->kept_size                ? PAJEWRITE_E_MISUSE
                             : w->kept_lost               ? PAJEWRITE_E_DEFINITIONS
                             : w->kept && !w->following   ? PAJEWRITE_E_TABLE_FULL
                                                          : PAJEWRITE_E_CLOSED);
        return;
    }
    if (w->stopped && w->status == (pajewrite_status)w->stopped)
        w->status = PAJEWRITE_OK;
    w->config.sink_data = sink_data;
    w->dropped += w->records - w->delivered;
    w->records = w->delivered;
    w->stopped = w->blocked = w->torn = 0;
    w->gap_count = 0;
    w->undefined = 0; /* the new peer gets all that is kept */
    w->next = w->buffer; /* nothing waits */
    pajewrite__move_to_front(w);
    if (!pajewrite__write_snapshot(w))
        pajewrite__fail(w, PAJEWRITE_E_SNAPSHOT);
    pajewrite__deliver(w);
}

PAJEWRITE__API pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data)
{
    if (pajewrite__enter(w)) {
        pajewrite__attach(w, sink_data);
        pajewrite__end_call(w);
    }
    return w->status;
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_finish(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return w->status;
    pajewrite__flush_all(w);
#if PAJEWRITE_TABLE
    if (w->following && !w->stopped) {
        if (!w->flight && !w->config.offer)
            w->config.when_full = PAJEWRITE_FLUSH;
        if (!w->config.offer || !w->blocked)
            pajewrite__close_all(w);
        pajewrite__deliver(w);
    }
    if (w->flight) /* all of its memory belongs to the trace */
        pajewrite__flight_end(w);
#endif
    if (w->config.offer)
        pajewrite__offer_rest(w);
    if (w->config.next_buffer)
        pajewrite__next_buffer(w, 0);
    w->config.next_buffer = NULL;
    w->following = 0; /* the caller may use the table and the buffer for something else */
    w->mode &= ~(uint32_t)PAJEWRITE__FOLLOWING;
    w->kept = NULL;
    if (!w->stopped) {
        pajewrite_status status = w->status;
        pajewrite__fail(w, PAJEWRITE_E_CLOSED);
        w->status = status;
    }
    pajewrite__end_call(w);
    return w->status;
}

PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts;
    counts.written = w->records;
    counts.dropped = w->dropped + PAJEWRITE__LOAD(uint32_t, w->reentered);
    counts.refused = w->refused;
    return counts;
}

PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w) { return w->clock ? w->clock(w->clock_data) : 0; }

PAJEWRITE__UNTRACED
static uint32_t pajewrite__new_alias(pajewrite *w, int which, uint32_t max)
{
    uint32_t alias;
    if (!pajewrite__enter(w))
        return 0;
    alias = pajewrite__take_alias(w, which, max);
    pajewrite__end_call(w);
    return alias;
}

PAJEWRITE__API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category)
{
    return PAJEWRITE_TYPE_IN(category, pajewrite__new_alias(w, PAJEWRITE__TYPES, PAJEWRITE_TYPE_MAX));
}

PAJEWRITE__API pajewrite_type pajewrite_new_type(pajewrite *w) { return pajewrite_new_type_in(w, 0); }

PAJEWRITE__API pajewrite_container pajewrite_new_container(pajewrite *w)
{
    return PAJEWRITE_CONTAINER(pajewrite__new_alias(w, PAJEWRITE__CONTAINERS, UINT32_MAX));
}

PAJEWRITE__API pajewrite_value pajewrite_new_value(pajewrite *w)
{
    return PAJEWRITE_VALUE(pajewrite__new_alias(w, PAJEWRITE__VALUES, UINT32_MAX));
}
