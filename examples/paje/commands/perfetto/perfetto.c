/* paje perfetto: a trace in the protocol buffers of Perfetto, for ui.perfetto.dev and trace_processor.
 *
 * A slice begins and ends when its state does; the rest comes when it is complete, so packets are not sorted by time.
 * Perfetto sorts them, those of the same time in the order of the file. */
#include "commands/perfetto/perfetto.h"
#include "replay/states.h"

#include <math.h>
#include <string.h>

static paje_run *trace_run;
static uint64_t flows;

static void begin_state(pajesim *sim, const pajesim_entity *state)
{
    uint64_t track = track_of_type(sim, state->container, state->type);
    event_begin(SLICE_BEGIN, track);
    event_put_category(pajesim_name(sim, state->type), &type_of(sim, state->type)->category);
    event_put_name(sim, state);
    event_put_fields(sim, &state->opening, NULL);
    event_end(track_forward(sim, state->container, state->type, paje_nanoseconds(trace_run, state->start)));
}

static void end_state(pajesim *sim, const pajesim_entity *state)
{
    event_begin(SLICE_END, track_of_type(sim, state->container, state->type));
    event_put_fields(sim, &state->closing, &state->opening);
    event_end(track_forward(sim, state->container, state->type, paje_nanoseconds(trace_run, state->end)));
}

static void begin_instant(pajesim *sim, const pajesim_entity *entity, uint64_t track, const pajesim_fields *fields)
{
    event_begin(INSTANT, track);
    event_put_category(pajesim_name(sim, entity->type), &type_of(sim, entity->type)->category);
    event_put_name(sim, entity);
    event_put_fields(sim, fields, NULL);
}

static void add_instant(pajesim *sim, const pajesim_entity *event)
{
    begin_instant(sim, event, track_of_type(sim, event->container, event->type), &event->opening);
    event_end(paje_nanoseconds(trace_run, event->start));
}

static void add_counter(pajesim *sim, const pajesim_entity *segment)
{
    if (isnan(segment->number))
        return;
    event_begin(COUNTER, track_of_type(sim, segment->container, segment->type));
    event_put_number(segment->number);
    event_end(paje_nanoseconds(trace_run, segment->start));
}

/* Two instants with a flow between them.  The flow ends where its number is `terminating`; but if Perfetto sees that
 * event first, that would lose the flow. */
static void add_link(pajesim *sim, const pajesim_entity *link)
{
    int64_t start = paje_nanoseconds(trace_run, link->start), end = paje_nanoseconds(trace_run, link->end);
    uint64_t from = track_of_container(sim, link->start_container), to = track_of_container(sim, link->end_container);
    flows++;
    begin_instant(sim, link, from, &link->opening);
    event_put_flow(flows, 0);
    event_end(start);
    begin_instant(sim, link, to, &link->closing);
    event_put_flow(flows, end >= start);
    event_end(end);
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (!(entity->kind == PAJESIM_STATE ? paje_has_begun(sim, entity) : paje_shows(sim, entity)))
        return PAJESIM_GO_ON;
    switch (entity->kind) {
    case PAJESIM_CONTAINER:
        track_of_container(sim, entity->container);
        break;
    case PAJESIM_STATE:
        end_state(sim, entity);
        break;
    case PAJESIM_EVENT:
        add_instant(sim, entity);
        break;
    case PAJESIM_VARIABLE:
        add_counter(sim, entity);
        break;
    case PAJESIM_LINK:
        add_link(sim, entity);
        break;
    }
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    const char *name = run->source->name, *slash = strrchr(name, '/');
    trace_run = run;
    paje_watch_states(run, begin_state);
    tracks_begin(text_of(slash ? slash + 1 : name));
    packets_begin();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    if (tracks_disordered())
        stream_message("%s: %llu states began or ended before the one before them, and are shown later",
                       run->source->name, (unsigned long long)tracks_disordered());
    if (packets_before_zero())
        stream_message("%s: %llu times before 0 are shown at 0, as the format has none", run->source->name,
                       (unsigned long long)packets_before_zero());
}

const paje_command command_perfetto = {
    .name = "perfetto",
    .summary = "Writes a Perfetto trace, for ui.perfetto.dev and trace_processor: order and tree as in the trace",
    .details = "A container is a track within that of its parent, in the order of creation.  Its first type of\n"
               "states is on that track itself; each other type of states and events, and each variable as a counter,\n"
               "has a track below it.  Links are flows between two instants on the tracks of their containers.\n"
               "Types are categories.\n"
               "User fields are arguments: `NAME (end)` of the end, where the beginning has NAME as well.\n"
               "Times are rounded to nanoseconds.  Bytes that are not UTF-8 become U+FFFD.\n"
               "The format has no colours, and no times before 0.",
    .traces = 1,
    .trials = "FILE\n-s 2 -e 5 --container p --unit ms FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_KEEPS_UNIT,
    .callbacks = {.line = paje_states_line, .new_type = tracks_new_type,
                  .container_created = tracks_container_created, .container_destroyed = paje_states_destroyed,
                  .state_set = paje_states_began, .state_pushed = paje_states_began, .closed = closed},
    .begin = begin,
    .end = end,
};
