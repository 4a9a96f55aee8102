/* Travel in time: an index of a trace, and windows into it.  An index holds checkpoints, which are images of the
 * simulation here and there in the trace; a window replays what lies between two of them, and holds what it found.  Both
 * live in blocks of the caller's. */
#if PAJESIM_TRAVEL

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * An index: made while a trace is replayed
 * --------------------------------------------------------------------------------------------- */

/* How far checkpoints are apart at first.  When the block is full every other one goes, so that both double. */
typedef struct pajesim_index_options {
    uint64_t bytes;  /* of the trace; 0: 4 MiB, but 24 times the arena at least, unless `events` says otherwise */
    uint64_t events; /* 0: by bytes alone */
} pajesim_index_options;

/* All members are private. */
typedef struct pajesim_index {
    unsigned char *memory;
    size_t capacity;
    uint64_t needed;
    const pajesim *told_by;
} pajesim_index;

/* A checkpoint.  There is one at the beginning of the trace, and when the index is complete one at its end. */
typedef struct pajesim_checkpoint {
    uint64_t offset;       /* bytes of the trace that lie before it; the rest is fed to go on */
    uint64_t events;       /* that took effect before it */
    pajesim_time greatest; /* time before it; less than any if there is none */
    pajesim_time least;    /* time after it, as far as the index reaches; greater than any if there is none */
    size_t arena;          /* what pajesim_index_restore needs */
    size_t size;           /* of all that the index holds of it */
} pajesim_checkpoint;

/* Begins an index in a block of the caller's, aligned as an uint64_t, of 64 KiB or more: it takes what one checkpoint
 * takes, or several, better hundreds.  NULL options: the defaults. */
PAJESIM_API pajesim_status pajesim_index_init(pajesim_index *index, void *memory, size_t size,
                                              const pajesim_index_options *options);

/* The rest is done between feeds of the simulation, in this order: begin; again and again feed and step; finish.
 *
 *     pajesim_init(&sim, ...); pajesim_index_init(&index, ...); pajesim_index_begin(&index, &sim);
 *     while (there are bytes) { pajesim_feed(&sim, ...); pajesim_index_step(&index, &sim); }
 *     pajesim_index_finish(&index, &sim);
 *
 * From pajesim_index_begin on the simulation tells the index when what was open at a checkpoint closes, so neither may be
 * moved in memory (the arena may).  A trace that includes other files (PAJESIM_OPEN) cannot be indexed.
 *
 * begin: of a simulation that was fed nothing.  step: takes a checkpoint when it is time for one.  finish: takes the last
 * one, and does what pajesim_finish does, with the same answers; the index is complete then.
 * PAJESIM_FULL by begin and step: there is no room for a checkpoint, not even when others go (pajesim_index_needed).
 * step then leaves it out, and the next one comes after twice as many bytes; what the index holds stays right.  finish does
 * not complete the index then, and answers PAJESIM_FULL without having finished: pajesim_index_move, then call again; or
 * pajesim_finish. */
PAJESIM_API pajesim_status pajesim_index_begin(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_step(pajesim_index *index, pajesim *sim);
PAJESIM_API pajesim_status pajesim_index_finish(pajesim_index *index, pajesim *sim);
/* Takes a checkpoint now, if there is something to take since the last one: so that the index reaches to here. */
PAJESIM_API pajesim_status pajesim_index_take(pajesim_index *index, pajesim *sim);

/* To go on with an index that was loaded, or whose trace has grown: restores its last checkpoint as pajesim_restore does;
 * what follows it (pajesim_count(sim)->bytes of the trace are past) is to be fed.  The index is incomplete from then on. */
PAJESIM_API pajesim_status pajesim_index_resume(pajesim_index *index, pajesim *sim, void *arena, size_t capacity,
                                                const pajesim_callbacks *callbacks, void *data);

/* Into a larger block, which may not overlap the old one; or, where it is the same one, tells of its other size. */
PAJESIM_API pajesim_status pajesim_index_move(pajesim_index *index, void *memory, size_t size);
/* After PAJESIM_FULL: the size that would do. */
PAJESIM_API uint64_t pajesim_index_needed(const pajesim_index *index);

/* The index as bytes to be kept: the first `*size` ones of its own block, with checksum, version and byte order; valid
 * until the next call that changes it. */
PAJESIM_API const void *pajesim_index_save(pajesim_index *index, size_t *size);
/* Begins with an index that was saved: its `size` bytes are the first ones of the block already (read or mapped there,
 * privately: they will be changed).  PAJESIM_FOREIGN if it is none, or of another version, word size, byte order or
 * other options of the header; PAJESIM_DAMAGED if it is not as it was saved. */
PAJESIM_API pajesim_status pajesim_index_load(pajesim_index *index, void *memory, size_t capacity, size_t size);
/* 4 words for the caller, 0 at first, saved with it: what tells whether the index belongs to a trace, such as size and
 * date. */
PAJESIM_API uint64_t *pajesim_index_label(pajesim_index *index);

/* ---- what is in it ---- */

PAJESIM_API int pajesim_index_complete(const pajesim_index *index); /* 1 after pajesim_index_finish */
PAJESIM_API uint32_t pajesim_index_count(const pajesim_index *index); /* of checkpoints, which are numbered from 0 */
/* Answers 0 if there is none of this number. */
PAJESIM_API int pajesim_index_checkpoint(const pajesim_index *index, uint32_t number, pajesim_checkpoint *checkpoint);
/* The last checkpoint that lies at `offset` or before it. */
PAJESIM_API uint32_t pajesim_index_at(const pajesim_index *index, uint64_t offset);
/* The last checkpoint before which all times are less than `time`: what is complete there has nothing to do with what
 * comes later.  And the first after which all times are greater (as far as the index reaches). */
PAJESIM_API uint32_t pajesim_index_before(const pajesim_index *index, pajesim_time time);
PAJESIM_API uint32_t pajesim_index_after(const pajesim_index *index, pajesim_time time);

/* Begins a simulation from a checkpoint, as pajesim_restore does. */
PAJESIM_API pajesim_status pajesim_index_restore(const pajesim_index *index, uint32_t number, pajesim *sim, void *arena,
                                                 size_t capacity, const pajesim_callbacks *callbacks, void *data);

/* Of a simulation that was restored at this checkpoint, or replayed up to it: makes the `closed` callback for all that is
 * open there and overlaps [from, to], with the true ends, in order of completion, as if the rest of the trace had been
 * replayed; then, `open`, for what the index knows no end of.  (Links without their other end are left out.)
 * PAJESIM_FULL: nothing was done yet; pajesim_move, and call again.  PAJESIM_STOPPED: a callback wanted it.  After it
 * nothing but queries and another beginning is left to that simulation. */
PAJESIM_API pajesim_status pajesim_index_rest(const pajesim_index *index, uint32_t number, pajesim *sim,
                                              pajesim_time from, pajesim_time to);

/* The number of a container among all of the trace, from 1, in the order of their creation; the root is 0.  Unlike a ref
 * it names the same one in every window, image and process. */
PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container);

/* ------------------------------------------------------------------------------------------------
 * Windows: what overlaps a range of time
 * --------------------------------------------------------------------------------------------- */

/* Bytes of the trace from `offset` on, `most` at most: answers how many there are at `*bytes`, which stay valid until the
 * next call; 0 at its end. */
typedef size_t (*pajesim_read)(void *data, uint64_t offset, const void **bytes, size_t most);

/* All members are private. */
typedef struct pajesim_window {
    pajesim sim;  /* replays, in the low part of the block */
    pajesim part; /* is being filled, or shown, in the middle */
    pajesim_index *index;
    pajesim_options options;
    pajesim_read read;
    void *read_data;
    unsigned char *memory;
    size_t size, low, high; /* of the block: end of the simulation's arena, begin of the parts that are held */
    pajesim_callbacks callbacks;
    const pajesim_callbacks *shown_to;
    void *data;
    pajesim_time from, to;
    uint64_t replayed, shows, first, last; /* offsets of what is shown */
    uint32_t at; /* checkpoint that the simulation is at, + 1; 0: at none */
    int filling, stopped;
} pajesim_window;

/* Begins a window in a block of the caller's, aligned as an uint64_t: its budget of memory.  It takes what a simulation
 * takes at least; the rest holds entities, whole stretches of the trace between two checkpoints, so that they need not be
 * replayed when they are shown again.  When there is no room, those that are farthest from the range go first, of these
 * those that were not shown for longest.  The index may be incomplete, or empty: then showing what lies beyond
 * reads on, and adds to it.  `options` are of the simulation where the index is empty; NULL: the defaults. */
PAJESIM_API pajesim_status pajesim_window_init(pajesim_window *window, void *memory, size_t size, pajesim_index *index,
                                               const pajesim_options *options, pajesim_read read, void *data);

/* Makes the `closed` callback (no other) for each entity that overlaps [from, to], once, with its true start and end, in
 * order of completion: those that do not end before `from` and do not start after `to`.  What has no end yet, as the
 * index is not complete, comes last and is `open`.  The simulation that callbacks are given answers queries about what
 * the entity refers to (names, aliases, colours, parents, types, user fields) for the time of the callback; refs in it differ
 * from call to call, identifiers and pajesim_serial do not.
 * Reads on before, if the index is not complete, until a time beyond `to` was seen or the trace is at its end; in a trace
 * that is not sorted by time later lines may still add to any range, until pajesim_index_complete.
 * PAJESIM_FULL: the budget is too small for the simulation (pajesim_window_needed); entities may have been shown already.
 * PAJESIM_STOPPED: a callback answered PAJESIM_STOP.  PAJESIM_STALE: the trace ends before the index does.
 * PAJESIM_OPEN: the trace includes other files. */
PAJESIM_API pajesim_status pajesim_window_show(pajesim_window *window, pajesim_time from, pajesim_time to,
                                               const pajesim_callbacks *callbacks, void *data);
/* Reads on, `bytes` or as far as the trace goes, and adds to the index; `end`: what is there now is all, so completes it.
 * Answers as above. */
PAJESIM_API pajesim_status pajesim_window_read_on(pajesim_window *window, uint64_t bytes, int end);
PAJESIM_API uint64_t pajesim_window_needed(const pajesim_window *window);
/* Bytes of the trace that were replayed by this window so far: they do not grow where all is held. */
PAJESIM_API uint64_t pajesim_window_replayed(const pajesim_window *window);

#ifdef __cplusplus
}
#endif
#endif /* PAJESIM_TRAVEL */
