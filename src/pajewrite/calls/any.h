/* Events by the slow path: definitions, containers, any event with user fields. */
#pragma once

#include "../api/calls.h"
#include "../core/line.h"
#include "../follow/event.h"
#include "forms.h"

PAJEWRITE__COLD void pajewrite__write_number(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                           pajewrite_container container, pajewrite_type type, int64_t number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.integer = number;
    pajewrite__write_event(w, &event, NULL);
}

/* Writes a container, whose parent is `other`; a state, event or link; or a trace file. */
PAJEWRITE__COLD void pajewrite__write_entity(pajewrite *w, pajewrite_kind kind, uint64_t time,
                                           pajewrite_container container, pajewrite_type type, pajewrite_value value,
                                           pajewrite_container other, uint64_t key, const char *name)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.value = value;
    event.other = other;
    event.key = key;
    event.name = name;
    pajewrite__write_event(w, &event, NULL);
}

/* Returns the time of an event: that of the clock, or the one given. */
PAJEWRITE__INLINE uint64_t pajewrite__time(const pajewrite *w, int now, uint64_t time)
{
    return now ? w->clock(w->clock_data) : time;
}

/* Begins an event if w->mode is not 0.  Returns 0 if it is dropped because another call is under way. */
PAJEWRITE__INLINE int pajewrite__begin_slow(pajewrite *w)
{
    if (PAJEWRITE__LIKELY(!pajewrite__is_busy(w))) {
        pajewrite__begin_call(w);
        return 1;
    }
    pajewrite__drop_reentered(w);
    return 0;
}

/* Events by the slow path. */
PAJEWRITE__COLD void pajewrite__slow_number(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, int64_t number)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_number(w, kind, pajewrite__time(w, now, time), container, type, number);
    pajewrite__end_call(w);
}

PAJEWRITE__COLD void pajewrite__slow_entity(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                            pajewrite_container container, pajewrite_type type, pajewrite_value value,
                                            pajewrite_container other, uint64_t key, const char *name)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_entity(w, kind, pajewrite__time(w, now, time), container, type, value, other, key, name);
    pajewrite__end_call(w);
}

/* Writes any event, within a call. */
PAJEWRITE__UNTRACED
static void pajewrite__write_any(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    pajewrite_event now;
    if (!event || !pajewrite__is_kind((uint32_t)event->kind)) {
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    if (pajewrite__is_switchable(event->kind) && !pajewrite__is_enabled(w, event->type))
        return;
    if (pajewrite__has_time(event->kind) && event->time == PAJEWRITE_TIME_NOW) {
        now = *event;
        now.time = w->clock(w->clock_data);
        event = &now;
    }
    pajewrite__write_event(w, event, fields);
}

/* Begins a call that writes any event.  Returns 0 if it must do nothing. */
PAJEWRITE__UNTRACED
static int pajewrite__begin_any(pajewrite *w, const pajewrite_event *event)
{
    if (event && pajewrite__is_kind((uint32_t)event->kind) && pajewrite__is_switchable(event->kind))
        return pajewrite__is_enabled(w, event->type) && pajewrite__begin_slow(w);
    return pajewrite__enter(w);
}

PAJEWRITE__API void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    if (!pajewrite__begin_any(w, event))
        return;
    pajewrite__write_any(w, event, fields);
    pajewrite__end_call(w);
}

/* Writes a definition, of a kind that PAJEWRITE_KINDS may leave out. */
PAJEWRITE__UNTRACED
static void pajewrite__enter_definition(pajewrite *w, const pajewrite_event *event)
{
    if (!pajewrite__enter(w))
        return;
    if (pajewrite__is_kind((uint32_t)event->kind))
        pajewrite__write_event(w, event, NULL);
    else
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
    pajewrite__end_call(w);
}

PAJEWRITE__UNTRACED
static void pajewrite__define(pajewrite *w, pajewrite_kind kind, pajewrite_type type, pajewrite_type of,
                              pajewrite_value value, const char *name, const char *color)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.type = type;
    event.of = of;
    event.value = value;
    event.name = name;
    event.color = color;
    pajewrite__enter_definition(w, &event);
}

PAJEWRITE__API void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_CONTAINER_TYPE, type, parent, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_STATE_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *name)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_EVENT_TYPE, type, of, PAJEWRITE_VALUE(0), name, NULL);
}

PAJEWRITE__API void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VARIABLE_TYPE, type, of, PAJEWRITE_VALUE(0), name, color);
}

PAJEWRITE__API void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__define(w, PAJEWRITE_DEFINE_VALUE, type, PAJEWRITE_ROOT_TYPE, value, name, color);
}

PAJEWRITE__API void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = PAJEWRITE_DEFINE_LINK_TYPE;
    event.type = type;
    event.of = of;
    event.start_type = start;
    event.end_type = end;
    event.name = name;
    pajewrite__enter_definition(w, &event);
}

/* Writes what is no switchable event: containers and trace files. */
PAJEWRITE__UNTRACED
static void pajewrite__enter_entity(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                    pajewrite_container container, pajewrite_type type, pajewrite_container parent,
                                    const char *name)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_entity(w, kind, pajewrite__time(w, now, time), container, type, PAJEWRITE_VALUE(0), parent, 0,
                            name);
    pajewrite__end_call(w);
}

PAJEWRITE__API void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    pajewrite__enter_entity(w, PAJEWRITE_CREATE_CONTAINER, 0, time, container, type, parent, name);
}

PAJEWRITE__API void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    pajewrite__enter_entity(w, PAJEWRITE_CREATE_CONTAINER, 1, 0, container, type, parent, name);
}

PAJEWRITE__API void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type)
{
    pajewrite__enter_entity(w, PAJEWRITE_DESTROY_CONTAINER, 0, time, container, type, PAJEWRITE_ROOT, NULL);
}

PAJEWRITE__API void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    pajewrite__enter_entity(w, PAJEWRITE_DESTROY_CONTAINER, 1, 0, container, type, PAJEWRITE_ROOT, NULL);
}

#if PAJEWRITE__HAS_FILES
PAJEWRITE__API void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__enter_entity(w, PAJEWRITE_TRACE_FILE, 0, 0, container, type, PAJEWRITE_ROOT, filename);
}
#endif

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static void pajewrite__write_double(pajewrite *w, pajewrite_kind kind, uint64_t time, pajewrite_container container,
                                    pajewrite_type type, double number)
{
    pajewrite_event event = PAJEWRITE__ZERO;
    event.kind = kind;
    event.time = time;
    event.container = container;
    event.type = type;
    event.real = number;
    event.is_real = 1;
    pajewrite__write_event(w, &event, NULL);
}

PAJEWRITE__UNTRACED
static void pajewrite__slow_double(pajewrite *w, pajewrite_kind kind, int now, uint64_t time,
                                   pajewrite_container container, pajewrite_type type, double number)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__write_double(w, kind, pajewrite__time(w, now, time), container, type, number);
    pajewrite__end_call(w);
}
#define PAJEWRITE__DOUBLE_EVENT(name, kind) \
    PAJEWRITE__FORMS(name, (pajewrite_container container, pajewrite_type type, double number), \
                     pajewrite__slow_double, kind, container, type, number)
PAJEWRITE__DOUBLE_EVENT(set_variable_double, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(add_variable_double, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__DOUBLE_EVENT(sub_variable_double, PAJEWRITE_SUB_VARIABLE)

#endif
