/* Lifecycle: beginning and moving a simulation, and queries that are valid at any time. */
#pragma once

#include "../simulation/entity.h"
#include "../simulation/evict.h"

PAJESIM_API uint32_t pajesim_version(void)
{
    return PAJESIM_VERSION;
}

PAJESIM_API void *pajesim_data(const pajesim *sim)
{
    return sim->data;
}

PAJESIM_API uint64_t pajesim_capacity_needed(const pajesim *sim)
{
    return sim->needed;
}

PAJESIM_API size_t pajesim_used(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_HEAP(sim)->top;
}

PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->line + 1;
}

PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    uint32_t event;
    state->counts.events = 0;
    for (event = 0; event < PAJESIM_EVENT_COUNT; event++)
        state->counts.events += state->counts.by_event[event];
    state->counts.first = state->first;
    state->counts.last = state->last;
#if PAJESIM_TRAVEL
    if (state->past_first < state->first)
        state->counts.first = state->past_first;
    if (state->past_last > state->last)
        state->counts.last = state->past_last;
#endif
    if (state->counts.first > state->counts.last)
        state->counts.first = state->counts.last = 0;
    return &state->counts;
}

/* No callbacks.  C++ requires an initializer for each. */
static const pajesim_callbacks pajesim__no_callbacks = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

PAJESIM__SHARED void pajesim__attach(pajesim *sim, void *arena, size_t capacity, const pajesim_callbacks *callbacks,
                                     void *data)
{
    memset(sim, 0, sizeof *sim);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    sim->callbacks = callbacks ? callbacks : &pajesim__no_callbacks;
    sim->data = data;
    pajesim__entity_clear_optional(&sim->entity);
#if PAJESIM_CACHE
    sim->cache_factor = PAJESIM__MIX1;
#endif
}

/* Begins a call that changes the simulation: until pajesim__leave, callbacks may only query it. */
PAJESIM__INLINE void pajesim__enter(pajesim *sim)
{
    PAJESIM__ASSERT(!sim->busy && !sim->allocs);
    sim->busy = 1;
    sim->callback_result = PAJESIM_GO_ON;
    sim->top = PAJESIM__HEAP(sim)->top;
}

/* Ends it, and returns `status`. */
PAJESIM__INLINE pajesim_status pajesim__leave(pajesim *sim, pajesim_status status)
{
    PAJESIM__ASSERT(sim->busy && !sim->allocs);
    sim->busy = 0;
    return status;
}

/* Returns an option, or `fallback` if it is 0. */
static pajesim__length pajesim__option_or(uint32_t given, uint32_t fallback)
{
    const uint32_t max = (pajesim__length)-1;
    return (pajesim__length)(given ? PAJESIM__MIN(given, max) : fallback);
}

/* Initializes the state, and allocates the blocks that every simulation begins with; returns the size of all.  Writes
 * to the state only, so that pajesim_arena_min can call it without an arena. */
static uint32_t pajesim__init_layout(pajesim *sim, const pajesim_options *options)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_options defaults;
    if (!options) {
        memset(&defaults, 0, sizeof defaults);
        options = &defaults;
    }
    memset(state, 0, sizeof *state);
    if (PAJESIM_CHECKS) {
        state->strict = options->strict != 0;
        state->parse_only = options->parse_only != 0;
    }
    state->ignore_links = options->ignore_links != 0;
    state->line_max = pajesim__option_or(options->line_max, PAJESIM__LINE_MAX);
    state->line_capacity = pajesim__option_or(options->line_capacity, PAJESIM_SMALL ? 128 : 256);
    if (state->line_capacity < 16)
        state->line_capacity = 16;
    if (PAJESIM_REPAIRS) {
        state->old_names = options->old_names != 0;
        state->remembered = pajesim__option_or(options->remembered, 64);
    }
    if (PAJESIM_FILES)
        state->file_depth_max = pajesim__option_or(options->file_depth_max, 8);

    sim->top = PAJESIM__STATE_SIZE;
    sim->allocs = 0;
    pajesim__table_alloc(sim, &state->definitions, 4);
    pajesim__table_alloc(sim, &state->types, 3);
    pajesim__table_alloc(sim, &state->values, 4);
    pajesim__table_alloc(sim, &state->containers, 3);
    pajesim__table_alloc(sim, &state->links, 2);
    state->root_type = PAJESIM__RECORD_IN(pajesim__alloc(sim, sizeof(pajesim__type)));
    state->root = pajesim__alloc_container(sim, 0);
    state->carry_capacity = state->line_capacity;
    state->carry = pajesim__alloc(sim, state->carry_capacity);
    state->heap.top = (uint32_t)PAJESIM__MIN(sim->top, UINT32_MAX);
    return state->heap.top;
}

PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options)
{
    pajesim sim;
    pajesim__state state;
    pajesim__attach(&sim, &state, 0, NULL, NULL);
    return (size_t)pajesim__init_layout(&sim, options);
}

static void pajesim__init_root(pajesim *sim, pajesim__table *table, pajesim_ref ref, enum pajesim__tag tag)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim__table_reservation entry;
    pajesim__record *record = PAJESIM__RECORD(sim, ref);
    record->tag = (uint8_t)tag;
    record->kind = PAJESIM_CONTAINER;
    pajesim__init_id(sim, &record->id, &key, 0, 0, 0);
    memset(&entry, 0, sizeof entry); /* an empty table needs no reservation */
    pajesim__table_insert(sim, table, &entry, ref);
}

#if !PAJESIM_SMALL
/* A dynamic linker takes the first function of a name for all libraries, but those of guard.h only for libraries with
 * the same options.  So this one returns another pajesim_init than that of this copy where libraries with other options
 * are mixed, whose structs differ. */
typedef pajesim_status (*pajesim__beginning)(pajesim *, void *, size_t, const pajesim_options *,
                                             const pajesim_callbacks *, void *);
PAJESIM_API pajesim__beginning pajesim__first_init(void);
PAJESIM_API pajesim__beginning pajesim__first_init(void)
{
    return pajesim_init;
}
#endif

#if !PAJESIM_SMALL && defined(__PIC__) /* as the code of a library is */
static int pajesim__is_mixed(void)
{
    pajesim__beginning (*volatile first)(void) = pajesim__first_init; /* no compiler puts that of this copy in place */
    return first() != pajesim_init;
}
#define PAJESIM__IS_MIXED() pajesim__is_mixed()
#else
#define PAJESIM__IS_MIXED() 0
#endif

PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data)
{
    pajesim__state *state;
    if (!sim)
        return PAJESIM_MISUSE;
    pajesim__attach(sim, arena, capacity, callbacks, data);
    sim->busy = 1; /* until there is something to feed */
    if (!arena || !pajesim__is_aligned(arena) || PAJESIM__IS_MIXED())
        return PAJESIM_MISUSE;
    if (!PAJESIM_CHECKS && options && (options->strict || options->parse_only))
        return PAJESIM_MISUSE;
    sim->needed = (pajesim__size)pajesim_arena_min(options);
    if (sim->capacity < sim->needed)
        return PAJESIM_FULL;
    sim->busy = 0;
    pajesim__init_layout(sim, options);
    state = PAJESIM__STATE(sim);
    memset(sim->arena + sizeof *state, 0, (size_t)state->heap.top - sizeof *state);
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
#if PAJESIM_TRAVEL
    state->past_first = -PAJESIM__TIME_LEAST;
    state->past_last = PAJESIM__TIME_LEAST;
#endif
    pajesim__init_root(sim, &state->types, state->root_type, PAJESIM__TYPE);
    pajesim__init_root(sim, &state->containers, state->root, PAJESIM__CONTAINER);
    PAJESIM__CONTAINER_AT(sim, state->root)->type = PAJESIM__CONTAINER_AT(sim, state->root)->declared_type =
        state->root_type;
    PAJESIM__RECORD(sim, state->root)->flags = PAJESIM__LISTED;
#if PAJESIM_CHECKS
    PAJESIM__TYPE_AT(sim, state->root_type)->jump = state->root_type;
#endif
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_move(pajesim *sim, void *arena, size_t capacity)
{
    if (!sim || !arena || !pajesim__is_aligned(arena))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (capacity < PAJESIM__HEAP(sim)->top) {
        sim->needed = PAJESIM__HEAP(sim)->top;
        return PAJESIM_FULL;
    }
    if (arena != sim->arena)
        memcpy(arena, sim->arena, (size_t)PAJESIM__HEAP(sim)->top);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    return PAJESIM_OK;
}
