/* Draws the axis of time. */
#include "svg.h"
#include "base/unit.h"

#include <math.h>

void svg_draw_axis(svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    enum { BETWEEN_TICKS = 80 };
    const time_unit *unit = unit_for((tl->last - tl->first) * tl->seconds);
    double size = unit->seconds / tl->seconds; /* in the trace's unit */
    double first = tl->first / size, last = tl->last / size;
    double step = axis_step((last - first) * BETWEEN_TICKS / svg->plot_width), base = 0;
    if (fmax(fabs(first), fabs(last)) / step >= 1e6) /* too many digits for each label */
        base = floor(first / step) * step;
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
    svg_add(svg, "</g>\n<text x=\"~\" y=\"~\" font-size=\"~\" text-anchor=\"end\">", (double)svg->left - 14,
            (double)svg->bottom + SVG_LINE, (double)SVG_SMALL);
    text_printf(svg->out, "time [%s]", unit->name);
    if (base > 0 || base < 0)
        text_printf(svg->out, " from %.15g s", base * size * tl->seconds);
    text_puts(svg->out, "</text>\n");
}
