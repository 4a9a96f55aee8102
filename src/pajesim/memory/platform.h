/* What the compiler and the processor offer.  Everything has a fallback in plain C. */
#pragma once

#include "../api/config.h"

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJESIM__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PAJESIM__LIKELY(x) (x)
#define PAJESIM__UNLIKELY(x) (x)
#endif

/* Checks a precondition.  Off by default; tests define it: tests/lib/checked.h. */
#ifndef PAJESIM__ASSERT
#define PAJESIM__ASSERT(condition) ((void)0)
#endif

/* Stands behind a switch that has a case for every value, where control never gets. */
#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__UNREACHABLE __builtin_unreachable()
#else
#define PAJESIM__UNREACHABLE ((void)0)
#endif

/* Without optimisation, forced inlining would only use more stack. */
#if (defined(__GNUC__) || defined(__clang__)) && !PAJESIM_SMALL && defined(__OPTIMIZE__)
#define PAJESIM__INLINE static inline __attribute__((always_inline))
#define PAJESIM__COLD static __attribute__((noinline, cold))
#else
#define PAJESIM__INLINE static inline
#define PAJESIM__COLD static
#endif
#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__APART static __attribute__((noinline))
#else
#define PAJESIM__APART static
#endif

/* For functions with several callers: one copy where code must be small, else inline. */
#if (defined(__GNUC__) || defined(__clang__)) && PAJESIM_SMALL
#define PAJESIM__SHARED static __attribute__((noinline))
#else
#define PAJESIM__SHARED PAJESIM__INLINE
#endif

/* Lines with this many readable bytes behind their newline are scanned many bytes at a time, which reads beyond the
 * newline and ignores what is there.  The last lines of a piece have fewer: they are lexed byte by byte. */
#define PAJESIM__PADDING 64u

#define PAJESIM__MIN(a, b) ((a) < (b) ? (a) : (b))

/* Index of the lowest set bit of x, which may not be 0. */
PAJESIM__INLINE uint32_t pajesim__count_trailing_zeros(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(x);
#else
    uint32_t i = 0;
    while (!(x & 1)) {
        x >>= 1;
        i++;
    }
    return i;
#endif
}

/* How many bits it takes to write x; 0 for 0. */
PAJESIM__INLINE uint32_t pajesim__bit_width(uint64_t x)
{
#if defined(__GNUC__) || defined(__clang__)
    return x ? 64u - (uint32_t)__builtin_clzll(x) : 0u;
#else
    uint32_t n = 0;
    for (; x; x >>= 1)
        n++;
    return n;
#endif
}

PAJESIM__INLINE uint64_t pajesim__load64(const void *bytes)
{
    uint64_t x;
    memcpy(&x, bytes, sizeof x);
    return x;
}
