/* Tables that several processes make: each adds up its own parts of the trace and hands over what it found; the parent
 * joins that in the order of the parts, and prints.  (`table` in replay/settings.h.) */
#pragma once

#include "base/stream.h"
#include "base/text.h"
#include "replay/run.h"

/* What was handed over; it is taken out in the order in which it was put in. */
typedef struct paje_parcel {
    const char *at;
    size_t left;
} paje_parcel;

typedef struct paje_table {
    /* Appends what was added up since the last call, by the functions below and text_put(), and forgets it. */
    void (*save)(paje_run *run, text_buffer *to);
    /* Adds what was saved.  Returns 0 if the table depends on the order of what is added, as a limit is reached: then
     * one process replays the trace again. */
    int (*join)(paje_parcel *from);
    /* Called in each process, in place of the command's `begin`.  May be NULL. */
    void (*begin)(paje_run *run, int trace);
    int parent_works; /* 1: to join takes the parent about as long as to replay, so it counts as one of the processes */
} paje_table;

void paje_put_number(text_buffer *to, uint64_t number);
void paje_put_text(text_buffer *to, pajesim_text text);
/* Returns the number of a type, from 0 on, which is known by the number of the type that it is in (MAP_NONE: none), its
 * alias and name; adds it if it is new. */
size_t paje_add_type(hash_map *types, size_t above, pajesim_text alias, pajesim_text name);
void paje_save_types(const hash_map *types, text_buffer *to);
/* Adds those that were saved and returns their numbers, for free(). */
size_t *paje_join_types(hash_map *types, paje_parcel *from);
uint64_t paje_take_number(paje_parcel *from);
/* The text is valid until join() returns. */
pajesim_text paje_take_text(paje_parcel *from);
/* Takes `size` bytes that were put by text_put(). */
static inline void paje_take(paje_parcel *from, void *to, size_t size)
{
    if (size > from->left)
        stream_fail("a process that replayed a part handed over less than it should"); /* unreached */
    memcpy(to, from->at, size);
    from->at += size;
    from->left -= size;
}

/* What this process has noted of a container, type or value in the present epoch; else 0.  It is kept in the word of
 * pajesim_user_data(), which processes hand on with the simulation: each of their parts is an epoch of its own. */
uint32_t paje_noted(pajesim *sim, pajesim_ref of);
void paje_note(pajesim *sim, pajesim_ref of, uint32_t number);
/* After the numbers have changed: begins another epoch, then turns what was noted of something into it, number i + 1
 * into to[i] + 1. */
void paje_next_epoch(void);
void paje_renote(pajesim *sim, pajesim_ref of, const uint32_t *to);

/* ---- for replay/parts.c and turn.c, also where there is no table but each process writes its output */

/* The settings of the processes: they hand problems over, and neither begin nor end a table. */
paje_settings paje_settings_of_parts(const paje_settings *settings);
/* Forgets what is noted, where one simulation replays several parts. */
void paje_begin_part(size_t number);
/* Call it before what leaves the simulation so that it cannot be saved: it is handed over as it is now. */
void paje_keep_simulation(const paje_run *run);
/* Appends what a process hands over at the end of a part, and sends it to the parent. */
void paje_save_part(paje_run *run, text_buffer *to, int is_last);
void paje_send_part(int to, const text_buffer *part);

/* Opens the trace for the parent, and begins a table. */
void paje_begin_parts(paje_run *run, const paje_settings *settings, const char *name);
typedef enum paje_joined { PAJE_JOINED_ALL, PAJE_JOINED_SOME, PAJE_NOT_JOINED } paje_joined;
/* What the parent takes from the processes. */
typedef struct paje_parts {
    paje_run *run;
    int from, printed; /* pipes from the processes, and to the one that ends the output */
    uint64_t bytes;    /* of all parts, about */
    size_t count;
    int is_shown;      /* 1: progress is */
    text_buffer messages; /* of a table's trace */
} paje_parts;
/* Joins the parts; prints the problems of each, or appends them to the messages of a table.  PAJE_JOINED_SOME: a
 * process has ended early; PAJE_NOT_JOINED: one process has to replay the trace. */
paje_joined paje_join_parts(paje_parts *it);
/* Prints a table, and the messages. */
void paje_end_table(paje_parts *it);
/* Forgets what was joined, and has one process replay the trace. */
int paje_replay_alone(paje_run *run);
