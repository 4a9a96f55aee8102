/* The programs whose size tests/ring/embedded/sizes.sh measures.  With IMPLEMENTATION: the implementation of a header;
 * without: calls of the functions of a set of features, which are not counted. */
#include <stddef.h>
#include <stdint.h>

#define USE(name, call) \
    void use_##name(void); \
    void use_##name(void) { call; }

#ifdef WRITER

extern volatile uint64_t ticks;
#define PAJEWRITE_RING 1
#define PAJEWRITE_NOW() ticks
#ifdef IMPLEMENTATION
#define PAJEWRITE_IMPLEMENTATION
#endif
#include "pajewrite.h"

#ifdef IMPLEMENTATION
volatile uint64_t ticks;
pajewrite w;
#else
extern pajewrite w;
extern pajewrite_container c;
extern pajewrite_type t;
extern pajewrite_value v;
extern uint64_t time, key;
extern int64_t number;
extern char ring[128], name[];
extern const pajewrite_definition table[];
extern size_t size;
extern pajewrite_fields fields;
extern pajewrite_variant variant;
extern pajewrite_counts counts;
extern double real;

USE(init, pajewrite_init(&w, ring, sizeof ring, NULL))
USE(announce, pajewrite_announce(&w, table, 10))
USE(next_byte, pajewrite_next_byte(&w))
USE(set_state, pajewrite_set_state(&w, c, t, v))
USE(push_state, pajewrite_push_state(&w, c, t, v))
USE(pop_state, pajewrite_pop_state(&w, c, t))
USE(reset_state, pajewrite_reset_state(&w, c, t))
USE(new_event, pajewrite_new_event(&w, c, t, v))
USE(set_state_at, pajewrite_set_state_at(&w, time, c, t, v))
USE(push_state_at, pajewrite_push_state_at(&w, time, c, t, v))
USE(pop_state_at, pajewrite_pop_state_at(&w, time, c, t))
USE(reset_state_at, pajewrite_reset_state_at(&w, time, c, t))
USE(new_event_at, pajewrite_new_event_at(&w, time, c, t, v))
#if WRITER > 1
USE(set_variable, pajewrite_set_variable(&w, c, t, number))
USE(add_variable, pajewrite_add_variable(&w, c, t, number))
USE(sub_variable, pajewrite_sub_variable(&w, c, t, number))
USE(start_link, pajewrite_start_link(&w, c, t, v, c, key))
USE(end_link, pajewrite_end_link(&w, c, t, v, c, key))
USE(create_container, pajewrite_create_container(&w, c, t, c, name))
USE(destroy_container, pajewrite_destroy_container(&w, c, t))
USE(fields_of, fields = pajewrite_fields_of(variant))
USE(field_int, pajewrite_field_int(&fields, number))
USE(write, pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE}; event.time = PAJEWRITE_TIME_NOW;
    event.container = c; event.type = t; event.value = v; pajewrite_write(&w, &event, &fields))
USE(enable, pajewrite_enable(&w, 1))
USE(disable, pajewrite_disable(&w, 1))
USE(count, counts = pajewrite_count(&w))
#endif
#if WRITER > 2
USE(set_variable_double, pajewrite_set_variable_double(&w, c, t, real))
USE(field_double, pajewrite_field_double(&fields, real))
#endif
#endif

#else

#ifdef IMPLEMENTATION
#define PAJESIM_IMPLEMENTATION
#endif
#include "pajesim.h"

#ifdef IMPLEMENTATION
pajesim w;
#else
extern pajesim w;
extern uint64_t arena[512];
extern const pajesim_callbacks callbacks;
extern char bytes[64];
extern pajesim_ref ref;

USE(init, pajesim_init(&w, arena, sizeof arena, NULL, &callbacks, NULL))
USE(feed, pajesim_feed(&w, bytes, sizeof bytes, NULL))
USE(finish, pajesim_finish(&w))
USE(count, pajesim_count(&w))
USE(name, pajesim_name(&w, ref))
USE(parent, pajesim_parent(&w, ref))
#endif
#endif
