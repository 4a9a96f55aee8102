/* Arguments at their edges, and calls when they are too late: each case is one that an attack on the writer found. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include "../lib/expect.h"

#include <fenv.h>
#include <float.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { ENTRIES = 64, BUFFER = 1 << 14 };

static const pajewrite_type THREAD = {1}, STATE = {2}, GAUGE = {3};
static const pajewrite_container ME = {1};
static const pajewrite_value BUSY = {1};
static const char path[] = "build/write-edges.trace";
static pajewrite_entry table[ENTRIES];
static char buffer[BUFFER];
static pajewrite w;

static void end_case(const char *name) { report("write/edges: ", name); }

static struct {
    char bytes[1 << 16];
    size_t size;
    int is_dead;
} output;

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (!size)
        fail("a sink is given no bytes");
    if (output.is_dead || size >= sizeof output.bytes - output.size)
        return PAJEWRITE_E_SINK;
    memcpy(output.bytes + output.size, bytes, size);
    output.size += size;
    output.bytes[output.size] = 0;
    return PAJEWRITE_OK;
}

static size_t offer(void *data, const char *bytes, size_t size)
{
    return to_memory(data, bytes, size) ? PAJEWRITE_OFFER_FAILED : size;
}

static uint64_t now;

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
}

static pajewrite_config defaults(void)
{
    pajewrite_config config;
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.sink = to_memory;
    output.size = 0;
    output.bytes[0] = 0;
    output.is_dead = 0;
    now = 0;
    return config;
}

static int has(const char *line) { return strstr(output.bytes, line) != NULL; }

static void work(void)
{
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "State");
    pajewrite_create_container(&w, ME, THREAD, PAJEWRITE_ROOT, "me");
    pajewrite_set_state(&w, ME, STATE, BUSY);
}

/* 2^64 ticks end within a second: times after them are times of another one. */
static void last_second(void)
{
    pajewrite_config config = defaults();
    pajewrite_variant sized;
    pajewrite_track track;
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "");
    pajewrite_set_state_at(&w, UINT64_MAX - 5, ME, STATE, BUSY);
    pajewrite_set_state_at(&w, 100, ME, STATE, BUSY);
    pajewrite_track_init(&track, &w, ME, STATE);
    pajewrite_track_new_event_at(&track, UINT64_MAX - 4, BUSY);
    pajewrite_track_new_event_at(&track, 200, BUSY);
    event.kind = PAJEWRITE_PUSH_STATE;
    event.time = UINT64_MAX - 3;
    pajewrite_write_ints(&w, &event, sized, NULL, 0);
    event.time = 300;
    pajewrite_write_ints(&w, &event, sized, NULL, 0);
    event.time = UINT64_MAX - 2;
    pajewrite_write(&w, &event, NULL);
    event.time = 400;
    pajewrite_write(&w, &event, NULL);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
    EXPECT(has("18 18446744073.709551610 ") && has("18 0.000000100 "));
    EXPECT(has("22 18446744073.709551611 ") && has("22 0.000000200 "));
    EXPECT(has("40 18446744073.709551612 ") && has("40 0.000000300 "));
    EXPECT(has("19 18446744073.709551613 ") && has("19 0.000000400 "));
    config.origin = 500;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_set_state_at(&w, UINT64_MAX - 5, ME, STATE, BUSY);
    pajewrite_set_state_at(&w, 100, ME, STATE, BUSY);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_TIME && pajewrite_count(&w).refused == 1);
    end_case("the last second before 2^64 ticks, and a time after it");
}

static int is_untouched(const void *from, size_t size)
{
    const char *bytes = (const char *)from;
    while (size && *bytes == 0x5a) {
        bytes++;
        size--;
    }
    return !size;
}

/* Table and buffer are the caller's again: `dies`: a peer is dead at the end. */
static void finish_and_go_on(const pajewrite_config *config, int dies)
{
    pajewrite_status status;
    pajewrite_init(&w, buffer, sizeof buffer, config);
    pajewrite_header(&w);
    work();
    pajewrite_flush(&w);
    output.is_dead = dies;
    status = pajewrite_finish(&w);
    EXPECT(status == (dies ? PAJEWRITE_E_SINK : PAJEWRITE_OK));
    output.is_dead = 0;
    memset(buffer, 0x5a, sizeof buffer);
    memset(table, 0x5a, sizeof table);
    pajewrite_set_state(&w, ME, STATE, BUSY);
    pajewrite_destroy_container(&w, ME, THREAD);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(2), THREAD, PAJEWRITE_ROOT, "late");
    pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int");
    pajewrite_flush(&w);
    pajewrite_attach(&w, NULL);
    work();
    pajewrite_finish(&w);
    EXPECT(is_untouched(buffer, sizeof buffer) && is_untouched(table, sizeof table));
    EXPECT(pajewrite_get_status(&w) == (dies ? PAJEWRITE_E_SINK : PAJEWRITE_E_CLOSED));
}

static void after_the_end(void)
{
    pajewrite_config config = defaults();
    config.table = table;
    config.table_entries = ENTRIES;
    finish_and_go_on(&config, 0);
    config.when_full = PAJEWRITE_DROP;
    finish_and_go_on(&config, 0);
    config.when_full = PAJEWRITE_OVERWRITE;
    finish_and_go_on(&config, 0);
    config.when_full = PAJEWRITE_DROP;
    config.sink = NULL;
    config.offer = offer;
    config.definitions_size = BUFFER / 2;
    finish_and_go_on(&config, 0);
    finish_and_go_on(&config, 1);
    end_case("calls after the end touch neither table nor buffer");
}

static void numbers_of_variants(void)
{
    static const pajewrite_definition defined = PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE,
                                                                      PAJEWRITE_ROM_FIELD("Size int"));
    pajewrite_config config = defaults();
    uint32_t aliases = 0;
    pajewrite second;
    char other[4096];
    config.aliases = &aliases;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_init(&second, other, sizeof other, &config);
    EXPECT(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int").number !=
           pajewrite_define_variant(&second, PAJEWRITE_PUSH_STATE, "Name string").number);
    pajewrite_announce(&second, &defined, 1);
    EXPECT(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Rank int").number > 41);
    aliases = UINT32_MAX - 1;
    EXPECT(pajewrite_new_value(&w).alias == UINT32_MAX && pajewrite_new_value(&w).alias == 0);
    EXPECT(pajewrite_new_value(&w).alias == 0 && pajewrite_get_status(&w) == PAJEWRITE_E_ALIASES);
    config.aliases = NULL;
    config.alias_first = UINT32_MAX - 10; /* 39 more would be the number of an event */
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    EXPECT(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int").number == 0);
    EXPECT(pajewrite_get_status(&w) == PAJEWRITE_E_ALIASES);
    config.alias_first = 0;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_announce(&w, &defined, 1);
    EXPECT(pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int").number == 41);
    end_case("numbers of variants differ between contexts, and from those of a table and of events");
}

/* A table of definitions with one variant of these lines. */
static pajewrite_status announce(uint16_t kind, const char *lines)
{
    const pajewrite_config config = defaults();
    pajewrite_definition definition = PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, "");
    definition.numbers[0] = (uint16_t)(2 * kind);
    definition.text = lines;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_announce(&w, &definition, 1);
    return pajewrite_finish(&w);
}

/* A name after a table is written as before it: without quotes that it does not need. */
static void name_after_table(void)
{
    static const pajewrite_definition defined[] = {PAJEWRITE_ROM_CONTAINER_TYPE(1, 0, "t")};
    const pajewrite_config config = defaults();
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_announce(&w, defined, 1);
    pajewrite_create_container(&w, ME, THREAD, PAJEWRITE_ROOT, "name");
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && has("\"t\"\n") && has(" name\n"));
    end_case("a name after a table of definitions");
}

/* More decimals than nanoseconds have are refused. */
static void too_many_decimals(void)
{
    pajewrite_config config = defaults();
    for (config.decimals = 9; config.decimals < 30; config.decimals++) {
        const int is_known = config.decimals == 9 || config.decimals == PAJEWRITE_SECONDS;
        const pajewrite_status expected = is_known ? PAJEWRITE_OK : PAJEWRITE_E_MISUSE;
        EXPECT(pajewrite_init(&w, buffer, sizeof buffer, &config) == expected && pajewrite_finish(&w) == expected);
    }
    end_case("more than nine decimals");
}

/* A state of a category that is off is neither entered nor left, and nothing is wrong. */
static void entered_while_off(void)
{
    const pajewrite_config config = defaults();
    pajewrite_entered entered;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work();
    pajewrite_flush(&w);
    output.size = 0;
    pajewrite_disable(&w, 1u << 3);
    entered = pajewrite_enter(&w, ME, PAJEWRITE_TYPE_IN(3, 1), BUSY);
    pajewrite_enable(&w, 1u << 3);
    pajewrite_leave(&entered);
    EXPECT(pajewrite_flush(&w) == PAJEWRITE_OK && !output.size && !pajewrite_count(&w).refused);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
    end_case("a state of a category that is off");
}

static void tables_of_definitions(void)
{
    char lines[4096];
    size_t size = 0;
    int i;
    for (i = 0; i < 14; i++) {
        size += (size_t)snprintf(lines + size, sizeof lines - size, "%% name_%0100d int\n", i);
        EXPECT(announce(PAJEWRITE_PUSH_STATE, lines) == PAJEWRITE_OK && has(lines));
    }
    for (; i < 20; i++)
        size += (size_t)snprintf(lines + size, sizeof lines - size, "%% name_%0100d int\n", i);
    EXPECT(announce(PAJEWRITE_PUSH_STATE, lines) == PAJEWRITE_E_VARIANT);
    EXPECT(announce(PAJEWRITE_PUSH_STATE, "% Size int") == PAJEWRITE_E_VARIANT);
    EXPECT(announce(PAJEWRITE_PUSH_STATE, "\n") == PAJEWRITE_E_VARIANT);
    EXPECT(announce(PAJEWRITE_PUSH_STATE, "% Size int\n18 0 0 0 0\n") == PAJEWRITE_E_VARIANT);
    EXPECT(announce(5, "% Size int\n") == PAJEWRITE_E_VARIANT);
    EXPECT(announce(1000, "% Size int\n") == PAJEWRITE_E_VARIANT);
    EXPECT(announce(PAJEWRITE_TRACE_FILE, "% Size int\n") == PAJEWRITE_E_VARIANT); /* which is left out by default */
    end_case("tables of definitions with long variants, and with bad ones");
}

/* A table is announced also where no alias is left to hand out. */
static void last_aliases(void)
{
    static const pajewrite_definition with_variant[] = {
        PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int"))};
    pajewrite_config config = defaults();
    uint32_t shared = UINT32_MAX - 10, is_shared;
    alarm(20);
    for (is_shared = 0; is_shared < 2; is_shared++) {
        config.alias_first = is_shared ? 0 : UINT32_MAX - 10;
        config.aliases = is_shared ? &shared : NULL;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_announce(&w, with_variant, 1);
        EXPECT(pajewrite_flush(&w) == PAJEWRITE_OK && has("%EventDef PajePushState 40\n"));
        EXPECT(!pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int").number);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_ALIASES);
    }
    alarm(0);
    end_case("a table where no alias is left");
}

/* In a context that keeps definitions, too, and in a flight recorder. */
static void ends_before_begin(void)
{
    pajewrite_config config = defaults();
    int i;
    config.table = table;
    config.table_entries = ENTRIES;
    for (i = 0; i < 3; i++) {
        if (i == 1)
            config.when_full = PAJEWRITE_OVERWRITE;
        if (i == 2) {
            config.when_full = PAJEWRITE_DROP;
            config.sink = NULL;
            config.offer = offer;
            config.definitions_size = BUFFER / 2;
        }
        now = 100;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
        pajewrite_create_container(&w, ME, THREAD, PAJEWRITE_ROOT, "me");
        pajewrite_destroy_container_at(&w, 100, ME, THREAD);
        EXPECT(pajewrite_get_status(&w) == PAJEWRITE_OK);
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(2), THREAD, PAJEWRITE_ROOT, "me");
        pajewrite_destroy_container_at(&w, 99, PAJEWRITE_CONTAINER(2), THREAD);
        EXPECT(pajewrite_get_status(&w) == PAJEWRITE_E_ORDER);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_ORDER);
    }
    end_case("a container that ends before it begins");
}

/* A link's ends come in any order; the later one is what no end of its container, and no link, may come before. */
static void after_links(void)
{
    const pajewrite_type link = {4};
    const pajewrite_config plain = defaults();
    pajewrite_config config = plain;
    int is_late, ends_first;
    config.table = table;
    config.table_entries = ENTRIES;
    for (is_late = 0; is_late < 2; is_late++)
        for (ends_first = 0; ends_first < 2; ends_first++) {
            pajewrite_init(&w, buffer, sizeof buffer, &config);
            work();
            pajewrite_define_link_type(&w, link, THREAD, THREAD, THREAD, "Link");
            pajewrite_end_link_at(&w, ends_first ? 10 : 20, ME, link, BUSY, ME, 1);
            pajewrite_start_link_at(&w, ends_first ? 20 : 10, ME, link, BUSY, ME, 1);
            EXPECT(pajewrite_flush(&w) == PAJEWRITE_OK);
            pajewrite_destroy_container_at(&w, is_late ? 20 : 19, ME, THREAD);
            EXPECT(pajewrite_finish(&w) == (is_late ? PAJEWRITE_OK : PAJEWRITE_E_ORDER));
        }
    end_case("containers that end before the links on them");
}

static int lines_with(const char *start)
{
    const char *at = output.bytes;
    int count = 0;
    for (; (at = strstr(at, start)) != NULL; at++)
        count++;
    return count;
}

/* Links that began before another peer came are not ended for that one, which knows no begin. */
static void links_of_peers(void)
{
    const pajewrite_type link = {4};
    pajewrite_config config = defaults();
    config.sink = NULL;
    config.offer = offer;
    config.table = table;
    config.table_entries = ENTRIES;
    config.definitions_size = BUFFER / 2;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    work();
    pajewrite_define_link_type(&w, link, THREAD, THREAD, THREAD, "Link");
    pajewrite_start_link(&w, ME, link, BUSY, ME, 1);
    pajewrite_start_link_named(&w, ME, link, BUSY, ME, "named");
    pajewrite_end_link(&w, ME, link, BUSY, ME, 2);
    pajewrite_start_link(&w, ME, link, BUSY, ME, 3);
    pajewrite_end_link(&w, ME, link, BUSY, ME, 3);
    pajewrite_flush(&w);
    EXPECT(lines_with("\n26 ") == 3 && lines_with("\n27 ") == 2);
    output.size = 0;
    EXPECT(pajewrite_attach(&w, NULL) == PAJEWRITE_OK);
    pajewrite_end_link(&w, ME, link, BUSY, ME, 1);
    pajewrite_end_link_named(&w, ME, link, BUSY, ME, "named");
    pajewrite_start_link(&w, ME, link, BUSY, ME, 2);
    pajewrite_start_link(&w, ME, link, BUSY, ME, 4);
    pajewrite_end_link(&w, ME, link, BUSY, ME, 4);
    pajewrite_set_state(&w, ME, STATE, BUSY);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && pajewrite_count(&w).dropped == 3);
    EXPECT(lines_with("\n26 ") == 1 && lines_with("\n27 ") == 1 && has(" 1 4 1 1 4\n"));
    end_case("links of which another peer sees one end");
}

/* Where the table was full, what is open is not known any more. */
static void attached_without_table(void)
{
    pajewrite_config config = defaults();
    uint32_t i;
    config.table = table;
    config.table_entries = 16;
    config.sink = NULL;
    config.offer = offer;
    config.definitions_size = sizeof buffer / 2;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work();
    for (i = 2; i < 20; i++)
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_ROOT, NULL);
    EXPECT(pajewrite_flush(&w) == PAJEWRITE_E_TABLE_FULL);
    output.size = 0;
    pajewrite_attach(&w, NULL);
    EXPECT(pajewrite_count(&w).refused == 1 && !output.size);
    pajewrite_finish(&w);
    end_case("another peer after the table was full");
}

/* The end of a container that did not fit is written once, by the context that dropped it. */
static void learned_ends(void)
{
    static pajewrite_entry other_table[ENTRIES];
    static char small[PAJEWRITE_BUFFER_MIN];
    pajewrite_config config = defaults();
    const char *end;
    pajewrite other;
    int i;
    config.table = table;
    config.table_entries = ENTRIES;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, small, sizeof small, &config);
    config.table = other_table;
    pajewrite_init(&other, buffer, sizeof buffer, &config);
    work();
    pajewrite_flush(&w);
    for (i = 0; i < 50; i++)
        pajewrite_set_state(&w, ME, STATE, BUSY);
    pajewrite_destroy_container(&w, ME, THREAD);
    pajewrite_learn(&other, &w);
    EXPECT(pajewrite_finish(&other) == PAJEWRITE_OK && pajewrite_finish(&w) == PAJEWRITE_OK);
    end = strstr(output.bytes, "\n17 ");
    EXPECT(end && !strstr(end + 1, "\n17 "));
    end_case("the end of a container that another context has learned");
}

/* A buffer that is not to be delivered by itself is not after a flush, either, that wrote definitions of a gap. */
static void drops_again(void)
{
    static char small[2 * PAJEWRITE_BUFFER_MIN];
    pajewrite_config config = defaults();
    uint64_t dropped;
    int i;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, small, sizeof small, &config);
    pajewrite_header(&w); /* which does not fit */
    EXPECT(pajewrite_count(&w).dropped);
    pajewrite_flush(&w);
    dropped = pajewrite_count(&w).dropped;
    for (i = 0; i < 100; i++)
        pajewrite_set_state(&w, PAJEWRITE_ROOT, STATE, BUSY);
    EXPECT(pajewrite_count(&w).dropped > dropped);
    pajewrite_finish(&w);
    end_case("a buffer that is full again after a gap");
}

/* After a gap, events have their user fields as before it. */
static void fields_after_gap(void)
{
    static char small[2 * PAJEWRITE_BUFFER_MIN];
    pajewrite_config config = defaults();
    pajewrite_variant sized;
    pajewrite_fields fields;
    pajewrite_event event = PAJEWRITE__ZERO;
    int i;
    config.table = table;
    config.table_entries = ENTRIES;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, small, sizeof small, &config);
    work();
    sized = pajewrite_define_variant(&w, PAJEWRITE_SET_STATE, "Size int");
    pajewrite_flush(&w);
    for (i = 0; i < 50; i++)
        pajewrite_set_state(&w, ME, STATE, BUSY);
    pajewrite_flush(&w);
    EXPECT(pajewrite_count(&w).dropped);
    fields = pajewrite_fields_of(sized);
    pajewrite_field_int(&fields, 123456789);
    event.kind = PAJEWRITE_SET_STATE;
    event.container = ME;
    event.type = STATE;
    event.value = BUSY;
    event.time = PAJEWRITE_TIME_NOW;
    pajewrite_write(&w, &event, &fields);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && has(" 123456789\n"));
    end_case("user fields after a gap");
}

/* What cannot be written is refused also where nothing can: in a gap, and while there is no peer. */
static void refused_in_gaps(void)
{
    const uint64_t not_a_number = UINT64_C(0x7ff8000000000000);
    static char small[2 * PAJEWRITE_BUFFER_MIN];
    const pajewrite_container lost = {2};
    pajewrite_config config = defaults();
    double number;
    int i;
    memcpy(&number, &not_a_number, sizeof number);
    config.table = table;
    config.table_entries = ENTRIES;
    config.when_full = PAJEWRITE_DROP;
    config.origin = now = 1000;
    pajewrite_init(&w, small, sizeof small, &config);
    work();
    pajewrite_flush(&w);
    for (i = 0; i < 50; i++)
        pajewrite_set_state(&w, ME, STATE, BUSY);
    pajewrite_create_container(&w, lost, THREAD, PAJEWRITE_ROOT, NULL);
    pajewrite_flush(&w);
    pajewrite_set_state_at(&w, 999, lost, STATE, BUSY);
    EXPECT(pajewrite_count(&w).refused == 1 && pajewrite_finish(&w) == PAJEWRITE_E_TIME);
    EXPECT(has("# dropped ") && !has("18446744073"));
    config = defaults();
    config.table = table;
    config.table_entries = ENTRIES;
    config.sink = NULL;
    config.offer = offer;
    config.definitions_size = sizeof buffer / 2;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work();
    pajewrite_define_variable_type(&w, GAUGE, THREAD, "Gauge", NULL);
    pajewrite_set_variable(&w, ME, GAUGE, 7);
    output.is_dead = 1;
    EXPECT(pajewrite_flush(&w) == PAJEWRITE_E_SINK);
    pajewrite_set_variable_double(&w, ME, GAUGE, number);
    EXPECT(pajewrite_count(&w).refused == 1);
    output.is_dead = 0;
    output.size = 0;
    pajewrite_attach(&w, NULL);
    pajewrite_finish(&w);
    EXPECT(has(" 7\n") && !has("e308\n"));
    end_case("what is refused in gaps");
}

static void recorders(void)
{
    const size_t first = sizeof(pajewrite__recorder);
    pajewrite_config config = defaults();
    uint64_t i;
    config.table = table;
    config.table_entries = ENTRIES;
    config.when_full = PAJEWRITE_OVERWRITE;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    EXPECT(pajewrite_flight_dump(buffer, sizeof buffer, 0, NULL, 0, to_memory, NULL) == PAJEWRITE_OK);
    EXPECT(output.size == 0);
    for (i = 0; i < PAJEWRITE_SEGMENTS; i++) { /* damaged: numbers up to the greatest there is */
        const uint64_t number = UINT64_MAX - i;
        memcpy(buffer + first + (size_t)((number - 1) % PAJEWRITE_SEGMENTS) * sizeof(pajewrite__segment), &number,
               sizeof number);
    }
    alarm(20);
    pajewrite_flight_dump(buffer, sizeof buffer, 0, NULL, 0, to_memory, NULL);
    alarm(0);
    end_case("flight recorders that are empty, and with segments of the greatest numbers");
}

static void sizes_of_files(void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 5000, SIZE_MAX / 2, SIZE_MAX / 4};
    struct rlimit before, limit;
    pajewrite_config config = defaults();
    pajewrite_map map;
    pajewrite_blocks blocks;
    pajewrite_block block;
    size_t i, size;
    config.sink = NULL;
    getrlimit(RLIMIT_FSIZE, &before);
    limit = before;
    limit.rlim_cur = 1 << 20;
    setrlimit(RLIMIT_FSIZE, &limit); /* SIGXFSZ would end the test */
    alarm(20);
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        EXPECT(pajewrite_map_open(&map, path, sizes[i]) == PAJEWRITE_OK);
        EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_E_SINK);
        pajewrite_finish(&w);
    }
    EXPECT(pajewrite_map_open(&map, path, (1 << 20) + 1) == PAJEWRITE_OK);
    EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_E_SINK);
    pajewrite_finish(&w);
    EXPECT(!pajewrite_map_next_buffer(&map, 0, 0, &size) && size == PAJEWRITE_E_SINK); /* it is closed */
    config.next_buffer = pajewrite_block_next_buffer;
    config.next_buffer_data = &block;
    unlink(path);
    EXPECT(pajewrite_blocks_open(&blocks, path) == PAJEWRITE_OK);
    for (i = 0; i < 8; i++) {
        pajewrite_block_init(&block, &blocks, sizes[i % 4]);
        EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_E_SINK);
        pajewrite_finish(&w);
    }
    pajewrite_block_init(&block, &blocks, 0); /* of the beginning: nothing is in the file yet */
    EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK && blocks.end == blocks.page);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = table;
    config.table_entries = ENTRIES;
    for (i = 0; i < 3; i++) { /* signals are blocked while a block is taken: this would hang */
        pajewrite_block_init(&block, &blocks, 0);
        EXPECT(pajewrite_init(&w, NULL, sizes[i], &config) == PAJEWRITE_E_SINK);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK && !blocks.users);
    }
    alarm(0);
    setrlimit(RLIMIT_FSIZE, &before);
    unlink(path);
    end_case("sizes of maps and blocks that no file can have");
}

/* In a program that is compiled with -ffast-math, as this one is, and one that rounds otherwise. */
static void doubles(void)
{
    static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    const uint64_t infinity = UINT64_C(0x7ff) << 52, smallest = 1;
    pajewrite_config config = defaults();
    double number, read;
    uint64_t random = 1, bits, again;
    char text[40];
    size_t mode;
    int i;
    for (mode = 0; mode < sizeof modes / sizeof *modes; mode++)
        for (i = 0; i < 20000; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            number = (double)(random >> 40) / 1e6; /* decimals, and their neighbours */
            memcpy(&bits, &number, sizeof bits);
            bits += bits ? (random >> 20) % 3 - 1 : 0;
            memcpy(&number, &bits, sizeof bits);
            fesetround(modes[mode]);
            *pajewrite__put_double(text, number) = 0;
            fesetround(FE_TONEAREST);
            read = strtod(text, NULL);
            memcpy(&again, &read, sizeof again);
            if (again != bits)
                fail("mode %d: %016llx is written as %s", modes[mode], (unsigned long long)bits, text);
        }
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    memcpy(&number, &infinity, sizeof number);
    pajewrite_set_variable_double(&w, ME, GAUGE, number);
    bits = infinity | 1;
    memcpy(&number, &bits, sizeof number);
    pajewrite_set_variable_double(&w, ME, GAUGE, number);
    EXPECT(pajewrite_count(&w).refused == 2 && pajewrite_get_status(&w) == PAJEWRITE_E_NUMBER);
    memcpy(&number, &smallest, sizeof number);
    pajewrite_set_variable_double(&w, ME, GAUGE, number);
    pajewrite_finish(&w);
    EXPECT(has(" 4.9406564584124654e-324\n"));
    end_case("doubles with -ffast-math, in each rounding mode");
}

static sigjmp_buf back;

static pajewrite_status jump(void *data, const char *bytes, size_t size)
{
    (void)data, (void)bytes, (void)size;
    siglongjmp(back, 1);
}

/* A call that is left by a jump stays under way: nothing is written in the middle of what it has changed. */
static void jumps(void)
{
    pajewrite_config config = defaults();
    pajewrite_variant dropped;
    pajewrite_event event;
    memset(&event, 0, sizeof event);
    memset(&dropped, 0, sizeof dropped); /* its number */
    event.kind = dropped.kind = PAJEWRITE_PUSH_STATE;
    config.sink = jump;
    output.size = 0;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work();
    if (!sigsetjmp(back, 1)) {
        pajewrite_flush(&w);
        fail("not jumped");
    }
    EXPECT(pajewrite_get_status(&w) == PAJEWRITE_OK && !pajewrite_count(&w).dropped);
    pajewrite_push_state(&w, ME, STATE, BUSY);
    pajewrite_pop_state(&w, ME, STATE);
    pajewrite_write_ints(&w, &event, dropped, NULL, 0);
    event.type = PAJEWRITE_TYPE_IN(3, 1);
    pajewrite_disable(&w, 1u << 3);
    pajewrite_write_ints(&w, &event, dropped, NULL, 0);
    EXPECT(pajewrite_count(&w).dropped == 3 && pajewrite_get_status(&w) == PAJEWRITE_OK);
    EXPECT(pajewrite_flush(&w) == PAJEWRITE_E_REENTERED && pajewrite_finish(&w) == PAJEWRITE_E_REENTERED);
    config.sink = to_memory;
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    work();
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && !pajewrite_count(&w).dropped && has("18 0.000000000 1 2 1\n"));
    end_case("jumps out of a call");
}

int main(void)
{
    last_second();
    after_the_end();
    numbers_of_variants();
    name_after_table();
    too_many_decimals();
    entered_while_off();
    tables_of_definitions();
    last_aliases();
    ends_before_begin();
    after_links();
    links_of_peers();
    attached_without_table();
    learned_ends();
    drops_again();
    fields_after_gap();
    refused_in_gaps();
    recorders();
    sizes_of_files();
    doubles();
    jumps();
    return failed != 0;
}
