/* The fast path of the lexer: where blanks and line ends are in 1 KiB at a time, as bitmaps, so that the words of a plain
 * line fall out of a few bit operations.
 *
 * Plain are lines of at most 63 bytes, with single blanks or tabs between words, LF or CRLF at the end, and no string,
 * comment or header in them: nearly all, in most traces.  Every other line is left to pajesim__lex, whose answer is by
 * definition right; the tests hold the two equal. */

#if PAJESIM_FAST && PAJESIM__SSE2
#define PAJESIM__BITMAPS 1

#define PAJESIM__BLOCK_WORDS 16u /* of 64 bytes */

typedef struct pajesim__block {
    const unsigned char *base;
    size_t size; /* lines that begin in so many bytes from the base on are covered; 0: none */
    /* a bit for each byte; one word more than lines may begin in */
    uint64_t blank[PAJESIM__BLOCK_WORDS + 1]; /* blank, tab, CR, newline: what ends a word */
    uint64_t newline[PAJESIM__BLOCK_WORDS + 1];
    uint64_t odd[PAJESIM__BLOCK_WORDS + 1]; /* other bytes up to ': quotes, #, %, and what seldom occurs */
} pajesim__block;

/* Makes the bitmaps of what begins at p; PAJESIM__PAD bytes behind `end` may be read. */
static __attribute__((noinline)) void pajesim__fill_block(pajesim__block *block, const unsigned char *p,
                                                          const unsigned char *end)
{
    const __m128i blanks = _mm_set1_epi8(' '), tabs = _mm_set1_epi8('\t'), returns = _mm_set1_epi8('\r');
    const __m128i newlines = _mm_set1_epi8('\n'), limit = _mm_set1_epi8('\'');
    size_t size = (size_t)(end - p), words = (size + 63) / 64, i;
    block->base = p;
    block->size = size;
    if (words > PAJESIM__BLOCK_WORDS) {
        words = PAJESIM__BLOCK_WORDS + 1;
        block->size = 64 * PAJESIM__BLOCK_WORDS;
    }
    for (i = 0; i < words; i++, p += 64) {
        uint64_t blank = 0, newline = 0, low = 0;
        int part;
        for (part = 0; part < 64; part += 16) {
            __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(p + part));
            __m128i ends = _mm_cmpeq_epi8(bytes, newlines);
            __m128i gaps = _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, blanks), ends),
                                        _mm_or_si128(_mm_cmpeq_epi8(bytes, tabs), _mm_cmpeq_epi8(bytes, returns)));
            __m128i lows = _mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes);
            newline |= (uint64_t)(uint32_t)_mm_movemask_epi8(ends) << part;
            blank |= (uint64_t)(uint32_t)_mm_movemask_epi8(gaps) << part;
            low |= (uint64_t)(uint32_t)_mm_movemask_epi8(lows) << part;
        }
        block->blank[i] = blank;
        block->newline[i] = newline;
        block->odd[i] = low ^ blank;
    }
    if (words <= PAJESIM__BLOCK_WORDS)
        block->blank[words] = block->newline[words] = block->odd[words] = 0;
}

/* 64 bits of a bitmap from bit `at` on. */
PAJESIM__INLINE uint64_t pajesim__window(const uint64_t *bits, size_t at)
{
    return bits[at / 64] >> (at & 63) | bits[at / 64 + 1] << 1 << (63 - (at & 63));
}

/* As pajesim__lex, of a plain line; answers NULL if it is none. */
PAJESIM__INLINE const unsigned char *pajesim__lex_plain(pajesim__line *line, pajesim__block *block,
                                                        const unsigned char *p, const unsigned char *end)
{
    size_t at = (size_t)(p - block->base);
    uint64_t newline, blank, odd, line_bits, last, doubled;
    uint32_t begin = 0, count = 0;
    if (PAJESIM__UNLIKELY(at >= block->size)) {
        pajesim__fill_block(block, p, end);
        at = 0;
    }
    newline = pajesim__window(block->newline, at);
    odd = pajesim__window(block->odd, at);
    blank = pajesim__window(block->blank, at);
    line_bits = newline ^ (newline - 1); /* up to the newline; all, if there is none */
    last = newline & line_bits;
    blank &= line_bits;
    doubled = blank & (blank << 1 | 1); /* also a blank at the beginning */
    if (PAJESIM__UNLIKELY(((odd & line_bits) | (doubled & ~last)) != 0 || !newline || (doubled & 1)))
        return NULL;
    if (doubled)
        blank ^= last; /* CRLF: the CR ends the last word */

    line->text = p;
    line->size = pajesim__low_bit(newline);
    line->header = line->simple_quote = line->warnings = line->loud = line->gives_up = line->users_found = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    do {
        uint32_t stop = pajesim__low_bit(blank);
        if (count == PAJESIM_WORDS)
            return NULL;
        line->spans[2 * count] = (pajesim__length)begin;
        line->spans[2 * count + 1] = (pajesim__length)(stop - begin);
        count++;
        begin = stop + 1;
        blank &= blank - 1;
    } while (blank);
    line->count = count;
    return p + line->size + 1;
}

#else
#define PAJESIM__BITMAPS 0
#endif
