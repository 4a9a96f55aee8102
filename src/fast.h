/* The fast path of the lexer: 1 KiB at a time, where words begin and end, so that the words of a line are there without a
 * look at its bytes.
 *
 * Left to pajesim__lex, whose answer is by definition right, are lines without words, of more than 1 KiB, and bad ones:
 * malformed, or with a word that begins with % or a single quote.  A block ends before a bad line, and the next one begins
 * behind it.  The tests hold the two equal. */

#if PAJESIM__BLOCKS

#define PAJESIM__BLOCK_SIZE 1024u

/* The lines that end in one block; positions are relative to its begin.  Where ahead.h looks ahead, blocks are half as
 * large, and the lists have two of them: from index 0 on, and from PAJESIM__HALF_BLOCK on. */
typedef struct pajesim__block {
    uint32_t next, lines;  /* line that is next, and the first one that is not of the block */
    uint32_t stop;         /* line before which to go on with the next block, or to look ahead */
    uint32_t begin, first; /* where it begins, and the index of its first bound */
    uint32_t odd;          /* 1: there are comments; 2: there are empty strings; both are left to pajesim__mend */
    /* With room for a surplus: index of the first bound behind each line; begin and end of each word, and each newline,
     * which may be the end of a word as well. */
    uint16_t beyond[PAJESIM__BLOCK_SIZE + 128];
    uint16_t bounds[PAJESIM__BLOCK_SIZE + 128];
    struct pajesim__ahead *ahead;
} pajesim__block;

#define PAJESIM__HALF_BLOCK (PAJESIM__BLOCK_SIZE / 2 + 64)

#define PAJESIM__NEWLINE(block, line) ((block)->bounds[(block)->beyond[line] - 1])

/* What is carried from 64 bytes of a block to the next. */
typedef struct pajesim__marks {
    uint64_t word;            /* 1: one is not ended yet */
    uint64_t string, comment; /* all ones; 1: the same */
    uint64_t closed;          /* 1: a string ended with the last byte */
    uint64_t bad;             /* not 0: there is a bad line, nothing behind which is marked */
    uint32_t odd;             /* as above */
} pajesim__marks;

PAJESIM__INLINE uint32_t pajesim__ones(uint64_t x, int popcnt)
{
#if PAJESIM__AVX && defined(__OPTIMIZE__) /* else there may be a call of the compiler's library for those without */
    if (popcnt)
        return (uint32_t)__builtin_popcountll(x);
#endif
    (void)popcnt;
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F)) * UINT64_C(0x0101010101010101) >> 56);
}

/* Which of 64 bytes belong to words, as bitmaps, a bit for each byte: quotes taken off, but for the first one of an empty
 * string.  `signs` are ' and %.  From the newline of a bad line on, all newlines are taken out. */
static __attribute__((noinline)) uint64_t pajesim__mark_odd(pajesim__marks *marks, uint64_t blank, uint64_t *newline,
                                                            uint64_t quote, uint64_t hash, uint64_t signs)
{
    uint64_t behind = blank << 1 | (marks->word ^ 1), within = ~*newline, quotes = quote;
    uint64_t string, comment, opens, closes, closed, empty, bad;
    uint32_t by, again;
    for (again = 0;; again++) { /* once more without the quotes in comments, if there are any */
        string = quotes;
        for (by = 1; by < 64; by *= 2) /* from an opening quote to before the closing one */
            string ^= string << by;
        string ^= marks->string;
        comment = (hash & ~string) | marks->comment;
        comment = (comment | ~(within + comment)) & within; /* the sum carries from a # to its newline */
        if (PAJESIM__LIKELY(quotes == (quote & ~comment)) || again)
            break;
        quotes = quote & ~comment;
    }
    opens = quotes & string;
    closes = quotes & ~string;
    closed = closes << 1 | marks->closed;
    empty = opens & closes >> 1;
    bad = (opens & ~behind) | (closed & ~(blank | hash)) | (closes & marks->string & (marks->word ^ 1)) |
          (quotes ^ (quote & ~comment)) | (*newline & string) | (signs & behind & ~(string | comment));
    if (bad)
        *newline &= (bad & (0 - bad)) - 1;
    marks->bad = bad;
    marks->odd |= (comment ? 1u : 0u) | (empty ? 2u : 0u);
    marks->string = 0 - (string >> 63);
    marks->comment = comment >> 63;
    marks->closed = closes >> 63;
    return ((~blank | string) & ~(quotes | comment)) | empty;
}

/* Marks newlines and words among the 64 bytes at p; `which` tells where a character is. */
#define PAJESIM__MARK_64(which)                                                                                        \
    newline = which(p, '\n', 0);                                                                                       \
    word = ~(newline | which(p, ' ', 0) | which(p, '\t', 0) | which(p, '\r', 0));                                      \
    if (~(which(p, '\'', 1) ^ word) | marks.string | marks.comment | marks.closed)                                     \
        word = pajesim__mark_odd(&marks, ~word, &newline, which(p, '"', 0), which(p, '#', 0),                          \
                                 which(p, '\'', 0) | which(p, '%', 0));

/* Index of the lowest of `bits`, which is taken out. */
PAJESIM__INLINE uint32_t pajesim__next_bit(uint64_t *bits)
{
    uint32_t bit = pajesim__low_bit(*bits | UINT64_C(1) << 63);
    *bits &= *bits - 1;
    return bit;
}

/* Lists four bounds behind `to` that are so far from `at`. */
PAJESIM__INLINE uint16_t *pajesim__list_four(uint16_t *to, uint32_t at, uint64_t *bounds)
{
    uint32_t i;
    for (i = 0; i < 4; i++)
        to[i] = (uint16_t)(at + pajesim__next_bit(bounds));
    return to + 4;
}

/* The same of two gaps of one byte: where a word ends, and where the next one begins. */
PAJESIM__INLINE uint16_t *pajesim__list_gaps(uint16_t *to, uint32_t at, uint64_t *gaps)
{
    uint32_t first = (at + pajesim__next_bit(gaps)) * 0x10001u + 0x10000u;
    uint32_t second = (at + pajesim__next_bit(gaps)) * 0x10001u + 0x10000u;
    memcpy(to, &first, sizeof first);
    memcpy(to + 2, &second, sizeof second);
    return to + 4;
}

/* Lists the bounds of the words, and the newlines, in the 64 bytes at `at`.  There are `count` bounds already; answers how
 * many these are then.  A surplus is overwritten: a loop that ends after as many as there usually are is guessed right. */
PAJESIM__INLINE uint32_t pajesim__list(pajesim__block *block, pajesim__marks *marks, uint32_t count, uint32_t at,
                                       uint64_t word, uint64_t newline, int popcnt)
{
    uint16_t *to = block->bounds + count;
    uint64_t edges = word ^ (word << 1 | marks->word), bounds = edges | newline, gaps = ~word;
    uint32_t part = 0;
    marks->word = word >> 63;
    if (PAJESIM__LIKELY(!(gaps & ~edges))) {
        *to = (uint16_t)at;
        to += bounds & word & 1;
        for (; part < 6 || gaps; part++)
            to = pajesim__list_gaps(to, at, &gaps);
    } else {
        for (gaps = bounds; part < 5 || gaps; part++)
            to = pajesim__list_four(to, at, &gaps);
    }
    for (; newline; newline &= newline - 1)
        block->beyond[block->lines++] = (uint16_t)(count + pajesim__ones(bounds & (newline ^ (newline - 1)), popcnt));
    return count + pajesim__ones(bounds, popcnt);
}

/* Which of the 16 bytes at p are c, or up to c. */
PAJESIM__INLINE uint64_t pajesim__which16(const unsigned char *p, char c, int up_to)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p), limit = _mm_set1_epi8(c);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(up_to ? _mm_min_epu8(bytes, limit) : limit, bytes));
}

/* The same of 64. */
PAJESIM__INLINE uint64_t pajesim__which_sse2(const unsigned char *p, char c, int up_to)
{
    return pajesim__which16(p, c, up_to) | pajesim__which16(p + 16, c, up_to) << 16 |
           pajesim__which16(p + 32, c, up_to) << 32 | pajesim__which16(p + 48, c, up_to) << 48;
}

static __attribute__((noinline)) void pajesim__mark_sse2(pajesim__block *block, const unsigned char *p, uint32_t size)
{
    pajesim__marks marks = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines;
    for (at = 0; at < size && !marks.bad; at += 64, p += 64) {
        uint64_t newline, word;
        PAJESIM__MARK_64(pajesim__which_sse2)
        count = pajesim__list(block, &marks, count, at, word, newline, 0);
    }
    block->odd = marks.odd;
}

#if PAJESIM__AVX
#define PAJESIM__AVX2 target("avx2,bmi,popcnt")

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__which32(const unsigned char *p, char c, int up_to)
{
    __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)p), limit = _mm256_set1_epi8(c);
    return (uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(up_to ? _mm256_min_epu8(bytes, limit) : limit, bytes));
}

PAJESIM__INLINE __attribute__((PAJESIM__AVX2)) uint64_t pajesim__which_avx2(const unsigned char *p, char c, int up_to)
{
    return pajesim__which32(p, c, up_to) | pajesim__which32(p + 32, c, up_to) << 32;
}

static __attribute__((noinline, PAJESIM__AVX2)) void pajesim__mark_avx2(pajesim__block *block,
                                                                             const unsigned char *p, uint32_t size)
{
    pajesim__marks marks = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines;
    for (at = 0; at < size && !marks.bad; at += 64, p += 64) {
        uint64_t newline, word;
        PAJESIM__MARK_64(pajesim__which_avx2)
        count = pajesim__list(block, &marks, count, at, word, newline, 1);
    }
    block->odd = marks.odd;
}

/* The same, and lists without branches: how many bounds and lines there are in 64 bytes cannot be guessed. */
#define PAJESIM__AVX512 target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")

PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) uint64_t pajesim__which_avx512(const unsigned char *p, char c, int up_to)
{
    __m512i bytes = _mm512_loadu_si512(p), limit = _mm512_set1_epi8(c);
    return up_to ? _mm512_cmple_epu8_mask(bytes, limit) : _mm512_cmpeq_epi8_mask(bytes, limit);
}

/* Puts `from` plus the index of each bit that is set; 32 of them, 64 if these are many, of which the surplus is
 * overwritten.  `index`: 0 to 63. */
PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) void pajesim__put_indices(uint16_t *to, uint64_t bits, __m512i index,
                                                                          uint32_t from, int many)
{
    const __m512i begin = _mm512_set1_epi16((short)from);
    __m512i which = _mm512_maskz_compress_epi8(bits, index);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, which, 0));
    _mm512_storeu_si512(to, _mm512_add_epi16(begin, low));
    if (many) {
        __m512i high = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, which, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(begin, high));
    }
}

static __attribute__((noinline, PAJESIM__AVX512)) void pajesim__mark_avx512(pajesim__block *block,
                                                                                const unsigned char *p, uint32_t size)
{
    static const unsigned char indices[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i index = _mm512_loadu_si512(indices);
    pajesim__marks marks = {0, 0, 0, 0, 0, 0};
    uint32_t at, count = block->lines, lines;
    for (at = 0; at < size && !marks.bad; at += 64, p += 64) {
        uint64_t newline, word, bounds;
        PAJESIM__MARK_64(pajesim__which_avx512)
        bounds = (word ^ (word << 1 | marks.word)) | newline;
        marks.word = word >> 63;
        pajesim__put_indices(block->bounds + count, bounds, index, at, 1);
        newline = _pext_u64(newline, bounds);
        lines = pajesim__ones(newline, 1);
        pajesim__put_indices(block->beyond + block->lines, newline, index, count + 1, lines > 32);
        block->lines += lines;
        count += pajesim__ones(bounds, 1);
    }
    block->odd = marks.odd;
}

#endif

#define PAJESIM__FETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)

/* Lists the lines from p on, from index `from` on; PAJESIM__PAD bytes behind `end` may be read.  As much of what lies a
 * block farther on is asked for: a processor that fetches by itself loses the thread between blocks. */
static void pajesim__list_block(pajesim *sim, pajesim__block *block, uint32_t from, uint32_t size, const unsigned char *p,
                                const unsigned char *end)
{
    size_t left = (size_t)(end - p), at;
    for (at = PAJESIM__BLOCK_SIZE; at < PAJESIM__BLOCK_SIZE + size && at < left; at += 64)
        PAJESIM__FETCH(p + at);
    size = (uint32_t)PAJESIM__MIN(left, size);
    block->lines = from;
#if PAJESIM__AVX
    if (!sim->machine)
        sim->machine = pajesim__machine();
    if (sim->machine == PAJESIM__HAS_AVX512)
        pajesim__mark_avx512(block, p, size);
    else if (sim->machine == PAJESIM__HAS_AVX2)
        pajesim__mark_avx2(block, p, size);
    else
#endif
        pajesim__mark_sse2(block, p, size);
    (void)sim;
    while (block->lines > from && PAJESIM__NEWLINE(block, block->lines - 1) >= size) /* the last 64 bytes may reach beyond */
        block->lines--;
}

/* The lines from index `from` on are next. */
static void pajesim__enter_block(pajesim__block *block, uint32_t from)
{
    block->next = from;
    block->first = from;
    block->begin = 0;
    block->stop = block->lines;
}

/* There is no block yet. */
static void pajesim__begin_block(pajesim__block *block, struct pajesim__ahead *ahead)
{
    block->next = block->lines = block->stop = 0;
    block->ahead = ahead;
}

/* The containers of which a table is so large (its log2) are too many for a cache: see ahead.h. */
#ifndef PAJESIM__AHEAD_LOG2 /* tests look ahead always */
#define PAJESIM__AHEAD_LOG2 15u
#endif
#define PAJESIM__ARE_MANY(sim) (PAJESIM__STATE->containers.log2 >= PAJESIM__AHEAD_LOG2)

static void pajesim__look_ahead(pajesim *sim, pajesim__block *block, const unsigned char *p, const unsigned char *end);

/* Takes the quote away that an empty string has, and the comment off the line's size. */
static __attribute__((noinline)) void pajesim__mend(pajesim__line *line, uint32_t odd)
{
    const unsigned char *p;
    uint32_t i;
    for (i = 0; odd & 2 && i < line->count; i++)
        if (PAJESIM__SIZE(line, i) == 1 && *PAJESIM__WORD(line, i) == '"') {
            line->spans[2 * i]++;
            line->spans[2 * i + 1] = 0;
        }
    p = PAJESIM__WORD(line, line->count - 1) + PAJESIM__SIZE(line, line->count - 1);
    p += *p == '"';
    p += (*p == ' ') | (*p == '\t'); /* nearly always that was all; whether there is one cannot be guessed */
    while (*p == ' ' || *p == '\t' || *p == '\r')
        p++;
    line->size = (uint32_t)(p - PAJESIM__TEXT(line));
}

/* As pajesim__lex; answers NULL where the line is left to that.  `many`: by way of ahead.h. */
PAJESIM__INLINE const unsigned char *pajesim__lex_fast(pajesim *sim, pajesim__line *line, pajesim__block *block,
                                                       const unsigned char *p, const unsigned char *end, int many)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i origin;
    const uint16_t *bounds;
    uint32_t begin, beyond, newline, i = 0;
    if (PAJESIM__UNLIKELY(block->next == block->stop)) {
        if (many) {
            pajesim__look_ahead(sim, block, p, end);
        } else if (PAJESIM__UNLIKELY(PAJESIM__ARE_MANY(sim))) { /* by now */
            return NULL;
        } else {
            pajesim__list_block(sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
            pajesim__enter_block(block, 0);
        }
        if (PAJESIM__UNLIKELY(block->next == block->lines))
            return NULL;
    }
    begin = block->begin;
    bounds = block->bounds + block->first;
    beyond = block->beyond[block->next++];
    newline = block->bounds[beyond - 1];
    line->shown.text = (const char *)p;
    line->count = (beyond - block->first) / 2;
    line->size = newline - begin;
    block->first = beyond;
    block->begin = newline + 1;
    if (PAJESIM__UNLIKELY(line->count - 1 >= PAJESIM_WORDS)) /* none, or too many */
        return NULL;

    line->header = line->simple_quote = line->warnings = line->gives_up = line->users_found = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    origin = _mm_set1_epi16((short)begin);
    do {
        const __m128i *from = (const __m128i *)(const void *)(bounds + 2 * i);
        __m128i *spans = (__m128i *)(void *)(line->spans + 2 * i);
        __m128i four = _mm_sub_epi16(_mm_loadu_si128(from), origin);
        __m128i next = _mm_sub_epi16(_mm_loadu_si128(from + 1), origin);
        four = _mm_sub_epi16(four, _mm_slli_epi32(four, 16)); /* begin and size */
        next = _mm_sub_epi16(next, _mm_slli_epi32(next, 16));
        _mm_storeu_si128(spans, _mm_unpacklo_epi16(four, zero));
        _mm_storeu_si128(spans + 1, _mm_unpackhi_epi16(four, zero));
        _mm_storeu_si128(spans + 2, _mm_unpacklo_epi16(next, zero));
        _mm_storeu_si128(spans + 3, _mm_unpackhi_epi16(next, zero));
        i += 8;
    } while (PAJESIM__UNLIKELY(i < line->count));
    /* Again the first word, for which everything waits: by way of vectors it takes longer, and that it stands at the line's
     * begin can be guessed. */
    line->spans[0] = 0;
    line->spans[1] = bounds[1] - begin;
    if (PAJESIM__UNLIKELY(bounds[0] != begin)) {
        line->spans[0] = bounds[0] - begin;
        line->spans[1] -= line->spans[0];
    }
    if (PAJESIM__UNLIKELY(block->odd))
        pajesim__mend(line, block->odd);
    return p + (newline - begin) + 1;
}

#endif /* PAJESIM__BLOCKS */
