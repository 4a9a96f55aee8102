/* The index of a trace, which lies beside it in FILE.pajeidx. */
#pragma once

#include "replay/settings.h"

#define INDEX_MOST (UINT32_MAX & ~7u) /* bytes: offsets in an index have 32 bits */

typedef struct paje_index {
    pajesim_index index;
    unsigned char *memory; /* its block, mapped */
    size_t size;
    char *name;            /* of its file */
    int had_errors;        /* so has the trace */
    int has_implicit;      /* states of the trace have values that are not defined before */
} paje_index_file;

typedef enum paje_index_state {
    PAJE_INDEX_ABSENT, /* none, or none that may be used: `why` is the reason, NULL if there is no file */
    PAJE_INDEX_PART,   /* valid for the beginning of the trace, which has grown since */
    PAJE_INDEX_WHOLE
} paje_index_state;

/* Loads the index of a trace into a block of at least `capacity` bytes, if size, date, a digest of samples of the
 * trace, and options of the simulation match.  Otherwise, and if `capacity` is not 0, creates an empty index in that
 * block. */
paje_index_state paje_load_index(paje_index_file *it, const paje_settings *settings, const char *trace, size_t capacity,
                                 const pajesim_index_options *options, const char **why);
/* Grows the block to at least that many bytes, or to 4 GiB.  Returns 0 if it is as large already. */
int paje_grow_index(paje_index_file *it, uint64_t size);
/* Writes the index of the trace that is open as `file`; an index that was there is replaced once the new one is
 * complete.  Returns its size.  Ends the program, with a message, if what the index had when it was loaded, or saved
 * before, has changed in the trace. */
size_t paje_save_index(paje_index_file *it, const paje_settings *settings, int file);
void paje_release_index(paje_index_file *it);
/* Prints on standard error why an index is not used; nothing if `why` is NULL. */
void paje_refuse_index(const paje_index_file *it, const char *why);
