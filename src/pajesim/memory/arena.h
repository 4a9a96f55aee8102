/* The arena allocator: size classes with free lists, in a block of memory that the caller provides.
 *
 * The arena begins with the state of the simulation; blocks follow.  Blocks are addressed by offset, never by
 * pointer, so the arena can be copied anywhere. A block that is freed goes to the free list of its size class.
 * Classes are 16, 32, 48, 64 bytes (8, 16, 24, ... 64 where references have 16 bits), then two for each power of two:
 * so a block is at most half as large again as its contents, and names of all lengths share a few classes.
 *
 * A line allocates all its blocks before it changes anything (pajesim__alloc).  Then it either commits them all
 * (pajesim__commit) or rolls them back (pajesim__rollback).  Allocation may run past the end of the arena: the total
 * is then exactly the capacity that the line needs. */
#pragma once

#include "../api/api.h"
#include "platform.h"

typedef pajesim_ref pajesim__offset;

#if PAJESIM_REFERENCE == 16
#define PAJESIM__UNIT 8u      /* bytes: offsets count these */
#define PAJESIM__CLASS_STEP 8u      /* between the classes up to 64 */
#define PAJESIM__CLASSES 34u  /* the last is of 512 KiB */
#define PAJESIM__CAPACITY_MAX (UINT16_MAX * PAJESIM__UNIT)
#define PAJESIM__LINE_MAX UINT16_MAX
#else
#define PAJESIM__UNIT 1u
#define PAJESIM__CLASS_STEP 16u
#define PAJESIM__CLASSES 55u  /* the last is of 3 GiB; one of 4 fits in no arena */
#define PAJESIM__CAPACITY_MAX UINT32_MAX
#define PAJESIM__LINE_MAX 0u  /* none */
#endif

/* Behind each record of an arena, an image or an index comes the list of its members, PAJESIM__..._MEMBERS(X, T), of
 * which pajesim__layout_fingerprint (travel/image.h) is made; tests/builds/layout.sh compares both.  These make the
 * members that depend on options. */
#if PAJESIM_REFERENCE == 16
#define PAJESIM__IF_16(...) __VA_ARGS__
#define PAJESIM__IF_32(...)
#else
#define PAJESIM__IF_16(...)
#define PAJESIM__IF_32(...) __VA_ARGS__
#endif
#if PAJESIM_CHECKS
#define PAJESIM__IF_CHECKS(...) __VA_ARGS__
#else
#define PAJESIM__IF_CHECKS(...)
#endif
#if PAJESIM_TRAVEL
#define PAJESIM__IF_TRAVEL(...) __VA_ARGS__
#else
#define PAJESIM__IF_TRAVEL(...)
#endif

/* The number of units that hold `size` bytes, rounded up. */
#define PAJESIM__UNITS(size) (((size) + PAJESIM__UNIT - 1) / PAJESIM__UNIT)

/* The allocator's own state, at the very beginning of the arena: the high-water mark, and the free lists. */
typedef struct pajesim__heap {
    uint32_t top;
    pajesim__offset free_list[PAJESIM__CLASSES];
} pajesim__heap;
#define PAJESIM__HEAP_MEMBERS(X, T) \
    X(T, top) X(T, free_list)

/* sim->commit_work: what pajesim__ready must do before the current line takes effect; 0: nothing. */
enum pajesim__commit_work {
    PAJESIM__COMMIT_FULL = 1, /* commit blocks, call the line callback, report warnings */
    PAJESIM__COMMIT_SHOW      /* call the line callback only */
};

#define PAJESIM__BYTES(sim, offset) ((sim)->arena + (size_t)(offset) * PAJESIM__UNIT)
#define PAJESIM__AT(sim, type, offset) ((type *)(void *)PAJESIM__BYTES(sim, offset))
#define PAJESIM__HEAP(sim) ((pajesim__heap *)(void *)(sim)->arena)
#define PAJESIM__CONST_HEAP(sim) ((const pajesim__heap *)(const void *)(sim)->arena)

/* Whether an arena may begin here: it holds nothing with a stricter alignment than 64-bit integers. */
static int pajesim__is_aligned(const void *arena)
{
    struct pair {
        char one;
        uint64_t other;
    };
    return (uintptr_t)arena % offsetof(struct pair, other) == 0;
}

/* Returns the smallest size class that holds `size` bytes. */
static uint32_t pajesim__class_of(pajesim__size size)
{
    uint32_t bits;
    if (size <= 64)
        return size ? (uint32_t)((size - 1) / PAJESIM__CLASS_STEP) : 0;
    bits = pajesim__bit_width(size - 1);
    return 64 / PAJESIM__CLASS_STEP + 2 * (bits - 7) + (size > ((pajesim__size)3 << (bits - 2)));
}

/* Returns the size of the blocks of a class, in bytes. */
static pajesim__size pajesim__class_size(uint32_t size_class)
{
    uint32_t step;
    if (size_class < 64 / PAJESIM__CLASS_STEP)
        return PAJESIM__CLASS_STEP * (size_class + 1);
    step = (size_class - 64 / PAJESIM__CLASS_STEP) >> 1;
    return (size_class & 1) ? (pajesim__size)128 << step : (pajesim__size)96 << step;
}

/* Allocates a block for the current line.  Its offset may lie beyond the arena: write to it only after pajesim__fits
 * returned 1. */
static pajesim__offset pajesim__alloc(pajesim *sim, pajesim__size size)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    uint32_t size_class = pajesim__class_of(size);
    pajesim__offset offset = 0;
    PAJESIM__ASSERT(size && sim->top >= heap->top && sim->top % PAJESIM__UNIT == 0);
    PAJESIM__ASSERT(sim->allocs < sizeof sim->alloc_offset / sizeof *sim->alloc_offset);
    sim->commit_work = PAJESIM__COMMIT_FULL;
    if (size_class < PAJESIM__CLASSES)
        offset = heap->free_list[size_class];
    if (offset) {
        PAJESIM__ASSERT((pajesim__size)offset * PAJESIM__UNIT + pajesim__class_size(size_class) <= heap->top);
        memcpy(&heap->free_list[size_class], PAJESIM__BYTES(sim, offset), sizeof offset);
        sim->alloc_offset[sim->allocs] = offset;
        sim->alloc_class[sim->allocs++] = (uint8_t)size_class;
        return offset;
    }
    offset = (pajesim__offset)(sim->top / PAJESIM__UNIT);
    sim->top += pajesim__class_size(size_class);
    return offset;
}

/* Whether all allocations of the current line lie within the arena. */
PAJESIM__INLINE int pajesim__fits(const pajesim *sim)
{
    return sim->top <= sim->capacity;
}

/* Commits the allocations of the current line.  Clears fresh memory, so that equal simulations have equal images. */
static void pajesim__commit(pajesim *sim)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    PAJESIM__ASSERT(pajesim__fits(sim) && sim->top >= heap->top);
    memset(sim->arena + heap->top, 0, (size_t)(sim->top - heap->top));
    heap->top = (uint32_t)sim->top;
    sim->allocs = 0;
}

/* Rolls back the current line's allocations: restores the free lists exactly. */
static void pajesim__rollback(pajesim *sim)
{
    pajesim__heap *heap = PAJESIM__HEAP(sim);
    while (sim->allocs) {
        sim->allocs--;
        heap->free_list[sim->alloc_class[sim->allocs]] = sim->alloc_offset[sim->allocs];
    }
    sim->top = heap->top;
}

/* Frees a block of `size` bytes.  Allowed only after the current line's pajesim__commit. */
static void pajesim__free(pajesim *sim, pajesim__offset offset, pajesim__size size)
{
    pajesim__offset *list = &PAJESIM__HEAP(sim)->free_list[pajesim__class_of(size)];
    PAJESIM__ASSERT(!sim->allocs && sim->top == PAJESIM__HEAP(sim)->top); /* the line at hand has committed */
    PAJESIM__ASSERT(offset && size && *list != offset &&
                    (pajesim__size)offset * PAJESIM__UNIT + pajesim__class_size(pajesim__class_of(size)) <= sim->top);
    memcpy(PAJESIM__BYTES(sim, offset), list, sizeof *list);
    *list = offset;
}

/* A text is a block that holds its size, then its bytes. */
typedef pajesim__offset pajesim__text; /* 0: none */

/* Allocates a block for a text of `size` bytes; pajesim__write_text fills it after the commit. */
static pajesim__text pajesim__alloc_text(pajesim *sim, uint32_t size)
{
    return pajesim__alloc(sim, (pajesim__size)size + sizeof(pajesim__length));
}

static void pajesim__write_text(pajesim *sim, pajesim__text text, const void *bytes, uint32_t size)
{
    pajesim__length length = (pajesim__length)size;
    PAJESIM__ASSERT(text && length == size &&
                    (pajesim__size)text * PAJESIM__UNIT + sizeof length + size <= PAJESIM__HEAP(sim)->top);
    memcpy(PAJESIM__BYTES(sim, text), &length, sizeof length);
    memcpy(PAJESIM__BYTES(sim, text) + sizeof length, bytes, length);
}

static pajesim_text pajesim__view(const char *bytes, size_t size)
{
    pajesim_text view;
    view.bytes = bytes;
    view.size = size;
    return view;
}

static pajesim_text pajesim__text_at(const pajesim *sim, pajesim__text text)
{
    pajesim__length size;
    if (!text)
        return pajesim__view("", 0);
    memcpy(&size, PAJESIM__BYTES(sim, text), sizeof size);
    PAJESIM__ASSERT((pajesim__size)text * PAJESIM__UNIT + sizeof size + size <= PAJESIM__CONST_HEAP(sim)->top);
    return pajesim__view((const char *)PAJESIM__BYTES(sim, text) + sizeof size, size);
}

static void pajesim__free_text(pajesim *sim, pajesim__text text)
{
    if (text)
        pajesim__free(sim, text, (pajesim__size)(pajesim__text_at(sim, text).size + sizeof(pajesim__length)));
}
