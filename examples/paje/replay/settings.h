/* Settings of a replay, made of the options of the command line. */
#pragma once

#include "base/platform.h"
#include "pajesim.h"
#include "replay/filter.h"

struct paje_alias;
struct paje_run;
struct paje_table;

typedef struct paje_settings {
    const struct paje_command *command; /* for messages; replay/ does not look into it */
    const struct paje_alias *alias;     /* the name of another program by which it was called; NULL: none */
    /* The functions of the command for each trace; the traces are numbered from 0.  Any may be NULL. */
    pajesim_callbacks callbacks;
    void (*begin)(struct paje_run *run, int trace);
    void (*end)(struct paje_run *run, int trace);
    pajesim_options simulation;
    paje_filter filter;
    size_t arena; /* limit in bytes; 0: none */
    uint64_t limit; /* errors that are shown of each trace; 0: all */
    uint64_t part, parts; /* replays part 1 to `parts` only: see replay/part.h; 0: all */
    const char *files; /* another folder where included files may be; NULL: none */
    int plain_files;   /* included files must not be compressed: they are closed meanwhile and opened again */
    int stats;
    int follow;
    int processes; /* that share the work; 0, 1: one */
    /* Callbacks for the lines that another process shows (replay/parts.h), if those of the command need what is noted
     * of all lines before; and what they note, which is handed on with the simulation.  NULL: none. */
    const pajesim_callbacks *before;
    void *noted;
    size_t noted_size;
    const struct paje_table *table; /* what processes hand over, in place of output: replay/table.h; NULL: nothing */
    int is_part; /* 1: of such a process */
    /* The name of a variable whose value counts when a link ends, also behind the range: then an index does not do.
     * NULL: none. */
    const char *variable;
    int stops;            /* 1: entities that are open at the end of the trace end at `stop_time` */
    pajesim_time stop_time;
} paje_settings;
