/* Windows: show what overlaps a range of time.
 *
 * The intervals between checkpoints are replayed, and what closed in them is shown; then what is still open after the
 * last one is shown, with the ends that the index knows. */
#pragma once

#include "../run/feed.h"
#include "index_build.h"
#include "part.h"

#if PAJESIM_TRAVEL

static int pajesim__overlaps(const pajesim_window *window, pajesim_time start, pajesim_time end, int open)
{
    return !(start > window->to) && (open || !(end < window->from));
}

/* Makes the user's callback. */
static void pajesim__window_call(pajesim_window *window, pajesim *sim, const pajesim_entity *entity)
{
    sim->data = window->data;
    window->stopped |= window->shown_to->closed(sim, entity) == PAJESIM_STOP;
    sim->data = window;
}

static int pajesim__window_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_window *window = (pajesim_window *)sim->data;
    if (window->filling)
        window->filling = pajesim__part_add(&window->part, sim, entity);
    if (!window->stopped && pajesim__overlaps(window, entity->start, entity->end, entity->open))
        pajesim__window_call(window, sim, entity);
    return window->stopped ? PAJESIM_STOP : PAJESIM_GO_ON;
}

PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data)
{
    if (!window || !memory || !pajesim__is_aligned(memory) || !index || !read)
        return PAJESIM_MISUSE;
    memset(window, 0, sizeof *window);
    window->index = index;
    if (options)
        window->options = *options;
    window->read = read;
    window->read_data = data;
    window->memory = (unsigned char *)memory;
    window->high = window->size = size & ~(size_t)7;
    window->callbacks.closed = pajesim__window_closed;
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_window_capacity_needed(const pajesim_window *window)
{
    return window->sim.needed + 8;
}

PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window)
{
    return window->replayed;
}

/* Begins to store the part between two checkpoints, if there is room. */
static void pajesim__begin_part(pajesim_window *window, uint32_t number)
{
    const pajesim__checkpoint *checkpoint = pajesim__checkpoints_of(window->index) + number;
    pajesim__part *part;
    size_t min_size = sizeof *part + pajesim_arena_min(NULL);
    while (window->high - window->low < min_size)
        if (!pajesim__drop_part(window, 0))
            return;
    part = pajesim__part_at(window, window->low);
    memset(part, 0, sizeof *part);
    part->begin = checkpoint[0].offset;
    part->end = checkpoint[1].offset;
    part->ended = checkpoint[1].ended;
    pajesim__clear_copies(&window->sim);
    window->filling =
        pajesim_init(&window->part, part + 1, pajesim__part_capacity(window), NULL, NULL, window) == PAJESIM_OK;
}

/* Moves a part that is complete to the others. */
static void pajesim__end_part(pajesim_window *window)
{
    pajesim__part *part = pajesim__part_at(window, window->low);
    if (!window->filling)
        return;
    window->filling = 0;
    part->size = (uint32_t)(sizeof *part + ((pajesim_used(&window->part) + 7) & ~(size_t)7));
    part->shown = window->shows;
    if (part->size > window->high - window->low) /* unreached, as the header of a part is a multiple of 8 bytes */
        return;
    window->high -= part->size;
    memmove(window->memory + window->high, part, part->size);
}

/* Returns the part between two checkpoints; NULL if it is not stored. */
static pajesim__part *pajesim__find_part(const pajesim_window *window, uint32_t number)
{
    const pajesim__checkpoint *checkpoint = pajesim__checkpoints_of(window->index) + number;
    size_t at;
    pajesim__part *part;
    for (at = window->high; at < window->size; at += part->size) {
        part = pajesim__part_at(window, at);
        if (part->begin == checkpoint[0].offset && part->end == checkpoint[1].offset &&
            part->ended == checkpoint[1].ended)
            return part;
    }
    return NULL;
}

static void pajesim__show_part(pajesim_window *window, pajesim__part *part)
{
    pajesim *sim = &window->part;
    pajesim__offset offset;
    pajesim__attach(sim, part + 1, part->size - sizeof *part, NULL, window);
    sim->busy = 1;
    part->shown = window->shows;
    for (offset = part->first; offset && !window->stopped;
         offset = PAJESIM__AT(sim, pajesim__stored_entity, offset)->next) {
        const pajesim__stored_entity *stored = PAJESIM__AT(sim, const pajesim__stored_entity, offset);
        if (pajesim__overlaps(window, stored->start, stored->end, 0)) {
            pajesim_entity entity;
            pajesim__view_stored_entity(sim, stored, &entity);
            pajesim__window_call(window, sim, &entity);
        }
    }
}

/* ---- replaying ---- */

/* Grows the arena of the simulation to what it needs. */
static pajesim_status pajesim__window_grow_arena(pajesim_window *window)
{
    if (!pajesim__reserve_arena(window, window->sim.needed))
        return PAJESIM_FULL;
    return pajesim_move(&window->sim, window->memory, window->low);
}

/* Restores the simulation at a checkpoint. */
static pajesim_status pajesim__window_seek(pajesim_window *window, uint32_t number)
{
    pajesim_status status = PAJESIM_OK;
    if (window->at != number + 1) {
        window->sim.needed = pajesim__restore_size(pajesim__checkpoints_of(window->index)[number].top);
        if (!pajesim__reserve_arena(window, window->sim.needed))
            status = PAJESIM_FULL;
        else
            status = pajesim_index_restore(window->index, number, &window->sim, window->memory, window->low,
                                           &window->callbacks, window);
    }
    window->at = status == PAJESIM_OK ? number + 1 : 0;
    return status;
}

/* Feeds the bytes of the trace up to the offset `end`, or as far as it goes. */
static pajesim_status pajesim__window_feed(pajesim_window *window, uint64_t end)
{
    pajesim *sim = &window->sim;
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && !window->stopped && PAJESIM__STATE(sim)->counts.bytes < end) {
        uint64_t left = end - PAJESIM__STATE(sim)->counts.bytes;
        const void *bytes;
        size_t size = window->read(window->read_data, PAJESIM__STATE(sim)->counts.bytes, &bytes,
                                   (size_t)PAJESIM__MIN(left, (uint64_t)(SIZE_MAX / 2)));
        if (!size)
            break;
        status = pajesim_feed(sim, bytes, size, &size);
        window->replayed += size;
        if (status == PAJESIM_FULL)
            status = pajesim__window_grow_arena(window);
        else if (status == PAJESIM_STOPPED)
            status = PAJESIM_OK;
    }
    return status;
}

/* Simulates the last line, which lacks its newline. */
static pajesim_status pajesim__window_flush_last_line(pajesim_window *window)
{
    pajesim *sim = &window->sim;
    pajesim_status status;
    do {
        pajesim__enter(sim);
        status = pajesim__leave(sim, pajesim__flush_last_line(sim));
    } while (status == PAJESIM_FULL && pajesim__window_grow_arena(window) == PAJESIM_OK);
    return status == PAJESIM_STOPPED ? PAJESIM_OK : status;
}

/* Replays from one checkpoint to the next, showing and storing what closes. */
static pajesim_status pajesim__window_replay(pajesim_window *window, uint32_t number)
{
    pajesim *sim = &window->sim;
    const pajesim__checkpoint *next = pajesim__checkpoints_of(window->index) + number + 1;
    pajesim_status status = pajesim__window_seek(window, number);
    if (status != PAJESIM_OK)
        return status;
    window->at = 0;
    sim->callbacks = &window->callbacks;
    sim->data = window;
    pajesim__begin_part(window, number);
    status = pajesim__window_feed(window, next->offset);
    if (status == PAJESIM_OK && !window->stopped)
        status = pajesim_index_check(window->index, number + 1, sim);
    if (status == PAJESIM_OK && !window->stopped && next->ended)
        status = pajesim__window_flush_last_line(window);
    if (status == PAJESIM_OK && !window->stopped) {
        pajesim__end_part(window);
        window->at = number + 2;
    }
    window->filling = 0;
    return status;
}

/* ---- reading on ---- */

/* Restores the simulation where the index ends, and attaches it. */
static pajesim_status pajesim__window_resume_index(pajesim_window *window)
{
    pajesim *sim = &window->sim;
    pajesim_index *index = window->index;
    uint32_t count = pajesim_index_count(index);
    pajesim_status status;
    if (count && sim->index == index && window->at == count)
        return PAJESIM_OK;
    window->at = 0;
    sim->needed = count ? pajesim__restore_size(pajesim__checkpoints_of(index)[count - 1].top)
                        : (pajesim__size)pajesim_arena_min(&window->options);
    if (!pajesim__reserve_arena(window, sim->needed))
        return PAJESIM_FULL;
    if (count)
        return pajesim_index_resume(index, sim, window->memory, window->low, NULL, NULL);
    status = pajesim_init(sim, window->memory, window->low, &window->options, NULL, NULL);
    return status == PAJESIM_OK ? pajesim_index_begin(index, sim) : status;
}

static pajesim_status pajesim__window_extend(pajesim_window *window, uint64_t bytes, int end)
{
    pajesim *sim;
    pajesim_index *index = window->index;
    pajesim_status status;
    uint64_t goal, before;
    if (pajesim_index_complete(index))
        return PAJESIM_OK;
    status = pajesim__window_resume_index(window);
    if (status != PAJESIM_OK)
        return status;
    sim = &window->sim;
    window->stopped = 0;
    window->at = 0;
    sim->callbacks = &pajesim__no_callbacks;
    goal = PAJESIM__STATE(sim)->counts.bytes;
    goal = bytes > UINT64_MAX - goal ? UINT64_MAX : goal + bytes;
    do {
        before = PAJESIM__STATE(sim)->counts.bytes;
        status = pajesim__window_feed(window, PAJESIM__MIN(goal, before + (UINT32_C(1) << 16)));
        if (status == PAJESIM_OK && (status = pajesim_index_step(index, sim)) == PAJESIM_FULL)
            status = PAJESIM_OK; /* the index has one checkpoint less */
    } while (status == PAJESIM_OK && PAJESIM__STATE(sim)->counts.bytes > before);
    if (status == PAJESIM_OK && end && PAJESIM__STATE(sim)->counts.bytes < goal) {
        while ((status = pajesim_index_finish(index, sim)) == PAJESIM_FULL && sim->needed > window->low &&
               pajesim__window_grow_arena(window) == PAJESIM_OK) {
        }
        return status == PAJESIM_INVALID ? PAJESIM_OK : status;
    }
    if (status == PAJESIM_OK &&
        pajesim__checkpoints_of(index)[pajesim_index_count(index) - 1].offset < PAJESIM__STATE(sim)->counts.bytes)
        status = pajesim__add_checkpoint(index, sim, 0);
    if (status == PAJESIM_OK)
        window->at = pajesim_index_count(index);
    return status;
}

PAJESIM_API pajesim_status pajesim_window_extend(pajesim_window *window, uint64_t bytes, int end)
{
    pajesim_status status;
    if (!window)
        return PAJESIM_MISUSE;
    if (window->busy)
        return PAJESIM_BUSY;
    window->busy = 1;
    status = pajesim__window_extend(window, bytes, end);
    window->busy = 0;
    return status;
}

/* Reads on until a time beyond `to` was seen, or the trace ends. */
static pajesim_status pajesim__window_index_until(pajesim_window *window, pajesim_time to)
{
    const pajesim_index *index = window->index;
    pajesim_status status = PAJESIM_OK;
    uint64_t before = UINT64_MAX;
    while (status == PAJESIM_OK && !pajesim_index_complete(index)) {
        uint32_t count = pajesim_index_count(index);
        const pajesim__checkpoint *last = pajesim__checkpoints_of(index) + count - 1;
        if (count && (last->greatest > to || last->offset == before))
            break;
        before = count ? last->offset : UINT64_MAX;
        status = pajesim__window_extend(window, UINT32_C(1) << 20, 0);
    }
    return status;
}

/* ---- showing ---- */

static pajesim_status pajesim__window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    uint32_t number, end;
    status = pajesim__window_index_until(window, to);
    window->from = from;
    window->to = to;
    window->shown_to = callbacks;
    window->data = data;
    window->stopped = 0;
    window->shows++;
    number = pajesim_index_before(window->index, from);
    end = pajesim_index_after(window->index, to);
    number = PAJESIM__MIN(number, end); /* where nothing timed lies between them */
    if (status == PAJESIM_OK) {
        window->first = pajesim__checkpoints_of(window->index)[number].offset;
        window->last = pajesim__checkpoints_of(window->index)[end].offset;
    }
    for (; status == PAJESIM_OK && number < end && !window->stopped; number++) {
        pajesim__part *part = pajesim__find_part(window, number);
        if (part)
            pajesim__show_part(window, part);
        else
            status = pajesim__window_replay(window, number);
    }
    if (status == PAJESIM_OK && !window->stopped)
        status = pajesim__window_seek(window, number);
    if (status == PAJESIM_OK && !window->stopped) {
        window->at = 0;
        window->sim.callbacks = &window->callbacks;
        window->sim.data = window;
        while ((status = pajesim_index_close_open(window->index, number, &window->sim, from, to)) == PAJESIM_FULL &&
               pajesim__window_grow_arena(window) == PAJESIM_OK) {
        }
    }
    return status == PAJESIM_OK && window->stopped ? PAJESIM_STOPPED : status;
}

PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data)
{
    pajesim_status status;
    if (!window || !callbacks || !callbacks->closed || !(from <= to))
        return PAJESIM_MISUSE;
    if (window->busy)
        return PAJESIM_BUSY;
    window->busy = 1;
    status = pajesim__window_show(window, from, to, callbacks, data);
    window->busy = 0;
    return status;
}
#endif /* PAJESIM_TRAVEL */
