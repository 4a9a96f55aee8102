/* Files that are read in memory.  One that others truncate meanwhile ends the program with a message, not by SIGBUS.
 *
 *     mapping *it = mapping_open(file, "a.trace");
 *     read(it->bytes, it->size);
 *     mapping_close(it); */
#pragma once

#include <stddef.h>

typedef struct mapping {
    const char *bytes; /* those of the file as it is when it is opened, and are not to be changed */
    size_t size;       /* at least 1 */
    char *name;        /* as in messages */
    struct mapping *next;
} mapping;

/* Maps an open file, which may be closed then.  Returns NULL with errno if it cannot be mapped; 0: it is empty, or no
 * regular file. */
mapping *mapping_open(int file, const char *name);
void mapping_close(mapping *it);
