/* The bytes of collective operations.  The library is not asked of MPI_COMM_NULL: its handler of errors would be called
 * before the call that the program makes with it. */
#include "collectives.h"

int mpi_rank(MPI_Comm comm)
{
    int rank = 0;
    if (comm != MPI_COMM_NULL)
        mpi.Comm_rank(comm, &rank);
    return rank;
}

int mpi_size(MPI_Comm comm)
{
    int size = 0;
    if (comm != MPI_COMM_NULL)
        mpi.Comm_size(comm, &size);
    return size;
}

int mpi_peers(MPI_Comm comm)
{
    int size = 0, is_inter = 0;
    if (comm != MPI_COMM_NULL)
        mpi.Comm_test_inter(comm, &is_inter);
    if (!is_inter)
        return mpi_size(comm);
    mpi.Comm_remote_size(comm, &size);
    return size;
}

int mpi_is_root(int root, MPI_Comm comm)
{
    int is_inter = 0;
    if (comm == MPI_COMM_NULL)
        return 0;
    mpi.Comm_test_inter(comm, &is_inter);
    return is_inter ? root == MPI_ROOT : root == mpi_rank(comm);
}

int64_t mpi_buffer_bytes(const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Count in_place,
                         MPI_Datatype in_place_type, int root)
{
    if (root == MPI_ROOT || root == MPI_PROC_NULL)
        return 0;
    return buffer == MPI_IN_PLACE ? mpi_bytes(in_place, in_place_type) : mpi_bytes(count, type);
}

void mpi_link_collective(const mpi_call *call, MPI_Comm comm, int other, int is_sent, int64_t bytes)
{
    char key[MPI_KEY_SIZE], *p;
    const mpi_communicator *it;
    mpi_lock();
    it = mpi_find_communicator(comm);
    mpi_unlock();
    if (!it || !it->number || bytes <= 0 || (!it->is_inter && other == it->rank))
        return;
    p = is_sent ? mpi_put_pair(key, &it->name, it->rank, other) : mpi_put_pair(key, &it->remote_name, other, it->rank);
    *p++ = 'c';
    *p++ = '.';
    *mpi_put_number(p, call->instance) = 0;
    if (is_sent)
        trace_start_collective(key, bytes);
    else
        trace_end_collective(key, bytes);
}

/* ---- neighbors */

/* How many places for neighbors there are in the lists of a call. */
static int count_places(MPI_Comm comm, int *is_grid)
{
    int kind = MPI_UNDEFINED, count = 0, in = 0, is_weighted = 0;
    if (comm != MPI_COMM_NULL)
        mpi.Topo_test(comm, &kind);
    *is_grid = kind == MPI_CART;
    if (kind == MPI_CART)
        mpi.Cartdim_get(comm, &count);
    else if (kind == MPI_GRAPH)
        mpi.Graph_neighbors_count(comm, mpi_rank(comm), &count);
    else if (kind == MPI_DIST_GRAPH)
        mpi.Dist_graph_neighbors_count(comm, &in, &count, &is_weighted);
    return *is_grid ? 2 * count : count;
}

/* Whether there is a neighbor in a place: of each dimension of a grid, the one before comes first. */
static int is_neighbor(MPI_Comm comm, int is_grid, int place)
{
    int before = 0, after = 0;
    if (is_grid)
        mpi.Cart_shift(comm, place / 2, 1, &before, &after);
    return (place % 2 ? after : before) != MPI_PROC_NULL;
}

int mpi_neighbors(MPI_Comm comm)
{
    int is_grid, count = count_places(comm, &is_grid), neighbors = 0, i;
    for (i = 0; i < count; i++)
        neighbors += is_neighbor(comm, is_grid, i);
    return neighbors;
}

/* ---- sums */

#define SUM(name, COUNT) \
    int64_t name(const COUNT *counts, MPI_Datatype type, const MPI_Datatype *types, int processes) \
    { \
        int64_t bytes = 0; \
        int i; \
        for (i = 0; i < processes; i++) \
            bytes += mpi_bytes(counts[i], types ? types[i] : type); \
        return bytes; \
    }
#define NEIGHBORS(name, COUNT) \
    int64_t name(const COUNT *counts, MPI_Datatype type, const MPI_Datatype *types, MPI_Comm comm) \
    { \
        int is_grid, count = count_places(comm, &is_grid), i; \
        int64_t bytes = 0; \
        for (i = 0; i < count; i++) \
            bytes += is_neighbor(comm, is_grid, i) ? mpi_bytes(counts[i], types ? types[i] : type) : 0; \
        return bytes; \
    }

NEIGHBORS(mpi_neighbors_ints, int)
NEIGHBORS(mpi_neighbors_counts, MPI_Count)
SUM(mpi_sum_ints, int)
SUM(mpi_sum_counts, MPI_Count)
