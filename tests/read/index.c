/* Tests the calls of indexes: misuse, too little memory, wrong order, calls from within callbacks, and the data of
 * checkpoints.  (tests/read/window.c tests windows.) */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "index_ends.h"
#include "seconds.h"

static void test(const char *name, void (*body)(void))
{
    body();
    report("index ", name);
}

static void misuse(void)
{
    const pajesim_callbacks none = of_closed(NULL), callbacks = of_closed(closed);
    unsigned char *crooked = (unsigned char *)block + 4;
    pajesim_checkpoint checkpoint;
    size_t saved;
    EXPECT(pajesim_index_init(NULL, block, sizeof block, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_init(&idx, NULL, sizeof block, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_init(&idx, crooked, sizeof block - 8, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_init(&sim, NULL, sizeof arena, NULL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_BUSY); /* it was not begun */
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(NULL, &sim) == PAJESIM_MISUSE && pajesim_index_begin(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE); /* it is empty */
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_MISUSE); /* not begun yet */
    EXPECT(pajesim_index_count(&idx) == 0 && !pajesim_index_checkpoint(&idx, 0, &checkpoint));
    EXPECT(pajesim_index_at(&idx, 5) == 0 && pajesim_index_before(&idx, 5) == 0 && pajesim_index_after(&idx, 5) == 0);
    EXPECT(pajesim_feed(&sim, "\n", 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_MISUSE); /* too late */
    begin(NULL, NULL);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_MISUSE); /* twice */
    EXPECT(pajesim_index_step(NULL, &sim) == PAJESIM_MISUSE && pajesim_index_step(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_checkpoint_now(NULL, &sim) == PAJESIM_MISUSE &&
           pajesim_index_finish(&idx, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(NULL, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, NULL, arena, sizeof arena, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_resume(&idx, &sim, arena, 1000, NULL, NULL) == PAJESIM_FULL &&
           pajesim_capacity_needed(&sim) > 1000);
    EXPECT(pajesim_index_move(NULL, other, sizeof other) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_move(&idx, NULL, sizeof other) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_move(&idx, (unsigned char *)other + 4, SMALL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(NULL, 0, &sim, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 0, NULL, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 1, &sim, other, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 0, &sim, NULL, sizeof other, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_restore(&idx, 0, &sim, (unsigned char *)other + 4, SMALL, NULL, NULL) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_close_open(NULL, 0, &sim, 0, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_close_open(&idx, 0, NULL, 0, 1) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_close_open(&idx, 1, &sim, 0, 1) == PAJESIM_MISUSE);
    pajesim_index_save(&idx, &saved);
    EXPECT(pajesim_index_load(NULL, block, sizeof block, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, NULL, sizeof block, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, crooked, sizeof block - 8, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, block, saved - 1, saved) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_load(&idx, block, sizeof block, 7) == PAJESIM_INCOMPATIBLE);
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
    EXPECT(pajesim_window_extend(NULL, 1, 0) == PAJESIM_MISUSE);
}

/* An index without a checkpoint is saved and loaded like any other. */
static void nothing_indexed(void)
{
    size_t size;
    pajesim_index empty;
    EXPECT(pajesim_index_init(&empty, block, sizeof block, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_save(&empty, &size) == block);
    EXPECT(pajesim_index_load(&empty, block, sizeof block, size) == PAJESIM_OK);
    EXPECT(pajesim_index_count(&empty) == 0 && !pajesim_index_complete(&empty));
}

static pajesim_status inner[5];
static pajesim_index another;

static int calling(pajesim *it, const pajesim_entity *entity)
{
    (void)entity;
    inner[0] = pajesim_index_step(&idx, it);
    inner[1] = pajesim_index_checkpoint_now(&idx, it);
    inner[2] = pajesim_index_finish(&idx, it);
    inner[3] = pajesim_index_close_open(&idx, 0, it, 0, 1);
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
    EXPECT(pajesim_index_init(&another, other, sizeof other, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&another, &sim) == PAJESIM_MISUSE); /* it is attached */
    EXPECT(pajesim_index_count(&another) == 0 && pajesim_index_begin(&another, &second) == PAJESIM_OK);
    feed_lines();
    EXPECT(pajesim_finish(&sim) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_FINISHED &&
           pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_FINISHED);
    EXPECT(!pajesim_index_complete(&idx));
    make_index(1, 0);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_MISUSE && pajesim_index_finish(&idx, &sim) == PAJESIM_MISUSE);
}

/* A call that lacks memory reports how much would suffice, and that suffices. */
static void room(void)
{
    pajesim_index_options apart = {1, 0};
    size_t size = 0, needed = 0, i;
    pajesim_status status;
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, 8, &apart) == PAJESIM_FULL);
    needed = (size_t)pajesim_index_capacity_needed(&idx);
    EXPECT(needed > 8 && pajesim_index_init(&idx, block, needed - 1, &apart) == PAJESIM_FULL);
    EXPECT(pajesim_index_init(&idx, block, needed, &apart) == PAJESIM_OK);
    for (i = 0; i < 8 && (status = pajesim_index_begin(&idx, &sim)) != PAJESIM_OK; i++) {
        EXPECT(status == PAJESIM_FULL && pajesim_index_capacity_needed(&idx) > needed);
        needed = (size_t)pajesim_index_capacity_needed(&idx);
        EXPECT(pajesim_index_move(&idx, i % 2 ? block : other, needed) == PAJESIM_OK);
    }
    EXPECT(i == 2 && pajesim_index_count(&idx) == 1);
    EXPECT(pajesim_feed(&sim, trace, trace_size, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_FULL && pajesim_index_count(&idx) == 1);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_FULL && !pajesim_index_complete(&idx));
    EXPECT(pajesim_index_capacity_needed(&idx) > needed);
    pajesim_index_save(&idx, &size);
    EXPECT(pajesim_index_move(&idx, budget, size - 1) == PAJESIM_FULL && pajesim_index_capacity_needed(&idx) == size);
    EXPECT(pajesim_index_move(&idx, budget, size) == PAJESIM_OK);
    EXPECT(pajesim_index_move(&idx, budget, sizeof budget) == PAJESIM_OK); /* the same block, larger */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_complete(&idx));
    EXPECT(pajesim_index_count(&idx) == 2);
}

/* After a checkpoint that has no room, the next one is due after twice as many bytes, or events, from there on. */
static void later(void)
{
    static char large[1 << 15];
    int by_events;
    for (by_events = 0; by_events < 2; by_events++) {
        pajesim_index_options apart = {0, 0};
        uint64_t latest = 0, distance = by_events ? 5 : 50;
        size_t at, size = (size_t)sprintf(large, "%s2 0 %020000d P 0 \"too large\"\n", header, 0), needed = 4000;
        int full = 0;
        *(by_events ? &apart.events : &apart.bytes) = distance;
        do {
            needed += 8;
            EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
            EXPECT(pajesim_index_init(&idx, block, needed, &apart) == PAJESIM_OK);
        } while (pajesim_index_begin(&idx, &sim) != PAJESIM_OK && !fault[0]);
        EXPECT(pajesim_feed(&sim, large, size, NULL) == PAJESIM_OK);
        for (at = sizeof header - 1; at < trace_size; at += size) {
            const uint64_t now = by_events ? pajesim_count(&sim)->events : pajesim_count(&sim)->bytes;
            const int is_due = !full || now - latest >= distance;
            EXPECT(pajesim_index_step(&idx, &sim) == (is_due ? PAJESIM_FULL : PAJESIM_OK));
            if (is_due) {
                latest = now;
                distance *= 2;
                full++;
            }
            size = strcspn(trace + at, "\n") + 1;
            EXPECT(pajesim_feed(&sim, trace + at, size, NULL) == PAJESIM_OK);
        }
        EXPECT(full == 5 && pajesim_index_count(&idx) == 1);
        /* Resumed, the index knows no more where that was. */
        EXPECT(pajesim_index_move(&idx, budget, sizeof budget) == PAJESIM_OK);
        EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
        for (at = 0; at < trace_size && pajesim_index_count(&idx) == 1 && !fault[0]; at += size) {
            size = strcspn(trace + at, "\n") + 1;
            EXPECT(pajesim_feed(&sim, trace + at, size, NULL) == PAJESIM_OK);
            EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
            latest = by_events ? pajesim_count(&sim)->events : pajesim_count(&sim)->bytes;
            EXPECT((pajesim_index_count(&idx) == 2) == (latest >= distance));
        }
        EXPECT(pajesim_index_count(&idx) == 2);
    }
}

/* What is open at the end of an index comes outer ones first. */
static double started;

static int open_at_end(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    EXPECT(entity->open);
    if (entity->kind == PAJESIM_STATE)
        EXPECT(entity->start == ++started);
    return PAJESIM_GO_ON;
}

static void outer_ones_first(void)
{
    const pajesim_callbacks callbacks = of_closed(open_at_end);
    char line[40];
    int i;
    begin(NULL, NULL);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    for (i = 1; i <= 20; i++)
        EXPECT(pajesim_feed(&sim, line, (size_t)sprintf(line, "3 %d S p R\n", i), NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK);
    EXPECT(pajesim_index_restore(&idx, 1, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK);
    started = 0;
    EXPECT(pajesim_index_close_open(&idx, 1, &sim, 0, 100) == PAJESIM_OK && started == 20);
}

static const char reasons[] =
    "%EventDef PajePopState 9\n% Time date\n% Type string\n% Container string\n% Reason string\n%EndEventDef\n";
static unsigned with_reason;

static int closed_for_a_reason(pajesim *it, const pajesim_entity *entity)
{
    with_reason += entity->closing.count;
    return closed(it, entity);
}

/* With too little memory for the details of ends, checkpoints are removed, and what is left has them all. */
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
            EXPECT(pajesim_index_close_open(&idx, number, &sim, -1, 1000) == PAJESIM_OK);
            EXPECT(closings == (it.events < 4 ? 0 : it.events - 4) && with_reason == closings);
            EXPECT(pajesim_feed(&sim, "\n", 1, NULL) == PAJESIM_FINISHED);
            most = with_reason > most ? with_reason : most;
        }
    }
    EXPECT(most == DEPTH);
}

/* Details of ends that are said to go on behind their block are refused, whatever the checksum. */
static void forged_details(void)
{
    static const char lines[] = "3 1 S p R\n3 2 S p R\n9 3 S p for\n9 4 S p \"other reasons\"\n";
    const pajesim_index_options apart = {1, 0};
    pajesim_index *index = &idx;
    pajesim_index copy;
    uint32_t number, i, more, tried = 0;
    const void *bytes;
    size_t saved;
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&idx, block, sizeof block, &apart) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&idx, &sim) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, reasons, sizeof reasons - 1, NULL) == PAJESIM_OK);
    for (i = 0; lines[i]; i = (uint32_t)(strchr(lines + i, '\n') - lines) + 1) {
        EXPECT(pajesim_feed(&sim, lines + i, strcspn(lines + i, "\n") + 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    }
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    for (number = 0; number < pajesim_index_count(&idx); number++)
        for (i = 0; i < PAJESIM__CHECKPOINT(number)->count; i++) {
            const pajesim__offset at = PAJESIM__END_RECORDS(number)[i].details;
            pajesim__end_details *details = PAJESIM__STORED(pajesim__end_details, at);
            const uint32_t fields = details->fields, head = sizeof(pajesim__block_head);
            if (!at)
                continue;
            for (more = 0; more <= 2 * head; more++, tried++) {
                if (more)
                    details->fields = pajesim__head_of(index, at)->size - head - (uint32_t)sizeof *details -
                                      details->records + more;
                bytes = pajesim_index_save(&idx, &saved);
                memcpy(other, bytes, saved);
                EXPECT(pajesim_index_load(&copy, other, sizeof other, saved) ==
                       (more ? PAJESIM_DAMAGED : PAJESIM_OK));
                details->fields = fields;
            }
        }
    EXPECT(tried > 0);
}

/* What is behind the end of an index that is said to be larger is not looked at, nor changed. */
static void forged_size(void)
{
    const pajesim__block_head behind = {64, 7};
    pajesim_index copy, *index = &copy;
    pajesim__image head;
    size_t saved;
    const void *bytes;
    make_index(1000, 0);
    bytes = pajesim_index_save(&idx, &saved);
    memcpy(other, bytes, saved);
    memcpy((char *)other + saved, &behind, sizeof behind);
    copy.memory = (unsigned char *)other;
    PAJESIM__INDEX->top += behind.size;
    head = pajesim__image_of(PAJESIM__INDEX_MAGIC, pajesim__index_fingerprint(), (uint32_t)saved,
                             copy.memory + sizeof head, saved - sizeof head);
    memcpy(other, &head, sizeof head);
    EXPECT(pajesim_index_load(&copy, other, sizeof other, saved) == PAJESIM_DAMAGED);
    EXPECT(memcmp(copy.memory + saved, &behind, sizeof behind) == 0);
}

/* An image of another place of the trace is refused, and nothing can be fed to it. */
static void misplaced_image(void)
{
    pajesim_index *index = &idx;
    make_index(100, 0);
    PAJESIM__CHECKPOINT(1)->offset++;
    EXPECT(pajesim_index_restore(&idx, 1, &sim, other, sizeof other, NULL, NULL) == PAJESIM_DAMAGED);
    EXPECT(pajesim_feed(&sim, "\n", 1, NULL) == PAJESIM_BUSY && pajesim_finish(&sim) == PAJESIM_BUSY);
}

/* Checkpoints are at the positions that were asked for, and can be found. */
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
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK);
    EXPECT(pajesim_index_count(&idx) == 1); /* nothing has changed */
    feed_lines();
    EXPECT(pajesim_index_count(&idx) == 1); /* by default they are far apart */
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    EXPECT(pajesim_index_checkpoint(&idx, 1, &it) && it.offset == trace_size);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
}

/* By default there is a checkpoint every 4 MiB, or every 24 arenas if that is more. */
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

/* A case with a large image, where 48 of them exceed 1 MiB. */
static void by_size(void)
{
    pajesim_index_options apart = {1, 0};
    pajesim_checkpoint it;
    char line[40];
    uint64_t from, most;
    int i;
    begin(NULL, NULL);
    feed_lines();
    for (i = 0; i < 1000; i++) {
        size_t size = (size_t)sprintf(line, "2 100 c%d P 0 \"number %d\"\n", i, i);
        EXPECT(pajesim_feed(&sim, line, size, NULL) == PAJESIM_OK);
    }
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK && pajesim_index_checkpoint(&idx, 1, &it));
    EXPECT(it.size >= pajesim_image_size(&sim) + 16 * 1003 && it.size < pajesim_image_size(&sim) + 100 * 1003);
    from = it.offset;
    most = 48 * (uint64_t)it.size + trace_size;
    while (pajesim_index_count(&idx) == 2 && pajesim_count(&sim)->bytes < from + most && !fault[0]) {
        EXPECT(pajesim_feed(&sim, trace + sizeof header - 1, trace_size - sizeof header + 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    }
    EXPECT(pajesim_index_checkpoint(&idx, 2, &it) && it.offset - from > 2 << 20 && it.offset - from < most);
    begin(NULL, &apart); /* an interval that the caller gives is used, whatever the size */
    feed_lines();
    EXPECT(pajesim_index_count(&idx) > 2 * SECONDS);
}

/* A resume with too little memory reports so, and succeeds with more; what was removed meanwhile is made again. */
static void resumed(void)
{
    pajesim_index_options apart = {0, 0};
    pajesim_status status = PAJESIM_FULL;
    size_t saved, size;
    const void *bytes;
    apart.bytes = trace_size / 2;
    begin(NULL, &apart);
    feed_lines();
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK);
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

static double values[2];

static int segment(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    if (entity->kind == PAJESIM_VARIABLE && entity->start == 1)
        values[entity->end == 4] = entity->number;
    return PAJESIM_GO_ON;
}

/* A variable changes in place between two checkpoints, and the index is resumed at the second one: at the first one its
 * value is known nevertheless, once the segment ends. */
static void changed_before_it_was_resumed(void)
{
    static const char *const lines[] = {
        "%EventDef PajeDefineVariableType 6\n% Name string\n% Type string\n%EndEventDef\n"
        "%EventDef PajeSetVariable 7\n% Time date\n% Type string\n% Container string\n% Value double\n%EndEventDef\n"
        "6 V 0\n7 1 V 0 5\n", "7 1 V 0 7\n", "7 4 V 0 9\n"};
    const pajesim_callbacks callbacks = of_closed(segment);
    uint32_t number, i;
    begin(NULL, NULL);
    for (i = 0; i < 2; i++) {
        EXPECT(pajesim_feed(&sim, lines[i], strlen(lines[i]), NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK);
    }
    EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, lines[2], strlen(lines[2]), NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
    for (number = 1; number < 3; number++) {
        values[0] = values[1] = 0;
        EXPECT(pajesim_index_restore(&idx, number, &sim, other, sizeof other, &callbacks, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_close_open(&idx, number, &sim, 0, 9) == PAJESIM_OK);
        EXPECT(values[0] == 0 && values[1] == 7);
    }
}

/* The last line is followed by a checkpoint even without a newline; an empty trace has none. */
static void last_lines(void)
{
    pajesim_index_options apart = {1 << 20, 0};
    begin(NULL, &apart);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 1);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "\xef\xbb", 2, NULL) == PAJESIM_OK); /* a part of a byte order mark is a bad line */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_INVALID && pajesim_index_count(&idx) == 3);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "\xef\xbb\xbf", 3, NULL) == PAJESIM_OK); /* a complete one is not */
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "#", 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 3);
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, "# \n", 3, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK && pajesim_index_count(&idx) == 2);
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

/* A saved index holds no bytes of uninitialized memory. */
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
        EXPECT(pajesim_feed(&sim, "3 1 S p R\n", 10, NULL) == PAJESIM_OK &&
               pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_OK);
        EXPECT(pajesim_feed(&sim, end, sizeof end - 1, NULL) == PAJESIM_OK);
        EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_OK);
        bytes = pajesim_index_save(&idx, &size);
        if (!round)
            memcpy(other, bytes, saved = size);
    }
    EXPECT(size == saved && memcmp(bytes, other, size) == 0);
}

/* With any number of checkpoints what is loaded is what was saved, to the byte; and that goes on with the next
 * checkpoint where it is due. */
static void saved_and_loaded(void)
{
    const pajesim_index_options apart = {60, 0};
    const char *lines = "3 1 S p R\n9 2 S p \"for a reason\"\n";
    pajesim_checkpoint it;
    size_t saved, size, at;
    uint32_t count;
    begin(NULL, &apart);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, reasons, sizeof reasons - 1, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
    for (count = 2; count < 70 && !fault[0]; count++) {
        EXPECT(pajesim_index_count(&idx) == count && pajesim_index_checkpoint(&idx, count - 1, &it));
        memcpy(other, pajesim_index_save(&idx, &saved), sizeof block);
        EXPECT(pajesim_index_load(&idx, block, sizeof block, saved) == PAJESIM_OK);
        EXPECT(memcmp(block, other, saved) == 0);
        EXPECT(memcmp(pajesim_index_save(&idx, &size), other, saved) == 0 && size == saved);
        EXPECT(pajesim_index_resume(&idx, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
        for (at = 0; pajesim_index_count(&idx) == count && !fault[0]; at += size) {
            EXPECT(pajesim_count(&sim)->bytes - it.offset == at && at < apart.bytes);
            size = strcspn(lines + at % strlen(lines), "\n") + 1;
            EXPECT(pajesim_feed(&sim, lines + at % strlen(lines), size, NULL) == PAJESIM_OK);
            EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_OK);
        }
        EXPECT(at >= apart.bytes);
    }
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

static int paused_once;

static int pausing(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    if (entity->kind != PAJESIM_CONTAINER || paused_once++)
        return PAJESIM_GO_ON;
    return PAJESIM_PAUSE;
}

/* pajesim_index_finish continues after a pause, and ends a stopped run without completing it. */
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

static int stops, pauses_left;

/* Stops once, and pauses when it is called again. */
static int stopping_once(pajesim *it, const pajesim_entity *entity)
{
    (void)it;
    (void)entity;
    return !stops++ ? PAJESIM_STOP : pauses_left-- > 0 ? PAJESIM_PAUSE : PAJESIM_GO_ON;
}

/* After a callback has stopped there are no more checkpoints: nothing could be fed from there. */
static void stopped(void)
{
    const pajesim_callbacks callbacks = of_closed(stopping_once);
    uint32_t count;
    stops = 0;
    pauses_left = 3;
    begin(&callbacks, NULL);
    EXPECT(pajesim_feed(&sim, trace, trace_size, NULL) == PAJESIM_STOPPED);
    count = pajesim_index_count(&idx);
    EXPECT(pajesim_index_step(&idx, &sim) == PAJESIM_STOPPED);
    EXPECT(pajesim_index_checkpoint_now(&idx, &sim) == PAJESIM_STOPPED && pajesim_index_count(&idx) == count);
    EXPECT(pajesim_index_finish(&idx, &sim) == PAJESIM_PAUSED && pajesim_index_step(&idx, &sim) == PAJESIM_STOPPED);
    while (pajesim_index_finish(&idx, &sim) == PAJESIM_PAUSED) {
    }
    EXPECT(pauses_left <= 0 && !pajesim_index_complete(&idx) && pajesim_index_count(&idx) == count);
}

/* Restores a checkpoint, and feeds what follows up to `end`, in pieces. */
static void feed_again(uint32_t number, const char *bytes, uint64_t end, size_t piece)
{
    uint64_t at;
    EXPECT(pajesim_index_restore(&idx, number, &sim, arena, sizeof arena, NULL, NULL) == PAJESIM_OK);
    for (at = pajesim_count(&sim)->bytes; at < end; at = pajesim_count(&sim)->bytes)
        EXPECT(pajesim_feed(&sim, bytes + at, end - at < piece ? (size_t)(end - at) : piece, NULL) == PAJESIM_OK);
}

/* What is fed again from a checkpoint on is compared with what was fed while the index was made. */
static void changed_bytes(void)
{
    static char changed[sizeof trace];
    pajesim_checkpoint first, last;
    uint32_t at = 3;
    size_t piece, byte;
    make_index(300, 0);
    EXPECT(pajesim_index_checkpoint(&idx, at, &first) && pajesim_index_checkpoint(&idx, at + 2, &last));
    for (piece = 1; piece < 140; piece++) {
        feed_again(at, trace, last.offset, piece);
        EXPECT(pajesim_index_check(&idx, at + 2, &sim) == PAJESIM_OK);
        EXPECT(pajesim_index_check(&idx, at + 1, &sim) == PAJESIM_STALE); /* it is behind that one */
    }
    memcpy(changed, trace, trace_size);
    for (byte = (size_t)first.offset; byte < last.offset; byte++) {
        if (trace[byte] == '\n')
            continue;
        changed[byte] ^= 1;
        feed_again(at, changed, last.offset, 100);
        EXPECT(pajesim_index_check(&idx, at + 2, &sim) == PAJESIM_STALE);
        EXPECT(pajesim_index_close_open(&idx, at + 2, &sim, -1, 1000) == PAJESIM_STALE);
        feed_again(at + 2, changed, last.offset, 100);
        EXPECT(pajesim_index_check(&idx, at + 2, &sim) == PAJESIM_OK);
        changed[byte] = trace[byte];
    }
    EXPECT(pajesim_init(&sim, arena, sizeof arena, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_check(&idx, 0, &sim) == PAJESIM_OK && pajesim_index_check(&idx, 1, &sim) == PAJESIM_STALE);
    EXPECT(pajesim_index_check(&idx, pajesim_index_count(&idx), &sim) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_check(NULL, 0, &sim) == PAJESIM_MISUSE);
    EXPECT(pajesim_index_check(&idx, 0, NULL) == PAJESIM_MISUSE);
}

int main(void)
{
    make_trace();
    test("arguments that are wrong", misuse);
    test("calls from within callbacks", within_callbacks);
    test("calls in the wrong order", wrong_order);
    test("an index of nothing", nothing_indexed);
    test("too little room for an index", room);
    test("too little room for what is known of ends", room_of_ends);
    test("forged details of ends", forged_details);
    test("a forged size", forged_size);
    test("an image of another place", misplaced_image);
    test("a checkpoint without room is tried again later", later);
    test("what is open at the end comes outer ones first", outer_ones_first);
    test("checkpoints are where they were wanted, and are found", checkpoints);
    test("a checkpoint is taken when it is asked for", taken);
    test("checkpoints without options", by_default);
    test("checkpoints of large images without options", by_size);
    test("an index is resumed", resumed);
    test("a value that changed before an index was resumed", changed_before_it_was_resumed);
    test("the last line", last_lines);
    test("links to what comes later, and to the root", ends_of_links);
    test("links into what comes later, and is deep", deep_ends);
    test("bytes that were changed are noticed when they are read again", changed_bytes);
    test("labels are saved", labels);
    test("any number of checkpoints is saved, loaded and resumed", saved_and_loaded);
    test("what is saved depends on the trace alone", same_bytes);
    test("serial numbers", serials);
    test("finish goes on after a pause, not after a stop", finished);
    test("no checkpoints after a stop", stopped);
    return failed;
}
