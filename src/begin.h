/* Beginning a simulation, and what can be asked of it at any time. */

PAJESIM_API uint32_t pajesim_version(void)
{
    return PAJESIM_VERSION;
}

PAJESIM_API void *pajesim_data(const pajesim *sim)
{
    return sim->data;
}

PAJESIM_API uint64_t pajesim_needed(const pajesim *sim)
{
    return sim->needed;
}

PAJESIM_API size_t pajesim_used(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_STATE->top;
}

PAJESIM_API uint64_t pajesim_line_number(const pajesim *sim)
{
    return PAJESIM__CONST_STATE->line + 1;
}

PAJESIM_API const pajesim_counts *pajesim_count(const pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
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

/* No callback at all.  C++ wants each to be spelled out. */
static const pajesim_callbacks pajesim__deaf = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

PAJESIM__SHARED void pajesim__adopt_host(pajesim *sim, void *arena, size_t capacity, const pajesim_callbacks *callbacks,
                                         void *data)
{
    memset(sim, 0, sizeof *sim);
    sim->arena = (unsigned char *)arena;
    sim->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    sim->callbacks = callbacks ? callbacks : &pajesim__deaf;
    sim->data = data;
    pajesim__bare(&sim->entity);
#if PAJESIM_CACHE
    sim->cache_factor = PAJESIM__MIX1;
#endif
}

/* An option whose 0 means something else. */
static pajesim__length pajesim__option(uint32_t given, uint32_t otherwise)
{
    const uint32_t most = (pajesim__length)-1;
    return (pajesim__length)(given ? PAJESIM__MIN(given, most) : otherwise);
}

/* The state and the blocks that every simulation begins with, taken from an arena whose first bytes are `state`. */
static uint32_t pajesim__lay_out(pajesim *sim, const pajesim_options *options)
{
    pajesim__state *state = PAJESIM__STATE;
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
    state->line_max = pajesim__option(options->line_max, PAJESIM__LINE_MAX);
    state->line_room = pajesim__option(options->line_room, PAJESIM_SMALL ? 128 : 256);
    if (state->line_room < 16)
        state->line_room = 16;
    if (PAJESIM_REPAIRS) {
        state->old_names = options->old_names != 0;
        state->kept = pajesim__option(options->kept, 64);
    }
    if (PAJESIM_FILES)
        state->depth_max = pajesim__option(options->depth_max, 8);

    sim->top = PAJESIM__STATE_SIZE;
    sim->takes = 0;
    pajesim__take_table(sim, &state->definitions, 4);
    pajesim__take_table(sim, &state->types, 3);
    pajesim__take_table(sim, &state->values, 4);
    pajesim__take_table(sim, &state->containers, 3);
    pajesim__take_table(sim, &state->links, 2);
    state->root_type = PAJESIM__THING_IN(pajesim__take(sim, sizeof(pajesim__type)));
    state->root = pajesim__take_container(sim, 0);
    state->carry_room = state->initial_room = state->line_room;
    state->carry = pajesim__take(sim, state->carry_room);
    state->top = (uint32_t)PAJESIM__MIN(sim->top, UINT32_MAX);
    return state->top;
}

PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options)
{
    pajesim sim;
    pajesim__state state;
    pajesim__adopt_host(&sim, &state, 0, NULL, NULL);
    return (size_t)pajesim__lay_out(&sim, options);
}

static void pajesim__put_root(pajesim *sim, pajesim__table *table, pajesim_ref ref, enum pajesim__what what)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim__entry_room entry;
    pajesim__thing *thing = PAJESIM__THING(ref);
    thing->what = (uint8_t)what;
    thing->kind = PAJESIM_CONTAINER;
    pajesim__put_id(sim, &thing->id, &key, 0, 0, 0);
    memset(&entry, 0, sizeof entry); /* there is a place */
    pajesim__put_entry(sim, table, &entry, ref);
}

PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data)
{
    pajesim__state *state;
    if (!sim || !arena || !pajesim__is_aligned(arena))
        return PAJESIM_MISUSE;
    if (!PAJESIM_CHECKS && options && (options->strict || options->parse_only))
        return PAJESIM_MISUSE;
    pajesim__adopt_host(sim, arena, capacity, callbacks, data);
    sim->needed = (pajesim__size)pajesim_arena_min(options);
    if (sim->capacity < sim->needed)
        return PAJESIM_FULL;
    pajesim__lay_out(sim, options);
    state = PAJESIM__STATE;
    memset(sim->arena + sizeof *state, 0, (size_t)state->top - sizeof *state);
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
#if PAJESIM_TRAVEL
    state->past_first = -PAJESIM__TIME_LEAST;
    state->past_last = PAJESIM__TIME_LEAST;
#endif
    pajesim__put_root(sim, &state->types, state->root_type, PAJESIM__TYPE);
    pajesim__put_root(sim, &state->containers, state->root, PAJESIM__CONTAINER);
    PAJESIM__CONTAINER_AT(state->root)->type = PAJESIM__CONTAINER_AT(state->root)->was = state->root_type;
    PAJESIM__THING(state->root)->flags = PAJESIM__LISTED;
#if PAJESIM_CHECKS
    PAJESIM__TYPE_AT(state->root_type)->jump = state->root_type;
#endif
    return PAJESIM_OK;
}
