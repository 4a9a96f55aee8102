/* Draws the axis of time. */
#include "svg.h"
#include "base/unit.h"

#include <float.h>
#include <math.h>

enum { BETWEEN_TICKS = 80, LABEL_GAP = 14 };

typedef struct axis {
    const time_unit *unit;
    double size;                    /* of the unit, in the trace's */
    double first, last, step, base; /* in the unit; labels are times since `base` */
} axis;

static axis axis_of(const timeline *tl, int width)
{
    axis it = {.unit = unit_for((tl->last - tl->first) * tl->seconds)};
    it.size = it.unit->seconds / tl->seconds;
    it.first = tl->first / it.size;
    it.last = tl->last / it.size;
    it.step = axis_step((it.last - it.first) * BETWEEN_TICKS / width);
    if (fmax(fabs(it.first), fabs(it.last)) / it.step >= 1e6) { /* too many digits for each label */
        double steps = it.first / it.step;
        it.base = floor(steps + fabs(steps) * 2 * DBL_EPSILON) * it.step; /* it begins at a step that rounding hides */
    }
    return it;
}

static void put_label(text_buffer *text, const axis *it, double seconds)
{
    text_printf(text, "time [%s]", it->unit->name);
    if (it->base > 0 || it->base < 0)
        text_printf(text, " from %.15g s", it->base * it->size * seconds);
}

int svg_axis_room(const svg_picture *svg, int left)
{
    text_buffer label = {0};
    axis it = axis_of(&svg->tl, svg->width > 2 * left ? svg->width - left : left);
    put_label(&label, &it, svg->tl.seconds);
    double width = svg_text_width(text_view(&label), SVG_SMALL) + LABEL_GAP + 2;
    text_free(&label);
    return width > left ? (int)fmin(width, fmax(left, svg->width / 2)) : left;
}

void svg_draw_axis(svg_picture *svg)
{
    const axis it = axis_of(&svg->tl, svg->plot_width);
    double first = it.first, last = it.last, size = it.size, step = it.step, base = it.base;
    svg_add(svg, "<path stroke=\"#000\" stroke-opacity=\".12\" d=\"");
    double tick = ceil((first - base) / step - 1e-6);
    for (double i = tick; base + i * step <= last + 1e-6 * step && i < tick + svg->plot_width; i++) {
        double x = round(svg_x(svg, (base + i * step) * size)) + 0.5;
        svg_add(svg, "M~ ~V~", x, (double)svg->top, (double)svg->bottom + 4);
    }
    svg_add(svg, "\"/>\n<path stroke=\"#444\" d=\"M~ ~h~\"/>\n<g font-size=\"~\" text-anchor=\"middle\">\n",
            (double)svg->left, svg->bottom + 0.5, (double)svg->plot_width, (double)SVG_SMALL);
    for (double i = tick; base + i * step <= last + 1e-6 * step && i < tick + svg->plot_width; i++) {
        svg_add(svg, "<text x=\"~\" y=\"~\">", svg_x(svg, (base + i * step) * size), (double)svg->bottom + SVG_LINE);
        text_printf(svg->out, "%.*f</text>\n", axis_decimals(step), fabs(i) > 0 ? i * step : 0);
    }
    svg_add(svg, "</g>\n<text x=\"~\" y=\"~\" font-size=\"~\" text-anchor=\"end\">", (double)svg->left - LABEL_GAP,
            (double)svg->bottom + SVG_LINE, (double)SVG_SMALL);
    put_label(svg->out, &it, svg->tl.seconds);
    text_puts(svg->out, "</text>\n");
}
