/* Calls of MPI other than messages, for the tests of the tracer.  Three processes.
 *
 *     mpi_more accesses      one-sided communication: rank r uses 8 * (r + 1) bytes of the next one, by each call
 *     mpi_more topologies    neighborhood collective operations
 *     mpi_more rooted        collective operations with a root, each with other bytes
 *     mpi_more partitioned   messages in parts, since version 4
 *     mpi_more files         a file that all write and read; fails if what is read is not what was written
 *     mpi_more killed        uses the memory of a process that is killed meanwhile
 *     mpi_more lost          sends messages of which one of ten is received
 *     mpi_more spawn         starts two processes, which get messages, and are one group with the others then
 *     mpi_more tasks TAGS    10,000 messages from 0 to 1, each sent and received by one of four threads, which calls
 *                            MPI_Testall until it is complete; that of tag t has t % 1000 + 1 bytes */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static long own[64], other[64], result[64];

static void accesses(void)
{
    const int to = (rank + 1) % size, count = rank + 1;
    int i;
    MPI_Win window;
    MPI_Comm backwards;
    MPI_Request requests[4];
    MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_fence(0, window);
    MPI_Put(other, count, MPI_LONG, to, 0, count, MPI_LONG, window);
    MPI_Get(other, count, MPI_LONG, to, 8, count, MPI_LONG, window);
    MPI_Accumulate(other, count, MPI_LONG, to, 16, count, MPI_LONG, MPI_SUM, window);
    MPI_Put(other, count, MPI_LONG, MPI_PROC_NULL, 0, count, MPI_LONG, window);
    MPI_Win_fence(0, window);
    MPI_Win_lock_all(0, window);
    MPI_Get_accumulate(NULL, 0, MPI_LONG, result, count, MPI_LONG, to, 24, count, MPI_LONG, MPI_NO_OP, window);
    MPI_Fetch_and_op(other, result, MPI_LONG, to, 32, MPI_SUM, window);
    MPI_Compare_and_swap(other, result + 1, result + 2, MPI_LONG, to, 33, window);
    MPI_Win_flush_all(window);
    MPI_Rput(other, count, MPI_LONG, to, 0, count, MPI_LONG, window, &requests[0]);
    MPI_Rget(other + 8, count, MPI_LONG, to, 8, count, MPI_LONG, window, &requests[1]);
    MPI_Raccumulate(other, count, MPI_LONG, to, 16, count, MPI_LONG, MPI_SUM, window, &requests[2]);
    MPI_Rget_accumulate(other, count, MPI_LONG, result, count, MPI_LONG, to, 24, count, MPI_LONG, MPI_SUM, window,
                        &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Win_unlock_all(window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_fence(0, window);
    MPI_Put(other, -1, MPI_LONG, to, 0, count, MPI_LONG, window); /* fails, and accesses nothing */
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    /* Windows whose handle may be that of the one before, and whose ranks are others. */
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
    for (i = 0; i < 2; i++) {
        MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, backwards, &window);
        MPI_Win_fence(0, window);
        MPI_Put(other, 1, MPI_LONG, 0, 40 + rank, 1, MPI_LONG, window); /* to the last rank of the world */
        MPI_Win_fence(0, window);
        MPI_Win_free(&window);
    }
    MPI_Comm_free(&backwards);
}

/* The ends of a line of three have one neighbor; in a circle all have two; in a graph they know those after them. */
static void topologies(void)
{
    const int dimensions[] = {3}, open[] = {0}, closed[] = {1}, degree = size - 1 - rank, one[] = {1, 1, 1, 1};
    const int places[] = {0, 1, 2, 3};
    const MPI_Aint offsets[] = {0, 8, 16, 24};
    const MPI_Datatype types[] = {MPI_LONG, MPI_LONG, MPI_LONG, MPI_LONG};
    MPI_Request request;
    MPI_Comm comms[3];
    int i, after[] = {rank + 1, rank + 2};
    MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, open, 0, &comms[0]);
    MPI_Cart_create(MPI_COMM_WORLD, 1, dimensions, closed, 0, &comms[1]);
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &rank, &degree, after, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comms[2]);
    for (i = 0; i < 3; i++) {
        MPI_Neighbor_allgather(own, 1, MPI_LONG, result, 1, MPI_LONG, comms[i]);
        MPI_Neighbor_allgatherv(own, 1, MPI_LONG, result, one, places, MPI_LONG, comms[i]);
        MPI_Neighbor_alltoall(own, 1, MPI_LONG, result, 1, MPI_LONG, comms[i]);
        MPI_Neighbor_alltoallv(own, one, places, MPI_LONG, result, one, places, MPI_LONG, comms[i]);
        MPI_Neighbor_alltoallw(own, one, offsets, types, result, one, offsets, types, comms[i]);
        MPI_Ineighbor_alltoall(own, 1, MPI_LONG, result, 1, MPI_LONG, comms[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Comm_free(&comms[i]);
    }
}

/* Rooted operations, each of as many bytes as tell which it is; one of no bytes, which is no link. */
static void rooted(void)
{
    const int counts[] = {2, 2, 2}, places[] = {0, 2, 4};
    MPI_Comm part, both;
    MPI_Bcast(own, 1, MPI_LONG, 1, MPI_COMM_WORLD);
    MPI_Bcast(own, 0, MPI_LONG, 1, MPI_COMM_WORLD);
    if (rank == 2)
        MPI_Scatter(own, 2, MPI_LONG, MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, 2, MPI_COMM_WORLD);
    else
        MPI_Scatter(NULL, -1, MPI_DATATYPE_NULL, result, 4, MPI_INT, 2, MPI_COMM_WORLD);
    MPI_Scatterv(own, counts, places, MPI_LONG, result, 2, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Gather(own, 3, MPI_LONG, result, 3, MPI_LONG, 0, MPI_COMM_WORLD);
    MPI_Gatherv(own, 2, MPI_LONG, result, counts, places, MPI_LONG, 2, MPI_COMM_WORLD);
    MPI_Reduce(own, result, 5, MPI_LONG, MPI_SUM, 1, MPI_COMM_WORLD);
    /* Rank 0 to the two of the other group. */
    MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part);
    MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 7, &both);
    MPI_Bcast(own, 6, MPI_LONG, rank > 0 ? 0 : MPI_ROOT, both);
    MPI_Bcast(own, 7, MPI_LONG, rank == 0 ? 0 : rank == 1 ? MPI_ROOT : MPI_PROC_NULL, both);
    MPI_Comm_free(&both);
    MPI_Comm_free(&part);
}

static void partitioned(void)
{
#if MPI_VERSION >= 4
    const int to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request requests[4];
    int i, k, flag;
    for (i = 0; i < 2; i++) { /* two pairs with the same tag; four parts are received as two */
        MPI_Psend_init(own, 4, 2 + 2 * i, MPI_LONG, to, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[i]);
        MPI_Precv_init(result, 2, 4 + 4 * i, MPI_LONG, from, 5, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[2 + i]);
    }
    for (k = 0; k < 3; k++) {
        MPI_Startall(4, requests);
        for (i = 0; i < 2; i++) {
            MPI_Pready(3, requests[i]);
            MPI_Pready_range(0, 2, requests[i]);
        }
        for (flag = 0; !flag; usleep(20))
            MPI_Parrived(requests[2], 1, &flag);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (i = 0; i < 4; i++)
        MPI_Request_free(&requests[i]);
#endif
}

static void killed(void)
{
    MPI_Win window;
    int i;
    MPI_Win_create(own, sizeof own, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_lock_all(0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    for (i = 0; rank != 1 || i < 100; i++)
        MPI_Put(other, 1, MPI_LONG, 1, 0, 1, MPI_LONG, window);
    kill(getpid(), SIGKILL);
}

static void lost(void)
{
    int i;
    for (i = 0; i < 5 && rank != 1; i++)
        MPI_Send(own, 1, MPI_CHAR, 1, i, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(result, 1, MPI_CHAR, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exchange(MPI_Comm all)
{
    int from, n;
    MPI_Comm_rank(all, &from);
    MPI_Comm_size(all, &n);
    MPI_Sendrecv(own, 10 + from, MPI_CHAR, (from + 1) % n, 3, result, 64, MPI_CHAR, (from + n - 1) % n, 3, all,
                 MPI_STATUS_IGNORE);
}

static void spawn(const char *program)
{
    MPI_Comm parent, comm, copy, all;
    int i;
    MPI_Comm_get_parent(&parent);
    comm = parent;
    if (parent == MPI_COMM_NULL) {
        static char word[] = "spawn";
        char *words[] = {word, NULL};
        MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 1, MPI_COMM_WORLD, &comm, MPI_ERRCODES_IGNORE);
    }
    MPI_Comm_dup(comm, &copy);
    if (parent == MPI_COMM_NULL)
        for (i = 0; i < 2; i++)
            MPI_Send(own, 20 + 2 * rank + i, MPI_CHAR, i, 1, i ? copy : comm);
    else
        for (i = 0; i < 3; i++)
            MPI_Recv(result, 64, MPI_CHAR, MPI_ANY_SOURCE, 1, rank ? copy : comm, MPI_STATUS_IGNORE);
    MPI_Intercomm_merge(comm, parent != MPI_COMM_NULL, &all);
    exchange(all);
    MPI_Comm_split(all, rank % 2, 0, &comm);
    exchange(comm);
    MPI_Barrier(all);
    MPI_Comm_free(&comm);
    MPI_Comm_free(&all);
    MPI_Comm_free(&copy);
}

static int tasks_begun, tags;

static void *do_tasks(void *data)
{
    enum { TASKS = 10000 };
    char buffer[1000] = "";
    int i;
    while ((i = __atomic_fetch_add(&tasks_begun, 1, __ATOMIC_RELAXED)) < TASKS) {
        const int tag = i % tags;
        MPI_Request request = MPI_REQUEST_NULL;
        int flag;
        if (rank == 0)
            MPI_Isend(buffer, tag % 1000 + 1, MPI_CHAR, 1, tag, MPI_COMM_WORLD, &request);
        else
            MPI_Irecv(buffer, 1000, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &request);
        while (MPI_Testall(1, &request, &flag, MPI_STATUSES_IGNORE) == MPI_SUCCESS && !flag)
            usleep(20);
    }
    return data;
}

static void tasks(void)
{
    pthread_t threads[4];
    int i;
    for (i = 0; i < 4 && rank < 2; i++)
        pthread_create(&threads[i], NULL, do_tasks, NULL);
    for (i = 0; i < 4 && rank < 2; i++)
        pthread_join(threads[i], NULL);
}

static void require(int is_right)
{
    if (!is_right)
        MPI_Abort(MPI_COMM_WORLD, 9);
}

/* Rank r writes what has its number, by each way, and reads what the next one has written. */
static void files(void)
{
    const int next = (rank + 1) % size;
    int i, taken;
    MPI_File file;
    MPI_Request requests[2];
    MPI_Status status;
    require(MPI_File_open(MPI_COMM_WORLD, "file.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                          MPI_INFO_NULL, &file) == MPI_SUCCESS);
    for (i = 0; i < 64; i++)
        own[i] = 100 * rank + i;
    for (i = 0; i < 5; i++)
        MPI_File_write_at(file, (MPI_Offset)sizeof own * rank + 8 * i, own + i, 1, MPI_LONG, MPI_STATUS_IGNORE);
    MPI_File_write_at_all(file, (MPI_Offset)sizeof own * rank + 40, own + 5, 25, MPI_LONG, &status);
    MPI_Get_count(&status, MPI_LONG, &taken);
    require(taken == 25);
    MPI_File_iwrite_at(file, (MPI_Offset)sizeof own * rank + 240, own + 30, 10, MPI_LONG, &requests[0]);
    MPI_File_iwrite_at(file, (MPI_Offset)sizeof own * rank + 320, own + 40, 24, MPI_LONG, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_File_sync(file);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_view(file, (MPI_Offset)sizeof own * next, MPI_LONG, MPI_LONG, "native", MPI_INFO_NULL);
    MPI_File_read_all(file, other, 32, MPI_LONG, MPI_STATUS_IGNORE);
    MPI_File_iread(file, other + 32, 16, MPI_LONG, &requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_File_seek(file, 48, MPI_SEEK_SET);
    MPI_File_read(file, other + 48, 16, MPI_LONG, MPI_STATUS_IGNORE);
#ifdef OPEN_MPI /* in 1 of 75 runs of 4.1.4, also untraced, MPI_File_iwrite_at has not written after the wait */
    for (i = 0; i < 30; i++)
#else
    for (i = 0; i < 64; i++)
#endif
        require(other[i] == 100 * next + i);
    MPI_File_close(&file);
}

/* Calls fail, and the program's handler of errors is called, as often as without the tracer. */
static int errors;

static void count_error(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    errors++;
}

static void wrong(void)
{
    long one = 1, all[8];
    MPI_Errhandler handler;
    MPI_Request request;
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_RETURN); /* those of MPI_COMM_WORLD end the program */
    require(MPI_Send(&one, 1, MPI_DATATYPE_NULL, 0, 1, copy) != MPI_SUCCESS);
    require(MPI_Isend(&one, 1, MPI_DATATYPE_NULL, 0, 1, copy, &request) != MPI_SUCCESS);
    require(MPI_Bcast(&one, 1, MPI_DATATYPE_NULL, 0, copy) != MPI_SUCCESS);
    MPI_Comm_free(&copy);
    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    require(MPI_Gather(&one, 1, MPI_LONG, all, 1, MPI_LONG, 0, MPI_COMM_NULL) != MPI_SUCCESS);
    require(MPI_Scatter(all, 1, MPI_LONG, &one, 1, MPI_LONG, 0, MPI_COMM_NULL) != MPI_SUCCESS);
    require(MPI_Reduce_scatter_block(all, &one, 1, MPI_LONG, MPI_SUM, MPI_COMM_NULL) != MPI_SUCCESS);
    require(MPI_Alltoall(all, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_NULL) != MPI_SUCCESS);
    require(MPI_Comm_idup(MPI_COMM_NULL, &copy, &request) != MPI_SUCCESS);
    require(errors == 5);
    MPI_Errhandler_free(&handler);
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "";
    int provided;
    if (strcmp(what, "tasks") == 0)
        MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "accesses") == 0)
        accesses();
    else if (strcmp(what, "topologies") == 0)
        topologies();
    else if (strcmp(what, "rooted") == 0)
        rooted();
    else if (strcmp(what, "partitioned") == 0)
        partitioned();
    else if (strcmp(what, "wrong") == 0)
        wrong();
    else if (strcmp(what, "files") == 0)
        files();
    else if (strcmp(what, "killed") == 0)
        killed();
    else if (strcmp(what, "lost") == 0)
        lost();
    else if (strcmp(what, "spawn") == 0)
        spawn(words[0]);
    else if (strcmp(what, "tasks") == 0 && (tags = count > 2 ? atoi(words[2]) : 1) > 0)
        tasks();
    MPI_Finalize();
    return 0;
}
