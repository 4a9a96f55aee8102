/* What short identifiers of an input stand for: caches in front of the hash maps of types, values and containers, as
 * most lines use those of lines before. */
#include "merge.h"

#include <stdlib.h>

enum { FIRST_CONTAINERS = 64, MOST_CONTAINERS = 1 << 20 };

/* Whether an identifier can be in a cache. */
static int is_short(pajesim_text alias)
{
    return alias.size > 0 && alias.size <= MERGE_SLACK;
}

/* Makes a key of a short identifier, which is a word of an input: bytes behind it may be read. */
static inline merge_short key_of(pajesim_text alias)
{
    static const unsigned char masks[2 * MERGE_SLACK] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                         255, 255, 255, 255, 255, 255, 255, 255};
    merge_short key = {{0, 0}, alias.size}, mask;
    memcpy(key.words, alias.bytes, sizeof key.words);
    memcpy(mask.words, masks + MERGE_SLACK - alias.size, sizeof mask.words);
    key.words[0] &= mask.words[0];
    key.words[1] &= mask.words[1];
    return key;
}

static size_t slot_of(merge_short key, size_t count)
{
    uint64_t mixed = key.words[0] ^ key.words[1] * 31;
    mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15u; /* the last bytes of an identifier differ most */
    return (size_t)(mixed >> 40) & (count - 1);
}

static int is_equal(const merge_short *a, const merge_short *b)
{
    return a->words[0] == b->words[0] && a->words[1] == b->words[1] && a->size == b->size;
}

merge_type *merge_know_type(merge *m, merge_input *input, pajesim_text alias)
{
    if (m->pass == MERGE_SURVEY || !is_short(alias)) /* the survey defines types */
        return merge_find_type(m, input, alias);
    merge_short key = key_of(alias);
    merge_known_type *known = &input->known_types[slot_of(key, MERGE_KNOWN_TYPES)];
    if (!is_equal(&known->alias, &key))
        *known = (merge_known_type){key, merge_find_type(m, input, alias)};
    return known->type;
}

pajesim_text merge_know_value(merge *m, merge_input *input, const merge_type *type, pajesim_text alias, int *is_new)
{
    *is_new = 0;
    if (!is_short(alias))
        return merge_find_value(m, input, type, alias, is_new);
    merge_short key = key_of(alias);
    merge_known_value *known = &input->known_values[slot_of(key, MERGE_KNOWN_VALUES)];
    if (!is_equal(&known->alias, &key) || known->type != type || known->found_at != m->types.values.used) {
        pajesim_text value = merge_find_value(m, input, type, alias, is_new);
        *known = (merge_known_value){key, type, m->types.values.used, value};
    }
    return known->value;
}

/* Makes room for as many containers as the input has. */
static void grow_containers(merge_input *input)
{
    size_t count = input->known_count ? input->known_count : FIRST_CONTAINERS;
    while (count < 2 * input->uses.used && count < MOST_CONTAINERS)
        count *= 2;
    if (count == input->known_count)
        return;
    free(input->known_containers);
    input->known_containers = memory_alloc_zero(count, sizeof *input->known_containers);
    input->known_count = count;
}

merge_container *merge_know_container(merge *m, merge_input *input, pajesim_text alias, const merge_type *parent_type)
{
    if (!is_short(alias) || merge_is_root(alias))
        return merge_find_container(m, input, alias, parent_type);
    merge_short key = key_of(alias);
    if (input->known_count) {
        const merge_known_container *known = &input->known_containers[slot_of(key, input->known_count)];
        if (is_equal(&known->alias, &key) && known->found_at == m->containers.changes)
            return known->container;
    }
    grow_containers(input);
    merge_container *found = merge_find_container(m, input, alias, parent_type);
    input->known_containers[slot_of(key, input->known_count)] =
        (merge_known_container){key, m->containers.changes, found};
    return found;
}
