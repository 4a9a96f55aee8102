/* Whether each block of an arena is free or is used: none is lost.  Include it after pajesim.h. */
#ifndef TESTS_CLAIMED_H
#define TESTS_CLAIMED_H

#include <stdlib.h>
#include <string.h>

/* Returns how many bytes neither free lists nor records of a simulation refer to; or all of its bytes if an image of it
 * would not be sound.  In small builds nothing checks that: 0. */
static size_t lost_bytes(const pajesim *sim)
{
#if PAJESIM_TRAVEL
    const uint32_t top = (uint32_t)pajesim_used(sim);
    pajesim copy = *sim;
    unsigned char *marks;
    size_t lost = 0, i;
    copy.arena = (unsigned char *)malloc((size_t)pajesim__restore_size(top));
    if (!copy.arena)
        exit(3);
    memcpy(copy.arena, sim->arena, top);
    marks = copy.arena + ((top + UINT64_C(7)) & ~UINT64_C(7));
    if (!pajesim__image_is_sound(&copy, top))
        lost = top;
    for (i = 0; !lost && i < (top - PAJESIM__STATE_SIZE) / PAJESIM__MARK_STEP; i++)
        lost += marks[i] == PAJESIM__FREE ? PAJESIM__MARK_STEP : 0;
    free(copy.arena);
    return lost;
#else
    (void)sim;
    return 0;
#endif
}

#endif
