/* From the words of a line to the types and containers that they name, and to numbers (section "Identity"). */
#pragma once

#include "model.h"
#include "cache.h"
#include "problems.h"
#include "../text/number.h"

static int pajesim__is_root(const pajesim__line *line, uint32_t word)
{
    return PAJESIM__SIZE(line, word) == 1 && (*PAJESIM__WORD(line, word) == '0' || *PAJESIM__WORD(line, word) == '/');
}

/* The root may be written / when lenient, unless something else is called so. */
PAJESIM__COLD pajesim_ref pajesim__resolve_slash(pajesim *sim, pajesim__line *line, uint32_t word, pajesim_ref root)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word) && !pajesim__diagnose(sim, line, PAJESIM_E_ROOT_SLASH, word))
        return root;
    return 0;
}

PAJESIM__COLD pajesim_ref pajesim__unknown_container(pajesim *sim, pajesim__line *line, uint32_t word)
{
    const pajesim__state *state = PAJESIM__STATE(sim);
    pajesim__key key = pajesim__key_at(line, word);
    pajesim__used_ids_reservation unused;
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__resolve_slash(sim, line, word, state->root);
    pajesim__diagnose(sim, line,
                      PAJESIM__IS_STRICT(state) &&
                              pajesim__used_ids_contain(sim, &state->used_ids, pajesim__fingerprint(&key, 0), &unused)
                          ? PAJESIM_E_CONTAINER_DESTROYED
                          : PAJESIM_E_CONTAINER_UNKNOWN,
                      word);
    return 0;
}

/* Lenient: SimGrid called a link 0.  Where the root is not of the type that is wanted, but such a container is, that is
 * meant. */
#define PAJESIM__BESIDE_ROOT 1u /* the scope of its identifier */

PAJESIM__COLD pajesim_ref pajesim__second_root(const pajesim *sim, pajesim_ref type)
{
    pajesim__key key = pajesim__key_of("0", 1);
    pajesim_ref ref = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->containers, &key, PAJESIM__BESIDE_ROOT, 0);
    return ref && PAJESIM__CONTAINER_AT(sim, ref)->type == type ? ref : 0;
}

/* Returns `ref`, or the container called 0 beside the root where the type requires that one. */
static pajesim_ref pajesim__resolve_root(const pajesim *sim, pajesim_ref ref, pajesim_ref type)
{
    pajesim_ref other = 0;
    if (PAJESIM_REPAIRS && ref == PAJESIM__CONST_STATE(sim)->root && type != PAJESIM__CONST_STATE(sim)->root_type)
        other = pajesim__second_root(sim, type);
    return other ? other : ref;
}

/* What prefetching found out about an event: see run/prefetch.h. */
typedef struct pajesim__hint {
    pajesim_ref type;      /* 0: not known */
    pajesim_ref container; /* valid if its identifier matches, and `changes` is that of the simulation */
    uint32_t changes;      /* sim->changes at that time */
} pajesim__hint;

/* Returns the container that a word names, alive or remembered; reports it and returns 0 if there is none. */
PAJESIM__INLINE pajesim_ref pajesim__container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref =
        pajesim__table_find_hashed(sim, &PAJESIM__STATE(sim)->containers, &key, 0, 0, pajesim__hash(&key, 0, 0));
    return PAJESIM__LIKELY(ref) ? ref : pajesim__unknown_container(sim, line, word);
}

/* The container that a word names, if the hint is right; else 0. */
PAJESIM__INLINE pajesim_ref pajesim__hinted_container(const pajesim *sim, const pajesim__line *line, uint32_t word,
                                                      const pajesim__hint *hint)
{
    pajesim__key key = pajesim__key_at(line, word);
    return hint->changes == PAJESIM__CHANGES(sim) &&
                   PAJESIM__LIKELY(pajesim__id_equals(sim, &PAJESIM__RECORD(sim, hint->container)->id, &key, 0, 0))
               ? hint->container
               : 0;
}

/* pajesim__container_at out of line, for events that are rare. */
static pajesim_ref pajesim__any_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    return pajesim__container_at(sim, line, word);
}

static pajesim_ref pajesim__live_container_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__any_container_at(sim, line, word);
    if (ref && PAJESIM__IS_DESTROYED(sim, ref)) {
        pajesim__diagnose(sim, line, PAJESIM_E_CONTAINER_DESTROYED, word);
        return 0;
    }
    return ref;
}

PAJESIM__COLD pajesim_ref pajesim__unknown_type(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM_REPAIRS && pajesim__is_root(line, word))
        return pajesim__resolve_slash(sim, line, word, PAJESIM__STATE(sim)->root_type);
    pajesim__diagnose(sim, line, PAJESIM_E_TYPE_UNKNOWN, word);
    return 0;
}

PAJESIM__INLINE pajesim_ref pajesim__type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim__key key = pajesim__key_at(line, word);
    pajesim_ref ref = pajesim__find_cached(sim, &PAJESIM__STATE(sim)->types, &key, 0, PAJESIM__TYPES_SCOPE);
    return PAJESIM__LIKELY(ref) ? ref : pajesim__unknown_type(sim, line, word);
}

static pajesim_ref pajesim__container_type_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    pajesim_ref ref = pajesim__type_at(sim, line, word);
    if (ref && PAJESIM__RECORD(sim, ref)->kind != PAJESIM_CONTAINER) {
        pajesim__diagnose(sim, line, PAJESIM_E_TYPE_NOT_CONTAINER, word);
        return 0;
    }
    return ref;
}

/* Returns the value of a type that a word names; 0: it is not defined. */
PAJESIM__INLINE pajesim_ref pajesim__value_at(pajesim *sim, const pajesim__line *line, uint32_t word, pajesim_ref type)
{
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__find_cached(sim, &PAJESIM__STATE(sim)->values, &key, type, PAJESIM__VALUES_SCOPE(type));
}

/* As pajesim__value_at, but past the cache: a value that is only shown must not evict what every line needs. */
PAJESIM__INLINE pajesim_ref pajesim__uncached_value_at(pajesim *sim, const pajesim__line *line, uint32_t word,
                                                       pajesim_ref type)
{
#if PAJESIM_CACHE
    pajesim__key key = pajesim__key_at(line, word);
    return pajesim__table_find(sim, &PAJESIM__STATE(sim)->values, &key, type, 0);
#else
    return pajesim__value_at(sim, line, word, type);
#endif
}

PAJESIM__INLINE int pajesim__time_at(pajesim *sim, pajesim__line *line, uint32_t word)
{
    if (PAJESIM__LIKELY(pajesim__read_time(line->readable, PAJESIM__WORD(line, word), PAJESIM__SIZE(line, word),
                                           &line->shown.time)))
        return 1;
    line->shown.time = 0;
    pajesim__diagnose(sim, line, PAJESIM_E_TIME, word);
    return 0;
}

PAJESIM__INLINE void pajesim__note_time(pajesim *sim, pajesim_time time)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    if (PAJESIM__UNLIKELY(time < state->first))
        state->first = time;
    if (time > state->last)
        state->last = time;
}
