/* Slices of time.
 *
 * Times are read as the doubles that are closest to their decimals, so edges have to be these, too: three times 0.1 is
 * more than 0.3 in doubles, which would put what happens at 0.3 in the slice before it.  So an edge is a quotient of
 * whole numbers, where these are exact. */
#include "chart/grid.h"

#define MOST_EXACT 9007199254740992.0 /* 2^53 */

static double size_of(double number)
{
    return number < 0 ? -number : number;
}

static int64_t floor_of(double number)
{
    int64_t whole = (int64_t)number;
    return whole - ((double)whole > number);
}

/* Finds the least power of ten by which both numbers are whole ones.  Returns 0 if they have too many decimals. */
static double find_scale(double a, double b)
{
    for (double scale = 1; scale <= 1e15; scale *= 10) {
        if (!(size_of(a) * scale < MOST_EXACT && size_of(b) * scale < MOST_EXACT))
            return 0;
        if ((double)floor_of(a * scale + 0.5) / scale == a && (double)floor_of(b * scale + 0.5) / scale == b)
            return scale;
    }
    return 0;
}

static void divide_range(time_grid *grid)
{
    double most = (double)grid->most, scale = find_scale(grid->start, grid->end);
    double first = (double)floor_of(grid->start * scale + 0.5), last = (double)floor_of(grid->end * scale + 0.5);
    grid->width = (grid->end - grid->start) / most;
    if (!(scale > 0 && size_of(first) * most < MOST_EXACT && size_of(last) * most < MOST_EXACT))
        return;
    grid->first = first * most;
    grid->step = last - first;
    grid->scale = scale * most;
}

void grid_begin(time_grid *grid)
{
    if (grid->is_fixed) {
        divide_range(grid);
    } else if (grid->width > 0) {
        grid->scale = find_scale(grid->width, 0);
        grid->step = (double)floor_of(grid->width * grid->scale + 0.5);
    }
    if (!grid->is_fixed && grid->most == 1) {
        grid->most = 2;
        grid->is_single = 1;
    }
}

double grid_multiple(const time_grid *grid, double times)
{
    double exact = times * grid->step;
    return grid->step > 0 && size_of(exact) < MOST_EXACT ? exact / grid->scale : times * grid->width;
}

double grid_edge(const time_grid *grid, int64_t i)
{
    if (!grid->is_fixed)
        return grid_multiple(grid, (double)(grid->low + i));
    if ((size_t)i == grid->most)
        return grid->end;
    return grid->step > 0 ? (grid->first + (double)i * grid->step) / grid->scale
                          : grid->start + (double)i * grid->width;
}

/* Returns in which slice of that width, the grid's times a power of two, a time lies: 0 begins at 0. */
static int64_t index_of(const time_grid *grid, double time, double width)
{
    int64_t i = floor_of(time / width);
    double factor = width / grid->width;
    if (!(grid->step > 0 && factor < MOST_EXACT))
        return i;
    if (grid_multiple(grid, ((double)i + 1) * factor) <= time)
        return i + 1;
    return grid_multiple(grid, (double)i * factor) > time ? i - 1 : i;
}

double grid_next_multiple(const time_grid *grid, double time)
{
    if (!(size_of(time) < 1e15 * grid->width))
        return time + grid->width;
    double i = (double)index_of(grid, time, grid->width) + 1, next = grid_multiple(grid, i);
    return next > time ? next : grid_multiple(grid, i + 1); /* the division may be off by one */
}

static void widen(time_grid *grid, double width)
{
    if (grid->step > 0)
        grid->step *= width / grid->width;
    grid->width = width;
}

static int64_t halved(int64_t index, unsigned times)
{
    return times > 62 ? (index < 0 ? -1 : 0) : floor_of((double)index / (double)(INT64_C(1) << times));
}

int grid_reach(time_grid *grid, double time)
{
    double size = size_of(time), width = grid->width;
    if (grid->is_fixed)
        return 0;
    if (!grid->has_begun) {
        grid->has_begun = 1;
        grid->begun = time;
        if (!(width > 0))
            for (width = 1.0; width * 1e12 > size && width > 1e-12;)
                width /= 2;
        while (width * 1e15 < size)
            width *= 2;
        widen(grid, width);
        grid->low = grid->high = index_of(grid, time, width);
        return 0;
    }
    unsigned times = 0;
    for (; width * 1e15 < size; width *= 2)
        times++;
    int64_t at = index_of(grid, time, width);
    if (!times && at >= grid->low && at <= grid->high) /* as most times */
        return 0;
    int64_t low, high;
    for (;; width *= 2, times++) {
        int64_t here = index_of(grid, time, width);
        low = halved(grid->low, times);
        high = halved(grid->high, times);
        low = here < low ? here : low;
        high = here > high ? here : high;
        uint64_t most = grid->is_single && (low >= 0 || high < 0) ? 1 : grid->most;
        if ((uint64_t)(high - low) < most)
            break;
    }
    int is_moved = times || low < grid->low;
    grid->low = low;
    grid->high = high;
    widen(grid, width);
    grid->doublings += times;
    return is_moved;
}

/* As its edges are multiples of its width, they are in the slices in which its times are; unless they are wider. */
int grid_cover(time_grid *grid, const time_grid *other)
{
    int is_moved = 0;
    if (grid->is_fixed || !other->has_begun)
        return 0;
    is_moved |= grid_reach(grid, other->begun);
    for (; grid->width < other->width; widen(grid, 2 * grid->width), grid->doublings++, is_moved = 1) {
        grid->low = halved(grid->low, 1);
        grid->high = halved(grid->high, 1);
    }
    is_moved |= grid_reach(grid, grid_multiple(other, (double)other->low));
    return is_moved | grid_reach(grid, grid_multiple(other, (double)other->high));
}

int64_t grid_target(const time_grid *grid, const time_grid *before, size_t i)
{
    int64_t index = before->low + (int64_t)i;
    if (index > before->high)
        return -1;
    unsigned times = 0;
    for (double width = before->width; width < grid->width; width *= 2)
        times++;
    return halved(index, times) - grid->low;
}

int64_t grid_slice(const time_grid *grid, double time)
{
    int64_t most = (int64_t)grid->most - 1;
    int64_t i = grid->is_fixed ? floor_of((time - grid->start) / grid->width)
                               : floor_of(time / grid->width) - grid->low;
    i = i < 0 ? 0 : i > most ? most : i;
    if (i < most && grid_edge(grid, i + 1) <= time) /* the division may be off by one */
        i++;
    return i > 0 && grid_edge(grid, i) > time ? i - 1 : i;
}

size_t grid_used(const time_grid *grid)
{
    return grid->is_fixed ? grid->most : grid->has_begun ? (size_t)(grid->high - grid->low + 1) : 0;
}
