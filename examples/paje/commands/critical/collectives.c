/* Collective operations: who has waited goes on with the path of the process that it waited for.  Those that
 * --container leaves out take part as well, but have no path. */
#include "critical.h"
#include "replay/instances.h"

typedef array_of(critical_path) path_list;

static array_of(critical_path) departures; /* by instance: of the root, or else of the last one to begin; 0: none */
static array_of(path_list) scans;          /* by instance: of each member of a scan */

static critical_path depart(pajesim *sim, const instance *in, size_t place, double time)
{
    return instance_last(in)->is_shown ? critical_depart(sim, place, time) : 0;
}

/* Goes on from a member, if it began behind the one that has waited for it. */
static void go_on(const instance *in, size_t member, const instance_member *awaited, critical_path path,
                  const pajesim_entity *state)
{
    const instance_member *own = &in->members.items[member];
    if (!own->is_shown || !(awaited->begin > state->start && awaited->begin <= state->end))
        return;
    critical_found.outer += !awaited->is_shown;
    if (path)
        critical_go_on_from(own->place, path, awaited->begin);
}

static void release(size_t number)
{
    path_list *list = &scans.items[number];
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i])
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
        *array_push(list) = depart(sim, in, place, state->start);
        return;
    }
    if (in->call == CALL_FROM_ROOT && in->root != in->members.count - 1)
        return;
    release(number);
    *path = depart(sim, in, place, state->start);
}

/* Goes on from the last member of a lower rank to begin, if that was after the own beginning.  Those of higher ranks
 * may not have begun yet. */
static void end_scan(const instance *in, const path_list *paths, const pajesim_entity *state, size_t member)
{
    size_t lower = instance_lower(in, member);
    if (lower != member)
        go_on(in, member, &in->members.items[lower], paths->items[lower], state);
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
        if (awaited)
            go_on(in, member, awaited, departures.items[number], state);
    }
    instance_leave(number);
}
