/* A call of MPI: what each wrapper does around it. */
#pragma once

#include "../trace.h"
#include "library.h"

/* A state, and that the thread is inside MPI: calls that MPI makes of itself are not recorded. */
typedef struct mpi_call {
    trace_scope scope;
    uintptr_t inside; /* what mpi_inside was before */
    uint32_t hidden;  /* what trace_hidden was before */
    uint32_t instance; /* of a collective operation: the how many-th of its communicator; else 0 */
} mpi_call;

/* Place on the stack of the outermost call of this thread; 0: it is not inside MPI. */
extern __thread uintptr_t mpi_inside __attribute__((tls_model("initial-exec")));

/* Whether a call at this place is one within another, or MPI is not recorded at all. */
static inline int mpi_passes(const void *frame)
{
    return (mpi_inside && (uintptr_t)frame < mpi_inside) || !mpi.is_on;
}

/* Notes that the thread is inside MPI from now on: what the library does there is its own matter. */
mpi_call mpi_go_inside(trace_scope scope, const void *frame);
mpi_call mpi_enter(trace_defined *state, const void *frame);
/* With what a collective operation has: the communicator, the root (-1: there is none), and the bytes that this process
 * passes on, or that it receives if it only does that. */
mpi_call mpi_enter_collective(trace_defined *state, const void *frame, MPI_Comm comm, int root, int64_t bytes);
/* Ends a call.  It is a `cleanup`, so that exceptions and cancellation do not leave it open. */
void mpi_leave(mpi_call *call);
#define MPI_LEAVES __attribute__((cleanup(mpi_leave), unused))

/* Tables are under one lock if several threads may call at once.  It is held for some hundred instructions; the thread
 * that has it may be interrupted by the system only. */
extern int mpi_is_locked;
void mpi_wait_for_lock(void);

static inline void mpi_lock(void)
{
    if (mpi.is_multiple)
        mpi_wait_for_lock();
}

static inline void mpi_unlock(void)
{
    if (mpi.is_multiple)
        __atomic_store_n(&mpi_is_locked, 0, __ATOMIC_RELEASE);
}
