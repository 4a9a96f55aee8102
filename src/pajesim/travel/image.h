/* Images: a simulation as bytes, packed and with a checksum, and back. */
#pragma once

#include "../run/lifecycle.h"
#include "check_image.h"
#include "walk.h"

#define PAJESIM__MAGIC UINT32_C(0x50414A31) /* differs in the other byte order */

/* The header of an image. */
typedef struct pajesim__image {
    uint32_t magic;
    uint32_t version;
    uint32_t layout; /* layout fingerprint: differs where images are not compatible */
    uint32_t size;   /* bytes that follow */
    uint64_t checksum;
#if PAJESIM_TRAVEL
    uint64_t top; /* size of the arena when it is unpacked */
#endif
} pajesim__image;
#define PAJESIM__IMAGE_MEMBERS(X, T) \
    X(T, magic) X(T, version) X(T, layout) X(T, size) X(T, checksum) PAJESIM__IF_TRAVEL(X(T, top))

#if PAJESIM_TRAVEL
/* A run of zero words, then one of literal words, of 8 bytes each, which may contain single zero words.  The bytes
 * after the last whole word come at the end. */
typedef struct pajesim__run {
    uint32_t zeros, literals;
} pajesim__run;
#define PAJESIM__RUN_MEMBERS(X, T) \
    X(T, zeros) X(T, literals)

#define PAJESIM__TOP(head) ((head)->top)
#define PAJESIM__TRUNCATED PAJESIM_DAMAGED
#define PAJESIM__RESTORE_SIZE(top) pajesim__restore_size(top)
#define PAJESIM__IS_SOUND(sim, top) pajesim__image_is_sound(sim, top)
#else
#define PAJESIM__TOP(head) ((head)->size)
#define PAJESIM__TRUNCATED PAJESIM_INCOMPATIBLE
#define PAJESIM__RESTORE_SIZE(top) (top)
#define PAJESIM__IS_SOUND(sim, top) 1
#endif

/* ---- the layout: images are exchanged only where each member of each record has the same place ---- */

/* A hash of a name's length and of five of its characters.  Compilers compute it, but only if they optimize: of all
 * characters, gcc -O0 makes 100 KB of code, and takes four times as long for this header.  tests/builds/layout.sh
 * checks that the names of members differ in these. */
#define PAJESIM__CHAR(text, i) ((uint32_t)(unsigned char)(text)[i])
#define PAJESIM__HASH_NAME(text) \
    ((((((uint32_t)sizeof(text) * 31u + PAJESIM__CHAR(text, 0)) * 31u + PAJESIM__CHAR(text, sizeof(text) / 2)) * 31u + \
       PAJESIM__CHAR(text, sizeof(text) * 2 / 3)) * 31u + PAJESIM__CHAR(text, sizeof(text) * 3 / 4)) * 31u + \
     PAJESIM__CHAR(text, sizeof(text) - 2))

#define PAJESIM__HASH_MEMBER(type, member) \
    +PAJESIM__HASH_NAME(#member) * ((uint32_t)offsetof(type, member) * UINT32_C(0x9E3779B1) + \
                                 (uint32_t)sizeof(((type *)0)->member))
#define PAJESIM__HASH_RECORD(type, members) \
    +(PAJESIM__HASH_NAME(#type) | 1u) * ((uint32_t)sizeof(type) members(PAJESIM__HASH_MEMBER, type))

/* The records of an image: X(type, members). */
#define PAJESIM__RECORDS(X) \
    X(pajesim__heap, PAJESIM__HEAP_MEMBERS) \
    X(pajesim__id, PAJESIM__ID_MEMBERS) \
    X(pajesim__table, PAJESIM__TABLE_MEMBERS) \
    PAJESIM__IF_32(X(pajesim__entry, PAJESIM__ENTRY_MEMBERS)) \
    PAJESIM__IF_32(X(pajesim__critbit_node, PAJESIM__CRITBIT_NODE_MEMBERS)) \
    X(pajesim__used_ids, PAJESIM__USED_IDS_MEMBERS) \
    X(pajesim__bucket, PAJESIM__BUCKET_MEMBERS) \
    X(pajesim__queue, PAJESIM__QUEUE_MEMBERS) \
    X(pajesim_counts, PAJESIM__COUNTS_MEMBERS) \
    X(pajesim__state, PAJESIM__STATE_MEMBERS) \
    X(pajesim__record, PAJESIM__RECORD_MEMBERS) \
    X(pajesim__tree, PAJESIM__TREE_MEMBERS) \
    X(pajesim__type, PAJESIM__TYPE_MEMBERS) \
    X(pajesim__value, PAJESIM__VALUE_MEMBERS) \
    X(pajesim__container, PAJESIM__CONTAINER_MEMBERS) \
    X(pajesim__slot, PAJESIM__SLOT_MEMBERS) \
    PAJESIM__IF_32(X(pajesim__late_slot, PAJESIM__LATE_SLOT_MEMBERS)) \
    X(pajesim__frame, PAJESIM__FRAME_MEMBERS) \
    X(pajesim__link, PAJESIM__LINK_MEMBERS) \
    X(pajesim__definition, PAJESIM__DEFINITION_MEMBERS) \
    X(pajesim__fields, PAJESIM__FIELDS_MEMBERS) \
    X(pajesim__file, PAJESIM__FILE_MEMBERS) \
    X(pajesim__image, PAJESIM__IMAGE_MEMBERS) \
    PAJESIM__IF_TRAVEL(X(pajesim__run, PAJESIM__RUN_MEMBERS))

/* Returns a fingerprint of the place and size of each member of each record, the number of problems, and options. */
static uint32_t pajesim__layout_fingerprint(void)
{
    const uint32_t records = PAJESIM__RECORDS(PAJESIM__HASH_RECORD);
    const uint32_t decimals = (PAJESIM_TIME_DECIMALS + 1) * 20 + PAJESIM_VALUE_DECIMALS + 1;
    const uint32_t disabled = !PAJESIM_CHECKS + 2 * !PAJESIM_REPAIRS + 4 * !PAJESIM_FILES + 8 * !PAJESIM_FIELDS +
                              16 * !PAJESIM_TRAVEL;
    return records + PAJESIM_E_COUNT + (decimals * 32 + disabled) * UINT32_C(0x9E3779B1);
}

/* ---- the head ---- */

static uint64_t pajesim__checksum_mix(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * PAJESIM__MIX1;
    return sum ^ (sum >> 29);
}

/* Returns a checksum that every change of a single word changes.  Four independent sums, which a processor computes in
 * parallel, are combined. */
static uint64_t pajesim__checksum(const unsigned char *bytes, size_t size)
{
    uint64_t a = size, b = 0, c = 0, d = 0;
    size_t i = 0;
    for (; !PAJESIM_SMALL && i + 32 <= size; i += 32) {
        a = pajesim__checksum_mix(a, pajesim__load64(bytes + i));
        b = pajesim__checksum_mix(b, pajesim__load64(bytes + i + 8));
        c = pajesim__checksum_mix(c, pajesim__load64(bytes + i + 16));
        d = pajesim__checksum_mix(d, pajesim__load64(bytes + i + 24));
    }
    if (!PAJESIM_SMALL)
        a = pajesim__checksum_mix(pajesim__checksum_mix(pajesim__checksum_mix(a, b), c), d);
    for (; i + 8 <= size; i += 8)
        a = pajesim__checksum_mix(a, pajesim__load64(bytes + i));
    for (; i < size; i++) /* unreached, except where 64-bit integers are aligned to 4 bytes */
        a = (a ^ bytes[i]) * UINT64_C(0x100000001B3);
    return a ^ (a >> 32);
}

static pajesim__image pajesim__image_of(uint32_t magic, uint32_t layout, uint32_t top, const unsigned char *bytes,
                                        size_t size)
{
    pajesim__image head;
    head.magic = magic;
    head.version = PAJESIM_VERSION;
    head.layout = layout;
    head.size = (uint32_t)size;
    head.checksum = pajesim__checksum(bytes, size);
#if PAJESIM_TRAVEL
    head.top = top;
    head.checksum += head.top;
#else
    (void)top;
#endif
    return head;
}

/* Checks the header of an image; `size` includes it. */
static pajesim_status pajesim__check_image(uint32_t magic, uint32_t layout, const pajesim__image *head,
                                           const unsigned char *bytes, size_t size)
{
    uint64_t checksum = head->checksum;
    if (head->magic != magic || head->version != PAJESIM_VERSION || head->layout != layout)
        return PAJESIM_INCOMPATIBLE;
#if PAJESIM_TRAVEL
    checksum -= head->top;
#endif
    if (magic == PAJESIM__MAGIC && PAJESIM__TOP(head) < sizeof(pajesim__state))
        return PAJESIM__TRUNCATED;
    return head->size == size - sizeof *head && checksum == pajesim__checksum(bytes, (size_t)head->size)
               ? PAJESIM_OK
               : PAJESIM__TRUNCATED;
}

/* ---- packing: dead memory is cleared, and words of zeros are left out ---- */

#if PAJESIM_TRAVEL
/* Clears the free blocks, except for their links, and the stack frames that were popped. */
static void pajesim__clear_dead(const pajesim *sim)
{
    pajesim_ref ref;
    uint32_t size_class;
    for (ref = PAJESIM__CONST_STATE(sim)->root; ref; ref = pajesim__next_container(sim, ref)) {
        const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
        pajesim_ref type = 0;
        while ((type = pajesim__next_slot_type(sim, container, type)) != 0)
            if (PAJESIM__RECORD(sim, type)->kind == PAJESIM_STATE) {
                const pajesim__slot *slot = pajesim__find_slot(sim, container, type);
                memset(PAJESIM__AT(sim, pajesim__frame, slot->open.stack.frames) + slot->open.stack.depth, 0,
                       (slot->open.stack.capacity - slot->open.stack.depth) * sizeof(pajesim__frame));
            }
    }
    for (size_class = 0; size_class < PAJESIM__CLASSES; size_class++) {
        size_t size = (size_t)pajesim__class_size(size_class);
        pajesim__offset offset = PAJESIM__CONST_HEAP(sim)->free_list[size_class];
        while (offset) {
            memset(PAJESIM__BYTES(sim, offset) + sizeof offset, 0, size - sizeof offset);
            memcpy(&offset, PAJESIM__BYTES(sim, offset), sizeof offset);
        }
    }
}

/* Packs the arena to `to`, or only measures if that is NULL; returns the size. */
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    const unsigned char *from = sim->arena, *end = from + (PAJESIM__CONST_HEAP(sim)->top & ~UINT32_C(7)), *begin;
    size_t tail = PAJESIM__CONST_HEAP(sim)->top & 7, packed = 0;
    pajesim__run run;
    if (!sim->busy) /* else a callback asks, and the frame that was popped last is still needed */
        pajesim__clear_dead(sim);
    while (from < end) {
        uint64_t word;
        for (begin = from; from < end && !pajesim__load64(from); from += 8) {
        }
        run.zeros = (uint32_t)((size_t)(from - begin) / 8);
        packed += sizeof run;
        for (begin = from; from < end; from += 8, packed += 8) {
            word = pajesim__load64(from);
            if (!word && (end - from == 8 || !pajesim__load64(from + 8)))
                break;
            if (to)
                memcpy(to + packed, &word, sizeof word);
        }
        run.literals = (uint32_t)((size_t)(from - begin) / 8);
        if (to)
            memcpy(to + packed - (from - begin) - sizeof run, &run, sizeof run);
    }
    if (to)
        memcpy(to + packed, from, tail);
    return packed + tail;
}

/* Unpacks an arena of `size` bytes; returns 0 if the packed bytes are invalid. */
static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    size_t words = size / 8, i = 0;
    pajesim__run run;
    while (i < words) {
        if (packed < sizeof run)
            return 0;
        memcpy(&run, from, sizeof run);
        from += sizeof run;
        packed -= sizeof run;
        if (run.zeros > words - i || run.literals > words - i - run.zeros || run.literals > packed / 8 ||
            run.zeros + run.literals == 0)
            return 0;
        memset(to + 8 * i, 0, 8 * (size_t)run.zeros);
        i += run.zeros;
        memcpy(to + 8 * i, from, 8 * (size_t)run.literals);
        i += run.literals;
        from += 8 * (size_t)run.literals;
        packed -= 8 * (size_t)run.literals;
    }
    if (packed != size % 8)
        return 0;
    memcpy(to + 8 * words, from, packed);
    return 1;
}
#else
static size_t pajesim__pack(const pajesim *sim, unsigned char *to)
{
    if (to)
        memcpy(to, sim->arena, (size_t)PAJESIM__CONST_HEAP(sim)->top);
    return (size_t)PAJESIM__CONST_HEAP(sim)->top;
}

static int pajesim__unpack(const unsigned char *from, size_t packed, unsigned char *to, size_t size)
{
    (void)packed;
    memcpy(to, from, size);
    return 1;
}
#endif

PAJESIM_API size_t pajesim_image_size(const pajesim *sim)
{
    return sizeof(pajesim__image) + pajesim__pack(sim, NULL);
}

/* Returns an upper bound of the packed size: every run saves at least two zero words, except for the first and the last
 * one. */
static size_t pajesim__packed_max(const pajesim *sim)
{
    return (size_t)PAJESIM__CONST_HEAP(sim)->top + 16;
}

PAJESIM_API pajesim_status pajesim_save(const pajesim *sim, void *image, size_t size)
{
    unsigned char *bytes;
    pajesim__image head;
    size_t packed;
    if (!sim || !image)
        return PAJESIM_MISUSE;
    if (sim->busy)
        return PAJESIM_BUSY;
    if (size < sizeof head + pajesim__packed_max(sim) && size < pajesim_image_size(sim))
        return PAJESIM_FULL;
    bytes = (unsigned char *)image + sizeof head;
    packed = pajesim__pack(sim, bytes);
    head =
        pajesim__image_of(PAJESIM__MAGIC, pajesim__layout_fingerprint(), PAJESIM__CONST_HEAP(sim)->top, bytes, packed);
    memcpy(image, &head, sizeof head);
    return PAJESIM_OK;
}

/* Begins a simulation from a packed arena, which is refused if it is not sound. */
static pajesim_status pajesim__restore_packed(pajesim *sim, void *arena, size_t capacity, const unsigned char *bytes,
                                              size_t packed, pajesim__size top, const pajesim_callbacks *callbacks,
                                              void *data)
{
    pajesim__attach(sim, arena, capacity, callbacks, data);
    sim->busy = 1; /* until there is something to feed */
    sim->needed = (pajesim__size)PAJESIM__RESTORE_SIZE(top);
    if ((PAJESIM_TRAVEL ? capacity : sim->capacity) < sim->needed)
        return PAJESIM_FULL;
    if (!pajesim__unpack(bytes, packed, (unsigned char *)arena, (size_t)top) || !PAJESIM__IS_SOUND(sim, (uint32_t)top))
        return PAJESIM_DAMAGED;
    sim->busy = 0;
    return PAJESIM_OK;
}

PAJESIM_API pajesim_status pajesim_restore(pajesim *sim, void *arena, size_t capacity, const void *image, size_t size,
                                           const pajesim_callbacks *callbacks, void *data)
{
    pajesim__image head;
    const unsigned char *bytes;
    pajesim_status status;
    if (!sim || !arena || !pajesim__is_aligned(arena) || !image || PAJESIM__IS_MIXED())
        return PAJESIM_MISUSE;
    if (size < sizeof head)
        return PAJESIM_INCOMPATIBLE;
    memcpy(&head, image, sizeof head);
    bytes = (const unsigned char *)image + sizeof head;
    status = pajesim__check_image(PAJESIM__MAGIC, pajesim__layout_fingerprint(), &head, bytes, size);
    if (status != PAJESIM_OK)
        return status;
    return pajesim__restore_packed(sim, arena, capacity, bytes, (size_t)head.size, (pajesim__size)PAJESIM__TOP(&head),
                                   callbacks, data);
}
