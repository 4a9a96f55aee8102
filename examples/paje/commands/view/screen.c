/* A screen of cells: puts text of any origin into cells, and finds the bytes that bring a terminal up to date. */
#include "view.h"
#include "base/utf8.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { GAP = 4 }; /* unchanged cells up to here are rewritten, as moving the cursor takes more bytes */

const view_style view_plain = {VIEW_DEFAULT, VIEW_DEFAULT, 0};

static int is_same_style(const view_style *a, const view_style *b)
{
    return a->ink == b->ink && a->paper == b->paper && a->flags == b->flags;
}

static int is_same(const view_cell *a, const view_cell *b)
{
    return a->glyph == b->glyph && is_same_style(&a->style, &b->style);
}

void view_clear_screen(view_screen *screen)
{
    const view_cell blank = {' ', view_plain};
    for (int i = 0; i < screen->rows * screen->columns; i++)
        screen->cells[i] = blank;
}

void view_resize_screen(view_screen *screen, int rows, int columns)
{
    size_t count = (size_t)rows * (size_t)columns;
    screen->rows = rows;
    screen->columns = columns;
    screen->cells = memory_resize(screen->cells, count, sizeof *screen->cells);
    screen->shown = memory_resize(screen->shown, count, sizeof *screen->shown);
    screen->is_new = 1;
    view_clear_screen(screen);
}

view_cell *view_cell_at(const view_screen *screen, int row, int column)
{
    if (row < 0 || row >= screen->rows || column < 0 || column >= screen->columns)
        return NULL;
    return &screen->cells[row * screen->columns + column];
}

/* ---- text into cells */

/* Columns that a character takes: 0 for combining ones, -1 for those that must not reach a terminal. */
static int width_of(const view_screen *screen, uint32_t glyph)
{
    if (glyph < 0x80)
        return glyph >= ' ' && glyph != 0x7f ? 1 : -1;
    if (!screen->unicode || glyph < 0xa0 || glyph == 0xad) /* C1 controls; the soft hyphen, shown differently */
        return -1;
    int width = wcwidth((wchar_t)glyph);
    return width > 2 ? -1 : width;
}

/* Finds the next character that takes columns.  Returns how many; 0 at the end. */
static int next_glyph(const view_screen *screen, pajesim_text text, size_t *at, uint32_t *glyph)
{
    while (*at < text.size) {
        *glyph = utf8_next(text.bytes, text.size, at);
        int width = width_of(screen, *glyph);
        if (width < 0)
            *glyph = '?';
        if (width != 0)
            return width < 0 ? 1 : width;
    }
    return 0;
}

int view_width(const view_screen *screen, pajesim_text text)
{
    uint32_t glyph;
    int width = 0;
    for (size_t at = 0; at < text.size && width < INT_MAX - 2;)
        width += next_glyph(screen, text, &at, &glyph);
    return width;
}

/* Sets a cell; if that was half of a wide character, the other half becomes blank. */
static void put_cell(view_screen *screen, int row, int column, uint32_t glyph, view_style style)
{
    view_cell *cell = view_cell_at(screen, row, column), *next = view_cell_at(screen, row, column + 1);
    if (!cell)
        return;
    if (cell->glyph == 0 && column > 0 && glyph != 0)
        cell[-1].glyph = ' ';
    if (next && next->glyph == 0)
        next->glyph = ' ';
    cell->glyph = glyph;
    cell->style = style;
}

void view_put_glyph(view_screen *screen, int row, int column, uint32_t glyph, view_style style)
{
    put_cell(screen, row, column, width_of(screen, glyph) == 1 ? glyph : '?', style);
}

int view_put(view_screen *screen, int row, int column, int columns, pajesim_text text, view_style style)
{
    uint32_t glyph;
    int taken = 0, width;
    for (size_t at = 0; (width = next_glyph(screen, text, &at, &glyph)) > 0; taken += width) {
        size_t rest = at;
        uint32_t unused;
        int fits = taken + width < columns ||
                   (taken + width == columns && next_glyph(screen, text, &rest, &unused) == 0);
        if (!fits) {
            if (taken < columns)
                put_cell(screen, row, column + taken++, screen->unicode ? 0x2026 : '~', style);
            return taken;
        }
        put_cell(screen, row, column + taken, glyph, style);
        if (width == 2)
            put_cell(screen, row, column + taken + 1, 0, style);
    }
    return taken;
}

int view_putf(view_screen *screen, int row, int column, int columns, view_style style, const char *format, ...)
{
    text_buffer text = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vprintf(&text, format, arguments);
    va_end(arguments);
    int taken = view_put(screen, row, column, columns, text_view(&text), style);
    text_free(&text);
    return taken;
}

/* ---- bytes for the terminal */

static unsigned part_of(uint32_t color, unsigned part)
{
    return color >> (16 - 8 * part) & 0xff;
}

uint32_t view_ink_on(uint32_t paper)
{
    return color_luma(paper) > 128000 ? 0x000000 : 0xffffff;
}

/* The nearest colour of a terminal with 256: a cube of 6 x 6 x 6, and 24 greys. */
static unsigned nearest_of_256(uint32_t color)
{
    static const unsigned steps[] = {0, 95, 135, 175, 215, 255};
    unsigned cube = 0, cube_distance = 0, grey_distance = 0, sum = 0;
    for (unsigned part = 0; part < 3; part++) {
        unsigned value = part_of(color, part), best = 0;
        for (unsigned i = 1; i < 6; i++)
            if (abs((int)steps[i] - (int)value) < abs((int)steps[best] - (int)value))
                best = i;
        cube = 6 * cube + best;
        cube_distance += (steps[best] - value) * (steps[best] - value);
        sum += value;
    }
    unsigned grey = sum / 3 < 8 ? 0 : sum / 3 > 238 ? 23 : (sum / 3 - 3) / 10;
    for (unsigned part = 0; part < 3; part++)
        grey_distance += (8 + 10 * grey - part_of(color, part)) * (8 + 10 * grey - part_of(color, part));
    return grey_distance < cube_distance ? 232 + grey : 16 + cube;
}

static void add_color(text_buffer *output, view_colors colors, int is_paper, uint32_t color)
{
    unsigned base = is_paper ? 40 : 30;
    if (color == VIEW_DEFAULT || colors == VIEW_NO_COLORS)
        return;
    if (colors == VIEW_ALL_COLORS)
        text_printf(output, ";%u;2;%u;%u;%u", base + 8, part_of(color, 0), part_of(color, 1), part_of(color, 2));
    else if (colors == VIEW_256_COLORS)
        text_printf(output, ";%u;5;%u", base + 8, nearest_of_256(color));
    else
        text_printf(output, ";%u", base + (part_of(color, 0) >> 7) + (part_of(color, 1) >> 7 << 1) +
                                     (part_of(color, 2) >> 7 << 2));
}

static void add_style(text_buffer *output, view_colors colors, const view_style *style)
{
    static const struct {
        unsigned flag;
        const char *code;
    } codes[] = {{VIEW_BOLD, ";1"}, {VIEW_DIM, ";2"}, {VIEW_UNDERLINE, ";4"}, {VIEW_REVERSE, ";7"}};
    text_puts(output, "\033[0");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (style->flags & codes[i].flag)
            text_printf(output, "%s", codes[i].code);
    add_color(output, colors, 0, style->ink);
    add_color(output, colors, 1, style->paper);
    text_puts(output, "m");
}

/* The terminal's cursor, and the style it writes in. */
typedef struct pen {
    int row, column; /* -1: unknown */
    view_style style;
} pen;

/* Whether the terminal's cursor gets there by writing the cells between once more: few, and none of them wide, as
 * terminals differ in where the cursor is behind such a one. */
static int is_near(const view_screen *screen, const pen *at, int row, int column)
{
    if (at->row != row || at->column > column || at->column < 0 || column - at->column > GAP)
        return 0;
    for (int between = at->column; between < column; between++)
        if (screen->cells[row * screen->columns + between].glyph == 0)
            return 0;
    return 1;
}

static void write_cell(view_screen *screen, text_buffer *output, pen *at, int row, int column)
{
    int place = row * screen->columns + column;
    const view_cell *cell = &screen->cells[place];
    if (cell->glyph == 0) /* the right half of a wide character */
        return;
    int wide = column + 1 < screen->columns && cell[1].glyph == 0;
    if (is_near(screen, at, row, column))
        while (at->column < column)
            write_cell(screen, output, at, row, at->column);
    else
        text_printf(output, "\033[%d;%dH", row + 1, column + 1);
    if (!is_same_style(&at->style, &cell->style))
        add_style(output, screen->colors, &cell->style);
    at->style = cell->style;
    text_put_character(output, cell->glyph);
    at->row = row;
    at->column = wide || column + 1 == screen->columns ? -1 : column + 1; /* -1: terminals differ */
}

void view_add_changes(view_screen *screen, text_buffer *output)
{
    pen at = {-1, -1, view_plain};
    size_t size = output->size;
    if (screen->is_new)
        text_puts(output, "\033[0m\033[2J");
    for (int row = 0; row < screen->rows; row++)
        for (int column = 0; column < screen->columns; column++) {
            int place = row * screen->columns + column;
            int wide = column + 1 < screen->columns && screen->cells[place + 1].glyph == 0;
            if (screen->is_new || !is_same(&screen->cells[place], &screen->shown[place]) ||
                (wide && !is_same(&screen->cells[place + 1], &screen->shown[place + 1])))
                write_cell(screen, output, &at, row, column);
        }
    if (output->size > size)
        text_puts(output, "\033[0m");
    memcpy(screen->shown, screen->cells, (size_t)screen->rows * (size_t)screen->columns * sizeof *screen->cells);
    screen->is_new = 0;
}

void view_add_lines(const view_screen *screen, text_buffer *output)
{
    for (int row = 0; row < screen->rows; row++) {
        int last = screen->columns;
        const view_cell *cells = &screen->cells[row * screen->columns];
        while (last > 0 && cells[last - 1].glyph == ' ')
            last--;
        for (int column = 0; column < last; column++)
            if (cells[column].glyph != 0)
                text_put_character(output, cells[column].glyph);
        text_putc(output, '\n');
    }
}
