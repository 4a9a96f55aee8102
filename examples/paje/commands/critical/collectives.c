/* Collective operations: who has waited goes on with the path of the process that it waited for. */
#include "critical.h"
#include "replay/instances.h"

static array_of(critical_path) departures; /* by instance: of the root, or else of the last one to begin; 0: none */

static void release(size_t number)
{
    if (departures.items[number])
        critical_release(departures.items[number]);
    departures.items[number] = 0;
}

void critical_operation_begins(pajesim *sim, const pajesim_entity *state, size_t place)
{
    if (!(active_class_at(active_class_of(sim, state))->flags & ACTIVE_RECEIVE))
        return;
    instance_forgotten = release;
    size_t number = instance_begin(sim, state, place);
    if (number == ACTIVE_NONE)
        return;
    const instance *in = instance_at(number);
    critical_path *path = array_at(&departures, number);
    if (in->call == CALL_SCAN || (in->call == CALL_FROM_ROOT && in->root != in->members.count - 1))
        return;
    release(number);
    *path = critical_depart(sim, place, state->start);
}

void critical_operation_ends(const pajesim_entity *state, size_t place)
{
    size_t member, number = instance_end(state, place, &member);
    if (number == ACTIVE_NONE)
        return;
    instance *in = instance_at(number);
    const instance_member *awaited = in->call == CALL_SCAN ? NULL : instance_awaited(in, member);
    if (awaited && awaited->begin > state->start && awaited->begin <= state->end && departures.items[number])
        critical_go_on_from(place, departures.items[number], awaited->begin);
    instance_leave(number);
}
