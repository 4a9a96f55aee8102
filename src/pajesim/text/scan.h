/* The block scanner: finds the bounds of all words in 1 KiB at a time, as the fast path of the lexer.
 *
 * pajesim__lex defines the grammar.  It handles the lines that the scanner leaves to it: lines without words, lines of
 * more than 1 KiB, and bad ones, which are malformed or have a word that begins with % or a single quote.  A block ends
 * before a bad line, and the next one begins after it.  The tests compare the two. */
#pragma once

#include "line.h"

#if PAJESIM__BLOCKS

#define PAJESIM__BLOCK_SIZE 1024u

/* The lines that end in one block; positions are relative to its beginning.  If run/prefetch.h is used, blocks are half
 * as large, and the lists hold two of them. */
typedef struct pajesim__block {
    uint32_t next, lines;  /* index of the next line, and of the first one beyond the block */
    uint32_t stop;         /* index of the line at which the next block or prefetch step is due */
    uint32_t begin, first; /* offset of the next line, and index of its first bound */
    uint32_t special;      /* 1: has comments; 2: has empty strings: see pajesim__fix_special */
    /* Both lists have slack for stores beyond their end.  line_end: index of the first bound after each line.  bounds:
     * begin and end of each word, and each newline, which may be the end of a word as well. */
    uint16_t line_end[PAJESIM__BLOCK_SIZE + 128];
    uint16_t bounds[PAJESIM__BLOCK_SIZE + 128];
} pajesim__block;

#define PAJESIM__NEWLINE(block, line) ((block)->bounds[(block)->line_end[line] - 1])

/* State carried from 64 bytes of a block to the next 64. */
typedef struct pajesim__scan_state {
    uint64_t word;            /* 1: within a word */
    uint64_t string, comment; /* within a string: all ones; within a comment: 1 */
    uint64_t closed;          /* 1: the last byte closed a string */
    uint64_t bad;             /* not 0: there is a bad line; nothing after it is listed */
    uint32_t special;         /* as in pajesim__block */
} pajesim__scan_state;

PAJESIM__INLINE uint32_t pajesim__popcount(uint64_t x, int popcnt)
{
#if PAJESIM__AVX && defined(__OPTIMIZE__) /* otherwise the builtin may be a library call */
    if (popcnt)
        return (uint32_t)__builtin_popcountll(x);
#endif
    (void)popcnt;
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Returns a bitmap of the bytes that belong to words, a bit for each of 64 bytes: without quotes, except for the first
 * one of an empty string.  `bad_starts` are the bytes ' and %, which make a line bad at the beginning of a word.
 * Clears *newline from the newline of the first bad line on. */
static __attribute__((noinline)) uint64_t pajesim__scan_special(pajesim__scan_state *state, uint64_t blank,
                                                                uint64_t *newline, uint64_t quote, uint64_t hash,
                                                                uint64_t bad_starts)
{
    uint64_t after_blank = blank << 1 | (state->word ^ 1), not_newline = ~*newline, quotes = quote;
    uint64_t string, comment, opens, closes, closed, empty, bad;
    uint32_t shift, pass;
    for (pass = 0;; pass++) { /* the second pass ignores quotes in comments */
        string = quotes;
        for (shift = 1; shift < 64; shift *= 2) /* prefix XOR: from an opening quote to before the closing one */
            string ^= string << shift;
        string ^= state->string;
        comment = (hash & ~string) | state->comment;
        comment = (comment | ~(not_newline + comment)) & not_newline; /* carries run from a # to its newline */
        if (PAJESIM__LIKELY(quotes == (quote & ~comment)) || pass)
            break;
        quotes = quote & ~comment;
    }
    opens = quotes & string;
    closes = quotes & ~string;
    closed = closes << 1 | state->closed;
    empty = opens & closes >> 1;
    bad = (opens & ~after_blank) | (closed & ~(blank | hash)) | (closes & state->string & (state->word ^ 1)) |
          (quotes ^ (quote & ~comment)) | (*newline & string) | (bad_starts & after_blank & ~(string | comment));
    if (bad)
        *newline &= (bad & (0 - bad)) - 1;
    state->bad = bad;
    state->special |= (comment ? 1u : 0u) | (empty ? 2u : 0u);
    state->string = 0 - (string >> 63);
    state->comment = comment >> 63;
    state->closed = closes >> 63;
    return ((~blank | string) & ~(quotes | comment)) | empty;
}

/* Sets the bitmaps `newline` and `word` of the 64 bytes at p; match(p, c, up_to) returns the bytes that equal c or are
 * <= c. */
#define PAJESIM__SCAN_64(match) \
    newline = match(p, '\n', 0); \
    word = ~(newline | match(p, ' ', 0) | match(p, '\t', 0) | match(p, '\r', 0)); \
    if (~(match(p, '\'', 1) ^ word) | state.string | state.comment | state.closed) \
        word = pajesim__scan_special(&state, ~word, &newline, match(p, '"', 0), match(p, '#', 0), \
                                     match(p, '\'', 0) | match(p, '%', 0));

/* Removes the lowest of *bits and returns its index; 63 if there is none. */
PAJESIM__INLINE uint32_t pajesim__next_bit(uint64_t *bits)
{
    uint32_t bit = pajesim__count_trailing_zeros(*bits | UINT64_C(1) << 63);
    *bits &= *bits - 1;
    return bit;
}

/* Removes the four lowest of *bounds and stores them, plus `at`, at `to`; returns the end. */
PAJESIM__INLINE uint16_t *pajesim__list_four(uint16_t *to, uint32_t at, uint64_t *bounds)
{
    uint32_t i;
    for (i = 0; i < 4; i++)
        to[i] = (uint16_t)(at + pajesim__next_bit(bounds));
    return to + 4;
}

/* Stores the bounds around two gaps of one byte each: where a word ends, and where the next one begins. */
PAJESIM__INLINE uint16_t *pajesim__list_gaps(uint16_t *to, uint32_t at, uint64_t *gaps)
{
    uint32_t first = (at + pajesim__next_bit(gaps)) * 0x10001u + 0x10000u;
    uint32_t second = (at + pajesim__next_bit(gaps)) * 0x10001u + 0x10000u;
    memcpy(to, &first, sizeof first);
    memcpy(to + 2, &second, sizeof second);
    return to + 4;
}

/* Lists the bounds of the words, and the newlines, in the 64 bytes at offset `at`, after `count` bounds; returns the
 * new count.  The loops run at least their usual number of times, and later stores overwrite the surplus: so their
 * branches predict well. */
PAJESIM__INLINE uint32_t pajesim__list_bounds(pajesim__block *block, pajesim__scan_state *state, uint32_t count,
                                              uint32_t at, uint64_t word, uint64_t newline, int popcnt)
{
    uint16_t *to = block->bounds + count;
    uint64_t edges = word ^ (word << 1 | state->word), bounds = edges | newline, gaps = ~word;
    uint32_t group = 0;
    state->word = word >> 63;
    if (PAJESIM__LIKELY(!(gaps & ~edges))) {
        *to = (uint16_t)at;
        to += bounds & word & 1;
        for (; group < 6 || gaps; group++)
            to = pajesim__list_gaps(to, at, &gaps);
    } else {
        for (gaps = bounds; group < 5 || gaps; group++)
            to = pajesim__list_four(to, at, &gaps);
    }
    for (; newline; newline &= newline - 1)
        block->line_end[block->lines++] =
            (uint16_t)(count + pajesim__popcount(bounds & (newline ^ (newline - 1)), popcnt));
    return count + pajesim__popcount(bounds, popcnt);
}

/* Match mask of 16 bytes (SSE2): those that equal c, or are <= c if `up_to`. */
PAJESIM__INLINE uint64_t pajesim__match16(const unsigned char *p, char c, int up_to)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p), limit = _mm_set1_epi8(c);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(up_to ? _mm_min_epu8(bytes, limit) : limit, bytes));
}

/* Match mask of 64 bytes (SSE2). */
PAJESIM__INLINE uint64_t pajesim__match64_sse2(const unsigned char *p, char c, int up_to)
{
    return pajesim__match16(p, c, up_to) | pajesim__match16(p + 16, c, up_to) << 16 |
           pajesim__match16(p + 32, c, up_to) << 32 | pajesim__match16(p + 48, c, up_to) << 48;
}

static __attribute__((noinline)) void pajesim__scan_sse2(pajesim__block *block, const unsigned char *p, uint32_t size)
{
    pajesim__scan_state state = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines;
    for (at = 0; at < size && !state.bad; at += 64, p += 64) {
        uint64_t newline, word;
        PAJESIM__SCAN_64(pajesim__match64_sse2)
        count = pajesim__list_bounds(block, &state, count, at, word, newline, 0);
    }
    block->special = state.special;
}

#if PAJESIM__AVX
#define PAJESIM__AVX2 target("avx2,bmi,popcnt")

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match32(const unsigned char *p, char c, int up_to)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p), limit = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(up_to ? _mm256_min_epu8(bytes, limit) : limit, bytes));
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__match64_avx2(const unsigned char *p, char c, int up_to)
{
    return pajesim__match32(p, c, up_to) | pajesim__match32(p + 32, c, up_to) << 32;
}

static __attribute__((noinline, PAJESIM__AVX2)) void pajesim__scan_avx2(pajesim__block *block, const unsigned char *p,
                                                                        uint32_t size)
{
    pajesim__scan_state state = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines;
    for (at = 0; at < size && !state.bad; at += 64, p += 64) {
        uint64_t newline, word;
        PAJESIM__SCAN_64(pajesim__match64_avx2)
        count = pajesim__list_bounds(block, &state, count, at, word, newline, 1);
    }
    block->special = state.special;
}

/* The AVX-512 version also lists without branches: the numbers of bounds and lines in 64 bytes are unpredictable. */
#define PAJESIM__AVX512 target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")

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

static __attribute__((noinline, PAJESIM__AVX512)) void pajesim__scan_avx512(pajesim__block *block,
                                                                            const unsigned char *p, uint32_t size)
{
    static const unsigned char indices[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_loadu_si512(indices);
    pajesim__scan_state state = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines, lines;
    for (at = 0; at < size && !state.bad; at += 64, p += 64) {
        uint64_t newline, word, bounds;
        PAJESIM__SCAN_64(pajesim__match64_avx512)
        bounds = (word ^ (word << 1 | state.word)) | newline;
        state.word = word >> 63;
        pajesim__store_indices(block->bounds + count, bounds, index, at, 1);
        newline = _pext_u64(newline, bounds);
        lines = pajesim__popcount(newline, 1);
        pajesim__store_indices(block->line_end + block->lines, newline, index, count + 1, lines > 32);
        block->lines += lines;
        count += pajesim__popcount(bounds, 1);
    }
    block->special = state.special;
}

#endif

/* Lists the lines from p on, from index `from` on; PAJESIM__PADDING bytes behind `end` may be read.  Prefetches as many
 * bytes one block farther on: hardware prefetchers lose the stream between blocks. */
static void pajesim__scan_block(pajesim *sim, pajesim__block *block, uint32_t from, uint32_t size,
                                const unsigned char *p, const unsigned char *end)
{
    size_t remaining = (size_t)(end - p), at;
    for (at = PAJESIM__BLOCK_SIZE; at < PAJESIM__BLOCK_SIZE + size && at < remaining; at += 64)
        PAJESIM__PREFETCH(p + at);
    size = (uint32_t)PAJESIM__MIN(remaining, size);
    block->lines = from;
#if PAJESIM__AVX
    if (!sim->cpu)
        sim->cpu = pajesim__detect_cpu();
    if (sim->cpu == PAJESIM__CPU_AVX512)
        pajesim__scan_avx512(block, p, size);
    else if (sim->cpu == PAJESIM__CPU_AVX2)
        pajesim__scan_avx2(block, p, size);
    else
#endif
        pajesim__scan_sse2(block, p, size);
    (void)sim;
    /* The last 64 bytes may reach beyond `size`. */
    while (block->lines > from && PAJESIM__NEWLINE(block, block->lines - 1) >= size)
        block->lines--;
}

/* Makes the lines from index `from` on the next ones. */
static void pajesim__enter_block(pajesim__block *block, uint32_t from)
{
    block->next = from;
    block->first = from;
    block->begin = 0;
    block->stop = block->lines;
}

/* Initializes an empty block. */
static void pajesim__block_init(pajesim__block *block)
{
    block->next = block->lines = block->stop = 0;
}

/* Removes the quote from empty strings, and the comment from the line's size. */
static __attribute__((noinline)) void pajesim__fix_special(pajesim__line *line, uint32_t special)
{
    const unsigned char *p;
    uint32_t i;
    for (i = 0; special & 2 && i < line->count; i++)
        if (PAJESIM__SIZE(line, i) == 1 && *PAJESIM__WORD(line, i) == '"') {
            line->spans[2 * i]++;
            line->spans[2 * i + 1] = 0;
        }
    p = PAJESIM__WORD(line, line->count - 1) + PAJESIM__SIZE(line, line->count - 1);
    p += *p == '"';
    p += (*p == ' ') | (*p == '\t'); /* usually the end; without a branch, as it would mispredict */
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    line->size = (uint32_t)(p - PAJESIM__TEXT(line));
}

/* Fills `line` with the block's next line, which begins at p; returns what follows its newline, or NULL if pajesim__lex
 * must handle the line. */
PAJESIM__INLINE const unsigned char *pajesim__next_line(pajesim__line *line, pajesim__block *block,
                                                        const unsigned char *p)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i origin;
    const uint16_t *bounds;
    uint32_t begin, bounds_end, newline, i = 0;
    begin = block->begin;
    bounds = block->bounds + block->first;
    bounds_end = block->line_end[block->next++];
    newline = block->bounds[bounds_end - 1];
    line->shown.text = (const char *)p;
    line->count = (bounds_end - block->first) / 2;
    line->size = newline - begin;
    block->first = bounds_end;
    block->begin = newline + 1;
    if (PAJESIM__UNLIKELY(line->count - 1 >= PAJESIM_WORDS)) /* no words, or too many */
        return NULL;

    line->header = line->simple_quote = line->warnings = line->abandons_definition = line->user_spans_ready = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    origin = _mm_set1_epi16((short)begin);
    do {
        const __m128i *from = (const __m128i *)(const void *)(bounds + 2 * i);
        __m128i *spans = (__m128i *)(void *)(line->spans + 2 * i);
        __m128i four = _mm_sub_epi16(_mm_loadu_si128(from), origin);
        __m128i next = _mm_sub_epi16(_mm_loadu_si128(from + 1), origin);
        four = _mm_sub_epi16(four, _mm_slli_epi32(four, 16)); /* offset and size */
        next = _mm_sub_epi16(next, _mm_slli_epi32(next, 16));
        _mm_storeu_si128(spans, _mm_unpacklo_epi16(four, zero));
        _mm_storeu_si128(spans + 1, _mm_unpackhi_epi16(four, zero));
        _mm_storeu_si128(spans + 2, _mm_unpacklo_epi16(next, zero));
        _mm_storeu_si128(spans + 3, _mm_unpackhi_epi16(next, zero));
        i += 8;
    } while (PAJESIM__UNLIKELY(i < line->count));
    /* The first word again, by scalar loads: everything waits for it, and vectors take longer.  That it begins where
     * the line does is predicted. */
    line->spans[0] = 0;
    line->spans[1] = bounds[1] - begin;
    if (PAJESIM__UNLIKELY(bounds[0] != begin)) {
        line->spans[0] = bounds[0] - begin;
        line->spans[1] -= line->spans[0];
    }
    if (PAJESIM__UNLIKELY(block->special))
        pajesim__fix_special(line, block->special);
    return p + (newline - begin) + 1;
}

#endif /* PAJESIM__BLOCKS */
