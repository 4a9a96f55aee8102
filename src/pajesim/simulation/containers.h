/* Containers: the lines that create and destroy them (sections "Identity" and "Semantics"). */
#pragma once

#include "close.h"
#include "naming.h"

/* A container that a line creates, as it is checked. */
typedef struct pajesim__creation {
    pajesim_ref type, parent;
    pajesim_ref former; /* a destroyed container of the same identifier; 0: none */
    uint32_t scope;     /* of the identifier */
    pajesim__half fingerprint; /* in strict mode */
} pajesim__creation;

/* Checks the type and the parent.  Returns 0 if they are refused. */
static int pajesim__check_place(pajesim *sim, pajesim__line *line, const pajesim__definition *definition,
                                pajesim__creation *created)
{
    uint32_t type_word = PAJESIM__FIELD(definition, PAJESIM_TYPE);
    uint32_t parent_word = PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD);
    pajesim_ref parent = pajesim__any_container_at(sim, line, parent_word);
    pajesim_ref type = parent ? pajesim__container_type_at(sim, line, type_word) : 0;
    if (!type)
        return 0;
    parent = pajesim__resolve_root(sim, parent, PAJESIM__RECORD(sim, type)->parent);
    if (PAJESIM_CHECKS && PAJESIM__RECORD(sim, type)->parent != PAJESIM__CONTAINER_AT(sim, parent)->declared_type &&
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_TYPE, type_word))
        return 0;
    if (PAJESIM__IS_DESTROYED(sim, parent)) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_PARENT_GONE, parent_word))
            return 0;
        parent = PAJESIM__STATE(sim)->root;
    }
    created->type = type;
    created->parent = parent;
    return 1;
}

/* Checks the identifier, and reserves it among those that were used.  Returns 0 if it is refused. */
static int pajesim__check_identity(pajesim *sim, pajesim__line *line, const pajesim__naming *names,
                                   pajesim__creation *created, pajesim__used_ids_reservation *used)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (PAJESIM_REPAIRS && pajesim__word_is(line, names->id_word, PAJESIM__LITERAL("0"))) {
        if (pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_RESERVED, names->id_word))
            return 0;
        created->scope = PAJESIM__BESIDE_ROOT;
    }
    created->former = pajesim__table_find(sim, &state->containers, &names->id, created->scope, 0);
    if (created->former && !PAJESIM__IS_DESTROYED(sim, created->former)) {
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_TWICE, names->id_word);
        return 0;
    }
    if (PAJESIM__IS_STRICT(state)) {
        created->fingerprint = pajesim__fingerprint(&names->id, 0);
        if (pajesim__used_ids_contain(sim, &state->used_ids, created->fingerprint, used)) {
            pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_AGAIN, names->id_word);
            return 0;
        }
        pajesim__used_ids_reserve(sim, &state->used_ids, created->fingerprint, used);
    }
    return 1;
}

/* Makes the record of a container without a name. */
static void pajesim__begin_container(pajesim *sim, pajesim_ref ref, pajesim_ref type, const pajesim__line *line,
                                     pajesim__offset fields, uint32_t slots)
{
    pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    memset(container, 0, sizeof *container);
    container->record.tag = PAJESIM__CONTAINER;
    container->record.kind = PAJESIM_CONTAINER;
    container->record.flags = PAJESIM__LISTED;
    container->type = container->declared_type = type;
#if PAJESIM_TRAVEL
    container->serial = (uint32_t)PAJESIM__STATE(sim)->counts.by_event[PAJESIM_CREATE_CONTAINER] + 1;
#endif
    container->start = line->shown.time;
    container->fields = fields;
    container->slots = PAJESIM__OWN_SLOTS(ref);
    container->own_slots = (pajesim__length)slots;
    pajesim__clear_slots(sim, container, slots);
}

static pajesim__outcome pajesim__create_container(pajesim *sim, pajesim__line *line,
                                                  const pajesim__definition *definition)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__naming names = pajesim__read_naming(sim, line, definition);
    uint32_t file_word = PAJESIM__FIELD(definition, PAJESIM_FILENAME), slots;
    pajesim__file_request request;
    pajesim__creation created = {0, 0, 0, 0, 0};
    pajesim__used_ids_reservation used = {0, 0, 0, 0, 0};
    pajesim__offset fields;
    pajesim_ref ref;

    names.color_word = 0;
    if (!pajesim__time_at(sim, line, PAJESIM__FIELD(definition, PAJESIM_TIME)) ||
        !pajesim__check_place(sim, line, definition, &created) ||
        !pajesim__check_identity(sim, line, &names, &created, &used) ||
        !pajesim__reserve_file(sim, line, file_word && PAJESIM__SIZE(line, file_word) ? file_word : 0, &request))
        return PAJESIM__REFUSED;
    slots = PAJESIM__EARLY_SLOTS(PAJESIM__TYPE_AT(sim, created.type)->of.slots);
    ref = pajesim__alloc_container(sim, slots);
    pajesim__reserve_naming(sim, &names, line, &state->containers, created.scope);
    fields = pajesim__reserve_fields(sim, line, definition);
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    PAJESIM__CHANGED(sim);
    if (PAJESIM_REPAIRS && created.former) { /* the identifier names the new container now */
        pajesim__table_remove(sim, &state->containers, created.former);
        PAJESIM__RECORD(sim, created.former)->flags &= (uint8_t)~PAJESIM__LISTED;
    }
    pajesim__begin_container(sim, ref, created.type, line, fields, slots);
    pajesim__store_naming(sim, &names, line, &state->containers, ref, created.scope);
    pajesim__store_fields(sim, line, fields);
    pajesim__tree_append(sim, created.parent, ref);
    if (PAJESIM__IS_STRICT(state))
        pajesim__used_ids_insert(sim, &state->used_ids, created.fingerprint, used);
    pajesim__store_file(sim, line, &request);
    pajesim__note_time(sim, line->shown.time);
    if (sim->callbacks->container_created) {
        pajesim_entity *entity = pajesim__entity_begin(sim);
        pajesim__view_container(sim, entity, ref);
        pajesim__call_entity(sim, sim->callbacks->container_created, entity);
    }
    return PAJESIM__DONE;
}

/* Whether no event on a container, its creation included, is later than `time`. */
static int pajesim__is_last_event(const pajesim *sim, const pajesim__container *container, pajesim_time time)
{
    const pajesim__slot *slots = PAJESIM__AT(sim, const pajesim__slot, container->slots);
    uint32_t i;
    for (i = 0; i < container->slot_count; i++)
        if (slots[i].last > time)
            return 0;
#if PAJESIM_REFERENCE != 16
    if (container->late) {
        pajesim__offset at = container->late;
        do {
            if (PAJESIM__LATE_SLOT_AT(sim, at)->slot.last > time)
                return 0;
            at = PAJESIM__LATE_SLOT_AT(sim, at)->next;
        } while (at != container->late);
    }
#endif
    return container->start <= time;
}

/* Whether no event on any container inside `root` is later than `time`. */
static int pajesim__is_last_inner_event(const pajesim *sim, pajesim_ref root, pajesim_time time)
{
    pajesim_ref ref = root;
    for (;;) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (ref != root && !pajesim__is_last_event(sim, container, time))
            return 0;
        if (container->tree.first) {
            ref = container->tree.first;
            continue;
        }
        while (ref != root && !PAJESIM__CONTAINER_AT(sim, ref)->tree.next)
            ref = PAJESIM__RECORD(sim, ref)->parent;
        if (ref == root)
            return 1;
        ref = PAJESIM__CONTAINER_AT(sim, ref)->tree.next;
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
    ref = pajesim__resolve_root(sim, ref, type);
    if (PAJESIM_CHECKS && PAJESIM__CONTAINER_AT(sim, ref)->type != type &&
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_NOT_TYPE, type_word))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref == PAJESIM__STATE(sim)->root &&
        pajesim__diagnose(sim, line, PAJESIM_E_ROOT_DESTROYED, name_word))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref != PAJESIM__STATE(sim)->root &&
        !pajesim__is_last_event(sim, PAJESIM__CONTAINER_AT(sim, ref), line->shown.time) &&
        pajesim__diagnose(sim, line, PAJESIM_E_DESTROY_ORDER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED;
    if (PAJESIM_CHECKS && ref != PAJESIM__STATE(sim)->root &&
        !pajesim__is_last_inner_event(sim, ref, line->shown.time) &&
        pajesim__diagnose(sim, line, PAJESIM_E_DESTROY_INNER, PAJESIM__FIELD(definition, PAJESIM_TIME)))
        return PAJESIM__REFUSED; /* unreached: only a warning */
    if (!pajesim__ready(sim, line, definition))
        return (pajesim__outcome)line->outcome;

    pajesim__note_time(sim, line->shown.time);
    if (ref == PAJESIM__STATE(sim)->root) /* it stays open: the line counts as an event of its time */
        return PAJESIM__DONE;
    cursor = pajesim__begin_closing(ref);
    while (pajesim__close_step(sim, line, &cursor, line->shown.time)) {
    }
    return PAJESIM__DONE;
}
