/* paje critical: the critical path through states and links, and what it consists of. */
#include "critical.h"
#include "replay/instances.h"

#include <math.h>
#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, TOP, RECEIVE, LAST };

critical_settings critical_options = {.top = 20};

/* ---- callbacks */

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    active_new_type(sim, type);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    active_created(sim, container->container);
    critical_add_place(sim, active_own_place(sim, container->container));
    return PAJESIM_GO_ON;
}

static int began(pajesim *sim, const pajesim_entity *state)
{
    if (!active_has_type(sim, state->type))
        return PAJESIM_GO_ON;
    active_began(sim, state);
    if (paje_shows_container(sim, state->container))
        critical_state_began(state, active_own_place(sim, state->container));
    critical_operation_begins(sim, state, active_own_place(sim, state->container));
    return PAJESIM_GO_ON;
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    critical_link_started(sim, link);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    size_t place = active_own_place(sim, entity->container);
    (void)paje_shows(sim, entity); /* for the message if filters leave nothing */
    if (entity->kind == PAJESIM_LINK)
        critical_link_closed(sim, entity);
    if (entity->kind == PAJESIM_STATE && active_has_type(sim, entity->type)) {
        critical_operation_ends(entity, place);
        if (paje_shows_container(sim, entity->container))
            critical_state_closed(sim, entity, place);
    }
    if (entity->kind == PAJESIM_CONTAINER && place != ACTIVE_NONE)
        critical_free_place(place);
    active_closed(sim, entity);
    return PAJESIM_GO_ON;
}

/* ---- the command */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    critical_options.start = paje_filter_start(run->settings);
    critical_options.end = paje_filter_end(run->settings);
    critical_found = (critical_result){.first = HUGE_VAL, .last = -HUGE_VAL};
    active_begin(&run->sim);
    critical_add_place(&run->sim, active_own_place(&run->sim, pajesim_root(&run->sim)));
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    critical_finish();
    if (critical_options.has_segments)
        paje_note_first_pass(run);
    else
        critical_print(&run->sim);
    active_tell_unused(run, &active_receive, "--receive");
    if (critical_found.backward)
        stream_message("%s: %llu links end before they start, and are not followed", run->source->name,
                       (unsigned long long)critical_found.backward);
    if (critical_found.unordered)
        stream_message("%s: %llu ends of links come after later times of their containers: the path there may be "
                       "another one", run->source->name, (unsigned long long)critical_found.unordered);
    if (critical_found.late_states)
        stream_message("%s: %llu beginnings and ends of states come after later times of their containers: the path "
                       "there may be another one", run->source->name, (unsigned long long)critical_found.late_states);
    if (critical_found.outer && critical_found.path)
        stream_message("%s: containers wait %llu times for others that --container leaves out: the path does not go "
                       "there, but on in those that wait", run->source->name, (unsigned long long)critical_found.outer);
    instance_tell_untold(run);
    if (!critical_options.has_segments)
        paje_suggest_unit(run);
}

static int run(const paje_settings *settings, char **names, int count)
{
    const char *name = count > 0 ? names[0] : "-";
    if (!critical_options.has_segments)
        return paje_replay(settings, name, 0);
    if (!paje_is_file(name))
        paje_usage(settings->command, "--format csv reads the trace twice: it needs a file");
    int first = paje_replay(settings, name, 0), second = critical_print_segments(settings, name);
    return first > second ? first : second;
}

static const char *option(int key, const char *argument, paje_settings *all)
{
    uint64_t count = 0;
    (void)all;
    switch (key) {
    case FORMAT:
        critical_options.has_segments = strcmp(argument, "csv") == 0;
        return critical_options.has_segments || strcmp(argument, "table") == 0 ? NULL : "no format: table or csv";
    case TOP:
        if (strcmp(argument, "0") != 0 && !paje_parse_count(argument, &count))
            return "no whole number";
        critical_options.top = (size_t)count;
        return NULL;
    default:
        *array_push(key == LAST ? &critical_options.last : &active_receive) = (active_glob){argument, 0};
        return NULL;
    }
}

static const paje_option option_table[] = {
    {FORMAT, "format", "FORMAT", "table: what the path consists of (default); csv: its pieces, from a file"},
    {RECEIVE, "receive", "GLOB", "states in which a container waits for links, by value or type; default: all"},
    {LAST, "last", "GLOB", "containers in which the path may end, by name or alias; default: all"},
    {TOP, "top", "N", "rows of each table; 0: all; default: 20"},
    {0, NULL, NULL, NULL},
};

const paje_command command_critical = {
    .name = "critical",
    .summary = "Finds the critical path through states and links, and what it consists of",
    .details =
        "The path is the one that determines how long the program ran.  It leads back in time from the end of the\n"
        "state that ends last, through the states of its container to the end of the last link that the container\n"
        "was waiting for, over that link to its start, and so on in the sender, to the first state there.  Of links\n"
        "that end at once, as those of one MPI_Waitall, it is the one that began last.\n"
        "A container was waiting if the state that is on at the end of the link, and began before it, began before\n"
        "the link; of several states that which began last.  With --receive only states whose value or type matches\n"
        "can wait; without, any state can, and so can a container whose last state ended before the link began.\n"
        "In MPI_Probe or MPI_Mprobe it waits for the first link that began meanwhile and that MPI_Recv or MPI_Mrecv\n"
        "then receives; for one-sided calls (links of type Access) only MPI_Win_fence and its kin wait.\n"
        "Where the type of a container has no states, they are those of the first container in it whose type has.\n"
        "From a collective operation of `paje trace` the path goes to the process that began it last, or to the root\n"
        "(of a scan: to the last one of a lower rank), if it has waited for that.  Operations that MPI_Iallreduce\n"
        "and its kin begin are not followed, as the trace does not tell which MPI_Wait waits for them, and a message\n"
        "says so.\n\n"
        "This is the backward replay of Scalasca: D. Boehme, F. Wolf, B. R. de Supinski, M. Schulz and M. Geimer,\n"
        "Scalable critical-path based performance analysis, IPDPS 2012; the path itself is that of C.-Q. Yang and\n"
        "B. P. Miller, Critical path analysis for the execution of parallel and distributed programs, ICDCS 1988.\n"
        "Late receivers are not followed: links do not tell whether the sender had to wait.\n\n"
        "With --container the path stays in the containers that it chooses; a message says how often these have\n"
        "waited for others, as all of the program may have another path.\n"
        "--type chooses links, and types of states.  With -s and -e, the part of the path between them counts.",
    .traces = 1,
    .trials = "FILE\n--format csv --receive * --unit us -s 1 -e 4 FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .callbacks = {.new_type = new_type, .container_created = container_created, .state_set = began,
                  .state_pushed = began, .link_started = link_started, .closed = closed},
    .begin = begin,
    .end = end,
    .run = run,
};
