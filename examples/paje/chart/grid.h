/* Slices of time, of the same width, whose number is bounded while time goes on. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Either a range is given, and its slices are exactly `most`.  Or slices begin at multiples of their width, of which at
 * most that many are in use: when time goes beyond, the width doubles, and each two slices are added up, which is
 * exact.  The width is a power of two then, unless the first one is given.  0 is an edge for any width: times on both
 * sides of it need two slices, also where `most` was one. */
typedef struct time_grid {
    size_t most;
    int is_fixed;  /* start and end are given */
    int is_single; /* `most` was one, and is two for times on both sides of 0 */
    double start, end;
    double width;      /* may be given; 0: as small as possible at first */
    double first, step, scale; /* if `step` is not 0, slice i begins at (first + i * step) / scale, all whole numbers */
    unsigned doublings;
    int has_begun;
    double begun; /* the time that was reached first */
    int64_t low, high; /* first and last slice in use, as multiples of the width: slice 0 begins at low * width */
} time_grid;

void grid_begin(time_grid *grid);
/* Extends the grid to a time.  Returns 1 if slices have to be moved to those that grid_target() tells. */
int grid_reach(time_grid *grid, double time);
/* Extends the grid to all slices that another one uses, which began with the same width.  Returns as grid_reach(). */
int grid_cover(time_grid *grid, const time_grid *other);
/* Where slice `i` of the grid as it was before has gone; -1: it was not in use. */
int64_t grid_target(const time_grid *grid, const time_grid *before, size_t i);
/* Returns so many times the width, a whole number. */
double grid_multiple(const time_grid *grid, double times);
/* Returns the least multiple of the width that is greater than a time, unless the width is lost beside that. */
double grid_next_multiple(const time_grid *grid, double time);
/* Returns the time at which slice `i` begins. */
double grid_edge(const time_grid *grid, int64_t i);
/* Returns the slice in which a time lies, once it has been reached; the end of the range belongs to the last one. */
int64_t grid_slice(const time_grid *grid, double time);
/* Returns how many slices are in use, from slice 0 on. */
size_t grid_used(const time_grid *grid);
