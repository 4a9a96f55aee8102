/* A cache in front of the tables of definitions, types and values. */
#pragma once

#include "state.h"

/* Definitions, types and values are looked up in nearly every line and seldom change, so a direct-mapped cache comes
 * before their tables, keyed by identifier and scope.  It is not part of images.  When many entries evict each other,
 * the hash is changed and the cache cleared, until the most frequent ones have slots of their own. */
#define PAJESIM__TYPES_SCOPE 1u
#define PAJESIM__DEFINITIONS_SCOPE(scope) (2u | (uint32_t)(scope) << 3)
#define PAJESIM__VALUES_SCOPE(type) ((uint32_t)(type) * PAJESIM__UNIT) /* blocks are at multiples of 8 bytes */

#if PAJESIM_CACHE
PAJESIM__INLINE uint32_t pajesim__cache_slot(const pajesim *sim, uint64_t lo, uint64_t hi, uint32_t scope)
{
    return (uint32_t)((((lo ^ scope) + hi * 5) * sim->cache_factor) >> 40) & (PAJESIM_CACHE - 1u);
}

/* Combines the size of an identifier and its scope, which is never 0. */
PAJESIM__INLINE uint64_t pajesim__cache_tag(uint32_t size, uint32_t scope)
{
    return (uint64_t)size << 32 | scope;
}

static void pajesim__put_in_cache(pajesim *sim, const pajesim__key *key, uint32_t scope, pajesim_ref ref)
{
    uint32_t slot = pajesim__cache_slot(sim, key->lo, key->hi, scope);
    if (sim->cache[slot].tag && ++sim->cache_clashes % (4 * PAJESIM_CACHE) == 0) {
        memset(sim->cache, 0, sizeof sim->cache);
        sim->cache_factor *= PAJESIM__MIX2;
        slot = pajesim__cache_slot(sim, key->lo, key->hi, scope);
    }
    sim->cache[slot].lo = key->lo;
    sim->cache[slot].hi = key->hi;
    sim->cache[slot].tag = pajesim__cache_tag(key->size, scope);
    sim->cache[slot].ref = ref;
}

/* Looks up the table and fills the cache.  Makes the key from its bytes: the hot caller then keeps its own in
 * registers.  Also caches that a value does not exist: not all tracers define the values of links. */
PAJESIM__COLD pajesim__offset pajesim__find_uncached(pajesim *sim, const pajesim__table *table, const void *bytes,
                                                     uint32_t size, uint32_t scope, uint32_t cache_scope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    pajesim__offset found = pajesim__table_find(sim, table, &key, scope, 0);
    if ((found || table == &PAJESIM__STATE(sim)->values) && size <= 2 * PAJESIM__HALF)
        pajesim__put_in_cache(sim, &key, cache_scope, found);
    return found;
}
#endif

PAJESIM__INLINE pajesim__offset pajesim__find_cached(pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                                     uint32_t scope, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(sim, key->lo, key->hi, cache_scope);
    uint64_t tag = pajesim__cache_tag(key->size, cache_scope);
    if (PAJESIM__LIKELY(
            ((sim->cache[slot].lo ^ key->lo) | (sim->cache[slot].hi ^ key->hi) | (sim->cache[slot].tag ^ tag)) == 0))
        return sim->cache[slot].ref;
    return pajesim__find_uncached(sim, table, key->bytes, key->size, scope, cache_scope);
#else
    (void)cache_scope;
    return pajesim__table_find(sim, table, key, scope, 0);
#endif
}

/* Removes an entry from the cache: its record is about to be freed, or one that was cached as missing now exists. */
static void pajesim__uncache(pajesim *sim, const pajesim__id *id, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(sim, id->lo, id->hi, cache_scope);
    if (sim->cache[slot].lo == id->lo && sim->cache[slot].hi == id->hi &&
        sim->cache[slot].tag == pajesim__cache_tag(id->size, cache_scope))
        sim->cache[slot].tag = 0;
#else
    (void)sim, (void)id, (void)cache_scope;
#endif
}
