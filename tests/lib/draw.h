/* Random numbers for tests, the same in each run. */
#ifndef TESTS_DRAW_H
#define TESTS_DRAW_H

#include <stdint.h>

/* Returns a number from 0 on, less than `below`. */
static uint64_t draw(uint64_t below)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

#endif
