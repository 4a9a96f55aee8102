/* paje chrome: trace events in JSON, for ui.perfetto.dev and chrome://tracing.  A container is a process there, each of
 * its types of states and events a thread of it; variables are counters, links are flows. */
#include "paje.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double unit = 1e9; /* nanoseconds in one of the trace's time */

typedef struct track {
    pajesim_ref type;
    uint32_t id;
    int64_t last; /* nanoseconds: what is nested comes in order of time */
} track;

/* A container; one of its own when a later container gets the ref of a destroyed one, of which a link may still end. */
typedef struct process {
    uint32_t id; /* 0: nothing was shown yet */
    uint32_t count, room;
    track *tracks;
} process;

static paje_set refs;
static process *processes;
static uint32_t ids; /* of processes and threads, which must not be equal for Perfetto */
static uint64_t events, disordered;

/* ---- pieces of JSON */

static void add(const char *text)
{
    paje_add(&paje_output, text, strlen(text));
}

static void add_name(const char *before, pajesim_text name)
{
    add(before);
    paje_add_json(&paje_output, name);
}

static void add_integer(const char *before, int64_t number)
{
    add(before);
    paje_add_integer(&paje_output, number);
}

/* Microseconds, to three decimals. */
static void add_time(const char *before, int64_t nanoseconds)
{
    uint64_t size = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
    add(before);
    if (nanoseconds < 0)
        add("-");
    paje_add_integer(&paje_output, (int64_t)(size / 1000));
    if (size % 1000) {
        char decimals[] = {'.', (char)('0' + size / 100 % 10), (char)('0' + size / 10 % 10), (char)('0' + size % 10)};
        paje_add(&paje_output, decimals, sizeof decimals);
    }
}

static void begin_event(const char *phase, uint32_t pid, uint32_t tid)
{
    if (events++) {
        add(",");
        paje_end_line();
    }
    add("{\"ph\":\"");
    add(phase);
    add_integer("\",\"pid\":", pid);
    if (tid)
        add_integer(",\"tid\":", tid);
}

static void add_fields(const pajesim *sim, const pajesim_fields *fields)
{
    if (fields->count) {
        add(",\"args\":");
        paje_add_json_fields(&paje_output, sim, fields);
    }
}

/* ---- processes and threads, named when there is something to show */

static process *process_of(pajesim_ref container)
{
    size_t room = refs.room, at = paje_set_add(&refs, &container, sizeof container);
    if (refs.room != room) {
        processes = paje_room(processes, refs.room * sizeof *processes);
        memset(processes + room, 0, (refs.room - room) * sizeof *processes);
    }
    return &processes[at];
}

static void name_track(const char *what, uint32_t pid, uint32_t tid, pajesim_text name)
{
    begin_event("M", pid, tid);
    add(",\"name\":\"");
    add(what);
    add_name("\",\"args\":{\"name\":", name);
    add("}}");
}

static process *shown_process(const pajesim *sim, pajesim_ref container)
{
    process *it = process_of(container);
    if (!it->id) {
        static paje_buffer path;
        path.size = 0;
        paje_add_path(&path, sim, container);
        it->id = ++ids;
        name_track("process_name", it->id, 0, paje_text(&path));
        begin_event("M", it->id, 0);
        add_integer(",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":", it->id);
        add("}}");
    }
    return it;
}

static track *track_of(const pajesim *sim, process *it, pajesim_ref type)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (it->tracks[i].type == type)
            return &it->tracks[i];
    if (it->count == it->room) {
        it->room = 2 * it->room + 1;
        it->tracks = paje_room(it->tracks, it->room * sizeof *it->tracks);
    }
    track *new = &it->tracks[it->count++];
    *new = (track){type, ++ids, INT64_MIN};
    name_track("thread_name", it->id, new->id, pajesim_name(sim, type));
    return new;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    (void)sim;
    process *it = process_of(container->container);
    it->id = it->count = 0;
    return PAJESIM_GO_ON;
}

/* ---- entities */

/* Rounds, and never the later to the earlier, so that what is nested stays so. */
static int64_t nanoseconds(pajesim_time time)
{
    double size = time * unit;
    if (!(size > -9e18 && size < 9e18))
        return size > 0 ? INT64_C(9000000000000000000) : INT64_C(-9000000000000000000);
    return (int64_t)(size < 0 ? size - 0.5 : size + 0.5);
}

static int64_t next_time(track *it, pajesim_time time)
{
    int64_t now = nanoseconds(time);
    if (now < it->last)
        disordered++;
    else
        it->last = now;
    return it->last;
}

static int state_began(pajesim *sim, const pajesim_entity *state)
{
    process *in = shown_process(sim, state->container);
    track *on = track_of(sim, in, state->type);
    begin_event("B", in->id, on->id);
    add_time(",\"ts\":", next_time(on, state->start));
    add_name(",\"cat\":\"state\",\"name\":", state->value_name);
    add_fields(sim, &state->opening);
    add("}");
    return PAJESIM_GO_ON;
}

static void end_state(const pajesim *sim, const pajesim_entity *state)
{
    process *in = shown_process(sim, state->container);
    track *on = track_of(sim, in, state->type);
    begin_event("E", in->id, on->id);
    add_time(",\"ts\":", next_time(on, state->end));
    add_fields(sim, &state->closing);
    add("}");
}

static void add_instant(const pajesim *sim, const pajesim_entity *event)
{
    process *in = shown_process(sim, event->container);
    begin_event("i", in->id, track_of(sim, in, event->type)->id);
    add_time(",\"ts\":", nanoseconds(event->start));
    add_name(",\"s\":\"t\",\"cat\":\"event\",\"name\":", event->value_name);
    add_fields(sim, &event->opening);
    add("}");
}

/* Counters of a process are told apart by their names only: the second one of a name has its alias behind it, and a word
 * that says so. */
static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    static paje_set names; /* of types of variables, behind the types of their containers */
    static paje_buffer key;
    if (type->kind != PAJESIM_VARIABLE)
        return PAJESIM_GO_ON;
    key.size = 0;
    paje_add(&key, (const char *)&type->parent, sizeof type->parent);
    paje_add_text(&key, type->name);
    size_t count = names.count;
    *pajesim_word(sim, type->ref) = paje_set_add(&names, key.bytes, key.size) < count;
    return PAJESIM_GO_ON;
}

static pajesim_text counter_name(pajesim *sim, pajesim_ref type)
{
    static paje_buffer longer;
    pajesim_text name = pajesim_name(sim, type);
    if (!*pajesim_word(sim, type))
        return name;
    longer.size = 0;
    paje_add_text(&longer, name);
    paje_add(&longer, " (", 2);
    paje_add_text(&longer, pajesim_alias(sim, type));
    paje_add(&longer, ")", 1);
    return paje_text(&longer);
}

static void add_counter(pajesim *sim, const pajesim_entity *segment)
{
    if (isnan(segment->number)) /* the format has no word for what is no number */
        return;
    process *in = shown_process(sim, segment->container);
    begin_event("C", in->id, 0);
    add_time(",\"ts\":", nanoseconds(segment->start));
    add_name(",\"name\":", counter_name(sim, segment->type));
    add(",\"args\":{\"value\":");
    paje_add_number(&paje_output, segment->number);
    add("}}");
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_STATE)
        end_state(sim, entity);
    else if (entity->kind == PAJESIM_EVENT)
        add_instant(sim, entity);
    else if (entity->kind == PAJESIM_VARIABLE)
        add_counter(sim, entity);
    return PAJESIM_GO_ON;
}

/* ---- links */

/* Links of which one end is known, by a hash of what both ends have in common.  Flows are numbered, since traces use
 * keys again. */
typedef struct pending {
    uint64_t hash, flow; /* flow 0: a free slot */
    int started;         /* 1: its start is known, 0: its end */
} pending;

static pending *links;
static size_t link_count, link_room; /* a power of 2 */
static uint64_t flows;

static uint64_t hash_of(const pajesim_entity *link)
{
    uint64_t hash = (uint64_t)link->container << 32 | link->type;
    for (size_t i = 0; i <= link->key.size; i++) {
        hash = (hash ^ hash >> 32) * 0x9e3779b97f4a7c15u;
        hash += i < link->key.size ? (unsigned char)link->key.bytes[i] : 0;
    }
    return hash ^ hash >> 32;
}

/* The slot of that hash, or the free one where it would be. */
static pending *slot_of(uint64_t hash)
{
    size_t at = hash & (link_room - 1);
    while (links[at].flow && links[at].hash != hash)
        at = (at + 1) & (link_room - 1);
    return &links[at];
}

static void grow_links(void)
{
    pending *old = links;
    size_t room = link_room;
    link_room = room ? 2 * room : 64;
    links = paje_room(NULL, link_room * sizeof *links);
    memset(links, 0, link_room * sizeof *links);
    for (size_t i = 0; i < room; i++)
        if (old[i].flow)
            *slot_of(old[i].hash) = old[i];
    free(old);
}

/* Those behind it that it kept from their places move up. */
static void free_slot(pending *slot)
{
    size_t hole = (size_t)(slot - links), mask = link_room - 1;
    for (size_t at = (hole + 1) & mask; links[at].flow; at = (at + 1) & mask)
        if (((at - links[at].hash) & mask) >= ((at - hole) & mask)) {
            links[hole] = links[at];
            hole = at;
        }
    links[hole].flow = 0;
    link_count--;
}

/* The number of the flow that this is an end of.  An end of the same kind that waits was given up. */
static uint64_t flow_of(const pajesim_entity *link, int started)
{
    if (2 * link_count >= link_room)
        grow_links();
    uint64_t hash = hash_of(link), flow;
    pending *slot = slot_of(hash);
    if (slot->flow && slot->started != started) {
        flow = slot->flow;
        free_slot(slot);
        return flow;
    }
    link_count += !slot->flow;
    *slot = (pending){hash, ++flows, started};
    return flows;
}

/* A thread with a state open at that time; 0: none. */
static uint32_t busy_thread(const pajesim *sim, process *it, pajesim_ref container, int64_t time)
{
    for (uint32_t i = 0; i < it->count; i++)
        if (pajesim_kind_of(sim, it->tracks[i].type) == PAJESIM_STATE && it->tracks[i].last <= time &&
            pajesim_depth(sim, container, it->tracks[i].type) > 0)
            return it->tracks[i].id;
    return 0;
}

/* Arrows need slices: where no state is open, at one of a nanosecond, on a thread of the link's type. */
static void add_end(const pajesim *sim, const pajesim_entity *link, const char *phase, pajesim_ref container,
                    pajesim_time when, const pajesim_fields *fields)
{
    process *in = shown_process(sim, container);
    int64_t time = nanoseconds(when);
    uint32_t thread = busy_thread(sim, in, container, time);
    if (!thread) {
        thread = track_of(sim, in, link->type)->id;
        begin_event("X", in->id, thread);
        add_time(",\"ts\":", time);
        add_name(",\"dur\":0.001,\"cat\":\"link\",\"name\":", link->value_name);
        add("}");
    }
    begin_event(phase, in->id, thread);
    add_time(",\"ts\":", time);
    paje_addf(&paje_output, ",\"bp\":\"e\",\"id\":%llu", (unsigned long long)flow_of(link, phase[0] == 's'));
    add_name(",\"cat\":\"link\",\"name\":", pajesim_name(sim, link->type));
    add_fields(sim, fields);
    add("}");
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    add_end(sim, link, "s", link->start_container, link->start, &link->opening);
    return PAJESIM_GO_ON;
}

static int link_ended(pajesim *sim, const pajesim_entity *link)
{
    add_end(sim, link, "f", link->end_container, link->end, &link->closing);
    return PAJESIM_GO_ON;
}

/* ---- the whole */

static void begin(paje_run *run, int trace)
{
    (void)run;
    (void)trace;
    add("[");
    paje_end_line();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_end_line();
    add("]");
    paje_end_line();
    if (disordered)
        paje_message("%s: %llu states began or ended before the one before them, and are shown later",
                     run->source->name, (unsigned long long)disordered);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double per_second;
    (void)key;
    (void)settings;
    const char *wrong = paje_parse_unit(argument, &per_second);
    unit = 1e9 / per_second;
    return wrong;
}

static const paje_option option_table[] = {
    {PAJE_LONG_ONLY, "unit", "UNIT", "of the trace's times: s, ms, us or ns; default: s"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_chrome = {
    .name = "chrome",
    .summary = "Prints Chrome's trace events in JSON, for ui.perfetto.dev and chrome://tracing",
    .details = "A container is a process, named by its path; its types of states and events are threads; variables\n"
               "are counters; links are flows, from the state that is open to the one that is open, or, where none\n"
               "is, from and to a slice of a nanosecond on a thread of the link's type.  User fields are arguments.\n"
               "Times are rounded to nanoseconds.  Bytes that are no UTF-8 become U+FFFD.  The format permits that\n"
               "the end is missing, as it is after an interrupt.  It knows no time before 0, and no arrow back in time:\n"
               "ui.perfetto.dev leaves them out.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .callbacks = {.new_type = new_type, .container_created = container_created,
                  .container_destroyed = paje_keep_path, .state_set = state_began,
                  .state_pushed = state_began, .link_started = link_started, .link_ended = link_ended,
                  .closed = closed},
    .begin = begin,
    .end = end,
};
