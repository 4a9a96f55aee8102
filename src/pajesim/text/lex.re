/* The lexer: splits a whole line into words (section "Lexical rules" of the format).
 *
 * This grammar defines what a word is; scan.h and cut.h must agree with it.  Only whole lines are lexed, so the newline
 * is the sentinel: re2c proves that no rule runs past it, and no byte is compared with an end pointer.  The first byte
 * of a word selects the rule; the ends of words and strings are found 16 bytes at a time if PAJESIM__PADDING bytes
 * behind the newline may be read. */
#pragma once

#include "line.h"

/* Returns the first blank, tab, CR, newline or # at or after p. */
PAJESIM__INLINE const unsigned char *pajesim__word_end(const unsigned char *p, uint32_t padded)
{
#if PAJESIM__SIMD
    for (; padded; p += 16) {
        uint64_t candidates = pajesim__bitmap16(pajesim__compare16(pajesim__load16(p), '#', 1));
        for (; candidates; candidates &= candidates - 1) { /* bytes <= '#': the first is nearly always the end */
            const unsigned char *q = p + PAJESIM__FIRST16(candidates);
            if (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r' || *q == '#')
                return q;
        }
    }
#endif
    (void)padded;
    while (*p > '#' || (*p != ' ' && *p != '\n' && *p != '\t' && *p != '\r' && *p != '#'))
        p++;
    return p;
}

/* Returns the first closing quote or newline at or after p. */
PAJESIM__INLINE const unsigned char *pajesim__quote_end(const unsigned char *p, unsigned char quote, uint32_t padded)
{
#if PAJESIM__SIMD
    for (; padded; p += 16) {
        pajesim__bytes16 bytes = pajesim__load16(p);
        uint64_t found = pajesim__bitmap16(pajesim__compare16(bytes, quote, 0) |
                                           pajesim__compare16(bytes, '\n', 0));
        if (found)
            return p + PAJESIM__FIRST16(found);
    }
#endif
    (void)padded;
    while (*p != quote && *p != '\n')
        p++;
    return p;
}

/* Appends the word [begin, end), without quotes; `token` is where it begins, its quote included. */
PAJESIM__INLINE void pajesim__word(pajesim__line *line, const unsigned char *token, const unsigned char *begin,
                                   const unsigned char *end)
{
    if (PAJESIM__LIKELY(line->count < PAJESIM_WORDS)) {
        line->spans[2 * line->count] = (pajesim__length)(begin - PAJESIM__TEXT(line));
        line->spans[2 * line->count + 1] = (pajesim__length)(end - begin);
        line->count++;
    } else if (!line->surplus_at) {
        line->surplus_at = (uint32_t)(token - PAJESIM__TEXT(line));
    }
}

static void pajesim__lex_error(pajesim__line *line, pajesim_code code, const unsigned char *at)
{
    if (line->error == PAJESIM_E_NONE) {
        line->error = code;
        line->error_at = (uint32_t)(at - PAJESIM__TEXT(line));
    }
}

/* Lexes the line at `text` into `line`, which pajesim__begin_line has prepared; returns what follows its newline. */
static const unsigned char *pajesim__lex(pajesim__line *line, const unsigned char *text, int strict)
{
    const unsigned char *YYCURSOR = text, *begin;
    line->shown.text = (const char *)text;
    line->count = 0;
    line->header = line->simple_quote = line->warnings = line->abandons_definition = line->user_spans_ready = 0;
    line->shown.definition = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    for (;;) {
        begin = YYCURSOR;
        /*!re2c
            re2c:define:YYCTYPE = "unsigned char";
            re2c:yyfill:enable = 0;
            re2c:sentinel = 10;

            [ \t\r]+ { continue; }
            [\n]     { line->size = (uint32_t)(begin - text); return YYCURSOR; }
            [#]      {
                         line->size = (uint32_t)(begin - text);
                         return pajesim__quote_end(YYCURSOR, '\n', line->padded) + 1;
                     }
            [%]      {
                         if (line->count == 0 && !line->header) {
                             line->header = 1;
                             continue;
                         }
                         goto word;
                     }
            ["]      { goto string; }
            [']      {
                         if (strict)
                             goto word;
                         if (!line->simple_quote && line->count < PAJESIM_WORDS)
                             line->simple_quote = (uint8_t)(line->count + 1);
                         goto string;
                     }
            *        { goto word; }
        */
    word:
        YYCURSOR = pajesim__word_end(YYCURSOR, line->padded);
        pajesim__word(line, begin, begin, YYCURSOR);
        continue;
    string:
        YYCURSOR = pajesim__quote_end(YYCURSOR, *begin, line->padded);
        if (*YYCURSOR == '\n') {
            pajesim__lex_error(line, PAJESIM_E_QUOTE_OPEN, begin);
            continue;
        }
        pajesim__word(line, begin, begin + 1, YYCURSOR);
        YYCURSOR++;
        if (pajesim__word_end(YYCURSOR, line->padded) != YYCURSOR)
            pajesim__lex_error(line, PAJESIM_E_QUOTE_GLUED, YYCURSOR);
    }
}
