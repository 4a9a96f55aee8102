/* The page that all processes of a run map: what `paje trace` sets, and what they count.  It is the file `control` in
 * the folder of the run, which the environment variable PAJETRACE_RUN names. */
#pragma once

#include "categories.h"

#include <stdint.h>

#define TRACE_RUN "PAJETRACE_RUN"
#define TRACE_PARENT "PAJETRACE_PARENT" /* of a process that is spawned: KEY:TIME of the link from its parent */
#define TRACE_CONTROL "control"
#define TRACE_LIBRARY "libpajetrace.so"
#define TRACE_HEAP_LIBRARY "libpajetrace-heap.so" /* is preloaded behind it if the heap is recorded */
#define TRACE_OPENMP_LIBRARY "libpajetrace-omp.so" /* is preloaded behind it */
#define TRACE_JAVA_LIBRARY "libpajetrace-java.so" /* is loaded by the one before into programs of Java */
#define TRACE_MAGIC UINT64_C(0x3d656361726a6150) /* changes with the layout */

/* A process that was forked.  The program that it executes next ends the link from its parent. */
typedef struct trace_fork {
    uint32_t process; /* its number; 0: none */
    uint32_t unused;
    uint64_t time, key;
} trace_fork;
enum { TRACE_FORKS = 256 }; /* a process has the one of the last bits of its number */

/* A process of a parallel job, which others of it find by the number of the job and its rank. */
typedef struct trace_rank {
    uint64_t number;    /* mixed of both; 0: none */
    uint64_t spawning;  /* number of the job that it spawns, or has spawned last */
    uint32_t container; /* of the process */
    uint32_t unused;
} trace_rank;
enum { TRACE_RANKS = 4096, TRACE_JOBS = 64 };

enum { TRACE_PATTERNS = 512, TRACE_METHODS = 4096 };

/* Members that change during the run are accessed by __atomic builtins. */
typedef struct trace_control {
    uint64_t magic;
    uint64_t origin;     /* CLOCK_MONOTONIC at which the times begin */
    uint32_t mask;       /* categories that are recorded, one bit each */
    uint32_t are_names_mangled; /* 1: names of C++ functions are as in files */
    uint32_t is_over;    /* 1: the command has ended; nothing more is written */
    uint32_t slots;      /* 1: threads that end hand their container on */
    uint64_t heap;       /* from how many bytes on allocations are events; 0: the heap cannot be recorded in this run */
    uint32_t sampler;    /* TRACE_PERF and so on */
    uint32_t period;     /* nanoseconds of CPU time between two samples */
    uint32_t processes;  /* that have begun */
    uint32_t containers; /* the last alias */
    uint64_t keys;       /* of links, the last one */
    uint64_t fork_keys;  /* from here on, those of links to forked processes: other ones than in other runs */
    uint32_t launchers;  /* `paje trace` of a parallel job that have joined the run; 0: it has its own folder */
    uint32_t left;       /* how many of these have left it */
    uint32_t elsewhere;  /* processes of a parallel job that are on other machines */
    uint32_t finisher;   /* the process that will make the trace of the job */
    uint32_t functions_left_out;  /* as the throttle has it */
    uint64_t throttle_calls;      /* functions that are called more often than that, ... */
    uint64_t throttle_time;       /* ... and take less time on average, are left out; 0: none are */
    uint64_t calls_left_out;
    char functions[TRACE_PATTERNS]; /* patterns of names of those that are recorded; empty: all are */
    uint32_t counters;   /* what is counted, one bit each, in the order of counters.h */
    uint32_t uncounted;  /* threads that have no counters of the processor */
    uint32_t unsampled;  /* threads that have no timer for samples */
    uint32_t missed;     /* calls of signal handlers that interrupted the tracer */
    uint32_t failures;   /* times that a file could not grow */
    uint64_t failed_at;  /* time of the first one; 0: none */
    uint64_t jobs[TRACE_JOBS]; /* the numbers of parallel jobs, in the order in which they began; 0: free */
    trace_rank ranks[TRACE_RANKS]; /* each from the place on that its number tells */
    char methods[TRACE_METHODS]; /* patterns of names of methods of Java that are recorded; empty: none are */
    uint64_t allocations; /* bytes between two allocations of Java that are recorded; 0: none are */
    uint32_t shows_jvm;   /* 1: threads of the JVM that run no Java are recorded, too */
    uint32_t no_exceptions; /* 1: exceptions of Java are not recorded, whose JVM throws them faster then */
    uint32_t beans;       /* milliseconds between two readings of what the JVM counts; 0: it is not read */
    uint32_t no_java;     /* programs of Java whose layer was not found */
    uint32_t strangers;   /* times that a process had become another user, who cannot make files in the folder */
    trace_fork forks[TRACE_FORKS];
    uint32_t children[TRACE_FORKS]; /* processes that were forked, in the same places, as their parents know them */
} trace_control;
