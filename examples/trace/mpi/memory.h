/* Memory of the layer: from the system, as malloc is the program's.  Tables and pools are used under mpi_lock. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Takes memory, which is zero; NULL: there is none.  Gives it back; NULL is ignored. */
void *mpi_take_memory(size_t size);
void mpi_give_memory(void *memory, size_t size);

/* A table of numbers other than 0, by two numbers. */
typedef struct mpi_map {
    struct mpi_map_entry {
        uint64_t a, b, value; /* value: 0: the entry is free */
    } *entries;
    size_t room, count; /* room: a power of 2, or 0 */
    struct mpi_map_entry *last; /* that was used, which is often the next one as well; NULL: none */
} mpi_map;

uint64_t *mpi_map_look_up(mpi_map *map, uint64_t a, uint64_t b);

/* Returns the place of a number; NULL: there is none. */
static inline uint64_t *mpi_map_find(mpi_map *map, uint64_t a, uint64_t b)
{
    struct mpi_map_entry *last = map->last;
    return last && last->a == a && last->b == b && last->value ? &last->value : mpi_map_look_up(map, a, b);
}

/* Returns the place of a number; 0 is there if it is new, and has to be replaced.  NULL: there is no memory. */
uint64_t *mpi_map_add(mpi_map *map, uint64_t a, uint64_t b);
/* Removes it.  Returns the number; 0: there was none. */
uint64_t mpi_map_remove(mpi_map *map, uint64_t a, uint64_t b);

/* Records of one size, which are zero at first. */
typedef struct mpi_pool {
    size_t size; /* of a record; at least that of a pointer */
    void *free;  /* each begins with the address of the next one */
    char *next, *end;
} mpi_pool;

void *mpi_pool_take(mpi_pool *pool); /* NULL: there is no memory */
void mpi_pool_give(mpi_pool *pool, void *record);

/* Mixes two numbers into one, which is another one for any others except by chance. */
uint64_t mpi_mix(uint64_t a, uint64_t b);
