/* The calls that are made of both writers, the ring (ring.c) and the linear one (linear.c), and the options of both.
 * DECIMALS and PAJEWRITE_HZ describe the clock; with DOUBLES there are doubles, too. */
#ifndef TESTS_RING_CALLS_H
#define TESTS_RING_CALLS_H

#include <stdint.h>
#include <string.h>

#ifndef DECIMALS
#define DECIMALS 9
#endif

uint64_t read_clock(void);
size_t linear_announce(char *out, size_t room);
size_t linear_calls(uint32_t calls, uint32_t drawn, char *out, size_t room);

#define PAJEWRITE_API static inline
#define PAJEWRITE_KINDS 31
#ifdef DOUBLES
#define PAJEWRITE_DOUBLE 1
#endif
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

enum { TASK = 1, STATE, MARK, LEVEL, MESSAGE, WAITING = 1, RUNNING = 4000000, SIZED = 40, MARKED };

static const pajewrite_definition table[] PAJEWRITE_ROM = {
    PAJEWRITE_ROM_CONTAINER_TYPE(TASK, 0, "Task"),
    PAJEWRITE_ROM_STATE_TYPE(STATE, TASK, "Task state"),
    PAJEWRITE_ROM_EVENT_TYPE(MARK, TASK, "a b"),
    PAJEWRITE_ROM_VARIABLE_TYPE(LEVEL, TASK, "level", "cc3333"),
    PAJEWRITE_ROM_LINK_TYPE(MESSAGE, 0, TASK, TASK, "gr\303\274n"),
    PAJEWRITE_ROM_VALUE(WAITING, STATE, "waiting", PAJEWRITE_GREY),
    PAJEWRITE_ROM_VALUE(32767, STATE, " ", "33cc33"),
    PAJEWRITE_ROM_CONTAINER(1, TASK, 0, "main"),
    PAJEWRITE_ROM_CONTAINER(12345, TASK, 1, "a b"),
    PAJEWRITE_ROM_VARIANT(SIZED, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int")),
    PAJEWRITE_ROM_VARIANT(MARKED, PAJEWRITE_START_LINK,
                          PAJEWRITE_ROM_FIELD("Size int") PAJEWRITE_ROM_FIELD("Mark string"))
};
#define ENTRIES (sizeof table / sizeof *table)

static uint32_t hash(uint32_t n)
{
    n = (n ^ n >> 16) * 0x85ebca6bu;
    n = (n ^ n >> 13) * 0xc2b2ae35u;
    return n ^ n >> 16;
}

/* Returns a number of any magnitude. */
static uint64_t number(uint32_t n) { return ((uint64_t)hash(n) << 32 | hash(n + 1)) >> hash(n + 2) % 64; }
static uint32_t alias(uint32_t n) { return hash(n) >> hash(n + 1) % 32; }

/* Makes one of `drawn` kinds of calls; the first 22 write an event, the others a line without time. */
static void call(pajewrite *w, uint32_t n, uint32_t drawn)
{
    static const pajewrite_variant sized = {SIZED, PAJEWRITE_PUSH_STATE, 1}, marked = {MARKED, PAJEWRITE_START_LINK, 2};
    static const char *const names[] = {"x", "a b", "", "q\"q", "a#b%c", "new\nline", "gr\303\274n", "-"};
    pajewrite_container c = PAJEWRITE_CONTAINER(alias(n * 16)), other = PAJEWRITE_CONTAINER(alias(n * 16 + 2));
    pajewrite_type t = PAJEWRITE_TYPE_IN(hash(n) % 32, alias(n * 16 + 4) & PAJEWRITE_TYPE_MAX);
    pajewrite_type state = PAJEWRITE_TYPE(STATE);
    pajewrite_value v = PAJEWRITE_VALUE(alias(n * 16 + 6));
    const char *name = names[n % 8];
    uint64_t big = number(n * 16 + 8);
    pajewrite_event event;
    pajewrite_fields fields;
    memset(&event, 0, sizeof event);
    event.time = PAJEWRITE_TIME_NOW;
    event.container = c;
    event.type = t;
    event.value = v;
    event.other = other;
    event.key = big;
    event.integer = (int64_t)big;
    switch (hash(n + 7) % drawn) {
    case 0: pajewrite_set_state(w, c, t, v); break;
    case 1: pajewrite_push_state(w, c, t, v); break;
    case 2: pajewrite_pop_state(w, c, t); break;
    case 3: pajewrite_reset_state(w, c, t); break;
    case 4: pajewrite_new_event(w, c, t, v); break;
    case 5: pajewrite_set_variable(w, c, t, (int64_t)big); break;
    case 6: pajewrite_add_variable(w, c, t, -(int64_t)(big >> 1)); break;
    case 7: pajewrite_sub_variable(w, c, t, INT64_MIN); break;
    case 8: pajewrite_start_link(w, c, t, v, other, big); break;
    case 9: pajewrite_end_link(w, c, t, v, other, UINT64_MAX); break;
    case 10: pajewrite_start_link_named(w, c, t, v, other, name); break;
    case 11: pajewrite_end_link_named(w, c, t, v, other, name); break;
    case 12: pajewrite_create_container(w, c, t, other, name); break;
    case 13: pajewrite_create_container(w, c, t, other, NULL); break;
    case 14: pajewrite_destroy_container(w, c, t); break;
    case 15:
        event.kind = PAJEWRITE_PUSH_STATE;
        if (n & 16) {
            pajewrite_write_ints(w, &event, sized, &event.integer, 1);
            break;
        }
        fields = pajewrite_fields_of(sized);
        pajewrite_field_int(&fields, (int64_t)big);
        pajewrite_write(w, &event, &fields);
        break;
    case 16:
        event.kind = PAJEWRITE_START_LINK;
        fields = pajewrite_fields_of(marked);
        pajewrite_field_hex(&fields, big & 0xffffff);
        pajewrite_field_string(&fields, name);
        pajewrite_write(w, &event, &fields);
        break;
    case 17:
        event.kind = n & 16 ? PAJEWRITE_SUB_VARIABLE : PAJEWRITE_RESET_STATE;
        pajewrite_write(w, &event, NULL);
        break;
    case 18:
        event.kind = PAJEWRITE_END_LINK;
        event.name = n & 16 ? name : NULL;
        pajewrite_write(w, &event, NULL);
        break;
    case 19: { PAJEWRITE_SCOPE(w, c, t, v); } break;
#ifdef DOUBLES
    case 20: pajewrite_add_variable_double(w, c, t, (double)(int64_t)big / 4096); break;
    case 21:
        event.kind = PAJEWRITE_PUSH_STATE;
        fields = pajewrite_fields_of(sized);
        pajewrite_field_double(&fields, (double)big * 1e-5);
        pajewrite_write(w, &event, &fields);
        break;
#else
    case 20: pajewrite_set_state_at(w, pajewrite_now(w), c, t, v); break;
    case 21: pajewrite_sub_variable_at(w, pajewrite_now(w), c, t, (int64_t)big); break;
#endif
    case 22: pajewrite_trace_file(w, c, t, name); break;
    case 23: pajewrite_define_container_type(w, t, state, name); break;
    case 24: pajewrite_define_state_type(w, t, state, NULL); break;
    case 25: pajewrite_define_variable_type(w, t, state, name, NULL); break;
    case 26: pajewrite_define_link_type(w, t, state, t, state, name); break;
    default: pajewrite_define_value(w, v, t, name, "0.1 0.2 0.3");
    }
}

#endif
