/* Sums up what of a lane lies within each pixel of time. */
#include "svg.h"

#include <math.h>

double *svg_new_column(const svg_picture *svg)
{
    return memory_alloc_zero((size_t)svg->plot_width, sizeof(double));
}

void svg_free_columns(svg_columns *columns)
{
    for (int i = 0; i < columns->slots; i++)
        free(columns->share[i]);
    free(columns->total);
    free(columns->taken);
}

int svg_is_wide(const svg_picture *svg, const timeline_node *node, const lane_piece *piece, double least)
{
    const timeline *tl = &svg->tl;
    return piece->exact && node->members == 1 && piece->end >= tl->first && piece->start <= tl->last &&
           svg_x(svg, piece->end) - svg_x(svg, piece->start) >= least;
}

void svg_cover(const svg_picture *svg, double *column, double start, double end, double weight)
{
    double from = fmax(svg_x(svg, start) - svg->left, 0), to = fmin(svg_x(svg, end) - svg->left, svg->plot_width);
    for (int i = (int)fmin(from, svg->plot_width); i < to; i++)
        column[i] += weight * (fmin(to, i + 1) - fmax(from, i));
}

/* Adds the time of each value in pieces that are not wide. */
static void add_times(const svg_picture *svg, double *times, const timeline_node *node, const timeline_lane *lane,
                      double wide)
{
    for (size_t i = 0; i < lane->pieces.count; i++)
        if (!svg_is_wide(svg, node, &lane->pieces.items[i], wide))
            times[lane->pieces.items[i].value] += lane->pieces.items[i].time;
}

static int compare_values(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Gives slots to the values of most time, in the order of their indexes. */
static void find_slots(const svg_picture *svg, svg_columns *columns, const double *times)
{
    const timeline *tl = &svg->tl;
    int count = 0;
    for (uint32_t value = 1; value < tl->values.count; value++) {
        int at = count;
        if (!(times[value] > 0) || (count == SVG_SLOTS - 1 && !(times[value] > times[columns->values[count - 1]])))
            continue;
        at -= count == SVG_SLOTS - 1;
        for (; at > 0 && times[columns->values[at - 1]] < times[value]; at--)
            columns->values[at] = columns->values[at - 1];
        columns->values[at] = value;
        count += count < SVG_SLOTS - 1;
    }
    qsort(columns->values, (size_t)count, sizeof *columns->values, compare_values);
    columns->values[count] = OTHER_VALUES;
    columns->slots = count + 1;
}

static void add_shares(const svg_picture *svg, svg_columns *columns, const timeline_node *node,
                       const timeline_lane *lane, double wide)
{
    const timeline *tl = &svg->tl;
    const double living = timeline_living(tl, node);
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        double length = timeline_length(tl, piece);
        if (svg_is_wide(svg, node, piece, wide)) {
            svg_cover(svg, columns->taken, piece->start, piece->end, 1);
        } else if (length > 0) {
            int slot = 0;
            while (slot < columns->slots - 1 && columns->values[slot] != piece->value)
                slot++;
            svg_cover(svg, columns->share[slot], piece->start, piece->end, piece->time / length / living);
        }
    }
}

svg_columns svg_columns_of(const svg_picture *svg, const timeline_node *node, const timeline_lane *lane,
                           const timeline_lane *more, double wide)
{
    double *times = memory_alloc_zero(svg->tl.values.count, sizeof *times);
    svg_columns columns;
    add_times(svg, times, node, lane, wide);
    if (more)
        add_times(svg, times, node, more, wide);
    find_slots(svg, &columns, times);
    free(times);
    columns.total = svg_new_column(svg);
    columns.taken = svg_new_column(svg);
    for (int i = 0; i < columns.slots; i++)
        columns.share[i] = svg_new_column(svg);
    add_shares(svg, &columns, node, lane, wide);
    if (more)
        add_shares(svg, &columns, node, more, wide);
    for (int slot = 0; slot < columns.slots; slot++)
        for (int i = 0; i < svg->plot_width; i++)
            columns.total[i] += columns.share[slot][i];
    return columns;
}
