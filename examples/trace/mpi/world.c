/* The calls that begin, switch and end MPI. */
#include "call.h"
#include "communicators.h"
#include "messages.h"

#include <stdarg.h>

/* Notes that MPI has begun, and with how many threads. */
static void begin(int status)
{
    int threads = MPI_THREAD_SINGLE;
    if (status != MPI_SUCCESS || mpi.is_on || !mpi_find_library())
        return;
    mpi.Query_thread(&threads);
    mpi.is_multiple = threads == MPI_THREAD_MULTIPLE;
    mpi_begin_job();
    mpi.is_on = 1;
}

static trace_defined state_Init = {"MPI_Init", "0.60 0.60 0.70", 0};
static trace_defined state_Init_thread = {"MPI_Init_thread", "0.60 0.60 0.70", 0};

#define BEGINS(full, name, parameters, arguments) \
    static int(*next_##full) parameters; \
    TRACE_EXPORT int full parameters \
    { \
        const void *frame = __builtin_frame_address(0); \
        int status; \
        if (!next_##full) \
            mpi_find_next(#full, &next_##full); \
        if (mpi_inside && (uintptr_t)frame < mpi_inside) \
            return next_##full arguments; \
        mpi_call call MPI_LEAVES = mpi_enter(&state_##name, frame); \
        mpi_find_parent(); \
        status = next_##full arguments; \
        begin(status); \
        return status; \
    }

BEGINS(MPI_Init, Init, (int *count, char ***words), (count, words))
BEGINS(PMPI_Init, Init, (int *count, char ***words), (count, words))
BEGINS(MPI_Init_thread, Init_thread, (int *count, char ***words, int wanted, int *provided),
       (count, words, wanted, provided))
BEGINS(PMPI_Init_thread, Init_thread, (int *count, char ***words, int wanted, int *provided),
       (count, words, wanted, provided))

int call_Finalize(int (*next)(void))
{
    const int status = next();
    mpi_complete_abandoned();
    mpi.is_on = 0;
    return status;
}

/* Level 0 stops the recording of this process, 1 goes on with it; others do nothing, as there is nothing to be flushed
 * for 2 (MPI 3.1, section 14.2.4). */
#define SWITCHES(full) \
    TRACE_EXPORT int full(const int level, ...) \
    { \
        if (level == 0 || level == 1) \
            trace_pause(level == 0); \
        return MPI_SUCCESS; \
    }
SWITCHES(MPI_Pcontrol)
SWITCHES(PMPI_Pcontrol)
