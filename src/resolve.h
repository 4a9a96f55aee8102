/* From the words of a line to the types and containers that they name, and to numbers (section "Identity"). */

static int pajesim__is_root(const pajesim__line *line, uint32_t word)
{
    return PAJESIM__SIZE(line, word) == 1 && (*PAJESIM__WORD(line, word) == '0' || *PAJESIM__WORD(line, word) == '/');
}

/* The root may be written / when lenient, unless something else is called so. */
PAJESIM__COLD pajesim_ref pajesim__slash(pajesim *sim, pajesim__line *line, uint32_t word, pajesim_ref root)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word) && !pajesim__wrong(sim, line, PAJESIM_E_ROOT_SLASH, word))
        return root;
    return 0;
}

PAJESIM__COLD pajesim_ref pajesim__no_container(pajesim *sim, pajesim__line *line, uint32_t word)
{
    const pajesim__state *state = PAJESIM__STATE;
    pajesim__key key = pajesim__key_at(line, word);
    pajesim__seen_room unused;
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__slash(sim, line, word, state->root);
    pajesim__wrong(sim, line,
                   PAJESIM__IS_STRICT(state) && pajesim__was_used(sim, &state->seen, pajesim__print(&key, 0), &unused)
                       ? PAJESIM_E_CONTAINER_DESTROYED
                       : PAJESIM_E_CONTAINER_UNKNOWN,
                   word);
    return 0;
}

/* Lenient: SimGrid called a link 0.  Where the root is not of the type that is wanted, but such a container is, that is
 * meant. */
#define PAJESIM__BESIDE_ROOT 1u /* the scope of its identifier */

PAJESIM__COLD pajesim_ref pajesim__other_root(const pajesim *sim, pajesim_ref type)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim_ref ref = pajesim__find(sim, &PAJESIM__CONST_STATE->containers, &key, PAJESIM__BESIDE_ROOT, 0);
    return ref && PAJESIM__CONTAINER_AT(ref)->type == type ? ref : 0;
}

/* `ref`, or what is meant by it where a container of a type is wanted. */
static pajesim_ref pajesim__fitting(const pajesim *sim, pajesim_ref ref, pajesim_ref type)
{
    pajesim_ref other = 0;
    if (PAJESIM_REPAIRS && ref == PAJESIM__CONST_STATE->root && type != PAJESIM__CONST_STATE->root_type)
        other = pajesim__other_root(sim, type);
    return other ? other : ref;
}

/* What was found of a line when ahead.h looked at it. */
typedef struct pajesim__need {
    pajesim_ref definition, type; /* 0: not known */
    pajesim_ref container;        /* if it is the right one, and none has changed since */
    uint32_t changes;             /* sim->changes at that time */
    uint32_t hash;                /* of the container's identifier */
    uint32_t slot;                /* which one of the container */
    uint32_t stack;               /* 1: it has a stack, 2: all of which is closed, */
    uint32_t pops;                /* 1: of which the line takes away the top */
} pajesim__need;

/* The container that a word names, alive or remembered; 0: there is none, which is told. */
PAJESIM__INLINE pajesim_ref pajesim__container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_hashed(sim, &PAJESIM__STATE->containers, &key, 0, 0, pajesim__hash(&key, 0, 0));
    return PAJESIM__LIKELY(ref) ? ref : pajesim__no_container(sim, line, word);
}

/* The same if it was found; else 0. */
PAJESIM__INLINE pajesim_ref pajesim__found_container(const pajesim *sim, const pajesim__line *line, uint32_t word,
                                                     const pajesim__need *found)
{
    pajesim__key key = pajesim__key_at(line, word);
    return found->changes == PAJESIM__CHANGES(sim) &&
                   PAJESIM__LIKELY(pajesim__is_id(sim, &PAJESIM__THING(found->container)->id, &key, 0, 0))
               ? found->container
               : 0;
}

static pajesim_ref pajesim__live_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__container_at(sim, line, word);
    if (ref && PAJESIM__IS_GONE(ref)) {
        pajesim__wrong(sim, line, PAJESIM_E_CONTAINER_DESTROYED, word);
        return 0;
    }
    return ref;
}

PAJESIM__COLD pajesim_ref pajesim__no_type(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__slash(sim, line, word, PAJESIM__STATE->root_type);
    pajesim__wrong(sim, line, PAJESIM_E_TYPE_UNKNOWN, word);
    return 0;
}

PAJESIM__INLINE pajesim_ref pajesim__type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_cached(sim, &PAJESIM__STATE->types, &key, 0, PAJESIM__TYPES_SCOPE);
    return PAJESIM__LIKELY(ref) ? ref : pajesim__no_type(sim, line, word);
}

static pajesim_ref pajesim__container_type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__type_at(sim, line, word);
    if (ref && PAJESIM__THING(ref)->kind != PAJESIM_CONTAINER) {
        pajesim__wrong(sim, line, PAJESIM_E_TYPE_NOT_CONTAINER, word);
        return 0;
    }
    return ref;
}

/* A value of a type; 0: there is none of this name. */
PAJESIM__INLINE pajesim_ref pajesim__value_at(pajesim *sim, const pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__find_cached(sim, &PAJESIM__STATE->values, &key, type, PAJESIM__VALUES_SCOPE(type));
}

/* The same, past the cache: what is only to be shown shall not drive out what every line needs. */
PAJESIM__INLINE pajesim_ref pajesim__shown_value_at(pajesim *sim, const pajesim__line *line, uint32_t word,
                                                    pajesim_ref type)
{
#if PAJESIM_CACHE
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__find(sim, &PAJESIM__STATE->values, &key, type, 0);
#else
    return pajesim__value_at(sim, line, word, type);
#endif
}

PAJESIM__INLINE int pajesim__time_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM__LIKELY(
            pajesim__read_time(line->low, PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word), &line->shown.time)))
        return 1;
    line->shown.time = 0;
    pajesim__wrong(sim, line, PAJESIM_E_TIME, word);
    return 0;
}

PAJESIM__INLINE void pajesim__passes(pajesim *sim, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE;
    if (PAJESIM__UNLIKELY(time < state->first))
        state->first = time;
    if (time > state->last)
        state->last = time;
}
