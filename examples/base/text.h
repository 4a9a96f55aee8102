/* A text that grows. */
#pragma once

#include "base/memory.h"
#include "pajesim.h"

#include <stdarg.h>
#include <string.h>

typedef struct text_buffer {
    char *bytes; /* NULL while nothing was put into it */
    size_t size, capacity;
} text_buffer;

/* Makes room for `size` bytes more, which do not fit. */
void text_grow(text_buffer *text, size_t size);

/* Returns where up to `size` bytes more may be written; add to text->size what was. */
static inline char *text_reserve(text_buffer *text, size_t size)
{
    if (!text->bytes || size > text->capacity - text->size)
        text_grow(text, size);
    return text->bytes + text->size;
}

static inline void text_put(text_buffer *text, const char *bytes, size_t size)
{
    if (size == 0) /* an empty text may have no address */
        return;
    memcpy(text_reserve(text, size), bytes, size);
    text->size += size;
}

static inline void text_putc(text_buffer *text, char byte)
{
    *text_reserve(text, 1) = byte;
    text->size++;
}

static inline void text_append(text_buffer *text, pajesim_text more)
{
    text_put(text, more.bytes, more.size);
}

void text_printf(text_buffer *text, const char *format, ...) PRINTF_LIKE(2, 3);
void text_vprintf(text_buffer *text, const char *format, va_list arguments) PRINTF_LIKE(2, 0);
/* A Unicode character, in UTF-8. */
void text_put_character(text_buffer *text, uint32_t character);
/* Bytes of a trace, fit for a terminal: \xNN for each byte that is not UTF-8, and of each character that could control
 * the terminal or change the order of what follows; \n and \t for a newline and a tab. */
void text_put_printable(text_buffer *text, pajesim_text more);
/* Like text_put_printable(), for whole lines: newlines and tabs stay. */
void text_put_printable_lines(text_buffer *text, pajesim_text more);

static inline void text_puts(text_buffer *text, const char *string)
{
    text_put(text, string, strlen(string));
}

static inline void text_clear(text_buffer *text)
{
    text->size = 0;
}

/* The content, until the text grows. */
pajesim_text text_view(const text_buffer *text);
/* The content as a C string, until the text grows; the NUL is not counted. */
char *text_string(text_buffer *text);
void text_free(text_buffer *text);

/* A C string as a text. */
static inline pajesim_text text_of(const char *string)
{
    return (pajesim_text){string, strlen(string)};
}

static inline int text_is_equal(pajesim_text a, pajesim_text b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* Less than, equal to or greater than 0, by bytes. */
int text_compare(pajesim_text a, pajesim_text b);
