/* Prefetching: fetches what the lines of the next block need while those of this one are simulated.
 *
 * With so many containers that no cache holds them, cache misses take far longer than the lines.  So each line of the
 * next block gets a target, whose memory is prefetched in steps, as each leads to the next: table entry, container and
 * slot, top of the stack.  Only a few targets advance at a time, so that prefetches do not queue up.  The simulation
 * itself is unchanged.
 *
 * What was found is used as a hint, without another lookup, where it cannot have changed: definitions do not change
 * within a block, as a line that begins with % ends it; types are never freed; and a container is the right one if it
 * has the identifier, and no container was created or freed since.  A container may however be freed before its slot is
 * read to find the stack: this read therefore checks only that it stays within the arena. */
#pragma once

#include "../model/definition.h"
#include "../model/model.h"
#include "../model/resolve.h"
#include "../text/scan.h"

#if PAJESIM__BLOCKS

/* What a line needs in the cache. */
typedef struct pajesim__target {
    pajesim__hint hint;
    pajesim_ref definition; /* 0: unknown */
    uint32_t hash;          /* hash of the container's identifier */
    uint32_t slot;          /* index of the container's slot */
    uint32_t stack;         /* 0: the slot has no stack; 1: it has one; 2: the line closes all of it */
    uint32_t pops;          /* 1: the line pops the top of the stack */
} pajesim__target;

/* Prefetching pays if the table of containers has 2^PAJESIM__PREFETCH_LOG2 entries or more, which no cache holds. */
#ifndef PAJESIM__PREFETCH_LOG2 /* tests set it to prefetch always */
#define PAJESIM__PREFETCH_LOG2 15u
#endif
#define PAJESIM__PREFETCH_PAYS(sim) (PAJESIM__STATE(sim)->containers.log2 >= PAJESIM__PREFETCH_LOG2)

/* The lists of a block hold two blocks of half the size; the second one begins here. */
#define PAJESIM__HALF_BLOCK (PAJESIM__BLOCK_SIZE / 2 + 64)

#define PAJESIM__TARGETS 64u        /* for two half blocks; a power of 2 */
#define PAJESIM__PREFETCH_STRIDE 3u /* lines simulated between two steps */
#define PAJESIM__PREFETCH_COUNT 4u  /* targets that reach their container in a step */
#define PAJESIM__PREFETCH_LAG 8u    /* prefetch distance from container to stack, in targets */

typedef struct pajesim__prefetch {
    const unsigned char *base;         /* text of the next block */
    uint32_t from, lines, special;     /* its first line, the end of its lines, its pajesim__block.special */
    uint32_t first;                    /* target of its first line */
    uint32_t target_offset;            /* from a line's index in the current block to its target */
    uint32_t queued, located, fetched; /* targets so far: all; with container; with stack */
    pajesim__target targets[PAJESIM__TARGETS];
} pajesim__prefetch;

static void pajesim__prefetch_init(pajesim__prefetch *prefetch)
{
    prefetch->base = NULL;
    prefetch->from = prefetch->lines = prefetch->special = 0;
    prefetch->first = prefetch->target_offset = prefetch->queued = prefetch->located = prefetch->fetched = 0;
}

/* Returns the target of the line that was taken from the block last. */
PAJESIM__INLINE const pajesim__target *pajesim__target_of_line(const pajesim__prefetch *prefetch,
                                                               const pajesim__block *block)
{
    return &prefetch->targets[(block->next - 1 + prefetch->target_offset) % PAJESIM__TARGETS];
}

/* Returns the word that names the container whose memory a line needs most. */
PAJESIM__INLINE uint32_t pajesim__target_word(const pajesim__definition *definition)
{
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_CONTAINER))
        return definition->word[definition->word[PAJESIM_ALIAS] ? PAJESIM_ALIAS : PAJESIM_NAME];
    /* For a link this is its end point: many links share the container that they belong to. */
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_LINK))
        return definition->event == PAJESIM_START_LINK ? definition->word[PAJESIM_START_CONTAINER]
                                                       : definition->word[PAJESIM_END_CONTAINER];
    return definition->word[PAJESIM_CONTAINER_FIELD];
}

/* Adds the target of a line of `count` words, and prefetches its table entry; `bounds` are relative to `base`. */
PAJESIM__INLINE void pajesim__add_target(pajesim *sim, pajesim__target *target, const unsigned char *base,
                                         const uint16_t *bounds, uint32_t count)
{
#define PAJESIM__BEGIN(word) (base + bounds[2 * (word)])
#define PAJESIM__LENGTH(word) ((uint32_t)bounds[2 * (word) + 1] - bounds[2 * (word)])
    const pajesim__table *table = &PAJESIM__STATE(sim)->containers;
    const pajesim__definition *definition;
    pajesim__key key;
    uint32_t word;
    target->definition = 0;
    if (PAJESIM__LIKELY(count)) {
        key = pajesim__key_of_number(PAJESIM__BEGIN(0), PAJESIM__LENGTH(0), PAJESIM__PADDED);
        target->definition = pajesim__find_definition(sim, &key);
    }
    definition = PAJESIM__DEFINITION_AT(sim, target->definition);
    if (PAJESIM__UNLIKELY(!target->definition) || PAJESIM__UNLIKELY(definition->count + 1u != count)) {
        target->hint.type = target->hash = target->slot = target->stack = 0;
        return;
    }
    word = definition->word[PAJESIM_TYPE];
    key = pajesim__key_of_number(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), PAJESIM__PADDED);
    target->hint.type = pajesim__find_cached(sim, &PAJESIM__STATE(sim)->types, &key, 0, PAJESIM__TYPES_SCOPE);
    target->slot = PAJESIM__LIKELY(target->hint.type) ? PAJESIM__TYPE_AT(sim, target->hint.type)->slot : 0;
    target->stack = definition->kind == PAJESIM_STATE;
    target->pops = definition->event == PAJESIM_POP_STATE;
    if (PAJESIM__UNLIKELY(definition->event == PAJESIM_DESTROY_CONTAINER)) {
        target->stack = 2; /* probably of its first type */
        target->pops = 1;
    }
    word = pajesim__target_word(definition);
    key = pajesim__key_of_word(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), PAJESIM__PADDED);
    target->hash = pajesim__hash(&key, 0, 0);
    PAJESIM__PREFETCH(PAJESIM__AT(sim, const pajesim__entry, table->entries) +
                      pajesim__table_home(target->hash, table->log2));
#undef PAJESIM__BEGIN
#undef PAJESIM__LENGTH
}

/* Scans the next block into the free half of the lists, and adds its targets. */
static void pajesim__prefetch_block(pajesim *sim, pajesim__prefetch *prefetch, pajesim__block *block,
                                    const unsigned char *base, const unsigned char *end)
{
    uint32_t lines = block->lines, special = block->special, first, i;
    prefetch->base = base;
    prefetch->from = prefetch->from ? 0 : PAJESIM__HALF_BLOCK;
    pajesim__scan_block(sim, block, prefetch->from, PAJESIM__BLOCK_SIZE / 2, base, end);
    prefetch->lines = PAJESIM__MIN(block->lines, prefetch->from + PAJESIM__TARGETS / 2);
    prefetch->special = block->special;
    prefetch->first = prefetch->queued;
    block->lines = lines;
    block->special = special;
    first = prefetch->from;
    for (i = prefetch->from; i < prefetch->lines; i++) {
        uint32_t count = (block->line_end[i] - first) / 2;
        pajesim__add_target(sim, &prefetch->targets[prefetch->queued++ % PAJESIM__TARGETS], base, block->bounds + first,
                            count);
        first = block->line_end[i];
    }
    /* An empty string may be taken for a quote. */
    for (i = prefetch->first; (prefetch->special & 2) && i != prefetch->queued; i++)
        prefetch->targets[i % PAJESIM__TARGETS].definition = prefetch->targets[i % PAJESIM__TARGETS].hint.type = 0;
}

/* Finds the container of a target in the table, and prefetches it with its slot. */
PAJESIM__INLINE void pajesim__prefetch_container(pajesim *sim, pajesim__target *target)
{
    const pajesim__table *table = &PAJESIM__STATE(sim)->containers;
    const pajesim__entry *entries = PAJESIM__AT(sim, const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, at = pajesim__table_home(target->hash, table->log2);
    /* Without a branch: whether an entry is at home is unpredictable. */
    at = (at + (entries[at].hash != target->hash)) & mask;
    while (PAJESIM__UNLIKELY(entries[at].hash != target->hash && entries[at].offset))
        at = (at + 1) & mask;
    target->hint.changes = sim->changes;
    target->hint.container = PAJESIM__LIKELY(entries[at].offset) ? entries[at].offset : PAJESIM__STATE(sim)->root;
    PAJESIM__PREFETCH(&PAJESIM__RECORD(sim, target->hint.container)->id);
    PAJESIM__PREFETCH(&PAJESIM__CONTAINER_AT(sim, target->hint.container)->slot_count);
    PAJESIM__PREFETCH(
        &(PAJESIM__AT(sim, pajesim__slot, PAJESIM__OWN_SLOTS(target->hint.container)) + target->slot)->open);
}

/* Reads the slot of a target, and prefetches the top of its stack. */
PAJESIM__INLINE void pajesim__prefetch_stack(pajesim *sim, const pajesim__target *target)
{
    uint64_t at =
        PAJESIM__CONTAINER_AT(sim, target->hint.container)->slots + (uint64_t)target->slot * sizeof(pajesim__slot);
    pajesim__slot slot;
    if (at + sizeof slot > PAJESIM__HEAP(sim)->top)
        return;
    memcpy(&slot.open, PAJESIM__BYTES(sim, at) + offsetof(pajesim__slot, open), sizeof slot.open);
    if (PAJESIM__UNLIKELY(target->stack > 1))
        PAJESIM__PREFETCH(PAJESIM__BYTES(sim, slot.open.stack.frames));
    if (target->stack) /* a full stack is copied, up to its last frame */
        at = slot.open.stack.frames + (uint64_t)sizeof(pajesim__frame) *
             (slot.open.stack.depth - (target->pops | (slot.open.stack.depth == slot.open.stack.capacity)));
    PAJESIM__PREFETCH(PAJESIM__BYTES(sim, at)); /* without a stack: the slot, which is valid */
}

/* Advances `count` targets to their container, and those PAJESIM__PREFETCH_LAG behind to their stack. */
PAJESIM__INLINE void pajesim__prefetch_advance(pajesim *sim, pajesim__prefetch *prefetch, uint32_t count)
{
    for (count = PAJESIM__MIN(count, prefetch->queued - prefetch->located); count; count--)
        pajesim__prefetch_container(sim, &prefetch->targets[prefetch->located++ % PAJESIM__TARGETS]);
    while (prefetch->located - prefetch->fetched > PAJESIM__PREFETCH_LAG)
        pajesim__prefetch_stack(sim, &prefetch->targets[prefetch->fetched++ % PAJESIM__TARGETS]);
}

/* Runs the prefetch step that is due before the line at p, which has the index block->stop. */
static __attribute__((noinline)) void pajesim__prefetch_step(pajesim *sim, pajesim__prefetch *prefetch,
                                                             pajesim__block *block, const unsigned char *p,
                                                             const unsigned char *end)
{
    if (block->next == block->lines) {
        if (prefetch->base != p)
            pajesim__prefetch_block(sim, prefetch, block, p, end);
        pajesim__prefetch_advance(sim, prefetch, PAJESIM__TARGETS);
        block->lines = prefetch->lines;
        block->special = prefetch->special;
        prefetch->target_offset = prefetch->first - prefetch->from;
        pajesim__enter_block(block, prefetch->from);
        if (block->next == block->lines)
            return;
        pajesim__prefetch_block(sim, prefetch, block, p + PAJESIM__NEWLINE(block, block->lines - 1) + 1, end);
    } else { /* only a few: the latest prefetches are still under way */
        pajesim__prefetch_advance(sim, prefetch, PAJESIM__PREFETCH_COUNT);
    }
    block->stop = PAJESIM__MIN(block->next + PAJESIM__PREFETCH_STRIDE, block->lines);
}

#endif /* PAJESIM__BLOCKS */
