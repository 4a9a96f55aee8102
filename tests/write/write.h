/* Shared by tests of pajewrite.h: random calls that make a valid trace, and the context, buffers and sink of a case. */
#ifndef TESTS_WRITE_H
#define TESTS_WRITE_H

#include "readback.h"

static int without_files; /* 1: no PajeTraceFile */
static int without_end;   /* 1: nothing is destroyed at the end, only links are completed */
static int steady;        /* 1: nothing is created or destroyed on the way, and keys of links are numbers */
static int flushes;       /* 1: pajewrite_flush now and then */

#define CONTAINERS 24
#define VALUES 6

static const pajewrite_type GROUP = {1}, THREAD = {1234567}, STATE = {1u << 27 | 3}, MARK = {31u << 27 | 99999},
                            GAUGE = {PAJEWRITE_TYPE_MAX}, LINK = {10};
static const uint64_t definitions = 19 + 8; /* event numbers: those of the format, and its variants */

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
    pajewrite_variant pushed, told, counted, sent; /* integers only */
} program;

static uint32_t alias_of(pajewrite_type type) { return type.alias & PAJEWRITE_TYPE_MAX; }

/* Writes a name as the trace has it. */
static void replace(char *written, const char *name)
{
    size_t i;
    for (i = 0; name[i]; i++) {
        unsigned char c = (unsigned char)name[i];
        written[i] = c < 32 || c == 127 || strchr("\"'%#,", c) ? '_' : name[i];
    }
    written[i] = 0;
    if (!i)
        strcpy(written, "_");
}

/* All bytes, and how they are written. */
static void random_name(char *name, char *written)
{
    uint32_t size = below(8) ? below(24) : below(90), i;
    for (i = 0; i < size; i++)
        name[i] = (char)(below(3) ? 'a' + below(26) : 1 + below(255));
    name[size] = 0;
    replace(written, name);
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
            name[0] = written[0] = 'v'; /* not a number */
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
    p->pushed = pajewrite_define_variant(w, PAJEWRITE_PUSH_STATE, "Size int, Rank int");
    p->told = pajewrite_define_variant(w, PAJEWRITE_NEW_EVENT, "A int,B int,C int,D int,E int,F int,G int,H int,I int,"
                                       "J int,K int");
    p->counted = pajewrite_define_variant(w, PAJEWRITE_ADD_VARIABLE, "Line int");
    p->sent = pajewrite_define_variant(w, PAJEWRITE_START_LINK, "Bytes int, Tag int, Rank int");
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

/* Writes an event with integer fields, and expects it to be read as `text` and the fields of these names. */
static void with_ints(program *p, pajewrite_event *event, pajewrite_variant variant, const char *names,
                      const char *text)
{
    static const int64_t limits[] = {0, -1, INT64_MIN, INT64_MAX, 9, 10, 99, 100, 999, 1000, -9999, -10000};
    int64_t numbers[12];
    char all[1024];
    size_t size = (size_t)snprintf(all, sizeof all, "%s", text);
    uint32_t i, magnitude = variant.fields > 3 || below(3) ? 32 + below(32) : 0;
    for (i = 0; i < variant.fields; i++) {
        const char *end = strchr(names, ' ');
        int length = end ? (int)(end - names) : (int)strlen(names);
        numbers[i] = below(4) ? (int64_t)random64() >> magnitude : limits[below(12)];
        size += (size_t)snprintf(all + size, sizeof all - size, " %.*s=%" PRId64, length, names, numbers[i]);
        names = end ? end + 1 : names + length;
    }
    event->time = p->time;
    pajewrite_write_ints(p->w, event, variant, numbers, variant.fields);
    expect("%s", all);
}

static double random_double(void)
{
    uint64_t bits;
    double number;
    switch (below(6)) {
    case 0: return (double)below(1000000) / 100;
    case 1: return (double)(int64_t)spread() / 1000;
    case 2: return -(double)below(10) * 0.1;
    case 3: /* subnormal */
        bits = random64() >> (12 + below(52)) | (uint64_t)below(2) << 63;
        memcpy(&number, &bits, sizeof number);
        return number;
    default:
        do {
            bits = random64();
            memcpy(&number, &bits, sizeof number);
        } while ((bits >> 52 & 0x7ff) == 0x7ff);
        return number;
    }
}

static const pajewrite_track *track_of(program *p, pajewrite_container container, pajewrite_type type)
{
    static pajewrite_track track;
    pajewrite_track_init(&track, p->w, container, type);
    return &track;
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
    if (!is_real && what == 1 && below(2)) {
        pajewrite_event event = PAJEWRITE__ZERO;
        char text[256];
        event.kind = PAJEWRITE_ADD_VARIABLE;
        event.container = c;
        event.type = GAUGE;
        event.integer = integer;
        snprintf(text, sizeof text, "PajeAddVariable Time=%s Container=%u Type=%u Value=*", time_text(p), c.alias,
                 alias_of(GAUGE));
        with_ints(p, &event, p->counted, "Line", text);
        expect_number((double)integer);
        return;
    }
    if (is_real) {
        if (what == 0)
            pajewrite_set_variable_double_at(p->w, p->time, c, GAUGE, real);
        else if (what == 1)
            pajewrite_add_variable_double_at(p->w, p->time, c, GAUGE, real);
        else
            pajewrite_sub_variable_double_at(p->w, p->time, c, GAUGE, real);
    } else {
        real = (double)integer;
        if (what == 0 && below(2))
            pajewrite_track_set_variable_at(track_of(p, c, GAUGE), p->time, integer);
        else if (what == 0)
            pajewrite_set_variable_at(p->w, p->time, c, GAUGE, integer);
        else if (what == 1)
            pajewrite_add_variable_at(p->w, p->time, c, GAUGE, integer);
        else
            pajewrite_sub_variable_at(p->w, p->time, c, GAUGE, integer);
    }
    expect("Paje%sVariable Time=%s Container=%u Type=%u Value=*", names[what], time_text(p), c.alias, alias_of(GAUGE));
    expect_number(real);
}

/* Writes the ends of a link in any order; `end`: the next side. */
static void link_end(program *p, uint32_t slot, int end, uint64_t key, int named, pajewrite_value value)
{
    const pajewrite_container group = p->of[0].container, c = p->of[slot].container;
    char text[64], written[64];
    const char *side = end ? "EndContainer" : "StartContainer"; /* for old names, too */
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
        *pajewrite__put_double(number, rate) = 0;
        pajewrite_write(p->w, &event, &fields);
        expect("PajeEndLink Time=%s Container=%u Type=10 Value=%u %s=%u Key=%s Bandwidth=%s", time_text(p), group.alias,
               value.alias, side, c.alias, written, number);
        return;
    }
    if (!end && below(3) == 0) {
        pajewrite_event event = PAJEWRITE__ZERO;
        char start[256];
        event.kind = PAJEWRITE_START_LINK;
        event.container = group;
        event.type = LINK;
        event.value = value;
        event.other = c;
        event.key = key;
        event.name = named ? text : NULL;
        snprintf(start, sizeof start, "PajeStartLink Time=%s Container=%u Type=10 Value=%u %s=%u Key=%s", time_text(p),
                 group.alias, value.alias, side, c.alias, written);
        with_ints(p, &event, p->sent, "Bytes Tag Rank", start);
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
        if (below(2))
            pajewrite_set_state_at(w, p->time, c, STATE, value);
        else
            pajewrite_track_set_state_at(track_of(p, c, STATE), p->time, value);
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
        if (below(3) == 0) {
            pajewrite_event event = PAJEWRITE__ZERO;
            char text[256];
            event.kind = PAJEWRITE_NEW_EVENT;
            event.container = c;
            event.type = MARK;
            event.value = value;
            snprintf(text, sizeof text, "PajeNewEvent Time=%s Container=%u Type=99999 Value=%u", time_text(p), c.alias,
                     value.alias);
            with_ints(p, &event, p->told, "A B C D E F G H I J K", text);
            break;
        }
        if (below(2))
            pajewrite_new_event_at(w, p->time, c, MARK, value);
        else
            pajewrite_track_new_event_at(track_of(p, c, MARK), p->time, value);
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
            if (below(2))
                pajewrite_pop_state_at(w, p->time, c, STATE);
            else
                pajewrite_track_pop_state_at(track_of(p, c, STATE), p->time);
            expect("PajePopState Time=%s Container=%u Type=3", time_text(p), c.alias);
            p->of[slot].depth--;
            break;
        }
        /* fall through */
    default:
        if (below(3) == 0) {
            pajewrite_event event = PAJEWRITE__ZERO;
            char text[256];
            event.kind = PAJEWRITE_PUSH_STATE;
            event.container = c;
            event.type = STATE;
            event.value = value;
            snprintf(text, sizeof text, "PajePushState Time=%s Container=%u Type=3 Value=%u", time_text(p), c.alias,
                     value.alias);
            with_ints(p, &event, p->pushed, "Size Rank", text);
            p->of[slot].depth++;
            break;
        }
        if (below(2))
            pajewrite_push_state_at(w, p->time, c, STATE, value);
        else
            pajewrite_track_push_state_at(track_of(p, c, STATE), p->time, value);
        expect("PajePushState Time=%s Container=%u Type=3 Value=%u", time_text(p), c.alias, value.alias);
        p->of[slot].depth++;
    }
}

/* Writes a trace of some steps through a context, and expects it to be read back. */
static inline void run_program(pajewrite *w, uint64_t number, uint32_t steps)
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

/* ------------------------------------------------------------------------------------------------
 * The context of a case
 * --------------------------------------------------------------------------------------------- */

static memory out;
static pajewrite_entry table[1000];
static char buffer[1 << 16];
static pajewrite w;

static pajewrite_config config_of(void)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    config.sink = to_memory;
    config.sink_data = &out;
    out.size = 0;
    out.calls = out.fail_at = 0;
    return config;
}

/* Counts the lines of `out` that begin with this. */
static inline size_t count_lines(const char *start)
{
    size_t count = 0, i;
    for (i = 0; i < out.size; i++)
        count += (i == 0 || out.bytes[i - 1] == '\n') && out.size - i >= strlen(start) &&
                 memcmp(out.bytes + i, start, strlen(start)) == 0;
    return count;
}

#endif
