/* Lanes of pieces: entities as they are, and bins of time for what is shorter. */
#include "diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static diagram_piece *new_piece(diagram_lane *lane)
{
    if (lane->count == lane->room) {
        lane->room += lane->room / 2 + 4;
        lane->pieces = paje_room(lane->pieces, lane->room * sizeof *lane->pieces);
    }
    return &lane->pieces[lane->count++];
}

static int is_binned(const diagram_piece *piece, double bin, int shared)
{
    return bin > 0 && (shared || !piece->exact || !(piece->end - piece->start >= bin));
}

/* Adds what is of the same bin and value. */
static void join(diagram_piece *to, const diagram_piece *piece)
{
    uint64_t count = (uint64_t)to->count + piece->count;
    to->time += piece->time;
    to->sum += piece->sum;
    to->least = fmin(to->least, piece->least);
    to->most = fmax(to->most, piece->most);
    to->count = count > INT32_MAX ? INT32_MAX : (unsigned)count & INT32_MAX;
    to->exact = 0;
}

void diagram_add_piece(diagram_lane *lane, const diagram_piece *piece, double bin, int shared)
{
    /* Most often its bin is among the last ones. */
    if (lane->count > 0 && is_binned(piece, bin, shared)) {
        diagram_piece *last = lane->pieces + lane->count;
        for (size_t i = 0; i < diagram.bin_values && last > lane->pieces; i++) {
            last--;
            if (!last->exact && last->value == piece->value && piece->start >= last->start && piece->end < last->end) {
                join(last, piece);
                return;
            }
        }
    }
    *new_piece(lane) = *piece;
    diagram.pieces++;
}

void diagram_join_lanes(diagram_lane *to, diagram_lane *from)
{
    for (size_t i = 0; i < from->count; i++)
        *new_piece(to) = from->pieces[i];
    free(from->pieces);
    from->pieces = NULL;
    from->count = from->room = 0;
}

/* The part of a piece that lies in each bin.  What was summed up before lies in one: their widths are powers of 2. */
static void split(diagram_lane *bins, const diagram_piece *piece, double bin)
{
    double length = piece->exact ? piece->end - piece->start : 0;
    double start = fmax(piece->start, diagram.first), end = fmin(piece->end, diagram.last);
    double from = floor((piece->exact ? start : piece->start) / bin) * bin;
    for (double at = from; at <= from || (piece->exact && at < end); at += bin) {
        diagram_piece *part = new_piece(bins);
        *part = *piece;
        part->start = at;
        part->end = at + bin;
        part->exact = 0;
        if (at > from)
            part->count = 0;
        if (length > 0) {
            double share = fmax(0, fmin(end, part->end) - fmax(start, at)) / length;
            part->time *= share;
            part->sum *= share;
        }
        if (!(at + bin > at)) /* beyond what a double tells apart */
            return;
    }
}

static int compare_values(const void *left, const void *right)
{
    const diagram_piece *a = left, *b = right;
    if (a->start < b->start || a->start > b->start)
        return a->start < b->start ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* Those of most time first; of most entities, where none takes time. */
static int compare_weights(const void *left, const void *right)
{
    const diagram_piece *a = left, *b = right;
    double first = fabs(a->time), second = fabs(b->time);
    if (first < second || first > second)
        return first > second ? -1 : 1;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

/* One bin's pieces: the values of least time become other values. */
static size_t limit_values(diagram_piece *pieces, size_t count)
{
    if (count <= diagram.bin_values)
        return count;
    qsort(pieces, count, sizeof *pieces, compare_weights);
    diagram_piece *others = &pieces[diagram.bin_values - 1];
    for (size_t i = diagram.bin_values; i < count; i++)
        join(others, &pieces[i]);
    others->value = DIAGRAM_OTHER_VALUES;
    qsort(pieces, diagram.bin_values, sizeof *pieces, compare_values);
    return diagram.bin_values;
}

/* Whether there would be too many pieces before those of the same bin and value are joined. */
static int is_too_fine(const diagram_lane *lane, double bin, int shared)
{
    double parts = 0, most = fmax(2.0 * (double)lane->count, 0.5 * (double)diagram.most_pieces);
    for (size_t i = 0; i < lane->count; i++)
        if (is_binned(&lane->pieces[i], bin, shared))
            parts += 1 + (lane->pieces[i].end - lane->pieces[i].start) / bin;
    return parts > most;
}

int diagram_fold_lane(diagram_lane *lane, double bin, int shared)
{
    static diagram_lane bins; /* its room is used again and again */
    size_t kept = 0;
    bins.count = 0;
    if (is_too_fine(lane, bin, shared))
        return 0;
    for (size_t i = 0; i < lane->count; i++) {
        if (is_binned(&lane->pieces[i], bin, shared))
            split(&bins, &lane->pieces[i], bin);
        else
            lane->pieces[kept++] = lane->pieces[i];
    }
    qsort(bins.pieces, bins.count, sizeof *bins.pieces, compare_values);
    size_t first = 0, count = 0; /* of the bin at hand, in its place */
    for (size_t i = 0; i < bins.count; i++) {
        const diagram_piece *piece = &bins.pieces[i];
        if (count > first && bins.pieces[first].start < piece->start) {
            first += limit_values(bins.pieces + first, count - first);
            count = first;
        }
        if (count > first && bins.pieces[count - 1].value == piece->value)
            join(&bins.pieces[count - 1], piece);
        else
            bins.pieces[count++] = *piece;
    }
    count = first + limit_values(bins.pieces + first, count - first);

    lane->count = kept;
    for (size_t i = 0; i < count; i++)
        *new_piece(lane) = bins.pieces[i];
    if (lane->room > lane->count + lane->count / 4) {
        lane->room = lane->count;
        lane->pieces = paje_room(lane->pieces, lane->room * sizeof *lane->pieces);
    }
    return 1;
}

void diagram_sort_lane(diagram_lane *lane)
{
    if (lane->count > 0)
        qsort(lane->pieces, lane->count, sizeof *lane->pieces, compare_values);
}
