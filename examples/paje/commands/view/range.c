/* One screen of a range of time (--once -s -e).  With an index only that range is read, so the screen shows nothing
 * that is known only when all of the trace was read: containers that exist in the range have rows, others have none. */
#include "view.h"
#include "base/stream.h"
#include "replay/parts.h"

#include <math.h>

static struct {
    view_state *state;
    void (*print)(view_state *state);
    int has_begun; /* an entity of the range was seen */
    uint64_t errors;
} range;

static view_tree *tree_of_range(void)
{
    return range.state->input.tree;
}

static void add_container(pajesim *sim, pajesim_ref container, pajesim_time start)
{
    const paje_run *run = pajesim_data(sim);
    const paje_filter *filter = &run->settings->filter;
    if (!(filter->has_end && start > filter->end) && paje_shows_container(sim, container))
        view_node_of(tree_of_range(), sim, VIEW_WHOLE, container);
}

/* Adds the containers that there are by now: each before those in it. */
static void begin_range(pajesim *sim)
{
    pajesim_ref at = pajesim_root(sim), next;
    range.has_begun = 1;
    while (at) {
        next = pajesim_first_child(sim, at);
        for (; at && !next; at = pajesim_parent(sim, at))
            next = pajesim_next_sibling(sim, at);
        if ((at = next) != 0)
            add_container(sim, at, pajesim_start_of(sim, at));
    }
}

static int container_created(pajesim *sim, const pajesim_entity *container)
{
    if (range.has_begun)
        add_container(sim, container->container, container->start);
    return PAJESIM_GO_ON;
}

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    const paje_run *run = pajesim_data(sim);
    if (!paje_shows_time(run->settings, entity->start, entity->end))
        return PAJESIM_GO_ON;
    if (!range.has_begun)
        begin_range(sim);
    if (entity->kind != PAJESIM_LINK && view_is_chosen(sim, entity)) /* the ends of links may exist only later */
        view_store_add(&range.state->input.readers[VIEW_WHOLE].store, sim, entity);
    return PAJESIM_GO_ON;
}

static int problem(pajesim *sim, const pajesim_problem *it)
{
    (void)sim, (void)it; /* they are counted */
    return PAJESIM_GO_ON;
}

static void end(paje_run *run, int trace)
{
    view_state *state = range.state;
    const pajesim_counts counts = paje_whole_counts(run);
    (void)trace;
    state->input.readers[VIEW_WHOLE].store.front = counts.events ? counts.last : -HUGE_VAL;
    if (!state->has_start)
        state->first = counts.events ? counts.first : 0;
    if (!state->has_end)
        state->last = counts.events ? counts.last : -HUGE_VAL;
    state->has_start = state->has_end = 1;
    if (!run->settings->filter.unit)
        state->seconds = paje_guess_unit(run).unit->seconds;
    range.errors = counts.errors + run->file_errors;
    range.print(state);
    paje_unit_of(run);
}

int view_print_range(view_state *state, const paje_settings *settings, const char *name,
                     void (*print)(view_state *state))
{
    static const pajesim_callbacks callbacks = {.problem = problem, .container_created = container_created,
                                                .closed = closed};
    paje_settings own = *settings;
    range.state = state;
    range.print = print;
    own.callbacks = callbacks;
    own.end = end;
    int status = paje_replay_chosen(&own, name, 0);
    if (range.errors)
        stream_message("%s: %llu errors (see paje validate)", name, (unsigned long long)range.errors);
    return status;
}
