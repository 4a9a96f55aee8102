/* Which lines of links in a chunk have an effect that lasts to its end.  See travel/chunk.h. */
#pragma once

#include "chunk_tracks.h"

#if PAJESIM_TRAVEL

static int pajesim__same_bytes(const unsigned char *a, uint32_t size, const unsigned char *b, uint32_t other_size)
{
    return size == other_size && memcmp(a, b, size) == 0;
}

/* The hash of a link: of its container's identifier, its type and its key. */
PAJESIM__INLINE pajesim__half pajesim__chunk_link_hash(const pajesim__key *container, uint32_t type,
                                                       const pajesim__key *key)
{
    return (pajesim__mix(key, type, key->size) ^ pajesim__mix(container, 0, container->size)) * PAJESIM__MIX1;
}

static pajesim__chunk_link *pajesim__find_chunk_link(const pajesim__chunk_slot *slots, uint32_t bits,
                                                     const unsigned char *bytes, const pajesim__key *container,
                                                     uint32_t type, const pajesim__key *key, pajesim__half hash)
{
    uint32_t mask = (UINT32_C(1) << bits) - 1, i = (uint32_t)(hash >> (64 - bits));
    for (; slots[i].record; i = (i + 1) & mask) {
        pajesim__chunk_link *link = (pajesim__chunk_link *)slots[i].record;
        if (slots[i].hash == hash && link->type == type && pajesim__is_chunk_key(&link->key, key, bytes) &&
            pajesim__is_chunk_key(&link->container, container, bytes))
            return link;
    }
    return NULL;
}

/* Adds the links of a key; returns NULL if there is no memory. */
static pajesim__chunk_link *pajesim__new_chunk_link(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                    uint32_t type, const pajesim__key *key, pajesim__half hash)
{
    pajesim__chunk_link *link =
        (pajesim__chunk_link *)pajesim__chunk_record(reader, &reader->free_link, sizeof *link);
    if (!link)
        return NULL;
    link->container = pajesim__chunk_key_of(container, reader->bytes);
    link->key = pajesim__chunk_key_of(key, reader->bytes);
    link->type = type;
    pajesim__chunk_insert(reader, &reader->links, hash, link);
    return link;
}

/* Forgets a link with both ends in the chunk; keeps its hash. */
static void pajesim__link_done(pajesim__chunk_reader *reader, pajesim__chunk_link *link, pajesim__half hash)
{
    pajesim__chunk_done *done = reader->done;
    if (!done || done->count == sizeof done->hashes / sizeof done->hashes[0]) {
        done = (pajesim__chunk_done *)pajesim__chunk_alloc(reader, sizeof *done);
        if (!done)
            return;
        done->next = reader->done;
        done->count = 0;
        reader->done = done;
    }
    done->hashes[done->count++] = hash | 1; /* 0 marks a free slot */
    reader->done_count++;
    pajesim__chunk_remove(&reader->links, hash, link);
    memcpy(link, &reader->free_link, sizeof reader->free_link);
    reader->free_link = link;
}

/* Returns where a hash is, or is to be. */
static uint32_t pajesim__done_slot(const pajesim_chunk *chunk, uint64_t hash)
{
    uint32_t at = (uint32_t)(hash >> (64 - chunk->done_bits));
    while (chunk->done[at] && chunk->done[at] != hash)
        at = (at + 1) & ((UINT32_C(1) << chunk->done_bits) - 1);
    return at;
}

/* Makes a hash table of the links that were forgotten. */
static void pajesim__list_done(pajesim__chunk_reader *reader)
{
    pajesim_chunk *chunk = reader->chunk;
    const pajesim__chunk_done *done;
    uint32_t bits = 1, i;
    while (UINT64_C(1) << bits < 2 * reader->done_count)
        bits++;
    chunk->done = (uint64_t *)pajesim__chunk_alloc(reader, sizeof *chunk->done << bits);
    chunk->done_bits = bits;
    if (!chunk->done)
        return;
    memset(chunk->done, 0, sizeof *chunk->done << bits);
    for (done = reader->done; done; done = done->next)
        for (i = 0; i < done->count; i++)
            chunk->done[pajesim__done_slot(chunk, done->hashes[i])] = done->hashes[i];
}

/* Links: what has one end in the chunk; the last one that has both; and those that are the first at one of their end
 * points, so the first one too.  An end without a start must belong to a start before the chunk: pajesim_chunk_feed
 * checks that.  In strict mode keys are kept for ever, so all lines are. */
static void pajesim__track_link(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                const pajesim__definition *definition, pajesim_time time)
{
    int is_start = definition->event == PAJESIM_START_LINK, is_new;
    uint32_t end_word = PAJESIM__FIELD(definition, is_start ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER);
    uint32_t value_word = PAJESIM__FIELD(definition, PAJESIM_VALUE), type = track->ref;
    const unsigned char *value = PAJESIM__WORD(&reader->line, value_word);
    pajesim__key container, key;
    pajesim__half hash;
    pajesim__chunk_link *link;
    if (reader->strict) {
        pajesim__keep_line(reader, line);
        return;
    }
    if (pajesim__is_first_use(reader, end_word, type | (is_start ? PAJESIM__TRACK_SOURCE : PAJESIM__TRACK_TARGET)))
        pajesim__keep_line(reader, line);
    container = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_CONTAINER_FIELD));
    key = pajesim__key_at(&reader->line, PAJESIM__FIELD(definition, PAJESIM_KEY));
    hash = pajesim__chunk_link_hash(&container, type, &key);
    link = pajesim__find_chunk_link(reader->links.slots, reader->links.bits, reader->bytes, &container, type, &key,
                                    hash);
    is_new = !link;
    if (is_new)
        link = pajesim__new_chunk_link(reader, &container, type, &key, hash);
    if (!link)
        return;
    if (is_start) {
        reader->unsuited |= link->started; /* the key waits already */
        link->fresh |= (uint8_t)is_new;
        link->started = 1;
        link->line = line;
        link->time = time;
        link->value = (uint32_t)(value - reader->bytes);
        link->value_size = PAJESIM__SIZE(&reader->line, value_word);
        return;
    }
    if (track->cleared && !(time >= track->last))
        reader->unsuited = 1;
    track->pair = track->last_line = 0;
    if (!link->started) {
        reader->unsuited |= !is_new;
        pajesim__keep_line(reader, line);
    } else {
        if (!(time >= link->time) || !pajesim__same_bytes(reader->bytes + link->value, link->value_size, value,
                                                          PAJESIM__SIZE(&reader->line, value_word)))
            reader->unsuited = 1;
        if (pajesim__is_kept(reader, link->line) || pajesim__is_kept(reader, line)) {
            pajesim__keep_line(reader, link->line);
            pajesim__keep_line(reader, line);
        } else {
            track->pair = link->line + 1;
            track->last_line = line + 1;
        }
        link->started = 0;
        if (link->fresh)
            pajesim__link_done(reader, link, hash);
    }
    track->cleared = 1; /* a link was completed, at `last` */
    track->last = time;
}
#endif /* PAJESIM_TRAVEL */
