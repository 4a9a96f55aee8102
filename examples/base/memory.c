/* Allocation that succeeds or ends the program. */
#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char *program_name = "program";

void memory_fail(size_t bytes)
{
    char line[128]; /* there may be no memory for a message either */
    int length = snprintf(line, sizeof line, "%.40s: no memory for %zu bytes\n", program_name, bytes);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        exit(EXIT_FAILED); /* the status alone has to tell */
    exit(EXIT_FAILED);
}

void *memory_resize(void *block, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        memory_fail(SIZE_MAX);
    void *resized = realloc(block, count && size ? count * size : 1);
    if (!resized)
        memory_fail(count * size);
    return resized;
}

void *memory_alloc(size_t count, size_t size)
{
    return memory_resize(NULL, count, size);
}

void *memory_alloc_zero(size_t count, size_t size)
{
    void *block = memory_resize(NULL, count, size);
    memset(block, 0, count * size);
    return block;
}
