/* Event definitions (%EventDef): their record, how to find one, and how to free it. */
#pragma once

#include "cache.h"
#include "events.h"
#include "files.h"

typedef struct pajesim__definition {
    pajesim__id id;      /* the event's number, within the file's scope */
    pajesim__text name;  /* of an event that is not of the format */
    pajesim__offset next; /* of the file's list */
    pajesim__offset fields; /* a byte each: role + 16 * type */
    pajesim__offset names;  /* texts: names of the fields with role PAJESIM_USER_FIELD, in order */
    pajesim__length refs; /* open entities that keep user fields of it */
    uint8_t event, kind, function, count, user_count, user_names;
    uint8_t ended; /* its file has ended: the last reference frees it */
    /* index of a line's word by role; 0: the definition has none.  PAJESIM_USER_FIELD: of the first user field, if
     * all of them are adjacent */
    uint8_t word[PAJESIM_ROLE_COUNT];
} pajesim__definition;
#define PAJESIM__DEFINITION_MEMBERS(X, T) \
    X(T, id) X(T, name) X(T, next) X(T, fields) X(T, names) X(T, refs) X(T, event) X(T, kind) X(T, function) \
    X(T, count) X(T, user_count) X(T, user_names) X(T, ended) X(T, word)

#define PAJESIM__DEFINITION_AT(sim, offset) PAJESIM__AT(sim, pajesim__definition, offset)

/* The role, and the type, of a field of a definition. */
#define PAJESIM__ROLE_OF(sim, definition, index) (PAJESIM__BYTES(sim, (definition)->fields)[index] & 15u)
#define PAJESIM__TYPE_OF(sim, definition, index) ((uint32_t)PAJESIM__BYTES(sim, (definition)->fields)[index] >> 4)

/* Index of the word that holds a role; 0 (the event's number) where the definition has no such field. */
#define PAJESIM__FIELD(definition, role) ((uint32_t)(definition)->word[role])

/* Index of the word that holds the time; 0 where the event has none (a field Time is then a user field). */
static uint32_t pajesim__time_word(const pajesim__definition *definition)
{
    return PAJESIM__REQUIRES(definition->event, PAJESIM_TIME) ? PAJESIM__FIELD(definition, PAJESIM_TIME) : 0;
}

PAJESIM__COLD pajesim__offset pajesim__find_imported(const pajesim *sim, const void *bytes, uint32_t size)
{
    pajesim__key number = pajesim__key_of(bytes, size);
    pajesim__offset file = PAJESIM__FILE(PAJESIM__CONST_STATE(sim)), found = 0;
    for (; file && !found; file = PAJESIM__AT(sim, pajesim__file, file)->importer)
        found = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->definitions, &number,
                                    PAJESIM__AT(sim, pajesim__file, file)->importer_scope, 0);
    return found;
}

/* A file sees its own definitions, then those of the files that include it. */
PAJESIM__INLINE pajesim__offset pajesim__find_definition(pajesim *sim, const pajesim__key *number)
{
    uint32_t scope = pajesim__scope(sim);
    pajesim__offset found = pajesim__find_cached(sim, &PAJESIM__CONST_STATE(sim)->definitions, number, scope,
                                                 PAJESIM__DEFINITIONS_SCOPE(scope));
    return PAJESIM__LIKELY(found) ? found : pajesim__find_imported(sim, number->bytes, number->size);
}

/* Whether an event itself has no use for a field. */
static int pajesim__is_user_field(const pajesim__definition *definition, uint32_t role)
{
    uint32_t used = (uint32_t)pajesim__required_roles[definition->event];
    used |= pajesim__optional_roles[definition->event];
    return role == PAJESIM_USER_FIELD || !(used >> role & 1);
}

/* Index of the word that names a file to be opened; 0 where the event opens none (Filename is then a user field). */
static uint32_t pajesim__file_word(const pajesim__definition *definition)
{
    return pajesim__is_user_field(definition, PAJESIM_FILENAME) ? 0 : PAJESIM__FIELD(definition, PAJESIM_FILENAME);
}

static pajesim_text pajesim__definition_name(const pajesim *sim, const pajesim__definition *definition)
{
    return definition->event == PAJESIM_UNKNOWN_EVENT
               ? pajesim__text_at(sim, definition->name)
               : pajesim__name_at(pajesim__event_names, definition->event - 1u);
}

static uint32_t pajesim__names_size(uint32_t names)
{
    return (uint32_t)sizeof(pajesim__text) * names;
}

/* Frees a definition that is no longer in force, and that no entity refers to. */
static void pajesim__free_definition(pajesim *sim, pajesim__offset offset)
{
    pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, offset);
    uint32_t i;
    PAJESIM__ASSERT(!definition->refs);
    for (i = 0; PAJESIM_FIELDS && i < definition->user_names; i++)
        pajesim__free_text(sim, PAJESIM__AT(sim, pajesim__text, definition->names)[i]);
    if (PAJESIM_FIELDS && definition->user_names)
        pajesim__free(sim, definition->names, pajesim__names_size(definition->user_names));
    if (definition->count)
        pajesim__free(sim, definition->fields, definition->count);
    pajesim__free_text(sim, definition->name);
    pajesim__free_id(sim, &definition->id);
    pajesim__free(sim, offset, sizeof *definition);
}

/* Discards the definition that has no %EndEventDef, if there is one, and reports it. */
static void pajesim__abandon_definition(pajesim *sim, pajesim_code code)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_text number;
    if (!state->defining)
        return;
    number = pajesim__id_text(sim, &PAJESIM__DEFINITION_AT(sim, state->defining)->id);
    pajesim__report(sim, code, PAJESIM_ERROR, 0, number.bytes, (uint32_t)number.size);
    pajesim__free_definition(sim, state->defining);
    state->defining = 0;
}

/* When an included file ends, its definitions are no longer in force. */
static void pajesim__drop_definitions(pajesim *sim, pajesim__offset first)
{
    pajesim__offset next;
    for (; first; first = next) {
        pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, first);
        next = definition->next;
        pajesim__uncache(sim, &definition->id, PAJESIM__DEFINITIONS_SCOPE(definition->id.scope));
        pajesim__table_remove(sim, &PAJESIM__STATE(sim)->definitions, first);
        if (definition->refs)
            definition->ended = 1;
        else
            pajesim__free_definition(sim, first);
    }
}
