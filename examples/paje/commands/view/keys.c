/* What keys do: move, open and close containers, search, ask for a time or a name. */
#include "view.h"
#include "base/utf8.h"

#include <math.h>

static const char help[] =
    "paje view                                                 (up, down: scroll; any other key: back)\n"
    "\n"
    "  left right, h l       a column left, right      tab, shift-tab   next, previous change of the row\n"
    "  shift-left/right, H L half a screen             /                find states or events by name\n"
    "  home end, g G         first, last time          c                find a container by name\n"
    "  : t                   go to a time              n N              find the next, the previous match\n"
    "  + -                   zoom in, out              enter, space     open or close the container\n"
    "  0                     show all of the trace     * _              open, close all containers\n"
    "  x                     zoom to what is there     d                a row for each depth of states\n"
    "  up down, k j          a row up, down            i                details: stacks, events, links\n"
    "  page up, page down    a screen up, down         f                follow a growing trace\n"
    "  ctrl-L                redraw                    q                quit\n"
    "\n"
    "The line of a container shows its first type of states; its other rows follow.  A closed container shows the\n"
    "states of all containers below it.  A column shows the innermost state that takes most of its time.\n"
    "Bars show variables, from the least to the greatest value of their type.\n";

/* ---- moving */

static void pan_half(view_state *state, int back)
{
    double by = (back ? -1 : 1) * (state->end - state->start) / 2;
    view_pan(state, by);
    state->time += by;
}

static const view_row *current_row(view_state *state)
{
    return &state->rows.items[state->at];
}

static void move_rows(view_state *state, long by)
{
    long last = (long)state->rows.count - 1, at = (long)state->at + by;
    state->at = (size_t)(at < 0 ? 0 : at > last ? last : at);
}

static void toggle(view_state *state)
{
    view_tree *tree = state->input.tree;
    view_node *node = &tree->nodes.items[current_row(state)->node];
    node->is_open = !node->is_open;
    view_find_rows(state);
}

static void set_all_open(view_state *state, int is_open)
{
    view_tree *tree = state->input.tree;
    for (size_t i = 1; i < tree->nodes.count; i++)
        tree->nodes.items[i].is_open = is_open;
    view_find_rows(state);
}

/* Moves the cursor to a row, and opens the containers around it. */
static void show_row(view_state *state, uint32_t node, const view_band *band)
{
    view_tree *tree = state->input.tree;
    for (uint32_t up = tree->nodes.items[node].parent; up; up = tree->nodes.items[up].parent)
        tree->nodes.items[up].is_open = 1;
    if (band && band != view_bands_of(tree, node))
        tree->nodes.items[node].is_open = 1;
    view_find_rows(state);
    size_t head = MAP_NONE;
    for (size_t i = 0; i < state->rows.count; i++)
        if (state->rows.items[i].node == node && (head == MAP_NONE || state->rows.items[i].band == band)) {
            head = i;
            if (state->rows.items[i].band == band)
                break;
        }
    if (head != MAP_NONE)
        state->at = head;
}

/* ---- finding */

void view_show_found(view_state *state)
{
    const view_search *search = &state->search;
    state->is_searching = 0;
    text_clear(&state->message);
    state->is_waiting = !search->found && !search->back && search->what != VIEW_CONTAINERS && !state->input.at_end;
    if (!search->found) {
        text_puts(&state->message, search->back         ? "no match before the cursor"
                                   : !state->is_waiting ? "no match after the cursor"
                                                        : "no match yet: searched again at the end of the trace");
        return;
    }
    show_row(state, search->node, search->band);
    if (search->band)
        view_go_to(state, search->start);
}

void view_begin_search(view_state *state, view_aim what, int back)
{
    view_search *search = &state->search;
    search->what = what;
    search->back = back;
    search->from = state->time;
    search->of_node = current_row(state)->node;
    search->of_band = current_row(state)->band;
    if (view_find(search, &state->input.readers[VIEW_WHOLE].store, state->input.index != NULL)) {
        view_show_found(state);
        return;
    }
    view_scan(&state->input, search);
    state->is_searching = 1;
    state->is_waiting = 0;
    text_puts(&state->message, "searching; any key stops it");
}

static void find_change(view_state *state, int back)
{
    if (current_row(state)->band)
        view_begin_search(state, VIEW_CHANGES, back);
    else
        text_puts(&state->message, "this row has no changes");
}

/* Shows the innermost entity below the cursor, with a tenth of its length on either side. */
static void zoom_to_span(view_state *state)
{
    const view_store *store = view_best_store(&state->input, state->start, state->end);
    const view_row *row = current_row(state);
    view_span span;
    for (uint32_t depth = row->band ? row->band->depth + 1 : 0; depth-- > 0;)
        if (view_span_at(store, row->node, row->band, depth, state->time, &span) && span.end > span.start) {
            double length = span.end - span.start;
            view_set_window(state, span.start - 0.1 * length, 1.2 * length);
            return;
        }
    text_puts(&state->message, store->bin > 0 ? "summed up at this scale: zoom in first" : "nothing here takes time");
}

/* ---- prompts */

static void prompt(view_state *state, view_question question)
{
    state->question = question;
    text_clear(&state->answer);
    text_clear(&state->prompt);
    if (question == VIEW_ASK_TIME)
        text_printf(&state->prompt, "go to time, in %s (or with a unit, such as 20 ms): ", view_unit(state)->name);
    else
        text_printf(&state->prompt, "find %s named: ", question == VIEW_ASK_VALUE ? "states and events" : "containers");
}

/* The unit of that name; NULL: there is none. */
static const time_unit *parse_unit(pajesim_text name)
{
    static const time_unit more_units[] = {{"\xc2\xb5s", 1e-6}, {"h", 3600}, {"d", 86400}};
    for (size_t i = 0; i < sizeof more_units / sizeof *more_units; i++)
        if (text_is_equal(name, text_of(more_units[i].name)))
            return &more_units[i];
    return unit_named(name);
}

/* Parses a number and perhaps a unit; without one it is in the unit of the axis. */
static int parse_time(view_state *state, pajesim_text text, double *time)
{
    size_t end = text.size;
    while (end > 0 && !(text.bytes[end - 1] >= '0' && text.bytes[end - 1] <= '9') && text.bytes[end - 1] != '.')
        end--;
    size_t name = end;
    while (name < text.size && text.bytes[name] == ' ')
        name++;
    const time_unit *unit = view_unit(state);
    if (name < text.size)
        unit = parse_unit((pajesim_text){text.bytes + name, text.size - name});
    if (!unit || !pajesim_number(text.bytes, end, time))
        return 0;
    *time *= unit->seconds / state->seconds;
    return 1;
}

/* Does what the prompt asked for, with the text that was typed. */
static void take_answer(view_state *state)
{
    double time;
    pajesim_text text = text_view(&state->answer);
    view_question question = state->question;
    state->question = VIEW_ASK_NOTHING;
    if (text.size == 0)
        return;
    if (question == VIEW_ASK_TIME) {
        if (parse_time(state, text, &time) && fabs(time) < 1e150)
            view_go_to(state, time);
        else
            text_puts(&state->message, "not a time: type a number, and perhaps a unit: ns, us, ms, s, h or d");
        return;
    }
    text_clear(&state->search.name);
    text_append(&state->search.name, text);
    state->finds_containers = question == VIEW_ASK_CONTAINER;
    view_begin_search(state, state->finds_containers ? VIEW_CONTAINERS : VIEW_VALUES, 0);
}

/* Edits the text at the prompt. */
static void edit(view_state *state, uint32_t key)
{
    text_buffer *text = &state->answer;
    if (key == VIEW_ENTER)
        take_answer(state);
    else if (key == VIEW_ESCAPE || (key == VIEW_BACKSPACE && text->size == 0))
        state->question = VIEW_ASK_NOTHING;
    else if (key == VIEW_BACKSPACE)
        while (text->size > 0 && utf8_continues(text->bytes[--text->size]))
            continue;
    else if (key >= ' ' && key < VIEW_UP && text->size < 200)
        text_put_character(text, key);
}

/* ---- keys */

/* Does what a key asks for, outside of prompts and the help.  Returns 0 to quit. */
static int act(view_state *state, uint32_t key)
{
    int page = view_body_rows(state, &state->screen) - 1;
    switch (key) {
    case 'q': return 0;
    case VIEW_LEFT: case 'h': view_step(state, -1); break;
    case VIEW_RIGHT: case 'l': view_step(state, 1); break;
    case VIEW_SHIFT_LEFT: case 'H': pan_half(state, 1); break;
    case VIEW_SHIFT_RIGHT: case 'L': pan_half(state, 0); break;
    case VIEW_HOME: case 'g': view_go_to(state, view_first_time(&state->input)); break;
    case VIEW_END: case 'G': view_go_to(state, view_last_time(&state->input)); break;
    case VIEW_UP: case 'k': move_rows(state, -1); break;
    case VIEW_DOWN: case 'j': move_rows(state, 1); break;
    case VIEW_PAGE_UP: move_rows(state, -page); break;
    case VIEW_PAGE_DOWN: move_rows(state, page); break;
    case '+': case '=': view_zoom(state, 0.5); break;
    case '-': view_zoom(state, 2); break;
    case '0': view_fit(state); break;
    case 'x': zoom_to_span(state); break;
    case VIEW_ENTER: case ' ': toggle(state); break;
    case '*': set_all_open(state, 1); break;
    case '_': set_all_open(state, 0); break;
    case VIEW_TAB: find_change(state, 0); break;
    case VIEW_BACK_TAB: find_change(state, 1); break;
    case ':': case 't': prompt(state, VIEW_ASK_TIME); break;
    case '/': prompt(state, VIEW_ASK_VALUE); break;
    case 'c': prompt(state, VIEW_ASK_CONTAINER); break;
    case 'n': case 'N':
        if (state->search.name.size > 0)
            view_begin_search(state, state->finds_containers ? VIEW_CONTAINERS : VIEW_VALUES, key == 'N');
        else
            text_puts(&state->message, "no search yet: / finds states and events, c containers");
        break;
    case 'd': state->shows_depths = !state->shows_depths; break;
    case 'i': state->shows_details = !state->shows_details; break;
    case 'f': state->follows = !state->follows; break;
    case '?': state->help = help; state->help_top = 0; break;
    case 'L' - '@': state->screen.is_new = 1; break;
    default: break;
    }
    return 1;
}

static void scroll_help(view_state *state, uint32_t key)
{
    size_t lines = 0;
    for (const char *at = help; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    if (key == VIEW_DOWN || key == VIEW_PAGE_DOWN)
        state->help_top += state->help_top + (size_t)state->screen.rows < lines;
    else if (key == VIEW_UP || key == VIEW_PAGE_UP)
        state->help_top -= state->help_top > 0;
    else
        state->help = NULL;
}

int view_take_key(view_state *state, uint32_t key)
{
    text_clear(&state->message);
    if (state->help) {
        scroll_help(state, key);
        return 1;
    }
    if (state->question != VIEW_ASK_NOTHING) {
        edit(state, key);
        return 1;
    }
    if (state->is_searching)
        view_stop_scan(&state->input);
    state->is_searching = state->is_waiting = 0;
    return act(state, key);
}
