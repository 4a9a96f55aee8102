/* Lanes: the entities of a row as pieces of time; when there are too many, bins of time for the shorter ones. */
#pragma once

#include "base/array.h"
#include "pajesim.h"

enum {
    LANE_DEPTHS = 8,           /* nested states that get lanes of their own: depths 0 to 7 */
    LANE_NESTED = LANE_DEPTHS, /* the depth of a lane of corrections, see below */
    LANE_BIN_VALUES = 24,      /* usual limit of values within one bin */
    LANE_LATEST = 16,          /* places for the values found last in a bin, by their last bits */
    OTHER_VALUES = 0           /* the value that stands for those beyond a limit */
};

/* An entity, or what a bin of time, or several next to each other, hold of one value (of one variable). */
typedef struct lane_piece {
    double start, end;       /* of the entity, or of the bins */
    double time;             /* covered by entities, summed over all containers of the row */
    uint32_t value;
    uint32_t fields;     /* of an exact piece: its user fields, see timeline_fields(); 0: none */
    uint32_t count : 31; /* entities that begin here */
    uint32_t exact : 1;  /* 1: one entity; 0: bins */
    double sum, least, most; /* variables: the integral over that time, and the extremes */
} lane_piece;

/* States of one type at one depth, a variable, or the events of all types.
 *
 * A row of several containers, and a row too low for nested bars, shows the time of innermost states.  The lane of
 * depth LANE_NESTED turns that of depth 0 into them: each nested state adds its time there, and subtracts it from the
 * state around it.  Nodes of several containers have both in their lane of depth 0, and no deeper lanes. */
typedef struct timeline_lane {
    struct timeline_lane *next;
    pajesim_kind kind;
    uint32_t type;  /* 0: events of all types */
    uint32_t depth; /* of states */
    uint64_t order; /* of the lanes of a node: see lane_order() */
    int is_constant; /* a variable that has one value throughout; set by timeline_finish() */
    array_of(lane_piece) pieces;
    size_t bins;        /* pieces that are not exact */
    double greatest;    /* each of these starts before it; before the first one: not set */
    uint32_t *slots;    /* a hash table of these, when it is needed: 1 + index; 0: free */
    size_t slot_count, in_slots; /* in_slots: of the pieces from the first on */
    double from, to; /* the bin to which a piece was added last; equal: none */
    uint32_t latest[LANE_LATEST]; /* 1 + the index of the one of that bin found last, by value; 0: none */
    int has_latest;  /* 1: for all pieces of that bin; 0 of a value's place: it has none of these */
    uint32_t least_value, most_value; /* of these */
} timeline_lane;

typedef struct lane_bins {
    double width;       /* 0: there are none, all pieces are exact */
    double first, last; /* pieces are cut to this range when they are divided among bins */
    size_t values;      /* limit within one bin, which lane_fold() keeps: those of least time become OTHER_VALUES */
    size_t most_pieces; /* of a lane */
    int evenly;         /* what is not exact goes into single bins */
} lane_bins;

/* By kind, then by type, then by depth. */
uint64_t lane_order(pajesim_kind kind, uint32_t type, uint32_t depth);
/* An empty lane, for lane_free(). */
timeline_lane *lane_new(pajesim_kind kind, uint32_t type, uint32_t depth, timeline_lane *next);
void lane_free(timeline_lane *lane);
/* Adds a piece: to bins if it is shorter than they are.  `shared`: the lane stands for several containers, so that even
 * long pieces go into bins.  Returns by how much the number of pieces grew. */
size_t lane_add(timeline_lane *lane, const lane_piece *piece, const lane_bins *bins, int shared);
/* Adds all pieces of `from` to `to`.  Returns by how much the number of those grew. */
size_t lane_join(timeline_lane *to, const timeline_lane *from);
/* Puts pieces shorter than a bin into bins; all of them if `shared`.  Returns 0, and changes nothing, if that would
 * make too many pieces: the bins must be wider. */
int lane_fold(timeline_lane *lane, const lane_bins *bins, int shared);
/* How many pieces it would have then, or some number above the limit. */
size_t lane_count_folded(const timeline_lane *lane, const lane_bins *bins, int shared);
/* Limits the values within each bin.  Returns by how much the number of pieces fell. */
size_t lane_limit_values(timeline_lane *lane, size_t most);
/* By time, then by value. */
void lane_sort(timeline_lane *lane);

/* The first width of bins for a range of time: a power of two, about a `count`th of the range, at least `least`, and
 * so wide that a double tells each bin from the next one. */
double lane_bin_width(double first, double last, double count, double least);
