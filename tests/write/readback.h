/* Shared by tests of pajewrite.h: cases, a sink into memory, the calls that were made as text, and reading their trace
 * back by pajesim.h in strict mode. */
#ifndef TESTS_READBACK_H
#define TESTS_READBACK_H

#define PAJEWRITE_KINDS 31
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#ifndef READER_IS_LINKED
#define PAJESIM_IMPLEMENTATION
#endif
#include "pajesim.h"

#include "../lib/expect.h"

#include <inttypes.h>
#include <stdlib.h>

static void end_case(const char *name) { report("write/", name); }

static uint64_t seed = 1;
static uint64_t random64(void)
{
    uint64_t x = (seed += UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
static uint32_t below(uint32_t n) { return (uint32_t)(random64() % n); }
/* Returns a number of any magnitude. */
static uint64_t spread(void) { return random64() >> below(64); }

/* ------------------------------------------------------------------------------------------------
 * A sink into memory
 * --------------------------------------------------------------------------------------------- */

typedef struct memory {
    char *bytes;
    size_t size, room;
    int calls, fail_at; /* 0: never */
} memory;

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    memory *m = (memory *)data;
    if (!size || bytes[size - 1] != '\n')
        fail("the sink was given %zu bytes that are no whole lines", size);
    if (++m->calls == m->fail_at)
        return PAJEWRITE_E_SINK;
    if (m->fail_at && m->calls > m->fail_at)
        fail("the sink was called again after it failed");
    if (m->size + size > m->room) {
        m->room = (m->size + size) * 2;
        m->bytes = (char *)realloc(m->bytes, m->room);
        if (!m->bytes)
            exit(3);
    }
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
    return PAJEWRITE_OK;
}

/* Counts events, and definitions of events, among whole lines. */
static inline size_t records_of(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    size_t records = 0;
    for (; bytes < end; bytes++) {
        records += (*bytes >= '0' && *bytes <= '9') || (*bytes == '%' && bytes[1] == 'E' && bytes[2] == 'v');
        bytes = (const char *)memchr(bytes, '\n', (size_t)(end - bytes));
        if (!bytes)
            break;
    }
    return records;
}

/* ------------------------------------------------------------------------------------------------
 * The calls made: a line of text for each event, and its number
 * --------------------------------------------------------------------------------------------- */

typedef struct expected {
    char *text;
    double number;
    int has_number;
} expected;

static expected *calls;
static size_t call_count, call_room;

static void expect(const char *format, ...)
{
    va_list list;
    int size;
    if (call_count == call_room) {
        call_room = call_room * 2 + 1024;
        calls = (expected *)realloc(calls, call_room * sizeof *calls);
        if (!calls)
            exit(3);
    }
    va_start(list, format);
    size = vsnprintf(NULL, 0, format, list);
    va_end(list);
    calls[call_count].text = (char *)malloc((size_t)size + 1);
    va_start(list, format);
    vsnprintf(calls[call_count].text, (size_t)size + 1, format, list);
    va_end(list);
    calls[call_count].number = 0;
    calls[call_count++].has_number = 0;
}

static void expect_number(double number)
{
    calls[call_count - 1].number = number;
    calls[call_count - 1].has_number = 1;
}

static void forget_calls(void)
{
    while (call_count)
        free(calls[--call_count].text);
}

/* ------------------------------------------------------------------------------------------------
 * Reading it back
 * --------------------------------------------------------------------------------------------- */

static size_t read_count;
static int pending_links_pass; /* 1: they are not errors */
static int wants_errors; /* 1: errors are not reported */
static uint64_t errors;

/* Whether the Value of an event is the number of a variable. */
static int has_number(pajesim_event event)
{
#define ROW(code, name, kind, required, optional, function) \
    (event == PAJESIM_##code && (kind) == PAJESIM_VARIABLE && ((required) >> PAJESIM_VALUE & 1)) ||
    return PAJESIM_EVENTS(ROW) 0;
#undef ROW
}

static int read_line(pajesim *sim, const pajesim_line *line)
{
    static char text[1 << 18];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", pajesim_event_name(line->event));
    pajesim_field field;
    uint32_t i;
    const expected *e = &calls[read_count];
    for (i = 0; i < line->count && pajesim_line_field(sim, line, i, &field); i++) {
        int is_number = field.role == PAJESIM_VALUE && has_number(line->event);
        size += (size_t)snprintf(text + size, sizeof text - size, " %.*s=", (int)field.name.size, field.name.bytes);
        size += (size_t)snprintf(text + size, sizeof text - size, "%.*s", is_number ? 1 : (int)field.text.size,
                                 is_number ? "*" : field.text.bytes);
        if (field.role == PAJESIM_TIME) {
            char time[64];
            double number;
            snprintf(time, sizeof time, "%.*s", (int)field.text.size, field.text.bytes);
            number = strtod(time, NULL);
            if (number != line->time)
                fail("time %s is read as %.17g", time, line->time);
        }
    }
    if (read_count >= call_count)
        fail("a line that was not called: %s", text);
    else if (strcmp(text, e->text) != 0)
        fail("called: %s; read: %s", e->text, text);
    else if (e->has_number && memcmp(&e->number, &line->number, sizeof(double)) != 0)
        fail("%s: number %.17g is read as %.17g", text, e->number, line->number);
    read_count++;
    return PAJESIM_GO_ON;
}

static int read_problem(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    if (problem->code == PAJESIM_E_LINK_PENDING && pending_links_pass)
        return PAJESIM_GO_ON;
    if (problem->severity == PAJESIM_ERROR || problem->code != PAJESIM_E_LINK_BACKWARD) {
        errors++;
        if (!wants_errors)
            fail("line %" PRIu64 ": %s: %.*s", problem->line, problem->text, (int)problem->bytes.size,
                 problem->bytes.bytes);
    }
    return PAJESIM_GO_ON;
}

/* Replays a trace; `compare`: with the calls.  Returns how many lines had an effect. */
static inline uint64_t replay(const char *bytes, size_t size, int compare, int old_names)
{
    static uint64_t *arena;
    static size_t room = 1 << 20;
    pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    size_t taken;
    pajesim_status status;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&options, 0, sizeof options);
    options.strict = 1;
    options.old_names = old_names;
    callbacks.problem = read_problem;
    callbacks.line = compare ? read_line : NULL;
    read_count = 0;
    errors = 0;
    if (!arena)
        arena = (uint64_t *)malloc(room);
    pajesim_init(&sim, arena, room, &options, &callbacks, NULL);
    while ((status = pajesim_feed(&sim, bytes, size, &taken)) == PAJESIM_FULL || status == PAJESIM_OPEN) {
        bytes += taken;
        size -= taken;
        if (status == PAJESIM_OPEN) {
            pajesim_end_file(&sim);
        } else {
            room *= 2;
            arena = (uint64_t *)realloc(arena, room);
            sim.arena = (unsigned char *)arena; /* grown in place or moved: pajesim addresses it by offsets */
            pajesim_move(&sim, arena, room);
        }
    }
    status = pajesim_finish(&sim);
    if (status != PAJESIM_OK && !wants_errors && !pending_links_pass)
        fail("pajesim_finish returns %d", (int)status);
    if (compare && read_count != call_count)
        fail("%zu events were called, %zu read", call_count, read_count);
    return pajesim_count(&sim)->events;
}

#endif
