/* The calls that wait for requests, or test them. */
#include "calls.h"
#include "memory.h"
#include "requests.h"

#include <string.h>

/* What a call takes: what its requests are known by, and statuses if the program wants none. */
enum { FEW = 64 };
typedef struct mpi_copies {
    mpi_known few_requests[FEW], *requests;
    MPI_Status few_statuses[FEW], *statuses;
    size_t count;
    int is_whole; /* 0: there was no memory, so what the call completes is not known */
} mpi_copies;

static void take_copies(mpi_copies *it, int count, const MPI_Request *requests, MPI_Status *statuses)
{
    it->count = count > 0 ? (size_t)count : 0;
    it->requests = it->few_requests;
    it->statuses = statuses == MPI_STATUSES_IGNORE ? it->few_statuses : statuses;
    if (it->count > FEW) {
        it->requests = (mpi_known *)mpi_take_memory(it->count * sizeof *it->requests);
        if (statuses == MPI_STATUSES_IGNORE)
            it->statuses = (MPI_Status *)mpi_take_memory(it->count * sizeof *statuses);
    }
    if (it->requests)
        mpi_know(count, requests, it->requests);
    it->is_whole = it->requests && it->statuses;
    if (!it->statuses)
        it->statuses = MPI_STATUSES_IGNORE;
}

static void give_copies(mpi_copies *it, const MPI_Status *statuses)
{
    if (it->count <= FEW)
        return;
    mpi_give_memory(it->requests, it->count * sizeof *it->requests);
    if (it->statuses != statuses)
        mpi_give_memory(it->statuses, it->count * sizeof *it->statuses);
}

/* One that the call has completed, or has ended with an error; one that is pending goes on. */
static void ended(int result, mpi_known request, const MPI_Status *status)
{
    const int is_in_status = mpi_class_of(result) == MPI_ERR_IN_STATUS;
    const int error = mpi_class_of(is_in_status ? status->MPI_ERROR : result);
    if (error == MPI_SUCCESS || error == MPI_ERR_TRUNCATE)
        mpi_complete_request(request, status);
    else if (error != MPI_ERR_PENDING && is_in_status)
        mpi_fail_request(request);
}

/* As that, for a call with one request. */
static void one_ended(int result, mpi_known request, const MPI_Status *status)
{
    if (result == MPI_SUCCESS || mpi_class_of(result) == MPI_ERR_TRUNCATE)
        mpi_complete_request(request, status);
    else
        mpi_fail_request(request);
}

int call_Wait MPI_WITH_NEXT(MPI_Request *request, MPI_Status *status)
{
    MPI_Status own;
    mpi_known before;
    int result;
    mpi_know(1, request, &before);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    result = next(request, status);
    one_ended(result, before, status);
    return result;
}

int call_Test MPI_WITH_NEXT(MPI_Request *request, int *flag, MPI_Status *status)
{
    MPI_Status own;
    mpi_known before;
    int result;
    mpi_know(1, request, &before);
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    result = next(request, flag, status);
    if (result != MPI_SUCCESS || *flag)
        one_ended(result, before, status);
    return result;
}

static void all_ended(int result, const mpi_copies *it, int count)
{
    int i;
    for (i = 0; it->is_whole && i < count; i++)
        ended(result, it->requests[i], &it->statuses[i]);
}

int call_Waitall MPI_WITH_NEXT(int count, MPI_Request requests[], MPI_Status statuses[])
{
    mpi_copies copies;
    int result;
    take_copies(&copies, count, requests, statuses);
    result = next(count, requests, copies.statuses);
    all_ended(result, &copies, count);
    give_copies(&copies, statuses);
    return result;
}

int call_Testall MPI_WITH_NEXT(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    mpi_copies copies;
    int result;
    take_copies(&copies, count, requests, statuses);
    result = next(count, requests, flag, copies.statuses);
    if (mpi_class_of(result) == MPI_ERR_IN_STATUS || *flag)
        all_ended(result, &copies, count);
    give_copies(&copies, statuses);
    return result;
}

int call_Waitany MPI_WITH_NEXT(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    mpi_copies copies;
    MPI_Status own;
    int result;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    take_copies(&copies, count, requests, MPI_STATUSES_IGNORE);
    result = next(count, requests, index, status);
    if (copies.is_whole && *index >= 0 && *index < count) /* after an error it may be anything */
        one_ended(result, copies.requests[*index], status);
    give_copies(&copies, MPI_STATUSES_IGNORE);
    return result;
}

int call_Testany MPI_WITH_NEXT(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    mpi_copies copies;
    MPI_Status own;
    int result;
    if (status == MPI_STATUS_IGNORE)
        status = &own;
    take_copies(&copies, count, requests, MPI_STATUSES_IGNORE);
    result = next(count, requests, index, flag, status);
    if (copies.is_whole && *flag && *index >= 0 && *index < count)
        one_ended(result, copies.requests[*index], status);
    give_copies(&copies, MPI_STATUSES_IGNORE);
    return result;
}

static int complete_some(int (*next)(int, MPI_Request *, int *, int *, MPI_Status *), int count,
                         MPI_Request *requests, int *completed, int *indices, MPI_Status *statuses)
{
    mpi_copies copies;
    int result, i;
    take_copies(&copies, count, requests, statuses);
    result = next(count, requests, completed, indices, copies.statuses);
    if (copies.is_whole && *completed <= count && (result == MPI_SUCCESS || mpi_class_of(result) == MPI_ERR_IN_STATUS))
        for (i = 0; i < *completed; i++)
            ended(result, copies.requests[indices[i]], &copies.statuses[i]);
    give_copies(&copies, statuses);
    return result;
}

int call_Waitsome MPI_WITH_NEXT(int count, MPI_Request requests[], int *completed, int indices[],
                                MPI_Status statuses[])
{
    return complete_some(next, count, requests, completed, indices, statuses);
}

int call_Testsome MPI_WITH_NEXT(int count, MPI_Request requests[], int *completed, int indices[],
                                MPI_Status statuses[])
{
    return complete_some(next, count, requests, completed, indices, statuses);
}
