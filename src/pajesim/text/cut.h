/* The lexical state at the point where a piece of a line ends. */
#pragma once

#include "../memory/platform.h"

/* Comments may be of any length, so a carried piece of a line leaves them out.  This takes the lexical state at the
 * cut, found by the rules of lex.re a byte at a time; the tests cut every line at every byte. */
enum pajesim__cut {
    PAJESIM__IN_INDENT, /* before the first word */
    PAJESIM__IN_BLANKS,
    PAJESIM__IN_WORD,
    PAJESIM__IN_STRING,
    PAJESIM__IN_SIMPLE_STRING,
    PAJESIM__IN_COMMENT,
    PAJESIM__IN_LONG_LINE /* the line is too long: the rest is skipped, and the error is reported at its end */
};

/* Advances `*cut` over the bytes from p up to a comment or `end`; returns where it stopped. */
static const unsigned char *pajesim__lex_partial(uint8_t *cut, const unsigned char *p, const unsigned char *end,
                                                 int strict)
{
    uint8_t current = *cut;
    for (; p < end; p++) {
        unsigned char c = *p;
        if (current == PAJESIM__IN_STRING || current == PAJESIM__IN_SIMPLE_STRING) {
            if (c == (current == PAJESIM__IN_STRING ? '"' : '\''))
                current = PAJESIM__IN_BLANKS;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            current = current == PAJESIM__IN_INDENT ? PAJESIM__IN_INDENT : PAJESIM__IN_BLANKS;
        } else if (c == '#') {
            current = PAJESIM__IN_COMMENT;
            break;
        } else if (c == '%' && current == PAJESIM__IN_INDENT) {
            current = PAJESIM__IN_BLANKS;
        } else if (current != PAJESIM__IN_WORD) {
            current = c == '"'               ? PAJESIM__IN_STRING
                      : c == '\'' && !strict ? PAJESIM__IN_SIMPLE_STRING
                                             : PAJESIM__IN_WORD;
        }
    }
    *cut = current;
    return p;
}
