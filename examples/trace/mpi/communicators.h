/* Communicators, numbered without communication.
 *
 * A number is mixed of the parent's number, the how many-th child of it this is, and the rank of the first member in
 * the parent: as creation is collective on the parent, and in the same order everywhere, all members compute the same,
 * and the groups of a split are told apart.  0: messages on it cannot be told apart from others, so they are no links:
 * it connects programs that were started apart, or was made by a call that this layer does not know. */
#pragma once

#include "library.h"

#include <stddef.h>

typedef struct mpi_receive mpi_receive;

/* As keys have it: "w" for the world, else 11 digits, and of an intercommunicator > or <. */
typedef struct mpi_name {
    char text[16];
    size_t size;
} mpi_name;

typedef struct mpi_communicator {
    uint64_t number;
    mpi_name name;
    mpi_name remote_name;  /* as keys of messages from the other group of an intercommunicator have it; else the name */
    char side;             /* of an intercommunicator: which of its two groups this process is in, < or >; else 0 */
    int rank, is_inter;
    int size; /* of the group that it sends to */
    uint32_t children, instances; /* of communicators, and of collective operations so far */
    uint32_t references;   /* of receives, and of persistent requests */
    int is_freed;
    int is_lossy;          /* a wildcard on it was freed before it was complete: it cannot be known what that gets */
    mpi_receive *first, *last; /* receives that are not numbered, in the order in which they were posted */
} mpi_communicator;

/* All are called under mpi_lock. */

/* MPI_COMM_WORLD of the first job of a run. */
#define MPI_FIRST_WORLD UINT64_C(1)


/* Returns that of a handle; NULL: there is none, or no memory. */
mpi_communicator *mpi_find_communicator(MPI_Comm handle);

/* What a communicator is known by, before it has its handle. */
typedef struct mpi_origin {
    uint64_t number;
    char side;
} mpi_origin;

/* Returns that of the next child of a communicator, if the child has all its members. */
mpi_origin mpi_next_child(MPI_Comm parent);
/* Notes a communicator that was made. */
void mpi_add_communicator(MPI_Comm handle, mpi_origin origin);
/* Notes MPI_COMM_WORLD and MPI_COMM_SELF. */
void mpi_add_world(uint64_t number);
void mpi_free_communicator(MPI_Comm handle);
/* Refers to that of a handle, which may be freed meanwhile; and does not any more. */
mpi_communicator *mpi_hold_communicator(MPI_Comm handle);
void mpi_release_communicator(mpi_communicator *it);

/* ---- jobs.c */

/* Finds the number of the communicator to the job that spawns this process: before MPI begins, as it waits so long. */
void mpi_find_parent(void);
/* Begins the communicators that are there from the beginning, and lets others find this process. */
void mpi_begin_job(void);
/* The container of a process of MPI_COMM_WORLD; 0: unknown. */
uint32_t mpi_container_of(int world_rank);
