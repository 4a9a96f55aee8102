/* Writing records, with interrupts masked. */
#pragma once

#include "../api/ring_calls.h"
#include "platform.h"
#include "../format/small_numbers.h"
#include <string.h>

/* Units in front of the ring: the stack of words to be resumed, innermost last, and one piece of text, which ends where
 * the ring begins.  The longest piece is a time. */
enum { PAJEWRITE__FRONT_UNITS = 6 + 11 };


PAJEWRITE__NOINLINE void pajewrite__ring_put_number(pajewrite *w, uint32_t n)
{
    do {
        uint32_t at = w->next, next = at + 1, size = w->size, more = n >> 15;
        PAJEWRITE__ASSERT(at <= size);
        if (at == size)
            break;
        if (next == size)
            next = 0;
        if (next == w->tail)
            next = size;
        w->next = (uint16_t)next;
        n *= 2;
        if (more)
            n++;
        w->units[at] = (uint16_t)n;
        n = more;
    } while (n);
}

PAJEWRITE__UNTRACED
static void pajewrite__ring_put_number64(pajewrite *w, uint64_t n)
{
    pajewrite__ring_put_number(w, (uint32_t)n);
    pajewrite__ring_put_number(w, (uint32_t)(n >> 32));
}

#if PAJEWRITE_TEXTS
/* Replaces bytes that some readers do not accept by _. */
PAJEWRITE__NOINLINE char pajewrite__ring_replace_byte(char byte)
{
    uint32_t c = (unsigned char)byte;
    /* the mask has " # % ' , */
    return c < 32 || c == 127 || (c < 64 && 0x10acu >> (c - 32) & 1) ? '_' : byte;
}

/* Writes the byte that ends a text, and its bytes.  Returns the address behind the text. */
PAJEWRITE__NOINLINE const char *pajewrite__ring_put_text(pajewrite *w, const char *text)
{
    const char *blank = text;
    while (*blank && *blank != ' ')
        blank++;
    pajewrite__ring_put_number(w, *blank ? '"' : 1);
    do
        pajewrite__ring_put_number(w, (unsigned char)pajewrite__ring_replace_byte(*text));
    while (*text && *++text);
    pajewrite__ring_put_number(w, 0);
    return text + 1;
}
#endif

PAJEWRITE__NOINLINE void pajewrite__ring_write_record(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                           const pajewrite__ring_tail *tail)
{
    w->next = w->head;
#if PAJEWRITE_GAPS
    if (w->gap_count)
        w->next = w->size;
#endif
    pajewrite__ring_put_number(w, (uint16_t)tag);
    if (tag & PAJEWRITE__TIMED) {
#if PAJEWRITE_GAPS
        w->latest = PAJEWRITE_NOW();
        pajewrite__ring_put_number64(w, w->latest);
#else
        pajewrite__ring_put_number64(w, PAJEWRITE_NOW());
#endif
    }
    for (tag = tag >> 16 & 15; tag; tag--)
        pajewrite__ring_put_number(w, *numbers++);
#if PAJEWRITE_TEXTS
    if (tail) {
        const char *text = tail->text;
        if (tail->name)
            pajewrite__ring_put_text(w, tail->name);
        if (text) {
            while (text < tail->end)
                text = pajewrite__ring_put_text(w, text);
            pajewrite__ring_put_number(w, 0);
        }
    }
#endif
    (void)tail;
    PAJEWRITE_BARRIER();
    if (w->next != w->size) {
        w->head = w->next;
    } else {
        w->dropped++;
#if PAJEWRITE_GAPS
        if (!w->gap_count++) {
            w->gap_first = w->latest;
#else
        {
#endif
            if (PAJEWRITE_TEXTS && w->head == w->tail && !w->status) /* it does not fit into the empty ring */
                w->status = PAJEWRITE_E_TOO_LONG;
        }
    }
}

/* A function of its own, so that disabled calls save no registers. */
PAJEWRITE__API void pajewrite__ring_put(pajewrite *w, uint32_t tag, const uint32_t *numbers,
                                       const pajewrite__ring_tail *tail)
{
    if (!(tag & PAJEWRITE__EVENT) || w->enabled >> (tag >> 27) & 1) {
        unsigned saved;
        PAJEWRITE_ENTER(saved);
        pajewrite__ring_write_record(w, tag, numbers, tail);
        PAJEWRITE_LEAVE(saved);
    }
}

#if PAJEWRITE_TEXTS
PAJEWRITE__API const char *pajewrite__ring_alias_text(char *digits, uint32_t alias)
{
    digits[10] = 0;
    return pajewrite__small_digits(digits + 10, alias);
}
#endif

PAJEWRITE__API void pajewrite__ring_refuse(pajewrite *w, pajewrite_status status)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (!w->status)
        w->status = (uint8_t)status;
    w->dropped++;
    PAJEWRITE_LEAVE(saved);
}
