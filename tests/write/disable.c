/* A program that calls all of pajewrite.h, compiled with PAJEWRITE_DISABLE, and with WITHOUT, which leaves out every
 * call that is disabled: the object code has to be the same.  Clocks and sinks are real in both. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_KINDS 31
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#ifdef WITHOUT
#define CALL(call)
#undef PAJEWRITE_SCOPE
#define PAJEWRITE_SCOPE(w, container, type, value) (void)0
#else
#define CALL(call) call;
#endif

/* Calls that return something. */
#ifdef WITHOUT
#define GIVE(call, otherwise) otherwise
#define ASK(call)
#else
#define GIVE(call, otherwise) call
#define ASK(call) (void)call;
#endif

int work(int n);
int work(int n)
{
    const pajewrite_type no_type = {0};
    const pajewrite_container no_container = {0};
    const pajewrite_value no_value = {0};
    const pajewrite_variant no_variant = {0, (pajewrite_kind)0, 0};
    const pajewrite_counts no_counts = {0, 0, 0};
    const pajewrite_fields no_fields = {0};
    const pajewrite_type type = {1};
    const pajewrite_container c = {1};
    const pajewrite_value v = {1};
    pajewrite w;
    pajewrite_fields fields;
    pajewrite_track track;
    pajewrite_variant variant = GIVE(pajewrite_define_variant(&w, PAJEWRITE_POP_STATE, "A int"), no_variant);
    pajewrite_event event = {0};
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite_map map;
#ifdef PAJEWRITE_TSC
    pajewrite_tsc tsc;
#endif
    int i, sum = 0;
    (void)w, (void)fields, (void)track, (void)type, (void)c, (void)v, (void)event, (void)variant, (void)config,
        (void)file, (void)map;
    (void)no_type, (void)no_container, (void)no_value, (void)no_variant, (void)no_counts, (void)no_fields;
    config.origin = pajewrite_monotonic(NULL);
    ASK(pajewrite_init(&w, NULL, 0, &config))
    CALL(pajewrite_header(&w))
    CALL(pajewrite_announce(&w, NULL, 0))
    CALL(pajewrite_learn(&w, &w))
    CALL(pajewrite_enable(&w, 1))
    CALL(pajewrite_disable(&w, (uint32_t)n))
    CALL(pajewrite_enable_everywhere(1))
    CALL(pajewrite_disable_everywhere((uint32_t)n))
    CALL(pajewrite_define_container_type(&w, type, PAJEWRITE_ROOT_TYPE, "t"))
    CALL(pajewrite_define_state_type(&w, type, type, "t"))
    CALL(pajewrite_define_event_type(&w, type, type, "t"))
    CALL(pajewrite_define_variable_type(&w, type, type, "t", NULL))
    CALL(pajewrite_define_link_type(&w, type, type, type, type, "t"))
    CALL(pajewrite_define_value(&w, v, type, "t", NULL))
    CALL(pajewrite_create_container(&w, c, type, PAJEWRITE_ROOT, NULL))
    CALL(pajewrite_create_container_at(&w, 1, c, type, PAJEWRITE_ROOT, NULL))
    for (i = 0; i < n; i++) {
        CALL(pajewrite_set_state(&w, c, type, v))
        CALL(pajewrite_set_state_at(&w, pajewrite_now(&w), c, type, v))
        {
            PAJEWRITE_SCOPE(&w, c, type, v);
            CALL(pajewrite_push_state(&w, c, type, v))
            CALL(pajewrite_push_state_at(&w, 1, c, type, v))
            sum += i;
        }
        CALL(pajewrite_pop_state(&w, c, type))
        CALL(pajewrite_pop_state_at(&w, 1, c, type))
        CALL(pajewrite_reset_state(&w, c, type))
        CALL(pajewrite_reset_state_at(&w, 1, c, type))
        CALL(pajewrite_new_event(&w, c, type, v))
        CALL(pajewrite_new_event_at(&w, 1, c, type, v))
        CALL(pajewrite_set_variable(&w, c, type, i))
        CALL(pajewrite_set_variable_at(&w, 1, c, type, i))
        CALL(pajewrite_add_variable(&w, c, type, i))
        CALL(pajewrite_add_variable_at(&w, 1, c, type, i))
        CALL(pajewrite_sub_variable(&w, c, type, i))
        CALL(pajewrite_sub_variable_at(&w, 1, c, type, i))
        CALL(pajewrite_set_variable_double(&w, c, type, i))
        CALL(pajewrite_set_variable_double_at(&w, 1, c, type, i))
        CALL(pajewrite_add_variable_double(&w, c, type, i))
        CALL(pajewrite_add_variable_double_at(&w, 1, c, type, i))
        CALL(pajewrite_sub_variable_double(&w, c, type, i))
        CALL(pajewrite_sub_variable_double_at(&w, 1, c, type, i))
        CALL(pajewrite_start_link(&w, c, type, v, c, (uint64_t)i))
        CALL(pajewrite_start_link_at(&w, 1, c, type, v, c, (uint64_t)i))
        CALL(pajewrite_start_link_named(&w, c, type, v, c, "k"))
        CALL(pajewrite_start_link_named_at(&w, 1, c, type, v, c, "k"))
        CALL(pajewrite_end_link(&w, c, type, v, c, (uint64_t)i))
        CALL(pajewrite_end_link_at(&w, 1, c, type, v, c, (uint64_t)i))
        CALL(pajewrite_end_link_named(&w, c, type, v, c, "k"))
        CALL(pajewrite_end_link_named_at(&w, 1, c, type, v, c, "k"))
        CALL(pajewrite_field_int(&fields, i))
        CALL(pajewrite_field_hex(&fields, 1))
        CALL(pajewrite_field_string(&fields, "s"))
        CALL(pajewrite_field_double(&fields, 1.5))
        CALL(pajewrite_write(&w, &event, &fields))
        CALL(pajewrite_write_ints(&w, &event, variant, NULL, 0))
        CALL(pajewrite_track_init(&track, &w, c, type))
        CALL(pajewrite_track_set_state(&track, v))
        CALL(pajewrite_track_set_state_at(&track, 1, v))
        CALL(pajewrite_track_push_state(&track, v))
        CALL(pajewrite_track_push_state_at(&track, 1, v))
        CALL(pajewrite_track_pop_state(&track))
        CALL(pajewrite_track_pop_state_at(&track, 1))
        CALL(pajewrite_track_new_event(&track, v))
        CALL(pajewrite_track_new_event_at(&track, 1, v))
        CALL(pajewrite_track_set_variable(&track, i))
        CALL(pajewrite_track_set_variable_at(&track, 1, i))
        ASK(pajewrite_flush(&w))
    }
    CALL(pajewrite_destroy_container(&w, c, type))
    CALL(pajewrite_destroy_container_at(&w, 1, c, type))
    CALL(pajewrite_trace_file(&w, c, type, "f"))
    ASK(pajewrite_attach(&w, NULL))
    ASK(pajewrite_get_status(&w))
    ASK(pajewrite_problem(&w))
    ASK(pajewrite_flight_dump(&w, sizeof w, 0, NULL, 0, config.sink, NULL))
    sum += pajewrite_file_init(&file, n) != PAJEWRITE_OK;
    sum += pajewrite_map_open(&map, pajewrite_status_text(PAJEWRITE_E_SINK), 0) != PAJEWRITE_OK;
#ifdef PAJEWRITE_TSC
    pajewrite_tsc_init(&tsc);
    sum += (int)pajewrite_tsc_now(&tsc);
#endif
    fields = GIVE(pajewrite_fields_of(variant), no_fields);
    sum += (int)GIVE(pajewrite_new_type(&w), no_type).alias;
    sum += (int)GIVE(pajewrite_new_type_in(&w, 3), no_type).alias;
    sum += (int)GIVE(pajewrite_new_container(&w), no_container).alias;
    sum += (int)GIVE(pajewrite_new_value(&w), no_value).alias;
    sum += (int)GIVE(pajewrite_count(&w), no_counts).written;
    return sum + (GIVE(pajewrite_finish(&w), PAJEWRITE_OK) != PAJEWRITE_OK);
}

int main(void) { return work(0); }
