/* Creating and destroying containers, and the files that lines include (sections "Identity" and "Semantics"). */

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
    if (!PAJESIM_FILES || pajesim__depth(sim) >= PAJESIM__STATE->depth_max) {
        pajesim__wrong(sim, line, PAJESIM_E_FILE_DEPTH, word);
        return 0;
    }
    opening->source = pajesim__take(sim, sizeof(pajesim__source));
    opening->name = pajesim__take_text(sim, PAJESIM__SIZE(line, word));
    return 1;
}

/* The source becomes the current one at the end of the line: pajesim__after_line. */
static void pajesim__put_source(pajesim *sim, const pajesim__line *line, const pajesim__opening *opening)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__source *source;
    if (!PAJESIM_FILES || PAJESIM__LIKELY(!opening->word))
        return;
    source = PAJESIM__AT(pajesim__source, opening->source);
    source->importer = state->source;
    source->name = opening->name;
    source->definitions = 0;
    source->scope = source->importer_scope = (pajesim__length)pajesim__scope(sim);
    source->depth = (pajesim__length)(pajesim__depth(sim) + 1);
    source->importer_line = 0;
    pajesim__put_text(sim, opening->name, PAJESIM__WORD(line, opening->word), PAJESIM__SIZE(line, opening->word));
    state->opening = opening->source;
    pajesim__answer(sim, PAJESIM_PAUSE);
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
    if (!pajesim__ready(sim, line, definition))
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
    pajesim__seen_room seen = {0, 0, 0, 0, 0};
    pajesim__half print = 0;
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
    if (PAJESIM_CHECKS && PAJESIM__THING(type)->parent != PAJESIM__CONTAINER_AT(parent)->was &&
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (PAJESIM__IS_GONE(parent)) {
        if (pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_PARENT_GONE, parent_word))
            return PAJESIM__REFUSED;
        parent = state->root;
    }
    if (PAJESIM_REPAIRS && pajesim__word_is(line, names.id_word, PAJESIM__LITERAL("0"))) {
        if (pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_RESERVED, names.id_word))
            return PAJESIM__REFUSED;
        scope = PAJESIM__BESIDE_ROOT;
    }
    former = pajesim__find(sim, &state->containers, &names.id, scope, 0);
    if (former && !PAJESIM__IS_GONE(former)) {
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_TWICE, names.id_word);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__IS_STRICT(state)) {
        print = pajesim__print(&names.id, 0);
        if (pajesim__was_used(sim, &state->seen, print, &seen)) {
            pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_AGAIN, names.id_word);
            return PAJESIM__REFUSED;
        }
        pajesim__take_seen(sim, &state->seen, print, &seen);
    }
    if (!pajesim__take_source(sim, line, file_word && PAJESIM__SIZE(line, file_word) ? file_word : 0, &opening))
        return PAJESIM__REFUSED;
    slots = PAJESIM__TYPE_AT(type)->slots;
    ref = pajesim__take_container(sim, slots);
    pajesim__take_names(sim, &names, line, &state->containers, scope);
    fields = pajesim__take_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    PAJESIM__CHANGED(sim);
    if (PAJESIM_REPAIRS && former) { /* the identifier finds the new one from now on */
        pajesim__remove_entry(sim, &state->containers, former);
        PAJESIM__THING(former)->flags &= (uint8_t)~PAJESIM__LISTED;
    }
    container = PAJESIM__CONTAINER_AT(ref);
    memset(container, 0, sizeof *container);
    container->thing.what = PAJESIM__CONTAINER;
    container->thing.kind = PAJESIM_CONTAINER;
    container->thing.flags = PAJESIM__LISTED;
    container->type = container->was = type;
#if PAJESIM_TRAVEL
    container->serial = (uint32_t)state->counts.by_event[PAJESIM_CREATE_CONTAINER] + 1;
#endif
    container->start = line->shown.time;
    container->fields = fields;
    container->slots = PAJESIM__OWN_SLOTS(ref);
    container->own_slots = (pajesim__length)slots;
    pajesim__clear_slots(sim, container, slots);
    pajesim__put_names(sim, &names, line, &state->containers, ref, scope);
    pajesim__put_fields(sim, line, fields);
    pajesim__adopt(sim, parent, ref);
    if (PAJESIM__IS_STRICT(state))
        pajesim__put_seen(sim, &state->seen, print, seen);
    pajesim__put_source(sim, line, &opening);
    pajesim__passes(sim, line->shown.time);
    if (sim->callbacks->container_created) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__show(sim, sim->callbacks->container_created, entity);
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

/* The same of what is within it. */
static int pajesim__inner_ends_last(const pajesim *sim, pajesim_ref root, pajesim_time time)
{
    pajesim_ref ref = root;
    for (;;) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(ref);
        if (ref != root && !pajesim__ends_last(sim, container, time))
            return 0;
        if (container->tree.first) {
            ref = container->tree.first;
            continue;
        }
        while (ref != root && !PAJESIM__CONTAINER_AT(ref)->tree.next)
            ref = PAJESIM__THING(ref)->parent;
        if (ref == root)
            return 1;
        ref = PAJESIM__CONTAINER_AT(ref)->tree.next;
    }
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
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(ref)->type != type &&
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_NOT_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && !pajesim__ends_last(sim, PAJESIM__CONTAINER_AT(ref), line->shown.time) &&
        pajesim__wrong(sim, line, PAJESIM_E_DESTROY_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && !pajesim__inner_ends_last(sim, ref, line->shown.time) &&
        pajesim__wrong(sim, line, PAJESIM_E_DESTROY_INNER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED; /* unreached: it is but a warning */
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__passes(sim, line->shown.time);
    cursor = pajesim__begin_closing(ref);
    while (pajesim__close_next(sim, line, &cursor, line->shown.time)) {
    }
    return PAJESIM__DONE;
}
