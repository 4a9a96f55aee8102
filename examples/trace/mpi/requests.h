/* Requests that have to be followed: of receives, of persistent operations, of communicators that are being duplicated.
 * Those of sends are, to tell which call waits until they are complete. */
#pragma once

#include "messages.h"
#include "partitioned.h"

/* The request of a receive that was posted; NULL: there is nothing to follow. */
void mpi_keep_receive(MPI_Request request, mpi_receive *receive);
/* The request of a send that was started.  One that is complete by then is not followed: nothing waits for it, and some
 * libraries give one handle to all of these. */
void mpi_keep_send(MPI_Request request, const mpi_message *message);
/* Persistent requests, which are posted or sent when they are started. */
void mpi_keep_persistent_receive(MPI_Request request, int from, int tag, MPI_Comm comm);
void mpi_keep_persistent_send(MPI_Request request, int64_t bytes, int to, int tag, MPI_Comm comm);
void mpi_keep_parts(MPI_Request request, mpi_parts *parts); /* NULL: there is nothing to follow */
void mpi_start(MPI_Request request);
/* After the start: what is complete by then is not followed. */
void mpi_started(MPI_Request request);
/* `child` is that of MPI_Comm_idup: its handle, as the call has returned it; or, if it is MPI_COMM_NULL, it is in
 * `place` when the request is complete. */
void mpi_keep_child(MPI_Request request, MPI_Comm child, const MPI_Comm *place, mpi_origin origin);

/* A request that is not followed was made.  Its handle may be that of one which another thread is completing, and which
 * would be taken for it. */
void mpi_forget(MPI_Request request);
static inline int mpi_made(int result, const MPI_Request *request)
{
    if (result == MPI_SUCCESS)
        mpi_forget(*request);
    return result;
}

/* What requests are known by while they are completed: their handles, or, if there are threads, their records, as the
 * library may give a handle to another thread before the one that completed it goes on. */
typedef uintptr_t mpi_known;
void mpi_know(int count, const MPI_Request *requests, mpi_known *known);
/* The request was complete, as its status says; or ended with an error. */
void mpi_complete_request(mpi_known request, const MPI_Status *status);
void mpi_fail_request(mpi_known request);
void mpi_cancel_request(MPI_Request request);
void mpi_free_request(MPI_Request request);
