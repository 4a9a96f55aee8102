/* Processes that replay parts of a trace write their output in turn: in the order of the parts. */
#pragma once

#include "replay/run.h"

/* The place of a process in a ring of pipes: each waits for a byte from the one before, writes, and sends a byte to the
 * next.  Before it writes, it hands its problems over to the parent, and what it adds to a table (replay/table.h). */
typedef struct paje_turn {
    int from, to;
    int parent, printed; /* printed: from the parent, when it has printed the problems up to the end of the trace */
    int is_over;         /* 1: the last part was written, by this process or another */
} paje_turn;

/* Writes what a part has printed, in its turn, also to files (stream_flush_files); after the last part, the command's
 * `end` is called.  `turn`: NULL if there is one process only; then nothing is written yet. */
void paje_write_part(paje_run *run, paje_turn *turn, size_t number, int is_last);
