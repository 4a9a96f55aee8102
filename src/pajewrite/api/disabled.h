/* Calls that are compiled out (PAJEWRITE_DISABLE): made by src/disabled.awk from calls.h; do not edit. */
#pragma once

#include "guard.h"
#include "model.h"
#include "definitions.h"
#include "track.h"
#ifdef __cplusplus
extern "C" {
#endif
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    (void)w, (void)buffer, (void)size, (void)config;
    return PAJEWRITE_OK;
}

#if PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline int pajewrite_next_byte(pajewrite *w)
{
    (void)w;
    return -1;
}

PAJEWRITE__UNTRACED
static inline size_t pajewrite_read(pajewrite *w, char *bytes, size_t size)
{
    (void)w, (void)bytes, (void)size;
    return 0;
}

#else
PAJEWRITE__UNTRACED
static inline void pajewrite_header(pajewrite *w)
{
    (void)w;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_flush(pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_finish(pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

#if PAJEWRITE_TABLE
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                    size_t scratch_size, pajewrite_sink sink, void *sink_data)
{
    (void)memory, (void)size, (void)keep_halves, (void)scratch, (void)scratch_size, (void)sink, (void)sink_data;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data)
{
    (void)w, (void)sink_data;
    return PAJEWRITE_OK;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_learn(pajewrite *w, const pajewrite *from)
{
    (void)w, (void)from;
}

#endif
#endif
PAJEWRITE__UNTRACED
static inline pajewrite_status pajewrite_get_status(const pajewrite *w)
{
    (void)w;
    return PAJEWRITE_OK;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline const char *pajewrite_problem(const pajewrite *w)
{
    (void)w;
    return "no problem";
}

#endif
PAJEWRITE__UNTRACED
static inline pajewrite_counts pajewrite_count(const pajewrite *w)
{
    (void)w;
    {
        pajewrite_counts nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline uint64_t pajewrite_now(const pajewrite *w)
{
    (void)w;
    return 0;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    (void)w, (void)categories;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    (void)w, (void)categories;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline void pajewrite_enable_everywhere(uint32_t categories)
{
    (void)categories;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_disable_everywhere(uint32_t categories)
{
    (void)categories;
}

#endif
#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline pajewrite_type pajewrite_new_type(pajewrite *w)
{
    (void)w;
    {
        pajewrite_type nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category)
{
    (void)w, (void)category;
    {
        pajewrite_type nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_container pajewrite_new_container(pajewrite *w)
{
    (void)w;
    {
        pajewrite_container nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

PAJEWRITE__UNTRACED
static inline pajewrite_value pajewrite_new_value(pajewrite *w)
{
    (void)w;
    {
        pajewrite_value nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                   const char *name)
{
    (void)w, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                               const char *name)
{
    (void)w, (void)type, (void)of, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                               const char *name)
{
    (void)w, (void)type, (void)of, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    (void)w, (void)type, (void)of, (void)name, (void)color;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    (void)w, (void)type, (void)of, (void)start, (void)end, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    (void)w, (void)value, (void)type, (void)name, (void)color;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    (void)w, (void)table, (void)entries;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    (void)w, (void)container, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    (void)w, (void)time, (void)container, (void)type, (void)parent, (void)name;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                  pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_push_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_push_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_pop_state(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_pop_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_reset_state(pajewrite *w, pajewrite_container container, pajewrite_type type)
{
    (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_reset_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type)
{
    (void)w, (void)time, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_new_event(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                       pajewrite_value value)
{
    (void)w, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_new_event_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                          pajewrite_type type, pajewrite_value value)
{
    (void)w, (void)time, (void)container, (void)type, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          int64_t number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, int64_t number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_set_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_add_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                 double number)
{
    (void)w, (void)container, (void)type, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_sub_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type, double number)
{
    (void)w, (void)time, (void)container, (void)type, (void)number;
}

#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_start_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value, pajewrite_container start, uint64_t key)
{
    (void)w, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                           uint64_t key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_value value, pajewrite_container start, const char *key)
{
    (void)w, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_start_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_value value,
                                                 pajewrite_container start, const char *key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)start, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                      pajewrite_value value, pajewrite_container end, uint64_t key)
{
    (void)w, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                         pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                         uint64_t key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            pajewrite_value value, pajewrite_container end, const char *key)
{
    (void)w, (void)container, (void)type, (void)value, (void)end, (void)key;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_end_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                               const char *key)
{
    (void)w, (void)time, (void)container, (void)type, (void)value, (void)end, (void)key;
}

#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                       pajewrite_type type)
{
    (void)track, (void)w, (void)container, (void)type;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_state(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_push_state(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_push_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_pop_state(const pajewrite_track *track)
{
    (void)track;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_pop_state_at(const pajewrite_track *track, uint64_t time)
{
    (void)track, (void)time;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_new_event(const pajewrite_track *track, pajewrite_value value)
{
    (void)track, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_new_event_at(const pajewrite_track *track, uint64_t time, pajewrite_value value)
{
    (void)track, (void)time, (void)value;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_variable(const pajewrite_track *track, int64_t number)
{
    (void)track, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_track_set_variable_at(const pajewrite_track *track, uint64_t time, int64_t number)
{
    (void)track, (void)time, (void)number;
}

#endif
#if PAJEWRITE__HAS_FILES
PAJEWRITE__UNTRACED
static inline void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    (void)w, (void)container, (void)type, (void)filename;
}

#endif
#if !PAJEWRITE_RING
PAJEWRITE__UNTRACED
static inline pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    (void)w, (void)kind, (void)fields;
    {
        pajewrite_variant nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#endif
PAJEWRITE__UNTRACED
static inline pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    (void)variant;
    {
        pajewrite_fields nothing = PAJEWRITE__ZERO;
        return nothing;
    }
}

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    (void)fields, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    (void)fields, (void)number;
}

PAJEWRITE__UNTRACED
static inline void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    (void)fields, (void)text;
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__UNTRACED
static inline void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    (void)fields, (void)number;
}

#endif
#endif
PAJEWRITE__UNTRACED
static inline void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    (void)w, (void)event, (void)fields;
}

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    (void)w, (void)event, (void)variant, (void)numbers, (void)count;
}

#endif
#ifdef __cplusplus
}
#endif
