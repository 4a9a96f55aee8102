/* The owner of this memory: what is in the buffers of a process is for it to write, not for a child that has a copy. */
#pragma once

#include "../api/host.h"
#include "../api/platform.h"

#if PAJEWRITE_POSIX
#include <sys/mman.h>
#include <unistd.h>

#ifdef __linux__
enum {
    PAJEWRITE__LARGEST_PAGE = 1 << 16,
    PAJEWRITE__WIPE_ON_FORK = 18 /* MADV_WIPEONFORK, which strict POSIX has no name for */
};
/* Has a page that the kernel clears in a copy of this memory: there the owner is stored. */
static long pajewrite__owner_page[2 * PAJEWRITE__LARGEST_PAGE / sizeof(long)];

/* Returns where the owner is stored; NULL: the kernel clears no page (Linux before 4.14).  Some emulators take any
 * advice, and do nothing. */
PAJEWRITE__UNTRACED
static long *pajewrite__place_of_owner(void)
{
    static int state; /* 1: there is such a page; 2: there is none */
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), beyond = (size_t)((uintptr_t)pajewrite__owner_page % page);
    long *place = pajewrite__owner_page + (page - beyond) % page / sizeof *place;
    if (!PAJEWRITE__LOAD(int, state))
        PAJEWRITE__PUBLISH(int, state, page > PAJEWRITE__LARGEST_PAGE || !posix_madvise(place, page, -1) ||
                                       posix_madvise(place, page, PAJEWRITE__WIPE_ON_FORK) ? 2 : 1);
    return PAJEWRITE__LOAD(int, state) == 1 ? place : NULL;
}
#endif

/* Returns the process whose memory this is: the calling one or, if that is a child of vfork, its parent.  Where the
 * system does not tell them apart from others, children of vfork have memory of their own. */
PAJEWRITE__UNTRACED
static long pajewrite__owner(void)
{
    long self = (long)getpid(), owner = 0;
#ifdef __linux__
    long *place = pajewrite__place_of_owner();
    if (place && !PAJEWRITE__SWAP_IF(long, *place, &owner, self))
        return owner;
    while (place && self != (long)getpid()) { /* a signal handler has forked in between, and this is the child */
        self = (long)getpid();
        PAJEWRITE__STORE_WORD(long, *place, self);
    }
#endif
    (void)owner;
    return self;
}

#endif
