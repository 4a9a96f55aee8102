/* An entity as a line of pj_dump 1.3.6, byte for byte. */
#include "replay/dump_line.h"
#include "base/digits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hot path of `paje dump`: each of the next functions reserves space once, then writes without checks. */

static char *reserve(text_buffer *line, size_t size)
{
    return size <= line->capacity - line->size ? line->bytes + line->size : text_reserve(line, size);
}

static void end(text_buffer *line, const char *at)
{
    line->size = (size_t)(at - line->bytes);
}

static char *put_comma(char *at)
{
    memcpy(at, ", ", 2);
    return at + 2;
}

/* Names are short: up to 16 bytes are copied as two words that may overlap, without a call of memcpy. */
static char *put(char *at, const char *bytes, size_t size)
{
    uint64_t first, last;
    uint32_t left, right;
    if (size > 16) {
        memcpy(at, bytes, size);
    } else if (size >= 8) {
        memcpy(&first, bytes, 8);
        memcpy(&last, bytes + size - 8, 8);
        memcpy(at, &first, 8);
        memcpy(at + size - 8, &last, 8);
    } else if (size >= 4) {
        memcpy(&left, bytes, 4);
        memcpy(&right, bytes + size - 4, 4);
        memcpy(at, &left, 4);
        memcpy(at + size - 4, &right, 4);
    } else {
        for (size_t i = 0; i < size; i++)
            at[i] = bytes[i];
    }
    return at + size;
}

static void add_name(text_buffer *line, pajesim_text name)
{
    end(line, put(put_comma(reserve(line, name.size + 2)), name.bytes, name.size));
}

/* Same result as printf's %.*f, far faster: the number is mantissa / 2^shift, so decimals and remainder are exact, and
 * rounding is too.  Returns 0 for numbers that do not fit, which are left to printf. */
static int add_decimals(text_buffer *line, double number, int precision)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    int exponent = (int)(bits >> 52 & 0x7ff), shift = 1075 - (exponent ? exponent : 1);
    uint64_t mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | (uint64_t)(exponent != 0) << 52;
    if (precision > 9 || shift <= 0 || !(fabs(number) * (double)digits_powers[precision] < 9e18))
        return 0;
    wide scaled = (wide)mantissa * digits_powers[precision]; /* less than 2^83 */
    if (shift > 100)
        shift = 100;
    /* ties to even */
    uint64_t left = (uint64_t)((scaled + ((wide)1 << (shift - 1)) - 1 + ((scaled >> shift) & 1)) >> shift);

    int digits = digits_count(left);
    if (digits <= precision)
        digits = precision + 1;
    char *at = put_comma(reserve(line, 40));
    *at = '-';
    at += (bits >> 63) + (uint64_t)digits + (precision > 0);
    end(line, at);
    left = digits_write(at, left, precision);
    if (precision)
        *(at -= precision + 1) = '.';
    digits_write(at, left, digits - precision);
    return 1;
#else
    (void)line, (void)number, (void)precision;
    return 0;
#endif
}

void paje_format_number(text_buffer *line, double number, int precision)
{
    if (precision != PAJE_EXACT) {
        if (!add_decimals(line, number, precision))
            text_printf(line, ", %.*f", precision, number);
        return;
    }
    char text[40];
    number += 0.0; /* no negative zero */
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) < number || strtod(text, NULL) > number)
        snprintf(text, sizeof text, "%.17g", number);
    add_name(line, (pajesim_text){text, strlen(text)});
}

/* On container lines pj_dump prints numbers with C++'s default format, whatever the precision. */
static void add_container_number(text_buffer *line, double number, int precision)
{
    if (precision == PAJE_EXACT)
        paje_format_number(line, number, precision);
    else
        text_printf(line, ", %g", number);
}

void paje_format_entity(text_buffer *line, const pajesim *sim, const pajesim_entity *entity, int precision)
{
    const char *kind = pajesim_kind_name(entity->kind);
    pajesim_text type = pajesim_name(sim, entity->type), container = pajesim_name(sim, entity->container);
    double duration = entity->end - entity->start;

    text_put(line, kind, strlen(kind));
    if (entity->kind == PAJESIM_CONTAINER) {
        pajesim_ref parent = pajesim_parent(sim, entity->container);
        add_name(line, pajesim_name(sim, parent ? parent : entity->container)); /* the root is its own parent */
        add_name(line, type);
        add_container_number(line, entity->start, precision);
        add_container_number(line, entity->end, precision);
        add_container_number(line, duration, precision);
        add_name(line, container);
        return;
    }
    add_name(line, container);
    add_name(line, type);
    paje_format_number(line, entity->start, precision);
    if (entity->kind == PAJESIM_EVENT) {
        add_name(line, entity->value_name);
        return;
    }
    paje_format_number(line, entity->end, precision);
    paje_format_number(line, duration, precision);
    if (entity->kind == PAJESIM_VARIABLE) {
        paje_format_number(line, entity->number, precision);
        return;
    }
    if (entity->kind == PAJESIM_STATE)
        paje_format_number(line, entity->imbrication, precision);
    add_name(line, entity->value_name);
    if (entity->kind == PAJESIM_LINK) {
        add_name(line, pajesim_name(sim, entity->start_container));
        add_name(line, pajesim_name(sim, entity->end_container));
        add_name(line, entity->key);
    }
}

/* Appends texts or names of user fields.  To pj_dump a field with a standard name is never a user field. */
static void add_fields(text_buffer *line, const pajesim *sim, const pajesim_fields *fields, int names)
{
    pajesim_field field;
    for (uint32_t i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        if (field.role == PAJESIM_USER_FIELD)
            add_name(line, names ? field.name : field.text);
}

static int shows_closing(const pajesim_entity *entity)
{
    return entity->kind == PAJESIM_STATE || entity->kind == PAJESIM_LINK;
}

void paje_format_fields(text_buffer *line, const pajesim *sim, const pajesim_fields *fields)
{
    add_fields(line, sim, fields, 0);
}

void paje_format_user_fields(text_buffer *line, const pajesim *sim, const pajesim_entity *entity)
{
    add_fields(line, sim, &entity->opening, 0);
    if (shows_closing(entity))
        add_fields(line, sim, &entity->closing, 0);
}

void paje_format_user_field_names(text_buffer *line, const pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_CONTAINER) /* pj_dump takes them from the root, which has none */
        return;
    add_fields(line, sim, &entity->opening, 1);
    if (shows_closing(entity))
        add_fields(line, sim, &entity->closing, 1);
}
