/* Clock offsets from messages: none may arrive before it was sent.
 *
 * For each pair of inputs the least time that a message took says how far their clocks may be moved against each other:
 * difference constraints, a graph whose shortest paths (Bellman, Ford) are offsets.  Within a block of inputs that
 * messages connect both ways, the middle between the least and the greatest offsets is taken: as if messages took the
 * same time both ways.  A block that others only send to is moved as a whole, if it must be.  What is right already
 * stays as it is.
 *
 * If no constant offsets will do, clocks drift.  Then time is cut into windows, each of which gives an offset, linear
 * between their middles; a further look at all messages tells what is still wrong.  Windows that contradict
 * themselves, such as one where a clock jumps, are cut into smaller ones.  The best of all looks is taken; what is
 * wrong then is left to merge_waits.c.  A cycle of constraints that cannot all hold is relaxed evenly, that is, such
 * that the worst of them is violated least. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOWS = 128, MOST_WINDOWS = 1024, PARTS = 5, LOOKS = 12, PATIENCE = 2, RELAXATIONS = 8 };

#define ROOM 4000000u     /* numbers that may be kept, for windows of all inputs and pairs of them */
#define SPLIT_FROM 4      /* messages of each pair in a window, on the average */
#define LEAST_SPEED 0.001 /* of a corrected clock */

typedef struct pair {
    merge_entry *entry;
    uint32_t from, to;
    double first, last;             /* times of sending */
    double *least;                  /* time of a message, by window */
    uint64_t early;                 /* messages that arrive before they are sent, */
    double worst;                   /* by so much, */
    double first_early, last_early; /* at these times */
    size_t reverse;                 /* 1 + the pair the other way round; 0: there is none */
    double limit; /* offset of `from` may be that much greater than that of `to`, at the knot at hand */
} pair;

static pair *pairs;
static size_t pair_count, pair_room;
static int look;
static uint32_t windows, knots; /* knots: the beginning, the middle of each window, the end */
static double *edges;           /* where windows begin, and the last one ends */
static double *knot_times;
static double *borders;         /* between windows, for messages: each belongs to the knot that is nearest */
static uint32_t *messages;      /* by window */
static struct {
    double worst;
    int look;
    uint32_t knots;
    double *knot_times;
} best; /* of the looks that had knots; the clocks keep its values */

/* By input. */
static uint32_t *block;   /* the least index of those in it */
static int *is_wrong;     /* of the block with that index: it must be corrected */
static double *distance, *back, *moved;
static size_t *reached_by; /* 1 + pair */
static double *residual;  /* by knot and input */

/* ---- the correction */

/* The last of `count` growing times that is not after this one; 0 if all are. */
static uint32_t find_time(const double *times, uint32_t count, double time)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (times[middle] > time)
            high = middle;
        else
            low = middle;
    }
    return low;
}

/* Between the knots on both sides; `step` apart in `values`. */
static double between_knots(const double *values, size_t step, double time)
{
    static uint32_t below; /* most often it is where it was the last time */
    if (below + 1 >= knots || time < knot_times[below] || time >= knot_times[below + 1])
        below = find_time(knot_times, knots - 1, time);
    double low = knot_times[below], high = knot_times[below + 1];
    double part = time <= low ? 0 : time >= high ? 1 : (time - low) / (high - low);
    return values[below * step] + part * (values[(below + 1) * step] - values[below * step]);
}

static double shift; /* of all inputs alike */

pajesim_time merge_correct_smoothly(const merge_input *input, pajesim_time time)
{
    const merge_clock *clock = &input->clock;
    time += clock->offset;
    return shift + (clock->values ? time + between_knots(clock->values, 1, time) : time);
}

pajesim_time merge_correct(const merge_input *input, pajesim_time time)
{
    time = merge_correct_smoothly(input, time);
    return input->clock.late > 0 ? time + merge_lateness(&input->clock, time) : time;
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
    const merge_clock *clock = &input->clock;
    return shift >= 0 && shift <= 0 && clock->offset >= 0 && clock->offset <= 0 && !clock->values && !(clock->late > 0);
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

static void forget_pairs(void)
{
    while (pair_count > 0) {
        free(pairs[--pair_count].least);
        merge_remove(pairs[pair_count].entry);
    }
}

void merge_begin_clocks(void)
{
    forget_pairs();
    if (windows == 0)
        windows = 1;
    if (messages)
        memset(messages, 0, windows * sizeof *messages);
}

static uint32_t window_of(double time)
{
    return look ? find_time(borders, windows, time) : 0;
}

void merge_note_message(uint32_t from, uint32_t to, pajesim_time sent, pajesim_time received)
{
    static const pajesim_text nothing = {"", 0};
    if (from == to)
        return;
    merge_key key = merge_make_key(MERGE_PAIR, from, to, 0, nothing);
    const merge_entry *entry = merge_find(key);
    size_t at = pair_count;
    if (entry) {
        memcpy(&at, entry->thing, sizeof at);
    } else {
        void *thing = paje_room(NULL, sizeof at);
        memcpy(thing, &at, sizeof at);
        merge_entry *added = merge_add(key, thing, 1);
        if (pair_count == pair_room) {
            pair_room += pair_room / 2 + 64;
            pairs = paje_room(pairs, pair_room * sizeof *pairs);
        }
        pair_count++;
        memset(&pairs[at], 0, sizeof pairs[at]);
        pairs[at].entry = added;
        pairs[at].from = from;
        pairs[at].to = to;
        pairs[at].first = sent;
        pairs[at].last = sent;
        pairs[at].least = paje_room(NULL, windows * sizeof(double));
        for (uint32_t i = 0; i < windows; i++)
            pairs[at].least[i] = INFINITY;
    }
    pair *it = &pairs[at];
    it->first = merge_least(it->first, sent);
    it->last = merge_greatest(it->last, sent);
    double *least = it->least, took = received - sent;
    if (took < 0) {
        it->first_early = it->early ? merge_least(it->first_early, received) : received;
        it->last_early = it->early ? merge_greatest(it->last_early, sent) : sent;
        it->early++;
        it->worst = merge_greatest(it->worst, -took);
    }
    uint32_t first = window_of(sent), last = window_of(received);
    if (messages)
        messages[first]++;
    least[first] = merge_least(least[first], took);
    least[last] = merge_least(least[last], took);
}

/* Windows without messages are filled as if drift went on there: linear between those beside them that have some, and
 * beyond the first and the last of these as between them. */
static void fill_windows(pair *it)
{
    double *least = it->least;
    const double *times = knot_times + 1; /* of the windows' middles */
    uint32_t first = 0, last = windows - 1, left, right;
    while (!(least[first] < INFINITY))
        first++;
    while (!(least[last] < INFINITY))
        last--;
    double slope = last > first ? (least[last] - least[first]) / (times[last] - times[first]) : 0;
    for (uint32_t i = 0; i < first; i++)
        least[i] = least[first] - slope * (times[first] - times[i]);
    for (uint32_t i = last + 1; i < windows; i++)
        least[i] = least[last] + slope * (times[i] - times[last]);
    for (left = first; left < last; left = right) {
        for (right = left + 1; !(least[right] < INFINITY); right++) {
        }
        slope = (least[right] - least[left]) / (times[right] - times[left]);
        for (uint32_t i = left + 1; i < right; i++)
            least[i] = least[left] + slope * (times[i] - times[left]);
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
        if (block[pairs[i].from] == block[pairs[i].to] && pairs[i].worst > 0)
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
    residual = paje_room(residual, (knots ? knots : 1) * count * sizeof *residual);
}

void merge_free_clocks(void)
{
    forget_pairs();
    void *const blocks[] = {pairs,    block, is_wrong,   distance, back,     moved,          reached_by,
                            residual, edges, knot_times, borders,  messages, best.knot_times};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        free(blocks[i]);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        free(merge_inputs[i].clock.values);
        free(merge_inputs[i].clock.best);
    }
}

/* Takes these edges, of one window more than there are; the clocks are corrected as they are. */
static void set_windows(double *new_edges, uint32_t count)
{
    double *times = paje_room(NULL, (count + 2) * sizeof *times);
    times[0] = new_edges[0];
    times[count + 1] = new_edges[count];
    for (uint32_t i = 0; i < count; i++)
        times[i + 1] = (new_edges[i] + new_edges[i + 1]) / 2;
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_clock *clock = &merge_inputs[i].clock;
        double *values = paje_room(NULL, (count + 2) * sizeof *values);
        for (uint32_t knot = 0; knot < count + 2; knot++)
            values[knot] = clock->values ? between_knots(clock->values, 1, times[knot]) : 0;
        free(clock->values);
        clock->values = values;
    }
    free(edges);
    free(knot_times);
    edges = new_edges;
    knot_times = times;
    messages = paje_room(messages, count * sizeof *messages);
    borders = paje_room(borders, count * sizeof *borders);
    borders[0] = edges[0];
    for (uint32_t i = 1; i < count; i++)
        borders[i] = (times[i] + times[i + 1]) / 2;
    windows = count;
    knots = count + 2;
}

/* Windows over the times of all messages, as they are corrected now. */
static void begin_windows(void)
{
    double first = INFINITY, last = -INFINITY;
    for (size_t i = 0; i < pair_count; i++) {
        first = merge_least(first, pairs[i].first + moved[pairs[i].from]);
        last = merge_greatest(last, pairs[i].last + moved[pairs[i].from]);
    }
    double width = merge_greatest((last - first) / WINDOWS, MERGE_RESOLUTION);
    double *even = paje_room(NULL, (WINDOWS + 1) * sizeof *even);
    for (int i = 0; i <= WINDOWS; i++)
        even[i] = first + i * width;
    set_windows(even, WINDOWS);
}

/* Cuts those windows into parts that contradict themselves: drift is too great in them.  The middle part has the same
 * middle, so that nothing is lost. */
static void split_windows(const char *contradicts)
{
    size_t room = ROOM / (pair_count + merge_input_count);
    uint32_t count = 0, most = room < MOST_WINDOWS ? (uint32_t)room : MOST_WINDOWS, left = windows;
    double *parted = paje_room(NULL, ((size_t)windows * PARTS + 1) * sizeof *parted);
    for (uint32_t i = 0; i < windows; i++, left--) {
        double width = edges[i + 1] - edges[i];
        int has_room = count + left + PARTS - 1 <= most, has_messages = messages[i] >= SPLIT_FROM * pair_count;
        int parts = contradicts[i] && has_room && has_messages ? PARTS : 1;
        for (int part = 0; part < parts; part++)
            parted[count++] = edges[i] + width * part / parts;
    }
    parted[count] = edges[windows];
    if (count > windows)
        set_windows(parted, count);
    else
        free(parted);
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

/* The straight line through values at the knots that has the least squared distance; windows are even. */
static void straighten(double *values, size_t step)
{
    double mean = 0, slope = 0, squares = 0, middle = (knot_times[0] + knot_times[knots - 1]) / 2;
    for (uint32_t knot = 1; knot <= windows; knot++) {
        double distance_to = knot_times[knot] - middle;
        mean += values[knot * step] / windows;
        slope += values[knot * step] * distance_to;
        squares += distance_to * distance_to;
    }
    for (uint32_t knot = 0; knot < knots; knot++)
        values[knot * step] = mean + slope / squares * (knot_times[knot] - middle);
}

/* If each knot can be held to the windows beside its own, too, then all between two knots is right.  Where not, the
 * drift within a window is still so great that its middle is all that can be told; the next look will see less. */
static void solve_windows(void)
{
    size_t count = merge_input_count;
    char *is_coarse = paje_room(NULL, knots), *contradicts = paje_room(NULL, knots);
    for (uint32_t knot = 0; knot < knots; knot++) {
        is_coarse[knot] = (char)solve_knot(knot, 1);
        contradicts[knot] = (char)(is_coarse[knot] && solve_knot(knot, 0));
        memcpy(residual + knot * count, moved, count * sizeof *moved);
    }
    for (uint32_t i = 0; i < count; i++) {
        double *values = merge_inputs[i].clock.values, *r = residual + i;
        if (is_coarse[0]) /* the very ends: as it goes on */
            r[0] = 1.5 * r[count] - 0.5 * r[2 * count];
        if (is_coarse[knots - 1])
            r[(knots - 1) * count] = 1.5 * r[windows * count] - 0.5 * r[(windows - 1) * count];
        if (look == 2) /* clocks drift evenly, by and large */
            straighten(r, count);
        for (uint32_t knot = 0; knot < knots; knot++)
            values[knot] += between_knots(r, count, knot_times[knot] + values[knot]);
        for (uint32_t knot = 1; knot < knots; knot++) /* time goes on */
            values[knot] = merge_greatest(values[knot], values[knot - 1] + (LEAST_SPEED - 1) *
                                                            (knot_times[knot] - knot_times[knot - 1]));
    }
    if (look > 2 && look % 2 == 0)
        split_windows(contradicts + 1);
    free(is_coarse);
    free(contradicts);
}

void merge_tell_messages(void)
{
    for (size_t i = 0; i < pair_count; i++) {
        const pair *it = &pairs[i];
        if (it->early)
            paje_message("%s -> %s: %llu of the messages arrive up to %g before they are sent, between %.9f and %.9f",
                         merge_inputs[it->from].name, merge_inputs[it->to].name, (unsigned long long)it->early,
                         it->worst, it->first_early, it->last_early);
    }
}

double merge_worst_message(void)
{
    double worst = 0;
    for (size_t i = 0; i < pair_count; i++)
        worst = merge_greatest(worst, pairs[i].worst);
    return worst;
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
    return merge_greatest(2 * MERGE_RESOLUTION, 8 * DBL_EPSILON * greatest);
}

static double *copy_of(double *room, const double *numbers, uint32_t count)
{
    return memcpy(paje_room(room, count * sizeof *numbers), numbers, count * sizeof *numbers);
}

static void keep_best(double worst)
{
    if (best.knots && !(worst < best.worst))
        return;
    best.worst = worst;
    best.look = look;
    best.knots = knots;
    best.knot_times = copy_of(best.knot_times, knot_times, knots);
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_inputs[i].clock.best = copy_of(merge_inputs[i].clock.best, merge_inputs[i].clock.values, knots);
}

static void take_best(void)
{
    if (!best.knots)
        return;
    knots = best.knots;
    knot_times = copy_of(knot_times, best.knot_times, knots);
    for (uint32_t i = 0; i < merge_input_count; i++) {
        merge_clock *clock = &merge_inputs[i].clock;
        double most = 0;
        clock->values = copy_of(clock->values, clock->best, knots);
        for (uint32_t knot = 0; knot < knots; knot++)
            most = merge_greatest(most, fabs(clock->values[knot]));
        if (!(most > 0)) { /* a clock that needs no correction shall have none */
            free(clock->values);
            clock->values = NULL;
        }
    }
}

int merge_correct_clocks(double *worst)
{
    *worst = merge_worst_message();
    if (knots)
        keep_best(*worst);
    if (!(*worst > 0) || look == LOOKS || (knots && look > best.look + PATIENCE)) {
        *worst = knots ? best.worst : *worst;
        take_best();
        return 0;
    }
    make_room();
    for (size_t i = 0; i < pair_count; i++) {
        find_reverse(&pairs[i]);
        if (look > 0)
            fill_windows(&pairs[i]);
    }
    margin = find_margin();
    find_blocks();
    if (look++ > 0) {
        solve_windows();
        return 1;
    }
    for (size_t i = 0; i < pair_count; i++)
        pairs[i].limit = pairs[i].least[0] - margin;
    int relaxed = solve();
    for (uint32_t i = 0; i < merge_input_count; i++)
        merge_inputs[i].clock.offset += moved[i];
    if (relaxed)
        begin_windows();
    return relaxed;
}
