/* Makes the calls of a random program in any of the ways that there are, for same.c. */
#ifndef TESTS_SAME_CALLS_H
#define TESTS_SAME_CALLS_H

#include "same_program.h"

#include <math.h>

typedef struct writing {
    pajewrite w;
    pajewrite_variant ints[PAJEWRITE_END_LINK + 1][FIELDS_MAX + 1], all[PAJEWRITE_END_LINK + 1];
    int clock_ahead; /* 1: the time is that of the clock */
} writing;

static uint64_t now;

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
}

static void define(writing *it)
{
    static const char *const lists[] = {"", "Count int", "Count int, Rank int", "Count int, Rank int, Size int"};
    static const char of_most_types[] = "Mask hex, Note string", of_each_type[] = "Mask hex, Note string, X double";
    pajewrite *w = &it->w;
    uint32_t i, k, kind;
    pajewrite_header(w);
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(OUTER), PAJEWRITE_ROOT_TYPE, "Outer");
    pajewrite_define_container_type(w, PAJEWRITE_TYPE(INNER), PAJEWRITE_TYPE(OUTER), NULL);
    for (i = 0; i < 2; i++) {
        pajewrite_define_state_type(w, type_of(STATES + i), PAJEWRITE_TYPE(OUTER + i), i ? "it's \"a\" state" : "");
        pajewrite_define_event_type(w, type_of(MARKS + i), PAJEWRITE_TYPE(OUTER + i), NULL);
        pajewrite_define_variable_type(w, type_of(GAUGES + i), PAJEWRITE_TYPE(OUTER + i), "a gauge", colors[1 + i]);
        pajewrite_define_link_type(w, type_of(LINKS + i), PAJEWRITE_ROOT_TYPE, PAJEWRITE_TYPE(OUTER),
                                   PAJEWRITE_TYPE(OUTER), "link");
        for (k = 1; k < 4; k++) {
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(STATES + i), k == 1 ? NULL : "value", colors[k]);
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(MARKS + i), "value's", NULL);
            pajewrite_define_value(w, PAJEWRITE_VALUE(k), type_of(LINKS + i), "", colors[k]);
        }
    }
    memset(it->ints, 0, sizeof it->ints);
    memset(it->all, 0, sizeof it->all);
    for (kind = PAJEWRITE_SET_STATE; kind <= PAJEWRITE_END_LINK && has_fields; kind++) {
        for (k = 0; k <= FIELDS_MAX; k++)
            it->ints[kind][k] = pajewrite_define_variant(w, (pajewrite_kind)kind, lists[k]);
        it->all[kind] = pajewrite_define_variant(w, (pajewrite_kind)kind, has_doubles ? of_each_type : of_most_types);
    }
}

/* Makes the call of an event in the way that its function is for. */
static void call_plainly(writing *it, const pajewrite_event *e, int by_name)
{
    pajewrite *w = &it->w;
    const pajewrite_container c = e->container;
    const pajewrite_type t = e->type;
    const int at = !it->clock_ahead;
    now = e->time;
#define FORMS(name, ...) \
    do { \
        if (at) \
            pajewrite_##name##_at(w, e->time, __VA_ARGS__); \
        else \
            pajewrite_##name(w, __VA_ARGS__); \
    } while (0)
    switch (e->kind) {
    case PAJEWRITE_CREATE_CONTAINER: FORMS(create_container, c, t, e->other, e->name); break;
    case PAJEWRITE_DESTROY_CONTAINER: FORMS(destroy_container, c, t); break;
    case PAJEWRITE_SET_STATE: FORMS(set_state, c, t, e->value); break;
    case PAJEWRITE_PUSH_STATE: FORMS(push_state, c, t, e->value); break;
    case PAJEWRITE_POP_STATE: FORMS(pop_state, c, t); break;
    case PAJEWRITE_RESET_STATE: FORMS(reset_state, c, t); break;
    case PAJEWRITE_NEW_EVENT: FORMS(new_event, c, t, e->value); break;
#if PAJEWRITE_DOUBLE
    case PAJEWRITE_SET_VARIABLE:
        if (e->is_real)
            FORMS(set_variable_double, c, t, e->real);
        else
            FORMS(set_variable, c, t, e->integer);
        break;
    case PAJEWRITE_ADD_VARIABLE:
        if (e->is_real)
            FORMS(add_variable_double, c, t, e->real);
        else
            FORMS(add_variable, c, t, e->integer);
        break;
    case PAJEWRITE_SUB_VARIABLE:
        if (e->is_real)
            FORMS(sub_variable_double, c, t, e->real);
        else
            FORMS(sub_variable, c, t, e->integer);
        break;
#else
    case PAJEWRITE_SET_VARIABLE: FORMS(set_variable, c, t, e->integer); break;
    case PAJEWRITE_ADD_VARIABLE: FORMS(add_variable, c, t, e->integer); break;
    case PAJEWRITE_SUB_VARIABLE: FORMS(sub_variable, c, t, e->integer); break;
#endif
    case PAJEWRITE_START_LINK:
        if (by_name)
            FORMS(start_link_named, c, t, e->value, e->other, e->name);
        else
            FORMS(start_link, c, t, e->value, e->other, e->key);
        break;
    case PAJEWRITE_END_LINK:
        if (by_name)
            FORMS(end_link_named, c, t, e->value, e->other, e->name);
        else
            FORMS(end_link, c, t, e->value, e->other, e->key);
        break;
    default: pajewrite_write(w, e, NULL);
    }
}

#define TRACK_FORMS(name, value) \
    do { \
        if (at) \
            pajewrite_track_##name##_at(&track, e->time, value); \
        else \
            pajewrite_track_##name(&track, value); \
        return 1; \
    } while (0)

/* Makes the call on a track; returns 0 if there is none for this event. */
static int call_on_track(writing *it, const pajewrite_event *e)
{
    const int at = !it->clock_ahead;
    pajewrite_track track;
    pajewrite_track_init(&track, &it->w, e->container, e->type);
    now = e->time;
    switch (e->kind) {
    case PAJEWRITE_SET_STATE: TRACK_FORMS(set_state, e->value);
    case PAJEWRITE_PUSH_STATE: TRACK_FORMS(push_state, e->value);
    case PAJEWRITE_NEW_EVENT: TRACK_FORMS(new_event, e->value);
    case PAJEWRITE_POP_STATE:
        if (at)
            pajewrite_track_pop_state_at(&track, e->time);
        else
            pajewrite_track_pop_state(&track);
        return 1;
    case PAJEWRITE_SET_VARIABLE:
#if PAJEWRITE_DOUBLE
        if (e->is_real)
            return 0;
#endif
        TRACK_FORMS(set_variable, e->integer);
    default: return 0;
    }
}

/* Sets members that an event of this kind does not use, as they are where a program uses one event for many. */
static void add_unused(pajewrite_event *e)
{
    if (e->kind >= PAJEWRITE_DESTROY_CONTAINER && e->kind <= PAJEWRITE_SUB_VARIABLE)
        e->name = "not a name\n";
    if (e->kind != PAJEWRITE_DEFINE_VARIABLE_TYPE && e->kind != PAJEWRITE_DEFINE_VALUE)
        e->color = "no colour";
#if PAJEWRITE_DOUBLE
    if (e->kind < PAJEWRITE_SET_VARIABLE || e->kind > PAJEWRITE_SUB_VARIABLE) {
        e->is_real = 1;
        e->real = HUGE_VAL;
    }
#endif
    if (e->kind == PAJEWRITE_TRACE_FILE)
        e->time = PAJEWRITE_TIME_NOW;
}

static void call(writing *it, const operation *o)
{
    pajewrite_event event = o->event;
    pajewrite_fields fields;
    uint32_t i;
    now = event.time;
    if (it->clock_ahead && event.kind != PAJEWRITE_TRACE_FILE && other(2))
        event.time = PAJEWRITE_TIME_NOW;
    if (other(8) == 0)
        add_unused(&event);
    if (o->ints && other(2)) {
        pajewrite_write_ints(&it->w, &event, it->ints[event.kind][o->ints - 1], o->numbers, o->ints - 1);
    } else if (o->ints || o->has_fields) {
        fields = pajewrite_fields_of(o->ints ? it->ints[event.kind][o->ints - 1] : it->all[event.kind]);
        for (i = 0; i + 1 < o->ints; i++)
            pajewrite_field_int(&fields, o->numbers[i]);
        if (!o->ints) {
            pajewrite_field_hex(&fields, (uint64_t)o->numbers[0]);
            pajewrite_field_string(&fields, names[(uint64_t)o->numbers[1] % (sizeof names / sizeof *names)]);
#if PAJEWRITE_DOUBLE
            if (has_doubles)
                pajewrite_field_double(&fields, (double)o->numbers[2] / 64);
#endif
        }
        pajewrite_write(&it->w, &event, &fields);
    } else if (other(3) == 0) {
        pajewrite_write(&it->w, &event, NULL);
    } else if (other(2) || !call_on_track(it, &o->event)) {
        call_plainly(it, &o->event, o->by_name);
    }
}

#endif
