/* A master and its workers in virtual time.  The events of an iteration come one after the other, in the order of their
 * times. */
#pragma once

#include <stdint.h>

enum { APPLICATION_WORKERS = 128 };

typedef enum application_event {
    APPLICATION_STARTS,
    APPLICATION_FINISHES,
    APPLICATION_SENDS,
    APPLICATION_WORKER_STARTS,
    APPLICATION_WORKER_FINISHES,
    APPLICATION_REPLIES,
    APPLICATION_WORKER_ENDS, /* it gets nothing more in this iteration */
    APPLICATION_EVENTS
} application_event;

/* An event: of the master, where `actor` is -1, or of a worker. */
typedef struct application_moment {
    int64_t time; /* ns */
    application_event event;
    int actor;
    int64_t iteration, workers;
    int64_t worker, bytes; /* of messages */
    int64_t message;       /* the how many-th of the iteration, from 0 */
    int64_t tasks;         /* that a worker starts */
    int64_t spread;        /* with which an iteration that starts is dealt */
    int is_disturbed;      /* an iteration that finishes: what was measured in it is of no use */
    int64_t from;          /* when it began to be sent; 0: at `time` */
} application_moment;

typedef struct application {
    int64_t latency;   /* tl: ns for a message */
    int64_t byte_time; /* lambda: ns for a byte */
    int64_t bytes;     /* V: sent and received in an iteration */
    int64_t computing; /* Tc: ns of all workers in an iteration of load 1 */
    void (*happened)(void *data, const application_moment *moment);
    void *data;
} application;

/* Divides an iteration among so many workers, 1 to APPLICATION_WORKERS, with `load` times the computing time, from
 * `begin` on: it takes T(n) = n tl + (lambda V + Tc) / n.  Returns when it ends. */
int64_t application_iterate(const application *it, int64_t iteration, int workers, int64_t load, int64_t begin);
/* T(n), in ns. */
double application_time(const application *it, int workers, int64_t load);

enum { APPLICATION_BATCHES = 10 };

/* Divides so many tasks into chunks for factoring (section 5.2.1 of the thesis): batches of one chunk for each worker.
 * Each batch has about half of the tasks that are left, less if the times of tasks spread more.  `spread`: their
 * standard deviation over their mean, in millionths.  What ten batches leave is dealt one by one.  Stores at most
 * `capacity` chunks; returns how many there are. */
int application_chunks(int64_t tasks, int workers, int64_t spread, int64_t *chunks, int capacity);
/* Deals the tasks of an iteration in such chunks, each to the worker that is free first.  A task takes `task_time[i]`
 * ns on worker i.  Returns when the iteration ends. */
int64_t application_deal(const application *it, int64_t iteration, int workers, int64_t tasks, int64_t spread,
                         const int64_t *task_time, int64_t begin);
