/* Calls of MPI in a trace: what they wait for, by their names; collective operations, by user fields. */
#pragma once

#include "pajesim.h"

typedef enum paje_call {
    CALL_PLAIN,     /* waits for messages, or nothing */
    CALL_RECEIVES,  /* for a message */
    CALL_ALL,       /* for all processes of the communicator */
    CALL_FROM_ROOT, /* for the root, unless it is that */
    CALL_TO_ROOT,   /* for all, if it is the root */
    CALL_SCAN,      /* for those of lower ranks */
    CALL_UNTOLD,    /* for others, and the trace does not tell for whom */
    CALL_BEGINS,    /* MPI_Init: likewise */
    CALL_ENDS       /* MPI_Finalize: likewise */
} paje_call;

static inline int paje_is_collective(paje_call call)
{
    return call >= CALL_ALL && call <= CALL_SCAN;
}

/* The value of a state as the name of a call: MPI_Bcast, PMPI_Bcast, action_bcast. */
paje_call paje_call_of(pajesim_text value);

/* Whether a call waits for a message that a later one receives, and whether a call is such a later one.  (After
 * MPI_Irecv, MPI_Wait may be that of a receive which began before the probe.) */
int paje_is_probe(pajesim_text value);
int paje_receives_probed(pajesim_text value);
/* MPI_Win_fence and its kin. */
int paje_is_of_window(pajesim_text value);

/* What `paje trace` tells of a collective operation. */
typedef struct paje_collective {
    pajesim_text communicator;
    int64_t instance;   /* the how many-th operation of the communicator it is */
    int64_t rank, root; /* in the communicator; root -1: there is none */
    int64_t size;       /* of the communicator; 0: operations cannot be told apart */
} paje_collective;

/* Stores the user fields of a state that begins.  Returns 0 if it has none, or they are no numbers. */
int paje_find_collective(const pajesim *sim, const pajesim_entity *state, paje_collective *it);
