/* One build of the reader: replays bytes by a plan.  Several, compiled with other options, stand in one program, and
 * what they tell of the same bytes is compared. */
#ifndef FUZZ_REPLAY_H
#define FUZZ_REPLAY_H

#include <stddef.h>
#include <stdint.h>

typedef struct plan {
    uint8_t options;   /* which of the sets of options: below PLAN_OPTIONS */
    uint8_t stage;     /* what stands before the bytes: 0 nothing, 1 a header, 2 a scene, too */
    uint8_t piece;     /* bytes fed at once: 0 all, else up to that many; by lines where `compare` says so */
    uint8_t exact;     /* the arena is as large as it must be, and grows by what is needed */
    uint8_t move;      /* after each piece: to another block */
    uint8_t revive;    /* after each piece: saved, and restored in another block */
    uint8_t compare;   /* line by line, and a refused line must have changed nothing */
    uint8_t copy;      /* pieces are copied to blocks of just their size, for sanitizers to see */
    uint32_t seed;     /* of the sizes of pieces */
    uint64_t pauses;   /* as in account.h */
    uint64_t stop_at;
} plan;

enum { PLAN_OPTIONS = 16 };

typedef struct outcome {
    uint64_t hash;         /* of all that was told */
    uint64_t lines, events, errors, warnings;
    uint64_t image;        /* hash of the image at the end, in which also counts what is left over in blocks that were
                              used before: pieces, and restoring, make it another one; 0 with pieces */
    const char *wrong;     /* an invariant that was broken; NULL: none */
    int too_large;         /* it takes more memory than there is here: what was told is not the whole */
} outcome;

typedef outcome replay(const plan *how, const unsigned char *bytes, size_t size);

extern replay replay_fast, replay_plain, replay_small;
extern replay replay_trees; /* in whose tables all collides */

#endif
