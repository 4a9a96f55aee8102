/* In which state a place spends its time. */
#include "critical.h"

#include <math.h>
#include <stdlib.h>

typedef array_of(active_state) state_list;

static state_list on; /* the states that are on from the mark to the present */

/* The one that began last comes first, as on a stack. */
static int compare(const void *a, const void *b)
{
    const active_state *one = b, *other = a;
    if (one->start > other->start || one->start < other->start)
        return one->start > other->start ? 1 : -1;
    if (one->type != other->type)
        return one->type > other->type ? 1 : -1;
    return (one->depth > other->depth) - (one->depth < other->depth);
}

/* Sorts the states, which are in order unless they are of several types. */
static void sort_states(void)
{
    for (size_t i = 1; i < on.count; i++)
        if (compare(&on.items[i - 1], &on.items[i]) > 0) {
            qsort(on.items, on.count, sizeof *on.items, compare);
            return;
        }
}

/* Adds a state.  Returns whether those below it on its stack may have begun after the mark, too. */
static int add(const active_state *state, double mark)
{
    *array_push(&on) = *state;
    return state->start > mark;
}

static void add_open(pajesim *sim, const active_place *place, pajesim_ref type, double mark)
{
    const paje_run *run = pajesim_data(sim);
    pajesim_entity entity;
    for (uint32_t depth = pajesim_depth(sim, place->container, type); depth-- > 0;) {
        pajesim_open_entity(sim, place->container, type, depth, &entity);
        active_state state = {active_class_of(sim, &entity), type, depth,
                              paje_in_seconds(run->settings, entity.start)};
        if (!add(&state, mark))
            return;
    }
}

void critical_walk(pajesim *sim, size_t place, double *mark, const pajesim_entity *ending, double time,
                   critical_part *part)
{
    const active_place *it = &active_places.items[place];
    int looks_below = 1;
    if (!(time > *mark))
        return;
    array_clear(&on);
    if (ending) {
        active_state state = {active_class_of(sim, ending), ending->type, ending->imbrication, ending->start};
        looks_below = add(&state, *mark);
    }
    size_t types = active_type_count(sim, it->container);
    for (size_t i = 0; i < types; i++) {
        pajesim_ref type = active_type_at(sim, it->container, i);
        if (!ending || type != ending->type || looks_below)
            add_open(sim, it, type, *mark);
    }
    sort_states();
    size_t class = ACTIVE_NONE;
    for (size_t i = on.count; i-- > 0;) {
        double start = on.items[i].start;
        if (start > *mark && start < time) {
            if (*mark > -HUGE_VAL)
                part(place, class, *mark, start);
            *mark = start;
        }
        if (start < time)
            class = on.items[i].class;
    }
    if (*mark > -HUGE_VAL)
        part(place, class, *mark, time);
    if (*mark > -HUGE_VAL || on.count)
        *mark = time;
}
