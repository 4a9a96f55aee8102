/* Partitioned communication, since MPI 4: a persistent message whose parts are ready one by one. */
#pragma once

#include "communicators.h"

typedef struct mpi_parts mpi_parts;

/* It is started, is complete, or is given up for ever.  All take NULL. */
void mpi_start_parts(mpi_parts *it);
void mpi_complete_parts(mpi_parts *it);
void mpi_free_parts(mpi_parts *it);
