/* paje chrome: trace events in JSON, for ui.perfetto.dev and chrome://tracing.  Each container
 * becomes a process, its types of states and events become threads; variables become counters, links become flows. */
#include "command.h"
#include "replay/link_key.h"
#include "replay/states.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static paje_run *trace_run;
static int waits_for_links; /* 1: whether a link is shown is known when it is complete */

typedef struct track {
    uint32_t id;
    uint32_t open;                     /* states that have begun and not ended */
    int ids_size;                      /* of the ids of process and thread, as each event on it has them */
    char ids[40];
    size_t next_open, previous_open;   /* among tracks of the process with such states, + 1; 0: none */
    int64_t last;                      /* nanoseconds; nested events must be in order of time */
} track;

/* A process by ref of its container, whose word holds its number, + 1.  A new container with the ref of a destroyed one
 * becomes a new process. */
typedef struct process {
    uint32_t id;                 /* 0: not shown yet */
    size_t first_open, last_open; /* tracks with open states, + 1, in the order in which they began */
    array_of(size_t) tracks;
    pajesim_ref recent_type;      /* of the track that was used last; 0: none */
    size_t recent_track;
} process;

static hash_map refs;
static array_of(process) processes;
static hash_map track_keys; /* container and type */
static array_of(track) tracks;
static uint32_t ids; /* counter of processes and threads: Perfetto needs ids that are distinct across both */
static uint64_t events, disordered;

/* ---- pieces of JSON */

static inline void add(const char *text)
{
    text_put(&stream_output, text, strlen(text));
}

static void add_name(const char *before, pajesim_text name)
{
    add(before);
    text_put_json(&stream_output, name);
}

static void add_integer(const char *before, int64_t number)
{
    add(before);
    text_put_integer(&stream_output, number);
}

/* Appends microseconds with up to three decimals. */
static void add_time(const char *before, int64_t nanoseconds)
{
    uint64_t size = nanoseconds < 0 ? 0 - (uint64_t)nanoseconds : (uint64_t)nanoseconds;
    add(before);
    if (nanoseconds < 0)
        add("-");
    text_put_integer(&stream_output, (int64_t)(size / 1000));
    if (size % 1000) {
        char decimals[] = {'.', (char)('0' + size / 100 % 10), (char)('0' + size / 10 % 10), (char)('0' + size % 10)};
        text_put(&stream_output, decimals, sizeof decimals);
    }
}

static void begin_phase(const char *phase)
{
    if (events++) {
        add(",");
        stream_end_line();
    }
    add("{\"ph\":\"");
    add(phase);
}

static void begin_event(const char *phase, uint32_t pid, uint32_t tid)
{
    begin_phase(phase);
    add_integer("\",\"pid\":", pid);
    if (tid)
        add_integer(",\"tid\":", tid);
}

static void begin_on_track(const char *phase, const track *on)
{
    begin_phase(phase);
    text_put(&stream_output, on->ids, (size_t)on->ids_size);
}

static void add_fields(const pajesim *sim, const pajesim_fields *fields)
{
    if (fields->count) {
        add(",\"args\":");
        paje_put_json_fields(&stream_output, sim, fields);
    }
}

/* ---- processes and threads, named when they are first used */

static process *process_of(pajesim *sim, pajesim_ref container)
{
    pajesim_user_word *word = pajesim_user_data(sim, container);
    if (*word)
        return &processes.items[*word - 1];
    size_t number = map_add(&refs, &container, sizeof container);
    *word = number + 1;
    return array_at(&processes, number);
}

static void name_track(const char *what, uint32_t pid, uint32_t tid, pajesim_text name)
{
    begin_event("M", pid, tid);
    add(",\"name\":\"");
    add(what);
    add_name("\",\"args\":{\"name\":", name);
    add("}}");
}

static process *shown_process(pajesim *sim, pajesim_ref container)
{
    process *it = process_of(sim, container);
    if (!it->id) {
        static text_buffer path;
        path.size = 0;
        paje_put_path(&path, sim, container);
        it->id = ++ids;
        name_track("process_name", it->id, 0, text_view(&path));
        begin_event("M", it->id, 0);
        add_integer(",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":", it->id);
        add("}}");
    }
    return it;
}

static track *track_of(const pajesim *sim, process *it, pajesim_ref container, pajesim_ref type)
{
    pajesim_ref key[] = {container, type};
    if (it->recent_type == type)
        return &tracks.items[it->recent_track];
    size_t before = track_keys.used, number = map_add(&track_keys, key, sizeof key);
    track *found = array_at(&tracks, number);
    it->recent_type = type;
    it->recent_track = number;
    if (track_keys.used == before)
        return found;
    *array_push(&it->tracks) = number;
    *found = (track){.id = ++ids, .last = INT64_MIN};
    found->ids_size = snprintf(found->ids, sizeof found->ids, "\",\"pid\":%lu,\"tid\":%lu", (unsigned long)it->id,
                               (unsigned long)found->id);
    name_track("thread_name", it->id, found->id, pajesim_name(sim, type));
    return found;
}

/* Counts an open state more; the first one of a track puts it at the end of the list. */
static void open_track(process *it, track *on)
{
    size_t number = (size_t)(on - tracks.items) + 1;
    if (on->open++)
        return;
    on->next_open = 0;
    on->previous_open = it->last_open;
    if (it->last_open)
        tracks.items[it->last_open - 1].next_open = number;
    else
        it->first_open = number;
    it->last_open = number;
}

static void close_track(process *it, track *on)
{
    if (on->open == 0 || --on->open > 0)
        return;
    if (on->previous_open)
        tracks.items[on->previous_open - 1].next_open = on->next_open;
    else
        it->first_open = on->next_open;
    if (on->next_open)
        tracks.items[on->next_open - 1].previous_open = on->previous_open;
    else
        it->last_open = on->previous_open;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    process *it = process_of(sim, container->container);
    for (size_t i = 0; i < it->tracks.count; i++)
        map_remove(&track_keys, it->tracks.items[i]);
    it->id = 0;
    it->recent_type = 0;
    it->first_open = it->last_open = 0;
    array_clear(&it->tracks);
    return PAJESIM_GO_ON;
}

/* ---- states */

static int64_t next_time(track *it, pajesim_time time)
{
    int64_t now = paje_nanoseconds(trace_run, time);
    if (now < it->last)
        disordered++;
    else
        it->last = now;
    return it->last;
}

static void begin_state(pajesim *sim, const pajesim_entity *state)
{
    process *in = shown_process(sim, state->container);
    track *on = track_of(sim, in, state->container, state->type);
    open_track(in, on);
    begin_on_track("B", on);
    add_time(",\"ts\":", next_time(on, state->start));
    add_name(",\"cat\":\"state\",\"name\":", state->value_name);
    add_fields(sim, &state->opening);
    add("}");
}

/* ---- entities that are complete */

static void end_state(pajesim *sim, const pajesim_entity *state)
{
    process *in = shown_process(sim, state->container);
    track *on = track_of(sim, in, state->container, state->type);
    close_track(in, on);
    begin_on_track("E", on);
    add_time(",\"ts\":", next_time(on, state->end));
    add_fields(sim, &state->closing);
    add("}");
}

static void add_instant(pajesim *sim, const pajesim_entity *event)
{
    process *in = shown_process(sim, event->container);
    begin_on_track("i", track_of(sim, in, event->container, event->type));
    add_time(",\"ts\":", paje_nanoseconds(trace_run, event->start));
    add_name(",\"s\":\"t\",\"cat\":\"event\",\"name\":", event->value_name);
    add_fields(sim, &event->opening);
    add("}");
}

/* Counters of a process are distinguished by name only, so the second type of the same name gets its alias appended.
 * The user's word of such a type is 1. */
static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    static hash_map names; /* keys: container type, then name of the variable type */
    static text_buffer key;
    if (type->kind != PAJESIM_VARIABLE)
        return PAJESIM_GO_ON;
    key.size = 0;
    text_put(&key, (const char *)&type->parent, sizeof type->parent);
    text_append(&key, type->name);
    size_t count = names.used;
    *pajesim_user_data(sim, type->ref) = map_add(&names, key.bytes, key.size) < count;
    return PAJESIM_GO_ON;
}

static pajesim_text counter_name(pajesim *sim, pajesim_ref type)
{
    static text_buffer longer;
    pajesim_text name = pajesim_name(sim, type);
    if (!*pajesim_user_data(sim, type))
        return name;
    longer.size = 0;
    text_append(&longer, name);
    text_puts(&longer, " (");
    text_append(&longer, pajesim_alias(sim, type));
    text_putc(&longer, ')');
    return text_view(&longer);
}

static void add_counter(pajesim *sim, const pajesim_entity *segment)
{
    if (isnan(segment->number)) /* JSON has no NaN */
        return;
    process *in = shown_process(sim, segment->container);
    begin_event("C", in->id, 0);
    add_time(",\"ts\":", paje_nanoseconds(trace_run, segment->start));
    add_name(",\"name\":", counter_name(sim, segment->type));
    add(",\"args\":{\"value\":");
    text_put_number(&stream_output, segment->number);
    add("}}");
}

static void add_link(pajesim *sim, const pajesim_entity *link);

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (!(entity->kind == PAJESIM_STATE ? paje_has_begun(sim, entity) : paje_shows(sim, entity)))
        return PAJESIM_GO_ON;
    if (entity->kind == PAJESIM_STATE)
        end_state(sim, entity);
    else if (entity->kind == PAJESIM_LINK && waits_for_links)
        add_link(sim, entity);
    else if (entity->kind == PAJESIM_EVENT)
        add_instant(sim, entity);
    else if (entity->kind == PAJESIM_VARIABLE)
        add_counter(sim, entity);
    return PAJESIM_GO_ON;
}

/* ---- links */

/* Links with one known end.  Each link gets a flow number of its own, since traces reuse keys. */
typedef struct pending {
    uint64_t flow;
    int started; /* 1: its start is known, 0: its end */
} pending;

static hash_map waiting; /* container, type and key of a link */
static array_of(pending) ends;
static uint64_t flows;

/* Returns the flow number of this end of a link.  A waiting end of the same kind has lost its partner: it is
 * dropped. */
static uint64_t flow_of(const pajesim_entity *link, int started)
{
    const pajesim_text key = link_key(link);
    size_t known = waiting.used, number = map_add(&waiting, key.bytes, key.size);
    pending *end = array_at(&ends, number);
    if (waiting.used == known && end->started != started) {
        map_remove(&waiting, number);
        return end->flow;
    }
    *end = (pending){++flows, started};
    return flows;
}

/* Returns a track with a state open at that time, the one that is open longest; NULL: there is none. */
static const track *busy_track(const process *it, int64_t time)
{
    for (size_t at = it->first_open; at; at = tracks.items[at - 1].next_open)
        if (tracks.items[at - 1].last <= time)
            return &tracks.items[at - 1];
    return NULL;
}

/* A flow event must lie within a slice: where no state is open, adds a slice of a nanosecond on a thread of the link's
 * type. */
static void add_end(pajesim *sim, const pajesim_entity *link, const char *phase, pajesim_ref container,
                    pajesim_time when, const pajesim_fields *fields)
{
    process *in = shown_process(sim, container);
    int64_t time = paje_nanoseconds(trace_run, when);
    const track *on = busy_track(in, time);
    if (!on) {
        on = track_of(sim, in, container, link->type);
        begin_on_track("X", on);
        add_time(",\"ts\":", time);
        add_name(",\"dur\":0.001,\"cat\":\"link\",\"name\":", link->value_name);
        add("}");
    }
    begin_on_track(phase, on);
    add_time(",\"ts\":", time);
    add_integer(",\"bp\":\"e\",\"id\":", (int64_t)flow_of(link, phase[0] == 's'));
    add_name(",\"cat\":\"link\",\"name\":", pajesim_name(sim, link->type));
    add_fields(sim, fields);
    add("}");
}

static void start_link(pajesim *sim, const pajesim_entity *link)
{
    add_end(sim, link, "s", link->start_container, link->start, &link->opening);
}

static void end_link(pajesim *sim, const pajesim_entity *link)
{
    add_end(sim, link, "f", link->end_container, link->end, &link->closing);
}

static void add_link(pajesim *sim, const pajesim_entity *link)
{
    start_link(sim, link);
    end_link(sim, link);
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    if (!waits_for_links && paje_shows_type(sim, link->type))
        start_link(sim, link);
    return PAJESIM_GO_ON;
}

static int link_ended(pajesim *sim, const pajesim_entity *link)
{
    if (!waits_for_links && paje_shows_type(sim, link->type))
        end_link(sim, link);
    return PAJESIM_GO_ON;
}

/* ---- the command */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    const paje_filter *filter = &run->settings->filter;
    trace_run = run;
    paje_watch_states(run, begin_state);
    waits_for_links = filter->has_start || filter->has_end || filter->containers.count;
    add("[");
    stream_end_line();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    stream_end_line();
    add("]");
    stream_end_line();
    if (disordered)
        stream_message("%s: %llu states began or ended before the one before them, and are shown later",
                       run->source->name, (unsigned long long)disordered);
}

const paje_command command_chrome = {
    .name = "chrome",
    .summary = "Prints Chrome's trace events in JSON, for ui.perfetto.dev and chrome://tracing",
    .details = "A container is a process, named by its path; its types of states and events are threads; variables\n"
               "are counters; links are flows between the states that are open at their ends, or, where none is open,\n"
               "slices of a nanosecond on a thread of the link's type; with -s, -e or --container only\n"
               "states count that are open until both ends of the link are read.  User fields are arguments.\n"
               "Times are rounded to nanoseconds.  Bytes that are not UTF-8 become U+FFFD.  The format permits\n"
               "that the end is missing, as after an interrupt.  It has no times before 0 and no arrows back in time:\n"
               "ui.perfetto.dev leaves these out.",
    .traces = 1,
    .trials = "FILE\n--unit ms FILE\n-s 2 -e 5 FILE\n--container p --type S FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_KEEPS_UNIT,
    .callbacks = {.line = paje_states_line, .new_type = new_type, .container_created = container_created,
                  .container_destroyed = paje_states_destroyed, .state_set = paje_states_began,
                  .state_pushed = paje_states_began, .link_started = link_started, .link_ended = link_ended,
                  .closed = closed},
    .begin = begin,
    .end = end,
};
