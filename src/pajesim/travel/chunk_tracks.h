/* Which lines of a chunk have an effect that lasts to its end.  See travel/chunk.h.
 *
 * The events of one container and type are a track.  Its first line is kept in any case: it tells the reader whether
 * there is such a container, of such a type, and whether the time is in order; what holds for it holds for the others.
 * Its last line is kept, too, as the time of the next one is compared with its. */
#pragma once

#include "../run/batch.h"
#include "../api/chunks.h"

#if PAJESIM_TRAVEL

/* In these lists a place in the chunk is an offset, or, where there may be none, an offset + 1. */

/* A key, and a place where its bytes stand. */
typedef struct pajesim__chunk_key {
    pajesim__half lo, hi;
    uint32_t size, word;
} pajesim__chunk_key;

typedef struct pajesim__track {
    pajesim__chunk_key container, type; /* type.size 0: type.lo is a reference and a mark: PAJESIM__TRACK_VALUE, ... */
    pajesim_ref ref;      /* to the type */
    uint32_t items;       /* of states: those open that began in the chunk, the top first; of variables: the lines
                             since the last PajeSetVariable, the last first; 1 + index */
    uint32_t clear;       /* of states: the last line that closed all; of variables: that which began the segment;
                             + 1 */
    uint32_t clear_end;   /* of states: the line that popped that of `clear`; of variables: that which began the
                             segment of the last PajeSetVariable; + 1 */
    uint32_t pair, last_line; /* the last two lines that belong together, or the last one, if they are not kept; + 1 */
    uint32_t changes, changes_at_set; /* segments of a variable that began after the first; and at its last Set */
    uint8_t kind, begun, cleared;     /* cleared: it is known what is open */
    pajesim_time last;
    pajesim_quantity number;
} pajesim__track;

/* What else a track stands for is in the highest bits of a reference to a type, which is less than 2^29. */
#define PAJESIM__TRACK_VALUE (UINT32_C(1) << 30)  /* an undefined value, in place of a container */
#define PAJESIM__TRACK_SOURCE (UINT32_C(2) << 30) /* the start of links */
#define PAJESIM__TRACK_TARGET (UINT32_C(3) << 30)

typedef struct pajesim__chunk_item {
    uint32_t line, next; /* next: 1 + index */
    uint32_t set;        /* 1: a state begun by PajeSetState, which is the bottom of its stack */
} pajesim__chunk_item;

/* The links of one key, container and type: until the first one, whose start is in the chunk, has its end. */
typedef struct pajesim__chunk_link {
    pajesim__chunk_key container, key;
    uint32_t value, value_size, type;
    uint32_t line;  /* of the start, if that waits for its end */
    uint8_t started; /* 1: it does */
    uint8_t fresh;  /* 1: the first line of the key is a start, so none may wait at the beginning of the chunk */
    pajesim_time time;
} pajesim__chunk_link;

typedef struct pajesim__chunk_slot {
    void *record; /* NULL: free */
    pajesim__half hash;
} pajesim__chunk_slot;

/* Hashes of links with both ends in the chunk. */
typedef struct pajesim__chunk_done {
    struct pajesim__chunk_done *next;
    uint32_t count;
    pajesim__half hashes[253];
} pajesim__chunk_done;

typedef struct pajesim__chunk_value {
    struct pajesim__chunk_value *next;
    uint32_t word, size, type;
} pajesim__chunk_value;

typedef struct pajesim__chunk_table {
    pajesim__chunk_slot *slots;
    uint32_t bits, count;
} pajesim__chunk_table;

#if PAJESIM__BLOCKS
/* Where the words of an event are, as the indices of their first bounds: for the fast path. */
typedef struct pajesim__chunk_plan {
    pajesim__half number; /* its text */
    const pajesim__definition *definition;
    uint32_t size, words; /* size: of the number; 0: there is no plan */
    uint16_t time, container, type, value; /* with 255 words there are 510 bounds */
    uint8_t function, event, kind;
} pajesim__chunk_plan;
#define PAJESIM__PLAN_BITS 6
#define PAJESIM__RECENT_BITS 11
#endif

/* What reads a chunk, at the beginning of its memory. */
typedef struct pajesim__chunk_reader {
    pajesim sim; /* shares the arena of `base`, which it only reads, and has its own cache */
    pajesim_chunk *chunk;
    const unsigned char *bytes;
    uint64_t *kept; /* a bit for each byte: 1 where a line begins that is kept */
    pajesim__chunk_table tracks, links;
    pajesim__chunk_item *items;
    uint32_t item_count, item_room, free_item;
    void *free_track, *free_link;
    pajesim__chunk_done *done;
    uint64_t done_count;
    uint64_t flushed; /* tracks, in all */
    int unsuited;     /* 1: the chunk is to be fed whole */
    int strict;
    pajesim__line line;
#if PAJESIM__BLOCKS
    int is_plain; /* 1: lines may be read by the fast path */
    pajesim__chunk_plan plans[1 << PAJESIM__PLAN_BITS];
    pajesim__track *recent[1 << PAJESIM__RECENT_BITS]; /* by their keys; NULL: none */
    pajesim__block block;
#endif
} pajesim__chunk_reader;

/* ---- memory ---- */

/* Returns NULL, and gives up the chunk, if there is no memory. */
static void *pajesim__chunk_alloc(pajesim__chunk_reader *reader, size_t size)
{
    pajesim_chunk *chunk = reader->chunk;
    void *block = chunk->memory + chunk->used;
    size = (size + 7) & ~(size_t)7;
    if (size > chunk->capacity - chunk->used) {
        reader->unsuited = 1;
        return NULL;
    }
    chunk->used += size;
    return block;
}

static int pajesim__chunk_table_init(pajesim__chunk_reader *reader, pajesim__chunk_table *table, uint32_t bits)
{
    table->slots = (pajesim__chunk_slot *)pajesim__chunk_alloc(reader, sizeof *table->slots << bits);
    table->bits = bits;
    table->count = 0;
    if (table->slots)
        memset(table->slots, 0, sizeof *table->slots << bits);
    return table->slots != NULL;
}

static uint32_t pajesim__chunk_free_slot(const pajesim__chunk_table *table, pajesim__half hash)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i = (uint32_t)(hash >> (64 - table->bits));
    while (table->slots[i].record)
        i = (i + 1) & mask;
    return i;
}

/* Adds a record, which is not in the table.  The memory of a table that was too small stays unused. */
static void pajesim__chunk_insert(pajesim__chunk_reader *reader, pajesim__chunk_table *table, pajesim__half hash,
                                  void *record)
{
    uint32_t i;
    if (table->count >= UINT32_C(1) << table->bits >> 1) {
        pajesim__chunk_table larger;
        if (!pajesim__chunk_table_init(reader, &larger, table->bits + 1))
            return;
        for (i = 0; i < UINT32_C(1) << table->bits; i++)
            if (table->slots[i].record)
                larger.slots[pajesim__chunk_free_slot(&larger, table->slots[i].hash)] = table->slots[i];
        larger.count = table->count;
        *table = larger;
    }
    i = pajesim__chunk_free_slot(table, hash);
    table->slots[i].record = record;
    table->slots[i].hash = hash;
    table->count++;
}

static void pajesim__chunk_remove(pajesim__chunk_table *table, pajesim__half hash, const void *record)
{
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i = (uint32_t)(hash >> (64 - table->bits)), j;
    while (table->slots[i].record != record)
        i = (i + 1) & mask;
    for (j = (i + 1) & mask; table->slots[j].record; j = (j + 1) & mask) {
        uint32_t home = (uint32_t)(table->slots[j].hash >> (64 - table->bits));
        if (((j - home) & mask) >= ((j - i) & mask)) { /* it is found from the free slot, too */
            table->slots[i] = table->slots[j];
            i = j;
        }
    }
    table->slots[i].record = NULL;
    table->count--;
}

PAJESIM__INLINE void pajesim__keep_line(pajesim__chunk_reader *reader, uint32_t line)
{
    reader->kept[line / 64] |= UINT64_C(1) << line % 64;
}

PAJESIM__INLINE int pajesim__is_kept(const pajesim__chunk_reader *reader, uint32_t line)
{
    return reader->kept[line / 64] >> line % 64 & 1;
}

/* ---- tracks ---- */

PAJESIM__INLINE pajesim__chunk_key pajesim__chunk_key_of(const pajesim__key *key, const unsigned char *bytes)
{
    pajesim__chunk_key it;
    it.lo = key->lo;
    it.hi = key->hi;
    it.size = key->size;
    it.word = (uint32_t)(key->bytes - bytes);
    return it;
}

PAJESIM__INLINE int pajesim__is_chunk_key(const pajesim__chunk_key *it, const pajesim__key *key,
                                          const unsigned char *bytes)
{
    return it->lo == key->lo && it->hi == key->hi && it->size == key->size &&
           (PAJESIM__LIKELY(key->size <= 2 * PAJESIM__HALF) || memcmp(bytes + it->word, key->bytes, key->size) == 0);
}

/* Takes a record that was given back, or new memory; returns NULL if there is none.  *first_free: the records that were
 * given back, each of which begins with the address of the next one. */
static void *pajesim__chunk_record(pajesim__chunk_reader *reader, void **first_free, size_t size)
{
    void *record = *first_free;
    if (record)
        memcpy(first_free, record, sizeof *first_free);
    else
        record = pajesim__chunk_alloc(reader, size);
    return record ? memset(record, 0, size) : NULL;
}

PAJESIM__COLD pajesim__track *pajesim__new_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                 const pajesim__key *type, pajesim__half hash)
{
    pajesim__track *track = (pajesim__track *)pajesim__chunk_record(reader, &reader->free_track, sizeof *track);
    if (!track)
        return NULL;
    track->container = pajesim__chunk_key_of(container, reader->bytes);
    track->type = pajesim__chunk_key_of(type, reader->bytes);
    pajesim__chunk_insert(reader, &reader->tracks, hash, track);
    return track;
}

PAJESIM__INLINE pajesim__half pajesim__track_hash(const pajesim__key *container, const pajesim__key *type)
{
    pajesim__key both = *container;
    both.lo += type->lo * PAJESIM__MIX2;
    both.hi += type->hi;
    return pajesim__mix(&both, type->size, container->size);
}

/* Returns NULL if there is none. */
PAJESIM__INLINE pajesim__track *pajesim__find_track(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                    const pajesim__key *type, pajesim__half hash)
{
    const pajesim__chunk_table *table = &reader->tracks;
    uint32_t mask = (UINT32_C(1) << table->bits) - 1, i;
    for (i = (uint32_t)(hash >> (64 - table->bits)); table->slots[i].record; i = (i + 1) & mask) {
        pajesim__track *track = (pajesim__track *)table->slots[i].record;
        if (table->slots[i].hash == hash && pajesim__is_chunk_key(&track->container, container, reader->bytes) &&
            pajesim__is_chunk_key(&track->type, type, reader->bytes))
            return track;
    }
    return NULL;
}

/* Returns the track of two keys; NULL if there is no memory for it. */
PAJESIM__INLINE pajesim__track *pajesim__track_of(pajesim__chunk_reader *reader, const pajesim__key *container,
                                                  const pajesim__key *type)
{
    pajesim__half hash = pajesim__track_hash(container, type);
    pajesim__track *track = pajesim__find_track(reader, container, type, hash);
    return PAJESIM__LIKELY(track) ? track : pajesim__new_track(reader, container, type, hash);
}

/* Returns 1 if the word names something that is new to the chunk.  `type`: with a mark. */
static int pajesim__is_first_use(pajesim__chunk_reader *reader, uint32_t word, uint32_t type)
{
    pajesim__key name = pajesim__key_at(&reader->line, word), mark = {0, 0, NULL, 0};
    pajesim__track *track;
    mark.lo = type;
    mark.bytes = name.bytes;
    track = pajesim__track_of(reader, &name, &mark);
    if (!track || track->begun)
        return 0;
    track->begun = 1;
    return 1;
}

/* Returns 0 if there is no memory. */
PAJESIM__COLD int pajesim__grow_items(pajesim__chunk_reader *reader)
{
    pajesim__chunk_item *larger =
        (pajesim__chunk_item *)pajesim__chunk_alloc(reader, 2 * reader->item_room * sizeof *larger);
    if (!larger)
        return 0;
    memcpy(larger, reader->items, reader->item_room * sizeof *larger);
    reader->items = larger;
    reader->item_room *= 2;
    return 1;
}

PAJESIM__INLINE void pajesim__push_item(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                        uint32_t set)
{
    uint32_t i = reader->free_item;
    if (PAJESIM__LIKELY(i))
        reader->free_item = reader->items[i - 1].next;
    else if (reader->item_count < reader->item_room || pajesim__grow_items(reader))
        i = ++reader->item_count;
    else
        return;
    reader->items[i - 1].line = line;
    reader->items[i - 1].set = set;
    reader->items[i - 1].next = track->items;
    track->items = i;
}

/* Returns what was pushed last; it stays as it is until the next push. */
PAJESIM__INLINE const pajesim__chunk_item *pajesim__pop_item(pajesim__chunk_reader *reader, pajesim__track *track)
{
    uint32_t i = track->items;
    pajesim__chunk_item *item = &reader->items[i - 1];
    track->items = item->next;
    item->next = reader->free_item;
    reader->free_item = i;
    return item;
}

/* Keeps what lasts of a track. */
static void pajesim__flush_track(pajesim__chunk_reader *reader, pajesim__track *track)
{
    while (track->items)
        pajesim__keep_line(reader, pajesim__pop_item(reader, track)->line);
    if (track->clear && track->kind == PAJESIM_STATE)
        pajesim__keep_line(reader, track->clear - 1);
    if (track->clear_end)
        pajesim__keep_line(reader, track->clear_end - 1);
    if (track->pair)
        pajesim__keep_line(reader, track->pair - 1);
    if (track->last_line)
        pajesim__keep_line(reader, track->last_line - 1);
    if (track->changes_at_set > 2)
        reader->chunk->segments += track->changes_at_set - 2;
}

/* Keeps what lasts of all lines so far, and forgets what was found out: a container is destroyed. */
static void pajesim__flush_tracks(pajesim__chunk_reader *reader)
{
    pajesim__chunk_table *table = &reader->tracks;
    uint32_t i;
    for (i = 0; i < UINT32_C(1) << table->bits; i++)
        if (table->slots[i].record) {
            pajesim__track *track = (pajesim__track *)table->slots[i].record;
            pajesim__flush_track(reader, track);
            memcpy(track, &reader->free_track, sizeof reader->free_track);
            reader->free_track = track;
        }
    memset(table->slots, 0, sizeof *table->slots << table->bits);
    table->count = 0;
#if PAJESIM__BLOCKS
    memset(reader->recent, 0, sizeof reader->recent);
#endif
    for (i = 0; i < UINT32_C(1) << reader->links.bits; i++) {
        const pajesim__chunk_link *link = (const pajesim__chunk_link *)reader->links.slots[i].record;
        if (link && link->started)
            pajesim__keep_line(reader, link->line);
    }
    reader->flushed += (UINT64_C(1) << table->bits) + (UINT64_C(1) << reader->links.bits);
}

/* Returns 1 if the time is in order. */
PAJESIM__INLINE int pajesim__track_time(pajesim__track *track, pajesim_time time)
{
    int ordered = !track->begun || time >= track->last;
    track->last = time;
    return ordered;
}

/* ---- events ---- */

/* States: the first line that closes all; the last one; and what was opened since and is still open.  Pairs of a Push
 * and a Pop are left out. */
static void pajesim__track_open(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line, int set)
{
    if (set) {
        while (track->items)
            pajesim__pop_item(reader, track);
        if (!track->cleared)
            pajesim__keep_line(reader, line);
        track->cleared = 1;
        track->clear = line + 1;
        track->clear_end = 0;
    }
    track->pair = track->last_line = 0;
    pajesim__push_item(reader, track, line, (uint32_t)set);
}

static void pajesim__track_reset(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line)
{
    while (track->items)
        pajesim__pop_item(reader, track);
    if (!track->cleared)
        pajesim__keep_line(reader, line);
    track->cleared = 1;
    track->clear = line + 1;
    track->clear_end = track->pair = track->last_line = 0;
}

static void pajesim__track_pop(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line)
{
    const pajesim__chunk_item *item;
    track->pair = track->last_line = 0;
    if (!track->items) {
        reader->unsuited |= track->cleared; /* there is no state to pop */
        pajesim__keep_line(reader, line);
        return;
    }
    item = pajesim__pop_item(reader, track);
    if (item->set) {
        track->clear_end = line + 1;
    } else if (pajesim__is_kept(reader, item->line)) {
        pajesim__keep_line(reader, line);
    } else {
        track->pair = item->line + 1;
        track->last_line = line + 1;
    }
}

/* Variables: the lines of the first time, and the first of a later one, which change and end the segment that was open
 * before; the last Set, with the line that began its segment; and what comes behind it. */
static void pajesim__track_variable(pajesim__chunk_reader *reader, pajesim__track *track, uint32_t line,
                                    const pajesim__definition *definition, pajesim_quantity number, int changed)
{
    track->changes += changed != 0;
    if (changed || !track->begun)
        track->clear = line + 1;
    if (!track->changes || (changed && track->changes == 1))
        pajesim__keep_line(reader, line);
    if (definition->event == PAJESIM_SET_VARIABLE) {
        while (track->items)
            pajesim__pop_item(reader, track);
        track->cleared = 1;
        track->clear_end = track->clear;
        track->changes_at_set = track->changes;
        track->number = number;
    } else if (track->cleared &&
               !pajesim__add_quantities(track->number, definition->event == PAJESIM_ADD_VARIABLE ? number : -number,
                                        &track->number)) {
        reader->unsuited = 1;
    }
    pajesim__push_item(reader, track, line, 0);
}

#endif /* PAJESIM_TRAVEL */
