/* Draining: makes text of records. */
#pragma once

#include "record.h"
#include "words.h"

/* Writes a time: seconds, point, decimals. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_time(char *p, uint32_t low, uint32_t high)
{
    uint32_t rest;
#if (PAJEWRITE_DECIMALS) < 9
    if (high >= (PAJEWRITE_HZ)) /* too late, as of a clock that went back below 0: ten digits are moved */
        high = (PAJEWRITE_HZ) - 1;
#endif
    rest = pajewrite__small_divide(high, &low, (PAJEWRITE_HZ));
#if PAJEWRITE_DECIMALS
    /* where a tick is not a decimal fraction, the time is rounded up */
    uint32_t n = 1000000000u % (PAJEWRITE_HZ) == 0 ? rest * (1000000000u / (PAJEWRITE_HZ)) :
        (uint32_t)(rest * (((UINT64_C(1000000000) << 32) + (PAJEWRITE_HZ) - 1) / (PAJEWRITE_HZ)) >> 32);
#if (PAJEWRITE_DECIMALS) < 9
    char *end = p;
#endif
    p = pajewrite__small_digits(p, n + 1000000000u); /* nine digits, and one that the point replaces */
    *p = '.';
#if (PAJEWRITE_DECIMALS) < 9
    memmove(p + 9 - (PAJEWRITE_DECIMALS), p, (PAJEWRITE_DECIMALS) + 1);
    p = end - (PAJEWRITE_DECIMALS) - 1;
#endif
#else
    (void)rest;
#endif
    return pajewrite__small_digits(p, low);
}


/* Reads the next number of a record, or of a table entry. */
PAJEWRITE__NOINLINE uint32_t pajewrite__ring_next_number(pajewrite *w)
{
    uint32_t n = 0, shift = 0, unit;
    do {
        if (w->rom_numbers) {
            unit = PAJEWRITE__ROM_UNIT(w->rom_numbers++);
        } else {
            uint32_t tail = w->tail;
            unit = w->units[tail];
            tail++;
            if (tail == w->size)
                tail = 0;
            PAJEWRITE_BARRIER();
            PAJEWRITE__STORE(w->tail, tail);
        }
        n |= unit >> 1 << shift;
        shift += 15;
    } while (unit & 1);
    return n;
}

/* Continues with a word; the current one is resumed after it. */
PAJEWRITE__NOINLINE void pajewrite__ring_push_word(pajewrite *w, uint32_t words)
{
    uint32_t place = 0;
    while (words)
        words -= (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__ring_words + place++) >> 7;
    PAJEWRITE__ASSERT(w->stack_top + 1 < w->units);
    *++w->stack_top = (uint16_t)place;
}

#if PAJEWRITE_GAPS
/* Writes a record that reports dropped events, if the ring is empty. */
PAJEWRITE__UNTRACED
static void pajewrite__ring_write_gap(pajewrite *w)
{
    unsigned saved;
    PAJEWRITE_ENTER(saved);
    if (w->head == w->tail) {
        w->next = w->head;
        pajewrite__ring_put_number(w, (uint32_t)PAJEWRITE__TAG(0, PAJEWRITE__GAP_LINE));
        pajewrite__ring_put_number(w, w->gap_count);
        pajewrite__ring_put_number64(w, w->gap_first);
        pajewrite__ring_put_number64(w, w->latest);
        PAJEWRITE_BARRIER();
        w->head = w->next;
        w->gap_count = 0;
    }
    PAJEWRITE_LEAVE(saved);
}
#endif

/* Makes the next piece of text, which ends where the ring begins.  Returns its size; 0: none yet. */
PAJEWRITE__NOINLINE uint32_t pajewrite__ring_make_piece(pajewrite *w)
{
    char *const end = (char *)w->units, *p = end;
    while (p == end) {
        uint32_t place = *w->stack_top, c, n;
        if (w->quote) { /* within a text */
#if PAJEWRITE_TEXTS
            if (!w->rom_numbers)
                c = pajewrite__ring_next_number(w);
            else
#endif
                c = (unsigned char)PAJEWRITE__ROM_BYTE(w->rom_text++);
            if (!c) {
                c = w->quote;
                w->quote = 0;
                if (PAJEWRITE_TEXTS && c != '"')
                    continue;
            }
            *--p = (char)c;
        } else if (place) {
            c = (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__ring_words + place);
            ++*w->stack_top;
            if (c & 0x80)
                w->stack_top--;
            c &= 0x7f;
            if (c < 32 && c != '\n') {
                pajewrite__ring_push_word(w, c);
                continue;
            }
            n = c - '0';
            if (n > 9) {
                *--p = (char)c;
                break;
            }
            c = PAJEWRITE__NUMBER_OF(w->tag);
#if PAJEWRITE_FIELDS_SIZE
            if (n == 8) {
                w->quote = 1;
                continue;
            }
            if (n == 7)
                c = pajewrite__ring_next_number(w);
#endif
            if (n >= 6) {
                pajewrite__ring_push_word(w, (uint32_t)PAJEWRITE__KIND_WORDS - PAJEWRITE_DEFINE_CONTAINER_TYPE + c);
                continue;
            }
            if (n == 3) {
                w->quote = '"';
#if PAJEWRITE_TEXTS
                if (!w->rom_numbers)
                    w->quote = (uint8_t)pajewrite__ring_next_number(w);
            begin_text:
                if (w->quote == '"')
#endif
                    *--p = '"';
                *--p = ' ';
                break;
            }
            if (n)
                c = pajewrite__ring_next_number(w);
            if (n < 2) {
                p = pajewrite__small_digits(p, c);
            } else {
                uint32_t high = pajewrite__ring_next_number(w);
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
                if (n > 2)
                    p = pajewrite__small_long(p, c, high, n & 1);
                else
#endif
                    p = pajewrite__ring_time(p, c, high);
            }
            if (n)
                *--p = ' ';
        } else if (w->tag) { /* the end of the line */
#if PAJEWRITE_TEXTS
            if (w->tag & PAJEWRITE__FIELDS) {
                w->quote = (uint8_t)pajewrite__ring_next_number(w);
                if (w->quote)
                    goto begin_text;
                w->tag ^= PAJEWRITE__FIELDS;
                continue;
            }
#endif
            w->tag = 0;
            *--p = '\n';
        } else { /* the next line */
            if (w->kinds_left) {
                n = PAJEWRITE__LAST_KIND + 1u - w->kinds_left--;
                if (!(PAJEWRITE__PRESENT >> n & 1)) /* unreached: only where kinds are left out, as in tests/ring.sh */
                    continue;
                n = PAJEWRITE__TAG(n, PAJEWRITE__HEADER_LINE);
            } else {
                w->rom_numbers = NULL;
                if (w->entries_left) {
                    w->rom_numbers = &w->rom_entry->tag;
                    w->rom_text = w->rom_entry->text;
                    w->rom_entry++;
                    w->entries_left--;
                } else if (w->head == w->tail) {
#if PAJEWRITE_GAPS
                    if (w->gap_count) {
                        pajewrite__ring_write_gap(w);
                        continue;
                    }
#endif
                    break;
                }
                PAJEWRITE_BARRIER(); /* the record is read after the head that includes it */
                n = pajewrite__ring_next_number(w);
            }
            w->tag = (uint16_t)n;
            pajewrite__ring_push_word(w, PAJEWRITE__LINE_OF(n));
        }
    }
    PAJEWRITE__ASSERT(p == end || p >= (char *)(w->stack_top + 1));
    return (uint32_t)(end - p);
}

PAJEWRITE__API int pajewrite_next_byte(pajewrite *w)
{
    uint32_t left = w->text_left;
    if (!left && (left = pajewrite__ring_make_piece(w)) == 0)
        return -1;
    w->text_left = (uint8_t)(left - 1);
    return ((unsigned char *)w->units)[-(int)left];
}

PAJEWRITE__API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size)
{
    const char *end = (char *)w->units;
    uint32_t left = w->text_left;
    size_t n = 0;
    while (n < size && (left || (left = pajewrite__ring_make_piece(w)) != 0))
        do
            bytes[n++] = end[-(int)left--];
        while (left && n < size);
    w->text_left = (uint8_t)left;
    return n;
}

PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    w->entries_left = 0; /* draining ignores the table from here on */
    PAJEWRITE_BARRIER();
    w->kinds_left = PAJEWRITE__LAST_KIND + 1 - PAJEWRITE_DEFINE_CONTAINER_TYPE;
    w->rom_entry = table;
    PAJEWRITE_BARRIER();
    w->entries_left = (uint16_t)entries;
}
