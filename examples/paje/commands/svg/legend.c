/* The legend and the notes, below the plot. */
#include "svg.h"

#include <math.h>

enum {
    LEGEND_TYPES = 24,
    LEGEND_VALUES = 48, /* of a type */
    FEW_ITEMS = 6,      /* types of one item each are one below the other up to here, else side by side */
    SWATCH = 10
};

/* Where the next item goes. */
typedef struct legend {
    svg_picture *svg;
    double x, y;
} legend;

/* Goes to the next line, which begins at `indent`, if an item of that width does not fit into this one. */
static void begin_item(legend *at, double item, double indent)
{
    if (at->x + item > at->svg->width - 8 && at->x > indent) {
        at->x = indent;
        at->y += SVG_LINE + 1;
    }
}

static void draw_item(legend *at, pajesim_kind kind, uint32_t color, pajesim_text name, double indent)
{
    svg_picture *svg = at->svg;
    double room = svg->width - 3 * SWATCH - indent, item = fmin(svg_text_width(name, SVG_TEXT), room) + SWATCH + 18;
    begin_item(at, item, indent);
    if (kind == PAJESIM_LINK)
        svg_add(svg, "<path fill=\"none\" d=\"M~ ~h~m-4 -3l4 3l-4 3\"", at->x, at->y - 4, (double)SWATCH);
    else if (kind == PAJESIM_EVENT)
        svg_add(svg, "<path d=\"M~ ~h6l-3 8z\"", at->x + 2, at->y - 8);
    else
        svg_add(svg, "<rect x=\"~\" y=\"~\" width=\"~\" height=\"~\" stroke=\"#000\" stroke-opacity=\".25\"", at->x,
                at->y - 8.5, (double)SWATCH, (double)SWATCH);
    svg_add_color(svg, kind == PAJESIM_LINK ? "stroke" : "fill", color);
    text_puts(svg->out, "/>");
    svg_draw_text(svg, at->x + SWATCH + 4, at->y, room, name, SVG_TEXT, "");
    at->x += item;
}

/* Says how many items were left out. */
static void draw_rest(legend *at, unsigned count, const char *what, double indent)
{
    text_buffer text = {0};
    if (count == 0)
        return;
    text_printf(&text, "and %u %s", count, what);
    begin_item(at, svg_text_width(text_view(&text), SVG_TEXT), indent);
    svg_draw_text(at->svg, at->x, at->y, at->svg->width, text_view(&text), SVG_TEXT, SVG_GREY);
    text_free(&text);
}

/* ---- what there is of a type */

static int is_drawn_value(const timeline_value *value, uint32_t type)
{
    return value->type == type && value->weight > 0;
}

static int is_drawn(const timeline *tl, uint32_t type)
{
    if (type_at(tl, type)->kind == PAJESIM_VARIABLE)
        return type_at(tl, type)->varies && type_at(tl, type)->most > type_at(tl, type)->least;
    for (uint32_t i = 1; i < tl->values.count; i++)
        if (is_drawn_value(value_at(tl, i), type))
            return 1;
    return 0;
}

static int has_trace_colors(const timeline *tl, uint32_t type)
{
    for (uint32_t i = 1; i < tl->values.count; i++)
        if (is_drawn_value(value_at(tl, i), type) && value_at(tl, i)->has_trace_color)
            return 1;
    return 0;
}

/* Whether the type takes one item, without its values. */
static int is_short(const timeline *tl, uint32_t type)
{
    pajesim_kind kind = type_at(tl, type)->kind;
    return kind == PAJESIM_VARIABLE || (kind != PAJESIM_STATE && !has_trace_colors(tl, type));
}

/* Puts the name of a type into `text`; and that of its container type, if another type has the same name. */
static void put_type_name(text_buffer *text, const timeline *tl, uint32_t type)
{
    const timeline_type *it = type_at(tl, type);
    int is_unique = 1;
    for (uint32_t other = 0; other < tl->types.count && is_unique; other++)
        is_unique = other == type || !is_drawn(tl, other) || !text_is_equal(type_at(tl, other)->name, it->name);
    text_clear(text);
    text_append(text, it->name);
    if (!is_unique) {
        text_puts(text, " (");
        text_append(text, it->container_type);
        text_putc(text, ')');
    }
}

/* A bound of a range; 0 if it is a rounding error, as after additions and subtractions. */
static double without_noise(double bound, double other)
{
    return fabs(bound) < 1e-9 * fabs(other) ? 0 : bound;
}

/* Puts the text of the one item of a short type into `text`. */
static void put_short(text_buffer *text, const timeline_type *type)
{
    text_clear(text);
    if (type->kind == PAJESIM_VARIABLE)
        text_printf(text, "from %g to %g", without_noise(type->least, type->most),
                    without_noise(type->most, type->least));
    else
        text_printf(text, "%llu %s%s", (unsigned long long)type->count, type->kind == PAJESIM_LINK ? "link" : "event",
                    type->count == 1 ? "" : "s");
}

/* ---- the legend */

/* The least weight of the values of a type that are drawn in the legend; `*ties` is how many of that weight are. */
static double least_weight(const timeline *tl, uint32_t type, unsigned *ties)
{
    double heaviest[LEGEND_VALUES + 1];
    int count = 0;
    for (uint32_t i = 1; i < tl->values.count; i++) {
        double weight = value_at(tl, i)->weight;
        int at = count;
        if (!is_drawn_value(value_at(tl, i), type) || (count == LEGEND_VALUES && !(weight > heaviest[count - 1])))
            continue;
        for (; at > 0 && heaviest[at - 1] < weight; at--)
            heaviest[at] = heaviest[at - 1];
        heaviest[at] = weight;
        count += count < LEGEND_VALUES;
    }
    for (int i = count; i > 0 && !(heaviest[i - 1] > heaviest[count - 1]); i--)
        ++*ties;
    return count > 0 ? heaviest[count - 1] : 0;
}

/* Draws the values of a type that weigh most. */
static void draw_values(legend *at, uint32_t type, double indent)
{
    const timeline *tl = &at->svg->tl;
    unsigned left_out = 0, ties = 0;
    double least = least_weight(tl, type, &ties);
    for (uint32_t i = 1; i < tl->values.count; i++) {
        const timeline_value *value = value_at(tl, i);
        if (!is_drawn_value(value, type))
            continue;
        if (value->weight > least || (!(value->weight < least) && ties > 0 && ties--))
            draw_item(at, type_at(tl, type)->kind, value->color, value->name, indent);
        else
            left_out++;
    }
    draw_rest(at, left_out, "of less time", indent);
}

/* Draws the name of a type at `x`, and its items `indent` to the right. */
static void draw_type(legend *at, uint32_t type, double x, double indent)
{
    const timeline *tl = &at->svg->tl;
    const timeline_type *it = type_at(tl, type);
    text_buffer text = {0};
    at->x = x + indent;
    put_type_name(&text, tl, type);
    svg_draw_text(at->svg, x + 8, at->y, indent - 14, text_view(&text), SVG_TEXT, SVG_GREY);
    put_short(&text, it);
    if (is_short(tl, type))
        draw_item(at, it->kind, it->color, text_view(&text), at->x);
    else
        draw_values(at, type, at->x);
    text_free(&text);
}

/* Draws each type on a line of its own; side by side, where many take one item. */
static void draw_types(legend *at)
{
    const svg_picture *svg = at->svg;
    const timeline *tl = &svg->tl;
    double indent = 60, widest = 0, x = 0;
    unsigned drawn = 0, shorts = 0;
    text_buffer text = {0};
    for (uint32_t i = 0; i < tl->types.count; i++)
        if (is_drawn(tl, i)) {
            put_type_name(&text, tl, i);
            indent = fmax(indent, 22 + svg_text_width(text_view(&text), SVG_TEXT));
            shorts += (unsigned)is_short(tl, i);
            put_short(&text, type_at(tl, i));
            widest = fmax(widest, SWATCH + 22 + svg_text_width(text_view(&text), SVG_TEXT));
        }
    text_free(&text);
    indent = fmin(indent, fmax(svg->left, 200));
    double column = shorts > FEW_ITEMS ? indent + widest : svg->width;
    for (uint32_t i = 0, last = 0; i < tl->types.count; i++)
        if (is_drawn(tl, i) && drawn++ < LEGEND_TYPES) {
            int is_beside = drawn > 1 && is_short(tl, i) && is_short(tl, last) && x + 2 * column <= svg->width;
            x = is_beside ? x + column : 0;
            at->y += is_beside ? 0 : SVG_LINE + 1;
            draw_type(at, i, x, indent);
            last = i;
        }
    if (drawn > LEGEND_TYPES) {
        at->x = 8;
        at->y += SVG_LINE + 1;
        draw_rest(at, drawn - LEGEND_TYPES, "more types", 8);
    }
}

/* ---- the notes */

/* Notes on how states are drawn. */
static void put_state_notes(text_buffer *notes, const svg_picture *svg)
{
    const timeline *tl = &svg->tl;
    int is_summed = tl->most_members > 1 || tl->bin > 0, has_thin = 0, has_shares = 0;
    for (size_t i = 0; i < svg->rows.count; i++) {
        const svg_row *row = &svg->rows.items[i];
        if (!row->lane || row->lane->kind != PAJESIM_STATE)
            continue;
        if (row->height <= SVG_THIN)
            has_thin = 1;
        else
            has_shares = 1;
    }
    if (has_thin)
        text_puts(notes, "A pixel has the colour of the innermost state that takes most of its time.\n");
    else if (has_shares && (is_summed || svg->has_narrow))
        text_printf(notes, "Where states are narrower than %d pixels%s, heights are their shares of the time.\n",
                    SVG_WIDE, tl->most_members > 1 ? ", or containers share a row" : "");
}

/* The bytes of the first line of a note, broken at a blank so that it fits into the picture. */
static size_t first_line(const char *note, double width)
{
    size_t line = strcspn(note, "\n");
    while (svg_text_width((pajesim_text){note, line}, SVG_SMALL) > width && line > 1)
        do /* one word less */
            line--;
        while (line > 1 && note[line] != ' ');
    return line;
}

double svg_draw_notes(svg_picture *svg, double y, text_buffer *notes)
{
    for (const char *note = text_string(notes); *note;) {
        size_t line = first_line(note, svg->width - 16);
        y += SVG_LINE - 1;
        svg_draw_text(svg, 8, y, svg->width, (pajesim_text){note, line}, SVG_SMALL, SVG_GREY);
        note += line + 1;
    }
    return y;
}

static void draw_notes(legend *at)
{
    text_buffer notes = {0};
    timeline_put_notes(&notes, &at->svg->tl);
    put_state_notes(&notes, at->svg);
    at->y = svg_draw_notes(at->svg, at->y + 4, &notes);
    text_free(&notes);
}

double svg_draw_legend(svg_picture *svg)
{
    legend at = {.svg = svg, .y = svg->bottom + 2 * SVG_LINE};
    draw_types(&at);
    draw_notes(&at);
    return at.y;
}
