/* Bytes of a trace as JSON, XML, CSV and SQL, and numbers that any of them reads back as they were. */
#include "paje.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static int continues(unsigned char byte)
{
    return (byte & 0xc0) == 0x80;
}

size_t paje_character(const char *bytes, size_t size)
{
    unsigned char lead = (unsigned char)bytes[0], next = size > 1 ? (unsigned char)bytes[1] : 0;
    if (lead < 0x80)
        return 1;
    if (lead < 0xc2 || lead > 0xf4 || !continues(next))
        return 0;
    if (lead < 0xe0)
        return 2;
    if (size < 3 || !continues((unsigned char)bytes[2]) || (lead == 0xe0 && next < 0xa0) ||
        (lead == 0xed && next > 0x9f)) /* too long a form; a surrogate */
        return 0;
    if (lead < 0xf0)
        return 3;
    if (size < 4 || !continues((unsigned char)bytes[3]) || (lead == 0xf0 && next < 0x90) ||
        (lead == 0xf4 && next > 0x8f))
        return 0;
    return 4;
}

/* Adds the text, but for bytes that `special` tells, which `replace` adds in its way; each byte that belongs to no
 * character becomes U+FFFD. */
static void add_replaced(paje_buffer *buffer, pajesim_text text, int (*special)(const char *bytes, size_t size),
                         void (*replace)(paje_buffer *buffer, unsigned char byte))
{
    size_t done = 0, at = 0;
    while (at < text.size) {
        size_t size = paje_character(text.bytes + at, text.size - at);
        if (size && !special(text.bytes + at, size)) {
            at += size;
            continue;
        }
        paje_add(buffer, text.bytes + done, at - done);
        if (size)
            replace(buffer, (unsigned char)text.bytes[at]);
        else
            paje_add(buffer, REPLACEMENT, 3);
        done = at += size ? size : 1;
    }
    if (at > done) /* an empty text may have no address */
        paje_add(buffer, text.bytes + done, at - done);
}

static int is_special_in_json(const char *bytes, size_t size)
{
    unsigned char byte = (unsigned char)bytes[0];
    return size == 1 && (byte < 0x20 || byte == '"' || byte == '\\' || byte == '<' || byte == 0x7f);
}

static void escape_in_json(paje_buffer *buffer, unsigned char byte)
{
    if (byte == '"' || byte == '\\')
        paje_addf(buffer, "\\%c", byte);
    else
        paje_addf(buffer, "\\u%04x", byte);
}

void paje_add_json(paje_buffer *buffer, pajesim_text text)
{
    paje_add(buffer, "\"", 1);
    add_replaced(buffer, text, is_special_in_json, escape_in_json);
    paje_add(buffer, "\"", 1);
}

static int is_special_in_xml(const char *bytes, size_t size)
{
    unsigned char byte = (unsigned char)bytes[0];
    if (size == 3)
        return memcmp(bytes, "\xef\xbf\xbe", 3) == 0 || memcmp(bytes, "\xef\xbf\xbf", 3) == 0;
    return size == 1 && (byte < 0x20 || byte == '"' || byte == '\'' || byte == '<' || byte == '>' || byte == '&');
}

static void escape_in_xml(paje_buffer *buffer, unsigned char byte)
{
    if (byte == '\t' || (byte >= 0x20 && byte < 0x80))
        paje_addf(buffer, "&#%u;", byte);
    else
        paje_add(buffer, REPLACEMENT, 3);
}

void paje_add_xml(paje_buffer *buffer, pajesim_text text)
{
    add_replaced(buffer, text, is_special_in_xml, escape_in_xml);
}

void paje_add_csv(paje_buffer *buffer, pajesim_text text)
{
    int quoted = 0;
    for (size_t i = 0; i < text.size && !quoted; i++) {
        char byte = text.bytes[i];
        quoted = byte == ',' || byte == '"' || byte == '\r' || byte == '\n' || byte == '\0';
    }
    if (!quoted) {
        paje_add_text(buffer, text);
        return;
    }
    paje_add(buffer, "\"", 1);
    for (size_t i = 0; i < text.size; i++)
        paje_add(buffer, text.bytes[i] == '"' ? "\"\"" : text.bytes + i, text.bytes[i] == '"' ? 2 : 1);
    paje_add(buffer, "\"", 1);
}

static int is_special_in_sql(const char *bytes, size_t size)
{
    return size == 1 && (bytes[0] == '\'' || bytes[0] == '\0');
}

static int is_special_in_mysql(const char *bytes, size_t size)
{
    return is_special_in_sql(bytes, size) || bytes[0] == '\\';
}

static void escape_in_sql(paje_buffer *buffer, unsigned char byte)
{
    if (byte)
        paje_addf(buffer, "%c%c", byte, byte);
    else
        paje_add(buffer, REPLACEMENT, 3);
}

void paje_add_sql(paje_buffer *buffer, pajesim_text text, int backslashes)
{
    paje_add(buffer, "'", 1);
    add_replaced(buffer, text, backslashes ? is_special_in_mysql : is_special_in_sql, escape_in_sql);
    paje_add(buffer, "'", 1);
}

/* Digits of a number, from the end of `room` backwards; answers where they begin. */
static char *write_digits(char *end, uint64_t number, int least)
{
    do
        *--end = (char)('0' + number % 10);
    while ((number /= 10) || --least > 0);
    return end;
}

void paje_add_integer(paje_buffer *buffer, int64_t number)
{
    char room[24], *end = room + sizeof room;
    char *at = write_digits(end, number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 1);
    if (number < 0)
        *--at = '-';
    paje_add(buffer, at, (size_t)(end - at));
}

/* Most times of traces are some whole number of nanoseconds, of less than 16 digits; as both that and the billion are
 * exact, their quotient is what reading the decimals answers.  Answers 0 for other numbers. */
static int is_nanoseconds(double number, int64_t *count)
{
    if (!(fabs(number) < 1e6))
        return 0;
    *count = (int64_t)(number * 1e9 + (number < 0 ? -0.5 : 0.5));
    return !((double)*count / 1e9 < number) && !((double)*count / 1e9 > number);
}

static void add_nanoseconds(paje_buffer *buffer, int64_t count)
{
    uint64_t size = count < 0 ? 0 - (uint64_t)count : (uint64_t)count;
    uint64_t whole = size / 1000000000, rest = size % 1000000000;
    char room[32], *end = room + sizeof room, *at = end;
    if (rest) {
        int decimals = 9;
        for (; rest % 10 == 0; decimals--)
            rest /= 10;
        for (; decimals > 0; decimals--, rest /= 10)
            *--at = (char)('0' + rest % 10);
        *--at = '.';
    }
    at = write_digits(at, whole, 1);
    if (count < 0)
        *--at = '-';
    paje_add(buffer, at, (size_t)(end - at));
}

void paje_add_span(paje_buffer *buffer, double start, double end)
{
    int64_t first, last;
    if (is_nanoseconds(start, &first) && is_nanoseconds(end, &last))
        add_nanoseconds(buffer, last - first);
    else
        paje_add_number(buffer, end - start);
}

void paje_add_number(paje_buffer *buffer, double number)
{
    char text[40];
    int64_t count;
    if (isnan(number)) {
        paje_add(buffer, "null", 4);
        return;
    }
    if (isinf(number))
        number = number > 0 ? DBL_MAX : -DBL_MAX;
    if (is_nanoseconds(number, &count)) {
        add_nanoseconds(buffer, count);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double read = strtod(text, NULL);
        if (!(read < number) && !(read > number))
            break;
    }
    paje_add(buffer, text, strlen(text));
}

static int is_same(pajesim_text a, pajesim_text b)
{
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

static int is_repeated(const pajesim *sim, const pajesim_fields *fields, uint32_t index, pajesim_text name)
{
    pajesim_field field;
    for (uint32_t i = 0; i < index && pajesim_user_field(sim, fields, i, &field); i++)
        if (is_same(field.name, name))
            return 1;
    return 0;
}

void paje_add_json_fields(paje_buffer *buffer, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim_field field;
    int first = 1;
    paje_add(buffer, "{", 1);
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++) {
        if (is_repeated(sim, fields, i, field.name))
            continue;
        paje_add(buffer, ",", first ? 0 : 1);
        first = 0;
        paje_add_json(buffer, field.name);
        paje_add(buffer, ":", 1);
        paje_add_json(buffer, field.text);
    }
    paje_add(buffer, "}", 1);
}
