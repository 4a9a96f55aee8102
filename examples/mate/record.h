/* The trace of an application of master and workers, with the decisions made for it.  Times are those of the clock that
 * `origin` is a time of. */
#pragma once

#include "application.h"
#include "pajewrite.h"

enum { RECORD_BUFFER = 1 << 16, RECORD_TABLE = 256, RECORD_NAMES = 64, RECORD_ALL = -2, RECORD_ANALYSER = -3 };

/* Types of events. */
#define RECORD_TUNED "Tuned"
#define RECORD_DECISION "Decision"
#define RECORD_RANGE "Range"
#define RECORD_LOST "Given up"

typedef pajewrite_status record_sink(void *data, const char *bytes, size_t size);

typedef struct recorder {
    pajewrite writer;
    char buffer[RECORD_BUFFER];
    pajewrite_entry table[RECORD_TABLE]; /* of a stream that is offered */
    pajewrite_variant with_iteration, with_actors, with_worker, with_tasks, with_spread, decision, intrusion;
    uint64_t origin;
    uint32_t names; /* values that were defined for what the analyser writes */
    const char *name_texts[RECORD_NAMES];
    pajewrite_type name_types[RECORD_NAMES];
} recorder;

/* Begins a stream; `it` must stay where it is.  `actor`: of which one, -1 for the master; RECORD_ALL: of all;
 * RECORD_ANALYSER: decisions only. */
pajewrite_status record_begin(recorder *it, int actor, uint64_t origin, record_sink *sink, void *data);
/* The same for a client that takes what it can: the rest is dropped, and counted.  Times count from `origin` on. */
pajewrite_status record_offer(recorder *it, int actor, uint64_t origin, pajewrite_offer offer);
void record_moment(recorder *it, const application_moment *moment);
/* An iteration asks for a knob to be turned.  `knob` has to stay. */
void record_decision(recorder *it, int64_t time, const char *knob, int64_t iteration, int64_t from, int64_t to);
/* What a knob may be.  `knob` has to stay. */
void record_range(recorder *it, int64_t time, const char *knob, int64_t low, int64_t high);
/* Iterations that a tunlet of that name gives up. */
void record_lost(recorder *it, int64_t time, const char *name, int64_t first, int64_t last);
/* What iterations ask for, as a variable of the analyser. */
void record_wanted(recorder *it, int64_t time, double wanted);
/* Variables of the master from now on: the number of workers, and the load. */
void record_setting(recorder *it, int64_t time, int64_t workers, int64_t load);
/* What tracing has cost an actor, at its end: events, and ns to prepare, to write events and send them, and to make
 * changes. */
void record_intrusion(recorder *it, int actor, uint64_t time, int64_t setup, int64_t monitoring, int64_t tuning);
/* For live_config: the type of events that say what was changed; the container of an actor. */
pajewrite_type record_tuned_type(void);
pajewrite_container record_container(int actor);
/* Writes what is in the buffer. */
void record_flush(recorder *it);
pajewrite_status record_end(recorder *it);
/* Says at the end what is wrong with a trace, if anything is: whose, what, what to do. */
void record_tell(const pajewrite *w, const char *whose);
