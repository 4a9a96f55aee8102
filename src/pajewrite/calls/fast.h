/* Events of numbers only: the fast path. */
#pragma once

#include "any.h"
#include "forms.h"
#include "../api/scope.h"

/* A time as ticks since w->second_start; the value stands for an event that is dropped or refused. */
#define PAJEWRITE__NO_TICKS UINT64_MAX

/* Begins the second of an event.  The ticks are passed, not the time, so that no register has to keep the time.
 * Returns the ticks in the new second. */
PAJEWRITE__COLD uint64_t pajewrite__next_second(pajewrite *w, uint64_t ticks)
{
    const uint64_t time = w->second_start + ticks;
    return pajewrite__new_second(w, time) ? time - w->second_start : PAJEWRITE__NO_TICKS;
}

PAJEWRITE__COLD uint64_t pajewrite__make_event_room(pajewrite *w, uint64_t ticks)
{
    if (w->settles)
        pajewrite__settle(w);
    return pajewrite__make_room(w, PAJEWRITE__EVENT_SIZE, w->second_start + ticks) > 0 ? ticks : PAJEWRITE__NO_TICKS;
}

/* Makes sure that the line of an event can be put at w->next.  Returns its ticks. */
PAJEWRITE__INLINE uint64_t pajewrite__reserve_event(pajewrite *w, uint64_t time)
{
    uint64_t ticks = time - w->second_start;
    if (PAJEWRITE__UNLIKELY(ticks >= w->second_ticks)) {
        ticks = pajewrite__next_second(w, ticks);
        if (ticks == PAJEWRITE__NO_TICKS)
            return ticks;
    }
    if (PAJEWRITE__UNLIKELY(w->next >= w->limit))
        ticks = pajewrite__make_event_room(w, ticks);
    return ticks;
}

/* Begins a line with its number (except the first digit, which the commit stores), time, container and type. */
PAJEWRITE__INLINE char *pajewrite__begin_event(pajewrite *w, pajewrite_kind kind, uint64_t ticks,
                                               pajewrite_container container, pajewrite_type type)
{
    char *p = w->next;
    p[1] = (char)('0' + (uint32_t)kind % 10);
    p[2] = ' ';
    p = pajewrite__put_ticks(w, p + 3, ticks);
    *p = ' ';
    p = pajewrite__put_u32(p + 1, container.alias);
    *p = ' ';
    return pajewrite__put_u32(p + 1, pajewrite__alias(type));
}

PAJEWRITE__INLINE void pajewrite__end_event(pajewrite *w, char *p, pajewrite_kind kind)
{
    PAJEWRITE__ASSERT(p - w->next < PAJEWRITE__EVENT_SIZE);
    w->records++;
    pajewrite__commit(w, p, (char)('0' + (uint32_t)kind / 10));
}

PAJEWRITE__INLINE void pajewrite__fast_state(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                             pajewrite_container container, pajewrite_type type,
                                             pajewrite_value value)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        if (!pajewrite__begin_slow(w))
            return;
        time = pajewrite__time(w, now, time);
        if (!PAJEWRITE_TABLE || !pajewrite__follow_fast(w, kind, time, container, type)) {
            pajewrite__write_entity(w, kind, time, container, type, value, PAJEWRITE_ROOT, 0, NULL);
            pajewrite__end_call(w);
            return;
        }
        ticks = time - w->second_start; /* less than a second, and there is room */
    } else {
        pajewrite__begin_call(w);
        ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    }
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        if (kind != PAJEWRITE_POP_STATE && kind != PAJEWRITE_RESET_STATE) {
            *p = ' ';
            p = pajewrite__put_u32(p + 1, value.alias);
        }
        pajewrite__end_event(w, p, kind);
    }
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__fast_variable(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                                pajewrite_container container, pajewrite_type type, int64_t number)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__slow_number(w, kind, now, time, container, type, number);
        return;
    }
    pajewrite__begin_call(w);
    ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        *p = ' ';
        pajewrite__end_event(w, pajewrite__put_i64(p + 1, number), kind);
    }
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE void pajewrite__fast_link(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type,
                                            pajewrite_value value, pajewrite_container other, uint64_t key)
{
    uint64_t ticks;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__slow_entity(w, kind, now, time, container, type, value, other, key, NULL);
        return;
    }
    pajewrite__begin_call(w);
    ticks = pajewrite__reserve_event(w, pajewrite__time(w, now, time));
    if (PAJEWRITE__LIKELY(ticks != PAJEWRITE__NO_TICKS)) {
        char *p = pajewrite__begin_event(w, kind, ticks, container, type);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, value.alias);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, other.alias);
        *p = ' ';
        pajewrite__end_event(w, pajewrite__put_u64(p + 1, key), kind);
    }
    pajewrite__end_call(w);
}

/* Writes a state or an event, or sets a variable, within a call. */
PAJEWRITE__INLINE void pajewrite__put_event(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, int64_t number)
{
    uint64_t ticks;
    char *p;
    if (w->following && kind == PAJEWRITE_SET_VARIABLE) {
        pajewrite__write_number(w, kind, time, container, type, number);
        return;
    }
    if (w->following && !pajewrite__follow_fast(w, kind, time, container, type)) {
        pajewrite__write_entity(w, kind, time, container, type, PAJEWRITE_VALUE(number), PAJEWRITE_ROOT, 0, NULL);
        return;
    }
    ticks = pajewrite__reserve_event(w, time);
    if (ticks == PAJEWRITE__NO_TICKS)
        return;
    p = pajewrite__begin_event(w, kind, ticks, container, type);
    if (kind == PAJEWRITE_SET_VARIABLE) {
        *p = ' ';
        p = pajewrite__put_i64(p + 1, number);
    } else if (kind != PAJEWRITE_POP_STATE && kind != PAJEWRITE_RESET_STATE) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, (uint32_t)number);
    }
    pajewrite__end_event(w, p, kind);
}

#define PAJEWRITE__STATE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     pajewrite__fast_state, kind, container, type, value)
#define PAJEWRITE__END_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type), \
                     pajewrite__fast_state, kind, container, type, PAJEWRITE_VALUE(0))
#define PAJEWRITE__NUMBER_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, int64_t number), \
                     pajewrite__fast_variable, kind, container, type, number)
#define PAJEWRITE__LINK_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                            pajewrite_container end, uint64_t key), \
                     pajewrite__fast_link, kind, container, type, value, end, key) \
    PAJEWRITE__FORMS(name##_named, (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                                    pajewrite_container end, const char *key), \
                     pajewrite__slow_entity, kind, container, type, value, end, 0, key ? key : "")

PAJEWRITE__STATE_EVENT(set_state, PAJEWRITE_SET_STATE)
PAJEWRITE__STATE_EVENT(push_state, PAJEWRITE_PUSH_STATE)
PAJEWRITE__END_EVENT(pop_state, PAJEWRITE_POP_STATE)
PAJEWRITE__END_EVENT(reset_state, PAJEWRITE_RESET_STATE)
PAJEWRITE__STATE_EVENT(new_event, PAJEWRITE_NEW_EVENT)
PAJEWRITE__NUMBER_EVENT(set_variable, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__NUMBER_EVENT(add_variable, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__NUMBER_EVENT(sub_variable, PAJEWRITE_SUB_VARIABLE)
PAJEWRITE__LINK_EVENT(start_link, PAJEWRITE_START_LINK)
PAJEWRITE__LINK_EVENT(end_link, PAJEWRITE_END_LINK)

PAJEWRITE__API pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    entered.w = PAJEWRITE__HAS_STATES && pajewrite__is_enabled(w, type) ? w : NULL;
    entered.container = container;
    entered.type = type;
    if (entered.w)
        pajewrite__fast_state(w, PAJEWRITE_PUSH_STATE, 1, 0, container, type, value);
    else if (!PAJEWRITE__HAS_STATES)
        pajewrite__refuse_kind(w);
    return entered;
}

PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered)
{
    if (entered->w)
        pajewrite__fast_state(entered->w, PAJEWRITE_POP_STATE, 1, 0, entered->container, entered->type,
                              PAJEWRITE_VALUE(0));
}
