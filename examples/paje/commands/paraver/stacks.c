/* What is open: states on their stacks, segments of variables, links with one known end.  Here is when each began, in
 * nanoseconds, and its place among events of the same time. */
#include "paraver.h"
#include "replay/link_key.h"

#include <stdlib.h>

typedef struct opened {
    int64_t start;
    uint64_t order;
    int64_t piece;        /* since when it is the innermost; COVERED: it is not */
    uint64_t piece_order;
    uint32_t value;
    uint32_t java; /* the type of its events of Java; 0: it has none */
} opened;

#define COVERED INT64_MAX

/* The states of a container and type, or the segment of a variable. */
typedef struct stack {
    array_of(opened) items;
    int64_t last; /* the times of states do not go back */
} stack;

typedef struct ends {
    int64_t start, end;
} ends;

static hash_map stack_keys; /* container and type */
static array_of(stack) stacks;
static hash_map link_keys; /* container, type and key */
static array_of(ends) links;
static uint64_t disordered, without_number;

/* The stacks that were found last are remembered, as keys are never removed. */
static stack *stack_of(const pajesim_entity *entity)
{
    enum { RECENT = 1024 };
    static struct {
        pajesim_ref key[2];
        size_t number;
    } recent[RECENT], *it;
    const pajesim_ref key[] = {entity->container, entity->type};
    it = &recent[((uint32_t)key[0] * 0x9e3779b1u + (uint32_t)key[1] * 0x85ebca6bu) >> 22];
    if (it->key[0] != key[0] || it->key[1] != key[1]) {
        memcpy(it->key, key, sizeof key);
        it->number = map_add(&stack_keys, key, sizeof key);
    }
    return array_at(&stacks, it->number);
}

static int64_t next_time(pajesim *sim, stack *on, pajesim_time time)
{
    int64_t at = time_of(sim, time);
    if (on->items.count == 0)
        on->last = at;
    if (at < on->last)
        disordered++;
    else
        on->last = at;
    return on->last;
}

/* Whether the states of this type are those of the state records of this container: one type is chosen. */
static int has_records(pajesim *sim, const pajesim_entity *state)
{
    return *pajesim_user_data(sim, pajesim_type_of(sim, state->container)) == state->type &&
           paje_shows_type(sim, state->type) && paje_shows_container(sim, state->container);
}

/* Ends the time in which a state was the innermost. */
static void end_piece(pajesim *sim, const pajesim_entity *on, opened *it, int64_t end)
{
    if (it->piece < end && is_in_range(sim, it->piece, end))
        add_record((record){.time = it->piece, .order = it->piece_order, .more = end, .kind = RECORD_STATE,
                            .who = rows_use(sim, on->container), .what = labels_state(it->value) & WHAT_MOST});
    it->piece = COVERED;
}

/* Whether it is known when a state begins if it is shown: its record comes by time then, and need not be sorted. */
static int is_early(pajesim *sim)
{
    return !((const paje_run *)pajesim_data(sim))->settings->filter.has_start;
}

/* Adds the event with which a state begins, and that of Java. */
static void add_begin(pajesim *sim, const pajesim_entity *state, opened *it)
{
    record begin = {.time = it->start, .order = it->order, .more = labels_number(it->value), .kind = RECORD_EVENT,
                    .who = rows_use(sim, state->container), .what = labels_type(sim, state->type) & WHAT_MOST};
    add_record(begin);
    it->java = java_type(labels_name(it->value), &begin.more);
    if (!it->java)
        return;
    begin.what = it->java & WHAT_MOST;
    begin.order++;
    add_record(begin);
}

void stacks_open(pajesim *sim, const pajesim_entity *state)
{
    stack *on = stack_of(state);
    int64_t start = next_time(sim, on, state->start);
    uint32_t depth = state->imbrication;
    if (depth > 0 && has_records(sim, state))
        end_piece(sim, state, array_at(&on->items, depth - 1), start);
    opened *it = array_at(&on->items, depth);
    it->start = it->piece = start;
    it->order = it->piece_order = next_order();
    next_order(); /* of its event of Java, if it has one */
    it->value = labels_value(sim, labels_type(sim, state->type), state->value, state->value_name);
    on->items.count = depth + 1;
    if (is_early(sim) && paje_shows(sim, state))
        add_begin(sim, state, it);
}

void stacks_close(pajesim *sim, const pajesim_entity *state)
{
    stack *on = stack_of(state);
    uint32_t depth = state->imbrication;
    if (depth >= on->items.count)
        return;
    opened *it = &on->items.items[depth];
    int64_t end = next_time(sim, on, state->end);
    if (has_records(sim, state)) {
        if (it->piece != COVERED)
            end_piece(sim, state, it, end);
        if (depth > 0) {
            it[-1].piece = end;
            it[-1].piece_order = next_order();
        }
    }
    if (paje_shows(sim, state)) {
        if (!is_early(sim))
            add_begin(sim, state, it);
        record over = {.time = end, .order = next_order(), .kind = RECORD_EVENT,
                       .who = rows_use(sim, state->container), .what = labels_type(sim, state->type) & WHAT_MOST};
        add_record(over);
        if (it->java) {
            over.what = it->java & WHAT_MOST;
            over.order = next_order();
            add_record(over);
        }
    }
    on->items.count = depth;
}

void stacks_begin_segment(pajesim *sim, const pajesim_entity *segment)
{
    *array_at(&stack_of(segment)->items, 0) = (opened){.start = time_of(sim, segment->start), .order = next_order()};
}

void stacks_end_segment(pajesim *sim, const pajesim_entity *segment)
{
    const stack *on = stack_of(segment);
    uint32_t type = labels_type(sim, segment->type);
    if (on->items.count == 0 || !paje_shows(sim, segment))
        return;
    record it = {.time = on->items.items[0].start, .order = on->items.items[0].order, .kind = RECORD_EVENT,
                 .what = type & WHAT_MOST};
    if (!labels_note_number(type, segment->number)) {
        without_number++;
        return;
    }
    it.who = rows_use(sim, segment->container);
    memcpy(&it.more, &segment->number, sizeof it.more);
    add_record(it);
    note_end(time_of(sim, segment->end));
}

/* ---- links */

static size_t find_link(const pajesim_entity *link)
{
    const pajesim_text key = link_key(link);
    return map_add(&link_keys, key.bytes, key.size);
}

void stacks_note_link(pajesim *sim, const pajesim_entity *link, int is_start)
{
    ends *it = array_at(&links, find_link(link));
    if (is_start)
        it->start = time_of(sim, link->start);
    else
        it->end = time_of(sim, link->end);
}

void stacks_take_link(pajesim *sim, const pajesim_entity *link, int64_t *start, int64_t *end)
{
    size_t number = find_link(link);
    const ends *it = array_at(&links, number);
    (void)sim;
    *start = it->start;
    *end = it->end;
    map_remove(&link_keys, number);
}

void stacks_report(const char *name)
{
    if (disordered)
        stream_message("%s: %llu states began or ended before the state before them, and are shown later",
                       name, (unsigned long long)disordered);
    if (without_number)
        stream_message("%s: %llu values of variables are left out, as they are no numbers", name,
                       (unsigned long long)without_number);
}
