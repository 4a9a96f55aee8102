/* paje dump: every entity as a line of pj_dump, once it is complete. */
#include "paje.h"

#include <math.h>
#include <string.h>

enum { CONTAINER = PAJE_LONG_ONLY, TYPE };

static struct {
    int header, flat, user_fields, precision, from, to, stops, processes;
    double start, end, stop;
    paje_set containers, types; /* names to choose; empty: all */
} options = {.precision = 6};

/* ---- what is printed */

static int is_chosen(const pajesim *sim, const pajesim_entity *entity)
{
    if (options.types.count && !paje_set_names(&options.types, sim, entity->type))
        return 0;
    if (options.containers.count && !paje_set_names(&options.containers, sim, entity->container))
        return entity->kind == PAJESIM_LINK && (paje_set_names(&options.containers, sim, entity->start_container) ||
                                                paje_set_names(&options.containers, sim, entity->end_container));
    return 1;
}

static int is_in_window(const pajesim_entity *entity)
{
    return !(options.from && entity->end < options.start) && !(options.to && entity->start > options.end);
}

/* The names of the columns as pj_dump gives them, slips included, before the first line of each kind. */
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
    paje_add(&paje_output, headers[entity->kind], strlen(headers[entity->kind]));
    if (options.user_fields)
        paje_format_user_field_names(&paje_output, sim, entity);
    paje_end_line();
}

/* `opening`, if there is one, are the user fields of the line that began the piece of a state, and `closing` those of
 * the line that ended it. */
static void print_piece(const pajesim *sim, const pajesim_entity *entity, const paje_buffer *opening,
                        const pajesim_fields *closing)
{
    if (!is_chosen(sim, entity))
        return;
    print_header(sim, entity);
    if (!is_in_window(entity))
        return;
    paje_format_entity(&paje_output, sim, entity, options.precision);
    if (options.user_fields && !opening)
        paje_format_user_fields(&paje_output, sim, entity);
    if (options.user_fields && opening) {
        paje_add(&paje_output, opening->bytes, opening->size);
        paje_format_fields(&paje_output, sim, closing);
    }
    paje_end_line();
}

/* ---- without imbrication: only the top of each stack of states is open */

typedef struct top {
    int open;
    uint32_t depth;
    pajesim_time since;
    paje_buffer opening; /* user fields of the line that put it there, as they are printed */
} top;

static paje_set stacks; /* container and type */
static top *tops;

static top *top_of(const pajesim_entity *state)
{
    pajesim_ref key[2] = {state->container, state->type};
    size_t room = stacks.room, at = paje_set_add(&stacks, key, sizeof key);
    if (stacks.room != room) {
        tops = paje_room(tops, stacks.room * sizeof *tops);
        memset(tops + room, 0, (stacks.room - room) * sizeof *tops);
    }
    return &tops[at];
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

/* Prints what of the state was on top until now, if it was. */
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

static pajesim_event event; /* of the line that is simulated */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (options.flat && entity->kind == PAJESIM_STATE) {
        close_top(sim, entity, entity->end, &entity->closing);
    } else if (entity->kind == PAJESIM_LINK && event == PAJESIM_START_LINK) {
        pajesim_entity link = *entity; /* pj_dump prints the user fields in the order of the lines */
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

/* What is not listened to costs nothing. */
static void begin(paje_run *run, int trace)
{
    (void)trace;
    if (!options.flat)
        run->callbacks.state_set = run->callbacks.state_pushed = run->callbacks.state_popped = NULL;
    if (!options.stops && !options.user_fields)
        run->callbacks.line = NULL;
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char no_number[] = "no number";
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
    case 's': options.from = 1; return paje_parse_number(argument, &options.start) ? NULL : no_number;
    case 'e': options.to = 1; return paje_parse_number(argument, &options.end) ? NULL : no_number;
    case 'a':
        options.stops = settings->stops = 1;
        settings->simulation.ignore_links = 1; /* their other ends may come later */
        if (!paje_parse_number(argument, &options.stop))
            return no_number;
        settings->stop_time = options.stop;
        break;
    case CONTAINER: paje_set_add(&options.containers, argument, strlen(argument)); break;
    default: paje_set_add(&options.types, argument, strlen(argument)); break;
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
    double from = options.from ? options.start : -HUGE_VAL, to = options.to ? options.end : HUGE_VAL;
    /* Some options look at more than the entities of a window, or of a part. */
    if (options.flat || options.header || options.stops || !(options.from || options.to || options.processes > 1))
        return paje_replay(settings, name, 0);
    return paje_replay_range(settings, name, from, to, options.processes, forget_line);
}

static const paje_option option_table[] = {
    {'h', "header", NULL, "name the columns, before the first line of each kind"},
    {'i', "no-imbrication", NULL, "only the top of a stack of states is open: a push ends what is below"},
    {'u', "user-defined", NULL, "append user fields: of the line that starts an entity, then of its end"},
    {'l', "float-precision", "N", "decimals, but for those of container lines; default: 6"},
    {'s', "start", "TIME", "only entities that end at TIME or later"},
    {'e', "end", "TIME", "only entities that start at TIME or before"},
    {'j', "jobs", "N", "N processes share the work, best with an index; the output is the same"},
    {'a', "stop-at", "TIME", "stop before the first line later than TIME; what is open ends there, but for links"},
    {'f', "follow", NULL, "wait for more at the end of a file that grows, until interrupted"},
    {CONTAINER, "container", "NAME", "only containers of that name or alias, what they bear, and their links"},
    {TYPE, "type", "NAME", "only entities of types of that name or alias"},
    {0, NULL, NULL, NULL},
};

const paje_plugin paje_dump = {
    .name = "dump",
    .summary = "Prints every entity as a line, as pj_dump does, as soon as it is complete",
    .details = "  Container, PARENT, TYPE, START, END, DURATION, NAME\n"
               "  State, CONTAINER, TYPE, START, END, DURATION, IMBRICATION, VALUE\n"
               "  Variable, CONTAINER, TYPE, START, END, DURATION, VALUE\n"
               "  Event, CONTAINER, TYPE, TIME, VALUE\n"
               "  Link, CONTAINER, TYPE, START, END, DURATION, VALUE, FROM, TO, KEY\n\n"
               "-i: a push ends what is below, for a while; a pop resumes it.  -s, -e: nothing is clipped.\n"
               "--container, --type: several may be given, of which one must fit.",
    .traces = 1,
    .options = option_table,
    .option = option,
    .begin = begin,
    .run = run_dump,
    .callbacks = {.line = line, .state_set = state_began, .state_pushed = state_began, .state_popped = state_popped,
                  .closed = closed},
};
