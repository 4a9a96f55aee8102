/* Collective operations that processes are in. */
#include "base/stream.h"
#include "replay/filter.h"
#include "replay/instances.h"
#include "replay/run.h"

#include <string.h>

enum { MOST_INSTANCES = 65536 }; /* that are not complete, as not all processes are recorded */

void (*instance_forgotten)(size_t number);

static hash_map keys; /* number, blank, communicator */
static array_of(instance) instances;
static size_t most = MOST_INSTANCES;

/* The operation that a place is in, or was in last. */
typedef struct place_instance {
    uint32_t generation; /* of the place, + 1; 0: it is in none */
    uint32_t place_generation; /* the same, and not 0 when it is over */
    size_t number, member;
    pajesim_ref type;
    double begin;
} place_instance;
static array_of(place_instance) places;

instance *instance_at(size_t number)
{
    return &instances.items[number];
}

pajesim_text instance_communicator(size_t number)
{
    pajesim_text key = map_key(&keys, number);
    const char *blank = memchr(key.bytes, ' ', key.size);
    return (pajesim_text){blank + 1, key.size - (size_t)(blank + 1 - key.bytes)};
}

static void forget(size_t number)
{
    instance *it = &instances.items[number];
    if (instance_forgotten)
        instance_forgotten(number);
    array_free(&it->members); /* instance_end() finds none of them any more */
    array_free(&it->least);
    it->size = 0;
    map_remove(&keys, number);
}

static void forget_idle(void)
{
    for (size_t i = 0; i < instances.count; i++)
        if (instances.items[i].size && instances.items[i].members.count == (size_t)instances.items[i].ended)
            forget(i);
    most = 2 * keys.used > MOST_INSTANCES ? 2 * keys.used : MOST_INSTANCES;
}

/* Those that matter to others: from the first to the last their ranks grow. */
static void add_least(instance *it)
{
    int64_t rank = instance_last(it)->rank;
    while (it->least.count > 0 && it->members.items[it->least.items[it->least.count - 1]].rank >= rank)
        it->least.count--;
    *array_push(&it->least) = it->members.count - 1;
}

/* Calls such as MPI_Iallreduce, of neighbors, or that join two groups; the name of the first one. */
static uint64_t untold;
static text_buffer untold_name;

static void note_untold(pajesim *sim, const pajesim_entity *state)
{
    if (!paje_shows_container(sim, state->container))
        return;
    if (untold++ == 0)
        text_put_printable(&untold_name, state->value_name);
}

void instance_tell_untold(const paje_run *run)
{
    if (untold)
        stream_message("%s: %llu calls of collective operations such as %s are left out: the trace does not tell "
                       "who waits for whom", run->source->name, (unsigned long long)untold, text_string(&untold_name));
}

size_t instance_begin(pajesim *sim, const pajesim_entity *state, size_t place)
{
    static text_buffer key;
    paje_collective told;
    if (!paje_find_collective(sim, state, &told)) /* mostly, and sooner known than the call */
        return ACTIVE_NONE;
    paje_call call = paje_call_of(state->value_name);
    if (!paje_is_collective(call) || told.size < 1) {
        note_untold(sim, state);
        return ACTIVE_NONE;
    }
    text_clear(&key);
    text_printf(&key, "%lld ", (long long)told.instance);
    text_append(&key, told.communicator);
    if (keys.used >= most)
        forget_idle();
    size_t known = keys.used, number = map_add(&keys, key.bytes, key.size);
    instance *it = array_at(&instances, number);
    if (keys.used > known)
        *it = (instance){.call = call, .class = active_class_of(sim, state), .number = told.instance, .size = told.size,
                         .root = ACTIVE_NONE};
    if (instance_is_complete(it)) /* more begin it than there are */
        return ACTIVE_NONE;
    if (told.root >= 0 && told.root == told.rank)
        it->root = it->members.count;
    *array_push(&it->members) = (instance_member){place, active_name(sim, place), told.rank, state->start,
                                                    paje_shows_container(sim, state->container)};
    if (it->call == CALL_SCAN)
        add_least(it);
    *array_at(&places, place) =
        (place_instance){active_places.items[place].generation + 1, active_places.items[place].generation + 1, number,
                         it->members.count - 1, state->type, state->start};
    return number;
}

int instance_began_at(size_t place, double start)
{
    const place_instance *in = place < places.count ? &places.items[place] : NULL;
    return in && in->place_generation == active_places.items[place].generation + 1 && !(in->begin < start) &&
           !(in->begin > start);
}

size_t instance_end(const pajesim_entity *state, size_t place, size_t *member)
{
    if (place >= places.count)
        return ACTIVE_NONE;
    place_instance *in = &places.items[place];
    if (in->generation != active_places.items[place].generation + 1 || in->type != state->type ||
        in->begin < state->start || in->begin > state->start)
        return ACTIVE_NONE;
    in->generation = 0;
    *member = in->member;
    return in->member < instances.items[in->number].members.count ? in->number : ACTIVE_NONE;
}

void instance_leave(size_t number)
{
    if (++instances.items[number].ended == instances.items[number].size)
        forget(number);
}

size_t instance_lower(const instance *it, size_t member)
{
    int64_t rank = it->members.items[member].rank;
    size_t low = 0, high = it->least.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (it->members.items[it->least.items[middle]].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && it->least.items[low - 1] > member ? it->least.items[low - 1] : member;
}

const instance_member *instance_awaited(instance *it, size_t member)
{
    const instance_member *own = &it->members.items[member];
    if (it->call == CALL_FROM_ROOT)
        return it->root == ACTIVE_NONE ? NULL : &it->members.items[it->root];
    if (it->call == CALL_TO_ROOT && it->root != member)
        return own;
    if (!instance_is_complete(it))
        return NULL;
    return it->call == CALL_SCAN ? &it->members.items[instance_lower(it, member)] : instance_last(it);
}
