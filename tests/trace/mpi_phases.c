/* Phases of which it is known where their time goes, for the tests of analyses.  Ranks compute by sleeping, so it does
 * not matter how many cores there are. */
#include "examples/trace/pajetrace.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size;
static char *out, *in;

/* Rank r computes for r + 1 shares of the time. */
static void imbalance(void)
{
    int i;
    for (i = 0; i < 4; i++) {
        usleep(30000 * (unsigned)(rank + 1));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

/* Each computes when it has the message of the one before it. */
static void pipeline(void)
{
    if (rank > 0)
        MPI_Recv(in, 1, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    usleep(80000);
    if (rank + 1 < size)
        MPI_Send(out, 1, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* All compute for a moment, and exchange much. */
static void exchange(void)
{
    int i;
    for (i = 0; i < 10; i++) {
        usleep(1000);
        MPI_Sendrecv(out, 1 << 24, MPI_CHAR, rank ^ 1, 2, in, 1 << 24, MPI_CHAR, rank ^ 1, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
}

/* Even ranks wait until odd ones receive. */
static void late(void)
{
    if (rank % 2)
        usleep(80000);
    if (rank % 2)
        MPI_Recv(in, 1, MPI_CHAR, rank - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else
        MPI_Ssend(out, 1, MPI_CHAR, rank + 1, 3, MPI_COMM_WORLD);
}

/* Even ranks wait for what they have sent, which odd ones receive late.  What is complete at once they do not wait
 * for. */
static void nonblocking(void)
{
    int i;
    for (i = 0; i < 2; i++) {
        MPI_Request requests[2];
        MPI_Status statuses[2];
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank % 2) {
            usleep(80000);
            MPI_Recv(in, 1, MPI_CHAR, rank - 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(in, 1 << 24, MPI_CHAR, rank - 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            continue;
        }
        MPI_Isend(out, 1, MPI_CHAR, rank + 1, 4, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 1 << 24, MPI_CHAR, rank + 1, 5, MPI_COMM_WORLD, &requests[1]);
        usleep(10000);
        if (i == 0)
            MPI_Waitall(2, requests, statuses);
        else
            MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
}

/* The same with a request that is started again and again. */
static void persistent(void)
{
    int i;
    MPI_Request request;
    if (rank % 2 == 0)
        MPI_Ssend_init(out, 1, MPI_CHAR, rank + 1, 6, MPI_COMM_WORLD, &request);
    for (i = 0; i < 2; i++) {
        MPI_Status status;
        int index;
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank % 2) {
            usleep(80000);
            MPI_Recv(in, 1, MPI_CHAR, rank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Start(&request);
            MPI_Waitany(1, &request, &index, &status);
        }
    }
    if (rank % 2 == 0)
        MPI_Request_free(&request);
}

int main(int count, char **words)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } phases[] = {{"imbalance", imbalance}, {"pipeline", pipeline}, {"exchange", exchange}, {"late", late},
                {"nonblocking", nonblocking}, {"persistent", persistent}};
    size_t i;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(1, 1 << 24);
    in = calloc(1, 1 << 24);
    for (i = 0; i < sizeof phases / sizeof *phases; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const unsigned state = pajetrace_begin(phases[i].name);
        phases[i].run();
        pajetrace_end(state);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
