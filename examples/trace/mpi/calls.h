/* Calls that are written by hand: call_X(next, ...) does what MPI_X does, with the library's function `next`. */
#pragma once

#include "library.h"

/* The parameters of such a call, from those of MPI's. */
#define MPI_WITH_NEXT(...) (int (*next)(__VA_ARGS__), __VA_ARGS__)

#include "by_hand.h" /* made by wrap.awk: their declarations, by the installed mpi.h */
