/* Hash tables that find records by their identifiers. */
#pragma once

#include "critbit.h"

#if PAJESIM_REFERENCE == 16
#define PAJESIM__LISTS 16u
#endif

/* A hash table of records that begin with a pajesim__id. */
typedef struct pajesim__table {
#if PAJESIM_REFERENCE == 16
    pajesim__offset lists[PAJESIM__LISTS];
#else
    pajesim__offset entries;
    uint32_t log2; /* of the number of slots */
    uint32_t count;
    pajesim__offset tree; /* crit-bit tree of records without a slot; 0: none */
#endif
} pajesim__table;
#define PAJESIM__TABLE_MEMBERS(X, T) \
    PAJESIM__IF_16(X(T, lists)) PAJESIM__IF_32(X(T, entries) X(T, log2) X(T, count) X(T, tree))

#if PAJESIM_REFERENCE == 16
/* Chained lists, by hash: little code and memory, good for some hundreds of records. */

PAJESIM__INLINE pajesim__offset pajesim__table_find_hashed(const pajesim *sim, const pajesim__table *table,
                                                           const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                           uint32_t hash)
{
    pajesim__offset offset = table->lists[hash % PAJESIM__LISTS];
    while (offset && !pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, offset), key, scope, subscope))
        offset = PAJESIM__AT(sim, const pajesim__id, offset)->next;
    return offset;
}

typedef pajesim__offset pajesim__table_reservation;

static pajesim__table_reservation pajesim__table_reserve(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    (void)sim, (void)table, (void)hash;
    return 0;
}

static pajesim__offset *pajesim__table_list(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    return &table->lists[pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset)) % PAJESIM__LISTS];
}

static void pajesim__table_insert(pajesim *sim, pajesim__table *table, const pajesim__table_reservation *taken,
                                  pajesim__offset offset)
{
    pajesim__offset *list = pajesim__table_list(sim, table, offset);
    (void)taken;
    PAJESIM__AT(sim, pajesim__id, offset)->next = *list;
    *list = offset;
}

static void pajesim__table_remove(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__offset *at = pajesim__table_list(sim, table, offset);
    while (*at != offset) {
        PAJESIM__ASSERT(*at); /* it is in the table */
        at = &PAJESIM__AT(sim, pajesim__id, *at)->next;
    }
    *at = PAJESIM__AT(sim, pajesim__id, offset)->next;
}

static void pajesim__table_alloc(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    (void)sim, (void)table, (void)log2;
}

#else
/* Open addressing with linear probing.  No entry is PAJESIM__PROBES slots or more from its home slot; a record that
 * would be, as with identifiers crafted to collide, goes to a crit-bit tree.  So every lookup is short. */

#ifndef PAJESIM__PROBES
#define PAJESIM__PROBES 32u /* random hashes reach this once in 10^9 insertions; tests set fewer */
#endif

typedef struct pajesim__entry {
    uint32_t hash; /* 0: free */
    pajesim__offset offset;
} pajesim__entry;
#define PAJESIM__ENTRY_MEMBERS(X, T) \
    X(T, hash) X(T, offset)

/* Returns the home slot of a hash. */
PAJESIM__INLINE uint32_t pajesim__table_home(uint32_t hash, uint32_t log2)
{
    return hash >> (32 - log2);
}

PAJESIM__INLINE pajesim__offset pajesim__table_find_hashed(const pajesim *sim, const pajesim__table *table,
                                                           const pajesim__key *key, uint32_t scope, uint32_t subscope,
                                                           uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__table_home(hash, table->log2), probes = 0;
    for (;; i = (i + 1) & mask) {
        if (PAJESIM__LIKELY(entries[i].hash == hash) && /* a free slot has 0, which no hash is */
            PAJESIM__LIKELY(
                pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, entries[i].offset), key, scope, subscope)))
            return entries[i].offset;
        if (!entries[i].offset || ++probes == PAJESIM__PROBES)
            break;
    }
    return PAJESIM__LIKELY(!table->tree)
               ? 0
               : pajesim__critbit_find_bytes(sim, table->tree, key->bytes, key->size, scope, subscope);
}

/* Puts an entry into the next free slot; returns 0 if that is PAJESIM__PROBES or more away. */
static int pajesim__table_place(pajesim__entry *entries, uint32_t log2, uint32_t hash, pajesim__offset offset)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__table_home(hash, log2), beyond = i + PAJESIM__PROBES;
    while (entries[i & mask].offset)
        if (++i == beyond)
            return 0;
    entries[i & mask].hash = hash;
    entries[i & mask].offset = offset;
    return 1;
}

/* Moves an entry to a table twice as large.  The entry farther from its home slot wins a contested slot, so that no
 * entry gets too far: none was before. */
static void pajesim__table_move_entry(pajesim__entry *entries, uint32_t log2, pajesim__entry entry)
{
    uint32_t mask = (UINT32_C(1) << log2) - 1, i = pajesim__table_home(entry.hash, log2), far = 0;
    for (; entries[i].offset; i = (i + 1) & mask, far++) {
        uint32_t other = (i - pajesim__table_home(entries[i].hash, log2)) & mask;
        if (other < far) {
            pajesim__entry there = entries[i];
            entries[i] = entry;
            entry = there;
            far = other;
        }
    }
    entries[i] = entry;
}

/* Load factor 1/4, so that nearly every record is in its home slot: branch misses cost more than memory.  Large
 * tables have 3/8: there memory costs more.  A table that must grow allocates the new slots with the rest of what the
 * line needs; pajesim__table_insert moves the entries.  Whether the new record then has a slot is not known before:
 * so a node for the tree is reserved as well, and freed if it is not used. */
typedef struct pajesim__table_reservation {
    pajesim__offset grown, node;
} pajesim__table_reservation;

/* Bytes of the new slots that one more entry requires; 0: none. */
static pajesim__size pajesim__table_growth(const pajesim__table *table)
{
    uint32_t eighths = table->log2 < 17 ? 2 : 3;
    return table->count >= (eighths << table->log2 >> 3)
               ? (pajesim__size)sizeof(pajesim__entry) << (table->log2 + 1)
               : 0;
}

static pajesim__size pajesim__table_node_size(const pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t i = pajesim__table_home(hash, table->log2), beyond = i + PAJESIM__PROBES;
    if (pajesim__table_growth(table))
        return sizeof(pajesim__critbit_node);
    for (; i != beyond; i++)
        if (!entries[i & mask].offset)
            return 0;
    return sizeof(pajesim__critbit_node);
}

static pajesim__table_reservation pajesim__table_reserve(pajesim *sim, const pajesim__table *table, uint32_t hash)
{
    pajesim__table_reservation taken = {0, 0};
    if (pajesim__table_growth(table))
        taken.grown = pajesim__alloc(sim, pajesim__table_growth(table));
    if (pajesim__table_node_size(sim, table, hash))
        taken.node = pajesim__alloc(sim, sizeof(pajesim__critbit_node));
    return taken;
}

static void pajesim__table_insert(pajesim *sim, pajesim__table *table, const pajesim__table_reservation *taken,
                                  pajesim__offset offset)
{
    uint32_t hash = pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset));
    PAJESIM__ASSERT(!sim->allocs && (taken->grown || !pajesim__table_growth(table)));
    if (taken->grown) {
        const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
        pajesim__entry *wider = PAJESIM__AT(sim, pajesim__entry, taken->grown);
        uint32_t size = UINT32_C(1) << table->log2, i;
        memset(wider, 0, 2 * (size_t)size * sizeof *wider);
        for (i = 0; i < size; i++)
            if (entries[i].offset)
                pajesim__table_move_entry(wider, table->log2 + UINT32_C(1), entries[i]);
        pajesim__free(sim, table->entries, size * (pajesim__size)sizeof *entries);
        table->entries = taken->grown;
        table->log2++;
    }
    table->count++;
    if ((pajesim__table_place(PAJESIM__AT(sim, pajesim__entry, table->entries), table->log2, hash, offset) ||
         !pajesim__critbit_insert(sim, &table->tree, taken->node, offset)) &&
        taken->node)
        pajesim__free(sim, taken->node, sizeof(pajesim__critbit_node));
}

static void pajesim__table_remove(pajesim *sim, pajesim__table *table, pajesim__offset offset)
{
    pajesim__entry *entries = PAJESIM__AT(sim, pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1;
    uint32_t hole = pajesim__table_home(pajesim__hash_of_id(PAJESIM__AT(sim, pajesim__id, offset)), table->log2), i;
    uint32_t beyond = hole + PAJESIM__PROBES;
    PAJESIM__ASSERT(table->count);
    table->count--;
    for (; entries[hole & mask].offset != offset; hole++)
        if (hole == beyond || !entries[hole & mask].offset) {
            pajesim__critbit_remove(sim, &table->tree, offset);
            return;
        }
    /* Backward-shift deletion: later entries that are away from home move up; none is PAJESIM__PROBES away. */
    for (i = hole + 1; entries[i & mask].offset && i - hole < PAJESIM__PROBES; i++)
        if (((i - pajesim__table_home(entries[i & mask].hash, table->log2)) & mask) >= i - hole) {
            entries[hole & mask] = entries[i & mask];
            hole = i;
        }
    memset(&entries[hole & mask], 0, sizeof *entries);
}

/* Allocates the slots of an empty table. */
static void pajesim__table_alloc(pajesim *sim, pajesim__table *table, uint32_t log2)
{
    table->log2 = (pajesim__length)log2;
    table->entries = pajesim__alloc(sim, (pajesim__size)sizeof(pajesim__entry) << log2);
}

#endif /* PAJESIM_REFERENCE */

static pajesim__offset pajesim__table_find(const pajesim *sim, const pajesim__table *table, const pajesim__key *key,
                                           uint32_t scope, uint32_t subscope)
{
    return pajesim__table_find_hashed(sim, table, key, scope, subscope, pajesim__hash(key, scope, subscope));
}
