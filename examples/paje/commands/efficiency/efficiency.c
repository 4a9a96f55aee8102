/* paje efficiency: the efficiencies of POP, by a replay on an ideal network. */
#include "efficiency.h"
#include "chart/grid.h"

#include <math.h>
#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, STATES, WAITING, PHASE, SLICE, WHOLE, BYTES };
enum { MOST_SLICES = 10000 };

static double now, instant; /* the time of the last entity: within -s and -e, and as it is */
static double edge; /* where the slice ends */
static time_grid grid; /* its multiples are edges */
static size_t slices; /* that have ended */
static int is_pipe;   /* so who communicates is not known before */

/* ---- time goes on */

static void end_slices(double time)
{
    while (efficiency.slice > 0 && time >= edge && edge < HUGE_VAL && efficiency.sections.items[0].is_open) {
        efficiency_close_range(edge);
        efficiency_print_range();
        efficiency_open(&efficiency.sections.items[0], edge);
        edge = grid_next_multiple(&grid, edge);
        if (++slices == MOST_SLICES - 1)
            edge = HUGE_VAL;
    }
}

/* Returns that time within -s and -e.  Slices begin at multiples of their width, the first where the trace does, or the
 * range. */
static double reach(double real)
{
    double time = efficiency_time(real);
    if (real > instant)
        efficiency_settle();
    if (real > efficiency.end && !efficiency.is_over) {
        efficiency_cut_range(efficiency.end);
        efficiency.is_over = 1;
    }
    instant = fmax(instant, real);
    if (now == -HUGE_VAL && efficiency.slice > 0)
        edge = grid_next_multiple(&grid, time);
    now = fmax(now, time);
    end_slices(time);
    return time;
}

/* The same for states and links, which the replay takes in the order of their lines. */
static double reach_in_order(double real)
{
    efficiency.late_lines += real < instant;
    return reach(real);
}

/* ---- states */

/* Whether the state around one, of its type, is one in which a row waits for other threads. */
static int waits_around(pajesim *sim, const pajesim_entity *state)
{
    pajesim_entity around;
    return efficiency.waits.count > 0 && state->imbrication > 0 &&
           pajesim_open_entity(sim, state->container, state->type, state->imbrication - 1, &around) &&
           efficiency_class_of(sim, &around)->waits;
}

static void begin_call(pajesim *sim, size_t number, const pajesim_entity *state, const state_class *class)
{
    row *it = &efficiency.rows.items[number];
    if (it->communicating++ > 0)
        return;
    it->call = class->call;
    it->began = efficiency_time(state->start);
    it->has_called = 1;
    if (it->name == ACTIVE_NONE)
        it->name = active_name(sim, active_own_place(sim, state->container));
    efficiency.processes.items[it->process].communicating++;
    efficiency.processes.items[it->process].has_called = 1;
    for (size_t i = 0; i < efficiency.sections.count; i++)
        if (efficiency.sections.items[i].is_open && state->start >= efficiency.start &&
            state->start <= efficiency.end && (i == 0 || it->parts[i].depth > 0))
            efficiency_part(it, i)->calls++;
    if (paje_is_collective(class->call))
        efficiency_operation_begins(sim, number, state, class->call);
    if (class->call == CALL_ENDS && !efficiency.is_whole && !efficiency.has_finalized) {
        efficiency.has_finalized = 1;
        efficiency_close_range(now);
    }
}

/* The range begins where the processes that begin MPI together have all done so. */
static void end_begin(double start, double end)
{
    if (efficiency.is_whole)
        return;
    if (efficiency.has_finalized) {
        efficiency.late_begins++;
    } else if (!efficiency.has_begun || start <= efficiency.begun) {
        if (!efficiency.has_begun)
            efficiency.begun = end;
        efficiency.has_begun = 1;
        efficiency_open(&efficiency.sections.items[0], end);
    }
}

static int began(pajesim *sim, const pajesim_entity *state)
{
    if (!active_has_type(sim, state->type))
        return PAJESIM_GO_ON;
    double time = reach_in_order(state->start);
    size_t number = efficiency_row_of(sim, state->container);
    if (number == ACTIVE_NONE) {
        if (efficiency.is_partial && !efficiency.has_outer_calls)
            efficiency.has_outer_calls = efficiency_is_call(sim, state);
        return PAJESIM_GO_ON;
    }
    efficiency_settle_row(number);
    const state_class class = *efficiency_class_of(sim, state);
    row *it = &efficiency.rows.items[number];
    efficiency_advance(it, time);
    if (class.phase)
        efficiency_enter_phase(it, class.phase, state->start);
    if (class.communicates)
        begin_call(sim, number, state, &class);
    it->waiting += (size_t)class.waits - (size_t)waits_around(sim, state);
    if (class.waits && !it->is_helper && !it->has_called)
        efficiency.processes.items[it->process].has_waited = 1;
    return PAJESIM_GO_ON;
}

static void state_ended(pajesim *sim, const pajesim_entity *state)
{
    if (!active_has_type(sim, state->type))
        return;
    double time = reach_in_order(state->end);
    size_t number = efficiency_row_of(sim, state->container);
    if (number == ACTIVE_NONE)
        return;
    efficiency_settle_row(number);
    const state_class class = *efficiency_class_of(sim, state);
    row *it = &efficiency.rows.items[number];
    efficiency_advance(it, time);
    if (class.communicates && it->communicating > 0 && --it->communicating == 0) {
        efficiency.processes.items[it->process].communicating--;
        it->left = state->end;
        efficiency_operation_ends(number, state->end);
        if (class.call == CALL_BEGINS)
            end_begin(state->start, time);
    }
    if (class.phase)
        efficiency_leave_phase(it, class.phase, state->end);
    it->waiting += (size_t)waits_around(sim, state) - (size_t)class.waits;
}

/* ---- other callbacks */

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    active_new_type(sim, type);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    active_created(sim, container->container);
    reach(container->start);
    if (active_has_states(sim, container->container))
        efficiency_row_of(sim, container->container);
    return PAJESIM_GO_ON;
}

static void container_ended(pajesim *sim, const pajesim_entity *container)
{
    reach(container->end);
    efficiency_container_ended(sim, container);
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    reach_in_order(link->start);
    efficiency_link_started(sim, link);
    return PAJESIM_GO_ON;
}

static int link_ended(pajesim *sim, const pajesim_entity *link)
{
    reach_in_order(link->end);
    efficiency_link_ended(sim, link);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)paje_shows(sim, entity); /* for the message if filters leave nothing */
    if (entity->kind == PAJESIM_LINK)
        efficiency_link_closed(entity);
    else if (entity->kind == PAJESIM_STATE)
        state_ended(sim, entity);
    else if (entity->kind == PAJESIM_CONTAINER)
        container_ended(sim, entity);
    active_closed(sim, entity);
    return PAJESIM_GO_ON;
}

/* ---- who communicates: found beforehand for slices, as those before the first call count as well, and for phases */

static int note_caller(pajesim *sim, const pajesim_entity *state)
{
    if (active_has_type(sim, state->type) && paje_shows_container(sim, state->container) &&
        efficiency_class_of(sim, state)->communicates)
        efficiency_note_caller(sim, state->container);
    return PAJESIM_GO_ON;
}

/* ---- the command */

static void prepare(const paje_settings *settings)
{
    if (efficiency.calls.count == 0) {
        *array_push(&efficiency.calls) = (active_glob){"MPI_*", 1};
        *array_push(&efficiency.calls) = (active_glob){"PMPI_*", 1};
    }
    if (efficiency.waits.count == 0) {
        static const char *const waits[] = {"join thread", "barrier", "lock", "condition", "semaphore", "omp barrier*",
                                            "omp taskwait*", "omp wait *", "omp idle*"};
        for (size_t i = 0; i < sizeof waits / sizeof *waits; i++)
            *array_push(&efficiency.waits) = (active_glob){waits[i], 1};
    }
    efficiency.is_partial = settings->filter.containers.count > 0;
    efficiency.start = paje_filter_start(settings);
    efficiency.end = paje_filter_end(settings);
    efficiency.is_whole |= efficiency.start > -HUGE_VAL || efficiency.end < HUGE_VAL || efficiency.slice > 0;
    efficiency.slice = paje_in_seconds(settings, efficiency.slice);
    grid = (time_grid){.most = MOST_SLICES, .width = efficiency.slice};
    grid_begin(&grid);
    efficiency.section_count = 1 + (efficiency.phases.count ? MOST_PHASES : 0);
    efficiency_begin_rows();
}

static void begin(paje_run *run, int trace)
{
    (void)trace;
    now = instant = -HUGE_VAL;
    active_begin(&run->sim);
    efficiency_print_begin();
}

static int run(const paje_settings *settings, char **names, int count)
{
    const char *name = count > 0 ? names[0] : "-";
    prepare(settings);
    is_pipe = !paje_is_file(name);
    if ((efficiency.slice > 0 || efficiency.phases.count > 0) && !is_pipe) {
        paje_look_ahead(settings, name, &(pajesim_callbacks){.new_type = new_type, .state_set = note_caller,
                                                             .state_pushed = note_caller});
        active_clear();
    }
    return paje_replay(settings, name, 0);
}

static int has_process(void)
{
    for (size_t i = 0; i < efficiency.rows.count; i++)
        if (efficiency.rows.items[i].has_called)
            return 1;
    return 0;
}

static void tell(const paje_run *run)
{
    const char *name = run->source->name;
    active_tell_unused(run, &efficiency.calls, "--states");
    active_tell_unused(run, &efficiency.waits, "--waiting");
    active_tell_unused(run, &efficiency.phases, "--phase");
    if (efficiency.field && !efficiency.has_bytes && efficiency.unsized > 0)
        stream_message("%s: no message has a user field `%s` that is a number (--bytes)", name, efficiency.field);
    if (efficiency.reason)
        stream_message("%s: serialization and transfer are not known: %s", name, efficiency.reason);
    if (efficiency.backwards > 0)
        stream_message("%s: %llu messages end before they start, and are left out; `paje merge --align` aligns clocks "
                       "of files", name, (unsigned long long)efficiency.backwards);
    if (efficiency.unordered > 0)
        stream_message("%s: %llu collective operations end before all have begun them: clocks differ (`paje merge "
                       "--align`), or not all were recorded", name, (unsigned long long)efficiency.unordered);
    if (efficiency.late_lines > 0 && has_process())
        stream_message("%s: %llu times come after later ones: figures that go by their order may be wrong", name,
                       (unsigned long long)efficiency.late_lines);
    if (efficiency.slice > 0 && is_pipe)
        stream_message("%s: it is a pipe, in slices of which processes count from their first call on", name);
    if (efficiency.phases.count > 0 && is_pipe)
        stream_message("%s: it is a pipe, in which phases last for containers that never communicate, too", name);
    if (slices >= MOST_SLICES - 1)
        stream_message("%s: there would be more than %d slices: the last one goes on to the end", name, MOST_SLICES);
    if (efficiency.late_begins > 0)
        stream_message("%s: %llu processes begin MPI when others have finalized it; with --whole they count", name,
                       (unsigned long long)efficiency.late_begins);
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    efficiency_settle();
    efficiency_print_range();
    efficiency_print_end();
    tell(run);
    paje_suggest_unit(run);
}

static const char *option(int key, const char *argument, paje_settings *settings)
{
    static const char *const formats[] = {"table", "csv", "json", NULL};
    (void)settings;
    switch (key) {
    case FORMAT:
        return paje_parse_choice(argument, formats, &efficiency_format) ? NULL : "no format: table, csv or json";
    case STATES: *array_push(&efficiency.calls) = (active_glob){argument, 0}; return NULL;
    case WAITING: *array_push(&efficiency.waits) = (active_glob){argument, 0}; return NULL;
    case PHASE: *array_push(&efficiency.phases) = (active_glob){argument, 0}; return NULL;
    case BYTES: efficiency.field = argument; return NULL;
    case WHOLE: efficiency.is_whole = 1; return NULL;
    default:
        return paje_parse_number(argument, &efficiency.slice) && efficiency.slice > 0 && efficiency.slice < HUGE_VAL
                   ? NULL : "must be a time greater than 0";
    }
}

static const paje_option option_table[] = {
    {BYTES, "bytes", "FIELD", "the user field of links, or `Value`, that is summed up; default: Bytes, Size or Length"},
    {FORMAT, "format", "FORMAT", "table, csv or json; default: table"},
    {PHASE, "phase", "GLOB", "tell of states of that name (value or type) by themselves, such as functions"},
    {SLICE, "slice", "TIME", "tell of slices of time of that width, which begin at its multiples"},
    {STATES, "states", "GLOB", "states that are communication, by value or type; default: MPI_* and PMPI_*"},
    {WAITING, "waiting", "GLOB", "states in which a thread waits for other threads; default: of pthreads, OpenMP"},
    {WHOLE, "whole", NULL, "count also what is before and in MPI_Init, and from MPI_Finalize on"},
    {0, NULL, NULL, NULL},
};

const paje_command command_efficiency = {
    .name = "efficiency",
    .summary = "Tells how efficient a parallel program is: load balance, serialization, transfer, by process and phase",
    .details =
        "The efficiencies are those of POP (https://co-design.pop-coe.eu/metrics), by the times that processes are\n"
        "outside of communication (useful) and the run time of the range:\n\n"
        "  Load balance              mean useful time / greatest useful time of a process\n"
        "  Serialization             greatest useful time / run time on an ideal network\n"
        "  Transfer                  run time on an ideal network / run time\n"
        "  Communication efficiency  serialization * transfer\n"
        "  Parallel efficiency       load balance * communication efficiency\n\n"
        "The run time on an ideal network, on which communication takes no time, comes from a replay: a process goes\n"
        "on when the sender of its message has sent it, or when those have begun a collective operation whom it waits\n"
        "for: all, or the root, or who has a lower rank.  Sends wait for nothing.  Operations are told apart by the\n"
        "fields Communicator, Instance, Rank, Root and Size, as `paje trace` writes them; without these, those in\n"
        "which all wait for all are taken as of all processes.  Where calls wait for others that the trace does not\n"
        "tell (one-sided, files, making communicators, MPI_Init, collective ones without a root; receives from\n"
        "containers that filters leave out, or if no link begins or ends in a call), and that takes more than 1 % of\n"
        "the time, serialization and transfer are not told.  Waits for operations that do not block count as\n"
        "transfer, and so does the time that a process waits for a processor within a call.\n\n"
        "Of each process: the parts of the run time that it computes, waits on an ideal network, too, and waits only\n"
        "on the real one; its load, calls, and what it sends.  A row that communicates is a process, also one of\n"
        "several threads of a process.  If threads that do not communicate have states of --waiting, the\n"
        "multiplicative model of hybrid programs follows: useful is what is outside of these, too, and threads made\n"
        "within calls do not count.\n\n"
        "The range is that of -s and -e, else what is between MPI_Init and MPI_Finalize, if the trace has these.  A\n"
        "phase lasts while any process is in a state of that name; useful time counts in the state only.\n"
        "For slices and phases a file is read twice, as who communicates later is a process before it does.",
    .traces = 1,
    .trials = "FILE\n--format json --states * --phase * --slice 1 -s 0 -e 4 --unit us FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .callbacks = {.new_type = new_type, .container_created = container_created, .state_set = began,
                  .state_pushed = began, .link_started = link_started, .link_ended = link_ended, .closed = closed},
    .begin = begin,
    .end = end,
    .run = run,
};
