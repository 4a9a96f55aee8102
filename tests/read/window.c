/* Tests the calls of windows: too little memory, pauses and stops, traces that have changed, what is read.
 * (tests/read/travel.c tests that windows show the right entities.) */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "seconds.h"

static void test(const char *name, void (*body)(void))
{
    body();
    report("window ", name);
}

static void room_of_windows(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    size_t size = 64;
    pajesim_status status;
    int i;
    make_index(1000, 0);
    for (;;) {
        EXPECT(pajesim_window_init(&window, budget, size, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        for (status = PAJESIM_OK, i = 0; status == PAJESIM_OK && i < 3; i++) {
            closings = 0;
            status = pajesim_window_show(&window, 30 * i, 30 * i + 10, &callbacks, NULL);
        }
        if (status != PAJESIM_FULL || pajesim_window_capacity_needed(&window) <= size || fault[0])
            break;
        size = (size_t)pajesim_window_capacity_needed(&window);
    }
    EXPECT(status == PAJESIM_OK && size > 64 && closings == 10);
    for (; size < SMALL; size += 104) { /* with more and more memory for what was shown; the result is always the
                                         * same */
        EXPECT(pajesim_window_init(&window, budget, size, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        for (i = 0; i < 6; i++) {
            closings = 0;
            EXPECT(pajesim_window_show(&window, i % 3 * 30, i % 3 * 30 + 10, &callbacks, NULL) == PAJESIM_OK &&
                   closings == 10);
        }
    }
}

/* What one part stores has offsets of 32 bits, also in a window with more memory than that. */
static void more_than_4_gib(void)
{
#if SIZE_MAX > UINT32_MAX
    memset(&window, 0, sizeof window);
    for (window.high = (size_t)1 << 30; window.high < (size_t)1 << 34; window.high += (size_t)1 << 29) {
        const size_t capacity = pajesim__part_capacity(&window);
        EXPECT(capacity + sizeof(pajesim__part) + 7 <= UINT32_MAX);
        EXPECT(capacity == window.high - sizeof(pajesim__part) || window.high >= UINT32_MAX);
    }
#endif
}

/* The set of shown entities grows while it is kept. */
static void growing_windows(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    const size_t size_before = trace_size;
    size_t size;
    int i;
    for (i = 0; i < 200; i++)
        trace_size += (size_t)sprintf(trace + trace_size, "2 100 c%d P 0 \"number %d\"\n3 100 S c%d %d\n", i, i, i, i);
    given = trace_size;
    make_index(trace_size / 2, 0);
    for (size = 1 << 12; size < 4 * SMALL; size += 1 << 12) {
        pajesim_status status;
        EXPECT(pajesim_window_init(&window, budget, size, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        for (i = 0; i < 3; i++) {
            closings = 0;
            status = pajesim_window_show(&window, 40, 1000, &callbacks, NULL);
            EXPECT(status == PAJESIM_OK ? closings == 60 + 200
                                        : status == PAJESIM_FULL && pajesim_window_capacity_needed(&window) > size);
        }
    }
    EXPECT(closings == 60 + 200);
    trace_size = given = size_before;
}

/* A read reports whether the block of the window or of the index is too small; with the reported size it succeeds. */
static void room_to_read_on(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    pajesim_index_options apart = {500, 0};
    size_t room[2] = {1000, 1000};
    pajesim_status status;
    int i, lacking = 0;
    EXPECT(pajesim_index_init(&idx, block, room[1], &apart) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, room[0], &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    for (i = 0; (status = pajesim_window_extend(&window, UINT64_MAX, 1)) == PAJESIM_FULL && i < 50; i++) {
        int of_index = pajesim_window_capacity_needed(&window) <= room[0];
        lacking |= 1 << of_index;
        if (of_index) {
            EXPECT(pajesim_index_capacity_needed(&idx) > room[1]);
            room[1] = (size_t)pajesim_index_capacity_needed(&idx);
            EXPECT(pajesim_index_move(&idx, block, room[1]) == PAJESIM_OK);
        } else {
            room[0] = (size_t)pajesim_window_capacity_needed(&window);
            EXPECT(pajesim_window_init(&window, budget, room[0], &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        }
    }
    EXPECT(status == PAJESIM_OK && lacking == 3 && pajesim_index_complete(&idx));
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 10, 20, &callbacks, NULL) == PAJESIM_OK && closings == 10);
}

/* A last line without a newline may be the one that needs memory. */
static void room_for_the_last_line(void)
{
    const size_t size_before = trace_size;
    pajesim_checkpoint it;
    int i, done = 0;
    trace_size += (size_t)sprintf(trace + trace_size, "2 100 r P 0 %01500d", 7);
    given = trace_size;
    for (i = 0; i < 100; i++) {
        pajesim_status status;
        EXPECT(pajesim_index_init(&idx, block, sizeof block, NULL) == PAJESIM_OK);
        status = pajesim_window_init(&window, budget, 2000 + 100 * (size_t)i, &idx, NULL, read_trace, NULL);
        EXPECT(status == PAJESIM_OK);
        status = pajesim_window_extend(&window, UINT64_MAX, 1);
        EXPECT(done ? status == PAJESIM_OK : status == PAJESIM_OK || status == PAJESIM_FULL);
        done = status == PAJESIM_OK;
        EXPECT(pajesim_index_complete(&idx) == done);
        EXPECT(!done ||
               (pajesim_index_checkpoint(&idx, pajesim_index_count(&idx) - 1, &it) && it.events == EVENTS + 1));
    }
    EXPECT(done);
    trace_size = given = size_before;
}

/* What is shown beyond the end of a trace is not its end: it may grow. */
static void growing_trace(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    const pajesim_index_options apart = {500, 0};
    size_t part;
    EXPECT(pajesim_index_init(&idx, block, sizeof block, &apart) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    for (part = 1; part <= 4; part++) {
        given = trace_size * part / 4;
        closings = 0;
        EXPECT(pajesim_window_show(&window, 0, 1000, &callbacks, NULL) == PAJESIM_OK);
        EXPECT(!pajesim_index_complete(&idx) && closings > 0 && (closings == SECONDS) == (part == 4));
    }
    EXPECT(pajesim_window_extend(&window, 1, 1) == PAJESIM_OK && pajesim_index_complete(&idx));
}

/* Where memory ends while it reads on, what was indexed meanwhile is shown. */
static char large[1 << 18];
static size_t large_size;

static size_t read_large(void *data, uint64_t offset, const void **bytes, size_t most)
{
    const size_t left = large_size - (size_t)offset;
    (void)data;
    *bytes = large + offset;
    return left < most ? left : most;
}

static void full_while_reading_on(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    const pajesim_index_options apart = {5000, 0};
    size_t size;
    unsigned shown = 0, i;
    large_size = (size_t)sprintf(large, "%s", header);
    for (i = 0; i < 6000; i++)
        large_size += (size_t)sprintf(large + large_size, "3 %u.25 S p R\n4 %u.75 S p\n", i, i);
    large_size += (size_t)sprintf(large + large_size, "2 9000 r P 0 %08000d\n", 7);
    for (size = 4000; size < 16000; size += 400) {
        pajesim_status status;
        EXPECT(pajesim_index_init(&idx, block, sizeof block, &apart) == PAJESIM_OK);
        EXPECT(pajesim_window_init(&window, budget, size, &idx, NULL, read_large, NULL) == PAJESIM_OK);
        if (pajesim_window_extend(&window, large_size / 8, 0) != PAJESIM_OK ||
            pajesim_window_extend(&window, UINT64_MAX, 0) == PAJESIM_OK)
            continue;
        closings = 0;
        status = pajesim_window_show(&window, 1000, 1100, &callbacks, NULL);
        EXPECT(status == PAJESIM_OK ? closings == 100 : status == PAJESIM_FULL);
        shown += status == PAJESIM_OK;
    }
    EXPECT(shown > 0);
}

static int found(pajesim *it, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_STATE) {
        EXPECT(entity->type == pajesim_find_type(it, "S", 1));
        EXPECT(entity->value == pajesim_find_value(it, entity->type, "V", 1));
    }
    return closed(it, entity);
}

/* In what a window has stored, types and values are found as in a simulation. */
static void queries(void)
{
    const pajesim_callbacks callbacks = of_closed(found);
    large_size = (size_t)sprintf(large, "%s%%EventDef PajeDefineEntityValue 6\n%% Alias string\n%% Type string\n"
                                        "%% Name string\n%%EndEventDef\n6 V S value\n3 1 S p V\n4 2 S p\n", header);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_large, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 0, 10, &callbacks, NULL) == PAJESIM_OK && closings == 1);
    EXPECT(pajesim_window_show(&window, 0, 10, &callbacks, NULL) == PAJESIM_OK && closings == 2); /* what is stored */
}

static void included_files(void)
{
    static const char line[] = "5 P p other\n";
    const pajesim_callbacks callbacks = of_closed(closed);
    size_t size = trace_size;
    begin(NULL, NULL);
    feed_lines();
    EXPECT(pajesim_feed(&sim, line, sizeof line - 1, NULL) == PAJESIM_OPEN);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OPEN && pajesim_index_finish(&idx, &sim) == PAJESIM_OPEN);
    memcpy(trace + trace_size, line, sizeof line);
    trace_size = given = trace_size + sizeof line - 1;
    EXPECT(pajesim_index_init(&idx, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 0, 1000, &callbacks, NULL) == PAJESIM_OPEN);
    trace_size = given = size;
}

static pajesim_callbacks inner;
static unsigned inner_calls;

static int showing(pajesim *it, const pajesim_entity *entity)
{
    const unsigned before = closings;
    EXPECT(pajesim_window_show(&window, 0, 9, &inner, NULL) == PAJESIM_BUSY);
    EXPECT(pajesim_window_extend(&window, 100, 0) == PAJESIM_BUSY);
    EXPECT(closings == before);
    inner_calls++;
    return closed(it, entity);
}

/* A window is not shown again from within its callback, whether what it shows is replayed, stored or still open. */
static void within_callbacks(void)
{
    const pajesim_callbacks callbacks = of_closed(showing);
    int i;
    inner = of_closed(closed);
    make_index(1000, 0);
    EXPECT(pajesim_window_init(&window, budget, SMALL, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    for (i = 0; i < 2; i++) {
        closings = inner_calls = 0;
        EXPECT(pajesim_window_show(&window, 30, 40, &callbacks, NULL) == PAJESIM_OK);
        EXPECT(closings == 10 && inner_calls == 13); /* and three containers */
    }
    EXPECT(pajesim_window_show(&window, 30, 40, &inner, NULL) == PAJESIM_OK && closings == 20);
}

static void windows_stop(void)
{
    const pajesim_callbacks stops = of_closed(stopping), callbacks = of_closed(closed);
    make_index(500, 0);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 10, 20, &stops, NULL) == PAJESIM_STOPPED && closings == 1);
    closings = 0;
    EXPECT(pajesim_window_show(&window, 10, 20, &callbacks, NULL) == PAJESIM_OK && closings == 10);
    closings = 0; /* from what is held */
    EXPECT(pajesim_window_show(&window, 10, 20, &stops, NULL) == PAJESIM_STOPPED && closings == 1);
    EXPECT(pajesim_window_extend(&window, 1, 1) == PAJESIM_OK); /* it is complete */
}

static void stale(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    make_index(500, 0);
    given = trace_size / 2;
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 80, 90, &callbacks, NULL) == PAJESIM_STALE && closings == 0);
    given = trace_size;
    EXPECT(pajesim_window_show(&window, 80, 90, &callbacks, NULL) == PAJESIM_OK && closings == 10);
    *strstr(trace, "3 45.25 S p R") = '9'; /* an unknown event: what is replayed is another trace */
    EXPECT(pajesim_window_show(&window, 40, 50, &callbacks, NULL) == PAJESIM_STALE);
    EXPECT(pajesim_window_show(&window, 20, 30, &callbacks, NULL) == PAJESIM_OK);
    *strstr(trace, "9 45.25 S p R") = '3';
    closings = 0;
    EXPECT(pajesim_window_show(&window, 40, 50, &callbacks, NULL) == PAJESIM_OK && closings == 10);
}

/* A last checkpoint that is damaged keeps a window from reading on, not from showing what is before. */
static void damaged(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    pajesim_index *index = &idx;
    const pajesim_index_options apart = {500, 0};
    pajesim__checkpoint *last;
    uint32_t top;
    int i;
    begin(NULL, &apart);
    feed_lines();
    last = PAJESIM__CHECKPOINT(pajesim_index_count(&idx) - 1);
    top = last->top;
    for (i = 0; i < 80; i += 5) {
        EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        closings = 0;
        EXPECT(pajesim_window_show(&window, i, i + 5, &callbacks, NULL) == PAJESIM_OK && closings == 5);
        last->top = top - 16;
        EXPECT(pajesim_window_extend(&window, 1, 0) == PAJESIM_DAMAGED);
        last->top = top;
        EXPECT(pajesim_window_show(&window, i + 5, i + 10, &callbacks, NULL) == PAJESIM_OK && closings == 10);
    }
}

/* Entities are read only once while memory lasts, and no further than necessary. */
static void replayed(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    uint64_t bytes;
    make_index(500, 0);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_replayed(&window) == 0);
    EXPECT(pajesim_window_show(&window, 10, 20, &callbacks, NULL) == PAJESIM_OK);
    bytes = pajesim_window_replayed(&window);
    EXPECT(bytes > 200 && bytes < 2000);
    EXPECT(pajesim_window_show(&window, 12, 13, &callbacks, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_replayed(&window) == bytes);
    EXPECT(pajesim_window_show(&window, 50, 51, &callbacks, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_replayed(&window) > bytes);
    EXPECT(closings == 12);
}

int main(void)
{
    make_trace();
    test("too little room for a window", room_of_windows);
    test("more than 4 GiB for a window", more_than_4_gib);
    test("what a window shows grows", growing_windows);
    test("a trace grows", growing_trace);
    test("too little room to read on", room_to_read_on);
    test("too little room for the last line", room_for_the_last_line);
    test("too little room while it reads on", full_while_reading_on);
    test("types and values are found in a window", queries);
    test("included files cannot be indexed", included_files);
    test("calls from within callbacks", within_callbacks);
    test("a window stops, and goes on", windows_stop);
    test("a trace that has become shorter", stale);
    test("a checkpoint that is damaged", damaged);
    test("windows read what they must", replayed);
    return failed;
}
