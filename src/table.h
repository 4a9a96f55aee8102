/* The tables that find what bears an identifier. */

PAJESIM__INLINE int pajesim__is_id(const pajesim *sim, const pajesim__id *id, const pajesim__key *key, uint32_t scope,
                                   uint32_t subscope)
{
    return ((id->lo ^ key->lo) | (id->hi ^ key->hi)) == 0 &&
           ((id->size ^ key->size) | (id->scope ^ scope) | (id->subscope ^ subscope)) == 0 &&
           (PAJESIM__LIKELY(key->size <= 2 * PAJESIM__HALF) ||
            memcmp(PAJESIM__BYTES(id->bytes), key->bytes, id->size) == 0);
}

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

static pajesim__offset pajesim__take_entry(pajesim *sim, const pajesim__table *table)
{
    (void)sim, (void)table;
    return 0;
}

static pajesim__offset *pajesim__list_of(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    return &table->lists[pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)) % PAJESIM__LISTS];
}

static void pajesim__put_entry(pajesim *sim, pajesim__table *table, pajesim__offset grown, pajesim__offset offset)
{
    pajesim__offset *list = pajesim__list_of(sim, table, offset);
    (void)grown;
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
/* Open addressing. */

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
    uint32_t i = pajesim__home(hash, table->log2);
    for (;; i = (i + 1) & mask) {
        if (PAJESIM__LIKELY(entries[i].hash == hash) && /* 0 where it is free, which is no hash */
            PAJESIM__LIKELY(pajesim__is_id(sim, PAJESIM__AT(const pajesim__id, entries[i].offset), key, scope, subscope)))
            return entries[i].offset;
        if (!entries[i].offset)
            return 0;
    }
}

/* Tables are at most a quarter full, so that what is looked up is nearly always where it belongs: wrong guesses of the
 * processor cost more than the memory. */
PAJESIM__INLINE int pajesim__is_full(const pajesim__table *table)
{
    return 4 * (table->count + UINT32_C(1)) > (UINT32_C(1) << table->log2);
}

/* Growing takes the new entries with the rest of what the line takes; they are filled when something is put. */
static pajesim__offset pajesim__take_entry(pajesim *sim, const pajesim__table *table)
{
    return pajesim__is_full(table)
               ? pajesim__take(sim, (pajesim__size)sizeof(pajesim__entry) << (table->log2 + 1))
               : 0;
}

static void pajesim__enter(pajesim__entry *entries, uint32_t log2, uint32_t hash, pajesim__offset offset)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__home(hash, log2);
    while (entries[i].offset)
        i = (i + 1) & mask;
    entries[i].hash = hash;
    entries[i].offset = offset;
}

static void pajesim__put_entry(pajesim *sim, pajesim__table *table, pajesim__offset grown, pajesim__offset offset)
{
    pajesim__entry *entries = PAJESIM__AT(pajesim__entry, table->entries);
    if (grown) {
        pajesim__entry *wider = PAJESIM__AT(pajesim__entry, grown);
        uint32_t size = UINT32_C(1) << table->log2, i;
        memset(wider, 0, 2 * (size_t)size * sizeof *wider);
        for (i = 0; i < size; i++)
            if (entries[i].offset)
                pajesim__enter(wider, table->log2 + UINT32_C(1), entries[i].hash, entries[i].offset);
        pajesim__give(sim, table->entries, size * (pajesim__size)sizeof *entries);
        table->entries = grown;
        table->log2++;
        entries = wider;
    }
    pajesim__enter(entries, table->log2, pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)), offset);
    table->count++;
}

static void pajesim__remove_entry(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__entry *entries = PAJESIM__AT(pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t hole = pajesim__home(pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)), table->log2), i;
    while (entries[hole].offset != offset)
        hole = (hole + 1) & mask;
    for (i = (hole + 1) & mask; entries[i].offset; i = (i + 1) & mask)
        if (((i - pajesim__home(entries[i].hash, table->log2)) & mask) >= ((i - hole) & mask)) {
            entries[hole] = entries[i];
            hole = i;
        }
    memset(&entries[hole], 0, sizeof *entries);
    table->count--;
}

static void pajesim__take_table(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    table->log2 = (pajesim__length)log2;
    table->count = 0;
    table->entries = pajesim__take(sim, (pajesim__size)sizeof(pajesim__entry) << log2);
}

#endif /* PAJESIM_REFERENCE */

static pajesim__offset pajesim__find(const pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                     uint32_t scope, uint32_t subscope)
{
    return pajesim__find_hashed(sim, table, key, scope, subscope, pajesim__hash(key, scope, subscope));
}

/* What is looked up in nearly every line, and seldom changes, is found in a cache before its table: definitions, types
 * and values, by identifier and by what they are.  It is no part of the image. */
#define PAJESIM__TYPES_SCOPE 1u
#define PAJESIM__DEFINITIONS_SCOPE(scope) (2u | (uint32_t)(scope) << 3)
#define PAJESIM__VALUES_SCOPE(type) ((uint32_t)(type) * PAJESIM__UNIT) /* blocks are at multiples of 8 bytes */

#if PAJESIM_CACHE
PAJESIM__INLINE uint32_t pajesim__cache_slot(uint64_t lo, uint64_t hi, uint32_t scope)
{
    return (uint32_t)((((lo ^ scope) + hi * 5) * PAJESIM__MIX1) >> 40) & (PAJESIM_CACHE - 1u);
}

/* The size of an identifier and what it is unique within, which is never 0. */
PAJESIM__INLINE uint64_t pajesim__cache_tag(uint32_t size, uint32_t scope)
{
    return (uint64_t)size << 32 | scope;
}
#endif

#if PAJESIM_CACHE
/* The key is made again of its bytes, so that whoever calls this need not have it in memory. */
PAJESIM__COLD pajesim__offset pajesim__find_uncached(pajesim *sim, const pajesim__table *table, const void *bytes,
                                                     uint32_t size, uint32_t scope, uint32_t cache_scope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    pajesim__offset found = pajesim__find(sim, table, &key, scope, 0);
    if (found && size <= 2 * PAJESIM__HALF) {
        uint32_t slot = pajesim__cache_slot(key.lo, key.hi, cache_scope);
        sim->cache[slot].lo = key.lo;
        sim->cache[slot].hi = key.hi;
        sim->cache[slot].tag = pajesim__cache_tag(size, cache_scope);
        sim->cache[slot].ref = found;
    }
    return found;
}
#endif

PAJESIM__INLINE pajesim__offset pajesim__find_cached(pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                                     uint32_t scope, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(key->lo, key->hi, cache_scope);
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

/* Something that may be in the cache is about to go. */
static void pajesim__uncache(pajesim *sim, const pajesim__id *id, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(id->lo, id->hi, cache_scope);
    if (sim->cache[slot].lo == id->lo && sim->cache[slot].hi == id->hi &&
        sim->cache[slot].tag == pajesim__cache_tag(id->size, cache_scope))
        sim->cache[slot].tag = 0;
#else
    (void)sim, (void)id, (void)cache_scope;
#endif
}
