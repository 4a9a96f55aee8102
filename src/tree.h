/* A tree for what has no good place in a table: crit-bit, so that its depth is bounded by the bits of the identifiers in
 * it, whatever they are. */

#if PAJESIM_REFERENCE != 16
/* Goes by one bit.  Below, an odd number leads to another node, an even one is an offset. */
typedef struct pajesim__node {
    uint32_t byte, mask;
    pajesim__offset below[2];
} pajesim__node;

#define PAJESIM__NODE_AT(below) PAJESIM__AT(pajesim__node, (below) - 1)

/* An identifier and what it is unique within, as bytes. */
typedef struct pajesim__full_key {
    pajesim__key key;
    uint32_t scope, subscope;
} pajesim__full_key;

static uint32_t pajesim__byte_of(const pajesim__full_key *full, uint32_t index)
{
    const pajesim__key *key = &full->key;
    if (index < 16)
        return (uint32_t)((index < 8 ? key->lo : key->hi) >> 8 * (index & 7)) & 255;
    if (index < 28)
        return (index < 20 ? key->size : index < 24 ? full->scope : full->subscope) >> 8 * (index & 3) & 255;
    return key->size > 16 && index - 28 < key->size ? key->bytes[index - 28] : 0;
}

static pajesim__full_key pajesim__full_key_of(const pajesim *sim, const pajesim__id *id)
{
    pajesim__full_key full;
    full.key.lo = id->lo;
    full.key.hi = id->hi;
    full.key.size = id->size;
    full.key.bytes = PAJESIM__BYTES(id->bytes);
    full.scope = id->scope;
    full.subscope = id->subscope;
    return full;
}

/* The only one in the tree that may be the one with this key. */
static pajesim__offset pajesim__descend(const pajesim *sim, pajesim__offset at, const pajesim__full_key *full)
{
    while (at & 1) {
        const pajesim__node *node = PAJESIM__NODE_AT(at);
        at = node->below[(pajesim__byte_of(full, node->byte) & node->mask) != 0];
    }
    return at;
}

static pajesim__offset pajesim__find_in_tree(const pajesim *sim, pajesim__offset tree, const pajesim__key *key,
                                             uint32_t scope, uint32_t subscope)
{
    pajesim__full_key full;
    pajesim__offset offset;
    full.key = *key;
    full.scope = scope;
    full.subscope = subscope;
    offset = pajesim__descend(sim, tree, &full);
    return pajesim__is_id(sim, PAJESIM__AT(const pajesim__id, offset), key, scope, subscope) ? offset : 0;
}

/* The same; the key is made again of its bytes, so that whoever calls this need not have it in memory. */
PAJESIM__COLD pajesim__offset pajesim__find_far(const pajesim *sim, pajesim__offset tree, const void *bytes,
                                                uint32_t size, uint32_t scope, uint32_t subscope)
{
    pajesim__key key = pajesim__key_of(bytes, size);
    return pajesim__find_in_tree(sim, tree, &key, scope, subscope);
}

/* `taken`: a node.  Answers whether it is used, as it is but for the first one. */
static int pajesim__put_in_tree(pajesim *sim, pajesim__offset *tree, pajesim__offset taken, pajesim__offset offset)
{
    pajesim__full_key full = pajesim__full_key_of(sim, PAJESIM__AT(pajesim__id, offset)), other;
    pajesim__offset *at = tree;
    pajesim__node *node = PAJESIM__AT(pajesim__node, taken);
    uint32_t differing;
    if (!*tree) {
        *tree = offset;
        return 0;
    }
    other = pajesim__full_key_of(sim, PAJESIM__AT(pajesim__id, pajesim__descend(sim, *tree, &full)));
    for (node->byte = 0;; node->byte++) {
        differing = pajesim__byte_of(&full, node->byte) ^ pajesim__byte_of(&other, node->byte);
        if (differing)
            break;
    }
    node->mask = UINT32_C(1) << (pajesim__bits(differing) - 1);
    while (*at & 1) {
        pajesim__node *above = PAJESIM__NODE_AT(*at);
        if (above->byte > node->byte || (above->byte == node->byte && above->mask < node->mask))
            break;
        at = &above->below[(pajesim__byte_of(&full, above->byte) & above->mask) != 0];
    }
    differing = (pajesim__byte_of(&full, node->byte) & node->mask) != 0;
    node->below[differing] = offset;
    node->below[!differing] = *at;
    *at = taken + 1;
    return 1;
}

static void pajesim__remove_from_tree(pajesim *sim, pajesim__offset *tree, pajesim__offset offset)
{
    pajesim__full_key full = pajesim__full_key_of(sim, PAJESIM__AT(pajesim__id, offset));
    pajesim__offset *at = tree, gone;
    uint32_t side = 0;
    pajesim__node *node = NULL;
    if (*tree == offset) {
        *tree = 0;
        return;
    }
    for (;;) {
        node = PAJESIM__NODE_AT(*at);
        side = (pajesim__byte_of(&full, node->byte) & node->mask) != 0;
        if (!(node->below[side] & 1))
            break;
        at = &node->below[side];
    }
    gone = *at - 1;
    *at = node->below[!side];
    pajesim__give(sim, gone, sizeof *node);
}
#endif
