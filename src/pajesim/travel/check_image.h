/* Whether an image is sound, part two: what its records hold, and how they refer to each other. */
#pragma once

#include "check_blocks.h"
#include "walk.h"
#include "../simulation/close.h"
#include "../text/cut.h"

#if PAJESIM_TRAVEL

/* ---- records by themselves: their blocks are claimed, and they are marked */

/* Claims what types, values and containers have alike. */
static int pajesim__check_record(pajesim__check *check, const pajesim__record *record, uint32_t tag)
{
    return pajesim__holds(check, record->tag == tag && record->kind >= PAJESIM_CONTAINER &&
                                     record->kind <= PAJESIM_LINK) &&
           pajesim__claim_id(check, &record->id) && pajesim__claim_text(check, record->name) &&
           pajesim__claim_text(check, record->color);
}

static void pajesim__check_named(pajesim__check *check, pajesim_ref ref, uint32_t tag, uint32_t size)
{
    if (pajesim__holds(check, ref >= PAJESIM__STATE_SIZE + PAJESIM__RECORD_HEAD) &&
        pajesim__claim(check, (uint32_t)(ref - PAJESIM__RECORD_HEAD), size) &&
        pajesim__check_record(check, PAJESIM__RECORD(check->sim, ref), tag))
        *pajesim__mark_at(check, ref) = PAJESIM__IS_RECORD;
}

/* Claims the late slots of a container, which are a ring. */
static void pajesim__claim_late_slots(pajesim__check *check, const pajesim__container *container)
{
    pajesim__offset at = container->late;
    if (at)
        do
            at = pajesim__claim(check, at, sizeof(pajesim__late_slot)) ? PAJESIM__LATE_SLOT_AT(check->sim, at)->next
                                                                       : container->late;
        while (at != container->late);
}

static void pajesim__check_container(pajesim__check *check, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(check->sim, ref);
    if (!pajesim__holds(check, ref >= PAJESIM__STATE_SIZE + PAJESIM__CONTAINER_HEAD &&
                                   pajesim__within(check, ref, PAJESIM__CONTAINER_REST)) ||
        !pajesim__holds(check, container->own_slots == PAJESIM__EARLY_SLOTS(container->own_slots) &&
                                   container->slot_count == PAJESIM__EARLY_SLOTS(container->slot_count)) ||
        !pajesim__claim(check, (uint32_t)(ref - PAJESIM__CONTAINER_HEAD),
                        pajesim__container_size(container->own_slots)) ||
        !pajesim__check_record(check, &container->record, PAJESIM__CONTAINER))
        return;
    *pajesim__mark_at(check, ref) = PAJESIM__IS_CONTAINER;
    pajesim__holds(check, container->refs < check->top && container->record.kind == PAJESIM_CONTAINER);
    if (!container->type)
        pajesim__holds(check, !container->slot_count && !container->links && !container->fields && !container->late &&
                                  !container->tree.first && !container->tree.next && !container->tree.previous);
    else if (container->slot_count > container->own_slots)
        pajesim__claim(check, container->slots, pajesim__slots_size(container->slot_count));
    else
        pajesim__holds(check, container->slot_count == container->own_slots &&
                                  (!container->own_slots || container->slots == PAJESIM__OWN_SLOTS(ref)));
    if (container->type)
        pajesim__holds(check, container->type == container->declared_type &&
                                  container->record.flags == PAJESIM__LISTED);
    pajesim__claim_late_slots(check, container);
}

/* Claims a definition.  `whole`: it has its %EndEventDef. */
static void pajesim__check_definition(pajesim__check *check, pajesim__offset offset, int whole)
{
    const pajesim *sim = check->sim;
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(sim, offset);
    uint32_t i, role, first = 0, users = 0, own = 0;
    if (!pajesim__claim(check, offset, sizeof *definition) || !pajesim__claim_id(check, &definition->id) ||
        !pajesim__claim_text(check, definition->name) ||
        !pajesim__holds(check, definition->event < PAJESIM_EVENT_COUNT && definition->count < PAJESIM_WORDS &&
                                   definition->refs < check->top) ||
        !pajesim__holds(check, definition->kind == (pajesim__functions_and_kinds[definition->event] & 7) &&
                                   definition->function == pajesim__functions_and_kinds[definition->event] >> 3) ||
        (definition->count && !pajesim__claim(check, definition->fields, definition->count)) ||
        (definition->user_names &&
         !pajesim__claim(check, definition->names, pajesim__names_size(definition->user_names))))
        return;
    for (i = 0; i < definition->count; i++) {
        role = PAJESIM__ROLE_OF(sim, definition, i);
        pajesim__holds(check, PAJESIM__TYPE_OF(sim, definition, i) < PAJESIM__FIELD_TYPES);
        own += role == PAJESIM_USER_FIELD;
        if (whole && pajesim__is_user_field(definition, role)) {
            if (!users++)
                first = i + 1;
            if (first + users != i + 2)
                first = UINT32_MAX / 2; /* they are not adjacent */
        }
    }
    for (role = 1; role < PAJESIM_ROLE_COUNT; role++)
        pajesim__holds(check, definition->word[role] <= definition->count &&
                                  (definition->word[role]
                                       ? PAJESIM__ROLE_OF(sim, definition, definition->word[role] - 1u) == role
                                       : !whole || !PAJESIM__REQUIRES(definition->event, role)));
    if (!pajesim__holds(check, definition->user_count == users && definition->user_names == own) ||
        !pajesim__holds(check, definition->word[PAJESIM_USER_FIELD] ==
                                   (users && first <= definition->count ? first : 0)))
        return;
    for (i = 0; i < own; i++)
        pajesim__claim_text(check, PAJESIM__AT(sim, const pajesim__text, definition->names)[i]);
    *pajesim__mark_at(check, offset) = PAJESIM__IS_DEFINITION;
}

static void pajesim__check_link(pajesim__check *check, pajesim__offset offset)
{
    const pajesim__link *link = PAJESIM__AT(check->sim, const pajesim__link, offset);
    if (pajesim__claim(check, offset, sizeof *link) && pajesim__claim_id(check, &link->id) &&
        pajesim__claim_text(check, link->value_text))
        *pajesim__mark_at(check, offset) = PAJESIM__IS_LINK;
}

/* Claims a destroyed container that no identifier finds, and those that it was in. */
static void pajesim__check_destroyed(pajesim__check *check, pajesim_ref ref)
{
    while (check->sound && ref && !pajesim__is_container(check, ref)) {
        pajesim__check_container(check, ref);
        if (!check->sound || !pajesim__holds(check, !PAJESIM__CONTAINER_AT(check->sim, ref)->type &&
                                                        !(PAJESIM__RECORD(check->sim, ref)->flags & PAJESIM__LISTED)))
            return;
        ref = PAJESIM__RECORD(check->sim, ref)->parent;
    }
}

/* Claims all records: first those that tables find. */
static void pajesim__check_records(pajesim__check *check)
{
    pajesim__state *state = PAJESIM__STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->definitions, 1);
    pajesim_ref ref;
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_definition(check, ref, 1);
        pajesim__holds(check, check->sound && !PAJESIM__DEFINITION_AT(check->sim, ref)->ended);
    }
    in = pajesim__records_of(&state->types, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_named(check, ref, PAJESIM__TYPE, sizeof(pajesim__type));
    in = pajesim__records_of(&state->values, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_named(check, ref, PAJESIM__VALUE, sizeof(pajesim__value));
        pajesim__holds(check, check->sound && PAJESIM__VALUE_AT(check->sim, ref)->refs < check->top);
    }
    in = pajesim__records_of(&state->containers, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        pajesim__check_container(check, ref);
        pajesim__holds(check, check->sound && PAJESIM__RECORD(check->sim, ref)->flags & PAJESIM__LISTED);
    }
    in = pajesim__records_of(&state->links, 1);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_link(check, ref);
    in = pajesim__records_of(&state->containers, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        if (!PAJESIM__CONTAINER_AT(check->sim, ref)->type)
            pajesim__check_destroyed(check, PAJESIM__RECORD(check->sim, ref)->parent);
    in = pajesim__records_of(&state->links, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        pajesim__check_destroyed(check, PAJESIM__AT(check->sim, pajesim__link, ref)->end_point);
}

/* ---- queues of what may be freed */

static void pajesim__check_queue(pajesim__check *check, const pajesim__queue *queue, uint32_t tag)
{
    pajesim__offset offset = queue->first, last = 0;
    uint32_t count;
    for (count = 0; check->sound && count < queue->count; count++) {
        if (tag == PAJESIM__CONTAINER)
            pajesim__check_destroyed(check, offset);
        if (!check->sound ||
            !pajesim__holds(check, tag == PAJESIM__CONTAINER ? pajesim__is_container(check, offset)
                                                             : pajesim__is_record(check, offset, tag)) ||
            !pajesim__holds(check, PAJESIM__RECORD(check->sim, offset)->flags & PAJESIM__QUEUED) ||
            !pajesim__see(check, offset))
            return;
        last = offset;
        offset = tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_AT(check->sim, offset)->aux.next
                                           : PAJESIM__VALUE_AT(check->sim, offset)->next;
    }
    pajesim__holds(check, queue->count ? queue->last == last && !offset : !queue->first);
}

/* ---- references: counts go down by one for each, and, in a second pass, up again */

static void pajesim__count_ref(pajesim__check *check, pajesim__length *refs, int second)
{
    if (second)
        ++*refs;
    else if (pajesim__holds(check, *refs > 0))
        --*refs;
}

/* User fields of what is open. */
static void pajesim__check_fields(pajesim__check *check, pajesim__offset offset, int second)
{
    const pajesim__fields *kept;
    const pajesim__length *spans;
    uint32_t i;
    offset &= (pajesim__offset)~PAJESIM__TRACKED;
    kept = PAJESIM__AT(check->sim, const pajesim__fields, offset);
    if (!offset)
        return;
    if (!second) {
        if (!pajesim__holds(check, pajesim__within(check, offset, sizeof *kept)) ||
            !pajesim__claim(check, offset, pajesim__fields_size(kept->count, kept->size)))
            return;
        spans = (const pajesim__length *)(const void *)(kept + 1);
        for (i = 0; i < kept->count; i++)
            pajesim__holds(check, (uint64_t)spans[2 * i] + spans[2 * i + 1] <= kept->size);
        if (!pajesim__is_marked(check, kept->definition, 0, PAJESIM__IS_DEFINITION)) { /* its file has ended */
            pajesim__check_definition(check, kept->definition, 1);
            if (check->sound)
                pajesim__holds(check, PAJESIM__DEFINITION_AT(check->sim, kept->definition)->ended);
        }
        if (!check->sound ||
            !pajesim__holds(check, kept->count == PAJESIM__DEFINITION_AT(check->sim, kept->definition)->user_count))
            return;
    }
    pajesim__count_ref(check, &PAJESIM__DEFINITION_AT(check->sim, kept->definition)->refs, second);
}

static void pajesim__check_stack(pajesim__check *check, pajesim__slot *slot, pajesim_ref type, int second)
{
    uint32_t i;
    pajesim__frame *frame;
    if (!second && (!pajesim__holds(check, slot->open.stack.depth <= slot->open.stack.capacity) ||
                    (slot->open.stack.capacity &&
                     !pajesim__claim(check, slot->open.stack.frames, pajesim__stack_size(slot->open.stack.capacity)))))
        return;
    for (i = 0; i < slot->open.stack.depth && check->sound; i++) {
        frame = PAJESIM__AT(check->sim, pajesim__frame, slot->open.stack.frames) + i;
        if (!second && (!pajesim__holds(check, pajesim__is_record(check, frame->value, PAJESIM__VALUE)) ||
                        !pajesim__holds(check, PAJESIM__RECORD(check->sim, frame->value)->parent == type)))
            return;
        if (PAJESIM__RECORD(check->sim, frame->value)->flags & PAJESIM__IMPLICIT)
            pajesim__count_ref(check, &PAJESIM__VALUE_AT(check->sim, frame->value)->refs, second);
        pajesim__check_fields(check, frame->fields, second);
    }
}

/* Checks the types of a container's late slots, and makes their tree again, so that it is sound. */
static void pajesim__check_late_slots(pajesim__check *check, pajesim__container *container)
{
    const pajesim *sim = check->sim;
    pajesim__offset first = container->late, at = first;
    container->late = 0;
    while (at && check->sound) {
        pajesim_ref type = PAJESIM__LATE_SLOT_AT(sim, at)->type;
        if (!pajesim__holds(check, pajesim__is_type(check, type)))
            return;
        pajesim__holds(check, PAJESIM__RECORD(sim, type)->parent == container->declared_type &&
                                  PAJESIM__RECORD(sim, type)->kind != PAJESIM_CONTAINER &&
                                  PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, type)) &&
                                  pajesim__add_late_slot(check->sim, container, at));
        at = PAJESIM__LATE_SLOT_AT(sim, at)->next;
        at = at == first ? 0 : at;
    }
    pajesim__holds(check, container->late == first);
}

/* What is open on a container that is alive. */
static void pajesim__check_open(pajesim__check *check, pajesim__container *container, int second)
{
    pajesim__slot *slots = PAJESIM__AT(check->sim, pajesim__slot, container->slots);
    const pajesim__type *declared = PAJESIM__TYPE_AT(check->sim, container->declared_type);
    pajesim_ref ref = 0;
    uint32_t i, k;
    if (!second)
        pajesim__check_late_slots(check, container);
    while (check->sound && (ref = pajesim__next_slot_type(check->sim, container, ref)) != 0) {
        pajesim__slot *slot = pajesim__find_slot(check->sim, container, ref);
        pajesim_kind kind = (pajesim_kind)PAJESIM__RECORD(check->sim, ref)->kind;
        if (kind == PAJESIM_STATE)
            pajesim__check_stack(check, slot, ref, second);
        else /* nothing is open, or a variable */
            pajesim__check_fields(check, slot->open.variable.fields, second);
    }
    for (i = declared->of.slots; i < container->slot_count; i++) /* of types to come */
        for (k = 0; k < sizeof slots[i].open; k++)
            pajesim__holds(check, !((const unsigned char *)&slots[i].open)[k]);
    pajesim__check_fields(check, container->fields, second);
}

/* The pending links of a container, which are a list. */
static void pajesim__check_links(pajesim__check *check, pajesim_ref ref, int second)
{
    const pajesim *sim = check->sim;
    pajesim__offset offset = PAJESIM__CONTAINER_AT(sim, ref)->links, previous = 0;
    for (; offset && check->sound; offset = PAJESIM__AT(sim, pajesim__link, previous)->next) {
        const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, offset);
        if (!second && (!pajesim__holds(check, pajesim__is_marked(check, offset, 0, PAJESIM__IS_LINK)) ||
                        !pajesim__see(check, offset) ||
                        !pajesim__holds(check, link->previous == previous && link->id.scope == ref &&
                                                   pajesim__is_container(check, link->end_point)) ||
                        !pajesim__holds(check, pajesim__is_type(check, link->id.subscope)) ||
                        !pajesim__holds(check, PAJESIM__RECORD(sim, link->id.subscope)->kind == PAJESIM_LINK) ||
                        (link->value &&
                         (!pajesim__holds(check, pajesim__is_record(check, link->value, PAJESIM__VALUE)) ||
                          !pajesim__holds(check, !(PAJESIM__RECORD(sim, link->value)->flags & PAJESIM__IMPLICIT))))))
            return;
        if (!second) /* its completion changes its slot */
            pajesim__holds(check, pajesim__slot_of(sim, ref, link->id.subscope) != NULL);
        pajesim__count_ref(check, &PAJESIM__CONTAINER_AT(sim, link->end_point)->refs, second);
        pajesim__check_fields(check, link->fields, second);
        previous = offset;
    }
}

/* Goes through all containers, by their marks. */
static void pajesim__check_references(pajesim__check *check, int second)
{
    pajesim *sim = check->sim;
    pajesim_ref ref = (pajesim_ref)PAJESIM__STATE_SIZE, parent;
    for (; check->sound && ref < check->top; ref += PAJESIM__MARK_STEP) {
        pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        if (!pajesim__is_container(check, ref))
            continue;
        parent = container->record.parent;
        if (!second && (!pajesim__holds(check, pajesim__is_container_type(check, container->declared_type)) ||
                        !pajesim__holds(check, ref == PAJESIM__STATE(sim)->root
                                                   ? !parent
                                                   : pajesim__is_container(check, parent)) ||
                        !pajesim__holds(check, !parent ||
                                                   PAJESIM__CONTAINER_AT(sim, parent)->serial < container->serial)))
            return;
        if (!second) /* whether it is queued is known from its flag, too */
            pajesim__holds(check, !(container->record.flags & PAJESIM__QUEUED) ==
                                      !(*pajesim__mark_at(check, ref) & PAJESIM__WAS_SEEN));
        if (container->type) {
            pajesim__check_open(check, container, second);
            pajesim__check_links(check, ref, second);
        } else if (parent) {
            pajesim__count_ref(check, &PAJESIM__CONTAINER_AT(sim, parent)->refs, second);
        }
    }
}

/* Each link that is found by its key is pending on a container. */
static void pajesim__check_all_links(pajesim__check *check)
{
    pajesim__in_table in = pajesim__records_of(&PAJESIM__STATE(check->sim)->links, 0);
    pajesim__offset offset;
    while ((offset = pajesim__next_in_table(check, &in)) != 0)
        pajesim__holds(check, *pajesim__mark_at(check, offset) & PAJESIM__WAS_SEEN);
}

/* ---- types and values */

static void pajesim__check_types(pajesim__check *check)
{
    const pajesim *sim = check->sim;
    pajesim__state *state = PAJESIM__STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->types, 0);
    pajesim_ref ref;
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        const pajesim__type *type = PAJESIM__TYPE_AT(sim, ref);
        pajesim_ref parent = type->record.parent;
        if (!pajesim__holds(check, ref == state->root_type ? !parent && type->record.kind == PAJESIM_CONTAINER
                                                           : pajesim__is_container_type(check, parent)))
            return;
        if (type->record.kind == PAJESIM_LINK)
            pajesim__holds(check, pajesim__is_container_type(check, type->of.link.start_type) &&
                                      pajesim__is_container_type(check, type->of.link.end_type));
#if PAJESIM_CHECKS
        if (!pajesim__holds(check, pajesim__is_type(check, type->jump)))
            return;
        pajesim__holds(check, parent ? type->depth == PAJESIM__TYPE_AT(sim, parent)->depth + 1 &&
                                           PAJESIM__TYPE_AT(sim, type->jump)->depth < type->depth
                                     : !type->depth);
#endif
    }
    in = pajesim__records_of(&state->values, 0);
    while ((ref = pajesim__next_in_table(check, &in)) != 0) {
        const pajesim__record *record = PAJESIM__RECORD(sim, ref);
        if (!pajesim__holds(check, pajesim__is_type(check, record->parent) && record->id.scope == record->parent))
            return;
        pajesim__holds(check, record->kind == PAJESIM__RECORD(sim, record->parent)->kind &&
                                  (!(record->flags & PAJESIM__IMPLICIT) || record->kind == PAJESIM_STATE) &&
                                  !(record->flags & PAJESIM__QUEUED) ==
                                      !(*pajesim__mark_at(check, ref) & PAJESIM__WAS_SEEN));
    }
}

/* ---- trees */

static int pajesim__is_in_tree(const pajesim__check *check, pajesim_ref ref, uint32_t tag)
{
    return tag == PAJESIM__TYPE ? pajesim__is_type(check, ref)
                                : pajesim__is_container(check, ref) && PAJESIM__CONTAINER_AT(check->sim, ref)->type;
}

/* Checks the tree from its root on, which must have `count` records: each is the next one of exactly one other. */
static void pajesim__check_tree(pajesim__check *check, pajesim_ref root, uint32_t tag, uint32_t count)
{
    const pajesim *sim = check->sim;
    pajesim_ref ref = root, entity;
    uint32_t slots;
    if (!pajesim__holds(check, !pajesim__tree_of(sim, root)->next && !pajesim__tree_of(sim, root)->previous &&
                                   !PAJESIM__RECORD(sim, root)->parent))
        return;
    while (ref && check->sound) {
        const pajesim__tree *tree = pajesim__tree_of(sim, ref);
        pajesim_ref child, previous = 0;
        slots = 0;
        entity = ref;
        for (child = tree->first; child && check->sound; child = pajesim__tree_of(sim, previous)->next) {
            if (!pajesim__holds(check, count > 1 && pajesim__is_in_tree(check, child, tag)) ||
                !pajesim__holds(check, PAJESIM__RECORD(sim, child)->parent == ref &&
                                           pajesim__tree_of(sim, child)->previous == previous))
                return;
            if (tag == PAJESIM__TYPE && PAJESIM__RECORD(sim, child)->kind != PAJESIM_CONTAINER) {
                pajesim__holds(check, PAJESIM__TYPE_AT(sim, child)->slot == slots++ &&
                                          PAJESIM__TYPE_AT(sim, entity)->next_entity == child);
                entity = child;
            }
            previous = child;
            count--;
        }
        pajesim__holds(check, tree->last == previous);
        if (tag == PAJESIM__TYPE && PAJESIM__RECORD(sim, ref)->kind == PAJESIM_CONTAINER)
            pajesim__holds(check, PAJESIM__TYPE_AT(sim, ref)->of.slots == slots && !PAJESIM__TYPE_AT(sim, ref)->slot &&
                                      !PAJESIM__TYPE_AT(sim, entity)->next_entity);
        if (tree->first) {
            ref = tree->first;
            continue;
        }
        while (ref && !pajesim__tree_of(sim, ref)->next)
            ref = PAJESIM__RECORD(sim, ref)->parent;
        ref = ref ? pajesim__tree_of(sim, ref)->next : 0;
    }
    pajesim__holds(check, count == 1);
}

static void pajesim__check_trees(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__in_table in = pajesim__records_of(&state->containers, 0);
    uint32_t alive = 0;
    pajesim_ref ref;
    pajesim__check_tree(check, state->root_type, PAJESIM__TYPE, state->types.count);
    while ((ref = pajesim__next_in_table(check, &in)) != 0)
        alive += PAJESIM__CONTAINER_AT(check->sim, ref)->type != 0;
    if (pajesim__holds(check, PAJESIM__CONTAINER_AT(check->sim, state->root)->type ? alive > 0 : alive == 0) && alive)
        pajesim__check_tree(check, state->root, PAJESIM__CONTAINER, alive);
}

/* ---- identifiers that were used */

/* Returns the next bucket of the chain; 0 after the last one, or if this one is damaged. */
static pajesim__offset pajesim__check_bucket(pajesim__check *check, const pajesim__used_ids *used, uint32_t number,
                                             pajesim__offset offset)
{
    const pajesim__bucket *bucket = PAJESIM__AT(check->sim, const pajesim__bucket, offset);
    uint32_t i;
    if (!pajesim__claim(check, offset, sizeof *bucket) || !pajesim__holds(check, bucket->count <= PAJESIM__BUCKET))
        return 0;
    for (i = 0; i < bucket->count; i++)
        pajesim__holds(check, pajesim__bucket_index(used, bucket->fingerprints[i]) == number);
    i = (uint32_t)(offset + offsetof(pajesim__bucket, fingerprints));
    if (used->latest >= i && used->latest < i + bucket->count * sizeof(pajesim__half))
        check->used_latest = (used->latest - i) % sizeof(pajesim__half) == 0;
    return bucket->next;
}

static void pajesim__check_used_ids(pajesim__check *check)
{
    const pajesim__used_ids *used = &PAJESIM__STATE(check->sim)->used_ids;
    const pajesim__offset *directory = PAJESIM__AT(check->sim, const pajesim__offset, used->directory);
    pajesim__offset offset;
    uint32_t number;
    check->used_latest = !used->latest;
    if (!pajesim__holds(check, used->buckets <= used->capacity) ||
        (used->capacity &&
         !pajesim__claim(check, used->directory, used->capacity * (uint64_t)sizeof(pajesim__offset))))
        return;
    for (number = 0; number < used->buckets; number++)
        for (offset = directory[number]; offset && check->sound;)
            offset = pajesim__check_bucket(check, used, number, offset);
    for (offset = 0; check->sound && (offset = pajesim__next_leaf(check, used->tree, offset, 1)) != 0;)
        if (pajesim__claim(check, offset, sizeof(pajesim__id)))
            pajesim__holds(check, PAJESIM__AT(check->sim, const pajesim__id, offset)->size == sizeof(pajesim__half));
    pajesim__holds(check, (int)check->used_latest);
}

/* ---- the rest of the state */

static void pajesim__check_files(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__offset offset = state->file, definition;
    uint32_t depth = 0;
    pajesim__holds(check, PAJESIM_FILES || !offset);
    for (; offset && check->sound; depth++) {
        const pajesim__file *file = PAJESIM__AT(check->sim, const pajesim__file, offset);
        if (!pajesim__claim(check, offset, sizeof *file) || !pajesim__claim_text(check, file->name) ||
            !pajesim__holds(check, file->name != 0))
            return;
        for (definition = file->definitions; definition;
             definition = PAJESIM__DEFINITION_AT(check->sim, definition)->next)
            if (!pajesim__holds(check, pajesim__is_marked(check, definition, 0, PAJESIM__IS_DEFINITION)) ||
                !pajesim__holds(check, !PAJESIM__DEFINITION_AT(check->sim, definition)->ended) ||
                !pajesim__see(check, definition))
                return;
        offset = file->importer;
    }
    pajesim__holds(check, depth == state->depth && !state->next_file);
}

static void pajesim__check_state(pajesim__check *check)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(check->sim);
    pajesim__offset offset;
    uint32_t size_class;
    pajesim__holds(check, state->heap.top == check->top && check->top > PAJESIM__STATE_SIZE &&
                              (check->top - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == 0 &&
                              state->line_capacity >= 16 && state->line_capacity <= check->top &&
                              (state->remembered || !PAJESIM_REPAIRS) &&
                              state->cut <= PAJESIM__IN_LONG_LINE &&
                              state->stage <= PAJESIM__FINISHED && state->bom_state <= 3);
    pajesim__holds(check, state->problem.code < PAJESIM_E_COUNT && state->problem.severity <= PAJESIM_ERROR &&
                              state->problem.size <= sizeof state->problem.bytes);
    for (size_class = 0; size_class < PAJESIM__CLASSES; size_class++)
        for (offset = state->heap.free_list[size_class]; offset && check->sound;)
            if (pajesim__claim(check, offset, pajesim__class_size(size_class)))
                memcpy(&offset, PAJESIM__BYTES(check->sim, offset), sizeof offset);
    if (pajesim__claim(check, state->carry, state->carry_capacity))
        pajesim__holds(check, state->carry_size < state->carry_capacity);
}

/* The definition that is not ended yet will be the only one of its number, and is in no list. */
static void pajesim__check_open_definition(pajesim__check *check, pajesim__offset offset)
{
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(check->sim, offset);
    pajesim__key number;
    pajesim_text text;
    pajesim__check_definition(check, offset, 0);
    if (!check->sound || !pajesim__see(check, offset))
        return;
    text = pajesim__id_text(check->sim, &definition->id);
    number = pajesim__key_of(text.bytes, (uint32_t)text.size);
    pajesim__holds(check, !definition->refs && number.lo == definition->id.lo && number.hi == definition->id.hi &&
                              !pajesim__table_find(check->sim, &PAJESIM__CONST_STATE(check->sim)->definitions, &number,
                                                   definition->id.scope, definition->id.subscope));
}

/* Whether an arena that was restored is sound.  The marks lie behind it: see pajesim__restore_size. */
static int pajesim__image_is_sound(pajesim *sim, uint32_t top)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim__check check;
    memset(&check, 0, sizeof check);
    check.sim = sim;
    check.top = top;
    check.sound = 1;
    check.marks = sim->arena + ((top + UINT64_C(7)) & ~UINT64_C(7));
    memset(check.marks, 0, (size_t)(pajesim__restore_size(top) - ((top + UINT64_C(7)) & ~UINT64_C(7))));
    pajesim__check_state(&check);
    if (check.sound)
        pajesim__check_records(&check);
    if (check.sound && state->defining)
        pajesim__check_open_definition(&check, state->defining);
    if (check.sound)
        pajesim__check_queue(&check, &state->destroyed, PAJESIM__CONTAINER);
    if (check.sound)
        pajesim__check_queue(&check, &state->unused_values, PAJESIM__VALUE);
    pajesim__holds(&check, pajesim__is_container(&check, state->root) && pajesim__is_type(&check, state->root_type) &&
                               (state->stage == PAJESIM__FINISHED || PAJESIM__CONTAINER_AT(sim, state->root)->type));
    if (check.sound)
        pajesim__check_types(&check);
    if (check.sound)
        pajesim__check_trees(&check);
    if (check.sound)
        pajesim__check_references(&check, 0);
    if (check.sound)
        pajesim__check_all_links(&check);
    if (check.sound)
        pajesim__check_references(&check, 1);
    if (check.sound)
        pajesim__check_files(&check);
    if (check.sound)
        pajesim__check_used_ids(&check);
    return check.sound;
}
#endif /* PAJESIM_TRAVEL */
