/* Contexts that share a trace and learn from each other: random programs of three, each of which writes states,
 * variables and links of types of its own on containers that any of them creates and any destroys; that deliver, or
 * drop what does not fit; with tables of any size.  The trace is strictly valid, and what is missing is reported.
 * usage: learned [SEED [COUNT]] */
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"
#define PAJESIM_IMPLEMENTATION
#include "pajesim.h"

#include "../lib/expect.h"
#include "strict.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CONTEXTS = 3, CONTAINERS = 300, TABLE = 4096, PROCESS = 1, THREAD };
enum { STATE_OF_PROCESS, STATE_OF_THREAD, NUMBER_OF_THREAD, LINK, KINDS }; /* of the types of a context */

static struct {
    uint32_t type, parent; /* type: 0 where it is destroyed */
    uint32_t depth[CONTEXTS], is_set[CONTEXTS];
} containers[CONTAINERS];
static uint32_t count, links;
static pajewrite contexts[CONTEXTS];
static pajewrite_entry tables[CONTEXTS][TABLE];
static char buffers[CONTEXTS][8192], out[1 << 21];
static size_t out_size;
static uint64_t now, seed;

static uint32_t below(uint32_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % n);
}

static uint64_t clock_of_test(void *data)
{
    (void)data;
    return now;
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

static pajewrite_type type_of(uint32_t context, uint32_t kind) { return PAJEWRITE_TYPE(3 + context * KINDS + kind); }

/* ---- calls */

/* Before a context writes what changes the trace for the others, and after it. */
static void flush_others(uint32_t context)
{
    uint32_t i;
    for (i = 0; i < CONTEXTS; i++)
        if (i != context)
            pajewrite_flush(&contexts[i]);
}

static void let_learn(uint32_t from)
{
    uint32_t i;
    pajewrite_flush(&contexts[from]);
    for (i = 0; i < CONTEXTS; i++)
        if (i != from)
            pajewrite_learn(&contexts[i], &contexts[from]);
}

/* Returns a live container of a type; 0: there is none. */
static uint32_t pick(uint32_t type)
{
    uint32_t i, found = 0, chosen = 0;
    for (i = 1; i < count; i++)
        if (containers[i].type && (!type || containers[i].type == type) && !below(++found))
            chosen = i;
    return chosen;
}

static void create(uint32_t context)
{
    const uint32_t parent = below(3) ? pick(PROCESS) : 0, type = parent ? THREAD : PROCESS;
    if (count == CONTAINERS)
        return;
    flush_others(context);
    memset(&containers[count], 0, sizeof containers[count]);
    containers[count].type = type;
    containers[count].parent = parent;
    pajewrite_create_container(&contexts[context], PAJEWRITE_CONTAINER(count), PAJEWRITE_TYPE(type),
                               PAJEWRITE_CONTAINER(parent), NULL);
    count++;
    let_learn(context);
}

static void destroy(uint32_t context, uint32_t which)
{
    uint32_t i;
    flush_others(context);
    pajewrite_destroy_container(&contexts[context], PAJEWRITE_CONTAINER(which), PAJEWRITE_TYPE(containers[which].type));
    containers[which].type = 0;
    for (i = 1; i < count; i++)
        if (containers[i].parent == which)
            containers[i].type = 0;
    let_learn(context);
}

static void call_state(uint32_t context, uint32_t which)
{
    pajewrite *w = &contexts[context];
    const pajewrite_container c = PAJEWRITE_CONTAINER(which);
    const pajewrite_type type = type_of(context, containers[which].type == THREAD ? STATE_OF_THREAD : STATE_OF_PROCESS);
    uint32_t *depth = &containers[which].depth[context], kind = below(8);
    if (kind == 0) {
        pajewrite_reset_state(w, c, type);
        *depth = 0;
    } else if (kind == 1) {
        pajewrite_set_state(w, c, type, PAJEWRITE_VALUE(below(9)));
        *depth = 1;
    } else if (kind < 5) {
        pajewrite_push_state(w, c, type, PAJEWRITE_VALUE(below(9)));
        ++*depth;
    } else if (*depth) {
        pajewrite_pop_state(w, c, type);
        --*depth;
    }
}

static void call(void)
{
    const uint32_t context = below(CONTEXTS), kind = below(40), any = pick(0), thread = pick(THREAD);
    pajewrite *w = &contexts[context];
    now += below(1000);
    if (kind < 6) {
        create(context);
    } else if (kind < 8 && any) {
        destroy(context, below(3) && containers[any].parent ? containers[any].parent : any);
    } else if (kind < 24 && any) {
        call_state(context, any);
    } else if (kind < 32 && thread) {
        const pajewrite_type number = type_of(context, NUMBER_OF_THREAD);
        if (containers[thread].is_set[context] && below(2))
            pajewrite_add_variable(w, PAJEWRITE_CONTAINER(thread), number, below(9));
        else
            pajewrite_set_variable(w, PAJEWRITE_CONTAINER(thread), number, below(9));
        containers[thread].is_set[context] = 1;
    } else if (thread) {
        const pajewrite_container start = PAJEWRITE_CONTAINER(thread), end = PAJEWRITE_CONTAINER(pick(THREAD));
        const pajewrite_type link = type_of(context, LINK);
        pajewrite_start_link(w, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), start, ++links);
        pajewrite_end_link(w, PAJEWRITE_ROOT, link, PAJEWRITE_VALUE(1), end, links);
    }
}

/* ---- the trace */

static void begin(void)
{
    const int has_all = !below(3);
    uint32_t i;
    memset(containers, 0, sizeof containers);
    count = 1;
    links = 0;
    out_size = 0;
    now = 0;
    for (i = 0; i < CONTEXTS; i++) {
        pajewrite_config config = PAJEWRITE_CONFIG;
        config.sink = to_memory;
        config.clock = clock_of_test;
        config.table = tables[i];
        config.table_entries = has_all ? TABLE : 60 + below(400);
        config.when_full = below(2) ? PAJEWRITE_DROP : PAJEWRITE_FLUSH;
        pajewrite_init(&contexts[i], buffers[i], 2000 + below(sizeof buffers[i] - 2000), &config);
    }
    pajewrite_header(contexts);
    pajewrite_define_container_type(contexts, PAJEWRITE_TYPE(PROCESS), PAJEWRITE_ROOT_TYPE, "Process");
    pajewrite_define_container_type(contexts, PAJEWRITE_TYPE(THREAD), PAJEWRITE_TYPE(PROCESS), "Thread");
    let_learn(0);
    for (i = 0; i < CONTEXTS; i++) {
        const pajewrite_type thread = PAJEWRITE_TYPE(THREAD);
        pajewrite *w = &contexts[i];
        pajewrite_define_state_type(w, type_of(i, STATE_OF_PROCESS), PAJEWRITE_TYPE(PROCESS), "State");
        pajewrite_define_state_type(w, type_of(i, STATE_OF_THREAD), thread, "State");
        pajewrite_define_variable_type(w, type_of(i, NUMBER_OF_THREAD), thread, "Number", NULL);
        pajewrite_define_link_type(w, type_of(i, LINK), PAJEWRITE_ROOT_TYPE, thread, thread, "Link");
        let_learn(i);
    }
}

/* Returns the sum of the gaps that the trace tells. */
static uint64_t gaps_told(void)
{
    uint64_t told = 0;
    size_t at = 0;
    while (at < out_size) {
        if (out[at] == '#')
            told += strtoull(out + at + 10, NULL, 10); /* behind "# dropped " */
        at = (size_t)((const char *)memchr(out + at, '\n', out_size - at) + 1 - out);
    }
    return told;
}

/* A table may be too small; what is written then is not compared. */
static void run(uint32_t calls)
{
    uint64_t dropped = 0;
    uint32_t i;
    int is_well = 1;
    begin();
    while (calls--)
        call();
    for (i = 1; i < count; i++)
        if (containers[i].type)
            destroy(below(CONTEXTS), i);
    for (i = 0; i < CONTEXTS; i++) {
        const pajewrite_status status = pajewrite_finish(&contexts[i]);
        is_well &= !status;
        dropped += pajewrite_count(&contexts[i]).dropped;
        if (status && status != PAJEWRITE_E_TABLE_FULL)
            fail("status: %s", pajewrite_problem(&contexts[i]));
    }
    if (!is_well)
        return;
    if (read_strictly(out, out_size) != PAJESIM_OK)
        PROBLEM("the reader ends badly");
    if (problem[0])
        fail("%s", problem);
    if (gaps_told() != dropped)
        fail("%" PRIu64 " of %" PRIu64 " drops are told", gaps_told(), dropped);
}

static int has(const char *text)
{
    out[out_size] = 0;
    return strstr(out, text) != NULL;
}

/* A variant of a table of definitions has a fixed number: if its definition was dropped, its events have no fields,
 * also in a context that has learned that. */
static void write_dropped_variants(void)
{
    static const pajewrite_definition definitions[] = {
        PAJEWRITE_ROM_CONTAINER_TYPE(1, 0, "Thread"), PAJEWRITE_ROM_STATE_TYPE(2, 1, "State"),
        PAJEWRITE_ROM_CONTAINER(1, 1, 0, "me"),
        PAJEWRITE_ROM_VARIANT(40, PAJEWRITE_PUSH_STATE, PAJEWRITE_ROM_FIELD("Size int"))};
    static const pajewrite_variant sized = {40, PAJEWRITE_PUSH_STATE, 1};
    const int64_t number = 5;
    pajewrite *w = &contexts[0], *other = &contexts[1];
    pajewrite_event event = PAJEWRITE__ZERO;
    size_t size;
    int lost = 0, i;
    event.kind = PAJEWRITE_PUSH_STATE;
    event.container.alias = event.value.alias = 1;
    event.type.alias = 2;
    for (size = 1800; size < 2400; size += 10) {
        pajewrite_config config = PAJEWRITE_CONFIG;
        out_size = 0;
        config.sink = to_memory;
        config.clock = clock_of_test;
        config.when_full = PAJEWRITE_DROP;
        config.table = tables[0];
        config.table_entries = TABLE;
        pajewrite_init(w, buffers[0], size, &config);
        pajewrite_announce(w, definitions, sizeof definitions / sizeof *definitions);
        pajewrite_flush(w);
        config.table = tables[1];
        config.when_full = PAJEWRITE_FLUSH;
        pajewrite_init(other, buffers[1], sizeof buffers[1], &config);
        pajewrite_learn(other, w);
        pajewrite_write_ints(w, &event, sized, &number, 1);
        pajewrite_flush(w);
        for (i = 0; i < 2; i++) /* the second one by the path of events that follow each other */
            pajewrite_write_ints(other, &event, sized, &number, 1);
        EXPECT(pajewrite_finish(other) == PAJEWRITE_OK && pajewrite_finish(w) == PAJEWRITE_OK);
        EXPECT(has("%EventDef PajePushState 40\n") || !has("\n40 "));
        lost += has("\n19 0.000000000 1 2 1\n19 0.000000000 1 2 1\n19 0.000000000 1 2 1\n");
    }
    EXPECT(lost && has("\n40 0.000000000 1 2 1 5\n40 0.000000000 1 2 1 5\n40 0.000000000 1 2 1 5\n"));
    report("write/", "learned: events whose variant, of a table of definitions, was dropped");
}

int main(int argc, char **argv)
{
    const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    const uint64_t programs = argc > 2 ? strtoull(argv[2], NULL, 0) : 60;
    uint64_t program;
    char name[64];
    write_dropped_variants();
    for (program = first; program - first < programs && !fault[0]; program++) {
        seed = program * UINT64_C(0x9e3779b97f4a7c15);
        run(100 + below(1500));
    }
    snprintf(name, sizeof name, "learned: contexts that share a trace, up to program %" PRIu64, program - 1);
    report("write/", fault[0] ? name : "learned: contexts that share a trace");
    return failed != 0;
}
