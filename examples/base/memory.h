/* Allocation that succeeds or ends the program.  Blocks are freed by free(). */
#pragma once

#include "base/platform.h"

/* Uninitialized memory for `count` items of `size` bytes; never NULL. */
void *memory_alloc(size_t count, size_t size);
/* Zeroed memory for `count` items of `size` bytes; never NULL. */
void *memory_alloc_zero(size_t count, size_t size);
/* realloc() of a block that memory_alloc() returned, or of NULL. */
void *memory_resize(void *block, size_t count, size_t size);
/* Keeps freed blocks for later ones, where the C library can: for programs that replace many large blocks. */
void memory_keep_freed(void);
/* How many bytes may be allocated now without harm to other programs: what the system, the control group of the process
 * and its limit of address space have left; half of the machine's memory where that is not known. */
uint64_t memory_available(void);
/* Prints how much memory was missing and exits with EXIT_FAILED. */
void memory_fail(size_t bytes) NO_RETURN;
