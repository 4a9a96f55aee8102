/* Copying, comparing and scanning text. */
#pragma once

#include "../api/platform.h"
#include <string.h>

PAJEWRITE__UNTRACED
static char *pajewrite__put_bytes(char *p, const char *text, size_t size)
{
    memcpy(p, text, size);
    return p + size;
}

PAJEWRITE__UNTRACED
static char *pajewrite__put_string(char *p, const char *word)
{
    for (; *word; word++)
        *p++ = *word;
    return p;
}

PAJEWRITE__UNTRACED
static int pajewrite__equal_bytes(const char *a, const char *b, size_t size)
{
    while (size && *a++ == *b++)
        size--;
    return !size;
}

PAJEWRITE__UNTRACED
static const char *pajewrite__after_line(const char *line)
{
    while (*line != '\n')
        line++;
    return line + 1;
}

/* Returns the length of a word of letters, digits and _. */
PAJEWRITE__UNTRACED
static size_t pajewrite__word_size(const char *text)
{
    size_t size = 0;
    while ((text[size] >= 'a' && text[size] <= 'z') || (text[size] >= 'A' && text[size] <= 'Z') ||
           (text[size] >= '0' && text[size] <= '9') || text[size] == '_')
        size++;
    return size;
}

PAJEWRITE__UNTRACED
static int pajewrite__word_is(const char *text, const char *name, size_t size)
{
    return pajewrite__word_size(text) == size && pajewrite__equal_bytes(text, name, size);
}
