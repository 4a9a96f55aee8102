/* Random calls of two contexts: one that keeps everything, and a flight recorder, whose dump is compared with it.
 * Include it after pajewrite.h and pajesim.h. */
#ifndef TESTS_FLIGHT_CALLS_H
#define TESTS_FLIGHT_CALLS_H

#include "flight_story.h"

static uint64_t seed = 1;
static uint32_t below(uint32_t n)
{
    uint64_t x = (seed += UINT64_C(0x9e3779b97f4a7c15));
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((x ^ x >> 31) % n);
}

enum { NODE = 1, TASK, STATE, EVENT, VARIABLE, MESSAGE, VALUES = 6, RECORDS = 1 << 17, ENTRIES = 1 << 14 };

static pajewrite both[2]; /* the context that keeps everything, and the recorder */
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

/* Nodes 1 and 2 with tasks that are created and destroyed, `tasks` at a time. */
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
            event.key = ends[below(64)] = 1 + below(started + 3); /* perhaps before it was sent */
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
        config.when_full = i ? PAJEWRITE_OVERWRITE : PAJEWRITE_FLUSH;
        config.definitions_size = 8192;
        pajewrite_init(&both[i], i ? memory : buffer, i ? size : sizeof buffer, &config);
        define(&both[i], i);
    }
}

/* Returns how many records were overwritten according to the dump. */
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

#endif
