/* Draws events: one mark for each pixel that has any. */
#include "svg.h"

#include <math.h>

enum { SPARSE = 6 }; /* pixels between marks that do not touch */

typedef struct mark {
    int column;
    double time, width;
    uint32_t fields;
    uint32_t value, most, count; /* the value of most events there, how many have it, how many there are */
    int is_sparse;
} mark;

/* Counts the events of each column; `marks` has an element for each. */
static void mark_columns(const svg_picture *svg, mark *marks, const timeline_lane *lane)
{
    const timeline *tl = &svg->tl;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        double from = fmax(piece->start, tl->first), to = fmin(piece->end, tl->last), time = from + (to - from) / 2;
        if (from > to)
            continue;
        mark *it = &marks[(int)(svg_x(svg, time) - svg->left)];
        it->count += piece->count;
        if (piece->count > it->most) {
            it->most = piece->count;
            it->value = piece->value;
            it->fields = piece->exact ? piece->fields : 0;
            it->time = time;
            it->width = piece->exact ? 1.2 : fmax(1.2, svg_x(svg, to) - svg_x(svg, from));
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

/* Draws triangles that point down, or lines where triangles would touch. */
void svg_draw_events(svg_picture *svg, const svg_row *row)
{
    const timeline *tl = &svg->tl;
    size_t size = ((size_t)svg->plot_width + 1) * sizeof(mark);
    mark *marks = memory_alloc_zero(size, 1);
    int count = 0;
    mark_columns(svg, marks, row->lane);
    for (int i = 0; i <= svg->plot_width; i++) {
        int left = count > 0 ? i - marks[count - 1].column : SPARSE, right = 1;
        if (marks[i].count == 0)
            continue;
        while (right < SPARSE && i + right <= svg->plot_width && marks[i + right].count == 0)
            right++;
        mark it = marks[i];
        it.column = i;
        it.is_sparse = left >= SPARSE && (right >= SPARSE || i + right > svg->plot_width) && row->height > SVG_THIN;
        marks[count++] = it;
    }
    qsort(marks, (size_t)count, sizeof *marks, compare_marks);
    for (int i = 0; i < count; i++) {
        const mark *it = &marks[i];
        if (i == 0 || svg->has_titles || it->value != marks[i - 1].value) {
            text_printf(svg->out, i ? "</path>\n<path" : "<path");
            svg_add_color(svg, "fill", value_at(tl, it->value)->color);
            text_puts(svg->out, " d=\"");
        }
        if (it->is_sparse)
            svg_add(svg, "M~ ~h6l-3 ~z", svg_x(svg, it->time) - 3, (double)row->y, (double)row->height);
        else
            svg_add(svg, "M~ ~h~v~h~z", svg_x(svg, it->time) - it->width / 2, (double)row->y, it->width,
                    (double)row->height, -it->width);
        if (i + 1 == count || svg->has_titles || it->value != marks[i + 1].value) {
            text_puts(svg->out, "\">");
            svg_add_title(svg, value_at(tl, it->value)->type, it->value, it->time, it->time, it->count,
                          it->count == 1 ? it->fields : 0);
        }
    }
    text_printf(svg->out, count ? "</path>" : "");
    stream_end_line();
    free(marks);
}
