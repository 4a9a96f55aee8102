/* States as they begin, also those that are open at -s. */
#include "replay/states.h"

#include <string.h>

typedef array_of(pajesim_ref) refs_array;

static void (*begin_state)(pajesim *sim, const pajesim_entity *state);
static int is_begun = 1; /* 0: before -s */
static hash_map early;   /* containers that had states before -s */
static array_of(refs_array) early_types;
static hash_map early_pairs; /* these containers with each of these types */

void paje_watch_states(paje_run *run, void (*begin)(pajesim *sim, const pajesim_entity *state))
{
    begin_state = begin;
    is_begun = !run->settings->filter.has_start;
    if (is_begun)
        run->callbacks.line = NULL;
}

static void note_early(const pajesim_entity *state)
{
    pajesim_ref pair[] = {state->container, state->type};
    size_t before = early_pairs.used;
    map_add(&early_pairs, pair, sizeof pair);
    if (early_pairs.used == before)
        return;
    refs_array *types = array_at(&early_types, map_add(&early, &state->container, sizeof state->container));
    *array_push(types) = state->type;
}

int paje_states_destroyed(pajesim *sim, const pajesim_entity *container)
{
    (void)sim;
    size_t number = map_find(&early, &container->container, sizeof container->container);
    if (number != MAP_NONE) {
        refs_array *types = &early_types.items[number];
        for (size_t i = 0; i < types->count; i++) {
            pajesim_ref pair[] = {container->container, types->items[i]};
            map_remove(&early_pairs, map_find(&early_pairs, pair, sizeof pair));
        }
        array_clear(types);
        map_remove(&early, number);
    }
    return PAJESIM_GO_ON;
}

static void begin_stack(pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    pajesim_entity state;
    uint32_t depth = pajesim_depth(sim, container, type);
    for (uint32_t i = 0; i < depth; i++)
        if (pajesim_open_entity(sim, container, type, i, &state) && paje_shows(sim, &state))
            begin_state(sim, &state);
}

/* At the first event from -s on, begins the states that are open then. */
int paje_states_line(pajesim *sim, const pajesim_line *line)
{
    const paje_run *run = pajesim_data(sim);
    int is_timed = line->event >= PAJESIM_CREATE_CONTAINER && line->event != PAJESIM_TRACE_FILE;
    if (is_begun || !is_timed || line->time < run->settings->filter.start)
        return PAJESIM_GO_ON;
    is_begun = 1;
    for (size_t i = 0; i < early_types.count; i++) {
        refs_array *types = &early_types.items[i];
        pajesim_ref container = 0;
        if (types->count)
            memcpy(&container, map_key(&early, i).bytes, sizeof container);
        for (size_t k = 0; k < types->count; k++)
            begin_stack(sim, container, types->items[k]);
        array_free(types);
    }
    map_free(&early);
    map_free(&early_pairs);
    array_free(&early_types);
    return PAJESIM_GO_ON;
}

int paje_states_began(pajesim *sim, const pajesim_entity *state)
{
    if (!paje_shows(sim, state))
        return PAJESIM_GO_ON;
    if (is_begun)
        begin_state(sim, state);
    else
        note_early(state);
    return PAJESIM_GO_ON;
}

int paje_has_begun(const pajesim *sim, const pajesim_entity *state)
{
    pajesim_entity begun = *state;
    begun.open = 1;
    return is_begun && paje_shows(sim, &begun);
}
