/* Keys of hash maps that consist of two numbers and a text. */
#include "merge.h"

pajesim_text merge_key(merge *m, uint64_t a, uint64_t b, pajesim_text text)
{
    uint64_t numbers[2] = {a, b};
    text_clear(&m->key);
    char *bytes = text_reserve(&m->key, sizeof numbers + text.size);
    memcpy(bytes, numbers, sizeof numbers);
    if (text.size > 0)
        memcpy(bytes + sizeof numbers, text.bytes, text.size);
    m->key.size = sizeof numbers + text.size;
    return (pajesim_text){bytes, m->key.size};
}

size_t merge_find(merge *m, const hash_map *map, uint64_t a, uint64_t b, pajesim_text text)
{
    pajesim_text key = merge_key(m, a, b, text);
    return map_find(map, key.bytes, key.size);
}

size_t merge_add(merge *m, hash_map *map, uint64_t a, uint64_t b, pajesim_text text)
{
    pajesim_text key = merge_key(m, a, b, text);
    return map_add(map, key.bytes, key.size);
}
