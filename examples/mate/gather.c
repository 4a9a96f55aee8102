#include "gather.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static int64_t neutral(tunlet_merge merge)
{
    switch (merge) {
    case TUNLET_PRODUCT:
    case TUNLET_AND: return 1;
    case TUNLET_MIN: return INT64_MAX;
    case TUNLET_MAX: return -INT64_MAX; /* the least that lines of collectors can have */
    case TUNLET_SUM:
    case TUNLET_ARGMAX: break;
    }
    return 0;
}

/* Sums and products wrap around, which keeps them independent of the order. */
static int64_t merged(tunlet_merge merge, int64_t a, int64_t b)
{
    switch (merge) {
    case TUNLET_PRODUCT: return (int64_t)((uint64_t)a * (uint64_t)b);
    case TUNLET_AND: return a && b;
    case TUNLET_MIN: return a < b ? a : b;
    case TUNLET_MAX: return a > b ? a : b;
    case TUNLET_SUM:
    case TUNLET_ARGMAX: break;
    }
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t *member(const gather_iteration *at, const tunlet_part *part)
{
    return (int64_t *)(void *)((char *)at->state + part->offset);
}

void gather_begin(gathering *it, const tunlet *of, int is_collector,
                  void (*completed)(gathering *it, const gather_iteration *complete), void *data)
{
    size_t i;
    memset(it, 0, sizeof *it);
    it->of = of;
    it->is_collector = is_collector;
    it->completed = completed;
    it->data = data;
    it->states = (char *)memory_alloc(GATHER_ITERATIONS, of->state_size);
    for (i = 0; i < GATHER_ITERATIONS; i++)
        it->iterations[i].state = it->states + i * of->state_size;
}

void gather_free(gathering *it)
{
    free(it->states);
    array_free(&it->known_lost);
}

void gather_actor(gathering *it, uint32_t number)
{
    if (number < TUNLET_ACTORS) {
        it->covered[number] = 1;
        it->sources[number]++;
    }
}

static void begin_state(const gathering *it, gather_iteration *at)
{
    size_t i, k;
    memset(at->state, 0, it->of->state_size);
    for (i = 0; i < it->of->part_count; i++)
        for (k = 0; k < (it->of->parts[i].is_array ? (size_t)TUNLET_ACTORS : 1); k++)
            member(at, &it->of->parts[i])[k] = neutral(it->of->parts[i].merge);
}

static void begin_iteration(gathering *it, gather_iteration *at, int64_t number)
{
    void *state = at->state;
    memset(at, 0, sizeof *at);
    at->state = state;
    at->number = number;
    at->is_used = 1;
    begin_state(it, at);
}

/* How many actors that a collector waits for take part in an iteration. */
static int64_t count_covered(const gathering *it, int64_t actors)
{
    int64_t count = 0, i;
    for (i = 0; i < TUNLET_ACTORS && i < actors; i++)
        count += it->sources[i] > 0;
    return count;
}

static int is_complete(const gathering *it, const gather_iteration *at)
{
    if (!at->is_used || at->actors <= 0)
        return 0;
    if (it->is_collector)
        return it->silent == 0 && at->done > 0 && at->all_done >= count_covered(it, at->actors);
    return at->has_begun && at->has_ended && at->done >= at->actors;
}

static void pass_on(gathering *it, gather_iteration *at)
{
    it->complete += at->all_done == at->done;
    it->completed(it, at);
    if (it->is_collector) {
        at->done = 0;
        begin_state(it, at);
    } else {
        at->is_used = 0;
    }
}

/* Passes on what is complete from the next iteration on. */
static void pass_on_in_order(gathering *it)
{
    gather_iteration *at = &it->iterations[(uint64_t)it->next % GATHER_ITERATIONS];
    while (at->is_used && at->number == it->next && is_complete(it, at)) {
        it->next++;
        pass_on(it, at);
        at = &it->iterations[(uint64_t)it->next % GATHER_ITERATIONS];
    }
}

/* Gives up what is before an iteration, except what is complete, which is passed on. */
static void give_up_before(gathering *it, int64_t number)
{
    while (it->next < number) {
        int64_t first = number;
        int i;
        for (i = 0; i < GATHER_ITERATIONS; i++)
            if (is_complete(it, &it->iterations[i]) && it->iterations[i].number < first)
                first = it->iterations[i].number;
        for (i = 0; i < GATHER_ITERATIONS; i++)
            it->iterations[i].is_used &= it->iterations[i].number >= first;
        it->given_up += (uint64_t)first - (uint64_t)it->next;
        if (it->lost)
            it->lost(it, it->next, first - 1);
        it->next = first;
        pass_on_in_order(it);
    }
}

void gather_end(gathering *it)
{
    int64_t last = INT64_MIN;
    int i;
    for (i = 0; i < GATHER_ITERATIONS; i++)
        if (it->iterations[i].is_used && it->iterations[i].number > last)
            last = it->iterations[i].number;
    if (it->has_next && last >= it->next)
        give_up_before(it, last + (last < INT64_MAX));
}

/* Gives up what is missing before a complete iteration: all of its actors have gone on. */
static void give_up_lost(gathering *it, const gather_iteration *complete)
{
    const int64_t number = complete->number, actors = complete->actors;
    int i;
    for (i = 0; i < GATHER_ITERATIONS; i++) {
        const gather_iteration *at = &it->iterations[i];
        if (at->is_used && at->number < number && at->actors > actors && !is_complete(it, at))
            return;
    }
    give_up_before(it, number);
}

void gather_lose(gathering *it, int64_t first, int64_t last)
{
    *array_push(&it->known_lost) = (gather_range){first, last};
}

static int is_known_lost(const gathering *it, int64_t number)
{
    size_t low = 0, high = it->known_lost.count;
    while (low < high) { /* the first one that does not end before it */
        const size_t middle = low + (high - low) / 2;
        if (it->known_lost.items[middle].last < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < it->known_lost.count && it->known_lost.items[low].first <= number;
}

/* Returns the iteration of that number, a new one where there is none; NULL if it was passed
 * on or given up, here or when the trace was recorded. */
static gather_iteration *find(gathering *it, int64_t number)
{
    gather_iteration *at = &it->iterations[(uint64_t)number % GATHER_ITERATIONS];
    if (is_known_lost(it, number))
        return NULL;
    if ((at->is_used && at->number > number) || (it->has_next && number < it->next)) {
        it->late++;
        return NULL;
    }
    if (it->has_next && (uint64_t)number - (uint64_t)it->next >= GATHER_ITERATIONS)
        give_up_before(it, number - GATHER_ITERATIONS + 1);
    if (!at->is_used || at->number < number) {
        it->given_up += at->is_used && (at->done > 0 || at->all_done == 0);
        begin_iteration(it, at, number);
    }
    return at;
}

static void check(gathering *it, gather_iteration *at)
{
    if (!is_complete(it, at))
        return;
    if (it->is_collector)
        pass_on(it, at);
    else if (at->number > it->next)
        give_up_lost(it, at);
    else
        pass_on_in_order(it);
}

/* Notes that an actor has done its part: a worker that was begun again may say so twice. */
static void has_done(gather_iteration *at, uint32_t actor)
{
    const uint64_t bit = UINT64_C(1) << actor % 64;
    at->done += !(at->who[actor / 64] & bit);
    at->all_done += !(at->who[actor / 64] & bit);
    at->who[actor / 64] |= bit;
}

void gather_attach(gathering *it)
{
    it->silent++;
}

/* Passes on what a collector waits for no more. */
static void check_all(gathering *it)
{
    int i;
    for (i = 0; i < GATHER_ITERATIONS && it->is_collector; i++)
        check(it, &it->iterations[i]);
}

void gather_ready(gathering *it)
{
    it->silent--;
    check_all(it);
}

void gather_leave(gathering *it, const uint64_t *actors)
{
    uint32_t i;
    for (i = 0; i < TUNLET_ACTORS; i++)
        it->sources[i] = (uint16_t)(it->sources[i] - (actors[i / 64] >> i % 64 & 1));
    check_all(it);
}

void gather_event(gathering *it, int64_t number, const tunlet_happening *happening)
{
    const tunlet_role role = it->of->events[happening->event].role;
    gather_iteration *at;
    if (happening->actor >= TUNLET_ACTORS || happening->actors > TUNLET_ACTORS) {
        it->ignored++;
        return;
    }
    if (role == TUNLET_BEGIN && !it->has_next && !it->is_collector) {
        it->next = number;
        it->has_next = 1;
    }
    at = find(it, number);
    if (!at)
        return;
    it->of->happened(at->state, happening);
    at->last = happening->time > at->last ? happening->time : at->last;
    if (happening->actors > 0)
        at->actors = happening->actors;
    at->has_begun |= role == TUNLET_BEGIN;
    at->has_ended |= role == TUNLET_END;
    if (role == TUNLET_DONE)
        has_done(at, happening->actor);
    if (role != TUNLET_INSIDE)
        check(it, at);
}

/* Merges the parts of one kind; `element`: of arrays. */
static void merge_parts(const gathering *it, const gather_iteration *to, int is_array, size_t element,
                        const int64_t *numbers)
{
    int64_t key = 0, key_of_more = 0; /* the part before */
    size_t i;
    for (i = 0; i < it->of->part_count; i++) {
        const tunlet_part *part = &it->of->parts[i];
        int64_t *at = member(to, part) + element, own = *at;
        if (part->is_array != is_array)
            continue;
        if (part->merge != TUNLET_ARGMAX)
            *at = merged(part->merge, own, *numbers);
        else if (key_of_more > key || (key_of_more == key && *numbers < own))
            *at = *numbers;
        key = own;
        key_of_more = *numbers++;
    }
}

void gather_actor_part(gathering *it, int64_t number, uint32_t actor, const int64_t *numbers)
{
    gather_iteration *at = find(it, number);
    if (at && actor < TUNLET_ACTORS)
        merge_parts(it, at, 1, actor, numbers);
    else
        it->ignored += actor >= TUNLET_ACTORS;
}

void gather_part(gathering *it, int64_t number, int64_t time, int64_t actors, int64_t done, const int64_t *numbers)
{
    gather_iteration *at = find(it, number);
    if (!at)
        return;
    merge_parts(it, at, 0, 0, numbers);
    at->done += done;
    at->all_done += done;
    at->actors = actors;
    at->last = time > at->last ? time : at->last;
    check(it, at);
}
