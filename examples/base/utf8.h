/* UTF-8. */
#pragma once

#include "base/platform.h"

enum { UTF8_REPLACEMENT = 0xfffd };
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/* Returns the size of the character at `bytes`; 0 if there is none.  `size`: bytes up to the end of the text, not 0. */
size_t utf8_size(const char *bytes, size_t size);
/* Returns how many bytes come before the first one of a set, which has a 1 for each of its bytes. */
static inline size_t utf8_until(const char *bytes, size_t size, const unsigned char set[256])
{
    const unsigned char *at = (const unsigned char *)bytes;
    size_t i = 0;
    for (; size - i >= 4 && !(set[at[i]] | set[at[i + 1]] | set[at[i + 2]] | set[at[i + 3]]); i += 4)
        ;
    while (i < size && !set[at[i]])
        i++;
    return i;
}

/* How many bytes at the beginning are printable ASCII characters that no notation escapes: all but "&'<>\. */
size_t utf8_plain(const char *bytes, size_t size);
/* Returns the character at bytes[*at] and moves *at behind it; UTF8_REPLACEMENT for a byte that is not UTF-8. */
uint32_t utf8_next(const char *bytes, size_t size, size_t *at);
/* Writes a character; returns how many bytes it takes. */
size_t utf8_encode(char bytes[4], uint32_t character);
/* Whether a byte is the second or a later one of a character. */
int utf8_continues(char byte);
