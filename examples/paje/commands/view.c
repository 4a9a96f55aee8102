/* paje view: a trace in a terminal.  Here is what keys do; the rest is in view.h. */
#include "view.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ONCE = DIAGRAM_OWN_OPTIONS, MEMORY, SIZE, COLORS };
enum { IDLE_MILLISECONDS = 200, ONCE_COLUMNS = 100, LEAST_ROWS = 4, LEAST_COLUMNS = 20, MOST_CELLS = 1000 };
static const double first_seconds = 0.02, slice_seconds = 0.01; /* of reading: before the first screen, between keys */
static const double part_seconds = 0.06;   /* that a key's screen may wait for the part that it shows */
static const double screen_seconds = 0.1;  /* between screens while the trace is read; */
static const double screen_share = 4;      /* and so many times what drawing one takes */

static const char help[] =
    "paje view                                                       (up, down; any other key: back)\n"
    "\n"
    "  left right, h l       a column back, on         tab, shift-tab   next, previous change of the row\n"
    "  shift-left/right, H L half a screen             /                find states or events by their names\n"
    "  home end, g G         first, last time          c                find a container by its name\n"
    "  : t                   to a time                 n N              find the next, the previous one\n"
    "  + -                   closer, farther           enter, space     open, close a container\n"
    "  0                     all of the trace          * _              open, close all of them\n"
    "  x                     what is under the cursor  d                a row for each depth of states\n"
    "  up down, k j          a row up, down            i                all about the cursor: stacks, links\n"
    "  page up, page down    a screen up, down         f                follow a trace that grows\n"
    "  ctrl-L                draw all anew             q                quit\n"
    "\n"
    "A row is a container; its first states are on its own line, the rest below.  A closed container shows the\n"
    "states of all that is in it.  A column shows what has most of its time: a state is the innermost one.\n"
    "Bars are variables, from the least to the greatest value of their type.\n";

static struct {
    int once, rows, columns, from_start, to_end;
    size_t memory;
    double start, end;
    int colors; /* -1: those of the terminal */
} options = {.memory = (size_t)512 << 20, .colors = -1};

static view_state state;
static view_screen screen;

/* ---- the window of time, and the cursor */

static double width(void)
{
    return (state.end - state.start) / view_time_columns(&state, &screen);
}

static void set_window(double start, double span)
{
    double least = 32 * DBL_EPSILON * fmax(fabs(start), fabs(start + span)), most = 1e150;
    span = fmin(fmax(span, fmax(least, DBL_MIN * 1e10)), most);
    state.start = fmin(fmax(start, -most), most);
    state.end = state.start + span;
    state.fits = 0;
}

static void fit(void)
{
    double first = options.from_start ? options.start : view_first_time(&state.input);
    double last = options.to_end ? options.end : view_last_time(&state.input);
    set_window(first, last > first ? last - first : 1);
    state.fits = 1;
    if (!(state.time >= state.start && state.time <= state.end))
        state.time = state.start;
}

static void zoom(double factor)
{
    double span = state.end - state.start, part = (state.time - state.start) / span;
    if (!(part >= 0 && part <= 1))
        part = 0.5;
    set_window(state.start + part * span * (1 - factor), span * factor);
}

static void pan(double by)
{
    set_window(state.start + by, state.end - state.start);
}

/* Where it is not seen the window moves, so that it is in the middle. */
static void go_to(double time)
{
    state.time = time;
    if (!(time >= state.start && time <= state.end))
        pan(time - (state.start + state.end) / 2);
}

static void step(double columns)
{
    double by = columns * width(), quarter = (state.end - state.start) / 4;
    state.time = fmin(fmax(state.time, state.start), state.end) + by;
    if (state.time < state.start)
        pan(-quarter);
    else if (state.time > state.end)
        pan(quarter);
}

static void pan_half(int back)
{
    double by = (back ? -1 : 1) * (state.end - state.start) / 2;
    pan(by);
    state.time += by;
}

/* ---- rows */

static const view_row *row(void)
{
    return &state.rows[state.at];
}

static void move_rows(long by)
{
    long last = (long)state.row_count - 1, at = (long)state.at + by;
    state.at = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

static void toggle(void)
{
    view_node *node = &view_all.nodes[row()->node];
    node->is_open = !node->is_open;
    view_find_rows(&state);
}

static void set_all_open(int is_open)
{
    for (size_t i = 1; i < view_all.node_count; i++)
        view_all.nodes[i].is_open = is_open;
    view_find_rows(&state);
}

static void show_row(uint32_t node, const view_band *band)
{
    for (uint32_t up = view_all.nodes[node].parent; up; up = view_all.nodes[up].parent)
        view_all.nodes[up].is_open = 1;
    if (band && band != view_bands_of(node))
        view_all.nodes[node].is_open = 1;
    view_find_rows(&state);
    size_t head = PAJE_NONE;
    for (size_t i = 0; i < state.row_count; i++)
        if (state.rows[i].node == node && (head == PAJE_NONE || state.rows[i].band == band)) {
            head = i;
            if (state.rows[i].band == band)
                break;
        }
    if (head != PAJE_NONE)
        state.at = head;
}

/* ---- finding */

static void show_found(void)
{
    const view_search *search = &state.search;
    state.is_searching = 0;
    state.message.size = 0;
    state.is_waiting = !search->found && !search->back && search->what != VIEW_CONTAINERS && !state.input.at_end;
    if (!search->found) {
        paje_addf(&state.message, search->back      ? "there is none before"
                                  : !state.is_waiting ? "there is none after"
                                                      : "there is none yet: it is looked for again at the end");
        return;
    }
    show_row(search->node, search->band);
    if (search->band)
        go_to(search->start);
}

static void begin_search(view_aim what, int back)
{
    view_search *search = &state.search;
    search->what = what;
    search->back = back;
    search->from = state.time;
    search->of_node = row()->node;
    search->of_band = row()->band;
    if (view_find(search, &state.input.readers[VIEW_WHOLE].store, state.input.index != NULL)) {
        show_found();
        return;
    }
    view_scan(&state.input, search);
    state.is_searching = 1;
    state.is_waiting = 0;
    paje_addf(&state.message, "looking for it; a key ends that");
}

static void find_change(int back)
{
    if (row()->band)
        begin_search(VIEW_CHANGES, back);
    else
        paje_addf(&state.message, "nothing changes in this row");
}

static void zoom_to_span(void)
{
    const view_store *store = view_best_store(&state.input, state.start, state.end);
    view_span span;
    for (uint32_t depth = row()->band ? row()->band->depth + 1 : 0; depth-- > 0;)
        if (view_span_at(store, row()->node, row()->band, depth, state.time, &span) && span.end > span.start) {
            double length = span.end - span.start;
            set_window(span.start - 0.1 * length, 1.2 * length);
            return;
        }
    paje_addf(&state.message,
              store->bin > 0 ? "it is summed up here; come closer first" : "there is nothing that takes time");
}

/* ---- prompts */

static void prompt(const char *text)
{
    state.prompt = text;
    state.answer.size = 0;
}

static char to_time[64];
static const char to_value[] = "find states and events called: ", to_container[] = "find containers called: ";

static void ask_time(void)
{
    snprintf(to_time, sizeof to_time, "to the time, in %s (or such as 20 ms): ",
             diagram_unit_of(state.end - state.start).name);
    prompt(to_time);
}

/* A number, of the axis' unit where it says no other one. */
static int parse_time(pajesim_text text, double *time)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"\xc2\xb5s", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"h", 3600}, {"d", 86400}};
    double size = diagram_unit_of(state.end - state.start).size;
    size_t end = text.size;
    while (end > 0 && !(text.bytes[end - 1] >= '0' && text.bytes[end - 1] <= '9') && text.bytes[end - 1] != '.')
        end--;
    size_t name = end;
    while (name < text.size && text.bytes[name] == ' ')
        name++;
    int is_unit = name == text.size;
    size_t rest = text.size - name;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == rest && memcmp(units[i].name, text.bytes + name, rest) == 0) {
            size = units[i].seconds / diagram.seconds;
            is_unit = 1;
        }
    if (!is_unit || !pajesim_number(text.bytes, end, time))
        return 0;
    *time *= size;
    return 1;
}

static void answer(void)
{
    double time;
    pajesim_text text = paje_text(&state.answer);
    const char *asked = state.prompt;
    state.prompt = NULL;
    if (text.size == 0)
        return;
    if (asked == to_time) {
        if (parse_time(text, &time) && fabs(time) < 1e150)
            go_to(time);
        else
            paje_addf(&state.message, "that is no time: a number, and perhaps ns, us, ms, s, h or d");
        return;
    }
    state.search.name.size = 0;
    paje_add_text(&state.search.name, text);
    state.finds_containers = asked == to_container;
    begin_search(state.finds_containers ? VIEW_CONTAINERS : VIEW_VALUES, 0);
}

static void add_character(uint32_t key)
{
    char bytes[4];
    size_t size = key < 0x80 ? 1 : key < 0x800 ? 2 : key < 0x10000 ? 3 : 4;
    static const unsigned leads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = size; i-- > 1; key >>= 6)
        bytes[i] = (char)(0x80 | (key & 0x3f));
    bytes[0] = (char)(leads[size] | key);
    paje_add(&state.answer, bytes, size);
}

static void edit(uint32_t key)
{
    paje_buffer *text = &state.answer;
    if (key == VIEW_ENTER)
        answer();
    else if (key == VIEW_ESCAPE || (key == VIEW_BACKSPACE && text->size == 0))
        state.prompt = NULL;
    else if (key == VIEW_BACKSPACE)
        while (text->size > 0 && ((unsigned char)text->bytes[--text->size] & 0xc0) == 0x80)
            continue;
    else if (key >= ' ' && key < VIEW_UP && text->size < 200)
        add_character(key);
}

/* ---- keys */

/* Answers 0 when it is time to quit. */
static int act(uint32_t key)
{
    int page = view_body_rows(&state, &screen) - 1;
    switch (key) {
    case 'q': return 0;
    case VIEW_LEFT: case 'h': step(-1); break;
    case VIEW_RIGHT: case 'l': step(1); break;
    case VIEW_SHIFT_LEFT: case 'H': pan_half(1); break;
    case VIEW_SHIFT_RIGHT: case 'L': pan_half(0); break;
    case VIEW_HOME: case 'g': go_to(view_first_time(&state.input)); break;
    case VIEW_END: case 'G': go_to(view_last_time(&state.input)); break;
    case VIEW_UP: case 'k': move_rows(-1); break;
    case VIEW_DOWN: case 'j': move_rows(1); break;
    case VIEW_PAGE_UP: move_rows(-page); break;
    case VIEW_PAGE_DOWN: move_rows(page); break;
    case '+': case '=': zoom(0.5); break;
    case '-': zoom(2); break;
    case '0': fit(); break;
    case 'x': zoom_to_span(); break;
    case VIEW_ENTER: case ' ': toggle(); break;
    case '*': set_all_open(1); break;
    case '_': set_all_open(0); break;
    case VIEW_TAB: find_change(0); break;
    case VIEW_BACK_TAB: find_change(1); break;
    case ':': case 't': ask_time(); break;
    case '/': prompt(to_value); break;
    case 'c': prompt(to_container); break;
    case 'n': case 'N':
        if (state.search.name.size > 0)
            begin_search(state.finds_containers ? VIEW_CONTAINERS : VIEW_VALUES, key == 'N');
        else
            paje_addf(&state.message, "nothing was looked for yet: / or c");
        break;
    case 'd': state.shows_depths = !state.shows_depths; break;
    case 'i': state.shows_details = !state.shows_details; break;
    case 'f': state.follows = !state.follows; break;
    case '?': state.help = help; state.help_top = 0; break;
    case 'L' - '@': screen.is_new = 1; break;
    default: break;
    }
    return 1;
}

static void scroll_help(uint32_t key)
{
    size_t lines = 0;
    for (const char *at = help; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    if (key == VIEW_DOWN || key == VIEW_PAGE_DOWN)
        state.help_top += state.help_top + (size_t)screen.rows < lines;
    else if (key == VIEW_UP || key == VIEW_PAGE_UP)
        state.help_top -= state.help_top > 0;
    else
        state.help = NULL;
}

static int take_key(uint32_t key)
{
    state.message.size = 0;
    if (state.help) {
        scroll_help(key);
        return 1;
    }
    if (state.prompt) {
        edit(key);
        return 1;
    }
    if (state.is_searching)
        view_stop_scan(&state.input);
    state.is_searching = state.is_waiting = 0;
    return act(key);
}

/* ---- screens */

static void resize(void)
{
    int rows = 24, columns = 80;
    view_terminal_size(&rows, &columns);
    view_resize_screen(&screen, rows < LEAST_ROWS ? LEAST_ROWS : rows,
                       columns < LEAST_COLUMNS ? LEAST_COLUMNS : columns);
}

static void update(void)
{
    view_find_rows(&state);
    if (state.fits)
        fit();
    if (state.follows && view_last_time(&state.input) > state.start)
        pan(view_last_time(&state.input) - state.end);
    if (state.is_searching && state.input.state != VIEW_SCANNING)
        show_found();
    if (state.is_waiting && state.input.at_end)
        begin_search(state.search.what, 0);
    view_ask(&state.input, state.start, state.end, width());
}

static void draw(void)
{
    view_draw(&state, &screen);
    view_add_changes(&screen, &paje_output);
    paje_flush();
}

/* Anything that a screen may show. */
static uint64_t progress(void)
{
    return 8 * pajesim_count(&state.input.readers[VIEW_WHOLE].run.sim)->bytes + 2 * (uint64_t)state.input.state +
           (uint64_t)state.input.at_end;
}

static void look(void)
{
    double drawn = 0, took = 0;
    uint64_t shown = 0;
    int is_due = 1; /* a key was pressed */
    view_read(&state.input, first_seconds);
    for (;;) {
        double now = paje_seconds(), next = drawn + fmax(screen_seconds, screen_share * took);
        if (is_due || (shown != progress() && now >= next)) {
            update();
            double until = now + (is_due ? part_seconds : 0);
            while (state.input.state == VIEW_LOADING && paje_seconds() < until)
                view_read(&state.input, slice_seconds);
            shown = progress();
            draw();
            drawn = paje_seconds();
            took = drawn - now;
        }
        is_due = 0;
        int more = view_read(&state.input, slice_seconds);
        int waits = shown != progress() ? (int)(1e3 * fmax(0, next - paje_seconds())) + 1 : IDLE_MILLISECONDS;
        unsigned what = view_wait(view_waits_for(&state.input), more ? 0 : waits);
        if (what & VIEW_GONE)
            return;
        if (what & VIEW_RESIZED)
            resize();
        is_due = (what & (VIEW_KEYS | VIEW_RESIZED)) != 0;
        for (uint32_t key; (key = view_next_key()) != VIEW_NO_KEY;)
            if (!take_key(key))
                return;
    }
}

static void print_once(void)
{
    int columns = options.columns ? options.columns : ONCE_COLUMNS, rows;
    screen.colors = VIEW_NO_COLORS;
    state.is_once = 1;
    view_read_all(&state.input);
    view_find_rows(&state);
    rows = options.rows ? options.rows : (int)fmin((double)state.row_count, 100000) + 1;
    view_resize_screen(&screen, rows, columns);
    update();
    while (state.input.state == VIEW_LOADING)
        view_read(&state.input, 1);
    view_draw(&state, &screen);
    view_add_lines(&screen, &paje_output);
    view_add_legend(&paje_output, columns);
    paje_flush();
}

/* ---- options */

static const char *parse_screen(const char *argument)
{
    int end = 0;
    if (sscanf(argument, "%4dx%4d%n", &options.columns, &options.rows, &end) != 2 || argument[end] ||
        options.columns < LEAST_COLUMNS || options.rows < LEAST_ROWS || options.columns > MOST_CELLS ||
        options.rows > MOST_CELLS)
        return "no COLUMNSxROWS, from 20x4 to 1000x1000";
    return NULL;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const colors[] = {"none", "8", "256", "all"};
    (void)settings;
    switch (key) {
    case ONCE: options.once = 1; return NULL;
    case SIZE: return parse_screen(argument);
    case MEMORY:
        return paje_parse_size(argument, &options.memory) && options.memory >= 1 << 20 ? NULL : "no size of 1M or more";
    case COLORS:
        for (options.colors = 0; options.colors < 4; options.colors++)
            if (strcmp(argument, colors[options.colors]) == 0)
                return NULL;
        return "neither none, 8, 256 nor all";
    case 's': options.from_start = 1; return paje_parse_number(argument, &options.start) ? NULL : "no number";
    case 'e': options.to_end = 1; return paje_parse_number(argument, &options.end) ? NULL : "no number";
    default: return diagram_option(key, argument);
    }
}

static int view(const paje_settings *settings, char **names, int count)
{
    const char *refused = options.once ? NULL : view_refuse_terminal();
    if (refused)
        paje_usage(settings->plugin, "%s", refused);
    if (options.from_start && options.to_end && !(options.end > options.start))
        paje_usage(settings->plugin, "the end, -e, is not after the start, -s");
    screen.unicode = view_has_unicode();
    screen.colors = options.colors < 0 ? view_terminal_colors() : (view_colors)options.colors;
    view_open_input(&state.input, settings, count > 0 ? names[0] : "-", options.memory);
    state.fits = 1;
    if (options.once) {
        print_once();
    } else {
        view_open_terminal();
        resize();
        look();
        view_close_terminal();
    }
    const paje_run *run = &state.input.readers[VIEW_WHOLE].run;
    unsigned long long errors = pajesim_count(&run->sim)->errors + run->file_errors;
    if (errors == 0)
        return PAJE_WELL;
    paje_message("%s: %llu errors (see paje validate)", state.input.name, errors);
    return PAJE_ERRORS;
}

static const paje_option option_table[] = {
    {'s', "start", "TIME", "begin with the time from TIME on"},
    {'e', "end", "TIME", "begin with the time up to TIME"},
    {ONCE, "once", NULL, "print one screen as text, when the trace was read: also where there is no terminal"},
    {SIZE, "size", "COLUMNSxROWS", "of that screen; default: 100 columns, and all rows"},
    {MEMORY, "memory", "SIZE", "take no more memory, such as 64M, 1G; default: 512M"},
    {DIAGRAM_UNIT, "unit", "UNIT", "of the trace's times: s, ms, us or ns; default: s"},
    {DIAGRAM_COLORS, "colors", "WHOSE", "trace: those of the trace, where it has any; own: never, but distinct ones"},
    {COLORS, "terminal-colors", "COUNT", "of the terminal: none, 8, 256 or all, if it does not say so itself"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_view = {
    .name = "view",
    .summary = "Shows a trace in a terminal, to move and to search in",
    .details = "It starts at once, whatever the size of the trace, reads on meanwhile, and follows a trace\n"
               "that grows.  What there is no memory for is summed up, until one comes closer; an index of the trace\n"
               "(`paje index`) lets it begin anywhere at once.  ? tells about its keys.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .run = view,
};
