/* Cases of write.c: every kind of event, called in every way, with extreme numbers, odd names and user fields. */
#ifndef TESTS_WRITE_KINDS_H
#define TESTS_WRITE_KINDS_H

#include "write.h"

/* One of every kind of event, in an order that makes a valid trace. */
static const pajewrite_event every_kind[] = {
    {.kind = PAJEWRITE_DEFINE_CONTAINER_TYPE, .type = {1}, .name = "thread"},
    {.kind = PAJEWRITE_DEFINE_STATE_TYPE, .type = {2}, .of = {1}, .name = "state"},
    {.kind = PAJEWRITE_DEFINE_EVENT_TYPE, .type = {3}, .of = {1}, .name = "event"},
    {.kind = PAJEWRITE_DEFINE_VARIABLE_TYPE, .type = {4}, .of = {1}, .name = "variable", .color = "1 0 1"},
    {.kind = PAJEWRITE_DEFINE_LINK_TYPE, .type = {5}, .start_type = {1}, .end_type = {1}, .name = "link"},
    {.kind = PAJEWRITE_DEFINE_VALUE, .type = {2}, .value = {1}, .name = "value of a state", .color = "0 0.5 1"},
    {.kind = PAJEWRITE_DEFINE_VALUE, .type = {3}, .value = {1}, .name = "value of an event", .color = "a0b1c2"},
    {.kind = PAJEWRITE_DEFINE_VALUE, .type = {5}, .value = {1}, .name = "value of a link", .color = "1 1 1 0"},
    {.kind = PAJEWRITE_CREATE_CONTAINER, .container = {1}, .type = {1}, .name = "container"},
    {.kind = PAJEWRITE_SET_STATE, .container = {1}, .type = {2}, .value = {1}},
    {.kind = PAJEWRITE_PUSH_STATE, .container = {1}, .type = {2}, .value = {1}},
    {.kind = PAJEWRITE_POP_STATE, .container = {1}, .type = {2}},
    {.kind = PAJEWRITE_RESET_STATE, .container = {1}, .type = {2}},
    {.kind = PAJEWRITE_NEW_EVENT, .container = {1}, .type = {3}, .value = {1}},
    {.kind = PAJEWRITE_SET_VARIABLE, .container = {1}, .type = {4}, .integer = 1},
    {.kind = PAJEWRITE_ADD_VARIABLE, .container = {1}, .type = {4}, .integer = 1},
    {.kind = PAJEWRITE_SUB_VARIABLE, .container = {1}, .type = {4}, .integer = 1},
    {.kind = PAJEWRITE_SET_VARIABLE, .container = {1}, .type = {4}, .real = 0.1, .is_real = 1},
    {.kind = PAJEWRITE_ADD_VARIABLE, .container = {1}, .type = {4}, .real = 0.1, .is_real = 1},
    {.kind = PAJEWRITE_SUB_VARIABLE, .container = {1}, .type = {4}, .real = 0.1, .is_real = 1},
    {.kind = PAJEWRITE_START_LINK, .type = {5}, .value = {1}, .other = {1}, .key = 1},
    {.kind = PAJEWRITE_END_LINK, .type = {5}, .value = {1}, .other = {1}, .key = 1},
    {.kind = PAJEWRITE_START_LINK, .type = {5}, .value = {1}, .other = {1}, .name = "key"},
    {.kind = PAJEWRITE_END_LINK, .type = {5}, .value = {1}, .other = {1}, .name = "key"},
    {.kind = PAJEWRITE_DESTROY_CONTAINER, .container = {1}, .type = {1}},
    {.kind = PAJEWRITE_TRACE_FILE, .name = "file"}};
enum { EVERY_KIND = sizeof every_kind / sizeof *every_kind };

/* `name`: as it is written.  `user`: the user fields. */
static void expect_event(const pajewrite_event *e, const char *name, const char *user)
{
    static const char *const kinds[] = {
        "DefineContainerType", "DefineStateType", "DefineEventType", "DefineVariableType", "DefineLinkType",
        "DefineEntityValue", "CreateContainer", "DestroyContainer", "SetState", "PushState", "PopState", "ResetState",
        "NewEvent", "SetVariable", "AddVariable", "SubVariable", "StartLink", "EndLink", "TraceFile"};
    const char *kind = kinds[e->kind - PAJEWRITE_DEFINE_CONTAINER_TYPE], *side = "Start";
    uint32_t container = e->container.alias, type = alias_of(e->type), of = alias_of(e->of), value = e->value.alias;
    char event[200], key[32];
    program p;
    memset(&p, 0, sizeof p);
    p.time = e->time;
    p.decimals = w.decimals;
    snprintf(event, sizeof event, "Time=%s Container=%u Type=%u", time_text(&p), container, type);
    snprintf(key, sizeof key, "%" PRIu64, e->key);
    switch (e->kind) {
    case PAJEWRITE_DEFINE_CONTAINER_TYPE: case PAJEWRITE_DEFINE_STATE_TYPE: case PAJEWRITE_DEFINE_EVENT_TYPE:
        expect("Paje%s Alias=%u Type=%u Name=%s%s", kind, type, of, name, user);
        break;
    case PAJEWRITE_DEFINE_VARIABLE_TYPE:
        expect("Paje%s Alias=%u Type=%u Name=%s Color=%s%s", kind, type, of, name, e->color, user);
        break;
    case PAJEWRITE_DEFINE_LINK_TYPE:
        expect("Paje%s Alias=%u Type=%u StartContainerType=%u EndContainerType=%u Name=%s%s", kind, type, of,
               alias_of(e->start_type), alias_of(e->end_type), name, user);
        break;
    case PAJEWRITE_DEFINE_VALUE:
        expect("Paje%s Alias=%u Type=%u Name=%s Color=%s%s", kind, value, type, name, e->color, user);
        break;
    case PAJEWRITE_CREATE_CONTAINER:
        expect("Paje%s Time=%s Alias=%u Type=%u Container=%u Name=%s%s", kind, time_text(&p), container, type,
               e->other.alias, name, user);
        break;
    case PAJEWRITE_DESTROY_CONTAINER:
        expect("Paje%s Time=%s Name=%u Type=%u%s", kind, time_text(&p), container, type, user);
        break;
    case PAJEWRITE_SET_STATE: case PAJEWRITE_PUSH_STATE: case PAJEWRITE_NEW_EVENT:
        expect("Paje%s %s Value=%u%s", kind, event, value, user);
        break;
    case PAJEWRITE_POP_STATE: case PAJEWRITE_RESET_STATE:
        expect("Paje%s %s%s", kind, event, user);
        break;
    case PAJEWRITE_SET_VARIABLE: case PAJEWRITE_ADD_VARIABLE: case PAJEWRITE_SUB_VARIABLE:
        expect("Paje%s %s Value=*%s", kind, event, user);
        expect_number(e->is_real ? e->real : (double)e->integer);
        break;
    case PAJEWRITE_END_LINK:
        side = "End";
        /* fall through */
    case PAJEWRITE_START_LINK:
        expect("Paje%s %s Value=%u %sContainer=%u Key=%s%s", kind, event, value, side, e->other.alias,
               e->name ? name : key, user);
        break;
    default:
        expect("Paje%s Container=%u Type=%u Filename=%s%s", kind, container, type, name, user);
    }
}

enum { BY_THE_CLOCK, AT_A_TIME, ANY_EVENT, WAYS };

static uint64_t given_clock(void *data) { return *(uint64_t *)data; }

/* Calls the function of an event: in the form with the clock, in that with a time, or pajewrite_write. */
static void call(const pajewrite_event *e, int way)
{
    const pajewrite_container c = e->container, other = e->other;
    const pajewrite_type type = e->type;
    const pajewrite_value value = e->value;
#define CALL(f, ...) (way == AT_A_TIME ? pajewrite_##f##_at(&w, e->time, __VA_ARGS__) : pajewrite_##f(&w, __VA_ARGS__))
#define CALL_NUMBER(f) (e->is_real ? CALL(f##_double, c, type, e->real) : CALL(f, c, type, e->integer))
#define CALL_LINK(f) \
    (e->name ? CALL(f##_named, c, type, value, other, e->name) : CALL(f, c, type, value, other, e->key))
    if (way == ANY_EVENT) {
        pajewrite_write(&w, e, NULL);
        return;
    }
    switch (e->kind) {
    case PAJEWRITE_DEFINE_CONTAINER_TYPE: pajewrite_define_container_type(&w, type, e->of, e->name); break;
    case PAJEWRITE_DEFINE_STATE_TYPE: pajewrite_define_state_type(&w, type, e->of, e->name); break;
    case PAJEWRITE_DEFINE_EVENT_TYPE: pajewrite_define_event_type(&w, type, e->of, e->name); break;
    case PAJEWRITE_DEFINE_VARIABLE_TYPE: pajewrite_define_variable_type(&w, type, e->of, e->name, e->color); break;
    case PAJEWRITE_DEFINE_LINK_TYPE:
        pajewrite_define_link_type(&w, type, e->of, e->start_type, e->end_type, e->name);
        break;
    case PAJEWRITE_DEFINE_VALUE: pajewrite_define_value(&w, value, type, e->name, e->color); break;
    case PAJEWRITE_CREATE_CONTAINER: CALL(create_container, c, type, other, e->name); break;
    case PAJEWRITE_DESTROY_CONTAINER: CALL(destroy_container, c, type); break;
    case PAJEWRITE_SET_STATE: CALL(set_state, c, type, value); break;
    case PAJEWRITE_PUSH_STATE: CALL(push_state, c, type, value); break;
    case PAJEWRITE_POP_STATE: CALL(pop_state, c, type); break;
    case PAJEWRITE_RESET_STATE: CALL(reset_state, c, type); break;
    case PAJEWRITE_NEW_EVENT: CALL(new_event, c, type, value); break;
    case PAJEWRITE_SET_VARIABLE: CALL_NUMBER(set_variable); break;
    case PAJEWRITE_ADD_VARIABLE: CALL_NUMBER(add_variable); break;
    case PAJEWRITE_SUB_VARIABLE: CALL_NUMBER(sub_variable); break;
    case PAJEWRITE_START_LINK: CALL_LINK(start_link); break;
    case PAJEWRITE_END_LINK: CALL_LINK(end_link); break;
    default: pajewrite_trace_file(&w, c, type, e->name);
    }
}

/* n * 2^power */
static double scaled(uint64_t n, int power)
{
    double number = (double)n;
    for (; power > 0; power--)
        number *= 2;
    for (; power < 0; power++)
        number /= 2;
    return number;
}

/* Each kind of event, called in each way, with a number wherever possible. */
static void extreme_numbers(void)
{
    uint64_t numbers[200], ten = 1, now;
    uint32_t count = 0, i, k;
    int way;
    for (i = 0; i < 64; i++) {
        numbers[count++] = UINT64_C(1) << i;
        numbers[count++] = (UINT64_C(1) << i) - 1 + (i == 0);
    }
    for (i = 0; i < 20; i++, ten *= 10) {
        numbers[count++] = ten - (i > 0);
        numbers[count++] = ten;
        numbers[count++] = ten + 1;
    }
    numbers[count++] = UINT64_MAX;
    for (i = 0; i < count * WAYS && !fault[0]; i++) {
        const uint64_t n = numbers[i / WAYS];
        const size_t size = PAJEWRITE_BUFFER_MIN + i % 97;
        pajewrite_config config = config_of();
        way = (int)(i % WAYS);
        config.clock = given_clock;
        config.clock_data = &now;
        config.decimals = 1 + i % 10;
        now = n;
        memset(buffer, '~', 1000);
        pajewrite_init(&w, buffer + 1, size, &config);
        forget_calls();
        pajewrite_header(&w);
        for (k = 0; k < EVERY_KIND; k++) {
            pajewrite_event e = every_kind[k];
            e.time = now;
            e.type.alias = e.kind == PAJEWRITE_TRACE_FILE ? 0 : PAJEWRITE_TYPE_MAX - e.type.alias;
            if (e.of.alias)
                e.of.alias = PAJEWRITE_TYPE_MAX - e.of.alias;
            if (e.start_type.alias)
                e.start_type = e.end_type = PAJEWRITE_TYPE(PAJEWRITE_TYPE_MAX - e.start_type.alias);
            if (e.container.alias && (uint32_t)n)
                e.container.alias = (uint32_t)n;
            if (e.other.alias && (uint32_t)n)
                e.other.alias = (uint32_t)n;
            if (e.value.alias && (uint32_t)n)
                e.value.alias = (uint32_t)n;
            e.integer = (int64_t)(i & 1 ? n : 0 - n);
            e.real = e.real > 0 ? scaled(n, (int)(i % 1800) - 900) : 0;
            e.key = n;
            call(&e, way);
            expect_event(&e, e.name, "");
        }
        if (pajewrite_finish(&w))
            fail("%" PRIu64 ": status: %s", n, pajewrite_status_text(pajewrite_get_status(&w)));
        if (buffer[0] != '~' || buffer[1 + size] != '~')
            fail("%" PRIu64 ": a buffer of %zu bytes is overrun", n, size);
        replay(out.bytes, out.size, 1, 0);
    }
    end_case("extreme numbers, and every form of every function");
}

/* The same calls in each way, in unusual conditions: a disabled category, a time before the origin, a table, a buffer
 * that is always full, and drops. */
static void unusual_calls(int circumstances, pajewrite_kind kind, int otherwise, int way)
{
    uint64_t now = 997;
    uint32_t i;
    pajewrite_config config = config_of();
    config.clock = given_clock;
    config.clock_data = &now;
    if (circumstances & 1) {
        config.table = table;
        config.table_entries = 1000;
    }
    config.when_full = circumstances & 2 ? PAJEWRITE_DROP : PAJEWRITE_FLUSH;
    if (circumstances & 8)
        config.disabled = 1;
    if (circumstances & 16)
        config.origin = 1000;
    pajewrite_init(&w, buffer, circumstances & 4 ? PAJEWRITE_BUFFER_MIN : sizeof buffer, &config);
    for (i = 0; i < 30; i++, now += i % 11 ? 1 : 1000000000) {
        pajewrite_event e;
        memset(&e, 0, sizeof e);
        e.kind = kind;
        e.time = now;
        e.container.alias = i % 7 ? 1 : 2;
        e.type = i % 5 ? STATE : MARK;
        e.value.alias = e.other.alias = 1;
        e.integer = 7;
        e.key = i;
        if (otherwise && kind >= PAJEWRITE_START_LINK)
            e.name = "key";
        e.is_real = otherwise;
        e.real = 2.5;
        if (i == 20)
            pajewrite_enable(&w, UINT32_MAX);
        call(&e, way);
    }
    pajewrite_finish(&w);
}

static void ways(void)
{
    static char bytes[1 << 16];
    int circumstances, kind, otherwise, way;
    for (circumstances = 0; circumstances < 32; circumstances++)
        for (kind = PAJEWRITE_DESTROY_CONTAINER; kind <= PAJEWRITE_END_LINK; kind++)
            for (otherwise = 0; otherwise < 2; otherwise++) {
                pajewrite_counts counts;
                size_t size;
                unusual_calls(circumstances, (pajewrite_kind)kind, otherwise, BY_THE_CLOCK);
                size = out.size;
                counts = pajewrite_count(&w);
                memcpy(bytes, out.bytes, size);
                for (way = AT_A_TIME; way < WAYS; way++) {
                    unusual_calls(circumstances, (pajewrite_kind)kind, otherwise, way);
                    if (out.size != size || memcmp(out.bytes, bytes, size) != 0 ||
                        pajewrite_count(&w).written != counts.written ||
                        pajewrite_count(&w).refused != counts.refused || pajewrite_count(&w).dropped != counts.dropped)
                        fail("kind %d, circumstances %d: way %d differs", kind, circumstances, way);
                }
            }
    end_case("each way of calling does the same");
}

static void hostile_names(void)
{
    static char of_200[201], of_100000[100001], written[100001], wide[1 << 18];
    static const char *const names[] = {
        "", " ", "    ", " a", "a ", "\t", "\n", "\r\n", "\"", "\"\"", "'", "'quoted'", "%", "%EventDef",
        "%EndEventDef", "#", "# comment", ",", "a,b", "\\", "\\n", "/a/b", "\x01\x02\x1f\x7f",
        "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x98",
        "\xff\xfe\x80", "\xef\xbb\xbf", "0x1f", "-1", "1e400", "=", "Name", of_200, of_100000};
    uint32_t i, k;
    memset(of_200, 'x', 200);
    for (i = 0; i < 100000; i++)
        of_100000[i] = (char)(i % 100 == 99 ? ' ' : 'a' + i % 26);
    for (i = 0; i < sizeof names / sizeof *names && !fault[0]; i++) {
        pajewrite_config config = config_of();
        uint64_t named = 0;
        int fits;
        replace(written, names[i]);
        fits = strcmp(written, names[i]) == 0;
        pajewrite_init(&w, wide, sizeof wide, &config);
        forget_calls();
        pajewrite_header(&w);
        for (k = 0; k < EVERY_KIND; k++) {
            pajewrite_event e = every_kind[k];
            named += e.name != NULL;
            e.name = e.name ? names[i] : NULL;
            call(&e, AT_A_TIME);
            expect_event(&e, written, "");
        }
        if (pajewrite_finish(&w))
            fail("name %.20s: status: %s", names[i], pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 1, 0);

        config = config_of();
        config.names = PAJEWRITE_REFUSE;
        pajewrite_init(&w, wide, sizeof wide, &config);
        for (k = 0; k < EVERY_KIND; k++) {
            pajewrite_event e = every_kind[k];
            e.name = e.name ? names[i] : NULL;
            call(&e, AT_A_TIME);
        }
        if (pajewrite_count(&w).refused != (fits ? 0 : named) ||
            pajewrite_finish(&w) != (fits ? PAJEWRITE_OK : PAJEWRITE_E_NAME))
            fail("name %.20s: %" PRIu64 " refused", names[i], pajewrite_count(&w).refused);
    }
    { /* NULL: the alias, if it has one */
        pajewrite_config config = config_of();
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        forget_calls();
        pajewrite_header(&w);
        for (k = 0; k < EVERY_KIND; k++) {
            pajewrite_event e = every_kind[k];
            char alias[16];
            snprintf(alias, sizeof alias, "%u", e.kind == PAJEWRITE_CREATE_CONTAINER ? e.container.alias :
                     e.kind == PAJEWRITE_DEFINE_VALUE ? e.value.alias : alias_of(e.type));
            if (e.name && e.kind == PAJEWRITE_START_LINK)
                pajewrite_start_link_named_at(&w, 0, e.container, e.type, e.value, e.other, NULL);
            else if (e.name && e.kind == PAJEWRITE_END_LINK)
                pajewrite_end_link_named_at(&w, 0, e.container, e.type, e.value, e.other, NULL);
            else
                call((e.name = NULL, &e), AT_A_TIME);
            expect_event(&e, e.kind >= PAJEWRITE_START_LINK ? "_" : alias, "");
        }
        pajewrite_finish(&w);
        replay(out.bytes, out.size, 1, 0);
    }
    end_case("hostile names");
}

/* Fields of every type, at every kind of event. */
static void user_fields(void)
{
    static char text[PAJEWRITE_FIELDS_SIZE + 1];
    pajewrite_config config = config_of();
    pajewrite_variant variants[PAJEWRITE__AFTER_KINDS];
    pajewrite_fields fields;
    pajewrite_event event;
    size_t size;
    uint32_t k, kind;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    forget_calls();
    pajewrite_header(&w);
    for (kind = PAJEWRITE_DEFINE_CONTAINER_TYPE; kind < PAJEWRITE__AFTER_KINDS; kind++)
        variants[kind] = pajewrite_define_variant(&w, (pajewrite_kind)kind,
                                                  "I int, H hex, D double, F float, T date, C color, S string, N int");
    for (k = 0; k < EVERY_KIND; k++) {
        fields = pajewrite_fields_of(variants[every_kind[k].kind]);
        pajewrite_field_int(&fields, INT64_MIN);
        pajewrite_field_hex(&fields, UINT64_MAX);
        pajewrite_field_double(&fields, -0.0);
        pajewrite_field_double(&fields, 5e-324);
        pajewrite_field_double(&fields, 1.5);
        pajewrite_field_string(&fields, "1 0 1");
        pajewrite_field_string(&fields, k % 2 ? "a \"name\"\n" : NULL);
        pajewrite_field_int(&fields, INT64_MAX);
        pajewrite_write(&w, &every_kind[k], &fields);
        expect_event(&every_kind[k], every_kind[k].name,
                     k % 2 ? " I=-9223372036854775808 H=0xffffffffffffffff D=-0 F=4.9406564584124654e-324 T=1.5 C=1 0 1"
                             " S=a _name__ N=9223372036854775807" :
                             " I=-9223372036854775808 H=0xffffffffffffffff D=-0 F=4.9406564584124654e-324 T=1.5 C=1 0 1"
                             " S=_ N=9223372036854775807");
    }
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    replay(out.bytes, out.size, 1, 0);

    /* As many bytes as fit, and one more. */
    memset(text, 'x', sizeof text - 1);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_PUSH_STATE;
    for (size = PAJEWRITE_FIELDS_SIZE - 10; size < PAJEWRITE_FIELDS_SIZE + 1; size++) {
        int fits = size < PAJEWRITE_FIELDS_SIZE; /* with the blank before it */
        config = config_of();
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "S string"));
        text[size] = 0;
        pajewrite_field_string(&fields, text);
        text[size] = 'x';
        pajewrite_write(&w, &event, &fields);
        if (pajewrite_finish(&w) != (fits ? PAJEWRITE_OK : PAJEWRITE_E_FIELDS))
            fail("fields of %zu bytes: %s", size, pajewrite_status_text(pajewrite_get_status(&w)));
    }
    end_case("user fields");
}

#endif
