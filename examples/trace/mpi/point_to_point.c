/* The calls that send and receive one message, and that make, start and free their requests. */
#include "calls.h"
#include "memory.h"
#include "requests.h"
#include "call.h"

/* ---- sends: counted, and their time taken, before the library can deliver them */

static int started_send(int result, const mpi_message *message, const MPI_Request *request)
{
    if (result == MPI_SUCCESS)
        mpi_keep_send(*request, message);
    return mpi_sent(message, result);
}

#define SENDS(name, COUNT) \
    int call_##name MPI_WITH_NEXT(const void *from, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        return mpi_sent(&message, next(from, count, type, to, tag, comm)); \
    }
#define STARTS_SEND(name, COUNT) \
    int call_##name MPI_WITH_NEXT(const void *from, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                                  MPI_Request *request) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        return started_send(next(from, count, type, to, tag, comm, request), &message, request); \
    }
#define INITS_SEND(name, COUNT) \
    int call_##name MPI_WITH_NEXT(const void *from, COUNT count, MPI_Datatype type, int to, int tag, MPI_Comm comm, \
                                  MPI_Request *request) \
    { \
        const int64_t bytes = to == MPI_PROC_NULL ? 0 : mpi_bytes(count, type); \
        const int status = next(from, count, type, to, tag, comm, request); \
        if (status == MPI_SUCCESS) \
            mpi_keep_persistent_send(*request, bytes, to, tag, comm); \
        return status; \
    }

/* ---- receives */

/* The status of a call, also where the program wants none. */
#define OWN_STATUS(status) \
    MPI_Status own; \
    if ((status) == MPI_STATUS_IGNORE) \
        (status) = &own

/* A blocking receive is complete, unless the call failed. */
static int completed(int result, mpi_receive *receive, const MPI_Status *status)
{
    if (result == MPI_SUCCESS || mpi_class_of(result) == MPI_ERR_TRUNCATE)
        mpi_complete(receive, status);
    else
        mpi_fail(receive);
    return result;
}

/* One that is started has its request from then on. */
static int started(int result, mpi_receive *receive, const MPI_Request *request)
{
    if (result == MPI_SUCCESS)
        mpi_keep_receive(*request, receive);
    else
        mpi_fail(receive);
    return result;
}

#define RECEIVES(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *to, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
                                  MPI_Status *status) \
    { \
        mpi_receive *const receive = mpi_post(comm, from, tag); \
        OWN_STATUS(status); \
        return completed(next(to, count, type, from, tag, comm, status), receive, status); \
    }
#define STARTS_RECEIVE(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *to, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
                                  MPI_Request *request) \
    { \
        mpi_receive *const receive = mpi_post(comm, from, tag); \
        return started(next(to, count, type, from, tag, comm, request), receive, request); \
    }
#define INITS_RECEIVE(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *to, COUNT count, MPI_Datatype type, int from, int tag, MPI_Comm comm, \
                                  MPI_Request *request) \
    { \
        const int result = next(to, count, type, from, tag, comm, request); \
        if (result == MPI_SUCCESS) \
            mpi_keep_persistent_receive(*request, from, tag, comm); \
        return result; \
    }

/* ---- both */

#define EXCHANGES(name, COUNT) \
    int call_##name MPI_WITH_NEXT(const void *from, COUNT count, MPI_Datatype type, int to, int tag, void *into, \
                                  COUNT into_count, MPI_Datatype into_type, int source, int into_tag, MPI_Comm comm, \
                                  MPI_Status *status) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        mpi_receive *const receive = mpi_post(comm, source, into_tag); \
        OWN_STATUS(status); \
        return completed(mpi_sent(&message, next(from, count, type, to, tag, into, into_count, into_type, source, \
                                                 into_tag, comm, status)), receive, status); \
    }
#define REPLACES(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *buffer, COUNT count, MPI_Datatype type, int to, int tag, int source, \
                                  int into_tag, MPI_Comm comm, MPI_Status *status) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        mpi_receive *const receive = mpi_post(comm, source, into_tag); \
        OWN_STATUS(status); \
        return completed(mpi_sent(&message, next(buffer, count, type, to, tag, source, into_tag, comm, status)), \
                         receive, status); \
    }
/* One request for both.  Its status should be that of the receive, but MPICH leaves it empty (seen with 4.0.2). */
#define STARTS_EXCHANGE(name, COUNT) \
    int call_##name MPI_WITH_NEXT(const void *from, COUNT count, MPI_Datatype type, int to, int tag, void *into, \
                                  COUNT into_count, MPI_Datatype into_type, int source, int into_tag, MPI_Comm comm, \
                                  MPI_Request *request) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        mpi_receive *const receive = mpi_post_without_status(comm, source, into_tag); \
        return started(mpi_sent(&message, next(from, count, type, to, tag, into, into_count, into_type, source, \
                                               into_tag, comm, request)), receive, request); \
    }
#define STARTS_REPLACE(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *buffer, COUNT count, MPI_Datatype type, int to, int tag, int source, \
                                  int into_tag, MPI_Comm comm, MPI_Request *request) \
    { \
        const mpi_message message = mpi_send(count, type, to, tag, comm); \
        mpi_receive *const receive = mpi_post_without_status(comm, source, into_tag); \
        return started(mpi_sent(&message, next(buffer, count, type, to, tag, source, into_tag, comm, request)), \
                       receive, request); \
    }

/* ---- matched probes take a message out: its receive is posted there, and complete when the message is received */

static mpi_map matched; /* receives by the handles of messages */

static void keep_matched(MPI_Comm comm, MPI_Message message, const MPI_Status *status)
{
    mpi_receive *receive;
    uint64_t *place;
    if (message == MPI_MESSAGE_NO_PROC || message == MPI_MESSAGE_NULL)
        return;
    receive = mpi_post(comm, status->MPI_SOURCE, status->MPI_TAG);
    mpi_lock();
    place = receive ? mpi_map_add(&matched, MPI_NUMBER(message), 0) : NULL;
    if (place)
        *place = (uint64_t)(uintptr_t)receive;
    mpi_unlock();
    if (!place)
        mpi_fail(receive);
}

static mpi_receive *take_matched(MPI_Message message)
{
    uint64_t receive;
    mpi_lock();
    receive = mpi_map_remove(&matched, MPI_NUMBER(message), 0);
    mpi_unlock();
    return (mpi_receive *)(uintptr_t)receive;
}

int call_Mprobe MPI_WITH_NEXT(int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status)
{
    int result;
    OWN_STATUS(status);
    result = next(from, tag, comm, message, status);
    if (result == MPI_SUCCESS)
        keep_matched(comm, *message, status);
    return result;
}

int call_Improbe MPI_WITH_NEXT(int from, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    int result;
    OWN_STATUS(status);
    result = next(from, tag, comm, flag, message, status);
    if (result == MPI_SUCCESS && *flag)
        keep_matched(comm, *message, status);
    return result;
}

#define RECEIVES_MATCHED(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *to, COUNT count, MPI_Datatype type, MPI_Message *message, MPI_Status *status) \
    { \
        mpi_receive *const receive = take_matched(*message); \
        OWN_STATUS(status); \
        return completed(next(to, count, type, message, status), receive, status); \
    }
#define STARTS_MATCHED(name, COUNT) \
    int call_##name MPI_WITH_NEXT(void *to, COUNT count, MPI_Datatype type, MPI_Message *message, \
                                  MPI_Request *request) \
    { \
        mpi_receive *const receive = take_matched(*message); \
        return started(next(to, count, type, message, request), receive, request); \
    }

/* ---- all of these, with counts of int, and of MPI_Count since version 4 */

#define FORMS(suffix, COUNT) \
    SENDS(Send##suffix, COUNT) \
    SENDS(Bsend##suffix, COUNT) \
    SENDS(Ssend##suffix, COUNT) \
    SENDS(Rsend##suffix, COUNT) \
    STARTS_SEND(Isend##suffix, COUNT) \
    STARTS_SEND(Ibsend##suffix, COUNT) \
    STARTS_SEND(Issend##suffix, COUNT) \
    STARTS_SEND(Irsend##suffix, COUNT) \
    INITS_SEND(Send_init##suffix, COUNT) \
    INITS_SEND(Bsend_init##suffix, COUNT) \
    INITS_SEND(Ssend_init##suffix, COUNT) \
    INITS_SEND(Rsend_init##suffix, COUNT) \
    RECEIVES(Recv##suffix, COUNT) \
    STARTS_RECEIVE(Irecv##suffix, COUNT) \
    INITS_RECEIVE(Recv_init##suffix, COUNT) \
    EXCHANGES(Sendrecv##suffix, COUNT) \
    REPLACES(Sendrecv_replace##suffix, COUNT) \
    RECEIVES_MATCHED(Mrecv##suffix, COUNT) \
    STARTS_MATCHED(Imrecv##suffix, COUNT)

FORMS(, int)
#if MPI_VERSION >= 4
FORMS(_c, MPI_Count)
STARTS_EXCHANGE(Isendrecv, int)
STARTS_EXCHANGE(Isendrecv_c, MPI_Count)
STARTS_REPLACE(Isendrecv_replace, int)
STARTS_REPLACE(Isendrecv_replace_c, MPI_Count)
#endif

/* ---- requests */

int call_Start MPI_WITH_NEXT(MPI_Request *request)
{
    int result;
    mpi_start(*request);
    result = next(request);
    mpi_started(*request);
    return result;
}

int call_Startall MPI_WITH_NEXT(int count, MPI_Request requests[])
{
    int i, result;
    for (i = 0; i < count; i++)
        mpi_start(requests[i]);
    result = next(count, requests);
    for (i = 0; i < count; i++)
        mpi_started(requests[i]);
    return result;
}

int call_Cancel MPI_WITH_NEXT(MPI_Request *request)
{
    mpi_cancel_request(*request);
    return next(request);
}

int call_Request_free MPI_WITH_NEXT(MPI_Request *request)
{
    mpi_free_request(*request);
    return next(request);
}

/* The new communicator has its place among the children of its parent now.  Its handle may be there already: that is
 * taken then, as the place of it may be gone when the request is complete (calls in Fortran have one of their own). */
static int duplicate(int result, MPI_Comm before, MPI_Comm comm, MPI_Comm *child, const MPI_Request *request)
{
    if (result == MPI_SUCCESS) {
        mpi_origin origin;
        mpi_lock();
        origin = mpi_next_child(comm);
        mpi_unlock();
        mpi_keep_child(*request, *child, child, origin);
    } else if (child && *child == MPI_COMM_NULL) {
        *child = before;
    }
    return result;
}

/* Returns what was in the place of a handle, where MPI_COMM_NULL is now. */
static MPI_Comm clear(MPI_Comm *child)
{
    const MPI_Comm before = child ? *child : MPI_COMM_NULL;
    if (child)
        *child = MPI_COMM_NULL;
    return before;
}

int call_Comm_idup MPI_WITH_NEXT(MPI_Comm comm, MPI_Comm *child, MPI_Request *request)
{
    const MPI_Comm before = clear(child);
    return duplicate(next(comm, child, request), before, comm, child, request);
}

#if MPI_VERSION >= 4
int call_Comm_idup_with_info MPI_WITH_NEXT(MPI_Comm comm, MPI_Info info, MPI_Comm *child, MPI_Request *request)
{
    const MPI_Comm before = clear(child);
    return duplicate(next(comm, info, child, request), before, comm, child, request);
}
#endif
