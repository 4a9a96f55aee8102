/* Parts of a trace without an index: processes replay them in turn, and hand the state from one to the next.
 *
 * The process before hands over the state at a place of its own part, and the process has read meanwhile what follows
 * of this part, and feeds what lasts of it (see `pajesim_chunk_read` in pajesim.h).  So each line is read once at most,
 * and replayed once.  Many processes hand over the state with which they begin a part.  Few of them share the trace by
 * rounds: the first process does not read, but gets the state with which the last one has ended the round before, and
 * its part is larger; it hands over the state when the second process has read the rest, so that all end at about the
 * same time.  A single process just replays part after part. */
#pragma once

#include "replay/run.h"

enum { RELAY_MOST = 64 }; /* processes */

typedef struct paje_relay {
    paje_run *run;        /* of this process */
    size_t processes, own; /* own: the number of this process */
    unsigned failures;    /* parts that do not suit, in a row */
    pajesim_callbacks callbacks; /* of the run, before it has none */
    size_t count;         /* of parts; the one with number n belongs to process n % processes */
    struct relay_part *parts;
    int hands_end;        /* 1: few processes; the last one hands over the state at the end of its parts */
    uint64_t head;        /* the offset of `base`, where a line begins */
    pajesim base;         /* a simulation of the beginning, with which chunks are read */
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
/* Brings the run, which has the callbacks settings->before, to the beginning of a part of this process. */
void paje_relay_to(paje_relay *it, size_t number);
/* Feeds the part to the run, which has its own callbacks by now, and hands the state over.  Returns 0 if the trace has
 * ended before the end of the part. */
int paje_relay_feed(paje_relay *it, size_t number);
