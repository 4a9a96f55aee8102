/* Chunks: parts of a trace whose lines are read before it is known what was open at their beginning, so that several
 * processes read a trace at once. */
#pragma once

#include "api.h"

#if PAJESIM_TRAVEL

#ifdef __cplusplus
extern "C" {
#endif

/* What a simulation needs of a chunk to be at its end: counts, and the lines whose effect lasts (see
 * pajesim_chunk_read).  It refers to the memory and to the bytes that it was read with.  All members are private. */
typedef struct pajesim_chunk {
    unsigned char *memory;
    size_t capacity, used;
    uint64_t size, lines, kept;              /* bytes; lines; bytes of lines whose effect lasts */
    uint64_t by_event[PAJESIM_EVENT_COUNT];  /* as in pajesim_counts */
    uint64_t segments;                       /* of variables, begun by lines whose effect does not last */
    pajesim_time least;                      /* of its events */
    struct pajesim__chunk_run *runs;         /* of lines whose effect lasts */
    struct pajesim__chunk_value *values;     /* undefined ones that states name */
    struct pajesim__chunk_slot *links;       /* hash table of its links with one end in it */
    uint64_t *done;                          /* and of the hashes of those with both */
    uint32_t run_count, next_run, link_bits, done_bits; /* next_run: the one to be fed next, from byte `at` on */
    uint32_t at, feeding;
    uint32_t ends; /* links that waited for their start, when feeding began */
    pajesim_counts before; /* of the simulation, when feeding began */
} pajesim_chunk;

/* Reads a chunk: whole lines, `size` bytes at `bytes`, in one file.  `base` is a simulation that was fed some beginning
 * of the same trace, with its event definitions and types; it is not changed.  `memory`, aligned as an uint64_t, is the
 * caller's, and is used until the chunk was fed; half of the chunk's size and 64 KiB are mostly enough.
 *
 * PAJESIM_OK: the chunk can be given to pajesim_chunk_feed.  PAJESIM_FULL: it is to be fed whole, by pajesim_feed, as
 * the memory is too small, most lines would be kept, or it has lines that this does not suit: definitions of events,
 * files, entities of types that `base` does not know, and what is certain to be an error or a warning. */
PAJESIM_API pajesim_status pajesim_chunk_read(pajesim_chunk *chunk, void *memory, size_t capacity, const pajesim *base,
                                              const void *bytes, size_t size);

/* Brings a simulation, which stands at the chunk's beginning, to its end.  Callbacks are made for the lines whose
 * effect lasts, so give it none, or `closed` for what was open before.
 *
 * PAJESIM_OK: all that callbacks and queries return from now on, counts and line numbers included, is as if the chunk
 * had been fed whole.  PAJESIM_STALE: it has an error or a warning, or what it took for granted is not so; the
 * simulation is of no use: begin again from a copy that was made before (pajesim_copy), and feed the chunk whole.
 * PAJESIM_FULL, PAJESIM_PAUSED: as from pajesim_feed; call it again. */
PAJESIM_API pajesim_status pajesim_chunk_feed(pajesim *sim, pajesim_chunk *chunk, const void *bytes);

/* Copies a simulation into a block of the caller's, of pajesim_used bytes or more (else PAJESIM_FULL): to come back to
 * it, or to try something on the copy.  Callbacks and data are the same; if the simulation tells an index, the copy
 * does not. */
PAJESIM_API pajesim_status pajesim_copy(pajesim *copy, void *arena, size_t capacity, const pajesim *sim);

/* Returns the size, in bytes, of the lines whose effect lasts. */
PAJESIM_API uint64_t pajesim_chunk_kept(const pajesim_chunk *chunk);

#ifdef __cplusplus
}
#endif
#endif /* PAJESIM_TRAVEL */
