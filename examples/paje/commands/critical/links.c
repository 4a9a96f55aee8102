/* The first pass: the path of each place, from state to state and from link to link. */
#include "critical.h"
#include "replay/link_key.h"

#include <math.h>

critical_result critical_found;

/* What is known of a place. */
typedef struct traveller {
    size_t serial; /* of its container: they are counted as they are created */
    int may_be_last;
    critical_path path; /* 0: nothing happened yet */
    double mark;        /* the path reaches to it */
    double last_end;    /* of the states that take time */
    double last_link;   /* the latest end of a link to it */
    double came, left;  /* the link that it waited for last: its end, and its start */
} traveller;

static array_of(traveller) travellers; /* by place */
static size_t serials;

/* The state that ended last, as long as no other one ends later: its path is that of its place, unless that went on. */
static struct {
    size_t place; /* ACTIVE_NONE: none */
    double end;
    critical_path kept; /* 0: the path of the place is still that */
} last = {ACTIVE_NONE, -HUGE_VAL, 0};

static size_t container_of(pajesim *sim, size_t place)
{
    return critical_options.has_segments ? travellers.items[place].serial : active_name(sim, place);
}

static pajesim *simulation; /* for add_part() */

static void add_part(size_t place, size_t class, double from, double to)
{
    traveller *it = &travellers.items[place];
    if (!it->path)
        it->path = critical_new(0);
    if (critical_options.has_segments)
        class = ACTIVE_NONE;
    else if (from < critical_options.start || to > critical_options.end) {
        from = fmax(from, critical_options.start);
        to = fmin(to, critical_options.end);
    }
    if (to > from)
        critical_extend(it->path, critical_key_of(container_of(simulation, place), class), from, to);
}

static void walk(pajesim *sim, size_t place, double time)
{
    simulation = sim;
    critical_walk(place, &travellers.items[place].mark, time, add_part);
}

/* ---- places */

static int may_be_last(const pajesim *sim, pajesim_ref container)
{
    const active_globs *globs = &critical_options.last;
    for (size_t i = 0; i < globs->count; i++)
        if (paje_matches(globs->items[i].text, pajesim_name(sim, container)) ||
            paje_matches(globs->items[i].text, pajesim_alias(sim, container)))
            return 1;
    return globs->count == 0;
}

void critical_add_place(pajesim *sim, size_t place)
{
    int is_last = may_be_last(sim, active_places.items[place].container);
    *array_at(&travellers, place) =
        (traveller){serials++, is_last, 0, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
}

/* Call it before the path of a place changes. */
static void keep_last(size_t place)
{
    if (last.place == place && !last.kept)
        last.kept = critical_keep(&travellers.items[place].path);
}

void critical_free_place(size_t place)
{
    if (!travellers.items[place].path)
        return;
    keep_last(place);
    critical_release(travellers.items[place].path);
    travellers.items[place].path = 0;
}

/* ---- states */

static void check_order(size_t place, double time)
{
    const traveller *it = &travellers.items[place];
    critical_found.late_states += time < it->mark || time < it->last_link;
}

void critical_state_began(const pajesim_entity *state, size_t place)
{
    check_order(place, state->start);
}

void critical_state_closed(pajesim *sim, const pajesim_entity *state, size_t place)
{
    traveller *it = &travellers.items[place];
    check_order(place, state->end);
    critical_found.first = fmin(critical_found.first, state->start);
    critical_found.last = fmax(critical_found.last, state->end);
    walk(sim, place, state->end);
    if (state->end > state->start)
        it->last_end = fmax(it->last_end, state->end);
    if (it->path && it->may_be_last && state->end > last.end) {
        if (last.kept)
            critical_release(last.kept);
        last.kept = 0;
        last.place = place;
        last.end = state->end;
    }
}

critical_path critical_depart(pajesim *sim, size_t place, double time)
{
    traveller *from = &travellers.items[place];
    if (from->path)
        keep_last(place);
    walk(sim, place, time);
    if (from->path)
        return critical_keep(&from->path);
    critical_path path = critical_new(0);
    if (critical_options.has_segments) /* a stay without length tells where the path begins */
        critical_extend(path, critical_key_of(from->serial, ACTIVE_NONE), time, time);
    return path;
}

void critical_go_on_from(size_t place, critical_path path, double time)
{
    traveller *it = &travellers.items[place];
    if (it->mark > time)
        return;
    if (it->path) {
        keep_last(place);
        critical_release(it->path);
    }
    it->path = critical_new(path);
    it->mark = time;
    it->came = -HUGE_VAL;
}

/* ---- links */

typedef struct departure {
    critical_path path; /* of the sender; 0: its path is not known */
    int has_start, is_shown; /* is_shown: --container chooses the sender */
} departure;

static hash_map keys; /* of links whose start is known */
static array_of(departure) departures;

static size_t find_link(const pajesim_entity *link, int adds)
{
    const pajesim_text key = link_key(link);
    return adds ? map_add(&keys, key.bytes, key.size) : map_find(&keys, key.bytes, key.size);
}

static void forget(size_t number)
{
    departure *it = &departures.items[number];
    if (it->path)
        critical_release(it->path);
    *it = (departure){0, 0, 0};
}

void critical_link_started(pajesim *sim, const pajesim_entity *link)
{
    size_t number = find_link(link, 1), place = active_place_of(sim, link->start_container);
    departure *it = array_at(&departures, number);
    if (it->has_start)
        forget(number);
    it->has_start = 1;
    it->is_shown = active_shows(sim, link->start_container);
    if (place == ACTIVE_NONE)
        return;
    critical_found.unordered += link->start < travellers.items[place].mark;
    it->path = critical_depart(sim, place, link->start);
}

/* Whether a place was waiting for a link that it received: it was in the state at its end, in a probe before that, or
 * in none, before the link began. */
static int has_waited(pajesim *sim, size_t place, const pajesim_entity *link)
{
    active_state state, probe;
    int is_on = active_until(place, link->end, ACTIVE_RECEIVE, &state);
    if (!active_can_wait(sim, link, is_on ? state.class : ACTIVE_NONE))
        return 0;
    if (is_on)
        return state.start < link->start || active_probed(place, link->start, link->end, &probe);
    if (active_probed(place, link->start, link->end, &probe))
        return 1;
    if (active_receive.count || active_until(place, link->end, ACTIVE_ANY, &state))
        return 0;
    return travellers.items[place].last_end < link->start;
}

/* The place was waiting for the link that began last, of those that end at once, as of one MPI_Waitall. */
static void arrive(pajesim *sim, size_t place, const pajesim_entity *link, critical_path path)
{
    traveller *it = &travellers.items[place];
    if (link->end == it->came && link->start < it->left)
        return;
    it->mark = fmin(it->mark, link->end);
    critical_go_on_from(place, path, link->end);
    it->came = link->end;
    it->left = link->start;
    double from = link->start, to = link->end;
    if (!critical_options.has_segments) {
        from = fmax(from, critical_options.start);
        to = fmin(to, critical_options.end);
    }
    if (to > from || (!(to < from) && !(link->end > link->start)))
        critical_extend(it->path, critical_key_of(container_of(sim, place), active_class_of(sim, link)), from, to);
}

/* The path is that of the whole trace, so links outside of -s and -e count as well. */
void critical_link_closed(pajesim *sim, const pajesim_entity *link)
{
    size_t number = find_link(link, 0), place = active_place_of(sim, link->end_container);
    if (number == MAP_NONE)
        return;
    const departure *from = &departures.items[number];
    critical_found.backward += link->end < link->start;
    if (from->path && place != ACTIVE_NONE && !(link->end < link->start) && paje_shows_type(sim, link->type) &&
        active_shows(sim, link->end_container)) {
        int waited = has_waited(sim, place, link);
        if (from->is_shown) {
            critical_found.unordered += link->end < travellers.items[place].mark;
            travellers.items[place].last_link = fmax(travellers.items[place].last_link, link->end);
            if (waited)
                arrive(sim, place, link, from->path);
        } else {
            critical_found.outer += (uint64_t)waited;
        }
    }
    forget(number);
    map_remove(&keys, number);
}

void critical_finish(void)
{
    critical_found.end = last.end;
    critical_found.path = last.kept ? last.kept : last.place != ACTIVE_NONE ? travellers.items[last.place].path : 0;
}
