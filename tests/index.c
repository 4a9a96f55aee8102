/* What the calls of indexes and windows answer: where they are misused, where there is too little room, in the wrong
 * order, from within callbacks; and what an index says of its checkpoints.  (tests/travel.c tries what they are for.) */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "expect.h"

#include <stdlib.h>
#include <string.h>

static void test(const char *name, void (*body)(void))
{
    body();
    report("index", name);
}

/* ---- a trace: 100 seconds, in each of which a state begins and ends */

static const char header[] =
    "%EventDef PajeDefineContainerType 0\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeDefineStateType 1\n% Alias string\n% Type string\n% Name string\n%EndEventDef\n"
    "%EventDef PajeCreateContainer 2\n% Time date\n% Alias string\n% Type string\n% Container string\n% Name string\n"
    "%EndEventDef\n"
    "%EventDef PajePushState 3\n% Time date\n% Type string\n% Container string\n% Value string\n%EndEventDef\n"
    "%EventDef PajePopState 4\n% Time date\n% Type string\n% Container string\n%EndEventDef\n"
    "%EventDef PajeTraceFile 5\n% Type string\n% Container string\n% Filename string\n%EndEventDef\n"
    "0 P 0 Process\n1 S P State\n2 0 p P 0 first\n2 0 q P 0 second\n";

enum { SECONDS = 100, EVENTS = 4 + 2 * SECONDS, BLOCK = 1 << 20, SMALL = 1 << 16 };

static char trace[1 << 14];
static size_t trace_size, given; /* as much of it is given to windows */
static uint64_t arena[SMALL], block[BLOCK / 8], other[BLOCK / 8], budget[BLOCK / 8];
static pajesim sim;
static pajesim_index idx;
static pajesim_window window;

static void make_trace(void)
{
    int i;
    trace_size = (size_t)sprintf(trace, "%s", header);
    for (i = 0; i < SECONDS; i++)
        trace_size += (size_t)sprintf(trace + trace_size, "3 %d.25 S p R\n4 %d.75 S p\n", i, i);
    given = trace_size;
}

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    size_t left = offset < given ? given - (size_t)offset : 0;
    (void)data;
    *bytes = trace + offset;
    return left < most ? left : most;
}

static void begin(const pajesim_callbacks *callbacks, const pajesim_index_options *apart)
{
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, callbacks, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, apart) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_OK);
}

/* Feeds what is left of the trace by lines. */
static void feed_lines(void)
{
    size_t at = (size_t)pajesim_count(&sim)->bytes, size;
    for (; at < trace_size; at += size) {
        size = (size_t)(strchr(trace + at, '\n') - (trace + at)) + 1;
        EXPECT(pajesim_feed(&sim, trace + at, size, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    }
}

static void make_index(uint64_t bytes, uint64_t events)
{
    pajesim_index_options apart = {0, 0};
    apart.bytes = bytes;
    apart.events = events;
    begin(NULL, &apart);
    feed_lines();
    EXPECT(!pajesim_index_complete(&idx));
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    EXPECT(pajesim_index_complete(&idx));
}

static unsigned closings;

static int closed(pajesim *it, const pajesim_entity *entity)
{
    EXPECT(*pajesim_word(it, entity->container) == 0); /* nobody has set it */
    closings += entity->kind == PAJESIM_STATE;
    return PAJESIM_GO_ON;
}

static int stopping(pajesim *it, const pajesim_entity *entity)
{
    closed(it, entity);
    return PAJESIM_STOP;
}

static pajesim_callbacks of_closed(int (*callback)(pajesim *, const pajesim_entity *))
{
    pajesim_callbacks callbacks;
    memset(&callbacks, 0, sizeof callbacks);
    callbacks.closed = callback;
    closings = 0;
    return callbacks;
}

/* ---- tests ---- */

static void misuse(void)
{
    const pajesim_callbacks none = of_closed(NULL), callbacks = of_closed(closed);
    unsigned char *crooked = (unsigned char *)block + 4;
    pajesim_checkpoint checkpoint;
    size_t saved;
    EXPECT(pajesim_index_init(NULL, block, sizeof block, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_init(&idx, NULL, sizeof block, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_init(&idx, crooked, sizeof block - 8, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(NULL, &sim) == PAJESIM_MISUSE && pajesim_index_begin(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE); /* it is empty */
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_MISUSE); /* not begun */
    EXPECT(pajesim_index_count(&idx) == 0 && !pajesim_index_checkpoint(&idx, 0, &checkpoint));
    EXPECT(pajesim_index_at(&idx, 5) == 0 && pajesim_index_before(&idx, 5) == 0 && pajesim_index_after(&idx, 5) == 0);
    EXPECT(pajesim_feed(&sim, "\n", 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_MISUSE); /* too late */
    begin(NULL, NULL);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_MISUSE); /* twice */
    EXPECT(pajesim_index_step(NULL, &sim) == PAJESIM_MISUSE && pajesim_index_step(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_take(NULL, &sim) == PAJESIM_MISUSE && pajesim_index_finish(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(NULL, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, NULL, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, &sim, arena, 1000, NULL, NULL) == PAJESIM_FULL && pajesim_needed(&sim) > 1000);
    EXPECT(pajesim_index_move(NULL, other, sizeof other) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_move(&idx, NULL, sizeof other) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_move(&idx, (unsigned char *)other + 4, SMALL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(NULL, 0, &sim, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 0, NULL, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 1, &sim, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_rest(NULL, 0, &sim, 0, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_rest(&idx, 0, NULL, 0, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_rest(&idx, 1, &sim, 0, 1) == PAJESIM_MISUSE);
    pajesim_index_save(&idx, &saved);
    EXPECT(pajesim_index_load(NULL, block, sizeof block, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, NULL, sizeof block, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, crooked, sizeof block - 8, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, block, saved - 1, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, block, sizeof block, 7) == PAJESIM_FOREIGN);
    EXPECT(pajesim_index_load(&idx, block, saved, saved) == PAJESIM_OK);
    EXPECT(pajesim_window_init(NULL, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_init(&window, NULL, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_init(&window, crooked, SMALL, &idx, NULL, read_trace, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, NULL, NULL, read_trace, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(NULL, 0, 1, &callbacks, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_show(&window, 0, 1, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_show(&window, 0, 1, &none, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_show(&window, 1, 0, &callbacks, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_window_read_on(NULL, 1, 0) == PAJESIM_MISUSE);
}

static pajesim_status inner[5];
static pajesim_index another;

static int calling(pajesim *it, const pajesim_entity *entity)
{
    (void)entity;
    inner[0] = pajesim_index_step(&idx, it);
    inner[1] = pajesim_index_take(&idx, it);
    inner[2] = pajesim_index_finish(&idx, it);
    inner[3] = pajesim_index_rest(&idx, 0, it, 0, 1);
    inner[4] = pajesim_index_begin(&another, it);
    return PAJESIM_GO_ON;
}

static void within_callbacks(void)
{
    const pajesim_callbacks callbacks = of_closed(calling);
    size_t i;
    EXPECT(pajesim_index_init(&another, other, sizeof other, NULL) == PAJESIM_OK);
    begin(&callbacks, NULL);
    EXPECT(pajesim_feed(&sim, trace, trace_size, NULL) == PAJESIM_OK);
    for (i = 0; i < sizeof inner / sizeof *inner; i++)
        EXPECT(inner[i] == PAJESIM_BUSY);
}

static void wrong_order(void)
{
    static pajesim second;
    begin(NULL, NULL);
    EXPECT(pajesim_init(&second, budget, sizeof budget, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &second) == PAJESIM_MISUSE); /* another one */
    feed_lines();
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_FINISHED && pajesim_index_take(&idx, &sim) == PAJESIM_FINISHED);
    EXPECT(!pajesim_index_complete(&idx));
    make_index(1, 0);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_MISUSE && pajesim_index_finish(&idx, &sim) == PAJESIM_MISUSE);
}

/* What lacks room says how much would do, and that does. */
static void room(void)
{
    pajesim_index_options apart = {1, 0};
    size_t size = 0, needed = 0, i;
    pajesim_status status;
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, 8, &apart) == PAJESIM_FULL);
    needed = (size_t)pajesim_index_needed(&idx);
    EXPECT(needed > 8 && pajesim_index_init(&idx, block, needed - 1, &apart) == PAJESIM_FULL);
    EXPECT(pajesim_index_init(&idx, block, needed, &apart) == PAJESIM_OK);
    for (i = 0; i < 8 && (status = pajesim_index_begin(&idx, &sim)) != PAJESIM_OK; i++) {
        EXPECT(status == PAJESIM_FULL && pajesim_index_needed(&idx) > needed);
        needed = (size_t)pajesim_index_needed(&idx);
        EXPECT(pajesim_index_move(&idx, i % 2 ? block : other, needed) == PAJESIM_OK);
    }
    EXPECT(i == 2 && pajesim_index_count(&idx) == 1);
    EXPECT(pajesim_feed(&sim, trace, trace_size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_FULL && pajesim_index_count(&idx) == 1);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_FULL && !pajesim_index_complete(&idx));
    EXPECT(pajesim_index_needed(&idx) > needed);
    pajesim_index_save(&idx, &size);
    EXPECT(pajesim_index_move(&idx, budget, size - 1) == PAJESIM_FULL && pajesim_index_needed(&idx) == size);
    EXPECT(pajesim_index_move(&idx, budget, size) == PAJESIM_OK);
    EXPECT(pajesim_index_move(&idx, budget, sizeof budget) == PAJESIM_OK); /* the same block, larger */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_complete(&idx));
    EXPECT(pajesim_index_count(&idx) == 2);
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
        closings = 0;
        status = pajesim_window_show(&window, 10, 20, &callbacks, NULL);
        if (status != PAJESIM_FULL || pajesim_window_needed(&window) <= size || fault[0])
            break;
        size = (size_t)pajesim_window_needed(&window);
    }
    EXPECT(status == PAJESIM_OK && size > 64 && closings == 10);
    for (; size < SMALL; size += 104) { /* with room for more and more of what was shown, and in any case the same */
        EXPECT(pajesim_window_init(&window, budget, size, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        for (i = 0; i < 6; i++) {
            closings = 0;
            EXPECT(pajesim_window_show(&window, i % 3 * 30, i % 3 * 30 + 10, &callbacks, NULL) == PAJESIM_OK && closings == 10);
        }
    }
}

/* What is shown grows, while it is kept to be shown again. */
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
                                        : status == PAJESIM_FULL && pajesim_window_needed(&window) > size);
        }
    }
    EXPECT(closings == 60 + 200);
    trace_size = given = size_before;
}

/* Reading on says what lacks room, the window's block or that of the index, and what is given it suffices. */
static void room_to_read_on(void)
{
    const pajesim_callbacks callbacks = of_closed(closed);
    pajesim_index_options apart = {500, 0};
    size_t room[2] = {1000, 1000};
    pajesim_status status;
    int i, lacking = 0;
    EXPECT(pajesim_index_init(&idx, block, room[1], &apart) == PAJESIM_OK);
    EXPECT(pajesim_window_init(&window, budget, room[0], &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    for (i = 0; (status = pajesim_window_read_on(&window, UINT64_MAX, 1)) == PAJESIM_FULL && i < 50; i++) {
        int of_index = pajesim_window_needed(&window) <= room[0];
        lacking |= 1 << of_index;
        if (of_index) {
            EXPECT(pajesim_index_needed(&idx) > room[1]);
            room[1] = (size_t)pajesim_index_needed(&idx);
            EXPECT(pajesim_index_move(&idx, block, room[1]) == PAJESIM_OK);
        } else {
            room[0] = (size_t)pajesim_window_needed(&window);
            EXPECT(pajesim_window_init(&window, budget, room[0], &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        }
    }
    EXPECT(status == PAJESIM_OK && lacking == 3 && pajesim_index_complete(&idx));
    EXPECT(pajesim_window_init(&window, budget, sizeof budget, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
    EXPECT(pajesim_window_show(&window, 10, 20, &callbacks, NULL) == PAJESIM_OK && closings == 10);
}

/* A last line that has no line end may be the one that needs room. */
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
        EXPECT(pajesim_window_init(&window, budget, 2000 + 100 * (size_t)i, &idx, NULL, read_trace, NULL) == PAJESIM_OK);
        status = pajesim_window_read_on(&window, UINT64_MAX, 1);
        EXPECT(done ? status == PAJESIM_OK : status == PAJESIM_OK || status == PAJESIM_FULL);
        done = status == PAJESIM_OK;
        EXPECT(pajesim_index_complete(&idx) == done);
        EXPECT(!done || (pajesim_index_checkpoint(&idx, pajesim_index_count(&idx) - 1, &it) && it.events == EVENTS + 1));
    }
    EXPECT(done);
    trace_size = given = size_before;
}

static const char reasons[] =
    "%EventDef PajePopState 9\n% Time date\n% Type string\n% Container string\n% Reason string\n%EndEventDef\n";
static unsigned with_reason;

static int closed_for_a_reason(pajesim *it, const pajesim_entity *entity)
{
    with_reason += entity->closing.count;
    return closed(it, entity);
}

/* Where there is no room for what is known of an end, beside its time, checkpoints go; in the end only its time is known. */
static void room_of_ends(void)
{
    enum { DEPTH = 20 };
    const pajesim_callbacks callbacks = of_closed(closed_for_a_reason);
    pajesim_index_options apart = {1, 0};
    pajesim_checkpoint it;
    char line[10000];
    size_t size, saved;
    unsigned most = 0;
    int i;
    for (size = 4000; size < BLOCK; size += size / 16 & ~(size_t)7) {
        uint32_t number, count;
        EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_init(&idx, block, size, &apart) == PAJESIM_OK);
        if (pajesim_index_begin(&idx, &sim) != PAJESIM_OK)
            continue;
        EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, reasons, sizeof reasons - 1, NULL) == PAJESIM_OK);
        for (i = 0; i < 2 * DEPTH; i++) {
            pajesim_status status;
            int bytes = i < DEPTH ? sprintf(line, "3 %d S p %d\n", i, i) : sprintf(line, "9 %d S p %09000d\n", i, i);
            EXPECT(pajesim_feed(&sim, line, (size_t)bytes, NULL) == PAJESIM_OK);
            status = i < DEPTH ? pajesim_index_step(&idx, &sim) : PAJESIM_OK;
            EXPECT(status == PAJESIM_OK || status == PAJESIM_FULL);
        }
        pajesim_index_save(&idx, &saved);
        EXPECT(saved <= size && pajesim_index_load(&idx, block, size, saved) == PAJESIM_OK);
        count = pajesim_index_count(&idx);
        for (number = 0; number < count; number++) {
            EXPECT(pajesim_index_checkpoint(&idx, number, &it));
            EXPECT(pajesim_index_restore(&idx, number, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK);
            closings = with_reason = 0;
            EXPECT(pajesim_index_rest(&idx, number, &sim, -1, 1000) == PAJESIM_OK);
            EXPECT(closings == (it.events < 4 ? 0 : it.events - 4) && with_reason <= closings);
            most = with_reason > most ? with_reason : most;
        }
    }
    EXPECT(most == DEPTH);
}

/* Checkpoints are where they were wanted, and are found. */
static void checkpoints(void)
{
    pajesim_checkpoint it, next;
    uint32_t number, at;
    pajesim_time time;
    size_t lines = 0, i;
    memset(&it, 0, sizeof it);
    for (i = 0; i < trace_size; i++)
        lines += trace[i] == '\n';
    make_index(1, 0);
    EXPECT(pajesim_index_count(&idx) == lines + 1);
    for (number = 0; number < pajesim_index_count(&idx); number++) {
        EXPECT(pajesim_index_checkpoint(&idx, number, &it));
        EXPECT(it.offset == 0 || trace[it.offset - 1] == '\n');
        EXPECT(it.arena >= pajesim_arena_min(NULL) && it.size > 0);
        EXPECT(pajesim_index_at(&idx, it.offset) == number);
        EXPECT(number == 0 || pajesim_index_at(&idx, it.offset - 1) == number - 1);
        EXPECT(pajesim_index_restore(&idx, number, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
        EXPECT(pajesim_count(&sim)->bytes == it.offset && pajesim_count(&sim)->events == it.events);
    }
    EXPECT(it.offset == trace_size && it.events == EVENTS);
    EXPECT(it.greatest == SECONDS - 0.25 && it.least > 1e300);
    EXPECT(pajesim_index_checkpoint(&idx, 0, &it) && it.greatest < -1e300 && it.least == 0);
    EXPECT(!pajesim_index_checkpoint(&idx, number, &it));
    EXPECT(pajesim_index_at(&idx, UINT64_MAX) == number - 1);
    for (time = -0.25; time <= SECONDS; time += 0.25) {
        at = pajesim_index_before(&idx, time);
        EXPECT(pajesim_index_checkpoint(&idx, at, &it) && it.greatest < time);
        EXPECT(at + 1 == number || (pajesim_index_checkpoint(&idx, at + 1, &next) && !(next.greatest < time)));
        at = pajesim_index_after(&idx, time);
        EXPECT(pajesim_index_checkpoint(&idx, at, &it) && it.least > time);
        EXPECT(at == 0 || (pajesim_index_checkpoint(&idx, at - 1, &next) && !(next.least > time)));
    }
    make_index(0, 10);
    for (number = 1; number < pajesim_index_count(&idx) - 1; number++)
        EXPECT(pajesim_index_checkpoint(&idx, number, &it) && it.events == 10 * number);
    EXPECT(number == EVENTS / 10 + 1);
}

static void taken(void)
{
    pajesim_checkpoint it;
    begin(NULL, NULL);
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 1); /* nothing is new */
    feed_lines();
    EXPECT(pajesim_index_count(&idx) == 1); /* by default they are far apart */
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    EXPECT(pajesim_index_checkpoint(&idx, 1, &it) && it.offset == trace_size);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
}

/* Without options a checkpoint comes when there are 4 MiB, and 24 times the arena. */
static void by_default(void)
{
    static const char line[] = "3 100 S q R\n4 100 S q\n";
    pajesim_checkpoint it;
    uint64_t before;
    begin(NULL, NULL);
    feed_lines();
    while (pajesim_index_count(&idx) == 1 && !fault[0]) {
        before = pajesim_count(&sim)->bytes;
        EXPECT(pajesim_feed(&sim, line, sizeof line - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK && before < 1 << 23);
    }
    EXPECT(pajesim_index_checkpoint(&idx, 1, &it) && it.offset >= 4 << 20 && it.offset < (4 << 20) + sizeof line);
}

/* Where an image is large, so that 48 of them are more than 1 MiB. */
static void by_size(void)
{
    pajesim_index_options apart = {1, 0};
    pajesim_checkpoint it;
    char line[40];
    uint64_t from, most;
    int i;
    begin(NULL, NULL);
    feed_lines();
    for (i = 0; i < 1000; i++)
        EXPECT(pajesim_feed(&sim, line, (size_t)sprintf(line, "2 100 c%d P 0 \"number %d\"\n", i, i), NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK && pajesim_index_checkpoint(&idx, 1, &it));
    EXPECT(it.size >= pajesim_image_size(&sim) + 16 * 1003 && it.size < pajesim_image_size(&sim) + 100 * 1003);
    from = it.offset;
    most = 48 * (uint64_t)it.size + trace_size;
    while (pajesim_index_count(&idx) == 2 && pajesim_count(&sim)->bytes < from + most && !fault[0]) {
        EXPECT(pajesim_feed(&sim, trace + sizeof header - 1, trace_size - sizeof header + 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    }
    EXPECT(pajesim_index_checkpoint(&idx, 2, &it) && it.offset - from > 2 << 20 && it.offset - from < most);
    begin(NULL, &apart); /* who says how far gets that, whatever the size */
    feed_lines();
    EXPECT(pajesim_index_count(&idx) > 2 * SECONDS);
}

/* What has no room to be resumed says so, and is resumed with room; what was given up meanwhile is made anew. */
static void resumed(void)
{
    pajesim_index_options apart = {0, 0};
    pajesim_status status = PAJESIM_FULL;
    size_t saved, size;
    const void *bytes;
    apart.bytes = trace_size / 2;
    begin(NULL, &apart);
    feed_lines();
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK);
    bytes = pajesim_index_save(&idx, &saved);
    memcpy(other, bytes, saved);
    for (size = saved; status == PAJESIM_FULL && size < sizeof block && !fault[0]; size += 16) {
        memcpy(block, other, saved);
        EXPECT(pajesim_index_load(&idx, block, size, saved) == PAJESIM_OK);
        status = pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL);
        if (status == PAJESIM_FULL) {
            EXPECT(pajesim_index_move(&idx, budget, sizeof budget) == PAJESIM_OK);
            EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
        }
        feed_lines();
        EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_count(&sim)->events == EVENTS);
    }
    EXPECT(status == PAJESIM_OK);
}

/* The last line has a checkpoint behind it if it has no line end; and nothing has none. */
static void last_lines(void)
{
    pajesim_index_options apart = {1 << 20, 0};
    begin(NULL, &apart);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 1);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "\xef\xbb", 2, NULL) == PAJESIM_OK); /* a piece of a byte order mark is a bad line */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_INVALID && pajesim_index_count(&idx) == 3);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "\xef\xbb\xbf", 3, NULL) == PAJESIM_OK); /* a whole one is none */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "#", 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 3);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "# \n", 3, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
}

static unsigned links;

static int linked(pajesim *it, const pajesim_entity *entity)
{
    pajesim_text name = pajesim_name(it, entity->end_container);
    EXPECT(entity->kind != PAJESIM_LINK || pajesim_kind_of(it, entity->end_container) == PAJESIM_CONTAINER);
    links += entity->kind == PAJESIM_LINK && name.size == 11 && memcmp(name.bytes, "comes later", 11) == 0;
    links += entity->kind == PAJESIM_LINK && entity->end_container == pajesim_root(it) ? 10 : 0;
    return PAJESIM_GO_ON;
}

/* With just the room that it needs, the rest tells a link that ends at a container of this type. */
static void link_to(const char *type, const char *end, unsigned wanted)
{
    static const char before[] =
        "%EventDef PajeDefineLinkType 6\n% Alias string\n% Type string\n% StartContainerType string\n"
        "% EndContainerType string\n% Name string\n%EndEventDef\n%EventDef PajeStartLink 7\n% Time date\n% Type string\n"
        "% Container string\n% StartContainer string\n% Value string\n% Key string\n%EndEventDef\n"
        "%EventDef PajeEndLink 8\n% Time date\n% Type string\n% Container string\n% EndContainer string\n"
        "% Value string\n% Key string\n%EndEventDef\n";
    static const char behind[] = "2 2 0123456789abcdefgh P 0 \"comes later\"\n";
    const pajesim_callbacks callbacks = of_closed(linked);
    pajesim_status status;
    pajesim_checkpoint it;
    char line[100];
    size_t size;
    links = 0;
    begin(NULL, NULL);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, before, sizeof before - 1, NULL) == PAJESIM_OK);
    size = (size_t)sprintf(line, "6 L 0 P %s Link\n7 1 L 0 p v k\n", type);
    EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_take(&idx, &sim) == PAJESIM_OK && pajesim_index_checkpoint(&idx, 1, &it));
    EXPECT(pajesim_feed(&sim, behind, sizeof behind - 1, NULL) == PAJESIM_OK);
    size = (size_t)sprintf(line, "8 3 L 0 %s v k\n", end);
    EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    for (size = it.arena;; size = (size_t)pajesim_needed(&sim)) {
        EXPECT(pajesim_index_restore(&idx, 1, &sim, other, size, &callbacks, NULL) == PAJESIM_OK);
        status = pajesim_index_rest(&idx, 1, &sim, 0, 10);
        if (status != PAJESIM_FULL || pajesim_needed(&sim) <= size || fault[0])
            break;
        EXPECT(links == 0);
    }
    EXPECT(status == PAJESIM_OK && links == wanted && size > it.arena);
}

static void ends_of_links(void)
{
    link_to("P", "0123456789abcdefgh", 1); /* it is not there yet */
    link_to("0", "0", 10);
}

static void labels(void)
{
    const void *bytes;
    size_t saved;
    int i;
    make_index(500, 0);
    for (i = 0; i < 4; i++)
        EXPECT(pajesim_index_label(&idx)[i] == 0);
    pajesim_index_label(&idx)[0] = 7;
    pajesim_index_label(&idx)[3] = UINT64_MAX;
    bytes = pajesim_index_save(&idx, &saved);
    memcpy(other, bytes, saved);
    EXPECT(pajesim_index_load(&idx, other, sizeof other, saved) == PAJESIM_OK);
    EXPECT(pajesim_index_label(&idx)[0] == 7 && pajesim_index_label(&idx)[3] == UINT64_MAX);
}

/* What is saved tells nothing of what was in the memory before. */
static void same_bytes(void)
{
    static const char end[] = "9 2 S p odd\n";
    const void *bytes;
    size_t saved = 0, size;
    int round;
    for (round = 0; round < 2; round++) {
        memset(block, round ? 0xaa : 0x55, sizeof block);
        begin(NULL, NULL);
        EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, reasons, sizeof reasons - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, "3 1 S p R\n", 10, NULL) == PAJESIM_OK && pajesim_index_take(&idx, &sim) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, end, sizeof end - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
        bytes = pajesim_index_save(&idx, &size);
        if (!round)
            memcpy(other, bytes, saved = size);
    }
    EXPECT(size == saved && memcmp(bytes, other, size) == 0);
}

static void serials(void)
{
    begin(NULL, NULL);
    feed_lines();
    EXPECT(pajesim_serial(&sim, 0) == 0 && pajesim_serial(&sim, pajesim_root(&sim)) == 0);
    EXPECT(pajesim_serial(&sim, pajesim_find_container(&sim, "p", 1)) == 1);
    EXPECT(pajesim_serial(&sim, pajesim_find_container(&sim, "q", 1)) == 2);
    EXPECT(pajesim_serial(&sim, pajesim_find_type(&sim, "P", 1)) == 0);
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

static int paused_once;

static int pausing(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    if (entity->kind != PAJESIM_CONTAINER || paused_once++)
        return PAJESIM_GO_ON;
    return PAJESIM_PAUSE;
}

/* pajesim_index_finish goes on where it was paused, and ends what was stopped without completing it. */
static void finished(void)
{
    const pajesim_callbacks pauses = of_closed(pausing), stops = of_closed(stopping);
    paused_once = 0;
    begin(&pauses, NULL);
    feed_lines();
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_PAUSED && !pajesim_index_complete(&idx));
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_complete(&idx));
    begin(&stops, NULL);
    EXPECT(pajesim_feed(&sim, trace, trace_size, NULL) == PAJESIM_STOPPED);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_STOPPED && !pajesim_index_complete(&idx));
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
    EXPECT(pajesim_window_read_on(&window, 1, 1) == PAJESIM_OK); /* it is complete */
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
}

/* What is shown is read but once as long as there is room, and only as far as it must be. */
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
    test("arguments that are wrong", misuse);
    test("calls from within callbacks", within_callbacks);
    test("calls in the wrong order", wrong_order);
    test("too little room for an index", room);
    test("too little room for a window", room_of_windows);
    test("what a window shows grows", growing_windows);
    test("too little room to read on", room_to_read_on);
    test("too little room for the last line", room_for_the_last_line);
    test("too little room for what is known of ends", room_of_ends);
    test("checkpoints are where they were wanted, and are found", checkpoints);
    test("a checkpoint is taken when it is asked for", taken);
    test("checkpoints without options", by_default);
    test("checkpoints of large images without options", by_size);
    test("an index is resumed", resumed);
    test("the last line", last_lines);
    test("links to what comes later, and to the root", ends_of_links);
    test("labels are saved", labels);
    test("what is saved depends on the trace alone", same_bytes);
    test("serial numbers", serials);
    test("included files cannot be indexed", included_files);
    test("finish goes on after a pause, not after a stop", finished);
    test("a window stops, and goes on", windows_stop);
    test("a trace that has become shorter", stale);
    test("windows read what they must", replayed);
    return failed;
}
