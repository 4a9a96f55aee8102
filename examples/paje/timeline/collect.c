/* Collects what a timeline shows: the range of time, entities as pieces of lanes, and bins. */
#include "timeline/timeline.h"
#include "replay/ending.h"

#include <math.h>

enum { FIRST_BINS = 4096, MOST_BINS = 16384, FEW_BINS = 128 };

#define LEAST_BIN 1e-12 /* seconds */
#define DARK 0x333333

/* ---- the range of time, and bins of it */

int timeline_extend(timeline *tl, double start, double end)
{
    if (!(fabs(start) < TIMELINE_MOST_NUMBER && fabs(end) < TIMELINE_MOST_NUMBER)) {
        tl->far_times++;
        return 0;
    }
    if (start < tl->first && !tl->has_start && !(tl->has_end && start > tl->last))
        tl->first = start;
    if (end > tl->last && !tl->has_end && !(tl->has_start && end < tl->first))
        tl->last = end;
    return end >= tl->first && start <= tl->last;
}

/* Where the drawn range is expected to end, by what the trace's last lines tell.  Bins are as wide from the beginning
 * as that range needs, so that pieces mostly add up to those before, rather than go into wider bins again and again. */
static double expected_last(const timeline *tl)
{
    return fmax(tl->last, tl->expected);
}

static void expect_end(timeline *tl)
{
    const paje_filter *filter = &tl->run->settings->filter;
    const paje_source *source = tl->run->source;
    while (source->includer)
        source = source->includer;
    if (!tl->has_start && !tl->has_end && !filter->types.count && !filter->containers.count)
        tl->expected = paje_find_end(source);
}

/* How many times as long the drawn range is expected to become; 1: that is not known. */
static double expected_growth(const timeline *tl)
{
    return tl->last > tl->first ? (expected_last(tl) - tl->first) / (tl->last - tl->first) : 1;
}

double timeline_first_bin(const timeline *tl)
{
    return lane_bin_width(tl->first, expected_last(tl), FIRST_BINS, LEAST_BIN / tl->seconds);
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

/* Estimates by some of the lanes whether there will be too many pieces in bins of the present width; at the end of the
 * trace, if that is known. */
static int are_too_narrow(const timeline *tl)
{
    enum { STEP = 17, FEW_LANES = 10 * STEP };
    const lane_bins bins = bins_of(tl);
    double grows = expected_growth(tl);
    int is_end_known = grows > 1;
    double most = (double)(is_end_known ? tl->most_pieces : most_left(tl));
    size_t before = 0, after = 0, lanes = 0, number = 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (const timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            lanes++;
    size_t step = lanes > FEW_LANES ? STEP : 1;
    if (step == 1 && !is_end_known)
        return 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (const timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            if (number++ % step == 0) {
                before += lane->pieces.count;
                after += lane_count_folded(lane, &bins, timeline_is_summed_up(tl, i, lane->kind));
            }
    return grows * (double)after * (double)tl->pieces > (double)before * most && !has_widest_bins(tl);
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
    if (tl->is_flat || expected_last(tl) - tl->first > FEW_BINS * tl->bin)
        return;
    timeline_flatten(tl);
    tl->bin = is_first ? timeline_first_bin(tl) : tl->bin / 2;
}

/* Whether there will be so many pieces that they need not all be kept until there are too many. */
static int are_many_expected(const timeline *tl)
{
    enum { MANY = 4 };
    return expected_growth(tl) * (double)tl->pieces > MANY * (double)tl->most_pieces;
}

/* Puts pieces into bins, or into wider ones than before, until there are few enough. */
static void widen_bins(timeline *tl)
{
    if (tl->bin > 0) {
        limit_values(tl);
        if (tl->pieces > most_left(tl))
            double_bins(tl, 0);
    } else {
        expect_end(tl);
        if (tl->pieces <= tl->most_pieces && !are_many_expected(tl)) {
            tl->next_fold = tl->most_pieces;
            return;
        }
        tl->bin = timeline_first_bin(tl);
        while (are_too_narrow(tl))
            double_bins(tl, 1);
    }
    while (has_too_many_bins(tl))
        tl->bin *= 2;
    while (!fold_all(tl, 0))
        double_bins(tl, 0);
    tl->next_fold = tl->pieces > most_left(tl) ? tl->pieces + tl->most_pieces / 4 : tl->most_pieces;
    timeline_drop_fields(tl);
}

void timeline_finish_pieces(timeline *tl)
{
    if (!(tl->bin > 0))
        return;
    while (!fold_all(tl, 1))
        tl->bin *= 2;
}

/* ---- containers, types and entities */

uint32_t timeline_take_container(timeline *tl, const timeline_container *it)
{
    if (!it->is_around)
        timeline_extend(tl, it->start, it->start);
    uint32_t node = timeline_add_container(tl, it->parent, it->type, it->name, it->start);
    if (!it->is_around)
        timeline_limit_nodes(tl);
    return node;
}

uint32_t timeline_take_type(timeline *tl, const timeline_type_seen *it)
{
    if (it->kind == PAJESIM_CONTAINER)
        return tl->container_types++ >= TIMELINE_TYPES - 1 ? 0 : timeline_add_type(tl, it->name, it->kind,
                                                                                   TIMELINE_GREY);
    uint32_t known = timeline_known_type(tl, it->name, it->kind, it->container_type);
    if (known)
        return known;
    if (tl->drawn_types++ >= TIMELINE_TYPES) {
        tl->dropped_types++;
        return 0;
    }
    uint32_t color = it->kind == PAJESIM_LINK ? DARK : TIMELINE_GREY;
    if (!palette_from_trace(&tl->palette, it->color, it->kind, &color) &&
        (it->kind == PAJESIM_VARIABLE || it->kind == PAJESIM_EVENT))
        color = palette_for_name(&tl->palette, it->name);
    uint32_t added = timeline_add_type(tl, it->name, it->kind, color);
    type_at(tl, added)->container_type = name_copy(it->container_type);
    return added;
}

/* The value of an entity, or of the state around it. */
static uint32_t value_of(timeline *tl, const timeline_seen *it, const pajesim_entity *of, uint32_t shared)
{
    return it->sim ? timeline_value_of(tl, it->sim, it->type, of) : timeline_shared_value(tl, shared);
}

static void add_piece(timeline *tl, uint32_t node, timeline_lane *lane, const lane_piece *piece)
{
    const lane_bins bins = bins_of(tl);
    tl->pieces += lane_add(lane, piece, &bins, timeline_is_summed_up(tl, node, lane->kind));
}

/* Adds a state to the lane of its depth; and, if it is nested, to the lane that makes innermost states of those. */
static void add_state(timeline *tl, const timeline_seen *state, uint32_t node, lane_piece *piece)
{
    int is_flat = timeline_is_summed_up(tl, node, PAJESIM_STATE);
    timeline_lane *lane = NULL;
    if (is_flat || state->depth < LANE_DEPTHS) {
        lane = timeline_lane_of(tl, node, PAJESIM_STATE, state->type, is_flat ? 0 : state->depth);
        add_piece(tl, node, lane, piece);
    } else {
        tl->deep_states++;
    }
    if (state->depth == 0)
        return;
    if (!is_flat) {
        lane = timeline_lane_of(tl, node, PAJESIM_STATE, state->type, LANE_NESTED);
        add_piece(tl, node, lane, piece);
    }
    if (state->has_outer) {
        piece->value = value_of(tl, state, state->outer, state->outer_value);
        piece->time = -piece->time;
        piece->count = 0;
        add_piece(tl, node, lane, piece);
    }
}

static void add_link(timeline *tl, const timeline_seen *it)
{
    if (it->node == TIMELINE_OUTSIDE || it->to == TIMELINE_OUTSIDE) {
        tl->outer_links++;
        return;
    }
    /* Where clocks differ, links end before they start. */
    int is_drawn = timeline_extend(tl, fmin(it->start, it->end), fmax(it->start, it->end));
    if (!is_drawn || !timeline_is_drawn_link(tl, type_at(tl, it->type)->count++))
        return;
    timeline_link link = {it->start, it->end, it->type, value_of(tl, it, it->entity, it->value),
                          it->node, it->to, 1, timeline_add_fields(tl, it)};
    timeline_add_link(tl, &link);
}

/* Adds a state, a segment of a variable or an event to its node. */
static void add_entity(timeline *tl, const timeline_seen *it, uint32_t node)
{
    lane_piece piece = {.start = it->start, .end = it->end, .count = 1, .exact = 1};
    if (piece.end < piece.start)
        piece.end = piece.start;
    piece.time = piece.end - piece.start;
    if (!timeline_is_summed_up(tl, node, it->kind) && !(piece.time < tl->bin)) /* shorter ones go into bins */
        piece.fields = timeline_add_fields(tl, it);
    type_at(tl, it->type)->count++;
    tl->changes += it->kind != PAJESIM_VARIABLE || it->start > tl->first;
    if (it->kind == PAJESIM_VARIABLE) {
        piece.least = piece.most = it->number;
        piece.sum = it->number * piece.time;
        add_piece(tl, node, timeline_lane_of(tl, node, PAJESIM_VARIABLE, it->type, 0), &piece);
        return;
    }
    piece.value = value_of(tl, it, it->entity, it->value);
    if (it->kind == PAJESIM_EVENT)
        add_piece(tl, node, timeline_lane_of(tl, node, PAJESIM_EVENT, 0, 0), &piece);
    else
        add_state(tl, it, node, &piece);
}

void timeline_take(timeline *tl, const timeline_seen *it)
{
    if (it->kind == PAJESIM_LINK) {
        add_link(tl, it);
        return;
    }
    uint32_t node = timeline_node_of(tl, it->node);
    if (it->kind == PAJESIM_CONTAINER) {
        if (node > 0 && timeline_extend(tl, it->start, it->end)) {
            node_at(tl, node)->end = fmax(node_at(tl, node)->end, it->end);
            node_at(tl, node)->lived += fmax(fmin(it->end, tl->last) - fmax(it->start, tl->first), 0);
        }
        return;
    }
    if (!timeline_extend(tl, it->start, it->end))
        return;
    if (tl->states_only && it->kind != PAJESIM_STATE) {
        tl->dropped++;
        return;
    }
    if (it->kind == PAJESIM_VARIABLE && !(fabs(it->number) < TIMELINE_MOST_NUMBER))
        return;
    if (has_too_many_bins(tl))
        widen_bins(tl);
    add_entity(tl, it, node);
    timeline_limit_nodes(tl);
    if (tl->pieces > tl->next_fold)
        widen_bins(tl);
}
