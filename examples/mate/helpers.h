/* The collectors that mate starts: processes between the program's and the analysis, in one or two layers. */
#pragma once

#include "streams.h"

#include <sys/types.h>

enum { HELPERS = 64 };

typedef struct helper {
    pid_t process;  /* 0: it has gone */
    int input;      /* the sockets that it attaches to are named here; -1: none are */
} helper;

typedef struct helpers {
    int low, high, next;
    helper all[HELPERS]; /* low ones first */
    array_of(char *) paths; /* what was given to collectors */
    array_of(int) given_to;
    streams *above;
} helpers;

/* Reads how many from an option: N, or N+M.  Returns 0 if that is none. */
int helpers_read(helpers *it, const char *text);
/* Starts them, for the tunlet of that name; what they find is added to `above`.  Returns 0 after a message. */
int helpers_begin(helpers *it, const char *of, const char *folder, streams *above);
/* Gives the trace of the program at a socket to one of them.  Returns 0 if there is none. */
int helpers_give(helpers *it, const char *path);
/* Looks for those that have gone; what they had is attached to directly.  Returns how many. */
int helpers_look(helpers *it);
/* No more comes: they end when all traces have. */
void helpers_finish(helpers *it);
void helpers_end(helpers *it);
