/* Prepares a timeline for drawing: order, scales, weights, colours, and what has something to show. */
#include "timeline/timeline.h"

#include <float.h>
#include <math.h>

/* Gives the drawn range a length, even if the trace is empty. */
static void settle_range(timeline *tl)
{
    if (tl->first > tl->last) /* no entity was drawn */
        tl->first = tl->has_start ? tl->first : tl->has_end ? tl->last - 1 : 0;
    tl->is_instant = !(tl->last > tl->first);
    if (tl->is_instant)
        tl->last = tl->first + fmax(1, fabs(tl->first) * DBL_EPSILON * 4);
}

static void scale_variable(timeline *tl, const timeline_lane *lane)
{
    timeline_type *type = type_at(tl, lane->type);
    for (size_t i = 0; i < lane->pieces.count; i++) {
        type->least = fmin(type->least, lane->pieces.items[i].least);
        type->most = fmax(type->most, lane->pieces.items[i].most);
    }
}

/* Whether a variable has one value all the time: of one container, from about its beginning on. */
static int is_constant(const timeline *tl, const timeline_node *node, const timeline_lane *lane)
{
    const lane_piece *first = lane->pieces.items;
    double slack = (tl->last - tl->first) / 100;
    if (lane->kind != PAJESIM_VARIABLE || timeline_is_shared(node) || lane->pieces.count == 0 ||
        first->start > fmax(node->start, tl->first) + slack)
        return 0;
    for (size_t i = 0; i < lane->pieces.count; i++)
        if (first->least < lane->pieces.items[i].most || first->least > lane->pieces.items[i].least)
            return 0;
    return 1;
}

static void weigh_values(timeline *tl, const timeline_lane *lane)
{
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        if (piece->end >= tl->first && piece->start <= tl->last)
            value_at(tl, piece->value)->weight += lane->kind == PAJESIM_STATE ? piece->time : piece->count;
    }
}

static void finish_lanes(timeline *tl)
{
    for (uint32_t i = 0; i < tl->nodes.count; i++) {
        const timeline_node *node = node_at(tl, i);
        if (i > 0 && node->merged_into == i && node->members > tl->most_members)
            tl->most_members = node->members;
        for (timeline_lane *lane = node->lanes; lane; lane = lane->next) {
            lane_sort(lane);
            lane->is_constant = is_constant(tl, node, lane);
            if (lane->kind == PAJESIM_VARIABLE && !lane->is_constant)
                type_at(tl, lane->type)->varies = 1;
            if (lane->kind == PAJESIM_VARIABLE)
                scale_variable(tl, lane);
            else if (lane->depth != LANE_NESTED)
                weigh_values(tl, lane);
        }
    }
}

/* ---- what has something to show */

/* Whether a lane is a variable that is always 0. */
static int is_flat(const timeline *tl, const timeline_lane *lane)
{
    const timeline_type *type = type_at(tl, lane->type);
    return lane->kind == PAJESIM_VARIABLE && !(type->most > type->least);
}

static void drop_flat_variables(timeline *tl, timeline_node *node)
{
    for (timeline_lane **at = &node->lanes, *lane; (lane = *at) != NULL;) {
        if (!is_flat(tl, lane)) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        lane_free(lane);
        tl->flat_variables++;
    }
}

/* Marks the nodes of a subtree that have something to show, or all of them.  Returns whether there are any.  The
 * recursion is at most TIMELINE_LEVELS deep. */
static int mark_shown(timeline *tl, uint32_t at, int all)
{
    timeline_node *node = node_at(tl, at);
    int children = 0;
    for (uint32_t child = node->first; child; child = node_at(tl, child)->next)
        children += mark_shown(tl, child, all);
    int has_content = node->lanes || node->is_linked;
    node->is_shown = all || has_content || children > 0;
    node->is_prefix = at > 0 && !has_content && children == 1;
    return node->is_shown;
}

int timeline_is_line(const timeline *tl, const timeline_link *link)
{
    const timeline_node *from = node_at(tl, link->from), *to = node_at(tl, link->to);
    return !(link->end > link->start) && !(link->start > fmin(from->start, to->start));
}

/* Drops links that are lines of a network; and those of nodes that are not shown: a link that takes no time is no
 * reason to show a node. */
static void drop_empty_links(timeline *tl)
{
    size_t kept = 0;
    for (size_t i = 0; i < tl->links.count; i++) {
        const timeline_link *link = &tl->links.items[i];
        if (timeline_is_line(tl, link))
            tl->lines += link->count;
        else if (node_at(tl, link->from)->is_shown && node_at(tl, link->to)->is_shown)
            tl->links.items[kept++] = *link;
        else
            tl->empty_links += link->count;
    }
    tl->links.count = kept;
}

static void choose_shown(timeline *tl)
{
    if (tl->shows_all) {
        mark_shown(tl, 0, 1);
        return;
    }
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        drop_flat_variables(tl, node_at(tl, i));
    if (!mark_shown(tl, 0, 0)) /* show all rather than none */
        mark_shown(tl, 0, 1);
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        if (node_at(tl, i)->merged_into == i && !node_at(tl, i)->is_shown)
            tl->empty_containers += node_at(tl, i)->members;
    drop_empty_links(tl);
}

int timeline_is_platform(const timeline *tl)
{
    return !tl->is_chosen && tl->changes == 0 && tl->dropped == 0 && tl->links.count == 0 && tl->containers > 1;
}

void timeline_finish(timeline *tl, paje_run *run)
{
    tl->is_unit_given = run->settings->filter.unit != NULL;
    tl->is_chosen = run->settings->filter.types.count || run->settings->filter.containers.count;
    tl->unit = paje_guess_unit(run);
    tl->seconds = paje_unit_of(run)->seconds;
    settle_range(tl);
    timeline_fold_links(tl);
    timeline_finish_pieces(tl);
    timeline_order_nodes(tl);
    finish_lanes(tl);
    choose_shown(tl);
    for (size_t i = 0; i < tl->links.count; i++)
        value_at(tl, tl->links.items[i].value)->weight += tl->links.items[i].count;
    for (uint32_t i = 1; i < tl->types.count; i++)
        timeline_color_values(tl, i);
}
