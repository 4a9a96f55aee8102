/* Processes that replay parts of a trace write their output in turn: in the order of the parts. */
#pragma once

#include "replay/run.h"

#include <sys/types.h>

/* The place of a process in a ring of pipes: each waits for a byte from the one before, writes, and sends a byte to the
 * next.  Before it writes, it hands its problems over to the parent, and what it adds to a table (replay/table.h). */
typedef struct paje_turn {
    int from, to;
    int parent, printed; /* printed: from the parent, when it has printed the problems up to the end of the trace */
    int is_over;         /* 1: the last part was written, by this process or another */
} paje_turn;

/* Pipes: each process reads the first end of its own, and writes to the second end of the next one's. */
typedef int (*paje_ring)[2];

paje_ring paje_open_ring(size_t processes);
/* The place of a process in the ring; it keeps no other ends, so that one that ends closes its pipes for good. */
paje_turn paje_enter_ring(paje_ring ring, size_t own, size_t processes);
/* Call it in the parent, which is not in the ring, when it has started all processes. */
void paje_leave_ring(paje_ring ring, size_t processes);
/* Returns the greatest exit status; ends the program if one of the processes was killed. */
int paje_wait_for_workers(const pid_t *workers, size_t processes);

/* A byte from another process.  Ends the program if none comes. */
char paje_take_word(int from);
/* Waits until the part before that number is written. */
void paje_wait_for_turn(paje_turn *turn, size_t number);
void paje_pass_turn(const paje_turn *turn);

/* Writes what a part has printed, in its turn, also to files (stream_flush_files); after the last part, the command's
 * `end` is called.  `turn`: NULL if there is one process only; then nothing is written yet. */
void paje_write_part(paje_run *run, paje_turn *turn, size_t number, int is_last);
