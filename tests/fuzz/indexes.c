/* Indexes, and the files that hold them: windows show the same as a full replay, with an index that is new, loaded or
 * resumed; anything else and damaged indexes are refused; the index of another trace does no harm.
 *
 * The first six bytes of an input choose the distance of checkpoints, the sizes of the blocks, the ranges that are
 * shown, and damage to the saved bytes and to the trace; the rest is the trace, after a scene.  If the first byte is
 * 0xff, the rest is the file of an index.
 *
 * The saved bytes may also be changed and have the right checksum again, in FORGERIES ways for each input: such an
 * index is refused, or does no harm.  Then the rest may stand for lines (lines.h), most of which are valid. */
#define PAJESIM_CACHE 4
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "fuzz.h"
#include "forge.h"
#include "lines.h"
#include "look.h"
#include "scene.h"

enum { PLAN_BYTES = 6, ARENA = 1 << 20, BLOCK = 1 << 18, TRACE_MAX = 8192, ENTITIES = 4096, FORGERIES = 16 };

static uint64_t arena[ARENA / 8], block[BLOCK / 8], loaded[BLOCK / 8], budget[ARENA / 8];

/* ---- log of closed entities */

typedef struct seen {
    struct {
        uint64_t hash;
        pajesim_time start, end;
    } entities[ENTITIES];
    size_t count;
} seen;

static seen all, shown;

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    seen *it = (seen *)pajesim_data(sim);
    account one;
    if (it->count == ENTITIES)
        return PAJESIM_STOP;
    memset(&one, 0, sizeof one);
    hash_entity(sim, &one, entity);
    hash_word(&one, (uint64_t)(entity->open != 0));
    it->entities[it->count].hash = one.hash;
    it->entities[it->count].start = entity->start;
    it->entities[it->count++].end = entity->end;
    return PAJESIM_GO_ON;
}

static pajesim_callbacks callbacks; /* of `closed` alone */

/* ---- the trace, and the rest of it */

static char trace[TRACE_MAX + 4096];
static size_t trace_size;

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    size_t left = offset < trace_size ? trace_size - (size_t)offset : 0;
    (void)data;
    *bytes = trace + offset;
    return left < most ? left : most;
}

static void append(const void *bytes, size_t size)
{
    memcpy(trace + trace_size, bytes, size);
    trace_size += size;
}

/* Feeds the trace from the current position, in pieces, and takes checkpoints.  Returns whether it reached the end. */
static int index_rest(pajesim_index *index, pajesim *sim, size_t piece)
{
    pajesim_status status = PAJESIM_OK;
    while (status == PAJESIM_OK && pajesim_count(sim)->bytes < trace_size) {
        size_t at = (size_t)pajesim_count(sim)->bytes, left = trace_size - at;
        status = pajesim_feed(sim, trace + at, left < piece ? left : piece, NULL);
        if (status == PAJESIM_OK && index && (status = pajesim_index_step(index, sim)) == PAJESIM_FULL)
            status = PAJESIM_OK; /* one checkpoint less */
    }
    if (status != PAJESIM_OK)
        return 0;
    status = index ? pajesim_index_finish(index, sim) : pajesim_finish(sim);
    return status == PAJESIM_OK || status == PAJESIM_INVALID;
}

/* ---- windows */

static void expect_window(pajesim_window *window, pajesim_time from, pajesim_time to)
{
    size_t i, k = 0;
    pajesim_status status;
    shown.count = 0;
    status = pajesim_window_show(window, from, to, &callbacks, &shown);
    if (status == PAJESIM_FULL)
        return;
    fuzz_expect(status == PAJESIM_OK, "a window is shown");
    for (i = 0; i < all.count; i++)
        if (!(all.entities[i].end < from) && !(all.entities[i].start > to)) {
            fuzz_expect(k < shown.count && shown.entities[k].hash == all.entities[i].hash,
                        "a window shows what a full replay does");
            k++;
        }
    fuzz_expect(k == shown.count, "a window shows no more than a full replay does");
}

static void expect_windows(pajesim_index *index, uint8_t which, size_t size)
{
    static pajesim_window window;
    const pajesim_time one = which >> 4, two = which & 15;
    fuzz_expect(pajesim_window_init(&window, budget, size, index, NULL, read_trace, NULL) == PAJESIM_OK, "it begins");
    expect_window(&window, one < two ? one : two, one < two ? two : one);
    expect_window(&window, two, two);
    expect_window(&window, -1e300, 1e300);
}

/* Whatever the trace is by now, it does no harm. */
static void expect_no_harm(pajesim_index *index, uint8_t which, size_t size)
{
    static pajesim_window window;
    static pajesim sim;
    pajesim_window_init(&window, budget, size, index, NULL, read_trace, NULL);
    shown.count = 0;
    pajesim_window_show(&window, which >> 4, 1e300, &callbacks, &shown);
    pajesim_window_extend(&window, 1 << 16, which & 1);
    if (pajesim_index_resume(index, &sim, arena, ARENA, NULL, NULL) == PAJESIM_OK)
        index_rest(index, &sim, 100);
}

/* Forges the index in `loaded`, which was saved, in some ways; each in a block that ends with it, or has room. */
static void forge(size_t saved, uint32_t seed)
{
    static uint64_t forged[2 * BLOCK / 8], exact[2 * BLOCK / 8];
    uint32_t i;
    for (i = 0; i < FORGERIES; i++) {
        look it;
        pajesim_index index;
        size_t size, room = i % 2 ? BLOCK / 2 : 0;
        void *block;
        memset(&it, 0, sizeof it);
        memcpy(forged, loaded, saved);
        fuzz_expect(pajesim_index_load(&index, forged, sizeof forged, saved) == PAJESIM_OK, "an index is loaded");
        size = forge_index(&index, seed * FORGERIES + i);
        block = look__last(exact, 2 * BLOCK / 8, size + room);
        memcpy(block, forged, size);
        it.index = &index;
        it.trace = trace;
        it.size = trace_size;
        it.random = seed + i;
        if (pajesim_index_load(&index, block, size + room, size) == PAJESIM_OK)
            look_through(&it);
    }
}

/* ---- */

static int is_refused(pajesim_status status)
{
    return status == PAJESIM_INCOMPATIBLE || status == PAJESIM_DAMAGED;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    pajesim_index_options apart = {0, 0};
    pajesim_index index;
    pajesim sim;
    pajesim_options options;
    size_t budget_size, block_size, piece, saved;
    uint8_t damage, change, range;
    const void *file;
    callbacks.closed = closed;
    if (size < PLAN_BYTES || size > TRACE_MAX)
        return 0;
    if (bytes[0] == 0xff) {
        memcpy(loaded, bytes + 1, size - 1);
        fuzz_expect(is_refused(pajesim_index_load(&index, loaded, BLOCK, size - 1)), "what is no index is refused");
        return 0;
    }
    memset(&options, 0, sizeof options);
    options.strict = bytes[0] & 1;
    piece = 1 + (bytes[0] >> 1);
    apart.bytes = 1 + 4 * (uint64_t)bytes[1];
    block_size = (size_t)((bytes[2] & 15) + 1) << 14;
    budget_size = ARENA >> (bytes[2] >> 4 & 7);
    range = bytes[3];
    damage = bytes[4];
    change = bytes[5];
    trace_size = 0;
    append(scene_header, sizeof scene_header - 1);
    append(scene_body, sizeof scene_body - 1);
    if ((damage & 24) == 24)
        trace_size += lines_of(bytes + PLAN_BYTES, size - PLAN_BYTES, trace + trace_size, TRACE_MAX);
    else
        append(bytes + PLAN_BYTES, size - PLAN_BYTES);

    all.count = 0;
    pajesim_init(&sim, arena, ARENA, &options, &callbacks, &all);
    if (!index_rest(NULL, &sim, piece))
        return 0;
    pajesim_init(&sim, arena, ARENA, &options, NULL, NULL);
    if (pajesim_index_init(&index, block, block_size, &apart) != PAJESIM_OK ||
        pajesim_index_begin(&index, &sim) != PAJESIM_OK || !index_rest(&index, &sim, piece))
        return 0;
    expect_windows(&index, range, budget_size);

    file = pajesim_index_save(&index, &saved);
    memcpy(loaded, file, saved);
    if (damage & 8) {
        forge(saved, change * 65536u + range * 256u + damage);
        return 0;
    }
    if (damage & 1) {
        size_t at = saved * damage / 256;
        ((unsigned char *)loaded)[at] ^= (unsigned char)(1 + (change & 0x7f));
        fuzz_expect(is_refused(pajesim_index_load(&index, loaded, BLOCK, saved)), "a damaged index is refused");
        fuzz_expect(is_refused(pajesim_index_load(&index, loaded, BLOCK, at)), "so is a piece of one");
        return 0;
    }
    fuzz_expect(pajesim_index_load(&index, loaded, BLOCK, saved) == PAJESIM_OK, "an index is loaded");
    expect_windows(&index, range, budget_size);
    if (damage & 2) { /* the trace has changed, or ends earlier */
        trace_size -= change < trace_size ? change : 0;
        trace[(size_t)damage * change % trace_size] = (char)range;
        expect_no_harm(&index, range, budget_size);
    } else if (damage & 4) { /* it has grown */
        append("c 9 E p1 H\n8 10 S p2 R\n", 23);
        all.count = 0;
        pajesim_init(&sim, arena, ARENA, &options, &callbacks, &all);
        if (index_rest(NULL, &sim, piece) &&
            pajesim_index_resume(&index, &sim, arena, ARENA, NULL, NULL) == PAJESIM_OK &&
            index_rest(&index, &sim, piece))
            expect_windows(&index, range, budget_size);
    }
    return 0;
}
