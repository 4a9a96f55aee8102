/* Links from one end to the other. */
#include "waits.h"
#include "replay/instances.h"
#include "replay/link_key.h"

#include <math.h>

waits_counts waits_links;

/* A state in which a sender was when links of it began; kept until these are complete. */
typedef struct send_state {
    double end; /* HUGE_VAL: it is open */
    size_t links; /* that refer to it */
    size_t next_free;
} send_state;

/* A link of which one end is known. */
typedef struct half {
    int has_start, has_end;
    double sent;
    size_t sender, send, send_class; /* a name, a state of `sends`; ACTIVE_NONE: not known */
    uint64_t serial;                 /* of its start in `queue`; 0: it is settled */
    size_t receiver, receive_class;
    double receive_start;
    int is_shown; /* --container chooses an end */
    int is_in_operation; /* it ends in a collective one, which counts by itself */
} half;

static hash_map keys; /* of links that are halves */
static array_of(half) halves;
static array_of(send_state) sends;
static size_t first_free = ACTIVE_NONE;

static array_of(size_t) open_sends; /* numbers of `sends`, + 1, by those of states that are open; 0: none */

/* Starts of links at the present instant: states that begin or end at it may follow in the trace. */
typedef struct queued {
    size_t half, place;
    uint32_t generation;
    int is_counted; /* the link is complete, and counts if it began in no state that sends */
    uint64_t serial;
} queued;
static array_of(queued) queue;
static uint64_t serial;

static const half unknown = {.sender = ACTIVE_NONE, .send = ACTIVE_NONE, .send_class = ACTIVE_NONE,
                             .receiver = ACTIVE_NONE, .receive_class = ACTIVE_NONE};

/* Returns the number of the link's key, which is added if it is new. */
static size_t half_of(const pajesim_entity *link)
{
    const pajesim_text key = link_key(link);
    size_t known = keys.used, number = map_add(&keys, key.bytes, key.size);
    if (keys.used > known)
        *array_at(&halves, number) = unknown;
    return number;
}

/* ---- states of senders */

static size_t new_send(void)
{
    if (first_free == ACTIVE_NONE) {
        array_push(&sends)->next_free = ACTIVE_NONE;
        first_free = sends.count - 1;
    }
    size_t number = first_free;
    first_free = sends.items[number].next_free;
    sends.items[number] = (send_state){HUGE_VAL, 0, ACTIVE_NONE};
    return number;
}

static void free_send(size_t number)
{
    sends.items[number].next_free = first_free;
    first_free = number;
}

static size_t find_open_send(size_t state)
{
    size_t *it = array_at(&open_sends, state);
    if (!*it)
        *it = new_send() + 1;
    return *it - 1;
}

void waits_state_closed(const pajesim_entity *state, size_t number)
{
    size_t *it = number < open_sends.count ? &open_sends.items[number] : NULL;
    if (!it || !*it)
        return;
    send_state *one = &sends.items[*it - 1];
    one->end = state->end;
    if (one->links == 0)
        free_send(*it - 1);
    *it = 0;
}

/* Forgets what a half knows: it is complete, or was left by a container that is gone. */
static void forget(half *it)
{
    if (it->send != ACTIVE_NONE) {
        send_state *state = &sends.items[it->send];
        if (--state->links == 0 && state->end < HUGE_VAL)
            free_send(it->send);
    }
    *it = unknown;
}

/* ---- the order of lines: the states at the end of a link are looked for when its line is read */

typedef struct link_time {
    double latest;
    uint32_t used; /* the generation of the place, + 1 */
} link_time;
static array_of(link_time) link_times; /* by place: the latest end of a link there */

static void note_link(size_t place, double time)
{
    link_time *it = array_at(&link_times, place);
    uint32_t used = active_places.items[place].generation + 1;
    it->latest = it->used == used ? fmax(it->latest, time) : time;
    it->used = used;
}

void waits_check_order(size_t place, double time)
{
    if (place < link_times.count && link_times.items[place].used == active_places.items[place].generation + 1)
        waits_links.late_states += time < link_times.items[place].latest;
}

/* ---- the ends of links */

void waits_link_started(pajesim *sim, const pajesim_entity *link)
{
    size_t number = half_of(link), place = active_place_of(sim, link->start_container);
    half *it = &halves.items[number];
    if (it->has_start)
        forget(it);
    it->has_start = 1;
    it->is_shown |= active_shows(sim, link->start_container);
    it->sent = link->start;
    if (place == ACTIVE_NONE)
        return;
    note_link(place, link->start);
    it->sender = active_name(sim, place);
    it->serial = ++serial;
    *array_push(&queue) = (queued){number, place, active_places.items[place].generation, 0, serial};
}

void waits_settle(void)
{
    active_state state;
    for (size_t i = 0; i < queue.count; i++) {
        const queued *start = &queue.items[i];
        const active_place *place = &active_places.items[start->place];
        half *it = &halves.items[start->half];
        int is_pending = it->serial == start->serial;
        if (!is_pending && !start->is_counted)
            continue;
        int is_on = place->generation == start->generation && place->container &&
                    active_open(start->place, HUGE_VAL, ACTIVE_SEND, &state);
        waits_links.no_send += start->is_counted && !is_on;
        if (!is_pending)
            continue;
        it->serial = 0;
        if (!is_on)
            continue;
        it->send = find_open_send(state.number);
        it->send_class = state.class;
        sends.items[it->send].links++;
    }
    array_clear(&queue);
}

void waits_link_ended(pajesim *sim, const pajesim_entity *link)
{
    size_t number = half_of(link), place = active_place_of(sim, link->end_container);
    half *it = &halves.items[number];
    active_state state;
    if (it->has_end)
        forget(it);
    it->has_end = 1;
    it->is_shown |= active_shows(sim, link->end_container);
    if (place == ACTIVE_NONE)
        return;
    note_link(place, link->end);
    it->receiver = active_name(sim, place);
    if (active_until(place, link->end, ACTIVE_RECEIVE, &state)) {
        it->receive_class = state.class;
        it->receive_start = state.start;
        it->is_in_operation = instance_began_at(place, state.start);
    }
}

/* A receiver that has got the link at once may have waited for it before, in a probe. */
static void look_for_probe(half *it, size_t place, const pajesim_entity *link)
{
    active_state state;
    if (place == ACTIVE_NONE || !active_probed(place, link->start, link->end, &state))
        return;
    it->receive_class = state.class;
    it->receive_start = state.start;
}

void waits_link_closed(pajesim *sim, const pajesim_entity *link)
{
    size_t number = half_of(link);
    half *it = &halves.items[number];
    look_for_probe(it, active_place_of(sim, link->end_container), link);
    int is_shown = paje_shows_at_any_time(sim, link) || (it->is_shown && paje_shows_type(sim, link->type));
    if (is_shown && !(link->end < waits_options.start || link->start > waits_options.end)) {
        waits_links.links++;
        waits_links.no_receive += it->receive_class == ACTIVE_NONE;
        if (it->serial) /* serials of the queue follow one another */
            queue.items[it->serial - queue.items[0].serial].is_counted = 1;
        else
            waits_links.no_send += it->send == ACTIVE_NONE;
    }
    if (is_shown && !it->is_in_operation && active_can_wait(sim, link, it->receive_class)) {
        /* a receiver waits before the link starts */
        if (it->receive_class != ACTIVE_NONE)
            waits_add(WAITS_LATE_SENDER, it->receiver, it->sender, it->receive_class, it->receive_start,
                      fmin(link->start, link->end));
        if (it->receive_class != ACTIVE_NONE && it->send != ACTIVE_NONE)
            waits_add(WAITS_LATE_RECEIVER, it->sender, it->receiver, it->send_class, link->start,
                      fmin(it->receive_start, sends.items[it->send].end));
        double receive = it->receive_class == ACTIVE_NONE ? -HUGE_VAL : it->receive_start;
        size_t place = active_place_of(sim, link->start_container);
        waits_link_received(link->key, &(waits_late){it->sender, it->receiver, place, link->start, receive});
    }
    forget(it);
    map_remove(&keys, number);
}
