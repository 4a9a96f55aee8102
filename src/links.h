/* Links: two lines that find each other by their key (section "Semantics"). */

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
    pajesim_ref wanted;
    end->start = definition->event == PAJESIM_START_LINK;
    end_word = PAJESIM__FIELD(definition, end->start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    end->end_point = pajesim__container_at(sim, line, end_word);
    if (!end->end_point)
        return 0;
    wanted = end->start ? link_type->start_type : link_type->end_type;
    end->end_point = pajesim__fitting(sim, end->end_point, wanted);
    if (PAJESIM__IS_GONE(end->end_point) &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_ENDPOINT_GONE, end_word))
        return 0;
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(end->end_point)->type != wanted && /* which is nearer than `was` */
        PAJESIM__CONTAINER_AT(end->end_point)->was != wanted &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_ENDPOINT_TYPE, end_word))
        return 0;
    end->value = pajesim__value_at(sim, line, value_word, type);
    end->value_name = end->value ? pajesim_name(sim, end->value) : pajesim__line_word(line, value_word);
    end->key = pajesim__key_at(line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    return 1;
}

static pajesim_text pajesim__link_value(const pajesim *sim, const pajesim__link *link)
{
    return link->value ? pajesim_name(sim, link->value) : pajesim__text_at(sim, link->value_text);
}

static void pajesim__show_half(pajesim *sim, pajesim__line *line, pajesim__place place, const pajesim__end *end)
{
    pajesim__entry_point entry = end->start ? sim->callbacks->link_started : sim->callbacks->link_ended;
    if (entry) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__fill(entity, PAJESIM_LINK, place.container, place.type, line->shown.time, 1);
        *(end->start ? &entity->start_container : &entity->end_container) = end->end_point;
        entity->value = end->value;
        entity->value_name = end->value_name;
        entity->key = pajesim__view((const char *)end->key.bytes, (size_t)end->key.size);
        pajesim__show_user_fields(sim, line, end->start ? &entity->opening : &entity->closing);
        pajesim__show(sim, entry, entity);
        pajesim__bare(entity);
    }
}

/* The first line of a link: it waits for the other. */
static pajesim__outcome pajesim__begin_link(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                            pajesim__place place, const pajesim__end *end)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__seen_room seen = {0, 0, 0, 0, 0};
    pajesim__half print = 0;
    pajesim__offset offset, bytes, fields, slots;
    pajesim__entry_room entry;
    pajesim__text value_text = 0;
    pajesim__container *bearer;
    pajesim__link *link;

    if (PAJESIM__IS_STRICT(state)) {
        /* Offsets of containers are used again, their identifiers, when strict, are not. */
        const pajesim__id *id = &PAJESIM__THING(place.container)->id;
        pajesim__key bearer_key = pajesim__key_of_id(id);
        print = pajesim__print(&end->key, pajesim__mix(&bearer_key, id->size, place.type));
        if (pajesim__was_used(sim, &state->seen, print, &seen)) {
            pajesim__wrong_at(sim, line, PAJESIM_E_LINK_KEY_USED,
                              (uint32_t)(end->key.bytes - PAJESIM__TEXT(line)), end->key.size);
            return PAJESIM__REFUSED;
        }
        pajesim__take_seen(sim, &state->seen, print, &seen);
    }
    offset = pajesim__take(sim, sizeof *link);
    bytes = pajesim__take_id(sim, &end->key);
    entry = pajesim__take_entry(sim, &state->links, pajesim__hash(&end->key, place.container, place.type));
    if (!end->value)
        value_text = pajesim__take_text(sim, (uint32_t)end->value_name.size);
    fields = pajesim__take_fields(sim, line, definition);
    slots = pajesim__take_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__settle(sim, place, slots);
    link = PAJESIM__AT(pajesim__link, offset);
    pajesim__put_id(sim, &link->id, &end->key, bytes, place.container, place.type);
    pajesim__put_entry(sim, &state->links, &entry, offset);
    bearer = PAJESIM__CONTAINER_AT(place.container);
    link->previous = 0;
    link->next = bearer->links;
    if (bearer->links)
        PAJESIM__AT(pajesim__link, bearer->links)->previous = offset;
    bearer->links = offset;
    link->time = line->shown.time;
    link->end_point = end->end_point;
    PAJESIM__CONTAINER_AT(end->end_point)->end_points++;
    link->value = end->value;
    link->value_text = value_text;
    if (value_text)
        pajesim__put_text(sim, value_text, end->value_name.bytes, (uint32_t)end->value_name.size);
    link->fields = fields;
    pajesim__put_fields(sim, line, fields);
    link->started = (pajesim__length)end->start;
    if (PAJESIM__IS_STRICT(state))
        pajesim__put_seen(sim, &state->seen, print, seen);
    pajesim__passes(sim, line->shown.time);
    pajesim__show_half(sim, line, place, end);
    return PAJESIM__DONE;
}

/* The identifiers of the values must be the same, whether these are defined or not (section "Identity": the name of a
 * value that has an alias makes a second value). */
static int pajesim__same_value(const pajesim *sim, const pajesim__link *link, const pajesim__end *end)
{
    pajesim_text first = link->value ? pajesim_alias(sim, link->value) : pajesim__text_at(sim, link->value_text);
    pajesim_text second = end->value ? pajesim_alias(sim, end->value) : end->value_name;
    return first.size == second.size && memcmp(first.bytes, second.bytes, first.size) == 0;
}

static pajesim__outcome pajesim__link_line(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           pajesim__place place)
{
    uint32_t time_word = PAJESIM__FIELD(definition, PAJESIM_TIME);
    pajesim__slot *slot = place.slot;
    pajesim__end end;
    pajesim__link *link;
    pajesim__offset offset;
    pajesim_text first_value;
    pajesim_time start, finish;

    if (!pajesim__end_at(sim, line, definition, place.type, &end))
        return PAJESIM__REFUSED;
    offset = pajesim__find(sim, &PAJESIM__STATE->links, &end.key, place.container, place.type);
    if (!offset)
        return pajesim__begin_link(sim, line, definition, place, &end);

    link = PAJESIM__AT(pajesim__link, offset);
    if (link->started == (pajesim__length)end.start) {
        pajesim__wrong(sim, line, PAJESIM_E_LINK_KEY_TWICE, PAJESIM__FIELD(definition, PAJESIM_KEY));
        return PAJESIM__REFUSED;
    }
    first_value = pajesim__link_value(sim, link);
    if (PAJESIM_CHECKS && !pajesim__same_value(sim, link, &end) &&
        pajesim__wrong(sim, line, PAJESIM_E_LINK_VALUE, PAJESIM__FIELD(definition, PAJESIM_VALUE)))
        return PAJESIM__REFUSED;
    start = link->started ? link->time : line->shown.time;
    finish = link->started ? line->shown.time : link->time;
    if (PAJESIM_CHECKS && finish < start)
        pajesim__wrong(sim, line, PAJESIM_E_LINK_BACKWARD, time_word);
    if (!pajesim__in_order(sim, line, definition, slot)) /* only the completion of a link has an order */
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot->last = finish > start ? finish : start;
    pajesim__passes(sim, line->shown.time);
    PAJESIM__STATE->counts.links++;
    pajesim__show_half(sim, line, place, &end);
    if (pajesim__heard(sim, sim->callbacks->link_completed)) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__fill(entity, PAJESIM_LINK, place.container, place.type, start, 0);
        entity->end = finish;
        entity->start_container = link->started ? link->end_point : end.end_point;
        entity->end_container = link->started ? end.end_point : link->end_point;
        entity->value = link->started ? link->value : end.value;
        entity->value_name = link->started ? first_value : end.value_name;
        entity->key = pajesim__view((const char *)end.key.bytes, (size_t)end.key.size);
        pajesim__kept_fields(sim, link->fields, link->started ? &entity->opening : &entity->closing);
        pajesim__show_user_fields(sim, line, link->started ? &entity->closing : &entity->opening);
        pajesim__show_closed(sim, sim->callbacks->link_completed, entity);
        pajesim__bare(entity);
    }
#if PAJESIM_TRAVEL
    if (PAJESIM__IS_MARKED(link->fields))
        pajesim__note_end(sim, line, link->ending, finish, end.end_point, NULL);
#endif
    pajesim__free_link(sim, offset);
    return PAJESIM__DONE;
}
