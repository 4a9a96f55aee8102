/* Growable arrays of items of any type.
 *
 *     array_of(double) times = {0};
 *     *array_push(&times) = 1.5;             a new item at the end, zeroed
 *     for (size_t i = 0; i < times.count; i++)
 *         sum += times.items[i];
 *     array_free(&times);
 *
 * Pointers to items are valid until the array grows.  An array that is a parameter or a member of several structs needs
 * a name: typedef array_of(double) doubles. */
#pragma once

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#define array_of(type)          \
    struct {                    \
        type *items;            \
        size_t count, capacity; \
        size_t index; /* for array_at() */ \
    }

/* Capacity for `more` items beyond the last one. */
#define array_reserve(array, more) \
    ((array)->items =              \
         array_hold((array)->items, &(array)->capacity, (array)->count, (more), sizeof *(array)->items))

/* Appends a zeroed item and returns its address. */
#define array_push(array)                                                                       \
    (array_reserve(array, 1), memset(&(array)->items[(array)->count], 0, sizeof *(array)->items), \
     &(array)->items[(array)->count++])

/* The address of item `number`, which is evaluated once; appends zeroed items until there is one. */
#define array_at(array, number)                                                                                       \
    ((array)->index = (number),                                                                                       \
     (array)->items =                                                                                                 \
         (array)->index < (array)->count                                                                              \
             ? (array)->items                                                                                         \
             : array_extend((array)->items, &(array)->capacity, &(array)->count, (array)->index,                      \
                            sizeof *(array)->items),                                                                  \
     &(array)->items[(array)->index])

#define array_clear(array) ((void)((array)->count = 0))
#define array_free(array) (free((array)->items), (array)->items = NULL, (array)->count = (array)->capacity = 0)

/* Functions for the macros; each returns the address of the items, which may have moved. */
void *array_grow(void *items, size_t *capacity, size_t count, size_t more, size_t size);
static inline void *array_hold(void *items, size_t *capacity, size_t count, size_t more, size_t size)
{
    return items && more <= *capacity - count ? items : array_grow(items, capacity, count, more, size);
}
/* Appends items up to `index`, which is beyond the last one. */
void *array_extend(void *items, size_t *capacity, size_t *count, size_t index, size_t size);
