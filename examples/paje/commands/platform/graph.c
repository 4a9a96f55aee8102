/* The graph of a platform: groups of containers as circles, those that have a size as marks of that area, their links.
 *
 * Each group is placed by itself, the innermost first: its members start on a spiral, in the order in which links lead
 * from one to the other, then links pull and members push each other (Fruchterman and Reingold, 1991), then those that
 * overlap are moved apart.  Nothing is random. */
#include "platform.h"
#include "base/encode.h"

#include <math.h>

enum { MOST_RADIUS = 12, LEAST_RADIUS = 2, GAP = 5, GROUP_PAD = 7, MOST_STEPS = 120 };
static const double most_pairs = 4e6; /* that are looked at in one group */

/* An edge between members of one group: their indexes in it. */
typedef struct group_edge {
    uint32_t group, from, to; /* nodes, until the group is placed */
} group_edge;

typedef array_of(group_edge) edge_array;

static double group_radius(const platform_item *item)
{
    return item->radius + GAP / 2.0;
}

static double radius_of(double size, double most)
{
    return fmax(LEAST_RADIUS, MOST_RADIUS * sqrt(size / fmax(most, 1e-300)));
}

/* ---- edges between members of the same group */

/* Finds the members of the innermost common group that two leaves are, or are in. */
static group_edge lift(const timeline *tl, uint32_t a, uint32_t b)
{
    while (node_at(tl, a)->parent != node_at(tl, b)->parent) {
        if (node_at(tl, a)->level >= node_at(tl, b)->level)
            a = node_at(tl, a)->parent;
        else
            b = node_at(tl, b)->parent;
    }
    return (group_edge){node_at(tl, a)->parent, a, b};
}

static int compare_groups(const void *left, const void *right)
{
    const group_edge *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

static void lift_edges(const platform_picture *picture, edge_array *edges)
{
    const timeline *tl = &picture->svg.tl;
    for (size_t i = 0; i < picture->edges.count; i++) {
        const timeline_link *edge = &picture->edges.items[i];
        *array_push(edges) = lift(tl, edge->from, edge->to);
    }
    if (edges->count > 0)
        qsort(edges->items, edges->count, sizeof *edges->items, compare_groups);
    size_t kept = 0;
    for (size_t i = 0; i < edges->count; i++)
        if (kept == 0 || compare_groups(&edges->items[kept - 1], &edges->items[i]) != 0)
            edges->items[kept++] = edges->items[i];
    edges->count = kept;
}

/* ---- placing the members of a group */

typedef struct group {
    platform_picture *picture;
    uint32_t *members; /* nodes */
    size_t count;
    const group_edge *edges; /* between indexes of members */
    size_t edge_count;
    double (*force)[2];
} group;

static platform_item *item_at(const group *it, size_t member)
{
    return &it->picture->items[it->members[member]];
}

/* Puts the members on a spiral: first those that most links lead to, each followed by those it is linked with. */
static void place_on_spiral(group *it)
{
    const double golden_angle = 2.399963;
    size_t *order = memory_alloc(it->count, sizeof *order), *degree = memory_alloc_zero(it->count, sizeof *degree);
    size_t *first = memory_alloc_zero(it->count + 1, sizeof *first);
    size_t *near = memory_alloc(2 * it->edge_count + 1, sizeof *near), known = 0, hub = 0;
    unsigned char *is_placed = memory_alloc_zero(it->count, 1);
    for (size_t i = 0; i < it->edge_count; i++) {
        degree[it->edges[i].from]++;
        degree[it->edges[i].to]++;
    }
    for (size_t i = 0; i < it->count; i++) {
        first[i + 1] = first[i] + degree[i];
        hub = degree[i] > degree[hub] ? i : hub;
        degree[i] = first[i];
    }
    for (size_t i = 0; i < it->edge_count; i++) {
        near[degree[it->edges[i].from]++] = it->edges[i].to;
        near[degree[it->edges[i].to]++] = it->edges[i].from;
    }
    for (size_t start = 0; start <= it->count; start++) {
        size_t member = start == 0 ? hub : start - 1;
        if (!is_placed[member]) {
            is_placed[member] = 1;
            order[known++] = member;
        }
        for (size_t at = known - 1; at < known; at++)
            for (size_t k = first[order[at]]; k < first[order[at] + 1]; k++)
                if (!is_placed[near[k]]) {
                    is_placed[near[k]] = 1;
                    order[known++] = near[k];
                }
    }
    double area = 0;
    for (size_t i = 0; i < it->count; i++) {
        platform_item *item = item_at(it, order[i]);
        double radius = group_radius(item), away = 1.15 * sqrt(area + radius * radius / 2);
        item->x = away * cos(golden_angle * (double)i);
        item->y = away * sin(golden_angle * (double)i);
        area += radius * radius;
    }
    free(order);
    free(degree);
    free(first);
    free(near);
    free(is_placed);
}

/* One step: members push each other, links pull, and all are drawn to the middle a little. */
static void move(group *it, double ideal, double most)
{
    memset(it->force, 0, it->count * sizeof *it->force);
    for (size_t i = 0; i < it->count; i++)
        for (size_t k = i + 1; k < it->count; k++) {
            const platform_item *a = item_at(it, i), *b = item_at(it, k);
            double dx = a->x - b->x, dy = a->y - b->y, away = fmax(hypot(dx, dy), 1e-3);
            double between = fmax(away - group_radius(a) - group_radius(b), 0.1 * ideal);
            double push = ideal * ideal / between / away;
            it->force[i][0] += dx * push;
            it->force[i][1] += dy * push;
            it->force[k][0] -= dx * push;
            it->force[k][1] -= dy * push;
        }
    for (size_t i = 0; i < it->edge_count; i++) {
        size_t from = it->edges[i].from, to = it->edges[i].to;
        const platform_item *a = item_at(it, from), *b = item_at(it, to);
        double dx = a->x - b->x, dy = a->y - b->y, away = fmax(hypot(dx, dy), 1e-3);
        double between = fmax(away - group_radius(a) - group_radius(b), 0);
        double pull = between * between / ideal / away;
        it->force[from][0] -= dx * pull;
        it->force[from][1] -= dy * pull;
        it->force[to][0] += dx * pull;
        it->force[to][1] += dy * pull;
    }
    for (size_t i = 0; i < it->count; i++) {
        platform_item *item = item_at(it, i);
        double fx = it->force[i][0] - 0.3 * item->x, fy = it->force[i][1] - 0.3 * item->y;
        double size = fmax(hypot(fx, fy), 1e-6), step = fmin(size, most);
        item->x += fx / size * step;
        item->y += fy / size * step;
    }
}

/* Moves members apart that overlap. */
static int separate(group *it)
{
    int has_moved = 0;
    for (size_t i = 0; i < it->count; i++)
        for (size_t k = i + 1; k < it->count; k++) {
            platform_item *a = item_at(it, i), *b = item_at(it, k);
            double dx = a->x - b->x, dy = a->y - b->y, away = fmax(hypot(dx, dy), 1e-3);
            double overlap = group_radius(a) + group_radius(b) - away;
            if (!(overlap > 0.01))
                continue;
            a->x += dx / away * overlap / 2;
            a->y += dy / away * overlap / 2;
            b->x -= dx / away * overlap / 2;
            b->y -= dy / away * overlap / 2;
            has_moved = 1;
        }
    return has_moved;
}

static void place_members(group *it)
{
    double ideal = 0, pairs = (double)it->count * (double)it->count;
    int steps = (int)fmin(MOST_STEPS, most_pairs / pairs);
    place_on_spiral(it);
    for (size_t i = 0; i < it->count; i++)
        ideal += 1.2 * group_radius(item_at(it, i)) / (double)it->count;
    it->force = memory_alloc(it->count, sizeof *it->force);
    for (int i = 0; i < steps && it->edge_count > 0; i++)
        move(it, ideal, ideal * (1 - (double)i / steps) + 0.1);
    for (int i = 0; i < steps && separate(it); i++)
        ;
    free(it->force);
}

/* Places the members of a group around its middle, and finds its radius.  `edges` are all, sorted by group; `index` has
 * room for a number of each node.  The recursion is at most TIMELINE_LEVELS deep. */
static void place_group(platform_picture *picture, uint32_t node, const edge_array *edges, uint32_t *index)
{
    const timeline *tl = &picture->svg.tl;
    platform_item *item = &picture->items[node];
    group it = {.picture = picture};
    array_of(uint32_t) members = {0};
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next) {
        platform_item *in = &picture->items[child];
        if (!in->is_shown)
            continue;
        if (!in->is_leaf)
            place_group(picture, child, edges, index);
        else if (in->size >= 0)
            in->radius = radius_of(in->size, picture->most[node_at(tl, child)->type]);
        else
            in->radius = 2 * LEAST_RADIUS;
        index[child] = (uint32_t)members.count;
        *array_push(&members) = child;
    }
    it.members = members.items;
    it.count = members.count;
    size_t low = 0, high = edges->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edges->items[middle].group < node)
            low = middle + 1;
        else
            high = middle;
    }
    edge_array own = {0};
    for (; low < edges->count && edges->items[low].group == node; low++)
        *array_push(&own) = (group_edge){node, index[edges->items[low].from], index[edges->items[low].to]};
    it.edges = own.items;
    it.edge_count = own.count;
    if (it.count > 0)
        place_members(&it);
    double left = 0, right = 0, top = 0, bottom = 0;
    for (size_t i = 0; i < it.count; i++) {
        const platform_item *in = item_at(&it, i);
        left = i == 0 ? in->x - in->radius : fmin(left, in->x - in->radius);
        right = i == 0 ? in->x + in->radius : fmax(right, in->x + in->radius);
        top = i == 0 ? in->y - in->radius : fmin(top, in->y - in->radius);
        bottom = i == 0 ? in->y + in->radius : fmax(bottom, in->y + in->radius);
    }
    item->radius = 0;
    for (size_t i = 0; i < it.count; i++) {
        platform_item *in = item_at(&it, i);
        in->x -= (left + right) / 2;
        in->y -= (top + bottom) / 2;
        item->radius = fmax(item->radius, hypot(in->x, in->y) + in->radius);
    }
    item->radius += GROUP_PAD;
    array_free(&own);
    array_free(&members);
}

/* Turns places within groups into places in the picture. */
static void shift(platform_picture *picture, uint32_t node, double x, double y, double scale)
{
    const timeline *tl = &picture->svg.tl;
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next) {
        platform_item *item = &picture->items[child];
        if (!item->is_shown)
            continue;
        item->x = x + item->x * scale;
        item->y = y + item->y * scale;
        item->radius *= scale;
        if (!item->is_leaf)
            shift(picture, child, item->x, item->y, scale);
    }
}

double platform_place(platform_picture *picture, double top)
{
    const timeline *tl = &picture->svg.tl;
    const double margin = 12, most_scale = 2.5;
    edge_array edges = {0};
    lift_edges(picture, &edges);
    uint32_t *index = memory_alloc_zero(tl->nodes.count, sizeof *index);
    place_group(picture, picture->top, &edges, index);
    free(index);
    array_free(&edges);
    double width = 1, height = 1;
    for (uint32_t child = node_at(tl, picture->top)->first; child; child = node_at(tl, child)->next) {
        const platform_item *item = &picture->items[child];
        if (!item->is_shown)
            continue;
        width = fmax(width, 2 * (fabs(item->x) + item->radius));
        height = fmax(height, 2 * (fabs(item->y) + item->radius));
    }
    if (height > width) { /* lying is better than standing */
        for (uint32_t child = node_at(tl, picture->top)->first; child; child = node_at(tl, child)->next) {
            double x = picture->items[child].x;
            picture->items[child].x = picture->items[child].y;
            picture->items[child].y = x;
        }
        double x = width;
        width = height;
        height = x;
    }
    double scale = fmin((picture->svg.width - 2 * margin) / width, (picture->svg.height - 2 * margin) / height);
    scale = fmin(scale, most_scale);
    shift(picture, picture->top, picture->svg.width / 2.0, top + margin + height * scale / 2, scale);
    return top + 2 * margin + height * scale;
}
