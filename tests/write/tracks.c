/* Tracks and pajewrite_write_ints write what the calls for any event write, byte for byte: with all setups of a
 * context, buffers of all sizes, events dropped and refused. */
#define _POSIX_C_SOURCE 200809L
#include "write.h"

enum { SIDES = 2, ENTRIES = 200 };

/* The same calls are made to both: by the calls for any event, and by those under test. */
static pajewrite contexts[SIDES];
static memory outputs[SIDES];
static pajewrite_entry tables[SIDES][ENTRIES];
static char buffers[SIDES][1 << 15];
static pajewrite_variant variants[5][SIDES]; /* of PUSH_STATE, SET_VARIABLE, END_LINK, POP_STATE, START_LINK */
static pajewrite_track tracks[3][SIDES];     /* of STATE, MARK, GAUGE */
static uint64_t now;

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
}

static void begin_sides(pajewrite_config config, size_t size)
{
    int side;
    for (side = 0; side < SIDES; side++) {
        pajewrite *to = &contexts[side];
        if (config.table) {
            config.table = tables[side];
            config.table_entries = ENTRIES;
        }
        config.clock = clock_of_test;
        config.sink = to_memory;
        config.sink_data = &outputs[side];
        outputs[side].size = 0;
        outputs[side].calls = 0;
        pajewrite_init(to, buffers[side], size, &config);
        pajewrite_header(to);
        pajewrite_flush(to);
        pajewrite_define_container_type(to, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
        pajewrite_define_state_type(to, STATE, THREAD, "State");
        pajewrite_define_event_type(to, MARK, THREAD, "Mark");
        pajewrite_define_variable_type(to, GAUGE, THREAD, "Gauge", NULL);
        pajewrite_define_link_type(to, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "Link");
        variants[0][side] = pajewrite_define_variant(to, PAJEWRITE_PUSH_STATE, "A int, B int");
        variants[1][side] = pajewrite_define_variant(to, PAJEWRITE_SET_VARIABLE, "A int");
        variants[2][side] = pajewrite_define_variant(to, PAJEWRITE_END_LINK,
                                                     "A int, B int, C int, D int, E int, F int, "
                                                     "G int, H int, I int, J int, K int, L int");
        variants[3][side] = pajewrite_define_variant(to, PAJEWRITE_POP_STATE, "A int");
        variants[4][side] = pajewrite_define_variant(to, PAJEWRITE_START_LINK, "A int, B int");
        pajewrite_flush(to);
    }
}

static void bind_track(int side, pajewrite_container container)
{
    static const pajewrite_type *const types[] = {&STATE, &MARK, &GAUGE};
    int i;
    for (i = 0; i < 3; i++)
        pajewrite_track_init(&tracks[i][side], &contexts[side], container, *types[i]);
}

static void fields_of(pajewrite *to, pajewrite_event *event, pajewrite_variant variant, const int64_t *numbers,
                      uint32_t count, int side)
{
    pajewrite_fields fields;
    uint32_t i;
    if (side) {
        pajewrite_write_ints(to, event, variant, numbers, count);
        return;
    }
    fields = pajewrite_fields_of(variant);
    for (i = 0; i < count; i++)
        pajewrite_field_int(&fields, numbers[i]);
    pajewrite_write(to, event, &fields);
}

/* A key of any length, which is in one of two cases written as it is. */
static void make_name(char name[256])
{
    const uint32_t size = below(4) ? below(20) : below(256), others = below(2) ? 0 : 1 + below(30);
    uint32_t i;
    for (i = 0; i < size; i++)
        name[i] = others && below(others) == 0 ? (char)(1 + below(255)) : "w.0123456789abcdef<>-_"[below(22)];
    name[size] = 0;
}

/* Makes one call to both. */
static void call_both(uint32_t containers)
{
    static const pajewrite_kind kinds[] = {PAJEWRITE_PUSH_STATE, PAJEWRITE_SET_VARIABLE, PAJEWRITE_END_LINK,
                                           PAJEWRITE_POP_STATE, PAJEWRITE_START_LINK};
    const pajewrite_container c = {1 + below(containers) * 7919};
    const pajewrite_value value = {below(3) ? below(20) : (uint32_t)random64()};
    const uint32_t what = below(14), which = below(5), wrong = below(40);
    const int64_t number = (int64_t)random64() >> below(64);
    const int is_at = (int)below(2), has_name = below(2) == 0, is_real = below(4) == 0;
    char name[256];
    int64_t numbers[12];
    int side, i;
    make_name(name);
    for (i = 0; i < 12; i++)
        numbers[i] = (int64_t)random64() >> (below(3) ? 30 + below(34) : below(64));
    for (side = 0; side < SIDES; side++) {
        pajewrite *to = &contexts[side];
        pajewrite_event event = PAJEWRITE__ZERO;
        bind_track(side, c);
        if (what < 5) {
            event.kind = kinds[which];
            event.time = is_at ? now : PAJEWRITE_TIME_NOW;
            event.container = c;
            event.type = which == 1 ? GAUGE : which == 2 || which == 4 ? LINK : STATE;
            event.value = value;
            if (which == 1) {
                event.integer = number;
                event.real = 0.5;
                event.is_real = is_real;
            } else if (which == 2 || which == 4) {
                event.container = PAJEWRITE_ROOT;
                event.other = c;
                event.key = (uint64_t)number;
                event.name = has_name ? name : NULL;
            }
            if (wrong == 0)
                event.kind = PAJEWRITE_NEW_EVENT;
            fields_of(to, &event, variants[which][side], numbers,
                      variants[which][side].fields - (wrong == 1 && variants[which][side].fields), side);
            continue;
        }
#define BOTH(call, track, ...) \
    do { \
        if (side && is_at) \
            pajewrite_track_##call##_at(&tracks[track][side], now __VA_ARGS__); \
        else if (side) \
            pajewrite_track_##call(PAJEWRITE__LIST(&tracks[track][side] __VA_ARGS__)); \
        else if (is_at) \
            pajewrite_##call##_at(to, now, c, tracks[track][side].type __VA_ARGS__); \
        else \
            pajewrite_##call(to, c, tracks[track][side].type __VA_ARGS__); \
    } while (0)
        switch (what) {
        case 5: BOTH(set_state, 0, , value); break;
        case 6: case 7: case 8: BOTH(push_state, 0, , value); break;
        case 9: case 10: case 11: BOTH(pop_state, 0, ); break;
        case 12: BOTH(new_event, 1, , value); break;
        default: BOTH(set_variable, 2, , number);
        }
#undef BOTH
    }
}

static void compare(const char *setup, uint64_t number)
{
    pajewrite_counts a = pajewrite_count(&contexts[0]), b = pajewrite_count(&contexts[1]);
    if (outputs[0].size != outputs[1].size || memcmp(outputs[0].bytes, outputs[1].bytes, outputs[0].size) != 0)
        fail("%s, %" PRIu64 ": bytes differ", setup, number);
    if (a.written != b.written || a.dropped != b.dropped || a.refused != b.refused)
        fail("%s, %" PRIu64 ": counts differ: %" PRIu64 " %" PRIu64 " %" PRIu64 " and %" PRIu64 " %" PRIu64 " %" PRIu64,
             setup, number, a.written, a.dropped, a.refused, b.written, b.dropped, b.refused);
    if (contexts[0].status != contexts[1].status)
        fail("%s, %" PRIu64 ": %s and %s", setup, number, pajewrite_status_text(contexts[0].status),
             pajewrite_status_text(contexts[1].status));
}

/* setup: 0: a buffer, 1: a table, 2: that drops, 3: a flight recorder */
static void both(const char *name, int setup)
{
    uint64_t number;
    int side, containers, i;
    for (number = 0; number < 300 && !fault[0]; number++) {
        pajewrite_config config = PAJEWRITE_CONFIG;
        seed = number + (uint64_t)setup * 1000;
        config.decimals = below(3) ? 9 : below(11);
        config.origin = below(2) ? spread() >> 8 : 0;
        config.alias_first = below(2) ? below(100000) : 0;
        config.table = setup ? table : NULL;
        config.when_full = setup == 2 ? PAJEWRITE_DROP : setup == 3 ? PAJEWRITE_OVERWRITE : PAJEWRITE_FLUSH;
        containers = setup ? 1 + (int)below(5) : 1 + (int)below(1000);
        now = config.origin + below(2) * (spread() >> 12);
        begin_sides(config, setup == 3 ? sizeof buffers[0] : 900 + below(3) * below(4000));
        for (i = 0; i < containers; i++)
            for (side = 0; side < SIDES; side++)
                pajewrite_create_container_at(&contexts[side], now, PAJEWRITE_CONTAINER(1 + i * 7919), THREAD,
                                              PAJEWRITE_ROOT, NULL);
        for (i = 0; i < 1000; i++) {
            const uint64_t ticks = below(9) ? 1000000 : 1000000000; /* what times begin with changes then */
            const uint64_t to_window = ticks - 2 - (now - config.origin) % ticks;
            const uint64_t step = below(3) ? below(300) : below(4) ? spread() >> 40 : below(2) ? to_window + below(5) :
                                                                                         spread() >> 24;
            const uint32_t flush = below(setup == 2 ? 60 : 500);
            now = below(60) ? now + step : now - (step < now ? step : 0); /* also back, and before the origin */
            call_both((uint32_t)containers);
            for (side = 0; side < SIDES && !flush; side++)
                pajewrite_flush(&contexts[side]);
            for (side = 0; side < SIDES && i == 500; side++)
                pajewrite_disable(&contexts[side], below(1) | 2);
            for (side = 0; side < SIDES && i == 600; side++)
                pajewrite_enable(&contexts[side], 2);
        }
        for (side = 0; side < SIDES; side++) {
            if (setup == 3 && pajewrite_flight_dump(buffers[side], sizeof buffers[side], 1, NULL, 0, to_memory,
                                                    &outputs[side]) != PAJEWRITE_OK)
                fail("the dump fails");
            pajewrite_finish(&contexts[side]);
        }
        compare(name, number);
        call_both(1); /* after the end */
        compare(name, number);
        if (outputs[0].size < 1000)
            fail("almost nothing was written");
    }
    end_case(name);
}

/* A track of zeros, and one whose context is zero, are off. */
static void nothing(void)
{
    static pajewrite_track none;
    static pajewrite off;
    pajewrite_track track;
    pajewrite_track_push_state(&none, PAJEWRITE_VALUE(1));
    pajewrite_track_pop_state_at(&none, 1);
    pajewrite_track_set_variable(&none, 1);
    pajewrite_track_init(&track, &off, PAJEWRITE_CONTAINER(UINT32_MAX), PAJEWRITE_TYPE_IN(31, PAJEWRITE_TYPE_MAX));
    pajewrite_track_new_event(&track, PAJEWRITE_VALUE(1));
    pajewrite_track_push_state_at(&track, UINT64_MAX, PAJEWRITE_VALUE(1));
    end_case("tracks that are off");
}

/* An event of a variant whose definition was dropped is written without user fields, also without a table. */
static void lost_variant(void)
{
    static const int64_t numbers[] = {1, 2};
    pajewrite_config config = config_of();
    pajewrite_variant variant;
    pajewrite_event event = PAJEWRITE__ZERO;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, buffer, 400, &config);
    pajewrite_header(&w); /* does not fit, so all that follows is dropped */
    variant = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "A int, B int");
    pajewrite_flush(&w);
    event.kind = PAJEWRITE_NEW_EVENT;
    pajewrite_write_ints(&w, &event, variant, numbers, 2);
    if (variant.number || pajewrite_flush(&w) || count_lines("22 0.000000000 0 0 0\n") != 1)
        fail("number %u: %s", (unsigned)variant.number, pajewrite_problem(&w));
    end_case("integer fields of a variant that was dropped");
}

/* Numbers of variants have two digits, then three: there is a line for each. */
static void many_variants(void)
{
    enum { MANY = 120 };
    static const int64_t number = 7;
    pajewrite_config config = config_of();
    pajewrite_event event = PAJEWRITE__ZERO;
    uint32_t last = 0;
    int i;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    event.kind = PAJEWRITE_NEW_EVENT;
    for (i = 0; i < MANY; i++) {
        pajewrite_variant variant = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "A int");
        char line[60];
        pajewrite_write_ints(&w, &event, variant, &number, 1);
        sprintf(line, "%u 0.000000000 0 0 0 7\n", (unsigned)variant.number);
        if (pajewrite_flush(&w) || count_lines(line) != 1)
            fail("number %u: %s", (unsigned)variant.number, pajewrite_problem(&w));
        last = variant.number;
    }
    if (last <= 100)
        fail("number %u is the last: %s", (unsigned)last, "there is none of three digits");
    end_case("integer fields of many variants");
}

int main(void)
{
    both("tracks and integer fields: a buffer", 0);
    both("tracks and integer fields: a table", 1);
    both("tracks and integer fields: events are dropped", 2);
    both("tracks and integer fields: a flight recorder", 3);
    nothing();
    lost_variant();
    many_variants();
    return failed != 0;
}
