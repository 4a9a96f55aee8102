/* Sets of states in the order in which they began, from which the last one before a time is found however many there
 * are: lists of few states; of more splay trees (Sleator, Tarjan 1985), one for each kind of them.  A state is in one
 * set at most. */
#pragma once

#include "base/array.h"
#include "pajesim.h"

enum { BEGUN_KINDS = 3, BEGUN_FEW = 8 };

/* A state, from 1 on; 0: none. */
typedef uint32_t begun_number;

/* States of one time are in the order of their types' ranks, those of one type in that of their depths. */
typedef struct begun_key {
    double start;
    uint32_t rank, depth;
} begun_key;

typedef struct begun_state {
    begun_key key;
    pajesim_ref type;
    uint32_t class;
    uint32_t kinds;    /* that it is of, a bit for each */
    begun_number next; /* for the owner of the state */
    begun_number sides[BEGUN_KINDS][2]; /* in the tree of each kind: what is before it, and behind it */
} begun_state;

/* Empty if all of it is 0. */
typedef struct begun_set {
    uint32_t count;
    int has_trees; /* from more than BEGUN_FEW states on until it is empty */
    begun_number few[BEGUN_FEW];
    begun_number roots[BEGUN_KINDS];
} begun_set;

/* A new state, of which only the key is set; its number is used again when it is freed. */
begun_number begun_new(begun_key key);
void begun_free(begun_number number);
/* Frees all. */
void begun_clear(void);
typedef array_of(begun_state) begun_states_array;
extern begun_states_array begun_states;

static inline begun_state *begun_at(begun_number number)
{
    return &begun_states.items[number];
}

void begun_insert(begun_set *set, begun_number number);
/* Removes a state that is there. */
void begun_remove(begun_set *set, begun_number number);

/* Return 0 if there is none of that kind: the last state before a key; the first one from a key on; the first one that
 * began from `from` on, if that was before `to`. */
begun_number begun_before(begun_set *set, int kind, begun_key key);
begun_number begun_from(begun_set *set, int kind, begun_key key);
begun_number begun_between(begun_set *set, int kind, double from, double to);
