/* Names and colours as text. */
#pragma once

#include "../api/platform.h"
#include <string.h>

typedef struct pajewrite__text {
    const char *bytes;
    size_t size;
    int quoted;   /* 1: needs quotes */
    int replaced; /* 1: is empty, or has bytes that are replaced by _ or refused */
} pajewrite__text;

PAJEWRITE__UNTRACED
static int pajewrite__is_replaced(unsigned char c)
{
    return c < ' ' || c == 0x7f || c == '"' || c == '\'' || c == '%' || c == '#' || c == ',';
}

PAJEWRITE__UNTRACED
static pajewrite__text pajewrite__scan_text(const char *bytes)
{
    pajewrite__text text = PAJEWRITE__ZERO;
    text.bytes = bytes;
    for (; bytes[text.size]; text.size++) {
        text.quoted |= bytes[text.size] == ' ';
        text.replaced |= pajewrite__is_replaced((unsigned char)bytes[text.size]);
    }
    if (!text.size) { /* its NUL is replaced */
        text.size = 1;
        text.replaced = 1;
    }
    return text;
}

PAJEWRITE__UNTRACED
static char *pajewrite__put_text(char *p, const pajewrite__text *text)
{
    size_t i;
    if (text->quoted)
        *p++ = '"';
    if (!text->replaced)
        memcpy(p, text->bytes, text->size);
    for (i = 0; text->replaced && i < text->size; i++)
        p[i] = pajewrite__is_replaced((unsigned char)text->bytes[i]) ? '_' : text->bytes[i];
    p += text->size;
    if (text->quoted)
        *p++ = '"';
    return p;
}

/* Whether a text is 3 or 4 decimal numbers separated by blanks, or 6 hexadecimal digits, which every reader accepts. */
PAJEWRITE__UNTRACED
static int pajewrite__is_color(const char *text)
{
    int numbers = 0, digits, points, all = 0, hex = 0, i;
    for (i = 0; text[i] && all < 64; i++, all++)
        hex += (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f') ||
               (text[i] >= 'A' && text[i] <= 'F');
    if (all == 6 && hex == 6)
        return 1;
    for (; all < 64 && *text; numbers++) {
        for (digits = points = 0; (*text >= '0' && *text <= '9') || *text == '.'; text++)
            *text == '.' ? points++ : digits++;
        if (!digits || points > 1 || (*text != ' ' && *text))
            return 0;
        if (*text == ' ' && !*++text)
            return 0;
    }
    return numbers == 3 || numbers == 4;
}

#if PAJEWRITE_TABLE || PAJEWRITE_ZONES
/* Parses a text that is a decimal number, as an alias or a key is written.  Returns 0 for other texts. */
PAJEWRITE__UNTRACED
static int pajewrite__is_number(const char *text, uint64_t *number)
{
    uint32_t digits = 0;
    for (*number = 0; text[digits] >= '0' && text[digits] <= '9'; digits++) {
        const uint32_t digit = (uint32_t)(text[digits] - '0');
        if (*number > (UINT64_MAX - digit) / 10)
            return 0;
        *number = *number * 10 + digit;
    }
    return digits && !text[digits] && (text[0] != '0' || digits == 1);
}
#endif
