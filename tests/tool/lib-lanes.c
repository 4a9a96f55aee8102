/* Lanes of a timeline (examples/paje/timeline/lane.c) against sums over all of their pieces, for random ones. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paje/timeline/lane.h"
#include "tests/lib/draw.h"
#include "tests/lib/expect.h"

enum { MOST_PIECES = 400, SLICES = 1024, VALUES = 40, ROUNDS = 200 };

static double origin; /* of slices: times are below 0, too */
static double lengths[MOST_PIECES]; /* of the pieces of the last random lane */
static size_t piece_count;

/* What a lane has to hold of a value within a slice of time. */
typedef struct cell {
    double time, sum, least, most;
    int is_there;
} cell;

/* Slices are of the width that divides all bins. */
typedef struct model {
    cell cells[SLICES][VALUES];
    uint64_t counts[VALUES];
    double times[VALUES];
} model;

static model expected, held;

static int is_near(double a, double b, double size)
{
    return fabs(a - b) <= 1e-9 * (fabs(a) + fabs(b) + size);
}

static void note(model *to, const lane_piece *piece, double width)
{
    double length = piece->end - piece->start;
    to->counts[piece->value] += piece->count;
    to->times[piece->value] += piece->time;
    size_t first = (size_t)floor((piece->start - origin) / width);
    for (size_t i = first; i < SLICES; i++) {
        double start = origin + (double)i * width, end = start + width;
        double share = fmin(end, piece->end) - fmax(start, piece->start);
        cell *it = &to->cells[i][piece->value];
        if (length > 0 ? !(share > 0) : i > first)
            break;
        share = length > 0 ? share / length : 1;
        it->time += piece->time * share;
        it->sum += piece->sum * share;
        it->least = it->is_there ? fmin(it->least, piece->least) : piece->least;
        it->most = it->is_there ? fmax(it->most, piece->most) : piece->most;
        it->is_there = 1;
    }
}

static void note_lane(model *to, const timeline_lane *lane, double width)
{
    memset(to, 0, sizeof *to);
    for (size_t i = 0; i < lane->pieces.count; i++)
        note(to, &lane->pieces.items[i], width);
}

/* Pieces stay as they are if they are at least as long as a bin, and no bin was wider. */
static void check_exact(const timeline_lane *lane, double width, int is_shared)
{
    size_t left = 0, long_ones = 0;
    for (size_t i = 0; i < lane->pieces.count; i++)
        left += lane->pieces.items[i].exact;
    for (size_t i = 0; i < piece_count; i++)
        long_ones += lengths[i] >= width ? 1 : 0;
    EXPECT(left == (width > 0 && is_shared ? 0 : long_ones));
}

/* Compares what is held of each value in each slice with what is expected. */
static void compare_cells(pajesim_kind kind)
{
    for (size_t value = 0; value < VALUES; value++) {
        EXPECT(held.counts[value] == expected.counts[value]);
        EXPECT(is_near(held.times[value], expected.times[value], 1));
        for (size_t i = 0; i < SLICES; i++) {
            const cell *a = &held.cells[i][value], *b = &expected.cells[i][value];
            EXPECT(a->is_there == b->is_there && is_near(a->time, b->time, 1));
            if (kind == PAJESIM_VARIABLE && b->is_there)
                EXPECT(is_near(a->sum, b->sum, 100) && is_near(a->least, b->least, 0) && is_near(a->most, b->most, 0));
        }
    }
}

static lane_piece random_piece(double range, size_t values)
{
    static const double longest[] = {0.1, 1, 10, 100, 1000};
    lane_piece piece = {.count = 1, .exact = 1, .value = (uint32_t)draw(values)};
    piece.start = origin + (double)draw((uint64_t)(range * 8)) / 8;
    piece.end = draw(10) ? piece.start + (double)draw(1000) / 1000 * longest[draw(5)] : piece.start;
    if (!draw(8))
        piece.end = piece.start + (double)(1 << draw(5)); /* as long as bins are */
    if (piece.end > origin + range)
        piece.end = origin + range;
    piece.time = piece.end - piece.start;
    piece.least = piece.most = (double)draw(2000) - 1000;
    piece.sum = piece.least * piece.time;
    return piece;
}

/* A lane of random pieces, some of which are in bins; `expected` is what it has to hold. */
static timeline_lane *random_lane(pajesim_kind kind, double range, size_t values, const lane_bins *bins, int is_shared,
                                  double slice)
{
    timeline_lane *lane = lane_new(kind, 3, 1, NULL);
    size_t grown = 0;
    piece_count = draw(MOST_PIECES);
    lane_piece *all = calloc(piece_count + 1, sizeof *all);
    double at = origin;
    memset(&expected, 0, sizeof expected);
    for (size_t i = 0; i < piece_count; i++) {
        all[i] = random_piece(range, values);
        if (draw(2)) { /* near the one before, as entities are, of which many lie within a bin */
            double length = all[i].end - all[i].start;
            all[i].start = fmin(at, origin + range - length);
            all[i].end = all[i].start + length;
            all[i].time = all[i].end - all[i].start;
            all[i].sum = all[i].least * all[i].time;
        }
        at = all[i].end < origin + range ? all[i].end : origin;
        lengths[i] = all[i].end - all[i].start;
        grown += lane_add(lane, &all[i], bins, is_shared);
        EXPECT(grown == lane->pieces.count);
        note(&expected, &all[i], slice);
    }
    free(all);
    return lane;
}

/* Each piece that is not exact stands for whole bins: 2^k from a multiple of 2^k on; no two for the same. */
static void check_bins(const timeline_lane *lane, double width, int evenly)
{
    size_t bins = 0;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        double count = (piece->end - piece->start) / width, at = piece->start / width;
        if (piece->exact)
            continue;
        bins++;
        EXPECT(count >= 1 && at - floor(at / count) * count == 0 && frexp(count, &(int){0}) == 0.5);
        EXPECT(!evenly || count == 1);
        for (size_t k = 0; k < i; k++) {
            const lane_piece *other = &lane->pieces.items[k];
            EXPECT(other->exact || other->value != piece->value || other->start != piece->start ||
                   other->end != piece->end);
        }
    }
    EXPECT(bins == lane->bins);
}

static void test_folding(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pajesim_kind kind = draw(2) ? PAJESIM_STATE : PAJESIM_VARIABLE;
        double width = 1 << draw(4), range = width * SLICES / (double)(1 << draw(5));
        int is_shared = (int)draw(2);
        origin = -width * SLICES / (double)(1 << draw(3));
        range -= draw(2) ? range / 3 : 0; /* so that its end is within a bin */
        lane_bins bins = {draw(4) ? width : 0, origin, origin + range, LANE_BIN_VALUES, SIZE_MAX, 0};
        timeline_lane *lane = random_lane(kind, range, 1 + draw(LANE_BIN_VALUES), &bins, is_shared, width), *copy;
        /* Parts of pieces that cover several bins are spread evenly over these, and so exact. */
        note_lane(&held, lane, width);
        if (bins.width > 0)
            compare_cells(kind);
        check_bins(lane, width, 0);
        check_exact(lane, bins.width, is_shared);
        copy = lane_new(kind, 3, 1, NULL);
        EXPECT(lane_join(copy, lane) == lane->pieces.count);
        note_lane(&held, copy, width);
        if (bins.width > 0)
            compare_cells(kind);
        size_t exact = lane->pieces.count - lane->bins;
        EXPECT(lane_join(copy, lane) == exact && copy->pieces.count == lane->pieces.count + exact);
        lane_free(copy);
        for (int k = 0; k < 3; k++) {
            size_t folded, before = lane->pieces.count;
            bins.width = bins.width > 0 ? bins.width * (double)(1 << draw(3)) : width;
            bins.evenly = k == 2;
            folded = lane_count_folded(lane, &bins, is_shared);
            bins.most_pieces = folded ? folded - 1 : 0;
            EXPECT(!folded || (!lane_fold(lane, &bins, is_shared) && lane->pieces.count == before));
            bins.most_pieces = folded;
            EXPECT(lane_fold(lane, &bins, is_shared) && lane->pieces.count == folded);
            bins.most_pieces = SIZE_MAX;
            check_bins(lane, bins.width, bins.evenly);
            check_exact(lane, bins.width, is_shared);
        }
        /* Slices as wide as these bins. */
        static model fine;
        fine = expected;
        size_t many = (size_t)(bins.width / width);
        memset(&expected, 0, sizeof expected);
        for (size_t value = 0; value < VALUES; value++) {
            expected.counts[value] = fine.counts[value];
            expected.times[value] = fine.times[value];
            for (size_t i = 0; i < SLICES; i++) {
                cell *to = &expected.cells[i / many][value];
                const cell *from = &fine.cells[i][value];
                if (!from->is_there)
                    continue;
                to->time += from->time;
                to->sum += from->sum;
                to->least = to->is_there ? fmin(to->least, from->least) : from->least;
                to->most = to->is_there ? fmax(to->most, from->most) : from->most;
                to->is_there = 1;
            }
        }
        note_lane(&held, lane, bins.width);
        compare_cells(kind);
        lane_sort(lane);
        for (size_t i = 1; i < lane->pieces.count; i++) {
            const lane_piece *a = &lane->pieces.items[i - 1], *b = &lane->pieces.items[i];
            EXPECT(a->start < b->start || (a->start <= b->start && a->value <= b->value));
        }
        lane_free(lane);
    }
    report("tool lanes: ", "bins hold what the pieces do, in each slice of time, however often they become wider");
}

static int is_beside(const lane_piece *a, const lane_piece *b)
{
    return a->start == b->start && a->end == b->end;
}

static int weighs_more(const lane_piece *a, const lane_piece *b)
{
    if (a->time != b->time)
        return fabs(a->time) > fabs(b->time);
    return a->count != b->count ? a->count > b->count : a->value < b->value;
}

/* How many of the same bins weigh more: have more time, or more entities then, or a smaller number. */
static size_t rank_of(const lane_piece *pieces, size_t count, size_t of)
{
    size_t rank = 0;
    for (size_t i = 0; i < count; i++)
        rank += is_beside(&pieces[i], &pieces[of]) && weighs_more(&pieces[i], &pieces[of]) ? 1 : 0;
    return rank;
}

/* Pieces in order of time, of more values than are left: those that come to the last bin after that are added up. */
static void test_last_bin(void)
{
    const lane_bins bins = {16, 0, 64, 4, SIZE_MAX, 0};
    timeline_lane *lane = lane_new(PAJESIM_STATE, 1, 0, NULL);
    for (uint32_t i = 0; i < 32; i++) {
        lane_piece piece = {.start = 2 * i, .end = 2 * i + 1, .time = 1, .count = 1, .exact = 1, .value = i % 8};
        EXPECT(lane_add(lane, &piece, &bins, 1) == 1);
    }
    EXPECT(lane_limit_values(lane, 4) == 16);
    for (size_t i = 12; i < 16; i++) {
        lane_piece piece = {.start = 50, .end = 51, .count = 1, .exact = 1, .value = lane->pieces.items[i].value};
        EXPECT(lane->pieces.items[i].start == 48 && lane_add(lane, &piece, &bins, 1) == 0);
    }
    lane_free(lane);
    report("tool lanes: ", "the last bin is gone on with after its values were limited");
}

/* As many values as the limit are left in each bin: those of most time, and one for all others. */
static void test_values(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        size_t most = 2 + draw(6), kept, before;
        double range = 256;
        lane_bins bins = {16, 0, range, most, SIZE_MAX, 0};
        origin = 0;
        timeline_lane *lane = random_lane(PAJESIM_STATE, range, draw(2) ? most + 1 : VALUES, &bins, 1, 16);
        if (draw(2))
            for (size_t i = 0; i < lane->pieces.count; i++) /* no two weigh the same */
                lane->pieces.items[i].time += 1e-3 * (double)i;
        lane_piece *old = calloc(lane->pieces.count + 1, sizeof *old);
        memcpy(old, lane->pieces.items, lane->pieces.count * sizeof *old);
        before = lane->pieces.count;
        kept = before - lane_limit_values(lane, most);
        EXPECT(kept == lane->pieces.count);
        for (size_t i = 0; i < before; i++) {
            size_t values = 0, heavier = 0, found = 0, left = 0, rank = SIZE_MAX; /* rank: of OTHER_VALUES */
            double others = 0, time = 0;
            for (size_t k = 0; k < before; k++)
                if (is_beside(&old[k], &old[i])) {
                    values++;
                    heavier += weighs_more(&old[k], &old[i]) ? 1 : 0;
                    if (old[k].value == OTHER_VALUES)
                        rank = rank_of(old, before, k);
                }
            size_t kept_ranks = values <= most ? values : rank < most - 1 ? most : most - 1;
            for (size_t k = 0; k < before; k++)
                if (is_beside(&old[k], &old[i]) &&
                    (old[k].value == OTHER_VALUES || rank_of(old, before, k) >= kept_ranks))
                    others += old[k].time;
            for (size_t k = 0; k < lane->pieces.count; k++)
                if (is_beside(&lane->pieces.items[k], &old[i])) {
                    left++;
                    found += lane->pieces.items[k].value == old[i].value;
                    if (lane->pieces.items[k].value == OTHER_VALUES)
                        time += lane->pieces.items[k].time;
                }
            EXPECT(left == (values < most ? values : most) && is_near(time, others, 1));
            EXPECT(found == (heavier < kept_ranks || old[i].value == OTHER_VALUES));
        }
        /* The lane goes on after that. */
        lane_piece one = {.start = 3, .end = 4, .time = 1, .count = 1, .exact = 1, .value = 1};
        size_t grown = lane_add(lane, &one, &bins, 1);
        EXPECT(lane_add(lane, &one, &bins, 1) == 0 && lane->pieces.count == kept + grown);
        check_bins(lane, 16, 0);
        free(old);
        lane_free(lane);
    }
    report("tool lanes: ", "of many values in a bin those of most time are kept");
}

static void test_edges(void)
{
    const lane_bins bins = {8, 100, 200, LANE_BIN_VALUES, SIZE_MAX, 0};
    static const struct {
        double start, end, bin, time;
    } cases[] = {
        {90, 102, 96, 2}, /* cut at the beginning of the range */
        {199, 300, 192, 1},
        {120, 120, 120, 0},
        {119, 119, 112, 0},
        {104, 112, 104, 8},
        {90, 95, 96, 0},
        {210, 212, 208, 0},
        {90, 90, 96, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        timeline_lane *lane = lane_new(PAJESIM_STATE, 1, 0, NULL);
        lane_piece piece = {.start = cases[i].start, .end = cases[i].end, .time = cases[i].end - cases[i].start,
                            .count = 1, .exact = 1, .value = 2};
        lane_add(lane, &piece, &bins, 1);
        EXPECT(lane->pieces.count == 1 && lane->bins == 1 && lane->least_value == 2 && lane->most_value == 2);
        EXPECT(lane->pieces.items[0].start == cases[i].bin && lane->pieces.items[0].end == cases[i].bin + 8);
        EXPECT(is_near(lane->pieces.items[0].time, cases[i].time, 0) && !lane->pieces.items[0].exact);
        lane_free(lane);
    }
    static const struct {
        double start, end;
        size_t parts;
    } covers[] = {{8, 128, 4}, {0, 128, 1}, {24, 232, 6}, {25, 231, 6}, {-8, 8, 2}, {-64, 0, 1}, {-72, 3, 3},
                  {64, 192, 2}};
    for (size_t i = 0; i < sizeof covers / sizeof *covers; i++)
        for (int evenly = 0; evenly < 2; evenly++) {
            lane_bins wide = {8, -1000, 1000, LANE_BIN_VALUES, SIZE_MAX, evenly};
            timeline_lane *lane = lane_new(PAJESIM_STATE, 1, 0, NULL);
            lane_piece piece = {.start = covers[i].start, .end = covers[i].end, .count = 1, .exact = 1, .value = 1};
            EXPECT(lane_add(lane, &piece, &wide, 1) ==
                   (evenly ? (size_t)(ceil(piece.end / 8) - floor(piece.start / 8)) : covers[i].parts));
            lane_free(lane);
        }
    report("tool lanes: ", "what begins or ends outside of the range, or takes no time");
    for (int i = -60; i < 60; i++) {
        double range = ldexp(1 + (double)draw(1000) / 1001, i), width = lane_bin_width(0, range, 4096, 1e-300);
        int exponent;
        EXPECT(frexp(width, &exponent) == 0.5 && width <= range / 4096 && 2 * width > range / 4096);
        EXPECT(lane_bin_width(0, range, 4096, range) > range / 2 && lane_bin_width(0, range, 4096, range) <= range);
        EXPECT(1e9 + lane_bin_width(1e9, 1e9 + range * 1e-30, 4096, 0) > 1e9);
        EXPECT(lane_bin_width(-1e9, -1e9 + 1e-6, 4096, 0) == lane_bin_width(1e9 - 1e-6, 1e9, 4096, 0));
    }
    EXPECT(lane_order(PAJESIM_EVENT, 5, 0) < lane_order(PAJESIM_STATE, 1, 0) &&
           lane_order(PAJESIM_STATE, 9, 8) < lane_order(PAJESIM_VARIABLE, 1, 0) &&
           lane_order(PAJESIM_STATE, 1, 8) < lane_order(PAJESIM_STATE, 2, 0) &&
           lane_order(PAJESIM_STATE, 2, 1) < lane_order(PAJESIM_STATE, 2, 2));
    report("tool lanes: ", "widths of bins, and the order of lanes");
}

/* Bins have the time within the drawn range, also of entities that begin before it, or end behind it. */
static void test_range(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        lane_bins bins = {(double)(1 << draw(5)), 33.25, 94.5, LANE_BIN_VALUES, SIZE_MAX, 0};
        timeline_lane *lane = lane_new(PAJESIM_VARIABLE, 3, 1, NULL);
        int is_shared = (int)draw(2);
        double time = 0, sum = 0, within = 0;
        for (int i = 0; i < 50; i++) {
            lane_piece piece = {.start = (double)draw(1000) / 8, .count = 1, .exact = 1, .least = 3, .most = 3};
            piece.end = piece.start + (double)draw(is_shared ? 1000 : 8 * (uint64_t)bins.width) / 8;
            if (piece.end < bins.first || piece.start > bins.last)
                continue;
            piece.time = piece.end - piece.start;
            piece.sum = piece.least * piece.time;
            within += fmin(piece.end, bins.last) - fmax(piece.start, bins.first);
            lane_add(lane, &piece, &bins, is_shared);
        }
        EXPECT(lane_fold(lane, &bins, is_shared));
        for (size_t i = 0; i < lane->pieces.count; i++) {
            time += lane->pieces.items[i].time;
            sum += lane->pieces.items[i].sum;
        }
        EXPECT(is_near(time, within, 1) && is_near(sum, 3 * within, 1));
        lane_free(lane);
    }
    report("tool lanes: ", "of what begins before the range, or ends behind it, the time within it");
}

int main(void)
{
    test_folding();
    test_range();
    test_values();
    test_last_bin();
    test_edges();
    return failed > 0;
}
