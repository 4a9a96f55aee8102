/* Parts of a trace without an index: processes replay them in turn, and hand the state from one to the next.
 *
 * The process before hands over the state with which it began its own part; meanwhile the process has read this part,
 * and feeds what lasts of it (see `pajesim_chunk_read` in pajesim.h).  So each part is read once and replayed once.
 * With few processes the first one does not read: it gets the state with which the last one has ended its part, and has
 * larger parts, so that all end at about the same time. */
#pragma once

#include "replay/run.h"

enum { RELAY_MOST = 64 }; /* processes */

typedef struct paje_relay {
    paje_run *run;        /* of this process */
    size_t processes, own; /* own: the number of this process */
    unsigned failures;    /* parts that do not suit, in a row */
    pajesim_callbacks callbacks; /* of the run, before it has none */
    size_t count;         /* of parts; the one with number n belongs to process n % processes */
    uint64_t *ends;       /* of the parts: in the trace, and then at the ends of lines */
    int hands_end;        /* 1: the last process hands over the state at the end of its parts */
    uint64_t head;        /* the offset of `base` */
    pajesim base;         /* a simulation of the beginning, with which chunks are read */
    void *base_noted;     /* what settings->before noted of it */
    struct relay_state *states; /* that are handed over, in shared memory: by each process */
    size_t state_size;
    int (*links)[2];      /* sockets: between each process, [0], and the next one, [1] */
    char *bytes;          /* of the part before, and the memory to read it with */
    unsigned char *memory;
    size_t room;
} paje_relay;

/* Divides the trace of a run, which is open and not started, into parts of `most` bytes at most.  Returns 0, and the
 * run is of no use any more, if that is not possible. */
int paje_begin_relay(paje_relay *it, paje_run *run, size_t processes, uint64_t most);
/* Call it in each process, after fork(), then start the run. */
void paje_enter_relay(paje_relay *it, size_t own);
/* Call it in the parent, after fork(). */
void paje_leave_relay(paje_relay *it);
/* Brings the run, which has the callbacks settings->before, to the beginning of a part of this process, and hands the
 * state over.  Returns 0 if the trace has ended before it. */
int paje_relay_to(paje_relay *it, size_t number);
/* Call it at the end of the part. */
void paje_relay_end(paje_relay *it, size_t number);
