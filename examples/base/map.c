/* A hash map: open addressing with linear probing, over entries that keep their numbers. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_SLOTS 8
#define FIRST_ENTRIES 4

/* ---- the hash: products of two words folded, as in wyhash; each word is masked with a secret first */

static uint64_t secret[2];

static uint64_t fold(uint64_t a, uint64_t b)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    uint64_t low = (a & 0xffffffffu) * (b & 0xffffffffu), high = (a >> 32) * (b >> 32);
    uint64_t middle = (a >> 32) * (b & 0xffffffffu), other = (a & 0xffffffffu) * (b >> 32);
    uint64_t carry = ((low >> 32) + (middle & 0xffffffffu) + (other & 0xffffffffu)) >> 32;
    return (low + (middle << 32) + (other << 32)) ^ (high + (middle >> 32) + (other >> 32) + carry);
#endif
}

static uint64_t read_word(const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static uint64_t hash_of(const unsigned char *bytes, size_t size)
{
    uint64_t hash = secret[0] ^ size, first = 0, last = 0;
    for (; size > 16; size -= 16, bytes += 16)
        hash = fold(read_word(bytes) ^ secret[1], read_word(bytes + 8) ^ hash);
    if (size >= 8) { /* two words, which may overlap */
        first = read_word(bytes);
        last = read_word(bytes + size - 8);
    } else if (size > 0) { /* `bytes` may be NULL otherwise */
        memcpy(&first, bytes, size);
    }
    hash = fold(first ^ secret[1], last ^ hash);
    return fold(hash ^ secret[0], secret[1]);
}

/* The secret comes from what the author of a trace cannot know: the time in nanoseconds, and where the system put this
 * process. */
static void draw_secret(void)
{
    struct timespec now[2];
    clock_gettime(CLOCK_REALTIME, &now[0]);
    clock_gettime(CLOCK_MONOTONIC, &now[1]);
    const uint64_t unknown[] = {(uint64_t)now[0].tv_sec,  (uint64_t)now[0].tv_nsec,        (uint64_t)now[1].tv_sec,
                                (uint64_t)now[1].tv_nsec, (uint64_t)(uintptr_t)&secret[0], (uint64_t)(uintptr_t)now,
                                (uint64_t)getpid()};
    secret[0] = 0x9e3779b97f4a7c15u;
    secret[1] = 0xd1b54a32d192ed03u;
    for (int i = 0; i < 2; i++) {
        uint64_t drawn = hash_of((const unsigned char *)unknown, sizeof unknown);
        secret[0] = secret[1];
        secret[1] = drawn | 1; /* not 0, which means that it was not drawn yet */
    }
}

uint64_t map_hash(const void *bytes, size_t size)
{
    if (!secret[1])
        draw_secret();
    return hash_of(bytes, size);
}

/* ---- entries */

static const void *key_of(const map_entry *entry)
{
    return entry->size <= sizeof entry->key.bytes ? entry->key.bytes : entry->key.block;
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

pajesim_text map_key(const hash_map *map, size_t number)
{
    return (pajesim_text){key_of(&map->entries[number]), map->entries[number].size};
}

/* Returns the slot of a key, or the free slot where it belongs.  There is always a free one. */
static map_slot *slot_of(const hash_map *map, uint64_t hash, const void *key, size_t size)
{
    size_t mask = map->slot_count - 1, at = (size_t)hash & mask;
    for (; map->slots[at].number; at = (at + 1) & mask) {
        const map_entry *entry = &map->entries[map->slots[at].number - 1];
        if (map->slots[at].tag == tag_of(hash) && entry->size == size &&
            (size == 0 || memcmp(key_of(entry), key, size) == 0)) /* a key without bytes may be NULL */
            break;
    }
    return &map->slots[at];
}

size_t map_find(const hash_map *map, const void *key, size_t size)
{
    return map->used ? (size_t)slot_of(map, map_hash(key, size), key, size)->number - 1 : MAP_NONE; /* 0 - 1: none */
}

static void put_in_slot(hash_map *map, size_t number)
{
    size_t mask = map->slot_count - 1, at = (size_t)map->entries[number].hash & mask;
    while (map->slots[at].number)
        at = (at + 1) & mask;
    map->slots[at] = (map_slot){(uint32_t)number + 1, tag_of(map->entries[number].hash)};
}

/* Doubles the slots if one more key would raise the load factor above 3/4. */
static void grow_slots(hash_map *map)
{
    if (4 * (map->used + 1) <= 3 * map->slot_count)
        return;
    map->slot_count = map->slot_count ? 2 * map->slot_count : FIRST_SLOTS;
    free(map->slots);
    map->slots = memory_alloc_zero(map->slot_count, sizeof *map->slots);
    for (size_t i = 0; i < map->count; i++)
        if (map->entries[i].size != MAP_NONE)
            put_in_slot(map, i);
}

static size_t new_number(hash_map *map)
{
    if (map->count > map->used) {
        size_t number = map->first_free;
        map->first_free = map->entries[number].key.next_free;
        return number;
    }
    if (map->count == map->capacity) {
        map->capacity += map->capacity / 2 + FIRST_ENTRIES;
        if (map->capacity >= UINT32_MAX)
            memory_fail(SIZE_MAX);
        map->entries = memory_resize(map->entries, map->capacity, sizeof *map->entries);
    }
    return map->count++;
}

size_t map_add(hash_map *map, const void *key, size_t size)
{
    grow_slots(map);
    uint64_t hash = map_hash(key, size);
    map_slot *slot = slot_of(map, hash, key, size);
    if (slot->number)
        return slot->number - 1;
    size_t number = new_number(map);
    map_entry *entry = &map->entries[number];
    entry->hash = hash;
    entry->size = size;
    if (size > sizeof entry->key.bytes)
        memcpy(entry->key.block = memory_alloc(size, 1), key, size);
    else if (size)
        memcpy(entry->key.bytes, key, size);
    *slot = (map_slot){(uint32_t)number + 1, tag_of(hash)};
    map->used++;
    return number;
}

/* Frees a slot and moves entries of the same probe sequence up (backward shift deletion). */
static void free_slot(hash_map *map, size_t hole)
{
    size_t mask = map->slot_count - 1;
    for (size_t at = (hole + 1) & mask; map->slots[at].number; at = (at + 1) & mask) {
        size_t home = (size_t)map->entries[map->slots[at].number - 1].hash & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            map->slots[hole] = map->slots[at];
            hole = at;
        }
    }
    map->slots[hole].number = 0;
}

void map_remove(hash_map *map, size_t number)
{
    map_entry *entry = &map->entries[number];
    size_t mask = map->slot_count - 1, at = (size_t)entry->hash & mask;
    while (map->slots[at].number != number + 1)
        at = (at + 1) & mask;
    free_slot(map, at);
    if (entry->size > sizeof entry->key.bytes)
        free(entry->key.block);
    entry->size = MAP_NONE;
    entry->key.next_free = map->first_free;
    map->first_free = number;
    map->used--;
}

void map_clear(hash_map *map)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->entries[i].size != MAP_NONE && map->entries[i].size > sizeof map->entries[i].key.bytes)
            free(map->entries[i].key.block);
    map->count = map->used = 0;
    if (map->slot_count)
        memset(map->slots, 0, map->slot_count * sizeof *map->slots);
}

void map_free(hash_map *map)
{
    map_clear(map);
    free(map->entries);
    free(map->slots);
    memset(map, 0, sizeof *map);
}
