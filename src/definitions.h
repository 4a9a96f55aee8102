/* Event definitions: %EventDef NAME NUMBER, % FIELD TYPE ..., %EndEventDef (section "Header" of the format). */

#define PAJESIM__LITERAL(text) text, sizeof(text) - 1

#define PAJESIM__BIT(role) (1u << PAJESIM_##role)
#define PAJESIM__NAMED (PAJESIM__BIT(NAME) | PAJESIM__BIT(TYPE))
#define PAJESIM__TIMED (PAJESIM__BIT(TIME) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(CONTAINER_FIELD))
#define PAJESIM__VALUED (PAJESIM__TIMED | PAJESIM__BIT(VALUE))
#define PAJESIM__END_TYPES (PAJESIM__BIT(START_CONTAINER_TYPE) | PAJESIM__BIT(END_CONTAINER_TYPE))

/* A list of names: texts, or, where code is to be small, one behind the other, each ended by NUL. */
#if PAJESIM_SMALL
typedef char pajesim__literal;
#define PAJESIM__NAME(text) text "\0"
#else
typedef struct pajesim__literal {
    const char *bytes;
    uint8_t size;
} pajesim__literal;
#define PAJESIM__NAME(text) {PAJESIM__LITERAL(text)},
#endif

/* In the order of pajesim_event, from 1. */
static const pajesim__literal pajesim__event_names[] = {
    PAJESIM__NAME("PajeDefineContainerType") PAJESIM__NAME("PajeDefineStateType")
    PAJESIM__NAME("PajeDefineEventType") PAJESIM__NAME("PajeDefineVariableType")
    PAJESIM__NAME("PajeDefineLinkType") PAJESIM__NAME("PajeDefineEntityValue")
    PAJESIM__NAME("PajeCreateContainer") PAJESIM__NAME("PajeDestroyContainer")
    PAJESIM__NAME("PajeSetState") PAJESIM__NAME("PajePushState")
    PAJESIM__NAME("PajePopState") PAJESIM__NAME("PajeResetState")
    PAJESIM__NAME("PajeNewEvent") PAJESIM__NAME("PajeSetVariable")
    PAJESIM__NAME("PajeAddVariable") PAJESIM__NAME("PajeSubVariable")
    PAJESIM__NAME("PajeStartLink") PAJESIM__NAME("PajeEndLink")
    PAJESIM__NAME("PajeTraceFile")
};

/* By pajesim_event: the fields that it must have. */
static const uint16_t pajesim__needs[PAJESIM_EVENT_COUNT] = {
    0,
    PAJESIM__NAMED,                                                                   /* PajeDefineContainerType */
    PAJESIM__NAMED,                                                                   /* PajeDefineStateType */
    PAJESIM__NAMED,                                                                   /* PajeDefineEventType */
    PAJESIM__NAMED,                                                                   /* PajeDefineVariableType */
    PAJESIM__NAMED | PAJESIM__END_TYPES,                                              /* PajeDefineLinkType */
    PAJESIM__NAMED,                                                                   /* PajeDefineEntityValue */
    PAJESIM__TIMED | PAJESIM__BIT(NAME),                                              /* PajeCreateContainer */
    PAJESIM__NAMED | PAJESIM__BIT(TIME),                                              /* PajeDestroyContainer */
    PAJESIM__VALUED,                                                                  /* PajeSetState */
    PAJESIM__VALUED,                                                                  /* PajePushState */
    PAJESIM__TIMED,                                                                   /* PajePopState */
    PAJESIM__TIMED,                                                                   /* PajeResetState */
    PAJESIM__VALUED,                                                                  /* PajeNewEvent */
    PAJESIM__VALUED,                                                                  /* PajeSetVariable */
    PAJESIM__VALUED,                                                                  /* PajeAddVariable */
    PAJESIM__VALUED,                                                                  /* PajeSubVariable */
    PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(START_CONTAINER),              /* PajeStartLink */
    PAJESIM__VALUED | PAJESIM__BIT(KEY) | PAJESIM__BIT(END_CONTAINER),                /* PajeEndLink */
    PAJESIM__BIT(CONTAINER_FIELD) | PAJESIM__BIT(TYPE) | PAJESIM__BIT(FILENAME),      /* PajeTraceFile */
};

/* By event: what a type that it defines is a type of, or what it happens to. */
static const uint8_t pajesim__kinds[PAJESIM_EVENT_COUNT] = {
    0,
    PAJESIM_CONTAINER, PAJESIM_STATE, PAJESIM_EVENT, PAJESIM_VARIABLE, PAJESIM_LINK, /* PajeDefine...Type */
    0, PAJESIM_CONTAINER, PAJESIM_CONTAINER,                                         /* value, containers */
    PAJESIM_STATE, PAJESIM_STATE, PAJESIM_STATE, PAJESIM_STATE,                      /* set, push, pop, reset */
    PAJESIM_EVENT,
    PAJESIM_VARIABLE, PAJESIM_VARIABLE, PAJESIM_VARIABLE,                            /* set, add, subtract */
    PAJESIM_LINK, PAJESIM_LINK, 0};

/* Those that it may have, too. */
static uint32_t pajesim__takes(uint32_t event)
{
    if (event == PAJESIM_CREATE_CONTAINER)
        return PAJESIM__BIT(ALIAS) | PAJESIM__BIT(FILENAME);
    return event && event <= PAJESIM_DEFINE_ENTITY_VALUE ? PAJESIM__BIT(ALIAS) | PAJESIM__BIT(COLOR) : 0;
}

/* The names of fields: those of today in the order of pajesim_role, from 1, then older ones. */
static const pajesim__literal pajesim__role_names[] = {
    PAJESIM__NAME("Time") PAJESIM__NAME("Name") PAJESIM__NAME("Alias") PAJESIM__NAME("Type")
    PAJESIM__NAME("Container") PAJESIM__NAME("Value") PAJESIM__NAME("Key")
    PAJESIM__NAME("StartContainer") PAJESIM__NAME("EndContainer")
    PAJESIM__NAME("StartContainerType") PAJESIM__NAME("EndContainerType")
    PAJESIM__NAME("Color") PAJESIM__NAME("Filename") PAJESIM__NAME("File") PAJESIM__NAME("Line")
#if PAJESIM_REPAIRS
    PAJESIM__NAME("ContainerType") PAJESIM__NAME("EntityType") PAJESIM__NAME("NewContainerType")
    PAJESIM__NAME("NewName")
    PAJESIM__NAME("NewType") PAJESIM__NAME("NewValue") PAJESIM__NAME("NewContainer")
    PAJESIM__NAME("SourceContainer") PAJESIM__NAME("DestContainer")
    PAJESIM__NAME("SourceContainerType") PAJESIM__NAME("DestContainerType")
    PAJESIM__NAME("FileName") /* that of the source in an event that takes no Filename */
    PAJESIM__NAME("LineNumber")
#endif
};

/* The roles of the older ones. */
static const uint8_t pajesim__old_roles[] = {
    PAJESIM_TYPE, PAJESIM_TYPE, PAJESIM_TYPE,
    PAJESIM_NAME,
    PAJESIM_ALIAS, PAJESIM_ALIAS, PAJESIM_ALIAS,
    PAJESIM_START_CONTAINER, PAJESIM_END_CONTAINER,
    PAJESIM_START_CONTAINER_TYPE, PAJESIM_END_CONTAINER_TYPE,
    PAJESIM_FILENAME,
    PAJESIM_SOURCE_LINE
};
#define PAJESIM__ROLE_NAMES (PAJESIM_ROLE_COUNT - 1 + (PAJESIM_REPAIRS ? (uint32_t)sizeof pajesim__old_roles : 0u))

/* In the order of pajesim_field_type, from 0. */
static const pajesim__literal pajesim__field_types[] = {
    PAJESIM__NAME("date") PAJESIM__NAME("double") PAJESIM__NAME("float") PAJESIM__NAME("int")
    PAJESIM__NAME("hex") PAJESIM__NAME("string") PAJESIM__NAME("color")
};
#define PAJESIM__FIELD_TYPES (PAJESIM_FIELD_COLOR + 1u)

static pajesim_text pajesim__nth(const pajesim__literal *names, uint32_t index)
{
#if PAJESIM_SMALL
    size_t size;
    for (;; names += size + 1) {
        for (size = 0; names[size]; size++) {
        }
        if (!index--)
            return pajesim__view(names, size);
    }
#else
    return pajesim__view(names[index].bytes, names[index].size);
#endif
}

typedef struct pajesim__definition {
    pajesim__id id;      /* the event's number, within the file's scope */
    pajesim__text name;  /* of an unknown event */
    pajesim__offset next; /* of the same file */
    pajesim__offset fields; /* a byte each: role + 16 * type */
    pajesim__offset names;  /* of those whose role is PAJESIM_USER_FIELD, in order */
    pajesim__length bearers; /* open entities that keep user fields of it */
    uint8_t event, kind, count, users, own_names;
    uint8_t ended; /* its file has ended: the last bearer frees it */
    /* word of a line by role; 0: it has none; of user fields: of the first one, if they all stand side by side */
    uint8_t at[PAJESIM_ROLE_COUNT];
} pajesim__definition;

#define PAJESIM__DEFINITION_AT(offset) PAJESIM__AT(pajesim__definition, offset)

/* The role, and the type, of a field of a definition. */
#define PAJESIM__ROLE_OF(definition, index) (PAJESIM__BYTES((definition)->fields)[index] & 15u)
#define PAJESIM__TYPE_OF(definition, index) ((uint32_t)PAJESIM__BYTES((definition)->fields)[index] >> 4)

/* A file that another one includes. */
typedef struct pajesim__source {
    pajesim__offset importer; /* 0: the trace itself */
    pajesim__text name;
    pajesim__offset definitions; /* of its own, the last one first */
    pajesim__length scope;
    pajesim__length importer_scope;
    pajesim__length depth;
    pajesim_counter importer_line;
} pajesim__source;

static uint32_t pajesim__depth(const pajesim *sim)
{
    pajesim__offset source = PAJESIM__SOURCE(PAJESIM__CONST_STATE);
    return source ? PAJESIM__AT(pajesim__source, source)->depth : 0;
}

static uint32_t pajesim__scope(const pajesim *sim)
{
    pajesim__offset source = PAJESIM__SOURCE(PAJESIM__CONST_STATE);
    return source ? PAJESIM__AT(pajesim__source, source)->scope : 0;
}

PAJESIM__COLD pajesim__offset pajesim__find_imported(const pajesim *sim, const void *bytes, uint32_t size)
{
    pajesim__key number = pajesim__key_of(bytes, size);
    pajesim__offset source = PAJESIM__SOURCE(PAJESIM__CONST_STATE), found = 0;
    for (; source && !found; source = PAJESIM__AT(pajesim__source, source)->importer)
        found = pajesim__find(sim, &PAJESIM__CONST_STATE->definitions, &number,
                              PAJESIM__AT(pajesim__source, source)->importer_scope, 0);
    return found;
}

/* A file sees its own definitions, and its importer's where it has none with this number. */
PAJESIM__INLINE pajesim__offset pajesim__find_definition(pajesim *sim, const pajesim__key *number)
{
    uint32_t scope = pajesim__scope(sim);
    pajesim__offset found = pajesim__find_cached(sim, &PAJESIM__CONST_STATE->definitions, number, scope,
                                                 PAJESIM__DEFINITIONS_SCOPE(scope));
    return PAJESIM__LIKELY(found) ? found : pajesim__find_imported(sim, number->bytes, number->size);
}

static int pajesim__word_is(const pajesim__line *line, uint32_t word, const char *text, size_t size)
{
    return PAJESIM__SIZE(line, word) == size && memcmp(PAJESIM__WORD(line, word), text, size) == 0;
}

/* Which one of `count` names a word is; `count` if none. */
static uint32_t pajesim__index_of(const pajesim__line *line, uint32_t word, const pajesim__literal *names,
                                  uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        pajesim_text name = pajesim__nth(names, i);
        if (pajesim__word_is(line, word, name.bytes, name.size))
            break;
    }
    return i;
}

static uint32_t pajesim__names_size(uint32_t names)
{
    return (uint32_t)sizeof(pajesim__text) * names;
}

/* Gives all back that a definition has, once it is neither in force nor borne. */
static void pajesim__free_definition(pajesim *sim, pajesim__offset offset)
{
    pajesim__definition *definition = PAJESIM__DEFINITION_AT(offset);
    uint32_t i;
    for (i = 0; PAJESIM_FIELDS && i < definition->own_names; i++)
        pajesim__give_text(sim, PAJESIM__AT(pajesim__text, definition->names)[i]);
    if (PAJESIM_FIELDS && definition->own_names)
        pajesim__give(sim, definition->names, pajesim__names_size(definition->own_names));
    if (definition->count)
        pajesim__give(sim, definition->fields, definition->count);
    pajesim__give_text(sim, definition->name);
    pajesim__give_id(sim, &definition->id);
    pajesim__give(sim, offset, sizeof *definition);
}

/* An unended definition is given up. */
static void pajesim__give_up_definition(pajesim *sim, pajesim_code code)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim_text number = pajesim__id_text(sim, &PAJESIM__DEFINITION_AT(state->defining)->id);
    pajesim__tell(sim, code, PAJESIM_ERROR, 0, number.bytes, (uint32_t)number.size);
    pajesim__free_definition(sim, state->defining);
    state->defining = 0;
}

/* %EventDef NAME NUMBER */
static pajesim__outcome pajesim__begin_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__definition *definition;
    pajesim__offset offset, id;
    pajesim__text name = 0;
    pajesim__key number;
    uint32_t event, scope;

    state->skip_definition = 1; /* unless it is accepted */
    if (line->count < 3) {
        pajesim__wrong(sim, line, PAJESIM_E_HEADER_NAME, 0);
        return PAJESIM__REFUSED;
    }
    event = 1 + pajesim__index_of(line, 1, pajesim__event_names, PAJESIM_EVENT_COUNT - 1);
    if (event == PAJESIM_EVENT_COUNT)
        event = PAJESIM_UNKNOWN_EVENT;
    number = pajesim__key_of(PAJESIM__WORD(line, 2), PAJESIM__SIZE(line, 2));
    scope = pajesim__scope(sim);
    if (PAJESIM__SOURCE(state) && scope == PAJESIM__AT(pajesim__source, state->source)->importer_scope)
        scope = state->scopes + 1u; /* the first definition of an included file */
    if (pajesim__find(sim, &state->definitions, &number, scope, 0)) {
        pajesim__wrong(sim, line, PAJESIM_E_HEADER_TWICE, 2);
        return PAJESIM__REFUSED;
    }
    offset = pajesim__take(sim, sizeof *definition);
    id = pajesim__take_id(sim, &number);
    if (PAJESIM_FIELDS && event == PAJESIM_UNKNOWN_EVENT)
        name = pajesim__take_text(sim, PAJESIM__SIZE(line, 1));
    sim->loud = 1;
    if (!pajesim__ready_loud(sim, line))
        return (pajesim__outcome)line->outcome;

    if (state->defining)
        pajesim__give_up_definition(sim, PAJESIM_E_HEADER_NESTED);
    if (event == PAJESIM_UNKNOWN_EVENT) /* it is known to be unknown, also when that is an error */
        pajesim__tell(sim, PAJESIM_E_HEADER_EVENT, pajesim__severity(sim, PAJESIM_E_HEADER_EVENT), line->spans[2] + 1,
                      PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    if (PAJESIM_FILES && scope > state->scopes) {
        state->scopes = (pajesim__length)scope;
        PAJESIM__AT(pajesim__source, state->source)->scope = (pajesim__length)scope;
    }
    definition = PAJESIM__DEFINITION_AT(offset);
    memset(definition, 0, sizeof *definition);
    pajesim__put_id(sim, &definition->id, &number, id, scope, 0);
    definition->event = (uint8_t)event;
    definition->kind = pajesim__kinds[event];
    definition->name = name;
    if (PAJESIM_FIELDS && name)
        pajesim__put_text(sim, name, PAJESIM__WORD(line, 1), PAJESIM__SIZE(line, 1));
    state->defining = offset;
    state->skip_definition = 0;
    return PAJESIM__DONE;
}

/* Whether an event itself has no use for a field. */
static int pajesim__is_user_field(const pajesim__definition *definition, uint32_t role)
{
    uint32_t used = pajesim__needs[definition->event] | pajesim__takes(definition->event);
    return role == PAJESIM_USER_FIELD || !(used >> role & 1);
}

/* % FIELD TYPE */
static pajesim__outcome pajesim__add_field(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__definition *definition;
    pajesim__offset fields = 0, names = 0;
    pajesim__text name = 0;
    uint32_t role, type;

    if (!state->defining) {
        if (state->skip_definition)
            return PAJESIM__DONE;
        pajesim__wrong(sim, line, PAJESIM_E_HEADER_OUTSIDE, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(state->defining);
    if (line->count < 2) {
        pajesim__wrong(sim, line, PAJESIM_E_HEADER_FIELD, 0);
        return PAJESIM__REFUSED;
    }
    if (definition->count + 2u > PAJESIM_WORDS) {
        pajesim__wrong(sim, line, PAJESIM_E_HEADER_WORDS, 0);
        return PAJESIM__REFUSED;
    }
    role = 1 + pajesim__index_of(line, 0, pajesim__role_names, PAJESIM__ROLE_NAMES);
    if (role > PAJESIM__ROLE_NAMES) {
        role = PAJESIM_USER_FIELD;
    } else if (role >= PAJESIM_ROLE_COUNT) {
        role = pajesim__old_roles[role - PAJESIM_ROLE_COUNT];
        if (!state->old_names && pajesim__wrong(sim, line, PAJESIM_E_HEADER_OLD_NAME, 0))
            return PAJESIM__REFUSED;
    }
    if (PAJESIM_FIELDS && role == PAJESIM_FILENAME && pajesim__is_user_field(definition, role))
        role = PAJESIM_SOURCE_FILE;
    type = pajesim__index_of(line, 1, pajesim__field_types, PAJESIM__FIELD_TYPES);
    if (type == PAJESIM__FIELD_TYPES) {
        if (pajesim__wrong(sim, line, PAJESIM_E_HEADER_TYPE, 1))
            return PAJESIM__REFUSED;
        type = PAJESIM_FIELD_STRING;
    }
    if (role != PAJESIM_USER_FIELD && definition->at[role]) {
        if (pajesim__wrong(sim, line, PAJESIM_E_HEADER_REPEAT, 0))
            return PAJESIM__REFUSED;
        role = PAJESIM_USER_FIELD;
    }
    /* Blocks grow by whole classes: a field more takes a new block only where the class changes. */
    if (PAJESIM_WORDS <= 65 ? definition->count % PAJESIM__STEP == 0
                            : !definition->count || pajesim__class_of(definition->count) !=
                                                        pajesim__class_of(definition->count + 1u))
        fields = pajesim__take(sim, definition->count + 1u);
    if (PAJESIM_FIELDS && role == PAJESIM_USER_FIELD) {
        uint32_t own = definition->own_names;
        if (!own || pajesim__class_of(pajesim__names_size(own)) != pajesim__class_of(pajesim__names_size(own + 1)))
            names = pajesim__take(sim, pajesim__names_size(own + 1));
        name = pajesim__take_text(sim, PAJESIM__SIZE(line, 0));
    }
    sim->loud = 1;
    if (!pajesim__ready_loud(sim, line))
        return (pajesim__outcome)line->outcome;

    if (fields) {
        if (definition->count) {
            memcpy(PAJESIM__BYTES(fields), PAJESIM__BYTES(definition->fields), definition->count);
            pajesim__give(sim, definition->fields, definition->count);
        }
        definition->fields = fields;
    }
    PAJESIM__BYTES(definition->fields)[definition->count++] = (unsigned char)(role | type << 4);
    if (PAJESIM_FIELDS && role == PAJESIM_USER_FIELD) {
        uint32_t own = definition->own_names;
        if (names) {
            if (own) {
                memcpy(PAJESIM__BYTES(names), PAJESIM__BYTES(definition->names), (size_t)pajesim__names_size(own));
                pajesim__give(sim, definition->names, pajesim__names_size(own));
            }
            definition->names = names;
        }
        PAJESIM__AT(pajesim__text, definition->names)[definition->own_names++] = name;
        pajesim__put_text(sim, name, PAJESIM__WORD(line, 0), PAJESIM__SIZE(line, 0));
    } else if (role != PAJESIM_USER_FIELD) {
        definition->at[role] = definition->count;
    }
    return PAJESIM__DONE;
}

static pajesim_text pajesim__definition_name(const pajesim *sim, const pajesim__definition *definition)
{
    return definition->event == PAJESIM_UNKNOWN_EVENT
               ? pajesim__text_at(sim, definition->name)
               : pajesim__nth(pajesim__event_names, definition->event - 1u);
}

/* %EndEventDef */
static pajesim__outcome pajesim__end_definition(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__definition *definition;
    pajesim_definition view;
    pajesim__entry_room entry;
    uint32_t role, i, as_name = 0, users_at = 0;

    if (!state->defining) {
        if (!state->skip_definition)
            pajesim__wrong(sim, line, PAJESIM_E_HEADER_END, 0);
        i = state->skip_definition;
        state->skip_definition = 0;
        return i ? PAJESIM__DONE : PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(state->defining);
    if (PAJESIM_REPAIRS && definition->event == PAJESIM_DESTROY_CONTAINER && !definition->at[PAJESIM_NAME] &&
        definition->at[PAJESIM_CONTAINER_FIELD]) {
        if (pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_AS_NAME, 0))
            goto refused;
        as_name = definition->at[PAJESIM_CONTAINER_FIELD];
    }
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++)
        if (((uint32_t)pajesim__needs[definition->event] >> role & 1) && !definition->at[role] &&
            !(role == PAJESIM_NAME && as_name)) {
            pajesim_text name = pajesim__nth(pajesim__role_names, role - 1);
            pajesim__tell(sim, PAJESIM_E_HEADER_MISSING, PAJESIM_ERROR, 0, name.bytes, (uint32_t)name.size);
            goto refused;
        }
    entry = pajesim__take_entry(sim, &state->definitions, pajesim__hash_of_id(&definition->id));
    sim->loud = 1;
    if (!pajesim__ready_loud(sim, line))
        return (pajesim__outcome)line->outcome;

    if (as_name) {
        PAJESIM__BYTES(definition->fields)[as_name - 1] ^= PAJESIM_CONTAINER_FIELD ^ PAJESIM_NAME;
        definition->at[PAJESIM_NAME] = (uint8_t)as_name;
        definition->at[PAJESIM_CONTAINER_FIELD] = 0;
    }
    for (i = 0; PAJESIM_FIELDS && i < definition->count; i++)
        if (pajesim__is_user_field(definition, PAJESIM__ROLE_OF(definition, i))) {
            if (!definition->users)
                users_at = i + 1;
            definition->users++;
            definition->at[PAJESIM_USER_FIELD] = (uint8_t)(users_at + definition->users == i + 2 ? users_at : 0);
        }
    pajesim__put_entry(sim, &state->definitions, &entry, state->defining);
    if (PAJESIM__SOURCE(state)) {
        pajesim__source *source = PAJESIM__AT(pajesim__source, state->source);
        definition->next = source->definitions;
        source->definitions = state->defining;
    }
    view.ref = state->defining;
    view.event = (pajesim_event)definition->event;
    view.name = pajesim__definition_name(sim, definition);
    view.number = pajesim__id_text(sim, &definition->id);
    view.fields = definition->count;
    state->defining = 0;
    PAJESIM__CALL(definition, &view);
    return PAJESIM__DONE;

refused:
    pajesim__free_definition(sim, state->defining);
    state->defining = 0;
    return PAJESIM__REFUSED;
}

static pajesim__outcome pajesim__header(pajesim *sim, pajesim__line *line)
{
    if (line->count == 0) {
        pajesim__wrong_at(sim, line, PAJESIM_E_HEADER_LINE, 0, pajesim__text_end(line));
        return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EventDef")))
        return pajesim__begin_definition(sim, line);
    if (pajesim__word_is(line, 0, PAJESIM__LITERAL("EndEventDef")))
        return pajesim__end_definition(sim, line);
    return pajesim__add_field(sim, line);
}

/* When an included file ends, its definitions are no longer in force. */
static void pajesim__end_definitions(pajesim *sim, pajesim__offset first)
{
    pajesim__offset next;
    for (; first; first = next) {
        pajesim__definition *definition = PAJESIM__DEFINITION_AT(first);
        next = definition->next;
        pajesim__uncache(sim, &definition->id, PAJESIM__DEFINITIONS_SCOPE(definition->id.scope));
        pajesim__remove_entry(sim, &PAJESIM__STATE->definitions, first);
        if (definition->bearers)
            definition->ended = 1;
        else
            pajesim__free_definition(sim, first);
    }
}
