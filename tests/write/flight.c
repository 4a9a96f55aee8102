/* The flight recorder of pajewrite.h, compared with a context that keeps everything: after any calls, at any moment,
 * the dump is a trace without a warning in strict mode, and holds the same as the whole trace since its cut.
 *
 * usage: flight            the cases
 *        flight --trace    writes a dump, for other readers
 *        flight --halves SIZE   dumps a recorder of that size full of links that lack one end, for read/cost.sh */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "flight_calls.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void test_random(size_t size, uint32_t tasks, uint32_t calls, uint32_t rounds)
{
    char *memory = (char *)malloc(size + 1), name[64];
    size_t odd = below(2);
    uint32_t i;
    uint64_t most = 0;
    for (seed = size; rounds && !why[0]; rounds--) {
        memset(memory, (int)below(256), size + 1);
        begin(memory + odd, size);
        for (i = 1; i <= calls && !why[0]; i++) {
            random_call(tasks);
            if (i == calls || below(1000) == 0)
                check_dump(memory + odd, size);
        }
        most = before_cut() > most ? before_cut() : most;
    }
    if (!most)
        fail("nothing was written over", size);
    snprintf(name, sizeof name, "random calls, %zu bytes, %u tasks", size, tasks);
    end_case(name);
    free(memory);
}

static char fixed[32768];

static void test_finish(void)
{
    static story s;
    uint32_t i;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 3000; i++)
        random_call(5);
    pajewrite_finish(&both[1]);
    check_dump(fixed, sizeof fixed);
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    tell(&s, &dump, 0, 1e9); /* open entities would end then */
    if (strncmp(s.text.at, "1 0 0 ", 6) == 0 && strchr(s.text.at, 10)[1]) /* the root is */
        fail("something is still open", 0);
    end_case("finish closes what is open");
}

/* Dumps every state of the memory in between: at each store of a first byte, that is before and after each call; and
 * from copies that were cut or damaged nothing is read that is not there. */
static void test_damage(void)
{
    uint32_t i, refused = 0;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 2000; i++)
        random_call(5);
    for (i = 0; i < 3000; i++) {
        size_t size = i < 1000 ? below(sizeof fixed) : sizeof fixed;
        char *copy = (char *)malloc(size + !size);
        memcpy(copy, fixed, size);
        if (i >= 1000)
            copy[below(i < 2000 ? 256 : sizeof fixed)] ^= (char)(1 << below(8));
        dump.size = 0;
        refused += pajewrite_flight_dump(copy, size, 0, NULL, 0, to_bytes, &dump) == PAJEWRITE_E_RECORDER;
        free(copy);
    }
    if (refused < 1000)
        fail("what was cut is taken", refused);
    if (pajewrite_flight_dump(NULL, 0, 0, NULL, 0, to_bytes, &dump) != PAJEWRITE_E_RECORDER)
        fail("NULL is taken", 0);
    end_case("memory that was cut or damaged");
}

/* The last line of the last segment has no end, and what is behind the memory is no part of it. */
static void test_line_without_end(void)
{
    static char copy[sizeof fixed + 2];
    pajewrite__recorder head;
    size_t line, sizes[2], i;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 3000; i++)
        random_call(5);
    memcpy(&head, fixed, sizeof head);
    line = pajewrite__flight_header_size((size_t)head.segments) +
           (size_t)(head.definitions_size + head.segment_size * (head.segments - 1));
    while (line < sizeof fixed - 1 && fixed[line] != '#') /* the last byte is a newline */
        line = (size_t)(strchr(fixed + line, '\n') + 1 - fixed);
    for (i = 0; i < 2; i++) {
        memcpy(copy, fixed, sizeof fixed);
        memset(copy + line, i ? '1' : '#', sizeof copy - line);
        copy[sizeof copy - 1] = '\n';
        dump.size = 0;
        if (pajewrite_flight_dump(copy, sizeof fixed, 0, NULL, 0, to_bytes, &dump) != PAJEWRITE_OK)
            fail("it is not taken", i);
        sizes[i] = dump.size;
    }
    if (!sizes[0] || sizes[0] != sizes[1])
        fail("the dump has other lines", sizes[1]);
    end_case("memory whose last line has no end");
}

static pajewrite_status overtake(void *data, const char *text, size_t size)
{
    uint32_t i;
    for (i = 0; i < 3000; i++)
        random_call(5);
    return to_bytes(data, text, size);
}

static pajewrite_status fail_at(void *data, const char *text, size_t size)
{
    int *calls = (int *)data;
    (void)text;
    (void)size;
    return --*calls ? PAJEWRITE_OK : PAJEWRITE_E_SINK;
}

static void test_results(void)
{
    pajewrite_status status = PAJEWRITE_E_SINK;
    uint32_t i;
    int n, left;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 3000; i++)
        random_call(5);
    for (n = 1; status == PAJEWRITE_E_SINK; n++) {
        left = n;
        status = pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, fail_at, &left);
        if (left > 0 && status)
            fail("the sink was called after it had failed", (uint64_t)n);
    }
    if (status || n < 5)
        fail("the failure of the sink is not told", (uint64_t)n);
    if (pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, overtake, &dump) != PAJEWRITE_E_OVERTAKEN)
        fail("the writer overtook, unnoticed", 0);
    end_case("a sink that fails, a writer that overtakes");
}

/* Lines of the dump that begin or end a link, with user fields or without. */
static uint64_t count_links(void)
{
    const char *line = dump.at;
    uint64_t count = 0;
    for (; line; line = (line = strchr(line, '\n')) && line[1] ? line + 1 : NULL) {
        const uint32_t number = (uint32_t)strtoul(line, NULL, 10);
        count += number == PAJEWRITE_START_LINK || number == PAJEWRITE_END_LINK || number == sent[1].number ||
                 number == received[1].number;
    }
    return count;
}

static void test_halves(void)
{
    uint32_t i;
    uint64_t told, links;
    size_t left_out;
    const char *remark;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 3000; i++)
        random_call(5);
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    left_out = dump.size;
    remark = strstr(dump.at, "without the other end");
    if (!remark)
        fail("links left out are not told", 0);
    while (remark && *remark != '#')
        remark--;
    told = remark ? strtoull(remark + 1, NULL, 10) : 0;
    links = count_links();
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 1, NULL, 0, to_bytes, &dump);
    if (dump.size <= left_out || strstr(dump.at, "without the other end"))
        fail("halves of links are missing", dump.size);
    if (count_links() - links != told)
        fail("another number of links is told than is left out", told);
    end_case("halves of links, on request");
}

/* Many links that lack one end: every second one; the ends of the others come in another order. */
static void fill_with_halves(char *memory, size_t size)
{
    pajewrite_event event = {0};
    begin(memory, size);
    event.kind = PAJEWRITE_CREATE_CONTAINER;
    event.container.alias = event.type.alias = NODE;
    call(&event, 0);
    event.type.alias = TASK;
    event.container.alias = event.value.alias = 2;
    event.other.alias = 1;
    call(&event, 0);
    event.container = PAJEWRITE_ROOT;
    event.type.alias = MESSAGE;
    event.other.alias = 2;
    for (now = 0; now < size / 16; now++) {
        event.time = now;
        event.kind = PAJEWRITE_START_LINK;
        event.key = now;
        call(&event, 0);
        event.kind = PAJEWRITE_END_LINK;
        event.key = now - 512 + 2 * (now % 256);
        if (now % 2 && now > 1024)
            call(&event, 0);
    }
}

static void test_many_halves(void)
{
    enum { GUARD = 8 };
    static char memory[65536], room[GUARD + 65536 + 7];
    char *const scratch = room + GUARD;
    static const size_t sizes[] = {1, 258, 511, 1024, 2000, 5000, 65536};
    bytes first = {NULL, 0, 0};
    size_t i;
    fill_with_halves(memory, sizeof memory);
    if (pajewrite_flight_dump(memory, sizeof memory, 0, NULL, 0, to_bytes, &first) != PAJEWRITE_OK)
        fail("no dump", 0);
    if (first.size < 10000 || !strstr(first.at, "without the other end"))
        fail("there were no links, or no halves of any", 0);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        size_t k;
        memset(room, 0x55, sizeof room);
        dump.size = 0;
        pajewrite_flight_dump(memory, sizeof memory, 0, scratch + i, sizes[i], to_bytes, &dump);
        if (dump.size != first.size || memcmp(dump.at, first.at, dump.size) != 0)
            fail("another dump with scratch memory", sizes[i]);
        if (scratch[i + sizes[i]] != 0x55)
            fail("written beyond the scratch memory", sizes[i]);
        for (k = 0; k < GUARD + i; k++)
            if (room[k] != 0x55)
                fail("written before the scratch memory", sizes[i]);
    }
    check_dump(memory, sizeof memory);
    free(first.at);
    end_case("many halves of links");
}

static size_t last_used;

/* Returns as much as is wanted, or as much as `data` says. */
static char *room(void *data, size_t used, size_t needed, size_t *size)
{
    last_used = used;
    *size = data ? *(size_t *)data : sizeof fixed;
    return *size < needed ? NULL : fixed;
}

static void test_limits(void)
{
    static size_t none;
    static char name[sizeof fixed];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite w;
    static pajewrite_entry table[4096];
    uint32_t i;
    config.when_full = PAJEWRITE_OVERWRITE;
    if (pajewrite_init(&w, fixed, sizeof fixed, &config) != PAJEWRITE_E_MISUSE)
        fail("no table", 0);
    config.table = table;
    config.table_entries = 4096;
    if (pajewrite_init(&w, fixed, 1000, &config) != PAJEWRITE_E_MISUSE)
        fail("too little memory", 0);

    /* a line too long for any segment */
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    memset(name, 'n', sizeof name - 1);
    pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, name);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_TOO_LONG || pajewrite_count(&w).refused != 1)
        fail("a line that no segment holds", (uint64_t)pajewrite_get_status(&w));

    /* memory of another use, or missing */
    config.next_buffer = room;
    if (pajewrite_init(&w, NULL, sizeof fixed, &config) != PAJEWRITE_OK || w.flight != fixed)
        fail("memory that somebody has", (uint64_t)pajewrite_get_status(&w));
    memset(fixed, 'x', sizeof fixed);
    pajewrite_init(&w, NULL, sizeof fixed, &config);
    pajewrite_finish(&w);
    if (last_used > sizeof fixed || fixed[last_used - 1] != '\n' ||
        memchr(fixed + last_used, '\n', sizeof fixed - last_used))
        fail("all is used up to the last newline", last_used);
    config.next_buffer_data = &none;
    if (pajewrite_init(&w, NULL, sizeof fixed, &config) != PAJEWRITE_E_SINK)
        fail("memory that does not exist", (uint64_t)pajewrite_get_status(&w));
    config.next_buffer = NULL;

    /* more definitions than fit: entities that depend on them are left out, the rest stays */
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    for (i = 100; i < 1000; i++)
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(i), PAJEWRITE_TYPE(NODE), "type");
    pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "node");
    pajewrite_create_container_at(&w, 2, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(999), PAJEWRITE_CONTAINER(1), "late");
    pajewrite_define_state_type(&w, PAJEWRITE_TYPE(1000), PAJEWRITE_ROOT_TYPE, "late");
    pajewrite_push_state_at(&w, 3, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1000), PAJEWRITE_VALUE(1));
    for (i = 10; i < 3000; i++) { /* several segments, each with a snapshot */
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(i), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "short");
        pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(i), PAJEWRITE_TYPE(NODE));
    }
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_DEFINITIONS || !strstr(dump.at, " node\n") || strstr(dump.at, "late") ||
        strstr(dump.at, " 0 1000 1\n"))
        fail("definitions beyond their place", (uint64_t)pajewrite_get_status(&w));

    /* more open entities than a segment holds: it stops, and keeps what it has */
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    for (i = 1; i < 2000; i++)
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(i), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "node");
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_SNAPSHOT || !strstr(dump.at, " 1 1 0 node\n"))
        fail("snapshot beyond a segment", (uint64_t)pajewrite_get_status(&w));

    config.table_entries = 64;
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    for (i = 1; i < 100; i++)
        pajewrite_create_container_at(&w, i, PAJEWRITE_CONTAINER(i), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "node");
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_TABLE_FULL || !strstr(dump.at, " 1 1 0 node\n"))
        fail("a table that is full", (uint64_t)pajewrite_get_status(&w));
    end_case("limits are reported, and what was recorded stays");
}

/* As many open states as a segment holds, and a few more, with lines of two lengths: either all are in the dump or the
 * status says that they did not fit, also where a short line behind a longer one would. */
static void test_full_snapshots(void)
{
    static pajewrite_entry table[1024];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite w;
    uint32_t open, i, stopped = 0;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = table;
    config.table_entries = 1024;
    for (open = 1; stopped < 20 && open < 1000; open++) {
        uint64_t segments;
        uint32_t found = 0;
        const char *line;
        pajewrite_init(&w, fixed, sizeof fixed, &config);
        pajewrite_define_state_type(&w, PAJEWRITE_TYPE(1), PAJEWRITE_ROOT_TYPE, "deep");
        pajewrite_define_state_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_ROOT_TYPE, "short");
        for (i = 0; i < open; i++)
            pajewrite_push_state_at(&w, 1, PAJEWRITE_ROOT, PAJEWRITE_TYPE(1), PAJEWRITE_VALUE(i % 2 ? 1 : UINT32_MAX));
        segments = w.segments + 2 * PAJEWRITE_SEGMENTS;
        while (w.segments < segments && !pajewrite_get_status(&w))
            pajewrite_reset_state_at(&w, 1, PAJEWRITE_ROOT, PAJEWRITE_TYPE(2));
        stopped += pajewrite_get_status(&w) == PAJEWRITE_E_SNAPSHOT;
        dump.size = 0;
        pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
        for (line = dump.at; (line = strstr(line, "\n19 ")) != NULL; line++)
            found++;
        if (found != open && !pajewrite_get_status(&w))
            fail("states are missing without a message", open);
    }
    if (stopped != 20)
        fail("all states fitted", stopped);
    end_case("snapshots that just fit, or do not");
}

/* A variable whose sum is infinite has a value in each segment, so that it may be added to. */
static void test_infinite(void)
{
    static story s;
    pajewrite *r = &both[1];
    uint64_t i;
    int sign;
    for (sign = -1; sign <= 1; sign += 2) {
        begin(fixed, sizeof fixed);
        pajewrite_create_container_at(r, 1, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "node");
        pajewrite_create_container_at(r, 1, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(TASK), PAJEWRITE_CONTAINER(1), "t");
        for (i = 2; i < 5000; i++) {
            if (i == 2)
                pajewrite_set_variable_double_at(r, i, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(VARIABLE), sign * 1e308);
            else if (i == 3)
                pajewrite_add_variable_double_at(r, i, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(VARIABLE), sign * 1e308);
            pajewrite_set_state_at(r, i, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(STATE), PAJEWRITE_VALUE(1));
        }
        pajewrite_add_variable_at(r, i, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(VARIABLE), 1);
        if (pajewrite_count(r).refused)
            fail("refused calls", pajewrite_count(r).refused);
        dump.size = 0;
        pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
        tell(&s, &dump, 0, 1e9);
        if (s.problems || !before_cut())
            fail(s.problem, (uint64_t)s.problems);
    }
    end_case("a variable that is infinite");
}

/* Variants whose numbers are large, as contexts share a counter of aliases, among many definitions.  `variants`: of
 * each end of links, of which one end only is written, so it is left out. */
static void test_many_definitions(uint32_t variants)
{
    enum { SIZE = 2 << 20, MANY_VALUES = 4000, MOST_ENTRIES = 8192 };
    char *const memory = (char *)malloc(2 * SIZE), number[16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    pajewrite_event event = {.kind = PAJEWRITE_NEW_EVENT, .type = {1}};
    pajewrite_variant with_size, ends[2] = {{0, PAJEWRITE_START_LINK, 0}, {0, PAJEWRITE_END_LINK, 0}};
    uint32_t aliases = 200, i;
    int64_t size = 1;
    pajewrite w;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.table = (pajewrite_entry *)calloc(MOST_ENTRIES, sizeof *config.table);
    config.table_entries = MOST_ENTRIES;
    config.aliases = &aliases;
    pajewrite_init(&w, memory, SIZE, &config);
    pajewrite_header(&w);
    pajewrite_define_event_type(&w, event.type, PAJEWRITE_ROOT_TYPE, "event");
    pajewrite_define_link_type(&w, PAJEWRITE_TYPE(2), PAJEWRITE_ROOT_TYPE, PAJEWRITE_ROOT_TYPE, PAJEWRITE_ROOT_TYPE,
                               "link");
    for (i = 1; i <= MANY_VALUES; i++)
        pajewrite_define_value(&w, PAJEWRITE_VALUE(i), event.type, "the name of a value", NULL);
    with_size = pajewrite_define_variant(&w, event.kind, "Size int");
    for (i = 0; i < 2 * variants; i++)
        ends[i % 2] = pajewrite_define_variant(&w, ends[i % 2].kind, "Size int");
    for (event.time = 1; event.time < (variants < 32 ? 60000 : 500); event.time++) {
        event.kind = PAJEWRITE_NEW_EVENT;
        event.type = PAJEWRITE_TYPE(1);
        pajewrite_write_ints(&w, &event, with_size, &size, 1);
        event.kind = ends[event.time % 2].kind;
        event.type = PAJEWRITE_TYPE(2);
        event.key = event.time;
        if (event.time % 100 < 2)
            pajewrite_write_ints(&w, &event, ends[event.time % 2], &size, 1);
    }
    dump.size = 0;
    if (pajewrite_get_status(&w) || pajewrite_flight_dump(memory, SIZE, 0, memory + SIZE, SIZE, to_bytes, &dump))
        fail(pajewrite_problem(&w), (uint64_t)pajewrite_get_status(&w));
    for (i = 0; i < 2; i++) {
        snprintf(number, sizeof number, "\n%u ", ends[i].number);
        if (strstr(dump.at, number))
            fail("a link without the other end", ends[i].number);
    }
    snprintf(number, sizeof number, "\n%u ", with_size.number);
    if (!strstr(dump.at, number))
        fail("events are missing", with_size.number);
    free(config.table);
    free(memory);
    end_case(variants < 32 ? "many definitions" : "many definitions, also of links");
}

/* Is killed while it writes; another process dumps the file. */
static void test_killed(void)
{
    char path[] = "/tmp/flight.XXXXXX";
    int descriptor = mkstemp(path), round, cut = 0;
    for (round = 0; round < 20 + 200 * !cut && !why[0]; round++) { /* more, and longer, if the time was too short */
        pid_t child = fork();
        struct timespec moment = {0, 1000000 + (long)below(round < 20 ? 20000000 : 400000000)};
        static char copy[1 << 20];
        static story s;
        pajewrite__recorder head;
        ssize_t size;
        if (child < 0) {
            fail("no process", (uint64_t)errno);
            break;
        }
        if (child == 0) {
            static pajewrite_map map;
            alarm(60); /* in case no process is left to kill it */
            pajewrite_config config = PAJEWRITE_CONFIG;
            pajewrite_map_open(&map, path, 65536);
            config.next_buffer = pajewrite_map_next_buffer;
            config.next_buffer_data = &map;
            config.when_full = PAJEWRITE_OVERWRITE;
            config.table = tables[1];
            config.table_entries = ENTRIES;
            pajewrite_init(&both[1], NULL, 65536, &config);
            define(&both[1], 1);
            for (now = 0;;)
                random_call(5);
        }
        nanosleep(&moment, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        size = pread(descriptor, copy, sizeof copy, 0);
        dump.size = 0;
        memcpy(&head, copy, sizeof head);
        if (size == 0 || copy[0] != pajewrite__magic[0] || !head.segments) /* it had not begun */
            continue;
        if (size < 65536 || pajewrite_flight_dump(copy, (size_t)size, 0, NULL, 0, to_bytes, &dump) != PAJEWRITE_OK) {
            fail("no dump", (uint64_t)size);
            continue;
        }
        tell(&s, &dump, 0, 1e9);
        if (s.problems)
            fail(s.problem, (uint64_t)s.problems);
        cut += before_cut() > 0;
    }
    if (!why[0] && !cut)
        fail("nothing was written over", dump.size);
    close(descriptor);
    unlink(path);
    end_case("killed at any moment");
}

/* Dumps memory as it is while the definition of an event is being written: up to each of its lines.  The trace ends
 * before that definition. */
static void test_within_definition(void)
{
    char *end, *line;
    uint32_t i;
    begin(fixed, sizeof fixed);
    end = both[1].other_next;
    pajewrite_define_variant(&both[1], PAJEWRITE_PUSH_STATE, "name int, End int, Event string");
    for (i = 0; i < 100; i++)
        random_call(5);
    for (line = both[1].other_next; line > end; line--) {
        static story s;
        if (line[-1] != '\n')
            continue;
        *line = '#';
        dump.size = 0;
        if (pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump) != PAJEWRITE_OK)
            fail("no dump", (uint64_t)(line - end));
        tell(&s, &dump, 0, 1e9);
        if (s.problems)
            fail(s.problem, (uint64_t)s.problems);
        if ((strstr(dump.at, "% name int\n") != NULL) != (line == both[1].other_next))
            fail("the definition is there", (uint64_t)(line - end));
    }
    end_case("dumped within a definition");
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--halves") == 0) {
        const size_t size = (size_t)atol(argv[2]);
        char *memory = (char *)malloc(2 * size);
        fill_with_halves(memory, size);
        return pajewrite_flight_dump(memory, size, 0, memory + size, size, to_bytes, &dump) != PAJEWRITE_OK;
    }
    if (argc > 1 && strcmp(argv[1], "--trace") == 0) {
        uint32_t i;
        begin(fixed, sizeof fixed);
        for (i = 0; i < 5000; i++)
            random_call(5);
        return pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, pajewrite_to_stream, stdout) != PAJEWRITE_OK;
    }
    test_random(16384, 4, 1500, 10);
    test_random(32768, 12, 3000, 4);
    test_random(100003, 20, 9000, 1);
    test_finish();
    test_damage();
    test_line_without_end();
    test_results();
    test_halves();
    test_many_halves();
    test_limits();
    test_full_snapshots();
    test_infinite();
    test_many_definitions(3);
    test_many_definitions(40);
    test_within_definition();
    test_killed();
    return failed_cases != 0;
}
