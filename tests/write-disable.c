/* A program that calls all of pajewrite.h, to be compiled with PAJEWRITE_DISABLE, and with WITHOUT defined, which
 * leaves every call out: the object code has to be the same. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_KINDS 31
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#ifdef WITHOUT
#define CALL(call)
#undef PAJEWRITE_SCOPE
#define PAJEWRITE_SCOPE(w, container, type, value)
#else
#define CALL(call) call;
#endif

/* Calls that answer something: without optimization the answer, a constant, may go through a variable of its own. */
#if defined(WITHOUT) || !defined(__OPTIMIZE__)
#define GIVE(call, otherwise) otherwise
#define ASK(call)
#else
#define GIVE(call, otherwise) call
#define ASK(call) call;
#endif

int work(int n);
int work(int n)
{
    const pajewrite_type type = {1};
    const pajewrite_container c = {1};
    const pajewrite_value v = {1};
    pajewrite w;
    pajewrite_fields fields;
    pajewrite_variant variant = GIVE(pajewrite_define_variant(&w, PAJEWRITE_POP_STATE, "A int"), PAJEWRITE__ZEROS(pajewrite_variant));
    pajewrite_event event = PAJEWRITE__ZERO;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_file file;
    pajewrite_map map;
#ifdef PAJEWRITE_TSC
    pajewrite_tsc tsc;
    (void)tsc;
#endif
    int i, sum = 0;
    (void)w, (void)fields, (void)type, (void)c, (void)v, (void)event, (void)variant, (void)config, (void)file, (void)map;
    ASK(pajewrite_init(&w, NULL, 0, &config))
    CALL(pajewrite_header(&w))
    CALL(pajewrite_learn(&w, &w))
    CALL(pajewrite_enable(&w, 1))
    CALL(pajewrite_disable(&w, (uint32_t)n))
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
        PAJEWRITE_SCOPE(&w, c, type, v) {
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
        ASK(pajewrite_flush(&w))
    }
    CALL(pajewrite_destroy_container(&w, c, type))
    CALL(pajewrite_destroy_container_at(&w, 1, c, type))
    CALL(pajewrite_trace_file(&w, c, type, "f"))
    ASK(pajewrite_get_status(&w))
    ASK(pajewrite_flight_dump(&w, sizeof w, 0, NULL, 0, config.sink, NULL))
    ASK(pajewrite_file_init(&file, n))
    ASK(pajewrite_map_open(&map, pajewrite_status_text(PAJEWRITE_OK), 0))
#ifdef PAJEWRITE_TSC
    CALL(pajewrite_tsc_init(&tsc))
#endif
    fields = GIVE(pajewrite_fields_of(variant), PAJEWRITE__ZEROS(pajewrite_fields));
    sum += (int)GIVE(pajewrite_new_type(&w), PAJEWRITE__ZEROS(pajewrite_type)).alias;
    sum += (int)GIVE(pajewrite_new_type_in(&w, 3), PAJEWRITE__ZEROS(pajewrite_type)).alias;
    sum += (int)GIVE(pajewrite_new_container(&w), PAJEWRITE__ZEROS(pajewrite_container)).alias;
    sum += (int)GIVE(pajewrite_new_value(&w), PAJEWRITE__ZEROS(pajewrite_value)).alias;
    sum += (int)GIVE(pajewrite_count(&w), PAJEWRITE__ZEROS(pajewrite_counts)).written;
    return sum + (GIVE(pajewrite_finish(&w), PAJEWRITE_OK) != PAJEWRITE_OK);
}

int main(void) { return work(0); }
