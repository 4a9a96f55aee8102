/* The largest that fits, and one more: lines in the buffer, numbers, user fields, the table, the rate of a clock,
 * memory that holds no flight recorder.  Nothing behind any of them is touched. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include "../lib/expect.h"

#include <stdlib.h>
#include <string.h>

static const pajewrite_type THREAD = {1}, STATE = {2}, MARK = {3}, GAUGE = {4};

static void end_case(const char *name) { report("write/limits: ", name); }

static struct {
    char bytes[1 << 16];
    size_t size;
    int calls, fail_at; /* 0: never */
} output;

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (++output.calls == output.fail_at || size > sizeof output.bytes - output.size)
        return PAJEWRITE_E_SINK;
    memcpy(output.bytes + output.size, bytes, size);
    output.size += size;
    return PAJEWRITE_OK;
}

enum { BUFFER = 1 << 14, BEHIND = 256, LONG = 1024 };
/* Bytes of a buffer that a definition of an event type, or a container, cannot use for the name: those of the rest of
 * its line at its longest, and those that copies of fixed size may overwrite.  A smaller number is an improvement. */
enum { RESERVED = 136, RESERVED_OF_CONTAINER = 114 };

static union {
    uint64_t aligned;
    char bytes[BUFFER + BEHIND];
} room;
static pajewrite_entry entries_of[64 + 1];

static uint64_t now;

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
}

static void begin(pajewrite *w, size_t size, size_t entries)
{
    pajewrite_config config;
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.sink = to_memory;
        config.table = entries ? entries_of : NULL;
    config.table_entries = (uint32_t)entries;
    output.size = 0;
    output.calls = 0;
    memset(&room, 0x5a, sizeof room);
    memset(entries_of, 0x5a, sizeof entries_of);
    pajewrite_init(w, room.bytes, size, &config);
    pajewrite_header(w);
    pajewrite_define_container_type(w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_variable_type(w, GAUGE, THREAD, "Gauge", NULL);
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

static size_t count(const char *text)
{
    const size_t size = strlen(text);
    size_t found = 0, i;
    for (i = 0; i + size <= output.size; i++)
        found += !memcmp(output.bytes + i, text, size);
    return found;
}

/* Lines of all lengths around that of the buffer: each is written as a whole, or refused, by length. */
static void lines(void)
{
    static char name[LONG];
    size_t size, length;
    for (size = PAJEWRITE_BUFFER_MIN; size <= 500 && !fault[0]; size += 45) {
        size_t longest = 0, refused = 0;
        for (length = 9; length < size + 20 && !fault[0]; length++) {
            pajewrite w;
            begin(&w, size, 0);
            memset(name, 'n', length);
            name[length] = '\0';
            pajewrite_define_event_type(&w, MARK, THREAD, name);
            pajewrite_flush(&w);
            if (!is_untouched(room.bytes + size, sizeof room - size))
                fail("a name of %zu bytes in a buffer of %zu writes behind it", length, size);
            if (pajewrite_get_status(&w) == PAJEWRITE_OK && count(name) == 1)
                longest = length;
            else if (pajewrite_get_status(&w) == PAJEWRITE_E_TOO_LONG && count("nnnnnnnn") == 0)
                refused = refused ? refused : length;
            else
                fail("a name of %zu bytes in a buffer of %zu: status %d", length, size, (int)pajewrite_get_status(&w));
        }
        if (!refused || longest + 1 != refused || longest + RESERVED != size)
            fail("in a buffer of %zu the longest name is of %zu bytes, the first refused of %zu", size, longest,
                 refused);
    }
    end_case("lines of all lengths around that of the buffer");
}

/* The longest numbers, at every place of the buffer. */
static void numbers(void)
{
    static const double reals[] = {-1.7976931348623157e308, -2.2250738585072014e-308, -4.9406564584124654e-324,
                                   -1.2345678901234567e-101, -9007199254740993.0, -0.00012345678901234567};
    static char expected[1 << 14];
    size_t size, i, k;
    for (size = 600; size < 800 && !fault[0]; size++) {
        pajewrite w;
        char *p = expected, *line;
        begin(&w, size, 0);
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
        pajewrite_flush(&w);
        output.size = 0;
        for (k = 0; k < 20; k++)
            for (i = 0; i < sizeof reals / sizeof *reals; i++) {
                pajewrite_set_variable_double(&w, PAJEWRITE_CONTAINER(1), GAUGE, reals[i]);
                p += sprintf(p, "%.17g\n", reals[i]);
            }
        pajewrite_flush(&w);
        if (!is_untouched(room.bytes + size, sizeof room - size))
            fail("a buffer of %zu: bytes behind it are written", size);
        for (line = output.bytes, p = expected; line < output.bytes + output.size && !fault[0];) {
            char *end = (char *)memchr(line, '\n', output.size), *last = end;
            while (last[-1] != ' ')
                last--;
            if (strtod(last, NULL) != strtod(p, NULL))
                fail("a buffer of %zu: %.*s in place of %.24s", size, (int)(end - last), last, p);
            line = end + 1;
            p = strchr(p, '\n') + 1;
        }
        if (!fault[0] && *p && p != expected + strlen(expected))
            fail("a buffer of %zu: lines are missing", size);
    }
    end_case("the longest doubles, at every place of the buffer");
}

/* User fields whose texts together have as many bytes as there may be, and one more. */
static void texts(void)
{
    static char text[PAJEWRITE_FIELDS_SIZE + 8];
    size_t length, longest = 0;
    for (length = PAJEWRITE_FIELDS_SIZE - 12; length < PAJEWRITE_FIELDS_SIZE + 4 && !fault[0]; length++) {
        struct {
            pajewrite_fields fields;
            char behind[64];
        } it;
        pajewrite w;
        pajewrite_event event;
        pajewrite_variant variant;
        begin(&w, BUFFER, 0);
        pajewrite_define_event_type(&w, MARK, THREAD, "Mark");
        variant = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "Note string");
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
        memset(&it, 0x5a, sizeof it);
        it.fields = pajewrite_fields_of(variant);
        memset(text, 'x', length);
        text[length] = '\0';
        pajewrite_field_string(&it.fields, text);
        if (!is_untouched(it.behind, sizeof it.behind))
            fail("a text of %zu bytes writes behind the fields", length);
        memset(&event, 0, sizeof event);
        event.kind = PAJEWRITE_NEW_EVENT;
        event.container = PAJEWRITE_CONTAINER(1);
        event.type = MARK;
        event.value = PAJEWRITE_VALUE(1);
        event.time = PAJEWRITE_TIME_NOW;
        pajewrite_write(&w, &event, &it.fields);
        pajewrite_flush(&w);
        if (pajewrite_get_status(&w) == PAJEWRITE_OK && count(text) == 1)
            longest = length;
        else if (pajewrite_get_status(&w) == PAJEWRITE_OK || count("xxxxxxxx"))
            fail("a text of %zu bytes is written in part", length);
        else if (longest + 1 < length && longest + 8 < PAJEWRITE_FIELDS_SIZE)
            fail("a text of %zu bytes is refused", longest + 1);
    }
    if (longest >= PAJEWRITE_FIELDS_SIZE || longest + 8 < PAJEWRITE_FIELDS_SIZE)
        fail("the longest text is of %zu bytes", longest);
    end_case("the longest text of user fields");
}

/* With each number of entries the table is full, or the trace is that of a large table; from some number on it is. */
static void tables(void)
{
    static char expected[1 << 14];
    size_t expected_size = 0, entries, fits = 0;
    for (entries = 64; entries >= 1 && !fault[0]; entries--) {
        pajewrite w;
        uint32_t i;
        int ok;
        begin(&w, BUFFER, entries);
        pajewrite_define_state_type(&w, STATE, THREAD, "State");
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
        for (i = 0; i < 5; i++)
            pajewrite_push_state(&w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1 + i));
        pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(1), GAUGE, 7);
        ok = pajewrite_get_status(&w) == PAJEWRITE_OK;
        if (!ok && pajewrite_get_status(&w) != PAJEWRITE_E_TABLE_FULL && pajewrite_get_status(&w) != PAJEWRITE_E_MISUSE)
            fail("%zu entries: status %d", entries, (int)pajewrite_get_status(&w));
        pajewrite_finish(&w);
        if (!is_untouched(entries_of + entries, sizeof entries_of - entries * sizeof *entries_of))
            fail("%zu entries: what is behind them is written", entries);
        if (entries == 64) {
            memcpy(expected, output.bytes, expected_size = output.size);
        } else if (ok) {
            if (fits && fits != entries + 1)
                fail("%zu entries are enough, %zu are not", entries, entries + 1);
            if (output.size != expected_size || memcmp(output.bytes, expected, expected_size))
                fail("%zu entries: another trace", entries);
        }
        if (ok)
            fits = entries;
    }
    if (fits < 2 || fits > 32)
        fail("%zu entries are enough", fits);
    end_case("tables of each size");
}

/* An entry that moves when others are erased is found again: of many containers just the one is destroyed that is.  It
 * moves only for entries that are older, as those of a program that uses a container before it creates it. */
static void moved_entries(void)
{
    enum { CONTAINERS = 8, ENDED = 5 };
    uint32_t first, i;
    for (first = 1; first < 4000; first += 7) {
        pajewrite w;
        begin(&w, BUFFER, 64);
        pajewrite_define_state_type(&w, STATE, THREAD, "State");
        for (i = first; i < first + 2 * CONTAINERS; i++) {
            pajewrite_set_state(&w, PAJEWRITE_CONTAINER(i), STATE, PAJEWRITE_VALUE(1));
            pajewrite_set_variable(&w, PAJEWRITE_CONTAINER(i), GAUGE, 1);
        }
        for (i = first; i < first + CONTAINERS; i++) {
            pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_ROOT, "t");
            pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i + 2 * CONTAINERS), THREAD, PAJEWRITE_CONTAINER(i),
                                       "within");
        }
        pajewrite_destroy_container(&w, PAJEWRITE_CONTAINER(first + ENDED), THREAD);
        for (i = 0; i < CONTAINERS; i++)
            if (pajewrite__is_alive(pajewrite__find_container(&w, first + i)) != (i != ENDED))
                fail("container %u: another one is destroyed than %u", first + i, first + ENDED);
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
    }
    end_case("entries that move in the table");
}

/* Links whose other end is in another trace fill the table: the older half of them makes room, not all. */
static void older_links(void)
{
    enum { ENTRIES = 64, LINKS = 500 };
    static const pajewrite_type LINK = {5};
    pajewrite w;
    int evictions = 0;
    begin(&w, BUFFER, ENTRIES);
    w.config.when_full = PAJEWRITE_DROP;
    pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "Link");
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
    for (now = 1; now < LINKS; now++) {
        const size_t before = w.entries;
        pajewrite_start_link(&w, PAJEWRITE_CONTAINER(1), LINK, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), now);
        evictions += w.entries < before;
        EXPECT(w.entries >= before / 3);
    }
    now = 0;
    EXPECT(evictions > 3 && pajewrite_get_status(&w) == PAJEWRITE_OK);
    end_case("links whose other end is elsewhere make room by half");
}

/* Times of all links tell which are the older half, also of the one in the first entry. */
static void oldest_link(void)
{
    enum { ENTRIES = 64, OLD = 10 };
    static const pajewrite_type LINK = {5};
    const pajewrite_container container = PAJEWRITE_CONTAINER(1);
    const pajewrite_value value = PAJEWRITE_VALUE(1);
    uint64_t key;
    int tried = 0;
    for (key = 1; key < 1000 && !tried; key++) {
        pajewrite w;
        size_t before;
        begin(&w, BUFFER, ENTRIES);
        w.config.when_full = PAJEWRITE_DROP;
        pajewrite_define_link_type(&w, LINK, PAJEWRITE_ROOT_TYPE, THREAD, THREAD, "Link");
        pajewrite_create_container(&w, container, THREAD, PAJEWRITE_ROOT, "t");
        now = 1;
        pajewrite_start_link(&w, container, LINK, value, container, key);
        tried = pajewrite__is_link_entry(&w.config.table[0]);
        for (now = 1000; now < 1000 + OLD; now++)
            pajewrite_start_link(&w, container, LINK, value, container, now);
        now = 3000;
        pajewrite_start_link(&w, container, LINK, value, container, now);
        now = 1600;
        do {
            before = w.entries;
            now++;
            pajewrite_start_link(&w, container, LINK, value, container, now);
        } while (w.entries > before);
        EXPECT(w.entries == before - OLD && pajewrite_get_status(&w) == PAJEWRITE_OK); /* 1 and OLD for one */
    }
    now = 0;
    EXPECT(tried);
    end_case("links whose other end is elsewhere: the oldest one in the first entry");
}

/* Definitions of fields of every length: those that fit are written whole, and nothing is written behind any. */
static void lengths_of_fields(void)
{
    static char fields[PAJEWRITE_FIELDS_SIZE + 200];
    size_t length, fitting = 0;
    for (length = PAJEWRITE_FIELDS_SIZE - 100; length < sizeof fields - 8; length++) {
        pajewrite w;
        pajewrite_variant variant;
        memset(fields, 'x', length);
        memcpy(fields + length, " int", 5);
        begin(&w, BUFFER, 0);
        variant = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, fields);
        EXPECT((variant.number != 0) == (pajewrite_get_status(&w) == PAJEWRITE_OK));
        pajewrite_finish(&w);
        output.bytes[output.size] = 0;
        EXPECT((strstr(output.bytes, fields) != NULL) == (variant.number != 0));
        fitting += variant.number != 0;
    }
    EXPECT(fitting > 100 && fitting < 300); /* some do not */
    end_case("definitions of fields of every length");
}

/* Takes all that is offered, or nothing. */
static size_t offer_to_memory(void *data, const char *bytes, size_t size)
{
    return *(const int *)data ? (to_memory(NULL, bytes, size) == PAJEWRITE_OK ? size : 0) : 0;
}

/* What a gap leaves in a table of exactly its size is written after it, also where it is more than the buffer. */
static void repaired_table(void)
{
    enum { ENTRIES = 300, DEPTH = 150 };
    pajewrite_entry *exact = (pajewrite_entry *)malloc(ENTRIES * sizeof *exact);
    const pajewrite_container container = PAJEWRITE_CONTAINER(1);
    const char *line = output.bytes;
    pajewrite_config config;
    pajewrite w;
    int takes = 1, pops = 0, i;
    begin(&w, BUFFER, 0);
    config = w.config;
    config.sink = NULL;
    config.offer = offer_to_memory;
    config.sink_data = &takes;
    config.when_full = PAJEWRITE_DROP;
    config.table = exact;
    config.table_entries = ENTRIES;
    output.size = 0;
    pajewrite_init(&w, room.bytes, 2 * PAJEWRITE_BUFFER_MIN, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, STATE, THREAD, "State");
    pajewrite_create_container(&w, container, THREAD, PAJEWRITE_ROOT, "t");
    for (i = 0; i < DEPTH; i++) {
        pajewrite_push_state(&w, container, STATE, PAJEWRITE_VALUE(1));
        pajewrite_flush(&w);
    }
    for (takes = 0, i = 0; i < 1000; i++)
        pajewrite_new_event(&w, container, MARK, PAJEWRITE_VALUE(1));
    for (i = 0; i < DEPTH; i++)
        pajewrite_pop_state(&w, container, STATE);
    EXPECT(pajewrite_count(&w).dropped > DEPTH);
    takes = 1;
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && output.size < sizeof output.bytes);
    output.bytes[output.size < sizeof output.bytes ? output.size : 0] = 0;
    while ((line = strstr(line, "\n20 0.000000000 1 2\n")) != NULL) {
        pops++;
        line++;
    }
    EXPECT(pops == DEPTH);
    free(exact);
    end_case("what a gap leaves in a table of exactly its size");
}

/* Nothing is written behind fields of which the second one does not fit. */
static void two_texts(void)
{
    static char text[PAJEWRITE_FIELDS_SIZE + 1];
    struct {
        pajewrite_fields fields;
        char behind[PAJEWRITE_FIELDS_SIZE];
    } it;
    size_t first;
    pajewrite_event event = PAJEWRITE__ZERO;
    memset(text, 'x', PAJEWRITE_FIELDS_SIZE);
    event.kind = PAJEWRITE_NEW_EVENT;
    for (first = 0; first < PAJEWRITE_FIELDS_SIZE; first += 7) {
        pajewrite w;
        pajewrite_variant variant;
        begin(&w, BUFFER, 0);
        variant = pajewrite_define_variant(&w, event.kind, "A string, B string");
        memset(&it, 0x5a, sizeof it);
        it.fields = pajewrite_fields_of(variant);
        pajewrite_field_string(&it.fields, text + PAJEWRITE_FIELDS_SIZE - first);
        pajewrite_field_string(&it.fields, text + 4);
        EXPECT(is_untouched(it.behind, sizeof it.behind));
        pajewrite_write(&w, &event, &it.fields);
        EXPECT((pajewrite_get_status(&w) == PAJEWRITE_OK) == (first < 2));
        EXPECT(pajewrite_count(&w).refused == (first >= 2));
    }
    end_case("fields of which the second one does not fit");
}

/* The fields of a variant are read up to the end of the text. */
static void text_of_fields(void)
{
    static const char *const texts[] = {"A", "A int,B", "A int, B", "A ", "A int,", ""};
    size_t i;
    for (i = 0; i < sizeof texts / sizeof *texts; i++) {
        const size_t size = strlen(texts[i]) + 1;
        char *text = (char *)malloc(size); /* of exactly its size, for the address sanitizer */
        pajewrite w;
        memcpy(text, texts[i], size);
        begin(&w, BUFFER, 0);
        EXPECT(!*text == (pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, text).number != 0));
        free(text);
    }
    end_case("texts of fields that end too early");
}

/* Keys of each length, beside numbers that are as long as there are: the line is that of the way for all fields. */
static void long_keys(void)
{
    enum { NUMBERS = 4 };
    static const int64_t numbers[NUMBERS] = {INT64_MIN, INT64_MIN + 1, INT64_MIN + 2, INT64_MIN + 3};
    static char key[PAJEWRITE_FIELDS_SIZE + 64], line[2 * sizeof key];
    size_t length, size = 0;
    int is_fast, i;
    for (length = 1; length < sizeof key; length++)
        for (is_fast = 0; is_fast < 2; is_fast++) {
            pajewrite w;
            pajewrite_event event = PAJEWRITE__ZERO;
            pajewrite_variant variant;
            begin(&w, BUFFER, 0);
            variant = pajewrite_define_variant(&w, PAJEWRITE_START_LINK, "A int, B int, C int, D int");
            pajewrite_flush(&w);
            output.size = 0;
            memset(key, 'k', length);
            event.kind = PAJEWRITE_START_LINK;
            event.time = UINT32_MAX;
            event.type = PAJEWRITE_TYPE((1u << 27) - 1);
            event.container = event.other = PAJEWRITE_CONTAINER(UINT32_MAX);
            event.value = PAJEWRITE_VALUE(UINT32_MAX);
            event.name = key;
            if (is_fast) {
                pajewrite_write_ints(&w, &event, variant, numbers, NUMBERS);
            } else {
                pajewrite_fields fields = pajewrite_fields_of(variant);
                for (i = 0; i < NUMBERS; i++)
                    pajewrite_field_int(&fields, numbers[i]);
                pajewrite_write(&w, &event, &fields);
            }
            EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && output.size > length);
            if (!is_fast)
                memcpy(line, output.bytes, size = output.size < sizeof line ? output.size : sizeof line);
            else if (output.size != size || memcmp(output.bytes, line, size))
                fail("a key of %zu bytes: %.*s", length, (int)output.size, output.bytes);
        }
    end_case("keys of each length, and numbers");
}

/* A context learns from one whose table has memory for exactly its entries. */
static void learned_table(void)
{
    enum { ENTRIES = 24 };
    pajewrite_entry *exact = (pajewrite_entry *)malloc(ENTRIES * sizeof *exact);
    pajewrite_config config;
    pajewrite w, from;
    begin(&w, BUFFER / 2, 64);
    config = w.config;
    config.table = exact;
    config.table_entries = ENTRIES;
    pajewrite_init(&from, room.bytes + BUFFER / 2, BUFFER / 2, &config);
    pajewrite_create_container(&from, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
    pajewrite_learn(&w, &from);
    free(exact);
    EXPECT(pajewrite_get_status(&w) == PAJEWRITE_OK);
    end_case("a table of exactly its size is learned");
}

/* States on containers of another context are closed at the end if they are open: of two types, or containers, that
 * take turns, and of pairs that end wherever the buffer is full. */
static void states_elsewhere(void)
{
    enum { PAIRS = 3000, SMALL = 1000 };
    static const pajewrite_type OTHER = {5};
    static pajewrite_entry entries[64];
    static const pajewrite_container first = {1}, second = {2};
    static const char *const closed[] = {"21 0.000000000 1 2\n", "21 0.000000000 1 5\n", "21 0.000000000 2 5\n"};
    pajewrite_config config;
    pajewrite w, from;
    uint32_t i, n;
    for (n = 0; n < 4; n++) {
        begin(&from, BUFFER / 2, 64);
        pajewrite_define_state_type(&from, STATE, THREAD, "State");
        pajewrite_define_state_type(&from, OTHER, THREAD, "Other");
        pajewrite_create_container(&from, first, THREAD, PAJEWRITE_ROOT, "t");
        pajewrite_create_container(&from, second, THREAD, PAJEWRITE_ROOT, "u");
        pajewrite_flush(&from);
        config = from.config;
        config.table = entries;
        pajewrite_init(&w, room.bytes + BUFFER / 2, SMALL, &config);
        pajewrite_learn(&w, &from);
        for (i = 0; n == 0 && i < PAIRS && output.size < sizeof output.bytes - 2 * SMALL; i++) {
            pajewrite_push_state(&w, first, STATE, PAJEWRITE_VALUE(i * i));
            pajewrite_pop_state(&w, first, STATE);
        }
        for (i = 0; i < n; i++)
            pajewrite_push_state(&w, i < 2 ? first : second, i ? OTHER : STATE, PAJEWRITE_VALUE(1));
        EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
        output.bytes[output.size] = 0;
        for (i = 0; i < 3; i++) /* by PajeResetState */
            EXPECT((strstr(output.bytes, closed[i]) != NULL) == (i < n));
        pajewrite_finish(&from);
    }
    end_case("states on containers of another context");
}

/* What is known already needs no room in a table: that is full after a context has learned, and it learns again. */
static void learned_again(void)
{
    pajewrite w, from;
    pajewrite_config config;
    pajewrite_entry few[16];
    uint32_t type;
    int i;
    begin(&from, BUFFER / 2, 64);
    for (type = 100; from.entries < 12; type++)
        pajewrite_define_state_type(&from, PAJEWRITE_TYPE(type), THREAD, "S");
    config = from.config;
    config.table = few;
    config.table_entries = sizeof few / sizeof *few;
    pajewrite_init(&w, room.bytes + BUFFER / 2, BUFFER / 2, &config);
    for (i = 0; i < 3; i++) {
        pajewrite_learn(&w, &from);
        EXPECT(pajewrite_get_status(&w) == PAJEWRITE_OK && w.entries == 12);
    }
    end_case("a full table, and a context that learns again");
}

/* A table has room for what is alive, whatever was: containers within others that come and go, children first. */
static void reused_table(void)
{
    pajewrite w;
    uint32_t round, i;
    begin(&w, BUFFER, 24);
    for (round = 0; round < 500; round++) {
        const uint32_t first = 1 + 4 * round;
        for (i = 0; i < 4; i++)
            pajewrite_create_container(&w, PAJEWRITE_CONTAINER(first + i), THREAD,
                                       i ? PAJEWRITE_CONTAINER(first + i / 2) : PAJEWRITE_ROOT, NULL);
        for (i = 4; i > 0; i--)
            pajewrite_destroy_container(&w, PAJEWRITE_CONTAINER(first + i - 1), THREAD);
        pajewrite_flush(&w);
        output.size = 0;
    }
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK && pajewrite_count(&w).refused == 0);
    end_case("a table whose containers come and go");
}

/* Where events are dropped, an end of a link stays in a full table until its start comes, unlike whole links: that is
 * written later if it is dropped. */
static void kept_ends(void)
{
    enum { LINK = 5, HALVES = 8 };
    const pajewrite_type link = PAJEWRITE_TYPE(LINK);
    const pajewrite_value value = PAJEWRITE_VALUE(1);
    pajewrite_config config;
    pajewrite_counts before;
    pajewrite w;
    uint32_t i;
    begin(&w, BUFFER, 64);
    config = w.config;
    config.when_full = PAJEWRITE_DROP;
    pajewrite_init(&w, room.bytes, BUFFER, &config);
    pajewrite_define_link_type(&w, link, PAJEWRITE_ROOT_TYPE, PAJEWRITE_ROOT_TYPE, PAJEWRITE_ROOT_TYPE, "Link");
    for (i = 1; i <= HALVES; i++)
        pajewrite_end_link(&w, PAJEWRITE_ROOT, link, value, PAJEWRITE_ROOT, i);
    for (; i < 500; i++) {
        pajewrite_start_link(&w, PAJEWRITE_ROOT, link, value, PAJEWRITE_ROOT, i);
        pajewrite_end_link(&w, PAJEWRITE_ROOT, link, value, PAJEWRITE_ROOT, i);
        pajewrite_flush(&w);
        output.size = 0;
    }
    EXPECT(pajewrite_count(&w).dropped == 0);
    while (!pajewrite_count(&w).dropped)
        pajewrite_new_event(&w, PAJEWRITE_ROOT, MARK, value);
    before = pajewrite_count(&w);
    for (i = 1; i <= HALVES; i++)
        pajewrite_start_link(&w, PAJEWRITE_ROOT, link, value, PAJEWRITE_ROOT, i);
    EXPECT(pajewrite_count(&w).dropped == before.dropped + HALVES);
    pajewrite_flush(&w);
    EXPECT(pajewrite_count(&w).written == before.written + HALVES);
    end_case("ends of links in a full table");
}

#ifdef PAJEWRITE_TSC
static void rates(void)
{
    const uint64_t second = 1000000000, one = UINT64_C(1) << 32;
    if (pajewrite__tsc_rate(second, 3 * second) != one / 3 || pajewrite__tsc_rate(second, second) != one)
        fail("three ticks, or one, of a nanosecond");
    if (pajewrite__tsc_rate(one - 1, one - 1) != one || pajewrite__tsc_rate(one, one) != one ||
        pajewrite__tsc_rate(one << 8, one << 7) != 2 * one)
        fail("times around 2^32 nanoseconds, and above");
    if (pajewrite__tsc_rate(second, 0) != second << 32)
        fail("a counter that stands still");
    end_case("the rate of the time stamp counter");
}
#endif

/* Numbers in hexadecimal, of all lengths, between other fields. */
static void hexadecimal(void)
{
    int bits;
    for (bits = 0; bits <= 64 && !fault[0]; bits++) {
        const uint64_t number = bits ? UINT64_MAX >> (64 - bits) : 0;
        const pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .container = {1}, .type = MARK, .value = {1}};
        char expected[64];
        pajewrite w;
        pajewrite_variant variant;
        pajewrite_fields fields;
        begin(&w, 4096, 0);
        pajewrite_define_event_type(&w, MARK, THREAD, "Mark");
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
        variant = pajewrite_define_variant(&w, PAJEWRITE_NEW_EVENT, "A hex, B int");
        fields = pajewrite_fields_of(variant);
        pajewrite_field_hex(&fields, number);
        pajewrite_field_int(&fields, 7);
        pajewrite_write(&w, &event, &fields);
        pajewrite_flush(&w);
        snprintf(expected, sizeof expected, " 0x%llx 7\n", (unsigned long long)number);
        if (pajewrite_get_status(&w) != PAJEWRITE_OK || count(expected) != 1)
            fail("%d bits: status %d, no%s", bits, (int)pajewrite_get_status(&w), expected);
    }
    end_case("hexadecimal numbers of all lengths");
}

/* What a table of definitions announces exists from the origin on, whatever that is. */
static void announced(void)
{
    static const pajewrite_definition table[] = {PAJEWRITE_ROM_CONTAINER_TYPE(7, 0, "Host"),
                                                 PAJEWRITE_ROM_CONTAINER(3, 7, 0, "host")};
    static const uint64_t origins[] = {0, 1, 5000000000u, UINT64_MAX / 2};
    size_t i;
    for (i = 0; i < sizeof origins / sizeof *origins; i++) {
        pajewrite_config config;
        pajewrite w;
        memset(&config, 0, sizeof config);
        config.clock = clock_of_test;
        config.sink = to_memory;
        config.origin = origins[i];
        output.size = 0;
        output.calls = 0;
        pajewrite_init(&w, room.bytes, 4096, &config);
        pajewrite_announce(&w, table, sizeof table / sizeof *table);
        pajewrite_flush(&w);
        if (pajewrite_get_status(&w) != PAJEWRITE_OK || count(" 0.000000000 ") != 1 || count("\"host\"") != 1)
            fail("origin %llu: status %d, %.*s", (unsigned long long)origins[i], (int)pajewrite_get_status(&w),
                 (int)(output.size > 80 ? 80 : output.size), output.bytes + output.size - (output.size > 80 ? 80 : 0));
    }
    end_case("announced containers, by their origin");
}

/* Buffers from the end of the memory to its beginning: what is written into one stays within it. */
enum { EACH_BUFFER = 512 };
static char *next_below(void *data, size_t used, size_t needed, size_t *size)
{
    char **at = (char **)data;
    memcpy(output.bytes + output.size, *at, used);
    output.size += used;
    if (used && !is_untouched(*at + EACH_BUFFER, EACH_BUFFER))
        fail("a buffer that is below the last one is written behind");
    *at -= 2 * EACH_BUFFER;
    *size = needed ? EACH_BUFFER : 0;
    return needed && needed <= EACH_BUFFER && *at >= room.bytes ? *at : NULL;
}

static void buffers_below(void)
{
    char *at = room.bytes + BUFFER;
    pajewrite_config config;
    pajewrite_counts counts;
    pajewrite w;
    int i;
    memset(&config, 0, sizeof config);
    memset(&room, 0x5a, sizeof room);
    config.clock = clock_of_test;
    config.next_buffer = next_below;
    config.next_buffer_data = &at;
    output.size = 0;
    pajewrite_init(&w, NULL, 0, &config);
    for (i = 0; i < 1000; i++)
        pajewrite_set_state(&w, PAJEWRITE_CONTAINER(1), STATE, PAJEWRITE_VALUE(1));
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_E_SINK);
    counts = pajewrite_count(&w);
    EXPECT(counts.written + counts.dropped == 1000 && counts.written == count("18 0.000000000 1 2 1\n"));
    EXPECT(counts.written > BUFFER / 2 / EACH_BUFFER * (EACH_BUFFER - 147) / 21);
    end_case("buffers below the last one");
}

/* A callback that gives no next buffer says why: any status of the writer; another number is reported as a sink that
 * failed. */
static char *no_buffer(void *data, size_t used, size_t needed, size_t *size)
{
    (void)used;
    *size = needed ? *(const size_t *)data : 0;
    return NULL;
}

static void no_buffers(void)
{
    size_t status;
    for (status = 0; status < PAJEWRITE__STATUS_COUNT + 2u; status++) {
        const size_t expected = status && status < PAJEWRITE__STATUS_COUNT ? status : PAJEWRITE_E_SINK;
        pajewrite_config config;
        pajewrite w;
        memset(&config, 0, sizeof config);
        config.clock = clock_of_test;
        config.next_buffer = no_buffer;
        config.next_buffer_data = &status;
        pajewrite_init(&w, NULL, 0, &config);
        pajewrite_header(&w);
        if ((size_t)pajewrite_finish(&w) != expected)
            fail("%zu is told as %d", status, (int)pajewrite_get_status(&w));
    }
    end_case("the reason why there is no next buffer");
}

/* What is no flight recorder, or is cut short, is refused; a sink that fails is reported. */
static void recorders(void)
{
    static uint64_t scratch[512];
    static char memory_of_it[BUFFER];
    pajewrite__recorder head;
    pajewrite_config config;
    pajewrite w;
    uint64_t number;
    size_t size, needed;
    int calls;
    memset(memory_of_it, 0, sizeof memory_of_it);
    for (size = 0; size <= sizeof memory_of_it; size += 512)
        if (pajewrite_flight_dump(memory_of_it, size, 0, scratch, sizeof scratch, to_memory, NULL) !=
            PAJEWRITE_E_RECORDER)
            fail("%zu zeros are taken for a flight recorder", size);
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = entries_of;
    config.table_entries = 64;
    memset(entries_of, 0, sizeof entries_of);
    size = pajewrite__flight_header_size(PAJEWRITE_SEGMENTS) + 1 +
           (1 + PAJEWRITE_SEGMENTS) * (size_t)PAJEWRITE_BUFFER_MIN;
    config.definitions_size = PAJEWRITE_BUFFER_MIN;
    EXPECT(pajewrite_init(&w, room.bytes, size - 1, &config) == PAJEWRITE_E_MISUSE);
    EXPECT(pajewrite_init(&w, room.bytes, size, &config) == PAJEWRITE_OK);
    config.definitions_size--;
    EXPECT(pajewrite_init(&w, room.bytes, size, &config) == PAJEWRITE_E_MISUSE);
    config.definitions_size = 0;
    pajewrite_init(&w, room.bytes, BUFFER, &config);
    pajewrite_header(&w);
    if (pajewrite_get_status(&w) != PAJEWRITE_OK)
        fail("a flight recorder: status %d", (int)pajewrite_get_status(&w));
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, "t");
    output.size = 0;
    output.calls = output.fail_at = 0;
    if (pajewrite_flight_dump(room.bytes, BUFFER, 0, scratch, sizeof scratch, to_memory, NULL) != PAJEWRITE_OK)
        fail("a flight recorder is refused");
    calls = output.calls;
    for (output.fail_at = 1; output.fail_at <= calls; output.fail_at++) {
        output.calls = 0;
        if (pajewrite_flight_dump(room.bytes, BUFFER, 0, scratch, sizeof scratch, to_memory, NULL) !=
            PAJEWRITE_E_SINK)
            fail("a sink that fails at its call %d is not reported", output.fail_at);
    }
    output.fail_at = 0;
    memcpy(&head, room.bytes, sizeof head);
    needed = pajewrite__flight_header_size((size_t)head.segments) + 1 +
             (size_t)(head.definitions_size + head.segments * head.segment_size);
    EXPECT(needed <= BUFFER && BUFFER - needed < head.segments);
    for (size = 0; size <= BUFFER; size++)
        if (pajewrite_flight_dump(room.bytes, size, 0, scratch, sizeof scratch, to_memory, NULL) !=
            (size < needed ? PAJEWRITE_E_RECORDER : PAJEWRITE_OK))
            fail("%zu bytes of a flight recorder that has %zu", size, needed);
    for (number = 1; number <= head.segments; number++) { /* each where another one is */
        const size_t at = pajewrite__flight_header_size((size_t)(number % head.segments));
        uint64_t before;
        memcpy(&before, room.bytes + at, sizeof before);
        memcpy(room.bytes + at, &number, sizeof number);
        if (pajewrite_flight_dump(room.bytes, BUFFER, 0, scratch, sizeof scratch, to_memory, NULL) !=
            PAJEWRITE_E_RECORDER)
            fail("segment %d is taken in the place of another one", (int)number);
        memcpy(room.bytes + at, &before, sizeof before);
    }
    end_case("what is no flight recorder");
}

/* The longest line of a flight recorder fills a segment: the first one, or the next if there is another line in it. */
static void longest_line_of_recorder(int is_first)
{
    static char name[BUFFER], memory_of_it[BUFFER];
    pajewrite_config config;
    pajewrite w;
    size_t size, longest = 0;
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = entries_of;
    config.table_entries = 64;
    memset(name, 'n', sizeof name);
    for (size = 1; size < BUFFER / PAJEWRITE_SEGMENTS; size++) {
        int fits;
        name[size] = 0;
        pajewrite_init(&w, memory_of_it, BUFFER, &config);
        if (!is_first)
            pajewrite_new_event(&w, PAJEWRITE_ROOT, MARK, PAJEWRITE_VALUE(1));
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(1), THREAD, PAJEWRITE_ROOT, name);
        name[size] = 'n';
        fits = !pajewrite_get_status(&w);
        EXPECT(fits || pajewrite_get_status(&w) == PAJEWRITE_E_TOO_LONG);
        if (fits)
            longest = (size_t)(w.next - w.buffer);
    }
    EXPECT(w.size - longest == RESERVED_OF_CONTAINER);
    end_case(is_first ? "the longest line of a flight recorder" : "the longest line of its next segment");
}

/* A flight recorder stops when its table is full: what it would write could not be dumped. */
static void full_recorder(void)
{
    pajewrite_config config;
    pajewrite_counts counts;
    pajewrite w;
    uint32_t i;
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = entries_of;
    config.table_entries = 16;
    pajewrite_init(&w, room.bytes, BUFFER, &config);
    pajewrite_define_container_type(&w, THREAD, PAJEWRITE_ROOT_TYPE, "Thread");
    for (i = 1; i < 40 && !pajewrite_get_status(&w); i++)
        pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_ROOT, NULL);
    /* The type and eleven containers fit: an eighth of the table, and two entries, stay free. */
    EXPECT(i == 12 + 1 && pajewrite_get_status(&w) == PAJEWRITE_E_TABLE_FULL);
    counts = pajewrite_count(&w);
    pajewrite_create_container(&w, PAJEWRITE_CONTAINER(i), THREAD, PAJEWRITE_ROOT, NULL);
    EXPECT(pajewrite_count(&w).written == counts.written && pajewrite_count(&w).dropped == counts.dropped + 1);
    end_case("a flight recorder with a full table");
}

/* Containers are created in themselves, in those that they hold, and as the root: neither what comes then nor the end
 * goes round in a circle. */
static void containers_in_themselves(pajewrite_when_full when_full)
{
    static const uint32_t pairs[][2] = {{1, 1}, {1, 2}, {2, 3}, {3, 1}, {0, 3}, {0, 0}, {4, 0}, {5, 4}, {4, 5}};
    static pajewrite_entry entries_of_other[64];
    pajewrite_config config;
    pajewrite w, other;
    size_t i;
    memset(&config, 0, sizeof config);
    config.clock = clock_of_test;
    config.sink = to_memory;
    config.when_full = when_full;
    config.table = entries_of;
    config.table_entries = 64;
    output.size = 0;
    pajewrite_init(&w, room.bytes, BUFFER / 2, &config);
    config.table = entries_of_other;
    pajewrite_init(&other, room.bytes + BUFFER / 2, BUFFER / 2, &config);
    for (i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const pajewrite_container container = PAJEWRITE_CONTAINER(pairs[i][0]);
        pajewrite_create_container(&w, container, THREAD, PAJEWRITE_CONTAINER(pairs[i][1]), NULL);
        pajewrite_push_state(&w, container, STATE, PAJEWRITE_VALUE(1));
        pajewrite_learn(&other, &w);
    }
    pajewrite_destroy_container(&w, PAJEWRITE_CONTAINER(3), THREAD);
    pajewrite_learn(&other, &w);
    pajewrite_finish(&other);
    pajewrite_finish(&w);
    EXPECT(!pajewrite_get_status(&other) && !pajewrite_get_status(&w) && !pajewrite_count(&w).dropped);
    EXPECT(pajewrite_count(&w).written == 2 * sizeof pairs / sizeof *pairs + 6); /* each ends once */
    end_case(when_full == PAJEWRITE_DROP ? "containers in themselves, and a writer that drops" :
                                           "containers in themselves");
}

#if PAJEWRITE_POSIX
/* More newlines than one call writes are in a window that is mapped. */
static void large_window(void)
{
    static const char path[] = "build/write-limits.map";
    pajewrite_config config;
    pajewrite_map map;
    pajewrite w;
    begin(&w, BUFFER, 0);
    config = w.config;
    EXPECT(pajewrite_map_open(&map, path, 3 << 20) == PAJEWRITE_OK);
    config.sink = NULL;
    config.next_buffer = pajewrite_map_next_buffer;
    config.next_buffer_data = &map;
    EXPECT(pajewrite_init(&w, NULL, 0, &config) == PAJEWRITE_OK && map.filled == 3 << 20);
    EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
    remove(path);
    end_case("a window of more than a megabyte");
}
#endif

int main(void)
{
#if PAJEWRITE_POSIX
    large_window();
#endif
    lines();
    numbers();
    texts();
    tables();
    moved_entries();
    older_links();
    oldest_link();
    text_of_fields();
    two_texts();
    lengths_of_fields();
    repaired_table();
    long_keys();
    learned_table();
    states_elsewhere();
    learned_again();
    reused_table();
    kept_ends();
#ifdef PAJEWRITE_TSC
    rates();
#endif
    hexadecimal();
    announced();
    buffers_below();
    no_buffers();
    recorders();
    longest_line_of_recorder(1);
    longest_line_of_recorder(0);
    full_recorder();
    containers_in_themselves(PAJEWRITE_FLUSH);
    containers_in_themselves(PAJEWRITE_DROP);
    return failed != 0;
}
