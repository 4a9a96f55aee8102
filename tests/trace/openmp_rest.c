/* A program with OpenMP whose workers wait through many regions of smaller teams, or take part in all: see below. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

static volatile int sink;

/* Regions within regions, of three threads at the same time. */
static void nest(void)
{
    omp_set_max_active_levels(2);
    for (int i = 0; i < 400; i++) {
#pragma omp parallel num_threads(3)
        {
#pragma omp parallel num_threads(2)
            sink = 1;
            for (int j = 0; j < 3; j++) {
#pragma omp parallel num_threads(3)
                sink = j;
            }
        }
    }
}

/* usage: openmp_rest nest; openmp_rest rest: three times a team of four threads, then 200 of two;
 * openmp_rest loops: 1000 teams of two */
int main(int argc, char **argv)
{
    const int rests = argc > 1 && strcmp(argv[1], "rest") == 0;
    omp_set_dynamic(0);
    if (argc > 1 && strcmp(argv[1], "nest") == 0) {
        nest();
        return 0;
    }
    for (int i = 0; i < (rests ? 3 : 1); i++) {
        if (rests) {
#pragma omp parallel num_threads(4)
            sink = 1;
        }
        for (int j = 0; j < (rests ? 200 : 1000); j++) {
#pragma omp parallel for num_threads(2)
            for (int k = 0; k < 2; k++)
                sink = k;
        }
    }
    return 0;
}
