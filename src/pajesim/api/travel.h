/* Travel in time: an index of a trace, and windows into it.  An index holds checkpoints, which are images of the
 * simulation at intervals of the trace; a window replays what lies between two of them, and stores what it found.
 * Both are in blocks of memory that the caller provides. */
#pragma once

#include "api.h"

#if PAJESIM_TRAVEL

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * An index: made while a trace is replayed
 * --------------------------------------------------------------------------------------------- */

/* The initial distance between checkpoints.  When the block is full, every other one is dropped, and it doubles. */
typedef struct pajesim_index_options {
    uint64_t bytes;  /* of the trace; 0: by events only.  If both are 0: 4 MiB, or 24 times the arena if that is more */
    uint64_t events; /* 0: by bytes only.  If both are given, a checkpoint is due at the first of them */
} pajesim_index_options;

/* All members are private. */
typedef struct pajesim_index {
    unsigned char *memory;
    size_t capacity;
    uint64_t needed;
    const pajesim *sim; /* the simulation that is replayed while the index is made */
    const struct pajesim__watch *watch; /* the hooks that it calls */
} pajesim_index;

/* A checkpoint.  There is one at the beginning of the trace, and when the index is complete one at its end. */
typedef struct pajesim_checkpoint {
    uint64_t offset;       /* bytes of the trace that lie before it; the rest is fed to go on */
    uint64_t events;       /* number of events that took effect before it */
    pajesim_time greatest; /* greatest time before it; less than any time if there is none */
    pajesim_time least;    /* least time after it, as far as the index reaches; greater than any if there is none */
    size_t arena;          /* bytes that pajesim_index_restore needs */
    size_t size;           /* bytes that it takes in the index */
} pajesim_checkpoint;

/* Begins an index in a block of the caller's, aligned as an uint64_t, of 64 KiB or more.  One checkpoint has to fit;
 * the more fit, the sooner windows are shown, up to some hundreds.  NULL options: the defaults. */
PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options);

/* Build an index while the trace is fed, by calls in this order: begin; feed and step, repeatedly; finish.
 *
 *     pajesim_init(&sim, ...); pajesim_index_init(&index, ...); pajesim_index_begin(&index, &sim);
 *     while (there are bytes) { pajesim_feed(&sim, ...); pajesim_index_step(&index, &sim); }
 *     pajesim_index_finish(&index, &sim);
 *
 * From pajesim_index_begin on, the simulation tells the index when what was open at a checkpoint closes, so neither
 * struct may be moved in memory (the arena may).  A trace that includes other files (PAJESIM_OPEN) cannot be indexed.
 *
 * begin: the simulation was fed nothing yet, and tells no other index.  step: takes a checkpoint if one is due.
 * PAJESIM_STOPPED: a callback has stopped the simulation, so there are no more checkpoints.
 * finish: takes the last one, does what pajesim_finish does and returns the same; the index is then complete.
 *
 * PAJESIM_FULL means that there is no room for a checkpoint, even if others are dropped
 * (pajesim_index_capacity_needed).  After begin, the index is not begun: call pajesim_index_move, then this again.
 * After step, go on: the checkpoint is left out, the next one is due after twice as many bytes, and the index stays
 * correct.  After finish, nothing was finished: call pajesim_index_move, then this again; or pajesim_finish, which
 * leaves the index incomplete. */
PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim);
/* Takes a checkpoint now, so that the index covers all that was fed; does nothing if there is one here. */
PAJESIM_API pajesim_status pajesim_index_checkpoint_now(pajesim_index *index, pajesim *sim);

/* Continues an index that was loaded, or whose trace has grown: restores its last checkpoint as pajesim_restore does.
 * Then feed the trace from offset pajesim_count(sim)->bytes on.  The index is incomplete until it is finished again. */
PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data);

/* Moves the index to a larger block, which may not overlap the old one.  For the same block, only changes its size. */
PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size);
/* After PAJESIM_FULL: returns the size, in bytes, that is enough. */
PAJESIM_API uint64_t pajesim_index_capacity_needed(const pajesim_index *index);

/* Returns the index as bytes to be stored: the first `*size` bytes of its own block, with checksum, version and byte
 * order; valid until the next call that changes the index. */
PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size);
/* Begins with an index that was saved, whose `size` bytes are at the beginning of the block already (read into it, or
 * mapped privately, as they will be changed).  Returns PAJESIM_INCOMPATIBLE if they are no index, or one of another
 * version, word size, byte order or other options of the header; PAJESIM_DAMAGED if they are not as they were saved, or
 * were forged: an index may come from anywhere, as an image may.  Its images are checked when they are restored. */
PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size);
/* Returns 4 words for the caller's use, 0 at first and saved with the index: for instance the size and date of its
 * trace, to tell later whether the index belongs to it. */
PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index);

/* ---- queries of an index ---- */

PAJESIM_API int pajesim_index_complete(const pajesim_index *index); /* 1 after pajesim_index_finish */
PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index); /* number of checkpoints */
/* Stores a checkpoint; `number` counts from 0.  Returns 0 if there is no such checkpoint. */
PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint);
/* Returns the number of the last checkpoint at `offset` or before it. */
PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset);
/* Return the last checkpoint such that all times before it are less than `time`, so that what is closed there ended
 * before `time`; and the first one such that all times after it are greater, as far as the index reaches. */
PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time);
PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time);

/* Begins a simulation from a checkpoint, as pajesim_restore does. */
PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data);

/* Compares the bytes that a simulation was fed, from the checkpoint where it was restored, with those that the index
 * was made of, by a digest of 64 bits, which is no protection against a forger.  PAJESIM_STALE: a byte was changed, or
 * the simulation is not at this checkpoint.  Call it before what was replayed is used.  Of a simulation that began
 * without an index, the bytes are counted only. */
PAJESIM_API pajesim_status pajesim_index_check(const pajesim_index *index, uint32_t number, const pajesim *sim);

/* Ends a simulation that was restored at this checkpoint, or replayed up to it: makes the `closed` callback for each
 * entity that is open there and overlaps [from, to], with its true end, in order of completion, as if the rest of the
 * trace had been replayed; then for entities whose end the index does not know, with `open` set, outer ones first.
 * Links without a second end are left out, as are those that start after the checkpoint though their end is before it:
 * they are complete only there.  PAJESIM_FULL: nothing was done; call pajesim_move, then this again.
 * PAJESIM_STOPPED: a callback returned PAJESIM_STOP.  PAJESIM_STALE: as from pajesim_index_check, or not as many
 * entities are open.  Afterwards only queries, and beginning again, are valid on that simulation. */
PAJESIM_API pajesim_status pajesim_index_close_open(const pajesim_index *index, uint32_t number, pajesim *sim,
                                                    pajesim_time from, pajesim_time to);

/* Returns the serial number of a container: from 1, in order of creation; 0 for the root.  Unlike a ref, it identifies
 * the container in every window, image and process. */
PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container);

/* ------------------------------------------------------------------------------------------------
 * Windows: what overlaps a range of time
 * --------------------------------------------------------------------------------------------- */

/* Reads the trace: stores in `*bytes` the address of bytes from `offset` on, valid until the next call, and returns how
 * many they are, at most `most`; 0 at the end of the trace. */
typedef size_t (*pajesim_read)(void *data, uint64_t offset, const void **bytes, size_t most);

/* All members are private. */
typedef struct pajesim_window {
    pajesim sim;  /* replays the trace, in the low part of the block */
    pajesim part; /* the part that is being filled or shown, in the middle of the block */
    pajesim_index *index;
    pajesim_options options;
    pajesim_read read;
    void *read_data;
    unsigned char *memory;
    size_t size, low, high; /* of the block; end of the simulation's arena in it, begin of the stored parts */
    pajesim_callbacks callbacks;
    const pajesim_callbacks *shown_to;
    void *data;
    pajesim_time from, to;
    uint64_t replayed, shows, first, last; /* offsets of what is shown */
    uint32_t at; /* checkpoint that the simulation is at, + 1; 0: at none */
    int filling, stopped;
    int busy; /* 1: it is being shown, or reads on */
} pajesim_window;

/* Begins a window in a block of the caller's, aligned as an uint64_t: its budget of memory.  A simulation has to fit.
 * The rest stores the entities of parts of the trace, each between two checkpoints, which need not be replayed when
 * they are shown again.  If there is no room, the part that is farthest from the range is dropped first; of several,
 * the one not shown for longest.  The index may be incomplete or empty: showing what lies beyond reads on and adds to
 * it.  `options` are for the simulation if the index is empty; NULL: the defaults. */
PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data);

/* Makes the `closed` callback (no other) once for each entity that overlaps [from, to], that is, neither ends before
 * `from` nor starts after `to`: with its true start and end, in order of completion.  Entities without an end, which
 * exist while the index is incomplete, come last and are `open`.  During the callback, the simulation that it is given
 * can be queried about what the entity refers to: names, aliases, colours, parents, types, user fields.  Refs differ
 * from call to call; identifiers and pajesim_serial do not.
 *
 * If the index is incomplete, first reads on until a time beyond `to` was seen or the trace ends.  In a trace that is
 * not sorted by time, later lines may add to any range until pajesim_index_complete.
 *
 * Returns PAJESIM_OK; PAJESIM_FULL: the budget is too small for the simulation (pajesim_window_capacity_needed), and
 * entities may have been shown already; PAJESIM_STOPPED: a callback returned PAJESIM_STOP; PAJESIM_STALE: the trace
 * ends before the index does, or was changed, and what was replayed may have been shown; PAJESIM_OPEN: the trace
 * includes other files; PAJESIM_BUSY: called from within its own callback. */
PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data);
/* Reads on, by so many bytes or to the end of the trace, and adds to the index.  `end` is 1 if the trace will not grow:
 * completes the index at its end.  Returns as above. */
PAJESIM_API pajesim_status pajesim_window_extend(pajesim_window *window, uint64_t bytes, int end);
PAJESIM_API uint64_t pajesim_window_capacity_needed(const pajesim_window *window);
/* Returns how many bytes of the trace this window has replayed; showing stored parts adds none. */
PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window);

#ifdef __cplusplus
}
#endif
#endif /* PAJESIM_TRAVEL */
