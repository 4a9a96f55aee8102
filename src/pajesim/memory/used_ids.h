/* The set of identifiers that were used, in strict mode: those of containers and keys of links may not be used twice,
 * so their fingerprints are never removed.
 *
 * Identifiers that only differ in a last digit of 0 to 4, or of 5 to 9, are a group, and share one fingerprint: 59
 * bits of a hash of what they have in common (27 bits where references have 16), and 5 bits for which of them were
 * used.  Keys mostly count up, so groups save four fifths of the memory.
 *
 * Linear hashing (Litwin 1980): one bucket is split at a time, so the memory grows smoothly, by about 12 bytes for
 * each fingerprint, and no line waits for a rehash of all.  A bucket that is full before its turn chains another
 * block; a fingerprint that would make a chain longer than PAJESIM__CHAIN, as only crafted identifiers do, goes to a
 * tree. The probability that two different identifiers of n collide is n*n / 2^62: 2 in 10,000 for 30 million. */
#pragma once

#include "critbit.h"

/* The set. */
typedef struct pajesim__used_ids {
    pajesim__offset directory; /* of buckets */
    pajesim__length capacity;  /* of the directory */
    pajesim__length buckets;
    uint32_t count;
    uint32_t latest; /* where the fingerprint inserted last is, in bytes; 0: unknown */
#if PAJESIM_REFERENCE != 16
    pajesim__offset tree; /* crit-bit tree of fingerprints without a place in a chain; 0: none */
#endif
} pajesim__used_ids;
#define PAJESIM__USED_IDS_MEMBERS(X, T) \
    X(T, directory) X(T, capacity) X(T, buckets) X(T, count) X(T, latest) PAJESIM__IF_32(X(T, tree))

#ifndef PAJESIM__BUCKET     /* tests set fewer */
#define PAJESIM__BUCKET 31u /* fingerprints in a bucket of 256 bytes, or 128 */
#endif
#define PAJESIM__SPLIT 25u  /* per bucket on average, before one is split */
#define PAJESIM__CHAIN 4u   /* blocks */
#define PAJESIM__GROUP_BITS ((pajesim__half)31) /* bits of a fingerprint: which identifiers of the group were used */

/* The fingerprint at byte `at` of the arena. */
#define PAJESIM__FINGERPRINT_AT(sim, at) ((pajesim__half *)(void *)((sim)->arena + (at)))
#define PAJESIM__SAME_GROUP(fingerprint, other) ((((fingerprint) ^ (other)) & ~PAJESIM__GROUP_BITS) == 0)

typedef struct pajesim__bucket {
    pajesim__length count;
    pajesim__offset next;
    pajesim__half fingerprints[PAJESIM__BUCKET];
} pajesim__bucket;
#define PAJESIM__BUCKET_MEMBERS(X, T) \
    X(T, count) X(T, next) X(T, fingerprints)

typedef struct pajesim__used_ids_reservation {
    uint32_t group; /* where the fingerprint of the group is, so nothing is needed; 0: nowhere */
    pajesim__offset block, split, directory;
    pajesim__offset node; /* not 0: the fingerprint goes to the tree, as an identifier in `block` */
} pajesim__used_ids_reservation;

/* Returns the fingerprint of one identifier.  `within` is a hash of what it is unique within, or 0. */
static pajesim__half pajesim__fingerprint(const pajesim__key *key, pajesim__half within)
{
    uint32_t last = key->size ? key->bytes[key->size - 1] + 2u : 0; /* so that the digits 0 and 5 are multiples of 5 */
    pajesim__key stem = pajesim__key_of(key->bytes, key->size - (key->size != 0));
    pajesim__half hash = pajesim__mix(&stem, key->size << 24, 0) + last / 5 * PAJESIM__MIX2 + within;
    hash ^= hash >> 4 * PAJESIM__HALF;
    return (hash & ~PAJESIM__GROUP_BITS) | (pajesim__half)1 << last % 5;
}

static uint32_t pajesim__bucket_index(const pajesim__used_ids *used, pajesim__half fingerprint)
{
    uint32_t level = pajesim__bit_width(used->buckets) - 1;
    uint32_t wide = (uint32_t)(fingerprint / (PAJESIM__GROUP_BITS + 1)) & ((UINT32_C(2) << level) - 1);
    return wide < used->buckets ? wide : wide & ((UINT32_C(1) << level) - 1);
}

#if PAJESIM_REFERENCE == 16
/* Arenas are too small for long chains. */
#define PAJESIM__RESERVE_IN_TREE(sim, head, reservation) 0
#define PAJESIM__FIND_IN_TREE(sim, used, fingerprint) 0
#define PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, reservation) ((void)0)
#else
#define PAJESIM__RESERVE_IN_TREE(sim, head, reservation) pajesim__used_ids_reserve_in_tree(sim, head, reservation)
#define PAJESIM__FIND_IN_TREE(sim, used, fingerprint) pajesim__used_ids_find_in_tree(sim, used, fingerprint)
#define PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, reservation) \
    pajesim__used_ids_insert_in_tree(sim, used, fingerprint, reservation)

/* Returns 0, and allocates nothing, if the chain from `at` on has room, or may get another block. */
static int pajesim__used_ids_reserve_in_tree(pajesim *sim, pajesim__offset at,
                                             pajesim__used_ids_reservation *reservation)
{
    uint32_t blocks;
    if (!at || PAJESIM__AT(sim, const pajesim__bucket, at)->count < PAJESIM__BUCKET)
        return 0;
    for (blocks = 0; at && blocks < PAJESIM__CHAIN; blocks++)
        at = PAJESIM__AT(sim, const pajesim__bucket, at)->next;
    if (blocks < PAJESIM__CHAIN)
        return 0;
    reservation->block = pajesim__alloc(sim, sizeof(pajesim__id));
    reservation->node = pajesim__alloc(sim, sizeof(pajesim__critbit_node));
    return 1;
}

static int pajesim__used_ids_find_in_tree(const pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint)
{
    pajesim__key key = pajesim__key_of(&fingerprint, sizeof fingerprint);
    return used->tree && pajesim__critbit_find(sim, used->tree, &key, 0, 0);
}

static void pajesim__used_ids_insert_in_tree(pajesim *sim, pajesim__used_ids *used, pajesim__half fingerprint,
                                             const pajesim__used_ids_reservation *reservation)
{
    pajesim__key key = pajesim__key_of(&fingerprint, sizeof fingerprint);
    pajesim__init_id(sim, PAJESIM__AT(sim, pajesim__id, reservation->block), &key, 0, 0, 0);
    if (!pajesim__critbit_insert(sim, &used->tree, reservation->node, reservation->block))
        pajesim__free(sim, reservation->node, sizeof(pajesim__critbit_node));
}
#endif

/* Returns where the fingerprint of the group is; 0: nowhere, or in the tree.  Tries the latest first: it is the
 * likeliest. */
static uint32_t pajesim__used_ids_find_group(const pajesim *sim, const pajesim__used_ids *used,
                                             pajesim__half fingerprint)
{
    pajesim__offset at = 0;
    if (used->latest && PAJESIM__SAME_GROUP(*PAJESIM__FINGERPRINT_AT(sim, used->latest), fingerprint))
        return used->latest;
    if (used->buckets)
        at = PAJESIM__AT(sim, const pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)];
    while (at) {
        const pajesim__bucket *bucket = PAJESIM__AT(sim, const pajesim__bucket, at);
        uint32_t i = bucket->count;
        while (i--)
            if (PAJESIM__SAME_GROUP(bucket->fingerprints[i], fingerprint))
                return (uint32_t)((const unsigned char *)&bucket->fingerprints[i] - sim->arena);
        at = bucket->next;
    }
    return 0;
}

/* Whether an identifier was used.  Stores in `reservation` where the fingerprint of its group is. */
static int pajesim__used_ids_contain(const pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint,
                                     pajesim__used_ids_reservation *reservation)
{
    reservation->group = pajesim__used_ids_find_group(sim, used, fingerprint);
    return (reservation->group &&
            (*PAJESIM__FINGERPRINT_AT(sim, reservation->group) & fingerprint & PAJESIM__GROUP_BITS)) ||
           PAJESIM__FIND_IN_TREE(sim, used, fingerprint);
}

/* Reserves what one more fingerprint requires: a block if its chain is full, and one for a split. */
static void pajesim__used_ids_reserve(pajesim *sim, const pajesim__used_ids *used, pajesim__half fingerprint,
                                      pajesim__used_ids_reservation *reservation)
{
    pajesim__offset head = 0;
    if (reservation->group)
        return;
    if (used->buckets)
        head = PAJESIM__AT(sim, const pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)];
    if (!PAJESIM__RESERVE_IN_TREE(sim, head, reservation) &&
        (!head || PAJESIM__AT(sim, const pajesim__bucket, head)->count == PAJESIM__BUCKET))
        reservation->block = pajesim__alloc(sim, sizeof(pajesim__bucket));
    if (used->count >= PAJESIM__SPLIT * used->buckets) {
        reservation->split = pajesim__alloc(sim, sizeof(pajesim__bucket));
        if (used->buckets == used->capacity)
            reservation->directory =
                pajesim__alloc(sim, 2 * (pajesim__size)(used->capacity ? used->capacity : 2) * sizeof(pajesim__offset));
    }
}

/* Appends a fingerprint to the first block of a chain or, if that is full, to one from the chain `spare`.  Returns
 * where it is. */
static uint32_t pajesim__bucket_append(pajesim *sim, pajesim__offset *head, pajesim__half fingerprint,
                                       pajesim__offset *spare)
{
    pajesim__bucket *bucket = *head ? PAJESIM__AT(sim, pajesim__bucket, *head) : NULL;
    if (!bucket || bucket->count == PAJESIM__BUCKET) {
        pajesim__offset block = *spare;
        bucket = PAJESIM__AT(sim, pajesim__bucket, block);
        *spare = bucket->next;
        bucket->next = *head;
        bucket->count = 0;
        *head = block;
    }
    bucket->fingerprints[bucket->count] = fingerprint;
    return (uint32_t)((unsigned char *)&bucket->fingerprints[bucket->count++] - sim->arena);
}

/* Splits the bucket whose turn it is.  A chain of n blocks makes two of n + 1 at most: `spare` is the one more. */
static void pajesim__used_ids_split(pajesim *sim, pajesim__used_ids *used, pajesim__offset spare)
{
    pajesim__offset *directory = PAJESIM__AT(sim, pajesim__offset, used->directory);
    uint32_t from, to = used->buckets;
    pajesim__offset at;
    pajesim__half fingerprints[PAJESIM__BUCKET];
    used->latest = 0; /* fingerprints move */
    directory[to] = 0;
    if (used->buckets++ == 0) {
        pajesim__free(sim, spare, sizeof(pajesim__bucket));
        return;
    }
    from = to - (UINT32_C(1) << (pajesim__bit_width(to) - 1));
    at = directory[from];
    directory[from] = 0;
    PAJESIM__AT(sim, pajesim__bucket, spare)->next = 0;
    while (at) {
        pajesim__bucket *bucket = PAJESIM__AT(sim, pajesim__bucket, at);
        pajesim__offset next = bucket->next;
        uint32_t count = bucket->count, i;
        memcpy(fingerprints, bucket->fingerprints, (size_t)count * sizeof *fingerprints);
        bucket->next = spare;
        spare = at;
        for (i = 0; i < count; i++)
            pajesim__bucket_append(sim, &directory[pajesim__bucket_index(used, fingerprints[i])], fingerprints[i],
                                   &spare);
        at = next;
    }
    while (spare) {
        at = PAJESIM__AT(sim, pajesim__bucket, spare)->next;
        pajesim__free(sim, spare, sizeof(pajesim__bucket));
        spare = at;
    }
}

static void pajesim__used_ids_insert(pajesim *sim, pajesim__used_ids *used, pajesim__half fingerprint,
                                     pajesim__used_ids_reservation reservation)
{
    PAJESIM__ASSERT(!sim->allocs); /* the reservation is committed */
    if (reservation.group) {
        *PAJESIM__FINGERPRINT_AT(sim, reservation.group) |= fingerprint & PAJESIM__GROUP_BITS;
        used->latest = reservation.group;
        return;
    }
    if (reservation.directory) {
        if (used->capacity) {
            memcpy(PAJESIM__BYTES(sim, reservation.directory), PAJESIM__BYTES(sim, used->directory),
                   used->capacity * sizeof(pajesim__offset));
            pajesim__free(sim, used->directory, used->capacity * (pajesim__size)sizeof(pajesim__offset));
        }
        used->directory = reservation.directory;
        used->capacity = (pajesim__length)(used->capacity ? 2 * used->capacity : 4);
    }
    if (!used->buckets) { /* the very first */
        pajesim__used_ids_split(sim, used, reservation.split);
        reservation.split = 0;
    }
    if (reservation.node) {
        PAJESIM__INSERT_IN_TREE(sim, used, fingerprint, &reservation);
    } else {
        if (reservation.block)
            PAJESIM__AT(sim, pajesim__bucket, reservation.block)->next = 0;
        used->latest = pajesim__bucket_append(
            sim, &PAJESIM__AT(sim, pajesim__offset, used->directory)[pajesim__bucket_index(used, fingerprint)],
            fingerprint, &reservation.block);
    }
    if (reservation.split)
        pajesim__used_ids_split(sim, used, reservation.split);
    used->count++;
}
