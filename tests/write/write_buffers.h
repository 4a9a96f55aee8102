/* Cases of write.c: buffers and tables of every size, what is dropped, and what finish closes. */
#ifndef TESTS_WRITE_BUFFERS_H
#define TESTS_WRITE_BUFFERS_H

#include "write.h"

/* Buffers from a source, each a little larger than asked for. */
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
    for (r.extra = 0; r.extra < 300 && !fault[0]; r.extra++) {
        pajewrite_config config = config_of();
        config.next_buffer = next_room;
        config.next_buffer_data = &r;
        pajewrite_init(&w, NULL, 0, &config);
        run_program(&w, 5, 400);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 1, 0);
    }
    end_case("room of every size");
}

/* Gaps are reported where they are: how many events, from when to when. */
static void gaps(void)
{
    uint32_t i, size;
    for (size = PAJEWRITE_BUFFER_MIN; size < 600 && !fault[0]; size++) {
        pajewrite_config config = config_of();
        const char *line, *end;
        uint64_t next = 0, told = 0;
        config.when_full = PAJEWRITE_DROP;
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
        end = out.bytes + out.size;
        for (line = out.bytes; line < end; line = (const char *)memchr(line, '\n', 999) + 1) {
            uint64_t count, first, last, number;
            const char *format = "# dropped %" SCNu64 " events from %" SCNu64 " to %" SCNu64 "\n";
            if (sscanf(line, format, &count, &first, &last) == 3) {
                if (first != next || last != first + count - 1)
                    fail("after %" PRIu64 ": %.60s", next, line);
                next = last + 1;
                told += count;
            } else if (sscanf(line, "23 %*u 0 %*u %" SCNu64 "\n", &number) != 1 || number != next++) {
                fail("line for %" PRIu64 ": %.60s", next, line);
            }
        }
        if (!told || told != pajewrite_count(&w).dropped || next != 300)
            fail("%" PRIu64 " are said to be dropped in the trace, %" PRIu64 " by the count", told,
                 pajewrite_count(&w).dropped);
    }
    end_case("gaps are reported");
}

/* Definitions that are dropped before the first event are dropped at the origin. */
static void gap_of_definitions(void)
{
    pajewrite_config config = config_of();
    config.when_full = PAJEWRITE_DROP;
    config.origin = UINT64_C(1000000000000);
    pajewrite_init(&w, buffer, PAJEWRITE_BUFFER_MIN, &config);
    while (!pajewrite_count(&w).dropped)
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_finish(&w);
    if (count_lines("# dropped 1 events from 0.000000000 to 0.000000000\n") != 1)
        fail("%.*s", (int)out.size, out.bytes);
    end_case("gap before the first event");
}

/* A sequence that crosses the end of the buffer at each position. */
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
    for (size = PAJEWRITE_BUFFER_MIN; size < PAJEWRITE_BUFFER_MIN + 700 && !fault[0]; size++) {
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
        if (pajewrite_finish(&w) != PAJEWRITE_E_MISUSE || out.calls ||
            pajewrite_count(&w).dropped != call_count + definitions)
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

static void finishing(void)
{
    uint32_t i;
    without_end = 1;
    for (i = 0; i < 50 && !fault[0]; i++) {
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        run_program(&w, i, i * 10);
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        replay(out.bytes, out.size, 0, 0);
        if (count_lines("16 ") + count_lines("42 ") != count_lines("17 "))
            fail("%zu containers are created, %zu destroyed", count_lines("16 ") + count_lines("42 "),
                 count_lines("17 "));
    }
    without_end = 0;
    if (!fault[0]) { /* a trace file has no time that could be the last one */
        pajewrite_event event;
        pajewrite_config config = config_of();
        config.table = table;
        config.table_entries = 1000;
        pajewrite_init(&w, buffer, sizeof buffer, &config);
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, NULL);
        pajewrite_create_container_at(&w, 5, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(1), PAJEWRITE_ROOT, NULL);
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_TRACE_FILE;
        event.time = PAJEWRITE_TIME_NOW;
        event.name = "file";
        pajewrite_write(&w, &event, NULL);
        pajewrite_finish(&w);
        if (count_lines("17 0.000000005 1 1") != 1)
            fail("the end is at the time of a trace file");
    }
    end_case("finish closes what is open");
}

/* A link is not completed if its other end is a container whose creation was dropped, or if its key is text. */
static void dropping(void)
{
    uint32_t i;
    uint64_t dropped = 0, gaps = 0;
    flushes = 1;
    for (i = 0; i < 400 && !fault[0]; i++) {
        pajewrite_config config = config_of();
        config.when_full = PAJEWRITE_DROP;
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
    if (!fault[0] && (dropped < 1000 || gaps < 100))
        fail("%" PRIu64 " dropped, in %" PRIu64 " gaps", dropped, gaps);
    end_case("what is left when some is dropped is valid");
}

enum { DEBTS = 300 };

/* The ends of hundreds of containers and links are dropped: they are written later, in order,
 * also where they are more than the buffer holds. */
static void debts(size_t size)
{
    static char big[1 << 18];
    const int is_small = size < 60 * DEBTS;
    uint32_t i;
    pajewrite_config config = config_of();
    config.when_full = PAJEWRITE_DROP;
    config.table = table;
    config.table_entries = sizeof table / sizeof *table;
    flushes = 1;
    pajewrite_init(&w, big, size, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
    pajewrite_define_container_type(&w, THREAD, GROUP, "thread");
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, GROUP, GROUP, "link");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), LINK, "value", NULL);
    for (i = 1; i <= DEBTS; i++) {
        if (is_small)
            pajewrite_flush(&w);
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), i % 3 == 1 ? GROUP : THREAD,
                                      PAJEWRITE_CONTAINER(i % 3 == 1 ? 0 : (i - 1) / 3 * 3 + 1), NULL);
    }
    if (is_small)
        pajewrite_flush(&w);
    for (i = 1; i <= DEBTS; i += 3)
        pajewrite_start_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(i), i);
    for (; !pajewrite_count(&w).dropped; i++)
        pajewrite_start_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    for (i = 1; i <= DEBTS; i += 3)
        pajewrite_end_link_at(&w, 2000 + i / 7, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(i), i);
    for (i = DEBTS; i; i--)
        pajewrite_destroy_container_at(&w, 3000 + (DEBTS - i) / 7, PAJEWRITE_CONTAINER(i), i % 3 == 1 ? GROUP : THREAD);
    pajewrite_flush(&w);
    pending_links_pass = 1;
    replay(out.bytes, out.size, 0, 0);
    if (count_lines("17 ") != DEBTS || count_lines("27 ") != DEBTS / 3)
        fail("%zu containers and %zu links end", count_lines("17 "), count_lines("27 "));
    flushes = pending_links_pass = 0;
    pajewrite_finish(&w);
    end_case(is_small ? "ends that were dropped, more than the buffer holds" :
                        "ends that were dropped, by the hundred");
}

/* Drops what follows until the next flush. */
static void fill_buffer(void)
{
    uint64_t before = pajewrite_count(&w).dropped;
    while (pajewrite_count(&w).dropped == before)
        pajewrite_set_variable_at(&w, 5, PAJEWRITE_ROOT, GAUGE, 1);
}

/* Nothing is made up, or written later, that names what was dropped: a type, an end of a link type, the type of a
 * state that is open at the end, the container at the end of a link, also if the table has evicted that since. */
static void after_dropped(void)
{
    enum { EARLY = 60, LATE };
    uint32_t i;
    pajewrite_config config = config_of();
    config.when_full = PAJEWRITE_DROP;
    config.table = table;
    config.table_entries = 40;
    pending_links_pass = 1;
    pajewrite_init(&w, buffer, 4000, &config);
    pajewrite_header(&w);
    pajewrite_define_variable_type(&w, GAUGE, PAJEWRITE_ROOT_TYPE, "gauge", NULL);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "link");
    pajewrite_define_value(&w, PAJEWRITE_VALUE(1), LINK, "value", NULL);
    pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, NULL);
    pajewrite_start_link_at(&w, 2, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 1);
    fill_buffer();
    pajewrite_define_variable_type(&w, PAJEWRITE_TYPE(EARLY), PAJEWRITE_ROOT_TYPE, "dropped", NULL);
    pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "dropped, too");
    pajewrite_set_variable_at(&w, 6, PAJEWRITE_ROOT, PAJEWRITE_TYPE(EARLY), 1);
    pajewrite_define_state_type(&w, STATE, PAJEWRITE_ROOT_TYPE, "dropped as well");
    pajewrite_push_state_at(&w, 6, PAJEWRITE_ROOT, STATE, PAJEWRITE_VALUE(1));
    pajewrite_create_container_at(&w, 6, PAJEWRITE_CONTAINER(2), THREAD, PAJEWRITE_ROOT, NULL);
    pajewrite_end_link_at(&w, 7, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(2), 1);
    pajewrite_destroy_container_at(&w, 8, PAJEWRITE_CONTAINER(2), THREAD);
    for (i = 100; i < 200; i++) /* fill the table */
        pajewrite_start_link_at(&w, 9, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    pajewrite_flush(&w);
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(LATE), PAJEWRITE_ROOT_TYPE, THREAD, GROUP, "its end was dropped");
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(LATE + 1), PAJEWRITE_ROOT_TYPE, GROUP, THREAD, "its start was");
    if (pajewrite_finish(&w))
        fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
    replay(out.bytes, out.size, 0, 0);
    pending_links_pass = 0;
    end_case("what depends on what was dropped");
}

/* Begins a trace whose buffer drops what it has no room for, with a container and a state type. */
static void begin_dropping(void)
{
    pajewrite_config config = config_of();
    config.table = table;
    config.table_entries = 128;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, buffer, 3000, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, NULL);
}

/* Ends of links that were dropped come in the order in which the links were complete, also where two are at one time,
 * of which one is before its start, as clocks differ. */
static void gap_of_links(void)
{
    uint32_t i;
    begin_dropping();
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "link");
    for (i = 0; i < 20; i++)
        pajewrite_start_link_at(&w, i % 2 ? 10 * i + 5 : 0, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1),
                                PAJEWRITE_CONTAINER(1), i);
    while (!pajewrite_count(&w).dropped)
        pajewrite_set_state_at(&w, 1, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
    for (i = 0; i < 20; i++)
        pajewrite_end_link_at(&w, 10 * (i | 1), PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    if (pajewrite_finish(&w) || count_lines("27 ") != 20)
        fail("status: %s, %zu ends", pajewrite_problem(&w), count_lines("27 "));
    replay(out.bytes, out.size, 0, 0);
    end_case("gap with ends of links before their starts");
}

/* Ends of links that were dropped are made up also if the table gets full before, of links that have one end. */
static void gap_of_links_in_full_table(void)
{
    uint32_t i;
    begin_dropping();
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "link");
    for (i = 0; i < 20; i++)
        pajewrite_start_link_at(&w, 1, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    while (!pajewrite_count(&w).dropped)
        pajewrite_set_state_at(&w, 1, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
    for (i = 0; i < 320; i++)
        pajewrite_end_link_at(&w, 2 + i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    if (pajewrite_finish(&w) || count_lines("27 ") != 20)
        fail("status: %s, %zu ends", pajewrite_problem(&w), count_lines("27 "));
    replay(out.bytes, out.size, 0, 0);
    end_case("gap with ends of links, in a table that gets full");
}

/* Links that are finished make room in a full table before one that has begun: its end is made up. */
static void gap_of_old_link(void)
{
    uint32_t i;
    begin_dropping();
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "link");
    for (i = 0; i < 300; i++) {
        pajewrite_start_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
        if (i)
            pajewrite_end_link_at(&w, i, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
        pajewrite_flush(&w);
    }
    while (!pajewrite_count(&w).dropped)
        pajewrite_set_state_at(&w, 300, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
    pajewrite_end_link_at(&w, 300, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), 0);
    if (pajewrite_finish(&w) || count_lines("27 ") != 300)
        fail("status: %s, %zu ends", pajewrite_problem(&w), count_lines("27 "));
    replay(out.bytes, out.size, 0, 0);
    end_case("gap with the end of a link that is older than many");
}

/* A context that drops writes the ends of all that is open when it is finished, however many do not fit its buffer. */
static void finish_dropping(void)
{
    uint32_t i;
    begin_dropping();
    for (i = 2; i <= 100; i++) {
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_ROOT, NULL);
        if (i % 20 == 0)
            pajewrite_flush(&w);
    }
    w.latest = UINT64_MAX / 2; /* a long line for each */
    if (pajewrite_finish(&w) || pajewrite_count(&w).dropped || count_lines("17 ") != 100)
        fail("status: %s, %zu ends, %" PRIu64 " dropped", pajewrite_problem(&w), count_lines("17 "),
             pajewrite_count(&w).dropped);
    replay(out.bytes, out.size, 0, 0);
    end_case("finish while dropping");
}

/* Events whose user fields were not defined, as that was dropped, have none, so that pushes and pops match. */
static void gap_of_variants(void)
{
    const int64_t number = 7;
    pajewrite_variant variant;
    pajewrite_fields fields;
    pajewrite_event event;
    begin_dropping();
    pajewrite_flush(&w);
    while (!pajewrite_count(&w).dropped)
        pajewrite_set_state_at(&w, 1, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
    variant = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int");
    pajewrite_flush(&w);
    memset(&event, 0, sizeof event);
    event.kind = PAJEWRITE_PUSH_STATE;
    event.container = PAJEWRITE_CONTAINER(1);
    event.type = STATE;
    event.value = PAJEWRITE_VALUE(2);
    event.time = 2;
    pajewrite_reset_state_at(&w, 2, PAJEWRITE_CONTAINER(1), STATE);
    fields = pajewrite_fields_of(variant);
    pajewrite_field_int(&fields, number);
    pajewrite_write(&w, &event, &fields);
    pajewrite_write_ints(&w, &event, variant, &number, 1);
    pajewrite_pop_state_at(&w, 2, PAJEWRITE_CONTAINER(1), STATE);
    pajewrite_pop_state_at(&w, 2, PAJEWRITE_CONTAINER(1), STATE);
    if (pajewrite_finish(&w) || count_lines("19 0.000000002 1 ") != 2 || count_lines("20 0.000000002 1 ") != 2)
        fail("status: %s, %zu pushes", pajewrite_problem(&w), count_lines("19 "));
    replay(out.bytes, out.size, 0, 0);
    end_case("gap with a definition of user fields");
}

/* What was dropped of a table of definitions that does not fit is not used: user fields neither. */
static void gap_in_announcement(void)
{
    static const pajewrite_definition rom[] = {
        PAJEWRITE_ROM_CONTAINER_TYPE(2, 0, "thread"), PAJEWRITE_ROM_STATE_TYPE(3, 2, "state"),
        PAJEWRITE_ROM_CONTAINER(1, 2, 0, "first"),
        PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int"))};
    const pajewrite_variant announced = {40, PAJEWRITE_PUSH_STATE, 1};
    const int64_t number = 7;
    size_t size, without = 0, with = 0;
    for (size = PAJEWRITE_BUFFER_MIN; size < 6000 && !fault[0]; size += 20) {
        pajewrite_config config = config_of();
        pajewrite_event event;
        config.table = table;
        config.table_entries = 128;
        config.when_full = PAJEWRITE_DROP;
        pajewrite_init(&w, buffer, size, &config);
        pajewrite_announce(&w, rom, sizeof rom / sizeof *rom);
        pajewrite_flush(&w);
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_PUSH_STATE;
        event.container = PAJEWRITE_CONTAINER(1);
        event.type = PAJEWRITE_TYPE(3);
        event.value = PAJEWRITE_VALUE(2);
        event.time = 2;
        pajewrite_write_ints(&w, &event, announced, &number, 1);
        pajewrite_pop_state_at(&w, 2, event.container, event.type);
        if (pajewrite_finish(&w))
            fail("buffer of %zu: %s", size, pajewrite_problem(&w));
        without += count_lines("19 0.000000002 1 ");
        with += count_lines("40 0.000000002 1 ");
        replay(out.bytes, out.size, 0, 0);
    }
    if (!without || !with)
        fail("pushes: %zu without user fields, %zu with some", without, with);
    end_case("gap in an announcement");
}

/* A context that has learned what another one has dropped drops what depends on it, by the fast path as well. */
static void learned_gap(void)
{
    static pajewrite_entry other_table[64];
    static char other_buffer[1000];
    const pajewrite_container there = {1}, lost = {2};
    pajewrite_config config = config_of();
    pajewrite other;
    uint32_t i;
    config.table_entries = 64;
    config.table = other_table;
    pajewrite_init(&other, other_buffer, sizeof other_buffer, &config);
    config.table = table;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, buffer, 3000, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "state");
    pajewrite_create_container_at(&w, 0, there, THREAD, PAJEWRITE_ROOT, NULL);
    pajewrite_flush(&w);
    while (!pajewrite_count(&w).dropped)
        pajewrite_set_state_at(&w, 1, there, STATE, PAJEWRITE_VALUE(1));
    pajewrite_create_container_at(&w, 1, lost, THREAD, PAJEWRITE_ROOT, NULL);
    pajewrite_learn(&other, &w);
    for (i = 2; i < 6; i++)
        pajewrite_push_state_at(&other, 1, i < 5 ? lost : there, STATE, PAJEWRITE_VALUE(1));
    if (pajewrite_flush(&w) || pajewrite_finish(&other) || pajewrite_finish(&w))
        fail("status: %s, %s", pajewrite_problem(&other), pajewrite_problem(&w));
    if (pajewrite_count(&other).dropped != 3 || pajewrite_count(&other).written != 2)
        fail("%" PRIu64 " are dropped, %" PRIu64 " written", pajewrite_count(&other).dropped,
             pajewrite_count(&other).written);
    replay(out.bytes, out.size, 0, 0);
    end_case("gap that another context has learned");
}

static void full_table(void)
{
    size_t entries, i;
    for (i = 0; i < 400 && !fault[0]; i++) {
        pajewrite_status status;
        pajewrite_config config = config_of();
        entries = i / 2;
        config.when_full = i % 2 ? PAJEWRITE_DROP : PAJEWRITE_FLUSH; /* nothing is dropped; only links are remembered */
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

/* A message of the program below: one of its ends is in another trace. */
static void half_of_message(uint64_t time, uint64_t key)
{
    char text[32];
    if (key % 3) {
        pajewrite_start_link_at(&w, time, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), key);
        return;
    }
    snprintf(text, sizeof text, "w.%" PRIu64, key);
    pajewrite_end_link_named_at(&w, time, PAJEWRITE_ROOT, LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), text);
}

/* Links whose other ends are in other traces fill a table by the thousand; the states stay right in each gap. */
static void halves_of_links(void)
{
    enum { MESSAGES = 3000 };
    uint64_t depth, time, dropped = 0;
    uint32_t i, k;
    pending_links_pass = 1;
    for (i = 0; i < 60 && !fault[0]; i++) {
        pajewrite_config config = config_of();
        config.when_full = PAJEWRITE_DROP;
        config.table = table;
        config.table_entries = 32 + 8 * i;
        seed = i;
        pajewrite_init(&w, buffer, 4000, &config);
        pajewrite_header(&w);
        pajewrite_define_container_type(&w, GROUP, PAJEWRITE_ROOT_TYPE, "process");
        pajewrite_define_state_type(&w, STATE, GROUP, "state");
        pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, GROUP, GROUP, "link");
        pajewrite_define_value(&w, PAJEWRITE_VALUE(1), STATE, "busy", NULL);
        pajewrite_define_value(&w, PAJEWRITE_VALUE(1), LINK, "message", NULL);
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(1), GROUP, PAJEWRITE_ROOT, "main");
        for (depth = time = 0, k = 1; k <= MESSAGES; k++, time += below(9) ? below(1000) : spread() >> 32) {
            if (depth < 9 && below(2)) {
                pajewrite_push_state_at(&w, time, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
                depth++;
            } else if (depth) {
                pajewrite_pop_state_at(&w, time, PAJEWRITE_CONTAINER(1), STATE);
                depth--;
            }
            half_of_message(time, k);
            if (!below(100))
                pajewrite_flush(&w);
        }
        if (pajewrite_finish(&w))
            fail("status: %s", pajewrite_status_text(pajewrite_get_status(&w)));
        dropped += pajewrite_count(&w).dropped;
        replay(out.bytes, out.size, 0, 0);
    }
    pending_links_pass = 0;
    if (!fault[0] && dropped < 1000)
        fail("%" PRIu64 " dropped", dropped);
    end_case("halves of links fill the table");
}

#endif
