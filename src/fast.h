/* The fast path of the lexer: 1 KiB at a time, where words and lines end, so that the words of a plain line are there
 * without a look at its bytes.
 *
 * Plain are lines with single blanks or tabs between words, LF or CRLF at the end, and no string, comment or header in
 * them: nearly all, in most traces.  Every other line is left to pajesim__lex, whose answer is by definition right; the
 * tests hold the two equal. */

#if PAJESIM__BLOCKS

#define PAJESIM__BLOCK_SIZE 1024u
#define PAJESIM__ODD 0x8000u

/* The lines that end in one block; positions are relative to its begin.  Where ahead.h looks ahead, blocks are half as
 * large, and the lists have two of them: from index 0 on, and from PAJESIM__HALF_BLOCK on. */
typedef struct pajesim__block {
    uint32_t next, lines;  /* line that is next, and the first one that is not of the block */
    uint32_t stop;         /* line before which to go on with the next block, or to look ahead */
    uint32_t begin, first; /* where it begins, and the index of its first word's end */
    uint16_t newline[PAJESIM__BLOCK_SIZE + 128]; /* each with room for a surplus */
    uint16_t beyond[PAJESIM__BLOCK_SIZE + 128];  /* index of the first end behind the line; | PAJESIM__ODD: it is not plain */
    uint16_t ends[PAJESIM__BLOCK_SIZE + 128];    /* what follows each word, one index on */
    struct pajesim__ahead *ahead;
} pajesim__block;

#define PAJESIM__HALF_BLOCK (PAJESIM__BLOCK_SIZE / 2 + 64)

/* What is carried from 64 bytes of a block to the next. */
typedef struct pajesim__marks {
    uint32_t lines, ends;
    uint64_t blank; /* 1: a blank was the last */
    uint64_t odd;   /* not 0: the line that is not ended yet is not plain */
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

/* From bitmaps of the 64 bytes at `at`, a bit for each byte, to the lines that end there: `blank` are blank, tab, CR and
 * newline, which end words, `low` all bytes up to ', so also quotes, #, % and what seldom occurs.  Answers in which bytes
 * words end. */
PAJESIM__INLINE uint64_t pajesim__mark_lines(pajesim__block *block, pajesim__marks *marks, uint32_t at, uint64_t blank,
                                             uint64_t newline, uint64_t low, int popcnt)
{
    uint64_t behind = blank << 1 | marks->blank;                     /* what stands behind a blank */
    uint64_t odd = (low ^ blank) | (blank & ~newline & behind);
    uint64_t ends = blank & ~(newline & behind);                     /* CRLF: the CR ends the last word */
    marks->blank = blank >> 63;
    while (newline) {
        uint64_t line = newline ^ (newline - 1);
        block->newline[marks->lines] = (uint16_t)(at + pajesim__low_bit(newline));
        block->beyond[marks->lines++] = (uint16_t)((marks->ends + pajesim__ones(ends & line, popcnt)) |
                                                   ((odd & line) | marks->odd ? PAJESIM__ODD : 0));
        marks->odd = 0;
        odd &= ~line;
        newline &= newline - 1;
    }
    marks->odd |= odd;
    return ends;
}

/* The lowest of `ends`, which is taken out. */
PAJESIM__INLINE uint16_t pajesim__next_end(uint32_t at, uint64_t *ends)
{
    uint32_t end = at + pajesim__low_bit(*ends | UINT64_C(1) << 63);
    *ends &= *ends - 1;
    return (uint16_t)end;
}

/* Where words end in the 64 bytes at `at`, 12 at once: usually there are not more.  A surplus is overwritten. */
PAJESIM__INLINE void pajesim__mark_ends(pajesim__block *block, pajesim__marks *marks, uint32_t at, uint64_t ends, int popcnt)
{
    uint16_t *to = block->ends + marks->ends;
    uint32_t part;
    marks->ends += pajesim__ones(ends, popcnt);
    for (part = 0; part < 3 || ends; part++, to += 4) {
        to[0] = pajesim__next_end(at, &ends);
        to[1] = pajesim__next_end(at, &ends);
        to[2] = pajesim__next_end(at, &ends);
        to[3] = pajesim__next_end(at, &ends);
    }
}

static __attribute__((noinline)) void pajesim__mark_sse2(pajesim__block *block, const unsigned char *p, uint32_t size)
{
    const __m128i blanks = _mm_set1_epi8(' '), tabs = _mm_set1_epi8('\t'), returns = _mm_set1_epi8('\r');
    const __m128i newlines = _mm_set1_epi8('\n'), limit = _mm_set1_epi8('\'');
    pajesim__marks marks = {block->lines, block->lines + 1, 1, 0};
    uint32_t at;
    for (at = 0; at < size; at += 64) {
        uint64_t blank = 0, newline = 0, low = 0;
        int part;
        for (part = 0; part < 64; part += 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + at + part));
            __m128i lines = _mm_cmpeq_epi8(bytes, newlines);
            __m128i gaps = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, blanks), lines),
                                        _mm_or_si128(_mm_cmpeq_epi8(bytes, tabs), _mm_cmpeq_epi8(bytes, returns)));
            __m128i lows = _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes);
            newline |= (uint64_t)(uint32_t)_mm_movemask_epi8(lines) << part;
            blank |= (uint64_t)(uint32_t)_mm_movemask_epi8(gaps) << part;
            low |= (uint64_t)(uint32_t)_mm_movemask_epi8(lows) << part;
        }
        pajesim__mark_ends(block, &marks, at, pajesim__mark_lines(block, &marks, at, blank, newline, low, 0), 0);
    }
    block->lines = marks.lines;
}

#if PAJESIM__AVX
/* The same 32 bytes at a time. */
static __attribute__((noinline, target("avx2,bmi,popcnt"))) void pajesim__mark_avx2(pajesim__block *block,
                                                                                    const unsigned char *p, uint32_t size)
{
    const __m256i blanks = _mm256_set1_epi8(' '), tabs = _mm256_set1_epi8('\t'), returns = _mm256_set1_epi8('\r');
    const __m256i newlines = _mm256_set1_epi8('\n'), limit = _mm256_set1_epi8('\'');
    pajesim__marks marks = {block->lines, block->lines + 1, 1, 0};
    uint32_t at;
    for (at = 0; at < size; at += 64) {
        uint64_t blank = 0, newline = 0, low = 0;
        int part;
        for (part = 0; part < 64; part += 32) {
            __m256i bytes = _mm256_loadu_si256((const __m256i *)(const void *)(p + at + part));
            __m256i lines = _mm256_cmpeq_epi8(bytes, newlines);
            __m256i gaps =
                _mm256_or_si256(_mm256_or_si256(_mm256_cmpeq_epi8(bytes, blanks), lines),
                                _mm256_or_si256(_mm256_cmpeq_epi8(bytes, tabs), _mm256_cmpeq_epi8(bytes, returns)));
            __m256i lows = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, limit), bytes);
            newline |= (uint64_t)(uint32_t)_mm256_movemask_epi8(lines) << part;
            blank |= (uint64_t)(uint32_t)_mm256_movemask_epi8(gaps) << part;
            low |= (uint64_t)(uint32_t)_mm256_movemask_epi8(lows) << part;
        }
        pajesim__mark_ends(block, &marks, at, pajesim__mark_lines(block, &marks, at, blank, newline, low, 1), 1);
    }
    block->lines = marks.lines;
}

/* The same 64 bytes at a time, and without branches where no line is odd: how many lines end in 64 bytes cannot be
 * guessed. */
#define PAJESIM__AVX512 target("avx512f,avx512bw,avx512vbmi2,bmi,bmi2,popcnt")

/* Puts `from` plus the index of each bit that is set; 64 of them, of which the surplus is overwritten.  `index`: 0 to 63. */
PAJESIM__INLINE __attribute__((PAJESIM__AVX512)) void pajesim__put_indices(uint16_t *to, uint64_t bits, __m512i index,
                                                                          uint32_t from)
{
    const __m512i begin = _mm512_set1_epi16((short)from);
    __m512i which = _mm512_maskz_compress_epi8(bits, index);
    __m512i low = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, which, 0));
    _mm512_storeu_si512(to, _mm512_add_epi16(begin, low));
    if (PAJESIM__UNLIKELY(pajesim__ones(bits, 1) > 32)) {
        __m512i high = _mm512_cvtepu8_epi16(_mm512_maskz_extracti64x4_epi64(0xff, which, 1));
        _mm512_storeu_si512(to + 32, _mm512_add_epi16(begin, high));
    }
}

static __attribute__((noinline, PAJESIM__AVX512)) void pajesim__mark_avx512(pajesim__block *block, const unsigned char *p,
                                                                           uint32_t size)
{
    static const unsigned char indices[64] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                              16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31,
                                              32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47,
                                              48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
    const __m512i blanks = _mm512_set1_epi8(' '), tabs = _mm512_set1_epi8('\t'), returns = _mm512_set1_epi8('\r');
    const __m512i newlines = _mm512_set1_epi8('\n'), limit = _mm512_set1_epi8('\'');
    const __m512i index = _mm512_loadu_si512(indices);
    pajesim__marks marks = {block->lines, block->lines + 1, 1, 0};
    uint32_t at;
    for (at = 0; at < size; at += 64) {
        __m512i bytes = _mm512_loadu_si512(p + at);
        uint64_t newline = _mm512_cmpeq_epi8_mask(bytes, newlines), low = _mm512_cmple_epu8_mask(bytes, limit);
        uint64_t blank = newline | _mm512_cmpeq_epi8_mask(bytes, blanks) | _mm512_cmpeq_epi8_mask(bytes, tabs) |
                         _mm512_cmpeq_epi8_mask(bytes, returns);
        uint64_t behind = blank << 1 | marks.blank, odd = (low ^ blank) | (blank & ~newline & behind) | marks.odd;
        uint64_t returned = newline & behind, ends = blank & ~returned;
        if (odd | (returned & ~(ends << 1)) | (returned & newline << 1)) { /* also an empty line, CRLF from before */
            ends = pajesim__mark_lines(block, &marks, at, blank, newline, low, 1);
        } else {
            uint64_t last = (newline ^ returned) | returned >> 1; /* end of a line's last word */
            marks.blank = blank >> 63;
            pajesim__put_indices(block->newline + marks.lines, newline, index, at);
            pajesim__put_indices(block->beyond + marks.lines, _pext_u64(last, ends), index, marks.ends + 1);
            marks.lines += pajesim__ones(newline, 1);
        }
        pajesim__put_indices(block->ends + marks.ends, ends, index, at);
        marks.ends += pajesim__ones(ends, 1);
    }
    block->lines = marks.lines;
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
    while (block->lines > from && block->newline[block->lines - 1] >= size) /* the last 64 bytes may reach beyond */
        block->lines--;
}

/* The lines from index `from` on are next. */
static void pajesim__enter_block(pajesim__block *block, uint32_t from)
{
    block->next = from;
    block->first = from + 1;
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

static void pajesim__look_ahead(pajesim *sim, pajesim__block *block, const unsigned char *p, const unsigned char *end);

/* As pajesim__lex, of a plain line; answers NULL if it is none. */
PAJESIM__INLINE const unsigned char *pajesim__lex_plain(pajesim *sim, pajesim__line *line, pajesim__block *block,
                                                        const unsigned char *p, const unsigned char *end)
{
    const __m128i zero = _mm_setzero_si128();
    __m128i origin;
    uint32_t begin, first, beyond, newline, i = 0;
    if (PAJESIM__UNLIKELY(block->next == block->stop)) {
        if (PAJESIM__UNLIKELY(PAJESIM__STATE->containers.log2 >= PAJESIM__AHEAD_LOG2)) {
            pajesim__look_ahead(sim, block, p, end);
        } else {
            pajesim__list_block(sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
            pajesim__enter_block(block, 0);
        }
        if (PAJESIM__UNLIKELY(block->next == block->lines))
            return NULL;
    }
    begin = block->begin;
    first = block->first;
    newline = block->newline[block->next];
    beyond = block->beyond[block->next];
    block->next++;
    block->begin = newline + 1;
    block->first = beyond & ~PAJESIM__ODD;
    if (PAJESIM__UNLIKELY(beyond - first - 1 >= PAJESIM_WORDS)) /* odd, no word, too many */
        return NULL;

    line->text = p;
    line->size = newline - begin;
    line->count = beyond - first;
    line->header = line->simple_quote = line->warnings = line->gives_up = line->users_found = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    /* A word begins one byte behind the end of the word before, and the first one where the line does. */
    origin = _mm_set1_epi16((short)begin);
    do {
        __m128i before = _mm_loadu_si128((const __m128i *)(const void *)(block->ends + first + i - 1));
        __m128i ends = _mm_loadu_si128((const __m128i *)(const void *)(block->ends + first + i));
        __m128i begins = _mm_sub_epi16(_mm_add_epi16(before, _mm_set1_epi16(1)), origin);
        __m128i sizes = _mm_sub_epi16(_mm_sub_epi16(ends, origin), begins);
        __m128i low = _mm_unpacklo_epi16(begins, sizes), high = _mm_unpackhi_epi16(begins, sizes);
        __m128i *spans = (__m128i *)(void *)(line->spans + 2 * i);
        _mm_storeu_si128(spans, _mm_unpacklo_epi16(low, zero));
        _mm_storeu_si128(spans + 1, _mm_unpackhi_epi16(low, zero));
        _mm_storeu_si128(spans + 2, _mm_unpacklo_epi16(high, zero));
        _mm_storeu_si128(spans + 3, _mm_unpackhi_epi16(high, zero));
        i += 8;
    } while (PAJESIM__UNLIKELY(i < line->count));
    line->spans[0] = 0;
    line->spans[1] = block->ends[first] - begin;
    return p + line->size + 1;
}

#endif /* PAJESIM__BLOCKS */
