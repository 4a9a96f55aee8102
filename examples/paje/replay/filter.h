/* Filters: which entities a command shows, and the unit of their times.
 *
 * The options -s, -e, --container, --type and --unit mean the same for all commands:
 *   - an entity is shown if it overlaps [start, end]; it is not cut;
 *   - --container chooses containers by name or alias, what is in them, and links that begin or end there;
 *   - --type chooses entities by the name or alias of their type;
 *   - with --unit, entities that callbacks get have their times in seconds, and so does the filter.
 * paje_start_run() puts the filter between the simulation and the callbacks of the command: only callbacks for entities
 * that are shown are called.  A command that needs all entities, for instance to keep its own stacks, calls
 * paje_shows() itself (PAJE_SEES_ALL). */
#pragma once

#include "base/array.h"
#include "base/map.h"
#include "base/unit.h"

struct paje_run;
struct paje_settings;

/* The values of the options. */
typedef struct paje_filter {
    int has_start, has_end;
    pajesim_time start, end; /* in the unit of the trace */
    array_of(const char *) containers, types; /* globs of which one must match; none: all match */
    const time_unit *unit; /* of the trace's times; NULL: not known */
    int sees_all;    /* 1: callbacks are called for all entities, shown or not */
    int keeps_unit;  /* 1: callbacks get times in the unit of the trace */
} paje_filter;

/* Cache by ref: whether a container or type of a run is chosen. */
typedef struct paje_choice {
    hash_map containers, types;
    array_of(unsigned char) container_is_chosen, type_is_chosen;
} paje_choice;

/* Whether any option chooses entities. */
int paje_is_filtered(const struct paje_settings *settings);

/* Whether an entity is shown: one that is complete, as callback `closed` gets it.  An entity that is open is shown if
 * it may still overlap the range of time. */
int paje_shows(const pajesim *sim, const pajesim_entity *entity);
/* The parts of this test. */
int paje_shows_container(const pajesim *sim, pajesim_ref container);
int paje_shows_type(const pajesim *sim, pajesim_ref type);
int paje_shows_time(const struct paje_settings *settings, pajesim_time start, pajesim_time end);
/* All of it but the range of time. */
int paje_shows_at_any_time(const pajesim *sim, const pajesim_entity *entity);

/* Whether a name is that glob, or matches it. */
int paje_matches(const char *glob, pajesim_text name);

/* A time of the trace in the unit that callbacks get: seconds with --unit. */
double paje_in_seconds(const struct paje_settings *settings, pajesim_time time);
/* The range of time in that unit: -HUGE_VAL and HUGE_VAL where it has no bound. */
double paje_filter_start(const struct paje_settings *settings);
double paje_filter_end(const struct paje_settings *settings);

/* Puts the filter before run->callbacks.  Called by paje_start_run(). */
void paje_filter_run(struct paje_run *run);
void paje_free_choice(paje_choice *choice);

/* Something is shown that is no entity which the filters match, such as a container. */
void paje_note_shown(void);
/* Whether there are filters, and no entity was shown. */
int paje_is_nothing_shown(const struct paje_settings *settings);
/* Prints on standard error that a trace is empty, or why no entity of it was shown.  `counts`: of the whole trace. */
void paje_report_nothing(const struct paje_settings *settings, const char *name, const pajesim_counts *counts);
/* Prints on standard error that no entity has a value that matches. */
void paje_report_no_value(const struct paje_settings *settings, const char *name, const char *glob);
/* Call before fork(): the processes share the knowledge whether anything was shown, and the counts of the trace, which
 * the one that comes to its end sets. */
void paje_share_filter(void);
void paje_set_shared_counts(const pajesim_counts *counts);
pajesim_counts paje_shared_counts(void);
