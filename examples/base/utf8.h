/* UTF-8. */
#pragma once

#include "base/platform.h"

enum { UTF8_REPLACEMENT = 0xfffd };
#define UTF8_REPLACEMENT_TEXT "\xef\xbf\xbd"

/* Returns the size of the character at `bytes`; 0 if there is none.  `size`: bytes up to the end of the text, not 0. */
size_t utf8_size(const char *bytes, size_t size);
/* How many bytes at the beginning are printable ASCII characters that no notation escapes: all but "&'<>\. */
size_t utf8_plain(const char *bytes, size_t size);
/* Returns the character at bytes[*at] and moves *at behind it; UTF8_REPLACEMENT for a byte that is not UTF-8. */
uint32_t utf8_next(const char *bytes, size_t size, size_t *at);
/* Writes a character; returns how many bytes it takes. */
size_t utf8_encode(char bytes[4], uint32_t character);
/* Whether a byte is the second or a later one of a character. */
int utf8_continues(char byte);
