/* Events with integer user fields. */
#pragma once

#include "fast.h"
#include "fields.h"
#include "window.h"

#define PAJEWRITE__INT_SIZE 21u /* a blank, a sign, 19 digits */

/* Writes the event by the path of all events with user fields. */
PAJEWRITE__COLD void pajewrite__write_ints_slow(pajewrite *w, const pajewrite_event *event, uint64_t time,
                                                pajewrite_variant variant, const int64_t *numbers, uint32_t count)
{
    pajewrite_fields fields = pajewrite_fields_of(variant);
    pajewrite_event timed = *event;
    uint32_t i;
    for (i = 0; i < count; i++)
        pajewrite_field_int(&fields, numbers[i]);
    timed.time = time;
    pajewrite__write_event(w, &timed, &fields);
}

/* Writes, or refuses, any event that pajewrite_write_ints does not write itself.  Its parameters are the same, so that
 * the call is a jump, and nothing is kept for it. */
PAJEWRITE__COLD void pajewrite__write_other_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                                 const int64_t *numbers, uint32_t count)
{
    if (!pajewrite__begin_any(w, event))
        return;
    if (!event || !pajewrite__is_kind((uint32_t)event->kind))
        pajewrite__refuse(w, PAJEWRITE_E_KIND);
    else
        pajewrite__write_ints_slow(w, event, event->time == PAJEWRITE_TIME_NOW && pajewrite__has_time(event->kind) ?
                                   w->clock(w->clock_data) : event->time, variant, numbers, count);
    pajewrite__end_call(w);
}

PAJEWRITE__INLINE char *pajewrite__put_ints(char *p, const int64_t *numbers, uint32_t count)
{
    const int64_t *end = numbers + count;
    for (; numbers < end; numbers++) {
        const int64_t number = *numbers;
        uint64_t n = (uint64_t)number;
        *p++ = ' ';
        if (number < 0) {
            *p++ = '-';
            n = 0 - n;
        }
        if (n < 100) {
            if (n < 10)
                *p++ = (char)('0' + (uint32_t)n);
            else
                p = pajewrite__put_2(p, (uint32_t)n);
        } else if (n < 1000) {
            uint32_t hundreds = (uint32_t)n / 100;
            *p = (char)('0' + hundreds);
            p = pajewrite__put_2(p + 1, (uint32_t)n - hundreds * 100);
        } else {
            p = pajewrite__put_u64(p, n);
        }
    }
    return p;
}

/* Writes time, container and type, behind the number of the event. */
PAJEWRITE__INLINE char *pajewrite__put_ints_place(const pajewrite *w, char *p, const pajewrite_event *event,
                                                  uint64_t ticks)
{
    *p = ' ';
    p = pajewrite__put_window_time(w, p + 1, ticks);
    *p = ' ';
    p = pajewrite__put_u32(p + 1, event->container.alias);
    *p = ' ';
    return pajewrite__put_u32(p + 1, pajewrite__alias(event->type));
}

PAJEWRITE__INLINE char *pajewrite__put_ints_value(char *p, const pajewrite_event *event)
{
    if (event->kind != PAJEWRITE_POP_STATE && event->kind != PAJEWRITE_RESET_STATE) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->value.alias);
    }
    return p;
}

PAJEWRITE__INLINE void pajewrite__end_ints(pajewrite *w, char *p, const int64_t *numbers, uint32_t count, char first)
{
    p = pajewrite__put_ints(p, numbers, count);
    PAJEWRITE__ASSERT((size_t)(p - w->next) < PAJEWRITE__EVENT_SIZE + PAJEWRITE_FIELDS_SIZE);
    w->records++;
    pajewrite__commit(w, p, first);
}

/* Returns the size of a text that is written as it is; 0: it is not, or is longer than `most` bytes. */
PAJEWRITE__UNTRACED
static size_t pajewrite__plain_size(const char *text, size_t most)
{
    /* Bits of the bytes below 64 that need quotes or are replaced (pajewrite__is_replaced): those below ' ', and
     * ' ' " # % ' , */
    const uint64_t others = UINT64_C(0x10adffffffff);
    size_t size = 0;
    unsigned char c;
    while ((unsigned char)(text[size] - '-') <= '~' - '-') /* nearly all keys have no others */
        size++;
    while (c = (unsigned char)text[size], c < 64 ? !(others >> c & 1) : c != 0x7f)
        size++;
    return !c && size <= most ? size : 0;
}

/* Writes the event of a variable or of a link, and any event whose number has more than two digits.  `key_size`: of the
 * text that is the key of a link; 0: it is a number. */
PAJEWRITE__NOINLINE void pajewrite__write_long_ints(pajewrite *w, const pajewrite_event *event, uint64_t ticks,
                                                    uint32_t number, size_t key_size, const int64_t *numbers,
                                                    uint32_t count)
{
    char text[12] = "", *p = w->next + (pajewrite__put_u32(text, number) - text);
    memcpy(w->next + 1, text + 1, sizeof text - 1); /* more than there is, as that many bytes are copied at once */
    p = pajewrite__put_ints_place(w, p, event, ticks);
    if (event->kind >= PAJEWRITE_START_LINK) {
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->value.alias);
        *p = ' ';
        p = pajewrite__put_u32(p + 1, event->other.alias);
        *p++ = ' ';
        p = key_size ? pajewrite__put_bytes(p, event->name, key_size) : pajewrite__put_u64(p, event->key);
    } else if (event->kind > PAJEWRITE_NEW_EVENT) {
        *p = ' ';
        p = pajewrite__put_i64(p + 1, event->integer);
    } else {
        p = pajewrite__put_ints_value(p, event);
    }
    pajewrite__end_ints(w, p, numbers, count, text[0]);
}

/* Whether a variable is a double, or the key of a link is a text that is not written as it is, or may be too long.
 * Sets `*key_size` to the size of another text. */
PAJEWRITE__UNTRACED
static int pajewrite__is_other(const pajewrite *w, const pajewrite_event *event, uint32_t count, size_t *key_size)
{
#if PAJEWRITE_DOUBLE
    if (event->is_real)
        return 1;
#endif
    if (!event->name)
        return 0;
    if (event->kind >= PAJEWRITE_START_LINK && !w->quote_all)
        *key_size = pajewrite__plain_size(event->name, PAJEWRITE_FIELDS_SIZE - count * PAJEWRITE__INT_SIZE);
    return !*key_size;
}

/* As pajewrite__write_ints_slow, `ticks` after the start of the window, for `number`, that of the variant: fewer
 * registers are to be kept than for a time and a variant. */
PAJEWRITE__COLD void pajewrite__write_ints_at(pajewrite *w, const pajewrite_event *event, uint64_t ticks,
                                              uint32_t number, const int64_t *numbers, uint32_t count)
{
    pajewrite_variant variant;
    variant.number = number;
    variant.kind = event->kind;
    variant.fields = count;
    pajewrite__write_ints_slow(w, event, w->window_start + ticks, variant, numbers, count);
}

/* Writes the event within a call.  `following`: w->following.  `number`: that of its variant. */
PAJEWRITE__INLINE void pajewrite__put_ints_event(pajewrite *w, int following, const pajewrite_event *event,
                                                 uint32_t number, const int64_t *numbers, uint32_t count)
{
    const uint32_t kind = (uint32_t)event->kind;
    uint64_t ticks = pajewrite__time(w, event->time == PAJEWRITE_TIME_NOW, event->time) - w->window_start;
    size_t key_size = 0;
    int is_other = 0;
    if (PAJEWRITE__UNLIKELY(ticks >= w->window_ticks)) {
        const uint64_t next = pajewrite__next_window(w, ticks);
        if (next == PAJEWRITE__NO_TICKS) {
            pajewrite__write_ints_at(w, event, ticks, number, numbers, count);
            return;
        }
        ticks = next;
    }
    if (kind > PAJEWRITE_NEW_EVENT)
        is_other = pajewrite__is_other(w, event, count, &key_size);
    if (PAJEWRITE__UNLIKELY(w->limit - w->next <= PAJEWRITE_FIELDS_SIZE) || is_other ||
        (following && (kind > PAJEWRITE_NEW_EVENT || pajewrite__is_variant_dropped(w, number) ||
                       !pajewrite__follow_fast(w, (pajewrite_kind)kind, w->window_start + ticks, event->container,
                                               event->type)))) {
        pajewrite__write_ints_at(w, event, ticks, number, numbers, count);
    } else if (kind > PAJEWRITE_NEW_EVENT || number >= 100) {
        pajewrite__write_long_ints(w, event, ticks, number, key_size, numbers, count);
    } else {
        const char *digits = pajewrite__pairs + number * 2;
        char *p = w->next;
        PAJEWRITE__ASSERT(number >= PAJEWRITE__AFTER_KINDS);
        p[1] = digits[1];
        p = pajewrite__put_ints_place(w, p + 2, event, ticks);
        pajewrite__end_ints(w, pajewrite__put_ints_value(p, event), numbers, count, digits[0]);
    }
}

/* Writes the event of a context with a table, unless another call is under way. */
PAJEWRITE__NOINLINE void pajewrite__follow_ints(pajewrite *w, const pajewrite_event *event, uint32_t number,
                                                const int64_t *numbers, uint32_t count)
{
    if (!pajewrite__begin_slow(w))
        return;
    pajewrite__put_ints_event(w, 1, event, number, numbers, count);
    pajewrite__end_call(w);
}

PAJEWRITE__API void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                        const int64_t *numbers, uint32_t count)
{
    const uint32_t kind = event ? (uint32_t)event->kind : 0;
    if (PAJEWRITE__UNLIKELY((uint32_t)variant.kind != kind || count != variant.fields || !variant.number ||
                            count > PAJEWRITE_FIELDS_SIZE / PAJEWRITE__INT_SIZE ||
                            kind - PAJEWRITE_SET_STATE > PAJEWRITE_END_LINK - PAJEWRITE_SET_STATE ||
                            (PAJEWRITE__LEFT_OUT >> kind & 1))) {
        pajewrite__write_other_ints(w, event, variant, numbers, count);
        return;
    }
    if (!pajewrite__is_enabled(w, event->type))
        return;
    if (PAJEWRITE__UNLIKELY(PAJEWRITE__LOAD(uint32_t, w->mode))) {
        pajewrite__follow_ints(w, event, variant.number, numbers, count);
        return;
    }
    pajewrite__begin_call(w);
    pajewrite__put_ints_event(w, 0, event, variant.number, numbers, count);
    pajewrite__end_call(w);
}
