/* What tracing adds to calls of MPI: prints lines CALL NANOSECONDS, of CPU time, the best of 15 rounds.  Each call is
 * with MPI_COMM_SELF, so that none waits; null: with MPI_PROC_NULL, so that there is no message. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { CALLS = 5000, ROUNDS = 15, KINDS = 8 };

static char from[8], to[8];

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

static void call(int kind)
{
    MPI_Request requests[2];
    struct timespec time;
    const int peer = kind % 2 ? 0 : MPI_PROC_NULL;
    int flag;
    switch (kind) {
    case 0: clock_gettime(CLOCK_MONOTONIC, &time); break;
    case 1: MPI_Iprobe(0, 1, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE); break;
    case 2: MPI_Barrier(MPI_COMM_SELF); break;
    case 3:
        MPI_Sendrecv(from, 1, MPI_CHAR, 0, 1, to, 1, MPI_CHAR, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        break;
    case 4: case 5:
        MPI_Isend(from, 1, MPI_CHAR, peer, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Recv(to, 1, MPI_CHAR, peer, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Irecv(to, 1, MPI_CHAR, peer, 1, MPI_COMM_SELF, &requests[0]);
        MPI_Isend(from, 1, MPI_CHAR, peer, 1, MPI_COMM_SELF, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
}

int main(int count, char **words)
{
    static const char *const names[KINDS] = {"clock", "Iprobe", "Barrier", "Sendrecv", "Isend+Recv+Wait-null",
                                             "Isend+Recv+Wait", "Irecv+Isend+Waitall-null", "Irecv+Isend+Waitall"};
    int kind, round, i;
    MPI_Init(&count, &words);
    for (kind = 0; kind < KINDS; kind++) {
        double best = 1e9;
        for (round = 0; round < ROUNDS; round++) {
            double time = now();
            for (i = 0; i < CALLS; i++)
                call(kind);
            time = (now() - time) / CALLS;
            best = time < best ? time : best;
        }
        fprintf(stderr, "%s %.1f\n", names[kind], best);
    }
    MPI_Finalize();
    return 0;
}
