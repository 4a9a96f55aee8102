/* Links of a timeline: when there are too many, those between the same nodes at about the same times become one. */
#include "timeline/timeline.h"

#include <math.h>

enum { LEAST_LINK_BINS = 128 }; /* of the drawn range: bins of links get no wider than that */

static void update_nodes(timeline *tl)
{
    for (size_t i = 0; i < tl->links.count; i++) {
        timeline_link *link = &tl->links.items[i];
        link->from = timeline_node_of(tl, link->from);
        link->to = timeline_node_of(tl, link->to);
    }
}

/* A link with the bins of its ends, to sort by. */
typedef struct binned_link {
    timeline_link link;
    double start_bin, end_bin;
} binned_link;

static int compare_numbers(double a, double b)
{
    return (a > b) - (a < b);
}

static int compare_links(const void *left, const void *right)
{
    const binned_link *a = left, *b = right;
    int order = (a->link.from > b->link.from) - (a->link.from < b->link.from);
    if (!order)
        order = (a->link.to > b->link.to) - (a->link.to < b->link.to);
    if (!order)
        order = (a->link.type > b->link.type) - (a->link.type < b->link.type);
    if (!order)
        order = compare_numbers(a->start_bin, b->start_bin);
    return order ? order : compare_numbers(a->end_bin, b->end_bin);
}

/* Makes one link of two, at their mean times. */
static void merge(timeline_link *to, const timeline_link *link)
{
    double sum = (double)to->count + link->count, share = link->count / sum;
    to->start += (link->start - to->start) * share;
    to->end += (link->end - to->end) * share;
    to->fields = 0;
    to->value = to->value == link->value ? to->value : OTHER_VALUES;
    to->count = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
}

void timeline_fold_links(timeline *tl)
{
    size_t count = tl->links.count, kept = 0;
    update_nodes(tl);
    if (!(tl->link_bin > 0) || count == 0)
        return;
    binned_link *links = memory_alloc(count, sizeof *links);
    for (size_t i = 0; i < count; i++) {
        const timeline_link *link = &tl->links.items[i];
        links[i] = (binned_link){*link, floor(link->start / tl->link_bin), floor(link->end / tl->link_bin)};
    }
    qsort(links, count, sizeof *links, compare_links);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && compare_links(&links[i - 1], &links[i]) == 0)
            merge(&tl->links.items[kept - 1], &links[i].link);
        else
            tl->links.items[kept++] = links[i].link;
    }
    tl->links.count = kept;
    free(links);
}

/* A number below `count`, which follows from `number` as if by chance. */
static size_t chance(uint64_t number, size_t count)
{
    return (size_t)((number + 1) * 0x9e3779b97f4a7c15u >> 40) % count;
}

int timeline_is_drawn_link(const timeline *tl, uint64_t number)
{
    return number % tl->link_stride == chance(number / tl->link_stride, tl->link_stride);
}

/* Widens the bins until the links take half of the limit; when that is of no more use, drops every other link. */
static void limit_links(timeline *tl)
{
    double widest = (tl->last - tl->first) / LEAST_LINK_BINS;
    size_t most = tl->most_links / 2;
    if (!(tl->link_bin > 0))
        tl->link_bin = timeline_first_bin(tl);
    timeline_fold_links(tl);
    while (tl->links.count > most && tl->link_bin < widest) {
        tl->link_bin *= 2;
        timeline_fold_links(tl);
    }
    if (tl->links.count > most) {
        for (size_t i = 0; i < tl->links.count / 2; i++)
            tl->links.items[i] = tl->links.items[2 * i + chance(i, 2)];
        tl->links.count /= 2;
        tl->link_stride *= 2;
    }
}

void timeline_add_link(timeline *tl, const timeline_link *link)
{
    if (tl->links.count == tl->most_links)
        limit_links(tl);
    timeline_link *added = array_push(&tl->links);
    *added = *link;
    added->from = timeline_node_of(tl, link->from);
    added->to = timeline_node_of(tl, link->to);
    if (link->end > link->start || link->end < link->start)
        node_at(tl, added->from)->is_linked = node_at(tl, added->to)->is_linked = 1;
}
