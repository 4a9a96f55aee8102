/* paje waits: who waits for whom at the ends of links, and where nothing is on. */
#include "waits.h"
#include "replay/instances.h"

#include <math.h>
#include <string.h>

enum { FORMAT = PAJE_LONG_ONLY, TOP, RECEIVE, SEND, COLLECTIVES };

waits_settings waits_options = {.top = 20};

static double now; /* the time of the last line, in the unit of the trace */

/* ---- idle: between the states of a container and type */

typedef struct stack_end {
    uint32_t generation;
    pajesim_ref type;
    double end;
} stack_end;

static hash_map stacks; /* place and type */
static array_of(stack_end) stack_ends;

static void add_idle(pajesim *sim, const pajesim_entity *state, size_t place)
{
    size_t key[] = {place, state->type};
    size_t known = stacks.used, number = map_add(&stacks, key, sizeof key);
    stack_end *it = array_at(&stack_ends, number);
    uint32_t generation = active_places.items[place].generation;
    if (stacks.used == known && it->generation == generation && state->start > it->end &&
        paje_shows_container(sim, state->container))
        waits_add(WAITS_IDLE, active_name(sim, place), ACTIVE_NONE, active_class_of_type(sim, state->type), it->end,
                  state->start);
    *it = (stack_end){generation, state->type, state->end};
}

/* ---- callbacks */

static int new_type(pajesim *sim, const pajesim_type_info *type)
{
    active_new_type(sim, type);
    waits_new_type(type);
    return PAJESIM_GO_ON;
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    active_created(sim, container->container);
    return PAJESIM_GO_ON;
}

static int line_read(pajesim *sim, const pajesim_line *line)
{
    (void)sim;
    if (line->event < PAJESIM_CREATE_CONTAINER || line->event == PAJESIM_TRACE_FILE)
        return PAJESIM_GO_ON;
    if (line->time > now) {
        now = line->time;
        waits_settle();
        waits_forget_sent();
    } else if (line->time < now && (line->event == PAJESIM_START_LINK || line->event == PAJESIM_END_LINK)) {
        waits_links.unordered++;
    }
    return PAJESIM_GO_ON;
}

static int began(pajesim *sim, const pajesim_entity *state)
{
    if (active_has_type(sim, state->type)) {
        size_t place = active_own_place(sim, state->container);
        active_began(sim, state);
        waits_check_order(place, state->start);
        waits_state_began(sim, state, place);
    }
    return PAJESIM_GO_ON;
}

static int link_started(pajesim *sim, const pajesim_entity *link)
{
    waits_link_started(sim, link);
    return PAJESIM_GO_ON;
}

static int link_ended(pajesim *sim, const pajesim_entity *link)
{
    waits_link_ended(sim, link);
    return PAJESIM_GO_ON;
}

static int event(pajesim *sim, const pajesim_entity *entity)
{
    waits_sent(sim, entity);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    (void)paje_shows(sim, entity); /* for the message if filters leave nothing */
    if (entity->kind == PAJESIM_LINK)
        waits_link_closed(sim, entity);
    if (entity->kind == PAJESIM_STATE && active_has_type(sim, entity->type)) {
        size_t place = active_own_place(sim, entity->container), number = active_number(sim, entity);
        waits_check_order(place, entity->end);
        waits_state_closed(entity, number);
        waits_sender_ended(number);
        waits_state_ended(entity, place);
        if (entity->imbrication == 0)
            add_idle(sim, entity, place);
    }
    active_closed(sim, entity);
    return PAJESIM_GO_ON;
}

/* ---- the command */

static void begin(paje_run *run, int trace)
{
    (void)trace;
    waits_options.start = paje_filter_start(run->settings);
    waits_options.end = paje_filter_end(run->settings);
    now = -HUGE_VAL;
    active_begin(&run->sim);
    if (waits_options.has_collectives && waits_options.is_csv)
        waits_print_collectives_head();
}

static void end(paje_run *run, int trace)
{
    (void)trace;
    waits_settle();
    if (!waits_options.has_collectives)
        waits_print(&run->sim);
    else if (!waits_options.is_csv)
        waits_print_collectives();
    active_tell_unused(run, &active_receive, "--receive");
    active_tell_unused(run, &active_send, "--send");
    if (waits_links.unordered)
        stream_message("%s: %llu ends of links come after lines of later times: the states at these may be others",
                       run->source->name, (unsigned long long)waits_links.unordered);
    if (waits_links.late_states)
        stream_message("%s: %llu beginnings and ends of states come after later ends of links of their containers: "
                       "the states at these may be others",
                       run->source->name, (unsigned long long)waits_links.late_states);
    instance_tell_untold(run);
    paje_suggest_unit(run);
}

static const char *option(int key, const char *argument, paje_settings *all)
{
    uint64_t count = 0;
    (void)all;
    switch (key) {
    case FORMAT:
        waits_options.is_csv = strcmp(argument, "csv") == 0;
        return waits_options.is_csv || strcmp(argument, "table") == 0 ? NULL : "no format: table or csv";
    case TOP:
        if (strcmp(argument, "0") != 0 && !paje_parse_count(argument, &count))
            return "no whole number";
        waits_options.top = (size_t)count;
        return NULL;
    case COLLECTIVES:
        waits_options.has_collectives = 1;
        return NULL;
    default:
        *array_push(key == RECEIVE ? &active_receive : &active_send) = (active_glob){argument, 0};
        return NULL;
    }
}

static const paje_option option_table[] = {
    {COLLECTIVES, "collectives", NULL, "print collective operations, by waiting: who began last, and how late"},
    {FORMAT, "format", "FORMAT", "table or csv; default: table"},
    {RECEIVE, "receive", "GLOB", "states in which a container receives, by value or type; default: all"},
    {SEND, "send", "GLOB", "states in which a container sends, by value or type; default: all"},
    {TOP, "top", "N", "rows of each table; 0: all; default: 20"},
    {0, NULL, NULL, NULL},
};

const paje_command command_waits = {
    .name = "waits",
    .summary = "Sums up waiting: late senders and receivers, collective operations, idle time, by partner",
    .details =
        "Late sender and late receiver are the wait states of KOJAK and Scalasca, found at the links of a trace:\n\n"
        "  late sender    the receiver was in its state before the link began: from the start of that state to the\n"
        "                 start of the link (to its end if that comes first)\n"
        "  late receiver  the sender was in its state before the receiver was in its: from the start of the link to\n"
        "                 the start of the receiver's state (to the end of the sender's state if that comes first)\n"
        "  collective     from the start of a collective operation until those have begun it whom it waits for: all\n"
        "                 (wait at barrier, at N x N), the root (late broadcast), those at the root (early reduce)\n"
        "  idle           time in which a container is in no state of a type, between its first and its last one\n\n"
        "The receiver's state is the one that is on at the end of the link and began before it, the sender's the one\n"
        "that is on at the start of the link or begins with it; of several that which began last.  Where the type of\n"
        "a container has no states, they are those of the first container in it whose type has.  --receive and\n"
        "--send choose states that can wait, such as --receive '*Recv*'; without them any state can, also one that\n"
        "computes while a message is under way.  Each link counts by itself, also where several end in one state.\n"
        "A receiver that waits in MPI_Probe or MPI_Mprobe is in that state for the first link that began meanwhile\n"
        "and that MPI_Recv or MPI_Mrecv then receives.\n"
        "A sender that does not wait at the start of a link may wait later, until its message was sent.  `paje trace`\n"
        "writes an event `Sent` then, with the key of the link: the sender's state is also the one that is on at that\n"
        "event and began after the link did, and it is waiting from its start on, not longer than to the event.\n"
        "Collective operations are those whose states have the fields that `paje trace` writes, and that --receive\n"
        "chooses; an operation counts when all of its communicator have begun it.  MPI_Iallreduce and its kin do\n"
        "not count, as the trace does not tell which MPI_Wait waits for them, and a message says so.  Links that end\n"
        "in an operation (`paje trace --record=collective-links`) do not count beside it; for one-sided calls of MPI\n"
        "(links of type Access) only MPI_Win_fence and its kin wait.\n\n"
        "--type chooses links, and types of states.  With -s and -e, the waiting between them counts, also for links\n"
        "that start later.",
    .traces = 1,
    .trials = "--collectives FILE\n--format csv --receive * --send S* --unit us -s 1 -e 4 FILE",
    .filters = PAJE_FILTERS | PAJE_SEES_ALL,
    .options = option_table,
    .option = option,
    .callbacks = {.new_type = new_type, .line = line_read, .container_created = container_created,
                  .state_set = began, .state_pushed = began,
                  .link_started = link_started, .link_ended = link_ended, .event = event, .closed = closed},
    .begin = begin,
    .end = end,
};
