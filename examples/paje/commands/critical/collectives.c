/* Collective operations: who has waited goes on with the path of the process that it waited for. */
#include "critical.h"
#include "replay/instances.h"

typedef array_of(critical_path) path_list;

static array_of(critical_path) departures; /* by instance: of the root, or else of the last one to begin; 0: none */
static array_of(path_list) scans;          /* by instance: of each member of a scan */

static void release(size_t number)
{
    path_list *list = &scans.items[number];
    for (size_t i = 0; i < list->count; i++)
        critical_release(list->items[i]);
    array_free(list);
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
    path_list *list = array_at(&scans, number);
    if (in->call == CALL_SCAN) {
        *array_push(list) = critical_depart(sim, place, state->start);
        return;
    }
    if (in->call == CALL_FROM_ROOT && in->root != in->members.count - 1)
        return;
    release(number);
    *path = critical_depart(sim, place, state->start);
}

/* Goes on from the last member of a lower rank to begin, if that was after the own beginning.  Those of higher ranks
 * may not have begun yet. */
static void end_scan(const instance *in, const path_list *paths, const pajesim_entity *state, size_t member)
{
    size_t lower = instance_lower(in, member);
    const instance_member *one = &in->members.items[lower];
    if (lower != member && one->begin > state->start && one->begin <= state->end)
        critical_go_on_from(in->members.items[member].place, paths->items[lower], one->begin);
}

void critical_operation_ends(const pajesim_entity *state, size_t place)
{
    size_t member, number = instance_end(state, place, &member);
    if (number == ACTIVE_NONE)
        return;
    instance *in = instance_at(number);
    if (in->call == CALL_SCAN) {
        end_scan(in, &scans.items[number], state, member);
    } else {
        const instance_member *awaited = instance_awaited(in, member);
        if (awaited && awaited->begin > state->start && awaited->begin <= state->end && departures.items[number])
            critical_go_on_from(place, departures.items[number], awaited->begin);
    }
    instance_leave(number);
}
