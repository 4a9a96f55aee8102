/* Looks through an index that may be forged, by all calls of its interface: none may read what is not its own, or go on
 * without end.  Blocks lie at the ends of arrays, so that a sanitizer sees what is read behind them. */
#ifndef FUZZ_LOOK_H
#define FUZZ_LOOK_H

#include "fuzz.h"
#include "../lib/account.h"

enum { LOOK_ARENA = 1 << 17 };

typedef struct look {
    pajesim_index *index;
    const char *trace;
    size_t size;
    uint32_t random;
    size_t reads;      /* since the last call began */
    size_t left;       /* callbacks until one stops */
    account seen;
} look;

static uint64_t look__arena[LOOK_ARENA / 8], look__larger[2 * LOOK_ARENA / 8];

/* The last bytes of an array, `size` or a few more. */
static void *look__last(uint64_t *array, size_t words, size_t size)
{
    return array + words - (size + 7) / 8;
}

static uint32_t look__below(look *it, uint32_t n)
{
    it->random = it->random * 1664525u + 1013904223u;
    return (it->random >> 8) % n;
}

/* Each byte is read a few times at most: at each size of the arena, from each checkpoint. */
static size_t look__read(void *data, uint64_t offset, const void **bytes, size_t most)
{
    look *it = (look *)data;
    size_t left = offset < it->size ? it->size - (size_t)offset : 0;
    fuzz_expect(++it->reads < 100000, "what is read of the trace ends");
    *bytes = it->trace + offset;
    return left < most ? left : most;
}

static int look__closed(pajesim *sim, const pajesim_entity *entity)
{
    look *it = (look *)pajesim_data(sim);
    hash_entity(sim, &it->seen, entity);
    return it->left && !--it->left ? PAJESIM_STOP : PAJESIM_GO_ON;
}

static int look__window_closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_ref ref;
    for (ref = entity->container; ref; ref = pajesim_parent(sim, ref))
        hash_text(&((look *)pajesim_data(sim))->seen, pajesim_alias(sim, ref));
    return look__closed(sim, entity);
}

/* Everything that a simulation knows: types, containers, and what is open on them. */
static void look__query(look *it, pajesim *sim)
{
    pajesim_ref ref = pajesim_root(sim), type;
    while (ref) {
        hash_text(&it->seen, pajesim_name(sim, ref));
        hash_text(&it->seen, pajesim_color(sim, ref));
        for (type = pajesim_first_child(sim, pajesim_type_of(sim, ref)); type; type = pajesim_next_sibling(sim, type)) {
            uint32_t depth = pajesim_depth(sim, ref, type);
            pajesim_entity entity;
            hash_text(&it->seen, pajesim_name(sim, type));
            if (pajesim_open_entity(sim, ref, type, depth - 1, &entity))
                hash_entity(sim, &it->seen, &entity);
        }
        if (pajesim_first_child(sim, ref)) {
            ref = pajesim_first_child(sim, ref);
            continue;
        }
        while (ref && !pajesim_next_sibling(sim, ref))
            ref = pajesim_parent(sim, ref);
        ref = ref ? pajesim_next_sibling(sim, ref) : 0;
    }
}

/* Feeds the rest of the trace, and compares at checkpoints; with an index, adds to it. */
static void look__feed(look *it, pajesim *sim, pajesim_index *grows)
{
    const size_t piece = 1 + look__below(it, 400);
    pajesim_status status = PAJESIM_OK;
    while (pajesim_count(sim)->bytes < it->size && (status == PAJESIM_OK || status == PAJESIM_PAUSED)) {
        const size_t at = (size_t)pajesim_count(sim)->bytes, left = it->size - at;
        size_t taken;
        status = pajesim_feed(sim, it->trace + at, left < piece ? left : piece, &taken);
        fuzz_expect(status != PAJESIM_OK || taken, "feeding goes on");
        if (status == PAJESIM_OK && grows && (status = pajesim_index_step(grows, sim)) == PAJESIM_FULL)
            status = PAJESIM_OK;
        pajesim_index_check(it->index, pajesim_index_at(it->index, pajesim_count(sim)->bytes), sim);
    }
}

/* A simulation that begins at a checkpoint. */
static void look__restore(look *it, uint32_t number)
{
    pajesim_callbacks callbacks;
    pajesim_checkpoint at;
    pajesim_status status;
    pajesim sim;
    void *arena;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = look__closed;
    if (!pajesim_index_checkpoint(it->index, number, &at) || at.arena > LOOK_ARENA)
        return;
    arena = look__last(look__arena, LOOK_ARENA / 8, at.arena);
    status = pajesim_index_restore(it->index, number, &sim, arena, at.arena, &callbacks, it);
    fuzz_expect(status == PAJESIM_OK || status == PAJESIM_DAMAGED, "an image is restored or refused");
    if (status == PAJESIM_OK) {
        const double from = look__below(it, 20);
        look__query(it, &sim);
        if (look__below(it, 2))
            pajesim_move(&sim, look__larger, sizeof look__larger);
        if (look__below(it, 3)) {
            look__feed(it, &sim, NULL);
            look__query(it, &sim);
        }
        if (look__below(it, 2))
            pajesim_index_close_open(it->index, number, &sim, from, from + look__below(it, 9));
        else
            pajesim_finish(&sim);
        look__query(it, &sim);
    }
}

static void look__window(look *it, size_t size)
{
    pajesim_callbacks callbacks;
    pajesim_window window;
    void *memory = look__last(look__larger, 2 * LOOK_ARENA / 8, size);
    int i;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = look__window_closed;
    if (pajesim_window_init(&window, memory, size, it->index, NULL, look__read, it) == PAJESIM_OK)
        for (i = 0; i < 4; i++) {
            const double from = look__below(it, 24) - 2.0;
            it->left = look__below(it, 4) ? 0 : 1 + look__below(it, 9);
            it->reads = 0;
            if (look__below(it, 8))
                pajesim_window_show(&window, i == 3 ? -1e300 : from, i == 3 ? 1e300 : from + look__below(it, 6),
                                    &callbacks, it);
            else
                pajesim_window_extend(&window, 1 + look__below(it, 5000), (int)look__below(it, 2));
        }
}

/* The index goes on at its last checkpoint, ends, and is saved: then it is one that can be loaded. */
static void look__resume(look *it)
{
    pajesim sim;
    size_t size;
    if (pajesim_index_resume(it->index, &sim, look__larger, sizeof look__larger, NULL, NULL) == PAJESIM_OK) {
        look__feed(it, &sim, it->index);
        if (look__below(it, 2))
            pajesim_index_checkpoint_now(it->index, &sim);
        if (look__below(it, 4))
            pajesim_index_finish(it->index, &sim);
    }
    pajesim_index_save(it->index, &size);
    fuzz_expect(pajesim_index_load(it->index, it->index->memory, it->index->capacity, size) == PAJESIM_OK,
                "what was loaded can be saved, and loaded again");
}

static void look_through(look *it)
{
    const uint32_t count = pajesim_index_count(it->index);
    uint32_t number;
    pajesim_index_before(it->index, look__below(it, 20));
    pajesim_index_after(it->index, look__below(it, 20));
    for (number = 0; number < count; number++)
        if (count < 4 || look__below(it, count) < 3)
            look__restore(it, number);
    if (look__below(it, 2))
        look__resume(it);
    look__window(it, (size_t)(LOOK_ARENA << 1 >> look__below(it, 5)));
    if (look__below(it, 2))
        look__resume(it);
    for (number = 0; number < pajesim_index_count(it->index); number++)
        if (!look__below(it, 4))
            look__restore(it, number);
}

#endif
