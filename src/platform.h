/* What the compiler and the machine offer.  Everything has a plain C fallback. */
#include <string.h>

#if defined(__GNUC__) || defined(__clang__)
#define PAJESIM__LIKELY(x) __builtin_expect(!!(x), 1)
#define PAJESIM__UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#define PAJESIM__LIKELY(x) (x)
#define PAJESIM__UNLIKELY(x) (x)
#endif

/* Without optimisation what is inlined would only take more of the stack. */
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

/* Used in several places, of which none shall have a copy, where code is to be small. */
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

/* Whether there is the fast path of fast.h. */
#define PAJESIM__BLOCKS (PAJESIM_FAST && PAJESIM__SSE2 && PAJESIM_REFERENCE == 32)

/* Whether functions are compiled for better machines than the rest, to be called where one is found. */
#if PAJESIM__BLOCKS && PAJESIM_SIMD > 1 && defined(__x86_64__) && __STDC_HOSTED__ && \
    (defined(__clang__) ? __clang_major__ >= 9 : __GNUC__ >= 9)
#define PAJESIM__AVX 1
#include <cpuid.h>
#include <immintrin.h>

enum { PAJESIM__HAS_SSE2 = 1, PAJESIM__HAS_AVX2, PAJESIM__HAS_AVX512 };

/* What the processor has, and the system saves.  (The compiler's own way needs a library.) */
static int pajesim__machine(void)
{
    unsigned a, b, c, d, saved, high;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_OSXSAVE) || !(c & bit_POPCNT))
        return PAJESIM__HAS_SSE2; /* unreached: only on machines without AVX2 */
    __asm__ volatile("xgetbv" : "=a"(saved), "=d"(high) : "c"(0));
    if ((saved & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(b & bit_AVX2) || !(b & bit_BMI))
        return PAJESIM__HAS_SSE2; /* unreached: only there, too */
    return (saved & 0xe6) == 0xe6 && (b & bit_BMI2) && (b & bit_AVX512F) && (b & bit_AVX512BW) && (c & bit_AVX512VBMI2)
               ? PAJESIM__HAS_AVX512
               : PAJESIM__HAS_AVX2;
}
#else
#define PAJESIM__AVX 0
#endif

/* Lines that have so many readable bytes behind their newline are lexed, and made bitmaps of, many bytes at a time, which
 * reads beyond the newline; what lies there is not used.  The last lines of a piece have not: they are lexed byte by byte. */
#define PAJESIM__PAD 64u

#define PAJESIM__MIN(a, b) ((a) < (b) ? (a) : (b))

/* Index of the lowest set bit; of nothing else than x != 0. */
PAJESIM__INLINE uint32_t pajesim__low_bit(uint64_t x)
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
PAJESIM__INLINE uint32_t pajesim__bits(uint64_t x)
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
