/* Whether an image is sound, part one: its blocks, tables and trees.
 *
 * A checksum protects an image against damage, not against forgery, as it can be computed again.  So nothing in an
 * image is trusted before it was found to be what a simulation could have written, as far as memory and the end of
 * loops depend on it.  Each block is claimed by the one that refers to it, so that no two overlap; a map of marks,
 * behind the arena, notes what was claimed as what, and so which references are valid. */
#pragma once

#include "../model/definition.h"
#include "../simulation/place.h"

#if PAJESIM_TRAVEL

enum pajesim__mark {
    PAJESIM__FREE,
    PAJESIM__CLAIMED,        /* part of a block */
    PAJESIM__IS_CONTAINER,   /* a reference may point here, to a container, */
    PAJESIM__IS_RECORD,      /* a type or a value, */
    PAJESIM__IS_DEFINITION,
    PAJESIM__IS_LINK,
    PAJESIM__WAS_SEEN = 0x80 /* added to a mark: it is in a queue or list already */
};

#define PAJESIM__MARK_STEP 16u /* bytes: no class of blocks is smaller, and all are multiples */

typedef struct pajesim__check {
    pajesim *sim;
    unsigned char *marks; /* one for each PAJESIM__MARK_STEP bytes behind the state */
    uint32_t top;
    uint32_t used_latest; /* 1: what used_ids.latest refers to was found */
    int sound;            /* 0: the image is damaged */
} pajesim__check;

/* Bytes that are needed to restore an arena: itself, and the marks. */
static uint64_t pajesim__restore_size(uint64_t top)
{
    uint64_t marks = top > PAJESIM__STATE_SIZE ? (top - PAJESIM__STATE_SIZE) / PAJESIM__MARK_STEP : 0;
    return ((top + 7) & ~UINT64_C(7)) + marks;
}

/* Notes that the image is damaged unless something holds; returns whether it does. */
static int pajesim__holds(pajesim__check *check, int holds)
{
    check->sound &= holds != 0;
    return holds;
}

/* Whether `size` bytes from `offset` on lie behind the state and within the arena, and begin at a multiple of 8. */
static int pajesim__within(const pajesim__check *check, uint32_t offset, uint64_t size)
{
    return offset >= PAJESIM__STATE_SIZE && (offset - PAJESIM__STATE_SIZE) % 8 == 0 &&
           offset + size <= check->top;
}

static unsigned char *pajesim__mark_at(const pajesim__check *check, uint32_t offset)
{
    return check->marks + (offset - PAJESIM__STATE_SIZE) / PAJESIM__MARK_STEP;
}

/* Claims the block of `size` bytes at `offset`. */
static int pajesim__claim(pajesim__check *check, uint32_t offset, uint64_t size)
{
    unsigned char *mark;
    uint64_t whole;
    if (!pajesim__holds(check, size > 0 && size <= check->top && pajesim__within(check, offset, size) &&
                                   (offset - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == 0))
        return 0;
    whole = pajesim__class_size(pajesim__class_of((pajesim__size)size));
    if (!pajesim__holds(check, pajesim__within(check, offset, whole)))
        return 0;
    for (mark = pajesim__mark_at(check, offset); whole; whole -= PAJESIM__MARK_STEP) {
        if (!pajesim__holds(check, *mark == PAJESIM__FREE))
            return 0;
        *mark++ = PAJESIM__CLAIMED;
    }
    return 1;
}

static int pajesim__claim_text(pajesim__check *check, pajesim__text text)
{
    pajesim__length size;
    if (!text)
        return 1;
    if (!pajesim__holds(check, pajesim__within(check, text, sizeof size)))
        return 0;
    memcpy(&size, PAJESIM__BYTES(check->sim, text), sizeof size);
    return pajesim__claim(check, text, (uint64_t)size + sizeof size);
}

/* Whether an identifier can be read, which is within the arena. */
static int pajesim__id_is_readable(const pajesim__check *check, const pajesim__id *id)
{
    return id->size > 2 * PAJESIM__HALF ? pajesim__within(check, id->bytes, id->size) : !id->bytes;
}

static int pajesim__claim_id(pajesim__check *check, const pajesim__id *id)
{
    return pajesim__holds(check, pajesim__id_is_readable(check, id)) &&
           (!id->bytes || pajesim__claim(check, id->bytes, id->size));
}

/* ---- what references point to */

static int pajesim__is_marked(const pajesim__check *check, pajesim_ref ref, uint32_t remainder, unsigned mark)
{
    return pajesim__within(check, ref, 1) && (ref - PAJESIM__STATE_SIZE) % PAJESIM__MARK_STEP == remainder &&
           (*pajesim__mark_at(check, ref) & ~(unsigned)PAJESIM__WAS_SEEN) == mark;
}

static int pajesim__is_container(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_marked(check, ref, 0, PAJESIM__IS_CONTAINER);
}

static int pajesim__is_record(const pajesim__check *check, pajesim_ref ref, uint32_t tag)
{
    return pajesim__is_marked(check, ref, PAJESIM__RECORD_HEAD % PAJESIM__MARK_STEP, PAJESIM__IS_RECORD) &&
           PAJESIM__RECORD(check->sim, ref)->tag == tag;
}

static int pajesim__is_type(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_record(check, ref, PAJESIM__TYPE);
}

static int pajesim__is_container_type(const pajesim__check *check, pajesim_ref ref)
{
    return pajesim__is_type(check, ref) && PAJESIM__RECORD(check->sim, ref)->kind == PAJESIM_CONTAINER;
}

/* Marks what was claimed, once. */
static int pajesim__see(pajesim__check *check, uint32_t offset)
{
    unsigned char *mark = pajesim__mark_at(check, offset);
    if (!pajesim__holds(check, !(*mark & PAJESIM__WAS_SEEN)))
        return 0;
    *mark |= PAJESIM__WAS_SEEN;
    return 1;
}

/* ---- crit-bit trees: all leaves in order, each by way of the identifier of the one before */

/* Descends from the root of a tree towards an identifier, or, if that is NULL, to the leftmost leaf; returns the leaf,
 * 0 if the tree is damaged.  *turn: the last node where the way went left, 0 if there is none. */
static pajesim__offset pajesim__check_descent(pajesim__check *check, pajesim__offset at,
                                              const pajesim__critbit_key *full, pajesim__offset *turn)
{
    uint32_t byte = 0, mask = 256;
    *turn = 0;
    while (at & 1) {
        const pajesim__critbit_node *node;
        uint32_t side;
        if (!pajesim__holds(check, pajesim__within(check, at - 1, sizeof *node)))
            return 0;
        node = PAJESIM__CRITBIT_NODE_AT(check->sim, at);
        /* Bits are tested in order, so no way is without end. */
        if (!pajesim__holds(check, (node->byte > byte || (node->byte == byte && node->mask < mask)) && node->mask &&
                                       node->mask < 256 && !(node->mask & (node->mask - 1))))
            return 0;
        byte = node->byte;
        mask = node->mask;
        side = full && (pajesim__critbit_byte(full, byte) & mask) != 0;
        if (!side)
            *turn = at;
        at = node->below[side];
    }
    return pajesim__holds(check, pajesim__within(check, at, sizeof(pajesim__id)) &&
                                     pajesim__id_is_readable(check, PAJESIM__AT(check->sim, pajesim__id, at)))
               ? at
               : 0;
}

/* Returns the leaf after `leaf`, or the first one for 0; 0 after the last one, or if the tree is damaged.  With
 * `claims`, claims the node between both: the only one where the way to the one goes left and that to the other
 * right. */
static pajesim__offset pajesim__next_leaf(pajesim__check *check, pajesim__offset tree, pajesim__offset leaf, int claims)
{
    pajesim__critbit_key full;
    pajesim__offset turn, found;
    if (!tree)
        return 0;
    if (!leaf)
        return pajesim__check_descent(check, tree, NULL, &turn);
    full = pajesim__critbit_key_of(check->sim, PAJESIM__AT(check->sim, pajesim__id, leaf));
    if (!pajesim__holds(check, pajesim__check_descent(check, tree, &full, &turn) == leaf) || !turn)
        return 0;
    if (claims && !pajesim__claim(check, turn - 1, sizeof(pajesim__critbit_node)))
        return 0;
    found = pajesim__check_descent(check, PAJESIM__CRITBIT_NODE_AT(check->sim, turn)->below[1], NULL, &turn);
    return found;
}

/* ---- hash tables */

/* Goes through the records of a table. */
typedef struct pajesim__in_table {
    const pajesim__table *table;
    uint32_t slot, count;
    pajesim__offset leaf;
    int claims; /* 1: the first time: the table itself is checked */
} pajesim__in_table;

static pajesim__in_table pajesim__records_of(const pajesim__table *table, int claims)
{
    pajesim__in_table in;
    memset(&in, 0, sizeof in);
    in.table = table;
    in.claims = claims;
    return in;
}

/* Whether looking up the entry in a slot finds it there. */
static int pajesim__entry_is_sound(const pajesim__check *check, const pajesim__table *table, uint32_t slot)
{
    const pajesim__entry *entries = PAJESIM__AT(check->sim, const pajesim__entry, table->entries);
    const pajesim__entry *entry = &entries[slot];
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, home = pajesim__table_home(entry->hash, table->log2), i;
    const pajesim__id *id = PAJESIM__AT(check->sim, const pajesim__id, entry->offset);
    if (!pajesim__within(check, entry->offset, sizeof *id) || !pajesim__id_is_readable(check, id) ||
        entry->hash != pajesim__hash_of_id(id) || ((slot - home) & mask) >= PAJESIM__PROBES)
        return 0;
    for (i = home; i != slot; i = (i + 1) & mask)
        if (!entries[i].offset)
            return 0;
    return 1;
}

static int pajesim__claim_table(pajesim__check *check, const pajesim__table *table)
{
    return pajesim__holds(check, table->log2 > 0 && table->log2 < 29 &&
                                     table->count <= (table->log2 < 17 ? 2u : 3u) << table->log2 >> 3) &&
           pajesim__claim(check, table->entries, (uint64_t)sizeof(pajesim__entry) << table->log2);
}

/* Returns the next record of a table; 0 after the last one, or if it is damaged. */
static pajesim__offset pajesim__next_in_table(pajesim__check *check, pajesim__in_table *in)
{
    const pajesim__table *table = in->table;
    if (in->claims && !in->slot && !pajesim__claim_table(check, table))
        return 0;
    while (check->sound && in->slot < UINT32_C(1) << table->log2) {
        const pajesim__entry *entry = PAJESIM__AT(check->sim, const pajesim__entry, table->entries) + in->slot++;
        if (!entry->offset) {
            pajesim__holds(check, !entry->hash);
            continue;
        }
        in->count++;
        if (!in->claims || pajesim__holds(check, pajesim__entry_is_sound(check, table, in->slot - 1)))
            return entry->offset;
    }
    in->leaf = check->sound ? pajesim__next_leaf(check, table->tree, in->leaf, in->claims) : 0;
    in->count += in->leaf != 0;
    pajesim__holds(check, in->leaf ? in->count <= table->count : in->count == table->count);
    return check->sound ? in->leaf : 0;
}
#endif /* PAJESIM_TRAVEL */
