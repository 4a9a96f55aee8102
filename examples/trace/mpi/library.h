/* The MPI library of the program: what this layer itself calls of it.
 *
 * The layer is preloaded into every process of a run, also into those without MPI, and into those that open MPI late
 * (Python).  So it is not linked to a library of MPI: functions and handles are looked up when MPI is called first.
 * One build is for one make of MPI, whose mpi.h it includes; a process with another make is not recorded. */
#pragma once

#include <mpi.h>

#include <stdint.h>

/* Local queries, which have no wrapper. */
#define MPI_OWN_FUNCTIONS(OWN) \
    OWN(Comm_rank, (MPI_Comm, int *)) \
    OWN(Comm_size, (MPI_Comm, int *)) \
    OWN(Comm_remote_size, (MPI_Comm, int *)) \
    OWN(Comm_test_inter, (MPI_Comm, int *)) \
    OWN(Comm_group, (MPI_Comm, MPI_Group *)) \
    OWN(Comm_remote_group, (MPI_Comm, MPI_Group *)) \
    OWN(Comm_get_parent, (MPI_Comm *)) \
    OWN(Group_size, (MPI_Group, int *)) \
    OWN(Win_get_group, (MPI_Win, MPI_Group *)) \
    OWN(Topo_test, (MPI_Comm, int *)) \
    OWN(Cartdim_get, (MPI_Comm, int *)) \
    OWN(Cart_shift, (MPI_Comm, int, int, int *, int *)) \
    OWN(Graph_neighbors_count, (MPI_Comm, int, int *)) \
    OWN(Dist_graph_neighbors_count, (MPI_Comm, int *, int *, int *)) \
    OWN(Group_translate_ranks, (MPI_Group, int, const int *, MPI_Group, int *)) \
    OWN(Group_free, (MPI_Group *)) \
    OWN(Type_size_x, (MPI_Datatype, MPI_Count *)) \
    OWN(Get_elements_x, (const MPI_Status *, MPI_Datatype, MPI_Count *)) \
    OWN(Test_cancelled, (const MPI_Status *, int *)) \
    OWN(Request_get_status, (MPI_Request, int *, MPI_Status *)) \
    OWN(Error_class, (int, int *)) \
    OWN(Query_thread, (int *))

typedef struct mpi_library {
#define OWN(name, parameters) int (*name) parameters;
    MPI_OWN_FUNCTIONS(OWN)
#undef OWN
    int is_on;       /* 1: MPI has begun, all of these were found, and the library is of this make */
    int is_multiple; /* 1: threads may call at the same time (MPI_THREAD_MULTIPLE) */
} mpi_library;

extern mpi_library mpi;

/* The class of a result: some makes return codes that tell more. */
static inline int mpi_class_of(int result)
{
    int class = result;
    if (result != MPI_SUCCESS)
        mpi.Error_class(result, &class);
    return class;
}

#ifdef OPEN_MPI
/* Handles are addresses of objects in the library. */
#define MPI_OWN_HANDLES(OWN) \
    OWN(comm_world) OWN(comm_self) OWN(comm_null) OWN(request_null) OWN(message_null) OWN(message_no_proc) \
    OWN(win_null) OWN(datatype_null) OWN(byte)
typedef struct mpi_own_handles {
#define OWN(name) void *name;
    MPI_OWN_HANDLES(OWN)
#undef OWN
} mpi_own_handles;
extern mpi_own_handles mpi_handles;
#undef MPI_COMM_WORLD
#undef MPI_COMM_SELF
#undef MPI_COMM_NULL
#undef MPI_REQUEST_NULL
#undef MPI_MESSAGE_NULL
#undef MPI_MESSAGE_NO_PROC
#undef MPI_WIN_NULL
#undef MPI_DATATYPE_NULL
#undef MPI_BYTE
#define MPI_COMM_WORLD ((MPI_Comm)mpi_handles.comm_world)
#define MPI_COMM_SELF ((MPI_Comm)mpi_handles.comm_self)
#define MPI_COMM_NULL ((MPI_Comm)mpi_handles.comm_null)
#define MPI_REQUEST_NULL ((MPI_Request)mpi_handles.request_null)
#define MPI_MESSAGE_NULL ((MPI_Message)mpi_handles.message_null)
#define MPI_MESSAGE_NO_PROC ((MPI_Message)mpi_handles.message_no_proc)
#define MPI_WIN_NULL ((MPI_Win)mpi_handles.win_null)
#define MPI_DATATYPE_NULL ((MPI_Datatype)mpi_handles.datatype_null)
#define MPI_BYTE ((MPI_Datatype)mpi_handles.byte)
#endif

/* A handle as a number: some makes have pointers, others numbers. */
#define MPI_NUMBER(handle) ((uintptr_t)(handle))

/* Finds the definition of a function behind that of this layer; if there is none, the program ends with a message, as
 * it has called what no library defines.  `place`: of a pointer to a function. */
void mpi_find_next(const char *name, void *place);

/* Finds what the layer needs.  Returns 0 if it is not all there. */
int mpi_find_library(void);
