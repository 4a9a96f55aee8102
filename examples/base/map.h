/* A hash map from strings of bytes to numbers.
 *
 * The first key that is added has number 0, the next one 1, and so on, so values are kept in an array beside the map:
 *
 *     hash_map names = {0};
 *     array_of(uint64_t) counts = {0};
 *     ++*array_at(&counts, map_add(&names, name, size));
 *
 * A set is a map without such an array.  Keys are compared byte for byte.  Their hash depends on a random secret of the
 * process, so that no trace can be written whose names collide.
 * The number of a removed key is reused for a key that is added later: reset the value when you remove its key. */
#pragma once

#include "base/memory.h"
#include "pajesim.h"

typedef struct map_entry {
    uint64_t hash;
    size_t size; /* of the key; MAP_NONE: removed */
    union {
        unsigned char bytes[16]; /* a key that fits */
        unsigned char *block;    /* a longer one */
        size_t next_free;        /* of a removed entry: the number of the next one */
    } key;
} map_entry;

typedef struct map_slot {
    uint32_t number; /* of its entry, + 1; 0: free */
    uint32_t tag;    /* upper half of the hash: rules most other keys out without reading their entry */
} map_slot;

typedef struct hash_map {
    map_entry *entries;
    size_t count;      /* numbers in use or on the free list */
    size_t used;       /* keys in the map */
    size_t capacity;   /* of `entries` */
    size_t first_free; /* head of the free list, which has count - used entries */
    map_slot *slots;
    size_t slot_count; /* a power of two; the load factor is at most 3/4 */
} hash_map;

#define MAP_NONE ((size_t)-1)

/* Returns the number of a key, or MAP_NONE. */
size_t map_find(const hash_map *map, const void *key, size_t size);
/* Returns the number of a key, which is added if it is new; map->used grows then. */
size_t map_add(hash_map *map, const void *key, size_t size);
void map_remove(hash_map *map, size_t number);
/* The bytes of a key, until the map changes. */
pajesim_text map_key(const hash_map *map, size_t number);
/* Removes all keys; numbers begin at 0 again. */
void map_clear(hash_map *map);
void map_free(hash_map *map);

/* The hash of some bytes, keyed by the secret of this process: it differs from run to run. */
uint64_t map_hash(const void *bytes, size_t size);
