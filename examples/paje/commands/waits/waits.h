/* paje waits: what its files share.
 *
 * links.c follows each link from one end to the other and finds who waited for whom, sent.c finds senders that wait
 * later, collectives.c follows each collective operation; rows.c sums up, print.c prints, waits.c is the command. */
#pragma once

#include "base/sum.h"
#include "command.h"
#include "replay/active.h"

typedef enum waits_pattern {
    WAITS_LATE_SENDER,
    WAITS_LATE_RECEIVER,
    WAITS_COLLECTIVE,
    WAITS_IDLE,
    WAITS_PATTERNS
} waits_pattern;

typedef struct waits_settings {
    int is_csv;
    int has_collectives; /* operations are printed in place of waits */
    size_t top;        /* rows of each table; 0: all */
    double start, end; /* of the range that counts, in the unit of the output; infinite if not given */
} waits_settings;

extern waits_settings waits_options;

/* What is counted of a pattern, a container that waits, the partner that it waits for, and the state in which it
 * waits. */
typedef struct waits_row {
    waits_pattern pattern;
    size_t container, partner; /* names; partner: ACTIVE_NONE if there is none */
    size_t class;
    uint64_t count;
    sum total;
    double most;
} waits_row;

/* What is counted of all links. */
typedef struct waits_counts {
    uint64_t links;
    uint64_t no_receive, no_send; /* no state that counts is on at that end */
    uint64_t unordered;           /* ends that come after lines of later times */
    uint64_t late_states;         /* beginnings and ends of states that come after later ends of links there */
} waits_counts;

/* ---- rows.c */

typedef array_of(waits_row) waits_rows_array;
extern waits_rows_array waits_rows;

/* Adds the time from `start` to `end` that lies within -s and -e; nothing if none does. */
void waits_add(waits_pattern pattern, size_t container, size_t partner, size_t class, double start, double end);

/* ---- links.c */

extern waits_counts waits_links;

/* Callbacks of a link: its start, its end, and when both are known. */
void waits_link_started(pajesim *sim, const pajesim_entity *link);
void waits_link_ended(pajesim *sim, const pajesim_entity *link);
void waits_link_closed(pajesim *sim, const pajesim_entity *link);
/* A state of a place begins or ends: it is counted if links that came before were at later times. */
void waits_check_order(size_t place, double time);
/* A state that is complete; `number`: of active_number(). */
void waits_state_closed(const pajesim_entity *state, size_t number);
/* The lines from now on are of a later time: all states that began at the starts of links so far are known. */
void waits_settle(void);

/* ---- sent.c */

/* A link that is complete. */
typedef struct waits_late {
    size_t sender, receiver; /* names */
    size_t place;            /* of the sender; ACTIVE_NONE: it is gone */
    double start;
    double receive_start;    /* -HUGE_VAL: the receiver was in no state that counts */
} waits_late;

void waits_new_type(const pajesim_type_info *type);
/* An event: it may say that a call has waited until the message of a link was sent. */
void waits_sent(pajesim *sim, const pajesim_entity *event);
void waits_link_received(pajesim_text key, const waits_late *link);
/* A state that is complete; and the lines from now on are of a later time. */
void waits_sender_ended(size_t number);
void waits_forget_sent(void);

/* ---- collectives.c */

extern uint64_t waits_collectives; /* operations that all of their processes have begun */

void waits_state_began(pajesim *sim, const pajesim_entity *state, size_t place);
void waits_state_ended(const pajesim_entity *state, size_t place);
void waits_print_collectives_head(void);
void waits_print_collectives(void);

/* ---- print.c */

void waits_print(pajesim *sim);
