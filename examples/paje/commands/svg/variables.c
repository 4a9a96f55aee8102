/* Draws variables: steps where they are wide enough, else the mean of each pixel and, paler, its extremes. */
#include "svg.h"

#include <float.h>
#include <math.h>

typedef struct step {
    double from, to, mean, least, most;
} step;

static int compare_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* Whether step b continues step a at the same level. */
static int is_level(const step *a, const step *b)
{
    return !(a->to < b->from) && !(a->least < b->most) && !(a->most > b->least) && !(a->most < b->most);
}

/* Adds a step for each pixel with pieces that are too narrow.  Returns their number. */
static size_t add_columns(const svg_picture *svg, step *steps, const timeline_node *node, const timeline_lane *lane,
                          double wide)
{
    size_t count = 0;
    const timeline *tl = &svg->tl;
    double *time = svg_new_column(svg), *sum = svg_new_column(svg);
    double *least = svg_new_column(svg), *most = svg_new_column(svg);
    for (int i = 0; i < svg->plot_width; i++) {
        least[i] = HUGE_VAL;
        most[i] = -HUGE_VAL;
    }
    for (size_t k = 0; k < lane->pieces.count; k++) {
        const lane_piece *piece = &lane->pieces.items[k];
        double length = timeline_length(tl, piece);
        double from = fmax(svg_x(svg, piece->start) - svg->left, 0);
        double to = fmin(svg_x(svg, piece->end) - svg->left, svg->plot_width);
        if (svg_is_wide(svg, node, piece, wide))
            continue;
        for (int i = (int)fmin(from, svg->plot_width); i < svg->plot_width && i <= to; i++) {
            least[i] = fmin(least[i], piece->least);
            most[i] = fmax(most[i], piece->most);
        }
        if (length > 0) {
            svg_cover(svg, time, piece->start, piece->end, piece->time / length);
            svg_cover(svg, sum, piece->start, piece->end, piece->sum / length);
        }
    }
    for (int i = 0; i < svg->plot_width; i++) {
        step it = {svg->left + i, svg->left + i + 1, sum[i] / fmax(time[i], DBL_MIN), least[i], most[i]};
        if (time[i] > 0 && count > 0 && is_level(&steps[count - 1], &it))
            steps[count - 1].to = it.to;
        else if (time[i] > 0)
            steps[count++] = it;
    }
    free(time);
    free(sum);
    free(least);
    free(most);
    return count;
}

/* The y of a number, on a scale that is the same in all rows of the type. */
static double y_of(svg_picture *svg, const svg_row *row, double number)
{
    const timeline *tl = &svg->tl;
    const timeline_type *type = type_at(tl, row->lane->type);
    double span = type->most - type->least;
    return row->y + row->height - (span > 0 ? (number - type->least) / span : 0) * row->height;
}

static void begin_area(svg_picture *svg, const svg_row *row, const char *opacity)
{
    const timeline *tl = &svg->tl;
    text_printf(svg->out, "<path fill-opacity=\"%s\"", opacity);
    svg_add_color(svg, "fill", type_at(tl, row->lane->type)->color);
    text_puts(svg->out, " d=\"");
}

static void end_area(svg_picture *svg)
{
    text_puts(svg->out, "\"/>");
    stream_end_line();
}

/* Draws the extremes of each step. */
static void draw_ranges(svg_picture *svg, const svg_row *row, const step *steps, size_t count)
{
    begin_area(svg, row, ".3");
    for (size_t i = 0; i < count; i++)
        svg_add(svg, "M~ ~H~V~H~Z", steps[i].from, y_of(svg, row, steps[i].least), steps[i].to,
                y_of(svg, row, steps[i].most), steps[i].from);
    end_area(svg);
}

/* Draws the means, as areas from zero. */
static void draw_steps(svg_picture *svg, const svg_row *row, const step *steps, size_t count)
{
    double zero = y_of(svg, row, 0);
    begin_area(svg, row, ".75");
    for (size_t i = 0; i < count; i++) {
        int continues = i > 0 && steps[i].from - steps[i - 1].to < 0.01;
        int ends = i + 1 == count || steps[i + 1].from - steps[i].to >= 0.01;
        if (!continues)
            svg_add(svg, "M~ ~", steps[i].from, zero);
        svg_add(svg, "V~H~", y_of(svg, row, steps[i].mean), steps[i].to);
        if (ends)
            svg_add(svg, "V~Z", zero);
    }
    end_area(svg);
}

/* Draws low rows: the greater the number, the darker. */
static void draw_shades(svg_picture *svg, const svg_row *row, const step *steps, size_t count)
{
    const timeline *tl = &svg->tl;
    enum { SHADES = 8 };
    static const char *const opacities[] = {"0", ".12", ".25", ".37", ".5", ".62", ".75", ".87", "1"};
    const timeline_type *type = type_at(tl, row->lane->type);
    double span = type->most - type->least;
    for (int shade = 1; shade <= SHADES; shade++) {
        begin_area(svg, row, opacities[shade]);
        for (size_t i = 0; i < count; i++) /* a mean is above the greatest number where it was rounded up */
            if (span > 0 && (int)fmin(ceil((steps[i].mean - type->least) / span * SHADES), SHADES) == shade)
                svg_add(svg, "M~ ~H~v~H~Z", steps[i].from, (double)row->y, steps[i].to, (double)row->height,
                        steps[i].from);
        end_area(svg);
    }
}

void svg_draw_variable(svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    const timeline_node *node = node_at(tl, row->node);
    const timeline_lane *lane = row->lane;
    double least = row->height <= SVG_THIN ? HUGE_VAL : 1;
    step *steps = memory_alloc((lane->pieces.count + (size_t)svg->plot_width), sizeof *steps);
    size_t columns = add_columns(svg, steps, node, lane, least), count = columns;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *it = &lane->pieces.items[i];
        if (svg_is_wide(svg, node, it, least))
            steps[count++] = (step){.from = fmax(svg_x(svg, it->start), svg->left),
                                    .to = fmin(svg_x(svg, it->end), svg->left + svg->plot_width),
                                    .mean = it->least, .least = it->least, .most = it->most};
    }
    if (row->height > SVG_THIN && columns > 0)
        draw_ranges(svg, row, steps, columns);
    qsort(steps, count, sizeof *steps, compare_steps);
    if (row->height > SVG_THIN)
        draw_steps(svg, row, steps, count);
    else
        draw_shades(svg, row, steps, count);
    free(steps);
}

/* Draws the names and values of all constant variables of a node, as text. */
void svg_draw_constants(svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    text_buffer text = {0};
    for (const timeline_lane *lane = row->lane; lane; lane = lane->next) {
        if (!lane->is_constant)
            continue;
        if (text.size > 0)
            text_puts(&text, ",  ");
        text_append(&text, type_at(tl, lane->type)->name);
        text_printf(&text, " = %g", lane->pieces.items[0].least);
    }
    if (row->height >= SVG_TINY)
        svg_draw_text(svg, svg->left + 4, row->y + row->height / 2.0 + 3.5, svg->plot_width - 8, text_view(&text),
                      row->height > SVG_TEXT ? SVG_SMALL : SVG_TINY, " fill=\"#444\"");
    text_free(&text);
}
