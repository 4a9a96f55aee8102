/* A framework of a master and its workers: what a program does in each iteration is so many items, which the master
 * deals to workers in pieces.  Two knobs say how, and change between iterations only (live_point): NOptWorkers, the
 * number of workers, and Spread, how unequal the pieces are (application_chunks; 0: one equal piece for each worker).
 * It writes the events that tunlets/workers.c and tunlets/factoring.c need, for the client that PAJE_LIVE lets in. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* The items `first` to `first + count - 1` of an iteration, and the worker that computes them. */
typedef struct mw_piece {
    int64_t iteration, first, count, worker;
} mw_piece;

typedef struct mw_program {
    int64_t iterations, items; /* items: of an iteration */
    int most;                  /* workers that are begun */
    int64_t workers, spread;   /* the knobs, at first */
    int64_t latency;           /* ns that the master computes for each message, beside what sending takes */
    size_t result_size;        /* bytes, of an item */
    /* The bytes that go with a piece, valid until the next call; in the master. */
    const void *(*partition)(void *data, const mw_piece *piece, size_t *size);
    /* Computes the results of a piece; in a worker. */
    void (*compute)(void *data, const mw_piece *piece, const void *input, size_t size, void *results);
    /* Takes the results of a piece; in the master. */
    void (*take)(void *data, const mw_piece *piece, const void *results);
    /* All results of an iteration are there; in the master. */
    void (*finish)(void *data, int64_t iteration);
    /* The load, for pictures; may be NULL. */
    int64_t (*load)(void *data, int64_t iteration);
    void *data;
} mw_program;

typedef struct mw_report {
    uint64_t sent, received; /* pieces */
    uint64_t begun_again;    /* workers that had gone */
    int64_t time;            /* ns of all iterations */
    int64_t workers;         /* at the end */
} mw_report;

/* Runs it.  Returns 1 in the master, 0 in a worker, whose process should end well; -1 after a message if it cannot. */
int mw_run(const mw_program *program, int *argc, char ***argv, mw_report *report);
