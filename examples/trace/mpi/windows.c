/* One-sided communication: which process a target is.  What a call accesses is there when the window is synchronised
 * next; its link is as long as the call. */
#include "windows.h"

#include "calls.h"
#include "communicators.h"
#include "memory.h"

/* The processes of a window, looked up when it is used first. */
typedef struct mpi_window {
    size_t room; /* bytes of this record */
    int size;
    struct {
        int rank;           /* in MPI_COMM_WORLD; -1: it is in another world */
        uint32_t container; /* 0: unknown */
    } targets[];
} mpi_window;

static mpi_map windows; /* by their handles */

static mpi_window *make_window(MPI_Win handle)
{
    MPI_Group group, world;
    mpi_window *it;
    size_t room;
    int size = 0, i;
    if (mpi.Win_get_group(handle, &group) != MPI_SUCCESS)
        return NULL;
    mpi.Comm_group(MPI_COMM_WORLD, &world);
    mpi.Group_size(group, &size);
    room = sizeof *it + (size_t)size * sizeof it->targets[0];
    it = (mpi_window *)mpi_take_memory(room);
    if (it) {
        it->room = room;
        it->size = size;
    }
    for (i = 0; it && i < size; i++) {
        int rank = -1;
        mpi.Group_translate_ranks(group, 1, &i, world, &rank);
        it->targets[i].rank = rank < 0 ? -1 : rank;
        it->targets[i].container = rank < 0 ? 0 : mpi_container_of(rank);
    }
    mpi.Group_free(&group);
    mpi.Group_free(&world);
    return it;
}

static const mpi_window *find_window(MPI_Win handle)
{
    uint64_t *place = mpi_map_add(&windows, MPI_NUMBER(handle), 0);
    if (!place)
        return NULL;
    if (!*place)
        *place = (uint64_t)(uintptr_t)make_window(handle);
    if (!*place)
        mpi_map_remove(&windows, MPI_NUMBER(handle), 0);
    return (const mpi_window *)(uintptr_t)*place;
}

trace_access mpi_access_to(trace_access_kind kind, MPI_Win window, int target, int64_t bytes)
{
    trace_access it = {kind, -1, target < 0 ? 0 : bytes, 0, 0};
    const mpi_window *found;
    mpi_lock();
    found = window != MPI_WIN_NULL && target >= 0 ? find_window(window) : NULL;
    if (found && target < found->size) {
        it.target = found->targets[target].rank;
        it.process = found->targets[target].container;
    }
    mpi_unlock();
    return it;
}

mpi_call mpi_enter_access(trace_defined *state, const void *frame, trace_access *it)
{
    trace_scope scope = {NULL, 0};
    if (trace_is_on(TRACE_MPI))
        scope = trace_begin_access(state, frame, it);
    return mpi_go_inside(scope, frame);
}

int mpi_accessed(const trace_access *it, int result)
{
    if (result == MPI_SUCCESS && it->time && trace_is_on(TRACE_MPI))
        trace_link_access(it);
    return result;
}

int call_Win_free MPI_WITH_NEXT(MPI_Win *window)
{
    mpi_window *it;
    mpi_lock();
    it = (mpi_window *)(uintptr_t)mpi_map_remove(&windows, MPI_NUMBER(*window), 0);
    mpi_unlock();
    if (it)
        mpi_give_memory(it, it->room);
    return next(window);
}
