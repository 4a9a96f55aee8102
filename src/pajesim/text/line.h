/* The line: its words, and what is found out about it before it takes effect. */
#pragma once

#include "../memory/table.h"

/* A lexed line.  It lives on the stack: the arena holds only what has taken effect. */
typedef struct pajesim__line {
    const unsigned char *readable; /* first readable byte, at or before the line */
    uint32_t padded;               /* PAJESIM__PADDED if PAJESIM__PADDING bytes behind the line may be read; else 0 */
    uint32_t count;                /* words, the event's number included; PAJESIM_WORDS at most */
    uint32_t size;                 /* bytes up to the newline or the comment */
    uint8_t header;                /* 1: the line begins with %, which is not one of the words */
    uint8_t simple_quote;          /* 1 + index of the first word in single quotes; 0: none */
    uint8_t warnings;
    uint8_t abandons_definition; /* 1: an event within an %EventDef, which is dropped when the event takes effect */
    uint8_t outcome;             /* pajesim__outcome; set when pajesim__ready returns 0 */
    uint8_t user_spans_ready;
    pajesim_line shown; /* as callbacks see it; definition 0: not an event */
    struct {
        pajesim_ref value;
        pajesim__offset id_bytes;
        pajesim__table_reservation entry;
    } new_value;        /* the value that the line creates: pajesim__reserve_implicit_value */
    pajesim_code error; /* from the lexer */
    uint32_t error_at;
    uint32_t surplus_at;                                   /* offset of the first word beyond PAJESIM_WORDS; 0: none */
    pajesim__length spans[2 * ((PAJESIM_WORDS + 7) & ~7)]; /* offset and size of each word, without quotes */
    /* Offset and size of each user field, if they are not adjacent words: pajesim__line_user_fields. */
    pajesim__length user_spans[PAJESIM_FIELDS ? 2 * PAJESIM_WORDS : 1];
    struct {
        pajesim_code code;
        uint32_t begin, size;
    } warning[PAJESIM_CHECKS ? 8 : 4];
} pajesim__line;

#define PAJESIM__TEXT(line) ((const unsigned char *)(line)->shown.text)
#define PAJESIM__WORD(line, i) (PAJESIM__TEXT(line) + (line)->spans[2 * (i)])
#define PAJESIM__SIZE(line, i) ((line)->spans[2 * (i) + 1])

/* Prepares `line` for lines whose memory is readable from `readable` on. */
static void pajesim__begin_line(pajesim__line *line, const unsigned char *readable, uint32_t padded)
{
    line->shown.spans = line->spans;
    line->readable = readable;
    line->padded = padded;
}

static int pajesim__word_is(const pajesim__line *line, uint32_t word, const char *text, size_t size)
{
    return PAJESIM__SIZE(line, word) == size && memcmp(PAJESIM__WORD(line, word), text, size) == 0;
}

/* Returns the offset of the end of the text, without trailing blanks. */
static uint32_t pajesim__text_end(const pajesim__line *line)
{
    const unsigned char *text = PAJESIM__TEXT(line);
    uint32_t end = line->size;
    while (end && (text[end - 1] == ' ' || text[end - 1] == '\t' || text[end - 1] == '\r'))
        end--;
    return end;
}

static pajesim_text pajesim__line_word(const pajesim__line *line, uint32_t word)
{
    return pajesim__view((const char *)PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word));
}

PAJESIM__INLINE pajesim__key pajesim__key_at(const pajesim__line *line, uint32_t word)
{
    return pajesim__key_of_word(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word), line->padded);
}

/* Returns the key of the event's number. */
PAJESIM__INLINE pajesim__key pajesim__number_key(const pajesim__line *line)
{
#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
    return pajesim__key_of_number(PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0), line->padded);
#else
    return pajesim__key_at(line, 0);
#endif
}
