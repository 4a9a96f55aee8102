/* An entity as a line of pj_dump 1.3.6, byte for byte. */
#include "paje.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add_comma(paje_buffer *line)
{
    paje_add(line, ", ", 2);
}

static void add_name(paje_buffer *line, pajesim_text name)
{
    add_comma(line);
    paje_add_text(line, name);
}

/* As printf's %.*f, five times as fast: with the fraction as a binary integer of 64 bits the decimals come out exactly,
 * and so does the rest, which says how to round.  Answers 0 for what does not fit. */
static int add_decimals(paje_buffer *line, double number, int precision)
{
    static const uint32_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000, 1000000000};
    double size = fabs(number);
    if (precision > 9 || !(size < 9e15))
        return 0;
    uint64_t whole = (uint64_t)size;
    double shifted = (size - (double)whole) * 18446744073709551616.0;
    uint64_t fraction = (uint64_t)shifted;
    if ((double)fraction < shifted) /* bits beyond the 64th */
        return 0;
    uint64_t low = (fraction & 0xffffffffu) * powers[precision];
    uint64_t high = (fraction >> 32) * powers[precision] + (low >> 32);
    uint64_t decimals = high >> 32, rest = high << 32 | (low & 0xffffffffu), half = (uint64_t)1 << 63;
    uint64_t last = precision ? decimals : whole;
    if (rest > half || (rest == half && (last & 1)))
        decimals++;
    if (decimals == powers[precision] || precision == 0) {
        whole += decimals / powers[precision];
        decimals = 0;
    }

    char text[40], *at = text + sizeof text;
    for (int i = 0; i < precision; i++, decimals /= 10)
        *--at = (char)('0' + decimals % 10);
    if (precision)
        *--at = '.';
    do
        *--at = (char)('0' + whole % 10);
    while (whole /= 10);
    if (signbit(number))
        *--at = '-';
    paje_add(line, at, (size_t)(text + sizeof text - at));
    return 1;
}

static void add_number(paje_buffer *line, double number, int precision)
{
    add_comma(line);
    if (precision != PAJE_EXACT) {
        if (!add_decimals(line, number, precision))
            paje_addf(line, "%.*f", precision, number);
        return;
    }
    char text[40];
    number += 0.0; /* no negative zero */
    snprintf(text, sizeof text, "%.15g", number);
    if (strtod(text, NULL) < number || strtod(text, NULL) > number)
        snprintf(text, sizeof text, "%.17g", number);
    paje_add(line, text, strlen(text));
}

/* On container lines pj_dump prints as C++ does by default, whatever the precision of the rest. */
static void add_container_number(paje_buffer *line, double number, int precision)
{
    if (precision == PAJE_EXACT)
        add_number(line, number, precision);
    else
        paje_addf(line, ", %g", number);
}

void paje_format_entity(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity, int precision)
{
    const char *kind = pajesim_kind_name(entity->kind);
    pajesim_text type = pajesim_name(sim, entity->type), container = pajesim_name(sim, entity->container);
    double duration = entity->end - entity->start;

    paje_add(line, kind, strlen(kind));
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
    add_number(line, entity->start, precision);
    if (entity->kind == PAJESIM_EVENT) {
        add_name(line, entity->value_name);
        return;
    }
    add_number(line, entity->end, precision);
    add_number(line, duration, precision);
    if (entity->kind == PAJESIM_VARIABLE) {
        add_number(line, entity->number, precision);
        return;
    }
    if (entity->kind == PAJESIM_STATE)
        add_number(line, entity->imbrication, precision);
    add_name(line, entity->value_name);
    if (entity->kind == PAJESIM_LINK) {
        add_name(line, pajesim_name(sim, entity->start_container));
        add_name(line, pajesim_name(sim, entity->end_container));
        add_name(line, entity->key);
    }
}

/* The texts, or the names, of user fields.  Fields that the format knows but the event has no use for are none to
 * pj_dump. */
static void add_fields(paje_buffer *line, const pajesim *sim, const pajesim_fields *fields, int names)
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

void paje_format_fields(paje_buffer *line, const pajesim *sim, const pajesim_fields *fields)
{
    add_fields(line, sim, fields, 0);
}

void paje_format_user_fields(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity)
{
    add_fields(line, sim, &entity->opening, 0);
    if (shows_closing(entity))
        add_fields(line, sim, &entity->closing, 0);
}

void paje_format_user_field_names(paje_buffer *line, const pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_CONTAINER) /* pj_dump takes them from the root, which has none */
        return;
    add_fields(line, sim, &entity->opening, 1);
    if (shows_closing(entity))
        add_fields(line, sim, &entity->closing, 1);
}
