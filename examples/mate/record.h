/* The trace of an application of master and workers, with the decisions made for it. */
#pragma once

#include "application.h"
#include "pajewrite.h"

enum { RECORD_BUFFER = 1 << 16, RECORD_ALL = -2 };

typedef pajewrite_status record_sink(void *data, const char *bytes, size_t size);

typedef struct recorder {
    pajewrite writer;
    char buffer[RECORD_BUFFER];
    pajewrite_variant with_iteration, with_actors, with_worker, with_tasks, with_spread, decision;
    uint32_t knobs; /* values that were defined for decisions */
    const char *knob_names[16];
} recorder;

/* Begins a stream; `it` must stay where it is.  `actor`: of which one, -1 for the master; RECORD_ALL: of all. */
pajewrite_status record_begin(recorder *it, int actor, record_sink *sink, void *data);
void record_moment(recorder *it, const application_moment *moment);
/* An iteration asks for a knob to be turned.  `knob` has to stay. */
void record_decision(recorder *it, int64_t time, const char *knob, int64_t iteration, int64_t from, int64_t to);
/* What iterations ask for, as a variable of the analyser. */
void record_wanted(recorder *it, int64_t time, double wanted);
/* Variables of the master from now on: the number of workers, and the load. */
void record_setting(recorder *it, int64_t time, int64_t workers, int64_t load);
/* Writes what is in the buffer. */
void record_flush(recorder *it);
pajewrite_status record_end(recorder *it);
