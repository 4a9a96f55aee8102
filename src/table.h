/* The tables that find what bears an identifier. */

#if PAJESIM_REFERENCE == 16
/* A few lists, by hash: little code and memory, for some hundreds of things. */

PAJESIM__INLINE pajesim__offset pajesim__find_hashed(const pajesim *sim, const pajesim__table *table,
                                                     const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                     uint32_t hash)
{
    pajesim__offset offset = table->lists[hash % PAJESIM__LISTS];
    while (offset && !pajesim__is_id(sim, PAJESIM__AT(const pajesim__id, offset), key, scope, subscope))
        offset = PAJESIM__AT(const pajesim__id, offset)->next;
    return offset;
}

typedef pajesim__offset pajesim__entry_room;

static pajesim__entry_room pajesim__take_entry(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    (void)sim, (void)table, (void)hash;
    return 0;
}

static pajesim__offset *pajesim__list_of(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    return &table->lists[pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)) % PAJESIM__LISTS];
}

static void pajesim__put_entry(pajesim *sim, pajesim__table *table, const pajesim__entry_room *taken,
                               pajesim__offset offset)
{
    pajesim__offset *list = pajesim__list_of(sim, table, offset);
    (void)taken;
    PAJESIM__AT(pajesim__id, offset)->next = *list;
    *list = offset;
}

static void pajesim__remove_entry(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__offset *at = pajesim__list_of(sim, table, offset);
    while (*at != offset)
        at = &PAJESIM__AT(pajesim__id, *at)->next;
    *at = PAJESIM__AT(pajesim__id, offset)->next;
}

static void pajesim__take_table(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    (void)sim, (void)table, (void)log2;
}

#else
/* Open addressing.  No entry is farther than PAJESIM__PROBES places from where it belongs; what would be, as where
 * identifiers are made to collide, is in a tree: so nothing takes long, whatever the identifiers are. */

#ifndef PAJESIM__PROBES
#define PAJESIM__PROBES 32u /* chance comes to this once in 10^9 times; tests have fewer */
#endif

typedef struct pajesim__entry {
    uint32_t hash; /* 0: free */
    pajesim__offset offset;
} pajesim__entry;

/* Where in a table a hash belongs, if that place is free. */
PAJESIM__INLINE uint32_t pajesim__home(uint32_t hash, uint32_t log2)
{
    return hash >> (32 - log2);
}

PAJESIM__INLINE pajesim__offset pajesim__find_hashed(const pajesim *sim, const pajesim__table *table,
                                                     const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                     uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__home(hash, table->log2), probes = 0;
    for (;; i = (i + 1) & mask) {
        if (PAJESIM__LIKELY(entries[i].hash == hash) && /* 0 where it is free, which is no hash */
            PAJESIM__LIKELY(pajesim__is_id(sim, PAJESIM__AT(const pajesim__id, entries[i].offset), key, scope, subscope)))
            return entries[i].offset;
        if (!entries[i].offset || ++probes == PAJESIM__PROBES)
            break;
    }
    return PAJESIM__LIKELY(!table->tree) ? 0
                                         : pajesim__find_far(sim, table->tree, key->bytes, key->size, scope, subscope);
}

/* Puts an entry at the next free place; answers 0 if that is too far. */
static int pajesim__enter(pajesim__entry *entries, uint32_t log2, uint32_t hash, pajesim__offset offset)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__home(hash, log2), beyond = i + PAJESIM__PROBES;
    while (entries[i & mask].offset)
        if (++i == beyond)
            return 0;
    entries[i & mask].hash = hash;
    entries[i & mask].offset = offset;
    return 1;
}

/* Fills the entries of a table twice as large: who is farther from its place goes first, so that nobody is too far, as
 * nobody was before. */
static void pajesim__enter_again(pajesim__entry *entries, uint32_t log2, pajesim__entry entry)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__home(entry.hash, log2), far = 0;
    for (; entries[i].offset; i = (i + 1) & mask, far++) {
        uint32_t other = (i - pajesim__home(entries[i].hash, log2)) & mask;
        if (other < far) {
            pajesim__entry there = entries[i];
            entries[i] = entry;
            entry = there;
            far = other;
        }
    }
    entries[i] = entry;
}

/* Tables are at most a quarter full, so that what is looked up is nearly always where it belongs: wrong guesses of the
 * processor cost more than the memory.  Large ones are at most three eighths full: there the memory costs more.  Growing
 * takes the new entries with the rest of what the line takes; they are filled when something is put.  Nobody knows before
 * whether that has a place among them then: so a node is taken, too. */
typedef struct pajesim__entry_room {
    pajesim__offset grown, node;
} pajesim__entry_room;

/* What one more entry takes, in bytes; 0: nothing. */
static pajesim__size pajesim__growth(const pajesim__table *table)
{
    uint32_t eighths = table->log2 < 17 ? 2 : 3;
    return table->count >= (eighths << table->log2 >> 3)
               ? (pajesim__size)sizeof(pajesim__entry) << (table->log2 + 1)
               : 0;
}

static pajesim__size pajesim__node_size(const pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__home(hash, table->log2), beyond = i + PAJESIM__PROBES;
    if (pajesim__growth(table))
        return sizeof(pajesim__node);
    for (; i != beyond; i++)
        if (!entries[i & mask].offset)
            return 0;
    return sizeof(pajesim__node);
}

static pajesim__entry_room pajesim__take_entry(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    pajesim__entry_room taken = {0, 0};
    if (pajesim__growth(table))
        taken.grown = pajesim__take(sim, pajesim__growth(table));
    if (pajesim__node_size(sim, table, hash))
        taken.node = pajesim__take(sim, sizeof(pajesim__node));
    return taken;
}

static void pajesim__put_entry(pajesim *sim, pajesim__table *table, const pajesim__entry_room *taken,
                               pajesim__offset offset)
{
    uint32_t hash = pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset));
    if (taken->grown) {
        const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
        pajesim__entry *wider = PAJESIM__AT(pajesim__entry, taken->grown);
        uint32_t size = UINT32_C(1) << table->log2, i;
        memset(wider, 0, 2 * (size_t)size * sizeof *wider);
        for (i = 0; i < size; i++)
            if (entries[i].offset)
                pajesim__enter_again(wider, table->log2 + UINT32_C(1), entries[i]);
        pajesim__give(sim, table->entries, size * (pajesim__size)sizeof *entries);
        table->entries = taken->grown;
        table->log2++;
    }
    table->count++;
    if ((pajesim__enter(PAJESIM__AT(pajesim__entry, table->entries), table->log2, hash, offset) ||
         !pajesim__put_in_tree(sim, &table->tree, taken->node, offset)) &&
        taken->node)
        pajesim__give(sim, taken->node, sizeof(pajesim__node));
}

static void pajesim__remove_entry(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__entry *entries = PAJESIM__AT(pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t hole = pajesim__home(pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)), table->log2), i;
    uint32_t beyond = hole + PAJESIM__PROBES;
    table->count--;
    for (; entries[hole & mask].offset != offset; hole++)
        if (hole == beyond || !entries[hole & mask].offset) {
            pajesim__remove_from_tree(sim, &table->tree, offset);
            return;
        }
    /* What is farther from its place moves up; nobody can be PAJESIM__PROBES from it. */
    for (i = hole + 1; entries[i & mask].offset && i - hole < PAJESIM__PROBES; i++)
        if (((i - pajesim__home(entries[i & mask].hash, table->log2)) & mask) >= i - hole) {
            entries[hole & mask] = entries[i & mask];
            hole = i;
        }
    memset(&entries[hole & mask], 0, sizeof *entries);
}

static void pajesim__take_table(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    table->log2 = (pajesim__length)log2;
    table->entries = pajesim__take(sim, (pajesim__size)sizeof(pajesim__entry) << log2);
}

#endif /* PAJESIM_REFERENCE */

static pajesim__offset pajesim__find(const pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                     uint32_t scope, uint32_t subscope)
{
    return pajesim__find_hashed(sim, table, key, scope, subscope, pajesim__hash(key, scope, subscope));
}

/* What is looked up in nearly every line, and seldom changes, is found in a cache before its table: definitions, types
 * and values, by identifier and by what they are.  It is no part of the image.  Where two drive each other out, other
 * places are chosen for all, until what is asked for most has places of its own. */
#define PAJESIM__TYPES_SCOPE 1u
#define PAJESIM__DEFINITIONS_SCOPE(scope) (2u | (uint32_t)(scope) << 3)
#define PAJESIM__VALUES_SCOPE(type) ((uint32_t)(type) * PAJESIM__UNIT) /* blocks are at multiples of 8 bytes */

#if PAJESIM_CACHE
PAJESIM__INLINE uint32_t pajesim__cache_slot(const pajesim *sim, uint64_t lo, uint64_t hi, uint32_t scope)
{
    return (uint32_t)((((lo ^ scope) + hi * 5) * sim->cache_factor) >> 40) & (PAJESIM_CACHE - 1u);
}

/* The size of an identifier and what it is unique within, which is never 0. */
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

/* The key is made again of its bytes, so that whoever calls this need not have it in memory.  That there is no such
 * value is in the cache, too: not all emitters define those of links. */
PAJESIM__COLD pajesim__offset pajesim__find_uncached(pajesim *sim, const pajesim__table *table, const void *bytes,
                                                     uint32_t size, uint32_t scope, uint32_t cache_scope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    pajesim__offset found = pajesim__find(sim, table, &key, scope, 0);
    if ((found || table == &PAJESIM__STATE->values) && size <= 2 * PAJESIM__HALF)
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
    return pajesim__find(sim, table, key, scope, 0);
#endif
}

/* What may be in the cache is about to go; or what may be there as unknown has come. */
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
