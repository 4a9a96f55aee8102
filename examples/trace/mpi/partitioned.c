/* Partitioned communication: its messages have the key COMMUNICATOR.FROM.TO.TAG.pPAIR.N.  Sends and receives are paired
 * when they are made, in the order of that (MPI 4.0, section 4.2.2); N counts how many times they are started.  A link
 * goes from the start to the completion of the receive. */
#include "partitioned.h"

#include "call.h"
#include "calls.h"
#include "memory.h"
#include "requests.h"

struct mpi_parts {
    mpi_communicator *comm;
    int64_t bytes;
    int peer, tag, is_send;
    int is_active; /* it is a receive, which was started and is not complete */
    uint32_t pair, starts;
};

#if MPI_VERSION >= 4
static mpi_map sends, receives; /* how many were made, by communicator, and peer and tag */
static mpi_pool records = {sizeof(mpi_parts), NULL, NULL, NULL};

/* Returns NULL if it is with MPI_PROC_NULL, or cannot be followed. */
static mpi_parts *make_parts(MPI_Comm comm, int peer, int tag, int64_t bytes, int is_send)
{
    mpi_communicator *found;
    mpi_parts *it = NULL;
    uint64_t *pair;
    mpi_lock();
    found = peer < 0 ? NULL : mpi_find_communicator(comm);
    pair = found && found->number ? mpi_map_add(is_send ? &sends : &receives, found->number,
                                                (uint64_t)(uint32_t)peer << 32 | (uint32_t)tag) : NULL;
    if (pair && (it = (mpi_parts *)mpi_pool_take(&records))) {
        it->comm = mpi_hold_communicator(comm);
        it->bytes = bytes;
        it->peer = peer;
        it->tag = tag;
        it->is_send = is_send;
        it->pair = (uint32_t)++*pair;
    }
    mpi_unlock();
    return it;
}

static int made(int result, MPI_Request request, int partitions, MPI_Count count, MPI_Datatype type, int peer, int tag,
                MPI_Comm comm, int is_send)
{
    if (result == MPI_SUCCESS)
        mpi_keep_parts(request, make_parts(comm, peer, tag, partitions * mpi_bytes(count, type), is_send));
    return result;
}

int call_Psend_init MPI_WITH_NEXT(const void *from, int partitions, MPI_Count count, MPI_Datatype type, int to,
                                  int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int result = next(from, partitions, count, type, to, tag, comm, info, request);
    return made(result, *request, partitions, count, type, to, tag, comm, 1);
}

int call_Precv_init MPI_WITH_NEXT(void *to, int partitions, MPI_Count count, MPI_Datatype type, int from, int tag,
                                  MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int result = next(to, partitions, count, type, from, tag, comm, info, request);
    return made(result, *request, partitions, count, type, from, tag, comm, 0);
}
#endif

static void make_key(char *key, const mpi_parts *it)
{
    char *p = it->is_send ? mpi_put_channel(key, &it->comm->name, it->comm->rank, it->peer, it->tag)
                          : mpi_put_channel(key, &it->comm->remote_name, it->peer, it->comm->rank, it->tag);
    *p++ = 'p';
    p = mpi_put_number(p, it->pair);
    *p++ = '.';
    p = mpi_put_number(p, it->starts);
    *p = 0;
}

void mpi_start_parts(mpi_parts *it)
{
    char key[MPI_KEY_SIZE];
    if (!it)
        return;
    it->starts++;
    it->is_active = !it->is_send;
    if (it->is_send && trace_is_on(TRACE_MPI)) {
        make_key(key, it);
        trace_start_message(key, NULL, it->bytes);
    }
}

void mpi_complete_parts(mpi_parts *it)
{
    char key[MPI_KEY_SIZE];
    if (!it || !it->is_active)
        return;
    it->is_active = 0;
    if (trace_is_on(TRACE_MPI)) {
        make_key(key, it);
        trace_end_message(key, NULL, it->bytes);
    }
}

void mpi_free_parts(mpi_parts *it)
{
#if MPI_VERSION >= 4
    if (!it)
        return;
    mpi_lock();
    mpi_release_communicator(it->comm);
    mpi_pool_give(&records, it);
    mpi_unlock();
#else
    (void)it;
#endif
}
