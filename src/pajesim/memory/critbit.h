/* A crit-bit tree of identifiers, for those that a hash table cannot place near their home slot.  Its depth is
 * bounded by the number of bits of the identifiers, whatever they are: so crafted collisions cannot make it slow. */
#pragma once

#include "identifiers.h"

#if PAJESIM_REFERENCE != 16
/* Tests one bit of the key: `mask` of byte `byte`.  A child is an odd number, one more than the offset of a node, or
 * the even offset of a record. */
typedef struct pajesim__critbit_node {
    uint32_t byte, mask;
    pajesim__offset below[2];
} pajesim__critbit_node;
#define PAJESIM__CRITBIT_NODE_MEMBERS(X, T) \
    X(T, byte) X(T, mask) X(T, below)

#define PAJESIM__CRITBIT_NODE_AT(sim, below) PAJESIM__AT(sim, pajesim__critbit_node, (below) - 1)

/* The whole key of the tree: an identifier and the scopes that it is unique within. */
typedef struct pajesim__critbit_key {
    pajesim__key key;
    uint32_t scope, subscope;
} pajesim__critbit_key;

/* Returns byte `index` of the key: the words, size and scopes first, then the bytes of a long identifier; 0 beyond. */
static uint32_t pajesim__critbit_byte(const pajesim__critbit_key *full, uint32_t index)
{
    const pajesim__key *key = &full->key;
    if (index < 16)
        return (uint32_t)((index < 8 ? key->lo : key->hi) >> 8 * (index & 7)) & 255;
    if (index < 28)
        return (index < 20 ? key->size : index < 24 ? full->scope : full->subscope) >> 8 * (index & 3) & 255;
    return key->size > 16 && index - 28 < key->size ? key->bytes[index - 28] : 0;
}

static pajesim__critbit_key pajesim__critbit_key_of(const pajesim *sim, const pajesim__id *id)
{
    pajesim__critbit_key full;
    full.key.lo = id->lo;
    full.key.hi = id->hi;
    full.key.size = id->size;
    full.key.bytes = PAJESIM__BYTES(sim, id->bytes);
    full.scope = id->scope;
    full.subscope = id->subscope;
    return full;
}

/* Returns the only record in the tree that may have this key; the caller compares. */
static pajesim__offset pajesim__critbit_descend(const pajesim *sim, pajesim__offset at,
                                                const pajesim__critbit_key *full)
{
    while (at & 1) {
        const pajesim__critbit_node *node = PAJESIM__CRITBIT_NODE_AT(sim, at);
        at = node->below[(pajesim__critbit_byte(full, node->byte) & node->mask) != 0];
    }
    return at;
}

static pajesim__offset pajesim__critbit_find(const pajesim *sim, pajesim__offset tree, const pajesim__key *key,
                                             uint32_t scope, uint32_t subscope)
{
    pajesim__critbit_key full;
    pajesim__offset offset;
    full.key = *key;
    full.scope = scope;
    full.subscope = subscope;
    offset = pajesim__critbit_descend(sim, tree, &full);
    return pajesim__id_equals(sim, PAJESIM__AT(sim, const pajesim__id, offset), key, scope, subscope) ? offset : 0;
}

/* As pajesim__critbit_find, but makes the key from its bytes: the hot caller then keeps its own key in registers. */
PAJESIM__COLD pajesim__offset pajesim__critbit_find_bytes(const pajesim *sim, pajesim__offset tree, const void *bytes,
                                                          uint32_t size, uint32_t scope, uint32_t subscope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    return pajesim__critbit_find(sim, tree, &key, scope, subscope);
}

/* Inserts the record at `offset`.  `taken` is a block for a node; returns 0 if the tree was empty and needs none. */
static int pajesim__critbit_insert(pajesim *sim, pajesim__offset *tree, pajesim__offset taken, pajesim__offset offset)
{
    pajesim__critbit_key full = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, offset)), other;
    pajesim__offset *at = tree;
    pajesim__critbit_node *node = PAJESIM__AT(sim, pajesim__critbit_node, taken);
    uint32_t differing;
    PAJESIM__ASSERT(offset % 2 == 0 && (taken || !*tree)); /* odd numbers lead to nodes */
    if (!*tree) {
        *tree = offset;
        return 0;
    }
    other = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, pajesim__critbit_descend(sim, *tree, &full)));
    for (node->byte = 0;; node->byte++) {
        differing = pajesim__critbit_byte(&full, node->byte) ^ pajesim__critbit_byte(&other, node->byte);
        if (differing)
            break;
    }
    node->mask = UINT32_C(1) << (pajesim__bit_width(differing) - 1);
    while (*at & 1) {
        pajesim__critbit_node *above = PAJESIM__CRITBIT_NODE_AT(sim, *at);
        if (above->byte > node->byte || (above->byte == node->byte && above->mask < node->mask))
            break;
        at = &above->below[(pajesim__critbit_byte(&full, above->byte) & above->mask) != 0];
    }
    differing = (pajesim__critbit_byte(&full, node->byte) & node->mask) != 0;
    node->below[differing] = offset;
    node->below[!differing] = *at;
    *at = taken + 1;
    return 1;
}

static void pajesim__critbit_remove(pajesim *sim, pajesim__offset *tree, pajesim__offset offset)
{
    pajesim__critbit_key full = pajesim__critbit_key_of(sim, PAJESIM__AT(sim, pajesim__id, offset));
    pajesim__offset *at = tree, gone;
    uint32_t side = 0;
    pajesim__critbit_node *node = NULL;
    if (*tree == offset) {
        *tree = 0;
        return;
    }
    for (;;) {
        node = PAJESIM__CRITBIT_NODE_AT(sim, *at);
        side = (pajesim__critbit_byte(&full, node->byte) & node->mask) != 0;
        if (!(node->below[side] & 1))
            break;
        at = &node->below[side];
    }
    gone = *at - 1;
    *at = node->below[!side];
    pajesim__free(sim, gone, sizeof *node);
}
#endif
