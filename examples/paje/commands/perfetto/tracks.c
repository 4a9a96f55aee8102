/* Tracks: each container is one, within that of its parent; so is each of its types, except for the first type of
 * states.  Types come before containers, each in the order in which they were defined or created. */
#include "commands/perfetto/perfetto.h"

/* Perfetto refuses tracks with more than 100 tracks above them: what is deeper lies beside what has so many. */
enum { MOST_LEVELS = 90, FIRST_CONTAINER = 1 << 24 };

/* The track of a type of a container, made when it is used: of many types a container may have few. */
typedef struct type_track {
    uint64_t uuid; /* 0: not written yet */
    int64_t last;  /* time of the last slice that began or ended */
    size_t next;   /* of the same container, + 1; 0: none */
} type_track;

/* The track of a container, by its ref.  A new container with the ref of a destroyed one has a new track. */
typedef struct container_track {
    uint64_t uuid; /* 0: the container is not known yet */
    uint64_t parent;
    uint32_t level, rank;
    int is_written;
    size_t first; /* of its types, + 1; 0: none */
} container_track;

static pajesim_text root_name;
static hash_map refs;
static array_of(container_track) containers; /* the user's word of a container is its number here, + 1 */
static array_of(track_type) types;
static hash_map pairs; /* number of a container, rank of a type */
static array_of(type_track) type_tracks;
static uint64_t uuids, disordered;
static uint32_t created;

void tracks_begin(pajesim_text root)
{
    root_name = root;
}

uint64_t tracks_disordered(void)
{
    return disordered;
}

/* ---- types */

track_type *type_of(pajesim *sim, pajesim_ref type)
{
    return &types.items[*pajesim_user_data(sim, type) - 1];
}

/* The user's word of a container type counts the types of entities in it, in twos; 1 of it: one is of states. */
int tracks_new_type(pajesim *sim, const pajesim_type_info *type)
{
    if (type->kind == PAJESIM_CONTAINER || !type->parent)
        return PAJESIM_GO_ON;
    pajesim_user_word *siblings = pajesim_user_data(sim, type->parent);
    int is_own = type->kind == PAJESIM_STATE && !(*siblings & 1);
    *siblings += is_own ? 3 : 2;
    *array_push(&types) = (track_type){(uint32_t)(*siblings >> 1), is_own, 0};
    *pajesim_user_data(sim, type->ref) = (pajesim_user_word)types.count;
    return PAJESIM_GO_ON;
}

/* ---- containers */

static container_track *track_at(pajesim *sim, pajesim_ref container);

static void forget_types(container_track *it)
{
    while (it->first) {
        size_t number = it->first - 1;
        it->first = type_tracks.items[number].next;
        type_tracks.items[number] = (type_track){0, 0, 0};
        map_remove(&pairs, number);
    }
}

static void init_container(pajesim *sim, pajesim_ref ref, size_t number)
{
    pajesim_ref parent_ref = pajesim_parent(sim, ref);
    container_track it = {0}, parent = {0};
    if (parent_ref)
        parent = *track_at(sim, parent_ref);
    forget_types(&containers.items[number]);
    it.uuid = ++uuids;
    it.parent = parent.level < MOST_LEVELS ? parent.uuid : parent.parent;
    it.level = parent.level < MOST_LEVELS ? parent.level + 1 : parent.level;
    it.rank = created < INT32_MAX - FIRST_CONTAINER ? FIRST_CONTAINER + created++ : INT32_MAX;
    containers.items[number] = it;
    *pajesim_user_data(sim, ref) = (pajesim_user_word)(number + 1);
}

static container_track *track_at(pajesim *sim, pajesim_ref container)
{
    pajesim_user_word known = *pajesim_user_data(sim, container);
    if (known)
        return &containers.items[known - 1];
    size_t number = map_add(&refs, &container, sizeof container);
    if (!array_at(&containers, number)->uuid) /* the root, which is never created */
        init_container(sim, container, number);
    *pajesim_user_data(sim, container) = (pajesim_user_word)(number + 1);
    return &containers.items[number];
}

int tracks_container_created(pajesim *sim, const pajesim_entity *container)
{
    size_t number = map_add(&refs, &container->container, sizeof container->container);
    (void)array_at(&containers, number);
    init_container(sim, container->container, number);
    return PAJESIM_GO_ON;
}

static void write_container(pajesim *sim, pajesim_ref container)
{
    container_track *it = track_at(sim, container);
    pajesim_ref type = pajesim_type_of(sim, container);
    packet_track track = {it->uuid, it->parent, pajesim_name(sim, container), pajesim_name(sim, type), it->rank, 0};
    it->is_written = 1;
    if (!it->parent) {
        track.name = root_name;
        track.description = text_of("");
    }
    packet_put_track(&track);
}

/* Containers that it is in are written first. */
uint64_t track_of_container(pajesim *sim, pajesim_ref container)
{
    static array_of(pajesim_ref) unwritten;
    const container_track *it = track_at(sim, container);
    if (it->is_written)
        return it->uuid;
    for (pajesim_ref at = container; at && !track_at(sim, at)->is_written; at = pajesim_parent(sim, at))
        *array_push(&unwritten) = at;
    while (unwritten.count)
        write_container(sim, unwritten.items[--unwritten.count]);
    return track_at(sim, container)->uuid;
}

static type_track *type_track_at(pajesim *sim, pajesim_ref container, uint32_t rank)
{
    container_track *it = track_at(sim, container);
    uint64_t pair[] = {(uint64_t)(it - containers.items), rank};
    size_t known = pairs.used, number = map_add(&pairs, pair, sizeof pair);
    type_track *found = array_at(&type_tracks, number);
    if (pairs.used > known) {
        found->next = it->first;
        it->first = number + 1;
    }
    return found;
}

uint64_t track_of_type(pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    uint64_t parent = track_of_container(sim, container);
    const track_type *kind = type_of(sim, type);
    if (kind->is_own)
        return parent;
    type_track *found = type_track_at(sim, container, kind->rank);
    if (!found->uuid) {
        packet_track track = {++uuids, parent, pajesim_name(sim, type), text_of(""), kind->rank,
                              pajesim_kind_of(sim, type) == PAJESIM_VARIABLE};
        found->uuid = track.uuid;
        packet_put_track(&track);
    }
    return found->uuid;
}

int64_t track_forward(pajesim *sim, pajesim_ref container, pajesim_ref type, int64_t time)
{
    type_track *it = type_track_at(sim, container, type_of(sim, type)->rank);
    if (time < 0 && it->last == 0) /* event_end() counts it */
        return time;
    if (time >= it->last)
        return it->last = time;
    disordered++;
    return it->last;
}
