/* The header, and user fields. */
#pragma once

#include "aliases.h"
#include "any.h"
#include "../core/definition.h"

PAJEWRITE__UNTRACED
static void pajewrite__write_header(pajewrite *w)
{
    uint32_t kind;
    for (kind = PAJEWRITE__BEFORE_KINDS + 1; kind < PAJEWRITE__AFTER_KINDS; kind++)
        if (pajewrite__is_kind(kind) && !pajewrite__write_definition(w, (pajewrite_kind)kind, kind, "", 0))
            w->undefined |= UINT32_C(1) << kind;
}

PAJEWRITE__API void pajewrite_header(pajewrite *w)
{
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_header(w);
    pajewrite__end_call(w);
}

/* Whether a user field must not have this name: it is that of a standard field of the kind, of a field in the lines
 * [line, end), or of a standard field in the oldest versions of the format. */
PAJEWRITE__UNTRACED
static int pajewrite__is_name_taken(pajewrite_kind kind, const char *line, const char *end, const char *name,
                                    size_t size)
{
    size_t i;
    for (i = 0; i < sizeof pajewrite__fields / sizeof *pajewrite__fields; i++) {
        const pajewrite__field *field = &pajewrite__fields[i];
        const char *letters = pajewrite__field_letters(kind);
        while (*letters && *letters != field->letter)
            letters++;
        if ((*letters && pajewrite__word_is(field->name, name, size)) ||
            (field->old && pajewrite__word_is(field->old, name, size)))
            return 1;
    }
    for (; line < end; line = pajewrite__after_line(line))
        if (pajewrite__word_is(line + 2, name, size)) /* behind "% " */
            return 1;
    return 0;
}

PAJEWRITE__UNTRACED
static int pajewrite__is_field_type(const char *text, size_t size)
{
    static const char *const types[] = {"int", "hex", "double", "float", "date", "color", "string"};
    size_t i = 0;
    while (i < sizeof types / sizeof *types && !pajewrite__word_is(types[i], text, size))
        i++;
    return i < sizeof types / sizeof *types;
}

enum { PAJEWRITE__WORDS_MAX = 20 }; /* of a line, that pj_dump reads: the number of the event and its fields */

/* Returns how many fields the header defines for events of this kind. */
PAJEWRITE__UNTRACED
static uint32_t pajewrite__standard_fields(pajewrite_kind kind)
{
    uint32_t count = 0;
    while (pajewrite__field_letters(kind)[count])
        count++;
    return count;
}

/* Refuses the definition of a user field because of its name, which pajewrite_problem then returns, too. */
PAJEWRITE__UNTRACED
static void pajewrite__refuse_field(pajewrite *w, const char *name, size_t size)
{
    static const char text[] = "a user field has a name that the event has already or that the format reserves: ";
    const size_t most = sizeof w->problem - sizeof text;
    if (!w->status) {
        char *p = pajewrite__put_string(w->problem, text);
        *pajewrite__put_bytes(p, name, size < most ? size : most) = 0;
    }
    pajewrite__refuse(w, PAJEWRITE_E_FIELD_NAME);
}

PAJEWRITE__UNTRACED
static pajewrite_variant pajewrite__write_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    pajewrite_variant variant = PAJEWRITE__ZERO;
    char text[PAJEWRITE_FIELDS_SIZE + 64], *p = text;
    const uint64_t refused = w->refused;
    uint32_t count = 0, number;
    if (!pajewrite__is_kind((uint32_t)kind) || !fields)
        goto malformed;
    for (; *fields; count++) {
        size_t name, type;
        while (*fields == ' ')
            fields++;
        name = pajewrite__word_size(fields);
        type = name && fields[name] == ' ' ? pajewrite__word_size(fields + name + 1) : 0;
        if (!type || !pajewrite__is_field_type(fields + name + 1, type) ||
            (size_t)(p - text) + name + type > sizeof text - 8)
            goto malformed;
        if (pajewrite__is_name_taken(kind, text, p, fields, name)) {
            pajewrite__refuse_field(w, fields, name);
            return variant;
        }
        p = pajewrite__put_string(p, "% ");
        p = pajewrite__put_bytes(p, fields, name + 1 + type);
        *p++ = '\n';
        fields += name + 1 + type;
        if (*fields == ',' && fields[1])
            fields++;
        else if (*fields)
            goto malformed;
    }
    if (pajewrite__standard_fields(kind) + count >= PAJEWRITE__WORDS_MAX)
        goto malformed;
    number = pajewrite__take_variant(w);
    if (number && pajewrite__write_definition(w, kind, number, text, (size_t)(p - text)))
        variant.number = number;
    if (w->refused == refused) { /* else its events are refused, too */
        variant.kind = kind;
        variant.fields = count;
    }
    return variant;
malformed:
    pajewrite__refuse(w, PAJEWRITE_E_VARIANT);
    return variant;
}

PAJEWRITE__API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields)
{
    pajewrite_variant variant = PAJEWRITE__ZERO;
    if (!pajewrite__enter(w))
        return variant;
    variant = pajewrite__write_variant(w, kind, fields);
    pajewrite__end_call(w);
    return variant;
}

/* Whether a text of a table of definitions is lines of user fields, not too many for an event of this kind. */
PAJEWRITE__UNTRACED
static int pajewrite__are_fields(pajewrite_kind kind, const char *text)
{
    uint32_t count = pajewrite__standard_fields(kind);
    for (; text[0] == '%' && text[1] == ' '; count++) {
        while (*text && *text != '\n')
            text++;
        if (!*text++)
            return 0;
    }
    return !*text && count < PAJEWRITE__WORDS_MAX;
}

/* Writes the definition of a variant in a table of definitions.  If it is dropped, the context remembers that, as the
 * program knows the number all the same. */
PAJEWRITE__UNTRACED
static void pajewrite__announce_variant(pajewrite *w, pajewrite_kind kind, uint32_t number, const char *text,
                                        size_t size)
{
    if (!pajewrite__is_kind((uint32_t)kind) || !pajewrite__are_fields(kind, text)) {
        pajewrite__refuse(w, PAJEWRITE_E_VARIANT);
        return;
    }
    if (!pajewrite__write_definition(w, kind, number, text, size))
        pajewrite__remember_variant(w, number);
    pajewrite__pass_variant(w, number);
}

PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries)
{
    const pajewrite_definition *entry;
    if (!pajewrite__enter(w))
        return;
    pajewrite__write_header(w);
    w->quote_all = 1;
    for (entry = table; entries > 0; entry++, entries--) { /* no address is formed from a NULL table */
        pajewrite_event event = PAJEWRITE__ZERO;
        uint32_t number = PAJEWRITE__NUMBER_OF(entry->tag / 2u), line = PAJEWRITE__LINE_OF(entry->tag / 2u);
        uint32_t before = number == PAJEWRITE_CREATE_CONTAINER ? 2 : 0, aliases[4] = {0, 0, 0, 0}, i;
        const char *end = entry->text;
        while (*end)
            end++;
        for (i = before; i < 5 && i < before + 4; i++)
            aliases[i - before] = entry->numbers[i] / 2u;
        if (line == PAJEWRITE__VARIANT_LINE) {
            pajewrite__announce_variant(w, (pajewrite_kind)aliases[0], number, entry->text,
                                        (size_t)(end - entry->text));
            continue;
        }
        event.kind = (pajewrite_kind)number;
        event.type.alias = aliases[event.kind > PAJEWRITE_DEFINE_LINK_TYPE];
        event.of.alias = aliases[1];
        event.start_type.alias = event.other.alias = aliases[2];
        event.end_type.alias = aliases[3];
        event.container.alias = event.value.alias = aliases[0];
        event.name = entry->text;
        if (line == PAJEWRITE__VALUE_LINE)
            event.color = end + 1;
        event.time = w->config.origin;
        pajewrite__write_any(w, &event, NULL);
    }
    w->quote_all = 0;
    pajewrite__end_call(w);
}

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant)
{
    pajewrite_fields fields;
    fields.variant = variant;
    fields.count = fields.size = fields.invalid = fields.not_finite = 0;
    return fields;
}

/* Appends a field as it is written in the line, with blank and quotes. */
PAJEWRITE__UNTRACED
static void pajewrite__add_field(pajewrite_fields *fields, const char *text)
{
    pajewrite__text scanned = pajewrite__scan_text(text);
    size_t size = scanned.size + (scanned.quoted ? 3 : 1);
    fields->count++;
    fields->invalid |= (uint32_t)scanned.replaced;
    if (fields->size > sizeof fields->text || size > sizeof fields->text - fields->size) {
        fields->size = sizeof fields->text + 1;
        return;
    }
    fields->text[fields->size] = ' ';
    pajewrite__put_text(fields->text + fields->size + 1, &scanned);
    fields->size += (uint32_t)size;
}

PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number)
{
    char text[24];
    *pajewrite__put_i64(text, number) = 0;
    pajewrite__add_field(fields, text);
}

#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number)
{
    char text[32];
    fields->not_finite |= !pajewrite__is_finite(number);
    *pajewrite__put_double(text, fields->not_finite ? 0 : number) = 0;
    pajewrite__add_field(fields, text);
}
#endif

PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number)
{
    char text[20], *p = text + sizeof text;
    *--p = 0;
    do
        *--p = "0123456789abcdef"[number & 15];
    while (number >>= 4);
    *--p = 'x';
    *--p = '0';
    pajewrite__add_field(fields, p);
}

PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text)
{
    pajewrite__add_field(fields, text ? text : "");
}
