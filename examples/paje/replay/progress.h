/* Progress: a line on standard error that tells how far the work is, once it takes longer than a second.  It is not
 * shown where standard error is no terminal, nor where standard output is a pipe, as the program that reads it may
 * write to the same terminal. */
#pragma once

#include "base/platform.h"

typedef struct paje_progress {
    int is_shown; /* 0: never */
    const char *what;      /* what is done, before the numbers; may be "" */
    double began, last;    /* last: when it was shown */
    uint64_t first, total; /* bytes before the work began, and at its end; total 0: not known */
} paje_progress;

paje_progress paje_begin_progress(const char *what, uint64_t first, uint64_t total);
/* Shows it if it is time to: the work has come to byte `done`.  It stays until the next output, message, or
 * stream_end_progress(). */
void paje_show_progress(paje_progress *it, uint64_t done);
