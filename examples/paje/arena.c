/* The room of a simulation. */
#define _DEFAULT_SOURCE /* madvise */
#include "paje.h"

#include <stdlib.h>
#include <sys/mman.h>

#define LARGE ((size_t)4 << 20)
#define LARGE_PAGE ((size_t)2 << 20)

/* Many containers lie far apart, and to find a page takes long where there are thousands: so a large arena asks for large
 * pages.  It is aligned to them, and only what is touched of it becomes memory. */
unsigned char *paje_arena(size_t capacity)
{
#ifdef MADV_HUGEPAGE
    void *arena;
    if (capacity >= LARGE && posix_memalign(&arena, LARGE_PAGE, capacity) == 0) {
        madvise(arena, capacity, MADV_HUGEPAGE); /* a machine that has none goes on with small ones */
        return arena;
    }
#endif
    return paje_room(NULL, capacity);
}
