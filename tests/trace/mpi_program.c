/* Calls of MPI for the tests of the tracer.
 *
 *     mpi_program patterns           every way to send and receive, communicators, collective operations
 *     mpi_program wildcards SEED     rank 0 receives at random what the others send with random delays
 *     mpi_program paused             stops being recorded, and goes on; leaves a call by longjmp, and goes on
 *     mpi_program threads            four threads of each rank send and receive at once
 *     mpi_program abort | exit | kill   ends in the middle: by MPI_Abort, without MPI_Finalize, by SIGKILL of rank 1
 *
 * Each message of a channel has another number of bytes, so that a link that joins the wrong ends is seen by it. */
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size;
static char out[100000], in[64][100000];

/* ---- ways to send and receive */

static void pairs(MPI_Comm comm, int to, int from)
{
    MPI_Request requests[8];
    MPI_Status statuses[8], status;
    int indices[8], done, index, flag, i, left;
    const int any = from == MPI_PROC_NULL ? MPI_PROC_NULL : MPI_ANY_SOURCE;
    MPI_Sendrecv(out, 11, MPI_CHAR, to, 1, in[0], 100, MPI_CHAR, from, 1, comm, &status);
    MPI_Sendrecv(out, 12, MPI_CHAR, to, 1, in[0], 100, MPI_CHAR, any, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(in[0], 13, MPI_CHAR, to, 2, from, 2, comm, MPI_STATUS_IGNORE);
    for (i = 0; i < 4; i++)
        MPI_Irecv(in[i], 1000, MPI_CHAR, from, 3, comm, &requests[i]);
    for (i = 0; i < 4; i++)
        MPI_Isend(out, 20 + i, MPI_CHAR, to, 3, comm, &requests[4 + i]);
    MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    for (i = 0; i < 4; i++)
        MPI_Irecv(in[i], 1000, MPI_CHAR, i % 2 ? from : any, 4, comm, &requests[i]);
    MPI_Isend(out, 30, MPI_CHAR, to, 4, comm, &requests[4]);
    MPI_Issend(out, 31, MPI_CHAR, to, 4, comm, &requests[5]);
    MPI_Send(out, 32, MPI_CHAR, to, 4, comm);
    MPI_Send(out, 33, MPI_CHAR, to, 4, comm);
    for (left = 6; left > 0;) {
        MPI_Waitsome(6, requests, &done, indices, statuses);
        left -= done;
    }
    for (i = 0; i < 3; i++)
        MPI_Irecv(in[i], 1000, MPI_CHAR, from, 5, comm, &requests[i]);
    for (i = 0; i < 3; i++)
        MPI_Isend(out, 40 + i, MPI_CHAR, to, 5, comm, &requests[3 + i]);
    for (i = 0; i < 3; i++)
        MPI_Waitany(6, requests, &index, i ? &status : MPI_STATUS_IGNORE);
    for (flag = 0; !flag; usleep(20))
        MPI_Testall(6, requests, &flag, MPI_STATUSES_IGNORE);
    MPI_Irecv(in[0], 1000, MPI_CHAR, from, 6, comm, &requests[0]);
    MPI_Isend(out, 50, MPI_CHAR, to, 6, comm, &requests[1]);
    for (flag = 0; !flag; usleep(20))
        MPI_Test(&requests[0], &flag, &status);
    for (flag = 0; !flag; usleep(20))
        MPI_Testany(2, requests, &index, &flag, &status);
    for (left = 0; left != MPI_UNDEFINED; usleep(20))
        MPI_Testsome(2, requests, &left, indices, statuses);
}

static void persistent(MPI_Comm comm, int to, int from)
{
    MPI_Request requests[3];
    int i;
    MPI_Recv_init(in[0], 1000, MPI_CHAR, from, 7, comm, &requests[0]);
    MPI_Recv_init(in[1], 1000, MPI_CHAR, MPI_ANY_SOURCE, 8, comm, &requests[1]);
    MPI_Send_init(out, 60, MPI_CHAR, to, 7, comm, &requests[2]);
    for (i = 0; i < 3; i++) {
        MPI_Startall(3, requests);
        MPI_Send(out, 61 + i, MPI_CHAR, to, 8, comm);
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Send(out, 70, MPI_CHAR, to, 7, comm);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

static void probed(MPI_Comm comm, int to, int from)
{
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    int flag = 0, i;
    for (i = 0; i < 3; i++)
        MPI_Isend(out, 80 + i, MPI_CHAR, to, 9, comm, &request), MPI_Request_free(&request);
    MPI_Probe(MPI_ANY_SOURCE, 9, comm, &status);
    MPI_Mprobe(MPI_ANY_SOURCE, 9, comm, &message, &status);
    MPI_Recv(in[1], 1000, MPI_CHAR, from, 9, comm, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[0], 1000, MPI_CHAR, &message, &status);
    for (; !flag; usleep(20))
        MPI_Improbe(from, 9, comm, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in[2], 1000, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive that is cancelled takes no message; those that were posted after it get theirs. */
static void cancelled(MPI_Comm comm, int to, int from)
{
    MPI_Request requests[3];
    MPI_Status status;
    int i;
    MPI_Irecv(in[0], 1000, MPI_CHAR, from, 10, comm, &requests[0]);
    MPI_Irecv(in[1], 1000, MPI_CHAR, from, 10, comm, &requests[1]);
    MPI_Irecv(in[2], 1000, MPI_CHAR, MPI_ANY_SOURCE, 10, comm, &requests[2]);
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], &status);
    MPI_Barrier(comm);
    for (i = 0; i < 2; i++)
        MPI_Send(out, 90 + i, MPI_CHAR, to, 10, comm);
    MPI_Waitall(2, requests + 1, MPI_STATUSES_IGNORE);
}

static void collectives(MPI_Comm comm)
{
    int counts[64], places[64], n, i, own;
    double from[64], to[64 * 64];
    MPI_Request request;
    MPI_Comm_size(comm, &n);
    MPI_Comm_rank(comm, &own);
    for (i = 0; i < n; i++) {
        counts[i] = 1;
        places[i] = i;
    }
    memset(from, 0, sizeof from);
    MPI_Barrier(comm);
    MPI_Bcast(from, 3, MPI_DOUBLE, n - 1, comm);
    MPI_Reduce(from, to, 2, MPI_DOUBLE, MPI_SUM, 0, comm);
    MPI_Allreduce(MPI_IN_PLACE, to, 2, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Gather(own == 0 ? MPI_IN_PLACE : from, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, 0, comm);
    MPI_Gatherv(from, 1, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, 0, comm);
    MPI_Scatter(to, 1, MPI_DOUBLE, from, 1, MPI_DOUBLE, 0, comm);
    MPI_Scatterv(to, counts, places, MPI_DOUBLE, from, 1, MPI_DOUBLE, 0, comm);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, to, 1, MPI_DOUBLE, comm);
    MPI_Allgatherv(from, 1, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, comm);
    MPI_Alltoall(from, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, comm);
    MPI_Alltoallv(from, counts, places, MPI_DOUBLE, to, counts, places, MPI_DOUBLE, comm);
    MPI_Reduce_scatter(from, to, counts, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Reduce_scatter_block(from, to, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Scan(from, to, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Exscan(from, to, 1, MPI_DOUBLE, MPI_SUM, comm);
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Iallreduce(from, to, 1, MPI_DOUBLE, MPI_MAX, comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A communicator that is freed while messages on it are on their way, and whose handle is used again. */
static void freed(int to, int from)
{
    MPI_Comm comm;
    MPI_Request requests[4];
    int i;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Recv_init(in[0], 1000, MPI_CHAR, from, 1, comm, &requests[0]);
    MPI_Send_init(out, 200, MPI_CHAR, to, 1, comm, &requests[1]);
    MPI_Irecv(in[1], 1000, MPI_CHAR, MPI_ANY_SOURCE, 2, comm, &requests[2]);
    MPI_Isend(out, 201, MPI_CHAR, to, 2, comm, &requests[3]);
    MPI_Comm_free(&comm);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Sendrecv(out, 202 + i, MPI_CHAR, to, 1, in[2], 1000, MPI_CHAR, from, 1, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(i ? 2 : 4, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Comm_free(&comm);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* they are not active */
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

/* Calls that fail send and take no message. */
static void failing(MPI_Comm comm, int to, int from)
{
    MPI_Request request;
    int i, index;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (i = 0; i < 2; i++) {
        index = 12345678;
        MPI_Send(out, -1, MPI_CHAR, to, 11, comm);
        MPI_Recv(in[0], -1, MPI_CHAR, from, 11, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(in[0], -1, MPI_CHAR, MPI_ANY_SOURCE, 11, comm, &request);
        MPI_Send(out, 1, MPI_CHAR, to, 11, MPI_COMM_NULL);
        MPI_Recv(in[0], 1, MPI_CHAR, from, 11, MPI_COMM_NULL, MPI_STATUS_IGNORE);
        MPI_Waitany(-1, NULL, &index, MPI_STATUS_IGNORE);
        MPI_Isend(out, 15, MPI_CHAR, to, 15, comm, &request);
        MPI_Recv(in[0], 10, MPI_CHAR, from, 15, comm, MPI_STATUS_IGNORE); /* takes a message that is too long */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, 216 + i, MPI_CHAR, to, 15, in[0], 1000, MPI_CHAR, from, 15, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(in[0], 1000, MPI_CHAR, from, 11, comm, &request);
        MPI_Send(out, 210 + i, MPI_CHAR, to, 11, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* Receives whose requests are freed: what they got is known if they were complete; a cancelled one gets nothing. */
static void abandoned(MPI_Comm comm, int to, int from)
{
    MPI_Request request, request_of_send;
    MPI_Status status;
    int i, is_there = 0;
    for (i = 0; i < 2; i++) {
        MPI_Irecv(in[0], 1000, MPI_CHAR, from, 13, comm, &request);
        MPI_Cancel(&request);
        MPI_Request_free(&request);
        MPI_Barrier(comm);
        MPI_Sendrecv(out, 220 + i, MPI_CHAR, to, 13, in[1], 1000, MPI_CHAR, from, 13, comm, MPI_STATUS_IGNORE);
        MPI_Irecv(in[0], 1000, MPI_CHAR, MPI_ANY_SOURCE, 13, comm, &request);
        MPI_Isend(out, 230 + i, MPI_CHAR, to, 13, comm, &request_of_send);
        for (is_there = 0; !is_there;)
            MPI_Request_get_status(request, &is_there, &status);
        MPI_Request_free(&request);
        MPI_Wait(&request_of_send, MPI_STATUS_IGNORE);
        MPI_Barrier(comm);
    }
}

#if MPI_VERSION >= 4
static void exchanges(MPI_Comm comm, int to, int from)
{
    MPI_Request requests[2];
    MPI_Isendrecv(out, 240, MPI_CHAR, to, 14, in[0], 1000, MPI_CHAR, from, 14, comm, &requests[0]);
    MPI_Isendrecv_replace(in[1], 241, MPI_CHAR, to, 14, from, 14, comm, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Sendrecv(out, 242, MPI_CHAR, to, 14, in[0], 1000, MPI_CHAR, from, 14, comm, MPI_STATUS_IGNORE);
}
#endif

/* An error handler that jumps out of the call; what follows is deeper on the stack. */
static jmp_buf before_call;

static void jump(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    longjmp(before_call, 1);
}

static void exchange_deeper(int bytes)
{
    volatile char deeper[100000];
    deeper[0] = 1;
    MPI_Sendrecv(out, bytes + deeper[0], MPI_CHAR, (rank + 1) % size, 7, in[0], 100, MPI_CHAR,
                 (rank + size - 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    deeper[1] = 0;
}

static void jumping(void)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    if (!setjmp(before_call))
        MPI_Send(out, -1, MPI_CHAR, (rank + 1) % size, 17, MPI_COMM_WORLD);
    exchange_deeper(8);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

/* ---- communicators */

static void communicators(void)
{
    MPI_Comm half, copy, other, both, grid, few;
    MPI_Request request;
    MPI_Group world, group;
    int dimensions[1] = {size}, periods[1] = {1}, range[1][3] = {{0, 0, 1}}, to, from, times, half_rank, half_size;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    pairs(half, (half_rank + 1) % half_size, (half_rank + half_size - 1) % half_size);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Comm_idup(copy, &other, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    pairs(other, (rank + 1) % size, (rank + size - 1) % size);
    MPI_Comm_free(&other);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank % 2 ? size - 2 + size % 2 : size - 1 - size % 2, 5, &other);
    MPI_Sendrecv(out, 100 + rank, MPI_CHAR, 0, 1, in[0], 1000, MPI_CHAR, half_rank ? MPI_PROC_NULL : MPI_ANY_SOURCE,
                 1, other, MPI_STATUS_IGNORE);
    if (half_rank == 0)
        for (MPI_Comm_remote_size(other, &times); times > 1; times--)
            MPI_Recv(in[0], 1000, MPI_CHAR, MPI_ANY_SOURCE, 1, other, MPI_STATUS_IGNORE);
    MPI_Barrier(other);
    MPI_Intercomm_merge(other, rank % 2, &both);
    pairs(both, MPI_PROC_NULL, MPI_PROC_NULL);
    MPI_Cart_create(both, 1, dimensions, periods, 0, &grid);
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    pairs(grid, to, from);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    range[0][1] = size - 2;
    MPI_Group_range_incl(world, 1, range, &group);
    for (times = 0; times < 2 && rank < size - 1; times++) {
        MPI_Comm_create_group(MPI_COMM_WORLD, group, 3, &few);
        pairs(few, (rank + 1) % (size - 1), (rank + size - 2) % (size - 1));
        MPI_Comm_free(&few);
    }
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&both);
    MPI_Comm_free(&other);
    collectives(half);
    MPI_Comm_free(&copy);
    MPI_Comm_free(&half);
}

/* ---- rank 0 receives what comes */

static void wildcards(unsigned seed)
{
    enum { EACH = 40 };
    MPI_Request requests[1000];
    MPI_Status statuses[1000];
    int indices[1000], count = 0, received = 0, done, i;
    srand(seed * 100 + (unsigned)rank);
    if (rank) {
        for (i = 0; i < EACH; i++) {
            if (rand() % 4 == 0)
                usleep((useconds_t)(rand() % 2000));
            MPI_Send(out, (i * size + rank) * 7 + 1, MPI_CHAR, 0, rand() % 3, MPI_COMM_WORLD);
        }
        return;
    }
    /* Receives of one source or one tag may starve, as others take their messages: those are cancelled at the end. */
    while (received < (size - 1) * EACH) {
        while (count < 900 && rand() % 3) {
            MPI_Irecv(in[count % 64], 100000, MPI_CHAR, rand() % 2 ? MPI_ANY_SOURCE : 1 + rand() % (size - 1),
                      rand() % 2 ? MPI_ANY_TAG : rand() % 3, MPI_COMM_WORLD, &requests[count]);
            count++;
        }
        if (count == 900) { /* not to starve all */
            for (i = 0; i < count; i++)
                if (requests[i] != MPI_REQUEST_NULL) {
                    int flag = 0;
                    MPI_Cancel(&requests[i]);
                    MPI_Wait(&requests[i], &statuses[0]);
                    MPI_Test_cancelled(&statuses[0], &flag);
                    received += !flag;
                }
            count = 0;
        }
        done = 0;
        if (count)
            MPI_Testsome(count, requests, &done, indices, statuses);
        received += done > 0 ? done : 0;
    }
    for (i = 0; i < count; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Cancel(&requests[i]);
            MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
}

/* ---- threads */

static void *thread(void *data)
{
    const int own = (int)(intptr_t)data;
    int i;
    char buffer[1000];
    for (i = 0; i < 100; i++)
        MPI_Sendrecv(out, own * 100 + i + 1, MPI_CHAR, (rank + 1) % size, own, buffer, 1000, MPI_CHAR,
                     i % 2 ? MPI_ANY_SOURCE : (rank + size - 1) % size, own, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (i = 0; i < 50; i++) { /* the library gives the handle of a request that has ended to another thread */
        MPI_Request request;
        MPI_Irecv(buffer, 1000, MPI_CHAR, (rank + size - 1) % size, own, MPI_COMM_WORLD, &request);
        MPI_Send(out, own * 200 + i % 200, MPI_CHAR, (rank + 1) % size, own, MPI_COMM_WORLD);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    return NULL;
}

int main(int count, char **words)
{
    const char *what = count > 1 ? words[1] : "patterns";
    int provided, i, is_threaded = strcmp(what, "threads") == 0;
    pthread_t threads[4];
    if (is_threaded)
        MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    else
        MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(what, "patterns") == 0) {
        const int to = (rank + 1) % size, from = (rank + size - 1) % size;
        pairs(MPI_COMM_WORLD, to, from);
        pairs(MPI_COMM_SELF, 0, 0);
        persistent(MPI_COMM_WORLD, to, from);
        probed(MPI_COMM_WORLD, to, from);
        cancelled(MPI_COMM_WORLD, to, from);
        abandoned(MPI_COMM_WORLD, to, from);
        freed(to, from);
#if MPI_VERSION >= 4
        exchanges(MPI_COMM_WORLD, to, from);
#endif
        pairs(MPI_COMM_WORLD, rank + 1 < size ? rank + 1 : MPI_PROC_NULL, rank ? rank - 1 : MPI_PROC_NULL);
        communicators();
        collectives(MPI_COMM_WORLD);
        failing(MPI_COMM_WORLD, to, from);
    } else if (strcmp(what, "paused") == 0) { /* the second of three is not recorded, and the third is the third */
        for (i = 0; i < 3; i++) {
            MPI_Pcontrol(i != 1);
            MPI_Sendrecv(out, 5 + i, MPI_CHAR, (rank + 1) % size, 7, in[0], 100, MPI_CHAR, (rank + size - 1) % size, 7,
                         MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        jumping();
    } else if (strcmp(what, "wildcards") == 0) {
        wildcards(count > 2 ? (unsigned)atoi(words[2]) : 1);
    } else if (is_threaded) {
        if (provided != MPI_THREAD_MULTIPLE)
            puts("no threads");
        for (i = 0; i < 4 && provided == MPI_THREAD_MULTIPLE; i++)
            pthread_create(&threads[i], NULL, thread, (void *)(intptr_t)i);
        for (i = 0; i < 4 && provided == MPI_THREAD_MULTIPLE; i++)
            pthread_join(threads[i], NULL);
    } else {
        for (i = 0; i < 50; i++)
            pairs(MPI_COMM_WORLD, (rank + 1) % size, (rank + size - 1) % size);
        if (strcmp(what, "abort") == 0 && rank == 1)
            MPI_Abort(MPI_COMM_WORLD, 3);
        if (strcmp(what, "kill") == 0 && rank == 1)
            kill(getpid(), SIGKILL);
        if (strcmp(what, "exit") == 0)
            _exit(0);
        for (;; usleep(1000))
            pairs(MPI_COMM_WORLD, (rank + 1) % size, (rank + size - 1) % size);
    }
    MPI_Finalize();
    return 0;
}
