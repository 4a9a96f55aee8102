/* paje dump: prints every entity as a line of pj_dump, once it is complete. */
#include "dump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct {
    int header, flat, user_fields, precision, stops, processes, without_root, quiet, single, shows_seconds;
    int shows_types, shows_containers;
    const char *global_type, *type_file, *entity_file;
    double stop;
} options = {.precision = 6};

static int is_filtered;
static int shows_lines; /* of entities */
static output_file type_file, entity_file;

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
    if (!options.header || options.without_root || printed[entity->kind]++)
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
    if (!shows_lines || (options.without_root && entity->container == pajesim_root(sim) &&
                         entity->kind == PAJESIM_CONTAINER))
        return;
    print_header(sim, entity);
    pajesim_entity rounded;
    if (options.single && entity->kind == PAJESIM_VARIABLE) {
        rounded = *entity;
        rounded.number = dump_single(entity);
        entity = &rounded;
    }
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
    piece.open = 0; /* the state may go on, but its piece is complete */
    it->open = 0;
    print_piece(sim, &piece, &it->opening, closing);
}

static int state_began(pajesim *sim, const pajesim_entity *state)
{
    pajesim_entity below;
    if (options.global_type)
        dump_global_entity(sim, state);
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
    if (options.single && entity->kind == PAJESIM_CONTAINER)
        dump_single_forget(entity->container);
    return PAJESIM_GO_ON;
}

static int line(pajesim *sim, const pajesim_line *it)
{
    event = it->event;
    int timed = it->event >= PAJESIM_CREATE_CONTAINER && it->event != PAJESIM_TRACE_FILE;
    if (options.stops && timed && it->time > options.stop)
        return PAJESIM_STOP;
    if (options.shows_types)
        dump_note_alias(sim, it);
    if (options.single)
        dump_single_line(sim, it);
    if (options.global_type && timed)
        dump_global_time(sim, it->time);
    return PAJESIM_GO_ON;
}

/* ---- what is printed in place of the lines, or beside them */

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    dump_note_type(sim, type);
    return PAJESIM_GO_ON;
}

static int new_value(pajesim *sim, const pajesim_value_info *value)
{
    (void)sim;
    dump_note_value(value->type, value->alias, value->name);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    dump_add_container(sim, container->container);
    return PAJESIM_GO_ON;
}

/* Values of events and links that no line defines. */
static int value_used(pajesim *sim, const pajesim_entity *entity)
{
    if (options.type_file && entity->value == 0)
        dump_note_value(entity->type, entity->value_name, entity->value_name);
    if (options.global_type && !entity->open)
        dump_global_entity(sim, entity);
    return PAJESIM_GO_ON;
}

static int variable_changed(pajesim *sim, const pajesim_entity *variable)
{
    if (options.single)
        dump_single_changed(variable);
    if (options.global_type)
        dump_global_number(sim, variable, options.single ? dump_single(variable) : variable->number);
    return PAJESIM_GO_ON;
}

/* Callbacks that are not set cost nothing. */
static void begin(paje_run *run, int trace)
{
    (void)trace;
    pajesim_callbacks *callbacks = &run->callbacks;
    int keeps_containers = options.shows_containers || options.entity_file || options.global_type;
    is_filtered = paje_is_filtered(run->settings);
    shows_lines = !options.quiet && !options.shows_types && !options.shows_containers && !options.global_type;
    if (!options.flat && !options.global_type)
        callbacks->state_set = callbacks->state_pushed = NULL;
    if (!options.flat)
        callbacks->state_popped = NULL;
    if (!options.stops && !options.user_fields && !options.shows_types && !options.single && !options.global_type)
        callbacks->line = NULL;
    if (!options.shows_types)
        callbacks->new_type = NULL;
    if (!options.type_file) {
        callbacks->new_value = NULL;
        callbacks->link_started = callbacks->link_ended = NULL;
    }
    if (!options.type_file && !options.global_type)
        callbacks->event = NULL;
    if (!options.global_type)
        callbacks->link_completed = NULL;
    if (!keeps_containers)
        callbacks->container_created = NULL;
    if (!options.single && !options.global_type)
        callbacks->variable_set = callbacks->variable_updated = NULL;
    if (options.global_type)
        dump_set_global(options.global_type, options.precision, is_filtered && !run->settings->alias);
    if (options.type_file)
        output_open(&type_file, options.type_file, OUTPUT_WHOLE);
    if (options.entity_file)
        output_open(&entity_file, options.entity_file, OUTPUT_WHOLE);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    text_buffer text = {0};
    if (options.shows_seconds) {
        text_printf(&stream_output, "%f", run->seconds);
        stream_end_line();
    }
    if (options.shows_types)
        dump_print_type_graph(&run->sim);
    else if (options.shows_containers)
        dump_print_containers(&run->sim);
    stream_flush(); /* a table may go to standard output as well */
    if (options.type_file) {
        dump_put_types(&text, &run->sim);
        output_write(&type_file, &text);
        output_close(&type_file, 1);
    }
    if (options.entity_file) {
        dump_put_entities(&text, &run->sim);
        output_write(&entity_file, &text);
        output_close(&entity_file, 1);
    }
    text_free(&text);
}

/* ---- options */

enum { TYPE_FILE = PAJE_LONG_ONLY, ENTITY_FILE, SINGLE };

static const char *option(int key, const char *argument, paje_settings *settings)
{
    double number;
    switch (key) {
    case 'h': options.header = 1; break;
    case 'i': options.flat = 1; break;
    case 'u': options.user_fields = 1; break;
    case 'o': options.without_root = 1; break;
    case 'q': options.quiet = 1; break;
    case 't': options.shows_seconds = 1; break;
    case 'c': options.shows_containers = 1; break;
    case 'd': options.shows_types = 1; break;
    case 'p': options.global_type = argument; break;
    case 'f': break; /* there is one reader only */
    case 'v': paje_print_version(); stream_flush(); exit(EXIT_OK);
    case TYPE_FILE: options.type_file = argument; break;
    case ENTITY_FILE: options.entity_file = argument; break;
    case SINGLE: options.single = 1; break;
    case 'F': settings->follow = 1; break;
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
    int needs_all = options.flat || options.header || options.stops || options.single || options.shows_seconds ||
                    options.shows_types || options.shows_containers || options.global_type || options.type_file ||
                    options.entity_file;
    if (settings->parts) {
        if (options.processes > 1 || settings->follow)
            paje_usage(settings->command, "--part is the share of one process: it takes no -j and no -F");
        if (options.shows_types || options.shows_containers || options.type_file || options.entity_file)
            paje_usage(settings->command, "--part is of lines: it takes no -c, -d, --type-hierarchy, "
                                          "--entity-hierarchy");
        return paje_replay_part(settings, name, needs_all ? &settings->callbacks : NULL, NULL);
    }
    if (needs_all || !is_part)
        return paje_replay(settings, name, 0);
    return paje_replay_range(settings, name, from, to, options.processes, forget_line);
}

static const paje_option option_table[] = {
    {'h', "header", NULL, "name the columns, before the first line of each kind"},
    {'i', "no-imbrication", NULL, "only the top of a stack of states is open: a push ends the state below"},
    {'u', "user-defined", NULL, "append user fields, but no standard ones such as File; of both lines, in their order"},
    {'q', "quiet", NULL, "print no lines: only replay the trace, and print what other options ask for"},
    {'o', "out-of-core", NULL, "leave out the line of the root, and -h, as pj_dump -o; memory is small in any case"},
    {'l', "float-precision", "N", "decimals, except on container lines; default: 6"},
    {'j', "jobs", "N", "N processes share the work, best with an index; the output is the same"},
    {'a', "stop-at", "TIME", "stop before the first line later than TIME; all but links that are open end there"},
    {'F', "follow", NULL, "wait for more lines at the end of the file, until interrupted"},
    {SINGLE, "single", NULL, "values of variables in single precision, as pj_dump has them"},
    {TYPE_FILE, "type-hierarchy", "FILE", "write a table of types and values to FILE: Parent, Name, Nature"},
    {ENTITY_FILE, "entity-hierarchy", "FILE", "write a table of containers and their types to FILE, at the end"},
    {'c', "containers", NULL, "print the tree of containers in place of the lines"},
    {'d', "dot", NULL, "print the tree of types in place of the lines, for Graphviz"},
    {'p', "probabilistic", "TYPE", "print the values of that type in all containers, for each interval between events"},
    {'t', "time", NULL, "print how many seconds the replay took, after the lines"},
    {'f', "flex", NULL, "as without: there is only one reader here"},
    {'v', "version", NULL, "print the versions of the tool and of its header"},
    {0, NULL, NULL, NULL},
};

/* ---- called as pj_dump */

static int result_of_pj_dump(int status)
{
    return status == EXIT_ERRORS && !paje_pajeng_errors ? EXIT_OK : status;
}

static void begin_pj_dump(paje_settings *settings)
{
    options.single = 1;
    settings->simulation.remembered = PAJE_PAJENG_REMEMBERED;
    settings->callbacks.problem = paje_show_problem_of_pajeng;
}

static const paje_alias pj_dump = {
    .name = "pj_dump", .options = option_table, .filters = PAJE_TIME_FILTER | PAJE_SEES_ALL | PAJE_FROM_INDEX,
    .begin = begin_pj_dump, .result = result_of_pj_dump,
};

const paje_command command_dump = {
    .name = "dump",
    .alias = &pj_dump,
    .summary = "Prints every entity as a line, as pj_dump does, as soon as it is complete",
    .details = "  Container, PARENT, TYPE, START, END, DURATION, NAME\n"
               "  State, CONTAINER, TYPE, START, END, DURATION, IMBRICATION, VALUE\n"
               "  Variable, CONTAINER, TYPE, START, END, DURATION, VALUE\n"
               "  Event, CONTAINER, TYPE, TIME, VALUE\n"
               "  Link, CONTAINER, TYPE, START, END, DURATION, VALUE, FROM, TO, KEY\n\n"
               "-i: a push ends the state below, and a pop begins it again.  -c, -p and --entity-hierarchy keep\n"
               "all containers in memory.  -c, -d and both hierarchies are those of the whole trace, whatever\n"
               "the filters choose.  Called as pj_dump, through a symbolic link, it is --single, and\n"
               "--container is -c.",
    .traces = 1,
    .trials = "FILE\n-u FILE\n--strict FILE\n-i -h -s 2 -e 7 FILE\n-a 5 -l 15 FILE\n--container p --type S FILE\n"
              "--container [ph]* --type *a* --unit ms FILE\n-s 0.001 -e 0.0011 FILE\n-j 2 FILE\n--part 2/3 FILE\n"
              "-p S FILE\n-o -q --single --type-hierarchy OUT FILE\n--entity-hierarchy OUT FILE\n-c FILE\n-d FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_PARTS | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .begin = begin,
    .end = end,
    .run = run_dump,
    .callbacks = {.line = line, .new_type = new_type, .new_value = new_value, .container_created = container_created,
                  .state_set = state_began, .state_pushed = state_began, .state_popped = state_popped,
                  .variable_set = variable_changed, .variable_updated = variable_changed, .link_started = value_used,
                  .link_ended = value_used, .link_completed = value_used, .event = value_used, .closed = closed},
};
