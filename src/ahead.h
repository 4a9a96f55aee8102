/* Where containers are so many that no cache holds them, fetching what a line needs takes far longer than the line.  So,
 * before the lines of a block are simulated, all of it is asked for at once, in steps, as each leads to the next: place in
 * the table, container, slot, top of the stack.  Nothing is changed, and nothing depends on what is found: lines are
 * simulated as always, from the first to the last, but what they need is on its way. */

#if PAJESIM__BLOCKS

#define PAJESIM__AHEAD 64u /* the most lines that are looked at */

typedef struct pajesim__need {
    uint32_t hash; /* of the container's identifier */
    pajesim_ref container, type;
    const pajesim__slot *slot;
} pajesim__need;

#define PAJESIM__FETCH(address) _mm_prefetch((const char *)(address), _MM_HINT_T0)

/* The `word`th of a line of the block, whose first word ends at ends[first]; it is not the 0th. */
PAJESIM__INLINE pajesim__key pajesim__key_ahead(const pajesim__block *block, const unsigned char *base, uint32_t first,
                                                uint32_t word)
{
    uint32_t begin = block->ends[first + word - 1] + 1u;
    return pajesim__key_of_word(base + begin, block->ends[first + word] - begin, 17);
}

/* What the plain lines of a block that begins at `base` name, into `needs`; answers how many these are. */
static uint32_t pajesim__needs_ahead(pajesim *sim, const pajesim__block *block, const unsigned char *base,
                                     pajesim__need *needs)
{
    const pajesim__table *table = &PAJESIM__STATE->containers;
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t begin = 0, first = 1, count = 0, i;
    for (i = 0; i < block->lines && count < PAJESIM__AHEAD - 1; i++) {
        uint32_t beyond = block->beyond[i];
        if (beyond - first - 1 < PAJESIM_WORDS) {
            pajesim__key key = pajesim__key_of_number(base + begin, block->ends[first] - begin, 17);
            pajesim_ref ref = pajesim__find_definition(sim, &key);
            const pajesim__definition *definition = PAJESIM__DEFINITION_AT(ref);
            if (ref && definition->count + 1u == beyond - first) {
                /* if a definition has both, this is another word, or none */
                uint32_t other = definition->at[PAJESIM_START_CONTAINER] | definition->at[PAJESIM_END_CONTAINER];
                uint32_t container = definition->at[PAJESIM_CONTAINER_FIELD];
                if (definition->event == PAJESIM_DESTROY_CONTAINER)
                    container = definition->at[PAJESIM_NAME];
                if (container) {
                    key = pajesim__key_ahead(block, base, first, definition->at[PAJESIM_TYPE]);
                    needs[count].type = pajesim__find_cached(sim, &PAJESIM__STATE->types, &key, 0, PAJESIM__TYPES_SCOPE);
                    key = pajesim__key_ahead(block, base, first, container);
                    needs[count].hash = pajesim__hash(&key, 0, 0);
                    PAJESIM__FETCH(entries + pajesim__home(needs[count++].hash, table->log2));
                }
                if (other && other < beyond - first) {
                    key = pajesim__key_ahead(block, base, first, other);
                    needs[count].type = 0;
                    needs[count].hash = pajesim__hash(&key, 0, 0);
                    PAJESIM__FETCH(entries + pajesim__home(needs[count++].hash, table->log2));
                }
            }
        }
        begin = block->newline[i] + 1u;
        first = beyond & ~PAJESIM__ODD;
    }
    return count;
}

static __attribute__((noinline)) void pajesim__look_ahead(pajesim *sim, const pajesim__block *block,
                                                          const unsigned char *base)
{
    const pajesim__table *table = &PAJESIM__STATE->containers;
    const pajesim__entry *entries = PAJESIM__AT(const pajesim__entry, table->entries);
    uint32_t mask = (UINT32_C(1) << table->log2) - 1, count, i, at, beyond;
    pajesim__need needs[PAJESIM__AHEAD];
    count = pajesim__needs_ahead(sim, block, base, needs);
    for (i = 0; i < count; i++) {
        beyond = pajesim__home(needs[i].hash, table->log2) + PAJESIM__PROBES;
        for (at = beyond - PAJESIM__PROBES; entries[at & mask].offset && at != beyond; at++)
            if (entries[at & mask].hash == needs[i].hash)
                break;
        at &= mask;
        needs[i].container = entries[at].offset;
        PAJESIM__FETCH(PAJESIM__BYTES(entries[at].offset));
        PAJESIM__FETCH(PAJESIM__BYTES(entries[at].offset) + offsetof(pajesim__container, slots));
    }
    for (i = 0; i < count; i++) {
        needs[i].slot = needs[i].type ? pajesim__slot_of(sim, needs[i].container, needs[i].type) : NULL;
        if (needs[i].slot)
            PAJESIM__FETCH(needs[i].slot);
    }
    for (i = 0; i < count; i++)
        if (needs[i].slot && PAJESIM__THING(needs[i].type)->kind == PAJESIM_STATE)
            PAJESIM__FETCH(PAJESIM__AT(pajesim__frame, needs[i].slot->open.stack.frames) + needs[i].slot->open.stack.depth);
}

#endif /* PAJESIM__BLOCKS */
