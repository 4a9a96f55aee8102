/* The memory of a simulation. */
#define _DEFAULT_SOURCE /* madvise */
#include "replay/arena.h"

#include "base/text.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE ((size_t)4 << 20)
#define LARGE_PAGE ((size_t)2 << 20)

/* Containers lie far apart in a large arena, so that lookups miss the TLB: ask for huge pages, to which the arena is
 * aligned.  Pages that are never touched take no memory. */
unsigned char *paje_arena(size_t capacity)
{
#ifdef MADV_HUGEPAGE
    void *arena;
    if (capacity >= LARGE && posix_memalign(&arena, LARGE_PAGE, capacity) == 0) {
        madvise(arena, capacity, MADV_HUGEPAGE); /* a hint; without huge pages small ones are used */
        return arena;
    }
#endif
    return memory_alloc(capacity, 1);
}
