/* One build of the reader, which replays bytes by a plan.  Builds with different options are linked into one program,
 * and their callbacks for the same bytes are compared. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef struct plan {
    uint8_t options;   /* which of the sets of options: below PLAN_OPTIONS */
    uint8_t stage;     /* what precedes the bytes: 0 nothing, 1 a header, 2 a header and a scene */
    uint8_t piece;     /* bytes fed at once: 0 all, otherwise up to that many; whole lines where `compare` is set */
    uint8_t exact;     /* the arena has the minimum size, and grows by what is needed */
    uint8_t move;      /* after each piece: moves to another block */
    uint8_t revive;    /* after each piece: is saved, and restored in another block */
    uint8_t compare;   /* line by line; a refused line must change nothing */
    uint8_t copy;      /* pieces are copied to blocks of exactly their size, for sanitizers */
    uint32_t seed;     /* for the sizes of pieces */
    uint64_t pauses;   /* as in account.h */
    uint64_t stop_at;
} plan;

enum { PLAN_OPTIONS = 16 };

typedef struct outcome {
    uint64_t hash;         /* hash of all callbacks */
    uint64_t lines, events, errors, warnings;
    uint64_t image;        /* hash of the image at the end.  It depends on leftovers in reused blocks, and so on pieces
                            * and restores; 0 with pieces */
    const char *wrong;     /* an invariant that was broken; may be NULL */
    int too_large;         /* it needs more memory than there is here, so the callbacks are incomplete */
} outcome;

typedef outcome replay(const plan *how, const unsigned char *bytes, size_t size);

extern replay replay_fast, replay_plain, replay_small;
extern replay replay_trees; /* the build with hash tables in which everything collides */

#endif
