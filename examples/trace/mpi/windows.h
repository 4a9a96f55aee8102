/* One-sided communication: which process a target is. */
#pragma once

#include "call.h"

/* Describes an access to a rank of a window. */
trace_access mpi_access_to(trace_access_kind kind, MPI_Win window, int target, int64_t bytes);
/* Begins its state. */
mpi_call mpi_enter_access(trace_defined *state, const void *frame, trace_access *it);
/* Writes its link, unless the call failed.  Returns the result of the call. */
int mpi_accessed(const trace_access *it, int result);
