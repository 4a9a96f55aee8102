/* Heat in a rod, of which each MPI rank has a piece.  The program knows nothing of tracing: `make demo-mpi` traces it.
 *
 * usage: mpirun -n 4 heat [STEPS [CELLS]]
 *
 * Of each four ranks the second has half as many cells more, so that the others wait for it. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHECK_EVERY = 10, LEFT = 1, RIGHT = 2 };

static int rank, ranks;

/* Exchanges the cells at both ends with the neighbours, while the inner ones are computed.  Returns the greatest change
 * of a cell. */
static double step(const double *from, double *to, int cells)
{
    const int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
    double halo[2] = {from[0], from[cells - 1]}, most = 0;
    MPI_Request requests[4];
    int i;
    MPI_Irecv(&halo[0], 1, MPI_DOUBLE, left, RIGHT, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&halo[1], 1, MPI_DOUBLE, right, LEFT, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&from[0], 1, MPI_DOUBLE, left, LEFT, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(&from[cells - 1], 1, MPI_DOUBLE, right, RIGHT, MPI_COMM_WORLD, &requests[3]);
    for (i = 1; i < cells - 1; i++)
        to[i] = from[i] + 0.25 * (from[i - 1] - 2 * from[i] + from[i + 1]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    to[0] = from[0] + 0.25 * (halo[0] - 2 * from[0] + from[1]);
    to[cells - 1] = from[cells - 1] + 0.25 * (from[cells - 2] - 2 * from[cells - 1] + halo[1]);
    for (i = 0; i < cells; i++) {
        const double change = to[i] > from[i] ? to[i] - from[i] : from[i] - to[i];
        most = change > most ? change : most;
    }
    return most;
}

int main(int count, char **words)
{
    int steps = count > 1 ? atoi(words[1]) : 50, cells = count > 2 ? atoi(words[2]) : 2000000, i;
    double *rod[2], change = 0, greatest = 0, heat = 0, all = 0;
    MPI_Init(&count, &words);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    cells = cells < 2 ? 2 : cells;
    cells += rank % 4 == 1 ? cells / 2 : 0;
    rod[0] = (double *)calloc((size_t)cells, sizeof(double));
    rod[1] = (double *)calloc((size_t)cells, sizeof(double));
    if (!rod[0] || !rod[1]) {
        MPI_Abort(MPI_COMM_WORLD, 1);
        exit(1);
    }
    if (rank == 0)
        rod[0][0] = 1000;
    for (i = 0; i < steps; i++) {
        change = step(rod[i % 2], rod[(i + 1) % 2], cells);
        if ((i + 1) % CHECK_EVERY == 0)
            MPI_Allreduce(&change, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    for (i = 0; i < cells; i++)
        heat += rod[steps % 2][i];
    MPI_Reduce(&heat, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%d ranks, %d steps: heat %.6g, greatest change %.3g\n", ranks, steps, all, greatest);
    free(rod[0]);
    free(rod[1]);
    MPI_Finalize();
    return 0;
}
