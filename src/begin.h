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
    return PAJESIM__CONST_STATE->top;
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
    state->counts.first = state->first > state->last ? 0 : state->first;
    state->counts.last = state->first > state->last ? 0 : state->last;
    return &state->counts;
}

static pajesim_callbacks pajesim__deaf; /* no callback at all; never written to (C++ wants a const to be spelled out) */

static void pajesim__adopt_host(pajesim *sim, void *arena, size_t capacity, const pajesim_callbacks *callbacks,
                                void *data)
{
    memset(sim, 0, sizeof *sim);
    sim->arena = (unsigned char *)arena;
    sim->capacity = capacity > UINT32_MAX ? UINT32_MAX : capacity;
    sim->callbacks = callbacks ? callbacks : &pajesim__deaf;
    sim->data = data;
}

/* The state and the blocks that every simulation begins with, taken from an arena whose first bytes are `state`. */
static uint32_t pajesim__lay_out(pajesim *sim, const pajesim_options *options)
{
    static const pajesim_options defaults = {0, 0, 0, 0, 0, 0, 0, 0};
    pajesim__state *state = PAJESIM__STATE;
    if (!options)
        options = &defaults;
    memset(state, 0, sizeof *state);
    state->strict = options->strict != 0;
    state->parse_only = options->parse_only != 0;
    state->ignore_links = options->ignore_links != 0;
    state->old_names = options->old_names != 0;
    state->line_max = options->line_max;
    state->line_room = !options->line_room ? 256 : options->line_room < 16 ? 16 : options->line_room;
    state->kept = options->kept ? options->kept : 64;
    state->depth_max = options->depth_max ? options->depth_max : 8;

    sim->top = sizeof *state;
    sim->takes = 0;
    pajesim__take_table(sim, &state->definitions, 4);
    pajesim__take_table(sim, &state->types, 3);
    pajesim__take_table(sim, &state->values, 4);
    pajesim__take_table(sim, &state->containers, 3);
    pajesim__take_table(sim, &state->links, 2);
    state->root_type = pajesim__take(sim, sizeof(pajesim__type));
    state->root = pajesim__take(sim, sizeof(pajesim__container));
    state->carry_room = state->initial_room = state->line_room;
    state->carry = pajesim__take(sim, state->carry_room);
    state->top = (uint32_t)PAJESIM__MIN(sim->top, UINT32_MAX);
    return state->top;
}

PAJESIM_API size_t pajesim_arena_min(const pajesim_options *options)
{
    pajesim sim;
    pajesim__state state;
    pajesim__adopt_host(&sim, &state, UINT32_MAX, NULL, NULL);
    return pajesim__lay_out(&sim, options);
}

static void pajesim__put_root(pajesim *sim, pajesim__table *table, pajesim_ref ref, enum pajesim__what what)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim__thing *thing = PAJESIM__THING(ref);
    thing->what = (uint8_t)what;
    thing->kind = PAJESIM_CONTAINER;
    pajesim__put_id(sim, &thing->id, &key, 0, 0, 0);
    pajesim__put_entry(sim, table, 0, ref);
}

PAJESIM_API pajesim_status pajesim_init(pajesim *sim, void *arena, size_t capacity, const pajesim_options *options,
                                        const pajesim_callbacks *callbacks, void *data)
{
    pajesim__state *state;
    if (!sim || !arena || ((uintptr_t)arena & 7))
        return PAJESIM_MISUSE;
    pajesim__adopt_host(sim, arena, capacity, callbacks, data);
    sim->needed = pajesim_arena_min(options);
    if (sim->capacity < sim->needed)
        return PAJESIM_FULL;
    pajesim__lay_out(sim, options);
    state = PAJESIM__STATE;
    memset(sim->arena + sizeof *state, 0, state->top - sizeof *state);
    state->first = -PAJESIM__TIME_LEAST;
    state->last = PAJESIM__TIME_LEAST;
    pajesim__put_root(sim, &state->types, state->root_type, PAJESIM__TYPE);
    pajesim__put_root(sim, &state->containers, state->root, PAJESIM__CONTAINER);
    PAJESIM__CONTAINER_AT(state->root)->type = PAJESIM__CONTAINER_AT(state->root)->was = state->root_type;
    PAJESIM__THING(state->root)->flags = PAJESIM__LISTED;
    return PAJESIM_OK;
}
