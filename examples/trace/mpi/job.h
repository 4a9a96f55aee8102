/* The job of a parallel program: which processes were started together. */
#pragma once

#include <stdint.h>

/* Returns a number that all processes of the job have, and other jobs do not; 0: unknown. */
uint64_t mpi_number_of_job(void);
