/* SIMD: what each instruction set contributes to the lexer (text/lex.re), the block scanner (text/scan.h), the number
 * parser (text/number.h) and the identifiers, as small functions.  The algorithms that use them are written once.
 *
 * SSE2, NEON (little-endian AArch64) and SIMD128 (WebAssembly) are chosen by the compiler's options.  AVX2 and AVX-512
 * are chosen at run time, for the block scanner only. */
#pragma once

#include "platform.h"

#if PAJESIM_SIMD && defined(__SSE2__)
#define PAJESIM__SIMD 1
#include <emmintrin.h>
#elif PAJESIM_SIMD && defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)
#define PAJESIM__SIMD 1
#define PAJESIM__NEON 1
#include <arm_neon.h>
#elif PAJESIM_SIMD && defined(__wasm_simd128__)
#define PAJESIM__SIMD 1
#define PAJESIM__WASM 1
#include <wasm_simd128.h>
#else
#define PAJESIM__SIMD 0
#endif
#ifndef PAJESIM__NEON
#define PAJESIM__NEON 0
#endif
#ifndef PAJESIM__WASM
#define PAJESIM__WASM 0
#endif

/* Whether the fast path of text/scan.h is compiled. */
#define PAJESIM__BLOCKS (PAJESIM_FAST && PAJESIM__SIMD && PAJESIM_REFERENCE == 32)

/* tests/read/prefetch.c records the addresses. */
#if PAJESIM__BLOCKS && !defined(PAJESIM__PREFETCH)
#define PAJESIM__PREFETCH(address) __builtin_prefetch(address)
#endif

#if PAJESIM__SIMD
/* 16 bytes; operators work on each. */
typedef unsigned char pajesim__bytes16 __attribute__((vector_size(16)));

PAJESIM__INLINE pajesim__bytes16 pajesim__load16(const void *bytes)
{
    pajesim__bytes16 v;
    memcpy(&v, bytes, sizeof v);
    return v;
}

PAJESIM__INLINE pajesim__bytes16 pajesim__splat16(unsigned char c)
{
    pajesim__bytes16 v = {c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c};
    return v;
}

/* Compares each byte with c: all ones where it is equal, or is <= c if `up_to`; else 0. */
PAJESIM__INLINE pajesim__bytes16 pajesim__compare16(pajesim__bytes16 v, unsigned char c, int up_to)
{
    pajesim__bytes16 limit = pajesim__splat16(c);
    return up_to ? (pajesim__bytes16)(v <= limit) : (pajesim__bytes16)(v == limit);
}

/* Bitmap of a comparison: a bit for each byte, 2^PAJESIM__BIT16_LOG2 places apart. */
#if PAJESIM__NEON
#define PAJESIM__BIT16_LOG2 2
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v)
{
    uint8x8_t nibbles = vshrn_n_u16(vreinterpretq_u16_u8((uint8x16_t)v), 4);
    return vget_lane_u64(vreinterpret_u64_u8(nibbles), 0) & UINT64_C(0x8888888888888888);
}
#elif PAJESIM__WASM
#define PAJESIM__BIT16_LOG2 0
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v) { return (uint32_t)wasm_i8x16_bitmask((v128_t)v); }
#else
#define PAJESIM__BIT16_LOG2 0
PAJESIM__INLINE uint64_t pajesim__bitmap16(pajesim__bytes16 v) { return (uint32_t)_mm_movemask_epi8((__m128i)v); }
#endif

/* Index of the first byte in a bitmap that is not 0; and 1 + the index of the last one, or 0. */
#define PAJESIM__FIRST16(bitmap) (pajesim__count_trailing_zeros(bitmap) >> PAJESIM__BIT16_LOG2)
#define PAJESIM__LAST16(bitmap) (pajesim__bit_width(bitmap) >> PAJESIM__BIT16_LOG2)

/* Moves all bytes to the next higher place; the lowest becomes 0. */
PAJESIM__INLINE pajesim__bytes16 pajesim__up_one_byte(pajesim__bytes16 v)
{
#if PAJESIM__NEON
    return (pajesim__bytes16)vextq_u8(vdupq_n_u8(0), (uint8x16_t)v, 15);
#elif PAJESIM__WASM
    return (pajesim__bytes16)wasm_i8x16_shuffle((v128_t)v, (v128_t)pajesim__splat16(0), 16, 0, 1, 2, 3, 4, 5, 6, 7, 8,
                                                9, 10, 11, 12, 13, 14);
#else
    return (pajesim__bytes16)_mm_slli_si128((__m128i)v, 1);
#endif
}

/* Sets the first eight bytes and the others. */
PAJESIM__INLINE void pajesim__halves(pajesim__bytes16 v, uint64_t *first, uint64_t *second)
{
    __extension__ typedef unsigned long long halves __attribute__((vector_size(16)));
    *first = ((halves)v)[0];
    *second = ((halves)v)[1];
}

/* Combines 16 digits (0 to 9) to pairs, pairs to fours, fours to eights, whose values it sets; returns 0 if a byte
 * exceeds 9. */
PAJESIM__INLINE int pajesim__combine_digits(pajesim__bytes16 v, uint64_t *high, uint64_t *low)
{
#if PAJESIM__NEON
    uint8x16_t digits = (uint8x16_t)v;
    uint16x8_t pairs;
    uint32x4_t fours;
    uint64x2_t eights;
    if (PAJESIM__UNLIKELY(vmaxvq_u8(digits) > 9))
        return 0;
    pairs = vpaddlq_u8(vmulq_u8(digits, vreinterpretq_u8_u16(vdupq_n_u16(10 | 1 << 8))));
    fours = vpaddlq_u16(vmulq_u16(pairs, vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16))));
    eights = vpaddlq_u32(vmulq_u32(fours, vreinterpretq_u32_u64(vdupq_n_u64(10000 | UINT64_C(1) << 32))));
    *high = vgetq_lane_u64(eights, 0);
    *low = vgetq_lane_u64(eights, 1);
#elif PAJESIM__WASM
    v128_t digits = (v128_t)v;
    if (PAJESIM__UNLIKELY(wasm_v128_any_true(wasm_u8x16_gt(digits, wasm_i8x16_splat(9)))))
        return 0;
    digits = wasm_i16x8_add(wasm_i16x8_mul(wasm_v128_and(digits, wasm_i16x8_splat(255)), wasm_i16x8_splat(10)),
                            wasm_u16x8_shr(digits, 8));
    digits = wasm_i32x4_dot_i16x8(digits, wasm_i32x4_splat(100 | 1 << 16));
    digits = wasm_i16x8_narrow_i32x4(digits, digits);
    digits = wasm_i32x4_dot_i16x8(digits, wasm_i32x4_splat(10000 | 1 << 16));
    *high = (uint32_t)wasm_i32x4_extract_lane(digits, 0);
    *low = (uint32_t)wasm_i32x4_extract_lane(digits, 1);
#else
    __m128i digits = (__m128i)v;
    uint64_t both;
    if (PAJESIM__UNLIKELY(_mm_movemask_epi8(_mm_adds_epu8(digits, _mm_set1_epi8(127 - 9)))))
        return 0;
    digits = _mm_add_epi16(_mm_mullo_epi16(_mm_and_si128(digits, _mm_set1_epi16(255)), _mm_set1_epi16(10)),
                           _mm_srli_epi16(digits, 8));
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(100 | 1 << 16));
    digits = _mm_packs_epi32(digits, digits);
    digits = _mm_madd_epi16(digits, _mm_set1_epi32(10000 | 1 << 16));
    memcpy(&both, &digits, sizeof both);
    *high = both & UINT32_MAX;
    *low = both >> 32;
#endif
    return 1;
}
#endif /* PAJESIM__SIMD */

#if PAJESIM__BLOCKS
/* Compares 64 bytes as pajesim__compare16 does; returns a bit for each.  This and the functions of the same name for
 * AVX2 and AVX-512 are what the block scanner is built on. */
PAJESIM__INLINE uint64_t pajesim__match64_base(const unsigned char *p, unsigned char c, int up_to)
{
    pajesim__bytes16 m0 = pajesim__compare16(pajesim__load16(p), c, up_to);
    pajesim__bytes16 m1 = pajesim__compare16(pajesim__load16(p + 16), c, up_to);
    pajesim__bytes16 m2 = pajesim__compare16(pajesim__load16(p + 32), c, up_to);
    pajesim__bytes16 m3 = pajesim__compare16(pajesim__load16(p + 48), c, up_to);
#if !PAJESIM__BIT16_LOG2
    return pajesim__bitmap16(m0) | pajesim__bitmap16(m1) << 16 | pajesim__bitmap16(m2) << 32 |
           pajesim__bitmap16(m3) << 48;
#else
    /* Keeps a bit of each byte, by its place among eight, and gathers them by sums of neighbours. */
    const pajesim__bytes16 bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t low = vpaddq_u8((uint8x16_t)(m0 & bit), (uint8x16_t)(m1 & bit));
    uint8x16_t high = vpaddq_u8((uint8x16_t)(m2 & bit), (uint8x16_t)(m3 & bit));
    low = vpaddq_u8(low, high);
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(low, low)), 0);
#endif
}

/* Eight numbers of 16 bits; operators work on each. */
typedef uint16_t pajesim__numbers8 __attribute__((vector_size(16)));

PAJESIM__INLINE pajesim__numbers8 pajesim__splat8(uint32_t number)
{
    uint16_t n = (uint16_t)number;
    pajesim__numbers8 v = {n, n, n, n, n, n, n, n};
    return v;
}

/* Loads eight bytes as numbers. */
PAJESIM__INLINE pajesim__numbers8 pajesim__widen8(const void *bytes)
{
#if PAJESIM__NEON
    return (pajesim__numbers8)vmovl_u8(vld1_u8((const uint8_t *)bytes));
#elif PAJESIM__WASM
    return (pajesim__numbers8)wasm_u16x8_load8x8(bytes);
#else
    return (pajesim__numbers8)_mm_unpacklo_epi8(_mm_loadl_epi64((const __m128i *)bytes), _mm_setzero_si128());
#endif
}

/* Stores offset and size of eight words whose bounds are given, relative to `origin`. */
PAJESIM__INLINE void pajesim__store_spans(uint32_t *to, const uint16_t *bounds, uint32_t origin)
{
#if PAJESIM__NEON
    const uint16x8_t begin = vdupq_n_u16((uint16_t)origin);
    uint16x8x2_t eight = vld2q_u16(bounds);
    uint16x8_t offset = vsubq_u16(eight.val[0], begin), size = vsubq_u16(eight.val[1], eight.val[0]);
    uint32x4x2_t spans;
    spans.val[0] = vmovl_u16(vget_low_u16(offset));
    spans.val[1] = vmovl_u16(vget_low_u16(size));
    vst2q_u32(to, spans);
    spans.val[0] = vmovl_u16(vget_high_u16(offset));
    spans.val[1] = vmovl_u16(vget_high_u16(size));
    vst2q_u32(to + 8, spans);
#elif PAJESIM__WASM
    const v128_t begin = wasm_i16x8_splat((int16_t)origin);
    v128_t four = wasm_i16x8_sub(wasm_v128_load(bounds), begin);
    v128_t next = wasm_i16x8_sub(wasm_v128_load(bounds + 8), begin);
    four = wasm_i16x8_sub(four, wasm_i32x4_shl(four, 16)); /* offset and size */
    next = wasm_i16x8_sub(next, wasm_i32x4_shl(next, 16));
    wasm_v128_store(to, wasm_u32x4_extend_low_u16x8(four));
    wasm_v128_store(to + 4, wasm_u32x4_extend_high_u16x8(four));
    wasm_v128_store(to + 8, wasm_u32x4_extend_low_u16x8(next));
    wasm_v128_store(to + 12, wasm_u32x4_extend_high_u16x8(next));
#else
    const __m128i zero = _mm_setzero_si128(), begin = _mm_set1_epi16((short)origin);
    __m128i four = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)bounds), begin);
    __m128i next = _mm_sub_epi16(_mm_loadu_si128((const __m128i *)(const void *)(bounds + 8)), begin);
    __m128i *spans = (__m128i *)(void *)to;
    four = _mm_sub_epi16(four, _mm_slli_epi32(four, 16)); /* offset and size */
    next = _mm_sub_epi16(next, _mm_slli_epi32(next, 16));
    _mm_storeu_si128(spans, _mm_unpacklo_epi16(four, zero));
    _mm_storeu_si128(spans + 1, _mm_unpackhi_epi16(four, zero));
    _mm_storeu_si128(spans + 2, _mm_unpacklo_epi16(next, zero));
    _mm_storeu_si128(spans + 3, _mm_unpackhi_epi16(next, zero));
#endif
}
#endif /* PAJESIM__BLOCKS */

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

#define PAJESIM__AVX2 target("avx2,bmi,popcnt")
#define PAJESIM__AVX512 target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match32(const unsigned char *p, char c, int up_to)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p), limit = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(up_to ? _mm256_min_epu8(bytes, limit) : limit, bytes));
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match64_avx2(const unsigned char *p, char c, int up_to)
{
    return pajesim__match32(p, c, up_to) | pajesim__match32(p + 32, c, up_to) << 32;
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) uint64_t pajesim__match64_avx512(const unsigned char *p, char c,
                                                                                  int up_to)
{
    __m512i bytes = _mm512_loadu_si512(p), limit = _mm512_set1_epi8(c);
    return up_to ? _mm512_cmple_epu8_mask(bytes, limit) : _mm512_cmpeq_epi8_mask(bytes, limit);
}

/* Stores `from` plus the index of each bit that is set: 32 entries, or 64 if `many`; later stores overwrite the
 * surplus.  `index` holds 0 to 63. */
PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) void pajesim__store_indices(uint16_t *to, uint64_t bits, __m512i index,
                                                                             uint32_t from, int many)
{
    const __m512i begin = _mm512_set1_epi16((short)from);
    __m512i packed = _mm512_maskz_compress_epi8(bits, index);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, packed, 0));
    _mm512_storeu_si512(to, _mm512_add_epi16(begin, low));
    if (many) {
        __m512i high = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, packed, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(begin, high));
    }
}
#else
#define PAJESIM__AVX 0
#endif
