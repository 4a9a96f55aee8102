/* A simulation restored at any checkpoint continues as if it had never stopped; the ends in an index are the true ones;
 * windows show the same as a filtered full replay.
 * usage: travel [-v 1] [-n RANDOM] TRACE...     -v 1: also prints a sum of all that was seen (lib/sum.h) */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include "../lib/expect.h"
#include "../lib/sum.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "travel_forged.h"

static void report_of(const char *what, const char *path)
{
    const char *name = path + strlen(path);
    char text[300];
    int slashes = 0; /* the folder distinguishes traces of the same name */
    while (name > path && (name[-1] != '/' || ++slashes < 2))
        name--;
    snprintf(text, sizeof text, "%s %s", what, name);
    report("travel ", text);
}

static unsigned long windows_shown;

/* Feeds [from, to), as far as it goes, and then finishes. */
static void go_on(pajesim *sim, const trace *it, size_t from, pajesim_index *index, size_t step)
{
    size_t size;
    pajesim_status status = PAJESIM_OK;
    for (; from < it->size && status == PAJESIM_OK; from += size) {
        size = it->size - from < step ? it->size - from : step;
        status = pajesim_feed(sim, it->bytes + from, size, &size);
        if (index && status == PAJESIM_OK && (status = pajesim_index_step(index, sim)) == PAJESIM_FULL)
            status = PAJESIM_OK; /* one checkpoint less */
    }
    EXPECT(status == PAJESIM_OK);
    status = index ? pajesim_index_finish(index, sim) : pajesim_finish(sim);
    EXPECT(status == PAJESIM_OK || status == PAJESIM_INVALID || (index && status == PAJESIM_FULL));
}

static log_of whole, closings, log_now;

/* Before and behind all times, also in whole thousandths. */
#define FIRST ((pajesim_time)-1e18)
#define LAST ((pajesim_time)1e18)

/* What is saved of an index, and how much memory it would need where it had too little. */
static void sum_index(pajesim_index *index)
{
    size_t size;
    const void *bytes = pajesim_index_save(index, &size);
    sum_bytes(bytes, size);
    sum_number(pajesim_index_count(index));
    sum_number(pajesim_index_capacity_needed(index));
}

#define INDEX_ROOM (64u << 20)

/* Makes an index of a trace, with checkpoints this many bytes apart, and logs all closed entities in `closings`.
 * Returns NULL if it does not fit. */
static void *make_index(pajesim_index *index, const trace *it, const pajesim_options *options, size_t step, size_t size)
{
    pajesim_index_options apart = {0, 0};
    static pajesim sim;
    void *memory = room(size);
    pajesim_status status;
    apart.bytes = step;
    clear(&closings);
    EXPECT(pajesim_init(&sim, arena, ARENA, options, &only_closed, &closings) == PAJESIM_OK);
    status = pajesim_index_init(index, memory, size, &apart);
    if (status == PAJESIM_OK)
        status = pajesim_index_begin(index, &sim);
    if (status == PAJESIM_FULL && size < INDEX_ROOM) {
        free(memory);
        return NULL;
    }
    EXPECT(status == PAJESIM_OK);
    go_on(&sim, it, 0, index, step);
    sum_index(index);
    if (!pajesim_index_complete(index)) {
        free(memory);
        return NULL;
    }
    return memory;
}

/* At some positions: a plain image, restored elsewhere, continues as if nothing had happened. */
static void images(const trace *it, const pajesim_options *options)
{
    static unsigned char image[ARENA];
    static pajesim sim, second;
    size_t step = it->size / 150 + 1, from = 0, size;
    clear(&whole);
    clear(&log_now);
    pajesim_init(&sim, arena, ARENA, options, &all, &whole);
    go_on(&sim, it, 0, NULL, it->size);
    pajesim_init(&sim, arena, ARENA, options, &all, &log_now);
    for (; from < it->size && !fault[0]; from += size) {
        log_of rest = {NULL, 0, 0};
        size_t image_size;
        size = it->size - from < step ? it->size - from : step;
        EXPECT(pajesim_feed(&sim, it->bytes + from, size, &size) == PAJESIM_OK);
        image_size = pajesim_image_size(&sim);
        EXPECT(image_size <= sizeof image && pajesim_save(&sim, image, image_size) == PAJESIM_OK);
        sum_bytes(image, image_size);
        EXPECT(pajesim_restore(&second, other, ARENA, image, image_size, &all, &rest) == PAJESIM_OK);
        go_on(&second, it, from + size, NULL, it->size);
        expect_same("after an image", &rest, &whole, log_now.count);
        clear(&rest);
        free(rest.entries);
    }
}

/* Entities open at a checkpoint close as in the trace, in the same order, except for links without an end. */
static void expect_rest(const pajesim_index *index, uint32_t number, pajesim *sim, size_t before)
{
    pajesim__walk walk;
    size_t open = 0, i, k = before;
    memset(&walk, 0, sizeof walk);
    while (pajesim__walk_next(sim, &walk))
        open += walk.kind != PAJESIM_LINK ? walk.count : 0;
    EXPECT(pajesim_index_close_open(index, number, sim, FIRST, LAST) == PAJESIM_OK);
    for (i = 0; i < log_now.count; i++, k++) {
        open -= strncmp(log_now.entries[i].text, "closed Link", 11) != 0;
        while (k < closings.count && strcmp(log_now.entries[i].text, closings.entries[k].text) != 0)
            k++;
    }
    EXPECT(open == 0 && k <= closings.count);
}

/* At each checkpoint: compares the callbacks from there on. */
static void checkpoints(const trace *it, const pajesim_options *options)
{
    static pajesim sim;
    pajesim_index index;
    void *memory = make_index(&index, it, options, it->size / 100 + 1, INDEX_ROOM);
    uint32_t number;
    for (number = 0; number < pajesim_index_count(&index) && !fault[0]; number++) {
        pajesim_checkpoint checkpoint;
        size_t before, size;
        clear(&log_now);
        EXPECT(pajesim_index_checkpoint(&index, number, &checkpoint));
        pajesim_init(&sim, arena, ARENA, options, &only_closed, &log_now);
        EXPECT(pajesim_feed(&sim, it->bytes, (size_t)checkpoint.offset, &size) == PAJESIM_OK);
        EXPECT(pajesim_count(&sim)->events == checkpoint.events || checkpoint.offset == it->size);
        before = log_now.count;
        clear(&log_now);
        EXPECT(pajesim_index_restore(&index, number, &sim, other, ARENA, &only_closed, &log_now) == PAJESIM_OK);
        go_on(&sim, it, (size_t)checkpoint.offset, NULL, it->size);
        if (checkpoint.offset < it->size)
            expect_same("after a checkpoint", &log_now, &closings, before);
        clear(&log_now);
        EXPECT(pajesim_index_restore(&index, number, &sim, other, ARENA, &only_closed, &log_now) == PAJESIM_OK);
        expect_rest(&index, number, &sim, before);
    }
    free(memory);
}

/* A window and its memory. */
typedef struct view {
    pajesim_window window;
    pajesim_index *index;
    const pajesim_options *options;
    const trace *it;
    void *budget;
    size_t size;
} view;

static void begin_view(view *look, pajesim_index *index, const pajesim_options *options, const trace *it, size_t size)
{
    look->index = index;
    look->options = options;
    look->it = it;
    look->budget = room(size);
    look->size = size;
    EXPECT(pajesim_window_init(&look->window, look->budget, size, index, options, read_trace, (void *)(uintptr_t)it) ==
           PAJESIM_OK);
}

/* A window shows the closed entities that pass the filter, if necessary with the memory that it asks for. */
static void expect_window(view *look, pajesim_time from, pajesim_time to)
{
    log_of expected = {NULL, 0, 0};
    pajesim_status status;
    size_t i;
    char what[80];
    for (;;) {
        size_t needed;
        clear(&log_now);
        status = pajesim_window_show(&look->window, from, to, &only_closed, &log_now);
        needed = pajesim_window_capacity_needed(&look->window);
        sum_number((uint64_t)status);
        sum_number(needed);
        sum_number(pajesim_window_replayed(&look->window));
        if (status != PAJESIM_FULL || needed <= look->size)
            break;
        free(look->budget);
        begin_view(look, look->index, look->options, look->it, needed);
    }
    EXPECT(status == PAJESIM_OK);
    expected.entries = room((closings.count + 1) * sizeof *expected.entries);
    for (i = 0; i < closings.count; i++)
        if (!(closings.entries[i].end < from) && !(closings.entries[i].start > to))
            expected.entries[expected.count++] = closings.entries[i];
    snprintf(what, sizeof what, "window from %.17g to %.17g", (double)from, (double)to);
    expect_same(what, &log_now, &expected, 0);
    free(expected.entries);
}

/* Chooses two of the times in the trace. */
static void draw_range(pajesim_time *from, pajesim_time *to)
{
    const double second = PAJESIM_TIME_DECIMALS == PAJESIM_DOUBLE ? 1 : 1000;
    pajesim_time one = closings.entries[draw((uint32_t)closings.count)].start;
    pajesim_time two = draw(3) ? closings.entries[draw((uint32_t)closings.count)].end
                               : one + (pajesim_time)(draw(1000) * 1e-4 * second);
    *from = one < two ? one : two;
    *to = one < two ? two : one;
}

/* Shows random windows with random memory of indexes of all densities. */
static void windows(const trace *it, const pajesim_options *options, int count)
{
    static view look;
    pajesim_index index;
    size_t step = it->size / (2 + draw(200)) + 1, size = (40u << 10) + ((1u << 10) << draw(14)), i;
    size_t index_size = draw(2) ? INDEX_ROOM : (16u << 10) << draw(6);
    void *memory = make_index(&index, it, options, step, index_size);
    if (!memory)
        return;
    begin_view(&look, &index, options, it, size);
    for (i = 0; i < (size_t)count && closings.count && !fault[0]; i++) {
        pajesim_time from, to;
        uint64_t replayed;
        draw_range(&from, &to);
        expect_window(&look, from, to);
        replayed = pajesim_window_replayed(&look.window);
        expect_window(&look, from, to);
        expect_window(&look, from, from + (to - from) / 2);
        if (size > (8u << 20) && it->size < 100000) /* the shown range is held, and so is any range within it */
            EXPECT(pajesim_window_replayed(&look.window) == replayed);
        windows_shown += 3;
    }
    expect_window(&look, 1, 2);
    expect_window(&look, FIRST, LAST);
    free(memory);
    free(look.budget);
}

/* Resumes a complete index after bytes were added to the trace, wherever it ended, even within a line. */
static void grown(const trace *it, const pajesim_options *options)
{
    static view look;
    static pajesim sim;
    pajesim_index index;
    trace before = *it;
    void *memory;
    int i;
    before.size = sizeof header + draw((uint32_t)(it->size - sizeof header));
    memory = make_index(&index, &before, options, it->size / 20 + 1, INDEX_ROOM);
    clear(&closings);
    pajesim_init(&sim, arena, ARENA, options, &only_closed, &closings);
    go_on(&sim, it, 0, NULL, it->size);
    EXPECT(pajesim_index_resume(&index, &sim, arena, ARENA, NULL, NULL) == PAJESIM_OK);
    EXPECT(!pajesim_index_complete(&index));
    go_on(&sim, it, (size_t)pajesim_count(&sim)->bytes, &index, it->size / 20 + 1);
    sum_index(&index);
    begin_view(&look, &index, options, it, 1u << 20);
    for (i = 0; i < 10 && closings.count && !fault[0]; i++) {
        pajesim_time from, to;
        draw_range(&from, &to);
        expect_window(&look, from, to);
    }
    free(look.budget);
    free(memory);
}

/* Makes an index by the window, in steps; it is saved half-way and continues in another block. */
static void growing(const trace *it, const pajesim_options *options)
{
    static view look;
    static pajesim sim;
    pajesim_index_options apart = {0, 0};
    pajesim_index index;
    size_t size = 4u << 20, saved, block = 8u << 20;
    void *memory = room(block), *again = room(block);
    const void *bytes;
    int i;
    apart.bytes = it->size / (1 + draw(50)) + 1;
    clear(&closings);
    pajesim_init(&sim, arena, ARENA, options, &only_closed, &closings);
    go_on(&sim, it, 0, NULL, it->size);
    EXPECT(pajesim_index_init(&index, memory, block, &apart) == PAJESIM_OK);
    begin_view(&look, &index, options, it, size);
    for (i = 0; i < 4 && closings.count; i++) {
        pajesim_time from, to;
        draw_range(&from, &to);
        EXPECT(pajesim_window_extend(&look.window, draw((uint32_t)it->size), 0) == PAJESIM_OK);
        clear(&log_now);
        EXPECT(pajesim_window_show(&look.window, from, to, &only_closed, &log_now) == PAJESIM_OK);
        if (i == 1) {
            bytes = pajesim_index_save(&index, &saved);
            memcpy(again, bytes, saved);
            memset(memory, 0xa5, saved);
            EXPECT(pajesim_index_load(&index, again, block, saved) == PAJESIM_OK);
            free(look.budget);
            begin_view(&look, &index, options, it, size);
        }
    }
    EXPECT(pajesim_window_extend(&look.window, UINT64_MAX, 1) == PAJESIM_OK && pajesim_index_complete(&index));
    sum_index(&index);
    for (i = 0; i < 10 && closings.count && !fault[0]; i++) {
        pajesim_time from, to;
        draw_range(&from, &to);
        expect_window(&look, from, to);
    }
    expect_window(&look, FIRST, LAST);
    free(look.budget);
    free(memory);
    free(again);
}

/* An index that is damaged, or of something else, is refused. */
static void damage(const trace *it, const pajesim_options *options)
{
    pajesim_index index;
    unsigned char *memory = make_index(&index, it, options, it->size / 10 + 1, INDEX_ROOM), *copy;
    size_t size, i;
    const unsigned char *bytes = pajesim_index_save(&index, &size);
    pajesim_status status = PAJESIM_DAMAGED;
    copy = room(size + 8);
    memcpy(copy, bytes, size);
    EXPECT(pajesim_index_load(&index, copy, size + 8, size) == PAJESIM_OK && pajesim_index_complete(&index));
    for (i = 0; i < 2000 && (status == PAJESIM_DAMAGED || status == PAJESIM_INCOMPATIBLE); i++) {
        size_t where = i < 64 ? i % size : draw((uint32_t)size);
        unsigned char bit = (unsigned char)(1u << draw(8));
        copy[where] ^= bit;
        status = pajesim_index_load(&index, copy, size, size);
        copy[where] ^= bit;
    }
    EXPECT(status == PAJESIM_DAMAGED || status == PAJESIM_INCOMPATIBLE);
    for (i = 0; i < size; i += 1 + size / 500)
        EXPECT(pajesim_index_load(&index, copy, size, i) != PAJESIM_OK);
    EXPECT(pajesim_index_load(&index, copy, size + 8, size + 8) == PAJESIM_DAMAGED);
    copy[4] ^= 1;
    EXPECT(pajesim_index_load(&index, copy, size, size) == PAJESIM_INCOMPATIBLE); /* of another version */
    copy[4] ^= 1;
    for (i = 0; i < 4; i++) { /* of the other byte order */
        unsigned char byte = copy[i];
        if (i < 2) {
            copy[i] = copy[3 - i];
            copy[3 - i] = byte;
        }
    }
    EXPECT(pajesim_index_load(&index, copy, size, size) == PAJESIM_INCOMPATIBLE);
    EXPECT(pajesim_index_load(&index, memory, INDEX_ROOM, size) == PAJESIM_OK);
    free(copy);
    free(memory);
}

/* More and more containers: an index in a small block removes checkpoints, and keeps some; one that has no memory left
 * tries seldom. */
static void narrow(size_t block, int count, uint32_t least, int most_failures)
{
    static char text[100];
    static pajesim sim;
    pajesim_index_options apart = {1 << 10, 0};
    pajesim_index index;
    void *memory = room(block);
    int i, failures = 0;
    pajesim_status status;
    EXPECT(pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL) == PAJESIM_OK);
    EXPECT(pajesim_index_init(&index, memory, block, &apart) == PAJESIM_OK);
    EXPECT(pajesim_index_begin(&index, &sim) == PAJESIM_OK);
    EXPECT(pajesim_feed(&sim, header, sizeof header - 1, NULL) == PAJESIM_OK);
    for (i = 0; i < count && !fault[0]; i++) {
        int size = snprintf(text, sizeof text, "5 %d g%d G 0 Group%d me\n", i, i, i);
        EXPECT(pajesim_feed(&sim, text, (size_t)size, NULL) == PAJESIM_OK);
        status = pajesim_index_step(&index, &sim);
        EXPECT(status == PAJESIM_OK || status == PAJESIM_FULL);
        failures += status == PAJESIM_FULL;
        sum_number(pajesim_index_count(&index));
        sum_number(pajesim_index_capacity_needed(&index));
    }
    sum_index(&index);
    EXPECT(pajesim_index_count(&index) >= least && failures <= most_failures);
    free(memory);
}

static void run(const trace *it)
{
    images(it, NULL);
    report_of("images", it->name);
    checkpoints(it, NULL);
    report_of("checkpoints", it->name);
    windows(it, NULL, 20);
    report_of("windows", it->name);
    growing(it, NULL);
    report_of("growing index", it->name);
    damage(it, NULL);
    report_of("damaged index", it->name);
}

/* The cases above on generated traces. */
static void run_random(int count)
{
    static const struct {
        const char *name;
        int strict;
    } modes[] = {{"lenient", 0}, {"strict", 1}};
    size_t mode;
    int i;
    for (mode = 0; mode < 2; mode++) {
        pajesim_options options;
        memset(&options, 0, sizeof options);
        options.strict = modes[mode].strict;
        for (i = 0; i < count && !fault[0]; i++) {
            trace it = make_trace((uint32_t)i);
            if (i % 8 == 0) {
                images(&it, &options);
                checkpoints(&it, &options);
                damage(&it, &options);
            }
            windows(&it, &options, 20);
            growing(&it, &options);
            grown(&it, &options);
            free(it.bytes);
            if (fault[0])
                snprintf(fault + strlen(fault), sizeof fault - strlen(fault), " (trace %d)", i);
        }
        report_of("random traces", modes[mode].name);
    }
    printf("%s travel thousands of windows: %lu\n", windows_shown >= 1000 ? "PASS" : "FAIL", windows_shown);
}

/* A request of more than the largest block does not fit, and leaves nothing behind. */
static void requests_beyond_all_blocks(void)
{
    const pajesim__size largest = pajesim__class_size(PAJESIM__CLASSES - 1);
    pajesim__size size;
    pajesim sim;
    pajesim_init(&sim, arena, ARENA, NULL, NULL, NULL);
    for (size = largest; size <= 4 * largest; size += largest / 4) {
        const uint64_t top = sim.top;
        EXPECT(pajesim__class_of(size + 1) >= PAJESIM__CLASSES);
        pajesim__alloc(&sim, size + 1);
        EXPECT(!pajesim__fits(&sim) && sim.top > top + size);
        pajesim__rollback(&sim);
        EXPECT(sim.top == top);
    }
    report("travel ", "requests beyond all blocks");
}

int main(int argc, char **argv)
{
    int random = 60, tells = 0, i;
    set_callbacks();
    arena = room(ARENA);
    other = room(ARENA);
    for (i = 1; i + 1 < argc && argv[i][0] == '-'; i += 2)
        *(argv[i][1] == 'n' ? &random : &tells) = atoi(argv[i + 1]);
    for (; i < argc; i++) {
        trace it = load(argv[i]);
        run(&it);
        free(it.bytes);
    }
    run_random(random);
    narrow(3u << 20, 10000, 2, 0);
    report_of("narrow index", "some room");
    narrow(64u << 10, 10000, 1, 9); /* 300 KB, and steps of 1 KB that double each time */
    report_of("narrow index", "no room");
    unpack();
    slots_of_types_to_come();
    forged_trees();
    forged_links();
    forged_names();
    forged_definitions();
    forged_counts();
    forged_values();
    forged_states();
    forged_end();
    forged_open_definition();
    forged_free_lists();
    forged_queues();
    forged_files();
    requests_beyond_all_blocks();
    if (tells)
        print_sum();
    return failed;
}
