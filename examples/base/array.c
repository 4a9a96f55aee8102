/* Growth of arrays: by half, so that appending costs the same whatever their length. */
#include "base/array.h"

#define FIRST_CAPACITY 8

void *array_grow(void *items, size_t *capacity, size_t count, size_t more, size_t size)
{
    size_t needed = count + more, wanted = *capacity + *capacity / 2 + FIRST_CAPACITY;
    if (needed < count)
        memory_fail(SIZE_MAX);
    if (wanted < needed)
        wanted = needed;
    items = memory_resize(items, wanted, size);
    *capacity = wanted;
    return items;
}

void *array_extend(void *items, size_t *capacity, size_t *count, size_t index, size_t size)
{
    items = array_hold(items, capacity, *count, index - *count + 1, size);
    memset((char *)items + *count * size, 0, (index - *count + 1) * size);
    *count = index + 1;
    return items;
}
