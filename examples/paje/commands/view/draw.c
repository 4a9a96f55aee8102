/* The screen of the viewer: the axis of time, rows, what is below the cursor, a line about the trace; or the help. */
#include "view.h"

#include <math.h>

enum { LEAST_LABEL = 8, MOST_LABEL = 48, DETAIL_ROWS = 10, FIXED_ROWS = 3 /* axis, cursor, status */ };
enum { MANY_BYTES = 100000000 };

/* ---- the layout */

static int label_columns(const view_state *state, const view_screen *screen)
{
    view_tree *tree = state->input.tree;
    int most = LEAST_LABEL, limit = screen->columns / 3 < MOST_LABEL ? screen->columns / 3 : MOST_LABEL;
    size_t rows = (size_t)view_body_rows(state, screen);
    for (size_t i = state->top; i < state->rows.count && i < state->top + rows && most < limit; i++) {
        const view_row *row = &state->rows.items[i];
        const view_node *node = &tree->nodes.items[row->node];
        pajesim_text name = row->is_head || !row->band ? node->name : view_band_name(tree, row->band);
        int width = 2 * (int)node->level + 2 + view_width(screen, name) + (row->depth > 0 ? 2 : 0);
        most = width > most ? width : most;
    }
    return most < limit ? most : limit;
}

int view_time_columns(const view_state *state, const view_screen *screen)
{
    int columns = screen->columns - label_columns(state, screen) - 1;
    return columns > 1 ? columns : 1;
}

static int detail_rows(const view_state *state, const view_screen *screen)
{
    int most = screen->rows / 2 < DETAIL_ROWS ? screen->rows / 2 : DETAIL_ROWS;
    return state->shows_details ? most : 0;
}

int view_body_rows(const view_state *state, const view_screen *screen)
{
    int rows = screen->rows - (state->is_once ? 1 : FIXED_ROWS + detail_rows(state, screen));
    return rows > 1 ? rows : 1;
}

/* ---- times as text */

const time_unit *view_unit(const view_state *state)
{
    return unit_for((state->end - state->start) * state->seconds);
}

void view_add_time(text_buffer *text, const view_area *area, double time)
{
    const time_unit *unit = view_unit(area->state);
    double size = unit->seconds / area->state->seconds;
    text_printf(text, "%.*f %s", axis_decimals(area->width / size / 10), time / size, unit->name);
}

void view_add_duration(text_buffer *text, const view_area *area, double duration)
{
    text_put_duration(text, duration * area->state->seconds, 4);
}

static void draw_axis(const view_area *area)
{
    text_buffer label = {0};
    const view_style style = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
    const time_unit *unit = view_unit(area->state);
    double size = unit->seconds / area->state->seconds, width = area->width / size, start = area->start / size;
    double step = axis_step(14 * width), least = fmax(fabs(start), fabs(start + width * area->columns)) / step;
    if (least > 1e8)
        step = axis_step(26 * width); /* for long labels */
    int end = 0;
    for (double i = ceil(start / step - 1e-6); (i * step - start) / width < area->columns; i++) {
        int column = (int)((i * step - start) / width + 1e-6);
        text_clear(&label);
        text_printf(&label, "%.*f %s", axis_decimals(step), fabs(i) > 0 ? i * step : 0, unit->name);
        if (column < end || column + (int)label.size + 1 > area->columns || !(step * (i + 1) > step * i))
            continue;
        view_put_glyph(area->screen, 0, area->left + column, area->screen->unicode ? 0x2575 : '|', style);
        end = column + 2 + view_put(area->screen, 0, area->left + column + 1, area->columns - column - 1,
                                    text_view(&label), view_plain);
    }
    text_free(&label);
}

/* ---- the last line, the help, all of it */

static void add_status(text_buffer *line, const view_area *area)
{
    view_tree *tree = area->tree;
    const view_state *state = area->state;
    const view_reader *reader = &state->input.readers[VIEW_WHOLE];
    const pajesim_counts *counts = pajesim_count(&reader->run.sim);
    text_printf(line, "%s  ", state->input.name);
    if (!state->input.at_end && reader->run.source->length)
        text_printf(line, "reading, %.0f %%  ", 100 * (double)counts->bytes / (double)reader->run.source->length);
    else if (!state->input.at_end)
        text_printf(line, "reading, %.0f MB  ", 1e-6 * (double)counts->bytes);
    if (state->input.is_cut)
        text_puts(line, "the file was truncated: restart the viewer  ");
    else if (state->input.is_replaced)
        text_puts(line, "the file was replaced: restart the viewer  ");
    if (counts->errors + reader->run.file_errors)
        text_printf(line, "%llu errors (see paje validate)  ",
                  (unsigned long long)counts->errors + reader->run.file_errors);
    if (tree->left_out)
        text_printf(line, "%llu containers left out, see --memory  ", (unsigned long long)tree->left_out);
    if (state->input.why)
        text_printf(line, "its index is not used: %s; paje index renews it  ", state->input.why);
    else if (state->input.index == &state->input.own_index && !state->input.at_end &&
             reader->run.source->length > MANY_BYTES)
        text_puts(line, "`paje index` makes it open anywhere at once  ");
    if (area->store->bin > area->width / 2) {
        text_puts(line, "bins of ");
        view_add_duration(line, area, area->store->bin);
        text_puts(line, "  ");
    }
    text_printf(line, "%s%s", state->follows ? "following  " : "", "? for help");
}

static void draw_status(const view_area *area, int row)
{
    text_buffer line = {0};
    const view_state *state = area->state;
    if (state->question != VIEW_ASK_NOTHING) {
        text_append(&line, text_view(&state->prompt));
        text_append(&line, text_view(&state->answer));
        text_putc(&line, '_');
    } else if (state->message.size > 0) {
        text_append(&line, text_view(&state->message));
    } else {
        add_status(&line, area);
    }
    view_put(area->screen, row, 0, area->screen->columns, text_view(&line), view_plain);
    text_free(&line);
}

static void draw_help(const view_state *state, view_screen *screen)
{
    const char *line = state->help;
    for (size_t i = 0; *line; i++) {
        size_t size = strcspn(line, "\n");
        if (i >= state->help_top)
            view_put(screen, (int)(i - state->help_top), 0, screen->columns, (pajesim_text){line, size}, view_plain);
        line += size + (line[size] == '\n');
    }
}

void view_draw(view_state *state, view_screen *screen)
{
    view_clear_screen(screen);
    if (state->help) {
        draw_help(state, screen);
        return;
    }
    int rows = view_body_rows(state, screen), details = detail_rows(state, screen);
    if (state->at < state->top)
        state->top = state->at;
    if (state->at >= state->top + (size_t)rows)
        state->top = state->at - (size_t)rows + 1;
    view_area area = {.screen = screen, .state = state, .tree = state->input.tree};
    area.columns = view_time_columns(state, screen);
    area.left = screen->columns - area.columns;
    area.start = state->start;
    area.width = (state->end - state->start) / area.columns;
    area.store = view_best_store(&state->input, state->start, state->end);
    draw_axis(&area);
    for (int i = 0; i < rows && state->top + (size_t)i < state->rows.count; i++) {
        view_draw_label(&area, 1 + i, &state->rows.items[state->top + (size_t)i]);
        view_draw_row(&area, 1 + i, &state->rows.items[state->top + (size_t)i]);
    }
    if (state->is_once)
        return;
    view_draw_cursor(&area, rows);
    view_draw_place(&area, 1 + rows);
    view_draw_details(&area, 2 + rows, 2 + rows + details);
    draw_status(&area, screen->rows - 1);
}
