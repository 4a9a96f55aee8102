/* Bytes and numbers of a trace in other notations: JSON, XML, CSV, SQL and UTF-8. */
#include "base/encode.h"
#include "base/digits.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

/* Appends the text.  `replace` appends the characters for which `special` returns 1; bytes that are not UTF-8 become
 * U+FFFD. */
static void add_replaced(text_buffer *buffer, pajesim_text text, int (*special)(const char *bytes, size_t size),
                         void (*replace)(text_buffer *buffer, unsigned char byte))
{
    size_t done = 0, at = 0;
    while (at < text.size) {
        at += utf8_plain(text.bytes + at, text.size - at);
        if (at == text.size)
            break;
        size_t size = utf8_size(text.bytes + at, text.size - at);
        if (size && !special(text.bytes + at, size)) {
            at += size;
            continue;
        }
        text_put(buffer, text.bytes + done, at - done);
        if (size)
            replace(buffer, (unsigned char)text.bytes[at]);
        else
            text_puts(buffer, UTF8_REPLACEMENT_TEXT);
        done = at += size ? size : 1;
    }
    if (at > done) /* an empty text may have no address */
        text_put(buffer, text.bytes + done, at - done);
}

static int is_special_in_json(const char *bytes, size_t size)
{
    unsigned char byte = (unsigned char)bytes[0];
    return size == 1 && (byte < 0x20 || byte == '"' || byte == '\\' || byte == '<' || byte == 0x7f);
}

static void escape_in_json(text_buffer *buffer, unsigned char byte)
{
    if (byte == '"' || byte == '\\')
        text_printf(buffer, "\\%c", byte);
    else
        text_printf(buffer, "\\u%04x", byte);
}

void text_put_json(text_buffer *buffer, pajesim_text text)
{
    text_putc(buffer, '"');
    add_replaced(buffer, text, is_special_in_json, escape_in_json);
    text_putc(buffer, '"');
}

static int is_special_in_xml(const char *bytes, size_t size)
{
    unsigned char byte = (unsigned char)bytes[0];
    if (size == 3)
        return memcmp(bytes, "\xef\xbf\xbe", 3) == 0 || memcmp(bytes, "\xef\xbf\xbf", 3) == 0;
    return size == 1 && (byte < 0x20 || byte == '"' || byte == '\'' || byte == '<' || byte == '>' || byte == '&');
}

static void escape_in_xml(text_buffer *buffer, unsigned char byte)
{
    if (byte == '\t' || (byte >= 0x20 && byte < 0x80))
        text_printf(buffer, "&#%u;", byte);
    else
        text_puts(buffer, UTF8_REPLACEMENT_TEXT);
}

void text_put_xml(text_buffer *buffer, pajesim_text text)
{
    add_replaced(buffer, text, is_special_in_xml, escape_in_xml);
}

static int is_never_special(const char *bytes, size_t size)
{
    (void)bytes, (void)size;
    return 0;
}

void text_put_utf8(text_buffer *buffer, pajesim_text text)
{
    add_replaced(buffer, text, is_never_special, NULL);
}

/* Appends a text all of whose bytes are '-' or greater, as in most names: a word at a time, the last one may overlap.
 * Returns 0, and appends nothing, if there are others. */
static int add_plain(text_buffer *buffer, pajesim_text text)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    char *at = text_reserve(buffer, text.size + 1);
    uint64_t word, less = 0; /* the highest bit of each byte: it is less, or one before it is */
    size_t i = 0;
    if (text.size < 4) {
        for (; i < text.size; i++) {
            at[i] = text.bytes[i];
            less |= (unsigned char)at[i] < '-' ? 0x80 : 0;
        }
    } else if (text.size < 8) {
        uint32_t first, last;
        memcpy(&first, text.bytes, 4);
        memcpy(&last, text.bytes + text.size - 4, 4);
        memcpy(at, &first, 4);
        memcpy(at + text.size - 4, &last, 4);
        word = (uint64_t)first << 32 | last;
        less = (word - ones * '-') & ~word;
    } else {
        for (;; i += 8) {
            i = i + 8 < text.size ? i : text.size - 8;
            memcpy(&word, text.bytes + i, 8);
            memcpy(at + i, &word, 8);
            less |= (word - ones * '-') & ~word;
            if (i + 8 == text.size)
                break;
        }
    }
    if (less & ones << 7)
        return 0;
    buffer->size += text.size;
    return 1;
}

void text_put_csv(text_buffer *buffer, pajesim_text text)
{
    static const unsigned char quoted[256] = {[','] = 1, ['"'] = 1, ['\r'] = 1, ['\n'] = 1, ['\0'] = 1};
    if (add_plain(buffer, text))
        return;
    if (utf8_until(text.bytes, text.size, quoted) == text.size) {
        text_append(buffer, text);
        return;
    }
    text_putc(buffer, '"');
    for (size_t i = 0; i < text.size; i++) {
        if (text.bytes[i] == '"')
            text_putc(buffer, '"');
        text_putc(buffer, text.bytes[i]);
    }
    text_putc(buffer, '"');
}

static int is_special_in_sql(const char *bytes, size_t size)
{
    return size == 1 && (bytes[0] == '\'' || bytes[0] == '\0');
}

static int is_special_in_mysql(const char *bytes, size_t size)
{
    return is_special_in_sql(bytes, size) || bytes[0] == '\\';
}

static void escape_in_sql(text_buffer *buffer, unsigned char byte)
{
    if (byte)
        text_printf(buffer, "%c%c", byte, byte);
    else
        text_puts(buffer, UTF8_REPLACEMENT_TEXT);
}

void text_put_sql(text_buffer *buffer, pajesim_text text, int backslashes)
{
    text_putc(buffer, '\'');
    add_replaced(buffer, text, backslashes ? is_special_in_mysql : is_special_in_sql, escape_in_sql);
    text_putc(buffer, '\'');
}

static int is_special_in_sql_csv(const char *bytes, size_t size)
{
    return size == 1 && (bytes[0] == '"' || bytes[0] == '\0');
}

void text_put_sql_csv(text_buffer *buffer, pajesim_text text)
{
    text_putc(buffer, '"');
    add_replaced(buffer, text, is_special_in_sql_csv, escape_in_sql);
    text_putc(buffer, '"');
}

/* Appends a number by its whole part and `count` decimals, without the zeros at their end. */
static inline void add_decimal(text_buffer *buffer, int is_negative, uint64_t whole, uint64_t decimals, int count)
{
    int digits = digits_count(whole);
    char *at = text_reserve(buffer, 48);
    *at = '-';
    at += is_negative + digits;
    digits_write(at, whole, digits);
    if (decimals) {
        for (; decimals % 1000 == 0; decimals /= 1000)
            count -= 3;
        *at++ = '.';
        at += count;
        digits_write(at, decimals, count);
        while (at[-1] == '0')
            at--;
    }
    buffer->size = (size_t)(at - buffer->bytes);
}

void text_put_integer(text_buffer *buffer, int64_t number)
{
    add_decimal(buffer, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 0, 0);
}

#define NANOSECONDS 1e9 /* of a second */

enum { LONGEST_TIME = 24 };

/* Writes a number of nanoseconds below 1e16 in seconds, without the zeros at its end.  Returns where that ends. */
static inline char *write_nanoseconds(char *at, int64_t count)
{
    const uint64_t second = 1000000000, size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    uint64_t whole = size / second, decimals = size % second;
    int digits = digits_count(whole);
    *at = '-';
    at += (count < 0) + digits;
    digits_write(at, whole, digits);
    if (decimals) {
        *at = '.';
        at += 10;
        digits_write(at, decimals, 9);
        while (at[-1] == '0')
            at--;
    }
    return at;
}

static void add_nanoseconds(text_buffer *buffer, int64_t count)
{
    char *at = text_reserve(buffer, LONGEST_TIME);
    buffer->size = (size_t)(write_nanoseconds(at, count) - buffer->bytes);
}

#ifdef __SIZEOF_INT128__
__extension__ typedef unsigned __int128 uint128;

/* Appends a number from 1 to 2^53 with 15 to 17 digits, as few as read back, as printf() does, and exactly: it is
 * whole + fraction / 2^bits.  Returns 0 for other numbers. */
static int add_digits(text_buffer *buffer, double number)
{
    enum { DIGITS = 53 };
    int exponent, digits, bits;
    uint64_t all = (uint64_t)ldexp(frexp(fabs(number), &exponent), DIGITS), unit = 1;
    bits = DIGITS - exponent;
    if (bits < 1 || bits > DIGITS - 1) /* of 2^k, below which doubles are closer, no fraction is left */
        return 0;
    uint64_t whole = all >> bits, fraction = all & ((UINT64_C(1) << bits) - 1);
    digits = digits_count(whole);
    if (fraction == 0 && digits <= 15) {
        text_put_integer(buffer, number < 0 ? -(int64_t)whole : (int64_t)whole);
        return 1;
    }
    if (fraction == 0)
        return 0;
    for (int all_digits = digits; all_digits < 17; all_digits++) {
        unit *= 10;
        if (all_digits + 1 < 15)
            continue;
        uint128 scaled = (uint128)fraction * unit, half = (uint128)1 << (bits - 1);
        uint64_t nearest = (uint64_t)(scaled >> bits);
        uint128 rest = scaled - ((uint128)nearest << bits);
        if (rest > half || (rest == half && nearest % 2))
            nearest++, rest = 2 * half - rest;
        if (2 * rest > unit) /* another double is nearer, as always where rounding carries; none is as near */
            continue;
        add_decimal(buffer, number < 0, whole, nearest, all_digits + 1 - digits);
        return 1;
    }
    return 0;
}
#else
static int add_digits(text_buffer *buffer, double number)
{
    (void)buffer, (void)number;
    return 0;
}
#endif

/* Times of up to 15 digits are whole numbers of a unit that is a power of ten, both exact doubles: digits_whole().
 * Returns the double that the decimals of their difference read back as; that of the doubles, where there are more. */
static double decimal_difference(double start, double end)
{
    double most = fmax(fabs(start), fabs(end)), unit = 1;
    while (most * unit < 1e14 && unit < 1e22)
        unit *= 10;
    double first = round(start * unit), last = round(end * unit), got_start = first / unit, got_end = last / unit;
    int is_exact = !(got_start < start) && !(got_start > start) && !(got_end < end) && !(got_end > end);
    return is_exact ? (last - first) / unit : end - start;
}

void text_put_span(text_buffer *buffer, double start, double end)
{
    int64_t first, last;
    if (digits_whole(start, NANOSECONDS, &first) && digits_whole(end, NANOSECONDS, &last))
        add_nanoseconds(buffer, last - first);
    else
        text_put_number(buffer, decimal_difference(start, end));
}

void text_put_number(text_buffer *buffer, double number)
{
    char text[40];
    int64_t count;
    if (isnan(number)) {
        text_puts(buffer, "null");
        return;
    }
    if (isinf(number))
        number = number > 0 ? DBL_MAX : -DBL_MAX;
    if (digits_whole(number, NANOSECONDS, &count)) {
        add_nanoseconds(buffer, count);
        return;
    }
    if (add_digits(buffer, number))
        return;
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double read = strtod(text, NULL);
        if (!(read < number) && !(read > number))
            break;
    }
    text_put(buffer, text, strlen(text));
}

void text_put_times(text_buffer *buffer, double start, double end)
{
    int64_t first, last;
    if (digits_whole(start, NANOSECONDS, &first) && digits_whole(end, NANOSECONDS, &last)) {
        char *at = write_nanoseconds(text_reserve(buffer, 3 * LONGEST_TIME), first);
        *at++ = ',';
        at = write_nanoseconds(at, last);
        *at++ = ',';
        buffer->size = (size_t)(write_nanoseconds(at, last - first) - buffer->bytes);
    } else {
        text_put_number(buffer, start);
        text_putc(buffer, ',');
        text_put_number(buffer, end);
        text_putc(buffer, ',');
        text_put_span(buffer, start, end);
    }
}
