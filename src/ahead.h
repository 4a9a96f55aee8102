/* Where containers are so many that no cache holds them, fetching what a line needs takes far longer than the line.  So
 * while the lines of a block are simulated, those of the next are looked at, and what they need is asked for in steps, as
 * each leads to the next: place in the table, container and slot, top of the stack.  These steps are taken a few at a
 * time, so that the fetching never waits for itself.  Nothing is changed, and nothing depends on what is found: lines are
 * simulated as always, from the first to the last, but what they need is on its way.  What was found may be gone when it
 * leads to the next: so that is only looked at within the arena. */

#if PAJESIM__BLOCKS

#define PAJESIM__NEEDS 64u  /* a power of 2; what is not fetched yet of two blocks, or else of fewer lines */
#define PAJESIM__STRIDE 4u  /* lines that are simulated between two looks ahead */
#define PAJESIM__AT_ONCE 5u /* needs whose container is fetched then */
#define PAJESIM__LAG 8u     /* needs between a container and a stack, which is behind */

typedef struct pajesim__need {
    uint32_t hash; /* of the container's identifier */
    pajesim_ref container;
    uint32_t slot;  /* which one of the container */
    uint8_t stack;  /* it has a stack */
    uint8_t pops;   /* of which the line takes away the top */
} pajesim__need;

typedef struct pajesim__ahead {
    const unsigned char *base;       /* where the next block begins */
    uint32_t from, lines, odd;       /* index of its first line, and the same of it as of a block */
    uint32_t placed, found, fetched; /* needs that have come so far */
    pajesim__need needs[PAJESIM__NEEDS];
} pajesim__ahead;

static void pajesim__begin_ahead(pajesim__ahead *ahead)
{
    ahead->base = NULL;
    ahead->from = ahead->lines = ahead->odd = 0;
    ahead->placed = ahead->found = ahead->fetched = 0;
}

/* What is needed of the container that a word names. */
PAJESIM__INLINE pajesim__need *pajesim__add_need(pajesim *sim, pajesim__ahead *ahead, const unsigned char *word,
                                                 uint32_t size)
{
    const pajesim__table *table = &PAJESIM__STATE->containers;
    pajesim__key key = pajesim__key_of_word(word, size, 17);
    pajesim__need *need = &ahead->needs[ahead->placed++ % PAJESIM__NEEDS];
    need->hash = pajesim__hash(&key, 0, 0);
    need->slot = need->stack = need->pops = 0;
    PAJESIM__FETCH(PAJESIM__AT(const pajesim__entry, table->entries) + pajesim__home(need->hash, table->log2));
    return need;
}

/* What a line of so many words needs; `bounds`: of these, from `base` on. */
PAJESIM__INLINE void pajesim__add_needs(pajesim *sim, pajesim__ahead *ahead, const uint16_t *bounds, uint32_t count)
{
#define PAJESIM__BEGIN(word) (ahead->base + bounds[2 * (word)])
#define PAJESIM__LENGTH(word) ((uint32_t)bounds[2 * (word) + 1] - bounds[2 * (word)])
    pajesim__key key = pajesim__key_of_number(PAJESIM__BEGIN(0), PAJESIM__LENGTH(0), 17);
    pajesim_ref ref = pajesim__find_definition(sim, &key), type;
    const pajesim__definition *definition = PAJESIM__DEFINITION_AT(ref);
    pajesim__need *need;
    uint32_t container, other, at;
    if (PAJESIM__UNLIKELY(!ref) || PAJESIM__UNLIKELY(definition->count + 1u != count))
        return;
    container = definition->at[PAJESIM_CONTAINER_FIELD];
    if (definition->event == PAJESIM_DESTROY_CONTAINER)
        container = definition->at[PAJESIM_NAME];
    if (PAJESIM__LIKELY(container)) {
        need = pajesim__add_need(sim, ahead, PAJESIM__BEGIN(container), PAJESIM__LENGTH(container));
        at = definition->at[PAJESIM_TYPE];
        key = pajesim__key_of_number(PAJESIM__BEGIN(at), PAJESIM__LENGTH(at), 17);
        type = pajesim__find_cached(sim, &PAJESIM__STATE->types, &key, 0, PAJESIM__TYPES_SCOPE);
        if (PAJESIM__LIKELY(type))
            need->slot = PAJESIM__TYPE_AT(type)->slot;
        need->stack = definition->kind == PAJESIM_STATE;
        need->pops = definition->event == PAJESIM_POP_STATE;
    }
    /* if a definition has both, this is another word, or none */
    other = definition->at[PAJESIM_START_CONTAINER] | definition->at[PAJESIM_END_CONTAINER];
    if (PAJESIM__UNLIKELY(other) && other < count)
        pajesim__add_need(sim, ahead, PAJESIM__BEGIN(other), PAJESIM__LENGTH(other));
#undef PAJESIM__BEGIN
#undef PAJESIM__LENGTH
}

/* Lists the next block, in the half of the lists that is free. */
static void pajesim__next_block(pajesim *sim, pajesim__block *block, const unsigned char *base, const unsigned char *end)
{
    pajesim__ahead *ahead = block->ahead;
    uint32_t lines = block->lines, odd = block->odd, first, i;
    ahead->base = base;
    ahead->from = ahead->from ? 0 : PAJESIM__HALF_BLOCK;
    pajesim__list_block(sim, block, ahead->from, PAJESIM__BLOCK_SIZE / 2, base, end);
    ahead->lines = block->lines;
    ahead->odd = block->odd;
    block->lines = lines;
    block->odd = odd;
    first = ahead->from;
    for (i = ahead->from; i < ahead->lines && ahead->placed + 1 - ahead->fetched < PAJESIM__NEEDS; i++) {
        uint32_t count = (block->beyond[i] - first) / 2;
        if (PAJESIM__LIKELY(count))
            pajesim__add_needs(sim, ahead, block->bounds + first, count);
        first = block->beyond[i];
    }
}

/* What a place in the table leads to. */
PAJESIM__INLINE void pajesim__fetch_container(pajesim *sim, pajesim__need *need)
{
    const pajesim__table *table = &PAJESIM__STATE->containers;
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, at = pajesim__home(need->hash, table->log2);
    at = (at + (entries[at].hash != need->hash)) & mask; /* if it is not there either, bad luck */
    need->container = entries[at].offset;
    PAJESIM__FETCH(PAJESIM__THING(need->container));
    PAJESIM__FETCH(&PAJESIM__CONTAINER_AT(need->container)->slots);
    PAJESIM__FETCH(&(PAJESIM__AT(pajesim__slot, PAJESIM__OWN_SLOTS(need->container)) + need->slot)->open);
}

/* What a slot leads to. */
PAJESIM__INLINE void pajesim__fetch_stack(pajesim *sim, const pajesim__need *need)
{
    uint64_t at = PAJESIM__CONTAINER_AT(need->container)->slots + (uint64_t)need->slot * sizeof(pajesim__slot);
    pajesim__slot slot;
    if (at + sizeof slot > PAJESIM__STATE->top)
        return;
    memcpy(&slot, PAJESIM__BYTES(at), sizeof slot);
    if (need->stack) /* a full one is copied */
        at = slot.open.stack.frames + (uint64_t)sizeof(pajesim__frame) *
             (slot.open.stack.depth - (need->pops | (slot.open.stack.depth == slot.open.stack.room)));
    PAJESIM__FETCH(PAJESIM__BYTES(at)); /* if there is no stack, of the slot, which is there */
}

/* Goes on with so many needs. */
PAJESIM__INLINE void pajesim__fetch(pajesim *sim, pajesim__ahead *ahead, uint32_t count)
{
    for (count = PAJESIM__MIN(count, ahead->placed - ahead->found); count; count--)
        pajesim__fetch_container(sim, &ahead->needs[ahead->found++ % PAJESIM__NEEDS]);
    while (ahead->found - ahead->fetched > PAJESIM__LAG)
        pajesim__fetch_stack(sim, &ahead->needs[ahead->fetched++ % PAJESIM__NEEDS]);
}

/* Before the line at p, which is that of the block at block->stop. */
static __attribute__((noinline)) void pajesim__look_ahead(pajesim *sim, pajesim__block *block, const unsigned char *p,
                                                          const unsigned char *end)
{
    pajesim__ahead *ahead = block->ahead;
    if (block->next == block->lines) {
        if (ahead->base != p)
            pajesim__next_block(sim, block, p, end);
        pajesim__fetch(sim, ahead, PAJESIM__NEEDS);
        block->lines = ahead->lines;
        block->odd = ahead->odd;
        pajesim__enter_block(block, ahead->from);
        if (block->next == block->lines)
            return;
        pajesim__next_block(sim, block, p + PAJESIM__NEWLINE(block, block->lines - 1) + 1, end);
    }
    pajesim__fetch(sim, ahead, PAJESIM__AT_ONCE);
    block->stop = PAJESIM__MIN(block->next + PAJESIM__STRIDE, block->lines);
}

#endif /* PAJESIM__BLOCKS */
