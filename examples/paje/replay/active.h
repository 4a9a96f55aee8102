/* Which state is on at an instant, on the containers that links connect; names of containers and values that outlive
 * them.  Commands that look for waiting (waits, critical) share it; the callbacks of the simulation keep it up to date.
 *
 * The place of a container is where its states are: the container itself or, where its type has no types of states,
 * the first container in it whose type has some, or else the first one, and so on down.  --type chooses the types of
 * states. */
#pragma once

#include "base/array.h"
#include "base/map.h"
#include "base/text.h"
#include "replay/begun.h"

#define ACTIVE_NONE ((size_t)-1)

struct paje_run;

/* Globs for values or types of states, or for containers. */
typedef struct active_glob {
    const char *text;
    int is_used; /* a state is like it, or need not be */
} active_glob;

typedef array_of(active_glob) active_globs;

enum {
    ACTIVE_RECEIVE = 1, /* a class that `active_receive` chooses */
    ACTIVE_SEND = 2,    /* one that `active_send` chooses */
    ACTIVE_ANY = 4,     /* each class */
    ACTIVE_PROBE = 8,   /* MPI_Probe, or MPI_Mprobe: it waits for a message that a later call receives */
    ACTIVE_ACCESS = 16, /* a link of `paje trace` to a process whose memory a one-sided call of MPI uses */
    ACTIVE_WINDOW = 32  /* MPI_Win_fence and its kin */
};

/* Empty globs choose all. */
extern active_globs active_receive, active_send;
/* Whether a glob chooses a value of a type, by one of their names or aliases. */
int active_chooses(const pajesim *sim, active_globs *globs, pajesim_ref type, pajesim_text value, pajesim_text alias);
/* To be called at the end: tells the globs of an option that no state was like. */
void active_tell_unused(const struct paje_run *run, const active_globs *globs, const char *option);

/* A type and a value of it.  Beyond 65,536 values in all, those of a type share the class of its other values. */
typedef struct active_class {
    pajesim_ref type;
    pajesim_kind kind;
    unsigned flags;
    unsigned kinds; /* of its states, a bit for each (replay/begun.h) */
    int is_others;
} active_class;

typedef struct active_state {
    begun_number number; /* while it is open */
    size_t class;
    double start;
} active_state;

/* The last state of a place that waited for a message, while no link tells which one. */
typedef struct active_probe {
    size_t class; /* ACTIVE_NONE: there is none */
    double start, end;
} active_probe;

typedef struct active_place {
    pajesim_ref container; /* 0: the place is free */
    uint32_t generation;   /* grows when the place is used again */
    size_t name;           /* ACTIVE_NONE until it is asked for */
    double instant;        /* the last at which a state ended; -HUGE_VAL: none has */
    begun_set open;        /* states */
    begun_set ended;       /* those that ended at that instant, except for those that began then, too */
    begun_number last_ended; /* the first of a list of these */
    active_probe probe;
    size_t next_free;
} active_place;

typedef array_of(active_place) active_places_array;
extern active_places_array active_places;

/* The callbacks: call them for all entities (PAJE_SEES_ALL). */
void active_begin(pajesim *sim);
/* Forgets all places and types before a second pass over the same trace; numbers of classes and names stay. */
void active_clear(void);
void active_new_type(pajesim *sim, const pajesim_type_info *type);
void active_created(pajesim *sim, pajesim_ref container);
/* A state of a type that counts, as it begins: only if one of the functions below that find states is called. */
void active_began(pajesim *sim, const pajesim_entity *state);
/* A state or a container that is complete.  A container's place is free afterwards. */
void active_closed(pajesim *sim, const pajesim_entity *entity);

/* Returns ACTIVE_NONE for a container that is gone. */
size_t active_place_of(pajesim *sim, pajesim_ref container);
/* Whether --container chooses a container, or that of its place. */
int active_shows(pajesim *sim, pajesim_ref container);
/* The place of the container itself. */
size_t active_own_place(pajesim *sim, pajesim_ref container);
/* Whether states of that type count. */
int active_has_type(pajesim *sim, pajesim_ref type);
/* Whether a container can have states that count. */
int active_has_states(pajesim *sim, pajesim_ref container);

/* Stores the state that began last of those of a class with the flag that began before `time`, the present, and have
 * not ended before it; of several that began at once that of the type which was defined first, and of these the
 * innermost.  Returns 0 if there is none. */
int active_until(size_t place, double time, unsigned flag, active_state *state);
/* As active_until(), for the states that are open; `time` may be anything. */
int active_open(size_t place, double time, unsigned flag, active_state *state);
/* Whether a container that is in a state can wait for a link that ends there: for one-sided calls only in those that
 * synchronize windows. */
int active_can_wait(pajesim *sim, const pajesim_entity *link, size_t class);
/* Whether a place waited, in a probe that is over, for a link from `sent` to `time`, the present: for the first one
 * sent meanwhile that MPI_Recv, or MPI_Mrecv, then receives.  Stores the probe's state. */
int active_probed(size_t place, double sent, double time, active_state *state);
/* The number of a state that is open, or just complete, until active_closed(); 0: there is none. */
begun_number active_number(pajesim *sim, const pajesim_entity *state);

/* The class of a state or a link. */
size_t active_class_of(pajesim *sim, const pajesim_entity *entity);
/* The class of a type as a whole, whose value is empty. */
size_t active_class_of_type(pajesim *sim, pajesim_ref type);
const active_class *active_class_at(size_t class);
pajesim_text active_value(size_t class);

/* A number for the path and the alias of a place's container, which stays when it is gone.  Beyond 100,000 of them:
 * that of all others. */
size_t active_name(pajesim *sim, size_t place);
pajesim_text active_path(size_t name);
pajesim_text active_alias(size_t name);
/* The path, and the alias where several containers have that path; until the next call. */
pajesim_text active_label(size_t name);
