/* Input: files, standard input, and the files that a trace includes. */
#pragma once

#include "base/block.h"
#include "base/platform.h"
#include "pajesim.h"
#include "replay/compressed.h"

struct stat;

enum { PAJE_SOURCE_BYTES = 1 << 16 };

/* An open file: the trace, or a file that it includes. */
typedef struct paje_source {
    struct paje_source *includer; /* NULL: the trace itself */
    char *name;                   /* as it appears in messages */
    int file;
    int follow;
    uint64_t device, inode;
    uint64_t length; /* 0: unknown */
    uint64_t date;   /* of its last change, in nanoseconds */
    uint64_t begin;  /* where it was opened: others may have read the first lines of standard input */
    paje_decompressor decompressor;
    int is_any;      /* 1: it may be of another format, so is_no_trace ends nothing */
    int is_judged;   /* its beginning was looked at: whether it is compressed, and a trace */
    int is_no_trace; /* its beginning has data, but no event definition */
    const char *format; /* of another one that `paje import` reads, which it is instead; else NULL */
    uint64_t consumed;
    uint32_t included; /* of the trace itself: how many files it has included so far */
    size_t at, size; /* bytes[at] to bytes[size - 1] are not fed yet */
    char bytes[PAJE_SOURCE_BYTES + BLOCK_BYTES]; /* the last block is never filled, but can be read */
} paje_source;

/* Notes that a trace will be read, so that no output replaces it; opening it does so, too. */
void paje_note_trace(const char *name);
/* Opens a trace, if it is compressed through the program that decompresses it. */
paje_source *paje_open_trace(const char *name, int follow);
/* Whether another file has its name by now, as that of `paje trace --live` when the program ends. */
int paje_is_replaced(const char *name, int file);
int paje_is_compressed(const char *name); /* of a regular file */
/* Whether the first bytes of a file, 64 KB or all of it, have data but no event definition, and are not compressed. */
int paje_is_no_trace(const char *bytes, size_t size);
/* Opens an included file; its name is relative to the file that includes it.  It must be below the folder of the trace,
 * or below `allowed` if that is not NULL.  `plain`: it must not be compressed.  Returns NULL and the reason in
 * `*refused` if it cannot be opened. */
paje_source *paje_open_included(paje_source *includer, pajesim_text name, const char *allowed, int plain,
                                const char **refused);
void paje_close_source(paje_source *source);
/* Reads the next bytes.  Returns 0 at the end, and at once if the file is no trace.  Flushes standard output before it
 * waits for input. */
int paje_read_source(paje_source *source);
/* Reads bytes of a file elsewhere.  Returns how many, less than `size` also after an error, which
 * reading on from there tells. */
size_t paje_read_at(int file, char *bytes, size_t size, uint64_t offset);
/* Ends the program if the file was written over since it was opened: then it has another date, but the same length. */
void paje_expect_unwritten(const paje_source *source);
/* When it was changed last, in nanoseconds. */
uint64_t paje_date_of(const struct stat *status);
