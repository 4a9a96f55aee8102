/* What happens on a container: states, variables, events (section "Semantics"). */

typedef struct pajesim__place {
    pajesim_ref container, type;
    pajesim__slot *slot; /* NULL: there is none yet */
} pajesim__place;

/* Container and type do not go together: answers the container if they do when one takes `0` for what is called so beside
 * the root; else 0, which is told. */
PAJESIM__COLD pajesim_ref pajesim__misplaced(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                             pajesim_ref container, pajesim_ref type)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    if (PAJESIM_REPAIRS && PAJESIM__THING(type)->kind == definition->kind && container == PAJESIM__STATE->root) {
        pajesim_ref other = pajesim__other_root(sim, PAJESIM__THING(type)->parent);
        if (other)
            return other;
    }
    if (PAJESIM__THING(type)->kind != definition->kind)
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_KIND, type_word);
    else if (PAJESIM__IS_GONE(container))
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_DESTROYED, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    else
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_MISMATCH, type_word);
    return 0;
}

/* Finds container and type of an event, and the slot, if there is one yet; answers 0 if one of them will not do, which
 * is told. */
PAJESIM__INLINE int pajesim__place_at(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                      const pajesim__need *found, pajesim__place *place)
{
    const pajesim__type *type;
    const pajesim__container *container;
    uint32_t container_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    place->container = found ? pajesim__found_container(sim, line, container_word, found) : 0;
    if (!place->container)
        place->container = pajesim__container_at(sim, line, container_word);
    if (PAJESIM__UNLIKELY(!place->container))
        return 0;
    place->type = found ? found->type : 0;
    if (!place->type)
        place->type = pajesim__type_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    if (PAJESIM__UNLIKELY(!place->type))
        return 0;
    type = PAJESIM__TYPE_AT(place->type);
    container = PAJESIM__CONTAINER_AT(place->container);
    if (PAJESIM__UNLIKELY(type->thing.parent != container->type || type->thing.kind != definition->kind)) {
        place->container = pajesim__misplaced(sim, line, definition, place->container, place->type);
        if (!place->container)
            return 0;
        container = PAJESIM__CONTAINER_AT(place->container);
    }
    place->slot = PAJESIM__LIKELY(type->slot < container->slot_count)
                      ? PAJESIM__AT(pajesim__slot, container->slots) + type->slot
                      : NULL;
    return 1;
}

static pajesim__size pajesim__slots_size(uint32_t slots)
{
    return (pajesim__size)slots * sizeof(pajesim__slot);
}

/* As many as fill a block that has room for all there are: so that what comes to be used one by one, as soon as it is
 * defined, is not copied each time. */
static uint32_t pajesim__wider_slots(const pajesim *sim, pajesim__place place)
{
    pajesim__size size = pajesim__slots_size(PAJESIM__TYPE_AT(PAJESIM__THING(place.type)->parent)->slots);
    return (uint32_t)(pajesim__class_size(pajesim__class_of(size)) / sizeof(pajesim__slot));
}

/* Where the container's slots do not reach to the type's: a wider block. */
PAJESIM__INLINE pajesim__offset pajesim__take_slots(pajesim *sim, pajesim__place place)
{
    return PAJESIM__LIKELY(place.slot != NULL)
               ? 0
               : pajesim__take(sim, pajesim__slots_size(pajesim__wider_slots(sim, place)));
}

PAJESIM__COLD pajesim__slot *pajesim__put_slots(pajesim *sim, pajesim__place place, pajesim__offset offset)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(place.container);
    pajesim__slot *slots = PAJESIM__AT(pajesim__slot, offset);
    memcpy(slots, PAJESIM__AT(pajesim__slot, container->slots), container->slot_count * sizeof *slots);
    pajesim__give_slots(sim, place.container);
    container->slots = offset;
    pajesim__clear_slots(sim, container, pajesim__wider_slots(sim, place));
    return slots + PAJESIM__TYPE_AT(place.type)->slot;
}

/* After pajesim__ready. */
PAJESIM__INLINE pajesim__slot *pajesim__settle(pajesim *sim, pajesim__place place, pajesim__offset slots)
{
    return PAJESIM__LIKELY(place.slot != NULL) ? place.slot : pajesim__put_slots(sim, place, slots);
}

/* What happens on a container happens at the time of the line. */
PAJESIM__INLINE void pajesim__happens(pajesim *sim, const pajesim__line *line, pajesim__slot *slot)
{
    slot->last = line->shown.time;
    pajesim__passes(sim, line->shown.time);
}

PAJESIM__INLINE int pajesim__in_order(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                      const pajesim__slot *slot)
{
    return PAJESIM__LIKELY(!slot || line->shown.time >= slot->last) ||
           !pajesim__wrong(sim, line, PAJESIM_E_TIME_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME));
}

PAJESIM__INLINE pajesim__outcome pajesim__open_state(pajesim *sim, pajesim__line *line,
                                                     const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__frame *frame;
    pajesim_ref value, known;
    pajesim__offset slots, frames = 0, fields;
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    uint32_t depth, set = definition->event == PAJESIM_SET_STATE;
    pajesim__entry_point entry = set ? sim->callbacks->state_set : sim->callbacks->state_pushed;

    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    value = known = pajesim__value_at(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(!known))
        value = pajesim__take_value(sim, line, value_word, place.type);
    slots = pajesim__take_slots(sim, place);
    depth = slot && !set ? slot->open.stack.depth : 0;
    if (PAJESIM__UNLIKELY(depth == (slot ? slot->open.stack.room : 0)))
        frames = pajesim__take(sim, pajesim__stack_size(depth ? 2 * depth : 2));
    fields = pajesim__take_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, place, slots);
    if (PAJESIM__UNLIKELY(frames)) {
        uint32_t room = slot->open.stack.room;
        if (room) {
            memcpy(PAJESIM__BYTES(frames), PAJESIM__BYTES(slot->open.stack.frames), (size_t)room * sizeof *frame);
            pajesim__give(sim, slot->open.stack.frames, pajesim__stack_size(room));
        }
        slot->open.stack.frames = frames;
        slot->open.stack.room = (pajesim__length)(room ? 2 * room : 2);
    }
    if (PAJESIM__UNLIKELY(!known))
        pajesim__make_value(sim, line, value_word, place.type);
    if (PAJESIM__UNLIKELY(PAJESIM__THING(value)->flags & PAJESIM__IMPLICIT))
        PAJESIM__VALUE_AT(value)->bearers++;
    if (set)
        while (slot->open.stack.depth)
            pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__happens(sim, line, slot);
    frame = PAJESIM__AT(pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth++;
    frame->start = line->shown.time;
    frame->value = value;
    frame->fields = fields;
    pajesim__put_fields(sim, line, fields);
    if (entry) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__view_state(sim, entity, place.container, place.type, frame, slot->open.stack.depth - 1);
        pajesim__show(sim, entry, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__pop_state(pajesim *sim, pajesim__line *line,
                                                    const pajesim__definition *definition, pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    if (PAJESIM__UNLIKELY(!slot || !slot->open.stack.depth)) {
        pajesim__wrong(sim, line, PAJESIM_E_STATE_EMPTY, PAJESIM__FIELD(definition, PAJESIM_TYPE));
        return PAJESIM__REFUSED;
    }
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__happens(sim, line, slot);
    pajesim__close_top(sim, line, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__reset_state(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                             pajesim__place place)
{
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__take_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, place, slots);
    pajesim__happens(sim, line, slot);
    while (slot->open.stack.depth)
        pajesim__close_state(sim, place.container, place.type, slot, line->shown.time);
    pajesim__shrink_stack(sim, slot);
    if (sim->callbacks->state_reset) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__fill(entity, PAJESIM_STATE, place.container, place.type, line->shown.time, 0);
        pajesim__show_user_fields(sim, line, &entity->closing);
        pajesim__show(sim, sim->callbacks->state_reset, entity);
    }
    return PAJESIM__DONE;
}

PAJESIM__INLINE pajesim__outcome pajesim__change_variable(pajesim *sim, pajesim__line *line,
                                                          const pajesim__definition *definition, pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots, fields;
    pajesim_quantity number;
    int set = definition->event == PAJESIM_SET_VARIABLE, in_place;
    pajesim__entry_point entry = set ? sim->callbacks->variable_set : sim->callbacks->variable_updated;

    if (PAJESIM__UNLIKELY(!pajesim__read_quantity(line->low, PAJESIM__WORD(line, value_word),
                                                  PAJESIM__SIZE(line, value_word), &number))) {
        pajesim__wrong(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    line->shown.number = number;
    if (!set && PAJESIM__UNLIKELY(!slot || !PAJESIM__IS_SET(slot)) &&
        pajesim__wrong(sim, line, PAJESIM_E_VARIABLE_UNSET, PAJESIM__FIELD(definition, PAJESIM_TYPE)))
        return PAJESIM__REFUSED;
    if (!set && !pajesim__sum(slot && PAJESIM__IS_SET(slot) ? slot->open.variable.number : 0,
                              definition->event == PAJESIM_ADD_VARIABLE ? number : -number, &number)) {
        pajesim__wrong(sim, line, PAJESIM_E_NUMBER, value_word);
        return PAJESIM__REFUSED;
    }
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__take_slots(sim, place);
    in_place = slot && PAJESIM__IS_SET(slot) && slot->start == line->shown.time;
    fields = in_place ? 0 : pajesim__take_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    slot = pajesim__settle(sim, place, slots);
    pajesim__happens(sim, line, slot);
    if (!in_place) {
        if (PAJESIM__IS_SET(slot))
            pajesim__close_variable(sim, line, place.container, place.type, slot, line->shown.time);
        slot->start = line->shown.time;
        slot->open.variable.set = 1;
        slot->open.variable.fields = fields;
        pajesim__put_fields(sim, line, fields);
    }
#if PAJESIM_TRAVEL
    if (in_place && PAJESIM__IS_MARKED(slot->open.variable.fields))
        pajesim__note_flag(sim, slot->open.variable.set >> 1, PAJESIM__IS_CHANGED);
#endif
    slot->open.variable.number = number;
    if (entry) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__view_variable(sim, entity, place.container, place.type, slot);
        pajesim__show(sim, entry, entity);
    }
    return PAJESIM__DONE;
}

static pajesim__outcome pajesim__new_event(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                           pajesim__place place)
{
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__slot *slot = place.slot;
    pajesim__offset slots;
    if (!pajesim__in_order(sim, line, definition, slot))
        return PAJESIM__REFUSED;
    slots = pajesim__take_slots(sim, place);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__happens(sim, line, pajesim__settle(sim, place, slots));
    PAJESIM__STATE->counts.punctual++;
    if (pajesim__heard(sim, sim->callbacks->event)) {
        pajesim_entity *entity = pajesim__entity(sim);
        pajesim__fill(entity, PAJESIM_EVENT, place.container, place.type, line->shown.time, 0);
        entity->value = pajesim__shown_value_at(sim, line, value_word, place.type);
        entity->value_name =
            entity->value ? pajesim__name_of(sim, entity->value) : pajesim__line_word(line, value_word);
        pajesim__show_user_fields(sim, line, &entity->opening);
        pajesim__show_closed(sim, sim->callbacks->event, entity);
    }
    return PAJESIM__DONE;
}
