/* What the files of paje perfetto share. */
#pragma once

#include "command.h"

/* ---- packets.c: packets, and names that are written once ------------------------------------------------------- */

enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 }; /* types of events */

/* Writes the first packet, which defines the clock. */
void packets_begin(void);
/* How many times before 0 were written as 0. */
uint64_t packets_before_zero(void);

/* A packet of an event: event_begin(), what it has, event_end(). */
void event_begin(int type, uint64_t track);
void event_put_name(pajesim *sim, const pajesim_entity *entity);
void event_put_category(pajesim_text name, uint64_t *number); /* *number: 0 at first */
/* `before`: the fields of the slice's begin, with which Perfetto merges those of its end; NULL: none. */
void event_put_fields(const pajesim *sim, const pajesim_fields *fields, const pajesim_fields *before);
void event_put_number(double number);
void event_put_flow(uint64_t flow, int terminates);
void event_end(int64_t nanoseconds);

typedef struct packet_track {
    uint64_t uuid, parent; /* 0: none */
    pajesim_text name, description;
    uint32_t rank; /* among the children of the parent */
    int is_counter;
} packet_track;

void packet_put_track(const packet_track *track);

/* ---- tracks.c: containers and their types as tracks ------------------------------------------------------------- */

/* What a type is to the containers of its container type; the user's word of the type is its number, + 1. */
typedef struct track_type {
    uint32_t rank;
    int is_own;        /* the first type of states: its slices are on the track of the container itself */
    uint64_t category; /* see event_put_category() */
} track_type;

track_type *type_of(pajesim *sim, pajesim_ref type);
/* The name of the root's track. */
void tracks_begin(pajesim_text root);
/* Return a track, which is written before if it is new: of a container; of a type of entities of a container. */
uint64_t track_of_container(pajesim *sim, pajesim_ref container);
uint64_t track_of_type(pajesim *sim, pajesim_ref container, pajesim_ref type);
/* Returns a time of that track: `time`, or that of the event before if it is later. */
int64_t track_forward(pajesim *sim, pajesim_ref container, pajesim_ref type, int64_t time);
/* How many times were changed so. */
uint64_t tracks_disordered(void);

int tracks_new_type(pajesim *sim, const pajesim_type_info *type);
int tracks_container_created(pajesim *sim, const pajesim_entity *container);
