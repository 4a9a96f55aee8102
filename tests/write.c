/* pajewrite.h, read back by pajesim.h in strict mode: what was called is what is read, event for event, whatever the
 * names, numbers, times, buffers are.
 *
 * usage: write            the cases
 *        write --trace    writes a trace of every kind of event, for other readers */
#define _POSIX_C_SOURCE 200809L
#ifndef PAJEWRITE_CHECK
#define PAJEWRITE_CHECK 1
#endif
#include "write.h"

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
    uint32_t decimals, origin, i, back;
    for (decimals = 1; decimals <= 10; decimals++)
        for (origin = 0; origin < 10; origin++) {
            pajewrite_config config = config_of();
            program p;
            memset(&p, 0, sizeof p);
            forget_calls();
            config.decimals = decimals;
            config.origin = p.origin = times[origin];
            if (pajewrite_init(&w, buffer, sizeof buffer, &config)) {
                if (times[origin] <= UINT64_MAX - 1000000000) /* less than a second below 2^64 ticks */
                    fail("origin %" PRIu64 " is refused", times[origin]);
                continue;
            }
            p.decimals = w.decimals;
            pajewrite_header(&w);
            pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "group");
            expect("PajeDefineContainerType Alias=1 Type=0 Name=group");
            for (back = 0; back < 2; back++) /* readers do not ask for order among creations */
                for (i = origin; i < 10; i++) {
                    uint32_t alias = 1 + i + 10 * back;
                    p.time = times[back ? 9 - (i - origin) : i];
                    pajewrite_create_container_at(&w, p.time, PAJEWRITE_CONTAINER(alias), GROUP, PAJEWRITE_ROOT, NULL);
                    expect("PajeCreateContainer Time=%s Alias=%u Type=1 Container=0 Name=%u", time_text(&p), alias,
                           alias);
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
                                   9.999999999999999e22, 4.35, 2.5e-7, 99999999999999990.0, 9.9999999999999995e-1,
                                   1e-14, 1e-79, 1e-305}; /* the last three: 17 nines, rounded up */
    uint32_t i;
    char text[64];
    for (i = 0; i < 60000 && !why[0]; i++) {
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
    *pajewrite__double(text, 2251799813685247.25) = 0; /* a tie, which goes to the even digit */
    if (strcmp(text, "2.2517998136852472e15") != 0)
        fail("2251799813685247.25 is written as %s", text);
    end_case("doubles");
}

/* ------------------------------------------------------------------------------------------------
 * One of every kind of event, in an order that makes a valid trace
 * --------------------------------------------------------------------------------------------- */

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

/* Calls the function of an event, in the form with the clock, in that with a time; or pajewrite_write. */
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

/* Each kind, called in each way, with a number wherever one may stand. */
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
    for (i = 0; i < count * WAYS && !why[0]; i++) {
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

/* The same calls in each way, where not all goes as usual: a category that is off, a time before the origin, a table, a
 * buffer that is always full, and drops then. */
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
    config.full = circumstances & 2 ? PAJEWRITE_DROP : PAJEWRITE_FLUSH;
    if (circumstances & 8)
        config.enabled_not = 1;
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
                        pajewrite_count(&w).written != counts.written || pajewrite_count(&w).refused != counts.refused ||
                        pajewrite_count(&w).dropped != counts.dropped)
                        fail("kind %d, circumstances %d: way %d differs", kind, circumstances, way);
                }
            }
    end_case("each way of calling does the same");
}

static void hostile_names(void)
{
    static char of_200[201], of_100000[100001], written[100001], wide[1 << 18];
    static const char *const names[] = {
        "", " ", "    ", " a", "a ", "\t", "\n", "\r\n", "\"", "\"\"", "'", "'quoted'", "%", "%EventDef", "%EndEventDef",
        "#", "# comment", ",", "a,b", "\\", "\\n", "/a/b", "\x01\x02\x1f\x7f", "\xc3\xa9t\xc3\xa9 \xe2\x82\xac \xf0\x9f\x90\x98",
        "\xff\xfe\x80", "\xef\xbb\xbf", "0x1f", "-1", "1e400", "=", "Name", of_200, of_100000};
    uint32_t i, k;
    memset(of_200, 'x', 200);
    for (i = 0; i < 100000; i++)
        of_100000[i] = (char)(i % 100 == 99 ? ' ' : 'a' + i % 26);
    for (i = 0; i < sizeof names / sizeof *names && !why[0]; i++) {
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
        if (pajewrite_count(&w).refused != (fits ? 0 : named) || pajewrite_finish(&w) != (fits ? PAJEWRITE_OK : PAJEWRITE_E_NAME))
            fail("name %.20s: %" PRIu64 " refused", names[i], pajewrite_count(&w).refused);
    }
    { /* NULL: the alias, where there is one */
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

    /* As many bytes as there is room for, and one more. */
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

/* Buffers from a source of them, each a little larger than asked for. */
typedef struct rooms {
    char *buffer;
    size_t size, extra;
} rooms;

static char *next_room(void *data, size_t used, size_t needed, size_t *size)
{
    rooms *r = (rooms *)data;
    if (used)
        to_memory(&out, r->buffer, used);
    if (r->buffer && r->buffer[r->size] != '~')
        fail("a buffer of %zu bytes is overrun", r->size);
    free(r->buffer);
    r->buffer = NULL;
    *size = 0;
    if (!needed)
        return NULL;
    *size = r->size = needed + r->extra;
    r->buffer = (char *)malloc(r->size + 1);
    memset(r->buffer, '\n', r->size);
    r->buffer[r->size] = '~';
    return r->buffer;
}

static void room_sizes(void)
{
    rooms r = {NULL, 0, 0};
    for (r.extra = 0; r.extra < 300 && !why[0]; r.extra++) {
        pajewrite_config config = config_of();
        config.room = next_room;
        config.room_data = &r;
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, 5, 400);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 1, 0);
    }
    end_case("room of every size");
}

/* What is missing is told where it is missing: how much, and from when to when. */
static void gaps(void)
{
    uint32_t i, size;
    for (size = PAJEWRITE_BUFFER_MIN; size < 600 && !why[0]; size++) {
        pajewrite_config config = config_of();
        const char *line, *end;
        uint64_t next = 0, told = 0;
        config.full = PAJEWRITE_DROP;
        config.decimals = PAJEWRITE_SECONDS;
        pajewrite_init(&w, buffer, size, &config);
        seed = size;
        for (i = 0; i < 300; i++) {
            pajewrite_set_variable_at(&w, i, PAJEWRITE_ROOT, GAUGE, i);
            if (!below(40))
                pajewrite_flush(&w);
        }
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        for (line = out.bytes, end = out.bytes + out.size; line < end; line = (const char *)memchr(line, '\n', 999) + 1) {
            uint64_t count, first, last, number;
            if (sscanf(line, "# dropped %" SCNu64 " events from %" SCNu64 " to %" SCNu64 "\n", &count, &first, &last) == 3) {
                if (first != next || last != first + count - 1)
                    fail("after %" PRIu64 ": %.60s", next, line);
                next = last + 1;
                told += count;
            } else if (sscanf(line, "23 %*u 0 %*u %" SCNu64 "\n", &number) != 1 || number != next++) {
                fail("line for %" PRIu64 ": %.60s", next, line);
            }
        }
        if (!told || told != pajewrite_count(&w).dropped || next != 300)
            fail("%" PRIu64 " are said to be dropped in the trace, %" PRIu64 " by the count", told, pajewrite_count(&w).dropped);
    }
    end_case("gaps are told");
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
    config = config_of();
    config.origin = UINT64_MAX - 999999999;
    if (pajewrite_init(&w, exact, sizeof exact, &config) != PAJEWRITE_E_MISUSE)
        fail("an origin less than a second below 2^64 ticks is accepted");
    config.origin--;
    if (pajewrite_init(&w, exact, sizeof exact, &config))
        fail("an origin a second below 2^64 ticks is refused");
    end_case("buffer of every size");
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
                                           ("A int, B int, C int, D int, E int, F int, G int, H int, I int, J int, K int, "
                                            "L int, M int, N int, O int, P int"), "\"A\" int", "Size in", "Size intt", "A int, A int", "Type string", "SourceContainer string"};
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
    for (i = 0; i < 2; i++) {
        config = config_of();
        config.names = PAJEWRITE_REFUSE;
        pajewrite_init(&w, buffer, 2000, &config);
        fields = pajewrite_fields_of(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, i ? "Size double" : "Note string"));
        if (i)
            pajewrite_field_double(&fields, strtod("nan", NULL));
        else
            pajewrite_field_string(&fields, "two\nlines");
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_PUSH_STATE;
        pajewrite_write(&w, &event, &fields);
        refused("a field", i ? PAJEWRITE_E_NUMBER : PAJEWRITE_E_NAME, 1);
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
    if (pajewrite_get_status(&w) != PAJEWRITE_E_CLOSED || pajewrite_finish(&w) != PAJEWRITE_E_CLOSED)
        fail("an event after finish is not told");
    FRESH();
    pajewrite_finish(&w);
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "late", NULL);
    if (pajewrite_finish(&w) != PAJEWRITE_E_CLOSED)
        fail("a definition after finish is not told");
    config.sink = NULL;
    pajewrite_init(&w, buffer, 2000, &config);
    pajewrite_push_state_at(&w, 5, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    if (pajewrite_get_status(&w) || pajewrite_finish(&w) != PAJEWRITE_E_NO_SINK || pajewrite_count(&w).dropped != 1)
        fail("a sink that there is not is not told");
    end_case("refusals");
}

/* What only tells. */
static void answers(void)
{
    pajewrite_config config = config_of();
    int status;
    if (pajewrite_version() != PAJEWRITE_VERSION)
        fail("it is of version %lx", (unsigned long)pajewrite_version());
    for (status = 0; strcmp(pajewrite_status_text((pajewrite_status)status), "unknown problem") != 0; status++)
        if (strlen(pajewrite_status_text((pajewrite_status)status)) < 8 || status > 100)
            fail("status %d is called %s", status, pajewrite_status_text((pajewrite_status)status));
    if (status < 20 || strcmp(pajewrite_status_text((pajewrite_status)-1), "unknown problem") != 0)
        fail("there are %d texts", status);
    config.alias_first = 5;
    config.alias_step = 3;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    if (pajewrite_new_value(&w).alias != 5 || pajewrite_new_value(&w).alias != 8)
        fail("new values have other aliases");
    pajewrite_finish(&w);
    end_case("answers");
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

#ifdef PAJEWRITE_TSC
/* As if so many intervals between two looks at the true time had passed. */
static void pass(pajewrite_tsc *clock, uint64_t intervals)
{
    uint64_t time = (clock->interval * clock->rate >> 32) * intervals;
    clock->ticks -= clock->interval * intervals;
    clock->time -= time;
    clock->truth -= time;
}

static void tsc(void)
{
    /* It lags far behind, as after a sleep; it was not asked for 10 seconds; it is ahead, or behind. */
    static const int off[] = {-20000000, 0, 50000, -50000};
    pajewrite_tsc clock;
    uint64_t last = 0, now = 0, i, before, after;
    pajewrite_tsc_init(&clock);
    for (i = 0; i < sizeof off / sizeof *off && !why[0]; i++) {
        uint64_t end = pajewrite_monotonic(NULL) + 300000000;
        while (last < end && !why[0]) {
            now = pajewrite_tsc_now(&clock);
            if (now < last)
                fail("the clock goes back by %" PRIu64 " ns", last - now);
            last = now;
        }
        pass(&clock, i == 1 ? 20 : 2);
        clock.time += (uint64_t)off[i];
        now = pajewrite_tsc_now(&clock);
        clock.ticks += clock.interval; /* the counter of another core is behind */
        last = pajewrite_tsc_now(&clock);
        if (last < now)
            fail("the clock goes back by %" PRIu64 " ns on another core", now - last);
        clock.ticks -= clock.interval;
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

/* Begins a checked trace of two containers, with a state that was pushed at 10, and a link. */
static void begin_checked(void)
{
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 1000;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_TYPE(1), "state");
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(3), PAJEWRITE_ROOT_TYPE, PAJEWRITE_TYPE(1), PAJEWRITE_TYPE(1), "link");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "a");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, "b");
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(2), PAJEWRITE_VALUE(1));
    pajewrite_start_link_at(&w, 10, PAJEWRITE_ROOT, PAJEWRITE_TYPE(3), PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 7);
}

/* One more call is refused, with this status. */
static void refused_next(const char *name, pajewrite_status wanted)
{
    pajewrite_counts counts = pajewrite_count(&w);
    if (pajewrite_get_status(&w) != wanted || counts.refused != 1 || counts.dropped)
        fail("%s: status %s, %" PRIu64 " refused", name, pajewrite_status_text(pajewrite_get_status(&w)), counts.refused);
}

static void out_of_order(void)
{
    const pajewrite_type state = PAJEWRITE_TYPE(2), link = PAJEWRITE_TYPE(3);
    begin_checked();
    pajewrite_push_state_at(&w, 9, PAJEWRITE_CONTAINER(1), state, PAJEWRITE_VALUE(1));
    refused_next("an event before the last", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_destroy_container_at(&w, 9, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1));
    refused_next("an end before the last event", PAJEWRITE_E_ORDER);
    begin_checked();
    pajewrite_end_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(2), PAJEWRITE_CONTAINER(2), 7);
    refused_next("another value at the end of a link", PAJEWRITE_E_VALUE);
    begin_checked();
    pajewrite_start_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 7);
    refused_next("the start of a link once more", PAJEWRITE_E_KEY);
    begin_checked();
    pajewrite_end_link_at(&w, 11, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(2), 7);
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(1), state, PAJEWRITE_VALUE(1));
    if (pajewrite_finish(&w) || pajewrite_count(&w).refused)
        fail("good calls: status %s", pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("checking mode refuses what goes back in time");
}

static size_t count_lines(const char *start);

/* Begins a checked trace of a process with two threads, and another one; in the second thread are two states. */
static void begin_threads(void)
{
    uint32_t i;
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 1000;
    config.full = PAJEWRITE_DROP; /* so that each state is known */
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_define_event_type(&w, MARK, THREAD, "mark");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "process");
    for (i = 2; i < 4; i++)
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_CONTAINER(1), "thread");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(4), GROUP, PAJEWRITE_ROOT, "process");
    pajewrite_push_state_at(&w, 5, PAJEWRITE_CONTAINER(3), STATE, PAJEWRITE_VALUE(1));
    pajewrite_push_state_at(&w, 10, PAJEWRITE_CONTAINER(3), STATE, PAJEWRITE_VALUE(1));
    pajewrite_new_event_at(&w, 7, PAJEWRITE_CONTAINER(3), MARK, PAJEWRITE_VALUE(1));
}

static void ends_of_containers(void)
{
    size_t entries;
    begin_threads();
    pajewrite_destroy_container_at(&w, 9, PAJEWRITE_CONTAINER(3), THREAD);
    refused_next("an end before the last event of a state", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 6, PAJEWRITE_CONTAINER(1), GROUP);
    refused_next("an end before the last event within", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 3, PAJEWRITE_CONTAINER(2), THREAD);
    pajewrite_destroy_container_at(&w, 6, PAJEWRITE_CONTAINER(1), GROUP);
    refused_next("an end before the last event of who is left within", PAJEWRITE_E_ORDER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(1), GROUP);
    pajewrite_new_event_at(&w, 12, PAJEWRITE_CONTAINER(2), MARK, PAJEWRITE_VALUE(1));
    refused_next("an event on what ended with its parent", PAJEWRITE_E_CONTAINER);
    begin_threads();
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(2), THREAD);
    entries = w.entries;
    pajewrite_new_event_at(&w, 11, PAJEWRITE_CONTAINER(3), MARK, PAJEWRITE_VALUE(1));
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(3), THREAD);
    if (pajewrite_get_status(&w) || w.entries != entries - 4)
        fail("the end of a container with two pairs and two states leaves %zu entries of %zu", w.entries, entries);
    entries = w.entries;
    pajewrite_destroy_container_at(&w, 11, PAJEWRITE_CONTAINER(1), GROUP);
    if (pajewrite_finish(&w) || w.entries != entries || count_lines("17 ") != 4)
        fail("%zu containers end: status %s", count_lines("17 "), pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("a container ends with all that is in it, and not before");
}

/* Two contexts of one trace, each in a thread of its own: what one has learned of the other it may use. */
static pajewrite learned;
static pajewrite_variant tagged;

static void *use_what_was_learned(void *data)
{
    const pajewrite_container process = {1}, thread = {3};
    pajewrite_variant variant = pajewrite_define_variant(&learned, PAJEWRITE_NEW_EVENT, "Tag hex");
    pajewrite_fields fields = pajewrite_fields_of(tagged);
    pajewrite_event event;
    uint32_t i;
    pajewrite_create_container_at(&learned, 2, thread, THREAD, process, "of the other");
    pajewrite_field_int(&fields, 1);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_NEW_EVENT;
    event.container = thread;
    event.type = MARK;
    event.time = 3;
    event.value.alias = 1;
    pajewrite_write(&learned, &event, &fields);
    fields = pajewrite_fields_of(variant);
    pajewrite_field_hex(&fields, 1);
    pajewrite_write(&learned, &event, &fields);
    for (i = 0; i < 1000; i++) {
        pajewrite_push_state_at(&learned, 10 + i, thread, STATE, PAJEWRITE_VALUE(1));
        pajewrite_end_link_at(&learned, 10 + i, process, LINK, PAJEWRITE_VALUE(1), thread, i);
        if (i % 2)
            pajewrite_pop_state_at(&learned, 10 + i, thread, STATE);
    }
    pajewrite_push_state_at(&learned, 2500, process, PAJEWRITE_TYPE(77), PAJEWRITE_VALUE(1));
    pajewrite_flush(&learned);
    return data;
}

static void learning(void)
{
    static pajewrite_entry tables[2][1000];
    static char second[1 << 12];
    const pajewrite_container process = {1}, thread = {2}, other = {3};
    FILE *stream = tmpfile();
    pajewrite_config config = config_of();
    pajewrite_file file;
    pthread_t writing;
    uint32_t i, refusal;
    if (!stream)
        exit(3);
    pajewrite_file_init(&file, fileno(stream));
    config.sink = pajewrite_to_file;
    config.sink_data = &file;
    config.table_entries = 1000;
    config.alias_step = 2;
    config.alias_first = 1;
    config.table = tables[0];
    pajewrite_init(&w, buffer, 4096, &config);
    config.alias_first = 2;
    config.table = tables[1];
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(77), GROUP, "state of a process");
    pajewrite_define_event_type(&w, MARK, THREAD, "mark");
    pajewrite_define_link_type(&w, LINK, GROUP, THREAD, THREAD, "link");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "value", NULL);
    tagged = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Size int");
    pajewrite_define_variant(&w, PAJEWRITE_SET_STATE, "Size int");
    pajewrite_create_container_at(&w, 1, process, GROUP, PAJEWRITE_ROOT, "process");
    pajewrite_create_container_at(&w, 1, thread, THREAD, process, "of the one");
    for (i = 200; i < 220; i++)
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(i), GROUP, NULL);
    pajewrite_flush(&w);

    for (refusal = 0; refusal < 6; refusal++) { /* with (but for 0) and without what was learned */
        static const pajewrite_status wanted[2][6] = {
            {PAJEWRITE_E_CONTAINER, PAJEWRITE_OK, PAJEWRITE_OK, PAJEWRITE_E_TYPE, PAJEWRITE_E_CONTAINER, PAJEWRITE_E_TYPE},
            {PAJEWRITE_OK, PAJEWRITE_E_TYPE, PAJEWRITE_E_CONTAINER, PAJEWRITE_E_VALUE, PAJEWRITE_E_MISMATCH,
             PAJEWRITE_E_TYPE}};
        int learns;
        for (learns = 0; learns < 2; learns++) {
            pajewrite_config apart = config;
            apart.sink = to_memory;
            apart.sink_data = &out;
            pajewrite_init(&learned, second, sizeof second, &apart);
            if (learns)
                pajewrite_learn(&learned, &w);
            switch (refusal) {
            case 0: pajewrite_push_state_at(&learned, 5, thread, STATE, PAJEWRITE_VALUE(1)); break;
            case 1: pajewrite_define_container_type(&learned, GROUP, PAJEWRITE_ROOT_TYPE, "twice"); break;
            case 2:
                pajewrite_define_container_type(&learned, PAJEWRITE_TYPE(8), PAJEWRITE_ROOT_TYPE, "new");
                pajewrite_create_container_at(&learned, 5, process, PAJEWRITE_TYPE(8), PAJEWRITE_ROOT, "twice");
                break;
            case 3: pajewrite_define_value(&learned, PAJEWRITE_VALUE(1), STATE, "twice", NULL); break;
            case 4: pajewrite_push_state_at(&learned, 5, process, STATE, PAJEWRITE_VALUE(1)); break;
            default: pajewrite_define_state_type(&learned, PAJEWRITE_TYPE(9), STATE, "of a state");
            }
            if (pajewrite_get_status(&learned) != wanted[learns][refusal])
                fail("call %u, %s: status %s", refusal, learns ? "learned" : "not learned",
                     pajewrite_status_text(pajewrite_get_status(&learned)));
        }
    }

    config.table_entries = 16;
    pajewrite_init(&learned, second, sizeof second, &config);
    pajewrite_learn(&learned, &w);
    if (pajewrite_get_status(&learned) != PAJEWRITE_E_TABLE_FULL)
        fail("learned more than there is room for: status %s", pajewrite_status_text(pajewrite_get_status(&learned)));
    config.table_entries = 1000;
    pajewrite_init(&learned, second, sizeof second, &config);
    pajewrite_learn(&learned, &w);
    if (pthread_create(&writing, NULL, use_what_was_learned, NULL))
        exit(3);
    for (i = 0; i < 1000; i++) {
        pajewrite_push_state_at(&w, 10 + i, thread, STATE, PAJEWRITE_VALUE(1));
        pajewrite_start_link_at(&w, 10 + i, process, LINK, PAJEWRITE_VALUE(1), thread, i);
        if (i % 2)
            pajewrite_pop_state_at(&w, 10 + i, thread, STATE);
    }
    pthread_join(writing, NULL);
    pajewrite_learn(&w, &learned);
    pajewrite_start_link_at(&w, 3000, process, LINK, PAJEWRITE_VALUE(1), other, 3000);
    pajewrite_end_link_at(&w, 3000, process, LINK, PAJEWRITE_VALUE(1), other, 3000);
    pajewrite_flush(&w); /* before what it uses is destroyed */
    if (pajewrite_finish(&learned) || pajewrite_finish(&w))
        fail("status: %s, %s", pajewrite_status_text(pajewrite_get_status(&learned)),
             pajewrite_status_text(pajewrite_get_status(&w)));
    rewind(stream);
    out.size = fread(out.bytes, 1, out.room, stream);
    fclose(stream);
    replay(out.bytes, out.size, 0, 0);
    if (count_lines("16 ") != 3 || count_lines("17 ") != 3 || count_lines("21 ") != 1)
        fail("%zu containers are created, %zu destroyed, %zu states reset", count_lines("16 "), count_lines("17 "),
             count_lines("21 "));
    end_case("what another context has defined is learned");
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

#if !PAJEWRITE_CHECK
/* What some tracers do: a container that was destroyed is created anew, and begins anew. */
static void made_again(void)
{
    uint32_t i;
    size_t entries = 0;
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 100;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    for (i = 0; i < 9; i++) {
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "process");
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(2), THREAD, PAJEWRITE_CONTAINER(1), "thread");
        pajewrite_push_state_at(&w, i, PAJEWRITE_CONTAINER(2), STATE, PAJEWRITE_VALUE(1));
        pajewrite_new_event_at(&w, i, PAJEWRITE_CONTAINER(2), MARK, PAJEWRITE_VALUE(1));
        if (i % 2)
            pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(2), THREAD);
        pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(1), GROUP);
        if (i && w.entries != entries)
            fail("%zu entries, %zu before", w.entries, entries);
        entries = w.entries;
    }
    if (pajewrite_finish(&w) || count_lines("17 ") != 9 + 4)
        fail("%zu containers end: status %s", count_lines("17 "), pajewrite_status_text(pajewrite_get_status(&w)));
    end_case("unchecked, a container is made again");
}
#endif

/* Of containers and links by the hundred the ends are dropped: they are written later, in order. */
static void debts(void)
{
    static char big[1 << 18];
    enum { COUNT = 300 };
    uint32_t i;
    pajewrite_config config = config_of();
    config.full = PAJEWRITE_DROP;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    flushes = 1;
    pajewrite_init(&w, big, 60 * COUNT, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, GROUP, GROUP, "link");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), LINK, "value", NULL);
    for (i = 1; i <= COUNT; i++)
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), i % 3 == 1 ? GROUP : THREAD,
                                      PAJEWRITE_CONTAINER(i % 3 == 1 ? 0 : (i - 1) / 3 * 3 + 1), NULL);
    for (i = 1; i <= COUNT; i += 3)
        pajewrite_start_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(i), i);
    for (; !pajewrite_count(&w).dropped; i++)
        pajewrite_start_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    for (i = 1; i <= COUNT; i += 3)
        pajewrite_end_link_at(&w, 2000 + i / 7, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(i), i);
    for (i = COUNT; i; i--)
        pajewrite_destroy_container_at(&w, 3000 + (COUNT - i) / 7, PAJEWRITE_CONTAINER(i), i % 3 == 1 ? GROUP : THREAD);
    pajewrite_flush(&w);
    pending_links_pass = 1;
    replay(out.bytes, out.size, 0, 0);
    if (count_lines("17 ") != COUNT || count_lines("27 ") != COUNT / 3)
        fail("%zu containers and %zu links end", count_lines("17 "), count_lines("27 "));
    flushes = pending_links_pass = 0;
    pajewrite_finish(&w);
    end_case("ends that were dropped, by the hundred");
}

static void full_table(void)
{
    size_t entries, i;
    for (i = 0; i < 400 && !why[0]; i++) {
        pajewrite_status status;
        pajewrite_config config = config_of();
        entries = i / 2;
        config.full = i % 2 ? PAJEWRITE_DROP : PAJEWRITE_FLUSH; /* nothing is dropped, but for that links are remembered */
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
    extreme_numbers();
    ways();
    hostile_names();
    user_fields();
    buffer_sizes();
    room_sizes();
    refusals();
    answers();
    categories();
    finishing();
#if PAJEWRITE_CHECK
    checking();
    out_of_order();
    ends_of_containers();
    learning();
#else
    made_again();
#endif
    gaps();
    dropping();
    debts();
    full_table();
#ifdef PAJEWRITE_TSC
    tsc();
#endif
    return failed_cases != 0;
}
