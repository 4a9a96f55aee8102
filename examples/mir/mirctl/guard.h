/* The process that traces another one for a moment.  It is a child of its own session, so that it cleans up whatever
 * happens to mirctl. */
#pragma once

#include "process.h"

typedef enum change_kind { CHANGE_GET, CHANGE_SET, CHANGE_CALL } change_kind;

enum { CHANGE_ARGUMENTS = 6 };

typedef struct change {
    change_kind kind;
    const char *name;
    variable of;                          /* of GET and SET */
    unsigned char bytes[8];               /* SET: the new value */
    uint64_t function;                    /* of CALL */
    int64_t arguments[CHANGE_ARGUMENTS];  /* of CALL */
} change;

typedef struct outcome {
    const char *status;
    char reason[160];        /* empty: none */
    unsigned char before[8]; /* of GET and SET */
    int64_t result;          /* of CALL */
    double stopped;          /* seconds that a thread stood for all changes; < 0: none did */
} outcome;
/* Writes the document that reports it. */
void change_report(int channel, const change *it, const outcome *how);
/* Reads or writes a variable without stopping anything. */
void change_at_once(int channel, const process *in, const change *it);

enum { GUARD_CHANGES = 32 };
/* Makes changes as soon as a thread enters a function, waits for that so long, and for each call as long again.
 * Returns when it has; `channel` is closed by the other side if mirctl has gone. */
void guard_run(int channel, const process *in, uint64_t entry, const change *changes, size_t count, int milliseconds);
