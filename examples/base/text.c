/* A text that grows. */
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

#define FIRST_CAPACITY 256

void text_grow(text_buffer *text, size_t size)
{
    size_t capacity = text->size + size + text->capacity / 2 + FIRST_CAPACITY;
    if (capacity < size)
        memory_fail(SIZE_MAX);
    text->bytes = memory_resize(text->bytes, capacity, 1);
    text->capacity = capacity;
}

void text_put_character(text_buffer *text, uint32_t character)
{
    text->size += utf8_encode(text_reserve(text, 4), character);
}

/* Whether a character controls a terminal (C0, DEL, C1), ends a line, or changes the direction of text. */
static int is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

static void put_printable(text_buffer *text, pajesim_text more, int keeps_lines)
{
    size_t done = 0, at = 0;
    while (at < more.size) {
        at += utf8_plain(more.bytes + at, more.size - at);
        if (at == more.size)
            break;
        size_t start = at, size = utf8_size(more.bytes + at, more.size - at);
        uint32_t character = utf8_next(more.bytes, more.size, &at);
        int is_blank = character == '\n' || character == '\t';
        if (size && (!is_control(character) || (is_blank && keeps_lines)))
            continue;
        text_put(text, more.bytes + done, start - done);
        if (is_blank)
            text_puts(text, character == '\n' ? "\\n" : "\\t");
        else
            for (size_t i = start; i < at; i++)
                text_printf(text, "\\x%02x", (unsigned)(unsigned char)more.bytes[i]);
        done = at;
    }
    if (at > done) /* an empty text may have no address */
        text_put(text, more.bytes + done, at - done);
}

void text_put_printable(text_buffer *text, pajesim_text more)
{
    put_printable(text, more, 0);
}

void text_put_printable_lines(text_buffer *text, pajesim_text more)
{
    put_printable(text, more, 1);
}

void text_vprintf(text_buffer *text, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    size_t capacity = 64;
    int size = vsnprintf(text_reserve(text, capacity), capacity, format, arguments);
    if (size >= (int)capacity) {
        capacity = (size_t)size + 1;
        size = vsnprintf(text_reserve(text, capacity), capacity, format, again);
    }
    va_end(again);
    if (size > 0)
        text->size += (size_t)size;
}

void text_printf(text_buffer *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(text, format, arguments);
    va_end(arguments);
}

pajesim_text text_view(const text_buffer *text)
{
    return (pajesim_text){text->bytes ? text->bytes : "", text->size};
}

char *text_string(text_buffer *text)
{
    *text_reserve(text, 1) = '\0';
    return text->bytes;
}

void text_free(text_buffer *text)
{
    free(text->bytes);
    memset(text, 0, sizeof *text);
}

int text_compare(pajesim_text a, pajesim_text b)
{
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.bytes, b.bytes, size) : 0;
    return order ? order : (a.size > b.size) - (a.size < b.size);
}
