/* Messages: which receive gets which send.
 *
 * Both ends of a message write the same key, COMMUNICATOR.FROM.TO.TAG.N, without talking to each other: N counts the
 * messages with that communicator, sender, receiver and tag, which MPI keeps in order (MPI 3.1, section 3.5).  A send
 * counts when it is called.  A receive counts in the order in which receives were posted, not completed.  A receive of
 * any sender or any tag (a wildcard) is counted when it completes, as its sender and tag are known then; receives that
 * were posted after it, and that could have matched the same message, are counted after it.  Until then they wait in
 * the list of their communicator; the end of one that completes meanwhile is written later, with its time and place. */
#pragma once

#include "../trace.h"
#include "communicators.h"

int64_t mpi_bytes(MPI_Count count, MPI_Datatype type);

/* Keys: what all messages of a pair of processes begin with, those of a channel, and what follows.  Each returns where
 * it ends. */
enum { MPI_KEY_SIZE = 96 };
char *mpi_put_pair(char *p, const mpi_name *comm, int from, int to);
char *mpi_put_channel(char *p, const mpi_name *comm, int from, int to, int tag);
char *mpi_put_number(char *p, uint32_t number);

/* A message that is being sent: it is counted before the call, and is written after it, as one that fails sends
 * nothing. */
typedef struct mpi_channel mpi_channel;
typedef struct mpi_message {
    mpi_channel *channel;
    int64_t bytes;
    uint32_t number; /* 0: it is to MPI_PROC_NULL, or cannot be followed */
    int is_on;       /* whether it is recorded */
} mpi_message;

mpi_message mpi_send(MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
/* Returns the result of the call. */
int mpi_sent(const mpi_message *message, int result);
/* A send of as many bytes, which is written at once. */
mpi_message mpi_send_bytes(int64_t bytes, int to, int tag, mpi_communicator *comm);
/* Writes that the call waited until it was sent, if that took long. */
void mpi_complete_send(const mpi_channel *channel, uint32_t number);

/* Posts a receive.  NULL: it is from MPI_PROC_NULL, or cannot be followed. */
mpi_receive *mpi_post(MPI_Comm comm, int from, int tag);
/* One whose status tells nothing. */
mpi_receive *mpi_post_without_status(MPI_Comm comm, int from, int tag);
/* One on a communicator that may have been freed. */
mpi_receive *mpi_post_on(mpi_communicator *comm, int from, int tag);
/* It is complete, is none, or its end is not known to the program: each ends the record.  All take NULL. */
void mpi_complete(mpi_receive *it, const MPI_Status *status);
void mpi_fail(mpi_receive *it);
void mpi_abandon(mpi_receive *it);
/* MPI_Cancel was called for it: the receives after it wait until it is known whether it was in time. */
void mpi_doubt(mpi_receive *it);
/* Ends those that were abandoned: MPI ends, so they are complete. */
void mpi_complete_abandoned(void);
