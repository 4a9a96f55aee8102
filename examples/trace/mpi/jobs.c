/* Jobs: which one of the run this is, who its processes are, and jobs that one has spawned. */
#include "base/job.h"
#include "call.h"
#include "calls.h"
#include "communicators.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static uint64_t parents; /* number of the communicator to the job that has spawned this one; 0: unknown */
static trace_rank *self; /* NULL: there is no place for it */
static uint64_t job;     /* the number of the own one; 0: unknown */

/* ---- processes of a job find each other by the page that all processes of the run share */

static uint64_t number_of_rank(uint64_t number, uint64_t rank)
{
    return mpi_mix(number, rank) | 1;
}

uint32_t mpi_container_of(int world_rank)
{
    const trace_rank *it = trace_find_rank(number_of_rank(job, (uint64_t)world_rank));
    return it ? __atomic_load_n(&it->container, __ATOMIC_ACQUIRE) : 0;
}

/* Open MPI tells a process that is spawned who has spawned it, as JOB.RANK:NUMBER. */
void mpi_find_parent(void)
{
    const char *text = getenv("OMPI_PARENT_PORT"), *dot = text ? strchr(text, '.') : NULL;
    const trace_rank *parent;
    char name[64];
    if (!dot || (size_t)(dot - text) >= sizeof name)
        return;
    memcpy(name, text, (size_t)(dot - text));
    name[dot - text] = 0;
    parent = trace_find_rank(number_of_rank(job_number(name), strtoull(dot + 1, NULL, 10)));
    if (parent)
        parents = __atomic_load_n(&parent->spawning, __ATOMIC_ACQUIRE);
}

void mpi_begin_job(void)
{
    const parallel_job found = job_find();
    MPI_Comm parent = MPI_COMM_NULL;
    int rank = 0;
    job = found.rank < 0 ? mpi_mix((uint64_t)getpid(), 1) | 1 : found.number; /* without a launcher it is alone */
    mpi.Comm_rank(MPI_COMM_WORLD, &rank);
    self = trace_add_rank(number_of_rank(job, (uint64_t)rank));
    mpi_add_world(!job || trace_find_job(job) <= 1 ? MPI_FIRST_WORLD : mpi_mix(job, 0) | 1);
    if (mpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != MPI_COMM_NULL)
        mpi_add_communicator(parent, (mpi_origin){parents, '>'});
}

/* ---- calls */

/* Tells the processes that are spawned the number of the communicator, before they can ask for it. */
static mpi_origin begin_spawn(MPI_Comm comm, int root)
{
    const mpi_communicator *parent;
    mpi_origin origin;
    mpi_lock();
    origin = mpi_next_child(comm);
    parent = mpi_find_communicator(comm);
    if (self && parent && parent->rank == root)
        __atomic_store_n(&self->spawning, origin.number, __ATOMIC_RELEASE);
    mpi_unlock();
    origin.side = '<';
    return origin;
}

static int end_spawn(int status, const MPI_Comm *child, mpi_origin origin)
{
    if (status == MPI_SUCCESS) {
        mpi_lock();
        mpi_add_communicator(*child, origin);
        mpi_unlock();
    }
    return status;
}

int call_Comm_spawn MPI_WITH_NEXT(const char *command, char *words[], int count, MPI_Info info, int root,
                                  MPI_Comm comm, MPI_Comm *child, int codes[])
{
    const mpi_origin origin = begin_spawn(comm, root);
    return end_spawn(next(command, words, count, info, root, comm, child, codes), child, origin);
}

int call_Comm_spawn_multiple MPI_WITH_NEXT(int count, char *commands[], char **words[], const int counts[],
                                           const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *child,
                                           int codes[])
{
    const mpi_origin origin = begin_spawn(comm, root);
    return end_spawn(next(count, commands, words, counts, infos, root, comm, child, codes), child, origin);
}
