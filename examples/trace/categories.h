/* Categories of what is recorded: name, bit, what it is. */
#pragma once

#define TRACE_CATEGORIES(CATEGORY) \
    CATEGORY(threads, THREADS, 0, "threads that start, end, and wait for each other's end or at a barrier") \
    CATEGORY(locks, LOCKS, 1, "waiting for locks, conditions and semaphores") \
    CATEGORY(io, IO, 2, "files, pipes and sockets; polling; sleeping") \
    CATEGORY(processes, PROCESSES, 3, "processes that fork, and wait for others") \
    CATEGORY(user, USER, 4, "what the program adds itself, by pajetrace.h") \
    CATEGORY(functions, FUNCTIONS, 5, "functions, if the program is compiled with -finstrument-functions") \
    CATEGORY(heap, HEAP, 6, "memory that is allocated and freed") \
    CATEGORY(mpi, MPI, 7, "calls of MPI; its messages, as links") \
    CATEGORY(omp, OMP, 8, "OpenMP: regions, tasks, loops, waiting, critical sections; dependences, as links") \
    CATEGORY(task-links, TASK_LINKS, 9, "OpenMP: links from where tasks are created to where they run first") \
    CATEGORY(java, JAVA, 10, "threads of Java, what they wait for, exceptions, collections of garbage, methods") \
    CATEGORY(collective-links, COLLECTIVE_LINKS, 11, \
             "MPI: links between the root of a collective operation and the others")

enum {
#define TRACE_CATEGORY(name, NAME, bit, help) TRACE_##NAME = 1 << (bit),
    TRACE_CATEGORIES(TRACE_CATEGORY)
#undef TRACE_CATEGORY
    TRACE_ALL = (1 << 12) - 1,
    TRACE_BY_DEFAULT = TRACE_ALL & ~(TRACE_HEAP | TRACE_TASK_LINKS | TRACE_COLLECTIVE_LINKS)
};
