/* The tree of containers, in bounded memory: when there are too many, siblings are merged into one node. */
#include "timeline/timeline.h"

#include <math.h>

enum {
    MOST_NODES = 8192,              /* with or without rows */
    MOST_ADDED = 16 * MOST_NODES,   /* with those that were merged: from there on nodes of any type are merged */
    SIBLINGS_SEARCHED = 16          /* for the last one of a type */
};

static int is_merged(const timeline *tl, uint32_t node)
{
    return node_at(tl, node)->merged_into != node;
}

static uint32_t add_node(timeline *tl, uint32_t parent, uint32_t type, pajesim_text name, double start)
{
    timeline_node *node = array_push(&tl->nodes);
    uint32_t index = (uint32_t)tl->nodes.count - 1;
    node->merged_into = index;
    node->parent = parent;
    node->type = type;
    node->members = 1;
    node->name = node->last_name = name_copy(name);
    node->start = node->end = start;
    if (index > 0) {
        timeline_node *above = node_at(tl, parent);
        node->level = above->level + 1;
        node->next = above->first;
        above->first = index;
    }
    tl->tree.nodes++;
    return index;
}

uint32_t timeline_node_of(const timeline *tl, uint32_t node)
{
    uint32_t found = node;
    while (is_merged(tl, found))
        found = node_at(tl, found)->merged_into;
    while (node != found) { /* shorten the path for the next search */
        uint32_t next = node_at(tl, node)->merged_into;
        node_at(tl, node)->merged_into = found;
        node = next;
    }
    return found;
}

double timeline_living(const timeline *tl, const timeline_node *node)
{
    const double members = node->members, same = 1e-9;
    double span = fmin(node->end, tl->last) - fmax(node->start, tl->first);
    if (node->members == 1 || !(span > 0) || !(node->lived < members * (1 - same) * span))
        return members;
    return fmax(node->lived / span, 1);
}

/* The node that the next container of a type becomes a member of; 0: none. */
static uint32_t open_group(const timeline *tl, uint32_t parent, uint32_t type)
{
    uint32_t child = node_at(tl, parent)->first, level = node_at(tl, parent)->level + 1;
    if (tl->nodes.count < MOST_ADDED)
        for (int i = 0; child && node_at(tl, child)->type != type; i++)
            child = i < SIBLINGS_SEARCHED ? node_at(tl, child)->next : 0;
    return child && node_at(tl, child)->members < tl->tree.group[level] ? child : 0;
}

static void set_last_name(timeline_node *node, pajesim_text name)
{
    if (node->last_name.bytes != node->name.bytes)
        name_free(node->last_name);
    node->last_name = name;
}

/* ---- lanes */

int timeline_begins_row(const timeline_lane *lane, const timeline_lane *before)
{
    return !before || before->kind != lane->kind || before->type != lane->type;
}

static size_t count_rows(const timeline_node *node)
{
    size_t count = 0;
    for (const timeline_lane *lane = node->lanes, *before = NULL; lane; before = lane, lane = lane->next)
        count += (size_t)timeline_begins_row(lane, before);
    return count;
}

timeline_lane *timeline_lane_of(timeline *tl, uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth)
{
    size_t place = kind == PAJESIM_STATE ? depth : LANE_NESTED + 1 + type % TIMELINE_OTHERS;
    timeline_lane **found = &node_at(tl, node)->found[place], **at = &node_at(tl, node)->lanes;
    const uint64_t order = lane_order(kind, type, depth);
    if (*found && (*found)->order == order)
        return *found;
    while (*at && (*at)->order < order)
        at = &(*at)->next;
    if (!*at || (*at)->order > order) {
        size_t before = count_rows(node_at(tl, node));
        *at = lane_new(kind, type, depth, *at);
        tl->tree.rows += count_rows(node_at(tl, node)) - before;
    }
    return *found = *at;
}

/* Frees a lane that the node has no more. */
static void free_lane(timeline *tl, timeline_node *node, timeline_lane *lane)
{
    memset(node->found, 0, sizeof node->found);
    tl->pieces -= lane->pieces.count;
    lane_free(lane);
}

/* Leaves, of each type of states, only the lane of depth 0, with the time of innermost states. */
static void flatten(timeline *tl, uint32_t node)
{
    for (timeline_lane **at = &node_at(tl, node)->lanes, *lane; (lane = *at) != NULL;) {
        if (lane->depth == 0) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        if (lane->depth == LANE_NESTED)
            tl->pieces += lane_join(timeline_lane_of(tl, node, lane->kind, lane->type, 0), lane);
        free_lane(tl, node_at(tl, node), lane);
    }
}

void timeline_flatten(timeline *tl)
{
    tl->is_flat = 1;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        flatten(tl, i);
}

uint32_t timeline_add_container(timeline *tl, uint32_t parent, uint32_t type, pajesim_text name, double start)
{
    if (tl->nodes.count == 0)
        return add_node(tl, 0, type, name, start);
    parent = timeline_node_of(tl, parent);
    tl->containers++;
    if (node_at(tl, parent)->level == TIMELINE_LEVELS) {
        tl->deep_containers++;
        node_at(tl, parent)->members++;
        flatten(tl, parent);
        return parent;
    }
    uint32_t child = open_group(tl, parent, type);
    if (!child)
        return add_node(tl, parent, type, name, start);
    timeline_node *node = node_at(tl, child);
    node->members++;
    node->start = fmin(node->start, start);
    set_last_name(node, name_copy(name));
    flatten(tl, child);
    return child;
}

/* ---- merging siblings */

static void reverse_children(timeline *tl, uint32_t parent)
{
    uint32_t reversed = 0;
    for (uint32_t child = node_at(tl, parent)->first, next; child; child = next) {
        next = node_at(tl, child)->next;
        node_at(tl, child)->next = reversed;
        reversed = child;
    }
    node_at(tl, parent)->first = reversed;
}

static void reverse_all(timeline *tl)
{
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        if (!is_merged(tl, i))
            reverse_children(tl, i);
}

/* Makes `other` a part of `node`, an elder sibling; it is no longer among the children of their parent.  The children
 * of both are eldest first. */
static void merge_nodes(timeline *tl, uint32_t node, uint32_t other)
{
    flatten(tl, node);
    flatten(tl, other);
    timeline_node *to = node_at(tl, node), *from = node_at(tl, other);
    uint32_t *end = &to->first;
    while (*end)
        end = &node_at(tl, *end)->next;
    *end = from->first;
    for (uint32_t child = from->first; child; child = node_at(tl, child)->next)
        node_at(tl, child)->parent = node;
    for (timeline_lane *lane = from->lanes, *next; lane; lane = next) {
        next = lane->next;
        tl->pieces += lane_join(timeline_lane_of(tl, node, lane->kind, lane->type, lane->depth), lane);
        free_lane(tl, from, lane);
    }
    to->members += from->members;
    to->start = fmin(to->start, from->start);
    to->end = fmax(to->end, from->end);
    to->lived += from->lived;
    to->is_linked |= from->is_linked;
    set_last_name(to, from->last_name);
    if (from->name.bytes != to->last_name.bytes)
        name_free(from->name);
    from->merged_into = node;
    from->lanes = NULL;
}

/* Merges the children of a node two by two, if they are of the same type.  Returns the number of merged pairs. */
static size_t merge_pairs(timeline *tl, uint32_t parent, int any_type)
{
    uint32_t *waiting = memory_alloc_zero(tl->types.count, sizeof *waiting); /* of each type: a child alone */
    size_t pairs = 0;
    for (uint32_t *at = &node_at(tl, parent)->first; *at;) {
        uint32_t child = *at, type = any_type ? 0 : node_at(tl, child)->type, partner = waiting[type];
        waiting[type] = partner ? 0 : child;
        if (partner) {
            *at = node_at(tl, child)->next;
            node_at(tl, child)->next = 0;
            merge_nodes(tl, partner, child);
            pairs++;
        } else {
            at = &node_at(tl, child)->next;
        }
    }
    free(waiting);
    return pairs;
}

static size_t merge_level(timeline *tl, uint32_t level, int any_type)
{
    size_t pairs = 0;
    reverse_all(tl);
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        if (!is_merged(tl, i) && node_at(tl, i)->level + 1 == level)
            pairs += merge_pairs(tl, i, any_type);
    reverse_all(tl);
    tl->tree.rows = 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        tl->tree.rows += count_rows(node_at(tl, i));
    if (pairs > 0)
        tl->tree.group[level] = tl->tree.group[level] ? 2 * tl->tree.group[level] : 2;
    tl->tree.nodes -= pairs;
    return pairs;
}

/* The level of most rows, or of most nodes. */
static uint32_t heaviest_level(const timeline *tl, int by_rows)
{
    size_t weights[TIMELINE_LEVELS + 1] = {0};
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        if (!is_merged(tl, i))
            weights[node_at(tl, i)->level] += by_rows ? count_rows(node_at(tl, i)) : 1;
    uint32_t best = 0;
    for (uint32_t level = 1; level <= TIMELINE_LEVELS; level++)
        if (weights[level] > weights[best])
            best = level;
    return best;
}

/* Merges siblings at the heaviest level; or above it, so that nodes there come to have siblings.  Returns 0 if none can
 * be merged any more. */
static int merge_some(timeline *tl, int by_rows)
{
    for (int any_type = 0; any_type < 2; any_type++)
        for (uint32_t level = heaviest_level(tl, by_rows); level > 0; level--)
            if (merge_level(tl, level, any_type) > 0)
                return 1;
    return 0;
}

static size_t count_state_rows(const timeline *tl)
{
    size_t count = 0;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (const timeline_lane *lane = node_at(tl, i)->lanes; lane; lane = lane->next)
            count += lane->kind == PAJESIM_STATE && lane->depth == 0;
    return count;
}

/* Where states make up a good part of the rows, events and variables are dropped before containers are merged. */
static void drop_other_rows(timeline *tl)
{
    size_t states = count_state_rows(tl);
    if (tl->states_only || 8 * states < tl->tree.rows)
        return;
    tl->states_only = 1;
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        for (timeline_lane **at = &node_at(tl, i)->lanes, *lane; (lane = *at) != NULL;) {
            if (lane->kind == PAJESIM_STATE) {
                at = &lane->next;
                continue;
            }
            *at = lane->next;
            tl->dropped += lane->pieces.count;
            free_lane(tl, node_at(tl, i), lane);
        }
    tl->tree.rows = states;
}

void timeline_limit_nodes(timeline *tl)
{
    timeline_tree_size *tree = &tl->tree;
    if (tree->rows > tl->most_rows)
        drop_other_rows(tl);
    while (tree->nodes > MOST_NODES && tree->nodes > tree->least_nodes)
        if (!merge_some(tl, 0))
            tree->least_nodes = 2 * tree->nodes;
    while (tree->rows > tl->most_rows && tree->rows > tree->least_rows)
        if (!merge_some(tl, 1))
            tree->least_rows = 2 * tree->rows;
}

/* ---- names of nodes */

static void put_own_name(text_buffer *text, const timeline_node *node)
{
    text_append(text, node->name);
    if (!text_is_equal(node->name, node->last_name)) {
        text_puts(text, " \xe2\x80\xa6 ");
        text_append(text, node->last_name);
    }
    if (timeline_is_shared(node))
        text_printf(text, " (%lu)", (unsigned long)node->members);
}

void timeline_put_name(text_buffer *text, const timeline *tl, uint32_t node)
{
    uint32_t path[TIMELINE_LEVELS], count = 0;
    for (uint32_t at = node; at && (at == node || node_at(tl, at)->is_prefix); at = node_at(tl, at)->parent)
        path[count++] = at;
    for (uint32_t i = count; i-- > 0;) {
        const timeline_node *at = node_at(tl, path[i]);
        if (i + 1 < count)
            text_puts(text, " / ");
        if (i + 1 == count || !timeline_is_shared(at)) {
            put_own_name(text, at);
        } else { /* the prefix says enough: "a ... d (4) / 4 Thread" */
            text_printf(text, "%lu ", (unsigned long)at->members);
            text_append(text, type_at(tl, at->type)->name);
        }
    }
}

void timeline_put_path(text_buffer *text, const timeline *tl, uint32_t node)
{
    uint32_t path[TIMELINE_LEVELS], count = 0;
    for (uint32_t at = node; at; at = node_at(tl, at)->parent)
        if (at == node || !node_at(tl, at)->is_prefix) /* whose name is a part of that of the one below */
            path[count++] = at;
    while (count-- > 0) {
        timeline_put_name(text, tl, path[count]);
        if (count > 0)
            text_puts(text, " / ");
    }
}

void timeline_put_names(text_buffer *text, const timeline *tl, uint32_t first, uint32_t last, unsigned long members)
{
    timeline_put_name(text, tl, first);
    if (first == last)
        return;
    if (timeline_is_shared(node_at(tl, first))) { /* of "a ... d (4)" only "a" */
        text_clear(text);
        text_append(text, node_at(tl, first)->name);
    }
    text_puts(text, " \xe2\x80\xa6 ");
    text_append(text, node_at(tl, last)->last_name);
    text_printf(text, " (%lu)", members);
}
