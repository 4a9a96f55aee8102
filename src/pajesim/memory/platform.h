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

#if PAJESIM_SIMD && defined(__SSE2__)
#define PAJESIM__SSE2 1
#include <emmintrin.h>
#else
#define PAJESIM__SSE2 0
#endif

/* Whether the fast path of text/scan.h is compiled. */
#define PAJESIM__BLOCKS (PAJESIM_FAST && PAJESIM__SSE2 && PAJESIM_REFERENCE == 32)

/* tests/read/prefetch.c records the addresses. */
#if PAJESIM__BLOCKS && !defined(PAJESIM__PREFETCH)
#define PAJESIM__PREFETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)
#endif

/* Whether functions for AVX2 and AVX-512 are compiled as well, to be called where the processor has these. */
#if PAJESIM__BLOCKS && PAJESIM_SIMD > 1 && defined(__x86_64__) && __STDC_HOSTED__ && \
    (defined(__clang__) ? __clang_major__ >= 9 : __GNUC__ >= 9)
#define PAJESIM__AVX 1
#include <cpuid.h>
#include <immintrin.h>

enum { PAJESIM__CPU_SSE2 = 1, PAJESIM__CPU_AVX2, PAJESIM__CPU_AVX512 };

/* Detects what the processor has and the system saves.  (__builtin_cpu_supports needs a library.) */
static int pajesim__detect_cpu(void)
{
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_POPCNT))
        return PAJESIM__CPU_SSE2; /* unreached: only on machines without AVX2 */
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2) || !(b & bit_BMI))
        return PAJESIM__CPU_SSE2; /* unreached: only there, too */
    return (saved & 0xe6) == 0xe6 && (b & bit_BMI2) && (b & bit_AVX512F) && (b & bit_AVX512BW) && (c & bit_AVX512VBMI2)
               ? PAJESIM__CPU_AVX512
               : PAJESIM__CPU_AVX2;
}
#else
#define PAJESIM__AVX 0
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
