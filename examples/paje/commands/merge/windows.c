/* Clocks that drift: the time of each group is cut into windows, each of which gives an offset, linear between their
 * middles.
 *
 * A further pass over all messages shows what is still wrong.  Windows whose messages contradict one another, such as
 * one where a clock jumps, are cut into smaller ones. */
#include "merge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum { WINDOWS = 128, MAX_WINDOWS = 1024, PARTS = 5 };

#define MAX_NUMBERS 4000000u /* numbers that are kept for windows of inputs and of pairs */
#define SPLIT_FROM 4         /* average messages of a pair in a window that is split */
#define LEAST_SPEED 0.001    /* corrected time per time of the clock */

/* ---- windows and their knots */

/* Replaces the values of a clock by those at other knots. */
static void move_values(merge *m, double **values, const double *times, uint32_t count)
{
    double *moved = memory_alloc(count, sizeof *moved);
    for (uint32_t knot = 0; knot < count; knot++)
        moved[knot] = *values ? merge_interpolate(m, *values, 1, times[knot]) : 0;
    free(*values);
    *values = moved;
}

/* Replaces the windows; `edges` has one item more than there are windows.  Clocks are corrected as before. */
static void set_windows(merge *m, double *edges, uint32_t count)
{
    merge_clocks *clocks = &m->clocks;
    merge_messages *messages = &m->messages;
    double *times = memory_alloc(count + 2, sizeof *times);
    times[0] = edges[0];
    times[count + 1] = edges[count];
    for (uint32_t i = 0; i < count; i++)
        times[i + 1] = (edges[i] + edges[i + 1]) / 2;
    for (uint32_t i = 0; i < m->input_count; i++) {
        move_values(m, &m->inputs[i].clock.values, times, count + 2);
        if (m->inputs[i].clock.best)
            move_values(m, &m->inputs[i].clock.best, times, count + 2);
    }
    free(m->alignment.edges);
    free(clocks->knot_times);
    m->alignment.edges = edges;
    clocks->knot_times = times;
    clocks->knot_count = count + 2;
    /* A message belongs to the window whose middle is nearest. */
    messages->window_count = count;
    messages->counts = memory_resize(messages->counts, count, sizeof *messages->counts);
    messages->borders = memory_resize(messages->borders, count, sizeof *messages->borders);
    messages->borders[0] = edges[0];
    for (uint32_t i = 1; i < count; i++)
        messages->borders[i] = (times[i] + times[i + 1]) / 2;
}

/* Sets what windows are of: from the first message of each group to its last one. */
static void measure_groups(merge *m)
{
    merge_group *groups = m->alignment.groups;
    for (uint32_t i = 0; i < m->input_count; i++) {
        groups[i].first = INFINITY;
        groups[i].length = -INFINITY; /* first the time of the last message; its distance is taken below */
    }
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        const merge_pair *pair = &m->messages.pairs.items[i];
        merge_group *group = &groups[m->inputs[pair->from].group];
        group->first = merge_min(group->first, pair->first + m->solver.offsets[pair->from]);
        group->length = merge_max(group->length, pair->last + m->solver.offsets[pair->from]);
    }
    for (uint32_t i = 0; i < m->input_count; i++) {
        groups[i].first = groups[i].first < INFINITY ? groups[i].first : 0;
        groups[i].length = merge_max(groups[i].length - groups[i].first, WINDOWS * MERGE_RESOLUTION);
        groups[i].length = merge_min(groups[i].length, DBL_MAX);
    }
}

void merge_begin_windows(merge *m)
{
    double *edges = memory_alloc(WINDOWS + 1, sizeof *edges);
    measure_groups(m);
    for (int i = 0; i <= WINDOWS; i++)
        edges[i] = (double)i / WINDOWS;
    set_windows(m, edges, WINDOWS);
}

/* Cuts windows into parts that contradict themselves because drift is too great in them.  The middle part has the
 * middle of the window, so that its knot stays. */
static void split_windows(merge *m, const char *contradicts)
{
    const double *edges = m->alignment.edges;
    size_t pairs = m->messages.pairs.count, room = MAX_NUMBERS / (pairs + m->input_count);
    uint32_t windows = m->messages.window_count, left = windows, count = 0;
    uint32_t most = room < MAX_WINDOWS ? (uint32_t)room : MAX_WINDOWS;
    double *parted = memory_alloc((size_t)windows * PARTS + 1, sizeof *parted);
    for (uint32_t i = 0; i < windows; i++, left--) {
        double width = edges[i + 1] - edges[i];
        int has_room = count + left + PARTS - 1 <= most, has_messages = m->messages.counts[i] >= SPLIT_FROM * pairs;
        int parts = contradicts[i] && has_room && has_messages ? PARTS : 1;
        for (int part = 0; part < parts; part++)
            parted[count++] = edges[i] + width * part / parts;
    }
    parted[count] = edges[windows];
    if (count > windows)
        set_windows(m, parted, count);
    else
        free(parted);
}

/* Windows without messages are filled as if drift went on there: linearly between windows with messages, and before
 * the first and behind the last of these as between them. */
static void fill_windows(const merge *m, double *least)
{
    const double *times = m->clocks.knot_times + 1; /* middles of the windows */
    uint32_t windows = m->messages.window_count, first = 0, last = windows - 1, left, right;
    while (first < windows && !(least[first] < INFINITY))
        first++;
    if (first == windows) /* all messages take longer than a double can tell */
        return;
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

/* ---- offsets at the knots */

/* Returns the least time of a message in the window of a knot and in `around` windows on both sides. */
static double least_at(const merge *m, const merge_pair *pair, uint32_t knot, uint32_t around)
{
    double least = INFINITY;
    uint32_t windows = m->messages.window_count, middle = knot == 0 ? 0 : knot > windows ? windows - 1 : knot - 1;
    uint32_t first = middle > around ? middle - around : 0;
    for (uint32_t i = first; i <= middle + around && i < windows; i++)
        least = merge_min(least, pair->least[i]);
    return least;
}

/* Finds the offsets at a knot.  Returns whether constraints had to be relaxed. */
static int solve_knot(merge *m, uint32_t knot, uint32_t around)
{
    for (size_t i = 0; i < m->messages.pairs.count; i++) {
        merge_pair *pair = &m->messages.pairs.items[i];
        pair->limit = least_at(m, pair, knot, around) - pair->margin;
    }
    return merge_solve(m);
}

/* Replaces values at the knots by the straight line with the least squared distance; windows are even. */
static void straighten(const merge *m, double *values, size_t step)
{
    const double *times = m->clocks.knot_times;
    uint32_t windows = m->messages.window_count;
    double mean = 0, slope = 0, squares = 0, middle = (times[0] + times[windows + 1]) / 2;
    for (uint32_t knot = 1; knot <= windows; knot++) {
        double distance = times[knot] - middle;
        mean += values[knot * step] / windows;
        slope += values[knot * step] * distance;
        squares += distance * distance;
    }
    for (uint32_t knot = 0; knot < windows + 2; knot++)
        values[knot * step] = mean + (squares > 0 ? slope / squares * (times[knot] - middle) : 0);
}

/* Adds `residuals`, what is left to correct, to the values of a clock. */
static void add_residuals(merge *m, merge_input *input, const double *residuals)
{
    const double *times = m->clocks.knot_times;
    uint32_t knots = m->clocks.knot_count;
    double *values = input->clock.values, length = m->alignment.groups[input->group].length;
    for (uint32_t knot = 0; knot < knots; knot++)
        values[knot] += merge_interpolate(m, residuals, m->input_count, times[knot] + values[knot] / length);
    for (uint32_t knot = 1; knot < knots; knot++) /* corrected time goes forward */
        values[knot] = merge_max(values[knot],
                                 values[knot - 1] + (LEAST_SPEED - 1) * (times[knot] - times[knot - 1]) * length);
}

/* If the offset at each knot satisfies the messages of the windows beside its own as well, then so does what lies
 * between two knots.  If not, drift within a window is still so great that only its middle is corrected; the next round
 * finds less. */
void merge_correct_drift(merge *m)
{
    size_t count = m->input_count;
    uint32_t windows = m->messages.window_count, knots = windows + 2;
    for (size_t i = 0; i < m->messages.pairs.count; i++)
        fill_windows(m, m->messages.pairs.items[i].least);
    double *residuals = memory_alloc((size_t)knots * count, sizeof *residuals);
    char *is_coarse = memory_alloc(knots, 1), *contradicts = memory_alloc(knots, 1);
    for (uint32_t knot = 0; knot < knots; knot++) {
        is_coarse[knot] = (char)solve_knot(m, knot, 1);
        contradicts[knot] = (char)(is_coarse[knot] && solve_knot(m, knot, 0));
        memcpy(residuals + knot * count, m->solver.offsets, count * sizeof *residuals);
    }
    for (uint32_t i = 0; i < count; i++) {
        double *r = residuals + i;
        if (is_coarse[0]) /* the ends continue what is beside them */
            r[0] = 1.5 * r[count] - 0.5 * r[2 * count];
        if (is_coarse[knots - 1])
            r[(knots - 1) * count] = 1.5 * r[windows * count] - 0.5 * r[(windows - 1) * count];
        if (m->alignment.round == 2) /* most clocks drift evenly */
            straighten(m, r, count);
        add_residuals(m, &m->inputs[i], r);
    }
    if (m->alignment.round > 2 && m->alignment.round % 2 == 0)
        split_windows(m, contradicts + 1);
    free(residuals);
    free(is_coarse);
    free(contradicts);
}
