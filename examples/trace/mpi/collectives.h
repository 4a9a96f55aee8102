/* How many bytes a process passes on by a collective operation, or receives by one that it only receives from.  What
 * MPI ignores (with MPI_IN_PLACE, or of other processes than the root) may be anything, and is not looked at. */
#pragma once

#include "call.h"
#include "messages.h"

/* Whether what a rooted operation passes between processes is recorded, as links: its key is COMMUNICATOR.FROM.TO.c.N,
 * and N the number of the operation. */
static inline int mpi_has_links(int result, int root)
{
    return result == MPI_SUCCESS && root != MPI_PROC_NULL && trace_is_on(TRACE_COLLECTIVE_LINKS) &&
           trace_is_on(TRACE_MPI);
}

/* Writes the own end of the link to or from a process of the other end.  There is none to the own process, nor of no
 * bytes, as the one that receives these need not wait for the other. */
void mpi_link_collective(const mpi_call *call, MPI_Comm comm, int other, int is_sent, int64_t bytes);

int mpi_rank(MPI_Comm comm);
/* How many processes the own group has. */
int mpi_size(MPI_Comm comm);
/* How many processes there are to pass something on to, this one among them. */
int mpi_peers(MPI_Comm comm);
int mpi_is_root(int root, MPI_Comm comm);

/* How many neighbors of a topology this process sends to: MPI_PROC_NULL, where a grid ends, is none. */
int mpi_neighbors(MPI_Comm comm);
/* The bytes of a buffer, or those that are in place, if it is MPI_IN_PLACE. */
int64_t mpi_buffer_bytes(const void *buffer, MPI_Count count, MPI_Datatype type, MPI_Count in_place,
                         MPI_Datatype in_place_type, int root);

/* The bytes for as many processes: of one type, or of a type for each. */
int64_t mpi_sum_ints(const int *counts, MPI_Datatype type, const MPI_Datatype *types, int processes);
int64_t mpi_sum_counts(const MPI_Count *counts, MPI_Datatype type, const MPI_Datatype *types, int processes);
/* The bytes for as many neighbors as there are. */
int64_t mpi_neighbors_ints(const int *counts, MPI_Datatype type, const MPI_Datatype *types, MPI_Comm comm);
int64_t mpi_neighbors_counts(const MPI_Count *counts, MPI_Datatype type, const MPI_Datatype *types, MPI_Comm comm);
#define MPI_NEIGHBORS_BYTES(counts, type, types, comm) \
    _Generic((counts), const int *: mpi_neighbors_ints, const MPI_Count *: mpi_neighbors_counts)(counts, type, types, \
                                                                                             comm)
#define MPI_SUM_BYTES(counts, type, types, processes) \
    _Generic((counts), const int *: mpi_sum_ints, const MPI_Count *: mpi_sum_counts)(counts, type, types, processes)
