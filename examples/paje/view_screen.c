/* A screen of cells: text into cells whatever bytes it has, and the least that a terminal must be told to show them. */
#include "view.h"

#include <stdlib.h>
#include <string.h>
#include <wchar.h>

enum { GAP = 4 }; /* cells that are written again rather than jumped over */

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
    size_t size = (size_t)rows * (size_t)columns * sizeof *screen->cells;
    screen->rows = rows;
    screen->columns = columns;
    screen->cells = paje_room(screen->cells, size);
    screen->shown = paje_room(screen->shown, size);
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

/* Columns that a character takes: 0 for what is no character of its own, -1 for what must not reach a terminal. */
static int width_of(const view_screen *screen, uint32_t glyph)
{
    if (glyph < 0x80)
        return glyph >= ' ' && glyph != 0x7f ? 1 : -1;
    if (!screen->unicode || glyph < 0xa0 || glyph == 0xad) /* C1 controls; a hyphen that terminals disagree about */
        return -1;
    int width = wcwidth((wchar_t)glyph);
    return width > 2 ? -1 : width;
}

/* The character at `*at`, which moves on; 0xfffd for a byte that belongs to none. */
static uint32_t next_character(pajesim_text text, size_t *at)
{
    size_t size = paje_character(text.bytes + *at, text.size - *at);
    unsigned char lead = (unsigned char)text.bytes[*at];
    uint32_t glyph = size == 0 ? 0xfffd : size == 1 ? lead : lead & (0x7fu >> size);
    for (size_t i = 1; i < size; i++)
        glyph = glyph << 6 | ((unsigned char)text.bytes[*at + i] & 0x3fu);
    *at += size ? size : 1;
    return glyph;
}

/* The next character that takes room, and how much; 0 at the end. */
static int next_glyph(const view_screen *screen, pajesim_text text, size_t *at, uint32_t *glyph)
{
    while (*at < text.size) {
        *glyph = next_character(text, at);
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

/* Of a wide character no half is left alone. */
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
    static paje_buffer text;
    va_list arguments;
    text.size = 0;
    va_start(arguments, format);
    paje_add_formatted(&text, format, arguments);
    va_end(arguments);
    return view_put(screen, row, column, columns, paje_text(&text), style);
}

/* ---- cells into bytes */

static void add_glyph(paje_buffer *output, uint32_t glyph)
{
    char bytes[4];
    size_t size = glyph < 0x80 ? 1 : glyph < 0x800 ? 2 : glyph < 0x10000 ? 3 : 4;
    for (size_t i = size; i-- > 1; glyph >>= 6)
        bytes[i] = (char)(0x80 | (glyph & 0x3f));
    static const unsigned leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    bytes[0] = (char)(leads[size] | glyph);
    paje_add(output, bytes, size);
}

static unsigned part_of(uint32_t color, unsigned part)
{
    return color >> (16 - 8 * part) & 0xff;
}

uint32_t view_ink_on(uint32_t paper)
{
    return 299 * part_of(paper, 0) + 587 * part_of(paper, 1) + 114 * part_of(paper, 2) > 128000 ? 0x000000 : 0xffffff;
}

/* The nearest of the cube of 6 x 6 x 6 colours and the 24 greys. */
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

static void add_color(paje_buffer *output, view_colors colors, int is_paper, uint32_t color)
{
    unsigned base = is_paper ? 40 : 30;
    if (color == VIEW_DEFAULT || colors == VIEW_NO_COLORS)
        return;
    if (colors == VIEW_ALL_COLORS)
        paje_addf(output, ";%u;2;%u;%u;%u", base + 8, part_of(color, 0), part_of(color, 1), part_of(color, 2));
    else if (colors == VIEW_256_COLORS)
        paje_addf(output, ";%u;5;%u", base + 8, nearest_of_256(color));
    else
        paje_addf(output, ";%u", base + (part_of(color, 0) >> 7) + (part_of(color, 1) >> 7 << 1) +
                                     (part_of(color, 2) >> 7 << 2));
}

static void add_style(paje_buffer *output, view_colors colors, const view_style *style)
{
    static const struct {
        unsigned flag;
        const char *code;
    } codes[] = {{VIEW_BOLD, ";1"}, {VIEW_DIM, ";2"}, {VIEW_UNDERLINE, ";4"}, {VIEW_REVERSE, ";7"}};
    paje_addf(output, "\033[0");
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (style->flags & codes[i].flag)
            paje_addf(output, "%s", codes[i].code);
    add_color(output, colors, 0, style->ink);
    add_color(output, colors, 1, style->paper);
    paje_addf(output, "m");
}

/* Where the terminal's cursor is, and with which style it writes. */
typedef struct pen {
    int row, column; /* -1: unknown */
    view_style style;
} pen;

static void write_cell(view_screen *screen, paje_buffer *output, pen *at, int row, int column)
{
    int place = row * screen->columns + column;
    const view_cell *cell = &screen->cells[place];
    if (cell->glyph == 0) /* comes with its left half */
        return;
    int wide = column + 1 < screen->columns && cell[1].glyph == 0;
    if (at->row != row || at->column > column || at->column < 0 || column - at->column > GAP)
        paje_addf(output, "\033[%d;%dH", row + 1, column + 1);
    else
        while (at->column < column)
            write_cell(screen, output, at, row, at->column);
    if (!is_same_style(&at->style, &cell->style))
        add_style(output, screen->colors, &cell->style);
    at->style = cell->style;
    add_glyph(output, cell->glyph);
    at->row = row;
    at->column = wide || column + 1 == screen->columns ? -1 : column + 1; /* terminals disagree where they are then */
}

void view_add_changes(view_screen *screen, paje_buffer *output)
{
    pen at = {-1, -1, view_plain};
    size_t size = output->size;
    if (screen->is_new)
        paje_addf(output, "\033[0m\033[2J");
    for (int row = 0; row < screen->rows; row++)
        for (int column = 0; column < screen->columns; column++) {
            int place = row * screen->columns + column;
            int wide = column + 1 < screen->columns && screen->cells[place + 1].glyph == 0;
            if (screen->is_new || !is_same(&screen->cells[place], &screen->shown[place]) ||
                (wide && !is_same(&screen->cells[place + 1], &screen->shown[place + 1])))
                write_cell(screen, output, &at, row, column);
        }
    if (output->size > size)
        paje_addf(output, "\033[0m");
    memcpy(screen->shown, screen->cells, (size_t)screen->rows * (size_t)screen->columns * sizeof *screen->cells);
    screen->is_new = 0;
}

void view_add_lines(const view_screen *screen, paje_buffer *output)
{
    for (int row = 0; row < screen->rows; row++) {
        int last = screen->columns;
        const view_cell *cells = &screen->cells[row * screen->columns];
        while (last > 0 && cells[last - 1].glyph == ' ')
            last--;
        for (int column = 0; column < last; column++)
            if (cells[column].glyph != 0)
                add_glyph(output, cells[column].glyph);
        paje_add(output, "\n", 1);
    }
}
