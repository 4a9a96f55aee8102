/* The tree of containers, in bounded room: siblings become one when there are too many. */
#include "diagram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_NODES = 8192, /* with or without rows */
    SIBLINGS_SEEN = 16 /* to find the last one of a type */
};

static size_t room, alive, rows;
static size_t least_nodes, least_rows; /* of what cannot be joined any more */
static uint32_t group[DIAGRAM_LEVELS + 1]; /* how many siblings become one, at each level */

static diagram_node *node_at(uint32_t node)
{
    return &diagram.nodes[node];
}

static uint32_t add_node(uint32_t parent, uint32_t type, pajesim_text name, double start)
{
    if (diagram.node_count == room) {
        room += room / 2 + 64;
        diagram.nodes = paje_room(diagram.nodes, room * sizeof *diagram.nodes);
    }
    uint32_t at = (uint32_t)diagram.node_count++;
    diagram_node *it = memset(node_at(at), 0, sizeof *it);
    it->joined = at;
    it->parent = parent;
    it->type = type;
    it->members = 1;
    it->name = it->last_name = diagram_copy(name);
    it->start = it->end = start;
    if (at > 0) {
        it->level = node_at(parent)->level + 1;
        it->next = node_at(parent)->first;
        node_at(parent)->first = at;
    }
    alive++;
    return at;
}

uint32_t diagram_node_of(uint32_t node)
{
    uint32_t it = node;
    while (node_at(it)->joined != it)
        it = node_at(it)->joined;
    while (node != it) { /* the next search is short */
        uint32_t next = node_at(node)->joined;
        node_at(node)->joined = it;
        node = next;
    }
    return it;
}

/* The group that the next container belongs to; 0: there is none. */
static uint32_t open_group(uint32_t parent, uint32_t type)
{
    uint32_t child = node_at(parent)->first, level = node_at(parent)->level + 1;
    if (diagram.node_count < 16 * MOST_NODES)
        for (int i = 0; child && node_at(child)->type != type; i++)
            child = i < SIBLINGS_SEEN ? node_at(child)->next : 0;
    return child && node_at(child)->members < group[level] ? child : 0;
}

static void set_last_name(diagram_node *node, pajesim_text name)
{
    if (node->last_name.bytes != node->name.bytes)
        free((void *)(uintptr_t)node->last_name.bytes);
    node->last_name = name;
}

/* ---- lanes */

static int compare_lanes(const diagram_lane *lane, pajesim_kind kind, uint32_t type, uint32_t depth)
{
    static const int places[] = {[PAJESIM_EVENT] = 0, [PAJESIM_STATE] = 1, [PAJESIM_VARIABLE] = 2};
    if (lane->kind != kind)
        return places[lane->kind] < places[kind] ? -1 : 1;
    if (lane->type != type)
        return lane->type < type ? -1 : 1;
    return (lane->depth > depth) - (lane->depth < depth);
}

diagram_lane *diagram_lane_of(uint32_t node, pajesim_kind kind, uint32_t type, uint32_t depth)
{
    diagram_lane **at = &node_at(node)->lanes;
    while (*at && compare_lanes(*at, kind, type, depth) < 0)
        at = &(*at)->next;
    if (!*at || compare_lanes(*at, kind, type, depth) > 0) {
        diagram_lane *lane = memset(paje_room(NULL, sizeof *lane), 0, sizeof *lane);
        size_t before = diagram_rows(node_at(node));
        lane->kind = kind;
        lane->type = type;
        lane->depth = depth;
        lane->next = *at;
        *at = lane;
        rows += diagram_rows(node_at(node)) - before;
    }
    return *at;
}

size_t diagram_rows(const diagram_node *node)
{
    size_t count = 0;
    for (const diagram_lane *lane = node->lanes, *last = NULL; lane; last = lane, lane = lane->next)
        count += !last || last->kind != lane->kind || last->type != lane->type;
    return count;
}

int diagram_is_shared(const diagram_node *node)
{
    return node->members > 1;
}

static void free_lane(diagram_lane *lane)
{
    diagram.pieces -= lane->count;
    free(lane->pieces);
    free(lane);
}

/* Leaves, of each type of states, the lane of depth 0, with the time of innermost states. */
static void flatten(uint32_t node)
{
    for (diagram_lane **at = &node_at(node)->lanes, *lane; (lane = *at) != NULL;) {
        if (lane->depth == 0) {
            at = &lane->next;
            continue;
        }
        *at = lane->next;
        if (lane->depth == DIAGRAM_DEPTHS)
            diagram_join_lanes(diagram_lane_of(node, lane->kind, lane->type, 0), lane);
        free_lane(lane);
    }
}

uint32_t diagram_add_container(uint32_t parent, uint32_t type, pajesim_text name, double start)
{
    if (diagram.node_count == 0)
        return add_node(0, type, name, start);
    parent = diagram_node_of(parent);
    diagram.containers++;
    if (node_at(parent)->level == DIAGRAM_LEVELS) {
        diagram.deep_containers++;
        node_at(parent)->members++;
        flatten(parent);
        return parent;
    }
    uint32_t child = open_group(parent, type);
    if (!child)
        return add_node(parent, type, name, start);
    diagram_node *it = node_at(child);
    it->members++;
    it->start = fmin(it->start, start);
    set_last_name(it, diagram_copy(name));
    flatten(child);
    return child;
}

/* ---- joining siblings */

static void reverse_children(uint32_t parent)
{
    uint32_t reversed = 0;
    for (uint32_t child = node_at(parent)->first, next; child; child = next) {
        next = node_at(child)->next;
        node_at(child)->next = reversed;
        reversed = child;
    }
    node_at(parent)->first = reversed;
}

/* Makes `other`, a younger sibling that its parent has given up, a part of `node`.  Both lists of children are eldest
 * first. */
static void join_nodes(uint32_t node, uint32_t other)
{
    diagram_node *to = node_at(node), *from = node_at(other);
    flatten(node);
    flatten(other);
    uint32_t *last = &to->first;
    while (*last)
        last = &node_at(*last)->next;
    *last = from->first;
    for (uint32_t child = from->first; child; child = node_at(child)->next)
        node_at(child)->parent = node;
    for (diagram_lane *lane = from->lanes, *next; lane; lane = next) {
        next = lane->next;
        diagram_join_lanes(diagram_lane_of(node, lane->kind, lane->type, lane->depth), lane);
        free_lane(lane);
    }
    to->members += from->members;
    to->start = fmin(to->start, from->start);
    to->end = fmax(to->end, from->end);
    to->is_linked |= from->is_linked;
    set_last_name(to, from->last_name);
    if (from->name.bytes != to->last_name.bytes)
        free((void *)(uintptr_t)from->name.bytes);
    from->joined = node;
    from->first = 0;
    from->lanes = NULL;
}

/* Joins the children of a node two by two, if they are of the same type.  Answers how many nodes there are less. */
static size_t pair_children(uint32_t parent, int any_type)
{
    static uint32_t waiting[2 * DIAGRAM_TYPES]; /* for its mate: of each type */
    size_t joined = 0;
    memset(waiting, 0, sizeof waiting);
    for (uint32_t *at = &node_at(parent)->first; *at;) {
        uint32_t child = *at, type = any_type ? 0 : node_at(child)->type, mate = waiting[type];
        waiting[type] = mate ? 0 : child;
        if (mate) {
            *at = node_at(child)->next;
            node_at(child)->next = 0;
            join_nodes(mate, child);
            joined++;
        } else {
            at = &node_at(child)->next;
        }
    }
    return joined;
}

static void reverse_all(void)
{
    for (uint32_t i = 0; i < diagram.node_count; i++)
        if (node_at(i)->joined == i)
            reverse_children(i);
}

static size_t pair_level(uint32_t level, int any_type)
{
    size_t joined = 0;
    reverse_all();
    for (uint32_t i = 0; i < diagram.node_count; i++)
        if (node_at(i)->joined == i && node_at(i)->level + 1 == level)
            joined += pair_children(i, any_type);
    reverse_all();
    rows = 0;
    for (uint32_t i = 0; i < diagram.node_count; i++)
        rows += diagram_rows(node_at(i));
    if (joined > 0)
        group[level] = group[level] ? 2 * group[level] : 2;
    alive -= joined;
    return joined;
}

/* The level of most rows, or of most nodes. */
static uint32_t heaviest_level(int by_rows)
{
    size_t weights[DIAGRAM_LEVELS + 1] = {0};
    for (uint32_t i = 1; i < diagram.node_count; i++)
        if (node_at(i)->joined == i)
            weights[node_at(i)->level] += by_rows ? diagram_rows(node_at(i)) : 1;
    uint32_t best = 0;
    for (uint32_t level = 1; level <= DIAGRAM_LEVELS; level++)
        if (weights[level] > weights[best])
            best = level;
    return best;
}

/* Joins siblings at the heaviest level; or above it, so that what is there comes to have siblings.  Answers 0 if there
 * are none any more. */
static int join_some(int by_rows)
{
    for (int any_type = 0; any_type < 2; any_type++)
        for (uint32_t level = heaviest_level(by_rows); level > 0; level--)
            if (pair_level(level, any_type) > 0)
                return 1;
    return 0;
}

/* Where states make up a good part of the rows, the rest goes first. */
static void drop_other_rows(void)
{
    size_t states = 0;
    for (uint32_t i = 0; i < diagram.node_count; i++)
        for (const diagram_lane *lane = node_at(i)->lanes; lane; lane = lane->next)
            states += lane->kind == PAJESIM_STATE && lane->depth == 0;
    if (diagram.states_only || 8 * states < rows)
        return;
    diagram.states_only = 1;
    for (uint32_t i = 0; i < diagram.node_count; i++)
        for (diagram_lane **at = &node_at(i)->lanes, *lane; (lane = *at) != NULL;) {
            if (lane->kind == PAJESIM_STATE) {
                at = &lane->next;
                continue;
            }
            *at = lane->next;
            diagram.dropped += lane->count;
            free_lane(lane);
        }
    rows = states;
}

void diagram_limit_nodes(void)
{
    if (rows > diagram.most_rows)
        drop_other_rows();
    while (alive > MOST_NODES && alive > least_nodes)
        if (!join_some(0))
            least_nodes = 2 * alive;
    while (rows > diagram.most_rows && rows > least_rows)
        if (!join_some(1))
            least_rows = 2 * rows;
}

void diagram_order_nodes(void)
{
    reverse_all();
}
