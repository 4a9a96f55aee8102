/* The storage of an index: checkpoints of a trace, and the ends of what was open at them.
 *
 * The index begins with the header of an image, so that it can be saved as it is.  Blocks follow, one of which is the
 * directory of checkpoints; when there is no room for another, the live ones are moved together.  A checkpoint has an
 * image, and for each entity that is open there an end record, in the order of pajesim__walk_next.  The end records of
 * an entity that is open at several checkpoints form a chain, the latest first; when it closes, all of them are filled
 * in. */
#pragma once

#include "../api/travel.h"
#include "image.h"

#if PAJESIM_TRAVEL

#define PAJESIM__INDEX_MAGIC UINT32_C(0x50414A49)

typedef struct pajesim__end_record {
    pajesim_time time;
    uint32_t order;          /* order of completion; 0: still open */
    uint32_t earlier;        /* 1 + index of the record at the checkpoint before; 0: not open there */
    pajesim__offset details; /* a pajesim__end_details; 0: none */
    uint32_t flags;          /* see simulation/watch.h */
} pajesim__end_record;
#define PAJESIM__END_RECORD_MEMBERS(X, T) \
    X(T, time) X(T, order) X(T, earlier) X(T, details) X(T, flags)

/* What else is known of an end.  The records that it refers to follow, then the user fields. */
typedef struct pajesim__end_details {
    pajesim_quantity number; /* value of a variable */
    uint32_t refs;           /* end records that refer to it */
    uint32_t records;        /* size of the records: see index_records.h */
    uint32_t fields;         /* size of the user fields */
    uint32_t unused;
} pajesim__end_details;
#define PAJESIM__END_DETAILS_MEMBERS(X, T) \
    X(T, number) X(T, refs) X(T, records) X(T, fields) X(T, unused)

/* A type, a value or a container that an end refers to: see index_records.h.  Its texts follow, and fill words of 8
 * bytes. */
typedef struct pajesim__far_record {
    pajesim_time start; /* of a container */
    uint32_t serial;    /* of a container */
    uint8_t tag, kind;  /* tag: pajesim__tag */
    uint8_t in_root;    /* of a type: it is in the root type, not in the last type before it */
    uint8_t unused;
    uint32_t alias, name, color; /* sizes of the texts; name 0: the alias */
    uint32_t size;               /* of all */
} pajesim__far_record;
#define PAJESIM__FAR_RECORD_MEMBERS(X, T) \
    X(T, start) X(T, serial) X(T, tag) X(T, kind) X(T, in_root) X(T, unused) X(T, alias) X(T, name) X(T, color) \
    X(T, size)

typedef struct pajesim__checkpoint {
    uint64_t offset, events;
    uint64_t digest; /* of the bytes before it */
    pajesim_time greatest; /* of all times before it */
    pajesim_time least;    /* of the times from it to the next one */
    pajesim__offset image, end_records;
    uint32_t image_size, count, top;
    uint32_t serial; /* of the newest container */
    uint32_t ended;  /* 1: after the last line, which lacks its newline */
    uint32_t unused;
} pajesim__checkpoint;
#define PAJESIM__CHECKPOINT_MEMBERS(X, T) \
    X(T, offset) X(T, events) X(T, digest) X(T, greatest) X(T, least) X(T, image) X(T, end_records) X(T, image_size) \
    X(T, count) X(T, top) X(T, serial) X(T, ended) X(T, unused)

typedef struct pajesim__index {
    uint32_t top;  /* high-water mark */
    uint32_t dead; /* bytes of freed blocks below `top` */
    pajesim__offset directory;
    uint32_t count, capacity;
    uint32_t order; /* of the last end */
    uint32_t complete;
    uint32_t ended;         /* 1: the last line, which lacks its newline, is done */
    uint32_t automatic;     /* 1: the distance of checkpoints follows the size of the arena */
    uint64_t bytes, events; /* distance of checkpoints; 0: not used */
    struct {
        uint64_t bytes, events; /* of the trace, when a checkpoint did not fit */
    } failed;
    uint64_t label[4];
} pajesim__index;
#define PAJESIM__INDEX_MEMBERS(X, T) \
    X(T, top) X(T, dead) X(T, directory) X(T, count) X(T, capacity) X(T, order) X(T, complete) X(T, ended) \
    X(T, automatic) X(T, bytes) X(T, events) X(T, failed.bytes) X(T, failed.events) X(T, label)

/* The header in front of each block. */
typedef struct pajesim__block_head {
    uint32_t size;   /* this header included */
    uint32_t in_use; /* 0: freed; while blocks are moved, the new offset */
} pajesim__block_head;
#define PAJESIM__BLOCK_HEAD_MEMBERS(X, T) \
    X(T, size) X(T, in_use)

#define PAJESIM__INDEX_RECORDS(X) \
    X(pajesim__index, PAJESIM__INDEX_MEMBERS) \
    X(pajesim__checkpoint, PAJESIM__CHECKPOINT_MEMBERS) \
    X(pajesim__end_record, PAJESIM__END_RECORD_MEMBERS) \
    X(pajesim__end_details, PAJESIM__END_DETAILS_MEMBERS) \
    X(pajesim__far_record, PAJESIM__FAR_RECORD_MEMBERS) \
    X(pajesim__block_head, PAJESIM__BLOCK_HEAD_MEMBERS) \
    X(pajesim__named_fields, PAJESIM__NAMED_FIELDS_MEMBERS)

/* Depends on the place and size of each member of each record, also of those in its images. */
static uint32_t pajesim__index_fingerprint(void)
{
    const uint32_t records = PAJESIM__INDEX_RECORDS(PAJESIM__HASH_RECORD);
    return records + pajesim__layout_fingerprint();
}

#define PAJESIM__STORED(type, offset) ((type *)(void *)(index->memory + (offset)))
#define PAJESIM__INDEX PAJESIM__STORED(pajesim__index, sizeof(pajesim__image))
#define PAJESIM__CHECKPOINT(number) (PAJESIM__STORED(pajesim__checkpoint, PAJESIM__INDEX->directory) + (number))
#define PAJESIM__LATEST (PAJESIM__INDEX->count - 1)
#define PAJESIM__END_RECORDS(number) PAJESIM__STORED(pajesim__end_record, PAJESIM__CHECKPOINT(number)->end_records)

/* Blocks are at multiples of 8 bytes, also where 64 bits are aligned to 4, as on i386. */
static pajesim__offset pajesim__first_block(void)
{
    return (pajesim__offset)((sizeof(pajesim__image) + sizeof(pajesim__index) + 7) & ~(size_t)7);
}

static size_t pajesim__block_size(size_t size)
{
    return (sizeof(pajesim__block_head) + size + 7) & ~(size_t)7;
}

static pajesim__block_head *pajesim__head_of(const pajesim_index *index, pajesim__offset offset)
{
    return PAJESIM__STORED(pajesim__block_head, offset) - 1;
}

/* Frees a block. */
static void pajesim__store_free(pajesim_index *index, pajesim__offset offset)
{
    pajesim__block_head *head;
    if (!offset)
        return;
    head = pajesim__head_of(index, offset);
    head->in_use = 0;
    PAJESIM__INDEX->dead += head->size;
}

/* Returns the new offset of a block while blocks are moved. */
static pajesim__offset pajesim__forwarding_offset(const pajesim_index *index, pajesim__offset offset)
{
    return offset ? pajesim__head_of(index, offset)->in_use : 0;
}

/* Moves the live blocks together. */
static void pajesim__compact(pajesim_index *index)
{
    pajesim__index *store = PAJESIM__INDEX;
    uint32_t at, to = pajesim__first_block(), size, number, i;
    for (at = to; at < store->top; at += size) {
        pajesim__block_head *head = PAJESIM__STORED(pajesim__block_head, at);
        size = head->size;
        if (head->in_use) {
            head->in_use = to + (uint32_t)sizeof *head;
            to += size;
        }
    }
    for (number = 0; number < store->count; number++) {
        pajesim__checkpoint *checkpoint = PAJESIM__CHECKPOINT(number);
        pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
        for (i = 0; i < checkpoint->count; i++)
            end_records[i].details = pajesim__forwarding_offset(index, end_records[i].details);
        checkpoint->image = pajesim__forwarding_offset(index, checkpoint->image);
        checkpoint->end_records = pajesim__forwarding_offset(index, checkpoint->end_records);
    }
    store->directory = pajesim__forwarding_offset(index, store->directory);
    for (at = pajesim__first_block(); at < store->top; at += size) {
        const pajesim__block_head *head = PAJESIM__STORED(const pajesim__block_head, at);
        size = head->size;
        if (head->in_use)
            memmove(index->memory + head->in_use - sizeof *head, head, size);
    }
    store->top = to;
    store->dead = 0;
}

static void pajesim__release_end_details(pajesim_index *index, pajesim__offset offset)
{
    if (offset && --PAJESIM__STORED(pajesim__end_details, offset)->refs == 0)
        pajesim__store_free(index, offset);
}

/* Drops a checkpoint: the next one takes over its chains, the previous one its least time. */
static void pajesim__drop_checkpoint(pajesim_index *index, uint32_t number)
{
    pajesim__index *store = PAJESIM__INDEX;
    pajesim__checkpoint *dropped = PAJESIM__CHECKPOINT(number);
    const pajesim__end_record *end_records = PAJESIM__END_RECORDS(number);
    uint32_t i;
    if (number < PAJESIM__LATEST) {
        pajesim__end_record *later = PAJESIM__END_RECORDS(number + 1);
        for (i = 0; i < dropped[1].count; i++)
            if (later[i].earlier)
                later[i].earlier = end_records[later[i].earlier - 1].earlier;
    }
    if (number && dropped->least < dropped[-1].least)
        dropped[-1].least = dropped->least;
    for (i = 0; i < dropped->count; i++)
        pajesim__release_end_details(index, end_records[i].details);
    pajesim__store_free(index, dropped->end_records);
    pajesim__store_free(index, dropped->image);
    store->count--;
    memmove(dropped, dropped + 1, (store->count - number) * sizeof *dropped);
}

/* Drops every other checkpoint, never the first one, and the latest one only if there is no other.  Returns 0 if there
 * is none to drop. */
static int pajesim__thin_checkpoints(pajesim_index *index)
{
    pajesim__index *store = PAJESIM__INDEX;
    uint32_t number = store->count;
    if (number <= 1)
        return 0;
    if (number == 2) {
        pajesim__drop_checkpoint(index, 1);
        return 1;
    }
    store->bytes *= 2;
    store->events *= 2;
    while (number > 2) {
        number -= 2;
        pajesim__drop_checkpoint(index, number);
    }
    return 1;
}

/* Allocates a block, dropping checkpoints and moving blocks if needed; returns 0 if there is no room. */
static pajesim__offset pajesim__store_alloc(pajesim_index *index, size_t size)
{
    pajesim__index *store = PAJESIM__INDEX;
    size_t total = pajesim__block_size(size);
    pajesim__block_head *head;
    while (index->capacity - store->top < total) {
        int worthwhile = store->dead >= total && store->dead >= store->top / 4;
        if (!worthwhile && pajesim__thin_checkpoints(index))
            continue;
        if (!store->dead)
            return 0;
        pajesim__compact(index);
    }
    head = PAJESIM__STORED(pajesim__block_head, store->top);
    memset((char *)(head + 1) + size, 0, total - sizeof *head - size); /* the padding is saved, too */
    head->size = (uint32_t)total;
    head->in_use = 1;
    store->top += head->size;
    return store->top - head->size + (pajesim__offset)sizeof *head;
}
#endif /* PAJESIM_TRAVEL */
