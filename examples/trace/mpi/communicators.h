/* Communicators, numbered without communication.
 *
 * A number is mixed of the parent's number, the how many-th child of it this is, and the rank in MPI_COMM_WORLD of the
 * first member: as creation is collective on the parent, and in the same order everywhere, all members compute the
 * same, and the groups of a split are told apart.  0: messages on it cannot be told apart from others, so they are no
 * links: it connects programs of several worlds, or was made by a call that this layer does not know. */
#pragma once

#include "library.h"

typedef struct mpi_receive mpi_receive;

typedef struct mpi_communicator {
    uint64_t number;
    char name[16];         /* as keys have it: "w" for the world, else 11 digits, and of an intercommunicator > or < */
    char remote_name[16];  /* as keys of messages from the other group of an intercommunicator have it; else the name */
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

/* Begins MPI_COMM_WORLD and MPI_COMM_SELF. */
void mpi_begin_communicators(void);

/* Returns that of a handle; NULL: there is none, or no memory. */
mpi_communicator *mpi_find_communicator(MPI_Comm handle);

/* The number that the next child of a communicator is made of. */
uint64_t mpi_next_child(MPI_Comm parent);
/* Notes a communicator that was made. */
void mpi_add_communicator(MPI_Comm handle, uint64_t made_of);
void mpi_free_communicator(MPI_Comm handle);
/* Refers to that of a handle, which may be freed meanwhile; and does not any more. */
mpi_communicator *mpi_hold_communicator(MPI_Comm handle);
void mpi_release_communicator(mpi_communicator *it);
