/* Identifiers: keys of the hash tables.
 *
 * An identifier of up to 16 bytes, as nearly all are, is stored in two words, so lookups compare words.  A longer one
 * has its first 8 bytes and a hash of the rest in the words, and all its bytes in a block of their own.  Where
 * references have 16 bits, words are half as large. */
#pragma once

#include "arena.h"
#include "simd.h"

#if PAJESIM_REFERENCE == 16
typedef uint32_t pajesim__half;
#else
typedef uint64_t pajesim__half;
#endif

#define PAJESIM__HALF ((uint32_t)sizeof(pajesim__half))

/* An identifier to look up: of a line, or of the caller. */
typedef struct pajesim__key {
    pajesim__half lo, hi;
    const unsigned char *bytes;
    uint32_t size;
} pajesim__key;

/* An identifier in the arena: each record that a table finds begins with one. */
typedef struct pajesim__id {
    pajesim__half lo, hi;
    pajesim__length size;
    pajesim__offset bytes;   /* block of an identifier that does not fit in the words; else 0 */
    pajesim_ref scope, subscope; /* what it is unique within: of a value its type; of a link its container and type */
#if PAJESIM_REFERENCE == 16
    pajesim__offset next; /* record in the same list of a table */
#endif
} pajesim__id;
#define PAJESIM__ID_MEMBERS(X, T) \
    X(T, lo) X(T, hi) X(T, size) X(T, bytes) X(T, scope) X(T, subscope) PAJESIM__IF_16(X(T, next))

/* Multipliers of hashes: odd, so that multiplication loses no bit; their lower halves are odd, too. */
#define PAJESIM__MIX1 ((pajesim__half)UINT64_C(0x9E3779B97F4A7C15))
#define PAJESIM__MIX2 ((pajesim__half)UINT64_C(0xFF51AFD7ED558CCD))
#define PAJESIM__MIX3 ((pajesim__half)UINT64_C(0xC4CEB9FE1A85EC53))
#define PAJESIM__MIX4 ((pajesim__half)UINT64_C(0x100000001B3))

PAJESIM__INLINE pajesim__half pajesim__load_half(const void *bytes)
{
    pajesim__half half;
    memcpy(&half, bytes, sizeof half);
    return half;
}

PAJESIM__COLD pajesim__key pajesim__long_key(const unsigned char *bytes, uint32_t size)
{
    pajesim__key key;
    pajesim__half hash = size;
    uint32_t i;
    for (i = PAJESIM__HALF; !PAJESIM_SMALL && i + PAJESIM__HALF <= size; i += PAJESIM__HALF) {
        hash = (hash ^ pajesim__load_half(bytes + i)) * PAJESIM__MIX1;
        hash ^= hash >> 4 * PAJESIM__HALF;
    }
    for (; i < size; i++)
        hash = (hash ^ bytes[i]) * PAJESIM__MIX4;
    key.lo = pajesim__load_half(bytes);
    key.hi = hash ^ (hash >> 29);
    key.bytes = bytes;
    key.size = size;
    return key;
}

/* Makes a key from `size` bytes. */
static pajesim__key pajesim__key_of(const void *bytes, uint32_t size)
{
    pajesim__half words[2];
    pajesim__key key;
    if (size > 2 * PAJESIM__HALF)
        return pajesim__long_key((const unsigned char *)bytes, size);
    memset(words, 0, sizeof words);
    if (size)
        memcpy(words, bytes, (size_t)size);
    key.lo = words[0];
    key.hi = words[1];
    key.bytes = (const unsigned char *)bytes;
    key.size = size;
    return key;
}

/* The key of a word of a line.  `padded` is PAJESIM__PADDED where PAJESIM__PADDING bytes behind the line may be read,
 * so that the 16 bytes of a short word are loaded at once; else 0. */
#define PAJESIM__PADDED 17u /* the least size that is too long for that */

PAJESIM__INLINE pajesim__key pajesim__key_of_word(const unsigned char *bytes, uint32_t size, uint32_t padded)
{
#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
    static const unsigned char mask[32] = {255, 255, 255, 255, 255, 255, 255, 255,
                                           255, 255, 255, 255, 255, 255, 255, 255};
    pajesim__key key;
    pajesim__bytes16 word;
    key.bytes = bytes;
    key.size = size;
    if (PAJESIM__UNLIKELY(size >= padded)) {
        pajesim__key slow = pajesim__key_of(bytes, size);
        key.lo = slow.lo;
        key.hi = slow.hi;
        return key;
    }
    word = pajesim__load16(bytes) & pajesim__load16(mask + 16 - size);
    pajesim__halves(word, &key.lo, &key.hi);
    return key;
#else
    (void)padded;
    return pajesim__key_of(bytes, size);
#endif
}

#if PAJESIM__SIMD && PAJESIM_REFERENCE != 16
/* As pajesim__key_of_word, faster for words of one to eight bytes. */
PAJESIM__INLINE pajesim__key pajesim__key_of_number(const unsigned char *bytes, uint32_t size, uint32_t padded)
{
    pajesim__key key;
    if (PAJESIM__UNLIKELY(size - 1 >= 8 || !padded))
        return pajesim__key_of_word(bytes, size, padded);
    key.lo = pajesim__load64(bytes) & UINT64_MAX >> (64 - 8 * size);
    key.hi = 0;
    key.bytes = bytes;
    key.size = size;
    return key;
}
#endif

/* Hashes a key.  Multiplication spreads differences upwards only, so the high halves are folded down before the last
 * product, whose highest bits are the best.  (Identifiers often differ only in their last digits, which may lie
 * anywhere in the words.) */
PAJESIM__INLINE pajesim__half pajesim__mix(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    pajesim__half x = (key->lo + scope) * PAJESIM__MIX1;
    pajesim__half y = (key->hi + subscope) * PAJESIM__MIX2;
    x ^= y >> 4 * PAJESIM__HALF | y << 4 * PAJESIM__HALF;
    return (x ^ (x >> 4 * PAJESIM__HALF)) * PAJESIM__MIX3;
}

/* The hash of a table entry.  Never 0 where 0 marks a free slot; no table is so large that it uses the lowest bit. */
PAJESIM__INLINE uint32_t pajesim__hash(const pajesim__key *key, uint32_t scope, uint32_t subscope)
{
    return (uint32_t)(pajesim__mix(key, scope, subscope) >> (8 * PAJESIM__HALF - 32)) | (PAJESIM_REFERENCE != 16);
}

/* Makes a key that serves for hashing only: it has no bytes. */
static pajesim__key pajesim__key_of_id(const pajesim__id *id)
{
    pajesim__key key;
    key.lo = id->lo;
    key.hi = id->hi;
    key.bytes = NULL;
    key.size = id->size;
    return key;
}

static uint32_t pajesim__hash_of_id(const pajesim__id *id)
{
    pajesim__key key = pajesim__key_of_id(id);
    return pajesim__hash(&key, id->scope, id->subscope);
}

/* Allocates the block of an identifier that does not fit in the words; returns 0 if it needs none. */
static pajesim__offset pajesim__alloc_id(pajesim *sim, const pajesim__key *key)
{
    return key->size > 2 * PAJESIM__HALF ? pajesim__alloc(sim, key->size) : 0;
}

static void pajesim__init_id(pajesim *sim, pajesim__id *id, const pajesim__key *key, pajesim__offset bytes,
                             uint32_t scope, uint32_t subscope)
{
    PAJESIM__ASSERT((bytes != 0) == (key->size > 2 * PAJESIM__HALF));
    id->lo = key->lo;
    id->hi = key->hi;
    id->size = (pajesim__length)key->size;
    id->bytes = bytes;
    id->scope = (pajesim_ref)scope;
    id->subscope = (pajesim_ref)subscope;
    if (bytes)
        memcpy(PAJESIM__BYTES(sim, bytes), key->bytes, (size_t)key->size);
}

static void pajesim__free_id(pajesim *sim, const pajesim__id *id)
{
    if (id->bytes)
        pajesim__free(sim, id->bytes, id->size);
}

static pajesim_text pajesim__id_text(const pajesim *sim, const pajesim__id *id)
{
    return pajesim__view(id->bytes ? (const char *)PAJESIM__BYTES(sim, id->bytes) : (const char *)&id->lo, id->size);
}

PAJESIM__INLINE int pajesim__id_equals(const pajesim *sim, const pajesim__id *id, const pajesim__key *key,
                                       uint32_t scope, uint32_t subscope)
{
    return ((id->lo ^ key->lo) | (id->hi ^ key->hi)) == 0 && id->size == key->size && id->scope == scope &&
           id->subscope == subscope &&
           (key->size <= 2 * PAJESIM__HALF || memcmp(PAJESIM__BYTES(sim, id->bytes), key->bytes, id->size) == 0);
}
