/* paje profile: counts and times of each container, type and value.  Like du, prints a container when it is complete,
 * after its children, and frees it. */
#include "profile.h"

#include <math.h>
#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, DEPTH, OWN, SORT };

profile_settings profile_options = {.depth = SIZE_MAX};

static const paje_settings *settings;
static interval range; /* -s and -e */

static void finish_node(pajesim *sim, node *it, pajesim_ref container)
{
    static text_buffer path;
    pajesim_ref parent = pajesim_parent(sim, container);
    text_clear(&path);
    paje_put_path(&path, sim, container);
    const place where = {text_view(&path), pajesim_alias(sim, container)};
    const paje_run *run = pajesim_data(sim);
    if (run->settings->is_part) {
        profile_keep_ended(it, &where, parent ? pajesim_serial(sim, parent) : PROFILE_ROOT);
        profile_free_node(it);
        return;
    }
    if (parent && !profile_options.own) {
        node *to = profile_node_of(sim, parent);
        for (size_t i = 0; i < it->rows.count; i++)
            profile_add_row(profile_row_of(to, it->rows.items[i].class), &it->rows.items[i]);
    }
    profile_print_node(&where, it);
    profile_free_node(it);
}

/* Containers that --type does not choose are counted, as shares need their lifetimes, but not printed. */
static int is_counted(const pajesim *sim, const pajesim_entity *entity)
{
    return paje_shows(sim, entity) ||
           (entity->kind == PAJESIM_CONTAINER && paje_shows_container(sim, entity->container));
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_entity below;
    interval part;
    node *in = profile_node_of(sim, entity->container);
    pajesim_entity counted = *entity;
    if (!in)
        return PAJESIM_GO_ON;
    if (entity->kind == PAJESIM_CONTAINER && entity->container == pajesim_root(sim))
        counted.start = paje_in_seconds(settings, pajesim_count(sim)->first); /* not 0: where the trace begins */
    if (is_counted(sim, &counted) && interval_clip(&counted, &range, &part)) {
        profile_count(profile_row_of(in, profile_class_of(sim, entity)), entity, &part);
        if (entity->kind == PAJESIM_STATE && entity->imbrication > 0 &&
            pajesim_open_entity(sim, entity->container, entity->type, entity->imbrication - 1, &below)) {
            row *under = profile_row_of(in, profile_class_of(sim, &below));
            /* It begins later than the state in it if times are not in order. */
            double start = fmax(part.start, paje_in_seconds(settings, below.start));
            sum_add(&under->exclusive, -fmax(part.end - start, 0));
        }
    }
    if (entity->kind == PAJESIM_CONTAINER && profile_has_own_node(sim, entity->container))
        finish_node(sim, in, entity->container);
    return PAJESIM_GO_ON;
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    settings = run->settings;
    range = interval_of(settings);
    profile_print_header();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    paje_suggest_unit(run);
    if (profile_options.format == PROFILE_JSON) {
        text_printf(&stream_output, "\n]");
        stream_end_line();
    }
}

static const char *whole_number(const char *argument, double most, size_t *number)
{
    double read;
    if (!paje_parse_number(argument, &read) || !(read >= 0 && read <= most) || (double)(size_t)read < read)
        return "no such number";
    *number = (size_t)read;
    return NULL;
}

static const char *option(int key, const char *argument, paje_settings *all)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    static const char *const orders[] = {"time", "count", "name", NULL};
    switch (key) {
    case 'j': return paje_parse_processes(argument, &all->processes);
    case DEPTH: return whole_number(argument, 1e9, &profile_options.depth);
    case OWN: profile_options.own = 1; return NULL;
    case SORT:
        return paje_parse_choice(argument, orders, &profile_options.order) ? NULL : "no order: time, count or name";
    default:
        return paje_parse_choice(argument, formats, &profile_options.format) ? NULL : "no format: table, csv or json";
    }
}

static const paje_option option_table[] = {
    {FORMAT, "format", "FORMAT", "table, csv or json; default: table"},
    {SORT, "sort", "ORDER", "of each kind the rows by time (default), count or name"},
    {OWN, "own", NULL, "of each container its own entities only, without those of containers in it"},
    {'j', "jobs", "N", PAJE_JOBS_HELP},
    {DEPTH, "depth", "N", "print containers down to that depth only; 0: the root, all in all"},
    {0, NULL, NULL, NULL},
};

static const paje_table table = {profile_save, profile_join, NULL, 0};

const paje_command command_profile = {
    .name = "profile",
    .summary = "Sums up for each container, type and value: counts, times, shares, integrals, latencies",
    .details =
        "A container includes the containers in it, and is printed when it is complete, after them, as du does.\n\n"
        "  Count      of entities: states, segments of variables, links, events, containers\n"
        "  Total      their time: inclusive for nested states, latency for links, lifetime for containers\n"
        "  Exclusive  of states: without the states above them\n"
        "  Mean, Min, Max  of these times; of variables: of their values, the mean weighted with time\n"
        "  Share      of states the exclusive time, of variables the time, in the lifetime of all containers that\n"
        "             could have it\n"
        "  Integral   of variables: value times time\n\n"
        "States are sorted by their exclusive time.  In a table, values of events that occur once share a row.\n"
        "Of values of events and links that the trace does not define, the first 256 of each type have rows of their\n"
        "own.\n"
        "With -s and -e, times are those of the part of an entity that lies between them.",
    .traces = 1,
    .trials = "FILE\n--format json --own FILE\n-s 1 -e 4 --depth 2 --sort name -j 2 FILE\n"
              "--format csv --container p --type * --unit us FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL | PAJE_FROM_INDEX,
    .options = option_table,
    .option = option,
    .callbacks = {.closed = closed},
    .begin = begin,
    .end = end,
    .table = &table,
};
