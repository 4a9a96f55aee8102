/* Identifiers, and the tables that find what bears them.
 *
 * An identifier of 16 bytes or fewer, nearly all of them, is two words: finding it compares words.  A longer one has its
 * first 8 bytes and a hash of the rest in the words, and its bytes in a block. */

typedef struct pajesim__key {
    uint64_t lo, hi;
    const unsigned char *bytes;
    uint32_t size;
} pajesim__key;

/* What everything in a table begins with. */
typedef struct pajesim__id {
    uint64_t lo, hi;
    uint32_t size;
    pajesim__offset bytes;   /* of an identifier longer than 16 bytes */
    uint32_t scope, subscope; /* what the identifier is unique within: values: the type; links: container and type */
} pajesim__id;

typedef struct pajesim__entry {
    uint32_t hash;
    pajesim__offset offset; /* 0: free */
} pajesim__entry;

#define PAJESIM__MIX1 UINT64_C(0x9E3779B97F4A7C15)
#define PAJESIM__MIX2 UINT64_C(0xFF51AFD7ED558CCD)
#define PAJESIM__MIX3 UINT64_C(0xC4CEB9FE1A85EC53)

PAJESIM__COLD pajesim__key pajesim__long_key(const unsigned char *bytes, uint32_t size)
{
    pajesim__key key;
    uint64_t hash = size;
    uint32_t i;
    for (i = 8; i + 8 <= size; i += 8) {
        hash = (hash ^ pajesim__load64(bytes + i)) * PAJESIM__MIX1;
        hash ^= hash >> 32;
    }
    for (; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001B3);
    key.lo = pajesim__load64(bytes);
    key.hi = hash ^ (hash >> 29);
    key.bytes = bytes;
    key.size = size;
    return key;
}

/* A key of bytes from anywhere. */
static pajesim__key pajesim__key_of(const void *bytes, uint32_t size)
{
    pajesim__key key;
    if (size > 16)
        return pajesim__long_key((const unsigned char *)bytes, size);
    key.lo = key.hi = 0;
    if (size)
        memcpy(&key.lo, bytes, PAJESIM__MIN(size, 8u));
    if (size > 8)
        memcpy(&key.hi, (const unsigned char *)bytes + 8, size - 8u);
    key.bytes = (const unsigned char *)bytes;
    key.size = size;
    return key;
}

/* The same, where 16 bytes may be read if the size is less than `wide`: 17 or 0. */
PAJESIM__INLINE pajesim__key pajesim__key_of_word(const unsigned char *bytes, uint32_t size, uint32_t wide)
{
#if PAJESIM__SSE2
    static const unsigned char mask[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    pajesim__key key;
    __m128i word;
    if (PAJESIM__UNLIKELY(size >= wide))
        return pajesim__key_of(bytes, size);
    word = _mm_and_si128(_mm_loadu_si128((const __m128i *)(const void *)bytes),
                         _mm_loadu_si128((const __m128i *)(const void *)(mask + 16 - size)));
    memcpy(&key.lo, &word, 8);
    word = _mm_unpackhi_epi64(word, word);
    memcpy(&key.hi, &word, 8);
    key.bytes = bytes;
    key.size = size;
    return key;
#else
    (void)wide;
    return pajesim__key_of(bytes, size);
#endif
}

/* A product carries what differs upwards only: so high halves are brought down before the last one, and its highest bits
 * are the best.  Identifiers often differ in their last digits alone, wherever in the words these come to lie. */
PAJESIM__INLINE uint64_t pajesim__mix(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    uint64_t x = (key->lo + scope) * PAJESIM__MIX1;
    uint64_t y = (key->hi + subscope) * PAJESIM__MIX2;
    x ^= y >> 32 | y << 32;
    return (x ^ (x >> 32)) * PAJESIM__MIX3;
}

PAJESIM__INLINE uint32_t pajesim__hash(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    return (uint32_t)(pajesim__mix(key, scope, subscope) >> 32);
}

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
    uint32_t mask = (1u << table->log2) - 1;
    uint32_t i = pajesim__home(hash, table->log2);
    for (; entries[i].offset; i = (i + 1) & mask) {
        const pajesim__id *id;
        if (entries[i].hash != hash)
            continue;
        id = PAJESIM__AT(const pajesim__id, entries[i].offset);
        if (((id->lo ^ key->lo) | (id->hi ^ key->hi)) == 0 && id->size == key->size && id->scope == scope &&
            id->subscope == subscope &&
            (key->size <= 16 || memcmp(sim->arena + id->bytes, key->bytes, key->size) == 0))
            return entries[i].offset;
    }
    return 0;
}

static pajesim__offset pajesim__find(const pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                     uint32_t scope, uint32_t subscope)
{
    return pajesim__find_hashed(sim, table, key, scope, subscope, pajesim__hash(key, scope, subscope));
}

static uint32_t pajesim__hash_of_id(const pajesim__id *id)
{
    pajesim__key key;
    key.lo = id->lo;
    key.hi = id->hi;
    return pajesim__hash(&key, id->scope, id->subscope);
}

/* What an id takes besides the thing that it begins, and how it is filled. */
static pajesim__offset pajesim__take_id(pajesim *sim, const pajesim__key *key)
{
    return key->size > 16 ? pajesim__take(sim, key->size) : 0;
}

static void pajesim__put_id(pajesim *sim, pajesim__id *id, const pajesim__key *key, pajesim__offset bytes,
                            uint32_t scope, uint32_t subscope)
{
    id->lo = key->lo;
    id->hi = key->hi;
    id->size = key->size;
    id->bytes = bytes;
    id->scope = scope;
    id->subscope = subscope;
    if (bytes)
        memcpy(sim->arena + bytes, key->bytes, key->size);
}

static void pajesim__give_id(pajesim *sim, const pajesim__id *id)
{
    if (id->bytes)
        pajesim__give(sim, id->bytes, id->size);
}

static pajesim_text pajesim__id_text(const pajesim *sim, const pajesim__id *id)
{
    return pajesim__view(id->bytes ? (const char *)sim->arena + id->bytes : (const char *)&id->lo, id->size);
}

/* Tables are at most half full.  Growing takes the new entries with the rest of what the line takes; they are filled
 * when something is put. */
static pajesim__offset pajesim__take_entry(pajesim *sim, const pajesim__table *table)
{
    return 2 * (table->count + 1) > (1u << table->log2)
               ? pajesim__take(sim, (uint64_t)sizeof(pajesim__entry) << (table->log2 + 1))
               : 0;
}

static void pajesim__enter(pajesim__entry *entries, uint32_t log2, uint32_t hash, pajesim__offset offset)
{
    uint32_t mask = (1u << log2) - 1, i = pajesim__home(hash, log2);
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
        uint32_t size = 1u << table->log2, i;
        memset(wider, 0, 2 * size * sizeof *wider);
        for (i = 0; i < size; i++)
            if (entries[i].offset)
                pajesim__enter(wider, table->log2 + 1, entries[i].hash, entries[i].offset);
        pajesim__give(sim, table->entries, size * sizeof *entries);
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
    uint32_t mask = (1u << table->log2) - 1;
    uint32_t hole = pajesim__home(pajesim__hash_of_id(PAJESIM__AT(pajesim__id, offset)), table->log2), i;
    while (entries[hole].offset != offset)
        hole = (hole + 1) & mask;
    for (i = (hole + 1) & mask; entries[i].offset; i = (i + 1) & mask)
        if (((i - pajesim__home(entries[i].hash, table->log2)) & mask) >= ((i - hole) & mask)) {
            entries[hole] = entries[i];
            hole = i;
        }
    entries[hole].hash = 0;
    entries[hole].offset = 0;
    table->count--;
}

/* What is looked up in nearly every line, and seldom changes, is found in a cache before its table: definitions, types
 * and values, by identifier and by what they are.  It is no part of the image. */
#define PAJESIM__TYPES_SCOPE 1u
#define PAJESIM__DEFINITIONS_SCOPE(scope) (2u | (scope) << 3)
#define PAJESIM__VALUES_SCOPE(type) (type) /* offsets are multiples of 8 */

#if PAJESIM_CACHE
PAJESIM__INLINE uint32_t pajesim__cache_slot(uint64_t lo, uint64_t hi, uint32_t scope)
{
    return (uint32_t)((((lo ^ scope) + hi * 5) * PAJESIM__MIX1) >> 40) & (PAJESIM_CACHE - 1u);
}
#endif

PAJESIM__INLINE pajesim__offset pajesim__find_cached(pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                                     uint32_t scope, uint32_t cache_scope)
{
#if PAJESIM_CACHE
    uint32_t slot = pajesim__cache_slot(key->lo, key->hi, cache_scope);
    pajesim__offset found;
    if (PAJESIM__LIKELY(((sim->cache[slot].lo ^ key->lo) | (sim->cache[slot].hi ^ key->hi) |
                         (sim->cache[slot].scope ^ cache_scope) | (sim->cache[slot].size ^ key->size)) == 0))
        return sim->cache[slot].ref;
    found = pajesim__find(sim, table, key, scope, 0);
    if (found && key->size <= 16) {
        sim->cache[slot].lo = key->lo;
        sim->cache[slot].hi = key->hi;
        sim->cache[slot].size = key->size;
        sim->cache[slot].scope = cache_scope;
        sim->cache[slot].ref = found;
    }
    return found;
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
    if (sim->cache[slot].lo == id->lo && sim->cache[slot].hi == id->hi && sim->cache[slot].scope == cache_scope)
        sim->cache[slot].scope = 0;
#else
    (void)sim, (void)id, (void)cache_scope;
#endif
}

static void pajesim__take_table(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    table->log2 = log2;
    table->count = 0;
    table->entries = pajesim__take(sim, (uint64_t)sizeof(pajesim__entry) << log2);
}
