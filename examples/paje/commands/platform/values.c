/* What the variables of each container amount to, and which containers and links are shown. */
#include "platform.h"

#include <ctype.h>
#include <math.h>

/* Whether a name contains a word, in any case. */
static int has_word(pajesim_text name, const char *word)
{
    size_t size = strlen(word);
    for (size_t at = 0; at + size <= name.size; at++) {
        size_t i = 0;
        while (i < size && tolower((unsigned char)name.bytes[at + i]) == word[i])
            i++;
        if (i == size)
            return 1;
    }
    return 0;
}

double platform_mean(const timeline *tl, const timeline_node *node, uint32_t type)
{
    const timeline_lane *lane = node->lanes;
    double sum = 0, last = 0;
    int is_there = 0;
    while (lane && (lane->kind != PAJESIM_VARIABLE || lane->type != type))
        lane = lane->next;
    if (!lane)
        return -1;
    for (size_t i = 0; i < lane->pieces.count; i++) {
        const lane_piece *piece = &lane->pieces.items[i];
        double length = timeline_length(tl, piece);
        double inner = fmin(piece->end, tl->last) - fmax(piece->start, tl->first);
        if (!tl->is_instant && piece->start < tl->first && !(piece->end > tl->first))
            continue; /* it is gone when the range begins */
        is_there = 1;
        last = piece->most;
        if (inner > 0 && length > 0)
            sum += piece->sum * (inner / length);
    }
    if (!is_there)
        return -1;
    return tl->is_instant ? last : sum / (tl->last - tl->first);
}

static double value_of(const timeline *tl, uint32_t node, uint32_t type)
{
    return type ? platform_mean(tl, node_at(tl, node), type) : -1;
}

/* How well a variable's name fits the size of a container; 0: it says what is used. */
static int rank_of(pajesim_text name)
{
    static const char *const sizes[] = {"power", "speed", "bandwidth", "capacity"};
    static const char *const uses[] = {"used", "utilization", "usage", "load"};
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++)
        if (has_word(name, uses[i]))
            return 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (has_word(name, sizes[i]))
            return 2;
    return 1;
}

static int is_host(pajesim_text name)
{
    return has_word(name, "power") || has_word(name, "speed");
}

/* Chooses the variables of the containers of one type: those that the options name, else by their names. */
static void choose_types(platform_picture *picture, const timeline_node *node)
{
    const timeline *tl = &picture->svg.tl;
    uint32_t *size = &picture->size_type[node->type], *used = &picture->used_type[node->type];
    for (const timeline_lane *lane = node->lanes; lane; lane = lane->next) {
        if (lane->kind != PAJESIM_VARIABLE)
            continue;
        pajesim_text name = type_at(tl, lane->type)->name;
        int rank = rank_of(name);
        int is_size = picture->size_name && text_is_equal(name, text_of(picture->size_name));
        int is_used = picture->used_name && text_is_equal(name, text_of(picture->used_name));
        if (picture->size_name ? is_size : !*size || rank > rank_of(type_at(tl, *size)->name))
            *size = lane->type;
        if (picture->used_name ? is_used : rank == 0 && !*used)
            *used = lane->type;
        picture->has_size |= is_size;
        picture->has_used |= is_used;
    }
    if (*size == *used)
        *used = 0;
}

void platform_find_sizes(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    picture->size_type = memory_alloc_zero(tl->types.count, sizeof *picture->size_type);
    picture->used_type = memory_alloc_zero(tl->types.count, sizeof *picture->used_type);
    picture->most = memory_alloc_zero(tl->types.count, sizeof *picture->most);
    picture->colors = memory_alloc_zero(tl->types.count, sizeof *picture->colors);
    for (uint32_t i = 1; i < tl->types.count; i++)
        if (type_at(tl, i)->kind == PAJESIM_CONTAINER)
            picture->colors[i] = palette_for_name(&picture->svg.tl.palette, type_at(tl, i)->name);
    picture->items = memory_alloc_zero(tl->nodes.count, sizeof *picture->items);
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        choose_types(picture, node_at(tl, i));
    for (uint32_t i = 1; i < tl->nodes.count; i++) {
        platform_item *item = &picture->items[i];
        uint32_t type = node_at(tl, i)->type;
        item->size = value_of(tl, i, picture->size_type[type]);
        item->used = value_of(tl, i, picture->used_type[type]);
        if (item->used < 0 && picture->used_type[type])
            item->used = 0; /* a variable counts 0 as long as it is not set, as where a host of SimGrid is never used */
    }
}

/* ---- what is shown */

/* Adds the size of a container to that around it, which stands for all of one type: hosts rather than links. */
static void sum_up(platform_picture *picture, platform_item *to, uint32_t child)
{
    const timeline *tl = &picture->svg.tl;
    const platform_item *in = &picture->items[child];
    uint32_t type = in->summed ? in->summed : picture->size_type[node_at(tl, child)->type];
    if (in->size < 0)
        return;
    if (!to->summed || (is_host(type_at(tl, type)->name) && !is_host(type_at(tl, to->summed)->name))) {
        to->summed = type;
        to->size = to->used = -1;
    }
    if (!text_is_equal(type_at(tl, type)->name, type_at(tl, to->summed)->name))
        return;
    to->size = fmax(to->size, 0) + in->size;
    to->used = in->used >= 0 ? fmax(to->used, 0) + in->used : to->used;
}

/* Marks what is shown of a subtree: a container with a size is a leaf; others are groups of what is shown in them, or
 * leaves if they are linked, or if nothing has a size at all.  The recursion is at most TIMELINE_LEVELS deep. */
static int choose_items(platform_picture *picture, uint32_t node, int all)
{
    const timeline *tl = &picture->svg.tl;
    platform_item *item = &picture->items[node];
    int shown = 0;
    if (node > 0 && item->size >= 0) {
        item->is_shown = item->is_leaf = 1;
        return 1;
    }
    for (uint32_t child = node_at(tl, node)->first; child; child = node_at(tl, child)->next) {
        shown += choose_items(picture, child, all);
        if (node_at(tl, node)->level >= picture->depth && picture->items[child].is_shown) {
            sum_up(picture, item, child);
            picture->items[child].is_shown = 0;
        }
    }
    item->is_leaf = node > 0 && (shown == 0 || node_at(tl, node)->level >= picture->depth);
    item->is_shown = node == 0 || shown > 0 || item->is_linked || all;
    return item->is_shown;
}

/* The container in the picture that stands for a node; 0: none does. */
static uint32_t leaf_for(const platform_picture *picture, uint32_t node)
{
    const timeline *tl = &picture->svg.tl;
    while (node > 0 && !(picture->items[node].is_shown && picture->items[node].is_leaf))
        node = node_at(tl, node)->parent;
    return node;
}

static int compare_edges(const void *left, const void *right)
{
    const timeline_link *a = left, *b = right;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Makes an edge of all links between two leaves. */
static void add_edges(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    size_t kept = 0;
    for (size_t i = 0; i < tl->links.count; i++) {
        timeline_link edge = tl->links.items[i];
        if (picture->has_lines && !timeline_is_line(tl, &edge))
            continue;
        edge.from = leaf_for(picture, edge.from);
        edge.to = leaf_for(picture, edge.to);
        if (edge.from > edge.to) {
            uint32_t from = edge.from;
            edge.from = edge.to;
            edge.to = from;
        }
        if (edge.from && edge.from != edge.to)
            *array_push(&picture->edges) = edge;
    }
    if (picture->edges.count > 0)
        qsort(picture->edges.items, picture->edges.count, sizeof *picture->edges.items, compare_edges);
    for (size_t i = 0; i < picture->edges.count; i++) {
        const timeline_link *edge = &picture->edges.items[i];
        if (kept > 0 && compare_edges(&picture->edges.items[kept - 1], edge) == 0)
            picture->edges.items[kept - 1].count += edge->count;
        else
            picture->edges.items[kept++] = *edge;
    }
    picture->edges.count = kept;
}

void platform_choose(platform_picture *picture)
{
    const timeline *tl = &picture->svg.tl;
    int has_sizes = 0;
    for (uint32_t i = 1; i < tl->nodes.count; i++)
        has_sizes |= picture->items[i].size >= 0;
    for (size_t i = 0; i < tl->links.count; i++)
        picture->has_lines |= timeline_is_line(tl, &tl->links.items[i]);
    for (size_t i = 0; i < tl->links.count; i++) {
        const timeline_link *link = &tl->links.items[i];
        if (!picture->has_lines || timeline_is_line(tl, link))
            picture->items[link->from].is_linked = picture->items[link->to].is_linked = 1;
    }
    choose_items(picture, 0, !has_sizes && !picture->has_lines);
    for (uint32_t i = 1; i < tl->nodes.count; i++) {
        const platform_item *item = &picture->items[i];
        double *most = &picture->most[node_at(tl, i)->type];
        if (item->is_shown && item->is_leaf && item->size > *most)
            *most = item->size;
    }
    add_edges(picture);
}
