/* Draws states: bars where they are wide enough, shares of the time of each pixel where they are not. */
#include "svg.h"
#include "base/encode.h"

#include <math.h>

static int is_light(uint32_t color)
{
    return color_luma(color) > 140000;
}

/* Whether a colour is too light to be seen on the background. */
static int is_pale(uint32_t color)
{
    return color_luma(color) > 225000;
}

/* A part of a state that no nested state covers. */
typedef struct free_span {
    double x, width;
} free_span;

/* Finds the first part that has room for a text of this width, else the widest one. */
static free_span find_free_span(const svg_picture *svg, const timeline_lane *inner, double from, double to, double text)
{
    enum { MOST_TRIED = 64 };
    free_span best = {from, 0};
    size_t low = 0, high = inner ? inner->pieces.count : 0;
    while (low < high) { /* states of one depth do not overlap: their ends ascend like their starts */
        size_t middle = low + (high - low) / 2;
        if (svg_x(svg, inner->pieces.items[middle].end) <= from)
            low = middle + 1;
        else
            high = middle;
    }
    for (int i = 0; i < MOST_TRIED && from < to && best.width < text; i++, low++) {
        int has_next = inner && low < inner->pieces.count;
        double end = has_next ? fmin(svg_x(svg, inner->pieces.items[low].start), to) : to;
        if (end - from > best.width)
            best = (free_span){from, end - from};
        from = has_next ? fmax(from, svg_x(svg, inner->pieces.items[low].end)) : to;
    }
    return best;
}

static void draw_wide_state(svg_picture *svg, const lane_piece *piece, const timeline_lane *inner, double y,
                            double height)
{
    enum { LEAST_TEXT = 44, FRAMED = 4 };
    const timeline *tl = &svg->tl;
    const timeline_value *value = value_at(tl, piece->value);
    double x = fmax(svg_x(svg, piece->start), svg->left);
    double width = fmin(svg_x(svg, piece->end), svg->left + svg->plot_width) - x;
    double text = svg_text_width(value->name, SVG_TINY) + 8;
    svg_add(svg, "<rect x=\"~\" y=\"~\" width=\"~\" height=\"~\"", x, y, width, height);
    svg_add_color(svg, "fill", value->color);
    if (width >= FRAMED)
        text_puts(svg->out, is_pale(value->color) ? " stroke=\"#999\" stroke-width=\".5\""
                                                  : " stroke=\"#fff\" stroke-width=\".5\"");
    text_puts(svg->out, ">");
    svg_add_title(svg, value->type, piece->value, piece->start, piece->end, 1, piece->fields);
    text_puts(svg->out, "</rect>");
    stream_end_line();
    if (height < SVG_TINY + 2 || width < fmin(text, LEAST_TEXT))
        return;
    free_span room = find_free_span(svg, inner, x, x + width, text);
    if (room.width < fmin(text, LEAST_TEXT))
        return;
    svg_add(svg, "<text x=\"~\" y=\"~\" font-size=\"~\" fill=\"#", room.x + 4, y + height / 2 + 3, (double)SVG_TINY);
    text_puts(svg->out, is_light(value->color) ? "000\">" : "fff\">");
    svg_add_text_within(svg, value->name, SVG_TINY, room.width - 7, 0);
    text_puts(svg->out, "</text>");
    stream_end_line();
}

/* Draws the area of one value, from the base up to a level for each column; 0 where it has no share. */
static void draw_area(svg_picture *svg, uint32_t color, const double *levels, double base)
{
    double last = 0;
    int at = -1; /* of the last change */
    for (int i = 0; i <= svg->plot_width; i++) {
        if (i < svg->plot_width && !(levels[i] > 0) && !(last > 0)) /* mostly */
            continue;
        double level = i < svg->plot_width ? round(levels[i] * 2) / 2 : 0;
        if (!(level > last) && !(level < last))
            continue;
        if (at < 0) {
            text_puts(svg->out, "<path");
            svg_add_color(svg, "fill", color);
            text_puts(svg->out, " d=\"");
        }
        if (last > 0)
            svg_add(svg, "h~v~", (double)(i - at), last - level);
        else
            svg_add(svg, "M~ ~v~", (double)svg->left + i, base, -level);
        if (!(level > 0))
            text_puts(svg->out, "z");
        last = level;
        at = i;
    }
    if (at >= 0) {
        text_puts(svg->out, "\"/>");
        stream_end_line();
    }
}

/* Draws shares of each pixel's time as heights, the value defined first at the bottom.  Each area reaches down to the
 * base, and those below are painted over it. */
static void draw_shares(svg_picture *svg, const svg_columns *columns, double y, double height)
{
    const timeline *tl = &svg->tl;
    double *below = svg_new_column(svg), *levels = svg_new_column(svg);
    memcpy(below, columns->total, (size_t)svg->plot_width * sizeof *below);
    for (int slot = columns->slots - 1; slot >= 0; slot--) {
        for (int i = 0; i < svg->plot_width; i++) {
            double share = columns->share[slot][i];
            levels[i] = share > 1e-9 ? below[i] / fmax(1 - columns->taken[i], columns->total[i]) * height : 0;
            below[i] -= share;
        }
        draw_area(svg, value_at(tl, columns->values[slot])->color, levels, y + height);
    }
    free(below);
    free(levels);
}

void svg_draw_states(svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    const timeline_node *node = node_at(tl, row->node);
    const timeline_lane *lane = row->lane;
    double inset = row->depths > 1 ? fmin(SVG_INSET, 0.6 * row->height / (row->depths - 1)) : 0;
    for (int i = 0; i < row->depths; i++, lane = lane->next) {
        double y = row->y + inset * i, height = row->height - inset * i;
        svg_columns columns = svg_columns_of(svg, node, lane, NULL, SVG_WIDE);
        draw_shares(svg, &columns, y, height);
        svg_free_columns(&columns);
        for (size_t k = 0; k < lane->pieces.count; k++)
            if (svg_is_wide(svg, node, &lane->pieces.items[k], SVG_WIDE))
                draw_wide_state(svg, &lane->pieces.items[k], i + 1 < row->depths ? lane->next : NULL, y, height);
    }
}

/* Draws the columns of one value, as a line of strokes. */
static void draw_strokes(svg_picture *svg, uint32_t value, const uint32_t *dominant, double y)
{
    const timeline *tl = &svg->tl;
    int end = -1;
    for (int i = 0; i < svg->plot_width; i++) {
        int from = i;
        while (i < svg->plot_width && dominant[i] == value)
            i++;
        if (i == from)
            continue;
        if (end < 0) {
            text_puts(svg->out, "<path");
            svg_add_color(svg, "stroke", value_at(tl, value)->color);
            svg_add(svg, " d=\"M~ ~h~", (double)svg->left + from, y, (double)(i - from));
        } else {
            text_putc(svg->out, 'm');
            text_put_integer(svg->out, from - end);
            text_puts(svg->out, " 0h");
            text_put_integer(svg->out, i - from);
        }
        end = i;
    }
    if (end >= 0)
        text_puts(svg->out, "\"/>");
}

/* A column in which no state takes more time than there is without one stays empty. */
void svg_draw_thin_states(svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    svg_columns columns = svg_columns_of(svg, node_at(tl, row->node), row->lane, row->nested, HUGE_VAL);
    uint32_t *dominant = memory_alloc((size_t)svg->plot_width, sizeof *dominant);
    for (int i = 0; i < svg->plot_width; i++) {
        double best = 1 - columns.total[i];
        dominant[i] = TIMELINE_VALUES;
        for (int slot = 0; slot < columns.slots; slot++)
            if (columns.share[slot][i] > best) {
                best = columns.share[slot][i];
                dominant[i] = columns.values[slot];
            }
    }
    text_printf(svg->out, "<g stroke-width=\"%d\">", row->height);
    for (int slot = 0; slot < columns.slots; slot++)
        draw_strokes(svg, columns.values[slot], dominant, row->y + row->height / 2.0);
    text_puts(svg->out, "</g>");
    stream_end_line();
    svg_free_columns(&columns);
    free(dominant);
}
