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
    uint64_t open;            /* not 0: within a string or comment, or the last byte closed a string */
    uint64_t bad;             /* not 0: there is a bad line; nothing after it is listed */
    uint32_t special;         /* as in pajesim__block */
} pajesim__scan_state;

PAJESIM__INLINE uint32_t pajesim__popcount(uint64_t x, int popcnt)
{
#if (PAJESIM__AVX || PAJESIM__NEON || PAJESIM__WASM) && defined(__OPTIMIZE__) /* else the builtin may call a library */
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
    state->open = state->string | state->comment | state->closed;
    return ((~blank | string) & ~(quotes | comment)) | empty;
}

/* Sets the bitmaps `newline` and `word` of the 64 bytes at p; match is a pajesim__match64.  Most lines have only words,
 * spaces and newlines: all else is looked for where there are other bytes up to the single quote. */
#define PAJESIM__SCAN_64(match) \
    newline = match(p, '\n', 0); \
    word = ~(newline | match(p, ' ', 0)); \
    if (~(match(p, '\'', 1) ^ word) | state.open) { \
        word &= ~(match(p, '\t', 0) | match(p, '\r', 0)); \
        if (~(match(p, '\'', 1) ^ word) | state.open) \
            word = pajesim__scan_special(&state, ~word, &newline, match(p, '"', 0), match(p, '#', 0), \
                                         match(p, '\'', 0) | match(p, '%', 0)); \
    }

/* The places of the bits of a byte, the lowest first, as bytes of an integer.  PAJESIM__PLACES_N has an entry for each
 * value of the lowest N bits; `places` are those of the bits above. */
#define PAJESIM__PLACES_1(places) (places), (places) << 8
#define PAJESIM__PLACES_2(places) PAJESIM__PLACES_1(places), PAJESIM__PLACES_1((places) << 8 | 1)
#define PAJESIM__PLACES_3(places) PAJESIM__PLACES_2(places), PAJESIM__PLACES_2((places) << 8 | 2)
#define PAJESIM__PLACES_4(places) PAJESIM__PLACES_3(places), PAJESIM__PLACES_3((places) << 8 | 3)
#define PAJESIM__PLACES_5(places) PAJESIM__PLACES_4(places), PAJESIM__PLACES_4((places) << 8 | 4)
#define PAJESIM__PLACES_6(places) PAJESIM__PLACES_5(places), PAJESIM__PLACES_5((places) << 8 | 5)
#define PAJESIM__PLACES_7(places) PAJESIM__PLACES_6(places), PAJESIM__PLACES_6((places) << 8 | 6)
#define PAJESIM__PLACES_8(places) PAJESIM__PLACES_7(places), PAJESIM__PLACES_7((places) << 8 | 7)
static const uint64_t pajesim__places[256] = {PAJESIM__PLACES_8(UINT64_C(0))};

/* The number of bits of a byte.  PAJESIM__COUNT_N has an entry for each value of the lowest N bits; n is the number of
 * those above. */
#define PAJESIM__COUNT_2(n) n, n + 1, n + 1, n + 2
#define PAJESIM__COUNT_4(n) \
    PAJESIM__COUNT_2(n), PAJESIM__COUNT_2(n + 1), PAJESIM__COUNT_2(n + 1), PAJESIM__COUNT_2(n + 2)
#define PAJESIM__COUNT_6(n) \
    PAJESIM__COUNT_4(n), PAJESIM__COUNT_4(n + 1), PAJESIM__COUNT_4(n + 1), PAJESIM__COUNT_4(n + 2)
static const uint8_t pajesim__bit_count[256] = {PAJESIM__COUNT_6(0), PAJESIM__COUNT_6(1), PAJESIM__COUNT_6(1),
                                                PAJESIM__COUNT_6(2)};

/* Stores the places of the bits of the lowest byte, plus `at`; returns the end.  Later stores overwrite the surplus: so
 * no branch depends on how many there are. */
PAJESIM__INLINE uint16_t *pajesim__list_byte(uint16_t *to, uint64_t bits, pajesim__numbers8 at)
{
    at += pajesim__widen8(&pajesim__places[bits & 255]);
    memcpy(to, &at, sizeof at);
    return to + pajesim__bit_count[bits & 255];
}

/* Lists the bounds of the words, and the newlines, in the 64 bytes at offset `at`, after `count` bounds; returns the
 * new count.  `at` is a vector, which compilers would otherwise make from an integer for each byte. */
PAJESIM__INLINE uint32_t pajesim__list_bounds(pajesim__block *block, pajesim__scan_state *state, uint32_t count,
                                              pajesim__numbers8 at, uint64_t word, uint64_t newline, int popcnt)
{
    uint16_t *to = block->bounds + count;
    uint64_t bounds = (word ^ (word << 1 | state->word)) | newline;
    uint32_t pairs = 4;
    state->word = word >> 63;
    for (; newline; newline &= newline - 1)
        block->line_end[block->lines++] =
            (uint16_t)(count + pajesim__popcount(bounds & (newline ^ (newline - 1)), popcnt));
    for (; pairs; pairs--, bounds >>= 16, at += pajesim__splat8(16)) {
        to = pajesim__list_byte(to, bounds, at);
        to = pajesim__list_byte(to, bounds >> 8, at + pajesim__splat8(8));
    }
    return (uint32_t)(to - block->bounds);
}

/* Defines the scanner `name`, which lists the words and lines of `size` bytes at p.  `popcnt`: the processor counts
 * bits. */
#define PAJESIM__SCANNER(name, attribute, match, popcnt) \
    static __attribute__((noinline)) attribute void name(pajesim__block *block, const unsigned char *p, uint32_t size) \
    { \
        pajesim__scan_state state = {0, 0, 0, 0, 0, 0, 0}; \
        pajesim__numbers8 offset = pajesim__splat8(0); \
        uint32_t at, count = block->lines; \
        for (at = 0; at < size && !state.bad; at += 64, p += 64) { \
            uint64_t newline, word; \
            PAJESIM__SCAN_64(match) \
            count = pajesim__list_bounds(block, &state, count, offset, word, newline, popcnt); \
            offset += pajesim__splat8(64); \
        } \
        block->special = state.special; \
    }
PAJESIM__SCANNER(pajesim__scan_base, , pajesim__match64_base, PAJESIM__NEON || PAJESIM__WASM)

#if PAJESIM__AVX
PAJESIM__SCANNER(pajesim__scan_avx2, __attribute__((PAJESIM__AVX2)), pajesim__match64_avx2, 1)

/* The AVX-512 version lists all bounds, and all lines, at once. */
static __attribute__((noinline, PAJESIM__AVX512)) void pajesim__scan_avx512(pajesim__block *block,
                                                                            const unsigned char *p, uint32_t size)
{
    static const unsigned char indices[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_loadu_si512(indices);
    pajesim__scan_state state = {0, 0, 0, 0, 0, 0, 0};
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
        pajesim__scan_base(block, p, size);
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
    block->next = block->lines = block->stop = block->special = 0;
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
    do {
        pajesim__store_spans(line->spans + 2 * i, bounds + 2 * i, begin);
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
