/* User fields: those of a line, and those that open entities keep. */
#pragma once

#include "definition.h"
#include "model.h"

/* The user fields of the line that opened an entity, stored as long as it is open. */
typedef struct pajesim__fields {
    pajesim__offset definition;
    pajesim__length count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__fields;
#define PAJESIM__FIELDS_MEMBERS(X, T) \
    X(T, definition) X(T, count) X(T, size)

/* Collects the user fields of a line where they are not adjacent. */
static void pajesim__find_user_fields(const pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t i, n = 0;
    for (i = 0; i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            line->user_spans[2 * n] = line->spans[2 * i + 2];
            line->user_spans[2 * n + 1] = line->spans[2 * i + 3];
            n++;
        }
    line->user_spans_ready = 1;
}

/* Views the user fields of the current line. */
PAJESIM__SHARED void pajesim__line_user_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, line->shown.definition);
    uint32_t first = PAJESIM__FIELD(definition, PAJESIM_USER_FIELD);
    if (PAJESIM__UNLIKELY(definition->user_count && !first && !line->user_spans_ready))
        pajesim__find_user_fields(sim, line, definition);
    view->count = definition->user_count;
    view->definition = line->shown.definition;
    view->text = line->shown.text;
    view->spans = first ? line->spans + 2 * first : line->user_spans;
}

/* As pajesim__line_user_fields, where there are any; `view` must be empty. */
PAJESIM__INLINE void pajesim__view_line_fields(const pajesim *sim, pajesim__line *line, pajesim_fields *view)
{
    if (PAJESIM_FIELDS && PAJESIM__UNLIKELY(PAJESIM__DEFINITION_AT(sim, line->shown.definition)->user_count))
        pajesim__line_user_fields(sim, line, view);
}

/* Views stored user fields, where there are any; `view` must be empty. */
PAJESIM__SHARED void pajesim__view_kept_fields(const pajesim *sim, pajesim__offset offset, pajesim_fields *view)
{
    const pajesim__fields *kept;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!(offset & (pajesim__offset)~PAJESIM__TRACKED)))
        return;
    kept = PAJESIM__AT(sim, const pajesim__fields, offset & (pajesim__offset)~PAJESIM__TRACKED);
    view->count = kept->count;
    view->definition = kept->definition;
    view->spans = (const pajesim__length *)(const void *)(kept + 1);
    view->text = (const char *)(view->spans + 2 * view->count);
}

static pajesim__size pajesim__fields_size(uint32_t count, uint32_t size)
{
    return (pajesim__size)sizeof(pajesim__fields) + count * (pajesim__size)(2 * sizeof(pajesim__length)) + size;
}

static pajesim__offset pajesim__reserve_fields_block(pajesim *sim, pajesim__line *line)
{
    pajesim_fields view;
    uint32_t i, size = 0;
    pajesim__line_user_fields(sim, line, &view);
    for (i = 0; i < view.count; i++)
        size += view.spans[2 * i + 1];
    return pajesim__alloc(sim, pajesim__fields_size(view.count, size));
}

/* Allocates a block for the user fields of the current line; returns 0 if it has none. */
PAJESIM__INLINE pajesim__offset pajesim__reserve_fields(pajesim *sim, pajesim__line *line,
                                                        const pajesim__definition *definition)
{
    return PAJESIM_FIELDS && PAJESIM__UNLIKELY(definition->user_count) ? pajesim__reserve_fields_block(sim, line) : 0;
}

static void pajesim__store_fields(pajesim *sim, pajesim__line *line, pajesim__offset offset)
{
    pajesim_fields view;
    pajesim__fields *kept;
    pajesim__length *spans;
    unsigned char *bytes;
    uint32_t i;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset))
        return;
    pajesim__line_user_fields(sim, line, &view);
    kept = PAJESIM__AT(sim, pajesim__fields, offset);
    kept->definition = view.definition;
    kept->count = (pajesim__length)view.count;
    kept->size = 0;
    spans = (pajesim__length *)(void *)(kept + 1);
    bytes = (unsigned char *)(spans + 2 * view.count);
    for (i = 0; i < view.count; i++) {
        spans[2 * i] = kept->size;
        spans[2 * i + 1] = view.spans[2 * i + 1];
        memcpy(bytes + kept->size, view.text + view.spans[2 * i], view.spans[2 * i + 1]);
        kept->size = (pajesim__length)(kept->size + view.spans[2 * i + 1]);
    }
    PAJESIM__DEFINITION_AT(sim, kept->definition)->refs++;
}

static void pajesim__free_fields(pajesim *sim, pajesim__offset offset)
{
    const pajesim__fields *kept;
    pajesim__definition *definition;
    if (!PAJESIM_FIELDS || PAJESIM__LIKELY(!offset) || offset == PAJESIM__TRACKED)
        return;
    offset &= (pajesim__offset)~PAJESIM__TRACKED;
    kept = PAJESIM__AT(sim, const pajesim__fields, offset);
    definition = PAJESIM__DEFINITION_AT(sim, kept->definition);
    PAJESIM__ASSERT(definition->refs);
    if (--definition->refs == 0 && definition->ended)
        pajesim__free_definition(sim, kept->definition);
    pajesim__free(sim, offset, pajesim__fields_size(kept->count, kept->size));
}

/* ---- queries ---- */

/* Fills in what the definition says about field `index`. */
static void pajesim__describe_field(const pajesim *sim, const pajesim__definition *definition, uint32_t index,
                                    pajesim_field *field)
{
    uint32_t role = PAJESIM__ROLE_OF(sim, definition, index), own = 0, i;
    field->role = (pajesim_role)role;
    field->type = (pajesim_field_type)PAJESIM__TYPE_OF(sim, definition, index);
    field->text = pajesim__view("", 0);
    if (role != PAJESIM_USER_FIELD) {
        field->name = pajesim__name_at(pajesim__role_names, role - 1);
        return;
    }
    for (i = 0; i < index; i++)
        own += PAJESIM__ROLE_OF(sim, definition, i) == PAJESIM_USER_FIELD;
    field->name = PAJESIM_FIELDS ? pajesim__text_at(sim, PAJESIM__AT(sim, const pajesim__text, definition->names)[own])
                                 : pajesim__view("", 0);
}

PAJESIM_API int pajesim_definition_field(const pajesim *sim, pajesim_ref definition, uint32_t index,
                                         pajesim_field *field)
{
    if (!definition || index >= PAJESIM__DEFINITION_AT(sim, definition)->count)
        return 0;
    pajesim__describe_field(sim, PAJESIM__DEFINITION_AT(sim, definition), index, field);
    return 1;
}

PAJESIM_API int pajesim_line_field(const pajesim *sim, const pajesim_line *line, uint32_t index, pajesim_field *field)
{
    if (!pajesim_definition_field(sim, line->definition, index, field))
        return 0;
    field->text = pajesim__view(line->text + line->spans[2 * index + 2], line->spans[2 * index + 3]);
    return 1;
}

#if PAJESIM_TRAVEL
/* User fields with their names, as in an index and in a window: 5 numbers in `spans` for each: begin and size of its
 * name, begin and size of its text, and role and type. */
static int pajesim__named_field(const pajesim_fields *fields, uint32_t index, pajesim_field *field)
{
    const pajesim__length *spans = fields->spans + 5 * index;
    field->name = pajesim__view(fields->text + spans[0], spans[1]);
    field->text = pajesim__view(fields->text + spans[2], spans[3]);
    field->role = (pajesim_role)(spans[4] & 0xff);
    field->type = (pajesim_field_type)(spans[4] >> 8);
    return 1;
}
#endif

PAJESIM_API int pajesim_user_field(const pajesim *sim, const pajesim_fields *fields, uint32_t index,
                                   pajesim_field *field)
{
    const pajesim__definition *definition;
    uint32_t i, left = index;
    if (index >= fields->count)
        return 0;
#if PAJESIM_TRAVEL
    if (!fields->definition)
        return pajesim__named_field(fields, index, field);
#endif
    definition = PAJESIM__DEFINITION_AT(sim, fields->definition);
    for (i = 0; !pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i)) || left--; i++) {
    }
    pajesim__describe_field(sim, definition, i, field);
    field->text = pajesim__view(fields->text + fields->spans[2 * index], fields->spans[2 * index + 1]);
    return 1;
}

/* Whether a text equals a string that is terminated by NUL. */
static int pajesim__is_string(pajesim_text text, const char *string)
{
    size_t same = 0;
    while (same < text.size && string[same] && string[same] == text.bytes[same])
        same++;
    return same == text.size && !string[same];
}

PAJESIM_API uint32_t pajesim_user_field_index(const pajesim *sim, pajesim_ref ref, const char *name)
{
    const pajesim__definition *definition = ref ? PAJESIM__DEFINITION_AT(sim, ref) : NULL;
    uint32_t i, index = 0;
    pajesim_field field;
    for (i = 0; definition && i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            pajesim__describe_field(sim, definition, i, &field);
            if (pajesim__is_string(field.name, name))
                return index;
            index++;
        }
    return UINT32_MAX;
}

PAJESIM_API int pajesim_user_field_fixed(const pajesim_fields *fields, uint32_t index, int decimals, int64_t *number)
{
    const pajesim__length *span;
    if (index >= fields->count)
        return 0;
    span = fields->spans + 2 * index;
#if PAJESIM_TRAVEL
    if (!fields->definition)
        span = fields->spans + 5 * index + 2; /* behind begin and size of the name */
#endif
    return pajesim_fixed(fields->text + span[0], span[1], decimals, number);
}

PAJESIM_API int pajesim_user_field_named(const pajesim *sim, const pajesim_fields *fields, const char *name,
                                         pajesim_field *field)
{
    uint32_t i;
    pajesim_field candidate;
    for (i = 0; pajesim_user_field(sim, fields, i, &candidate); i++) {
        if (pajesim__is_string(candidate.name, name)) {
            *field = candidate;
            return 1;
        }
    }
    return 0;
}

PAJESIM_API pajesim_text pajesim_line_role(const pajesim *sim, const pajesim_line *line, pajesim_role role)
{
    uint32_t word = 0;
    if (role > PAJESIM_USER_FIELD && role < PAJESIM_ROLE_COUNT)
        word = PAJESIM__DEFINITION_AT(sim, line->definition)->word[role];
    return word ? pajesim__view(line->text + line->spans[2 * word], line->spans[2 * word + 1]) : pajesim__view("", 0);
}

/* ---- user fields with their names: those in an index or a window outlive their definitions ---- */

#if PAJESIM_TRAVEL
typedef struct pajesim__named_fields {
    uint32_t count, size; /* of the bytes, which follow the spans, which follow this */
} pajesim__named_fields;
#define PAJESIM__NAMED_FIELDS_MEMBERS(X, T) \
    X(T, count) X(T, size)

#define PAJESIM__NAMED_SPANS (5 * sizeof(pajesim__length))

/* Returns the bytes that pajesim__store_named_fields writes. */
static uint32_t pajesim__named_fields_size(const pajesim *sim, const pajesim_fields *fields)
{
    uint32_t size = sizeof(pajesim__named_fields), i;
    pajesim_field field;
    for (i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        size += (uint32_t)(PAJESIM__NAMED_SPANS + field.name.size + field.text.size);
    return size;
}

static pajesim__length pajesim__append_named_text(pajesim__named_fields *own, unsigned char *bytes, pajesim_text text)
{
    pajesim__length at = own->size;
    memcpy(bytes + at, text.bytes, text.size);
    own->size += (uint32_t)text.size;
    return at;
}

static void pajesim__store_named_fields(pajesim__named_fields *own, const pajesim *sim, const pajesim_fields *fields)
{
    pajesim__length *spans = (pajesim__length *)(void *)(own + 1);
    unsigned char *bytes = (unsigned char *)spans + fields->count * PAJESIM__NAMED_SPANS;
    pajesim_field field;
    own->size = 0;
    for (own->count = 0; pajesim_user_field(sim, fields, own->count, &field); own->count++, spans += 5) {
        spans[0] = pajesim__append_named_text(own, bytes, field.name);
        spans[1] = (pajesim__length)field.name.size;
        spans[2] = pajesim__append_named_text(own, bytes, field.text);
        spans[3] = (pajesim__length)field.text.size;
        spans[4] = (pajesim__length)field.role | (pajesim__length)field.type << 8;
    }
}

/* A view that pajesim_user_field reads without a definition. */
static pajesim_fields pajesim__view_named_fields(const pajesim__named_fields *own)
{
    pajesim_fields view;
    view.count = own->count;
    view.definition = 0;
    view.spans = (const pajesim__length *)(const void *)(own + 1);
    view.text = (const char *)(view.spans + 5 * own->count);
    return view;
}
#endif /* PAJESIM_TRAVEL */
