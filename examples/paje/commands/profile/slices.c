/* Slices of time. */
#include "profile.h"

#include <stdlib.h>

/* With -s and -e: exactly --slices of them.  Otherwise at most that many, whose width is a power of two: when time goes
 * beyond the last one, the width doubles and each two slices are added up, which is exact. */
static struct {
    int begun;
    double width;
    int64_t first; /* the first slice begins at first * width */
    int64_t low, high; /* first and last slice in use, as multiples of width */
} grid;

double profile_edge(int64_t i)
{
    if (!profile_options.is_fixed)
        return (double)(grid.first + i) * grid.width;
    return (size_t)i == profile_options.slices ? profile_options.end : profile_options.start + (double)i * grid.width;
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

static void move_slices(row *it, int64_t first, unsigned times)
{
    slice *old = it->slices, *new = memory_alloc_zero(profile_options.slices, sizeof *new);
    for (int64_t i = 0; i <= grid.high - grid.first && (size_t)i < profile_options.slices; i++) {
        if (grid.first + i < grid.low)
            continue;
        profile_add_slice(&new[halved(grid.first + i, times) - first], &old[i]);
    }
    free(old);
    it->slices = new;
}

/* Extends the grid to a time. */
static void reach(double time)
{
    double size = time < 0 ? -time : time;
    if (profile_options.is_fixed)
        return;
    if (!grid.begun) {
        grid.begun = 1;
        for (grid.width = 1.0; grid.width * 1e12 > size && grid.width > 1e-12;)
            grid.width /= 2;
        while (grid.width * 1e15 < size)
            grid.width *= 2;
        grid.first = grid.low = grid.high = floor_of(time / grid.width);
        return;
    }
    unsigned times = 0;
    double width = grid.width;
    for (; width * 1e15 < size; width *= 2)
        times++;
    int64_t low, high;
    for (;; width *= 2, times++) {
        int64_t here = floor_of(time / width);
        low = halved(grid.low, times);
        high = halved(grid.high, times);
        low = here < low ? here : low;
        high = here > high ? here : high;
        if ((uint64_t)(high - low) < profile_options.slices)
            break;
    }
    if (times || low < grid.first || (uint64_t)(high - grid.first) >= profile_options.slices) {
        for (size_t i = 0; i < profile_nodes.count; i++)
            for (size_t r = 0; r < profile_nodes.items[i].rows.count; r++)
                move_slices(&profile_nodes.items[i].rows.items[r], low, times);
        grid.first = low;
    }
    grid.low = low;
    grid.high = high;
    grid.width = width;
}

static int64_t slice_at(double time)
{
    int64_t most = (int64_t)profile_options.slices - 1;
    int64_t i = profile_options.is_fixed ? floor_of((time - profile_options.start) / grid.width)
                                         : floor_of(time / grid.width) - grid.first;
    i = i < 0 ? 0 : i > most ? most : i; /* the end of the range belongs to the last slice */
    if (i < most && profile_edge(i + 1) <= time) /* the division may be off by one */
        i++;
    return i > 0 && profile_edge(i) > time ? i - 1 : i;
}

void profile_begin_slices(void)
{
    if (profile_options.is_fixed)
        grid.width = (profile_options.end - profile_options.start) / (double)profile_options.slices;
}

void profile_add_to_slices(row *it, const interval *part, int kind, int sign)
{
    reach(part->start);
    reach(part->end);
    int64_t i = slice_at(part->start), last = slice_at(part->end);
    if (sign > 0)
        it->slices[i].count++;
    for (; i <= last; i++) {
        slice *to = &it->slices[i];
        double start = i > 0 && profile_edge(i) > part->start ? profile_edge(i) : part->start;
        double end = i < last && profile_edge(i + 1) < part->end ? profile_edge(i + 1) : part->end;
        if (sign > 0)
            profile_add_to_slice(to, &to->total, end - start, part->number);
        if (kind == PAJESIM_STATE)
            profile_add(&to->exclusive, sign * (end - start));
    }
}
