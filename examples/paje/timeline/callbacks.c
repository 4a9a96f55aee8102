/* The callbacks of the simulation: what they see goes into a timeline, or, in a process that shares the work, into its
 * log. */
#include "timeline/timeline.h"

#include <math.h>

static timeline *timeline_of(const pajesim *sim)
{
    const paje_run *run = pajesim_data(sim);
    return run->command_data;
}

/* The words of containers hold the number of their node, plus 1; 0: not drawn.  The words of types hold their number,
 * or NO_TYPE if they are not drawn; 0: not known yet. */
#define NO_TYPE UINT32_MAX

/* ---- types, values and containers */

/* A time of which products are finite; HUGE_VAL stays. */
static double bounded(double time)
{
    return isinf(time) ? time : fmin(fmax(time, -TIMELINE_MOST_NUMBER), TIMELINE_MOST_NUMBER);
}

int timeline_begin(timeline *tl, paje_run *run)
{
    const paje_filter *filter = &run->settings->filter;
    pajesim_ref root = pajesim_root(&run->sim);
    memory_keep_freed(); /* lanes are replaced at each width of bins */
    run->command_data = tl;
    tl->run = run;
    tl->has_start = filter->has_start;
    tl->has_end = filter->has_end;
    tl->first = bounded(filter->has_start ? filter->start : HUGE_VAL);
    tl->last = bounded(filter->has_end ? filter->end : -HUGE_VAL);
    if (tl->has_start && tl->has_end && !(tl->last > tl->first))
        return 0;
    tl->expected = -HUGE_VAL;
    tl->seconds = filter->unit ? filter->unit->seconds : 1;
    tl->link_stride = 1;
    tl->next_fold = tl->bins_suffice ? tl->most_pieces / 8 : tl->most_pieces;
    timeline_add_type(tl, pajesim_name(&run->sim, pajesim_root_type(&run->sim)), PAJESIM_CONTAINER,
                      TIMELINE_GREY);
    timeline_add_value(tl, 0, text_of("other values"), text_of(""));
    timeline_add_container(tl, 0, 0, pajesim_name(&run->sim, root), 0);
    if (filter->containers.count == 0)
        *pajesim_user_data(&run->sim, root) = 1;
    return 1;
}

void timeline_begin_part(timeline *tl, paje_run *run, pajesim_text name)
{
    run->command_data = tl;
    tl->run = run;
    tl->known_types = tl->types.count;
    tl->is_in_range = 0;
    uint32_t type = timeline_add_type(tl, text_of("Trace"), PAJESIM_CONTAINER, TIMELINE_GREY);
    tl->part = timeline_add_container(tl, 0, type, name, 0);
    if (run->settings->filter.containers.count == 0)
        *pajesim_user_data(&run->sim, pajesim_root(&run->sim)) = tl->part + 1;
}

static void add_type(timeline *tl, pajesim *sim, const pajesim_type_info *type)
{
    timeline_type_seen it = {type->kind, type->name, type->color, {NULL, 0}};
    uint32_t number = 0;
    if (it.kind != PAJESIM_CONTAINER)
        it.container_type = timeline_type_path(sim, type->parent);
    if (it.kind == PAJESIM_CONTAINER || paje_shows_type(sim, type->ref))
        number = tl->log ? timeline_log_type(tl->log, &it) : timeline_take_type(tl, &it);
    *pajesim_user_data(sim, type->ref) = number ? number : NO_TYPE;
    name_free(it.container_type);
}

/* Returns 0 if the type is not drawn. */
static uint32_t type_of(timeline *tl, pajesim *sim, pajesim_ref type)
{
    if (!*pajesim_user_data(sim, type)) {
        pajesim_type_info info = {.ref = type, .parent = pajesim_parent(sim, type), .kind = pajesim_kind_of(sim, type),
                                  .name = pajesim_name(sim, type), .color = pajesim_color(sim, type)};
        add_type(tl, sim, &info);
    }
    uint64_t word = *pajesim_user_data(sim, type);
    return word == NO_TYPE ? 0 : (uint32_t)word;
}

static void add_node(timeline *tl, pajesim *sim, pajesim_ref container, pajesim_time start, int is_around)
{
    uint64_t parent = *pajesim_user_data(sim, pajesim_parent(sim, container));
    uint32_t type = type_of(tl, sim, pajesim_type_of(sim, container));
    timeline_container it = {parent ? (uint32_t)parent - 1 : tl->part, type, pajesim_name(sim, container), start,
                             is_around};
    uint32_t node = tl->log ? timeline_log_container(tl->log, &it) : timeline_take_container(tl, &it);
    *pajesim_user_data(sim, container) = node + 1;
}

/* The containers around one that --container chooses are there as well, for their names.  The recursion is as deep as
 * the tree, up to TIMELINE_LEVELS. */
static void add_around(timeline *tl, pajesim *sim, pajesim_ref container, int level)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    if (level == TIMELINE_LEVELS || !parent || parent == pajesim_root(sim) || *pajesim_user_data(sim, parent))
        return;
    add_around(tl, sim, parent, level + 1);
    add_node(tl, sim, parent, pajesim_start_of(sim, parent), 1);
}

static void add_container(timeline *tl, pajesim *sim, pajesim_ref container, pajesim_time start)
{
    if ((tl->has_end && start > tl->last) || !paje_shows_container(sim, container))
        return;
    add_around(tl, sim, container, 0);
    add_node(tl, sim, container, start, 0);
}

/* ---- A range of time, which may be replayed without what is before and behind it: nothing is noted before the first
 * entity that is in the range. */

static int is_ranged(const timeline *tl)
{
    return tl->has_start || tl->has_end;
}

/* What comes behind `at` in the tree of types or containers: each before those in it.  0: nothing. */
static pajesim_ref next_in_tree(const pajesim *sim, pajesim_ref at)
{
    pajesim_ref next = pajesim_first_child(sim, at);
    for (; at && !next; at = pajesim_parent(sim, at))
        next = pajesim_next_sibling(sim, at);
    return next;
}

/* Notes the types and containers that there are by now. */
static void begin_range(timeline *tl, pajesim *sim)
{
    pajesim_ref at = pajesim_root_type(sim);
    tl->is_in_range = 1;
    while ((at = next_in_tree(sim, at)) != 0)
        type_of(tl, sim, at);
    at = pajesim_root(sim);
    while ((at = next_in_tree(sim, at)) != 0)
        add_container(tl, sim, at, pajesim_start_of(sim, at));
}

/* ---- the callbacks */

int timeline_new_type(pajesim *sim, const pajesim_type_info *type)
{
    timeline *tl = timeline_of(sim);
    if (!is_ranged(tl))
        add_type(tl, sim, type);
    return PAJESIM_GO_ON;
}

int timeline_new_value(pajesim *sim, const pajesim_value_info *value)
{
    timeline *tl = timeline_of(sim);
    uint32_t type = is_ranged(tl) ? 0 : type_of(tl, sim, value->type);
    if (type && tl->log)
        timeline_log_value(tl->log, sim, type, value);
    else if (type)
        *pajesim_user_data(sim, value->ref) = timeline_add_value(tl, type, value->name, value->color) + 1;
    return PAJESIM_GO_ON;
}

int timeline_container_created(pajesim *sim, const pajesim_entity *container)
{
    timeline *tl = timeline_of(sim);
    if (!is_ranged(tl) || tl->is_in_range)
        add_container(tl, sim, container->container, container->start);
    return PAJESIM_GO_ON;
}

static void take(timeline *tl, const timeline_seen *it)
{
    if (tl->log)
        timeline_log_entity(tl->log, it);
    else
        timeline_take(tl, it);
}

static void take_link(timeline *tl, timeline_seen *it)
{
    uint32_t from = (uint32_t)*pajesim_user_data(it->sim, it->entity->start_container);
    uint32_t to = (uint32_t)*pajesim_user_data(it->sim, it->entity->end_container);
    if (!it->type || !paje_shows(it->sim, it->entity))
        return;
    it->node = from ? from - 1 : TIMELINE_OUTSIDE;
    it->to = to ? to - 1 : TIMELINE_OUTSIDE;
    take(tl, it);
}

int timeline_closed(pajesim *sim, const pajesim_entity *entity)
{
    timeline *tl = timeline_of(sim);
    pajesim_entity outer;
    if (is_ranged(tl)) {
        if (!paje_shows_time(((const paje_run *)pajesim_data(sim))->settings, entity->start, entity->end))
            return PAJESIM_GO_ON;
        if (!tl->is_in_range)
            begin_range(tl, sim);
    }
    timeline_seen it; /* without an initializer, which clears all of it by a slow instruction */
    it.kind = entity->kind;
    it.type = it.node = it.to = it.depth = it.value = it.outer_value = 0;
    it.has_outer = it.has_fields = 0;
    it.start = entity->start;
    it.end = entity->end;
    it.number = 0;
    it.sim = sim;
    it.entity = entity;
    it.outer = NULL;
    it.fields = (pajesim_text){NULL, 0};
    if (entity->kind == PAJESIM_CONTAINER) {
        it.node = (uint32_t)*pajesim_user_data(sim, entity->container);
        if (it.node-- > 0)
            take(tl, &it);
        return PAJESIM_GO_ON;
    }
    it.type = type_of(tl, sim, entity->type);
    if (entity->kind == PAJESIM_LINK) {
        take_link(tl, &it);
        return PAJESIM_GO_ON;
    }
    it.node = (uint32_t)*pajesim_user_data(sim, entity->container);
    if (it.node-- == 0 || !it.type || !paje_shows(sim, entity))
        return PAJESIM_GO_ON;
    if (entity->kind == PAJESIM_VARIABLE) {
        it.number = entity->number;
    } else if (entity->kind == PAJESIM_STATE && (it.depth = entity->imbrication) > 0) {
        it.has_outer = pajesim_open_entity(sim, entity->container, entity->type, it.depth - 1, &outer);
        it.outer = &outer;
    }
    take(tl, &it);
    return PAJESIM_GO_ON;
}
