/* A hash table of keys that consist of a tag, three numbers and a text; several entries may have the same key. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

static merge_entry **slots;
static size_t slot_count, entry_count;
static paje_buffer made;

merge_key merge_make_key(enum merge_tag tag, uint64_t a, uint64_t b, uint64_t c, pajesim_text text)
{
    uint64_t numbers[4] = {(uint64_t)tag, a, b, c};
    char head[sizeof numbers];
    memcpy(head, numbers, sizeof head);
    made.size = 0;
    paje_add(&made, head, sizeof head);
    paje_add_text(&made, text);
    return (merge_key){made.bytes, made.size};
}

uint64_t merge_hash(merge_key key)
{
    uint64_t h = 0xcbf29ce484222325u, word;
    size_t i = 0;
    for (; i + sizeof word <= key.size; i += sizeof word) {
        memcpy(&word, key.bytes + i, sizeof word);
        h = (h ^ word) * 0x9e3779b97f4a7c15u;
        h ^= h >> 32;
    }
    for (; i < key.size; i++)
        h = (h ^ (unsigned char)key.bytes[i]) * 0x100000001b3u;
    return h ^ h >> 29;
}

static merge_entry *find_from(merge_entry *entry, uint64_t hash, merge_key key)
{
    while (entry && !(entry->hash == hash && entry->size == key.size && memcmp(entry->key, key.bytes, key.size) == 0))
        entry = entry->next;
    return entry;
}

merge_entry *merge_find(merge_key key)
{
    uint64_t hash = merge_hash(key);
    return slot_count ? find_from(slots[hash & (slot_count - 1)], hash, key) : NULL;
}

merge_entry *merge_find_next(const merge_entry *entry)
{
    return find_from(entry->next, entry->hash, (merge_key){entry->key, entry->size});
}

merge_entry *merge_find_oldest(merge_key key)
{
    merge_entry *entry = merge_find(key), *older;
    while (entry && (older = merge_find_next(entry)) != NULL)
        entry = older;
    return entry;
}

/* Twice as many slots: an entry stays, or goes as many slots further as there were, and all keep their order. */
static void grow(void)
{
    size_t before = slot_count;
    slot_count = before ? 2 * before : 1024;
    slots = paje_room(slots, slot_count * sizeof *slots);
    memset(slots + before, 0, (slot_count - before) * sizeof *slots);
    for (size_t i = 0; i < before; i++) {
        merge_entry **low = &slots[i], **high = &slots[i + before], *entry = *low;
        for (; entry; entry = entry->next) {
            merge_entry ***side = entry->hash & before ? &high : &low;
            **side = entry;
            *side = &entry->next;
        }
        *low = *high = NULL;
    }
}

merge_entry *merge_add(merge_key key, void *thing, int owned)
{
    if (entry_count >= slot_count)
        grow();
    merge_entry *entry = paje_room(NULL, sizeof *entry + key.size);
    entry->hash = merge_hash(key);
    entry->thing = thing;
    entry->owned = owned;
    entry->size = key.size;
    memcpy(entry->key, key.bytes, key.size);
    merge_entry **slot = &slots[entry->hash & (slot_count - 1)];
    entry->next = *slot;
    *slot = entry;
    entry_count++;
    return entry;
}

static void free_entry(merge_entry *entry)
{
    if (entry->owned)
        free(entry->thing);
    free(entry);
    entry_count--;
}

void merge_remove(merge_entry *entry)
{
    merge_entry **at = &slots[entry->hash & (slot_count - 1)];
    while (*at != entry)
        at = &(*at)->next;
    *at = entry->next;
    free_entry(entry);
}

void merge_forget(void)
{
    for (size_t i = 0; i < slot_count; i++)
        while (slots[i]) {
            merge_entry *next = slots[i]->next;
            free_entry(slots[i]);
            slots[i] = next;
        }
    free(slots);
    slots = NULL;
    slot_count = 0;
    paje_release(&made);
}
