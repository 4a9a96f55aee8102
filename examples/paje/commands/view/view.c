/* paje view: a trace in a terminal.  The main loop, and the command. */
#include "view.h"
#include "base/clock.h"
#include "base/stream.h"
#include "command.h"

#include <math.h>
#include <stdio.h>

enum { ONCE = PAJE_LONG_ONLY, MEMORY, SIZE, COLORS, TERMINAL_COLORS };
enum { IDLE_MILLISECONDS = 200, ONCE_COLUMNS = 100, LEAST_ROWS = 4, LEAST_COLUMNS = 20, MOST_CELLS = 1000 };
static const double first_seconds = 0.02;  /* of reading before the first screen */
static const double slice_seconds = 0.01;  /* of reading between looks for keys */
static const double part_seconds = 0.06;   /* that the screen waits after a key for the part that it shows */
static const double screen_seconds = 0.1;  /* between screens while the trace is read, at least, */
static const double screen_share = 4;      /* and so many times the time of drawing one */

static struct {
    int once, rows, columns;
    size_t memory; /* 0: as much as there is for containers, and USUAL_MEMORY for details */
    int colors; /* -1: what the terminal says */
    color_palette palette;
} options = {.colors = -1};

static view_state viewer;

/* ---- screens */

/* A size of the terminal, which may say anything, as one that can be drawn. */
static int within(int size, int least)
{
    return size < least ? least : size > MOST_CELLS ? MOST_CELLS : size;
}

static void resize(view_state *state)
{
    int rows = 24, columns = 80;
    view_terminal_size(&rows, &columns);
    view_resize_screen(&state->screen, within(rows, LEAST_ROWS), within(columns, LEAST_COLUMNS));
}

static void update(view_state *state)
{
    if (!state->input.settings.filter.unit)
        state->seconds = paje_guess_unit(&state->input.readers[VIEW_WHOLE].run).unit->seconds;
    view_find_rows(state);
    if (state->fits)
        view_fit(state);
    if (state->follows && view_last_time(&state->input) > state->start)
        view_pan(state, view_last_time(&state->input) - state->end);
    if (state->is_searching && state->input.state != VIEW_SCANNING)
        view_show_found(state);
    if (state->is_waiting && state->input.at_end)
        view_begin_search(state, state->search.what, 0);
    view_ask(&state->input, state->start, state->end, view_column_width(state));
}

static void draw(view_state *state)
{
    view_draw(state, &state->screen);
    view_add_changes(&state->screen, &stream_output);
    stream_flush();
}

/* A number that changes when the screen may change without a key. */
static uint64_t progress(const view_state *state)
{
    const view_input *input = &state->input;
    return 64 * pajesim_count(&input->readers[VIEW_WHOLE].run.sim)->bytes + 32 * (uint64_t)input->is_replaced +
           8 * (uint64_t)input->state + 4 * (uint64_t)view_is_stale(input) + 2 * (uint64_t)input->is_cut +
           (uint64_t)input->at_end;
}

/* Reads and draws until a key quits. */
static void run_screen(view_state *state)
{
    double drawn = 0, took = 0;
    uint64_t shown = 0;
    int is_due = 1; /* a key was pressed */
    view_read(&state->input, first_seconds);
    for (;;) {
        double now = clock_seconds(), next = drawn + fmax(screen_seconds, screen_share * took);
        if (is_due || (shown != progress(state) && now >= next)) {
            update(state);
            double until = now + (is_due ? part_seconds : 0);
            while (state->input.state == VIEW_LOADING && clock_seconds() < until)
                view_read(&state->input, slice_seconds);
            shown = progress(state);
            draw(state);
            drawn = clock_seconds();
            took = drawn - now;
        }
        is_due = 0;
        int more = view_read(&state->input, slice_seconds);
        int waits = shown != progress(state) ? (int)(1e3 * fmax(0, next - clock_seconds())) + 1 : IDLE_MILLISECONDS;
        unsigned what = view_wait(view_waits_for(&state->input), more ? 0 : waits);
        if (what & VIEW_GONE)
            return;
        if (what & VIEW_RESIZED)
            resize(state);
        is_due = (what & (VIEW_KEYS | VIEW_RESIZED)) != 0;
        for (uint32_t key; (key = view_next_key()) != VIEW_NO_KEY;)
            if (!view_take_key(state, key))
                return;
    }
}

static void print_once(view_state *state)
{
    int columns = options.columns ? options.columns : ONCE_COLUMNS, rows;
    state->screen.colors = VIEW_NO_COLORS;
    state->is_once = 1;
    view_find_rows(state);
    rows = options.rows ? options.rows : (int)fmin((double)state->rows.count, 100000) + 1;
    view_resize_screen(&state->screen, rows, columns);
    view_fit(state);
    view_draw(state, &state->screen);
    view_add_lines(&state->screen, &stream_output);
    view_add_legend(state->input.tree, &stream_output, columns);
    stream_flush();
}

/* ---- the command */

static const char *parse_screen(const char *argument)
{
    int end = 0;
    if (sscanf(argument, "%4dx%4d%n", &options.columns, &options.rows, &end) != 2 || argument[end] ||
        options.columns < LEAST_COLUMNS || options.rows < LEAST_ROWS || options.columns > MOST_CELLS ||
        options.rows > MOST_CELLS)
        return "must be COLUMNSxROWS, from 20x4 to 1000x1000";
    return NULL;
}

/* Parses how many colours the terminal has. */
static const char *parse_colors(const char *argument)
{
    static const char *const names[] = {"none", "8", "256", "all"};
    for (options.colors = 0; options.colors < 4; options.colors++)
        if (strcmp(argument, names[options.colors]) == 0)
            return NULL;
    return "must be none, 8, 256 or all";
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    (void)settings;
    switch (key) {
    case ONCE: options.once = 1; return NULL;
    case SIZE: return parse_screen(argument);
    case MEMORY:
        return paje_parse_size(argument, &options.memory) && options.memory >= 1 << 20 ? NULL : "must be 1M or more";
    case COLORS: return palette_option(&options.palette, argument);
    default: return parse_colors(argument);
    }
}

static int view(const paje_settings *settings, char **names, int count)
{
    view_state *state = &viewer;
    const char *refused = options.once ? NULL : view_refuse_terminal();
    if (refused)
        paje_usage(settings->command, "%s", refused);
    const paje_filter *filter = &settings->filter;
    if (filter->has_start && filter->has_end && !(filter->end > filter->start))
        paje_usage(settings->command, "the end, -e, is not after the start, -s");
    state->has_start = filter->has_start;
    state->has_end = filter->has_end;
    state->first = filter->start;
    state->last = filter->end;
    state->seconds = filter->unit ? filter->unit->seconds : 1;
    state->screen.unicode = view_has_unicode();
    state->screen.colors = options.colors < 0 ? view_terminal_colors() : (view_colors)options.colors;
    view_begin_input(&state->input, settings, count > 0 ? names[0] : "-", options.memory, &options.palette);
    state->fits = 1;
    if (options.once && (filter->has_start || filter->has_end))
        return view_print_range(state, &state->input.settings, state->input.name, print_once);
    view_open_input(&state->input);
    if (options.once) {
        view_read_all(&state->input);
        if (!filter->unit)
            state->seconds = paje_guess_unit(&state->input.readers[VIEW_WHOLE].run).unit->seconds;
        print_once(state);
    } else {
        view_open_terminal();
        resize(state);
        run_screen(state);
        view_close_terminal();
    }
    const paje_run *run = &state->input.readers[VIEW_WHOLE].run;
    paje_unit_of(&state->input.readers[VIEW_WHOLE].run);
    if (!run->source->is_no_trace)
        paje_report_nothing(&state->input.settings, state->input.name, pajesim_count(&run->sim));
    unsigned long long errors = pajesim_count(&run->sim)->errors + run->file_errors;
    if (errors == 0)
        return EXIT_OK;
    stream_message("%s: %llu errors (see paje validate)", state->input.name, errors);
    return EXIT_ERRORS;
}

static const paje_option option_table[] = {
    {ONCE, "once", NULL, "read the trace and print one screen as text; needs no terminal"},
    {SIZE, "size", "COLUMNSxROWS", "size of that screen; default: 100 columns, all rows"},
    {MEMORY, "memory", "SIZE",
     "use at most so much memory, such as 64M or 1G; default: 512M for details, 95 % of what is free for containers"},
    {COLORS, "colors", "WHOSE", PALETTE_HELP},
    {TERMINAL_COLORS, "terminal-colors", "COUNT",
     "colours of the terminal: none, 8, 256 or all; default: from TERM and COLORTERM"},
    {0, NULL, NULL, NULL},
};

const paje_command command_view = {
    .name = "view",
    .summary = "Shows a trace in a terminal, to zoom into and to search",
    .details = "It starts at once, whatever the size of the trace, and reads on meanwhile, also from a trace that\n"
               "grows.  Beyond its memory, what is short is summed up, and read again when you zoom in.  An index of\n"
               "the trace (`paje index`) lets it start anywhere at once.  The key ? shows all keys.\n"
               "-s and -e set the range of time on the first screen; the rest stays within reach.  With --once only\n"
               "that range is shown: containers that exist in it, variables on a scale of their own.",
    .traces = 1,
    .trials = "--once FILE\n--once --size 60x9 -s 1 -e 2 --unit ms FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_KEEPS_UNIT | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .run = view,
};
