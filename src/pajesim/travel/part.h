/* Parts: what a window stores.
 *
 * A part has the entities that closed between two checkpoints, and copies of the types, values and containers that
 * these refer to, in an arena of its own: so the queries of a simulation work on a part, and a part can be moved. */
#pragma once

#include "budget.h"
#include "walk.h"

#if PAJESIM_TRAVEL

typedef struct pajesim__stored_entity {
    pajesim__offset next;
    pajesim_ref container, type, value;
    pajesim_time start, end;
    uint32_t imbrication;
    pajesim__offset details; /* a pajesim__entity_details; 0: none */
    union {
        pajesim_quantity number;
        pajesim_ref ends[2]; /* of a link */
    } u;
} pajesim__stored_entity;

typedef struct pajesim__entity_details {
    pajesim__offset opening, closing; /* user fields */
    pajesim__text value, key;
} pajesim__entity_details;

static pajesim__text pajesim__part_copy_text(pajesim *part, pajesim_text text, int *full)
{
    pajesim__text copy = pajesim__part_alloc(part, (pajesim__size)text.size + sizeof(pajesim__length));
    if (copy)
        pajesim__write_text(part, copy, text.bytes, (uint32_t)text.size);
    else
        *full = 1;
    return copy;
}

static pajesim__table *pajesim__table_of(pajesim *sim, uint32_t tag)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    return tag == PAJESIM__TYPE ? &state->types : tag == PAJESIM__VALUE ? &state->values : &state->containers;
}

/* Returns by what records of a part differ besides their identifier: values by their type, and whether they were
 * defined yet; containers by their serial number. */
static void pajesim__scopes_of(const pajesim *sim, pajesim_ref ref, pajesim_ref type, uint32_t *scope,
                               uint32_t *subscope)
{
    const pajesim__record *record = PAJESIM__RECORD(sim, ref);
    *scope = type;
    *subscope = record->tag == PAJESIM__VALUE ? record->flags & PAJESIM__IMPLICIT : pajesim_serial(sim, ref);
}

static const pajesim__record *pajesim__record_at(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__RECORD(sim, ref);
}

static pajesim__container *pajesim__container_of(const pajesim *sim, pajesim_ref ref)
{
    return PAJESIM__CONTAINER_AT(sim, ref);
}

/* Returns the copy of a record; 0 if there is none yet.  `type`: for a value, the copy of its type. */
static pajesim_ref pajesim__find_copy(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref type)
{
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    uint32_t scope, subscope;
    if (ref == pajesim_root(from))
        return pajesim_root(sim);
    if (ref == pajesim_root_type(from))
        return pajesim_root_type(sim);
    pajesim__scopes_of(from, ref, type, &scope, &subscope);
    return pajesim__table_find(sim, pajesim__table_of(sim, pajesim__record_at(from, ref)->tag), &key, scope, subscope);
}

/* Copies a record whose parent is copied already.  `type`: for a value or a container, the copy of its type. */
static pajesim_ref pajesim__copy_one(pajesim *sim, const pajesim *from, pajesim_ref ref, pajesim_ref parent,
                                     pajesim_ref type, int *full)
{
    static const uint32_t sizes[] = {0, sizeof(pajesim__type), sizeof(pajesim__value),
                                     PAJESIM__CONTAINER_HEAD + PAJESIM__CONTAINER_REST};
    const pajesim__record *record = pajesim__record_at(from, ref);
    pajesim__table *table = pajesim__table_of(sim, record->tag);
    pajesim_text alias = pajesim_alias(from, ref);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim_ref copy = pajesim__part_alloc(sim, sizes[record->tag]);
    pajesim__offset bytes = key.size > 2 * PAJESIM__HALF ? pajesim__part_alloc(sim, key.size) : 0;
    pajesim__text name = record->name ? pajesim__part_copy_text(sim, pajesim_name(from, ref), full) : 0;
    pajesim__text color = record->color ? pajesim__part_copy_text(sim, pajesim_color(from, ref), full) : 0;
    pajesim__size growth = pajesim__table_growth(table), node;
    pajesim__table_reservation entry = {0, 0};
    uint32_t scope, subscope;
    pajesim__scopes_of(from, ref, record->tag == PAJESIM__VALUE ? type : 0, &scope, &subscope);
    node = pajesim__table_node_size(sim, table, pajesim__hash(&key, scope, subscope));
    if (growth)
        entry.grown = pajesim__part_alloc(sim, growth);
    if (node)
        entry.node = pajesim__part_alloc(sim, node);
    *full |= !copy || (growth && !entry.grown) || (node && !entry.node) || (key.size > 2 * PAJESIM__HALF && !bytes);
    if (*full)
        return 0;
    memset(PAJESIM__BYTES(sim, copy), 0, sizes[record->tag]);
    copy = record->tag == PAJESIM__CONTAINER ? PAJESIM__CONTAINER_IN(copy) : PAJESIM__RECORD_IN(copy);
    PAJESIM__RECORD(sim, copy)->tag = record->tag;
    PAJESIM__RECORD(sim, copy)->kind = record->kind;
    PAJESIM__RECORD(sim, copy)->flags = record->flags;
    PAJESIM__RECORD(sim, copy)->name = name;
    PAJESIM__RECORD(sim, copy)->color = color;
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, copy)->id, &key, bytes, scope, subscope);
    pajesim__table_insert(sim, table, &entry, copy);
    if (record->tag == PAJESIM__VALUE)
        PAJESIM__RECORD(sim, copy)->parent = type;
    else if (parent)
        pajesim__tree_append(sim, parent, copy);
    if (record->tag == PAJESIM__CONTAINER) {
        PAJESIM__CONTAINER_AT(sim, copy)->type = PAJESIM__CONTAINER_AT(sim, copy)->declared_type = type;
        PAJESIM__CONTAINER_AT(sim, copy)->serial = subscope;
        PAJESIM__CONTAINER_AT(sim, copy)->start = pajesim_start_of(from, ref);
    }
    return copy;
}

/* Copies a type or a container, after its ancestors and its type; without recursion. */
static pajesim_ref pajesim__copy_tree(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref copy = pajesim__find_copy(sim, from, ref, 0);
    while (!copy && !*full) {
        pajesim_ref missing = ref, above, parent, type;
        for (;;) {
            parent = 0;
            for (above = pajesim_parent(from, missing); above; above = pajesim_parent(from, above)) {
                parent = pajesim__find_copy(sim, from, above, 0);
                if (parent)
                    break;
                missing = above;
            }
            above = pajesim_type_of(from, missing);
            type = above ? pajesim__find_copy(sim, from, above, 0) : 0;
            if (!above || type)
                break;
            missing = above;
        }
        copy = pajesim__copy_one(sim, from, missing, parent, type, full);
        if (missing != ref)
            copy = 0;
    }
    return copy;
}

static pajesim_ref pajesim__copy_record(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    pajesim_ref type, copy;
    if (pajesim__record_at(from, ref)->tag != PAJESIM__VALUE)
        return pajesim__copy_tree(sim, from, ref, full);
    type = pajesim__copy_tree(sim, from, pajesim_parent(from, ref), full);
    copy = *full ? 0 : pajesim__find_copy(sim, from, ref, type);
    return copy || *full ? copy : pajesim__copy_one(sim, from, ref, 0, type, full);
}

/* Returns the copy of a record, after making it if needed.  A live container refers to its copy; those of types and
 * defined values are cached. */
static pajesim_ref pajesim__copy(pajesim *sim, const pajesim *from, pajesim_ref ref, int *full)
{
    const pajesim__record *record = pajesim__record_at(from, ref);
    if (!ref)
        return 0;
    if (record->tag == PAJESIM__CONTAINER) {
        pajesim__container *container = pajesim__container_of(from, ref);
        if (!container->type)
            return pajesim__copy_record(sim, from, ref, full);
        if (!container->aux.copy)
            container->aux.copy = pajesim__copy_record(sim, from, ref, full);
        return container->aux.copy;
    }
#if PAJESIM_CACHE
    if (!(record->flags & PAJESIM__IMPLICIT)) {
        uint32_t slot = (uint32_t)((ref * UINT64_C(0x9E3779B97F4A7C15)) >> 40) & (PAJESIM_CACHE - 1u);
        if (sim->cache[slot].lo != ref) {
            sim->cache[slot].lo = ref;
            sim->cache[slot].ref = pajesim__copy_record(sim, from, ref, full);
        }
        return sim->cache[slot].ref;
    }
#endif
    return pajesim__copy_record(sim, from, ref, full);
}

/* Clears the references to copies, as the next ones go to another part. */
static void pajesim__clear_copies(const pajesim *sim)
{
    pajesim_ref ref;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref))
        PAJESIM__CONTAINER_AT(sim, ref)->aux.copy = 0;
}

/* ---- entities ---- */

static pajesim__part *pajesim__part_of(pajesim *sim)
{
    return (pajesim__part *)(void *)sim->arena - 1;
}

static pajesim__offset pajesim__part_copy_fields(pajesim *sim, const pajesim *from, const pajesim_fields *fields,
                                                 int *full)
{
    pajesim__offset offset = pajesim__part_alloc(sim, pajesim__named_fields_size(from, fields));
    if (offset)
        pajesim__store_named_fields(PAJESIM__AT(sim, pajesim__named_fields, offset), from, fields);
    else
        *full = 1;
    return offset;
}

static pajesim__offset pajesim__part_add_details(pajesim *sim, const pajesim *from, const pajesim_entity *entity,
                                                 int *full)
{
    pajesim__entity_details details = {0, 0, 0, 0};
    pajesim__offset offset;
    if (entity->opening.count)
        details.opening = pajesim__part_copy_fields(sim, from, &entity->opening, full);
    if (entity->closing.count)
        details.closing = pajesim__part_copy_fields(sim, from, &entity->closing, full);
    if (!entity->value && entity->value_name.size)
        details.value = pajesim__part_copy_text(sim, entity->value_name, full);
    if (entity->key.size)
        details.key = pajesim__part_copy_text(sim, entity->key, full);
    if (!details.opening && !details.closing && !details.value && !details.key)
        return 0;
    offset = pajesim__part_alloc(sim, sizeof details);
    if (offset)
        memcpy(PAJESIM__BYTES(sim, offset), &details, sizeof details);
    else
        *full = 1;
    return offset;
}

/* Adds an entity to a part; returns 0 if there is no room. */
static int pajesim__part_add(pajesim *sim, const pajesim *from, const pajesim_entity *entity)
{
    int full = 0;
    pajesim__stored_entity stored;
    pajesim__part *part;
    pajesim__offset offset;
    memset(&stored, 0, sizeof stored);
    stored.container = pajesim__copy(sim, from, entity->container, &full);
    stored.type = pajesim__copy(sim, from, entity->type, &full);
    stored.value = pajesim__copy(sim, from, entity->value, &full);
    stored.start = entity->start;
    stored.end = entity->end;
    stored.imbrication = entity->imbrication;
    if (entity->kind == PAJESIM_LINK) {
        stored.u.ends[0] = pajesim__copy(sim, from, entity->start_container, &full);
        stored.u.ends[1] = pajesim__copy(sim, from, entity->end_container, &full);
    } else {
        stored.u.number = entity->number;
    }
    stored.details = pajesim__part_add_details(sim, from, entity, &full);
    offset = pajesim__part_alloc(sim, sizeof stored);
    if (full || !offset)
        return 0;
    memcpy(PAJESIM__BYTES(sim, offset), &stored, sizeof stored);
    part = pajesim__part_of(sim);
    if (part->last)
        PAJESIM__AT(sim, pajesim__stored_entity, part->last)->next = offset;
    else
        part->first = offset;
    part->last = offset;
    return 1;
}

static void pajesim__view_stored_entity(const pajesim *sim, const pajesim__stored_entity *stored,
                                        pajesim_entity *entity)
{
    pajesim_kind kind = pajesim_kind_of(sim, stored->type);
    const pajesim__entity_details *details = PAJESIM__AT(sim, const pajesim__entity_details, stored->details);
    pajesim__entity_clear_optional(entity);
    pajesim__entity_init(entity, kind, stored->container, stored->type, stored->start, 0);
    entity->end = stored->end;
    entity->imbrication = stored->imbrication;
    entity->value = stored->value;
    if (stored->value)
        entity->value_name = pajesim_name(sim, stored->value);
    if (kind == PAJESIM_LINK) {
        entity->start_container = stored->u.ends[0];
        entity->end_container = stored->u.ends[1];
    } else {
        entity->number = stored->u.number;
    }
    if (!stored->details)
        return;
    if (details->opening)
        entity->opening = pajesim__view_named_fields(PAJESIM__AT(sim, const pajesim__named_fields, details->opening));
    if (details->closing)
        entity->closing = pajesim__view_named_fields(PAJESIM__AT(sim, const pajesim__named_fields, details->closing));
    if (details->value)
        entity->value_name = pajesim__text_at(sim, details->value);
    entity->key = pajesim__text_at(sim, details->key);
}
#endif /* PAJESIM_TRAVEL */
