/* The clock of POSIX systems. */
#pragma once

#include "../api/host.h"

#if PAJEWRITE_POSIX
#include <time.h>

PAJEWRITE__API uint64_t pajewrite_monotonic(void *data)
{
    struct timespec now;
    (void)data;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
