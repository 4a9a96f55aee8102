/* Reading an index: restores checkpoints, and closes what is open at them with its true ends. */
#pragma once

#include "index_records.h"
#include "../run/digest.h"
#include "../simulation/watch.h"

#if PAJESIM_TRAVEL

static const pajesim__checkpoint *pajesim__checkpoints_of(const pajesim_index *index)
{
    return PAJESIM__CHECKPOINT(0);
}

PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index)
{
    return PAJESIM__INDEX->label;
}

PAJESIM_API int pajesim_index_complete(const pajesim_index *index)
{
    return PAJESIM__INDEX->complete != 0;
}

PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index)
{
    return PAJESIM__INDEX->count;
}

/* Returns the least time after a checkpoint: the least one of all intervals from there on. */
static pajesim_time pajesim__least_after(const pajesim_index *index, uint32_t number)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    pajesim_time least = -PAJESIM__TIME_LEAST;
    for (; number < pajesim_index_count(index); number++)
        if (checkpoints[number].least < least)
            least = checkpoints[number].least;
    return least;
}

PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint)
{
    const pajesim__checkpoint *source = PAJESIM__CHECKPOINT(number);
    if (number >= pajesim_index_count(index))
        return 0;
    checkpoint->offset = source->offset;
    checkpoint->events = source->events;
    checkpoint->greatest = source->greatest;
    checkpoint->least = pajesim__least_after(index, number);
    checkpoint->arena = (size_t)pajesim__restore_size(source->top);
    checkpoint->size = source->image_size + source->count * sizeof(pajesim__end_record);
    return 1;
}

PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && checkpoints[number - 1].offset > offset)
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    while (number > 1 && !(checkpoints[number - 1].greatest < time))
        number--;
    return number ? number - 1 : 0;
}

PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time)
{
    const pajesim__checkpoint *checkpoints = pajesim__checkpoints_of(index);
    uint32_t number = pajesim_index_count(index);
    if (!number)
        return 0;
    for (number--; number && checkpoints[number - 1].least > time; number--) {
    }
    return number;
}

PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data)
{
    const pajesim__checkpoint *checkpoint;
    pajesim_status status;
    if (!index || !sim || !arena || !pajesim__is_aligned(arena) || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    checkpoint = PAJESIM__CHECKPOINT(number);
    status = pajesim__restore_packed(sim, arena, capacity, PAJESIM__STORED(unsigned char, checkpoint->image),
                                     checkpoint->image_size, checkpoint->top, callbacks, data);
    if (status == PAJESIM_OK && (PAJESIM__STATE(sim)->counts.bytes != checkpoint->offset ||
                                 PAJESIM__STATE(sim)->stage != PAJESIM__READING || PAJESIM__STATE(sim)->stopped ||
                                 PAJESIM__STATE(sim)->file))
        status = PAJESIM_DAMAGED;
    sim->busy = status != PAJESIM_OK; /* until there is something to feed */
    return status;
}

PAJESIM_API pajesim_status pajesim_index_check(const pajesim_index *index, uint32_t number, const pajesim *sim)
{
    const pajesim__state *state;
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    state = PAJESIM__CONST_STATE(sim);
    return state->counts.bytes == PAJESIM__CHECKPOINT(number)->offset &&
                   (!state->digests || pajesim__digest_of(state) == PAJESIM__CHECKPOINT(number)->digest)
               ? PAJESIM_OK
               : PAJESIM_STALE;
}

/* ---- what is open at a checkpoint, with its ends ---- */

typedef struct pajesim__open_item {
    uint32_t order, open_index, depth;
    pajesim_kind kind;
    pajesim_ref ref, type;     /* as in pajesim__walk */
    pajesim_ref imported;      /* see pajesim__import_for */
} pajesim__open_item;

static int pajesim__is_later(const pajesim__open_item *a, const pajesim__open_item *b)
{
    return a->order > b->order || (a->order == b->order && a->open_index > b->open_index);
}

/* Heapsort: in place, and O(n log n) for any input. */
static void pajesim__sift(pajesim__open_item *items, uint32_t at, uint32_t count)
{
    pajesim__open_item item = items[at];
    for (;;) {
        uint32_t next = 2 * at + 1;
        if (next >= count)
            break;
        next += next + 1 < count && pajesim__is_later(&items[next + 1], &items[next]);
        if (!pajesim__is_later(&items[next], &item))
            break;
        items[at] = items[next];
        at = next;
    }
    items[at] = item;
}

static void pajesim__sort(pajesim__open_item *items, uint32_t count)
{
    uint32_t i;
    for (i = count / 2; i > 0; i--)
        pajesim__sift(items, i - 1, count);
    for (i = count; i > 1; i--) {
        pajesim__open_item last = items[i - 1];
        items[i - 1] = items[0];
        items[0] = last;
        pajesim__sift(items, 0, i - 1);
    }
}

/* Returns what an item refers to and its checkpoint may lack: the container that a link ends at, the value of a state
 * that was defined later, else 0.  Clears `*fits` if there is no room to import it. */
static pajesim_ref pajesim__import_for(const pajesim_index *index, const pajesim__end_record *end, pajesim *sim,
                                       const pajesim__walk *walk, int *fits)
{
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, end->details);
    uint32_t size = end->details ? details->records : 0;
    pajesim_ref ref;
    if (walk->kind != PAJESIM_LINK && !(walk->kind == PAJESIM_STATE && size))
        return 0;
    ref = pajesim__import_last(sim, (const unsigned char *)(details + 1), size,
                               walk->kind == PAJESIM_STATE ? walk->type : 0);
    *fits &= ref != 0;
    if (!ref || PAJESIM__RECORD(sim, ref)->tag == (walk->kind == PAJESIM_LINK ? PAJESIM__CONTAINER : PAJESIM__VALUE))
        return ref;
    return walk->kind == PAJESIM_LINK ? PAJESIM__STATE(sim)->root : 0; /* the index is forged */
}

/* Collects what is open at a checkpoint and overlaps [from, to]; only counts if `items` is NULL.  Returns 0 if there is
 * no room for what that refers to. */
static int pajesim__collect_open(const pajesim_index *index, uint32_t number, pajesim *sim, pajesim_time from,
                                 pajesim_time to, pajesim__open_item *items, uint32_t *count)
{
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    int complete = pajesim_index_complete(index);
    pajesim__walk walk;
    uint32_t at = 0, depth;
    int fits = 1;
    memset(&walk, 0, sizeof walk);
    *count = 0;
    while (pajesim__walk_next(sim, &walk))
        for (depth = 0; depth < walk.count; depth++, at++) {
            const pajesim__end_record *end = &end_records[at];
            pajesim_ref imported;
            if ((end->order ? end->time < from : complete) || (end->flags & PAJESIM__IS_LOST) ||
                pajesim__start_at(sim, &walk, depth) > to)
                continue;
            /* A start that is still to come is later than `to`. */
            if (walk.kind == PAJESIM_LINK &&
                (!end->order || !PAJESIM__AT(sim, const pajesim__link, walk.ref)->started))
                continue;
            imported = pajesim__import_for(index, end, sim, &walk, &fits);
            if (!fits)
                return 0;
            if (items) {
                items[*count].order = end->order ? end->order : UINT32_MAX;
                items[*count].open_index = at;
                items[*count].depth = depth;
                items[*count].kind = walk.kind;
                items[*count].ref = walk.ref;
                items[*count].type = walk.type;
                items[*count].imported = imported;
            }
            ++*count;
        }
    return 1;
}

static void pajesim__view_open_item(const pajesim *sim, const pajesim__open_item *item, pajesim_entity *entity)
{
    pajesim__entity_clear_optional(entity);
    if (item->kind == PAJESIM_CONTAINER) {
        pajesim__view_container(sim, entity, item->ref);
    } else if (item->kind == PAJESIM_LINK) {
        const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, item->ref);
        pajesim__entity_init(entity, PAJESIM_LINK, link->id.scope, link->id.subscope, link->time, 1);
        entity->start_container = link->end_point;
        entity->end_container = item->imported;
        entity->value = link->value;
        entity->value_name = pajesim__link_value(sim, link);
        entity->key = pajesim__id_text(sim, &link->id);
        pajesim__view_kept_fields(sim, link->fields, &entity->opening);
    } else {
        pajesim_open_entity(sim, item->ref, item->type, item->depth, entity);
        if (item->imported) {
            entity->value = item->imported;
            entity->value_name = pajesim_name(sim, item->imported);
        }
    }
}

static void pajesim__apply_end(const pajesim_index *index, const pajesim__end_record *end, pajesim_entity *entity)
{
    const pajesim__end_details *details = PAJESIM__STORED(const pajesim__end_details, end->details);
    if (!end->order)
        return;
    entity->open = 0;
    entity->end = end->time;
    if (!end->details)
        return;
    if (details->fields)
        entity->closing = pajesim__view_named_fields(
            (const pajesim__named_fields *)(const void *)((const unsigned char *)(details + 1) + details->records));
    if (end->flags & PAJESIM__IS_CHANGED)
        entity->number = details->number;
}

PAJESIM_API pajesim_status pajesim_index_close_open(const pajesim_index *index, uint32_t number, pajesim *sim,
                                                    pajesim_time from, pajesim_time to)
{
    pajesim__offset block;
    pajesim__open_item *items;
    uint32_t count, i;
    int stopped = 0;
    if (!index || !sim || number >= pajesim_index_count(index))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (pajesim_index_check(index, number, sim) != PAJESIM_OK ||
        pajesim__count_open(sim) != PAJESIM__CHECKPOINT(number)->count)
        return PAJESIM_STALE;
    sim->top = PAJESIM__HEAP(sim)->top;
    if (!pajesim__collect_open(index, number, sim, from, to, NULL, &count))
        return PAJESIM_FULL;
    block = pajesim__alloc(sim, (count + (pajesim__size)1) * sizeof *items);
    if (!pajesim__fits(sim)) {
        sim->needed = sim->top;
        pajesim__rollback(sim);
        return PAJESIM_FULL;
    }
    pajesim__commit(sim);
    items = PAJESIM__AT(sim, pajesim__open_item, block);
    pajesim__collect_open(index, number, sim, from, to, items, &count);
    pajesim__sort(items, count);
    PAJESIM__STATE(sim)->stage = PAJESIM__FINISHED;
    sim->busy = 1;
    for (i = 0; i < count && !stopped; i++) {
        pajesim_entity entity;
        pajesim__view_open_item(sim, &items[i], &entity);
        pajesim__apply_end(index, &PAJESIM__END_RECORDS(number)[items[i].open_index], &entity);
        if (sim->callbacks->closed)
            stopped = sim->callbacks->closed(sim, &entity) == PAJESIM_STOP;
    }
    sim->busy = 0;
    return stopped ? PAJESIM_STOPPED : PAJESIM_OK;
}
#endif /* PAJESIM_TRAVEL */
