/* A master and its workers in virtual time: each iteration divides its work among n workers, and takes
 * T(n) = n tl + (lambda V + Tc) / n.  Its events come one after the other, in the order of their times. */
#pragma once

#include <stdint.h>

enum { APPLICATION_WORKERS = 128 };

typedef enum application_event {
    APPLICATION_STARTS,
    APPLICATION_FINISHES,
    APPLICATION_SENDS,
    APPLICATION_REPLIES,
    APPLICATION_WORKER_STARTS,
    APPLICATION_WORKER_FINISHES,
    APPLICATION_EVENTS
} application_event;

/* An event: of the master, where `actor` is -1, or of a worker. */
typedef struct application_moment {
    int64_t time; /* ns */
    application_event event;
    int actor;
    int64_t iteration, workers;
    int64_t worker, bytes; /* of messages */
} application_moment;

typedef struct application {
    int64_t latency;   /* tl: ns for a message */
    int64_t byte_time; /* lambda: ns for a byte */
    int64_t bytes;     /* V: sent and received in an iteration */
    int64_t computing; /* Tc: ns of all workers in an iteration of load 1 */
    void (*happened)(void *data, const application_moment *moment);
    void *data;
} application;

/* Runs an iteration on so many workers, 1 to APPLICATION_WORKERS, with `load` times the computing time, from `begin`
 * on.  Returns when it ends. */
int64_t application_iterate(const application *it, int64_t iteration, int workers, int64_t load, int64_t begin);
/* T(n), in ns. */
double application_time(const application *it, int workers, int64_t load);
