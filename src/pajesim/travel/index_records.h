/* Records that an end refers to, and that an earlier checkpoint may lack: the value of a state, if it was defined
 * later; the container that a link ends at, with its type and what both are in.
 *
 * They are kept in the index with the end, what is outermost first: a container is of the last type before it, and in
 * the last container before it.  When a checkpoint is shown, those that it lacks are imported into the simulation,
 * which only queries use from then on. */
#pragma once

#include "index_store.h"
#include "../model/resolve.h"
#include "../simulation/evict.h"

#if PAJESIM_TRAVEL

/* Bytes for an end: what is more is not worth the room. */
#define PAJESIM__FAR_MAX (UINT32_C(16) << 10)

/* ---- storing: from the last record to the first, once to measure, and once to write */

typedef struct pajesim__far_list {
    const pajesim *sim;
    size_t size;
    unsigned char *begin; /* of what is written; NULL: only measured */
} pajesim__far_list;

static unsigned char *pajesim__append(unsigned char *to, pajesim_text text)
{
    memcpy(to, text.bytes, text.size);
    return to + text.size;
}

static void pajesim__add_far(pajesim__far_list *list, pajesim_ref ref, int in_root)
{
    const pajesim__record *record = PAJESIM__RECORD(list->sim, ref);
    pajesim_text alias = pajesim_alias(list->sim, ref), name = pajesim__text_at(list->sim, record->name);
    pajesim_text color = pajesim_color(list->sim, ref);
    size_t size = (sizeof(pajesim__far_record) + alias.size + name.size + color.size + 7) & ~(size_t)7;
    pajesim__far_record far;
    list->size += size;
    if (!list->begin)
        return;
    memset(&far, 0, sizeof far);
    far.tag = record->tag;
    far.kind = record->kind;
    far.in_root = in_root != 0;
    if (far.tag == PAJESIM__CONTAINER) {
        far.start = pajesim_start_of(list->sim, ref);
        far.serial = pajesim_serial(list->sim, ref);
    }
    far.alias = (uint32_t)alias.size;
    far.name = (uint32_t)name.size;
    far.color = (uint32_t)color.size;
    far.size = (uint32_t)size;
    list->begin -= size;
    memset(list->begin, 0, size);
    memcpy(list->begin, &far, sizeof far);
    pajesim__append(pajesim__append(pajesim__append(list->begin + sizeof far, alias), name), color);
}

/* Adds a type and those that it is in, up to `last`, which is added before, or to one in the root type. */
static void pajesim__add_far_types(pajesim__far_list *list, pajesim_ref type, pajesim_ref last)
{
    const pajesim_ref root = pajesim_root_type(list->sim);
    while (type && type != last) {
        pajesim_ref parent = pajesim_parent(list->sim, type);
        pajesim__add_far(list, type, parent == root);
        type = parent == root ? 0 : parent;
    }
}

/* Adds a container and those that it is in, up to one that is no newer than `serial`. */
static void pajesim__add_far_containers(pajesim__far_list *list, pajesim_ref container, uint32_t serial)
{
    while (container != pajesim_root(list->sim) && list->size < PAJESIM__FAR_MAX) {
        pajesim_ref parent = pajesim_parent(list->sim, container);
        int is_last = pajesim_serial(list->sim, container) <= serial || parent == pajesim_root(list->sim);
        pajesim__add_far(list, container, 0);
        pajesim__add_far_types(list, pajesim_type_of(list->sim, container),
                               is_last ? pajesim_root_type(list->sim) : pajesim_type_of(list->sim, parent));
        if (is_last)
            break;
        container = parent;
    }
}

/* ---- importing */

static const pajesim__far_record *pajesim__far_at(const unsigned char *bytes)
{
    return (const pajesim__far_record *)(const void *)bytes;
}

static pajesim_text pajesim__far_alias(const pajesim__far_record *far)
{
    return pajesim__view((const char *)(far + 1), far->alias);
}

/* Finds a container by its serial number: one of the simulation, or one that was imported. */
static pajesim_ref pajesim__find_serial(const pajesim *sim, pajesim_text alias, uint32_t serial)
{
    const pajesim__table *table = &PAJESIM__CONST_STATE(sim)->containers;
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    uint32_t scope;
    pajesim_ref ref;
    for (scope = 0; scope <= PAJESIM__BESIDE_ROOT; scope++) {
        ref = pajesim__table_find(sim, table, &key, scope, 0);
        if (ref && pajesim_serial(sim, ref) == serial)
            return ref;
    }
    return pajesim__table_find(sim, table, &key, 0, serial);
}

/* Finds a record: of values, one that was imported. */
static pajesim_ref pajesim__find_far(const pajesim *sim, const pajesim__far_record *far, pajesim_ref parent)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    pajesim_text alias = pajesim__far_alias(far);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    if (far->tag == PAJESIM__CONTAINER)
        return pajesim__find_serial(sim, alias, far->serial);
    return far->tag == PAJESIM__TYPE ? pajesim__table_find(sim, &state->types, &key, 0, 0)
                                     : pajesim__table_find(sim, &state->values, &key, parent, 1);
}

/* Imports a record.  `type`: of a container.  Returns 0 if there is no room. */
static pajesim_ref pajesim__import_far(pajesim *sim, const pajesim__far_record *far, pajesim_ref parent,
                                       pajesim_ref type)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__table *table = far->tag == PAJESIM__TYPE    ? &state->types
                            : far->tag == PAJESIM__VALUE ? &state->values
                                                         : &state->containers;
    const uint32_t scope = far->tag == PAJESIM__VALUE ? parent : 0;
    const uint32_t subscope = far->tag == PAJESIM__CONTAINER ? far->serial : far->tag == PAJESIM__VALUE;
    pajesim_text alias = pajesim__far_alias(far);
    pajesim__key key = pajesim__key_of(alias.bytes, (uint32_t)alias.size);
    pajesim_ref ref = far->tag == PAJESIM__CONTAINER ? pajesim__alloc_container(sim, 0)
                                                     : PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__type)));
    pajesim__offset bytes = pajesim__alloc_id(sim, &key);
    pajesim__text name = far->name ? pajesim__alloc_text(sim, far->name) : 0;
    pajesim__text color = far->color ? pajesim__alloc_text(sim, far->color) : 0;
    pajesim__table_reservation entry = pajesim__table_reserve(sim, table, pajesim__hash(&key, scope, subscope));
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return 0;
    }
    pajesim__commit(sim);
    if (far->tag == PAJESIM__CONTAINER) {
        memset(PAJESIM__CONTAINER_AT(sim, ref), 0, sizeof(pajesim__container));
        PAJESIM__CONTAINER_AT(sim, ref)->declared_type = type;
        PAJESIM__CONTAINER_AT(sim, ref)->start = far->start;
        PAJESIM__CONTAINER_AT(sim, ref)->serial = far->serial;
    } else {
        memset(PAJESIM__TYPE_AT(sim, ref), 0, sizeof(pajesim__type));
        PAJESIM__TYPE_AT(sim, ref)->slot = UINT32_MAX; /* no container has one; the block of a value is as large */
    }
    PAJESIM__RECORD(sim, ref)->tag = far->tag;
    PAJESIM__RECORD(sim, ref)->kind = far->kind;
    PAJESIM__RECORD(sim, ref)->parent = parent;
    PAJESIM__RECORD(sim, ref)->name = name;
    PAJESIM__RECORD(sim, ref)->color = color;
    if (name)
        pajesim__write_text(sim, name, alias.bytes + alias.size, far->name);
    if (color)
        pajesim__write_text(sim, color, alias.bytes + alias.size + far->name, far->color);
    pajesim__init_id(sim, &PAJESIM__RECORD(sim, ref)->id, &key, bytes, scope, subscope);
    pajesim__table_insert(sim, table, &entry, ref);
    return ref;
}

/* Returns the last of the records in [bytes, bytes + size), after importing those that the simulation lacks; the root
 * if there are none; 0 if there is no room.  `type`: of a value. */
static pajesim_ref pajesim__import_last(pajesim *sim, const unsigned char *bytes, size_t size, pajesim_ref type)
{
    pajesim_ref last_type = type ? type : PAJESIM__STATE(sim)->root_type, container = PAJESIM__STATE(sim)->root;
    pajesim_ref ref = container;
    const unsigned char *at;
    for (at = bytes; at < bytes + size; at += pajesim__far_at(at)->size) {
        const pajesim__far_record *far = pajesim__far_at(at);
        pajesim_ref parent = far->tag == PAJESIM__CONTAINER ? container
                             : far->in_root                 ? PAJESIM__STATE(sim)->root_type
                                                            : last_type;
        ref = pajesim__find_far(sim, far, parent);
        if (!ref)
            ref = pajesim__import_far(sim, far, parent, last_type);
        if (!ref)
            return 0;
        if (far->tag == PAJESIM__TYPE)
            last_type = ref;
        else if (far->tag == PAJESIM__CONTAINER)
            container = ref;
    }
    return ref;
}
#endif /* PAJESIM_TRAVEL */
