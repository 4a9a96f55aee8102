/* What of a lane lies within each pixel of time. */
#include "svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *svg_new_column(void)
{
    size_t size = (size_t)svg.width * sizeof(double);
    return memset(paje_room(NULL, size), 0, size);
}

void svg_free_columns(svg_columns *columns)
{
    for (int i = 0; i < columns->slots; i++)
        free(columns->share[i]);
    free(columns->total);
    free(columns->taken);
}

int svg_is_wide(const diagram_node *node, const diagram_piece *piece, double least)
{
    return piece->exact && node->members == 1 && piece->end >= diagram.first && piece->start <= diagram.last &&
           svg_x(piece->end) - svg_x(piece->start) >= least;
}

void svg_cover(double *column, double start, double end, double weight)
{
    double from = fmax(svg_x(start) - svg.x, 0), to = fmin(svg_x(end) - svg.x, svg.width);
    for (int i = (int)fmin(from, svg.width); i < to; i++)
        column[i] += weight * (fmin(to, i + 1) - fmax(from, i));
}

static void add_times(double *times, const diagram_node *node, const diagram_lane *lane, double wide)
{
    for (size_t i = 0; i < lane->count; i++)
        if (!svg_is_wide(node, &lane->pieces[i], wide))
            times[lane->pieces[i].value] += lane->pieces[i].time;
}

static void find_slots(svg_columns *columns, double *times)
{
    times[DIAGRAM_OTHER_VALUES] = 0;
    columns->slots = 0;
    while (columns->slots < SVG_SLOTS - 1) {
        uint32_t best = 0;
        for (uint32_t value = 1; value < diagram.value_count; value++)
            if (times[value] > times[best])
                best = value;
        if (best == 0)
            break;
        int at = columns->slots++;
        for (; at > 0 && columns->values[at - 1] > best; at--)
            columns->values[at] = columns->values[at - 1];
        columns->values[at] = best;
        times[best] = 0;
    }
    columns->values[columns->slots++] = DIAGRAM_OTHER_VALUES;
}

static void add_shares(svg_columns *columns, const diagram_node *node, const diagram_lane *lane, double wide)
{
    for (size_t i = 0; i < lane->count; i++) {
        const diagram_piece *piece = &lane->pieces[i];
        double length = piece->end - piece->start;
        if (!piece->exact) /* what of the bin is drawn holds all of its time */
            length = fmin(piece->end, diagram.last) - fmax(piece->start, diagram.first);
        if (svg_is_wide(node, piece, wide)) {
            svg_cover(columns->taken, piece->start, piece->end, 1);
        } else if (length > 0) {
            int slot = 0;
            while (slot < columns->slots - 1 && columns->values[slot] != piece->value)
                slot++;
            svg_cover(columns->share[slot], piece->start, piece->end, piece->time / length / node->members);
        }
    }
}

svg_columns svg_columns_of(const diagram_node *node, const diagram_lane *lane, const diagram_lane *more, double wide)
{
    static double times[DIAGRAM_VALUES];
    svg_columns columns;
    memset(times, 0, sizeof times);
    add_times(times, node, lane, wide);
    if (more)
        add_times(times, node, more, wide);
    find_slots(&columns, times);
    columns.total = svg_new_column();
    columns.taken = svg_new_column();
    for (int i = 0; i < columns.slots; i++)
        columns.share[i] = svg_new_column();
    add_shares(&columns, node, lane, wide);
    if (more)
        add_shares(&columns, node, more, wide);
    for (int slot = 0; slot < columns.slots; slot++)
        for (int i = 0; i < svg.width; i++)
            columns.total[i] += columns.share[slot][i];
    return columns;
}
