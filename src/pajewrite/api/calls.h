/* The calls.  src/disabled.awk makes disabled.h from this list. */
#pragma once

#include "guard.h"
#include "model.h"
#include "definitions.h"
#include "track.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------------------------------------
 * The context
 * --------------------------------------------------------------------------------------------- */

/* Sets up a context.  The buffer belongs to the caller, has any alignment, and is in use until pajewrite_finish; with
 * config->next_buffer it may be NULL, with size 0; a ring is at most 64 KB large.  `config` is copied; NULL: all
 * defaults.  After a failure (PAJEWRITE_E_MISUSE) the context may still be used, and writes nothing; but a ring has no
 * place for text then: call pajewrite_announce after success only, and drain no context that was not set up. */
PAJEWRITE__API pajewrite_status pajewrite_init(pajewrite *w, void *buffer, size_t size, const pajewrite_config *config);

#if PAJEWRITE_RING
/* Draining, from one place only: the main loop, or an interrupt of the UART or of its DMA.  Writers may run meanwhile.
 *
 * Returns the next byte of the trace; -1: none yet. */
PAJEWRITE__API int pajewrite_next_byte(pajewrite *w);
/* Reads the next bytes of the trace, at most `size`; returns how many. */
PAJEWRITE__API size_t pajewrite_read(pajewrite *w, char *bytes, size_t size);
#else
/* Writes the event definitions, with which a trace begins.  Of several contexts that share a sink, one writes them. */
PAJEWRITE__API void pajewrite_header(pajewrite *w);

/* Delivers the buffer to the sink.  Returns the status. */
PAJEWRITE__API pajewrite_status pajewrite_flush(pajewrite *w);

/* Ends the trace.  With a table, open states and then containers, children first, are closed at the greatest time so
 * far.  Then delivers the buffer to the sink.  Returns the status.  The caller may reuse buffer and table.  (That time
 * is the context's own: where others write on its containers, destroy these, or finish it last, after a call of
 * pajewrite_learn for each of the others; else containers end before their last events.) */
PAJEWRITE__API pajewrite_status pajewrite_finish(pajewrite *w);

#if PAJEWRITE_TABLE
/* The trace in the memory of a flight recorder (PAJEWRITE_OVERWRITE): definitions, the containers alive and the states
 * open at the earliest time that it still holds, and all events from then on.  User fields of states that were open
 * then are missing.  Reads only the memory, at least the `size` bytes given to pajewrite_init (its whole block, in
 * blocks of a file), and changes nothing.  So it may be called from a signal handler, if the sink may, on a copy of the
 * memory, or on the file of a pajewrite_map after the process died.  Calls the sink many times.
 *
 * `keep_halves`: 0 leaves out links of which only one end is in memory, so that the trace is valid by itself; 1 keeps
 * them, for a merge of several recorders.  `scratch`: used if `keep_halves` is 0; `scratch_size` bytes of any
 * alignment.  Time is linear with 32 bytes for each end that is left out, or with the size of the recorder.  With less,
 * all is read again whenever the scratch memory is full; with NULL and 0, once for each 16 ends.
 *
 * Returns PAJEWRITE_E_RECORDER if the memory is not that of a recorder; PAJEWRITE_E_OVERTAKEN if another thread wrote
 * meanwhile, so that the output has to be discarded; else the status of the sink.
 *
 * Takes 1.3 KB of the stack, 2.2 KB if PAJEWRITE_SEGMENTS is 64, and what the sink takes (pajewrite_to_file: 1 KB).  A
 * handler on a stack of its own of 8 KB (SIGSTKSZ) has no more than 2 to 4 KB, where registers are wide. */
PAJEWRITE__API pajewrite_status pajewrite_flight_dump(const void *memory, size_t size, int keep_halves, void *scratch,
                                                     size_t scratch_size, pajewrite_sink sink, void *sink_data);

/* Continues with another peer, at any time, also after the last one died: config.offer is called with this `sink_data`
 * from now on.  The trace begins again, with definitions, containers, open states and variables; what the last peer did
 * not take is dropped and counted.  Needs config.offer, a table, and config.definitions_size.  The peer, or the buffer,
 * has to take all of that at once (else PAJEWRITE_E_SNAPSHOT, after which another one may come). */
PAJEWRITE__API pajewrite_status pajewrite_attach(pajewrite *w, void *sink_data);

/* Learns what another context of the same trace has defined, created and destroyed so far, and its greatest time: the
 * checking mode refuses what it does not know, and finish does not end what has ended.  Call it before pajewrite_finish
 * of `from`, of which nothing is learned afterwards, and before `from` forgets containers that are destroyed, when its
 * table is full.  Both contexts need a table; `from` must not be in use meanwhile. */
PAJEWRITE__API void pajewrite_learn(pajewrite *w, const pajewrite *from);
#endif
#endif

/* Returns the first problem, or PAJEWRITE_OK. */
PAJEWRITE__API pajewrite_status pajewrite_get_status(const pajewrite *w);
#if !PAJEWRITE_RING
/* Returns the text of the first problem, with the name that it is about where there is one; valid as long as the
 * context. */
PAJEWRITE__API const char *pajewrite_problem(const pajewrite *w);
#endif
PAJEWRITE__API pajewrite_counts pajewrite_count(const pajewrite *w);

/* Returns the time of the clock. */
PAJEWRITE__API uint64_t pajewrite_now(const pajewrite *w);

/* Enables or disables events (states, events, variables, links) whose types are of these categories: bit n selects
 * category n.  Definitions and containers are always written.  Call it while no state of these categories is open, else
 * pushes and pops do not match; a PAJEWRITE_SCOPE and a zone match all the same.  Any thread may call these. */
PAJEWRITE__API void pajewrite_enable(pajewrite *w, uint32_t categories);
PAJEWRITE__API void pajewrite_disable(pajewrite *w, uint32_t categories);
#if !PAJEWRITE_RING
/* In all contexts: written are events whose category is enabled here (all are at first) and in their context.  A
 * library that has a copy of the header of its own has these of its own, too. */
PAJEWRITE__API void pajewrite_enable_everywhere(uint32_t categories);
PAJEWRITE__API void pajewrite_disable_everywhere(uint32_t categories);
#endif

#if !PAJEWRITE_RING
/* Hand out aliases.  No two contexts hand out the same one if they share config.aliases, or if they have the same
 * config.alias_step, and different config.alias_first up to it. */
PAJEWRITE__API pajewrite_type pajewrite_new_type(pajewrite *w);
PAJEWRITE__API pajewrite_type pajewrite_new_type_in(pajewrite *w, uint32_t category);
PAJEWRITE__API pajewrite_container pajewrite_new_container(pajewrite *w);
PAJEWRITE__API pajewrite_value pajewrite_new_value(pajewrite *w);
#endif

/* ------------------------------------------------------------------------------------------------
 * Definitions.  Names are text in any encoding, terminated by NUL; NULL: the alias in decimal.  Names need not be
 * unique, because aliases identify; but a value should not be named by a number, which could be the alias of another
 * value.
 * Colours are "0.2 0.8 0.2" (red, green, blue from 0 to 1, optionally opacity) or "33cc33"; NULL: grey.
 * --------------------------------------------------------------------------------------------- */

PAJEWRITE__CALL void pajewrite_define_container_type(pajewrite *w, pajewrite_type type, pajewrite_type parent,
                                                     const char *name);
/* `of`: the type of the containers that have such states, events or variables. */
PAJEWRITE__CALL void pajewrite_define_state_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                 const char *name);
PAJEWRITE__CALL void pajewrite_define_event_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                 const char *name);
PAJEWRITE__CALL void pajewrite_define_variable_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                    const char *name, const char *color);
/* `of`: a common ancestor of the types of the containers where links start and end. */
PAJEWRITE__CALL void pajewrite_define_link_type(pajewrite *w, pajewrite_type type, pajewrite_type of,
                                                pajewrite_type start, pajewrite_type end, const char *name);
/* A value of a state, event or link type. */
PAJEWRITE__CALL void pajewrite_define_value(pajewrite *w, pajewrite_value value, pajewrite_type type, const char *name,
                                            const char *color);

/* Writes the header and then the table.  In a ring, draining does so, before any records; the table has to stay valid.
 * For a host that connects late, call it again and then set the current states: from where the ring is drained, or with
 * that masked, as draining and this, where one interrupts the other, may lose definitions. */
PAJEWRITE__API void pajewrite_announce(pajewrite *w, const pajewrite_definition *table, size_t entries);

/* ------------------------------------------------------------------------------------------------
 * Events, at the time of the clock; or, _at, at a time in ticks
 * --------------------------------------------------------------------------------------------- */

PAJEWRITE__CALL void pajewrite_create_container(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_container parent, const char *name);
PAJEWRITE__CALL void pajewrite_create_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                   pajewrite_type type, pajewrite_container parent, const char *name);
PAJEWRITE__CALL void pajewrite_destroy_container(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_destroy_container_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                    pajewrite_type type);

/* Each container has a stack of states for each state type.  Set replaces the whole stack by one state, push and pop
 * work on its top, reset empties it. */
PAJEWRITE__CALL void pajewrite_set_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                         pajewrite_value value);
PAJEWRITE__CALL void pajewrite_set_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type, pajewrite_value value);
PAJEWRITE__CALL void pajewrite_push_state(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          pajewrite_value value);
PAJEWRITE__CALL void pajewrite_push_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, pajewrite_value value);
PAJEWRITE__CALL void pajewrite_pop_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_pop_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type);
PAJEWRITE__CALL void pajewrite_reset_state(pajewrite *w, pajewrite_container container, pajewrite_type type);
PAJEWRITE__CALL void pajewrite_reset_state_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                              pajewrite_type type);

/* An event at one moment. */
PAJEWRITE__CALL void pajewrite_new_event(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                         pajewrite_value value);
PAJEWRITE__CALL void pajewrite_new_event_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                            pajewrite_type type, pajewrite_value value);

/* Variables.  Readers store them as doubles, so integers are exact up to 2^53. */
PAJEWRITE__CALL void pajewrite_set_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_set_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
PAJEWRITE__CALL void pajewrite_add_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_add_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
PAJEWRITE__CALL void pajewrite_sub_variable(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                            int64_t number);
PAJEWRITE__CALL void pajewrite_sub_variable_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                               pajewrite_type type, int64_t number);
#if PAJEWRITE_DOUBLE
/* Every finite double is read back exactly. */
PAJEWRITE__CALL void pajewrite_set_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_set_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
PAJEWRITE__CALL void pajewrite_add_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_add_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
PAJEWRITE__CALL void pajewrite_sub_variable_double(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                   double number);
PAJEWRITE__CALL void pajewrite_sub_variable_double_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                      pajewrite_type type, double number);
#endif

/* Links from container `start` to container `end`.  The link belongs to `container`, a common ancestor of both, often
 * PAJEWRITE_ROOT.  Both ends have the same type, container, value and key; a key is used once for each type and
 * container.  Different contexts may write the two ends.  _named: the key is text, like a name. */
PAJEWRITE__CALL void pajewrite_start_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          pajewrite_value value, pajewrite_container start, uint64_t key);
PAJEWRITE__CALL void pajewrite_start_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                             pajewrite_type type, pajewrite_value value, pajewrite_container start,
                                             uint64_t key);
PAJEWRITE__CALL void pajewrite_start_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                                pajewrite_value value, pajewrite_container start, const char *key);
PAJEWRITE__CALL void pajewrite_start_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                   pajewrite_type type, pajewrite_value value,
                                                   pajewrite_container start, const char *key);
PAJEWRITE__CALL void pajewrite_end_link(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                        pajewrite_value value, pajewrite_container end, uint64_t key);
PAJEWRITE__CALL void pajewrite_end_link_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                           pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                           uint64_t key);
PAJEWRITE__CALL void pajewrite_end_link_named(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                              pajewrite_value value, pajewrite_container end, const char *key);
PAJEWRITE__CALL void pajewrite_end_link_named_at(pajewrite *w, uint64_t time, pajewrite_container container,
                                                 pajewrite_type type, pajewrite_value value, pajewrite_container end,
                                                 const char *key);

#if !PAJEWRITE_RING
/* ------------------------------------------------------------------------------------------------
 * Tracks: a container and a type are bound once, and their text is made once, so that events cost less.  They are the
 * same events as by the calls above, which may be mixed with them.
 *
 *     pajewrite_track track;
 *     pajewrite_track_init(&track, &w, thread, state);
 *     pajewrite_track_push_state(&track, computing);
 *     pajewrite_track_pop_state(&track);
 * --------------------------------------------------------------------------------------------- */

/* The context has to stay where it is; it may be set up later, and again. */
PAJEWRITE__API void pajewrite_track_init(pajewrite_track *track, pajewrite *w, pajewrite_container container,
                                        pajewrite_type type);
PAJEWRITE__API void pajewrite_track_set_state(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_set_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_push_state(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_push_state_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_pop_state(const pajewrite_track *track);
PAJEWRITE__API void pajewrite_track_pop_state_at(const pajewrite_track *track, uint64_t time);
PAJEWRITE__API void pajewrite_track_new_event(const pajewrite_track *track, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_new_event_at(const pajewrite_track *track, uint64_t time, pajewrite_value value);
PAJEWRITE__API void pajewrite_track_set_variable(const pajewrite_track *track, int64_t number);
PAJEWRITE__API void pajewrite_track_set_variable_at(const pajewrite_track *track, uint64_t time, int64_t number);
#endif

#if PAJEWRITE__HAS_FILES
/* Tells readers that the events of this container are in another file. */
PAJEWRITE__CALL void pajewrite_trace_file(pajewrite *w, pajewrite_container container, pajewrite_type type,
                                          const char *filename);
#endif

/* ------------------------------------------------------------------------------------------------
 * User fields: variants of an event, with additional fields
 *
 *     pajewrite_variant sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int, Mark string");
 *     pajewrite_fields fields = pajewrite_fields_of(sized);
 *     pajewrite_field_int(&fields, 4096);
 *     pajewrite_field_string(&fields, "halo");
 *     pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE, .container = c, .type = t, .value = v,
 *                              .time = pajewrite_now(&w)}; // in this order for C++20; C++11 assigns the members
 *     pajewrite_write(&w, &event, &fields);
 * --------------------------------------------------------------------------------------------- */
/* `fields`: "Name type, Name type"; names consist of letters, digits and _; types are int, hex, double, float, date,
 * color, string.  Optional fields of the format are user fields, too: "Color color" for a state type, "Filename string"
 * for a container, "File string, Line int" for the place in the source.  A name may occur only once, and must not be
 * that of a standard field of the kind, now or in the oldest versions of the format.  Contents are not checked, not
 * even of a color.  A refused definition (PAJEWRITE_E_VARIANT) has number 0; so has one that was dropped, whose events
 * are written without user fields. */
#if !PAJEWRITE_RING
PAJEWRITE__API pajewrite_variant pajewrite_define_variant(pajewrite *w, pajewrite_kind kind, const char *fields);
#endif

PAJEWRITE__API pajewrite_fields pajewrite_fields_of(pajewrite_variant variant);
#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
PAJEWRITE__API void pajewrite_field_int(pajewrite_fields *fields, int64_t number);
PAJEWRITE__API void pajewrite_field_hex(pajewrite_fields *fields, uint64_t number);
PAJEWRITE__API void pajewrite_field_string(pajewrite_fields *fields, const char *text);
#if PAJEWRITE_DOUBLE
PAJEWRITE__API void pajewrite_field_double(pajewrite_fields *fields, double number);
#endif
#endif

/* Writes any event, with user fields unless `fields` is NULL; also for programs that translate other traces.  A ring
 * writes states, events, variables and links.  (A NULL event is refused; a ring does not look.) */
PAJEWRITE__CALL void pajewrite_write(pajewrite *w, const pajewrite_event *event, const pajewrite_fields *fields);

#if !PAJEWRITE_RING || PAJEWRITE_FIELDS_SIZE
/* Writes an event whose user fields are integers only (int), at about the cost of an event without; `count` numbers, in
 * the order of their definition.
 *
 *     pajewrite_variant sized = pajewrite_define_variant(&w, PAJEWRITE_PUSH_STATE, "Size int, Rank int");
 *     const int64_t numbers[] = {4096, -1};
 *     pajewrite_event event = {.kind = PAJEWRITE_PUSH_STATE, .container = c, .type = t, .value = v,
 *                              .time = PAJEWRITE_TIME_NOW};
 *     pajewrite_write_ints(&w, &event, sized, numbers, 2);
 */
PAJEWRITE__CALL void pajewrite_write_ints(pajewrite *w, const pajewrite_event *event, pajewrite_variant variant,
                                          const int64_t *numbers, uint32_t count);
#endif

#ifdef __cplusplus
}
#endif
