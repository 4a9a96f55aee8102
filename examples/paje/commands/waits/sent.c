/* Senders that wait later than at the start of a link: until its message was sent, as an event tells. */
#include "waits.h"

#include <math.h>
#include <string.h>

/* A link of which the event, or the end, is still to come. */
typedef struct sent {
    waits_late link;    /* if it is complete */
    size_t class;       /* of the state in which the sender waited, if there was the event; else ACTIVE_NONE */
    double start, end;  /* of the waiting */
    uint64_t serial;    /* 0: this is free */
    size_t keepers;     /* states of the sender that are open, in which the event may come */
} sent;

static hash_map keys;
static array_of(sent) links;
static uint64_t serials;
static int has_events; /* the trace may have some */

/* A state that has to end before a link is forgotten. */
typedef struct keeper {
    size_t link;
    uint64_t serial;
    pajesim_ref type;
    uint32_t depth, generation;
} keeper;
typedef array_of(keeper) keeper_list;
static array_of(keeper_list) keepers; /* by place */
static keeper_list ended;             /* at the present instant, at which events may follow */

static void add(const waits_late *link, size_t class, double start, double end)
{
    if (start >= link->start)
        waits_add(WAITS_LATE_RECEIVER, link->sender, link->receiver, class, start, fmin(link->receive_start, end));
}

static sent *find(pajesim_text key, size_t *number)
{
    *number = map_find(&keys, key.bytes, key.size);
    return *number == MAP_NONE ? NULL : &links.items[*number];
}

static sent *new_sent(pajesim_text key, size_t *number)
{
    *number = map_add(&keys, key.bytes, key.size);
    sent *it = array_at(&links, *number);
    *it = (sent){.class = ACTIVE_NONE, .serial = ++serials};
    return it;
}

static void forget(size_t number)
{
    links.items[number].serial = 0;
    map_remove(&keys, number);
}

static int is_sent(pajesim_text type)
{
    return type.size == 4 && memcmp(type.bytes, "Sent", 4) == 0;
}

void waits_new_type(const pajesim_type_info *type)
{
    has_events |= type->kind == PAJESIM_EVENT && is_sent(type->name);
}

void waits_sent(pajesim *sim, const pajesim_entity *event)
{
    pajesim_field key;
    active_state state;
    size_t number, place = active_own_place(sim, event->container);
    if (!is_sent(pajesim_name(sim, event->type)) || !pajesim_user_field_named(sim, &event->opening, "Key", &key) ||
        place == ACTIVE_NONE || !active_until(sim, place, event->start, ACTIVE_SEND, &state))
        return;
    sent *it = find(key.text, &number);
    if (it && it->class == ACTIVE_NONE) {
        add(&it->link, state.class, state.start, event->start);
        forget(number);
        return;
    }
    it = it ? it : new_sent(key.text, &number);
    it->class = state.class;
    it->start = state.start;
    it->end = event->start;
}

/* Keeps a link while states are open that began behind its start and before the receiver's state, or else as long as
 * the present instant lasts. */
static void keep(pajesim *sim, size_t place, size_t number)
{
    const paje_run *run = pajesim_data(sim);
    pajesim_ref container = active_places.items[place].container;
    sent *it = &links.items[number];
    keeper one = {number, it->serial, 0, 0, active_places.items[place].generation};
    pajesim_entity state;
    for (size_t i = active_type_count(sim, container); i-- > 0;) {
        one.type = active_type_at(sim, container, i);
        uint32_t depth = pajesim_depth(sim, container, one.type);
        for (one.depth = 0; one.depth < depth; one.depth++) {
            pajesim_open_entity(sim, container, one.type, one.depth, &state);
            double start = paje_in_seconds(run->settings, state.start);
            if (start < it->link.start)
                continue;
            if (start < it->link.receive_start) {
                keeper_list *list = array_at(&keepers, place);
                *array_push(list) = one;
                it->keepers++;
            }
            break;
        }
    }
    *array_push(&ended) = one;
    it->keepers++;
}

void waits_link_received(pajesim *sim, pajesim_text key, const waits_late *link)
{
    size_t number;
    sent *it = find(key, &number);
    if (it) {
        if (it->class != ACTIVE_NONE)
            add(link, it->class, it->start, it->end);
        forget(number);
    } else if (has_events && link->start < link->receive_start && link->place != ACTIVE_NONE) {
        it = new_sent(key, &number);
        it->link = *link;
        keep(sim, link->place, number);
    }
}

void waits_forget_sent(void)
{
    for (size_t i = 0; i < ended.count; i++) {
        sent *it = &links.items[ended.items[i].link];
        if (it->serial == ended.items[i].serial && --it->keepers == 0)
            forget(ended.items[i].link);
    }
    array_clear(&ended);
}

void waits_sender_ended(const pajesim_entity *state, size_t place)
{
    keeper_list *list = place < keepers.count ? &keepers.items[place] : NULL;
    for (size_t i = list ? list->count : 0; i-- > 0;) {
        const keeper *one = &list->items[i];
        if (one->generation == active_places.items[place].generation &&
            (one->type != state->type || one->depth != state->imbrication))
            continue;
        *array_push(&ended) = *one;
        list->items[i] = list->items[--list->count];
    }
}
