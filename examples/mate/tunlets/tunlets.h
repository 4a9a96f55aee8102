/* The tunlets that are written by hand, and one that tg makes. */
#pragma once

#include "tunlet.h"

extern const tunlet tunlet_workers;            /* the number of workers: section 5.1 of the thesis */
extern const tunlet tunlet_workers_as_printed; /* the same, with the cost of a byte as it is printed there */
extern const tunlet tunlet_iteration_time;     /* where the time goes: section 4.4; of time.tunlet */
extern const tunlet tunlet_pipeline;           /* items that are passed on at once */
extern const tunlet tunlet_kernels;            /* which of two kernels */
extern const tunlet tunlet_chunk, tunlet_threads; /* of an OpenMP loop */
extern const tunlet tunlet_factoring;          /* chunks for workers of different speed: section 5.2 */
