/* Building an index: adds checkpoints while a trace is replayed, and records the ends of what was open at them. */
#pragma once

#include "../run/finish.h"
#include "check_index.h"
#include "index_query.h"

#if PAJESIM_TRAVEL

/* With `automatic`, two checkpoints are at least this many times the bytes of the arena apart. */
#define PAJESIM__ARENAS_BETWEEN 24u

/* ---- the hooks ---- */

/* Returns 1 + the index of the record `open_index` of the latest checkpoint if its end is still unknown; else 0: that
 * checkpoint was dropped, and open indices are invalid. */
static uint32_t pajesim__pending_record(const pajesim_index *index, uint32_t open_index)
{
    return open_index < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->count &&
                   !PAJESIM__END_RECORDS(PAJESIM__LATEST)[open_index].order
               ? open_index + 1
               : 0;
}

PAJESIM__COLD void pajesim__note_flag(pajesim *sim, uint32_t open_index, uint32_t flag)
{
    const pajesim_index *index = sim->index;
    uint32_t number, at;
    for (number = PAJESIM__LATEST, at = pajesim__pending_record(index, open_index); at; number--) {
        pajesim__end_record *record = &PAJESIM__END_RECORDS(number)[at - 1];
        record->flags |= flag;
        at = record->earlier;
    }
}

/* Returns the flags of an entity at all checkpoints where it was open, and in *serial the newest container that there
 * was at the first of them. */
static uint32_t pajesim__flags_of(const pajesim_index *index, uint32_t at, uint32_t *serial)
{
    uint32_t number, flags = 0;
    for (number = PAJESIM__LATEST; at; number--) {
        flags |= PAJESIM__END_RECORDS(number)[at - 1].flags;
        *serial = PAJESIM__CHECKPOINT(number)->serial;
        at = PAJESIM__END_RECORDS(number)[at - 1].earlier;
    }
    return flags;
}

/* Stores what is known of an end besides its time, if anything, at *offset.  Returns 0 if there is no room. */
static int pajesim__store_end_details(pajesim_index *index, const pajesim *sim, pajesim__line *line, uint32_t at,
                                      pajesim_ref ref, const pajesim_quantity *number, pajesim__offset *offset)
{
    uint32_t serial = 0, flags = pajesim__flags_of(index, at, &serial), pass;
    int is_value = ref && PAJESIM__RECORD(sim, ref)->tag == PAJESIM__VALUE;
    int is_late =
        is_value && (flags & PAJESIM__WAS_IMPLICIT) && !(PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT);
    pajesim__far_list list;
    pajesim_fields fields;
    pajesim__end_details details;
    memset(&list, 0, sizeof list);
    list.sim = sim;
    memset(&fields, 0, sizeof fields);
    if (line)
        pajesim__line_user_fields(sim, line, &fields);
    memset(&details, 0, sizeof details);
    details.fields = fields.count ? pajesim__named_fields_size(sim, &fields) : 0;
    if (number && (flags & PAJESIM__IS_CHANGED))
        details.number = *number;
    for (pass = 0; pass < 2; pass++) {
        unsigned char *to;
        if (is_late)
            pajesim__add_far(&list, ref, 0);
        else if (ref && !is_value)
            pajesim__add_far_containers(&list, ref, serial);
        if (pass)
            break;
        if (!details.fields && !list.size && !(flags & PAJESIM__IS_CHANGED))
            break;
        if (list.size >= PAJESIM__FAR_MAX)
            return 0;
        details.records = (uint32_t)list.size;
        *offset = pajesim__store_alloc(index, sizeof details + list.size + details.fields);
        if (!*offset) /* no checkpoint is left but the first */
            break;
        to = PAJESIM__STORED(unsigned char, *offset);
        memcpy(to, &details, sizeof details);
        list.begin = to + sizeof details + list.size;
        list.size = 0; /* the second time, as many are added as the first time */
        if (fields.count)
            pajesim__store_named_fields((pajesim__named_fields *)(void *)list.begin, sim, &fields);
    }
    return 1;
}

PAJESIM__COLD void pajesim__note_end(pajesim *sim, pajesim__line *line, uint32_t open_index, pajesim_time time,
                                     pajesim_ref ref, const pajesim_quantity *number)
{
    pajesim_index *index = sim->index;
    uint32_t at = pajesim__pending_record(index, open_index), checkpoint, order;
    pajesim__offset offset = 0;
    pajesim__end_details *details = NULL;
    if (!at)
        return;
    if (!pajesim__store_end_details(index, sim, line, at, ref, number, &offset))
        while (pajesim_index_count(index) > 1) /* without the end they are of no use */
            pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    if (offset)
        details = PAJESIM__STORED(pajesim__end_details, offset);
    order = ++PAJESIM__INDEX->order;
    at = pajesim__pending_record(index, open_index); /* storing may have dropped checkpoints */
    for (checkpoint = PAJESIM__LATEST; at; checkpoint--) {
        pajesim__end_record *record = &PAJESIM__END_RECORDS(checkpoint)[at - 1];
        record->time = time;
        record->order = order;
        record->details = offset;
        if (details)
            details->refs++;
        at = record->earlier;
    }
    if (details && !details->refs)
        pajesim__store_free(index, offset);
}

static const pajesim__watch pajesim__index_watch = {pajesim__note_end, pajesim__note_flag};

/* Attaches the index to a simulation, which calls its hooks from now on. */
static void pajesim__attach_index(pajesim_index *index, pajesim *sim)
{
    index->sim = sim;
    index->watch = &pajesim__index_watch;
    sim->index = index;
}

/* ---- adding checkpoints ---- */

/* Restarts the least and the greatest time at a new checkpoint; returns the greatest time before it. */
static pajesim_time pajesim__fold_times(const pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (state->first < state->past_first)
        state->past_first = state->first;
    if (state->last > state->past_last)
        state->past_last = state->last;
    if (PAJESIM__INDEX->count && state->first < PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least)
        PAJESIM__CHECKPOINT(PAJESIM__LATEST)->least = state->first;
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
    return state->past_last;
}

/* Initializes the end records of a new checkpoint, chains them to those of the latest one, and tracks what is open. */
static void pajesim__init_end_records(const pajesim_index *index, pajesim *sim, pajesim__end_record *record)
{
    pajesim__walk walk;
    uint32_t count = 0, i;
    memset(&walk, 0, sizeof walk);
    for (; pajesim__walk_next(sim, &walk); count += walk.count) {
        uint32_t before = pajesim__renumber(sim, &walk, count);
        for (i = 0; i < walk.count; i++, record++) {
            pajesim__offset *fields = pajesim__fields_at(sim, &walk, i);
            memset(record, 0, sizeof *record);
            if ((*fields & PAJESIM__TRACKED) && PAJESIM__INDEX->count)
                record->earlier = pajesim__pending_record(index, before + i);
            *fields |= PAJESIM__TRACKED;
            if (walk.kind == PAJESIM_STATE &&
                (PAJESIM__RECORD(sim, pajesim__frame_of(sim, &walk, i)->value)->flags & PAJESIM__IMPLICIT))
                record->flags = PAJESIM__WAS_IMPLICIT;
        }
    }
}

/* Reserves room for one more checkpoint in the directory; returns 0 if there is none. */
static int pajesim__reserve_directory(pajesim_index *index)
{
    uint32_t capacity = PAJESIM__INDEX->capacity ? 2 * PAJESIM__INDEX->capacity : 16;
    pajesim__offset larger;
    if (PAJESIM__INDEX->count < PAJESIM__INDEX->capacity)
        return 1;
    larger = pajesim__store_alloc(index, capacity * sizeof(pajesim__checkpoint));
    if (!larger)
        return 0;
    memset(PAJESIM__STORED(unsigned char, larger), 0, capacity * sizeof(pajesim__checkpoint));
    if (PAJESIM__INDEX->capacity)
        memcpy(PAJESIM__STORED(pajesim__checkpoint, larger), PAJESIM__CHECKPOINT(0),
               PAJESIM__INDEX->count * sizeof(pajesim__checkpoint));
    pajesim__store_free(index, PAJESIM__INDEX->directory);
    PAJESIM__INDEX->directory = larger;
    PAJESIM__INDEX->capacity = capacity;
    return 1;
}

/* Adds the image of the latest checkpoint.  It is packed in place if there is plenty of room; else it is measured
 * first.  Returns 0 if there is no room. */
static int pajesim__add_image(pajesim_index *index, const pajesim *sim, size_t *size)
{
    const pajesim__index *store = PAJESIM__INDEX;
    unsigned char *dest = index->memory + store->top + sizeof(pajesim__block_head);
    size_t max_size = pajesim__packed_max(sim);
    int packed = index->capacity - store->top >= pajesim__block_size(max_size);
    pajesim__offset offset;
    *size = pajesim__pack(sim, packed ? dest : NULL);
    offset = pajesim__store_alloc(index, *size);
    if (!offset || PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image) { /* the checkpoint itself was dropped to make room */
        pajesim__store_free(index, offset);
        return 0;
    }
    if (!packed)
        pajesim__pack(sim, PAJESIM__STORED(unsigned char, offset));
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image = offset;
    PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image_size = (uint32_t)*size;
    return 1;
}

/* Adds a checkpoint.  If it does not fit, all checkpoints except the first have been dropped, and open indices are
 * invalid. */
static pajesim_status pajesim__add_checkpoint(pajesim_index *index, pajesim *sim, uint32_t ended)
{
    pajesim__checkpoint checkpoint;
    size_t size = 0;
    memset(&checkpoint, 0, sizeof checkpoint);
    checkpoint.count = pajesim__count_open(sim);
    checkpoint.end_records = pajesim__reserve_directory(index)
                                 ? pajesim__store_alloc(index, checkpoint.count * sizeof(pajesim__end_record))
                                 : 0;
    if (checkpoint.end_records) {
        checkpoint.greatest = pajesim__fold_times(index, sim);
        checkpoint.least = -PAJESIM__TIME_LEAST;
        checkpoint.offset = PAJESIM__STATE(sim)->counts.bytes;
        checkpoint.digest = pajesim__digest_of(PAJESIM__STATE(sim));
        checkpoint.events = pajesim_count(sim)->events;
        checkpoint.top = PAJESIM__HEAP(sim)->top;
        checkpoint.serial = (uint32_t)PAJESIM__STATE(sim)->counts.by_event[PAJESIM_CREATE_CONTAINER];
        checkpoint.ended = ended;
        pajesim__init_end_records(index, sim, PAJESIM__STORED(pajesim__end_record, checkpoint.end_records));
        *PAJESIM__CHECKPOINT(PAJESIM__INDEX->count) = checkpoint;
        PAJESIM__INDEX->count++;
        if (pajesim__add_image(index, sim, &size))
            return PAJESIM_OK;
        if (!PAJESIM__CHECKPOINT(PAJESIM__LATEST)->image)
            pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    }
    if (!size)
        size = pajesim__pack(sim, NULL);
    index->needed = PAJESIM__INDEX->top - PAJESIM__INDEX->dead + pajesim__block_size(16 * sizeof checkpoint) +
                    (uint64_t)pajesim__block_size(checkpoint.count * sizeof(pajesim__end_record)) +
                    pajesim__block_size(size);
    return PAJESIM_FULL;
}

PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    index->needed = pajesim__first_block();
    if (size < index->needed)
        return PAJESIM_FULL;
    memset(index->memory, 0, (size_t)index->needed);
    PAJESIM__INDEX->top = pajesim__first_block();
    PAJESIM__INDEX->bytes = options ? options->bytes : 0;
    PAJESIM__INDEX->events = options ? options->events : 0;
    if (!PAJESIM__INDEX->bytes && !PAJESIM__INDEX->events) {
        PAJESIM__INDEX->automatic = 1;
        PAJESIM__INDEX->bytes = UINT32_C(4) << 20;
    }
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim)
{
    pajesim_status status;
    if (!index || !sim || pajesim_index_count(index))
        return PAJESIM_MISUSE;
    if (sim->busy) /* or not begun, without an arena */
        return PAJESIM_BUSY;
    if (PAJESIM__STATE(sim)->counts.bytes || (sim->index && sim->index != index))
        return PAJESIM_MISUSE;
    PAJESIM__STATE(sim)->digests = 1;
    status = pajesim__add_checkpoint(index, sim, 0);
    if (status != PAJESIM_OK)
        return status;
    pajesim__attach_index(index, sim);
    return PAJESIM_OK;
}

/* Returns PAJESIM_OK if the simulation is attached to this index, and between two lines of the trace itself. */
static pajesim_status pajesim__check_attached(const pajesim_index *index, const pajesim *sim)
{
    if (!index || !sim || index->sim != sim || sim->index != index)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__CONST_STATE(sim)->stopped) /* its state is not that between two lines of every replay */
        return PAJESIM_STOPPED;
    if (PAJESIM__CONST_STATE(sim)->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    return PAJESIM__FILE(PAJESIM__CONST_STATE(sim)) ? PAJESIM_OPEN : PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim)
{
    const pajesim__checkpoint *latest;
    pajesim__index *store;
    uint64_t bytes, events;
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status != PAJESIM_OK)
        return status;
    store = PAJESIM__INDEX;
    latest = PAJESIM__CHECKPOINT(PAJESIM__LATEST);
    bytes = PAJESIM__STATE(sim)->counts.bytes - (store->failed.bytes ? store->failed.bytes : latest->offset);
    if (store->automatic && bytes < PAJESIM__ARENAS_BETWEEN * (uint64_t)PAJESIM__HEAP(sim)->top)
        return PAJESIM_OK;
    events = store->events ? pajesim_count(sim)->events - (store->failed.bytes ? store->failed.events : latest->events)
                           : 0;
    if (!(store->bytes && bytes >= store->bytes) && !(store->events && events >= store->events))
        return PAJESIM_OK;
    status = pajesim__add_checkpoint(index, sim, 0);
    store->failed.bytes = store->failed.events = 0;
    if (status == PAJESIM_FULL) { /* try later, and less often */
        store->bytes *= 2;
        store->events *= 2;
        store->failed.bytes = PAJESIM__STATE(sim)->counts.bytes;
        store->failed.events = pajesim_count(sim)->events;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_checkpoint_now(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status == PAJESIM_OK && PAJESIM__STATE(sim)->counts.bytes > PAJESIM__CHECKPOINT(PAJESIM__LATEST)->offset)
        status = pajesim__add_checkpoint(index, sim, 0);
    return status;
}

/* Simulates the last line if it lacks its newline, with a checkpoint before and after it. */
static pajesim_status pajesim__end_index(pajesim_index *index, pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_status status;
    if (!PAJESIM__INDEX->ended) {
        status = pajesim_index_checkpoint_now(index, sim);
        if (status != PAJESIM_OK ||
            (!state->carry_size && state->cut == PAJESIM__IN_INDENT && (!state->bom_state || state->bom_state == 3)))
            return status;
        pajesim__enter(sim);
        status = pajesim__leave(sim, pajesim__flush_last_line(sim));
        if (status != PAJESIM_OK && status != PAJESIM_PAUSED)
            return status;
        PAJESIM__INDEX->ended = 1;
    }
    return PAJESIM__CHECKPOINT(PAJESIM__LATEST)->ended ? PAJESIM_OK : pajesim__add_checkpoint(index, sim, 1);
}

PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim)
{
    pajesim_status status = pajesim__check_attached(index, sim);
    if (status == PAJESIM_FINISHED) /* it was paused while it closed what is open */
        status = PAJESIM_OK;
    else if (status == PAJESIM_STOPPED)
        return pajesim_finish(sim);
    else if (status == PAJESIM_OK)
        status = pajesim__end_index(index, sim);
    if (status == PAJESIM_OK)
        status = pajesim_finish(sim);
    if (status == PAJESIM_OK || status == PAJESIM_INVALID) {
        PAJESIM__INDEX->complete = 1;
        sim->index = NULL;
        index->sim = NULL;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, i;
    if (!index || !sim || !pajesim_index_count(index))
        return PAJESIM_MISUSE;
    number = PAJESIM__LATEST;
    if (PAJESIM__CHECKPOINT(number)->ended)
        number--;
    status = pajesim_index_restore(index, number, sim, arena, capacity, callbacks, data);
    if (status != PAJESIM_OK)
        return status;
    if (number < PAJESIM__LATEST)
        pajesim__drop_checkpoint(index, PAJESIM__LATEST);
    PAJESIM__CHECKPOINT(number)->least = -PAJESIM__TIME_LEAST;
    /* The ends after the last checkpoint are unknown again; what changed between checkpoints before it is not. */
    for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++) {
        uint32_t at = i + 1, earlier = number;
        for (; at; earlier--) {
            pajesim__end_record *record = &PAJESIM__END_RECORDS(earlier)[at - 1];
            pajesim__release_end_details(index, record->details);
            record->details = 0;
            record->order = 0;
            record->flags &= PAJESIM__WAS_IMPLICIT | (earlier < number ? (uint32_t)PAJESIM__IS_CHANGED : 0);
            at = record->earlier;
        }
    }
    PAJESIM__INDEX->complete = PAJESIM__INDEX->ended = 0;
    PAJESIM__INDEX->failed.bytes = 0;
    pajesim__attach_index(index, sim);
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size)
{
    if (!index || !memory || !pajesim__is_aligned(memory))
        return PAJESIM_MISUSE;
    if (size < PAJESIM__INDEX->top) {
        index->needed = PAJESIM__INDEX->top;
        return PAJESIM_FULL;
    }
    if (memory != index->memory)
        memcpy(memory, index->memory, PAJESIM__INDEX->top);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(size, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_index_capacity_needed(const pajesim_index *index)
{
    return index->needed;
}

PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size)
{
    pajesim__image head;
    if (PAJESIM__INDEX->dead > PAJESIM__INDEX->top / 8)
        pajesim__compact(index);
    *size = PAJESIM__INDEX->top;
    head = pajesim__image_of(PAJESIM__INDEX_MAGIC, pajesim__index_fingerprint(), (uint32_t)*size,
                             index->memory + sizeof head, *size - sizeof head);
    memcpy(index->memory, &head, sizeof head);
    return index->memory;
}

PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size)
{
    pajesim__image head;
    pajesim_status status;
    if (!index || !memory || !pajesim__is_aligned(memory) || size > capacity)
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_INCOMPATIBLE;
    memcpy(&head, memory, sizeof head);
    status = pajesim__check_image(PAJESIM__INDEX_MAGIC, pajesim__index_fingerprint(), &head,
                                  (unsigned char *)memory + sizeof head, size);
    if (status != PAJESIM_OK)
        return status;
    memset(index, 0, sizeof *index);
    index->memory = (unsigned char *)memory;
    index->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return pajesim__index_is_sound(index, size) ? PAJESIM_OK : PAJESIM_DAMAGED;
}
#endif /* PAJESIM_TRAVEL */
