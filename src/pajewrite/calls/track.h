/* Events on tracks.
 *
 * Only what differs from event to event is made into text: the last four digits of the time, and the value.  Whatever
 * is not common (the buffer is full, other decimals than 9, the table has to be looked at) takes the path of all other
 * events. */
#pragma once

#include "fast.h"
#include "window.h"
#include "../api/track.h"

PAJEWRITE__API void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                        pajewrite_type type)
{
    char *p = track->text;
    memset(track, 0, sizeof *track);
    memset(p, '\n', sizeof track->text); /* an event copies all of it, and leaves the rest behind its end */
    track->w = w;
    track->container = container;
    track->type = type;
    *p++ = ' ';
    p = pajewrite__put_u32(p, container.alias);
    *p++ = ' ';
    track->size = (uint32_t)(pajewrite__put_u32(p, pajewrite__alias(type)) - track->text);
}

/* Writes an event by the path of all others.  The number is a state's or an event's value, or a variable's.  `ticks`:
 * since w->window_start. */
PAJEWRITE__COLD void pajewrite__track_slow(const pajewrite_track *track, pajewrite_kind kind, uint64_t ticks,
                                           int64_t number)
{
    const uint64_t time = track->w->window_start + ticks;
    pajewrite__put_event(track->w, kind, time, track->container, track->type, number);
}

PAJEWRITE__INLINE void pajewrite__track_event(const pajewrite_track *track, pajewrite_kind kind, uint64_t time,
                                              int64_t number)
{
    pajewrite *w = track->w;
    uint64_t ticks = time - w->window_start;
    char *p;
    if (PAJEWRITE__UNLIKELY(ticks >= w->window_ticks)) {
        const uint64_t next = pajewrite__next_window(w, ticks);
        if (next == PAJEWRITE__NO_TICKS) {
            pajewrite__track_slow(track, kind, ticks, number);
            return;
        }
        ticks = next;
    }
    if (PAJEWRITE__UNLIKELY(w->next >= w->limit)) {
        pajewrite__track_slow(track, kind, ticks, number);
        return;
    }
    p = w->next;
    p[1] = (char)('0' + (uint32_t)kind % 10);
    p[2] = ' ';
    p = pajewrite__put_window_time(w, p + 3, ticks);
    memcpy(p, track->text, sizeof track->text);
    p += track->size;
    if (kind != PAJEWRITE_POP_STATE) {
        *p = ' ';
        p = kind == PAJEWRITE_SET_VARIABLE ? pajewrite__put_i64(p + 1, number) :
                                             pajewrite__put_u32(p + 1, (uint32_t)number);
    }
    pajewrite__end_event(w, p, kind);
}

/* Writes an event of a context with a table, unless another call is under way. */
PAJEWRITE__NOINLINE void pajewrite__track_followed(const pajewrite_track *track, pajewrite_kind kind, int now,
                                                   uint64_t time, int64_t number)
{
    pajewrite *w = track->w;
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__put_event(w, kind, pajewrite__time(w, now, time), track->container, track->type, number);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__track_call(const pajewrite_track *track, pajewrite_kind kind, int now, uint64_t time,
                                             int64_t number)
{
    pajewrite *w = track->w;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__track_followed(track, kind, now, time, number);
        return;
    }
    pajewrite__begin_call(w);
    pajewrite__track_event(track, kind, pajewrite__time(w, now, time), number);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE int pajewrite__is_track_on(const pajewrite_track *track)
{
    return PAJEWRITE__LIKELY(track->w != NULL) && pajewrite__is_enabled(track->w, track->type);
}

/* Defines the public functions pajewrite_track_NAME and pajewrite_track_NAME_at. */
#define PAJEWRITE__TRACK_FORMS(name, kind, number, ...) \
    PAJEWRITE_API void pajewrite_track_##name(PAJEWRITE__LIST(const pajewrite_track *track __VA_ARGS__)) \
    { \
        if (pajewrite__is_track_on(track)) \
            PAJEWRITE__CALL_IF_PRESENT(track->w, kind, pajewrite__track_call(track, kind, 1, 0, number)); \
    } \
    PAJEWRITE_API void pajewrite_track_##name##_at(PAJEWRITE__LIST(const pajewrite_track *track, \
                                                                   uint64_t time __VA_ARGS__)) \
    { \
        if (pajewrite__is_track_on(track)) \
            PAJEWRITE__CALL_IF_PRESENT(track->w, kind, pajewrite__track_call(track, kind, 0, time, number)); \
    }

PAJEWRITE__TRACK_FORMS(set_state, PAJEWRITE_SET_STATE, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(push_state, PAJEWRITE_PUSH_STATE, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(pop_state, PAJEWRITE_POP_STATE, 0, )
PAJEWRITE__TRACK_FORMS(new_event, PAJEWRITE_NEW_EVENT, value.alias, , pajewrite_value value)
PAJEWRITE__TRACK_FORMS(set_variable, PAJEWRITE_SET_VARIABLE, number, , int64_t number)
