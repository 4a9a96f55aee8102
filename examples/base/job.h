/* The job of a parallel program: which processes were started together, by mpirun and its like. */
#pragma once

#include <stdint.h>

typedef struct parallel_job {
    uint64_t number; /* that all processes of the job have, and other jobs do not; 0: unknown */
    int rank;        /* of this process; -1: it was not started as one of several */
    int size, here;  /* processes of the job: all, and on this machine; 0: unknown */
} parallel_job;

/* Tells the job of the calling process, by what its launcher has put into the environment. */
parallel_job job_find(void);
/* As that, but the number is 0 where the environment does not tell it. */
parallel_job job_of_environment(void);
/* The number that its processes on this machine have, also where that of the job is unknown; 0: unknown as well. */
uint64_t job_number_here(const parallel_job *it);
/* Whether a program with this name starts the processes of jobs. */
int job_is_launcher(const char *name);
/* The number of a job that its launcher calls so. */
uint64_t job_number(const char *name);
