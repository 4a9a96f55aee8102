/* paje critical: what its files share.
 *
 * The critical path is found by the rule of backward replay: from the state that ends last it goes back in time on its
 * container, to the end of the last link that the container was waiting for, over the link to its start, and on from
 * there.  A walk back needs all of the history.  So it is done forwards here: each container has the path that a walk
 * back from it would take at present.  Where a link ends for which a container has waited, its path becomes that of the
 * link's start; all others go on.  Paths share their beginnings (path.c), and what leads nowhere is forgotten.
 *
 * walk.c says in which state a container spends its time; path.c keeps paths, links.c follows links, collectives.c
 * collective operations; segments.c reads the trace a second time and prints the path piece by piece; print.c prints
 * the sums, critical.c is the command. */
#pragma once

#include "base/sum.h"
#include "command.h"
#include "replay/active.h"

typedef struct critical_settings {
    int has_segments;  /* print the pieces of the path, in a second pass; the paths of the first one hold stays then */
    size_t top;        /* rows of each table; 0: all */
    double start, end; /* of the range that counts; infinite if not given */
    active_globs last; /* containers in which the path may end; none: all */
} critical_settings;

extern critical_settings critical_options;

/* ---- walk.c */

/* A part of the time of a place, in one state; or class ACTIVE_NONE: in none. */
typedef void critical_part(size_t place, size_t class, double from, double to);

/* Calls `part` for the time of a place from `*mark` to `time`, which `*mark` becomes; from its first state on if
 * `*mark` is -HUGE_VAL.  The state at an instant is the one that began last.  A state that ends at `time` takes part
 * until active_closed(). */
void critical_walk(size_t place, double *mark, double time, critical_part *part);

/* ---- path.c */

/* A number for a container (a name; a serial number if `has_segments`) and a class. */
typedef uint32_t critical_key;

critical_key critical_key_of(size_t container, size_t class);
size_t critical_key_container(critical_key key);
size_t critical_key_class(critical_key key);

/* What lies on a path.  When a path has many pieces, those of one key are added up, unless `has_segments`. */
typedef struct critical_piece {
    double from, to, time; /* of several that were added up only the time is known */
    uint64_t count;
    uint64_t collects; /* the serial number of the node whose pieces of that key are added to this one; 0: none */
    critical_key key;
    uint32_t next; /* 0: none */
} critical_piece;

/* A path that is being extended, or one that is kept as it was: a number, 0: none. */
typedef uint32_t critical_path;


/* A path that begins now, or one that goes on from a kept one. */
critical_path critical_new(critical_path from);
void critical_extend(critical_path path, critical_key key, double from, double to);
/* Keeps a path as it is, to go on from; the caller's path goes on as `*path`. */
critical_path critical_keep(critical_path *path);
void critical_release(critical_path path);
/* Calls a function for each piece, in order. */
void critical_for_each(critical_path path, void (*piece)(const critical_piece *piece));

/* ---- links.c: the first pass */

void critical_add_place(pajesim *sim, size_t place);
void critical_free_place(size_t place);
void critical_state_began(const pajesim_entity *state, size_t place);
void critical_state_closed(pajesim *sim, const pajesim_entity *state, size_t place);
/* Returns the path of a place up to a time, kept; lets a place go on from one, unless its
 * own is known beyond that time. */
critical_path critical_depart(pajesim *sim, size_t place, double time);
void critical_go_on_from(size_t place, critical_path path, double time);
void critical_link_started(pajesim *sim, const pajesim_entity *link);
void critical_link_closed(pajesim *sim, const pajesim_entity *link);

/* ---- collectives.c: likewise, at collective operations; a state that begins, and before it is closed */

void critical_operation_begins(pajesim *sim, const pajesim_entity *state, size_t place);
void critical_operation_ends(const pajesim_entity *state, size_t place);

typedef struct critical_result {
    critical_path path; /* 0: there are no states */
    double end;
    double first, last;      /* of all states */
    uint64_t outer;               /* waits for containers that a filter leaves out */
    uint64_t backward, unordered; /* links that end before they start; ends of links out of order */
    uint64_t late_states; /* beginnings and ends of states that come after later times of their place */
} critical_result;

extern critical_result critical_found;
/* Finds the path of the state that ended last. */
void critical_finish(void);

/* ---- print.c, segments.c */

void critical_print(pajesim *sim);
/* Replays the trace again and prints the pieces of the path.  Returns an exit status. */
int critical_print_segments(const paje_settings *settings, const char *name);
