/* What each event does (sections "Identity" and "Semantics" of the format).  Each function goes the same way: look up and
 * check, without changing anything; take what it needs from the arena; pajesim__ready; change, and tell. */

/* ---- looking up ---- */

static int pajesim__is_root(const pajesim__line *line, uint32_t word)
{
    return PAJESIM__SIZE(line, word) == 1 && (*PAJESIM__WORD(line, word) == '0' || *PAJESIM__WORD(line, word) == '/');
}

/* The root may be written / when lenient, unless something else is called so. */
PAJESIM__COLD pajesim_ref pajesim__slash(pajesim *sim, pajesim__line *line, uint32_t word, pajesim_ref root)
{
    if (pajesim__is_root(line, word) && !pajesim__wrong(sim, line, PAJESIM_E_ROOT_SLASH, word))
        return root;
    return 0;
}

PAJESIM__COLD pajesim_ref pajesim__no_container(pajesim *sim, pajesim__line *line, uint32_t word)
{
    const pajesim__state *state = PAJESIM__STATE;
    pajesim__key key = pajesim__key_at(line, word);
    if (pajesim__is_root(line, word))
        return pajesim__slash(sim, line, word, state->root);
    pajesim__wrong(sim, line,
                   state->strict && pajesim__seen_has(sim, &state->seen, pajesim__fingerprint(&key, 0, 0))
                       ? PAJESIM_E_CONTAINER_DESTROYED
                       : PAJESIM_E_CONTAINER_UNKNOWN,
                   word);
    return 0;
}

/* Lenient: SimGrid called a link 0.  Where the root is not of the type that is wanted, but such a container is, that is
 * meant. */
#define PAJESIM__BESIDE_ROOT 1u /* the scope of its identifier */

PAJESIM__COLD pajesim_ref pajesim__other_root(const pajesim *sim, pajesim_ref type)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim_ref ref = pajesim__find(sim, &PAJESIM__CONST_STATE->containers, &key, PAJESIM__BESIDE_ROOT, 0);
    return ref && PAJESIM__CONTAINER_AT(ref)->type == type ? ref : 0;
}

/* `ref`, or what is meant by it where a container of a type is wanted. */
static pajesim_ref pajesim__fitting(const pajesim *sim, pajesim_ref ref, pajesim_ref type)
{
    pajesim_ref other = 0;
    if (ref == PAJESIM__CONST_STATE->root && type != PAJESIM__CONST_STATE->root_type)
        other = pajesim__other_root(sim, type);
    return other ? other : ref;
}

/* The container that a word names, alive or remembered; 0: there is none, which is told. */
PAJESIM__INLINE pajesim_ref pajesim__container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_hashed(sim, &PAJESIM__STATE->containers, &key, 0, 0, pajesim__hash(&key, 0, 0));
    return PAJESIM__LIKELY(ref) ? ref : pajesim__no_container(sim, line, word);
}

static pajesim_ref pajesim__live_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__container_at(sim, line, word);
    if (ref && !PAJESIM__CONTAINER_AT(ref)->type) {
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_DESTROYED, word);
        return 0;
    }
    return ref;
}

PAJESIM__COLD pajesim_ref pajesim__no_type(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (pajesim__is_root(line, word))
        return pajesim__slash(sim, line, word, PAJESIM__STATE->root_type);
    pajesim__wrong(sim, line, PAJESIM_E_TYPE_UNKNOWN, word);
    return 0;
}

PAJESIM__INLINE pajesim_ref pajesim__type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_cached(sim, &PAJESIM__STATE->types, &key, 0, PAJESIM__TYPES_SCOPE);
    return PAJESIM__LIKELY(ref) ? ref : pajesim__no_type(sim, line, word);
}

static pajesim_ref pajesim__container_type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__type_at(sim, line, word);
    if (ref && PAJESIM__THING(ref)->kind != PAJESIM_CONTAINER) {
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_NOT_CONTAINER, word);
        return 0;
    }
    return ref;
}

static int pajesim__time_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM__LIKELY(
            pajesim__number_in_line(line->low, PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word), &line->time)))
        return 1;
    line->time = 0;
    pajesim__wrong(sim, line, PAJESIM_E_TIME, word);
    return 0;
}

PAJESIM__INLINE void pajesim__passes(pajesim *sim, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE;
    if (PAJESIM__UNLIKELY(time < state->first))
        state->first = time;
    if (time > state->last)
        state->last = time;
}

/* ---- types and values ---- */

/* What a definition of a type, a value or a container says it is called: identifier, name and colour. */
typedef struct pajesim__names {
    pajesim__key id;
    uint32_t id_word, name_word, color_word; /* 0: none; name_word 0: as the identifier */
    pajesim__offset id_bytes, entry;
    pajesim__text name, color;
} pajesim__names;

static pajesim__names pajesim__names_at(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__names names;
    memset(&names, 0, sizeof names);
    names.name_word = PAJESIM__FIELD(definition, PAJESIM_NAME);
    names.id_word = PAJESIM__FIELD(definition, PAJESIM_ALIAS);
    names.color_word = PAJESIM__FIELD(definition, PAJESIM_COLOR);
    if (!names.id_word || !PAJESIM__SIZE(line, names.id_word)) /* "" is how some say that there is none */
        names.id_word = names.name_word;
    names.id = pajesim__key_at(line, names.id_word);
    if (PAJESIM__SIZE(line, names.id_word) == PAJESIM__SIZE(line, names.name_word) &&
        memcmp(PAJESIM__WORD(line, names.id_word), PAJESIM__WORD(line, names.name_word), names.id.size) == 0)
        names.name_word = 0;
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("(null)")))
        pajesim__wrong(sim, line, PAJESIM_E_ALIAS_NULL, names.id_word);
    return names;
}

static void pajesim__take_names(pajesim *sim, pajesim__names *names, const pajesim__line *line,
                                const pajesim__table *table)
{
    names->id_bytes = pajesim__take_id(sim, &names->id);
    if (names->name_word)
        names->name = pajesim__take_text(sim, PAJESIM__SIZE(line, names->name_word));
    if (names->color_word)
        names->color = pajesim__take_text(sim, PAJESIM__SIZE(line, names->color_word));
    names->entry = pajesim__take_entry(sim, table);
}

static void pajesim__put_names(pajesim *sim, const pajesim__names *names, const pajesim__line *line,
                               pajesim__table *table, pajesim_ref ref, uint32_t scope)
{
    pajesim__thing *thing = PAJESIM__THING(ref);
    pajesim__put_id(sim, &thing->id, &names->id, names->id_bytes, scope, 0);
    thing->name = names->name;
    thing->color = names->color;
    if (names->name)
        pajesim__put_text(sim, names->name, PAJESIM__WORD(line, names->name_word), PAJESIM__SIZE(line, names->name_word));
    if (names->color)
        pajesim__put_text(sim, names->color, PAJESIM__WORD(line, names->color_word),
                          PAJESIM__SIZE(line, names->color_word));
    pajesim__put_entry(sim, table, names->entry, ref);
}

/* Whether `type` is `ancestor` or within it. */
static int pajesim__is_within(const pajesim *sim, pajesim_ref type, pajesim_ref ancestor)
{
    while (type && type != ancestor)
        type = PAJESIM__THING(type)->parent;
    return type != 0;
}

static int pajesim__defined_alike(const pajesim *sim, const pajesim__line *line, const pajesim__names *names,
                                  pajesim_ref type, pajesim_kind kind, pajesim_ref parent)
{
    pajesim_text name = pajesim_name(sim, type);
    uint32_t word = names->name_word ? names->name_word : names->id_word;
    return PAJESIM__THING(type)->kind == kind && PAJESIM__THING(type)->parent == parent &&
           name.size == PAJESIM__SIZE(line, word) && memcmp(name.bytes, PAJESIM__WORD(line, word), name.size) == 0;
}

static void pajesim__show_type(pajesim *sim, pajesim_ref ref)
{
    const pajesim__type *type = PAJESIM__TYPE_AT(ref);
    pajesim_type_info info;
    info.ref = ref;
    info.kind = (pajesim_kind)type->thing.kind;
    info.parent = type->thing.parent;
    info.start_type = type->start_type;
    info.end_type = type->end_type;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(new_type, &info);
}

static pajesim__outcome pajesim__define_type(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    static const uint8_t kinds[] = {0, PAJESIM_CONTAINER, PAJESIM_STATE, PAJESIM_EVENT, PAJESIM_VARIABLE, PAJESIM_LINK};
    pajesim__state *state = PAJESIM__STATE;
    pajesim_kind kind = (pajesim_kind)kinds[definition->event];
    pajesim__names names = pajesim__names_at(sim, line, definition);
    pajesim_ref parent, start = 0, end = 0, ref;
    pajesim__type *type;

    parent = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (!parent)
        return PAJESIM__REFUSED;
    if (kind == PAJESIM_LINK) {
        start = pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_START_CONTAINER_TYPE));
        end = start ? pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_END_CONTAINER_TYPE)) : 0;
        if (!end)
            return PAJESIM__REFUSED;
        if ((!pajesim__is_within(sim, start, parent) || !pajesim__is_within(sim, end, parent)) &&
            pajesim__wrong(sim, line, PAJESIM_E_TYPE_ANCESTOR, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
            return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0")) ||
        (state->strict && kind == PAJESIM_CONTAINER &&
         pajesim__word_is(line, PAJESIM__FIELD(definition, PAJESIM_NAME), PAJESIM__LITERAL("0")))) {
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_RESERVED, names.id_word);
        return PAJESIM__REFUSED;
    }
    ref = pajesim__find(sim, &state->types, &names.id, 0, 0);
    if (ref) {
        int alike = pajesim__defined_alike(sim, line, &names, ref, kind, parent);
        if (pajesim__wrong(sim, line, alike ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, names.id_word))
            return PAJESIM__REFUSED;
        return pajesim__ready(sim, line) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    }
    ref = pajesim__take(sim, sizeof *type);
    pajesim__take_names(sim, &names, line, &state->types);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    type = PAJESIM__TYPE_AT(ref);
    memset(type, 0, sizeof *type);
    type->thing.what = PAJESIM__TYPE;
    type->thing.kind = (uint8_t)kind;
    type->start_type = start;
    type->end_type = end;
    if (kind != PAJESIM_CONTAINER)
        type->slot = PAJESIM__TYPE_AT(parent)->slots++;
    pajesim__put_names(sim, &names, line, &state->types, ref, 0);
    pajesim__adopt(sim, parent, ref);
    pajesim__show_type(sim, ref);
    return PAJESIM__DONE;
}

static void pajesim__show_value(pajesim *sim, pajesim_ref ref)
{
    pajesim_value_info info;
    if (!sim->callbacks->new_value)
        return;
    info.ref = ref;
    info.type = PAJESIM__THING(ref)->parent;
    info.implicit = (PAJESIM__THING(ref)->flags & PAJESIM__IMPLICIT) != 0;
    info.name = pajesim_name(sim, ref);
    info.alias = pajesim_alias(sim, ref);
    info.color = pajesim_color(sim, ref);
    PAJESIM__CALL(new_value, &info);
}

static void pajesim__put_value(pajesim *sim, pajesim_ref ref, pajesim_ref type, uint8_t flags)
{
    pajesim__value *value = PAJESIM__VALUE_AT(ref);
    memset(value, 0, sizeof *value);
    value->thing.what = PAJESIM__VALUE;
    value->thing.kind = PAJESIM__THING(type)->kind;
    value->thing.parent = type;
    value->thing.flags = flags;
}

static pajesim__outcome pajesim__define_value(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE;
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    pajesim__names names = pajesim__names_at(sim, line, definition);
    pajesim_ref type = pajesim__type_at(sim, line, type_word), ref;
    int late;

    if (!type)
        return PAJESIM__REFUSED;
    if (PAJESIM__THING(type)->kind == PAJESIM_CONTAINER || PAJESIM__THING(type)->kind == PAJESIM_VARIABLE) {
        pajesim__wrong(sim, line, PAJESIM_E_VALUE_TYPE, type_word);
        return PAJESIM__REFUSED;
    }
    ref = pajesim__find(sim, &state->values, &names.id, type, 0);
    late = ref && (PAJESIM__THING(ref)->flags & PAJESIM__IMPLICIT);
    if (ref && pajesim__wrong(sim, line, late ? PAJESIM_E_VALUE_LATE : PAJESIM_E_VALUE_TWICE, names.id_word))
        return PAJESIM__REFUSED;
    if (ref && !late)
        return pajesim__ready(sim, line) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    if (names.name_word) {
        pajesim__key name = pajesim__key_at(line, names.name_word);
        if (pajesim__find(sim, &state->values, &name, type, 0) &&
            pajesim__wrong(sim, line, PAJESIM_E_VALUE_NAME, names.name_word))
            return PAJESIM__REFUSED;
    }
    if (late) { /* it gets its name and colour now; its identifier is there */
        if (names.name_word)
            names.name = pajesim__take_text(sim, PAJESIM__SIZE(line, names.name_word));
        if (names.color_word)
            names.color = pajesim__take_text(sim, PAJESIM__SIZE(line, names.color_word));
        if (!pajesim__ready(sim, line))
            return (pajesim__outcome)line->outcome;
        PAJESIM__THING(ref)->flags &= (uint8_t)~PAJESIM__IMPLICIT;
        PAJESIM__THING(ref)->name = names.name;
        PAJESIM__THING(ref)->color = names.color;
        if (names.name)
            pajesim__put_text(sim, names.name, PAJESIM__WORD(line, names.name_word), PAJESIM__SIZE(line, names.name_word));
        if (names.color)
            pajesim__put_text(sim, names.color, PAJESIM__WORD(line, names.color_word),
                              PAJESIM__SIZE(line, names.color_word));
    } else {
        ref = pajesim__take(sim, sizeof(pajesim__value));
        pajesim__take_names(sim, &names, line, &state->values);
        if (!pajesim__ready(sim, line))
            return (pajesim__outcome)line->outcome;
        pajesim__put_value(sim, ref, type, 0);
        pajesim__put_names(sim, &names, line, &state->values, ref, type);
    }
    pajesim__show_value(sim, ref);
    return PAJESIM__DONE;
}

/* The value that a state bears.  One that was never defined is made on the fly. */
typedef struct pajesim__borne {
    pajesim_ref value;
    pajesim__key id;
    pajesim__offset id_bytes, entry;
    int made;
} pajesim__borne;

PAJESIM__COLD void pajesim__take_value(pajesim *sim, pajesim__borne *borne)
{
    borne->made = 1;
    borne->value = pajesim__take(sim, sizeof(pajesim__value));
    borne->id_bytes = pajesim__take_id(sim, &borne->id);
    borne->entry = pajesim__take_entry(sim, &PAJESIM__STATE->values);
}

PAJESIM__INLINE pajesim__borne pajesim__value_at(pajesim *sim, const pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim__borne borne;
    borne.id = pajesim__key_at(line, word);
    borne.value = pajesim__find_cached(sim, &PAJESIM__STATE->values, &borne.id, type, PAJESIM__VALUES_SCOPE(type));
    borne.made = 0;
    if (PAJESIM__UNLIKELY(!borne.value))
        pajesim__take_value(sim, &borne);
    return borne;
}

PAJESIM__COLD void pajesim__make_value(pajesim *sim, const pajesim__borne *borne, pajesim_ref type)
{
    pajesim__put_value(sim, borne->value, type, PAJESIM__IMPLICIT);
    pajesim__put_id(sim, &PAJESIM__THING(borne->value)->id, &borne->id, borne->id_bytes, type, 0);
    pajesim__put_entry(sim, &PAJESIM__STATE->values, borne->entry, borne->value);
    pajesim__show_value(sim, borne->value);
}

/* ---- containers and files ---- */

/* A container's slots have become `count`: the new ones are empty. */
static void pajesim__clear_slots(pajesim *sim, pajesim__container *container, uint32_t count)
{
    pajesim__slot *slots = PAJESIM__AT(pajesim__slot, container->slots);
    for (; container->slot_count < count; container->slot_count++) {
        memset(&slots[container->slot_count], 0, sizeof *slots);
        slots[container->slot_count].last = PAJESIM__TIME_LEAST;
    }
}

typedef struct pajesim__opening {
    uint32_t word; /* of the file's name; 0: none */
    pajesim__offset source;
    pajesim__text name;
} pajesim__opening;

/* Answers 0 if the file may not be opened, which is told. */
static int pajesim__take_source(pajesim *sim, pajesim__line *line, uint32_t word, pajesim__opening *opening)
{
    opening->word = word;
    if (!word)
        return 1;
    if (pajesim__depth(sim) >= PAJESIM__STATE->depth_max) {
        pajesim__wrong(sim, line, PAJESIM_E_FILE_DEPTH, word);
        return 0;
    }
    opening->source = pajesim__take(sim, sizeof(pajesim__source));
    opening->name = pajesim__take_text(sim, PAJESIM__SIZE(line, word));
    return 1;
}

/* The source becomes the current one at the end of the line: pajesim__line_ends. */
static void pajesim__put_source(pajesim *sim, const pajesim__line *line, const pajesim__opening *opening)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__source *source;
    if (PAJESIM__LIKELY(!opening->word))
        return;
    source = PAJESIM__AT(pajesim__source, opening->source);
    source->importer = state->source;
    source->name = opening->name;
    source->definitions = 0;
    source->scope = source->importer_scope = pajesim__scope(sim);
    source->depth = pajesim__depth(sim) + 1;
    source->importer_line = 0;
    pajesim__put_text(sim, opening->name, PAJESIM__WORD(line, opening->word), PAJESIM__SIZE(line, opening->word));
    state->opening = opening->source;
}

static pajesim__outcome pajesim__trace_file(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t word = PAJESIM__FIELD(definition, PAJESIM_FILENAME);
    pajesim__opening opening;
    if (!pajesim__live_container_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD)) ||
        !pajesim__container_type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!PAJESIM__SIZE(line, word)) {
        pajesim__wrong(sim, line, PAJESIM_E_FILE_NAME, word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__take_source(sim, line, word, &opening))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;
    pajesim__put_source(sim, line, &opening);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__create_container(pajesim *sim, pajesim__line *line,
                                                  const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__names names = pajesim__names_at(sim, line, definition);
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    uint32_t parent_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    uint32_t file_word = PAJESIM__FIELD(definition, PAJESIM_FILENAME), scope = 0, slots;
    pajesim__seen_room seen = {0, 0, 0};
    uint64_t print = 0;
    pajesim__opening opening;
    pajesim__offset fields;
    pajesim_ref parent, type, ref, former;
    pajesim__container *container;

    names.color_word = 0;
    if (!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    parent = pajesim__container_at(sim, line, parent_word);
    type = parent ? pajesim__container_type_at(sim, line, type_word) : 0;
    if (!type)
        return PAJESIM__REFUSED;
    parent = pajesim__fitting(sim, parent, PAJESIM__THING(type)->parent);
    if (PAJESIM__THING(type)->parent != PAJESIM__CONTAINER_AT(parent)->was &&
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (!PAJESIM__CONTAINER_AT(parent)->type) {
        if (pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_PARENT_GONE, parent_word))
            return PAJESIM__REFUSED;
        parent = state->root;
    }
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0"))) {
        if (pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_RESERVED, names.id_word))
            return PAJESIM__REFUSED;
        scope = PAJESIM__BESIDE_ROOT;
    }
    former = pajesim__find(sim, &state->containers, &names.id, scope, 0);
    if (former && PAJESIM__CONTAINER_AT(former)->type) {
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_TWICE, names.id_word);
        return PAJESIM__REFUSED;
    }
    if (state->strict) {
        print = pajesim__fingerprint(&names.id, 0, 0);
        if (pajesim__seen_has(sim, &state->seen, print)) {
            pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_AGAIN, names.id_word);
            return PAJESIM__REFUSED;
        }
        seen = pajesim__take_seen(sim, &state->seen, print);
    }
    if (!pajesim__take_source(sim, line, file_word && PAJESIM__SIZE(line, file_word) ? file_word : 0, &opening))
        return PAJESIM__REFUSED;
    slots = PAJESIM__TYPE_AT(type)->slots;
    ref = pajesim__take(sim, pajesim__container_size(slots));
    pajesim__take_names(sim, &names, line, &state->containers);
    fields = pajesim__take_fields(sim, line);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    if (former) { /* the identifier finds the new one from now on */
        pajesim__remove_entry(sim, &state->containers, former);
        PAJESIM__THING(former)->flags &= (uint8_t)~PAJESIM__LISTED;
    }
    container = PAJESIM__CONTAINER_AT(ref);
    memset(container, 0, sizeof *container);
    container->thing.what = PAJESIM__CONTAINER;
    container->thing.kind = PAJESIM_CONTAINER;
    container->thing.flags = PAJESIM__LISTED;
    container->type = container->was = type;
    container->start = line->time;
    container->fields = fields;
    container->slots = ref + (uint32_t)sizeof *container;
    container->own_slots = slots;
    pajesim__clear_slots(sim, container, slots);
    pajesim__put_names(sim, &names, line, &state->containers, ref, scope);
    pajesim__put_fields(sim, line, fields);
    pajesim__adopt(sim, parent, ref);
    if (state->strict)
        pajesim__put_seen(sim, &state->seen, print, seen);
    pajesim__put_source(sim, line, &opening);
    pajesim__passes(sim, line->time);
    if (sim->callbacks->container_created) {
        pajesim_entity entity = pajesim__container_view(sim, ref);
        PAJESIM__CALL(container_created, &entity);
    }
    return PAJESIM__DONE;
}

/* Whether nothing happened on a container, its creation included, after `time`. */
static int pajesim__ends_last(const pajesim *sim, const pajesim__container *container, pajesim_time time)
{
    const pajesim__slot *slots = PAJESIM__AT(const pajesim__slot, container->slots);
    uint32_t i;
    for (i = 0; i < container->slot_count; i++)
        if (slots[i].last > time)
            return 0;
    return container->start <= time;
}

static pajesim__outcome pajesim__destroy_container(pajesim *sim, pajesim__line *line,
                                                   const pajesim__definition *definition)
{
    uint32_t name_word = PAJESIM__FIELD(definition, PAJESIM_NAME), type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    pajesim_ref ref, type;
    pajesim__cursor cursor;

    if (!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    ref = pajesim__live_container_at(sim, line, name_word);
    type = ref ? pajesim__container_type_at(sim, line, type_word) : 0;
    if (!type)
        return PAJESIM__REFUSED;
    ref = pajesim__fitting(sim, ref, type);
    if (ref == PAJESIM__STATE->root) {
        pajesim__wrong(sim, line, PAJESIM_E_ROOT_DESTROYED, name_word);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__CONTAINER_AT(ref)->type != type && pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_NOT_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (!pajesim__ends_last(sim, PAJESIM__CONTAINER_AT(ref), line->time) &&
        pajesim__wrong(sim, line, PAJESIM_E_DESTROY_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    pajesim__passes(sim, line->time);
    cursor = pajesim__begin_closing(ref);
    while (pajesim__close_next(sim, line, &cursor, line->time)) {
    }
    return PAJESIM__DONE;
}

/* ---- what happens on a container: states, variables, links, events ---- */

typedef struct pajesim__place {
    pajesim_ref container, type;
    pajesim__offset slots; /* a wider block, where the container's slots do not reach to the type's */
} pajesim__place;

/* Container and type do not go together: answers whether they do when one takes `0` for what is called so beside the
 * root; else it is told. */
PAJESIM__COLD int pajesim__misplaced(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                     pajesim__place *place, uint32_t kind)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    if (PAJESIM__THING(place->type)->kind == kind && place->container == PAJESIM__STATE->root) {
        pajesim_ref other = pajesim__other_root(sim, PAJESIM__THING(place->type)->parent);
        if (other) {
            place->container = other;
            return 1;
        }
    }
    if (PAJESIM__THING(place->type)->kind != kind)
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_KIND, type_word);
    else if (!PAJESIM__CONTAINER_AT(place->container)->type)
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_DESTROYED, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    else
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_MISMATCH, type_word);
    return 0;
}

/* Finds container and type of an event; answers 0 if one of them will not do, which is told. */
PAJESIM__INLINE int pajesim__place_at(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                      uint32_t kind, pajesim__place *place)
{
    const pajesim__type *type;
    const pajesim__container *container;
    place->container = pajesim__container_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    if (PAJESIM__UNLIKELY(!place->container))
        return 0;
    place->type = pajesim__type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (PAJESIM__UNLIKELY(!place->type))
        return 0;
    type = PAJESIM__TYPE_AT(place->type);
    container = PAJESIM__CONTAINER_AT(place->container);
    place->slots = 0;
    return PAJESIM__LIKELY(type->thing.parent == container->type && type->thing.kind == kind) ||
           pajesim__misplaced(sim, line, definition, place, kind);
}

/* Its slot, if there is one yet. */
PAJESIM__INLINE pajesim__slot *pajesim__slot_at(const pajesim *sim, const pajesim__place *place)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(place->container);
    uint32_t slot = PAJESIM__TYPE_AT(place->type)->slot;
    return PAJESIM__LIKELY(slot < container->slot_count) ? PAJESIM__AT(pajesim__slot, container->slots) + slot : NULL;
}

static uint64_t pajesim__slots_size(uint32_t slots)
{
    return (uint64_t)slots * sizeof(pajesim__slot);
}

PAJESIM__INLINE void pajesim__take_slots(pajesim *sim, pajesim__place *place, const pajesim__slot *slot)
{
    if (PAJESIM__UNLIKELY(!slot))
        place->slots =
            pajesim__take(sim, pajesim__slots_size(PAJESIM__TYPE_AT(PAJESIM__THING(place->type)->parent)->slots));
}

PAJESIM__COLD pajesim__slot *pajesim__put_slots(pajesim *sim, const pajesim__place *place)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(place->container);
    pajesim__slot *slots = PAJESIM__AT(pajesim__slot, place->slots);
    memcpy(slots, PAJESIM__AT(pajesim__slot, container->slots), container->slot_count * sizeof *slots);
    pajesim__give_slots(sim, place->container);
    container->slots = place->slots;
    pajesim__clear_slots(sim, container, PAJESIM__TYPE_AT(PAJESIM__THING(place->type)->parent)->slots);
    return slots + PAJESIM__TYPE_AT(place->type)->slot;
}

/* After pajesim__ready. */
PAJESIM__INLINE pajesim__slot *pajesim__settle(pajesim *sim, const pajesim__place *place, pajesim__slot *slot)
{
    return PAJESIM__LIKELY(slot != NULL) ? slot : pajesim__put_slots(sim, place);
}

PAJESIM__INLINE int pajesim__in_order(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                      const pajesim__slot *slot)
{
    return PAJESIM__LIKELY(!slot || line->time >= slot->last) ||
           !pajesim__wrong(sim, line, PAJESIM_E_TIME_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME));
}

PAJESIM__INLINE pajesim__outcome pajesim__open_state(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition)
{
    pajesim__place place;
    pajesim__slot *slot;
    pajesim__frame *frame;
    pajesim__borne borne;
    pajesim__offset frames = 0, fields;
    uint32_t room, depth, set = definition->event == PAJESIM_SET_STATE;
    int (*entry)(pajesim *, const pajesim_entity *) = set ? sim->callbacks->state_set : sim->callbacks->state_pushed;

    if (!pajesim__place_at(sim, line, definition, PAJESIM_STATE, &place))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    borne = pajesim__value_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_VALUE), place.type);
    pajesim__take_slots(sim, &place, slot);
    room = slot ? slot->open.stack.room : 0;
    depth = slot && !set ? slot->open.stack.depth : 0;
    if (PAJESIM__UNLIKELY(depth == room))
        frames = pajesim__take(sim, pajesim__stack_size(room ? 2 * room : 2));
    fields = pajesim__take_fields(sim, line);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, &place, slot);
    if (PAJESIM__UNLIKELY(frames)) {
        if (room) {
            memcpy(sim->arena + frames, sim->arena + slot->open.stack.frames, room * sizeof *frame);
            pajesim__give(sim, slot->open.stack.frames, pajesim__stack_size(room));
        }
        slot->open.stack.frames = frames;
        slot->open.stack.room = room ? 2 * room : 2;
    }
    if (PAJESIM__UNLIKELY(borne.made))
        pajesim__make_value(sim, &borne, place.type);
    if (PAJESIM__UNLIKELY(PAJESIM__THING(borne.value)->flags & PAJESIM__IMPLICIT))
        PAJESIM__VALUE_AT(borne.value)->bearers++;
    if (set)
        while (slot->open.stack.depth)
            pajesim__close_state(sim, NULL, place.container, place.type, slot, line->time);
    slot->last = line->time;
    frame = PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth++;
    frame->start = line->time;
    frame->value = borne.value;
    frame->fields = fields;
    pajesim__put_fields(sim, line, fields);
    pajesim__passes(sim, line->time);
    if (entry) {
        pajesim_entity entity = pajesim__state_view(sim, place.container, place.type, frame, slot->open.stack.depth - 1);
        pajesim__answer(sim, entry(sim, &entity));
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__pop_state(pajesim *sim, pajesim__line *line,
                                                    const pajesim__definition *definition)
{
    pajesim__place place;
    pajesim__slot *slot;
    if (!pajesim__place_at(sim, line, definition, PAJESIM_STATE, &place))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    if (PAJESIM__UNLIKELY(!slot || !slot->open.stack.depth)) {
        pajesim__wrong(sim, line, PAJESIM_E_STATE_EMPTY, PAJESIM__FIELD(definition, PAJESIM_TYPE));
        return PAJESIM__REFUSED;
    }
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    slot->last = line->time;
    pajesim__passes(sim, line->time);
    pajesim__close_state(sim, line, place.container, place.type, slot, line->time);
    pajesim__shrink_stack(sim, slot);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__reset_state(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    pajesim__place place;
    pajesim__slot *slot;
    if (!pajesim__place_at(sim, line, definition, PAJESIM_STATE, &place))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    pajesim__take_slots(sim, &place, slot);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, &place, slot);
    slot->last = line->time;
    pajesim__passes(sim, line->time);
    while (slot->open.stack.depth)
        pajesim__close_state(sim, NULL, place.container, place.type, slot, line->time);
    pajesim__shrink_stack(sim, slot);
    if (sim->callbacks->state_reset) {
        pajesim_entity entity =
            pajesim__entity(PAJESIM_STATE, place.container, place.type, line->time, line->time, 0);
        entity.closing = pajesim__user_fields(sim, line);
        PAJESIM__CALL(state_reset, &entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__change_variable(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__place place;
    pajesim__slot *slot;
    pajesim__offset fields;
    double number;
    int set = definition->event == PAJESIM_SET_VARIABLE, in_place;
    int (*entry)(pajesim *, const pajesim_entity *) =
        set ? sim->callbacks->variable_set : sim->callbacks->variable_updated;

    if (!pajesim__place_at(sim, line, definition, PAJESIM_VARIABLE, &place))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    if (PAJESIM__UNLIKELY(!pajesim__number(PAJESIM__WORD(line, value_word), PAJESIM__SIZE(line, value_word), &number))) {
        pajesim__wrong(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    line->number = number;
    if (!set && PAJESIM__UNLIKELY(!slot || !slot->open.variable.set) &&
        pajesim__wrong(sim, line, PAJESIM_E_VARIABLE_UNSET, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    pajesim__take_slots(sim, &place, slot);
    in_place = slot && slot->open.variable.set && slot->start == line->time;
    fields = in_place ? 0 : pajesim__take_fields(sim, line);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, &place, slot);
    if (!set)
        number = (slot->open.variable.set ? slot->open.variable.number : 0.0) +
                 (definition->event == PAJESIM_ADD_VARIABLE ? number : -number);
    slot->last = line->time;
    pajesim__passes(sim, line->time);
    if (!in_place) {
        if (slot->open.variable.set)
            pajesim__close_variable(sim, line, place.container, place.type, slot, line->time);
        slot->start = line->time;
        slot->open.variable.set = 1;
        slot->open.variable.fields = fields;
        pajesim__put_fields(sim, line, fields);
    }
    slot->open.variable.number = number;
    if (entry) {
        pajesim_entity entity = pajesim__variable_view(sim, place.container, place.type, slot);
        pajesim__answer(sim, entry(sim, &entity));
    }
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__new_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__place place;
    pajesim__slot *slot;
    if (!pajesim__place_at(sim, line, definition, PAJESIM_EVENT, &place))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    pajesim__take_slots(sim, &place, slot);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    pajesim__settle(sim, &place, slot)->last = line->time;
    pajesim__passes(sim, line->time);
    PAJESIM__STATE->counts.punctual++;
    if (pajesim__heard(sim, sim->callbacks->event)) {
        pajesim__key id = pajesim__key_at(line, value_word);
        pajesim_entity entity =
            pajesim__entity(PAJESIM_EVENT, place.container, place.type, line->time, line->time, 0);
        entity.value = pajesim__find_cached(sim, &PAJESIM__STATE->values, &id, place.type, PAJESIM__VALUES_SCOPE(place.type));
        entity.value_name = entity.value ? pajesim_name(sim, entity.value) : pajesim__line_word(line, value_word);
        entity.opening = pajesim__user_fields(sim, line);
        PAJESIM__CALL(closed, &entity);
        PAJESIM__CALL(event, &entity);
    }
    return PAJESIM__DONE;
}

/* ---- links ---- */

/* One line of a link: which end it is, and what it says. */
typedef struct pajesim__end {
    int start;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim_text value_name; /* as written, where the value is not defined */
    pajesim__key key;
} pajesim__end;

static int pajesim__end_at(pajesim *sim, pajesim__line *line, const pajesim__definition *definition, pajesim_ref type,
                           pajesim__end *end)
{
    const pajesim__type *link_type = PAJESIM__TYPE_AT(type);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE), end_word;
    pajesim__key value = pajesim__key_at(line, value_word);
    end->start = definition->event == PAJESIM_START_LINK;
    end_word = PAJESIM__FIELD(definition, end->start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    end->end_point = pajesim__container_at(sim, line, end_word);
    if (!end->end_point)
        return 0;
    end->end_point = pajesim__fitting(sim, end->end_point, end->start ? link_type->start_type : link_type->end_type);
    if (!PAJESIM__CONTAINER_AT(end->end_point)->type &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_ENDPOINT_GONE, end_word))
        return 0;
    if (PAJESIM__CONTAINER_AT(end->end_point)->was != (end->start ? link_type->start_type : link_type->end_type) &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_ENDPOINT_TYPE, end_word))
        return 0;
    end->value = pajesim__find_cached(sim, &PAJESIM__STATE->values, &value, type, PAJESIM__VALUES_SCOPE(type));
    end->value_name = end->value ? pajesim_name(sim, end->value) : pajesim__line_word(line, value_word);
    end->key = pajesim__key_at(line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    return 1;
}

static pajesim_text pajesim__link_value(const pajesim *sim, const pajesim__link *link)
{
    return link->value ? pajesim_name(sim, link->value) : pajesim__text_at(sim, link->value_text);
}

static void pajesim__show_half(pajesim *sim, pajesim__line *line, const pajesim__place *place, const pajesim__end *end)
{
    int (*entry)(pajesim *, const pajesim_entity *) = end->start ? sim->callbacks->link_started : sim->callbacks->link_ended;
    if (entry) {
        pajesim_entity entity =
            pajesim__entity(PAJESIM_LINK, place->container, place->type, line->time, line->time, 1);
        *(end->start ? &entity.start_container : &entity.end_container) = end->end_point;
        entity.value = end->value;
        entity.value_name = end->value_name;
        entity.key = pajesim__view((const char *)end->key.bytes, end->key.size);
        *(end->start ? &entity.opening : &entity.closing) = pajesim__user_fields(sim, line);
        pajesim__answer(sim, entry(sim, &entity));
    }
}

/* The first line of a link: it waits for the other. */
static pajesim__outcome pajesim__begin_link(pajesim *sim, pajesim__line *line, pajesim__place *place,
                                            pajesim__slot *slot, const pajesim__end *end)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__seen_room seen = {0, 0, 0};
    uint64_t print = 0;
    pajesim__offset offset, bytes, entry, fields;
    pajesim__text value_text = 0;
    pajesim__container *bearer;
    pajesim__link *link;

    if (state->strict) {
        /* Offsets of containers are used again, their identifiers, when strict, are not. */
        pajesim_text alias = pajesim_alias(sim, place->container);
        pajesim__key id = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
        print = pajesim__fingerprint(&end->key, 1, place->type) + PAJESIM__MIX1 * pajesim__fingerprint(&id, 0, 0);
        if (pajesim__seen_has(sim, &state->seen, print)) {
            pajesim__wrong_at(sim, line, PAJESIM_E_LINK_KEY_USED, (uint32_t)(end->key.bytes - line->text), end->key.size);
            return PAJESIM__REFUSED;
        }
        seen = pajesim__take_seen(sim, &state->seen, print);
    }
    offset = pajesim__take(sim, sizeof *link);
    bytes = pajesim__take_id(sim, &end->key);
    entry = pajesim__take_entry(sim, &state->links);
    if (!end->value)
        value_text = pajesim__take_text(sim, (uint32_t)end->value_name.size);
    fields = pajesim__take_fields(sim, line);
    pajesim__take_slots(sim, place, slot);
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    pajesim__settle(sim, place, slot);
    link = PAJESIM__AT(pajesim__link, offset);
    pajesim__put_id(sim, &link->id, &end->key, bytes, place->container, place->type);
    pajesim__put_entry(sim, &state->links, entry, offset);
    bearer = PAJESIM__CONTAINER_AT(place->container);
    link->previous = 0;
    link->next = bearer->links;
    if (bearer->links)
        PAJESIM__AT(pajesim__link, bearer->links)->previous = offset;
    bearer->links = offset;
    link->time = line->time;
    link->end_point = end->end_point;
    PAJESIM__CONTAINER_AT(end->end_point)->end_points++;
    link->value = end->value;
    link->value_text = value_text;
    if (value_text)
        pajesim__put_text(sim, value_text, end->value_name.bytes, (uint32_t)end->value_name.size);
    link->fields = fields;
    pajesim__put_fields(sim, line, fields);
    link->started = (uint32_t)end->start;
    if (state->strict)
        pajesim__put_seen(sim, &state->seen, print, seen);
    pajesim__passes(sim, line->time);
    pajesim__show_half(sim, line, place, end);
    return PAJESIM__DONE;
}

/* Values that are defined must be the same; of a value that was not defined at one end, the text counts. */
static int pajesim__same_value(const pajesim__link *link, const pajesim__end *end, pajesim_text first)
{
    if (link->value && end->value)
        return link->value == end->value;
    return first.size == end->value_name.size && memcmp(first.bytes, end->value_name.bytes, first.size) == 0;
}

static pajesim__outcome pajesim__link_line(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t time_word = PAJESIM__FIELD(definition, PAJESIM_TIME);
    pajesim__place place;
    pajesim__slot *slot;
    pajesim__end end;
    pajesim__link *link;
    pajesim__offset offset;
    pajesim_text first_value;
    pajesim_time start, finish;

    if (!pajesim__place_at(sim, line, definition, PAJESIM_LINK, &place) ||
        !pajesim__end_at(sim, line, definition, place.type, &end))
        return PAJESIM__REFUSED;
    slot = pajesim__slot_at(sim, &place);
    offset = pajesim__find(sim, &PAJESIM__STATE->links, &end.key, place.container, place.type);
    if (!offset)
        return pajesim__begin_link(sim, line, &place, slot, &end);

    link = PAJESIM__AT(pajesim__link, offset);
    if (link->started == (uint32_t)end.start) {
        pajesim__wrong(sim, line, PAJESIM_E_LINK_KEY_TWICE, PAJESIM__FIELD(definition, PAJESIM_KEY));
        return PAJESIM__REFUSED;
    }
    first_value = pajesim__link_value(sim, link);
    if (!pajesim__same_value(link, &end, first_value) &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_VALUE, PAJESIM__FIELD(definition, PAJESIM_VALUE)))
        return PAJESIM__REFUSED;
    start = link->started ? link->time : line->time;
    finish = link->started ? line->time : link->time;
    if (finish < start && pajesim__wrong(sim, line, PAJESIM_E_LINK_BACKWARD, time_word))
        return PAJESIM__REFUSED;
    if (!pajesim__in_order(sim, line, definition, slot)) /* only the completion of a link has an order */
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;

    slot->last = finish > start ? finish : start;
    pajesim__passes(sim, line->time);
    PAJESIM__STATE->counts.links++;
    pajesim__show_half(sim, line, &place, &end);
    if (pajesim__heard(sim, sim->callbacks->link_completed)) {
        pajesim_entity entity = pajesim__entity(PAJESIM_LINK, place.container, place.type, start, finish, 0);
        entity.start_container = link->started ? link->end_point : end.end_point;
        entity.end_container = link->started ? end.end_point : link->end_point;
        entity.value = link->started ? link->value : end.value;
        entity.value_name = link->started ? first_value : end.value_name;
        entity.key = pajesim__view((const char *)end.key.bytes, end.key.size);
        *(link->started ? &entity.opening : &entity.closing) = pajesim__kept_fields(sim, link->fields);
        *(link->started ? &entity.closing : &entity.opening) = pajesim__user_fields(sim, line);
        PAJESIM__CALL(closed, &entity);
        PAJESIM__CALL(link_completed, &entity);
    }
    pajesim__free_link(sim, offset);
    return PAJESIM__DONE;
}

/* ---- a line ---- */

/* Decodes the numbers of an event and does no more (parse_only). */
static pajesim__outcome pajesim__parse_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    uint32_t time_word = PAJESIM__FIELD(definition, PAJESIM_TIME);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    line->time = 0;
    line->number = 0;
    if (time_word && !pajesim__time_at(sim, line, time_word))
        return PAJESIM__REFUSED;
    if (definition->event >= PAJESIM_SET_VARIABLE && definition->event <= PAJESIM_SUB_VARIABLE &&
        !pajesim__number(PAJESIM__WORD(line, value_word), PAJESIM__SIZE(line, value_word), &line->number)) {
        pajesim__wrong(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__ready(sim, line))
        return (pajesim__outcome)line->outcome;
    if (time_word)
        pajesim__passes(sim, line->time);
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__do_event(pajesim *sim, pajesim__line *line,
                                                   const pajesim__definition *definition)
{
    if (PAJESIM__UNLIKELY(PAJESIM__STATE->parse_only))
        return pajesim__parse_event(sim, line, definition);
    if (definition->event >= PAJESIM_SET_STATE && definition->event <= PAJESIM_END_LINK &&
        PAJESIM__UNLIKELY(!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME))))
        return PAJESIM__REFUSED;
    switch (definition->event) {
    case PAJESIM_SET_STATE:
    case PAJESIM_PUSH_STATE:
        return pajesim__open_state(sim, line, definition);
    case PAJESIM_POP_STATE:
        return pajesim__pop_state(sim, line, definition);
    case PAJESIM_RESET_STATE:
        return pajesim__reset_state(sim, line, definition);
    case PAJESIM_SET_VARIABLE:
    case PAJESIM_ADD_VARIABLE:
    case PAJESIM_SUB_VARIABLE:
        return pajesim__change_variable(sim, line, definition);
    case PAJESIM_NEW_EVENT:
        return pajesim__new_event(sim, line, definition);
    case PAJESIM_START_LINK:
    case PAJESIM_END_LINK:
        return pajesim__link_line(sim, line, definition);
    case PAJESIM_DEFINE_ENTITY_VALUE:
        return pajesim__define_value(sim, line, definition);
    case PAJESIM_CREATE_CONTAINER:
        return pajesim__create_container(sim, line, definition);
    case PAJESIM_DESTROY_CONTAINER:
        return pajesim__destroy_container(sim, line, definition);
    case PAJESIM_TRACE_FILE:
        return pajesim__trace_file(sim, line, definition);
    default:
        return pajesim__define_type(sim, line, definition);
    }
}

/* What is odd about the number of words of an event. */
PAJESIM__COLD int pajesim__miscounted(pajesim *sim, pajesim__line *line, const pajesim__definition *definition)
{
    if (line->count < definition->count + 1u) {
        pajesim__wrong_at(sim, line, PAJESIM_E_FIELDS_MISSING, pajesim__text_end(line), 0);
        return 1;
    }
    if (line->count > definition->count + 1u && pajesim__wrong(sim, line, PAJESIM_E_FIELDS_SURPLUS, definition->count + 1u))
        return 1;
    return line->surplus_at && pajesim__wrong_at(sim, line, PAJESIM_E_TOO_MANY_WORDS, line->surplus_at,
                                                 pajesim__text_end(line) - line->surplus_at);
}

PAJESIM__COLD pajesim__outcome pajesim__skip_event(pajesim *sim, pajesim__line *line)
{
    line->definition = 0;
    if (pajesim__wrong(sim, line, PAJESIM_E_EVENT_SKIPPED, 0))
        return PAJESIM__REFUSED;
    pajesim__tell_warnings(sim, line);
    PAJESIM__STATE->counts.skipped++;
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__event_line(pajesim *sim, pajesim__line *line)
{
    pajesim__key number = pajesim__key_at(line, 0);
    const pajesim__definition *definition;
    pajesim__outcome outcome;
    line->definition = pajesim__find_definition(sim, &number);
    if (PAJESIM__UNLIKELY(!line->definition)) {
        pajesim__wrong(sim, line, PAJESIM_E_EVENT_UNKNOWN, 0);
        return PAJESIM__REFUSED;
    }
    definition = PAJESIM__DEFINITION_AT(line->definition);
    if (PAJESIM__UNLIKELY(definition->event == PAJESIM_UNKNOWN_EVENT))
        return pajesim__skip_event(sim, line);
    if (PAJESIM__UNLIKELY(line->count != definition->count + 1u || line->surplus_at) &&
        pajesim__miscounted(sim, line, definition))
        return PAJESIM__REFUSED;
    if (sim->callbacks->line)
        line->loud = 1;
    outcome = pajesim__do_event(sim, line, definition);
    if (PAJESIM__LIKELY(outcome == PAJESIM__DONE))
        PAJESIM__STATE->counts.by_event[definition->event]++;
    return outcome;
}
