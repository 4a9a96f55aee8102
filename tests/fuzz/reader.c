/* The reader accepts any bytes: in pieces of any size, with as little memory as possible, paused, stopped, moved, saved
 * and restored anywhere, strict and lenient.  However it is fed, its callbacks must be the same, with the fast path and
 * without.
 *
 * The first four bytes of an input make the plan (four blanks: whole, lenient, with a header and a scene before); the
 * rest is the trace. */
#include "fuzz.h"
#include "replay.h"
#ifdef FUZZ_FUZZER
#include "mutate.h"
#endif

enum { PLAN_BYTES = 4 };

static plan plan_of(const uint8_t *bytes)
{
    static const uint8_t pieces[] = {0, 1, 2, 3, 7, 16, 63, 200};
    const uint8_t a = bytes[0] ^ ' ', b = bytes[1] ^ ' ', c = bytes[2] ^ ' ', d = bytes[3] ^ ' ';
    plan how;
    memset(&how, 0, sizeof how);
    how.options = a % PLAN_OPTIONS;
    how.stage = (uint8_t)(a >> 4 & 3) < 2 ? 2 : (uint8_t)((a >> 4 & 3) - 2);
    how.piece = pieces[b % 8];
    how.exact = b >> 3 & 1;
    how.move = b >> 4 & 1;
    how.revive = b >> 5 & 1;
    how.compare = b >> 6 & 1;
    how.copy = b >> 7;
    how.pauses = c & 1 ? ~(uint64_t)0 : c & 2 ? d * UINT64_C(0x9E3779B97F4A7C15) : 0;
    how.stop_at = c & 4 ? 1 + d % 64u : 0;
    how.seed = d;
    return how;
}

static void compare(const outcome *one, const outcome *other, int both_whole)
{
    if (one->too_large || other->too_large)
        return;
    fuzz_expect(!one->wrong, one->wrong);
    fuzz_expect(!other->wrong, other->wrong);
    fuzz_expect(one->hash == other->hash, "both tell the same");
    fuzz_expect(one->lines == other->lines && one->events == other->events && one->errors == other->errors &&
                    one->warnings == other->warnings, "both count the same");
    fuzz_expect(!both_whole || one->image == other->image, "both come to the same image");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    plan how, simple;
    outcome whole, pieces;
    if (size < PLAN_BYTES)
        return 0;
    how = plan_of(bytes);
    bytes += PLAN_BYTES;
    size -= PLAN_BYTES;
    memset(&simple, 0, sizeof simple);
    simple.options = how.options;
    simple.stage = how.stage;
    simple.stop_at = how.stop_at;
    if ((bytes[-1] ^ ' ') & 128) {
        whole = replay_small(&simple, bytes, size);
        pieces = replay_small(&how, bytes, size);
        compare(&whole, &pieces, 0);
    } else if ((bytes[-1] ^ ' ') & 64) {
        whole = replay_plain(&simple, bytes, size);
        pieces = replay_trees(&how, bytes, size);
        compare(&whole, &pieces, 0);
    } else {
        whole = replay_plain(&simple, bytes, size);
        pieces = replay_fast(&how, bytes, size);
        compare(&whole, &pieces, !how.piece && !how.exact && !how.compare && !how.revive);
    }
    return 0;
}

#ifdef FUZZ_FUZZER
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t room, unsigned seed)
{
    return mutate(bytes, size, room, seed, PLAN_BYTES);
}
#endif
