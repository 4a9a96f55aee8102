/* The screen of the viewer: an axis of time, the rows, what the cursor is on, a line about the trace; or the help. */
#include "view.h"

#include <math.h>
#include <string.h>

enum { LEAST_LABEL = 8, MOST_LABEL = 48, DETAIL_ROWS = 10, FIXED_ROWS = 3 /* axis, cursor, status */ };
enum { MANY_BYTES = 100000000 };

/* ---- the layout */

static int label_columns(const view_state *state, const view_screen *screen)
{
    int most = LEAST_LABEL, limit = screen->columns / 3 < MOST_LABEL ? screen->columns / 3 : MOST_LABEL;
    size_t rows = (size_t)view_body_rows(state, screen);
    for (size_t i = state->top; i < state->row_count && i < state->top + rows && most < limit; i++) {
        const view_row *row = &state->rows[i];
        const view_node *node = &view_all.nodes[row->node];
        pajesim_text name = row->is_head || !row->band ? node->name : view_all.types[row->band->type].name;
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

static int decimals_for(double step)
{
    return (int)fmin(fmax(-floor(log10(step) + 1e-9), 0), 15);
}

/* With as many decimals as columns tell apart, and one more. */
void view_add_time(paje_buffer *buffer, const view_area *area, double time)
{
    diagram_unit unit = diagram_unit_of(area->state->end - area->state->start);
    paje_addf(buffer, "%.*f %s", decimals_for(area->width / unit.size / 10), time / unit.size, unit.name);
}

void view_add_duration(paje_buffer *buffer, double duration)
{
    diagram_unit unit = diagram_unit_of(fabs(duration));
    paje_addf(buffer, "%.4g %s", duration / unit.size, unit.name);
}

/* 1, 2 or 5 times a power of ten. */
static double round_step(double least)
{
    double power = pow(10, floor(log10(least)));
    return least <= power ? power : least <= 2 * power ? 2 * power : least <= 5 * power ? 5 * power : 10 * power;
}

static void draw_axis(const view_area *area)
{
    static paje_buffer label;
    const view_style style = {VIEW_DEFAULT, VIEW_DEFAULT, VIEW_DIM};
    diagram_unit unit = diagram_unit_of(area->state->end - area->state->start);
    double width = area->width / unit.size, start = area->start / unit.size;
    double step = round_step(14 * width), least = fmax(fabs(start), fabs(start + width * area->columns)) / step;
    if (least > 1e8)
        step = round_step(26 * width); /* long labels */
    int end = 0;
    for (double i = ceil(start / step - 1e-6); (i * step - start) / width < area->columns; i++) {
        int column = (int)((i * step - start) / width + 1e-6);
        label.size = 0;
        paje_addf(&label, "%.*f %s", decimals_for(step), fabs(i) > 0 ? i * step : 0, unit.name);
        if (column < end || column + (int)label.size + 1 > area->columns || !(step * (i + 1) > step * i))
            continue;
        view_put_glyph(area->screen, 0, area->left + column, area->screen->unicode ? 0x2575 : '|', style);
        end = column + 2 + view_put(area->screen, 0, area->left + column + 1, area->columns - column - 1,
                                    paje_text(&label), view_plain);
    }
}

/* ---- the last line, the help, all of it */

static void add_status(paje_buffer *line, const view_area *area)
{
    const view_state *state = area->state;
    const view_reader *reader = &state->input.readers[VIEW_WHOLE];
    const pajesim_counts *counts = pajesim_count(&reader->run.sim);
    paje_addf(line, "%s  ", state->input.name);
    if (!state->input.at_end && reader->run.source->length)
        paje_addf(line, "reading, %.0f %%  ", 100 * (double)counts->bytes / (double)reader->run.source->length);
    else if (!state->input.at_end)
        paje_addf(line, "reading, %.0f MB  ", 1e-6 * (double)counts->bytes);
    if (state->input.is_cut)
        paje_addf(line, "the file has become shorter: begin anew  ");
    if (counts->errors + reader->run.file_errors)
        paje_addf(line, "%llu errors (see paje validate)  ",
                  (unsigned long long)(counts->errors + reader->run.file_errors));
    if (view_all.left_out)
        paje_addf(line, "%llu containers beyond --memory  ", (unsigned long long)view_all.left_out);
    if (state->input.why)
        paje_addf(line, "its index is not used: %s; paje index renews it  ", state->input.why);
    else if (state->input.index == &state->input.own_index && !state->input.at_end &&
             reader->run.source->length > MANY_BYTES)
        paje_addf(line, "paje index would let it begin everywhere at once  ");
    if (area->store->bin > area->width / 2) {
        paje_addf(line, "summed up by ");
        view_add_duration(line, area->store->bin);
        paje_addf(line, "  ");
    }
    paje_addf(line, "%s%s", state->follows ? "following  " : "", "? for help");
}

static void draw_status(const view_area *area, int row)
{
    static paje_buffer line;
    const view_state *state = area->state;
    line.size = 0;
    if (state->prompt)
        paje_addf(&line, "%s%.*s_", state->prompt, (int)state->answer.size, paje_text(&state->answer).bytes);
    else if (state->message.size > 0)
        paje_add_text(&line, paje_text(&state->message));
    else
        add_status(&line, area);
    view_put(area->screen, row, 0, area->screen->columns, paje_text(&line), view_plain);
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
    view_area area = {.screen = screen, .state = state, .columns = view_time_columns(state, screen)};
    area.left = screen->columns - area.columns;
    area.start = state->start;
    area.width = (state->end - state->start) / area.columns;
    area.store = view_best_store(&state->input, state->start, state->end);
    draw_axis(&area);
    for (int i = 0; i < rows && state->top + (size_t)i < state->row_count; i++) {
        view_draw_label(&area, 1 + i, &state->rows[state->top + (size_t)i]);
        view_draw_row(&area, 1 + i, &state->rows[state->top + (size_t)i]);
    }
    if (state->is_once)
        return;
    view_draw_cursor(&area, rows);
    view_draw_place(&area, 1 + rows);
    view_draw_details(&area, 2 + rows, 2 + rows + details);
    draw_status(&area, screen->rows - 1);
}
