/* Lanes: the entities of a row as pieces of time; when there are too many, bins of time for the shorter ones. */
#pragma once

#include "base/array.h"
#include "pajesim.h"

enum {
    LANE_DEPTHS = 8,           /* nested states that get lanes of their own: depths 0 to 7 */
    LANE_NESTED = LANE_DEPTHS, /* the depth of a lane of corrections, see below */
    LANE_BIN_VALUES = 24,      /* usual limit of values within one bin */
    OTHER_VALUES = 0           /* the value that stands for those beyond a limit */
};

/* An entity, or what a bin of time holds of one value (of one variable). */
typedef struct lane_piece {
    double start, end;       /* of the entity, or of the bin */
    double time;             /* covered by entities, summed over all containers of the row */
    double sum, least, most; /* variables: the integral over that time, and the extremes */
    uint32_t value;
    uint32_t fields;     /* of an exact piece: its user fields, see timeline_fields(); 0: none */
    uint32_t count : 31; /* entities that begin here */
    uint32_t exact : 1;  /* 1: one entity; 0: a bin */
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
    int is_constant; /* a variable that has one value throughout; set by timeline_finish() */
    array_of(lane_piece) pieces;
} timeline_lane;

typedef struct lane_bins {
    double width;       /* 0: there are none, all pieces are exact */
    double first, last; /* pieces are cut to this range when they are divided among bins */
    size_t values;      /* limit within one bin; those of least time become OTHER_VALUES */
    size_t most_pieces; /* of all lanes */
} lane_bins;

/* An empty lane, for lane_free(). */
timeline_lane *lane_new(pajesim_kind kind, uint32_t type, uint32_t depth, timeline_lane *next);
void lane_free(timeline_lane *lane);
/* Adds a piece: to one of the last bins if one fits, else at the end.  `shared`: the lane stands for several
 * containers, so that even long pieces go into bins.  Returns by how much the number of pieces grew, 0 or 1. */
size_t lane_add(timeline_lane *lane, const lane_piece *piece, const lane_bins *bins, int shared);
/* Moves all pieces of `from` to `to`. */
void lane_join(timeline_lane *to, timeline_lane *from);
/* Puts pieces shorter than a bin into bins; all of them if `shared`.  Returns 0, and changes nothing, if that would
 * make too many pieces: the bins must be wider. */
int lane_fold(timeline_lane *lane, const lane_bins *bins, int shared);
/* By time, then by value. */
void lane_sort(timeline_lane *lane);

/* The first width of bins for a range of time: a power of two, about a `count`th of the range, at least `least`, and
 * so wide that a double tells each bin from the next one. */
double lane_bin_width(double first, double last, double count, double least);
