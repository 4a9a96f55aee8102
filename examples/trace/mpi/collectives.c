/* The bytes of collective operations. */
#include "collectives.h"

int mpi_rank(MPI_Comm comm)
{
    int rank = 0;
    mpi.Comm_rank(comm, &rank);
    return rank;
}

int mpi_size(MPI_Comm comm)
{
    int size = 0;
    mpi.Comm_size(comm, &size);
    return size;
}

int mpi_peers(MPI_Comm comm)
{
    int size = 0, is_inter = 0;
    mpi.Comm_test_inter(comm, &is_inter);
    if (is_inter)
        mpi.Comm_remote_size(comm, &size);
    else
        mpi.Comm_size(comm, &size);
    return size;
}

int mpi_is_root(int root, MPI_Comm comm)
{
    int is_inter = 0;
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

#define SUM(name, COUNT) \
    int64_t name(const COUNT *counts, MPI_Datatype type, const MPI_Datatype *types, int processes) \
    { \
        int64_t bytes = 0; \
        int i; \
        for (i = 0; i < processes; i++) \
            bytes += mpi_bytes(counts[i], types ? types[i] : type); \
        return bytes; \
    }

SUM(mpi_sum_ints, int)
SUM(mpi_sum_counts, MPI_Count)
