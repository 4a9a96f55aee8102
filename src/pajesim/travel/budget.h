/* The memory of a window: the arena of its simulation at its beginning, the stored parts at its end, and between them
 * the part that is being filled. */
#pragma once

#include "../api/travel.h"
#include "../run/lifecycle.h"

#if PAJESIM_TRAVEL

/* The header in front of a part's arena. */
typedef struct pajesim__part {
    uint64_t begin, end; /* offsets in the trace */
    uint64_t shown;      /* number of the show that used it last */
    uint32_t ended;      /* as in pajesim__checkpoint */
    uint32_t size;       /* this header included */
    pajesim__offset first, last;
} pajesim__part;

static pajesim__part *pajesim__part_at(const pajesim_window *window, size_t at)
{
    return (pajesim__part *)(void *)(window->memory + at);
}

/* Returns the capacity of the arena of the part that is being filled.  Offsets in it, and the size of the whole part,
 * have 32 bits, whatever the budget is. */
static size_t pajesim__part_capacity(const pajesim_window *window)
{
    return PAJESIM__MIN(window->high - window->low - sizeof(pajesim__part),
                        PAJESIM__CAPACITY_MAX - sizeof(pajesim__part) - 7);
}

/* Returns the distance of a part from what is shown, in bytes of the trace; 0 if it is shown itself. */
static uint64_t pajesim__distance(const pajesim_window *window, const pajesim__part *part)
{
    if (part->begin >= window->last)
        return part->begin - window->last + 1;
    return part->end <= window->first ? window->first - part->end + 1 : 0;
}

/* Drops the part that is farthest from what is shown, the least recently shown one among equals; parts that are shown
 * only if `all`.  Returns 0 if there is none to drop. */
static int pajesim__drop_part(pajesim_window *window, int all)
{
    size_t at, victim = window->size;
    uint64_t farthest = 0;
    const pajesim__part *part;
    for (at = window->high; at < window->size; at += part->size) {
        uint64_t distance;
        part = pajesim__part_at(window, at);
        distance = pajesim__distance(window, part);
        if ((distance || all) && (victim == window->size || distance > farthest ||
                                  (distance == farthest && part->shown < pajesim__part_at(window, victim)->shown))) {
            victim = at;
            farthest = distance;
        }
    }
    if (victim == window->size)
        return 0;
    at = pajesim__part_at(window, victim)->size;
    memmove(window->memory + window->high + at, window->memory + window->high, victim - window->high);
    window->high += at;
    return 1;
}

static pajesim__offset pajesim__part_alloc(pajesim *part, pajesim__size size)
{
    pajesim_window *window = (pajesim_window *)part->data;
    for (;;) {
        pajesim__offset offset = pajesim__alloc(part, size);
        if (pajesim__fits(part)) {
            pajesim__commit(part);
            return offset;
        }
        pajesim__rollback(part);
        if (!pajesim__drop_part(window, 0))
            return 0;
        part->capacity = pajesim__part_capacity(window);
    }
}

/* Grows the simulation's arena to `needed` bytes and some more; returns 0 if the block is too small.  The part that is
 * being filled moves up, or is abandoned. */
static int pajesim__reserve_arena(pajesim_window *window, uint64_t needed)
{
    size_t filled = window->filling ? sizeof(pajesim__part) + pajesim_used(&window->part) : 0;
    size_t low = (size_t)(needed + 7) & ~(size_t)7;
    if (needed > window->size)
        return 0;
    if (needed <= window->low)
        return 1;
    while (low > window->high - filled || window->high < filled) {
        if (pajesim__drop_part(window, !filled))
            continue;
        window->filling = 0;
        filled = 0;
    }
    low += (window->high - filled - low) / 4 & ~(size_t)7;
    if (filled) {
        memmove(window->memory + low, window->memory + window->low, filled);
        window->part.arena = window->memory + low + sizeof(pajesim__part);
    }
    window->low = low;
    if (filled)
        window->part.capacity = pajesim__part_capacity(window);
    return 1;
}

#endif /* PAJESIM_TRAVEL */
