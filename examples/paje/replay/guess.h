/* The unit of a trace's times, where the trace tells it: the format does not. */
#pragma once

#include "base/unit.h"
#include "pajesim.h"

struct paje_run;

typedef struct paje_unit_guess {
    const time_unit *unit; /* seconds if nothing tells it */
    const char *reason;    /* what tells it: "which StarPU writes"; NULL: nothing does */
} paje_unit_guess;

/* Looks for the unit or the emitter in the comments at the beginning of a trace, up to PAJE_SOURCE_BYTES. */
void paje_read_comments(struct paje_run *run, const char *bytes, size_t size);
/* The same, as far as the beginning has been read: a pipe brings it in pieces. */
void paje_read_new_comments(struct paje_run *run);
/* Guesses the unit from the comments, the names of types, and the first time.  Call it when the first entity comes, or
 * later. */
paje_unit_guess paje_guess_unit(const struct paje_run *run);
/* The unit that --unit says, else a guess, which a message reports once for each trace unless it is seconds. */
const time_unit *paje_unit_of(struct paje_run *run);
/* A time of the trace in nanoseconds of that unit.  Rounding is monotonic, so that what is nested stays nested.
 * Times beyond 9e9 s are that, which a message says. */
int64_t paje_nanoseconds(struct paje_run *run, pajesim_time time);
/* Says once for each trace that some of its times are more than so many nanoseconds from 0, and written as that. */
void paje_tell_range(struct paje_run *run, double nanoseconds);
/* If the times were printed as they are, and seem to be no seconds, says which option converts them. */
void paje_suggest_unit(const struct paje_run *run);
/* Says that a trace tells another unit than the one before it that tells one, which is *told (NULL: none), where the
 * times of both are taken together. */
void paje_compare_unit(const struct paje_run *run, const time_unit **told);
