/* The bins that are shown: a series of edges that repeats with each power of ten. */
#include "histogram.h"

/* Digits at which bins begin, from few to many. */
static const short series[][21] = {
    {100},
    {100, 300},
    {100, 200, 500},
    {100, 160, 250, 400, 630},
    {100, 125, 160, 200, 250, 315, 400, 500, 630, 800},
    {100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900},
};
enum { LISTED = sizeof series / sizeof *series, SERIES = LISTED + 2 };

/* How many bins a power of ten has in a series; then come bins of two digits, and of three. */
static int bins_in(int which)
{
    int count = 0;
    if (which >= LISTED)
        return which == LISTED ? 90 : FINE;
    while (series[which][count])
        count++;
    return count;
}

static int is_edge(int which, int64_t bin)
{
    int64_t rest = bin % FINE;
    rest = rest < 0 ? rest + FINE : rest;
    if (which >= LISTED)
        return which > LISTED || rest % 10 == 0;
    for (int i = 0; series[which][i]; i++)
        if (series[which][i] - 100 == rest)
            return 1;
    return 0;
}

/* Makes the bins of a series; or, if `powers` is more than 1, bins of so many powers of ten.  Returns 0 if there are
 * more than `most`. */
static int make_bins(const histogram *it, int which, int powers, size_t most, shown_bins *bins)
{
    array_clear(bins);
    int64_t bin = it->lowest;
    while (!is_edge(which, bin))
        bin--;
    while (bin <= it->highest) {
        if (bins->count == most)
            return 0;
        shown_bin *new = array_push(bins);
        sum time = {0};
        int edges = 0;
        new->first = bin;
        do {
            const fine_bin *fine = histogram_fine(it, bin);
            new->count += fine->count;
            sum_add_sum(&time, &fine->time);
            edges += is_edge(which, ++bin);
        } while (edges < powers);
        new->end = bin;
        new->time = sum_of(&time);
    }
    return 1;
}

void histogram_choose(const histogram *it, size_t most, shown_bins *bins)
{
    array_clear(bins);
    if (it->lowest > it->highest)
        return;
    double tens = (double)(it->highest - it->lowest) / FINE;
    for (int which = SERIES - 1; which >= 0; which--)
        if (tens * bins_in(which) < 2 * (double)most + 2 && make_bins(it, which, 1, most, bins))
            return;
    for (int powers = 2; !make_bins(it, 0, powers, most, bins); powers++)
        ;
}
