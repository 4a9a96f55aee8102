/* Chunks: parts of a trace that are read before it is known what was open at their beginning.
 *
 * A simulation is at the end of a chunk as soon as it was fed those lines of it whose effect lasts: pushes without a
 * pop, and pops without a push; the first line and the last that sets a state, or resets it; the lines of the first two
 * times of a variable, and the last that sets it with what was added since; links with one end in the chunk; the first
 * event and the last of each container and type; and all definitions, creations and destructions.  These are some lines
 * in a thousand.  What the others would have counted is added.
 *
 * The lines that are left out must be valid.  What can be seen without the state is checked when the chunk is read:
 * words, numbers, times in order, stacks that are empty.  What depends on the state (is there such a container?) is
 * the same for all lines of a container and type as for the first of these, which is kept: so a chunk does not suit if
 * any line that is fed is reported.  A destruction ends this: what is open is kept, and the next lines are first ones
 * again.
 *
 * Three things are taken for granted when a chunk is read, and checked before or after it is fed.  Where a link begins
 * in the chunk its key is new, and where one only ends its key waits.  An undefined value that a state names is known,
 * and in the queue of those to be forgotten: so that the order of that queue does not change.  A link whose end comes
 * first may wait for its start, but with no key that the chunk has.
 *
 * Images are equal afterwards except for the places in the arena: blocks were allocated and freed in another
 * order. */
#pragma once

#include "chunk_links.h"
#include "chunk_plain.h"
#include "walk.h"
#include "../run/feed.h"

#if PAJESIM_TRAVEL

/* Lines that follow each other. */
typedef struct pajesim__chunk_run {
    uint32_t begin, end;
} pajesim__chunk_run;

#define PAJESIM__CHUNK_MAX (UINT32_C(1) << 30) /* bytes */
#ifndef PAJESIM__CHUNK_PAYS /* tests feed all that can be fed */
#define PAJESIM__CHUNK_PAYS(kept, size) ((kept) <= (size) / 2)
#endif

/* ---- reading ---- */

/* Notes the value of a state, unless the trace defined it before the chunk. */
static void pajesim__chunk_state_value(pajesim__chunk_reader *reader, uint32_t line, uint32_t word, uint32_t type)
{
    pajesim_ref value = pajesim__value_at(&reader->sim, &reader->line, word, type);
    pajesim__chunk_value *noted;
    if (PAJESIM__LIKELY(value && !(PAJESIM__RECORD(&reader->sim, value)->flags & PAJESIM__IMPLICIT)))
        return;
    if (!PAJESIM_REPAIRS)
        reader->unsuited = 1; /* such a value is forgotten, and made again, with each state */
    if (!pajesim__is_first_use(reader, word, type | PAJESIM__TRACK_VALUE))
        return;
    pajesim__keep_line(reader, line);
    noted = (pajesim__chunk_value *)pajesim__chunk_alloc(reader, sizeof *noted);
    if (!noted)
        return;
    noted->next = reader->chunk->values;
    noted->word = (uint32_t)(PAJESIM__WORD(&reader->line, word) - reader->bytes);
    noted->size = PAJESIM__SIZE(&reader->line, word);
    noted->type = type;
    reader->chunk->values = noted;
}

/* Begins a track with the line at hand.  Returns 0 if there is no such type. */
PAJESIM__COLD int pajesim__begin_track(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                       const pajesim__key *type)
{
    track->ref = pajesim__table_find(&reader->sim, &PAJESIM__STATE(&reader->sim)->types, type, 0, 0);
    if (!track->ref)
        return 0;
    track->kind = PAJESIM__RECORD(&reader->sim, track->ref)->kind;
    pajesim__keep_line(reader, line);
    return 1;
}

/* Reads a line on a container and a type. */
PAJESIM__INLINE void pajesim__chunk_entity(pajesim__chunk_reader *reader, uint32_t line,
                                           const pajesim__definition *definition, pajesim_time time)
{
    pajesim__key container = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    pajesim__key type = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_TYPE));
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE);
    pajesim__track *track = pajesim__track_of(reader, &container, &type);
    pajesim_quantity number = 0;
    int changed;
    if (PAJESIM__UNLIKELY(!track))
        return;
    if ((PAJESIM__UNLIKELY(!track->begun) && !pajesim__begin_track(reader, track, line, &type)) ||
        PAJESIM__UNLIKELY(track->kind != definition->kind)) {
        reader->unsuited = 1;
        return;
    }
    changed = track->begun && time != track->last;
    if (definition->function != PAJESIM__DO_link_event && !pajesim__track_time(track, time))
        reader->unsuited = 1;
    switch (definition->function) {
    case PAJESIM__DO_open_state:
        pajesim__chunk_state_value(reader, line, value_word, track->ref);
        pajesim__track_open(reader, track, line, definition->event == PAJESIM_SET_STATE);
        break;
    case PAJESIM__DO_pop_state:
        pajesim__track_pop(reader, track, line);
        break;
    case PAJESIM__DO_reset_state:
        pajesim__track_reset(reader, track, line);
        break;
    case PAJESIM__DO_change_variable:
        if (!pajesim__read_quantity(reader->line.readable, PAJESIM__WORD(&reader->line, value_word),
                                    PAJESIM__SIZE(&reader->line, value_word), &number))
            reader->unsuited = 1;
        pajesim__track_variable(reader, track, line, definition, number, changed);
        break;
    case PAJESIM__DO_new_event:
        track->last_line = line + 1;
        break;
    default:
        PAJESIM__ASSERT(definition->function == PAJESIM__DO_link_event);
        pajesim__track_link(reader, track, line, definition, time);
    }
    track->begun = 1;
}

/* Reads a line: an event, or a blank one. */
static void pajesim__chunk_line(pajesim__chunk_reader *reader)
{
    pajesim_ref ref;
    pajesim__line *line = &reader->line;
    pajesim_chunk *chunk = reader->chunk;
    const pajesim__state *state = PAJESIM__CONST_STATE(&reader->sim);
    const pajesim__definition *definition;
    uint32_t at = (uint32_t)(PAJESIM__TEXT(line) - reader->bytes), time_word, file_word;
    pajesim_time time;
    chunk->lines++;
    if (PAJESIM__UNLIKELY(line->error != PAJESIM_E_NONE || line->simple_quote || line->header ||
                          (line->size > state->line_max && state->line_max))) {
        reader->unsuited = 1;
        return;
    }
    if (PAJESIM__UNLIKELY(line->count == 0))
        return;
    ref = pajesim__definition_of(&reader->sim, line);
    definition = ref ? PAJESIM__DEFINITION_AT(&reader->sim, ref) : NULL;
    if (PAJESIM__UNLIKELY(!definition || definition->function == PAJESIM__SKIP_EVENT ||
                          line->count != definition->count + 1u || line->surplus_at)) {
        reader->unsuited = 1;
        return;
    }
#if PAJESIM__BLOCKS
    pajesim__note_plan(reader, definition);
#endif
    chunk->by_event[definition->event]++;
    time_word = pajesim__time_word(definition);
    if (time_word) {
        if (PAJESIM__UNLIKELY(!pajesim__read_time(line->readable, PAJESIM__WORD(line, time_word),
                                                  PAJESIM__SIZE(line, time_word), &time))) {
            reader->unsuited = 1;
            return;
        }
        if (time < chunk->least)
            chunk->least = time;
        if (PAJESIM__LIKELY(pajesim__has_place(definition->function))) {
            pajesim__chunk_entity(reader, at, definition, time);
            return;
        }
    }
    file_word = pajesim__file_word(definition);
    if (file_word && PAJESIM__SIZE(line, file_word))
        reader->unsuited = 1;
    if (definition->function == PAJESIM__DO_destroy_container) {
        pajesim__flush_tracks(reader);
        if (reader->flushed > 4 * chunk->size) /* that many destructions take longer than the lines themselves */
            reader->unsuited = 1;
    }
    pajesim__keep_line(reader, at);
}

/* Reads the lines of [p, end); `padded` as in pajesim__run_lines. */
static void pajesim__chunk_lines(pajesim__chunk_reader *reader, const unsigned char *p, const unsigned char *end,
                                 uint32_t padded)
{
    pajesim__begin_line(&reader->line, p, padded);
#if PAJESIM__BLOCKS
    pajesim__block_init(&reader->block);
#endif
    while (p < end && !reader->unsuited) {
        const unsigned char *following = NULL;
#if PAJESIM__BLOCKS
        pajesim__block *block = &reader->block;
        if (padded) {
            if (block->next == block->stop) {
                pajesim__scan_block(&reader->sim, block, 0, PAJESIM__BLOCK_SIZE, p, end);
                pajesim__enter_block(block, 0);
            }
            if (block->next != block->lines && reader->is_plain && !block->special) {
                p = pajesim__read_plain_lines(reader, p);
                if (block->next == block->lines)
                    continue;
            }
            if (block->next != block->lines)
                following = pajesim__next_line(&reader->line, block, p);
        }
#endif
        if (!following)
            following = pajesim__lex(&reader->line, p, reader->strict);
        pajesim__chunk_line(reader);
        p = following;
    }
}

/* Lists the lines that are kept. */
static void pajesim__list_runs(pajesim__chunk_reader *reader)
{
    pajesim_chunk *chunk = reader->chunk;
    const unsigned char *end = reader->bytes + chunk->size;
    pajesim__chunk_run *run = NULL;
    size_t i, words = (size_t)(chunk->size + 63) / 64;
    chunk->runs = (pajesim__chunk_run *)(void *)(chunk->memory + chunk->used);
    for (i = 0; i < words; i++) {
        uint64_t bits = reader->kept[i];
        for (; bits; bits &= bits - 1) {
            uint32_t begin = (uint32_t)(64 * i + pajesim__count_trailing_zeros(bits));
            uint32_t line_end = (uint32_t)(pajesim__newline(reader->bytes + begin, end) - reader->bytes) + 1;
            if (!run || run->end != begin) {
                run = (pajesim__chunk_run *)pajesim__chunk_alloc(reader, sizeof *run);
                if (!run)
                    return;
                run->begin = begin;
                chunk->run_count++;
            }
            run->end = line_end;
            chunk->kept += line_end - begin;
        }
    }
}

PAJESIM_API pajesim_status pajesim_chunk_read(pajesim_chunk *chunk, void *memory, size_t capacity, const pajesim *base,
                                              const void *bytes, size_t size)
{
    const unsigned char *p = (const unsigned char *)bytes, *end, *padded_end = p;
    pajesim__chunk_reader *reader = (pajesim__chunk_reader *)memory;
    if (!chunk || !memory || !pajesim__is_aligned(memory) || !base || !size || !p || p[size - 1] != '\n')
        return PAJESIM_MISUSE;
    end = p + size;
    if (base->busy)
        return PAJESIM_BUSY;
    memset(chunk, 0, sizeof *chunk);
    if (size > PAJESIM__CHUNK_MAX || capacity < sizeof *reader || PAJESIM__IS_PARSER(PAJESIM__CONST_STATE(base)))
        return PAJESIM_FULL;
    chunk->memory = (unsigned char *)memory;
    chunk->capacity = capacity;
    chunk->used = (sizeof *reader + 7) & ~(size_t)7;
    chunk->used = PAJESIM__MIN(chunk->used, capacity);
    chunk->size = size;
    chunk->least = -PAJESIM__TIME_LEAST;
    memset(reader, 0, sizeof *reader);
    reader->sim = *base;
    reader->chunk = chunk;
    reader->bytes = p;
    reader->strict = (int)PAJESIM__IS_STRICT(PAJESIM__CONST_STATE(base));
#if PAJESIM__BLOCKS
    reader->is_plain = !PAJESIM__CONST_STATE(base)->line_max;
#endif
    reader->item_room = 64;
    reader->items = (pajesim__chunk_item *)pajesim__chunk_alloc(reader, reader->item_room * sizeof *reader->items);
    reader->kept = (uint64_t *)pajesim__chunk_alloc(reader, (size + 63) / 64 * sizeof *reader->kept);
    if (!reader->kept || !pajesim__chunk_table_init(reader, &reader->tracks, 5) ||
        !pajesim__chunk_table_init(reader, &reader->links, 5))
        return PAJESIM_FULL;
    memset(reader->kept, 0, (size + 63) / 64 * sizeof *reader->kept);
    if (size > PAJESIM__PADDING)
        for (padded_end = end - PAJESIM__PADDING; padded_end > p && padded_end[-1] != '\n'; padded_end--) {
        }
    pajesim__chunk_lines(reader, p, padded_end, PAJESIM__PADDED);
    pajesim__chunk_lines(reader, padded_end, end, 0);
    if (!reader->unsuited)
        pajesim__flush_tracks(reader);
    if (!reader->unsuited)
        pajesim__list_done(reader);
    if (!reader->unsuited)
        pajesim__list_runs(reader);
    chunk->links = reader->links.slots;
    chunk->link_bits = reader->links.bits;
    return reader->unsuited || !PAJESIM__CHUNK_PAYS(chunk->kept, size) ? PAJESIM_FULL : PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_copy(pajesim *copy, void *arena, size_t capacity, const pajesim *sim)
{
    if (!copy || copy == sim || !arena || !pajesim__is_aligned(arena) || !sim)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (capacity < pajesim_used(sim))
        return PAJESIM_FULL;
    *copy = *sim;
    copy->arena = (unsigned char *)arena;
    copy->capacity = PAJESIM__MIN(capacity, (size_t)PAJESIM__CAPACITY_MAX);
    copy->index = NULL;
    memcpy(arena, sim->arena, pajesim_used(sim));
    return PAJESIM_OK;
}

PAJESIM_API uint64_t pajesim_chunk_kept(const pajesim_chunk *chunk)
{
    return chunk->kept;
}

/* ---- feeding ---- */

/* Counts the links that wait for their start.  Returns 0 if the chunk, which may be NULL, has taken for granted that
 * one of those that wait does not. */
static int pajesim__links_suit(const pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes,
                               uint32_t *ends)
{
    pajesim_ref ref;
    *ends = 0;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref)) {
        pajesim__offset at = PAJESIM__CONTAINER_AT(sim, ref)->links;
        pajesim_text name = pajesim_alias(sim, ref);
        pajesim__key container = pajesim__key_of(name.bytes, (uint32_t)name.size);
        for (; at; at = PAJESIM__AT(sim, const pajesim__link, at)->next) {
            const pajesim__link *link = PAJESIM__AT(sim, const pajesim__link, at);
            *ends += !link->started;
            if (chunk) {
                pajesim_text text = pajesim__id_text(sim, &link->id);
                pajesim__key key = pajesim__key_of(text.bytes, (uint32_t)text.size);
                pajesim__half hash = pajesim__chunk_link_hash(&container, link->id.subscope, &key);
                const pajesim__chunk_link *found = pajesim__find_chunk_link(chunk->links, chunk->link_bits, bytes,
                                                                            &container, link->id.subscope, &key, hash);
                if ((found && (found->fresh || !link->started)) || chunk->done[pajesim__done_slot(chunk, hash | 1)])
                    return 0;
            }
        }
    }
    return 1;
}

/* Whether all values that states of the chunk name without a definition are to be forgotten already, when the queue of
 * these is full, or are defined by now. */
static int pajesim__values_suit(const pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes)
{
    const pajesim__chunk_value *value;
    for (value = chunk->values; value; value = value->next) {
        pajesim__key key = pajesim__key_of(bytes + value->word, value->size);
        pajesim_ref ref = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->values, &key, value->type, 0);
        if (!ref || ((PAJESIM__RECORD(sim, ref)->flags & PAJESIM__IMPLICIT) &&
                     !(PAJESIM__RECORD(sim, ref)->flags & PAJESIM__QUEUED)))
            return 0;
    }
    return 1;
}

/* Whether the simulation is where a chunk may begin. */
static int pajesim__chunk_suits(const pajesim *sim, pajesim_chunk *chunk, const unsigned char *bytes)
{
    const pajesim__state *state = PAJESIM__CONST_STATE(sim);
    return !state->carry_size && state->cut == PAJESIM__IN_INDENT && !PAJESIM__FILE(state) &&
           !PAJESIM__NEXT_FILE(state) && (!PAJESIM_REPAIRS || state->bom_state == 3) &&
           (PAJESIM__IS_STRICT(state) || pajesim__links_suit(sim, chunk, bytes, &chunk->ends)) &&
           pajesim__values_suit(sim, chunk, bytes);
}

/* Adds what the lines that were left out would have counted, after the others were fed. */
static void pajesim__count_chunk(pajesim *sim, const pajesim_chunk *chunk, const unsigned char *bytes)
{
    pajesim__state *state = PAJESIM__STATE(sim);
    pajesim_counts *counts = &state->counts;
    uint64_t left_out[PAJESIM_EVENT_COUNT], lines = counts->lines - chunk->before.lines;
    uint32_t i;
    for (i = 0; i < PAJESIM_EVENT_COUNT; i++) {
        left_out[i] = chunk->before.by_event[i] + chunk->by_event[i] - counts->by_event[i];
        counts->by_event[i] += left_out[i];
    }
    counts->states += left_out[PAJESIM_SET_STATE] + left_out[PAJESIM_PUSH_STATE];
    counts->variables += chunk->segments;
    counts->links += left_out[PAJESIM_END_LINK];
    counts->punctual += left_out[PAJESIM_NEW_EVENT];
    counts->lines += chunk->lines - lines;
    state->line += chunk->lines - lines;
    if (chunk->least < state->first) /* by the start of a link; the last line of each track, the latest, is kept */
        state->first = chunk->least;
    if (state->digests)
        pajesim__digest_bytes(state, bytes, (size_t)chunk->size);
    counts->bytes += chunk->size;
}

/* Feeds the lines whose effect lasts. */
static pajesim_status pajesim__feed_runs(pajesim *sim, pajesim_chunk *chunk, const unsigned char *bytes)
{
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && chunk->next_run < chunk->run_count) {
        const pajesim__chunk_run *run = &chunk->runs[chunk->next_run];
        const unsigned char *next, *end = bytes + run->end;
        uint32_t padded = chunk->size - run->end >= PAJESIM__PADDING ? PAJESIM__PADDED : 0;
        next = bytes + (chunk->at > run->begin ? chunk->at : run->begin);
        status = pajesim__run_lines(sim, next, end, padded, &next);
        chunk->at = (uint32_t)(next - bytes);
        chunk->next_run += next == end;
    }
    return status;
}

PAJESIM_API pajesim_status pajesim_chunk_feed(pajesim *sim, pajesim_chunk *chunk, const void *bytes)
{
    const unsigned char *p = (const unsigned char *)bytes;
    pajesim__state *state;
    pajesim_status status;
    uint32_t ends;
    if (!sim || !chunk || !bytes)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    state = PAJESIM__STATE(sim);
    if (state->stage != PAJESIM__READING)
        return PAJESIM_FINISHED;
    if (state->stopped)
        return PAJESIM_STOPPED;
    if (!chunk->feeding) {
        if (!pajesim__chunk_suits(sim, chunk, p))
            return PAJESIM_STALE;
        chunk->before = state->counts;
        chunk->next_run = chunk->at = 0;
        chunk->feeding = 1;
    }
    pajesim__enter(sim);
    status = pajesim__feed_runs(sim, chunk, p);
    state = PAJESIM__STATE(sim);
    if (status == PAJESIM_OK || state->counts.errors != chunk->before.errors) {
        chunk->feeding = 0;
        if (state->counts.errors != chunk->before.errors || state->counts.warnings != chunk->before.warnings ||
            (!PAJESIM__IS_STRICT(state) && pajesim__links_suit(sim, NULL, p, &ends) && ends != chunk->ends))
            status = PAJESIM_STALE;
        else
            pajesim__count_chunk(sim, chunk, p);
    }
    return pajesim__leave(sim, status);
}
#endif /* PAJESIM_TRAVEL */
