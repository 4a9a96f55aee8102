/* Events in a ring: inline functions around one that is not inline. */
#pragma once

#include "calls.h"
#include "ring_context.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PAJEWRITE__COUNT(numbers) ((uint32_t)(numbers) << 16)
#define PAJEWRITE__TIMED 0x400000u
#define PAJEWRITE__EVENT 0x800000u

/* Writes a record: tag, numbers of 32 bits, texts (NULL: none).  The tag of a call has, besides that of the record: how
 * many numbers follow; TIMED: the clock is read (else the first two numbers are the time of an event that has one);
 * EVENT: it may be disabled; FIELDS: user fields follow. */
typedef struct pajewrite__ring_tail {
    const char *name;
    const char *text, *end; /* more texts, each terminated by NUL */
} pajewrite__ring_tail;
PAJEWRITE__API void pajewrite__ring_put(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                       const pajewrite__ring_tail *tail);
PAJEWRITE__API void pajewrite__ring_refuse(pajewrite *w, pajewrite_status status);

/* The name, or, if it is NULL, the alias in decimal, in a local array `digits`. */
#define PAJEWRITE__NAME(name, alias) ((name) ? (name) : pajewrite__ring_alias_text(digits, alias))
PAJEWRITE__API const char *pajewrite__ring_alias_text(char *digits, uint32_t alias);

#define PAJEWRITE__LIST(...) __VA_ARGS__
#define PAJEWRITE__LOW_HIGH(number) (uint32_t)(number), (uint32_t)((uint64_t)(number) >> 32)
/* Whether PAJEWRITE_KINDS has the kind of a tag, which is a constant: if not, there is no line for the record. */
#define PAJEWRITE__IS_PRESENT(tag) (PAJEWRITE__PRESENT >> (PAJEWRITE__NUMBER_OF(tag) & 31u) & 1)
#define PAJEWRITE__PUT(tag, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    if (PAJEWRITE__IS_PRESENT(tag)) \
        pajewrite__ring_put(w, (tag) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, NULL); \
    else \
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND)
#define PAJEWRITE__PUT_TAIL(tag, ...) \
    const uint32_t numbers[] = {__VA_ARGS__}; \
    pajewrite__ring_put(w, (tag) | PAJEWRITE__COUNT(sizeof numbers / sizeof *numbers), numbers, &tail)
#define PAJEWRITE__PUT_TEXT(tag, text, ...) \
    const pajewrite__ring_tail tail = {text, NULL, NULL}; \
    if (!PAJEWRITE__IS_PRESENT(tag)) { \
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND); \
        return; \
    } \
    PAJEWRITE__PUT_TAIL(tag, __VA_ARGS__)

PAJEWRITE__UNTRACED
static inline void pajewrite__ring_define(pajewrite *w, uint32_t tag, uint32_t first, uint32_t second, const char *name,
                                     const char *color)
{
    char digits[11];
    const pajewrite__ring_tail tail = {PAJEWRITE__NAME(name, first), color, color ? color + 1 : NULL};
    if (!PAJEWRITE__IS_PRESENT(tag)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    PAJEWRITE__PUT_TAIL(tag | (color ? PAJEWRITE__FIELDS : 0), first, second);
}

#define PAJEWRITE__DEFINITION(name, kind) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_type type, pajewrite_type of, const char *text) \
    { \
        pajewrite__ring_define(w, PAJEWRITE__TAG(kind, PAJEWRITE__TYPE_LINE), pajewrite__alias(type), \
                               pajewrite__alias(of), text, NULL); \
    }
PAJEWRITE__DEFINITION(define_container_type, PAJEWRITE_DEFINE_CONTAINER_TYPE)
PAJEWRITE__DEFINITION(define_state_type, PAJEWRITE_DEFINE_STATE_TYPE)
PAJEWRITE__DEFINITION(define_event_type, PAJEWRITE_DEFINE_EVENT_TYPE)
#undef PAJEWRITE__DEFINITION

PAJEWRITE__UNTRACED
static inline void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                  const char *name, const char *color)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_DEFINE_VARIABLE_TYPE, PAJEWRITE__TYPE_LINE),
                           pajewrite__alias(type), pajewrite__alias(of), name, color ? color : PAJEWRITE_GREY);
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                              pajewrite_type start, pajewrite_type end, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_DEFINE_LINK_TYPE, PAJEWRITE__LINK_TYPE_LINE),
                        PAJEWRITE__NAME(name, pajewrite__alias(type)), pajewrite__alias(type),
                        pajewrite__alias(of), pajewrite__alias(start), pajewrite__alias(end));
}

PAJEWRITE__UNTRACED
static inline void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                          const char *color)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_DEFINE_VALUE, PAJEWRITE__TYPE_LINE), value.alias,
                           pajewrite__alias(type), name, color ? color : PAJEWRITE_GREY);
}

#if PAJEWRITE__HAS_FILES
PAJEWRITE__UNTRACED
static inline void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        const char *filename)
{
    pajewrite__ring_define(w, PAJEWRITE__TAG(PAJEWRITE_TRACE_FILE, PAJEWRITE__TYPE_LINE), container.alias,
                           pajewrite__alias(type), filename ? filename : "", NULL);
}
#endif

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE) | PAJEWRITE__TIMED,
                        PAJEWRITE__NAME(name, container.alias), container.alias, pajewrite__alias(type),
                        parent.alias);
}

PAJEWRITE__UNTRACED
static inline void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_container parent, const char *name)
{
    char digits[11];
    PAJEWRITE__PUT_TEXT(PAJEWRITE__TAG(PAJEWRITE_CREATE_CONTAINER, PAJEWRITE__CREATE_LINE),
                        PAJEWRITE__NAME(name, container.alias), PAJEWRITE__LOW_HIGH(time), container.alias,
                        pajewrite__alias(type), parent.alias);
}

/* Two forms: at the time of the clock, and _at a time, which takes two more numbers.  The upper 5 bits of the tag are
 * the category of the type. */
#define PAJEWRITE__OF(kind, line) \
    (PAJEWRITE__TAG(kind, line) | PAJEWRITE__EVENT | (type.alias & ~PAJEWRITE_TYPE_MAX))
#define PAJEWRITE__FORMS(name, tag, parameters, put, ...) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put((tag) | PAJEWRITE__TIMED, __VA_ARGS__); \
    } \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, PAJEWRITE__LIST parameters) \
    { \
        PAJEWRITE__##put##_AT(tag, __VA_ARGS__); \
    }
#define PAJEWRITE__PUT_AT(tag, ...) PAJEWRITE__PUT(tag, PAJEWRITE__LOW_HIGH(time), __VA_ARGS__)
#define PAJEWRITE__PUT_TEXT_AT(tag, text, ...) PAJEWRITE__PUT_TEXT(tag, text, PAJEWRITE__LOW_HIGH(time), __VA_ARGS__)

#define PAJEWRITE__VALUE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__STATE_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value), \
                     PUT, container.alias, pajewrite__alias(type), value.alias)
#define PAJEWRITE__END_FORMS(name, tag) \
    PAJEWRITE__FORMS(name, tag, (pajewrite_container container, pajewrite_type type), \
                     PUT, container.alias, pajewrite__alias(type))
#define PAJEWRITE__NUMBER_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__VARIABLE_LINE), \
                     (pajewrite_container container, pajewrite_type type, int64_t number), \
                     PUT, container.alias, pajewrite__alias(type), PAJEWRITE__LOW_HIGH(number))
#define PAJEWRITE__LINK_FORMS(name, kind) \
    PAJEWRITE__FORMS(name, PAJEWRITE__OF(kind, PAJEWRITE__LINK_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, uint64_t key), \
                     PUT, container.alias, pajewrite__alias(type), value.alias, end.alias, PAJEWRITE__LOW_HIGH(key)) \
    PAJEWRITE__FORMS(name##_named, PAJEWRITE__OF(kind, PAJEWRITE__NAMED_LINK_LINE), \
                     (pajewrite_container container, pajewrite_type type, pajewrite_value value, \
                      pajewrite_container end, const char *key), \
                     PUT_TEXT, key ? key : "", container.alias, pajewrite__alias(type), value.alias, end.alias)

PAJEWRITE__END_FORMS(destroy_container, PAJEWRITE__TAG(PAJEWRITE_DESTROY_CONTAINER, PAJEWRITE__END_LINE))
PAJEWRITE__VALUE_FORMS(set_state, PAJEWRITE_SET_STATE)
PAJEWRITE__VALUE_FORMS(push_state, PAJEWRITE_PUSH_STATE)
PAJEWRITE__END_FORMS(pop_state, PAJEWRITE__OF(PAJEWRITE_POP_STATE, PAJEWRITE__END_LINE))
PAJEWRITE__END_FORMS(reset_state, PAJEWRITE__OF(PAJEWRITE_RESET_STATE, PAJEWRITE__END_LINE))
PAJEWRITE__VALUE_FORMS(new_event, PAJEWRITE_NEW_EVENT)
PAJEWRITE__NUMBER_FORMS(set_variable, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__NUMBER_FORMS(add_variable, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__NUMBER_FORMS(sub_variable, PAJEWRITE_SUB_VARIABLE)
PAJEWRITE__LINK_FORMS(start_link, PAJEWRITE_START_LINK)
PAJEWRITE__LINK_FORMS(end_link, PAJEWRITE_END_LINK)
#if PAJEWRITE_DOUBLE
/* Writes a double as text.  Returns 0, and refuses the call, if it is not finite. */
PAJEWRITE__API int pajewrite__ring_double_text(pajewrite *w, char *text, double number);
#define PAJEWRITE__DOUBLE_FORMS(name, kind) \
    PAJEWRITE__FORMS(name##_text, PAJEWRITE__OF(kind, PAJEWRITE__TEXT_LINE), \
                     (pajewrite_container container, pajewrite_type type, const char *text), \
                     PUT_TEXT, text, container.alias, pajewrite__alias(type)) \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name(pajewrite *w, pajewrite_container container, pajewrite_type type, \
                                        double number) \
    { \
        char text[32]; \
        if (pajewrite__ring_double_text(w, text, number)) \
            pajewrite_##name##_text(w, container, type, text); \
    } \
    PAJEWRITE__UNTRACED \
    static inline void pajewrite_##name##_at(pajewrite *w, uint64_t time, pajewrite_container container, \
                                             pajewrite_type type, double number) \
    { \
        char text[32]; \
        if (pajewrite__ring_double_text(w, text, number)) \
            pajewrite_##name##_text_at(w, time, container, type, text); \
    }
PAJEWRITE__DOUBLE_FORMS(set_variable_double, PAJEWRITE_SET_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(add_variable_double, PAJEWRITE_ADD_VARIABLE)
PAJEWRITE__DOUBLE_FORMS(sub_variable_double, PAJEWRITE_SUB_VARIABLE)
#undef PAJEWRITE__DOUBLE_FORMS
#endif
#undef PAJEWRITE__VALUE_FORMS
#undef PAJEWRITE__END_FORMS
#undef PAJEWRITE__NUMBER_FORMS
#undef PAJEWRITE__LINK_FORMS
#undef PAJEWRITE__FORMS

PAJEWRITE__UNTRACED
static inline void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields)
{
    uint32_t kind = (uint32_t)event->kind, number = kind;
    uint32_t parts = PAJEWRITE__EVENT | (event->type.alias & ~PAJEWRITE_TYPE_MAX);
    uint32_t container = event->container.alias, type = pajewrite__alias(event->type);
    uint32_t value = event->value.alias, other = event->other.alias;
    const char *texts = NULL, *end = NULL;
    if (kind - PAJEWRITE_SET_STATE > PAJEWRITE_END_LINK - PAJEWRITE_SET_STATE || (PAJEWRITE__LEFT_OUT >> kind & 1)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
        return;
    }
    if (fields) {
        if (fields->variant.kind != event->kind || fields->count != fields->variant.fields) {
            pajewrite__ring_refuse(w, PAJEWRITE_E_FIELDS);
            return;
        }
#if PAJEWRITE_DOUBLE
        if (fields->not_finite) {
            pajewrite__ring_refuse(w, PAJEWRITE_E_NUMBER);
            return;
        }
#endif
        number = fields->variant.number;
        texts = fields->text;
        end = texts + fields->size;
        parts |= PAJEWRITE__FIELDS;
    }
#define PAJEWRITE__PUT_EVENT(line, name, ...) \
    { \
        const pajewrite__ring_tail tail = {name, texts, end}; \
        if (event->time == PAJEWRITE_TIME_NOW) { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__TAG(number, line) | PAJEWRITE__TIMED | parts, __VA_ARGS__); \
        } else { \
            PAJEWRITE__PUT_TAIL(PAJEWRITE__TAG(number, line) | parts, PAJEWRITE__LOW_HIGH(event->time), __VA_ARGS__); \
        } \
    }
    if (kind >= PAJEWRITE_START_LINK && event->name)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__NAMED_LINK_LINE, event->name, container, type, value, other)
    else if (kind >= PAJEWRITE_START_LINK)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__LINK_LINE, NULL, container, type, value, other, PAJEWRITE__LOW_HIGH(event->key))
#if PAJEWRITE_DOUBLE
    else if (kind >= PAJEWRITE_SET_VARIABLE && event->is_real) {
        char text[32];
        if (pajewrite__ring_double_text(w, text, event->real))
            PAJEWRITE__PUT_EVENT(PAJEWRITE__TEXT_LINE, text, container, type)
    }
#endif
    else if (kind >= PAJEWRITE_SET_VARIABLE)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__VARIABLE_LINE, NULL, container, type, PAJEWRITE__LOW_HIGH(event->integer))
    else if (kind == PAJEWRITE_POP_STATE || kind == PAJEWRITE_RESET_STATE)
        PAJEWRITE__PUT_EVENT(PAJEWRITE__END_LINE, NULL, container, type)
    else
        PAJEWRITE__PUT_EVENT(PAJEWRITE__STATE_LINE, NULL, container, type, value)
#undef PAJEWRITE__PUT_EVENT
}

#if PAJEWRITE_FIELDS_SIZE
PAJEWRITE__UNTRACED
static inline void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    pajewrite_fields fields = pajewrite_fields_of(variant);
    uint32_t i;
    for (i = 0; i < count; i++)
        pajewrite_field_int(&fields, numbers[i]);
    pajewrite_write(w, event, &fields);
}
#endif

#ifdef __cplusplus
}
#endif
