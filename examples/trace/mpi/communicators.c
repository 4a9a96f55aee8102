/* Communicators, numbered without communication; the calls that make them. */
#include "communicators.h"

#include "call.h"
#include "calls.h"
#include "memory.h"

#include <string.h>

enum { OF_SELF = 1, OF_LEADERS, OF_GROUP }; /* what numbers are made of, in place of the count of a child */

static mpi_map communicators; /* by their handles */
static mpi_pool records = {sizeof(mpi_communicator), NULL, NULL, NULL};

/* ---- names */

static mpi_name make_name(uint64_t number, char side)
{
    static const char digits[] = "0123456789abcdef";
    mpi_name it = {"", 0};
    char *name = it.text;
    int i;
    if (number == MPI_FIRST_WORLD) {
        *name++ = 'w';
    } else {
        for (i = 40; i >= 0; i -= 4)
            *name++ = digits[number >> i & 15];
    }
    if (side)
        *name++ = side;
    it.size = (size_t)(name - it.text);
    return it;
}

/* ---- the table */

static struct {
    uintptr_t handle;
    mpi_communicator *it;
} last; /* that was looked up */

static mpi_communicator *add(MPI_Comm handle, uint64_t number, char side)
{
    mpi_communicator *it = (mpi_communicator *)mpi_pool_take(&records);
    uint64_t *place;
    mpi_free_communicator(handle);
    place = it ? mpi_map_add(&communicators, MPI_NUMBER(handle), 0) : NULL;
    if (!place) {
        if (it)
            mpi_pool_give(&records, it);
        return NULL;
    }
    *place = (uint64_t)(uintptr_t)it;
    it->number = number;
    mpi.Comm_rank(handle, &it->rank);
    mpi.Comm_test_inter(handle, &it->is_inter);
    if (it->is_inter)
        mpi.Comm_remote_size(handle, &it->size);
    else
        mpi.Comm_size(handle, &it->size);
    it->side = side;
    it->name = make_name(number, side);
    it->remote_name = make_name(number, side ? '<' + '>' - side : 0);
    return it;
}

void mpi_add_world(uint64_t number)
{
    const mpi_communicator *world = add(MPI_COMM_WORLD, number, 0);
    if (world)
        add(MPI_COMM_SELF, mpi_mix(mpi_mix(world->number, OF_SELF), (uint64_t)world->rank) | 1, 0);
}

mpi_communicator *mpi_find_communicator(MPI_Comm handle)
{
    if (!last.it || last.handle != MPI_NUMBER(handle)) {
        const uint64_t *place;
        if (handle == MPI_COMM_NULL) /* the call fails */
            return NULL;
        place = mpi_map_find(&communicators, MPI_NUMBER(handle), 0);
        last.handle = MPI_NUMBER(handle);
        last.it = place ? (mpi_communicator *)(uintptr_t)*place : add(handle, 0, 0);
    }
    return last.it;
}

mpi_communicator *mpi_hold_communicator(MPI_Comm handle)
{
    mpi_communicator *it = mpi_find_communicator(handle);
    if (it)
        it->references++;
    return it;
}

/* The record of one that is freed stays as long as something refers to it. */
void mpi_release_communicator(mpi_communicator *it)
{
    if (--it->references == 0 && it->is_freed)
        mpi_pool_give(&records, it);
}

void mpi_free_communicator(MPI_Comm handle)
{
    mpi_communicator *it = (mpi_communicator *)(uintptr_t)mpi_map_remove(&communicators, MPI_NUMBER(handle), 0);
    if (!it)
        return;
    last.it = NULL;
    it->is_freed = 1;
    it->references++;
    mpi_release_communicator(it);
}

/* ---- numbers */

typedef int mpi_group_of(MPI_Comm comm, MPI_Group *group);

/* Mixes the ranks of the first `count` members into a number: those that they have in a group of `other`.  `first`:
 * that of the first one; -1: it is not in there. */
static uint64_t mix_members(uint64_t number, MPI_Comm handle, mpi_group_of *of_handle, int count, MPI_Comm other,
                            mpi_group_of *of_other, int *first)
{
    MPI_Group group, others;
    int i;
    of_handle(handle, &group);
    of_other(other, &others);
    for (i = count - 1; i >= 0; i--) {
        mpi.Group_translate_ranks(group, 1, &i, others, first);
        *first = *first < 0 ? -1 : *first;
        number = mpi_mix(number, (uint64_t)(int64_t)*first);
    }
    mpi.Group_free(&group);
    mpi.Group_free(&others);
    return number;
}

mpi_origin mpi_next_child(MPI_Comm parent)
{
    mpi_communicator *it = mpi_find_communicator(parent);
    mpi_origin origin = {0, 0};
    if (it && it->number) {
        origin.number = mpi_mix(it->number, UINT64_C(1) << 32 | ++it->children) | 1;
        origin.side = it->side;
    }
    return origin;
}

void mpi_add_communicator(MPI_Comm handle, mpi_origin origin)
{
    if (handle != MPI_COMM_NULL)
        add(handle, origin.number, origin.side);
}

/* Adds a child that may have a part of the members, so that there may be several.  The groups of an intercommunicator
 * are parts of those of its parent; both sides have the same number. */
static void add_part(MPI_Comm handle, MPI_Comm parent, mpi_origin origin)
{
    uint64_t own, other = 0;
    int first = 0, first_other = 0;
    if (handle == MPI_COMM_NULL)
        return;
    own = mix_members(0, handle, mpi.Comm_group, 1, parent, mpi.Comm_group, &first);
    if (origin.side)
        other = mix_members(0, handle, mpi.Comm_remote_group, 1, parent, mpi.Comm_remote_group, &first_other);
    if (origin.number && first >= 0 && first_other >= 0)
        origin.number = mpi_mix(origin.number, origin.side == '>' ? mpi_mix(other, own) : mpi_mix(own, other)) | 1;
    else
        origin.number = 0;
    add(handle, origin.number, origin.side);
}

/* Adds one of which all members tell, by their ranks in MPI_COMM_WORLD, as nothing else is common to them. */
static void add_by_members(MPI_Comm handle, uint64_t made_of)
{
    static mpi_map made;
    int is_inter, size, others = 1, first = 0, other = 0;
    uint64_t number, remote = 0, *times;
    if (handle == MPI_COMM_NULL)
        return;
    mpi.Comm_test_inter(handle, &is_inter);
    mpi.Comm_size(handle, &size);
    number = mix_members(made_of, handle, mpi.Comm_group, size, MPI_COMM_WORLD, mpi.Comm_group, &first);
    if (is_inter) {
        mpi.Comm_remote_size(handle, &others);
        remote = mix_members(made_of, handle, mpi.Comm_remote_group, others, MPI_COMM_WORLD, mpi.Comm_group, &other);
        number = first < other ? mpi_mix(number, remote) : mpi_mix(remote, number);
    }
    if (!made_of || first < 0 || other < 0) {
        add(handle, 0, 0);
        return;
    }
    times = mpi_map_add(&made, number, 0); /* the same members may make another one with the same tag */
    add(handle, mpi_mix(number, times ? ++*times : 0) | 1, !is_inter ? 0 : first < other ? '<' : '>');
}

/* ---- calls */

/* A communicator whose creation is collective on its parent; MAKES: one that has all of its members. */
static int made(int status, MPI_Comm parent, const MPI_Comm *child, int is_part)
{
    if (status == MPI_SUCCESS) {
        mpi_origin origin;
        mpi_lock();
        origin = mpi_next_child(parent);
        if (is_part)
            add_part(*child, parent, origin);
        else
            mpi_add_communicator(*child, origin);
        mpi_unlock();
    }
    return status;
}

#define MAKES(name, parameters, arguments) \
    int call_##name MPI_WITH_NEXT parameters { return made(next arguments, comm, child, 0); }
#define MAKES_PART(name, parameters, arguments) \
    int call_##name MPI_WITH_NEXT parameters { return made(next arguments, comm, child, 1); }

MAKES(Comm_dup, (MPI_Comm comm, MPI_Comm *child), (comm, child))
MAKES(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *child), (comm, info, child))
MAKES_PART(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *child), (comm, color, key, child))
MAKES_PART(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *child),
           (comm, type, key, info, child))
MAKES_PART(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *child), (comm, group, child))
MAKES(Cart_create, (MPI_Comm comm, int count, const int sizes[], const int periods[], int reorder, MPI_Comm *child),
      (comm, count, sizes, periods, reorder, child))
MAKES_PART(Cart_sub, (MPI_Comm comm, const int remains[], MPI_Comm *child), (comm, remains, child))
MAKES(Graph_create,
      (MPI_Comm comm, int count, const int index[], const int edges[], int reorder, MPI_Comm *child),
      (comm, count, index, edges, reorder, child))
MAKES(Dist_graph_create,
      (MPI_Comm comm, int count, const int from[], const int degrees[], const int to[], const int weights[],
       MPI_Info info, int reorder, MPI_Comm *child),
      (comm, count, from, degrees, to, weights, info, reorder, child))
MAKES(Dist_graph_create_adjacent,
      (MPI_Comm comm, int in, const int from[], const int from_weights[], int out, const int to[],
       const int to_weights[], MPI_Info info, int reorder, MPI_Comm *child),
      (comm, in, from, from_weights, out, to, to_weights, info, reorder, child))

int call_Intercomm_merge MPI_WITH_NEXT(MPI_Comm comm, int is_high, MPI_Comm *child)
{
    const int status = next(comm, is_high, child);
    if (status == MPI_SUCCESS) {
        mpi_origin origin;
        mpi_lock();
        origin = mpi_next_child(comm);
        origin.side = 0;
        mpi_add_communicator(*child, origin);
        mpi_unlock();
    }
    return status;
}

/* Collective on the group only: the members have the tag in common, not the count of children. */
int call_Comm_create_group MPI_WITH_NEXT(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *child)
{
    const int status = next(comm, group, tag, child);
    if (status == MPI_SUCCESS) {
        const mpi_communicator *parent;
        mpi_lock();
        parent = mpi_find_communicator(comm);
        add_by_members(*child, parent && parent->number
                                   ? mpi_mix(mpi_mix(parent->number, OF_GROUP), (uint64_t)(uint32_t)tag) : 0);
        mpi_unlock();
    }
    return status;
}

/* Two groups that may have no communicator in common but that of their leaders. */
int call_Intercomm_create MPI_WITH_NEXT(MPI_Comm local, int leader, MPI_Comm peer, int remote_leader, int tag,
                                        MPI_Comm *child)
{
    const int status = next(local, leader, peer, remote_leader, tag, child);
    if (status == MPI_SUCCESS) {
        const mpi_communicator *world;
        mpi_lock();
        world = mpi_find_communicator(MPI_COMM_WORLD);
        add_by_members(*child, world ? mpi_mix(mpi_mix(world->number, OF_LEADERS), (uint64_t)(uint32_t)tag) : 0);
        mpi_unlock();
    }
    return status;
}

int call_Comm_free MPI_WITH_NEXT(MPI_Comm *comm)
{
    mpi_lock();
    mpi_free_communicator(*comm);
    mpi_unlock();
    return next(comm);
}

int call_Comm_disconnect MPI_WITH_NEXT(MPI_Comm *comm)
{
    mpi_lock();
    mpi_free_communicator(*comm);
    mpi_unlock();
    return next(comm);
}
