/* Slices of time. */
#include "chart/grid.h"

void grid_begin(time_grid *grid)
{
    if (grid->is_fixed)
        grid->width = (grid->end - grid->start) / (double)grid->most;
    if (!grid->is_fixed && grid->most == 1) {
        grid->most = 2;
        grid->is_single = 1;
    }
}

double grid_edge(const time_grid *grid, int64_t i)
{
    if (!grid->is_fixed)
        return (double)(grid->low + i) * grid->width;
    return (size_t)i == grid->most ? grid->end : grid->start + (double)i * grid->width;
}

static int64_t floor_of(double number)
{
    int64_t whole = (int64_t)number;
    return whole - ((double)whole > number);
}

static int64_t halved(int64_t index, unsigned times)
{
    return times > 62 ? (index < 0 ? -1 : 0) : floor_of((double)index / (double)(INT64_C(1) << times));
}

int grid_reach(time_grid *grid, double time)
{
    double size = time < 0 ? -time : time, width = grid->width;
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
        grid->width = width;
        grid->low = grid->high = floor_of(time / width);
        return 0;
    }
    unsigned times = 0;
    for (; width * 1e15 < size; width *= 2)
        times++;
    int64_t at = floor_of(time / width);
    if (!times && at >= grid->low && at <= grid->high) /* as most times */
        return 0;
    int64_t low, high;
    for (;; width *= 2, times++) {
        int64_t here = floor_of(time / width);
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
    grid->width = width;
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
    for (; grid->width < other->width; grid->width *= 2, grid->doublings++, is_moved = 1) {
        grid->low = halved(grid->low, 1);
        grid->high = halved(grid->high, 1);
    }
    is_moved |= grid_reach(grid, (double)other->low * other->width);
    return is_moved | grid_reach(grid, (double)other->high * other->width);
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
