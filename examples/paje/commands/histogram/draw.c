/* The picture: for each histogram a panel, with two bars for each bin: its share of the entities, and of their time. */
#include "histogram.h"
#include "commands/svg/heat.h"

#include <math.h>

enum { MOST_PANELS = 16, LEFT = 56, RIGHT = 30, WIDEST = 60, PLOT = 110, ODD = 46, BETWEEN_TICKS = 58 };

#define COUNT_COLOR "#1d91c0"
#define TIME_COLOR "#f28e2b"

typedef struct panel {
    svg_picture *svg;
    const histogram *of;
    double seconds;
    shown_bins bins;
    double x, y, width; /* of the bins; y: the top */
    double from, to;    /* logarithms of the edges */
    double most;        /* share */
} panel;

static double x_of(const panel *it, double edge)
{
    return it->x + (log10(edge) - it->from) / (it->to - it->from) * it->width;
}

static double time_share(const panel *it, double time)
{
    double all = sum_of(&it->of->time);
    return all > 0 ? fmax(time / all, 0) : 0;
}

static void draw_bar(const panel *it, double x, double width, double share, const char *color)
{
    double height = share / it->most * PLOT;
    if (!(share > 0))
        return;
    text_printf(it->svg->out, "<path fill=\"%s\"", color);
    svg_add(it->svg, " d=\"M~ ~h~v~h~z\"/>", x, it->y + PLOT - fmax(height, 0.5), width, fmax(height, 0.5), -width);
}

static void put_edge(text_buffer *text, double edge, double seconds)
{
    text_put_duration(text, edge * seconds, 3);
}

static void draw_bin(const panel *it, double x, double end, double from, double to, uint64_t count, double time)
{
    svg_picture *svg = it->svg;
    double gap = end - x > 6 ? 1 : 0, half = fmin((end - x - 2 * gap) / 2, WIDEST);
    double share = (double)count / (double)it->of->count;
    x = (x + end) / 2 - half;
    text_puts(svg->out, "<g><title>");
    put_edge(svg->out, from, it->seconds);
    text_puts(svg->out, " to ");
    put_edge(svg->out, to, it->seconds);
    text_printf(svg->out, ": %llu (%.3g %%), %.3g %% of the time</title>", (unsigned long long)count, 100 * share,
                100 * time_share(it, time));
    draw_bar(it, x, half, share, COUNT_COLOR);
    draw_bar(it, x + half, half, time_share(it, time), TIME_COLOR);
    text_puts(svg->out, "</g>\n");
}

/* ---- axes */

static void draw_shares(const panel *it)
{
    svg_picture *svg = it->svg;
    double step = axis_step(it->most / 4);
    for (double share = 0; share <= it->most * (1 + 1e-9); share += step) {
        double y = round(it->y + PLOT * (1 - share / it->most)) + 0.5;
        svg_add(svg, "<path stroke=\"#000\" stroke-opacity=\".12\" d=\"M~ ~H~\"/>", (double)LEFT, y,
                (double)svg->width - RIGHT);
        svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\" text-anchor=\"end\">", LEFT - 5.0, y + 3.5,
                (double)SVG_SMALL);
        text_printf(svg->out, "%.3g %%</text>\n", 100 * share);
    }
}

static void draw_tick(const panel *it, double edge)
{
    svg_picture *svg = it->svg;
    text_buffer text = {0};
    put_edge(&text, edge, it->seconds);
    svg_add(svg, "<path stroke=\"#444\" d=\"M~ ~v4\"/>", round(x_of(it, edge)) + 0.5, it->y + PLOT);
    svg_draw_text(svg, x_of(it, edge), it->y + PLOT + SVG_LINE, svg->width, text_view(&text), SVG_SMALL,
                  " text-anchor=\"middle\"");
    text_free(&text);
}

/* Draws edges that have room, those with the fewest digits first: 1, then 2 and 5, then those of the bins. */
static void draw_edges(const panel *it)
{
    array_of(double) drawn = {0};
    for (int digits = 0; digits < 3; digits++)
        for (size_t i = 0; i <= it->bins.count; i++) {
            int64_t bin = i < it->bins.count ? it->bins.items[i].first : it->bins.items[i - 1].end;
            int64_t rest = ((bin % FINE) + FINE) % FINE;
            double edge = histogram_edge(bin), x = x_of(it, edge);
            int is_free = digits == 2 || rest == 0 || (digits == 1 && (rest == 100 || rest == 400));
            for (size_t k = 0; k < drawn.count; k++)
                is_free = is_free && fabs(drawn.items[k] - x) >= BETWEEN_TICKS;
            if (!is_free)
                continue;
            *array_push(&drawn) = x;
            draw_tick(it, edge);
        }
    array_free(&drawn);
    svg_add(it->svg, "<path stroke=\"#444\" d=\"M~ ~H~\"/>\n", (double)LEFT, it->y + PLOT + 0.5,
            (double)it->svg->width - RIGHT);
}

/* Marks a percentile, if its name has room right of the mark at `before`.  Returns where it is. */
static double draw_mark(const panel *it, double share, const char *name, double before)
{
    double value = histogram_percentile(it->of, share);
    if (!(value > 0))
        return before;
    double x = x_of(it, fmin(fmax(value, pow(10, it->from)), pow(10, it->to)));
    if (x - before < 40)
        return before;
    svg_add(it->svg, "<path stroke=\"#111\" stroke-dasharray=\"3 2\" d=\"M~ ~v~\"/>", x, it->y - 3, PLOT + 3.0);
    int is_left = x > it->svg->width - RIGHT - 40;
    svg_draw_text(it->svg, is_left ? x - 3 : x + 3, it->y + 5, 80, text_of(name), SVG_TINY,
                  is_left ? " text-anchor=\"end\"" : "");
    return x;
}

/* ---- panels */

static void put_time(text_buffer *text, const panel *it, double time)
{
    double seconds = time * it->seconds;
    if (fabs(seconds) > 0)
        text_put_duration(text, seconds, fabs(seconds) < 999.5 ? 3 : 5);
    else
        text_putc(text, '0');
}

static void put_head(text_buffer *text, const panel *it)
{
    const histogram *of = it->of;
    text_printf(text, "%llu; sum ", (unsigned long long)of->count);
    put_time(text, it, sum_of(&of->time));
    text_puts(text, ", mean ");
    put_time(text, it, sum_of(&of->time) / (double)of->count);
    text_puts(text, ", from ");
    put_time(text, it, of->least);
    text_puts(text, " to ");
    put_time(text, it, of->most);
}

/* The greatest share of a bin, which sets the height. */
static double greatest_share(const panel *it)
{
    double most = (double)(it->of->zeros > it->of->negative ? it->of->zeros : it->of->negative) / (double)it->of->count;
    for (size_t i = 0; i < it->bins.count; i++)
        most = fmax(most, fmax((double)it->bins.items[i].count / (double)it->of->count,
                               time_share(it, it->bins.items[i].time)));
    return most > 0 ? most : 1;
}

/* Draws the bin of durations that are 0 or negative, left of the others. */
static double draw_odd(const panel *it, double x, uint64_t count, double time, const char *name)
{
    if (count == 0)
        return x;
    draw_bin(it, x, x + ODD - 6, 0, 0, count, time);
    svg_draw_text(it->svg, x + ODD / 2.0 - 3, it->y + PLOT + SVG_LINE, ODD, text_of(name), SVG_SMALL,
                  " text-anchor=\"middle\"");
    return x + ODD;
}

static double draw_panel(svg_picture *svg, const histogram *of, const histogram_picture *how, double top)
{
    panel it = {.svg = svg, .of = of, .seconds = how->seconds, .y = top + SVG_LINE + 8};
    text_buffer text = {0};
    histogram_choose(of, how->most_bins, &it.bins);
    it.most = greatest_share(&it);
    text_append(&text, of->type);
    if (of->value.size > 0) {
        text_puts(&text, ": ");
        histogram_put_value(&text, of);
    }
    svg_draw_text(svg, LEFT, top + SVG_LINE - 3, svg->width / 2.0, text_view(&text), SVG_TEXT, " font-weight=\"bold\"");
    text_clear(&text);
    put_head(&text, &it);
    svg_draw_text(svg, svg->width - RIGHT, top + SVG_LINE - 3, svg->width / 2.0, text_view(&text), SVG_SMALL,
                  " text-anchor=\"end\" fill=\"#666\"");
    draw_shares(&it);
    it.x = draw_odd(&it, LEFT, of->negative, 0, "< 0");
    it.x = draw_odd(&it, it.x, of->zeros, 0, "0");
    it.width = svg->width - RIGHT - it.x;
    if (it.bins.count > 0) {
        it.from = log10(histogram_edge(it.bins.items[0].first));
        it.to = log10(histogram_edge(it.bins.items[it.bins.count - 1].end));
        for (size_t i = 0; i < it.bins.count; i++) {
            const shown_bin *bin = &it.bins.items[i];
            double from = histogram_edge(bin->first), to = histogram_edge(bin->end);
            if (bin->count > 0)
                draw_bin(&it, x_of(&it, from), x_of(&it, to), from, to, bin->count, bin->time);
        }
        draw_edges(&it);
        draw_mark(&it, 0.99, "99 %", draw_mark(&it, 0.5, "median", 0));
    }
    array_free(&it.bins);
    text_free(&text);
    return it.y + PLOT + 2 * SVG_LINE + 4;
}

void histogram_draw(const histogram_picture *how)
{
    text_buffer body = {0}, notes = {0};
    svg_picture svg = {.out = &body, .title = how->title, .width = how->width};
    double y = how->title ? 2 * SVG_LINE : 4;
    for (size_t i = 0; i < histograms.count && i < MOST_PANELS; i++)
        y = draw_panel(&svg, &histograms.items[i], how, y);
    if (histograms.count > 0) {
        svg_add(&svg, "<path fill=\"" COUNT_COLOR "\" d=\"M~ ~h10v10h-10z\"/>", (double)LEFT, y - 3);
        svg_draw_text(&svg, LEFT + 14, y + 6, 300, text_of("share of their number"), SVG_TEXT, "");
        svg_add(&svg, "<path fill=\"" TIME_COLOR "\" d=\"M~ ~h10v10h-10z\"/>", LEFT + 170.0, y - 3);
        svg_draw_text(&svg, LEFT + 184, y + 6, 300, text_of("share of their time"), SVG_TEXT, "");
        text_puts(&notes, "Durations of states, latencies of links; bins are logarithmic.\n");
        y += 12;
    } else {
        text_puts(&notes, "Nothing to show: no states and no links.\n");
    }
    if (histograms.count > MOST_PANELS)
        text_printf(&notes, "%llu more of less time are not drawn.\n",
                    (unsigned long long)(histograms.count - MOST_PANELS));
    heat_put_unit(&notes, how->seconds, how->reason);
    y = svg_draw_notes(&svg, y, &notes);
    svg.out = &stream_output;
    svg_begin(&svg, (int)y + 10);
    heat_draw_title(&svg);
    text_append(&stream_output, text_view(&body));
    text_puts(&stream_output, "</svg>\n");
    text_free(&body);
    text_free(&notes);
}
