/* Compiled once for each ENGINE in replay.h, each time with other PAJESIM_ options. */
#define PAJESIM_API static
#define PAJESIM_CACHE 4 /* little to clear, and many collisions */
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <stdlib.h>

#include "../lib/account.h"
#include "replay.h"
#include "scene.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN 1
#endif
#endif
#ifdef HAS_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#define ASAN_UNPOISON_MEMORY_REGION(at, size) ((void)(at), (void)(size))
#endif

enum { CAPACITY = 1 << 20, FILES_MAX = 6, FILE_SIZE = 80 };

typedef struct run {
    pajesim sim;
    account seen;
    const plan *how;
    pajesim_options options;
    uint64_t *arena;
    size_t capacity;
    uint64_t random;
    int files;                  /* the number of files included so far */
    const unsigned char *bytes; /* the bytes of which they are made */
    size_t size;
    int too_large;
} run;

static uint64_t blocks[2][CAPACITY / 8];
static unsigned char image[CAPACITY + 64];

/* The sets of options.  Odd ones are strict. */
static pajesim_options options_of(uint32_t set)
{
    static const struct {
        uint8_t parse_only, ignore_links, old_names, line_max, line_capacity, remembered, file_depth_max;
    } table[PLAN_OPTIONS / 2] = {{0, 0, 0, 0, 0, 0, 0},  {0, 0, 0, 0, 16, 1, 1},  {0, 1, 1, 0, 0, 2, 2},
                                 {1, 0, 0, 0, 0, 0, 0},  {0, 0, 0, 24, 16, 3, 0}, {1, 0, 1, 70, 0, 0, 3},
                                 {0, 1, 0, 0, 0, 1, 0},  {0, 0, 1, 0, 0, 0, 0}};
    pajesim_options options;
    memset(&options, 0, sizeof options);
    options.strict = PAJESIM_CHECKS && set & 1;
    options.parse_only = PAJESIM_CHECKS && table[set / 2].parse_only;
    options.ignore_links = table[set / 2].ignore_links;
    options.old_names = table[set / 2].old_names;
    options.line_max = table[set / 2].line_max;
    options.line_capacity = table[set / 2].line_capacity;
    options.remembered = table[set / 2].remembered;
    options.file_depth_max = table[set / 2].file_depth_max;
    return options;
}

static size_t below(run *r, size_t n)
{
    r->random = r->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(r->random >> 33) % n;
}

/* ---- the header and scene: simulated once for each set of options, then copied ---- */

static void begin(run *r)
{
    static struct {
        uint64_t *arena;
        pajesim sim;
        account seen;
        size_t used;
    } stages[3][PLAN_OPTIONS];
    static const char *const texts[] = {"", scene_header, scene_body};
    const int stage = r->how->stage;
    int before;
    r->options = options_of(r->how->options);
    for (before = 0; before <= stage; before++) {
        size_t capacity = 1 << 17;
        if (stages[before][r->how->options].arena)
            continue;
        r->arena = (uint64_t *)malloc(capacity);
        r->capacity = capacity;
        if (before == 0) {
            memset(&r->seen, 0, sizeof r->seen);
            pajesim_init(&r->sim, r->arena, capacity, &r->options, &account_callbacks, &r->seen);
        } else {
            r->seen = stages[before - 1][r->how->options].seen;
            memcpy(r->arena, stages[before - 1][r->how->options].arena, stages[before - 1][r->how->options].used);
            r->sim = stages[before - 1][r->how->options].sim;
            r->sim.data = &r->seen;
            r->sim.arena = (unsigned char *)r->arena;
            pajesim_feed(&r->sim, texts[before], strlen(texts[before]), NULL);
        }
        stages[before][r->how->options].arena = r->arena;
        stages[before][r->how->options].used = pajesim_used(&r->sim);
        stages[before][r->how->options].sim = r->sim;
        stages[before][r->how->options].seen = r->seen;
    }
    r->arena = blocks[0];
    r->capacity = CAPACITY;
    r->sim = stages[stage][r->how->options].sim;
    r->seen = stages[stage][r->how->options].seen;
    memcpy(r->arena, stages[stage][r->how->options].arena, stages[stage][r->how->options].used);
    r->sim.data = &r->seen;
    r->sim.arena = (unsigned char *)r->arena;
    r->sim.capacity = r->capacity;
    r->seen.pauses = r->how->pauses;
    r->seen.stop_at = r->how->stop_at ? r->seen.calls + r->how->stop_at : 0;
}

/* ---- the arena ---- */

static void resize(run *r, size_t capacity)
{
    ASAN_UNPOISON_MEMORY_REGION(r->arena, CAPACITY);
    r->capacity = capacity;
    expect(&r->seen, pajesim_move(&r->sim, r->arena, capacity) == PAJESIM_OK, "it may have as much as it uses");
    ASAN_POISON_MEMORY_REGION((char *)r->arena + capacity, CAPACITY - capacity);
}

static uint64_t *other_block(run *r)
{
    uint64_t *other = r->arena == blocks[0] ? blocks[1] : blocks[0];
    ASAN_UNPOISON_MEMORY_REGION(other, CAPACITY);
    memset(other, 0x5a, pajesim_used(&r->sim));
    return other;
}

static void leave_block(run *r, uint64_t *other)
{
    ASAN_UNPOISON_MEMORY_REGION(r->arena, CAPACITY);
    memset(r->arena, 0xa5, pajesim_used(&r->sim));
    r->arena = other;
    resize(r, r->capacity);
}

/* True about sixteen times in a run. */
static void displace(run *r)
{
    if (below(r, 1 + r->size / 16))
        return;
    if (r->how->move) {
        uint64_t *other = other_block(r);
        expect(&r->seen, pajesim_move(&r->sim, other, r->capacity) == PAJESIM_OK, "it moves");
        leave_block(r, other);
    }
    if (r->how->revive) {
        size_t size = pajesim_image_size(&r->sim);
        uint64_t *other = other_block(r);
        size_t room = r->capacity + r->capacity / 16 + 64; /* to restore takes more memory than it needs afterwards */
        void *wide = malloc(room);
        expect(&r->seen, pajesim_save(&r->sim, image + 1, size) == PAJESIM_OK, "an image is saved");
        expect(&r->seen, wide && pajesim_restore(&r->sim, wide, room, image + 1, size, &account_callbacks, &r->seen) ==
                             PAJESIM_OK, "an image is restored");
        expect(&r->seen, pajesim_move(&r->sim, other, r->capacity) == PAJESIM_OK, "what was restored moves");
        free(wide);
        leave_block(r, other);
    }
}

/* ---- feeding ---- */

enum act { FEED, END_FILE, FINISH };

static pajesim_status act(run *r, enum act what, const unsigned char *bytes, size_t size, size_t *taken)
{
    *taken = 0;
    return what == FEED ? pajesim_feed(&r->sim, bytes, size, taken)
                        : what == END_FILE ? pajesim_end_file(&r->sim) : pajesim_finish(&r->sim);
}

static uint64_t hash_of_arena(const run *r)
{
    return pajesim__checksum((const unsigned char *)r->arena, pajesim_used(&r->sim));
}

/* After PAJESIM_FULL: with one byte less than needed it is full again, and changes nothing; then moves to the size
 * needed.  Returns 0 if that is too large. */
static int climb(run *r, enum act what, const unsigned char *bytes, size_t size)
{
    uint64_t needed = pajesim_capacity_needed(&r->sim), before, told = r->seen.hash;
    size_t taken;
    expect(&r->seen, needed > r->capacity, "more is needed than there is");
    if (needed > CAPACITY) {
        r->too_large = 1;
        return 0;
    }
    if (needed - 1 > r->capacity) {
        resize(r, (size_t)needed - 1);
        before = hash_of_arena(r);
        expect(&r->seen, act(r, what, bytes, size, &taken) == PAJESIM_FULL && !taken, "one byte less is too little");
        expect(&r->seen, pajesim_capacity_needed(&r->sim) == needed, "what is needed stays the same");
        expect(&r->seen, hash_of_arena(r) == before && r->seen.hash == told, "what does not fit has no effect");
    }
    resize(r, (size_t)needed);
    return !r->seen.wrong;
}

static void include(run *r);

/* Feeds until all bytes are read.  Returns 0 when the replay cannot continue. */
static int drive(run *r, enum act what, const unsigned char *bytes, size_t size)
{
    size_t at = 0, taken;
    do {
        pajesim_status status = act(r, what, bytes + at, size - at, &taken);
        expect(&r->seen, taken <= size - at, "no more is taken than was fed");
        if (r->seen.wrong)
            return 0;
        expect(&r->seen, status != PAJESIM_OK || taken == size - at, "OK is all");
        at += taken;
        if (status == PAJESIM_OK || (what == FINISH && status == PAJESIM_INVALID))
            return !r->seen.wrong;
        if (status == PAJESIM_OPEN) {
            include(r);
        } else if (status == PAJESIM_FULL) {
            if (!climb(r, what, bytes + at, size - at))
                return 0;
        } else {
            expect(&r->seen, status == PAJESIM_PAUSED || (status == PAJESIM_STOPPED && r->seen.stopped),
                   "there is a reason for every status");
            if (status == PAJESIM_STOPPED)
                return 0;
        }
    } while (!r->seen.wrong && !r->too_large && (at < size || what != FEED));
    return !r->seen.wrong && !r->too_large;
}

static int feed_piece(run *r, const unsigned char *bytes, size_t size)
{
    int goes_on;
    unsigned char *copy;
    if (!r->how->copy)
        return drive(r, FEED, bytes, size);
    copy = (unsigned char *)malloc(size);
    memcpy(copy, bytes, size);
    goes_on = drive(r, FEED, copy, size);
    memset(copy, 0xa5, size);
    free(copy);
    return goes_on;
}

/* Only position, counters, last problem, and the carried part of a line may differ from `image`. */
static void compare(run *r, size_t used)
{
    const size_t from = offsetof(pajesim__state, carry_size), to = sizeof(pajesim__state);
    const unsigned char *now = (const unsigned char *)r->arena;
    const pajesim__state *state = (const pajesim__state *)(const void *)r->arena;
    size_t carry = (size_t)state->carry * PAJESIM__UNIT, end = carry + state->carry_capacity;
    if (((const pajesim__state *)(const void *)image)->carry != state->carry)
        return; /* an incomplete byte order mark is carried, for which there was not enough memory yet */
    expect(&r->seen, pajesim_used(&r->sim) == used && !memcmp(now, image, from) &&
                         !memcmp(now + to, image + to, carry - to) && !memcmp(now + end, image + end, used - end),
           "a refused line changes nothing");
}

static int feed_line(run *r, const unsigned char *bytes, size_t size)
{
    size_t used = pajesim_used(&r->sim), indent = 0;
    const pajesim_counts before = *pajesim_count(&r->sim), *now = &before;
    int goes_on;
    memcpy(image, r->arena, used);
    r->seen.reported_late = 0;
    goes_on = feed_piece(r, bytes, size);
    now = pajesim_count(&r->sim);
    while (indent < size - 1 && memchr(" \t\r", bytes[indent], 3))
        indent++;
    if (now->errors > before.errors && now->events == before.events && !r->seen.reported_late && goes_on &&
        bytes[indent] != '%' && !PAJESIM_SMALL && now->lines == before.lines + 1)
        compare(r, used);
    return goes_on;
}

static int feed(run *r, const unsigned char *bytes, size_t size)
{
    size_t at = 0, piece;
    while (at < size) {
        piece = size - at;
        if (r->how->compare) {
            const unsigned char *end = (const unsigned char *)memchr(bytes + at, '\n', size - at);
            piece = end ? (size_t)(end - (bytes + at)) + 1 : piece;
        } else if (r->how->piece) {
            size_t most = r->how->piece < 4 ? r->how->piece : 1 + below(r, r->how->piece);
            piece = most < piece ? most : piece;
        }
        if (!(r->how->compare ? feed_line : feed_piece)(r, bytes + at, piece))
            return 0;
        displace(r);
        at += piece;
    }
    return 1;
}

/* An included file holds some of the same bytes, after a line of its own. */
static void include(run *r)
{
    pajesim_text name = pajesim_file(&r->sim);
    hash_text(&r->seen, name);
    if (r->files++ < FILES_MAX) {
        size_t from = (size_t)(unsigned char)name.bytes[0] % (r->size + 1);
        feed(r, r->bytes + from, PAJESIM__MIN(r->size - from, (size_t)FILE_SIZE));
    }
    if (!r->seen.stopped)
        drive(r, END_FILE, r->bytes, 0);
}

outcome ENGINE(const plan *how, const unsigned char *bytes, size_t size)
{
    static run r;
    outcome result;
    const pajesim_counts *counts;
    memset(&r.files, 0, sizeof r - offsetof(run, files));
    r.how = how;
    r.bytes = bytes;
    r.size = size;
    r.random = how->seed;
    begin(&r);
    if (how->exact)
        resize(&r, pajesim_used(&r.sim));
    feed(&r, bytes, size);
    if (!r.seen.wrong && !r.too_large) {
        pajesim_status status;
        drive(&r, FINISH, bytes, 0);
        counts = pajesim_count(&r.sim);
        status = counts->errors ? PAJESIM_INVALID : PAJESIM_OK;
        if (!r.seen.wrong && !r.too_large && !r.seen.stopped) {
            balance(&r.seen, counts, &r.options, status);
            expect(&r.seen, pajesim_finish(&r.sim) == PAJESIM_FINISHED, "what is finished is finished");
        }
    }
    counts = pajesim_count(&r.sim);
    result.hash = r.seen.hash;
    result.lines = counts->lines;
    result.events = counts->events;
    result.errors = counts->errors;
    result.warnings = counts->warnings;
    result.wrong = r.seen.wrong;
    result.too_large = r.too_large;
    result.image = 0;
    if (!how->piece && !how->exact && !how->compare) {
        size_t saved = pajesim_image_size(&r.sim);
        pajesim_save(&r.sim, image, sizeof image);
        result.image = pajesim__checksum(image, saved);
    }
    ASAN_UNPOISON_MEMORY_REGION(blocks, sizeof blocks);
    return result;
}
