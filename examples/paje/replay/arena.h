/* The memory of a simulation. */
#pragma once

#include "base/platform.h"

#include <stddef.h>

/* Returns a block of that size; free() frees it. */
unsigned char *paje_arena(size_t capacity);
