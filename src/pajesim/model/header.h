/* Event definitions: %EventDef NAME NUMBER, % FIELD TYPE ..., %EndEventDef (section "Header" of the format). */
#pragma once

#include "commit.h"

/* Returns the index of a word among `count` names; `count` if it is not among them. */
static uint32_t pajesim__index_of(const pajesim__line *line, uint32_t word, const pajesim__literal *names,
                                  uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        pajesim_text name = pajesim__name_at(names, i);
        if (pajesim__word_is(line, word, name.bytes, name.size))
            break;
    }
    return i;
}

/* %EventDef NAME NUMBER */
static pajesim__outcome pajesim__begin_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim__offset offset, id;
    pajesim__text name = 0;
    pajesim__key number;
    uint32_t event, scope;

    state->skip_definition = 1; /* unless it is accepted */
    if (line->count < 3) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_NAME, 0);
        goto refused;
    }
    event = 1 + pajesim__index_of(line, 1, pajesim__event_names, PAJESIM_EVENT_COUNT - 1);
    if (event == PAJESIM_EVENT_COUNT)
        event = PAJESIM_UNKNOWN_EVENT;
    number = pajesim__key_of(PAJESIM__WORD(line, 2), PAJESIM__SIZE(line, 2));
    scope = pajesim__scope(sim);
    if (PAJESIM__FILE(state) && scope == PAJESIM__AT(sim, pajesim__file, state->file)->importer_scope)
        scope = state->scopes + 1u; /* the first definition of an included file */
    if (pajesim__table_find(sim, &state->definitions, &number, scope, 0)) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_TWICE, 2);
        goto refused;
    }
    offset = pajesim__alloc(sim, sizeof *definition);
    id = pajesim__alloc_id(sim, &number);
    if (PAJESIM_FIELDS && event == PAJESIM_UNKNOWN_EVENT)
        name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, 1));
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_NESTED);
    if (event == PAJESIM_UNKNOWN_EVENT) /* stored even when that is an error, so that its lines can be skipped */
        pajesim__report(sim, PAJESIM_E_HEADER_EVENT, pajesim__severity(sim, PAJESIM_E_HEADER_EVENT), line->spans[2] + 1,
                        PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    if (PAJESIM_FILES && scope > state->scopes) {
        state->scopes = (pajesim__length)scope;
        PAJESIM__AT(sim, pajesim__file, state->file)->scope = (pajesim__length)scope;
    }
    definition = PAJESIM__DEFINITION_AT(sim, offset);
    memset(definition, 0, sizeof *definition);
    pajesim__init_id(sim, &definition->id, &number, id, scope, 0);
    definition->event = (uint8_t)event;
    definition->kind = pajesim__functions_and_kinds[event] & 7;
    definition->function = pajesim__functions_and_kinds[event] >> 3;
    definition->name = name;
    if (PAJESIM_FIELDS && name)
        pajesim__write_text(sim, name, PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    state->defining = offset;
    state->skip_definition = 0;
    return PAJESIM__DONE;

refused: /* one before it that lacks its end is discarded, as before any other: else it would get these fields */
    pajesim__abandon_definition(sim, PAJESIM_E_HEADER_NESTED);
    return PAJESIM__REFUSED;
}

/* Reads a field's role and type.  Returns 0 if they are refused. */
static int pajesim__check_field(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                uint32_t *field_role, uint32_t *field_type)
{
    uint32_t role = 1 + pajesim__index_of(line, 0, pajesim__role_names, PAJESIM__ROLE_NAMES);
    uint32_t type = pajesim__index_of(line, 1, pajesim__field_types, PAJESIM__FIELD_TYPES);
    if (role > PAJESIM__ROLE_NAMES) {
        role = PAJESIM_USER_FIELD;
    } else if (role >= PAJESIM_ROLE_COUNT) {
        role = pajesim__old_roles[role - PAJESIM_ROLE_COUNT];
        if (!PAJESIM__STATE(sim)->old_names && pajesim__diagnose(sim, line, PAJESIM_E_HEADER_OLD_NAME, 0))
            return 0;
        if (role == PAJESIM_FILENAME && pajesim__is_user_field(definition, role))
            role = PAJESIM_SOURCE_FILE;
    }
    if (type == PAJESIM__FIELD_TYPES) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_HEADER_TYPE, 1))
            return 0;
        type = PAJESIM_FIELD_STRING;
    }
    if (role != PAJESIM_USER_FIELD && definition->word[role]) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_HEADER_REPEAT, 0))
            return 0;
        role = PAJESIM_USER_FIELD;
    }
    *field_role = role;
    *field_type = type;
    return 1;
}

/* Stores the name of a user field; `names` is a larger block for them, or 0. */
static void pajesim__store_field_name(pajesim *sim, const pajesim__line *line, pajesim__definition *definition,
                                      pajesim__offset names, pajesim__text name)
{
    const uint32_t own = definition->user_names;
    if (names) {
        if (own) {
            memcpy(PAJESIM__BYTES(sim, names), PAJESIM__BYTES(sim, definition->names),
                   (size_t)pajesim__names_size(own));
            pajesim__free(sim, definition->names, pajesim__names_size(own));
        }
        definition->names = names;
    }
    PAJESIM__AT(sim, pajesim__text, definition->names)[definition->user_names++] = name;
    pajesim__write_text(sim, name, PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0));
}

/* % FIELD TYPE */
static pajesim__outcome pajesim__add_field(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim__offset fields = 0, names = 0;
    pajesim__text name = 0;
    uint32_t role, type;

    if (!state->defining) {
        if (state->skip_definition)
            return PAJESIM__DONE;
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_OUTSIDE, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, state->defining);
    if (line->count < 2) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_FIELD, 0);
        return PAJESIM__REFUSED;
    }
    if (definition->count + 2u > PAJESIM_WORDS) {
        pajesim__diagnose(sim, line, PAJESIM_E_HEADER_WORDS, 0);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__check_field(sim, line, definition, &role, &type))
        return PAJESIM__REFUSED;
    /* Blocks grow by whole classes: a field more takes a new block only where the class changes. */
    if (PAJESIM_WORDS <= 65 ? definition->count % PAJESIM__CLASS_STEP == 0
                            : !definition->count || pajesim__class_of(definition->count) !=
                                                        pajesim__class_of(definition->count + 1u))
        fields = pajesim__alloc(sim, definition->count + 1u);
    if (PAJESIM_FIELDS && role == PAJESIM_USER_FIELD) {
        uint32_t own = definition->user_names;
        if (!own || pajesim__class_of(pajesim__names_size(own)) != pajesim__class_of(pajesim__names_size(own + 1)))
            names = pajesim__alloc(sim, pajesim__names_size(own + 1));
        name = pajesim__alloc_text(sim, PAJESIM__SIZE(line, 0));
    }
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    if (fields) {
        if (definition->count) {
            memcpy(PAJESIM__BYTES(sim, fields), PAJESIM__BYTES(sim, definition->fields), definition->count);
            pajesim__free(sim, definition->fields, definition->count);
        }
        definition->fields = fields;
    }
    PAJESIM__BYTES(sim, definition->fields)[definition->count++] = (unsigned char)(role | type << 4);
    if (role != PAJESIM_USER_FIELD)
        definition->word[role] = definition->count;
    else if (PAJESIM_FIELDS)
        pajesim__store_field_name(sim, line, definition, names, name);
    return PAJESIM__DONE;
}

/* Returns 0 if a field that the event needs is missing.  In `as_name`, of an event that destroys a container: the word
 * of the field Container, where that stands for Name; else 0. */
static int pajesim__check_roles(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                uint32_t *as_name)
{
    uint32_t role;
    *as_name = 0;
    if (PAJESIM_REPAIRS && definition->event == PAJESIM_DESTROY_CONTAINER && !definition->word[PAJESIM_NAME] &&
        definition->word[PAJESIM_CONTAINER_FIELD]) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_AS_NAME, 0))
            return 0;
        *as_name = definition->word[PAJESIM_CONTAINER_FIELD];
    }
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++)
        if (PAJESIM__REQUIRES(definition->event, role) && !definition->word[role] &&
            !(role == PAJESIM_NAME && *as_name)) {
            pajesim_text name = pajesim__name_at(pajesim__role_names, role - 1);
            pajesim__report(sim, PAJESIM_E_HEADER_MISSING, PAJESIM_ERROR, 0, name.bytes, (uint32_t)name.size);
            return 0;
        }
    return 1;
}

/* Counts the user fields, and notes the first one if no other field is between them. */
static void pajesim__count_user_fields(pajesim *sim, pajesim__definition *definition)
{
    uint32_t i, first = 0;
    for (i = 0; i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(sim, definition, i))) {
            if (!definition->user_count)
                first = i + 1;
            definition->user_count++;
            definition->word[PAJESIM_USER_FIELD] = (uint8_t)(first + definition->user_count == i + 2 ? first : 0);
        }
}

/* %EndEventDef */
static pajesim__outcome pajesim__end_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__definition *definition;
    pajesim_definition view;
    pajesim__table_reservation entry;
    uint32_t as_name;

    if (!state->defining) {
        const int was_skipped = state->skip_definition != 0;
        if (!was_skipped)
            pajesim__diagnose(sim, line, PAJESIM_E_HEADER_END, 0);
        state->skip_definition = 0;
        return was_skipped ? PAJESIM__DONE : PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(sim, state->defining);
    if (!pajesim__check_roles(sim, line, definition, &as_name)) {
        pajesim__free_definition(sim, state->defining);
        state->defining = 0;
        return PAJESIM__REFUSED;
    }
    entry = pajesim__table_reserve(sim, &state->definitions, pajesim__hash_of_id(&definition->id));
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (!pajesim__ready_full(sim, line))
        return (pajesim__outcome)line->outcome;

    if (as_name) {
        PAJESIM__BYTES(sim, definition->fields)[as_name - 1] ^= PAJESIM_CONTAINER_FIELD ^ PAJESIM_NAME;
        definition->word[PAJESIM_NAME] = (uint8_t)as_name;
        definition->word[PAJESIM_CONTAINER_FIELD] = 0;
    }
    if (PAJESIM_FIELDS)
        pajesim__count_user_fields(sim, definition);
    pajesim__table_insert(sim, &state->definitions, &entry, state->defining);
    if (PAJESIM__FILE(state)) {
        pajesim__file *file = PAJESIM__AT(sim, pajesim__file, state->file);
        definition->next = file->definitions;
        file->definitions = state->defining;
    }
    view.ref = state->defining;
    view.event = (pajesim_event)definition->event;
    view.name = pajesim__definition_name(sim, definition);
    view.number = pajesim__id_text(sim, &definition->id);
    view.fields = definition->count;
    state->defining = 0;
    PAJESIM__CALL(sim, definition, &view);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__header(pajesim *sim, pajesim__line *line)
{
    if (line->count == 0) {
        pajesim__diagnose_at(sim, line, PAJESIM_E_HEADER_LINE, 0, pajesim__text_end(line));
        return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EventDef")))
        return pajesim__begin_definition(sim, line);
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EndEventDef")))
        return pajesim__end_definition(sim, line);
    return pajesim__add_field(sim, line);
}
