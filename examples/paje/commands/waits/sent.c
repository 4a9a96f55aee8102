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
    uint32_t generation; /* of the sender's place */
} sent;

static hash_map keys;
static array_of(sent) links;
static uint64_t serials;
static int has_events; /* the trace may have some */

/* A link that is forgotten when a state has ended, unless the event may come in another one. */
typedef struct kept {
    size_t link;
    uint64_t serial;
} kept;
typedef array_of(kept) kept_list;
static array_of(kept_list) keepers; /* by the numbers of states that are open */
static kept_list ended;             /* at the present instant, at which events may follow */

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
        place == ACTIVE_NONE || !active_until(place, event->start, ACTIVE_SEND, &state))
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

/* Keeps a link while a state is open that began behind its start and before the receiver's state. */
static void keep(const kept *one)
{
    const sent *it = &links.items[one->link];
    active_place *place = &active_places.items[it->link.place];
    begun_number state = 0;
    if (it->serial != one->serial)
        return;
    if (place->generation == it->generation && place->container)
        state = begun_between(&place->open, 0, it->link.start, it->link.receive_start);
    if (!state) {
        forget(one->link);
        return;
    }
    kept_list *list = array_at(&keepers, state);
    *array_push(list) = *one;
}

void waits_link_received(pajesim_text key, const waits_late *link)
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
        it->generation = active_places.items[link->place].generation;
        *array_push(&ended) = (kept){number, it->serial};
    }
}

void waits_forget_sent(void)
{
    for (size_t i = 0; i < ended.count; i++)
        keep(&ended.items[i]);
    array_clear(&ended);
}

void waits_sender_ended(size_t number)
{
    kept_list *list = number < keepers.count ? &keepers.items[number] : NULL;
    for (size_t i = 0; list && i < list->count; i++)
        *array_push(&ended) = list->items[i];
    if (list)
        array_free(list);
}
