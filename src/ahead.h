/* Where containers are so many that no cache holds them, fetching what a line needs takes far longer than the line.  So
 * while the lines of a block are simulated, those of the next are looked at, and what they need is asked for in steps, as
 * each leads to the next: place in the table, container and slot, top of the stack.  These steps are taken a few at a
 * time, so that the fetching never waits for itself.  Nothing is changed: lines are simulated as always, from the first to
 * the last, but what they need is on its way.
 *
 * What was found is not looked up once more where it cannot have become another thing: definitions do not change between
 * the lines of a block, as a line that begins with % ends it; types are for ever; and a container is the one that was found
 * if it has the identifier, and no container was made or forgotten meanwhile.  Else it may be gone when it leads to what is
 * fetched next: so that is only looked at within the arena. */

#if PAJESIM__BLOCKS

#define PAJESIM__NEEDS 64u  /* of two blocks; a power of 2 */
#define PAJESIM__STRIDE 3u  /* lines that are simulated between two looks ahead */
#define PAJESIM__AT_ONCE 4u /* needs whose container is fetched then */
#define PAJESIM__LAG 8u     /* needs between a container and a stack, which is behind */

typedef struct pajesim__ahead {
    const unsigned char *base;       /* where the next block begins */
    uint32_t from, lines, odd;       /* index of its first line, and the same of it as of a block */
    uint32_t first;                  /* need of its first line */
    uint32_t skew;                   /* from a line's index in the block at hand to its need */
    uint32_t placed, found, fetched; /* needs that have come so far */
    pajesim__need needs[PAJESIM__NEEDS];
} pajesim__ahead;

static void pajesim__begin_ahead(pajesim__ahead *ahead)
{
    ahead->base = NULL;
    ahead->from = ahead->lines = ahead->odd = 0;
    ahead->first = ahead->skew = ahead->placed = ahead->found = ahead->fetched = 0;
}

/* Of the line that was taken from a block last. */
PAJESIM__INLINE const pajesim__need *pajesim__need_of_line(const pajesim__block *block)
{
    return &block->ahead->needs[(block->next - 1 + block->ahead->skew) % PAJESIM__NEEDS];
}

/* Word of a line by which the container is found that it needs most. */
PAJESIM__INLINE uint32_t pajesim__container_word(const pajesim__definition *definition)
{
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_CONTAINER))
        return definition->at[definition->at[PAJESIM_ALIAS] ? PAJESIM_ALIAS : PAJESIM_NAME];
    if (PAJESIM__UNLIKELY(definition->kind == PAJESIM_LINK)) /* not that which bears it: many links have the same */
        return definition->at[definition->event == PAJESIM_START_LINK ? PAJESIM_START_CONTAINER : PAJESIM_END_CONTAINER];
    return definition->at[PAJESIM_CONTAINER_FIELD];
}

/* What a line of so many words needs; `bounds`: of these, from `base` on. */
PAJESIM__INLINE void pajesim__add_need(pajesim *sim, pajesim__need *need, const unsigned char *base,
                                       const uint16_t *bounds, uint32_t count)
{
#define PAJESIM__BEGIN(word) (base + bounds[2 * (word)])
#define PAJESIM__LENGTH(word) ((uint32_t)bounds[2 * (word) + 1] - bounds[2 * (word)])
    const pajesim__table *table = &PAJESIM__STATE->containers;
    const pajesim__definition *definition;
    pajesim__key key;
    uint32_t word;
    need->definition = 0;
    if (PAJESIM__LIKELY(count)) {
        key = pajesim__key_of_number(PAJESIM__BEGIN(0), PAJESIM__LENGTH(0), 17);
        need->definition = pajesim__find_definition(sim, &key);
    }
    definition = PAJESIM__DEFINITION_AT(need->definition);
    if (PAJESIM__UNLIKELY(!need->definition) || PAJESIM__UNLIKELY(definition->count + 1u != count)) {
        need->type = need->hash = need->slot = need->stack = 0;
        return;
    }
    word = definition->at[PAJESIM_TYPE];
    key = pajesim__key_of_number(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), 17);
    need->type = pajesim__find_cached(sim, &PAJESIM__STATE->types, &key, 0, PAJESIM__TYPES_SCOPE);
    need->slot = PAJESIM__LIKELY(need->type) ? PAJESIM__TYPE_AT(need->type)->slot : 0;
    need->stack = definition->kind == PAJESIM_STATE;
    need->pops = definition->event == PAJESIM_POP_STATE;
    if (PAJESIM__UNLIKELY(definition->event == PAJESIM_DESTROY_CONTAINER)) {
        need->stack = 2; /* of what is probably its first type */
        need->pops = 1;
    }
    word = pajesim__container_word(definition);
    key = pajesim__key_of_word(PAJESIM__BEGIN(word), PAJESIM__LENGTH(word), 17);
    need->hash = pajesim__hash(&key, 0, 0);
    PAJESIM__FETCH(PAJESIM__AT(const pajesim__entry, table->entries) + pajesim__home(need->hash, table->log2));
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
    ahead->lines = PAJESIM__MIN(block->lines, ahead->from + PAJESIM__NEEDS / 2);
    ahead->odd = block->odd;
    ahead->first = ahead->placed;
    block->lines = lines;
    block->odd = odd;
    first = ahead->from;
    for (i = ahead->from; i < ahead->lines; i++) {
        uint32_t count = (block->beyond[i] - first) / 2;
        pajesim__add_need(sim, &ahead->needs[ahead->placed++ % PAJESIM__NEEDS], base, block->bounds + first, count);
        first = block->beyond[i];
    }
    for (i = ahead->first; (ahead->odd & 2) && i != ahead->placed; i++) /* an empty string is taken for a quote */
        ahead->needs[i % PAJESIM__NEEDS].definition = ahead->needs[i % PAJESIM__NEEDS].type = 0;
}

/* What a place in the table leads to. */
PAJESIM__INLINE void pajesim__fetch_container(pajesim *sim, pajesim__need *need)
{
    const pajesim__table *table = &PAJESIM__STATE->containers;
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, at = pajesim__home(need->hash, table->log2);
    at = (at + (entries[at].hash != need->hash)) & mask; /* without a branch: whether it is in its place cannot be guessed */
    while (PAJESIM__UNLIKELY(entries[at].hash != need->hash && entries[at].offset))
        at = (at + 1) & mask;
    need->changes = sim->changes;
    need->container = PAJESIM__LIKELY(entries[at].offset) ? entries[at].offset : PAJESIM__STATE->root;
    PAJESIM__FETCH(&PAJESIM__THING(need->container)->id);
    PAJESIM__FETCH(&PAJESIM__CONTAINER_AT(need->container)->slot_count);
    PAJESIM__FETCH(&(PAJESIM__AT(pajesim__slot, PAJESIM__OWN_SLOTS(need->container)) + need->slot)->open);
}

/* What a slot leads to. */
PAJESIM__INLINE void pajesim__fetch_stack(pajesim *sim, const pajesim__need *need)
{
    uint64_t at = PAJESIM__CONTAINER_AT(need->container)->slots + (uint64_t)need->slot * sizeof(pajesim__slot);
    pajesim__slot slot;
    if (at + sizeof slot > PAJESIM__STATE->top)
        return;
    memcpy(&slot.open, PAJESIM__BYTES(at) + offsetof(pajesim__slot, open), sizeof slot.open);
    if (PAJESIM__UNLIKELY(need->stack > 1))
        PAJESIM__FETCH(PAJESIM__BYTES(slot.open.stack.frames));
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
        ahead->skew = ahead->first - ahead->from;
        pajesim__enter_block(block, ahead->from);
        if (block->next == block->lines)
            return;
        pajesim__next_block(sim, block, p + PAJESIM__NEWLINE(block, block->lines - 1) + 1, end);
    } else { /* what was asked for just now has not come yet */
        pajesim__fetch(sim, ahead, PAJESIM__AT_ONCE);
    }
    block->stop = PAJESIM__MIN(block->next + PAJESIM__STRIDE, block->lines);
}

#endif /* PAJESIM__BLOCKS */
