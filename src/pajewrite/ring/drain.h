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

/* Begins the next line, which is of the header, of the table of definitions or of a record; or says in a record of its
 * own what was dropped before it.  Returns 0 if there is none yet. */
PAJEWRITE__UNTRACED
static int pajewrite__ring_begin_line(pajewrite *w)
{
    uint32_t tag;
    if (w->kinds_left) {
        const uint32_t kind = PAJEWRITE__LAST_KIND + 1u - w->kinds_left--;
        if (!(PAJEWRITE__PRESENT >> kind & 1)) /* unreached: only where kinds are left out, as in tests/ring.sh */
            return 1;
        tag = PAJEWRITE__TAG(kind, PAJEWRITE__HEADER_LINE);
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
                return 1;
            }
#endif
            return 0;
        }
        PAJEWRITE_BARRIER(); /* the record is read after the head that includes it */
        tag = pajewrite__ring_next_number(w);
    }
    w->tag = (uint16_t)tag;
    pajewrite__ring_push_word(w, PAJEWRITE__LINE_OF(tag));
    return 1;
}

/* Returns the next byte of the text of a table entry, or of a record; 0: it ends. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__ring_next_byte(pajewrite *w)
{
#if PAJEWRITE_TEXTS
    if (!w->rom_numbers)
        return pajewrite__ring_next_number(w);
#endif
    return (unsigned char)PAJEWRITE__ROM_BYTE(w->rom_text++);
}

/* Writes the next byte of a text, or its end.  All of these write in front of `p`, the last byte first, and return
 * where what they have written begins. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_continue_text(pajewrite *w, char *p)
{
    uint32_t c = pajewrite__ring_next_byte(w);
    if (!c) {
        c = w->quote;
        w->quote = 0;
        if (PAJEWRITE_TEXTS && c != '"')
            return p;
    }
    *--p = (char)c;
    return p;
}

/* Writes the number of the line, or one of the record. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_write_number(pajewrite *w, char *p, uint32_t type, uint32_t number)
{
    if (type != PAJEWRITE__LINE_NUMBER)
        number = pajewrite__ring_next_number(w);
    if (type < PAJEWRITE__TIME) {
        p = pajewrite__small_digits(p, number);
    } else {
        const uint32_t high = pajewrite__ring_next_number(w);
#if PAJEWRITE__HAS_VARIABLES || PAJEWRITE__HAS_LINKS
        if (type > PAJEWRITE__TIME)
            p = pajewrite__small_long(p, number, high, type & 1);
        else
#endif
            p = pajewrite__ring_time(p, number, high);
    }
    if (type != PAJEWRITE__LINE_NUMBER)
        *--p = ' ';
    return p;
}

/* Writes what comes before a text of the record, or ends the line's own texts. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_begin_text(pajewrite *w, char *p)
{
    w->quote = '"';
#if PAJEWRITE_TEXTS
    if (!w->rom_numbers)
        w->quote = (uint8_t)pajewrite__ring_next_number(w);
    if (!w->quote) {
        w->tag ^= PAJEWRITE__FIELDS;
        return p;
    }
    if (w->quote == '"')
#endif
        *--p = '"';
    *--p = ' ';
    return p;
}

/* Writes the next byte of a word, or what it stands for. */
PAJEWRITE__UNTRACED
static char *pajewrite__ring_continue_word(pajewrite *w, char *p)
{
    uint32_t c = (unsigned char)PAJEWRITE__ROM_BYTE(pajewrite__ring_words + *w->stack_top), type, number;
    ++*w->stack_top;
    if (c & 0x80)
        w->stack_top--;
    c &= 0x7f;
    if (c < 32 && c != '\n') {
        pajewrite__ring_push_word(w, c);
        return p;
    }
    type = c - '0';
    number = PAJEWRITE__NUMBER_OF(w->tag);
    if (type > 9) {
        *--p = (char)c;
#if PAJEWRITE_FIELDS_SIZE
    } else if (type == PAJEWRITE__BARE_TEXT) {
        w->quote = 1;
#endif
    } else if (type >= PAJEWRITE__KIND) {
#if PAJEWRITE_FIELDS_SIZE
        if (type == PAJEWRITE__OTHER_KIND)
            number = pajewrite__ring_next_number(w);
#endif
        pajewrite__ring_push_word(w, (uint32_t)PAJEWRITE__KIND_WORDS - PAJEWRITE_DEFINE_CONTAINER_TYPE + number);
    } else if (type == PAJEWRITE__TEXT) {
        p = pajewrite__ring_begin_text(w, p);
    } else {
        p = pajewrite__ring_write_number(w, p, type, number);
    }
    return p;
}

/* Makes the next piece of text, which ends where the ring begins.  Returns its size; 0: none yet. */
PAJEWRITE__NOINLINE uint32_t pajewrite__ring_make_piece(pajewrite *w)
{
    char *p = (char *)w->units;
    while (p == (char *)w->units) {
        if (w->quote) {
            p = pajewrite__ring_continue_text(w, p);
        } else if (*w->stack_top) {
            p = pajewrite__ring_continue_word(w, p);
#if PAJEWRITE_TEXTS
        } else if (w->tag & PAJEWRITE__FIELDS) {
            p = pajewrite__ring_begin_text(w, p);
#endif
        } else if (w->tag) {
            w->tag = 0;
            *--p = '\n';
        } else if (!pajewrite__ring_begin_line(w)) {
            break;
        }
    }
    PAJEWRITE__ASSERT(p == (char *)w->units || p >= (char *)(w->stack_top + 1));
    return (uint32_t)((char *)w->units - p);
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
