/* Text of documents. */
#include "markup.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(markup *it, const char *bytes, size_t size)
{
    if (it->is_cut || size > it->capacity - it->size) {
        it->is_cut = 1;
        return;
    }
    memcpy(it->bytes + it->size, bytes, size);
    it->size += size;
}

void markup_put(markup *it, const char *text)
{
    put(it, text, strlen(text));
}

void markup_print(markup *it, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    markup_put(it, line);
}

void markup_text(markup *it, document_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        const unsigned char c = (unsigned char)text.bytes[i];
        switch (c) {
        case '<':
            markup_put(it, "&lt;");
            break;
        case '>':
            markup_put(it, "&gt;");
            break;
        case '&':
            markup_put(it, "&amp;");
            break;
        case '"':
            markup_put(it, "&quot;");
            break;
        default:
            if (c < 32 && c != '\n')
                put(it, "?", 1);
            else
                put(it, &text.bytes[i], 1);
            break;
        }
    }
}

void markup_attribute(markup *it, const char *name, const char *value)
{
    if (!value)
        return;
    markup_print(it, " %s=\"", name);
    markup_text(it, (document_text){value, strlen(value)});
    markup_put(it, "\"");
}

void markup_fixed(markup *it, int64_t number, int decimals)
{
    char digits[32];
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    int at = sizeof digits, i;
    int is_needed = 0; /* zeros at the end are not */
    for (i = 0; i < decimals || rest || i == decimals; i++) {
        const char digit = (char)('0' + rest % 10);
        if (i == decimals && is_needed)
            digits[--at] = '.';
        is_needed |= i < decimals && digit != '0';
        if (i >= decimals || is_needed)
            digits[--at] = digit;
        rest /= 10;
    }
    if (number < 0)
        digits[--at] = '-';
    put(it, digits + at, sizeof digits - (size_t)at);
}

void markup_double(markup *it, double number)
{
    char text[40], digits[24];
    int precision = 0, count = 0, exponent, i;
    if (number == 0) {
        markup_put(it, "0");
        return;
    }
    do
        snprintf(text, sizeof text, "%.*e", precision, number);
    while (strtod(text, NULL) != number && ++precision < 17);
    for (const char *p = text; *p && *p != 'e'; p++) /* whatever the locale has as decimal point */
        if (*p >= '0' && *p <= '9')
            digits[count++] = *p;
    exponent = atoi(strchr(text, 'e') + 1) + 1; /* 0.DIGITS times 10^exponent */
    while (count > 1 && digits[count - 1] == '0')
        count--;
    if (number < 0)
        markup_put(it, "-");
    if (exponent <= 0)
        markup_put(it, "0.");
    for (i = exponent; i < 0; i++)
        markup_put(it, "0");
    for (i = 0; i < count || i < exponent; i++) {
        if (i && i == exponent)
            markup_put(it, ".");
        put(it, i < count ? &digits[i] : "0", 1);
    }
}

void markup_error(markup *it, const char *text)
{
    markup_put(it, "<errors><error>");
    markup_text(it, (document_text){text, strlen(text)});
    markup_put(it, "</error></errors>\n");
}
