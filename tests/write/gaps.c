/* What a trace with gaps says is what was called, less what depends on what was dropped: random programs, with
 * containers that come and go and links of which one end never comes, in contexts that drop, that offer to a slow peer,
 * to one peer after the other, and that overwrite; with tables of any size.  After each flush a naive reader has the
 * containers, the states and the variables that the program has, and both ends of the links.
 * usage: gaps [SEED [COUNT]] */
#define _POSIX_C_SOURCE 200809L
#include <stddef.h>
static size_t moved_freely; /* so much is moved in a buffer from which a slow peer takes; more only if that pays */
#define PAJEWRITE__MOVED_FREELY moved_freely
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "../lib/expect.h"
#include "strict.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PROCESS = 1, THREAD, STATE_OF_THREAD, STATE_OF_PROCESS, NUMBER_OF_THREAD, NUMBER_OF_PROCESS, LINK, LINK_WITHIN };
enum { CONTAINERS = 400, LINKS = 1500, DEPTH = 8, TABLE = 4096 };

/* ---- the program, and what a reader knows of it */

typedef struct level {
    uint32_t value;
    int dropped;
} level;

typedef struct container {
    uint32_t exists, alive, dropped, type, parent, depth, is_set;
    level stack[DEPTH];
    int64_t number;
} container;

/* Ends: 0: the start; 1: the end. */
typedef struct message {
    uint32_t type, container, at[2], value, first; /* first: the end that is called first */
    int calls, lost, written[2], read[2];          /* lost: one end is at a container that was dropped */
    int is_named;
} message;

static container called[CONTAINERS], known[CONTAINERS];
static message links[LINKS];
static uint32_t containers, link_count, halves; /* halves: of 100 links, those of which one end never comes */
static int knows_links; /* 1: the table has evicted none, and no other peer has come */
static uint64_t now, dropped_before;

static pajewrite w;
static pajewrite_entry table[TABLE];
static char buffer[1 << 17], out[1 << 21];
static size_t out_size, read_size;
static uint64_t seed;
static uint32_t reluctance; /* how often nothing is taken, of 8 times */

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static pajewrite_status to_memory(void *data, const char *bytes, size_t size)
{
    (void)data;
    if (size > sizeof out - out_size)
        return PAJEWRITE_E_SINK;
    memcpy(out + out_size, bytes, size);
    out_size += size;
    return PAJEWRITE_OK;
}

static size_t offer(void *data, const char *bytes, size_t size)
{
    const size_t taken = below(8) < reluctance ? 0 : !reluctance || below(3) ? size : below((uint32_t)size + 1);
    return to_memory(data, bytes, taken) ? PAJEWRITE_OFFER_FAILED : taken;
}

/* ---- a naive reader */

static void read_state(container *c, uint64_t kind, uint32_t value)
{
    if (kind == PAJEWRITE_SET_STATE || kind == PAJEWRITE_RESET_STATE)
        c->depth = 0;
    if (kind == PAJEWRITE_POP_STATE ? !c->depth-- : kind != PAJEWRITE_RESET_STATE && c->depth == DEPTH)
        PROBLEM("a stack is left");
    else if (kind == PAJEWRITE_SET_STATE || kind == PAJEWRITE_PUSH_STATE)
        c->stack[c->depth++].value = value;
}

static void read_line(const char *line)
{
    uint64_t kind, alias, other, value, end;
    char text[5][40] = {"", "", "", "", ""};
    container *c;
    uint32_t i;
    int words = sscanf(line, "%" SCNu64 " %*s %" SCNu64 " %39s %39s %39s %39s", &kind, &alias, text[0], text[1],
                       text[2], text[3]);
    if (words < 3 || kind < PAJEWRITE_CREATE_CONTAINER) /* definitions */
        return;
    other = strtoull(text[0], NULL, 10);
    value = strtoull(text[1], NULL, 10);
    c = &known[alias % CONTAINERS];
    if (kind == PAJEWRITE_CREATE_CONTAINER ? c->exists || !known[value].alive : !c->alive)
        PROBLEM("its container does not exist, or does: %.60s", line);
    if (kind == PAJEWRITE_CREATE_CONTAINER) {
        c->exists = c->alive = 1;
        c->parent = (uint32_t)value;
    } else if (kind == PAJEWRITE_DESTROY_CONTAINER) {
        c->alive = 0;
        for (i = 1; i < CONTAINERS; i++)
            known[i].alive &= known[i].parent != alias;
    } else if (kind <= PAJEWRITE_RESET_STATE) {
        read_state(c, kind, (uint32_t)value);
    } else if (kind <= PAJEWRITE_SUB_VARIABLE) {
        const int64_t n = (int64_t)strtod(text[1], NULL);
        c->number = kind == PAJEWRITE_SET_VARIABLE ? n : kind == PAJEWRITE_ADD_VARIABLE ? c->number + n : c->number - n;
        c->is_set = 1;
    } else {
        message *l = &links[strtoull(text[3] + (text[3][0] == 'n'), NULL, 10) % LINKS];
        end = kind - PAJEWRITE_START_LINK;
        if (l->read[end]++ || strtoull(text[2], NULL, 10) != l->at[end] || value != l->value || other != l->type ||
            !known[l->at[end]].alive)
            PROBLEM("another link: %.60s", line);
    }
}

static void read_lines(void)
{
    const char *end;
    while ((end = (const char *)memchr(out + read_size, '\n', out_size - read_size)) != NULL) {
        read_line(out + read_size);
        read_size = (size_t)(end + 1 - out);
    }
}

static void compare_container(uint32_t i)
{
    const container *c = &called[i], *k = &known[i];
    uint32_t depth = 0, d;
    if (k->exists != !c->dropped || (!c->dropped && k->alive != c->alive))
        PROBLEM("container %u exists: %u, lives: %u, not %u", i, k->exists, k->alive, c->alive);
    if (c->dropped || !c->alive)
        return;
    for (d = 0; d < c->depth; d++)
        if (!c->stack[d].dropped && (depth == k->depth || k->stack[depth++].value != c->stack[d].value))
            PROBLEM("container %u: another state at depth %u", i, d);
    if (depth != k->depth || c->is_set != k->is_set || c->number != k->number)
        PROBLEM("container %u: depth %u, not %u; variable %" PRId64 ", not %" PRId64, i, k->depth, depth, k->number,
                c->number);
}

/* Compares what was read with what was called. */
static void compare(void)
{
    uint32_t i;
    read_lines();
    for (i = 0; i < containers; i++)
        compare_container(i);
    for (i = 0; i < link_count; i++) {
        const message *l = &links[i];
        const int first = l->read[l->first], second = l->read[!l->first];
        if (first < l->written[l->first] || second < l->written[!l->first])
            PROBLEM("an end of link %u is lost", i);
        if (knows_links && (first != l->written[l->first] ||
                            (l->calls == 2 && !l->is_named && !l->lost && second != first) || second > first))
            PROBLEM("link %u: ends %d and %d", i, first, second);
    }
}

/* ---- random calls */

static pajewrite_type type_of(uint32_t alias) { return PAJEWRITE_TYPE(alias); }

/* Whether the last call dropped its event. */
static int was_dropped(void)
{
    const uint64_t before = dropped_before;
    dropped_before = pajewrite_count(&w).dropped;
    return dropped_before != before;
}

/* Returns a live container; 0: there is none. */
static uint32_t pick(uint32_t type)
{
    uint32_t i, found = 0, chosen = 0;
    for (i = 1; i < containers; i++)
        if (called[i].alive && (!type || called[i].type == type) && !below(++found))
            chosen = i;
    return chosen;
}

static void call_container(void)
{
    const uint32_t type = below(2) ? PROCESS : THREAD, parent = type == THREAD ? pick(PROCESS) : 0, old = pick(0);
    uint32_t i;
    if (below(4) && containers < CONTAINERS && (type == PROCESS || parent)) {
        container *c = &called[containers];
        pajewrite_create_container_at(&w, now, PAJEWRITE_CONTAINER(containers++), type_of(type),
                                      PAJEWRITE_CONTAINER(parent), NULL);
        c->exists = c->alive = 1;
        c->type = type;
        c->parent = parent;
        c->dropped = (uint32_t)was_dropped();
    } else if (old) {
        pajewrite_destroy_container_at(&w, now, PAJEWRITE_CONTAINER(old), type_of(called[old].type));
        called[old].alive = 0;
        for (i = 1; i < containers; i++)
            called[i].alive &= called[i].parent != old;
    }
}

static void call_state(uint32_t alias)
{
    container *c = &called[alias];
    const pajewrite_container on = PAJEWRITE_CONTAINER(alias);
    const pajewrite_type type = type_of(c->type == THREAD ? STATE_OF_THREAD : STATE_OF_PROCESS);
    const uint32_t kind = below(10), value = below(1000);
    if (kind == 0) {
        pajewrite_reset_state_at(&w, now, on, type);
        c->depth = 0;
    } else if (kind < 3 || (kind < 6 && c->depth < DEPTH)) {
        if (kind < 3)
            c->depth = 0;
        if (kind < 3)
            pajewrite_set_state_at(&w, now, on, type, PAJEWRITE_VALUE(value));
        else
            pajewrite_push_state_at(&w, now, on, type, PAJEWRITE_VALUE(value));
        c->stack[c->depth].value = value;
        c->stack[c->depth++].dropped = was_dropped();
    } else if (c->depth) {
        pajewrite_pop_state_at(&w, now, on, type);
        c->depth--;
    }
}

static void call_variable(uint32_t alias)
{
    container *c = &called[alias];
    const pajewrite_container on = PAJEWRITE_CONTAINER(alias);
    const pajewrite_type type = type_of(c->type == THREAD ? NUMBER_OF_THREAD : NUMBER_OF_PROCESS);
    const int64_t n = (int64_t)below(2000) - 1000;
    if (!c->is_set || below(2)) {
        pajewrite_set_variable_at(&w, now, on, type, n);
        c->number = 0;
    } else {
        pajewrite_add_variable_at(&w, now, on, type, n);
    }
    c->is_set = 1;
    c->number += n;
}

/* Calls the first end of a link, or the second one. */
static void call_link(message *l)
{
    const uint32_t end = l->calls ? !l->first : l->first;
    pajewrite_event event = PAJEWRITE__ZERO;
    char name[16];
    snprintf(name, sizeof name, "n%u", (unsigned)(l - links));
    event.kind = end ? PAJEWRITE_END_LINK : PAJEWRITE_START_LINK;
    event.container.alias = l->container;
    event.type = type_of(l->type);
    event.value.alias = l->value;
    event.time = now;
    event.other.alias = l->at[end];
    event.key = (uint64_t)(l - links);
    event.name = l->is_named ? name : NULL;
    pajewrite_write(&w, &event, NULL);
    l->written[end] = !was_dropped();
    l->calls++;
    l->lost = called[l->at[0]].dropped || called[l->at[1]].dropped;
}

static void call_links(void)
{
    const uint32_t a = pick(THREAD), b = pick(THREAD);
    message *l = &links[link_count];
    if (a && b && below(2) && link_count < LINKS) {
        memset(l, 0, sizeof *l);
        l->type = LINK;
        if (called[a].parent == called[b].parent && below(2)) {
            l->type = LINK_WITHIN;
            l->container = called[a].parent;
        }
        l->at[0] = a;
        l->at[1] = b;
        l->value = below(9);
        l->is_named = !below(5);
        l->first = !below(4);
        link_count++;
        call_link(l);
    } else if (link_count && below(100) >= halves) {
        l = &links[below(3) && link_count > 30 ? link_count - 1 - below(30) : below(link_count)];
        if (l->calls == 1 && (!l->container || called[l->container].alive) && called[l->at[0]].alive &&
            called[l->at[1]].alive)
            call_link(l);
    }
}

static void call(void)
{
    const uint32_t which = below(20), alias = pick(0);
    now += below(3) ? below(50) : below(2000000000);
    was_dropped();
    if (which < 2)
        call_container();
    else if (which < 10)
        call_links();
    else if (alias && which < 16)
        call_state(alias);
    else if (alias)
        call_variable(alias);
}

/* ---- ways to write it */

static void begin(const pajewrite_config *config, size_t size)
{
    static const char *const names[] = {"Thread", "Process"};
    uint32_t i;
    memset(called, 0, sizeof called);
    memset(known, 0, sizeof known);
    called[0].exists = called[0].alive = known[0].exists = known[0].alive = 1;
    containers = 1;
    out_size = read_size = link_count = reluctance = 0;
    dropped_before = now = 0;
    pajewrite_init(&w, buffer, size, config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, type_of(PROCESS), PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(&w, type_of(THREAD), type_of(PROCESS), "Thread");
    for (i = 0; i < 2; i++) {
        pajewrite_define_state_type(&w, type_of(STATE_OF_THREAD + i), type_of(THREAD - i), names[i]);
        pajewrite_define_variable_type(&w, type_of(NUMBER_OF_THREAD + i), type_of(THREAD - i), names[i], NULL);
        pajewrite_define_link_type(&w, type_of(LINK + i), type_of(i ? PROCESS : 0), type_of(THREAD), type_of(THREAD),
                                   i ? "Within" : "Between");
    }
    pajewrite_flush(&w);
}

static int is_well(void) { return !problem[0] && pajewrite_get_status(&w) == PAJEWRITE_OK; }

/* Calls, and compares after each flush that ends a gap. */
static void run(uint32_t calls, uint32_t flushes)
{
    while (calls-- && is_well()) {
        call();
        if (below(flushes))
            continue;
        pajewrite_flush(&w);
        if (is_well() && !w.blocked && !w.gap_count && w.next == w.buffer)
            compare();
    }
}

/* Ends the trace, of which a peer then takes all.  A table or a segment may have been too small. */
static void end(const char *way, uint64_t program)
{
    const pajewrite_status status = pajewrite_get_status(&w);
    uint32_t i;
    reluctance = 0;
    for (i = 0; i < 3; i++)
        pajewrite_flush(&w);
    pajewrite_finish(&w);
    for (i = 1; i < containers; i++)
        called[i].alive = 0;
    if (is_well()) {
        compare();
        read_strictly(out, out_size);
    } else if (status && status != PAJEWRITE_E_TABLE_FULL && status != PAJEWRITE_E_SNAPSHOT) {
        PROBLEM("status: %s", pajewrite_problem(&w));
    }
    if (problem[0])
        fail("program %" PRIu64 ", %s: %s", program, way, problem);
}

/* Attaches a peer, which has to know all that is: nothing counts as dropped any more. */
static void attach(void)
{
    uint32_t i, d;
    out_size = read_size = 0;
    memset(&known[1], 0, sizeof known - sizeof *known);
    for (i = 0; i < containers; i++) {
        called[i].dropped = !called[i].alive;
        for (d = 0; d < DEPTH; d++)
            called[i].stack[d].dropped = 0;
    }
    for (i = 0; i < link_count; i++)
        memset(links[i].written, 0, sizeof links[i].written), memset(links[i].read, 0, sizeof links[i].read);
    knows_links = 0;
    pajewrite_attach(&w, NULL);
}

static void dump(size_t size)
{
    static container before[CONTAINERS];
    uint32_t i;
    memcpy(before, called, sizeof called);
    attach(); /* a dump knows the same */
    pajewrite_flight_dump(buffer, size, 0, NULL, 0, to_memory, NULL);
    read_lines();
    for (i = 1; i < containers; i++)
        called[i].dropped = !called[i].alive && !known[i].exists;
    compare();
    read_strictly(out, out_size);
    memcpy(called, before, sizeof called);
}

static void program_of(uint64_t program)
{
    pajewrite_config config = PAJEWRITE_CONFIG;
    const int is_whole = !below(3);
    const uint32_t calls = is_whole ? 1500 : 200 + below(3000), flushes = 1 + below(300);
    uint32_t i;
    size_t size = 3000 + below(6000);
    halves = below(100);
    config.table = table;
    config.table_entries = is_whole ? TABLE : 40 + below(400);
    config.when_full = PAJEWRITE_DROP;
    config.sink = to_memory;
    knows_links = is_whole;
    begin(&config, size);
    run(calls, flushes);
    end("dropping", program);
    config.sink = NULL;
    config.offer = offer;
    begin(&config, size);
    reluctance = below(8);
    run(calls, flushes);
    end("a slow peer", program);
    config.definitions_size = 60000;
    begin(&config, size + 60000);
    reluctance = below(8);
    for (i = 0; i < calls / 300 && is_well(); i++) {
        run(below(600), flushes);
        if (is_well())
            attach();
    }
    end("peers", program);
    config.offer = NULL;
    config.when_full = PAJEWRITE_OVERWRITE;
    config.definitions_size = 4000;
    size = 30000 + below(100000);
    begin(&config, size);
    for (i = 0; i < calls / 100 && is_well(); i++) {
        uint32_t k = below(200);
        while (k-- && is_well())
            call();
        if (is_well())
            dump(size);
    }
    if (problem[0])
        fail("program %" PRIu64 ", overwriting: %s", program, problem);
}

/* Writes the header while it does not fit, then events of most kinds.  `ends`: nothing
 * else makes room for the definitions of the header than the end of the trace. */
static void write_after_short_header(int ends)
{
    const pajewrite_container me = PAJEWRITE_CONTAINER(1);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, type_of(PROCESS), PAJEWRITE_ROOT_TYPE, "Process");
    reluctance = 0;
    if (ends)
        return;
    pajewrite_flush(&w);
    pajewrite_define_container_type(&w, type_of(THREAD), PAJEWRITE_ROOT_TYPE, "Thread");
    pajewrite_define_state_type(&w, type_of(STATE_OF_THREAD), type_of(THREAD), "State");
    pajewrite_flush(&w);
    pajewrite_define_variable_type(&w, type_of(NUMBER_OF_THREAD), type_of(THREAD), "Number", NULL);
    pajewrite_define_link_type(&w, type_of(LINK), type_of(0), type_of(THREAD), type_of(THREAD), "Link");
    pajewrite_flush(&w);
    pajewrite_create_container_at(&w, 1, me, type_of(THREAD), PAJEWRITE_ROOT, "me");
    pajewrite_push_state_at(&w, 2, me, type_of(STATE_OF_THREAD), PAJEWRITE_VALUE(1));
    pajewrite_flush(&w);
    pajewrite_set_variable_at(&w, 3, me, type_of(NUMBER_OF_THREAD), 4);
    pajewrite_start_link_at(&w, 3, PAJEWRITE_ROOT, type_of(LINK), PAJEWRITE_VALUE(1), me, 1);
    pajewrite_flush(&w);
    pajewrite_end_link_at(&w, 4, PAJEWRITE_ROOT, type_of(LINK), PAJEWRITE_VALUE(1), me, 1);
    pajewrite_pop_state_at(&w, 5, me, type_of(STATE_OF_THREAD));
}

/* A buffer that is smaller than the header: what was dropped of that is written as soon as there is room. */
static void drop_header(void)
{
    static const char all[] = "16 0.000000001 1 2 0 me\n", end[] = "17 0.000000005 1 2\n";
    pajewrite_config config = PAJEWRITE_CONFIG;
    size_t size;
    int way, has_table;
    for (size = PAJEWRITE_BUFFER_MIN; size < 2400; size += 13)
        for (way = 0; way < 4; way++)
            for (has_table = 0; has_table < 2; has_table++) {
                config.table = has_table ? table : NULL;
                config.table_entries = has_table ? TABLE : 0;
                config.when_full = PAJEWRITE_DROP;
                config.sink = way & 1 ? NULL : to_memory;
                config.offer = way & 1 ? offer : NULL;
                problem[0] = 0;
                out_size = 0;
                reluctance = 8;
                pajewrite_init(&w, buffer, size, &config);
                write_after_short_header(way >> 1);
                EXPECT(pajewrite_finish(&w) == PAJEWRITE_OK);
                out[out_size] = 0;
                EXPECT(read_strictly(out, out_size) == PAJESIM_OK && !problem[0]);
                EXPECT(way >> 1 || strstr(out, all));
                EXPECT(way >> 1 || !has_table || strstr(out, end));
            }
    problem[0] = 0;
    report("write/", "gaps: buffers smaller than the header");
}

/* The times of lines that end links and containers, in which they were called. */
static uint64_t last_time[2], ends_made_up;

static pajewrite_status see_ends(void *data, const char *bytes, size_t size)
{
    const char *const last = bytes + size;
    (void)data;
    for (; bytes < last; bytes = (const char *)memchr(bytes, '\n', (size_t)(last - bytes)) + 1)
        if (!strncmp(bytes, "27 ", 3) || !strncmp(bytes, "17 ", 3)) {
            const uint64_t time = strtoull(bytes + 3, NULL, 10);
            uint64_t *const before = &last_time[*bytes == '1'];
            if (time < *before)
                fail("an end at %" PRIu64 " comes after one at %" PRIu64, time, *before);
            *before = time;
            ends_made_up++;
        }
    return PAJEWRITE_OK;
}

/* Very many lines are made up after a gap, in order of time. */
static void end_many(void)
{
    enum { MANY = 100000, ENTRIES = 3 * MANY };
    pajewrite_entry *const entries = (pajewrite_entry *)calloc(ENTRIES, sizeof *entries);
    char *const large = (char *)malloc(MANY * 80);
    pajewrite_config config = PAJEWRITE_CONFIG;
    const pajewrite_type of = {1}, link = {2};
    uint32_t i;
    config.when_full = PAJEWRITE_DROP;
    config.sink = see_ends;
    config.decimals = PAJEWRITE_SECONDS;
    config.table = entries;
    config.table_entries = ENTRIES;
    pajewrite_init(&w, large, MANY * 80, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, of, PAJEWRITE_ROOT_TYPE, "of");
    pajewrite_define_link_type(&w, link, PAJEWRITE_ROOT_TYPE, of, of, "link");
    for (i = 1; i <= MANY; i++) {
        pajewrite_create_container_at(&w, 0, PAJEWRITE_CONTAINER(i), of, PAJEWRITE_ROOT, NULL);
        pajewrite_start_link_at(&w, 0, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), i);
    }
    pajewrite_flush(&w);
    EXPECT(!pajewrite_count(&w).dropped);
    while (!pajewrite_count(&w).dropped)
        pajewrite_new_event_at(&w, 0, PAJEWRITE_ROOT, PAJEWRITE_TYPE(3), PAJEWRITE_VALUE(1));
    ends_made_up = 0;
    for (i = 1; i <= MANY; i++) {
        const uint32_t which = 1 + (uint32_t)(UINT64_C(77777) * i % MANY); /* each once */
        pajewrite_end_link_at(&w, i, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), PAJEWRITE_CONTAINER(1), which);
        pajewrite_destroy_container_at(&w, i, PAJEWRITE_CONTAINER(which), of);
    }
    pajewrite_flush(&w);
    if (ends_made_up != 2 * MANY || pajewrite_finish(&w) != PAJEWRITE_OK)
        fail("%" PRIu64 " ends", ends_made_up);
    free(large);
    free(entries);
    report("write/", "gaps: many lines that are made up");
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 0) : 60;
    uint64_t program;
    drop_header();
    end_many();
    for (program = first; program - first < count && !fault[0]; program++) {
        seed = program * UINT64_C(0x9e3779b97f4a7c15);
        problem[0] = 0;
        moved_freely = program / 2 % 2 ? 0 : 65536;
        program_of(program);
    }
    report("write/", "gaps: what is read is what was called");
    return failed != 0;
}
