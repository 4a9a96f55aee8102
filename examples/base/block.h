/* Some bytes of a text at once: what is found has a bit for each byte, the lowest one for the first. */
#pragma once

#include "base/platform.h"

#include <string.h>

enum { BLOCK_BYTES = 16, BLOCK_ALL = (1 << BLOCK_BYTES) - 1 };

#if defined(__SSE2__)
#include <emmintrin.h>

typedef __m128i block16;

static inline block16 block_load(const char *bytes)
{
    return _mm_loadu_si128((const __m128i *)(const void *)bytes);
}

static inline block16 block_of(char byte)
{
    return _mm_set1_epi8(byte);
}

static inline uint32_t block_same(block16 a, block16 b)
{
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
}

/* The bytes that are at most this one, without signs. */
static inline uint32_t block_up_to(block16 bytes, char most)
{
    return block_same(_mm_min_epu8(bytes, block_of(most)), bytes);
}
#else
typedef struct block16 {
    unsigned char bytes[BLOCK_BYTES];
} block16;

static inline block16 block_load(const char *bytes)
{
    block16 loaded;
    memcpy(loaded.bytes, bytes, BLOCK_BYTES);
    return loaded;
}

static inline block16 block_of(char byte)
{
    block16 filled;
    memset(filled.bytes, byte, BLOCK_BYTES);
    return filled;
}

static inline uint32_t block_same(block16 a, block16 b)
{
    uint32_t found = 0;
    for (int i = 0; i < BLOCK_BYTES; i++)
        found |= (uint32_t)(a.bytes[i] == b.bytes[i]) << i;
    return found;
}

static inline uint32_t block_up_to(block16 bytes, char most)
{
    uint32_t found = 0;
    for (int i = 0; i < BLOCK_BYTES; i++)
        found |= (uint32_t)(bytes.bytes[i] <= (unsigned char)most) << i;
    return found;
}
#endif

/* The bytes that are this one. */
static inline uint32_t block_find(block16 bytes, char byte)
{
    return block_same(bytes, block_of(byte));
}

static inline uint32_t block_digits(block16 bytes)
{
    return block_up_to(bytes, '9') & ~block_up_to(bytes, '0' - 1);
}

/* The first byte of what is found, which is something. */
static inline unsigned block_first(uint32_t found)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctz(found);
#else
    unsigned first = 0;
    for (; !(found >> first & 1); first++)
        ;
    return first;
#endif
}
