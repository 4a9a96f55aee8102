/* The flight recorder of pajewrite.h, beside a context that keeps everything: whatever was called, and whenever it is
 * dumped, the dump is a trace without a warning in strict mode, and tells of what happened since its cut the same as the
 * whole trace does.
 *
 * usage: flight            the cases
 *        flight --trace    writes a dump, for other readers
 *        flight --halves SIZE   dumps a recorder of that size that is full of halves of links, for tests/cost.sh */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_CHECK 1
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int failed_cases;
static char why[1024];

static void fail(const char *text, uint64_t number)
{
    if (!why[0])
        snprintf(why, sizeof why, "%s (%llu)", text, (unsigned long long)number);
}

static void end_case(const char *name)
{
    printf(why[0] ? "FAIL flight/%s: %s\n" : "PASS flight/%s\n", name, why);
    failed_cases += why[0] != 0;
    why[0] = 0;
}

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
    uint64_t x = (seed += UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) % n);
}

/* ------------------------------------------------------------------------------------------------
 * Bytes that grow, and what a trace says: one line for each entity that is closed
 * --------------------------------------------------------------------------------------------- */

typedef struct bytes {
    char *at;
    size_t size, room;
} bytes;

static pajewrite_status to_bytes(void *data, const char *text, size_t size)
{
    bytes *b = (bytes *)data;
    if (b->size + size + 1 > b->room) {
        b->room = 2 * (b->size + size + 1);
        b->at = (char *)realloc(b->at, b->room);
        if (!b->at)
            abort();
    }
    memcpy(b->at + b->size, text, size);
    b->size += size;
    b->at[b->size] = 0;
    return PAJEWRITE_OK;
}

typedef struct story {
    bytes text;
    double cut;
    int problems;
    char problem[256];
} story;

static int on_problem(pajesim *sim, const pajesim_problem *problem)
{
    story *s = (story *)pajesim_data(sim);
    if (problem->code == PAJESIM_E_LINK_BACKWARD) /* the calls are like that, now and then */
        return PAJESIM_GO_ON;
    if (!s->problems++)
        snprintf(s->problem, sizeof s->problem, "line %llu: %s: %.*s", (unsigned long long)problem->line,
                 problem->text, (int)problem->bytes.size, problem->bytes.bytes);
    return PAJESIM_GO_ON;
}

/* Of entities that ended after the cut; of links, if they began after it, too. */
static int on_closed(pajesim *sim, const pajesim_entity *e)
{
    story *s = (story *)pajesim_data(sim);
    pajesim_text container = pajesim_alias(sim, e->container), type = pajesim_alias(sim, e->type);
    char line[512];
    int size;
    if (e->end <= s->cut || (e->kind == PAJESIM_LINK && e->start <= s->cut))
        return PAJESIM_GO_ON;
    size = snprintf(line, sizeof line, "%d %.*s %.*s %.*s %.*s %.9f %.9f %u %.17g\n", (int)e->kind,
                    (int)container.size, container.bytes, (int)type.size, type.bytes, (int)e->value_name.size,
                    e->value_name.bytes, (int)e->key.size, e->key.bytes, e->start, e->end, (unsigned)e->imbrication,
                    e->number);
    to_bytes(&s->text, line, (size_t)size);
    return PAJESIM_GO_ON;
}

static void tell(story *s, const bytes *trace, double cut, double end)
{
    static char *arena;
    static const size_t capacity = 16 << 20;
    pajesim_options options = {0};
    pajesim_callbacks callbacks = {0};
    static pajesim sim;
    if (!arena)
        arena = (char *)malloc(capacity);
    options.strict = 1;
    callbacks.problem = on_problem;
    callbacks.closed = on_closed;
    s->text.size = 0;
    s->problems = 0;
    s->cut = cut;
    to_bytes(&s->text, "", 0);
    if (pajesim_init(&sim, arena, capacity, &options, &callbacks, s) != PAJESIM_OK ||
        pajesim_feed(&sim, trace->at, trace->size, NULL) != PAJESIM_OK)
        fail("trace is not taken", trace->size);
    pajesim_finish_at(&sim, end);
}

static int compare_lines(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* Sorts the lines: entities that end together come in any order. */
static char **lines_of(bytes *text, size_t *count)
{
    char **lines = (char **)malloc((text->size / 8 + 2) * sizeof *lines), *p;
    *count = 0;
    for (p = strtok(text->at, "\n"); p; p = strtok(NULL, "\n"))
        lines[(*count)++] = p;
    qsort(lines, *count, sizeof *lines, compare_lines);
    return lines;
}

static void same_story(story *all, story *dump)
{
    size_t m, n, i;
    char **a = lines_of(&all->text, &m), **b = lines_of(&dump->text, &n);
    for (i = 0; i < m && i < n && strcmp(a[i], b[i]) == 0; i++)
        ;
    if ((i < m || i < n) && !why[0])
        snprintf(why, sizeof why, "entity %zu of %zu, %zu: '%s' became '%s'", i, m, n, i < m ? a[i] : "",
                 i < n ? b[i] : "");
    free(a);
    free(b);
}

/* ------------------------------------------------------------------------------------------------
 * Random calls, of two contexts
 * --------------------------------------------------------------------------------------------- */

enum { NODE = 1, TASK, STATE, EVENT, VARIABLE, MESSAGE, VALUES = 6, RECORDS = 1 << 17, ENTRIES = 1 << 14 };

static pajewrite both[2]; /* the one that keeps everything, the recorder */
static pajewrite_entry tables[2][ENTRIES];
static uint64_t time_of[RECORDS + 1]; /* of each record */
static uint64_t now;
static pajewrite_variant sized[2], named[2], sent[2], received[2];

static void call(const pajewrite_event *event, int64_t user)
{
    int i;
    for (i = 0; i < 2; i++) {
        const pajewrite_variant *variant = event->kind == PAJEWRITE_PUSH_STATE ? &sized[i] :
                                           event->kind == PAJEWRITE_CREATE_CONTAINER ? &named[i] :
                                           event->kind == PAJEWRITE_END_LINK ? &received[i] : &sent[i];
        pajewrite_fields fields = pajewrite_fields_of(*variant);
        pajewrite_field_int(&fields, user);
        pajewrite_write(&both[i], event, user ? &fields : NULL);
    }
    if (pajewrite_count(&both[0]).written <= RECORDS)
        time_of[pajewrite_count(&both[0]).written] = event->time;
}

static void define(pajewrite *w, int i)
{
    static const pajewrite_type node = {NODE}, task = {TASK};
    uint32_t v;
    pajewrite_header(w);
    pajewrite_define_container_type(w, node, PAJEWRITE_ROOT_TYPE, "Node");
    pajewrite_define_container_type(w, task, node, "Task");
    pajewrite_define_state_type(w, PAJEWRITE_TYPE(STATE), task, "State");
    pajewrite_define_event_type(w, PAJEWRITE_TYPE(EVENT), task, "Event");
    pajewrite_define_variable_type(w, PAJEWRITE_TYPE(VARIABLE), task, "Variable", NULL);
    pajewrite_define_link_type(w, PAJEWRITE_TYPE(MESSAGE), PAJEWRITE_ROOT_TYPE, task, task, "Message");
    for (v = 1; v <= VALUES; v++) {
        pajewrite_define_value(w, PAJEWRITE_VALUE(v), PAJEWRITE_TYPE(STATE), NULL, NULL);
        pajewrite_define_value(w, PAJEWRITE_VALUE(v), PAJEWRITE_TYPE(EVENT), NULL, NULL);
        pajewrite_define_value(w, PAJEWRITE_VALUE(v), PAJEWRITE_TYPE(MESSAGE), NULL, NULL);
    }
    sized[i] = pajewrite_define_variant(w, PAJEWRITE_PUSH_STATE, "Size int");
    named[i] = pajewrite_define_variant(w, PAJEWRITE_CREATE_CONTAINER, "Rank int");
    sent[i] = pajewrite_define_variant(w, PAJEWRITE_START_LINK, "Size int");
    received[i] = pajewrite_define_variant(w, PAJEWRITE_END_LINK, "Tag int");
}

/* Nodes 1 and 2 with tasks that come and go, `tasks` at a time. */
static void random_call(uint32_t tasks)
{
    static const pajewrite_kind kinds[] = {
        PAJEWRITE_PUSH_STATE, PAJEWRITE_PUSH_STATE, PAJEWRITE_POP_STATE, PAJEWRITE_POP_STATE, PAJEWRITE_SET_STATE,
        PAJEWRITE_RESET_STATE, PAJEWRITE_NEW_EVENT, PAJEWRITE_SET_VARIABLE, PAJEWRITE_ADD_VARIABLE,
        PAJEWRITE_SUB_VARIABLE, PAJEWRITE_START_LINK, PAJEWRITE_END_LINK, PAJEWRITE_CREATE_CONTAINER,
        PAJEWRITE_DESTROY_CONTAINER};
    static uint32_t first = 3, next = 3, started, ended;
    static uint32_t ends[64];
    pajewrite_event event = {0};
    int links;
    if (now == 0) {
        first = next = 3;
        started = ended = 0;
    }
    now += 1 + below(3000000);
    event.time = now;
    if (next < 5) { /* the nodes */
        event.kind = PAJEWRITE_CREATE_CONTAINER;
        event.type.alias = NODE;
        event.container.alias = next++ - 2;
        call(&event, 0);
        return;
    }
    event.kind = kinds[below(sizeof kinds / sizeof *kinds)];
    event.container.alias = first + below(next - first + 1);
    event.type.alias = event.kind < PAJEWRITE_NEW_EVENT ? STATE : event.kind == PAJEWRITE_NEW_EVENT ? EVENT : VARIABLE;
    event.value.alias = 1 + below(VALUES);
    event.integer = (int64_t)below(1000) - 500;
    links = event.kind == PAJEWRITE_START_LINK || event.kind == PAJEWRITE_END_LINK;
    if (links) {
        event.other = event.container;
        event.container = PAJEWRITE_ROOT;
        event.type.alias = MESSAGE;
        event.value.alias = 1;
        if (event.kind == PAJEWRITE_START_LINK)
            event.key = ++started;
        else if (below(4)) /* some are never received */
            event.key = ended < started ? ++ended : 0;
        else
            event.key = ends[below(64)] = 1 + below(started + 3); /* before it was sent, perhaps */
    }
    if (event.kind == PAJEWRITE_CREATE_CONTAINER) {
        if (next - first >= tasks)
            return;
        event.type.alias = TASK;
        event.container.alias = next++;
        event.other.alias = 1 + below(2);
    } else if (event.kind == PAJEWRITE_DESTROY_CONTAINER) {
        if (below(10) || first == next)
            return;
        event.type.alias = TASK;
        event.container.alias = first++;
    }
    call(&event, (links || event.kind == PAJEWRITE_PUSH_STATE || event.kind == PAJEWRITE_CREATE_CONTAINER) &&
                         below(3) == 0 ? 1 + (int64_t)below(99) : 0);
}

static bytes whole, dump;

static void begin(char *memory, size_t size)
{
    static char buffer[1 << 16];
    int i;
    whole.size = 0;
    now = 0;
    for (i = 0; i < 2; i++) {
        pajewrite_config config = PAJEWRITE_CONFIG;
        config.table = tables[i];
        config.table_entries = ENTRIES;
        config.sink = to_bytes;
        config.sink_data = &whole;
        config.full = i ? PAJEWRITE_OVERWRITE : PAJEWRITE_FLUSH;
        config.definitions_size = 8192;
        pajewrite_init(&both[i], i ? memory : buffer, i ? size : sizeof buffer, &config);
        define(&both[i], i);
    }
}

/* How many records the dump says were written over. */
static uint64_t before_cut(void)
{
    const char *remark = strstr(dump.at, "records before");
    while (remark && *remark != '#')
        remark--;
    return remark ? strtoull(remark + 1, NULL, 10) : 0;
}

static void check_dump(const char *memory, size_t size)
{
    static story of_whole, of_dump;
    double cut, end = (double)now * 1e-9;
    static char scratch[40000];
    size_t scratch_size = below(2) ? below(sizeof scratch - 8) : 0;
    dump.size = 0;
    if (pajewrite_flight_dump(memory, size, 0, scratch + below(8), scratch_size, to_bytes, &dump) != PAJEWRITE_OK)
        fail("no dump", 0);
    pajewrite_flush(&both[0]);
    if (pajewrite_get_status(&both[1]) > 0 && pajewrite_get_status(&both[1]) <= PAJEWRITE_E_CLOSED)
        fail(pajewrite_status_text(pajewrite_get_status(&both[1])), now);
    cut = (double)time_of[before_cut()] * 1e-9;
    tell(&of_whole, &whole, cut, end);
    tell(&of_dump, &dump, cut, end);
    if (of_dump.problems)
        fail(of_dump.problem, (uint64_t)of_dump.problems);
    same_story(&of_whole, &of_dump);
}

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

/* ------------------------------------------------------------------------------------------------
 * Single cases
 * --------------------------------------------------------------------------------------------- */

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
    tell(&s, &dump, 0, 1e9); /* what is still open would end then */
    if (strncmp(s.text.at, "1 0 0 ", 6) == 0 && strchr(s.text.at, 10)[1]) /* the root is */
        fail("something is still open", 0);
    end_case("finish closes what is open");
}

/* Every state of the memory in between is dumped: at each store of a first byte, that is before and after each call,
 * and from a copy that was cut or damaged nothing is read that is not there. */
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

static void test_answers(void)
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

static void test_halves(void)
{
    uint32_t i;
    size_t left_out;
    begin(fixed, sizeof fixed);
    for (i = 0; i < 3000; i++)
        random_call(5);
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    left_out = dump.size;
    if (!strstr(dump.at, "without the other end"))
        fail("links left out are not told", 0);
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 1, NULL, 0, to_bytes, &dump);
    if (dump.size <= left_out || strstr(dump.at, "without the other end"))
        fail("halves of links are missing", dump.size);
    end_case("halves of links, on request");
}

/* Many ends without the other: of every second link; those of the others come in another order. */
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
    static char memory[65536], scratch[65536 + 7];
    static const size_t sizes[] = {1, 511, 1024, 2000, 5000, 65536};
    bytes first = {NULL, 0, 0};
    size_t i;
    fill_with_halves(memory, sizeof memory);
    if (pajewrite_flight_dump(memory, sizeof memory, 0, NULL, 0, to_bytes, &first) != PAJEWRITE_OK)
        fail("no dump", 0);
    if (first.size < 10000 || !strstr(first.at, "without the other end"))
        fail("there were no links, or no halves of any", 0);
    for (i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        memset(scratch, 0x55, sizeof scratch);
        dump.size = 0;
        pajewrite_flight_dump(memory, sizeof memory, 0, scratch + i, sizes[i], to_bytes, &dump);
        if (dump.size != first.size || memcmp(dump.at, first.at, dump.size) != 0)
            fail("another dump with scratch memory", sizes[i]);
        if (scratch[i + sizes[i]] != 0x55)
            fail("written beyond the scratch memory", sizes[i]);
    }
    check_dump(memory, sizeof memory);
    free(first.at);
    end_case("many halves of links");
}

/* As much as is wanted, or as much as `data` says. */
static char *room(void *data, size_t used, size_t needed, size_t *size)
{
    (void)used;
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
    config.full = PAJEWRITE_OVERWRITE;
    if (pajewrite_init(&w, fixed, sizeof fixed, &config) != PAJEWRITE_E_MISUSE)
        fail("no table", 0);
    config.table = table;
    config.table_entries = 4096;
    if (pajewrite_init(&w, fixed, 1000, &config) != PAJEWRITE_E_MISUSE)
        fail("too little memory", 0);

    /* a line that no segment holds */
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    memset(name, 'n', sizeof name - 1);
    pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, name);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_TOO_LONG || pajewrite_count(&w).refused != 1)
        fail("a line that no segment holds", (uint64_t)pajewrite_get_status(&w));

    /* memory that somebody else has, or has not */
    config.room = room;
    if (pajewrite_init(&w, NULL, sizeof fixed, &config) != PAJEWRITE_OK || w.flight != fixed)
        fail("memory that somebody has", (uint64_t)pajewrite_get_status(&w));
    config.room_data = &none;
    if (pajewrite_init(&w, NULL, sizeof fixed, &config) != PAJEWRITE_E_SINK)
        fail("memory that nobody has", (uint64_t)pajewrite_get_status(&w));
    config.room = NULL;

    /* more definitions than there is room for: what rests on them is left out, the rest stays */
    pajewrite_init(&w, fixed, sizeof fixed, &config);
    define(&w, 1);
    for (i = 100; i < 1000; i++)
        pajewrite_define_container_type(&w, PAJEWRITE_TYPE(i), PAJEWRITE_TYPE(NODE), "type");
    pajewrite_create_container_at(&w, 1, PAJEWRITE_CONTAINER(1), PAJEWRITE_TYPE(NODE), PAJEWRITE_ROOT, "node");
    pajewrite_create_container_at(&w, 2, PAJEWRITE_CONTAINER(2), PAJEWRITE_TYPE(999), PAJEWRITE_CONTAINER(1), "late");
    dump.size = 0;
    pajewrite_flight_dump(fixed, sizeof fixed, 0, NULL, 0, to_bytes, &dump);
    if (pajewrite_get_status(&w) != PAJEWRITE_E_DEFINITIONS || !strstr(dump.at, " node\n") || strstr(dump.at, "late"))
        fail("definitions beyond their place", (uint64_t)pajewrite_get_status(&w));

    /* more alive than a segment holds: it stops, and keeps what it has */
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
    end_case("limits are told, and what was recorded stays");
}

/* Killed while it writes; another process dumps the file. */
static void test_killed(void)
{
    char path[] = "/tmp/flight.XXXXXX";
    int descriptor = mkstemp(path), round, cut = 0;
    for (round = 0; round < 20 + 200 * !cut && !why[0]; round++) { /* more where so little time is too little */
        pid_t child = fork();
        struct timespec moment = {0, 1000000 + (long)below(20000000)};
        static char copy[1 << 20];
        static story s;
        ssize_t size;
        if (child == 0) {
            static pajewrite_map map;
            alarm(60); /* if nobody is left to kill it */
            pajewrite_config config = PAJEWRITE_CONFIG;
            pajewrite_map_open(&map, path, 65536);
            config.room = pajewrite_map_room;
            config.room_data = &map;
            config.full = PAJEWRITE_OVERWRITE;
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
        if (size == 0 || !copy[0]) /* it had not begun */
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
    test_answers();
    test_halves();
    test_many_halves();
    test_limits();
    test_killed();
    return failed_cases != 0;
}
