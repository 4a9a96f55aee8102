/* The fast path of reading a chunk: lines on containers and types that it has met before, but links. */
#pragma once

#include "chunk_tracks.h"

#if PAJESIM_TRAVEL && PAJESIM__BLOCKS

/* Whether lines of such an event may be plain. */
PAJESIM__INLINE int pajesim__may_be_plain(const pajesim__definition *definition)
{
    return definition->function == PAJESIM__DO_open_state || definition->function == PAJESIM__DO_pop_state ||
           definition->function == PAJESIM__DO_change_variable || definition->function == PAJESIM__DO_new_event;
}

PAJESIM__INLINE pajesim__chunk_plan *pajesim__plan_of(pajesim__chunk_reader *reader, pajesim__half number)
{
    return &reader->plans[(number * PAJESIM__MIX1) >> (8 * PAJESIM__HALF - PAJESIM__PLAN_BITS)];
}

/* Notes where the words of an event are, by its number, which the line at hand has. */
PAJESIM__APART void pajesim__note_plan(pajesim__chunk_reader *reader, const pajesim__definition *definition)
{
    pajesim__key number = pajesim__number_key(&reader->line);
    pajesim__chunk_plan *plan = pajesim__plan_of(reader, number.lo);
    if (!pajesim__may_be_plain(definition) || number.size > PAJESIM__HALF || !pajesim__time_word(definition))
        return;
    plan->definition = definition;
    plan->number = number.lo;
    plan->size = number.size;
    plan->words = definition->count + 1u;
    plan->time = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_TIME));
    plan->container = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    plan->type = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_TYPE));
    plan->value = (uint16_t)(2 * PAJESIM__FIELD(definition, PAJESIM_VALUE));
    plan->function = definition->function;
    plan->event = definition->event;
    plan->kind = definition->kind;
}

/* Returns the track of two keys of at most 16 and 8 bytes; NULL if it has no line yet. */
PAJESIM__INLINE pajesim__track *pajesim__plain_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                     const pajesim__key *type)
{
    pajesim__half mixed = container->lo * PAJESIM__MIX1 + container->hi * PAJESIM__MIX2 + type->lo * PAJESIM__MIX3;
    pajesim__track **place = &reader->recent[mixed >> (8 * PAJESIM__HALF - PAJESIM__RECENT_BITS)], *track = *place;
    if (PAJESIM__LIKELY(track) &&
        PAJESIM__LIKELY(((track->container.lo ^ container->lo) | (track->container.hi ^ container->hi) |
                         (track->container.size ^ container->size) | (track->type.lo ^ type->lo) |
                         (track->type.size ^ type->size)) == 0))
        return track;
    track = pajesim__find_track(reader, container, type, pajesim__track_hash(container, type));
    if (!track || !track->begun)
        return NULL;
    *place = track;
    return track;
}

/* Returns 1 if a state may be opened by a name: its value was defined before the chunk. */
PAJESIM__INLINE int pajesim__is_plain_value(pajesim__chunk_reader *reader, const pajesim__key *name, pajesim_ref type)
{
    pajesim_ref value = pajesim__find_cached(&reader->sim, &PAJESIM__STATE(&reader->sim)->values, name, type,
                                             PAJESIM__VALUES_SCOPE(type));
    return PAJESIM__LIKELY(value) &&
           PAJESIM__LIKELY(!(PAJESIM__RECORD(&reader->sim, value)->flags & PAJESIM__IMPLICIT));
}

/* Reads the lines of the block that are plain, from p on, up to one that is not.  Returns where that begins.  None of
 * their times is the earliest, as the first line of a track has one that is not later. */
PAJESIM__APART const unsigned char *pajesim__read_plain_lines(pajesim__chunk_reader *reader, const unsigned char *p)
{
    pajesim__block *block = &reader->block;
    const unsigned char *readable = reader->line.readable;
    uint32_t next = block->next, first = block->first, lines = block->lines;
    p -= block->begin; /* the beginning of the block */
#define PAJESIM__PLACE(i) (p + bounds[i])
#define PAJESIM__LENGTH(i) ((uint32_t)bounds[(i) + 1] - bounds[i])
    for (; next != lines; next++) {
        const uint16_t *bounds = block->bounds + first;
        uint32_t end = block->line_end[next], size = PAJESIM__LENGTH(0), at;
        pajesim__half text = pajesim__load64(PAJESIM__PLACE(0));
        const pajesim__chunk_plan *plan;
        pajesim__key container, type;
        pajesim__track *track;
        pajesim_time time;
        if (PAJESIM__UNLIKELY(size - 1 >= PAJESIM__HALF))
            break;
        text &= UINT64_MAX >> (64 - 8 * size);
        plan = pajesim__plan_of(reader, text);
        if (PAJESIM__UNLIKELY(plan->number != text) || PAJESIM__UNLIKELY(plan->size != size) ||
            PAJESIM__UNLIKELY(plan->words != (end - first) / 2) ||
            PAJESIM__UNLIKELY(PAJESIM__LENGTH(plan->container) >= PAJESIM__PADDED) ||
            PAJESIM__UNLIKELY(PAJESIM__LENGTH(plan->type) > PAJESIM__HALF))
            break;
        container = pajesim__key_of_word(PAJESIM__PLACE(plan->container), PAJESIM__LENGTH(plan->container),
                                         PAJESIM__PADDED);
        type = pajesim__key_of_number(PAJESIM__PLACE(plan->type), PAJESIM__LENGTH(plan->type), PAJESIM__PADDED);
        track = pajesim__plain_track(reader, &container, &type);
        if (PAJESIM__UNLIKELY(!track) || PAJESIM__UNLIKELY(track->kind != plan->kind) ||
            PAJESIM__UNLIKELY(!pajesim__read_time(readable, PAJESIM__PLACE(plan->time), PAJESIM__LENGTH(plan->time),
                                                  &time)) ||
            PAJESIM__UNLIKELY(!(time >= track->last)))
            break;
        at = (uint32_t)(p - reader->bytes) + block->begin;
        if (plan->function == PAJESIM__DO_open_state) {
            pajesim__key name = pajesim__key_of_word(PAJESIM__PLACE(plan->value), PAJESIM__LENGTH(plan->value),
                                                     PAJESIM__PADDED);
            if (!pajesim__is_plain_value(reader, &name, track->ref))
                break;
            pajesim__track_open(reader, track, at, plan->event == PAJESIM_SET_STATE);
        } else if (plan->function == PAJESIM__DO_pop_state) {
            pajesim__track_pop(reader, track, at);
        } else if (plan->function == PAJESIM__DO_change_variable) {
            pajesim_quantity number;
            if (!pajesim__read_quantity(readable, PAJESIM__PLACE(plan->value), PAJESIM__LENGTH(plan->value), &number))
                break;
            pajesim__track_variable(reader, track, at, plan->definition, number, time != track->last);
        } else {
            track->last_line = at + 1;
        }
        track->last = time;
        reader->chunk->by_event[plan->event]++;
        block->begin = bounds[end - first - 1] + 1u;
        first = end;
    }
#undef PAJESIM__PLACE
#undef PAJESIM__LENGTH
    reader->chunk->lines += next - block->next;
    block->next = next;
    block->first = first;
    return p + block->begin;
}
#endif
