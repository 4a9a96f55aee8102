/* Travel in time: what is restored at any checkpoint goes on as if it had never stopped, the ends that an index knows are
 * the true ones, and windows show what filtering a full replay shows.
 * usage: travel TRACE... */
#ifndef PAJESIM_HEADER
#define PAJESIM_HEADER "pajesim.h"
#endif
#define PAJESIM_IMPLEMENTATION
#include PAJESIM_HEADER

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARENA (16u << 20)

static char fault[400];

#define EXPECT(condition) \
    do { \
        if (!(condition) && !fault[0]) \
            snprintf(fault, sizeof fault, "line %d: %s", __LINE__, #condition); \
    } while (0)

static int failed;

static void report(const char *what, const char *trace)
{
    const char *slash = strrchr(trace, '/');
    const char *name = slash ? slash + 1 : trace;
    if (fault[0])
        printf("FAIL travel %s %s: %s\n", what, name, fault);
    else
        printf("PASS travel %s %s\n", what, name);
    failed |= fault[0] != 0;
    fault[0] = 0;
}

/* ---- a log of what was told: one line for each callback */

typedef struct entry {
    char *text;
    double start, end;
} entry;

typedef struct log_of {
    entry *entries;
    size_t count, room;
    int all; /* 1: all callbacks, else `closed` only */
} log_of;

static char line[1 << 16];
static size_t at;

static void put(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    at += (size_t)vsnprintf(line + at, sizeof line - at, format, arguments);
    va_end(arguments);
    if (at >= sizeof line)
        at = sizeof line - 1;
}

static void put_text(const char *name, pajesim_text text)
{
    put(" %s=%.*s", name, (int)text.size, text.bytes);
}

static void put_fields(const pajesim *sim, const char *name, const pajesim_fields *fields)
{
    pajesim_field field;
    uint32_t i;
    for (i = 0; pajesim_user_field(sim, fields, i, &field); i++)
        put(" %s:%.*s(%d,%d)=%.*s", name, (int)field.name.size, field.name.bytes, (int)field.role, (int)field.type,
            (int)field.text.size, field.text.bytes);
}

static void put_container(const pajesim *sim, const char *name, pajesim_ref ref)
{
    put(" %s %u", name, (unsigned)pajesim_serial(sim, ref));
    put_text("alias", pajesim_alias(sim, ref));
    put_text("name", pajesim_name(sim, ref));
}

static void end_line(log_of *log, double start, double end)
{
    if (log->count == log->room) {
        log->room = 2 * log->room + 1024;
        log->entries = realloc(log->entries, log->room * sizeof *log->entries);
        if (!log->entries)
            exit(3);
    }
    log->entries[log->count].text = strcpy(malloc(at + 1), line);
    log->entries[log->count].start = start;
    log->entries[log->count++].end = end;
    at = 0;
}

static void clear(log_of *log)
{
    while (log->count)
        free(log->entries[--log->count].text);
}

static int put_entity(pajesim *sim, const char *what, const pajesim_entity *e)
{
    log_of *log = pajesim_data(sim);
    put("%s %s", what, pajesim_kind_name(e->kind));
    put(" %.17g %.17g %d", (double)e->start, (double)e->end, e->open);
    put_container(sim, "of", e->container);
    put_text("type", pajesim_name(sim, e->type));
    put_text("alias", pajesim_alias(sim, e->type));
    if (e->kind == PAJESIM_CONTAINER) {
        put_container(sim, "in", pajesim_parent(sim, e->container));
        put(" %.17g", (double)pajesim_start_of(sim, e->container));
    }
    if (e->kind == PAJESIM_STATE)
        put(" %u", (unsigned)e->imbrication);
    if (e->kind == PAJESIM_VARIABLE)
        put(" %.17g", (double)e->number);
    put_text("value", e->value_name);
    if (e->kind == PAJESIM_LINK) {
        put_container(sim, "from", e->start_container);
        put_container(sim, "to", e->end_container);
        put_text("key", e->key);
    }
    put_fields(sim, "opening", &e->opening);
    put_fields(sim, "closing", &e->closing);
    end_line(log, (double)e->start, (double)e->end);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *e)
{
    return put_entity(sim, "closed", e);
}

#define ENTRY(name) \
    static int name(pajesim *sim, const pajesim_entity *e) \
    { \
        return put_entity(sim, #name, e); \
    }
ENTRY(container_created)
ENTRY(container_destroyed)
ENTRY(state_set)
ENTRY(state_pushed)
ENTRY(state_popped)
ENTRY(state_reset)
ENTRY(variable_set)
ENTRY(variable_updated)
ENTRY(link_started)
ENTRY(link_ended)
ENTRY(link_completed)
ENTRY(event)

static int definition(pajesim *sim, const pajesim_definition *it)
{
    put("definition %u", (unsigned)it->fields);
    put_text("name", it->name);
    put_text("number", it->number);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int new_type(pajesim *sim, const pajesim_type_info *it)
{
    put("type %d", (int)it->kind);
    put_text("name", it->name);
    put_text("alias", it->alias);
    put_text("color", it->color);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int new_value(pajesim *sim, const pajesim_value_info *it)
{
    put("value %d", it->implicit);
    put_text("name", it->name);
    put_text("alias", it->alias);
    put_text("color", it->color);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *it)
{
    put("problem %d %d %lu %lu", (int)it->code, (int)it->severity, (unsigned long)it->line, (unsigned long)it->column);
    put_text("bytes", it->bytes);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static int finished(pajesim *sim)
{
    const pajesim_counts *counts = pajesim_count(sim);
    put("finished %lu %lu %lu %.17g %.17g", (unsigned long)counts->events, (unsigned long)counts->errors,
        (unsigned long)counts->warnings, (double)counts->first, (double)counts->last);
    end_line(pajesim_data(sim), 0, 0);
    return PAJESIM_GO_ON;
}

static pajesim_callbacks all, only_closed;

static void set_callbacks(void)
{
    all.definition = definition;
    all.problem = problem;
    all.new_type = new_type;
    all.new_value = new_value;
    all.container_created = container_created;
    all.container_destroyed = container_destroyed;
    all.state_set = state_set;
    all.state_pushed = state_pushed;
    all.state_popped = state_popped;
    all.state_reset = state_reset;
    all.variable_set = variable_set;
    all.variable_updated = variable_updated;
    all.link_started = link_started;
    all.link_ended = link_ended;
    all.link_completed = link_completed;
    all.event = event;
    all.closed = closed;
    all.finished = finished;
    only_closed.closed = closed;
}

/* What `log` has from `from` on is what `expected` has from `expected_from` on, of `count` entries. */
static void expect_same(const char *what, const log_of *log, const log_of *expected, size_t expected_from)
{
    size_t i;
    for (i = 0; !fault[0] && (i < log->count || i + expected_from < expected->count); i++) {
        const char *is = i < log->count ? log->entries[i].text : "nothing";
        const char *should = i + expected_from < expected->count ? expected->entries[i + expected_from].text : "nothing";
        if (strcmp(is, should) != 0)
            snprintf(fault, sizeof fault, "%s: entry %lu is `%.140s`, not `%.140s`", what, (unsigned long)i, is, should);
    }
}

/* ---- a trace in memory */

typedef struct trace {
    const char *name;
    char *bytes;
    size_t size;
} trace;

static size_t read_trace(void *data, uint64_t offset, const void **bytes, size_t most)
{
    const trace *it = data;
    size_t left = it->size - (size_t)offset;
    *bytes = it->bytes + offset;
    return left < most ? left : most;
}

static void *room(size_t size)
{
    void *block = malloc(size);
    if (!block)
        exit(3);
    return block;
}

static unsigned char *arena, *other;

/* Feeds [from, to), as far as that goes, and then ends. */
static void go_on(pajesim *sim, const trace *it, size_t from, pajesim_index *index, size_t step)
{
    size_t size;
    pajesim_status status = PAJESIM_OK;
    for (; from < it->size && status == PAJESIM_OK; from += size) {
        size = it->size - from < step ? it->size - from : step;
        status = pajesim_feed(sim, it->bytes + from, size, &size);
        if (index && status == PAJESIM_OK)
            status = pajesim_index_step(index, sim);
    }
    EXPECT(status == PAJESIM_OK);
    status = index ? pajesim_index_finish(index, sim) : pajesim_finish(sim);
    EXPECT(status == PAJESIM_OK || status == PAJESIM_INVALID);
}

static log_of whole, closings, log_now;

/* An index of a trace, with checkpoints so many bytes apart. */
static void *make_index(pajesim_index *index, const trace *it, const pajesim_options *options, size_t step, size_t size)
{
    pajesim_index_options apart = {0, 0};
    static pajesim sim;
    void *memory = room(size);
    apart.bytes = step;
    EXPECT(pajesim_index_init(index, memory, size, &apart) == PAJESIM_OK);
    EXPECT(pajesim_init(&sim, arena, ARENA, options, &only_closed, &closings) == PAJESIM_OK);
    clear(&closings);
    EXPECT(pajesim_index_begin(index, &sim) == PAJESIM_OK);
    go_on(&sim, it, 0, index, step);
    EXPECT(pajesim_index_complete(index));
    return memory;
}

/* At each of some places: a plain image, restored elsewhere, goes on as if nothing had happened. */
static void images(const trace *it, const pajesim_options *options)
{
    static pajesim sim, second;
    size_t step = it->size / 150 + 1, from = 0, size, before;
    pajesim_init(&sim, arena, ARENA, options, &all, &whole);
    clear(&whole);
    go_on(&sim, it, 0, NULL, it->size);
    pajesim_init(&sim, arena, ARENA, options, &all, &log_now);
    clear(&log_now);
    while (from < it->size && !fault[0]) {
        static unsigned char image[ARENA];
        size_t image_size;
        before = log_now.count;
        size = it->size - from < step ? it->size - from : step;
        EXPECT(pajesim_feed(&sim, it->bytes + from, size, &size) == PAJESIM_OK);
        from += size;
        before = log_now.count;
        image_size = pajesim_image_size(&sim);
        EXPECT(image_size <= sizeof image && pajesim_save(&sim, image, image_size) == PAJESIM_OK);
        {
            log_of rest = {0, 0, 0, 0};
            EXPECT(pajesim_restore(&second, other, ARENA, image, image_size, &all, &rest) == PAJESIM_OK);
            go_on(&second, it, from, NULL, it->size);
            expect_same("after an image", &rest, &whole, before);
            clear(&rest);
            free(rest.entries);
        }
    }
    report("images", it->name);
}

/* At each checkpoint: what it knows to come, and what comes from there on. */
static void ends(const trace *it, const pajesim_options *options)
{
    static pajesim sim;
    pajesim_index index;
    void *memory = make_index(&index, it, options, it->size / 100 + 1, 64u << 20);
    uint32_t number;
    for (number = 0; number < pajesim_index_count(&index) && !fault[0]; number++) {
        pajesim_checkpoint checkpoint;
        size_t size, before = 0;
        clear(&log_now);
        pajesim_init(&sim, arena, ARENA, options, &only_closed, &log_now);
        EXPECT(pajesim_index_checkpoint(&index, number, &checkpoint));
        EXPECT(pajesim_feed(&sim, it->bytes, (size_t)checkpoint.offset, &size) == PAJESIM_OK);
        before = log_now.count;
        clear(&log_now);
        EXPECT(pajesim_index_restore(&index, number, &sim, other, ARENA, &only_closed, &log_now) == PAJESIM_OK);
        go_on(&sim, it, (size_t)checkpoint.offset, NULL, it->size);
        expect_same("after a checkpoint", &log_now, &closings, before);
    }
    free(memory);
    report("ends", it->name);
}

static uint32_t seed = 1;

static uint32_t draw(uint32_t below)
{
    seed = seed * UINT32_C(1664525) + UINT32_C(1013904223);
    return (uint32_t)(((uint64_t)seed * below) >> 32);
}

static void expect_window(pajesim_window *window, const trace *it, double from, double to)
{
    log_of expected = {0, 0, 0, 0};
    size_t i;
    char what[80];
    (void)it;
    clear(&log_now);
    EXPECT(pajesim_window_show(window, from, to, &only_closed, &log_now) == PAJESIM_OK);
    for (i = 0; i < closings.count; i++)
        if (!(closings.entries[i].end < from) && !(closings.entries[i].start > to)) {
            if (expected.count == expected.room) {
                expected.room = 2 * expected.room + 64;
                expected.entries = realloc(expected.entries, expected.room * sizeof *expected.entries);
            }
            expected.entries[expected.count++] = closings.entries[i];
        }
    snprintf(what, sizeof what, "window from %.17g to %.17g", from, to);
    expect_same(what, &log_now, &expected, 0);
    free(expected.entries);
}

static void windows(const trace *it, const pajesim_options *options)
{
    pajesim_index index;
    static pajesim_window window;
    size_t step = it->size / (10 + draw(200)) + 1, size = (64u << 10) << draw(8), i;
    void *memory = make_index(&index, it, options, step, 64u << 20), *budget = room(size);
    EXPECT(pajesim_window_init(&window, budget, size, &index, options, read_trace, (void *)(uintptr_t)it) == PAJESIM_OK);
    for (i = 0; i < 100 && closings.count && !fault[0]; i++) {
        double from = closings.entries[draw((uint32_t)closings.count)].start;
        double to = draw(2) ? closings.entries[draw((uint32_t)closings.count)].end : from;
        if (from > to) {
            double third = from;
            from = to;
            to = third;
        }
        expect_window(&window, it, from, to);
        if (size >= 4u << 20) { /* all of it fits: what was shown is held, and so is what lies within */
            uint64_t replayed = pajesim_window_replayed(&window);
            expect_window(&window, it, from, to);
            expect_window(&window, it, from, from + (to - from) / 2);
            EXPECT(pajesim_window_replayed(&window) == replayed);
        }
    }
    expect_window(&window, it, -1e300, 1e300);
    free(memory);
    free(budget);
    report("windows", it->name);
}

static void run(const trace *it, const pajesim_options *options)
{
    images(it, options);
    ends(it, options);
    windows(it, options);
}

static trace load(const char *name)
{
    trace it = {NULL, NULL, 0};
    FILE *file = fopen(name, "rb");
    long size;
    if (!file) {
        perror(name);
        exit(3);
    }
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    it.name = name;
    it.size = (size_t)size;
    it.bytes = room(it.size + 1);
    if (fread(it.bytes, 1, it.size, file) != it.size)
        exit(3);
    fclose(file);
    return it;
}

int main(int argc, char **argv)
{
    int i;
    set_callbacks();
    arena = room(ARENA);
    other = room(ARENA);
    for (i = 1; i < argc; i++) {
        trace it = load(argv[i]);
        run(&it, NULL);
        free(it.bytes);
    }
    return failed;
}
