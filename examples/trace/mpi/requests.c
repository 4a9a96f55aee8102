/* Requests that have to be followed; the calls that start, complete and free them. */
#include "requests.h"

#include "call.h"
#include "calls.h"
#include "memory.h"

#include <string.h>

typedef struct mpi_request {
    uintptr_t handle;
    int is_persistent, is_send;
    mpi_receive *receive; /* that is active; NULL: none */
    int64_t bytes;
    int peer, tag;
    uint32_t number; /* of the message that is being sent; 0: none, or it cannot be followed */
    mpi_channel *channel; /* of that */
    mpi_communicator *comm; /* of a persistent one: it may be freed before the request */
    mpi_parts *parts;      /* NULL: it is not partitioned */
    MPI_Comm child;
    const MPI_Comm *place; /* of the handle of the child, if that is MPI_COMM_NULL; NULL: it makes no communicator */
    mpi_origin origin;
} mpi_request;

static mpi_map requests; /* by their handles */
static mpi_pool records = {sizeof(mpi_request), NULL, NULL, NULL};

static mpi_request *find(uintptr_t handle)
{
    const uint64_t *place = mpi_map_find(&requests, handle, 0);
    return place ? (mpi_request *)(uintptr_t)*place : NULL;
}

/* Adds one, under mpi_lock; NULL: there is nothing to follow, or no memory.  One that has the same handle is being
 * completed by another thread, which knows it. */
static mpi_request *add(MPI_Request handle)
{
    uint64_t *place = handle == MPI_REQUEST_NULL ? NULL : mpi_map_add(&requests, MPI_NUMBER(handle), 0);
    mpi_request *it = place ? (mpi_request *)mpi_pool_take(&records) : NULL;
    if (it) {
        it->handle = MPI_NUMBER(handle);
        *place = (uint64_t)(uintptr_t)it;
    } else if (place) {
        mpi_map_remove(&requests, MPI_NUMBER(handle), 0);
    }
    return it;
}

void mpi_forget(MPI_Request handle)
{
    if (!mpi.is_multiple)
        return;
    mpi_lock();
    mpi_map_remove(&requests, MPI_NUMBER(handle), 0);
    mpi_unlock();
}

void mpi_keep_receive(MPI_Request request, mpi_receive *receive)
{
    mpi_request *it;
    if (!receive) {
        mpi_forget(request);
        return;
    }
    mpi_lock();
    it = add(request);
    if (it)
        it->receive = receive;
    mpi_unlock();
    if (!it)
        mpi_abandon(receive);
}

static int is_complete(MPI_Request handle)
{
    MPI_Status status;
    int flag = 0;
    return mpi.Request_get_status(handle, &flag, &status) == MPI_SUCCESS && flag;
}

void mpi_keep_send(MPI_Request request, const mpi_message *message)
{
    mpi_request *it;
    if (!message->number || !message->is_on || is_complete(request)) {
        mpi_forget(request);
        return;
    }
    mpi_lock();
    it = add(request);
    if (it) {
        it->number = message->number;
        it->channel = message->channel;
    }
    mpi_unlock();
}

static void keep_persistent(MPI_Request request, int is_send, int64_t bytes, int peer, int tag, MPI_Comm comm)
{
    mpi_request *it;
    mpi_lock();
    it = add(request);
    if (it) {
        it->is_persistent = 1;
        it->is_send = is_send;
        it->bytes = bytes;
        it->peer = peer;
        it->tag = tag;
        it->comm = mpi_hold_communicator(comm);
    }
    mpi_unlock();
}

void mpi_keep_persistent_receive(MPI_Request request, int from, int tag, MPI_Comm comm)
{
    keep_persistent(request, 0, 0, from, tag, comm);
}

void mpi_keep_persistent_send(MPI_Request request, int64_t bytes, int to, int tag, MPI_Comm comm)
{
    keep_persistent(request, 1, bytes, to, tag, comm);
}

void mpi_keep_parts(MPI_Request request, mpi_parts *parts)
{
    mpi_request *it;
    if (!parts) {
        mpi_forget(request);
        return;
    }
    mpi_lock();
    it = add(request);
    if (it) {
        it->is_persistent = 1;
        it->parts = parts;
    }
    mpi_unlock();
    if (!it)
        mpi_free_parts(parts);
}

void mpi_keep_child(MPI_Request request, MPI_Comm child, const MPI_Comm *place, mpi_origin origin)
{
    mpi_request *it;
    mpi_lock();
    it = add(request);
    if (it) {
        it->child = child;
        it->place = place;
        it->origin = origin;
    }
    mpi_unlock();
}

void mpi_know(int count, const MPI_Request *handles, mpi_known *known)
{
    int i;
    mpi_lock();
    for (i = 0; i < count; i++)
        known[i] = !requests.count || handles[i] == MPI_REQUEST_NULL ? 0
                   : mpi.is_multiple ? (mpi_known)find(MPI_NUMBER(handles[i])) : MPI_NUMBER(handles[i]);
    mpi_unlock();
}

static mpi_request *find_known(mpi_known known)
{
    return !known || mpi.is_multiple ? (mpi_request *)known : find(known);
}

/* Returns a copy, under mpi_lock; of one that is not persistent, the record ends. */
static mpi_request take(mpi_request *it, int is_freed)
{
    const mpi_request copy = *it;
    it->receive = NULL;
    if (it->is_persistent && !is_freed)
        return copy;
    if (find(it->handle) == it)
        mpi_map_remove(&requests, it->handle, 0);
    if (it->comm)
        mpi_release_communicator(it->comm);
    mpi_pool_give(&records, it);
    return copy;
}

void mpi_complete_request(mpi_known known, const MPI_Status *status)
{
    mpi_request *found, it;
    mpi_lock();
    found = find_known(known);
    if (!found) {
        mpi_unlock();
        return;
    }
    if (found->number)
        mpi_complete_send(found->channel, found->number);
    found->number = 0;
    it = take(found, 0);
    if (it.place)
        mpi_add_communicator(it.child == MPI_COMM_NULL ? *it.place : it.child, it.origin);
    mpi_unlock();
    mpi_complete(it.receive, status);
    mpi_complete_parts(it.parts);
}

void mpi_fail_request(mpi_known known)
{
    mpi_request *found;
    mpi_receive *receive;
    mpi_lock();
    found = find_known(known);
    receive = found ? take(found, 0).receive : NULL;
    mpi_unlock();
    mpi_fail(receive);
}

void mpi_free_request(MPI_Request handle)
{
    mpi_request *found, it;
    MPI_Status status;
    int is_over = 0;
    mpi_lock();
    found = find(MPI_NUMBER(handle));
    if (!found) {
        mpi_unlock();
        return;
    }
    it = take(found, 1);
    mpi_unlock();
    if (it.receive && mpi.Request_get_status(handle, &is_over, &status) == MPI_SUCCESS && is_over)
        mpi_complete(it.receive, &status);
    else
        mpi_abandon(it.receive);
    mpi_free_parts(it.parts);
}

void mpi_cancel_request(MPI_Request handle)
{
    const mpi_request *it;
    mpi_lock();
    it = find(MPI_NUMBER(handle));
    mpi_unlock();
    if (it)
        mpi_doubt(it->receive);
}

void mpi_start(MPI_Request handle)
{
    mpi_request it;
    const mpi_request *found;
    mpi_receive *receive;
    memset(&it, 0, sizeof it);
    mpi_lock();
    found = find(MPI_NUMBER(handle));
    if (found)
        it = *found;
    mpi_unlock();
    if (!it.is_persistent)
        return;
    if (it.parts) {
        mpi_start_parts(it.parts);
        return;
    }
    if (it.is_send) {
        const mpi_message message = mpi_send_bytes(it.bytes, it.peer, it.tag, it.comm);
        mpi_request *sending;
        mpi_lock();
        sending = find(MPI_NUMBER(handle));
        if (sending) {
            sending->number = message.number;
            sending->channel = message.channel;
        }
        mpi_unlock();
        return;
    }
    receive = mpi_post_on(it.comm, it.peer, it.tag);
    mpi_lock();
    if (find(MPI_NUMBER(handle)))
        find(MPI_NUMBER(handle))->receive = receive;
    mpi_unlock();
}

void mpi_started(MPI_Request handle)
{
    mpi_request *it;
    int is_send;
    mpi_lock();
    it = find(MPI_NUMBER(handle));
    is_send = it && it->number;
    mpi_unlock();
    if (!is_send || !is_complete(handle))
        return;
    mpi_lock();
    it = find(MPI_NUMBER(handle));
    if (it)
        it->number = 0;
    mpi_unlock();
}
