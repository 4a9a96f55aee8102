/* The context, and user fields. */
#pragma once

#include "drain.h"
#include "../format/doubles.h"
#include "../api/scope.h"


PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config)
{
    (void)config;
    memset(w, 0, sizeof *w);
    w->status = PAJEWRITE_E_MISUSE; /* until the end: an empty ring of no size */
    w->units = w->stack_top = &w->tag;
    w->enabled = UINT32_MAX;
    if (buffer && !((size + 0ul - PAJEWRITE_BUFFER_MIN) >> 16)) { /* 0ul: size_t may have 16 bits */
        uint16_t *units = (uint16_t *)(void *)((char *)buffer + ((uintptr_t)buffer & 1));
        w->stack_top = units;
        *units = 0;
        w->units = units + PAJEWRITE__FRONT_UNITS;
        w->size = (uint16_t)(size / 2 - PAJEWRITE__FRONT_UNITS - 1); /* 1: the first byte may be skipped */
        w->status = PAJEWRITE_OK;
    }
    return (pajewrite_status)w->status;
}

PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w)
{
    pajewrite_counts counts = PAJEWRITE__ZERO;
    unsigned saved = 0;
    if (PAJEWRITE__IN_PARTS)
        PAJEWRITE_ENTER(saved);
    counts.dropped = w->dropped;
    if (PAJEWRITE__IN_PARTS)
        PAJEWRITE_LEAVE(saved);
    (void)saved;
    return counts;
}

PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w)
{
    uint64_t now;
    unsigned saved;
    (void)w;
    PAJEWRITE_ENTER(saved);
    now = PAJEWRITE_NOW();
    PAJEWRITE_LEAVE(saved);
    return now;
}


#if PAJEWRITE_DOUBLE
PAJEWRITE__API int pajewrite__ring_double_text(pajewrite *w, char *text, double number)
{
    if (!pajewrite__is_finite(number)) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_NUMBER);
        return 0;
    }
    *pajewrite__put_double(text, number) = 0;
    return 1;
}
#endif


/* Writes a push or a pop, also if its category is disabled. */
PAJEWRITE__NOINLINE void pajewrite__ring_put_scope(pajewrite *w, uint32_t tag, const uint32_t *numbers)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    pajewrite__ring_write_record(w, tag | PAJEWRITE__TIMED, numbers, NULL);
    PAJEWRITE_LEAVE(saved);
}

/* Whether the state is written is decided here, as interrupts may enable and disable its category. */
PAJEWRITE__API pajewrite_entered pajewrite_enter(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value)
{
    pajewrite_entered entered;
    volatile pajewrite_entered *const stored = &entered; /* stored before the call, which saves registers and stack */
    const int is_enabled = PAJEWRITE__HAS_STATES ? w->enabled >> (type.alias >> 27) & 1 : 0;
    stored->w = is_enabled ? w : NULL;
    stored->container.alias = container.alias;
    stored->type.alias = type.alias;
    if (is_enabled) {
        const uint32_t numbers[] = {container.alias, pajewrite__alias(type), value.alias};
        pajewrite__ring_put_scope(w, PAJEWRITE__TAG(PAJEWRITE_PUSH_STATE, PAJEWRITE__STATE_LINE) | PAJEWRITE__COUNT(3),
                                  numbers);
    } else if (!PAJEWRITE__HAS_STATES) {
        pajewrite__ring_refuse(w, PAJEWRITE_E_KIND);
    }
    return entered;
}

PAJEWRITE__API void pajewrite_leave(const pajewrite_entered *entered)
{
    if (entered->w) {
        const uint32_t numbers[] = {entered->container.alias, pajewrite__alias(entered->type)};
        pajewrite__ring_put_scope(entered->w,
                                  PAJEWRITE__TAG(PAJEWRITE_POP_STATE, PAJEWRITE__END_LINE) | PAJEWRITE__COUNT(2),
                                  numbers);
    }
}

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    pajewrite_fields fields;
    fields.variant = variant;
    fields.count = fields.size = fields.invalid = fields.not_finite = 0;
    return fields;
}

#if PAJEWRITE_FIELDS_SIZE

/* Appends a field; each is terminated by NUL. */
PAJEWRITE__UNTRACED
static void pajewrite__ring_add_field(pajewrite_fields *fields, const char *text)
{
    fields->count++;
    do {
        if (fields->size == sizeof fields->text) {
            fields->count = UINT32_MAX / 2; /* too long: never matches the variant */
            return;
        }
        fields->text[fields->size++] = *text;
    } while (*text++);
}

PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    char text[24], *p = pajewrite__small_long(text + 23, PAJEWRITE__LOW_HIGH(number), 1);
    text[23] = 0;
    pajewrite__ring_add_field(fields, p);
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    char text[32];
    fields->not_finite |= !pajewrite__is_finite(number);
    *pajewrite__put_double(text, fields->not_finite ? 0 : number) = 0;
    pajewrite__ring_add_field(fields, text);
}
#endif

PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    char text[20], *p = text + sizeof text;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--p = 'x';
    *--p = '0';
    pajewrite__ring_add_field(fields, p);
}

PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    pajewrite__ring_add_field(fields, text ? text : "");
}
#endif

PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w) { return (pajewrite_status)w->status; }

/* Interrupts are masked, as they may call these, too. */
PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    w->enabled |= categories;
    PAJEWRITE_LEAVE(saved);
}

PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    w->enabled &= ~categories;
    PAJEWRITE_LEAVE(saved);
}
