/* Lanes: entities as they are, and bins of time for shorter ones. */
#include "timeline/lane.h"

#include <float.h>
#include <math.h>

timeline_lane *lane_new(pajesim_kind kind, uint32_t type, uint32_t depth, timeline_lane *next)
{
    timeline_lane *lane = memory_alloc_zero(1, sizeof *lane);
    lane->kind = kind;
    lane->type = type;
    lane->depth = depth;
    lane->next = next;
    return lane;
}

void lane_free(timeline_lane *lane)
{
    array_free(&lane->pieces);
    free(lane);
}

static int is_binned(const lane_piece *piece, double width, int shared)
{
    return width > 0 && (shared || !piece->exact || !(piece->end - piece->start >= width));
}

/* Adds a piece of the same bin and value. */
static void merge(lane_piece *to, const lane_piece *piece)
{
    uint64_t count = (uint64_t)to->count + piece->count;
    to->time += piece->time;
    to->sum += piece->sum;
    to->least = fmin(to->least, piece->least);
    to->most = fmax(to->most, piece->most);
    to->count = count > INT32_MAX ? INT32_MAX : (unsigned)count & INT32_MAX;
    to->exact = 0;
}

/* Appends a piece.  As there are many short lanes, their first capacity is smaller than that of array_push(). */
static void append(timeline_lane *lane, const lane_piece *piece)
{
    enum { FIRST_CAPACITY = 4 };
    if (lane->pieces.count == lane->pieces.capacity) {
        lane->pieces.capacity += lane->pieces.capacity / 2 + FIRST_CAPACITY;
        lane->pieces.items = memory_resize(lane->pieces.items, lane->pieces.capacity, sizeof *piece);
    }
    lane->pieces.items[lane->pieces.count++] = *piece;
}

size_t lane_add(timeline_lane *lane, const lane_piece *piece, const lane_bins *bins, int shared)
{
    if (lane->pieces.count > 0 && is_binned(piece, bins->width, shared)) {
        /* Its bin is usually among the last ones. */
        lane_piece *last = lane->pieces.items + lane->pieces.count;
        for (size_t i = 0; i < bins->values && last > lane->pieces.items; i++) {
            last--;
            if (!last->exact && last->value == piece->value && piece->start >= last->start && piece->end < last->end) {
                merge(last, piece);
                return 0;
            }
        }
    }
    append(lane, piece);
    return 1;
}

void lane_join(timeline_lane *to, timeline_lane *from)
{
    for (size_t i = 0; i < from->pieces.count; i++)
        append(to, &from->pieces.items[i]);
    array_free(&from->pieces);
}

/* ---- bins */

double lane_bin_width(double first, double last, double count, double least)
{
    int exponent;
    double precision = fmax(fabs(first), fabs(last)) * DBL_EPSILON * 4;
    frexp(fmax(fmax((last - first) / count, precision), least), &exponent);
    return ldexp(1, exponent - 1);
}

typedef array_of(lane_piece) piece_array;

/* Divides a piece among bins.  A bin of an earlier, smaller width lies within one bin: widths are powers of 2. */
static void divide(piece_array *parts, const lane_piece *piece, const lane_bins *bins)
{
    double length = piece->exact ? piece->end - piece->start : 0, width = bins->width;
    double start = fmax(piece->start, bins->first), end = fmin(piece->end, bins->last);
    double from = floor((piece->exact ? start : piece->start) / width) * width;
    for (double at = from; at <= from || (piece->exact && at < end); at += width) {
        array_reserve(parts, 1);
        lane_piece *part = &parts->items[parts->count++];
        *part = *piece;
        part->start = at;
        part->end = at + width;
        part->exact = 0;
        if (at > from)
            part->count = 0;
        if (length > 0) {
            double share = fmax(0, fmin(end, part->end) - fmax(start, at)) / length;
            part->time *= share;
            part->sum *= share;
        }
        if (!(at + width > at)) /* beyond the precision of a double */
            return;
    }
}

/* By time, then by value. */
static int compare_times(const void *left, const void *right)
{
    const lane_piece *a = left, *b = right;
    if (a->start < b->start || a->start > b->start)
        return a->start < b->start ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Most time first; where none takes time, most entities. */
static int compare_weights(const void *left, const void *right)
{
    const lane_piece *a = left, *b = right;
    double first = fabs(a->time), second = fabs(b->time);
    if (first < second || first > second)
        return first > second ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Limits the values of one bin: those of least time become OTHER_VALUES.  Returns how many pieces are left. */
static size_t limit_values(lane_piece *pieces, size_t count, size_t most)
{
    if (count <= most)
        return count;
    qsort(pieces, count, sizeof *pieces, compare_weights);
    lane_piece *others = &pieces[most - 1];
    for (size_t i = most; i < count; i++)
        merge(others, &pieces[i]);
    others->value = OTHER_VALUES;
    qsort(pieces, most, sizeof *pieces, compare_times);
    return most;
}

/* Whether there would be too many pieces before those of the same bin and value are merged. */
static int is_too_fine(const timeline_lane *lane, const lane_bins *bins, int shared)
{
    double parts = 0, most = fmax(2.0 * (double)lane->pieces.count, 0.5 * (double)bins->most_pieces);
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        if (is_binned(piece, bins->width, shared))
            parts += 1 + (piece->end - piece->start) / bins->width;
    }
    return parts > most;
}

/* Sorts parts of bins and merges those of the same bin and value, in place. */
static void merge_parts(piece_array *parts, size_t most_values)
{
    size_t first = 0, count = 0; /* first: where the current bin begins; count: pieces that were merged so far */
    lane_piece *items = parts->items;
    if (parts->count > 0)
        qsort(items, parts->count, sizeof *items, compare_times);
    for (size_t i = 0; i < parts->count; i++) {
        if (count > first && items[first].start < items[i].start) {
            first += limit_values(items + first, count - first, most_values);
            count = first;
        }
        if (count > first && items[count - 1].value == items[i].value)
            merge(&items[count - 1], &items[i]);
        else
            items[count++] = items[i];
    }
    parts->count = first + limit_values(items + first, count - first, most_values);
}

int lane_fold(timeline_lane *lane, const lane_bins *bins, int shared)
{
    piece_array parts = {0};
    size_t kept = 0;
    lane_piece *pieces = lane->pieces.items;
    if (is_too_fine(lane, bins, shared))
        return 0;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        if (is_binned(&pieces[i], bins->width, shared))
            divide(&parts, &pieces[i], bins);
        else
            pieces[kept++] = pieces[i];
    }
    merge_parts(&parts, bins->values);
    lane->pieces.count = kept;
    for (size_t i = 0; i < parts.count; i++)
        append(lane, &parts.items[i]);
    array_free(&parts);
    if (lane->pieces.capacity > lane->pieces.count + lane->pieces.count / 4) {
        lane->pieces.capacity = lane->pieces.count;
        lane->pieces.items = memory_resize(lane->pieces.items, lane->pieces.capacity, sizeof *pieces);
    }
    return 1;
}

void lane_sort(timeline_lane *lane)
{
    if (lane->pieces.count > 0)
        qsort(lane->pieces.items, lane->pieces.count, sizeof *lane->pieces.items, compare_times);
}
