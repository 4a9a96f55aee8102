/* Compressed traces, read through the programs that decompress them. */
#pragma once

#include "base/platform.h"

#include <stddef.h>
#include <sys/types.h>

enum { PAJE_MAGIC_BYTES = 6 }; /* enough of them for paje_decompressor_of() */

typedef struct paje_decompressor {
    const char *program; /* NULL: the input is not compressed */
    pid_t process, feeder;
} paje_decompressor;

/* Returns the program for a file that begins with these bytes; NULL: it is not compressed, or by another program. */
const char *paje_decompressor_of(const char *bytes, size_t size);
/* Like it, for an open file, from where it stands; NULL also if that is no regular file. */
const char *paje_decompressor_of_file(int file);
/* Starts the program on an open file, of which the first `size` bytes were read already and are at `bytes`.  Returns
 * the descriptor of what it writes.  `file` may be closed then. */
int paje_decompress(paje_decompressor *it, const char *program, int file, const char *name, const char *bytes,
                    size_t size);
/* Call at the end of what it writes: ends the program with a message if it could not decompress all. */
void paje_end_decompressor(paje_decompressor *it, const char *name);
/* Call if not all was read, after the descriptor is closed. */
void paje_stop_decompressor(paje_decompressor *it);
