/* Lanes: entities as they are, and bins of time for shorter ones. */
#include "timeline/lane.h"

#include <float.h>
#include <math.h>
#include <string.h>

uint64_t lane_order(pajesim_kind kind, uint32_t type, uint32_t depth)
{
    static const uint64_t places[] = {[PAJESIM_EVENT] = 0, [PAJESIM_STATE] = 1, [PAJESIM_VARIABLE] = 2};
    return places[kind] << 40 | (uint64_t)type << 8 | depth; /* a depth is LANE_NESTED at most */
}

timeline_lane *lane_new(pajesim_kind kind, uint32_t type, uint32_t depth, timeline_lane *next)
{
    timeline_lane *lane = memory_alloc_zero(1, sizeof *lane);
    lane->kind = kind;
    lane->type = type;
    lane->depth = depth;
    lane->order = lane_order(kind, type, depth);
    lane->next = next;
    return lane;
}

static void free_pieces(timeline_lane *lane)
{
    array_free(&lane->pieces);
    free(lane->slots);
}

void lane_free(timeline_lane *lane)
{
    free_pieces(lane);
    free(lane);
}

static int is_binned(const lane_piece *piece, double width, int shared)
{
    return width > 0 && (shared || !piece->exact || !(piece->end - piece->start >= width));
}

/* Adds a piece of the same bins and value.  What only variables have is in another block of a cache, mostly. */
static void merge(const timeline_lane *lane, lane_piece *to, const lane_piece *piece)
{
    uint64_t count = (uint64_t)to->count + piece->count;
    to->time += piece->time;
    to->count = count > INT32_MAX ? INT32_MAX : (unsigned)count & INT32_MAX;
    to->exact = 0;
    if (lane->kind != PAJESIM_VARIABLE)
        return;
    to->sum += piece->sum;
    to->least = piece->least < to->least ? piece->least : to->least;
    to->most = piece->most > to->most ? piece->most : to->most;
}

/* Appends a piece, and returns it.  As there are many short lanes, their first capacity is smaller than that of
 * array_push(). */
static lane_piece *append(timeline_lane *lane, const lane_piece *piece)
{
    enum { FIRST_CAPACITY = 4 };
    if (lane->pieces.count == lane->pieces.capacity) {
        lane->pieces.capacity += lane->pieces.capacity / 2 + FIRST_CAPACITY;
        lane->pieces.items = memory_resize(lane->pieces.items, lane->pieces.capacity, sizeof *piece);
    }
    lane_piece *added = &lane->pieces.items[lane->pieces.count++];
    *added = *piece;
    return added;
}

/* ---- finding the pieces that stand for bins */

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Whether a piece stands for that value in the bins from `start` to `end`. */
static int is_same(const lane_piece *piece, uint32_t value, double start, double end)
{
    return piece->value == value && bits_of(piece->start) == bits_of(start) && bits_of(piece->end) == bits_of(end);
}

/* The slot of that piece, or the free slot for it.  Values of one bin are next to each other, SIDE_BY_SIDE at most:
 * where two bins meet, all of one would be in the way of those of the other. */
static uint32_t *slot_of(const timeline_lane *lane, uint32_t value, double start, double end)
{
    enum { SIDE_BY_SIDE = 16 };
    const uint64_t factor = 0x9e3779b97f4a7c15u;
    uint64_t hash = (bits_of(start) ^ value / SIDE_BY_SIDE) * factor;
    hash = ((hash ^ hash >> 32) + bits_of(end)) * factor;
    for (size_t i = (size_t)(hash >> 32) * SIDE_BY_SIDE + value % SIDE_BY_SIDE;; i++) {
        uint32_t *slot = &lane->slots[i & (lane->slot_count - 1)];
        if (!*slot || is_same(&lane->pieces.items[*slot - 1], value, start, end))
            return slot;
    }
}

/* Puts the pieces into the hash table that are not there yet; makes it again if it has no room for all of them. */
static void fill_slots(timeline_lane *lane)
{
    enum { FIRST_SLOTS = 16 };
    if (2 * lane->bins >= lane->slot_count) {
        free(lane->slots);
        lane->slot_count = FIRST_SLOTS;
        while (lane->slot_count < 4 * lane->bins)
            lane->slot_count *= 2;
        lane->slots = memory_alloc_zero(lane->slot_count, sizeof *lane->slots);
        lane->in_slots = 0;
    }
    for (; lane->in_slots < lane->pieces.count; lane->in_slots++) {
        const lane_piece *it = &lane->pieces.items[lane->in_slots];
        if (!it->exact)
            *slot_of(lane, it->value, it->start, it->end) = (uint32_t)lane->in_slots + 1;
    }
}

/* Call it when pieces have been moved: none is in the hash table any more. */
static void clear_slots(timeline_lane *lane)
{
    free(lane->slots);
    lane->slots = NULL;
    lane->slot_count = lane->in_slots = 0;
    memset(lane->latest, 0, sizeof lane->latest);
    lane->has_latest = 0;
}

static int is_last_bin(const timeline_lane *lane, double start, double end)
{
    return bits_of(start) == bits_of(lane->from) && bits_of(end) == bits_of(lane->to);
}

static int is_beyond(const timeline_lane *lane, double start)
{
    return lane->bins == 0 || start >= lane->greatest;
}

/* Returns 1 + the index of the piece that stands for that value in the bins from `start` to `end`; 0: there is none.
 * As pieces come in order of time, mostly, it is the one found last, or there can be none; only else the hash table is
 * needed. */
static uint32_t find_bins(timeline_lane *lane, uint32_t value, double start, double end)
{
    if (is_beyond(lane, start))
        return 0;
    if (is_last_bin(lane, start, end)) {
        uint32_t latest = lane->latest[value % LANE_LATEST];
        if (latest ? lane->pieces.items[latest - 1].value == value : lane->has_latest)
            return latest;
    }
    fill_slots(lane);
    return *slot_of(lane, value, start, end);
}

static void append_bins(timeline_lane *lane, const lane_piece *piece, double start, double end)
{
    if (is_beyond(lane, start))
        lane->greatest = end;
    lane_piece *added = append(lane, piece);
    added->start = start;
    added->end = end;
    added->exact = 0;
    if (lane->bins++ == 0)
        lane->least_value = lane->most_value = piece->value;
    lane->least_value = piece->value < lane->least_value ? piece->value : lane->least_value;
    lane->most_value = piece->value > lane->most_value ? piece->value : lane->most_value;
}

/* Adds a piece to what stands for the bins from `start` to `end`.  Returns by how much the number of pieces grew, 0 or
 * 1. */
static size_t add_bins(timeline_lane *lane, const lane_piece *piece, double start, double end)
{
    uint32_t known = find_bins(lane, piece->value, start, end);
    if (known)
        merge(lane, &lane->pieces.items[known - 1], piece);
    else
        append_bins(lane, piece, start, end);
    if (is_last_bin(lane, start, end))
        lane->latest[piece->value % LANE_LATEST] = known ? known : (uint32_t)lane->pieces.count;
    return !known;
}

/* The same, for one bin. */
static size_t add_to_bin(timeline_lane *lane, const lane_piece *piece, double start, double end)
{
    if (!is_last_bin(lane, start, end)) {
        memset(lane->latest, 0, sizeof lane->latest);
        lane->has_latest = is_beyond(lane, start);
        lane->from = start;
        lane->to = end;
    }
    return add_bins(lane, piece, start, end);
}

/* ---- dividing */

/* As fmin() and fmax() of numbers, without a call. */
static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static double most_of(double a, double b)
{
    return a > b ? a : b;
}

/* floor() of a number that fits, without a call. */
static int64_t floor_of(double number)
{
    int64_t whole = (int64_t)number;
    return whole - ((double)whole > number);
}

/* Leaves of the time of an entity what lies within the range that is drawn.  What comes from bins is that already. */
static lane_piece cut_to_range(const lane_piece *piece, double length)
{
    lane_piece cut = *piece;
    double whole = piece->end - piece->start;
    if (piece->exact && length < whole && whole > 0 && whole < HUGE_VAL) {
        double share = most_of(length, 0) / whole;
        cut.time *= share;
        cut.sum *= share;
    }
    return cut;
}

/* Divides a piece among bins, and adds the parts.  The bins that it covers as a whole have as few parts as possible:
 * each is of 2^k bins from a multiple of 2^k on.  So a long piece has few parts, which other pieces have as well; what
 * is in a part is spread evenly over its bins.  When bins become wider, by a factor of 2, most parts stay as they
 * are. */
static size_t divide(timeline_lane *lane, const lane_piece *piece, const lane_bins *bins)
{
    const double most_bin = 1e15; /* from there on neighbours cannot be told apart */
    size_t grown = 0;
    double width = bins->width, scale = 1 / width; /* exact, as the width is a power of 2 */
    double start = most_of(piece->start, bins->first), end = least_of(piece->end, bins->last), length = end - start;
    double begins = start * scale, ends = end * scale;
    const lane_piece cut = cut_to_range(piece, length);
    if (!(length > 0 && length < HUGE_VAL && fabs(begins) < most_bin)) {
        start = floor((piece->exact ? start : piece->start) / width) * width;
        return add_to_bin(lane, &cut, start, start + width);
    }
    int64_t at = floor_of(begins), to = floor_of(ends), last = to + ((double)to < ends);
    if (last == at + 1) /* mostly: it lies within one bin */
        return add_to_bin(lane, &cut, (double)at * width, (double)last * width);
    lane_piece part = cut;
    int64_t from = at + ((double)at < begins); /* what it covers as a whole: from, to; what comes from bins, all */
    for (; at < last; part.count = 0) {
        int64_t count = 1;
        while (!bins->evenly && at >= from && at + 2 * count <= to && !(at & (2 * count - 1)))
            count *= 2;
        double bin_start = (double)at * width, bin_end = (double)(at + count) * width;
        double share = (least_of(end, bin_end) - most_of(start, bin_start)) / length;
        part.time = cut.time * share;
        part.sum = cut.sum * share;
        at += count;
        if (at == last && count == 1) /* where the next piece goes, probably */
            grown += add_to_bin(lane, &part, bin_start, bin_end);
        else
            grown += add_bins(lane, &part, bin_start, bin_end);
    }
    return grown;
}

/* Whether a piece lies within the bin to which one was added last, and within the range: mostly, as they come in order
 * of time. */
static int is_in_last_bin(const timeline_lane *lane, const lane_piece *piece, const lane_bins *bins)
{
    return piece->start >= lane->from && piece->start < lane->to && piece->end <= lane->to &&
           (piece->exact ? piece->start >= bins->first && piece->end <= bins->last : piece->end >= bins->first);
}

static size_t add_to_last_bin(timeline_lane *lane, const lane_piece *piece)
{
    uint32_t latest = lane->latest[piece->value % LANE_LATEST];
    lane_piece *known = latest ? &lane->pieces.items[latest - 1] : NULL;
    if (!known || known->value != piece->value)
        return add_to_bin(lane, piece, lane->from, lane->to);
    merge(lane, known, piece);
    return 0;
}

size_t lane_add(timeline_lane *lane, const lane_piece *piece, const lane_bins *bins, int shared)
{
    if (!is_binned(piece, bins->width, shared)) {
        append(lane, piece);
        return 1;
    }
    return is_in_last_bin(lane, piece, bins) ? add_to_last_bin(lane, piece) : divide(lane, piece, bins);
}

size_t lane_join(timeline_lane *to, const timeline_lane *from)
{
    size_t grown = 0;
    for (size_t i = 0; i < from->pieces.count; i++) {
        const lane_piece *piece = &from->pieces.items[i];
        if (piece->exact)
            append(to, piece);
        grown += piece->exact ? 1 : add_bins(to, piece, piece->start, piece->end);
    }
    return grown;
}

/* ---- bins */

double lane_bin_width(double first, double last, double count, double least)
{
    int exponent;
    double precision = fmax(fabs(first), fabs(last)) * DBL_EPSILON * 4;
    frexp(fmax(fmax((last - first) / count, precision), least), &exponent);
    return ldexp(1, exponent - 1);
}

/* By time, then by value. */
static int compare_times(const void *left, const void *right)
{
    const lane_piece *a = left, *b = right;
    if (a->start < b->start || a->start > b->start)
        return a->start < b->start ? -1 : 1;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->end > b->end) - (a->end < b->end);
}

/* Exact pieces, then those that stand for the same bins next to each other. */
static int compare_bins(const void *left, const void *right)
{
    const lane_piece *a = left, *b = right;
    if (a->exact != b->exact)
        return a->exact ? -1 : 1;
    if (a->end < b->end || a->end > b->end)
        return a->end < b->end ? -1 : 1;
    return compare_times(a, b);
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

/* Limits the values of pieces of the same bins: those of least time become OTHER_VALUES.  Returns how many are left. */
static size_t limit_group(const timeline_lane *lane, lane_piece *pieces, size_t count, size_t most)
{
    if (count <= most)
        return count;
    qsort(pieces, count, sizeof *pieces, compare_weights);
    lane_piece *others = &pieces[most - 1];
    for (size_t i = 0; i < most - 1; i++)
        if (pieces[i].value == OTHER_VALUES) {
            lane_piece swapped = pieces[i];
            pieces[i] = *others;
            *others = swapped;
        }
    for (size_t i = most; i < count; i++)
        merge(lane, others, &pieces[i]);
    others->value = OTHER_VALUES;
    return most;
}

size_t lane_limit_values(timeline_lane *lane, size_t most)
{
    lane_piece *items = lane->pieces.items;
    size_t kept = 0, before = lane->pieces.count;
    if (lane->bins <= most || lane->most_value - lane->least_value < most) /* usually */
        return 0;
    qsort(items, before, sizeof *items, compare_bins);
    for (size_t i = 0, count; i < before; i += count) {
        count = 1;
        while (!items[i].exact && i + count < before && bits_of(items[i + count].end) == bits_of(items[i].end) &&
               bits_of(items[i + count].start) == bits_of(items[i].start))
            count++;
        size_t left = limit_group(lane, items + i, count, most);
        memmove(items + kept, items + i, left * sizeof *items);
        kept += left;
    }
    lane->bins -= before - kept;
    lane->pieces.count = kept;
    clear_slots(lane);
    return before - kept;
}

/* Puts the pieces of a lane into bins, as `folded`.  Returns 0 if there are too many. */
static int fold(const timeline_lane *lane, timeline_lane *folded, const lane_bins *bins, int shared)
{
    *folded = (timeline_lane){.kind = lane->kind, .type = lane->type, .depth = lane->depth, .order = lane->order,
                               .next = lane->next};
    folded->pieces.capacity = lane->pieces.count;
    folded->pieces.items = memory_alloc(lane->pieces.count, sizeof *lane->pieces.items);
    for (size_t i = 0; i < lane->pieces.count && folded->pieces.count <= bins->most_pieces; i++)
        lane_add(folded, &lane->pieces.items[i], bins, shared);
    return folded->pieces.count <= bins->most_pieces;
}

size_t lane_count_folded(const timeline_lane *lane, const lane_bins *bins, int shared)
{
    timeline_lane folded;
    fold(lane, &folded, bins, shared);
    size_t count = folded.pieces.count;
    free_pieces(&folded);
    return count;
}

int lane_fold(timeline_lane *lane, const lane_bins *bins, int shared)
{
    timeline_lane folded;
    int fits = fold(lane, &folded, bins, shared);
    free_pieces(fits ? lane : &folded);
    if (!fits)
        return 0;
    *lane = folded;
    lane_limit_values(lane, bins->values);
    if (lane->pieces.capacity > lane->pieces.count + lane->pieces.count / 4) {
        lane->pieces.capacity = lane->pieces.count;
        lane->pieces.items = memory_resize(lane->pieces.items, lane->pieces.capacity, sizeof *lane->pieces.items);
    }
    return 1;
}

static int is_sorted(const timeline_lane *lane)
{
    for (size_t i = 1; i < lane->pieces.count; i++)
        if (compare_times(&lane->pieces.items[i - 1], &lane->pieces.items[i]) > 0)
            return 0;
    return 1;
}

void lane_sort(timeline_lane *lane)
{
    if (!is_sorted(lane))
        qsort(lane->pieces.items, lane->pieces.count, sizeof *lane->pieces.items, compare_times);
}
