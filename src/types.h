/* Types and values: defining them, and values that are made on the fly (section "Identity").
 *
 * Here and below, what an event does goes the same way: look up and check, without changing anything; take what it needs
 * from the arena; pajesim__ready; change, and tell. */

/* What a definition of a type, a value or a container says it is called: identifier, name and colour. */
typedef struct pajesim__names {
    pajesim__key id;
    uint32_t id_word, name_word, color_word; /* 0: none; name_word 0: as the identifier */
    pajesim__offset id_bytes;
    pajesim__entry_room entry;
    pajesim__text name, color;
} pajesim__names;

/* 3 or 4 numbers between blanks or commas, or RRGGBB in hex (section "Header"). */
static int pajesim__is_color(const unsigned char *bytes, uint32_t size)
{
    uint32_t begin, end, numbers = 0, digits = 0;
    pajesim_quantity number;
    for (begin = 0; begin < size; begin++)
        digits += (bytes[begin] >= '0' && bytes[begin] <= '9') || (bytes[begin] >= 'a' && bytes[begin] <= 'f') ||
                  (bytes[begin] >= 'A' && bytes[begin] <= 'F');
    if (size == 6 && digits == 6)
        return 1;
    for (begin = 0; begin < size; begin = end + 1) {
        for (end = begin; end < size && bytes[end] != ' ' && bytes[end] != '\t' && bytes[end] != ','; end++) {
        }
        if (end > begin) {
            if (!pajesim__read_quantity(bytes, bytes + begin, end - begin, &number))
                return 0;
            numbers++;
        }
    }
    return numbers == 3 || numbers == 4;
}

/* Answers 0 if the colour will not do, which is told.  An empty one is none. */
static int pajesim__color_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    return !PAJESIM_CHECKS || !word || !PAJESIM__SIZE(line, word) ||
           pajesim__is_color(PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word)) ||
           !pajesim__wrong(sim, line, PAJESIM_E_COLOR, word);
}

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
        memcmp(PAJESIM__WORD(line, names.id_word), PAJESIM__WORD(line, names.name_word), (size_t)names.id.size) == 0)
        names.name_word = 0;
    if (PAJESIM_CHECKS && pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("(null)")))
        pajesim__wrong(sim, line, PAJESIM_E_ALIAS_NULL, names.id_word);
    return names;
}

static void pajesim__take_shown(pajesim *sim, pajesim__names *names, const pajesim__line *line)
{
    if (names->name_word)
        names->name = pajesim__take_text(sim, PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color_word)
        names->color = pajesim__take_text(sim, PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__put_shown(pajesim *sim, const pajesim__names *names, const pajesim__line *line, pajesim_ref ref)
{
    PAJESIM__THING(ref)->name = names->name;
    PAJESIM__THING(ref)->color = names->color;
    if (names->name)
        pajesim__put_text(sim, names->name, PAJESIM__WORD(line, names->name_word),
                          PAJESIM__SIZE(line, names->name_word));
    if (PAJESIM_FIELDS && names->color)
        pajesim__put_text(sim, names->color, PAJESIM__WORD(line, names->color_word),
                          PAJESIM__SIZE(line, names->color_word));
}

static void pajesim__take_names(pajesim *sim, pajesim__names *names, const pajesim__line *line,
                                const pajesim__table *table, uint32_t scope)
{
    names->id_bytes = pajesim__take_id(sim, &names->id);
    pajesim__take_shown(sim, names, line);
    names->entry = pajesim__take_entry(sim, table, pajesim__hash(&names->id, scope, 0));
}

static void pajesim__put_names(pajesim *sim, const pajesim__names *names, const pajesim__line *line,
                               pajesim__table *table, pajesim_ref ref, uint32_t scope)
{
    pajesim__put_id(sim, &PAJESIM__THING(ref)->id, &names->id, names->id_bytes, scope, 0);
    pajesim__put_shown(sim, names, line, ref);
    pajesim__put_entry(sim, table, &names->entry, ref);
}

#if PAJESIM_CHECKS
/* Whether `type` is `ancestor` or within it.  Jumps are as long as two jumps of the parent where these are alike (Myers
 * 1983): so the way up is short however deep the tree. */
static int pajesim__is_within(const pajesim *sim, pajesim_ref type, pajesim_ref ancestor)
{
    uint32_t depth = PAJESIM__TYPE_AT(ancestor)->depth;
    while (PAJESIM__TYPE_AT(type)->depth > depth) {
        pajesim_ref jump = PAJESIM__TYPE_AT(type)->jump;
        type = PAJESIM__TYPE_AT(jump)->depth < depth ? PAJESIM__THING(type)->parent : jump;
    }
    return type == ancestor;
}

static void pajesim__put_jump(const pajesim *sim, pajesim__type *type, pajesim_ref parent)
{
    const pajesim__type *above = PAJESIM__TYPE_AT(parent), *far = PAJESIM__TYPE_AT(above->jump);
    type->depth = above->depth + 1;
    type->jump = above->depth - far->depth == far->depth - PAJESIM__TYPE_AT(far->jump)->depth ? far->jump : parent;
}
#else
#define pajesim__is_within(sim, type, ancestor) 1
#define pajesim__put_jump(sim, type, parent) ((void)0)
#endif

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
    if (!sim->callbacks->new_type)
        return;
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
    pajesim__state *state = PAJESIM__STATE;
    pajesim_kind kind = (pajesim_kind)definition->kind;
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
        if (PAJESIM_CHECKS && (!pajesim__is_within(sim, start, parent) || !pajesim__is_within(sim, end, parent)) &&
            pajesim__wrong(sim, line, PAJESIM_E_TYPE_ANCESTOR, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
            return PAJESIM__REFUSED;
    }
    if (pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0")) ||
        (PAJESIM__IS_STRICT(state) && kind == PAJESIM_CONTAINER &&
         pajesim__word_is(line, PAJESIM__FIELD(definition, PAJESIM_NAME), PAJESIM__LITERAL("0")))) {
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_RESERVED, names.id_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__find(sim, &state->types, &names.id, 0, 0);
    if (ref) {
        int alike = pajesim__defined_alike(sim, line, &names, ref, kind, parent);
        if (pajesim__wrong(sim, line, alike ? PAJESIM_E_TYPE_AGAIN : PAJESIM_E_TYPE_TWICE, names.id_word))
            return PAJESIM__REFUSED;
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    }
    ref = PAJESIM__THING_IN(pajesim__take(sim, sizeof *type));
    pajesim__take_names(sim, &names, line, &state->types, 0);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    type = PAJESIM__TYPE_AT(ref);
    memset(type, 0, sizeof *type);
    type->thing.what = PAJESIM__TYPE;
    type->thing.kind = (uint8_t)kind;
    type->start_type = start;
    type->end_type = end;
    pajesim__put_jump(sim, type, parent);
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
    if (!pajesim__color_at(sim, line, names.color_word))
        return PAJESIM__REFUSED;
    ref = pajesim__find(sim, &state->values, &names.id, type, 0);
    late = ref && (PAJESIM__THING(ref)->flags & PAJESIM__IMPLICIT);
    if (ref && pajesim__wrong(sim, line, late ? PAJESIM_E_VALUE_LATE : PAJESIM_E_VALUE_TWICE, names.id_word))
        return PAJESIM__REFUSED;
    if (ref && !late)
        return pajesim__ready(sim, line, definition) ? PAJESIM__DONE : (pajesim__outcome)line->outcome;
    if (PAJESIM_CHECKS && names.name_word) {
        pajesim__key name = pajesim__key_at(line, names.name_word);
        if (pajesim__find(sim, &state->values, &name, type, 0) &&
            pajesim__wrong(sim, line, PAJESIM_E_VALUE_NAME, names.name_word))
            return PAJESIM__REFUSED;
    }
    if (late) { /* it gets its name and colour now; its identifier is there */
        pajesim__take_shown(sim, &names, line);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        PAJESIM__THING(ref)->flags &= (uint8_t)~PAJESIM__IMPLICIT;
        pajesim__put_shown(sim, &names, line, ref);
    } else {
        ref = PAJESIM__THING_IN(pajesim__take(sim, sizeof(pajesim__value)));
        pajesim__take_names(sim, &names, line, &state->values, type);
        if (!pajesim__ready(sim, line, definition))
            return (pajesim__outcome)line->outcome;
        pajesim__put_value(sim, ref, type, 0);
        pajesim__put_names(sim, &names, line, &state->values, ref, type);
        pajesim__uncache(sim, &PAJESIM__THING(ref)->id, PAJESIM__VALUES_SCOPE(type));
    }
    pajesim__show_value(sim, ref);
    return PAJESIM__DONE;
}

/* A value that a state bears, and that was never defined, is made on the fly. */
PAJESIM__COLD pajesim_ref pajesim__take_value(pajesim *sim, pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim__key id = pajesim__key_at(line, word);
    line->made.value = PAJESIM__THING_IN(pajesim__take(sim, sizeof(pajesim__value)));
    line->made.id_bytes = pajesim__take_id(sim, &id);
    line->made.entry = pajesim__take_entry(sim, &PAJESIM__STATE->values, pajesim__hash(&id, type, 0));
    return line->made.value;
}

PAJESIM__COLD void pajesim__make_value(pajesim *sim, const pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim_ref ref = line->made.value;
    pajesim__key id = pajesim__key_at(line, word);
    pajesim__put_value(sim, ref, type, PAJESIM__IMPLICIT);
    pajesim__put_id(sim, &PAJESIM__THING(ref)->id, &id, line->made.id_bytes, type, 0);
    pajesim__put_entry(sim, &PAJESIM__STATE->values, &line->made.entry, ref);
    pajesim__uncache(sim, &PAJESIM__THING(ref)->id, PAJESIM__VALUES_SCOPE(type));
    pajesim__show_value(sim, ref);
}
