/* Pieces of a trace to lines. */

PAJESIM__APART pajesim_ref pajesim__definition_of(pajesim *sim, const pajesim__line *line)
{
    pajesim__key number = pajesim__number_key(line);
    return pajesim__find_definition(sim, &number);
}

static pajesim__outcome pajesim__do_line(pajesim *sim, pajesim__line *line)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__outcome outcome;
    sim->loud = sim->callbacks->line ? PAJESIM__SHOWN : 0;
    if (PAJESIM__UNLIKELY(line->size > state->line_max && state->line_max)) {
        pajesim__wrong_at(sim, line, PAJESIM_E_LINE_TOO_LONG, state->line_max, 0);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->error != PAJESIM_E_NONE)) {
        pajesim__wrong_at(sim, line, line->error, line->error_at, pajesim__text_end(line) - line->error_at);
        return PAJESIM__REFUSED;
    }
    if (PAJESIM__UNLIKELY(line->simple_quote))
        pajesim__wrong(sim, line, PAJESIM_E_QUOTE_SINGLE, line->simple_quote - 1u);
    if (PAJESIM__UNLIKELY(line->header)) {
        outcome = pajesim__header(sim, line);
    } else {
        if (line->count == 0)
            return PAJESIM__DONE;
        if (PAJESIM__UNLIKELY(state->defining))
            sim->loud = line->gives_up = 1;
        state->skip_definition = 0;
        outcome = pajesim__event_line(sim, line, pajesim__definition_of(sim, line), line->surplus_at, NULL);
    }
    if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
        pajesim__undo(sim);
    return outcome;
}

/* What a line's outcome means for feed: PAJESIM_OK, to go on with the next; else the line is done, unless the answer is
 * PAJESIM_FULL, or PAJESIM_STOPPED by the `line` callback (`*taken` is 0 then). */
PAJESIM__INLINE pajesim_status pajesim__after_line(pajesim *sim, pajesim__outcome outcome, int *taken)
{
    pajesim__state *state = PAJESIM__STATE;
    *taken = 0;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__NO_ROOM))
        return PAJESIM_FULL;
    if (PAJESIM__UNLIKELY(outcome == PAJESIM__NOT_NOW)) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    *taken = 1;
    state->line++;
    state->counts.lines++;
    if (PAJESIM__LIKELY(!sim->answer))
        return PAJESIM_OK;
    if (PAJESIM__OPENING(state)) {
        pajesim__source *source = PAJESIM__AT(pajesim__source, state->opening);
        source->importer_line = state->line;
        state->source = state->opening;
        state->opening = 0;
        state->line = 0;
        state->mark = 0;
    }
    if (sim->answer == PAJESIM_STOP) {
        state->stopped = 1;
        return PAJESIM_STOPPED;
    }
    return !PAJESIM_FILES || state->line ? PAJESIM_PAUSED : PAJESIM_OPEN;
}

#if PAJESIM__BLOCKS
/* The definition of the line at p, the block's next; 0: none, or nobody has looked. */
PAJESIM__INLINE pajesim_ref pajesim__definition_of_next(pajesim *sim, const pajesim__block *block, const unsigned char *p)
{
    const uint16_t *bounds = block->bounds + block->first;
    pajesim__key number;
    if (PAJESIM__UNLIKELY(block->next == block->lines) || PAJESIM__UNLIKELY(block->beyond[block->next] - block->first < 2) ||
        PAJESIM__UNLIKELY(block->odd & 2))
        return 0; /* not listed yet, without words, or maybe an empty string that is taken for a quote */
    number = pajesim__key_of_number(p + (bounds[0] - block->begin), (uint32_t)bounds[1] - bounds[0], 17);
    return pajesim__find_definition(sim, &number);
}

/* Does the lines from *at on, as long as they are not left to pajesim__lex, not too long, and within no definition: so
 * they are events.  Each one's definition is looked up before the line before it is done: so what is to be done is known
 * early, which cannot be guessed.  `many`: there are so many containers that looking ahead pays. */
PAJESIM__INLINE pajesim_status pajesim__do_fast_lines(pajesim *sim, pajesim__line *line, pajesim__block *block,
                                                      const unsigned char **at, const unsigned char *end, int many)
{
    uint32_t line_max = PAJESIM__STATE->defining ? 0 : PAJESIM__STATE->line_max ? PAJESIM__STATE->line_max : UINT32_MAX;
    uint8_t loud = sim->callbacks->line ? PAJESIM__SHOWN : 0;
    int taken;
    pajesim_ref next = 0;
    const unsigned char *p = *at;
    pajesim_status status = PAJESIM_OK;
    while (PAJESIM__LIKELY(status == PAJESIM_OK)) {
        const unsigned char *following = pajesim__lex_fast(sim, line, block, p, end, many);
        const pajesim__need *found = many ? pajesim__need_of_line(block) : NULL;
        pajesim__outcome outcome;
        pajesim_ref ref;
        if (PAJESIM__UNLIKELY(!following || line->size > line_max))
            break;
        PAJESIM__STATE->skip_definition = 0;
        sim->loud = loud;
        ref = many ? found->definition : next;
        if (PAJESIM__UNLIKELY(!ref))
            ref = pajesim__definition_of(sim, line);
        if (!many)
            next = pajesim__definition_of_next(sim, block, following);
        outcome = pajesim__event_line(sim, line, ref, 0, found);
        if (PAJESIM__UNLIKELY(outcome != PAJESIM__DONE))
            pajesim__undo(sim);
        status = pajesim__after_line(sim, outcome, &taken);
        if (PAJESIM__LIKELY(taken))
            p = following;
    }
    *at = p;
    return status;
}
#endif

#if !PAJESIM_SMALL
/* Does the whole lines in [p, end), behind which PAJESIM__PAD bytes may be read if `wide` is 17, and none if it is 0.
 * Answers the first status that is not PAJESIM_OK, and in *next where it stopped. */
static pajesim_status pajesim__do_lines(pajesim *sim, const unsigned char *p, const unsigned char *end, uint32_t wide,
                                        const unsigned char **next)
{
    pajesim__line line;
    pajesim_status status = PAJESIM_OK;
    int strict = (int)PAJESIM__IS_STRICT(PAJESIM__STATE);
#if PAJESIM__BLOCKS
    pajesim__ahead ahead;
    pajesim__block block;
    pajesim__begin_ahead(&ahead);
    pajesim__begin_block(&block, &ahead);
#endif
    pajesim__begin_line(&line, p, wide);
    while (p < end && status == PAJESIM_OK) {
        const unsigned char *following;
        int taken;
#if PAJESIM__BLOCKS
        if (wide) {
            status = PAJESIM__ARE_MANY(sim) ? pajesim__do_fast_lines(sim, &line, &block, &p, end, 1)
                                            : pajesim__do_fast_lines(sim, &line, &block, &p, end, 0);
            if (status != PAJESIM_OK || p == end)
                break;
        }
#endif
        following = pajesim__lex(&line, p, strict);
        status = pajesim__after_line(sim, pajesim__do_line(sim, &line), &taken);
        if (taken)
            p = following;
    }
    *next = p;
    return status;
}
#endif

/* ---- the piece of a line that is carried over to the next feed ---- */

/* A carry that grew for a long line gives its room back when that is done, if the block that it had before is free. */
static void pajesim__empty_carry(pajesim *sim)
{
    pajesim__state *state = PAJESIM__STATE;
    state->carry_size = 0;
    state->cut = PAJESIM__IN_INDENT;
    if (!PAJESIM_SMALL && PAJESIM__UNLIKELY(state->carry_room > state->initial_room && state->carry_room > 4096 &&
                          state->free_list[pajesim__class_of(state->initial_room)])) {
        pajesim__offset narrower = pajesim__take(sim, state->initial_room);
        pajesim__keep(sim);
        pajesim__give(sim, state->carry, state->carry_room);
        state->carry = narrower;
        state->carry_room = state->initial_room;
    }
}

/* Makes room for `size` more bytes and a newline. */
static int pajesim__widen_carry(pajesim *sim, size_t size)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__size need = state->carry_size + (pajesim__size)size + 1;
    pajesim__offset wider;
    if (PAJESIM__LIKELY(need <= state->carry_room))
        return 1;
    need = pajesim__class_size(pajesim__class_of(need));
    wider = pajesim__take(sim, need);
    if (!pajesim__room(sim)) {
        sim->needed = sim->top;
        pajesim__undo(sim);
        return 0;
    }
    pajesim__keep(sim);
    memcpy(PAJESIM__BYTES(wider), PAJESIM__BYTES(state->carry), (size_t)state->carry_size);
    pajesim__give(sim, state->carry, state->carry_room);
    state->carry = wider;
    state->carry_room = (uint32_t)need;
    return 1;
}

/* Adds bytes that hold no newline to the carry, without comments.  Answers 0 if there is no room, and adds nothing. */
static int pajesim__carry(pajesim *sim, const unsigned char *p, size_t size)
{
    pajesim__state *state = PAJESIM__STATE;
    uint8_t cut = state->cut;
    size_t kept;
    if (cut == PAJESIM__IN_COMMENT || cut == PAJESIM__IN_LONG_LINE)
        return 1;
    kept = (size_t)(pajesim__lex_cut(&cut, p, p + size, (int)PAJESIM__IS_STRICT(state)) - p);
    if (state->line_max && kept > state->line_max - state->carry_size) {
        kept = 0;
        cut = PAJESIM__IN_LONG_LINE;
    }
    if (kept) {
        if (!pajesim__widen_carry(sim, kept))
            return 0;
        state = PAJESIM__STATE;
        memcpy(PAJESIM__BYTES(state->carry) + state->carry_size, p, kept);
        state->carry_size += (uint32_t)kept;
    }
    state->cut = cut;
    return 1;
}

/* The carried line is whole: does it. */
static pajesim_status pajesim__do_carried(pajesim *sim, int *taken)
{
    pajesim__state *state = PAJESIM__STATE;
    pajesim__line line;
    pajesim_status status;
    PAJESIM__BYTES(state->carry)[state->carry_size] = '\n'; /* the carry has room for it: pajesim__widen_carry */
    if (PAJESIM__UNLIKELY(state->cut == PAJESIM__IN_LONG_LINE)) {
        pajesim__tell(sim, PAJESIM_E_LINE_TOO_LONG, PAJESIM_ERROR, state->line_max + 1, "", 0);
        status = pajesim__after_line(sim, PAJESIM__REFUSED, taken);
    } else {
        pajesim__begin_line(&line, PAJESIM__BYTES(state->carry), 0);
        pajesim__lex(&line, line.low, (int)PAJESIM__IS_STRICT(state));
        status = pajesim__after_line(sim, pajesim__do_line(sim, &line), taken);
    }
    if (*taken)
        pajesim__empty_carry(sim);
    return status;
}

static const unsigned char *pajesim__newline(const unsigned char *p, const unsigned char *end)
{
#if PAJESIM__SSE2
    const __m128i newlines = _mm_set1_epi8('\n');
    for (; end - p >= 16; p += 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        uint32_t found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, newlines));
        if (found)
            return p + pajesim__low_bit(found);
    }
#endif
    while (p < end && *p != '\n')
        p++;
    return p;
}

/* Takes the rest of a line, from p on, by way of the carry. */
static pajesim_status pajesim__feed_carry(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim__state *state = PAJESIM__STATE;
    const unsigned char *line_end = pajesim__newline(p, end);
    uint32_t size = state->carry_size;
    uint8_t cut = state->cut;
    pajesim_status status;
    int taken;
    *next = p;
    if (!pajesim__carry(sim, p, (size_t)(line_end - p)))
        return PAJESIM_FULL;
    if (line_end == end) {
        *next = end;
        return PAJESIM_OK;
    }
    status = pajesim__do_carried(sim, &taken);
    if (taken) {
        *next = line_end + 1;
    } else { /* what is not taken is fed again */
        PAJESIM__STATE->carry_size = size;
        PAJESIM__STATE->cut = cut;
    }
    return status;
}

/* A byte order mark at the very start of a file is skipped, one byte at a time; what only began like one is carried, for
 * which there is always room. */
static const unsigned char *pajesim__skip_mark(pajesim *sim, const unsigned char *p, const unsigned char *end)
{
    static const unsigned char mark[] = {0xEF, 0xBB, 0xBF};
    pajesim__state *state = PAJESIM__STATE;
    while (p < end && state->mark < 3) {
        if (*p != mark[state->mark]) {
            pajesim__carry(sim, mark, state->mark);
            state->mark = 3;
            break;
        }
        state->mark++;
        p++;
    }
    return p;
}

#if PAJESIM_SMALL
/* Each line by way of the carry. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    for (; status == PAJESIM_OK && p < end; p = *next)
        status = pajesim__feed_carry(sim, p, end, next);
    return status;
}
#else
/* What is carried over first; then in place, first the lines that have enough readable bytes behind their newline, then
 * the other whole ones. */
static pajesim_status pajesim__feed_lines(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    pajesim_status status = PAJESIM_OK;
    const unsigned char *whole;
    if (p < end && (PAJESIM__STATE->carry_size || PAJESIM__STATE->cut != PAJESIM__IN_INDENT))
        status = pajesim__feed_carry(sim, p, end, next);
    if (status != PAJESIM_OK)
        return status;
    p = *next;
    if ((size_t)(end - p) > PAJESIM__PAD) {
        for (whole = end - PAJESIM__PAD; whole > p && whole[-1] != '\n'; whole--) {
        }
        status = pajesim__do_lines(sim, p, whole, 17, next);
        p = *next;
    }
    for (whole = end; whole > p && whole[-1] != '\n'; whole--) {
    }
    if (status == PAJESIM_OK)
        status = pajesim__do_lines(sim, p, whole, 0, next);
    if (status == PAJESIM_OK && whole < end)
        status = pajesim__feed_carry(sim, whole, end, next);
    return status;
}
#endif

static pajesim_status pajesim__feed_bytes(pajesim *sim, const unsigned char *p, const unsigned char *end,
                                          const unsigned char **next)
{
    *next = p;
    if (PAJESIM_REPAIRS && PAJESIM__UNLIKELY(PAJESIM__STATE->mark < 3)) {
        p = pajesim__skip_mark(sim, p, end);
        *next = p;
    }
    return pajesim__feed_lines(sim, p, end, next);
}

PAJESIM_API pajesim_status pajesim_feed(pajesim *sim, const void *bytes, size_t size, size_t *taken)
{
    const unsigned char *p = (const unsigned char *)bytes, *next = p;
    pajesim_status status;
    if (taken)
        *taken = 0;
    if (!sim || (!bytes && size))
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (PAJESIM__STATE->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    if (PAJESIM__STATE->stopped)
        return PAJESIM_STOPPED;
    if (!size)
        return PAJESIM_OK;
    sim->busy = 1;
    sim->answer = PAJESIM_GO_ON;
    sim->top = PAJESIM__STATE->top;
    status = pajesim__feed_bytes(sim, p, p + size, &next);
    PAJESIM__STATE->counts.bytes += (pajesim_counter)(next - p);
    if (taken)
        *taken = (size_t)(next - p);
    sim->busy = 0;
    return status;
}
