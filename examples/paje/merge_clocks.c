/* Clock offsets from messages: none may arrive before it was sent.
 *
 * For each pair of inputs the least time that a message took says how far their clocks may be moved against each other:
 * difference constraints, a graph whose shortest paths (Bellman, Ford) are offsets.  Within a block of inputs that
 * messages connect both ways, the middle between the least and the greatest offsets is taken: as if messages took the
 * same time both ways.  A block that others only send to is moved as a whole, if it must be.  What is right already
 * stays as it is.
 *
 * If no constant offsets will do, clocks drift.  Then time is cut into windows, each of which gives an offset, linear
 * between their middles; a further look at all messages tells what is still wrong.  A cycle of constraints that cannot
 * all hold is relaxed evenly, that is, such that the worst of them is violated least. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 128, KNOTS = WINDOWS + 2, LOOKS = 8, RELAXATIONS = 8 };

#define RESOLUTION 1e-9 /* of a time in the merged trace */

typedef struct pair {
    uint32_t from, to;
    double first, last;    /* times of sending */
    double least[WINDOWS]; /* time of a message, by window */
    size_t reverse;        /* 1 + the pair the other way round; 0: there is none */
    double limit;          /* offset of `from` may be that much greater than that of `to`, at the knot at hand */
} pair;

static pair *pairs;
static size_t pair_count, pair_room;
static int look;
static uint32_t windows, knots; /* knots: the beginning, the middle of each window, the end */
static double window_start, window_width, last_worst;

/* By input. */
static uint32_t *block;   /* the least index of those in it */
static int *is_wrong;     /* of the block with that index: it must be corrected */
static double *distance, *back, *moved;
static size_t *reached_by; /* 1 + pair */
static double *residual;  /* by knot and input */

/* ---- the correction */

static double knot_at(uint32_t knot)
{
    double middle = knot == 0 ? 0 : knot == knots - 1 ? (double)windows : (double)knot - 0.5;
    return window_start + middle * window_width;
}

/* Between the knots on both sides; `step` apart in `values`. */
static double between_knots(const double *values, size_t step, double time)
{
    double place = (time - window_start) / window_width + 0.5;
    uint32_t below = place < 1 ? 0 : place >= (double)windows ? windows : (uint32_t)place;
    double low = knot_at(below), high = knot_at(below + 1);
    double part = time <= low ? 0 : time >= high ? 1 : (time - low) / (high - low);
    return values[below * step] + part * (values[(below + 1) * step] - values[below * step]);
}

static double shift; /* of all inputs alike */

pajesim_time merge_correct(const merge_input *input, pajesim_time time)
{
    time += input->clock.offset;
    return shift + (input->clock.values ? time + between_knots(input->clock.values, 1, time) : time);
}

/* pj_dump and others drop what begins before 0 without a word: who began at 0 or later shall still. */
void merge_begin_at_zero(void)
{
    double before = 0, least = 0;
    for (uint32_t i = 0; i < merge_input_count; i++)
        if (merge_inputs[i].least < HUGE_VAL) { /* it has times */
            before = merge_least(before, merge_inputs[i].least);
            least = merge_least(least, merge_correct(&merge_inputs[i], merge_inputs[i].least));
        }
    if (least < before) {
        shift = before - least;
        paje_message("all times moved by %.9f, so that none is before %.9f", shift, before);
    }
}

int merge_is_right(const merge_input *input)
{
    return shift >= 0 && shift <= 0 && input->clock.offset >= 0 && input->clock.offset <= 0 && !input->clock.values;
}

void merge_tell_correction(const merge_input *input)
{
    double least = INFINITY, greatest = -INFINITY;
    for (uint32_t knot = 0; input->clock.values && knot < knots; knot++) {
        least = merge_least(least, input->clock.offset + input->clock.values[knot]);
        greatest = merge_greatest(greatest, input->clock.offset + input->clock.values[knot]);
    }
    if (least < greatest)
        paje_message("%s: clock corrected by %.9f to %.9f", input->name, least, greatest);
    else if (!merge_is_right(input))
        paje_message("%s: clock corrected by %.9f", input->name, merge_correct(input, 0));
}

/* ---- messages */

void merge_begin_clocks(void)
{
    pair_count = 0;
    if (windows == 0)
        windows = 1;
}

static uint32_t window_of(double time)
{
    double place = look ? (time - window_start) / window_width : 0;
    return place < 1 ? 0 : place >= (double)windows ? windows - 1 : (uint32_t)place;
}

void merge_note_message(uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received)
{
    static const pajesim_text nothing = {"", 0};
    if (merge_writing || from == to)
        return;
    merge_key key = merge_make_key(MERGE_PAIR, from, to, 0, nothing);
    const merge_entry *entry = merge_find(key);
    size_t at = pair_count;
    if (entry) {
        memcpy(&at, entry->thing, sizeof at);
    } else {
        void *thing = paje_room(NULL, sizeof at);
        memcpy(thing, &at, sizeof at);
        merge_add(key, thing, 1);
        if (pair_count == pair_room) {
            pair_room += pair_room / 2 + 64;
            pairs = paje_room(pairs, pair_room * sizeof *pairs);
        }
        pair_count++;
        pairs[at].from = from;
        pairs[at].to = to;
        pairs[at].first = pairs[at].last = sent;
        for (int i = 0; i < WINDOWS; i++)
            pairs[at].least[i] = INFINITY;
    }
    pairs[at].first = merge_least(pairs[at].first, sent);
    pairs[at].last = merge_greatest(pairs[at].last, sent);
    double *least = pairs[at].least, took = received - sent;
    uint32_t first = window_of(sent), last = window_of(received);
    least[first] = merge_least(least[first], took);
    least[last] = merge_least(least[last], took);
}

static double worst_of(const pair *it)
{
    double worst = INFINITY;
    for (uint32_t i = 0; i < windows; i++)
        worst = merge_least(worst, it->least[i]);
    return worst;
}

/* Windows without messages are filled as if drift went on there: linear between those beside them that have some, and
 * beyond the first and the last of these as between them. */
static void fill_windows(pair *it)
{
    double *least = it->least;
    uint32_t first = 0, last = windows - 1, left, right;
    while (!(least[first] < INFINITY))
        first++;
    while (!(least[last] < INFINITY))
        last--;
    double slope = last > first ? (least[last] - least[first]) / (last - first) : 0;
    for (uint32_t i = 0; i < first; i++)
        least[i] = least[first] - slope * (first - i);
    for (uint32_t i = last + 1; i < windows; i++)
        least[i] = least[last] + slope * (i - last);
    for (left = first; left < last; left = right) {
        for (right = left + 1; !(least[right] < INFINITY); right++) {
        }
        for (uint32_t i = left + 1; i < right; i++)
            least[i] = least[left] + (least[right] - least[left]) * (i - left) / (right - left);
    }
}

/* ---- blocks */

/* Marks what can be reached from `start`, along messages or against them. */
static void reach(uint32_t start, int along, double *mark)
{
    int more = 1;
    for (uint32_t i = 0; i < merge_input_count; i++)
        mark[i] = i == start;
    while (more) {
        more = 0;
        for (size_t i = 0; i < pair_count; i++) {
            uint32_t here = along ? pairs[i].from : pairs[i].to, there = along ? pairs[i].to : pairs[i].from;
            if (mark[here] > 0 && !(mark[there] > 0))
                mark[there] = more = 1;
        }
    }
}

static int in_block(const pair *it)
{
    return block[it->from] == block[it->to] && is_wrong[block[it->from]];
}

static void find_reverse(pair *it)
{
    const merge_entry *entry = merge_find(merge_make_key(MERGE_PAIR, it->to, it->from, 0, (pajesim_text){"", 0}));
    it->reverse = 0;
    if (entry) {
        memcpy(&it->reverse, entry->thing, sizeof it->reverse);
        it->reverse++;
    }
}

static void find_blocks(void)
{
    for (uint32_t i = 0; i < merge_input_count; i++) {
        block[i] = UINT32_MAX;
        is_wrong[i] = 0;
    }
    for (uint32_t i = 0; i < merge_input_count; i++) {
        if (block[i] != UINT32_MAX)
            continue;
        reach(i, 1, distance);
        reach(i, 0, back);
        for (uint32_t j = i; j < merge_input_count; j++)
            if (distance[j] > 0 && back[j] > 0)
                block[j] = i;
    }
    for (size_t i = 0; i < pair_count; i++)
        if (block[pairs[i].from] == block[pairs[i].to] && worst_of(&pairs[i]) < 0)
            is_wrong[block[pairs[i].from]] = 1;
}

/* ---- offsets at a knot */

static double margin; /* what is added to a correction, so that rounding does not undo it */

/* One round of Bellman and Ford's, from `to` to `from` (or back).  Answers 1 + an input that has come nearer, or 0. */
static uint32_t shorten(double *nearest, int backwards)
{
    uint32_t nearer = 0;
    for (size_t i = 0; i < pair_count; i++) {
        if (!in_block(&pairs[i]))
            continue;
        uint32_t here = backwards ? pairs[i].from : pairs[i].to, there = backwards ? pairs[i].to : pairs[i].from;
        if (nearest[here] + pairs[i].limit < nearest[there] - margin / 64) {
            nearest[there] = nearest[here] + pairs[i].limit;
            reached_by[there] = i + 1;
            nearer = there + 1;
        }
    }
    return nearer;
}

/* An input on a cycle of those that have reached one another, beginning from `input`; UINT32_MAX: there is none. */
static uint32_t find_cycle(uint32_t input)
{
    uint32_t steps = 0;
    while (reached_by[input] && steps++ <= merge_input_count)
        input = pairs[reached_by[input] - 1].to;
    return reached_by[input] ? input : UINT32_MAX;
}

/* Relaxes those of two inputs that contradict each other, by far the most of them. */
static int relax_pairs(void)
{
    int relaxed = 0;
    for (size_t i = 0; i < pair_count; i++) {
        size_t reverse = pairs[i].reverse;
        double sum = reverse ? pairs[i].limit + pairs[reverse - 1].limit : 0;
        if (sum < -margin / 64) {
            pairs[i].limit += margin / 32 - sum / 2;
            pairs[reverse - 1].limit += margin / 32 - sum / 2;
            relaxed = 1;
        }
    }
    return relaxed;
}

/* Relaxes constraints until all of them can hold.  Answers whether it had to. */
static int relax(void)
{
    int relaxed = relax_pairs();
    for (int relaxations = 0;; relaxations++) {
        uint32_t nearer, cycle = UINT32_MAX;
        memset(distance, 0, merge_input_count * sizeof *distance);
        memset(reached_by, 0, merge_input_count * sizeof *reached_by);
        while ((nearer = shorten(distance, 0)) != 0)
            if ((cycle = find_cycle(nearer - 1)) != UINT32_MAX)
                break;
        if (cycle == UINT32_MAX)
            return relaxed || relaxations > 0;
        double sum = 0;
        uint32_t length = 0, at = cycle;
        do {
            sum += pairs[reached_by[at] - 1].limit;
            length++;
            at = pairs[reached_by[at] - 1].to;
        } while (at != cycle);
        double more = -sum / length + margin / 32;
        if (relaxations < RELAXATIONS) {
            do {
                pairs[reached_by[at] - 1].limit += more;
                at = pairs[reached_by[at] - 1].to;
            } while (at != cycle);
        } else { /* so many that it is time to come to an end: all as this one needs it */
            for (size_t i = 0; i < pair_count; i++)
                pairs[i].limit += in_block(&pairs[i]) ? more : 0;
        }
    }
}

/* `moved` becomes the offsets. */
static int solve(void)
{
    int relaxed = relax();
    for (uint32_t i = 0; i < merge_input_count; i++)
        distance[i] = back[i] = block[i] == i ? 0 : DBL_MAX / 4;
    while (shorten(distance, 0)) {
    }
    while (shorten(back, 1)) {
    }
    for (uint32_t i = 0; i < merge_input_count; i++)
        moved[i] = is_wrong[block[i]] ? (distance[i] - back[i]) / 2 : 0;
    for (int more = 1; more;) { /* blocks as a whole, later where they must be */
        more = 0;
        for (size_t i = 0; i < pair_count; i++) {
            const pair *it = &pairs[i];
            double lacks = moved[it->from] - moved[it->to] - it->limit - margin;
            if (block[it->from] == block[it->to] || !(lacks > 0))
                continue;
            more = 1;
            for (uint32_t j = 0; j < merge_input_count; j++)
                moved[j] += block[j] == block[it->to] ? lacks + margin : 0;
        }
    }
    return relaxed;
}

/* ---- all of it */

static void make_room(void)
{
    size_t count = merge_input_count;
    block = paje_room(block, count * sizeof *block);
    is_wrong = paje_room(is_wrong, count * sizeof *is_wrong);
    distance = paje_room(distance, count * sizeof *distance);
    back = paje_room(back, count * sizeof *back);
    moved = paje_room(moved, count * sizeof *moved);
    reached_by = paje_room(reached_by, count * sizeof *reached_by);
    residual = paje_room(residual, KNOTS * count * sizeof *residual);
}

void merge_free_clocks(void)
{
    void *const blocks[] = {pairs, block, is_wrong, distance, back, moved, reached_by, residual};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    for (uint32_t i = 0; i < merge_input_count; i++)
        free(merge_inputs[i].clock.values);
}

/* Windows over the times of all messages, as they are corrected now. */
static void begin_windows(void)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < pair_count; i++) {
        first = merge_least(first, pairs[i].first + moved[pairs[i].from]);
        last = merge_greatest(last, pairs[i].last + moved[pairs[i].from]);
    }
    windows = WINDOWS;
    knots = KNOTS;
    window_start = first;
    window_width = merge_greatest((last - first) / WINDOWS, RESOLUTION);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_inputs[i].clock.values = paje_room(NULL, KNOTS * sizeof(double));
        for (int knot = 0; knot < KNOTS; knot++)
            merge_inputs[i].clock.values[knot] = 0;
    }
}

/* A knot is held to the messages of its window, and of so many `around`. */
static double least_at(const pair *it, uint32_t knot, uint32_t around)
{
    double least = INFINITY;
    uint32_t middle = knot == 0 ? 0 : knot > windows ? windows - 1 : knot - 1;
    uint32_t first = middle > around ? middle - around : 0;
    for (uint32_t i = first; i <= middle + around && i < windows; i++)
        least = merge_least(least, it->least[i]);
    return least;
}

/* `moved` becomes the offsets at a knot that is held to so many windows around its own; answers whether they had to be
 * relaxed. */
static int solve_knot(uint32_t knot, uint32_t around)
{
    for (size_t i = 0; i < pair_count; i++)
        pairs[i].limit = least_at(&pairs[i], knot, around) - margin;
    return solve();
}

/* The straight line through values at the knots that has the least squared distance. */
static void straighten(double *values, size_t step)
{
    double mean = 0, slope = 0, squares = 0, middle = ((double)knots - 1) / 2;
    for (uint32_t knot = 1; knot <= windows; knot++) {
        mean += values[knot * step] / windows;
        slope += values[knot * step] * (knot - middle);
        squares += (knot - middle) * (knot - middle);
    }
    slope /= squares;
    for (uint32_t knot = 0; knot < knots; knot++)
        values[knot * step] = mean + slope * (knot_at(knot) - knot_at(0) - windows * window_width / 2) / window_width;
}

/* If each knot can be held to the windows beside its own, too, then all between two knots is right.  Where not, the
 * drift within a window is still so great that its middle is all that can be told; the next look will see less. */
static void solve_windows(void)
{
    size_t count = merge_input_count;
    int is_coarse[KNOTS];
    for (uint32_t knot = 0; knot < knots; knot++) {
        is_coarse[knot] = solve_knot(knot, 1);
        if (is_coarse[knot])
            solve_knot(knot, 0);
        memcpy(residual + knot * count, moved, count * sizeof *moved);
    }
    for (uint32_t i = 0; i < count; i++) {
        double *values = merge_inputs[i].clock.values, *r = residual + i;
        if (is_coarse[0]) /* the very ends: as it goes on */
            r[0] = 1.5 * r[count] - 0.5 * r[2 * count];
        if (is_coarse[knots - 1])
            r[(knots - 1) * count] = 1.5 * r[windows * count] - 0.5 * r[(windows - 1) * count];
        if (look == 1) /* clocks drift evenly, by and large */
            straighten(r, count);
        for (uint32_t knot = 0; knot < knots; knot++)
            values[knot] += between_knots(r, count, knot_at(knot) + values[knot]);
        for (uint32_t knot = 1; knot < knots; knot++) /* time goes on, at half its speed at least */
            values[knot] = merge_greatest(values[knot], values[knot - 1] - 0.5 * (knot_at(knot) - knot_at(knot - 1)));
    }
}

static void report(void)
{
    for (size_t i = 0; i < pair_count; i++) {
        const pair *it = &pairs[i];
        uint32_t first = windows, last = 0;
        for (uint32_t window = 0; window < windows; window++)
            if (it->least[window] < 0) {
                first = window < first ? window : first;
                last = window;
            }
        if (first < windows)
            paje_message("%s -> %s: messages arrive up to %g before they are sent, between %.9g and %.9g",
                         merge_inputs[it->from].name, merge_inputs[it->to].name, -worst_of(it),
                         window_start + first * window_width, window_start + (last + 1) * window_width);
    }
}

/* Twice what a time may lose by rounding. */
static double find_margin(void)
{
    double greatest = 0;
    for (uint32_t i = 0; i < merge_input_count; i++) {
        const merge_input *it = &merge_inputs[i];
        if (it->timed)
            greatest = merge_greatest(greatest, merge_greatest(fabs(it->latest), fabs(it->first)));
    }
    return merge_greatest(2 * RESOLUTION, 8 * DBL_EPSILON * greatest);
}

/* A clock that needs no correction shall have none. */
static int finish(void)
{
    for (uint32_t i = 0; i < merge_input_count; i++) {
        double *values = merge_inputs[i].clock.values, most = 0;
        for (uint32_t knot = 0; values && knot < knots; knot++)
            most = merge_greatest(most, fabs(values[knot]));
        if (values && !(most > 0)) {
            free(values);
            merge_inputs[i].clock.values = NULL;
        }
    }
    return 0;
}

int merge_correct_clocks(void)
{
    double worst = 0;
    for (size_t i = 0; i < pair_count; i++)
        worst = merge_least(worst, worst_of(&pairs[i]));
    if (!(worst < 0))
        return finish();
    if (look == LOOKS || (look > 2 && worst < 0.9 * last_worst)) {
        report();
        return finish();
    }
    last_worst = worst;
    make_room();
    for (size_t i = 0; i < pair_count; i++) {
        find_reverse(&pairs[i]);
        fill_windows(&pairs[i]);
    }
    margin = find_margin();
    find_blocks();
    if (look > 0) {
        solve_windows();
        look++;
        return 1;
    }
    look++;
    for (size_t i = 0; i < pair_count; i++)
        pairs[i].limit = pairs[i].least[0] - margin;
    int relaxed = solve();
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_inputs[i].clock.offset += moved[i];
    if (relaxed)
        begin_windows();
    return relaxed;
}
