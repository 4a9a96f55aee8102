/* Collects what a timeline shows: the callbacks of the simulation, the range of time, and bins. */
#include "timeline/timeline.h"

#include <math.h>

enum { FIRST_BINS = 4096, MOST_BINS = 16384, FEW_BINS = 128 };

#define LEAST_BIN 1e-12 /* seconds */
#define GREY 0xb8b8b8
#define DARK 0x333333

static timeline *timeline_of(const pajesim *sim)
{
    const paje_run *run = pajesim_data(sim);
    return run->command_data;
}

/* The words of containers hold the index of their node, plus 1; 0: not drawn.  The words of types hold the index of
 * their type, or NO_TYPE if they are not drawn; 0: not known yet. */
#define NO_TYPE UINT32_MAX

/* ---- the range of time, and bins of it */

int timeline_extend(timeline *tl, double start, double end)
{
    if (!(fabs(start) < TIMELINE_MOST_NUMBER && fabs(end) < TIMELINE_MOST_NUMBER)) {
        tl->far_times++;
        return 0;
    }
    if (!tl->has_start && !(tl->has_end && start > tl->last))
        tl->first = fmin(tl->first, start);
    if (!tl->has_end && !(tl->has_start && end < tl->first))
        tl->last = fmax(tl->last, end);
    return end >= tl->first && start <= tl->last;
}

double timeline_first_bin(const timeline *tl)
{
    return lane_bin_width(tl->first, tl->last, FIRST_BINS, LEAST_BIN / tl->seconds);
}

static lane_bins bins_of(const timeline *tl)
{
    return (lane_bins){tl->bin, tl->first, tl->last, LANE_BIN_VALUES, tl->most_pieces, 0};
}

static int has_widest_bins(const timeline *tl)
{
    return !(tl->bin < tl->last - tl->first);
}

/* The most pieces that are left when the bins have become wider. */
static size_t most_left(const timeline *tl)
{
    return tl->most_pieces / 4 * 3;
}

/* Returns 0 if the bins must be wider; it may stop early then. */
static int fold_all(timeline *tl, int evenly)
{
    lane_bins bins = bins_of(tl);
    int is_widest = has_widest_bins(tl);
    bins.evenly = evenly;
    if (is_widest)
        bins.most_pieces = SIZE_MAX;
    tl->pieces = 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next) {
            if (!lane_fold(lane, &bins, timeline_is_summed_up(tl, i, lane->kind)))
                return 0;
            tl->pieces += lane->pieces.count;
            if (tl->pieces > tl->most_pieces && !is_widest)
                return 0;
        }
    return evenly || tl->pieces <= most_left(tl) || is_widest;
}

/* Whether the bins are too narrow for the drawn range, which may have grown. */
static int has_too_many_bins(const timeline *tl)
{
    return tl->bin > 0 && tl->last - tl->first > MOST_BINS * tl->bin;
}

/* Estimates by some of the lanes whether there will be too many pieces in bins of the present width. */
static int are_too_narrow(const timeline *tl)
{
    enum { STEP = 17, FEW_LANES = 10 * STEP };
    const lane_bins bins = bins_of(tl);
    size_t before = 0, after = 0, lanes = 0, number = 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (const timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            lanes++;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (const timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            if (number++ % STEP == 0 && lanes > FEW_LANES) {
                before += lane->pieces.count;
                after += lane_count_folded(lane, &bins, timeline_is_summed_up(tl, i, lane->kind));
            }
    return (double)after * (double)tl->pieces > (double)before * (double)most_left(tl) && !has_widest_bins(tl);
}

static void limit_values(timeline *tl)
{
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            tl->pieces -= lane_limit_values(lane, LANE_BIN_VALUES);
}

/* Doubles the width of bins; before there are too few, the depths of states are given up for more of them.  `is_first`:
 * nothing is in bins yet, so that they may become narrower. */
static void double_bins(timeline *tl, int is_first)
{
    tl->bin *= 2;
    if (tl->is_flat || tl->last - tl->first > FEW_BINS * tl->bin)
        return;
    timeline_flatten(tl);
    tl->bin = is_first ? timeline_first_bin(tl) : tl->bin / 2;
}

/* Puts pieces into bins, or into wider ones than before, until there are few enough. */
static void widen_bins(timeline *tl)
{
    if (tl->bin > 0) {
        limit_values(tl);
        if (tl->pieces > most_left(tl))
            double_bins(tl, 0);
    } else {
        tl->bin = timeline_first_bin(tl);
        while (are_too_narrow(tl))
            double_bins(tl, 1);
    }
    while (has_too_many_bins(tl))
        tl->bin *= 2;
    while (!fold_all(tl, 0))
        double_bins(tl, 0);
    tl->next_fold = tl->pieces + tl->most_pieces / 4;
    timeline_drop_fields(tl);
}

void timeline_finish_pieces(timeline *tl)
{
    if (!(tl->bin > 0))
        return;
    while (!fold_all(tl, 1))
        tl->bin *= 2;
}

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
    run->command_data = tl;
    tl->has_start = filter->has_start;
    tl->has_end = filter->has_end;
    tl->first = bounded(filter->has_start ? filter->start : HUGE_VAL);
    tl->last = bounded(filter->has_end ? filter->end : -HUGE_VAL);
    if (tl->has_start && tl->has_end && !(tl->last > tl->first))
        return 0;
    tl->seconds = filter->unit ? filter->unit->seconds : 1;
    tl->link_stride = 1;
    tl->next_fold = tl->most_pieces;
    timeline_add_type(tl, pajesim_name(&run->sim, pajesim_root_type(&run->sim)), PAJESIM_CONTAINER, GREY);
    timeline_add_value(tl, 0, text_of("other values"), text_of(""));
    timeline_add_container(tl, 0, 0, pajesim_name(&run->sim, root), 0);
    if (filter->containers.count == 0)
        *pajesim_user_data(&run->sim, root) = 1;
    return 1;
}

void timeline_begin_part(timeline *tl, paje_run *run, pajesim_text name)
{
    run->command_data = tl;
    tl->known_types = tl->types.count;
    tl->is_in_range = 0;
    uint32_t type = timeline_add_type(tl, text_of("Trace"), PAJESIM_CONTAINER, GREY);
    tl->part = timeline_add_container(tl, 0, type, name, 0);
    if (run->settings->filter.containers.count == 0)
        *pajesim_user_data(&run->sim, pajesim_root(&run->sim)) = tl->part + 1;
}

static void add_container_type(timeline *tl, pajesim *sim, const pajesim_type_info *type)
{
    if (tl->container_types++ < TIMELINE_TYPES - 1)
        *pajesim_user_data(sim, type->ref) = timeline_add_type(tl, type->name, type->kind, GREY);
}

static void add_type(timeline *tl, pajesim *sim, const pajesim_type_info *type)
{
    *pajesim_user_data(sim, type->ref) = NO_TYPE;
    if (type->kind == PAJESIM_CONTAINER) {
        add_container_type(tl, sim, type);
        return;
    }
    if (!paje_shows_type(sim, type->ref))
        return;
    pajesim_text container_type = timeline_type_path(sim, type->parent);
    uint32_t known = timeline_known_type(tl, type->name, type->kind, container_type);
    if (known) {
        name_free(container_type);
        *pajesim_user_data(sim, type->ref) = known;
        return;
    }
    if (tl->drawn_types++ >= TIMELINE_TYPES) {
        name_free(container_type);
        tl->dropped_types++;
        return;
    }
    uint32_t color = type->kind == PAJESIM_LINK ? DARK : GREY;
    if (!palette_from_trace(&tl->palette, type->color, type->kind, &color) &&
        (type->kind == PAJESIM_VARIABLE || type->kind == PAJESIM_EVENT))
        color = palette_for_name(&tl->palette, type->name);
    uint32_t added = timeline_add_type(tl, type->name, type->kind, color);
    type_at(tl, added)->container_type = container_type;
    *pajesim_user_data(sim, type->ref) = added;
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

static void add_node(timeline *tl, pajesim *sim, pajesim_ref container, pajesim_time start)
{
    uint64_t parent = *pajesim_user_data(sim, pajesim_parent(sim, container));
    uint32_t type = type_of(tl, sim, pajesim_type_of(sim, container));
    uint32_t node = timeline_add_container(tl, parent ? (uint32_t)parent - 1 : tl->part, type,
                                           pajesim_name(sim, container), start);
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
    add_node(tl, sim, parent, pajesim_start_of(sim, parent));
}

static void add_container(timeline *tl, pajesim *sim, pajesim_ref container, pajesim_time start)
{
    if ((tl->has_end && start > tl->last) || !paje_shows_container(sim, container))
        return;
    add_around(tl, sim, container, 0);
    timeline_extend(tl, start, start);
    add_node(tl, sim, container, start);
    timeline_limit_nodes(tl);
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

/* ---- callbacks for types, values and containers */

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
    if (type)
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

/* ---- entities */

static void add_piece(timeline *tl, uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth,
                      const lane_piece *piece)
{
    const lane_bins bins = bins_of(tl);
    timeline_lane *lane = timeline_lane_of(tl, node, kind, type, depth);
    tl->pieces += lane_add(lane, piece, &bins, timeline_is_summed_up(tl, node, kind));
}

/* Adds a state to the lane of its depth; and, if it is nested, to the lane that makes innermost states of those. */
static void add_state(timeline *tl, pajesim *sim, const pajesim_entity *state, uint32_t node, uint32_t type,
                      lane_piece piece)
{
    int is_flat = timeline_is_summed_up(tl, node, PAJESIM_STATE);
    uint32_t depth = state->imbrication, nested = is_flat ? 0 : LANE_NESTED;
    pajesim_entity outer;
    if (depth == 0 || is_flat)
        add_piece(tl, node, PAJESIM_STATE, type, 0, &piece);
    else if (depth < LANE_DEPTHS)
        add_piece(tl, node, PAJESIM_STATE, type, depth, &piece);
    else
        tl->deep_states++;
    if (depth == 0)
        return;
    if (!is_flat)
        add_piece(tl, node, PAJESIM_STATE, type, nested, &piece);
    if (pajesim_open_entity(sim, state->container, state->type, depth - 1, &outer)) {
        piece.value = timeline_value_of(tl, sim, type, &outer);
        piece.time = -piece.time;
        piece.count = 0;
        add_piece(tl, node, PAJESIM_STATE, type, nested, &piece);
    }
}

static void add_link(timeline *tl, pajesim *sim, const pajesim_entity *entity)
{
    uint32_t type = type_of(tl, sim, entity->type);
    uint32_t from = (uint32_t)*pajesim_user_data(sim, entity->start_container);
    uint32_t to = (uint32_t)*pajesim_user_data(sim, entity->end_container);
    if (!type || !from || !to || !paje_shows(sim, entity) || !timeline_extend(tl, entity->start, entity->end) ||
        type_at(tl, type)->count++ % tl->link_stride)
        return;
    timeline_link link = {entity->start, entity->end, type, timeline_value_of(tl, sim, type, entity),
                          from - 1, to - 1, 1, timeline_add_fields(tl, sim, entity)};
    timeline_add_link(tl, &link);
}

/* Adds a state, a segment of a variable or an event to its node. */
static void add_entity(timeline *tl, pajesim *sim, const pajesim_entity *entity, uint32_t node, uint32_t type)
{
    lane_piece piece = {.start = entity->start, .end = fmax(entity->start, entity->end), .count = 1, .exact = 1};
    piece.time = piece.end - piece.start;
    if (!timeline_is_summed_up(tl, node, entity->kind) && !(piece.time < tl->bin)) /* shorter ones go into bins */
        piece.fields = timeline_add_fields(tl, sim, entity);
    type_at(tl, type)->count++;
    tl->changes += entity->kind != PAJESIM_VARIABLE || entity->start > tl->first;
    if (entity->kind == PAJESIM_VARIABLE) {
        piece.least = piece.most = entity->number;
        piece.sum = entity->number * piece.time;
        add_piece(tl, node, PAJESIM_VARIABLE, type, 0, &piece);
        return;
    }
    piece.value = timeline_value_of(tl, sim, type, entity);
    if (entity->kind == PAJESIM_EVENT)
        add_piece(tl, node, PAJESIM_EVENT, 0, 0, &piece);
    else
        add_state(tl, sim, entity, node, type, piece);
}

int timeline_closed(pajesim *sim, const pajesim_entity *entity)
{
    timeline *tl = timeline_of(sim);
    if (is_ranged(tl)) {
        if (!paje_shows_time(((const paje_run *)pajesim_data(sim))->settings, entity->start, entity->end))
            return PAJESIM_GO_ON;
        if (!tl->is_in_range)
            begin_range(tl, sim);
    }
    if (entity->kind == PAJESIM_LINK) {
        add_link(tl, sim, entity);
        return PAJESIM_GO_ON;
    }
    uint64_t word = *pajesim_user_data(sim, entity->container);
    if (!word)
        return PAJESIM_GO_ON;
    uint32_t node = timeline_node_of(tl, (uint32_t)word - 1), type = type_of(tl, sim, entity->type);
    if (entity->kind == PAJESIM_CONTAINER) {
        if (node > 0 && timeline_extend(tl, entity->start, entity->end))
            node_at(tl, node)->end = fmax(node_at(tl, node)->end, entity->end);
        return PAJESIM_GO_ON;
    }
    if (!type || !paje_shows(sim, entity) || !timeline_extend(tl, entity->start, entity->end))
        return PAJESIM_GO_ON;
    if (tl->states_only && entity->kind != PAJESIM_STATE) {
        tl->dropped++;
        return PAJESIM_GO_ON;
    }
    if (entity->kind == PAJESIM_VARIABLE && !(fabs(entity->number) < TIMELINE_MOST_NUMBER))
        return PAJESIM_GO_ON;
    if (has_too_many_bins(tl))
        widen_bins(tl);
    add_entity(tl, sim, entity, node, type);
    timeline_limit_nodes(tl);
    if (tl->pieces > tl->next_fold)
        widen_bins(tl);
    return PAJESIM_GO_ON;
}
