/* A call of MPI: its state, and what is hidden within. */
/* Without what makes other names of the functions. */
#undef _FORTIFY_SOURCE
#include "call.h"

#include "communicators.h"

#include <sched.h>
#include <setjmp.h>

__thread uintptr_t mpi_inside;
static __thread uint32_t hidden_outside; /* what trace_hidden was before the outermost call */

int mpi_is_locked;

void mpi_wait_for_lock(void)
{
    while (__atomic_exchange_n(&mpi_is_locked, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

mpi_call mpi_go_inside(trace_scope scope, const void *frame)
{
    const mpi_call call = {scope, mpi_inside, trace_hidden, 0};
    if (!mpi_inside)
        hidden_outside = trace_hidden;
    mpi_inside = (uintptr_t)frame;
    trace_hidden |= TRACE_THREADS | TRACE_LOCKS | TRACE_IO | TRACE_PROCESSES;
    return call;
}

mpi_call mpi_enter(trace_defined *state, const void *frame)
{
    return mpi_go_inside(trace_is_on(TRACE_MPI) ? trace_begin_defined(state, frame) : (trace_scope){NULL, 0}, frame);
}

mpi_call mpi_enter_collective(trace_defined *state, const void *frame, MPI_Comm comm, int root, int64_t bytes)
{
    trace_scope scope = {NULL, 0};
    trace_collective it = {"", root, bytes, 0, -1, 0};
    mpi_communicator *found;
    mpi_call call;
    mpi_lock();
    found = mpi_find_communicator(comm);
    if (found) {
        it.communicator = found->name.text;
        it.instance = ++found->instances;
        it.rank = found->rank;
        it.size = found->is_inter || !found->number ? 0 : found->size;
    }
    mpi_unlock();
    if (trace_is_on(TRACE_MPI))
        scope = trace_begin_collective(state, frame, &it);
    call = mpi_go_inside(scope, frame);
    call.instance = (uint32_t)it.instance;
    return call;
}

void mpi_leave(mpi_call *call)
{
    mpi_inside = call->inside;
    trace_hidden = call->hidden;
    trace_end(&call->scope);
}

/* ---- jumps out of a call, by error handlers and signal handlers of the program */

static void leave_by_jump(void)
{
    if (!mpi_inside)
        return;
    mpi_inside = 0;
    trace_hidden = hidden_outside;
}

#define JUMPS(name, BUFFER) \
    static __attribute__((noreturn)) void (*next_##name)(BUFFER, int); \
    __attribute__((constructor)) static void find_##name(void) { mpi_find_next(#name, &next_##name); } \
    TRACE_EXPORT __attribute__((noreturn)) void name(BUFFER place, int value); \
    TRACE_EXPORT void name(BUFFER place, int value) \
    { \
        leave_by_jump(); \
        if (!next_##name) \
            find_##name(); \
        next_##name(place, value); \
    }
JUMPS(longjmp, jmp_buf)
JUMPS(_longjmp, jmp_buf)
JUMPS(siglongjmp, sigjmp_buf)
JUMPS(__longjmp_chk, jmp_buf) /* of programs that are compiled with _FORTIFY_SOURCE */
