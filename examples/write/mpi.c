/* Traces MPI ranks: heat in a rod, of which each rank has a piece.  Messages between neighbours are links.
 * usage: mpirun -n 4 mpi PREFIX [STEPS [SKEW]]
 *
 * Each rank writes PREFIX.RANK.trace.  `paje merge --align -o all.trace PREFIX.*.trace` makes one trace of them, in
 * which no message arrives before it was sent, even though clocks differ.  SKEW sets the clocks of odd ranks ahead by
 * that many milliseconds, for testing. */
#define _POSIX_C_SOURCE 200809L
#define PAJEWRITE_IMPLEMENTATION
#include "pajewrite.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CELLS = 2000, CHECK_EVERY = 10 };

/* All ranks define the same types and values; merging makes one of each. */
static const pajewrite_type rank_type = {1}, activity = {2}, change_type = {3}, message = {4};
static const pajewrite_value computing = {1}, sending = {2}, receiving = {3}, reducing = {4}; /* of activity */
static const pajewrite_value halo = {1};                                                      /* of message */

static pajewrite w;
static pajewrite_container me; /* rank + 1: different in every rank, and not 0 */
static int rank, ranks;

static uint64_t skewed_clock(void *skew) { return pajewrite_monotonic(NULL) + *(uint64_t *)skew; }

/* Time 0 is the end of the barrier, which differs a little between ranks; --align corrects that. */
static void begin_trace(pajewrite_file *file, const char *prefix, uint64_t *skew)
{
    static char buffer[1 << 16];
    pajewrite_config config = PAJEWRITE_CONFIG;
    char name[4096];

    snprintf(name, sizeof name, "%s.%d.trace", prefix, rank);
    pajewrite_file_init(file, open(name, O_WRONLY | O_CREAT | O_TRUNC, 0644));
    config.sink = pajewrite_to_file;
    config.sink_data = file;
    config.clock = skewed_clock;
    config.clock_data = skew;
    MPI_Barrier(MPI_COMM_WORLD);
    config.origin = pajewrite_monotonic(NULL);
    pajewrite_init(&w, buffer, sizeof buffer, &config);
    pajewrite_header(&w);
    pajewrite_define_container_type(&w, rank_type, PAJEWRITE_ROOT_TYPE, "Rank");
    pajewrite_define_state_type(&w, activity, rank_type, "Activity");
    pajewrite_define_value(&w, computing, activity, "computing", "0.2 0.7 0.3");
    pajewrite_define_value(&w, sending, activity, "sending", "0.2 0.4 0.8");
    pajewrite_define_value(&w, receiving, activity, "receiving", "0.8 0.2 0.2");
    pajewrite_define_value(&w, reducing, activity, "reducing", "0.7 0.3 0.7");
    pajewrite_define_variable_type(&w, change_type, rank_type, "Greatest change", NULL);
    pajewrite_define_link_type(&w, message, PAJEWRITE_ROOT_TYPE, rank_type, rank_type, "Message");
    pajewrite_define_value(&w, halo, message, "halo", NULL);

    me = PAJEWRITE_CONTAINER(rank + 1);
    snprintf(name, sizeof name, "rank %d", rank);
    pajewrite_create_container(&w, me, rank_type, PAJEWRITE_ROOT, name);
}

/* Returns the key of a message: the sender and the receiver compute the same, and no other message has it. */
static uint64_t key(int step, int from, int to)
{
    return ((uint64_t)step * (uint64_t)ranks + (uint64_t)from) * (uint64_t)ranks + (uint64_t)to;
}

static void send(const double *cell, int step, int to, MPI_Request *request)
{
    PAJEWRITE_SCOPE(&w, me, activity, sending);
    pajewrite_start_link(&w, PAJEWRITE_ROOT, message, halo, me, key(step, rank, to));
    MPI_Isend(cell, 1, MPI_DOUBLE, to, 0, MPI_COMM_WORLD, request);
}

static void receive(double *cell, int step, int from)
{
    PAJEWRITE_SCOPE(&w, me, activity, receiving);
    MPI_Recv(cell, 1, MPI_DOUBLE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    pajewrite_end_link(&w, PAJEWRITE_ROOT, message, halo, me, key(step, from, rank));
}

static double compute(double *now, double *next)
{
    PAJEWRITE_SCOPE(&w, me, activity, computing);
    double change = 0;
    for (int i = 1; i <= CELLS; i++) {
        double difference = (now[i - 1] - 2 * now[i] + now[i + 1]) / 4;
        next[i] = now[i] + difference;
        change = difference > change ? difference : -difference > change ? -difference : change;
    }
    memcpy(now + 1, next + 1, CELLS * sizeof *now);
    return change;
}

int main(int argc, char **argv)
{
    static double now[CELLS + 2], next[CELLS + 2];
    pajewrite_file file;
    pajewrite_status status;
    int steps, failed, any_failed;
    uint64_t skew;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc < 2) {
        fputs("usage: mpi PREFIX [STEPS [SKEW]]\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    steps = argc > 2 ? atoi(argv[2]) : 100;
    skew = argc > 3 && rank % 2 ? (uint64_t)atoi(argv[3]) * 1000000u : 0;
    begin_trace(&file, argv[1], &skew);

    now[0] = rank == 0; /* hot at one end, cold at the other */
    for (int step = 0; step < steps; step++) {
        MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
        double change;
        if (rank > 0)
            send(&now[1], step, rank - 1, &requests[0]);
        if (rank < ranks - 1)
            send(&now[CELLS], step, rank + 1, &requests[1]);
        if (rank > 0)
            receive(&now[0], step, rank - 1);
        if (rank < ranks - 1)
            receive(&now[CELLS + 1], step, rank + 1);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        change = compute(now, next);
        if (step % CHECK_EVERY == 0) {
            PAJEWRITE_SCOPE(&w, me, activity, reducing);
            MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
            pajewrite_set_variable_double(&w, me, change_type, change);
        }
    }
    pajewrite_destroy_container(&w, me, rank_type);

    status = pajewrite_finish(&w);
    close(file.descriptor);
    if (status != PAJEWRITE_OK)
        fprintf(stderr, "mpi: rank %d: %s\n", rank, pajewrite_status_text(status));
    failed = status != PAJEWRITE_OK;
    MPI_Allreduce(&failed, &any_failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    MPI_Finalize();
    return any_failed;
}
