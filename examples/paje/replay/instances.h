/* Collective operations that processes are in: who has begun each, and when.
 *
 * An operation is known by its communicator and its number there (replay/collective.h).  It is kept from its first
 * beginning until all of its communicator have ended it.  Containers are places of replay/active.h. */
#pragma once

#include "replay/active.h"
#include "replay/collective.h"

typedef struct instance_member {
    size_t place, name;  /* name: of active_name() */
    int64_t rank;
    double begin;
    int is_shown;        /* --container chooses it */
} instance_member;

typedef array_of(instance_member) instance_members;

typedef struct instance {
    paje_call call;
    size_t class;        /* of the states */
    int64_t number, size; /* size: of the communicator; 0: the instance is free */
    int64_t ended;
    instance_members members; /* by their beginnings */
    size_t root;         /* a member; ACTIVE_NONE: it has not begun, or there is none */
    array_of(size_t) least; /* of a scan: the members behind whom all have higher ranks, or none is */
} instance;

/* A state that begins, or ends, on a place.  Returns the number of its instance; ACTIVE_NONE: the trace tells none.
 * It is the last member when it begins, and `*member` when it ends. */
size_t instance_begin(pajesim *sim, const pajesim_entity *state, size_t place);
size_t instance_end(const pajesim_entity *state, size_t place, size_t *member);
/* Whether the state in which a place began its last instance began at `start`. */
int instance_began_at(size_t place, double start);
/* To be called at the end: tells of calls that have such fields and are no instance, as they do not wait, or it is not
 * known for whom. */
void instance_tell_untold(const struct paje_run *run);
/* Counts a member that has ended, after the last look at the instance: it is forgotten when all have. */
void instance_leave(size_t number);

instance *instance_at(size_t number);
pajesim_text instance_communicator(size_t number);
static inline int instance_is_complete(const instance *it)
{
    return it->members.count == (size_t)it->size;
}
/* The last member to begin. */
static inline const instance_member *instance_last(const instance *it)
{
    return &it->members.items[it->members.count - 1];
}
/* The member of a scan that began last so far of those of lower rank than that one, as an index; itself, if none has
 * since. */
size_t instance_lower(const instance *it, size_t member);
/* The member whose beginning lets the one with that index go on: itself, if it waits for none; NULL: not known yet. */
const instance_member *instance_awaited(instance *it, size_t member);
/* Called before an instance is forgotten; may be NULL. */
extern void (*instance_forgotten)(size_t number);
