/* Draws rows: states, variables, events. */
#include "svg.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int svg_has_titles, svg_has_narrow;

static paje_buffer *const out = &paje_output;

/* Two decimals, where they say something. */
static void add_coordinate(double number)
{
    char text[40];
    long long hundredths = llround(fmin(fmax(number, -1e7), 1e7) * 100), size = llabs(hundredths);
    int length = snprintf(text, sizeof text, "%s%lld.%02lld", hundredths < 0 ? "-" : "", size / 100, size % 100);
    while (text[length - 1] == '0')
        length--;
    length -= text[length - 1] == '.';
    paje_add(out, text, (size_t)length);
}

void svg_add(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    for (;;) {
        size_t size = strcspn(format, "~");
        paje_add(out, format, size);
        if (!format[size])
            break;
        add_coordinate(va_arg(arguments, double));
        format += size + 1;
    }
    va_end(arguments);
}

void svg_add_color(const char *attribute, uint32_t color)
{
    paje_addf(out, " %s=\"#%06lx\"", attribute, (unsigned long)color);
}

/* With digits enough to find it in the trace. */
static void add_time(double time)
{
    double span = diagram.last - diagram.first;
    diagram_unit unit = diagram_unit_of(span);
    int decimals = (int)fmin(fmax(6 - floor(log10(span / unit.size)), 0), 15);
    size_t start = out->size;
    paje_addf(out, "%.*f", decimals, time / unit.size);
    if (decimals) {
        while (out->bytes[out->size - 1] == '0')
            out->size--;
        out->size -= out->bytes[out->size - 1] == '.';
    }
    if (out->size == start + 2 && memcmp(out->bytes + start, "-0", 2) == 0)
        paje_addf(out, "0");
    paje_addf(out, " %s", unit.name);
}

void svg_add_title(uint32_t type, uint32_t value, double start, double end, uint32_t count)
{
    if (!svg_has_titles)
        return;
    paje_addf(out, "<title>");
    paje_add_xml(out, diagram.types[type].name);
    paje_addf(out, ": ");
    paje_add_xml(out, diagram.values[value].name);
    if (count > 1)
        paje_addf(out, ", %lu of them", (unsigned long)count);
    paje_addf(out, ", ");
    add_time(start);
    if (end > start || end < start) {
        paje_addf(out, " to ");
        add_time(end);
        paje_addf(out, ": ");
        add_time(end - start);
    }
    paje_addf(out, "</title>");
}

/* ---- states */

static int is_light(uint32_t color)
{
    return 0.299 * (color >> 16) + 0.587 * (color >> 8 & 0xff) + 0.114 * (color & 0xff) > 140;
}

/* Whether anything is nested in that part of a state. */
static int is_covered(const diagram_lane *inner, double from, double to)
{
    size_t low = 0, high = inner ? inner->count : 0;
    while (low < high) { /* states of one depth follow one another: their ends ascend as their starts do */
        size_t middle = low + (high - low) / 2;
        if (svg_x(inner->pieces[middle].end) <= from)
            low = middle + 1;
        else
            high = middle;
    }
    return inner && low < inner->count && svg_x(inner->pieces[low].start) < to;
}

static void draw_wide_state(const diagram_piece *piece, const diagram_lane *inner, double y, double height)
{
    const diagram_value *value = &diagram.values[piece->value];
    double x = fmax(svg_x(piece->start), svg.x), width = fmin(svg_x(piece->end), svg.x + svg.width) - x;
    double text = svg_text_width(value->name, SVG_TINY) + 8;
    svg_add("<rect x=\"~\" y=\"~\" width=\"~\" height=\"~\"", x, y, width, height);
    svg_add_color("fill", value->color);
    if (width >= 4)
        paje_addf(out, " stroke=\"#fff\" stroke-width=\".5\"");
    paje_addf(out, ">");
    svg_add_title(value->type, piece->value, piece->start, piece->end, 1);
    paje_addf(out, "</rect>");
    paje_end_line();
    if (height >= SVG_TINY + 2 && width >= text && !is_covered(inner, x, x + text)) {
        svg_add("<text x=\"~\" y=\"~\" font-size=\"~\" fill=\"#", x + 4, y + height / 2 + 3, (double)SVG_TINY);
        paje_addf(out, is_light(value->color) ? "000\">" : "fff\">");
        paje_add_xml(out, value->name);
        paje_addf(out, "</text>");
        paje_end_line();
    }
}

/* One value's area, from the base up to a level for each column; nothing where the value has no share. */
static void draw_area(uint32_t color, const double *levels, double base)
{
    double last = 0;
    int at = -1; /* of the last change */
    for (int i = 0; i <= svg.width; i++) {
        double level = i < svg.width ? round(levels[i] * 2) / 2 : 0;
        if (!(level > last) && !(level < last))
            continue;
        if (at < 0) {
            paje_addf(out, "<path");
            svg_add_color("fill", color);
            paje_addf(out, " d=\"");
        }
        if (last > 0)
            svg_add("h~v~", (double)(i - at), last - level);
        else
            svg_add("M~ ~v~", (double)svg.x + i, base, -level);
        if (!(level > 0))
            paje_addf(out, "z");
        last = level;
        at = i;
    }
    if (at >= 0) {
        paje_addf(out, "\"/>");
        paje_end_line();
    }
}

/* Shares of a pixel's time as heights, the value defined first at the bottom.  Each area reaches down to the base, and
 * those below are painted over it. */
static void draw_shares(const svg_columns *columns, double y, double height)
{
    double *below = svg_new_column(), *levels = svg_new_column();
    memcpy(below, columns->total, (size_t)svg.width * sizeof *below);
    for (int slot = columns->slots - 1; slot >= 0; slot--) {
        for (int i = 0; i < svg.width; i++) {
            double free_part = fmax(1 - columns->taken[i], columns->total[i]);
            levels[i] = columns->share[slot][i] > 1e-9 ? below[i] / free_part * height : 0;
            below[i] -= columns->share[slot][i];
        }
        draw_area(diagram.values[columns->values[slot]].color, levels, y + height);
    }
    free(below);
    free(levels);
}

static void draw_states(const svg_row *row)
{
    const diagram_node *node = &diagram.nodes[row->node];
    const diagram_lane *lane = row->lane;
    double inset = row->depths > 1 ? fmin(SVG_INSET, 0.6 * row->height / (row->depths - 1)) : 0;
    for (int i = 0; i < row->depths; i++, lane = lane->next) {
        double y = row->y + inset * i, height = row->height - inset * i;
        svg_columns columns = svg_columns_of(node, lane, NULL, SVG_WIDE);
        draw_shares(&columns, y, height);
        svg_free_columns(&columns);
        for (size_t k = 0; k < lane->count; k++)
            if (svg_is_wide(node, &lane->pieces[k], SVG_WIDE))
                draw_wide_state(&lane->pieces[k], i + 1 < row->depths ? lane->next : NULL, y, height);
    }
}

/* One value's columns, as a line of strokes. */
static void draw_strokes(uint32_t value, const uint32_t *prevailing, double y)
{
    int end = -1;
    for (int i = 0; i < svg.width; i++) {
        int from = i;
        while (i < svg.width && prevailing[i] == value)
            i++;
        if (i == from)
            continue;
        if (end < 0) {
            paje_addf(out, "<path");
            svg_add_color("stroke", diagram.values[value].color);
            svg_add(" d=\"M~ ~h~", (double)svg.x + from, y, (double)(i - from));
        } else {
            paje_addf(out, "m%d 0h%d", from - end, i - from);
        }
        end = i;
    }
    if (end >= 0)
        paje_addf(out, "\"/>");
}

/* Each column has the colour of the innermost state that takes most of its time; none, if there is none for longer. */
static void draw_thin_states(const svg_row *row)
{
    svg_columns columns = svg_columns_of(&diagram.nodes[row->node], row->lane, row->flat, HUGE_VAL);
    uint32_t *prevailing = paje_room(NULL, (size_t)svg.width * sizeof *prevailing);
    for (int i = 0; i < svg.width; i++) {
        double best = 1 - columns.total[i];
        prevailing[i] = DIAGRAM_VALUES;
        for (int slot = 0; slot < columns.slots; slot++)
            if (columns.share[slot][i] > best) {
                best = columns.share[slot][i];
                prevailing[i] = columns.values[slot];
            }
    }
    paje_addf(out, "<g stroke-width=\"%d\">", row->height);
    for (int slot = 0; slot < columns.slots; slot++)
        draw_strokes(columns.values[slot], prevailing, row->y + row->height / 2.0);
    paje_addf(out, "</g>");
    paje_end_line();
    svg_free_columns(&columns);
    free(prevailing);
}

/* ---- variables: steps where they are wide enough, else the mean of each pixel and, paler, its extremes */

typedef struct step {
    double from, to, mean, least, most;
} step;

static int compare_steps(const void *left, const void *right)
{
    const step *a = left, *b = right;
    return (a->from > b->from) - (a->from < b->from);
}

/* Whether the next step goes on as the one before. */
static int is_level(const step *a, const step *b)
{
    return !(a->to < b->from) && !(a->least < b->most) && !(a->most > b->least) && !(a->most < b->most);
}

static size_t add_columns(step *steps, const diagram_node *node, const diagram_lane *lane, double wide)
{
    size_t count = 0;
    double *time = svg_new_column(), *sum = svg_new_column(), *least = svg_new_column(), *most = svg_new_column();
    for (int i = 0; i < svg.width; i++) {
        least[i] = HUGE_VAL;
        most[i] = -HUGE_VAL;
    }
    for (size_t k = 0; k < lane->count; k++) {
        const diagram_piece *piece = &lane->pieces[k];
        double length = piece->end - piece->start;
        double from = fmax(svg_x(piece->start) - svg.x, 0), to = fmin(svg_x(piece->end) - svg.x, svg.width);
        if (svg_is_wide(node, piece, wide))
            continue;
        for (int i = (int)fmin(from, svg.width); i < svg.width && i <= to; i++) {
            least[i] = fmin(least[i], piece->least);
            most[i] = fmax(most[i], piece->most);
        }
        if (length > 0) {
            svg_cover(time, piece->start, piece->end, piece->time / length);
            svg_cover(sum, piece->start, piece->end, piece->sum / length);
        }
    }
    for (int i = 0; i < svg.width; i++) {
        step it = {svg.x + i, svg.x + i + 1, sum[i] / fmax(time[i], DBL_MIN), least[i], most[i]};
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

/* On the scale of the type, which is the same one in each row. */
static double height_of(const svg_row *row, double number)
{
    const diagram_type *type = &diagram.types[row->lane->type];
    double span = type->most - type->least;
    return row->y + row->height - (span > 0 ? (number - type->least) / span : 0) * row->height;
}

static void begin_area(const svg_row *row, const char *opacity)
{
    paje_addf(out, "<path fill-opacity=\"%s\"", opacity);
    svg_add_color("fill", diagram.types[row->lane->type].color);
    paje_addf(out, " d=\"");
}

static void end_area(void)
{
    paje_addf(out, "\"/>");
    paje_end_line();
}

static void draw_ranges(const svg_row *row, const step *steps, size_t count)
{
    begin_area(row, ".3");
    for (size_t i = 0; i < count; i++)
        svg_add("M~ ~H~V~H~Z", steps[i].from, height_of(row, steps[i].least), steps[i].to,
                height_of(row, steps[i].most), steps[i].from);
    end_area();
}

static void draw_steps(const svg_row *row, const step *steps, size_t count)
{
    double zero = height_of(row, 0);
    begin_area(row, ".75");
    for (size_t i = 0; i < count; i++) {
        int continues = i > 0 && steps[i].from - steps[i - 1].to < 0.01;
        int ends = i + 1 == count || steps[i + 1].from - steps[i].to >= 0.01;
        if (!continues)
            svg_add("M~ ~", steps[i].from, zero);
        svg_add("V~H~", height_of(row, steps[i].mean), steps[i].to);
        if (ends)
            svg_add("V~Z", zero);
    }
    end_area();
}

/* Thin rows: the greater the number, the darker. */
static void draw_shades(const svg_row *row, const step *steps, size_t count)
{
    enum { SHADES = 8 };
    const diagram_type *type = &diagram.types[row->lane->type];
    double span = type->most - type->least;
    for (int shade = 1; shade <= SHADES; shade++) {
        begin_area(row, (const char[SHADES + 1][5]){"0", ".12", ".25", ".37", ".5", ".62", ".75", ".87", "1"}[shade]);
        for (size_t i = 0; i < count; i++)
            if (span > 0 && (int)ceil((steps[i].mean - type->least) / span * SHADES) == shade)
                svg_add("M~ ~H~v~H~Z", steps[i].from, (double)row->y, steps[i].to, (double)row->height, steps[i].from);
        end_area();
    }
}

static void draw_variable(const svg_row *row)
{
    const diagram_node *node = &diagram.nodes[row->node];
    const diagram_lane *lane = row->lane;
    double least = row->height <= SVG_THIN ? HUGE_VAL : 1;
    step *steps = paje_room(NULL, (lane->count + (size_t)svg.width) * sizeof *steps);
    size_t columns = add_columns(steps, node, lane, least), count = columns;
    for (size_t i = 0; i < lane->count; i++) {
        const diagram_piece *it = &lane->pieces[i];
        if (svg_is_wide(node, it, least))
            steps[count++] = (step){fmax(svg_x(it->start), svg.x), fmin(svg_x(it->end), svg.x + svg.width), it->least,
                                    it->least, it->most};
    }
    if (row->height > SVG_THIN && columns > 0)
        draw_ranges(row, steps, columns);
    qsort(steps, count, sizeof *steps, compare_steps);
    if (row->height > SVG_THIN)
        draw_steps(row, steps, count);
    else
        draw_shades(row, steps, count);
    free(steps);
}

/* ---- events: marks, one for each pixel */

enum { SPARSE = 6 };

typedef struct mark {
    int column;
    double time, width;
    uint32_t value, most, count; /* the value of most events there */
    int is_sparse;
} mark;

/* `marks` has one for each column. */
static void mark_columns(mark *marks, const diagram_lane *lane)
{
    for (size_t i = 0; i < lane->count; i++) {
        const diagram_piece *piece = &lane->pieces[i];
        double time = (piece->start + piece->end) / 2;
        if (time < diagram.first || time > diagram.last)
            continue;
        mark *it = &marks[(int)(svg_x(time) - svg.x)];
        it->count += piece->count;
        if (piece->count > it->most) {
            it->most = piece->count;
            it->value = piece->value;
            it->time = time;
            it->width = piece->exact ? 1.2 : fmax(1.2, svg_x(piece->end) - svg_x(piece->start));
        }
    }
}

static int compare_marks(const void *left, const void *right)
{
    const mark *a = left, *b = right;
    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return a->column - b->column;
}

/* Triangles that point down, or lines where they would touch. */
static void draw_events(const svg_row *row)
{
    size_t size = ((size_t)svg.width + 1) * sizeof(mark);
    mark *marks = memset(paje_room(NULL, size), 0, size);
    int count = 0;
    mark_columns(marks, row->lane);
    for (int i = 0; i <= svg.width; i++) {
        int left = count > 0 ? i - marks[count - 1].column : SPARSE, right = 1;
        if (marks[i].count == 0)
            continue;
        while (right < SPARSE && i + right <= svg.width && marks[i + right].count == 0)
            right++;
        mark it = marks[i];
        it.column = i;
        it.is_sparse = left >= SPARSE && (right >= SPARSE || i + right > svg.width) && row->height > SVG_THIN;
        marks[count++] = it;
    }
    qsort(marks, (size_t)count, sizeof *marks, compare_marks);
    for (int i = 0; i < count; i++) {
        const mark *it = &marks[i];
        if (i == 0 || svg_has_titles || it->value != marks[i - 1].value) {
            paje_addf(out, i ? "</path>\n<path" : "<path");
            svg_add_color("fill", diagram.values[it->value].color);
            paje_addf(out, " d=\"");
        }
        if (it->is_sparse)
            svg_add("M~ ~h6l-3 ~z", svg_x(it->time) - 3, (double)row->y, (double)row->height);
        else
            svg_add("M~ ~h~v~h~z", svg_x(it->time) - it->width / 2, (double)row->y, it->width, (double)row->height,
                    -it->width);
        if (i + 1 == count || svg_has_titles || it->value != marks[i + 1].value) {
            paje_addf(out, "\">");
            svg_add_title(diagram.values[it->value].type, it->value, it->time, it->time, it->count);
        }
    }
    paje_addf(out, count ? "</path>" : "");
    paje_end_line();
    free(marks);
}

void svg_draw_row(const svg_row *row)
{
    if (!row->lane)
        return;
    paje_buffer name = {0};
    diagram_add_name(&name, row->node);
    paje_addf(out, "<g><title>");
    paje_add_xml(out, paje_text(&name));
    paje_addf(out, ": ");
    paje_add_xml(out, svg_row_name(row));
    paje_addf(out, "</title>");
    paje_end_line();
    paje_release(&name);
    if (row->lane->kind == PAJESIM_EVENT)
        draw_events(row);
    else if (row->lane->kind == PAJESIM_VARIABLE)
        draw_variable(row);
    else if (row->height <= SVG_THIN)
        draw_thin_states(row);
    else
        draw_states(row);
    paje_addf(out, "</g>");
    paje_end_line();
}
