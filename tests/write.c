/* pajewrite.h, read back by pajesim.h in strict mode: what was called is what is read, event for event, whatever the
 * names, numbers, times, buffers and sinks are.
 *
 * usage: write            the cases
 *        write --trace    writes a trace of every kind of event, for other readers */
#define _POSIX_C_SOURCE 200809L
#include <unistd.h>
#define write test_write /* which is short, and interrupted, now and then */
static ssize_t test_write(int descriptor, const void *bytes, size_t size);
#ifndef PAJEWRITE_CHECK
#define PAJEWRITE_CHECK 1
#endif
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#undef write
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>

/* ------------------------------------------------------------------------------------------------
 * Cases
 * --------------------------------------------------------------------------------------------- */

static int failed_cases;
static char why[1024];

static void fail(const char *format, ...)
{
    va_list list;
    if (why[0])
        return;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
}

static void end_case(const char *name)
{
    if (why[0]) {
        printf("FAIL write/%s: %s\n", name, why);
        failed_cases++;
    } else {
        printf("PASS write/%s\n", name);
    }
    why[0] = 0;
}

static uint64_t seed = 1;
static uint64_t random64(void)
{
    uint64_t x = (seed += UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
static uint32_t below(uint32_t n) { return (uint32_t)(random64() % n); }
/* Of any magnitude. */
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

/* Lines, but each definition of an event counts as one. */
static size_t records_of(const char *bytes, size_t size)
{
    const char *end = bytes + size;
    size_t records = 0;
    for (; bytes < end; bytes++) {
        records += *bytes != '%' || bytes[1] == 'E';
        records -= end - bytes > 12 && memcmp(bytes, "%EndEventDef", 12) == 0;
        bytes = (const char *)memchr(bytes, '\n', (size_t)(end - bytes));
    }
    return records;
}

/* ------------------------------------------------------------------------------------------------
 * What was called: a line of text for each event, and its number
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
    char text[1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (call_count == call_room) {
        call_room = call_room * 2 + 1024;
        calls = (expected *)realloc(calls, call_room * sizeof *calls);
        if (!calls)
            exit(3);
    }
    calls[call_count].text = strdup(text);
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
static int pending_links_pass; /* 1: they are no error */
static int wants_errors; /* 1: errors are not told */
static uint64_t errors;

static int read_line(pajesim *sim, const pajesim_line *line)
{
    char text[2048];
    size_t size = (size_t)snprintf(text, sizeof text, "%s", pajesim_event_name(line->event));
    pajesim_field field;
    uint32_t i;
    const expected *e = &calls[read_count];
    for (i = 0; i < line->count && pajesim_line_field(sim, line, i, &field); i++) {
        int is_number = field.role == PAJESIM_VALUE && line->event >= PAJESIM_SET_VARIABLE &&
                        line->event <= PAJESIM_SUB_VARIABLE;
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

/* Replays a trace; `compare`: with what was called.  Answers how many lines took effect. */
static uint64_t replay(const char *bytes, size_t size, int compare, int old_names)
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
            sim.arena = (unsigned char *)arena; /* grown in place or not: pajesim addresses it by offsets */
            pajesim_move(&sim, arena, room);
        }
    }
    status = pajesim_finish(&sim);
    if (status != PAJESIM_OK && !wants_errors && !pending_links_pass)
        fail("pajesim_finish answers %d", (int)status);
    if (compare && read_count != call_count)
        fail("%zu events were called, %zu read", call_count, read_count);
    return pajesim_count(&sim)->events;
}

/* ------------------------------------------------------------------------------------------------
 * Random calls that make a valid trace
 * --------------------------------------------------------------------------------------------- */

static int without_files; /* 1: no PajeTraceFile */
static int without_end;   /* 1: nothing is destroyed at the end, only links are completed */
static int steady;        /* 1: nothing is created or destroyed on the way, and links have keys that are numbers */
static int flushes;       /* 1: pajewrite_flush now and then */

#define CONTAINERS 24
#define VALUES 6

static const pajewrite_type GROUP = {1}, THREAD = {1234567}, STATE = {1u << 27 | 3}, MARK = {31u << 27 | 99999},
                            GAUGE = {PAJEWRITE_TYPE_MAX}, LINK = {10};
static const uint64_t definitions = 19 + 4; /* of a program: those of the format, and its variants */

typedef struct program {
    pajewrite *w;
    uint64_t time, origin;
    uint32_t decimals;
    int replaces;
    struct {
        pajewrite_container container;
        int alive, depth, is_set;
        uint64_t created;
    } of[CONTAINERS];
    uint32_t next_container;
    uint64_t next_key, pending_count;
    struct {
        uint64_t key;
        pajewrite_value value;
        uint32_t other;
        int ended, named;
    } pending[64];
    pajewrite_variant sized, marked, placed, measured;
} program;

static uint32_t alias_of(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }

/* Every byte there is, and how it is written. */
static void random_name(char *name, char *written)
{
    uint32_t size = below(8) ? below(24) : below(90), i;
    for (i = 0; i < size; i++) {
        unsigned char c = (unsigned char)(below(3) ? 'a' + below(26) : 1 + below(255));
        name[i] = (char)c;
        written[i] = c < 32 || c == 127 || strchr("\"'%#,", c) ? '_' : (char)c;
    }
    name[size] = written[size] = 0;
    if (!size)
        strcpy(written, "_");
}

static const char *time_text(const program *p)
{
    static char text[64];
    uint64_t ticks = p->time - p->origin, second = 1;
    uint32_t i;
    for (i = 0; i < p->decimals; i++)
        second *= 10;
    if (p->decimals)
        snprintf(text, sizeof text, "%" PRIu64 ".%0*" PRIu64, ticks / second, (int)p->decimals, ticks % second);
    else
        snprintf(text, sizeof text, "%" PRIu64, ticks);
    return text;
}

static void pass_time(program *p)
{
    uint64_t step = below(4) ? below(1000) : below(30) ? spread() >> 34 : spread() >> 12;
    if (step < UINT64_MAX - p->time)
        p->time += step;
}

static void define(program *p)
{
    static const char *const colors[] = {"0.2 0.8 0.2", "1 0 0", "0.25 0.5 0.75 1", "33cc33"};
    char name[128], written[128];
    pajewrite *w = p->w;
    const pajewrite_type valued[] = {STATE, MARK, LINK};
    uint32_t i, k;
    random_name(name, written);
    pajewrite_define_container_type(w, GROUP, PAJEWRITE_ROOT_TYPE, name);
    expect("PajeDefineContainerType Alias=1 Type=0 Name=%s", written);
    pajewrite_define_container_type(w, THREAD, GROUP, NULL);
    expect("PajeDefineContainerType Alias=1234567 Type=1 Name=1234567");
    random_name(name, written);
    pajewrite_define_state_type(w, STATE, THREAD, name);
    expect("PajeDefineStateType Alias=3 Type=1234567 Name=%s", written);
    random_name(name, written);
    pajewrite_define_event_type(w, MARK, THREAD, name);
    expect("PajeDefineEventType Alias=99999 Type=1234567 Name=%s", written);
    random_name(name, written);
    pajewrite_define_variable_type(w, GAUGE, THREAD, name, "0.1 0.2 0.3");
    expect("PajeDefineVariableType Alias=134217727 Type=1234567 Name=%s Color=0.1 0.2 0.3", written);
    random_name(name, written);
    pajewrite_define_link_type(w, LINK, GROUP, THREAD, THREAD, name);
    expect("PajeDefineLinkType Alias=10 Type=1 StartContainerType=1234567 EndContainerType=1234567 Name=%s",
           written);
    for (k = 0; k < 3; k++)
        for (i = 1; i <= VALUES; i++) {
            const char *color = below(5) ? colors[below(4)] : NULL;
            random_name(name, written);
            name[0] = written[0] = 'v'; /* no number */
            if (written[1] == 0)
                name[1] = 0;
            pajewrite_define_value(w, PAJEWRITE_VALUE(i * 1000), valued[k], name, color);
            expect("PajeDefineEntityValue Alias=%u Type=%u Name=%s Color=%s", i * 1000, alias_of(valued[k]), written,
                   color ? color : "0.5 0.5 0.5");
        }
    p->sized = pajewrite_define_variant(w, PAJEWRITE_PUSH_STATE, "Size int, Mark string");
    p->marked = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "Tag hex,File string, Line int, When date");
    p->placed = pajewrite_define_variant(w, PAJEWRITE_CREATE_CONTAINER, "Color color");
    p->measured = pajewrite_define_variant(w, PAJEWRITE_END_LINK, "Bandwidth double");
}

static void create(program *p, uint32_t slot, pajewrite_type type, pajewrite_container parent)
{
    char name[128], written[128];
    pajewrite_container container;
    random_name(name, written);
    container.alias = p->next_container;
    p->next_container += 1 + (below(3) ? 0 : below(50000000));
    p->of[slot].container = container;
    p->of[slot].alive = 1;
    p->of[slot].depth = p->of[slot].is_set = 0;
    p->of[slot].created = p->time;
    if (below(4)) {
        pajewrite_create_container_at(p->w, p->time, container, type, parent, name);
        expect("PajeCreateContainer Time=%s Alias=%u Type=%u Container=%u Name=%s", time_text(p), container.alias,
               alias_of(type), parent.alias, written);
    } else {
        pajewrite_fields fields = pajewrite_fields_of(p->placed);
        pajewrite_event event;
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_CREATE_CONTAINER;
        event.time = p->time;
        event.container = container;
        event.type = type;
        event.other = parent;
        event.name = name;
        pajewrite_field_string(&fields, "1 0 1");
        pajewrite_write(p->w, &event, &fields);
        expect("PajeCreateContainer Time=%s Alias=%u Type=%u Container=%u Name=%s Color=1 0 1", time_text(p),
               container.alias, alias_of(type), parent.alias, written);
    }
}

static double random_double(void)
{
    uint64_t bits;
    double number;
    switch (below(5)) {
    case 0: return (double)below(1000000) / 100;
    case 1: return (double)(int64_t)spread() / 1000;
    case 2: return -(double)below(10) * 0.1;
    default:
        do {
            bits = random64();
            memcpy(&number, &bits, sizeof number);
        } while ((bits >> 52 & 0x7ff) == 0x7ff);
        return number;
    }
}

static void variable(program *p, uint32_t slot)
{
    static const char *const names[] = {"Set", "Add", "Sub"};
    pajewrite_container c = p->of[slot].container;
    uint32_t what = p->of[slot].is_set ? below(3) : 0;
    int64_t integer = below(2) ? (int64_t)spread() : -(int64_t)(spread() >> 1);
    double real = random_double();
    int is_real = (int)below(2);
    p->of[slot].is_set = 1;
    if (what && is_real)
        real = (double)below(1000) / 8;
    if (is_real) {
        if (what == 0)
            pajewrite_set_variable_double_at(p->w, p->time, c, GAUGE, real);
        else if (what == 1)
            pajewrite_add_variable_double_at(p->w, p->time, c, GAUGE, real);
        else
            pajewrite_sub_variable_double_at(p->w, p->time, c, GAUGE, real);
    } else {
        real = (double)integer;
        if (what == 0)
            pajewrite_set_variable_at(p->w, p->time, c, GAUGE, integer);
        else if (what == 1)
            pajewrite_add_variable_at(p->w, p->time, c, GAUGE, integer);
        else
            pajewrite_sub_variable_at(p->w, p->time, c, GAUGE, integer);
    }
    expect("Paje%sVariable Time=%s Container=%u Type=%u Value=*", names[what], time_text(p), c.alias, alias_of(GAUGE));
    expect_number(real);
}

/* The ends of a link are written in any order; `end`: the side that comes now. */
static void link_end(program *p, uint32_t slot, int end, uint64_t key, int named, pajewrite_value value)
{
    const pajewrite_container group = p->of[0].container, c = p->of[slot].container;
    char text[64], written[64];
    const char *side = end ? "EndContainer" : "StartContainer"; /* also for an old name */
    snprintf(text, sizeof text, named ? "key, %" PRIu64 "#" : "%" PRIu64, key);
    snprintf(written, sizeof written, named ? "key_ %" PRIu64 "_" : "%" PRIu64, key);
    if (end && !named && below(2)) {
        double rate = random_double();
        pajewrite_fields fields = pajewrite_fields_of(p->measured);
        pajewrite_event event;
        char number[64];
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_END_LINK;
        event.time = p->time;
        event.container = group;
        event.type = LINK;
        event.value = value;
        event.other = c;
        event.key = key;
        pajewrite_field_double(&fields, rate);
        *pajewrite__double(number, rate) = 0;
        pajewrite_write(p->w, &event, &fields);
        expect("PajeEndLink Time=%s Container=%u Type=10 Value=%u %s=%u Key=%s Bandwidth=%s", time_text(p), group.alias,
               value.alias, side, c.alias, written, number);
        return;
    }
    if (named)
        (end ? pajewrite_end_link_named_at : pajewrite_start_link_named_at)(p->w, p->time, group, LINK, value, c, text);
    else
        (end ? pajewrite_end_link_at : pajewrite_start_link_at)(p->w, p->time, group, LINK, value, c, key);
    expect("Paje%sLink Time=%s Container=%u Type=10 Value=%u %s=%u Key=%s", end ? "End" : "Start", time_text(p),
           group.alias, value.alias, side, c.alias, written);
}

static void complete_link(program *p, uint32_t i)
{
    link_end(p, p->pending[i].other, !p->pending[i].ended, p->pending[i].key, p->pending[i].named, p->pending[i].value);
    p->pending[i] = p->pending[--p->pending_count];
}

static void destroy(program *p, uint32_t slot)
{
    uint32_t i;
    for (i = 0; i < p->pending_count;)
        if (p->pending[i].other == slot)
            complete_link(p, i);
        else
            i++;
    pajewrite_destroy_container_at(p->w, p->time, p->of[slot].container, slot ? THREAD : GROUP);
    expect("PajeDestroyContainer Time=%s Name=%u Type=%u", time_text(p), p->of[slot].container.alias,
           alias_of(slot ? THREAD : GROUP));
    p->of[slot].alive = 0;
}

static void step(program *p)
{
    uint32_t slot = 1 + below(CONTAINERS - 1);
    pajewrite *w = p->w;
    pajewrite_container c;
    pajewrite_value value;
    pass_time(p);
    value.alias = 1000 * (1 + below(VALUES));
    if (!p->of[slot].alive && steady)
        return;
    if (!p->of[slot].alive) {
        create(p, slot, THREAD, p->of[0].container);
        return;
    }
    c = p->of[slot].container;
    switch (below(40)) {
    case 0:
        if (!steady)
            destroy(p, slot);
        break;
    case 1: case 2: case 3:
        pajewrite_set_state_at(w, p->time, c, STATE, value);
        expect("PajeSetState Time=%s Container=%u Type=3 Value=%u", time_text(p), c.alias, value.alias);
        p->of[slot].depth = 1;
        break;
    case 4: case 5:
        pajewrite_reset_state_at(w, p->time, c, STATE);
        expect("PajeResetState Time=%s Container=%u Type=3", time_text(p), c.alias);
        p->of[slot].depth = 0;
        break;
    case 6: case 7: case 8: {
        char name[128], written[128];
        int64_t size = (int64_t)random64() >> below(60);
        pajewrite_fields fields = pajewrite_fields_of(p->sized);
        pajewrite_event event;
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_PUSH_STATE;
        event.time = p->time;
        event.container = c;
        event.type = STATE;
        event.value = value;
        random_name(name, written);
        pajewrite_field_int(&fields, size);
        pajewrite_field_string(&fields, name);
        pajewrite_write(w, &event, &fields);
        expect("PajePushState Time=%s Container=%u Type=3 Value=%u Size=%" PRId64 " Mark=%s", time_text(p), c.alias,
               value.alias, size, written);
        p->of[slot].depth++;
        break;
    }
    case 9: {
        uint64_t tag = spread();
        pajewrite_fields fields = pajewrite_fields_of(p->marked);
        pajewrite_event event;
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_NEW_EVENT;
        event.time = p->time;
        event.container = c;
        event.type = MARK;
        event.value = value;
        pajewrite_field_hex(&fields, tag);
        pajewrite_field_string(&fields, "a file.c");
        pajewrite_field_int(&fields, INT64_MIN);
        pajewrite_field_double(&fields, 1.5);
        pajewrite_write(w, &event, &fields);
        expect("PajeNewEvent Time=%s Container=%u Type=99999 Value=%u Tag=0x%" PRIx64 " File=a file.c Line=%" PRId64
               " When=1.5", time_text(p), c.alias, value.alias, tag, INT64_MIN);
        break;
    }
    case 10: case 11: case 12: case 13:
        pajewrite_new_event_at(w, p->time, c, MARK, value);
        expect("PajeNewEvent Time=%s Container=%u Type=99999 Value=%u", time_text(p), c.alias, value.alias);
        break;
    case 14: case 15: case 16: case 17: case 18: case 19:
        variable(p, slot);
        break;
    case 20: case 21: case 22: case 23:
        if (p->pending_count < 64) {
            uint64_t n = p->pending_count++;
            p->pending[n].key = p->next_key;
            p->next_key += 1 + (below(4) ? 0 : spread() >> 14);
            p->pending[n].ended = below(4) == 0;
            p->pending[n].named = !steady && below(4) == 0;
            p->pending[n].value = value;
            p->pending[n].other = slot;
            link_end(p, slot, p->pending[n].ended, p->pending[n].key, p->pending[n].named, value);
            break;
        }
        /* fall through */
    case 24: case 25: case 26: case 27:
        if (p->pending_count)
            complete_link(p, below((uint32_t)p->pending_count));
        break;
    case 28: case 29: case 30: case 31: case 32: case 33:
        if (p->of[slot].depth) {
            pajewrite_pop_state_at(w, p->time, c, STATE);
            expect("PajePopState Time=%s Container=%u Type=3", time_text(p), c.alias);
            p->of[slot].depth--;
            break;
        }
        /* fall through */
    default:
        pajewrite_push_state_at(w, p->time, c, STATE, value);
        expect("PajePushState Time=%s Container=%u Type=3 Value=%u", time_text(p), c.alias, value.alias);
        p->of[slot].depth++;
    }
}

/* Writes a trace of some steps through a context, and expects it. */
static void run_program(pajewrite *w, uint64_t number, uint32_t steps)
{
    static program p;
    uint32_t i;
    memset(&p, 0, sizeof p);
    seed = number;
    p.w = w;
    p.origin = p.time = w->config.origin;
    p.decimals = w->decimals;
    p.next_container = 1;
    p.next_key = 1;
    forget_calls();
    pajewrite_header(w);
    define(&p);
    create(&p, 0, GROUP, PAJEWRITE_ROOT);
    for (i = 1; steady && i < 10; i++)
        create(&p, i, THREAD, p.of[0].container);
    for (i = 0; i < steps; i++) {
        step(&p);
        if (flushes && !below(100))
            pajewrite_flush(w);
    }
    while (p.pending_count)
        complete_link(&p, 0);
    if (without_end)
        return;
    for (i = CONTAINERS; i-- > 0;)
        if (p.of[i].alive)
            destroy(&p, i);
    if (without_files)
        return;
    pajewrite_trace_file(w, PAJEWRITE_ROOT, PAJEWRITE_ROOT_TYPE, "another file, \"quoted\"");
    expect("PajeTraceFile Container=0 Type=0 Filename=another file_ _quoted_");
}

static memory out;
static pajewrite_entry table[1000];
static char buffer[1 << 16];

static pajewrite_config config_of(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = to_memory;
    config.sink_data = &out;
    out.size = 0;
    out.calls = out.fail_at = 0;
    return config;
}

/* ------------------------------------------------------------------------------------------------
 * The cases
 * --------------------------------------------------------------------------------------------- */

static pajewrite w;
static char content[1 << 22];

static void round_trips(void)
{
    uint32_t i;
    for (i = 0; i < 120 && !why[0]; i++) {
        pajewrite_config config = config_of();
        pajewrite_status status;
        seed = i;
        config.decimals = i % 11;
        config.origin = i % 3 ? spread() >> 8 : 0;
        config.old_names = i % 7 == 6;
        config.alias_first = i % 5 ? 1 + below(1000) : 0;
        config.alias_step = below(4);
        if (i % 4 > 1) { /* the checking mode lets all of it through */
            config.table = table;
            config.table_entries = 1000;
        }
        pajewrite_init(&w, buffer, i % 2 ? sizeof buffer : 512, &config);
        run_program(&w, i, 1500);
        status = pajewrite_finish(&w);
        if (status)
            fail("status: %s", pajewrite_status_text(status));
        if (pajewrite_count(&w).written != call_count + definitions)
            fail("%zu events, %" PRIu64 " counted", call_count, pajewrite_count(&w).written);
        replay(out.bytes, out.size, 1, config.old_names);
    }
    end_case("round trip");
}

/* The whole header, under both sorts of names. */
static void old_names(void)
{
    static const char *const old[] = {"ContainerType", "EntityType", "SourceContainer", "DestContainer",
                                      "SourceContainerType", "DestContainerType"};
    char field[64];
    int names;
    size_t i;
    for (names = 0; names < 2; names++) {
        pajewrite_config config = config_of();
        config.old_names = names;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_header(&w);
        pajewrite_finish(&w);
        out.bytes[out.size] = 0;
        for (i = 0; i < sizeof old / sizeof *old; i++) {
            snprintf(field, sizeof field, "%% %s string\n", old[i]);
            if (!strstr(out.bytes, field) != !names)
                fail("field %s, old_names %d", old[i], names);
        }
    }
    end_case("old names");
}

static void extreme_times(void)
{
    static const uint64_t times[] = {0, 1, 999999999, 1000000000, 1000000001, 4294967295, 4294967296,
                                     UINT64_C(18446744073000000000), UINT64_MAX - 1, UINT64_MAX};
    uint32_t decimals, i, back;
    for (decimals = 1; decimals <= 10; decimals++) {
        pajewrite_config config = config_of();
        program p;
        memset(&p, 0, sizeof p);
        forget_calls();
        config.decimals = decimals;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        p.decimals = w.decimals;
        pajewrite_header(&w);
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "group");
        expect("PajeDefineContainerType Alias=1 Type=0 Name=group");
        for (back = 0; back < 2; back++) /* readers do not ask for order among creations */
            for (i = 0; i < 10; i++) {
                uint32_t alias = 1 + i + 10 * back;
                p.time = times[back ? 9 - i : i];
                pajewrite_create_container_at(&w, p.time, PAJEWRITE_CONTAINER(alias), GROUP, PAJEWRITE_ROOT, NULL);
                expect("PajeCreateContainer Time=%s Alias=%u Type=1 Container=0 Name=%u", time_text(&p), alias, alias);
            }
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 1, 0);
    }
    end_case("extreme times");
}

/* Every decimal from an integer, against division. */
static void decimals(void)
{
    uint64_t n;
    char text[16], wanted[32];
    for (n = 0; n < 1000000000; n += n % 1000 < 3 ? 1 : 89) {
        uint32_t rest = (uint32_t)n;
        int i;
        pajewrite__nine(text, (uint32_t)n);
        for (i = 9; i--; rest /= 10)
            if (text[i] != (char)('0' + rest % 10))
                fail("%" PRIu64 " is written as %.9s", n, text);
    }
    for (n = 0; n <= UINT32_MAX && !why[0]; n += n < 200000 ? 1 : 1 + n / 5000) {
        *pajewrite__u32(text, (uint32_t)n) = 0;
        snprintf(wanted, sizeof wanted, "%" PRIu64, n);
        if (strcmp(text, wanted) != 0)
            fail("%" PRIu64 " is written as %s", n, text);
    }
    for (n = 0; n < 100000 && !why[0]; n++) {
        char wide[32];
        uint64_t number = n < 10 ? UINT64_MAX - n : n < 20 ? (UINT64_C(1) << 32) - 5 + n - 10 : spread();
        *pajewrite__u64(wide, number) = 0;
        snprintf(wanted, sizeof wanted, "%" PRIu64, number);
        if (strcmp(wide, wanted) != 0)
            fail("%s is written as %s", wanted, wide);
        *pajewrite__i64(wide, (int64_t)number) = 0;
        snprintf(wanted, sizeof wanted, "%" PRId64, (int64_t)number);
        if (strcmp(wide, wanted) != 0)
            fail("%s is written as %s", wanted, wide);
    }
    end_case("decimals");
}

static void doubles(void)
{
    static const double given[] = {0.0, -0.0, 0.1, 0.3, 1e22, 1e23, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308,
                                   9007199254740993.0, 9007199253.999999, 0.000001, 0.0000005, 123456.789, 9.5, 1e15,
                                   9.999999999999999e22, 4.35, 2.5e-7, 99999999999999990.0, 9.9999999999999995e-1};
    uint32_t i;
    for (i = 0; i < 200000 && !why[0]; i++) {
        char text[64];
        double number = i < 2 * sizeof given / sizeof *given ? (i & 1 ? -given[i / 2] : given[i / 2]) : random_double();
        double ours, theirs;
        size_t size = (size_t)(pajewrite__double(text, number) - text);
        text[size] = 0;
        theirs = strtod(text, NULL);
        if (size > 24)
            fail("%s has %zu bytes", text, size);
        if (!pajesim_number(text, size, &ours) || memcmp(&ours, &number, sizeof ours) != 0 ||
            memcmp(&theirs, &number, sizeof ours) != 0)
            fail("%.17g is written as %s", number, text);
    }
    end_case("doubles");
}

/* A sequence that crosses the end of the buffer everywhere. */
static void buffer_sizes(void)
{
    pajewrite_config config = config_of();
    static char exact[4096];
    char *wanted;
    size_t wanted_size, size;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    run_program(&w, 5, 400);
    pajewrite_finish(&w);
    wanted_size = out.size;
    wanted = (char *)malloc(wanted_size);
    memcpy(wanted, out.bytes, wanted_size);
    for (size = PAJEWRITE_BUFFER_MIN; size < PAJEWRITE_BUFFER_MIN + 700 && !why[0]; size++) {
        config = config_of();
        memset(exact, '~', sizeof exact);
        pajewrite_init(&w, exact + 100, size, &config);
        run_program(&w, 5, 400);
        if (pajewrite_finish(&w))
            fail("buffer of %zu: status: %s", size, pajewrite_status_text(pajewrite_get_status(&w)));
        if (out.size != wanted_size || memcmp(out.bytes, wanted, wanted_size) != 0)
            fail("a buffer of %zu bytes makes another trace", size);
        if (exact[99] != '~' || exact[100 + size] != '~')
            fail("a buffer of %zu bytes is overrun", size);
    }
    free(wanted);
    for (size = 0; size < PAJEWRITE_BUFFER_MIN; size++) {
        config = config_of();
        if (pajewrite_init(&w, exact, size, &config) != PAJEWRITE_E_MISUSE)
            fail("a buffer of %zu bytes is accepted", size);
        run_program(&w, 5, 3);
        if (pajewrite_finish(&w) != PAJEWRITE_E_MISUSE || out.calls || pajewrite_count(&w).dropped != call_count + definitions)
            fail("a context that failed to begin writes");
    }
    end_case("buffer of every size");
}

static void failing_sinks(void)
{
    int n, calls_of_all = 1;
    char *wanted = NULL;
    size_t wanted_size = 0;
    for (n = 0; n <= calls_of_all && !why[0]; n++) {
        pajewrite_counts counts;
        pajewrite_status status;
        pajewrite_config config = config_of();
        out.fail_at = n;
        pajewrite_init(&w, buffer, 400, &config);
        run_program(&w, 6, 300);
        status = pajewrite_finish(&w);
        counts = pajewrite_count(&w);
        if (n == 0) {
            calls_of_all = out.calls;
            wanted_size = out.size;
            wanted = (char *)malloc(wanted_size);
            memcpy(wanted, out.bytes, wanted_size);
        }
        if (status != (n ? PAJEWRITE_E_SINK : PAJEWRITE_OK))
            fail("call %d fails, and the status is: %s", n, pajewrite_status_text(status));
        if (out.size > wanted_size || memcmp(out.bytes, wanted, out.size) != 0)
            fail("call %d fails, and what was taken before differs", n);
        if (counts.written != records_of(out.bytes, out.size))
            fail("call %d fails: %zu records taken, %" PRIu64 " counted", n, records_of(out.bytes, out.size),
                 counts.written);
        if (counts.written + counts.dropped != call_count + definitions || counts.refused)
            fail("call %d fails: %" PRIu64 " written and %" PRIu64 " dropped of %zu", n, counts.written, counts.dropped,
                 call_count);
    }
    free(wanted);
    end_case("sink that fails at its n-th call");
}

static int shorten;
static ssize_t test_write(int descriptor, const void *bytes, size_t size)
{
    union { const void *from; void *to; } bare; /* an iovec is not const */
    struct iovec piece;
    if (shorten) {
        if (!below(3)) {
            errno = EINTR;
            return -1;
        }
        size = 1 + below((uint32_t)(size < 50 ? size : 50));
    }
    bare.from = bytes;
    piece.iov_base = bare.to;
    piece.iov_len = size;
    return writev(descriptor, &piece, 1);
}

static void files(void)
{
    char path[] = "/tmp/pajewrite-XXXXXX";
    int descriptor = mkstemp(path);
    pajewrite_file file;
    pajewrite_config config = config_of();
    size_t size;
    FILE *stream;
    unlink(path);
    if (descriptor < 0) {
        fail("no temporary file");
    } else {
        pajewrite_file_init(&file, descriptor);
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, 1000, &config);
        shorten = 1;
        run_program(&w, 7, 1000);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        shorten = 0;
        size = (size_t)pread(descriptor, content, sizeof content, 0);
        replay(content, size, 1, 0);
        close(descriptor);
    }
    end_case("short and interrupted writes");

    stream = tmpfile();
    config.sink = pajewrite_to_stream;
    config.sink_data = stream;
    pajewrite_init(&w, buffer, 1000, &config);
    run_program(&w, 8, 1000);
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    rewind(stream);
    size = fread(content, 1, sizeof content, stream);
    fclose(stream);
    replay(content, size, 1, 0);
    end_case("FILE");

    descriptor = open("/dev/full", O_WRONLY);
    if (descriptor < 0) {
        printf("SKIP write/full disk: no /dev/full (install a system that has it)\n");
    } else {
        pajewrite_counts counts;
        pajewrite_file_init(&file, descriptor);
        config.sink = pajewrite_to_file;
        config.sink_data = &file;
        pajewrite_init(&w, buffer, 1000, &config);
        run_program(&w, 9, 100);
        if (pajewrite_finish(&w) != PAJEWRITE_E_SINK)
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        counts = pajewrite_count(&w);
        if (counts.written || counts.dropped != call_count + definitions)
            fail("%" PRIu64 " are said to be written, %" PRIu64 " dropped", counts.written, counts.dropped);
        close(descriptor);
        stream = fopen("/dev/full", "w");
        config.sink = pajewrite_to_stream;
        config.sink_data = stream;
        pajewrite_init(&w, buffer, 1000, &config);
        pajewrite_header(&w);
        if (pajewrite_finish(&w) != PAJEWRITE_E_SINK)
            fail("FILE: status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        fclose(stream);
        end_case("full disk");
    }
}

/* One call that is refused: its status, and nothing else. */
static void refused(const char *name, pajewrite_status wanted, uint64_t written)
{
    pajewrite_counts counts = pajewrite_count(&w);
    pajewrite_status status = pajewrite_finish(&w);
    if (status != wanted || counts.refused != 1 || counts.written != written || counts.dropped)
        fail("%s: status %s, %" PRIu64 " refused, %" PRIu64 " written, %" PRIu64 " dropped", name,
             pajewrite_status_text(status), counts.refused, counts.written, counts.dropped);
}

static void refusals(void)
{
    static const char *const names[] = {"a\"b", "a'b", "a%", "#a", "a,b", "\n", "", "a\tb", "\x7f", "\x01"};
    static const char *const colors[] = {"", "red", "1 2", "1 2 3 4 5", "1 2 3 ", "1,2,3", "12345", "1..2 3 4", " 1 2 3",
                                         "1 2 3\n", "1 . 3", "1  2 3", "12345g"};
    static const char *const variants[] = {"Size", "Size integer", "Size int,", "Si ze int", "Size int; X int", "Size  int",
                                           "A int, B int, C int, D int, E int, F int, G int, H int, I int, J int, K int, "
                                           "L int, M int, N int, O int, P int", "\"A\" int", "Size in", "Size intt"};
    pajewrite_config config;
    pajewrite_fields fields;
    pajewrite_event event;
    static char big[5000];
    uint32_t i;
#define FRESH() (config = config_of(), pajewrite_init(&w, buffer, 2000, &config))
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        config = config_of();
        config.names = PAJEWRITE_REFUSE;
        pajewrite_init(&w, buffer, 2000, &config);
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, names[i]);
        refused("name", PAJEWRITE_E_NAME, 0);
    }
    for (i = 0; i < sizeof colors / sizeof *colors; i++) {
        FRESH();
        pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "a", colors[i]);
        refused("color", PAJEWRITE_E_COLOR, 0);
    }
    for (i = 0; i < sizeof variants / sizeof *variants; i++) {
        FRESH();
        if (pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, variants[i]).number)
            fail("variant %s is accepted", variants[i]);
        refused("variant", PAJEWRITE_E_VARIANT, 0);
    }
    FRESH();
    memset(big, 'x', sizeof big - 1);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, big);
    refused("long name", PAJEWRITE_E_TOO_LONG, 0);

    FRESH();
    pajewrite_set_variable_double_at(&w, 1, PAJEWRITE_ROOT, GAUGE, strtod("inf", NULL));
    refused("infinity", PAJEWRITE_E_NUMBER, 0);
    FRESH();
    pajewrite_set_variable_double_at(&w, 1, PAJEWRITE_ROOT, GAUGE, strtod("nan", NULL));
    refused("not a number", PAJEWRITE_E_NUMBER, 0);
    config = config_of();
    config.origin = 1000;
    pajewrite_init(&w, buffer, 2000, &config);
    pajewrite_push_state_at(&w, 999, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    refused("before the origin", PAJEWRITE_E_TIME, 0);

    for (i = 0; i < 5; i++) {
        FRESH();
        fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int"));
        memset(&event, 0, sizeof event);
        event.kind = i == 0 ? PAJEWRITE_SET_STATE : PAJEWRITE_PUSH_STATE;
        if (i == 1)
            ;
        else if (i == 4)
            pajewrite_field_string(&fields, big);
        else
            pajewrite_field_int(&fields, 1);
        if (i == 2)
            pajewrite_field_int(&fields, 1);
        if (i == 3)
            fields.variant.number = 0;
        pajewrite_write(&w, &event, &fields);
        refused("fields", PAJEWRITE_E_FIELDS, 1);
    }
    config = config_of();
    config.alias_first = PAJEWRITE_TYPE_MAX;
    pajewrite_init(&w, buffer, 2000, &config);
    if (pajewrite_new_type_in(&w, 31).alias != UINT32_MAX || pajewrite_new_type(&w).alias)
        fail("types beyond the last alias");
    refused("aliases", PAJEWRITE_E_ALIASES, 0);
    FRESH();
    pajewrite_finish(&w);
    pajewrite_push_state_at(&w, 5, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    if (out.calls || pajewrite_count(&w).written || pajewrite_count(&w).dropped != 1)
        fail("an event after finish is written");
    end_case("refusals");
}

static void categories(void)
{
    pajewrite_config config = config_of();
    config.enabled_not = UINT32_C(1) << 31;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_new_event_at(&w, 1, PAJEWRITE_ROOT, MARK, PAJEWRITE_VALUE(1)); /* category 31 */
    PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1)) { /* category 1: 2 lines */
        PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1))
            pajewrite_disable(&w, UINT32_MAX); /* what was pushed is popped: 2 lines more */
        PAJEWRITE_SCOPE(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1)) {
            pajewrite_push_state_at(&w, 2, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
            pajewrite_set_variable_double_at(&w, 2, PAJEWRITE_ROOT, GAUGE, 1);
            pajewrite_start_link_named_at(&w, 2, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_ROOT, "x");
            pajewrite_enable(&w, UINT32_C(1) << 1);
        }
    }
    pajewrite_set_variable_at(&w, 3, PAJEWRITE_ROOT, GAUGE, 1); /* category 0: disabled */
    pajewrite_push_state_at(&w, 3, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    pajewrite_finish(&w);
    if (records_of(out.bytes, out.size) != 5 || pajewrite_count(&w).written != 5 || pajewrite_count(&w).dropped)
        fail("%zu lines: %.*s", records_of(out.bytes, out.size), (int)out.size, out.bytes);
    end_case("categories and scopes");
}

/* What is in a file. */
static size_t contents(const char *path)
{
    int descriptor = open(path, O_RDONLY);
    ssize_t size = descriptor < 0 ? -1 : pread(descriptor, content, sizeof content, 0);
    if (size < 0)
        fail("%s cannot be read", path);
    close(descriptor);
    return size < 0 ? 0 : (size_t)size;
}

static void maps(void)
{
    static const char path[] = "build/write-map.trace";
    pajewrite_map map;
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_status status;
    uint32_t i;
    size_t size;
    for (i = 0; i < 20 && !why[0]; i++) { /* windows of every number of pages */
        if (pajewrite_map_open(&map, path, i * 3000))
            fail("%s cannot be opened", path);
        config.room = pajewrite_map_room;
        config.room_data = &map;
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, i, 3000);
        status = pajewrite_finish(&w);
        if (status)
            fail("status: %s", pajewrite_status_text(status));
        size = contents(path);
        replay(content, size, 1, 0);
        if (size && content[size - 1] != '\n')
            fail("the file does not end with its last line");
    }
    end_case("mapped file");

    if (pajewrite_map_open(&map, "/dev/full", 0) == PAJEWRITE_OK) {
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, 1, 100);
        status = pajewrite_finish(&w);
        if (status != PAJEWRITE_E_SINK || pajewrite_count(&w).written ||
            pajewrite_count(&w).dropped != call_count + definitions)
            fail("full disk: status %s, %" PRIu64 " written", pajewrite_status_text(status), pajewrite_count(&w).written);
    }
    if (pajewrite_map_open(&map, "/nonexistent/x", 0) != PAJEWRITE_E_SINK ||
        (pajewrite_init(&w, NULL, 0, &config), pajewrite_finish(&w)) != PAJEWRITE_E_SINK)
        fail("a file that cannot be opened");
    unlink(path);
    end_case("mapped file that has no room");
}

static void killed(void)
{
    static const char path[] = "build/write-killed.trace", progress_path[] = "build/write-killed.count";
    uint32_t i;
    uint64_t most = 0;
    int progress_file = open(progress_path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    volatile uint64_t *progress;
    if (progress_file < 0 || ftruncate(progress_file, 4096) != 0)
        fail("%s cannot be written", progress_path);
    progress = (volatile uint64_t *)mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, progress_file, 0);
    for (i = 0; i < 40 && !why[0]; i++) {
        struct timespec pause = {0, 0};
        pid_t child;
        size_t size;
        uint64_t events;
        *progress = 0;
        fflush(stdout);
        child = fork();
        if (child == 0) {
            pajewrite_map map;
            pajewrite_config config = PAJEWRITE_CONFIG;
            uint64_t n;
            pajewrite_map_open(&map, path, 4096);
            config.room = pajewrite_map_room;
            config.room_data = &map;
            pajewrite_init(&w, NULL, 0, &config);
            pajewrite_header(&w);
            pajewrite_define_state_type(&w, STATE, PAJEWRITE_ROOT_TYPE, "state");
            pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
            for (n = 0;; n++) {
                if (n % 3 == 0)
                    pajewrite_push_state(&w, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1 + (uint32_t)n % 5));
                else if (n % 3 == 1)
                    pajewrite_set_variable(&w, PAJEWRITE_ROOT, GAUGE, (int64_t)(n * n * n));
                else
                    pajewrite_pop_state(&w, PAJEWRITE_ROOT, STATE);
                *progress = 2 + n + 1;
            }
        }
        pause.tv_nsec = 1000000 + (long)below(3000000);
        do
            nanosleep(&pause, NULL);
        while (!*progress && waitpid(child, NULL, WNOHANG) == 0);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        size = contents(path);
        if (memchr(content, 0, size))
            fail("there are NUL bytes in the file");
        events = size < sizeof content ? replay(content, size, 0, 0) : *progress;
        if (events < *progress || events > *progress + 1)
            fail("%" PRIu64 " events were written, %" PRIu64 " are in the file", (uint64_t)*progress, events);
        if (events > most)
            most = events;
    }
    if (most < 1000 && !why[0])
        fail("%" PRIu64 " events at most", most);
    close(progress_file);
    unlink(path);
    unlink(progress_path);
    end_case("mapped file of a process that was killed");
}

static void forks(void)
{
    static const char path[] = "build/write-fork.trace";
    int mapped;
    for (mapped = 0; mapped < 2; mapped++) {
        pajewrite_map map;
        pajewrite_file file;
        pajewrite_config config = PAJEWRITE_CONFIG;
        pid_t child;
        int answer = 0, descriptor = -1;
        if (mapped) {
            pajewrite_map_open(&map, path, 0);
            config.room = pajewrite_map_room;
            config.room_data = &map;
        } else {
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
            pajewrite_file_init(&file, descriptor);
            config.sink = pajewrite_to_file;
            config.sink_data = &file;
        }
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        run_program(&w, 4, 300);
        fflush(stdout);
        child = fork();
        if (child == 0) {
            uint32_t i;
            for (i = 0; i < 100000; i++)
                pajewrite_push_state(&w, PAJEWRITE_CONTAINER(77), STATE, PAJEWRITE_VALUE(1));
            _exit(pajewrite_finish(&w) == PAJEWRITE_E_FORKED ? 0 : 1);
        }
        waitpid(child, &answer, 0);
        if (answer != 0)
            fail("the child of a fork ends with %d", answer);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(content, contents(path), 1, 0);
        close(descriptor);
        unlink(path);
    }
    end_case("fork");
}

#ifdef PAJEWRITE_TSC
static void tsc(void)
{
    pajewrite_tsc clock;
    uint64_t last = 0, now = 0, i, before, after;
    pajewrite_tsc_init(&clock);
    for (i = 0; i < 3 && !why[0]; i++) {
        uint64_t end = pajewrite_monotonic(NULL) + 300000000;
        while (last < end && !why[0]) {
            now = pajewrite_tsc_now(&clock);
            if (now < last)
                fail("the clock goes back by %" PRIu64 " ns", last - now);
            last = now;
        }
        before = pajewrite_monotonic(NULL);
        now = pajewrite_tsc_now(&clock);
        after = pajewrite_monotonic(NULL);
        if (now + 100000 < before || now > after + 100000)
            fail("the clock is off by %" PRId64 " ns", (int64_t)(now - before));
    }
    end_case("time stamp counter");
}
#endif

static size_t count_lines(const char *start)
{
    size_t count = 0, i;
    for (i = 0; i < out.size; i++)
        count += (i == 0 || out.bytes[i - 1] == '\n') && out.size - i >= strlen(start) &&
                 memcmp(out.bytes + i, start, strlen(start)) == 0;
    return count;
}

static void finishing(void)
{
    uint32_t i;
    without_end = 1;
    for (i = 0; i < 50 && !why[0]; i++) {
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        run_program(&w, i, i * 10);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 0, 0);
        if (count_lines("16 ") + count_lines("42 ") != count_lines("17 "))
            fail("%zu containers are created, %zu destroyed", count_lines("16 ") + count_lines("42 "), count_lines("17 "));
    }
    without_end = 0;
    end_case("finish closes what is open");
}

#if PAJEWRITE_CHECK
/* What the checking mode refuses is what a strict reader refuses: calls of any sort, over few handles. */
static pajewrite_event random_call(uint64_t *time)
{
    static const pajewrite_type types[] = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}, {8}, {9}};
    static const char *const names[] = {NULL, "1", "2", "3", "name", "00"};
    static const char *const keys[] = {NULL, NULL, "a", "b"};
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    event.kind = (pajewrite_kind)(PAJEWRITE_DEFINE_CONTAINER_TYPE + (below(3) ? 6 + below(12) : below(8)));
    event.type = types[below(10)];
    event.of = types[below(4)];
    event.start_type = types[below(4)];
    event.end_type = types[below(4)];
    event.container.alias = below(7);
    event.other.alias = below(7);
    event.value.alias = 1 + below(3);
    event.integer = below(9);
    event.key = below(6);
    event.name = event.kind == PAJEWRITE_START_LINK || event.kind == PAJEWRITE_END_LINK ? keys[below(4)] : names[below(6)];
    if (event.kind == PAJEWRITE_DEFINE_VALUE) { /* not all readers refuse what was used before: none of that here */
        event.value.alias += 3;
        event.name = below(2) ? "5" : "name";
    }
    *time += below(3);
    event.time = *time - (below(10) ? 0 : below(4));
    return event;
}

static char *accepted;
static size_t accepted_size, accepted_room;
static int read_accepted(pajesim *sim, const pajesim_line *line)
{
    pajesim_field field;
    uint32_t i;
    if (accepted_size + 1000 > accepted_room) {
        accepted_room = accepted_room * 2 + 4096;
        accepted = (char *)realloc(accepted, accepted_room);
        if (!accepted)
            exit(3);
    }
    accepted_size += (size_t)snprintf(accepted + accepted_size, 100, "%s", pajesim_event_name(line->event));
    for (i = 0; i < line->count && pajesim_line_field(sim, line, i, &field); i++)
        accepted_size += (size_t)snprintf(accepted + accepted_size, 100, " %.*s", (int)field.text.size, field.text.bytes);
    accepted_size += (size_t)snprintf(accepted + accepted_size, 2, "\n");
    return PAJESIM_GO_ON;
}

static uint64_t told; /* errors and what is none */
static int read_error(pajesim *sim, const pajesim_problem *problem)
{
    (void)sim;
    if (problem->severity == PAJESIM_ERROR && problem->code != PAJESIM_E_LINK_PENDING && told++ == 0 && !wants_errors)
        fail("line %" PRIu64 ": %s: %.*s", problem->line, problem->text, (int)problem->bytes.size, problem->bytes.bytes);
    return PAJESIM_GO_ON;
}

/* The lines of a trace that a strict reader accepts, as text. */
static void accept_lines(const char *bytes, size_t size)
{
    static uint64_t arena[1 << 17];
    pajesim_callbacks callbacks;
    pajesim_options options;
    pajesim sim;
    memset(&callbacks, 0, sizeof callbacks);
    memset(&options, 0, sizeof options);
    options.strict = 1;
    callbacks.line = read_accepted;
    callbacks.problem = read_error;
    accepted_size = 0;
    told = 0;
    pajesim_init(&sim, arena, sizeof arena, &options, &callbacks, NULL);
    if (pajesim_feed(&sim, bytes, size, NULL) != PAJESIM_OK)
        fail("pajesim_feed fails");
    pajesim_finish(&sim);
}

static void checking(void)
{
    uint32_t i, j, refused_calls = 0, accepted_calls = 0;
    for (i = 0; i < 3000 && !why[0]; i++) {
        char *of_strict = NULL;
        size_t size_strict = 0;
        int checks;
        for (checks = 0; checks < 2; checks++) {
            uint64_t time = 10;
            pajewrite_config config = config_of();
            config.table = checks ? table : NULL;
            config.table_entries = 1000;
            seed = i;
            pajewrite_init(&w, buffer, sizeof buffer, &config);
            pajewrite_header(&w);
            pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "group");
            pajewrite_define_container_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_TYPE(1), "thread");
            for (j = 0; j < 150; j++) {
                pajewrite_event event = random_call(&time);
                pajewrite_write(&w, &event, NULL);
            }
            refused_calls += (uint32_t)pajewrite_count(&w).refused;
            pajewrite_flush(&w);
            wants_errors = !checks;
            accept_lines(out.bytes, out.size);
            wants_errors = 0;
            if (!checks) {
                size_strict = accepted_size;
                of_strict = (char *)malloc(size_strict + 1);
                memcpy(of_strict, accepted, size_strict + 1);
            } else if (accepted_size != size_strict || memcmp(accepted, of_strict, size_strict) != 0) {
                size_t k = 0, from = 0;
                while (k < size_strict && k < accepted_size && accepted[k] == of_strict[k])
                    from = accepted[k++] == '\n' ? k : from;
                fail("seed %u: of the same calls, strict readers accept %.70s; let through is %.70s", i,
                     of_strict + from, accepted + from);
            }
            accepted_calls += checks ? (uint32_t)pajewrite_count(&w).written : 0;
        }
        free(of_strict);
    }
    if (!why[0]) {
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_state_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "state");
        pajewrite_define_value(&w, PAJEWRITE_VALUE(5), PAJEWRITE_TYPE(1), "a", NULL);
        pajewrite_define_value(&w, PAJEWRITE_VALUE(6), PAJEWRITE_TYPE(1), "5", NULL);
        refused("name that is an alias", PAJEWRITE_E_VALUE, 2);
        config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_event_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "event");
        pajewrite_new_event(&w, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(7));
        pajewrite_define_value(&w, PAJEWRITE_VALUE(7), PAJEWRITE_TYPE(1), "late", NULL);
        refused("value after its use", PAJEWRITE_E_VALUE, 2);
    }
    if (!why[0] && (refused_calls < 1000 || accepted_calls < 1000))
        fail("%u calls refused, %u accepted", refused_calls, accepted_calls);
    end_case("checking mode refuses what a strict reader refuses");
}
#endif

/* A link is not completed where its other end is a container whose creation was dropped, or its key is text. */
static void dropping(void)
{
    uint32_t i;
    uint64_t dropped = 0, gaps = 0;
    flushes = 1;
    for (i = 0; i < 400 && !why[0]; i++) {
        pajewrite_config config = config_of();
        config.full = PAJEWRITE_DROP;
        config.table = table;
        config.table_entries = 1000;
        steady = i % 2;
        pending_links_pass = !steady;
        pajewrite_init(&w, buffer, (steady ? 6000 : 4000) + 30 * i, &config);
        run_program(&w, i, 1000);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        dropped += pajewrite_count(&w).dropped;
        gaps += count_lines("# dropped ");
        replay(out.bytes, out.size, 0, 0);
    }
    flushes = steady = pending_links_pass = 0;
    if (!why[0] && (dropped < 1000 || gaps < 100))
        fail("%" PRIu64 " dropped, in %" PRIu64 " gaps", dropped, gaps);
    end_case("what is left when some is dropped is valid");
}

static void full_table(void)
{
    size_t entries;
    for (entries = 0; entries < 200 && !why[0]; entries++) {
        pajewrite_status status;
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = entries;
        status = pajewrite_init(&w, buffer, sizeof buffer, &config);
        run_program(&w, 3, 500);
        status = pajewrite_finish(&w);
        if (entries < 16 && status != PAJEWRITE_E_MISUSE)
            fail("a table of %zu entries is accepted", entries);
        if (entries >= 16 && status != PAJEWRITE_E_TABLE_FULL && status != PAJEWRITE_OK)
            fail("status: %s", pajewrite_status_text(status));
        if (entries >= 16)
            replay(out.bytes, out.size, 1, 0);
    }
    end_case("table of every size");
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--trace") == 0) {
        pajewrite_config config = config_of();
        config.sink = pajewrite_to_stream;
        config.sink_data = stdout;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        without_files = 1;
        run_program(&w, argc > 2 ? strtoull(argv[2], NULL, 10) : 1, 3000);
        return pajewrite_finish(&w) != PAJEWRITE_OK;
    }
    decimals();
    doubles();
    round_trips();
    old_names();
    extreme_times();
    buffer_sizes();
    failing_sinks();
    files();
    refusals();
    categories();
    finishing();
#if PAJEWRITE_CHECK
    checking();
#endif
    dropping();
    full_table();
    maps();
    killed();
    forks();
#ifdef PAJEWRITE_TSC
    tsc();
#endif
    return failed_cases != 0;
}
