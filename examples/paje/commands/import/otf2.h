/* What the parts of the import of OTF2 share: the text that otf2-print makes of an archive. */
#pragma once

#include "import.h"

enum { OTF2_NODE_TYPE = 1, OTF2_PROCESS_TYPE, OTF2_THREAD_TYPE, OTF2_REGION_TYPE, OTF2_LINK_TYPE, OTF2_FIRST_METRIC };

/* A record: `KIND NUMBER REST`. */
typedef struct otf2_record {
    pajesim_text kind, rest;
    uint64_t number; /* of a definition, or of the location of an event */
    uint64_t time;   /* of an event, in ticks */
} otf2_record;

/* Runs otf2-print on an archive, and calls `take` for each record.  `is_event`: of its events, else of its
 * definitions. */
void otf2_print(const paje_source *source, int is_event, void (*take)(const input_lines *lines,
                                                                     const otf2_record *record));

/* The number in the first `<NUMBER>` or the last one of a text; returns 0 if there is none.  `*before`: the text before
 * it.  The first one is none that a name holds, if there is another one. */
int otf2_first_reference(pajesim_text text, uint64_t *number, pajesim_text *before);
int otf2_last_reference(pajesim_text text, uint64_t *number, pajesim_text *before);
/* The text before or behind the last place of a word; returns 0 if it is not there. */
int otf2_cut(pajesim_text text, const char *word, pajesim_text *before, pajesim_text *behind);
/* What is between the first and the last quote of a text. */
pajesim_text otf2_unquote(pajesim_text text);

/* ---- otf2_definitions.c */

/* Reads clock, nodes, processes and locations, and creates their containers. */
void otf2_read_definitions(const paje_source *source);
/* Converts a time in ticks to nanoseconds.  Returns 0 if it is before the beginning. */
int otf2_time(uint64_t ticks, uint64_t *nanoseconds);
/* The number of a location, from 0 on; returns 0 if there is none. */
int otf2_find_location(uint64_t location, uint32_t *number);
pajewrite_container otf2_container(uint32_t number);
/* The container of a node, which is created if need be: so while definitions are read. */
pajewrite_container otf2_node(uint64_t number);
/* The container of a process; returns 0 if there is none. */
int otf2_find_process(uint64_t number, pajewrite_container *process);
/* Destroys all containers, at a time or at the end that the archive says. */
void otf2_destroy_containers(uint64_t time);

/* ---- otf2_metrics.c */

/* A member of metrics, and metrics of something else than who records them. */
void otf2_define_member(const otf2_record *it);
void otf2_define_instance(const otf2_record *it);
void otf2_change_metrics(const input_lines *lines, const otf2_record *it, uint32_t location, uint64_t time);
/* Tells what was left out. */
void otf2_report_metrics(const char *name);
