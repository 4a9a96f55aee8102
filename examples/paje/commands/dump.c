/* paje dump: prints every entity as a line of pj_dump, once it is complete. */
#include "command.h"

#include <math.h>
#include <string.h>

static struct {
    int header, flat, user_fields, precision, stops, processes;
    double stop;
} options = {.precision = 6};

static int is_filtered;

/* ---- what is printed */

/* Prints the names of the columns before the first line of each kind, exactly as pj_dump does, with its mistakes. */
static void print_header(const pajesim *sim, const pajesim_entity *entity)
{
    static const char *const headers[] = {
        [PAJESIM_CONTAINER] = "Container, Parent, Type, Start, End, Duration, Name",
        [PAJESIM_STATE] = "State, Container, Type, Start, End, Duration, Imbrication, Value",
        [PAJESIM_EVENT] = "Event, Container, Variable, Value, Start, Value",
        [PAJESIM_VARIABLE] = "Variable, Container, Type, Start, End, Duration, Value",
        [PAJESIM_LINK] = "Link, Container, Type, Start, End, Duration, Value, StartContainer, EndContainer",
    };
    static int printed[PAJESIM_LINK + 1];
    if (!options.header || printed[entity->kind]++)
        return;
    text_put(&stream_output, headers[entity->kind], strlen(headers[entity->kind]));
    if (options.user_fields)
        paje_format_user_field_names(&stream_output, sim, entity);
    stream_end_line();
}

/* `opening`: user fields of the line that began a piece of a state, `closing`: of the line that ended it; NULL: take
 * those of the entity. */
static void print_piece(const pajesim *sim, const pajesim_entity *entity, const text_buffer *opening,
                        const pajesim_fields *closing)
{
    if (is_filtered && !paje_shows(sim, entity))
        return;
    print_header(sim, entity);
    paje_format_entity(&stream_output, sim, entity, options.precision);
    if (options.user_fields && !opening)
        paje_format_user_fields(&stream_output, sim, entity);
    if (options.user_fields && opening) {
        text_put(&stream_output, opening->bytes, opening->size);
        paje_format_fields(&stream_output, sim, closing);
    }
    stream_end_line();
}

/* ---- without imbrication: only the top of each stack of states is open */

typedef struct top {
    int open;
    uint32_t depth;
    pajesim_time since;
    text_buffer opening; /* user fields of the line that put it there, formatted */
} top;

static hash_map stacks; /* container and type */
static array_of(top) tops;

static top *top_of(const pajesim_entity *state)
{
    pajesim_ref key[2] = {state->container, state->type};
    return array_at(&tops, map_add(&stacks, key, sizeof key));
}

static void open_top(const pajesim *sim, const pajesim_entity *state, uint32_t depth, pajesim_time since,
                     const pajesim_fields *fields)
{
    top *it = top_of(state);
    it->open = 1;
    it->depth = depth;
    it->since = since;
    it->opening.size = 0;
    if (options.user_fields)
        paje_format_fields(&it->opening, sim, fields);
}

/* Prints the piece of the state that ends now, if the state is on top. */
static void close_top(const pajesim *sim, const pajesim_entity *state, pajesim_time end, const pajesim_fields *closing)
{
    top *it = top_of(state);
    if (!it->open || it->depth != state->imbrication)
        return;
    pajesim_entity piece = *state;
    piece.start = it->since;
    piece.end = end;
    it->open = 0;
    print_piece(sim, &piece, &it->opening, closing);
}

static int state_began(pajesim *sim, const pajesim_entity *state)
{
    pajesim_entity below;
    if (!options.flat)
        return PAJESIM_GO_ON;
    if (state->imbrication > 0 &&
        pajesim_open_entity(sim, state->container, state->type, state->imbrication - 1, &below))
        close_top(sim, &below, state->start, &state->opening);
    open_top(sim, state, state->imbrication, state->start, &state->opening);
    return PAJESIM_GO_ON;
}

static int state_popped(pajesim *sim, const pajesim_entity *state)
{
    if (options.flat && state->imbrication > 0)
        open_top(sim, state, state->imbrication - 1, state->end, &state->closing);
    return PAJESIM_GO_ON;
}

/* ---- the rest */

static pajesim_event event; /* the event of the current line */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (options.flat && entity->kind == PAJESIM_STATE) {
        close_top(sim, entity, entity->end, &entity->closing);
    } else if (entity->kind == PAJESIM_LINK && event == PAJESIM_START_LINK) {
        pajesim_entity link = *entity; /* pj_dump prints user fields in the order of the lines */
        link.opening = entity->closing;
        link.closing = entity->opening;
        print_piece(sim, &link, NULL, NULL);
    } else {
        print_piece(sim, entity, NULL, NULL);
    }
    return PAJESIM_GO_ON;
}

static int line(pajesim *sim, const pajesim_line *it)
{
    (void)sim;
    event = it->event;
    int timed = it->event >= PAJESIM_CREATE_CONTAINER && it->event != PAJESIM_TRACE_FILE;
    return options.stops && timed && it->time > options.stop ? PAJESIM_STOP : PAJESIM_GO_ON;
}

/* Callbacks that are not set cost nothing. */
static void begin(paje_run *run, int trace)
{
    (void)trace;
    is_filtered = paje_is_filtered(run->settings);
    if (!options.flat)
        run->callbacks.state_set = run->callbacks.state_pushed = run->callbacks.state_popped = NULL;
    if (!options.stops && !options.user_fields)
        run->callbacks.line = NULL;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    switch (key) {
    case 'h': options.header = 1; break;
    case 'i': options.flat = 1; break;
    case 'u': options.user_fields = 1; break;
    case 'f': settings->follow = 1; break;
    case 'l':
        if (!paje_parse_number(argument, &number) || !(number >= 0 && number <= 1000))
            return "no number of decimals";
        options.precision = (int)number;
        break;
    case 'j':
        if (!paje_parse_number(argument, &number) || !(number >= 1 && number <= 1024))
            return "no number of processes";
        options.processes = (int)number;
        break;
    default:
        options.stops = settings->stops = 1;
        settings->simulation.ignore_links = 1; /* their other ends may come after the stop */
        if (!paje_parse_number(argument, &options.stop))
            return "no number";
        settings->stop_time = options.stop;
    }
    return NULL;
}

/* ---- in parts */

static void forget_line(void)
{
    event = PAJESIM_UNKNOWN_EVENT;
}

static int run_dump(const paje_settings *settings, char **names, int count)
{
    const char *name = count ? names[0] : "-";
    const paje_filter *filter = &settings->filter;
    double from = filter->has_start ? filter->start : -HUGE_VAL, to = filter->has_end ? filter->end : HUGE_VAL;
    /* These options depend on entities outside of the window or part. */
    int is_part = filter->has_start || filter->has_end || options.processes > 1;
    if (options.flat || options.header || options.stops || !is_part)
        return paje_replay(settings, name, 0);
    return paje_replay_range(settings, name, from, to, options.processes, forget_line);
}

static const paje_option option_table[] = {
    {'h', "header", NULL, "name the columns, before the first line of each kind"},
    {'i', "no-imbrication", NULL, "only the top of a stack of states is open: a push ends the state below"},
    {'u', "user-defined", NULL, "append user fields: of the line that starts an entity, then of its end"},
    {'l', "float-precision", "N", "decimals, except on container lines; default: 6"},
    {'j', "jobs", "N", "N processes share the work, best with an index; the output is the same"},
    {'a', "stop-at", "TIME", "stop before the first line later than TIME; all but links that are open end there"},
    {'f', "follow", NULL, "wait for more lines at the end of the file, until interrupted"},
    {0, NULL, NULL, NULL},
};

const paje_command command_dump = {
    .name = "dump",
    .summary = "Prints every entity as a line, as pj_dump does, as soon as it is complete",
    .details = "  Container, PARENT, TYPE, START, END, DURATION, NAME\n"
               "  State, CONTAINER, TYPE, START, END, DURATION, IMBRICATION, VALUE\n"
               "  Variable, CONTAINER, TYPE, START, END, DURATION, VALUE\n"
               "  Event, CONTAINER, TYPE, TIME, VALUE\n"
               "  Link, CONTAINER, TYPE, START, END, DURATION, VALUE, FROM, TO, KEY\n\n"
               "-i: a push ends the state below, and a pop begins it again.",
    .traces = 1,
    .trials = "FILE\n-u FILE\n--strict FILE\n-i -h -s 2 -e 7 FILE\n-a 5 -l 15 FILE\n--container p --type S FILE\n"
              "--container [ph]* --type *a* --unit ms FILE\n-s 0.001 -e 0.0011 FILE\n-j 2 FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .begin = begin,
    .run = run_dump,
    .callbacks = {.line = line, .state_set = state_began, .state_pushed = state_began, .state_popped = state_popped,
                  .closed = closed},
};
