/* Memory of the layer. */
#include "memory.h"

#include <string.h>
#include <sys/mman.h>

void *mpi_take_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void mpi_give_memory(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}

/* The last steps of MurmurHash3, by Appleby. */
uint64_t mpi_mix(uint64_t a, uint64_t b)
{
    a ^= b + UINT64_C(0x9e3779b97f4a7c15) + (a << 6) + (a >> 2);
    a ^= a >> 33;
    a *= UINT64_C(0xff51afd7ed558ccd);
    a ^= a >> 33;
    a *= UINT64_C(0xc4ceb9fe1a85ec53);
    return a ^ a >> 33;
}

/* ---- tables */

static size_t home(const mpi_map *map, uint64_t a, uint64_t b)
{
    return (size_t)mpi_mix(a, b) & (map->room - 1);
}

/* Returns the entry of two numbers, or the free one that would be theirs. */
static struct mpi_map_entry *look_up(const mpi_map *map, uint64_t a, uint64_t b)
{
    size_t i = home(map, a, b);
    while (map->entries[i].value && (map->entries[i].a != a || map->entries[i].b != b))
        i = (i + 1) & (map->room - 1);
    return &map->entries[i];
}

uint64_t *mpi_map_look_up(mpi_map *map, uint64_t a, uint64_t b)
{
    struct mpi_map_entry *found = map->count ? look_up(map, a, b) : NULL;
    if (!found || !found->value)
        return NULL;
    map->last = found;
    return &found->value;
}

static int grow(mpi_map *map)
{
    mpi_map larger = {NULL, map->room ? 2 * map->room : 512, map->count, NULL};
    size_t i;
    larger.entries = (struct mpi_map_entry *)mpi_take_memory(larger.room * sizeof *larger.entries);
    if (!larger.entries)
        return 0;
    for (i = 0; i < map->room; i++)
        if (map->entries[i].value)
            *look_up(&larger, map->entries[i].a, map->entries[i].b) = map->entries[i];
    mpi_give_memory(map->entries, map->room * sizeof *map->entries);
    *map = larger;
    return 1;
}

uint64_t *mpi_map_add(mpi_map *map, uint64_t a, uint64_t b)
{
    struct mpi_map_entry *last = map->last;
    if (last && last->a == a && last->b == b && last->value)
        return &last->value;
    if (2 * (map->count + 1) > map->room && !grow(map))
        return mpi_map_find(map, a, b);
    last = look_up(map, a, b);
    if (!last->value) {
        map->count++;
        last->a = a;
        last->b = b;
    }
    map->last = last;
    return &last->value;
}

/* Entries behind it move up, so that each is found from its home on (Knuth, volume 3, algorithm 6.4 R). */
uint64_t mpi_map_remove(mpi_map *map, uint64_t a, uint64_t b)
{
    uint64_t *found = mpi_map_find(map, a, b), value = found ? *found : 0;
    size_t hole, i;
    if (!found)
        return 0;
    hole = i = (size_t)((struct mpi_map_entry *)(void *)((char *)found - offsetof(struct mpi_map_entry, value)) -
                        map->entries);
    map->count--;
    for (;;) {
        size_t from;
        i = (i + 1) & (map->room - 1);
        if (!map->entries[i].value)
            break;
        from = home(map, map->entries[i].a, map->entries[i].b);
        if (((i - from) & (map->room - 1)) >= ((i - hole) & (map->room - 1))) {
            map->entries[hole] = map->entries[i];
            hole = i;
        }
    }
    map->entries[hole].value = 0;
    return value;
}

/* ---- records */

enum { CHUNK = 64 << 10 };

void *mpi_pool_take(mpi_pool *pool)
{
    void *record = pool->free;
    if (record) {
        memcpy(&pool->free, record, sizeof pool->free);
        return memset(record, 0, pool->size);
    }
    if ((size_t)(pool->end - pool->next) < pool->size) {
        char *chunk = (char *)mpi_take_memory(CHUNK);
        if (!chunk)
            return NULL;
        pool->next = chunk;
        pool->end = chunk + CHUNK;
    }
    record = pool->next;
    pool->next += pool->size;
    return record;
}

void mpi_pool_give(mpi_pool *pool, void *record)
{
    memcpy(record, &pool->free, sizeof pool->free);
    pool->free = record;
}
