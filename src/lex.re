/* A line to its words: the grammar of record (section "Lexical rules" of the format).
 *
 * Whole lines only are lexed, so their newline is the sentinel: re2c proves that no rule runs past it, and no byte is
 * checked against an end.  re2c decides what a word is by its first byte; to where words and strings end is skipped, 16
 * bytes at a time where PAJESIM__PAD bytes lie behind the newline. */

/* A line that is lexed, and what is found on the way to simulating it.  On the stack: only what has taken effect is in
 * the arena. */
typedef struct pajesim__line {
    const unsigned char *low;  /* where readable memory begins */
    uint32_t wide;             /* 17: PAJESIM__PAD bytes behind the line may be read; 0: none */
    uint32_t count;            /* words, the event's number included; PAJESIM_WORDS at most */
    uint32_t size;             /* to the newline or the comment */
    uint8_t header;            /* the line begins with %, which is none of the words */
    uint8_t simple_quote;      /* 1 + index of the first word in single quotes */
    uint8_t warnings;
    uint8_t gives_up;          /* an event within a definition, which is given up when the event takes effect */
    uint8_t outcome;           /* pajesim__outcome, where pajesim__ready said no */
    uint8_t users_found;
    pajesim_line shown;        /* text: where the line begins, words are relative to it; definition (0: not an event),
                                  time and number; the rest is for who is shown it: pajesim__show_line */
    struct {
        pajesim_ref value;
        pajesim__offset id_bytes;
        pajesim__entry_room entry;
    } made;                    /* a value that is not defined: pajesim__take_value */
    pajesim_code error;        /* of the lexer */
    uint32_t error_at;
    uint32_t surplus_at;       /* where the first word beyond PAJESIM_WORDS is; 0: nowhere */
    pajesim__length spans[2 * ((PAJESIM_WORDS + 7) & ~7)]; /* begin and size of each word, quotes taken off */
    pajesim__length users[PAJESIM_FIELDS ? 2 * PAJESIM_WORDS : 1]; /* the same of the user fields: pajesim__user_fields */
    struct {
        pajesim_code code;
        uint32_t begin, size;
    } warning[PAJESIM_CHECKS ? 8 : 4];
} pajesim__line;

#define PAJESIM__TEXT(line) ((const unsigned char *)(line)->shown.text)
#define PAJESIM__WORD(line, i) (PAJESIM__TEXT(line) + (line)->spans[2 * (i)])
#define PAJESIM__SIZE(line, i) ((line)->spans[2 * (i) + 1])

/* The first blank, tab, CR, newline or # at or behind p. */
PAJESIM__INLINE const unsigned char *pajesim__word_end(const unsigned char *p, uint32_t wide)
{
#if PAJESIM__SSE2
    const __m128i limit = _mm_set1_epi8('#');
    for (; wide; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        uint32_t low = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(bytes, limit), bytes));
        for (; low; low &= low - 1) { /* bytes up to #: nearly always the one that is looked for */
            const unsigned char *q = p + pajesim__low_bit(low);
            if (*q == ' ' || *q == '\n' || *q == '\t' || *q == '\r' || *q == '#')
                return q;
        }
    }
#endif
    (void)wide;
    while (*p > '#' || (*p != ' ' && *p != '\n' && *p != '\t' && *p != '\r' && *p != '#'))
        p++;
    return p;
}

/* The first closing quote or newline at or behind p. */
PAJESIM__INLINE const unsigned char *pajesim__quote_end(const unsigned char *p, unsigned char quote, uint32_t wide)
{
#if PAJESIM__SSE2
    const __m128i quotes = _mm_set1_epi8((char)quote), newlines = _mm_set1_epi8('\n');
    for (; wide; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        uint32_t found = (uint32_t)_mm_movemask_epi8(
            _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, newlines)));
        if (found)
            return p + pajesim__low_bit(found);
    }
#endif
    (void)wide;
    while (*p != quote && *p != '\n')
        p++;
    return p;
}

/* A word, from `token` on with its quotes, if it has any, and [begin, end) without. */
PAJESIM__INLINE void pajesim__word(pajesim__line *line, const unsigned char *token, const unsigned char *begin,
                                   const unsigned char *end)
{
    if (PAJESIM__LIKELY(line->count < PAJESIM_WORDS)) {
        line->spans[2 * line->count] = (pajesim__length)(begin - PAJESIM__TEXT(line));
        line->spans[2 * line->count + 1] = (pajesim__length)(end - begin);
        line->count++;
    } else if (!line->surplus_at) {
        line->surplus_at = (uint32_t)(token - PAJESIM__TEXT(line));
    }
}

static void pajesim__lex_error(pajesim__line *line, pajesim_code code, const unsigned char *at)
{
    if (line->error == PAJESIM_E_NONE) {
        line->error = code;
        line->error_at = (uint32_t)(at - PAJESIM__TEXT(line));
    }
}

/* A line, of those in readable memory from `low` on. */
static void pajesim__begin_line(pajesim__line *line, const unsigned char *low, uint32_t wide)
{
    line->shown.spans = line->spans;
    line->low = low;
    line->wide = wide;
}

/* Fills `line`, which is begun, from the text that begins at `text`; answers what follows its newline. */
static const unsigned char *pajesim__lex(pajesim__line *line, const unsigned char *text, int strict)
{
    const unsigned char *YYCURSOR = text, *begin;
    line->shown.text = (const char *)text;
    line->count = 0;
    line->header = line->simple_quote = line->warnings = line->gives_up = line->users_found = 0;
    line->shown.definition = 0;
    line->error = PAJESIM_E_NONE;
    line->surplus_at = 0;
    for (;;) {
        begin = YYCURSOR;
        /*!re2c
            re2c:define:YYCTYPE = "unsigned char";
            re2c:yyfill:enable = 0;
            re2c:sentinel = 10;

            [ \t\r]+ { continue; }
            [\n]     { line->size = (uint32_t)(begin - text); return YYCURSOR; }
            [#]      {
                         line->size = (uint32_t)(begin - text);
                         return pajesim__quote_end(YYCURSOR, '\n', line->wide) + 1;
                     }
            [%]      {
                         if (line->count == 0 && !line->header) {
                             line->header = 1;
                             continue;
                         }
                         goto word;
                     }
            ["]      { goto string; }
            [']      {
                         if (strict)
                             goto word;
                         if (!line->simple_quote && line->count < PAJESIM_WORDS)
                             line->simple_quote = (uint8_t)(line->count + 1);
                         goto string;
                     }
            *        { goto word; }
        */
    word:
        YYCURSOR = pajesim__word_end(YYCURSOR, line->wide);
        pajesim__word(line, begin, begin, YYCURSOR);
        continue;
    string:
        YYCURSOR = pajesim__quote_end(YYCURSOR, *begin, line->wide);
        if (*YYCURSOR == '\n') {
            pajesim__lex_error(line, PAJESIM_E_QUOTE_OPEN, begin);
            continue;
        }
        pajesim__word(line, begin, begin + 1, YYCURSOR);
        YYCURSOR++;
        if (pajesim__word_end(YYCURSOR, line->wide) != YYCURSOR)
            pajesim__lex_error(line, PAJESIM_E_QUOTE_GLUED, YYCURSOR);
    }
}

/* A piece of a line that is carried over must not keep a comment, which may be of any length, so it must be known where
 * in the grammar a cut falls.  The same rules as above, a byte at a time; the tests cut every line at every byte. */
enum pajesim__cut {
    PAJESIM__IN_INDENT, /* before the first word */
    PAJESIM__IN_BLANKS,
    PAJESIM__IN_WORD,
    PAJESIM__IN_STRING,
    PAJESIM__IN_SIMPLE_STRING,
    PAJESIM__IN_COMMENT,
    PAJESIM__IN_LONG_LINE /* it is skipped, and reported at its end */
};

/* Follows the bytes from p to the beginning of a comment, or to `end`; answers where it is. */
static const unsigned char *pajesim__lex_cut(uint8_t *cut, const unsigned char *p, const unsigned char *end, int strict)
{
    uint8_t in = *cut;
    for (; p < end; p++) {
        unsigned char c = *p;
        if (in == PAJESIM__IN_STRING || in == PAJESIM__IN_SIMPLE_STRING) {
            if (c == (in == PAJESIM__IN_STRING ? '"' : '\''))
                in = PAJESIM__IN_BLANKS;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            in = in == PAJESIM__IN_INDENT ? PAJESIM__IN_INDENT : PAJESIM__IN_BLANKS;
        } else if (c == '#') {
            in = PAJESIM__IN_COMMENT;
            break;
        } else if (c == '%' && in == PAJESIM__IN_INDENT) {
            in = PAJESIM__IN_BLANKS;
        } else if (in != PAJESIM__IN_WORD) {
            in = c == '"'               ? PAJESIM__IN_STRING
                 : c == '\'' && !strict ? PAJESIM__IN_SIMPLE_STRING
                                        : PAJESIM__IN_WORD;
        }
    }
    *cut = in;
    return p;
}
