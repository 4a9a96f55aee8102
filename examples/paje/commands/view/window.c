/* The window of time on the screen, and the time of the cursor. */
#include "view.h"

#include <float.h>
#include <math.h>

double view_column_width(view_state *state)
{
    return (state->end - state->start) / view_time_columns(state, &state->screen);
}

void view_set_window(view_state *state, double start, double span)
{
    double least = 32 * DBL_EPSILON * fmax(fabs(start), fabs(start + span)), most = 1e150; /* products are finite */
    span = fmin(fmax(span, fmax(least, DBL_MIN * 1e10)), most);
    state->start = fmin(fmax(start, -most), most);
    state->end = state->start + span;
    state->fits = 0;
}

void view_fit(view_state *state)
{
    double first = state->has_start ? state->first : view_first_time(&state->input);
    double last = state->has_end ? state->last : view_last_time(&state->input);
    view_set_window(state, first, last > first ? last - first : 1);
    state->fits = 1;
    if (!(state->time >= state->start && state->time <= state->end))
        state->time = state->start;
}

void view_zoom(view_state *state, double factor)
{
    double span = state->end - state->start, part = (state->time - state->start) / span;
    if (!(part >= 0 && part <= 1))
        part = 0.5;
    view_set_window(state, state->start + part * span * (1 - factor), span * factor);
}

void view_pan(view_state *state, double by)
{
    view_set_window(state, state->start + by, state->end - state->start);
}

void view_go_to(view_state *state, double time)
{
    state->time = time;
    if (!(time >= state->start && time <= state->end))
        view_pan(state, time - (state->start + state->end) / 2);
}

void view_step(view_state *state, double columns)
{
    double by = columns * view_column_width(state), quarter = (state->end - state->start) / 4;
    state->time = fmin(fmax(state->time, state->start), state->end) + by;
    if (state->time < state->start)
        view_pan(state, -quarter);
    else if (state->time > state->end)
        view_pan(state, quarter);
}
