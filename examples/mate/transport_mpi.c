/* Rank 0 is the master, the others are workers.  Waiting sleeps, as there may be more ranks than cores. */
#define _XOPEN_SOURCE 700
#include "transport.h"

#include "base/memory.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static char *sent, *received;
static size_t sent_capacity, received_capacity;

static int rank_of(int number)
{
    return number + 1; /* TRANSPORT_MASTER: 0 */
}

int transport_begin(int workers, int *argc, char ***argv)
{
    int rank, size;
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (size < workers + 1) {
        if (rank == 0)
            fprintf(stderr, "%d workers need %d processes (mpirun -n %d), not %d\n", workers, workers + 1, workers + 1,
                    size);
        MPI_Finalize();
        return TRANSPORT_FAILED;
    }
    return rank - 1;
}

static void reserve(char **bytes, size_t *capacity, size_t size)
{
    if (size > *capacity) {
        *bytes = (char *)memory_resize(*bytes, 1, size);
        *capacity = size;
    }
}

int transport_send(int to, const void *head, size_t head_size, const void *bytes, size_t size)
{
    reserve(&sent, &sent_capacity, head_size + size);
    memcpy(sent, head, head_size);
    if (size)
        memcpy(sent + head_size, bytes, size);
    MPI_Send(sent, (int)(head_size + size), MPI_BYTE, rank_of(to), 0, MPI_COMM_WORLD);
    return 1;
}

int transport_receive(int *from, void *head, size_t head_size, const void **bytes, size_t *size)
{
    const struct timespec moment = {0, 20000};
    MPI_Status status;
    int is_there = 0, count;
    for (;;) {
        MPI_Iprobe(*from == TRANSPORT_ANY ? MPI_ANY_SOURCE : rank_of(*from), 0, MPI_COMM_WORLD, &is_there, &status);
        if (is_there)
            break;
        nanosleep(&moment, NULL);
    }
    MPI_Get_count(&status, MPI_BYTE, &count);
    reserve(&received, &received_capacity, (size_t)count);
    MPI_Recv(received, count, MPI_BYTE, status.MPI_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    memcpy(head, received, head_size);
    *from = status.MPI_SOURCE - 1;
    *bytes = received + head_size;
    *size = (size_t)count - head_size;
    return 1;
}

int transport_again(int worker)
{
    (void)worker; /* MPI ends all processes with one */
    return TRANSPORT_FAILED;
}

void transport_end(void)
{
    MPI_Finalize();
    free(sent);
    free(received);
}
