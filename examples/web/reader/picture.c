/* What is drawn of a range of time: the rows that the worker asks for, hits of a search, and links. */
#include "reader/web.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static char *marked;
static size_t marked_count;

/* Marks the values whose bytes in the request are not 0; a count of 0 marks none and fades none. */
WEB_EXPORT(web_mark) void web_mark(uint32_t count)
{
    free(marked);
    marked = NULL;
    marked_count = count;
    if (count) {
        marked = memory_alloc(count, 1);
        memcpy(marked, web_request, count);
    }
}

/* The marks for all values there are by now. */
static const char *marks(void)
{
    size_t count = web_input.tree->values.count;
    if (!marked || marked_count >= count)
        return marked;
    marked = memory_resize(marked, count, 1);
    memset(marked + marked_count, 0, count - marked_count);
    marked_count = count;
    return marked;
}

static web_view view_of(double from, double to, uint32_t columns)
{
    web_view view = {.from = from, .to = to, .columns = columns, .width = (to - from) / columns, .marked = marks()};
    double span = view_last_time(&web_input) - view_first_time(&web_input);
    view.longest = span > 0 ? span / 10 : 1;
    view.store = view_best_store(&web_input, from, to);
    return view;
}

static web_result *return_words(const web_words *words)
{
    web_answer = (web_result){words->items, (uint32_t)(words->count * sizeof *words->items)};
    return &web_answer;
}

/* Asks for a range of time to be read, if it is not known exactly enough. */
WEB_EXPORT(web_ask) void web_ask(double from, double to, uint32_t columns)
{
    view_ask(&web_input, from, to, (to - from) / columns);
}

/* Returns a word, 1 if these are all entities as they are, and what is drawn of each row of the request: pairs of a
 * mode and a band, or a node; then how many items reach far beyond the range, and place, start and end of each. */
WEB_EXPORT(web_picture) web_result *web_picture(double from, double to, uint32_t columns, uint32_t colors,
                                                uint32_t paper, uint32_t rows)
{
    static web_words words;
    web_view view = view_of(from, to, columns);
    view.colors = (web_colors)colors;
    view.paper = paper;
    array_clear(&words);
    *array_push(&words) = !(view.store->bin > 0);
    for (uint32_t i = 0; i < rows; i++)
        web_add_row(&view, web_request[2 * i], web_request[2 * i + 1], &words);
    web_add_far_items(&words);
    return return_words(&words);
}

/* ---- hits */

static void add_hits(const web_view *view, const view_band *band, web_words *hits)
{
    int is_summed_up = view->store->bin > 0; /* else nested states are in the lanes of their depths, too */
    for (const timeline_lane *lane = band->lanes[view->store->which]; lane; lane = lane->next)
        for (size_t i = 0; i < lane->pieces.count && (lane->depth != LANE_NESTED || is_summed_up); i++) {
            const lane_piece *piece = &lane->pieces.items[i];
            double at = (piece->start - view->from) / view->width;
            if (piece->count && view->marked[piece->value] && at >= 0 && at < view->columns)
                hits->items[(size_t)at] += piece->count;
        }
}

/* Returns how many entities of marked values begin in each column, on all containers. */
WEB_EXPORT(web_hits) web_result *web_hits(double from, double to, uint32_t columns)
{
    static web_words hits;
    web_view view = view_of(from, to, columns);
    view.store = &web_input.readers[VIEW_WHOLE].store;
    array_clear(&hits);
    for (uint32_t i = 0; i < columns; i++)
        *array_push(&hits) = 0;
    const view_tree *tree = web_input.tree;
    for (size_t i = 0; view.marked && i < tree->bands.count; i++)
        if (tree->bands.items[i]->kind != PAJESIM_VARIABLE)
            add_hits(&view, tree->bands.items[i], &hits);
    return return_words(&hits);
}

/* ---- links */

enum { LINK_WORDS = 8 };

static uint64_t hash_of(const view_link *link)
{
    uint64_t bits[2];
    memcpy(&bits[0], &link->start, sizeof bits[0]);
    memcpy(&bits[1], &link->end, sizeof bits[1]);
    uint64_t hash = (bits[0] ^ bits[1] >> 7 ^ (uint64_t)link->from << 32 ^ link->to) * 0x9e3779b97f4a7c15u;
    return hash >> 40;
}

static void put_link(const web_view *view, const view_link *link, web_words *to)
{
    double times[] = {link->start, link->end};
    array_reserve(to, LINK_WORDS);
    memcpy(to->items + to->count, times, sizeof times);
    to->items[to->count + 4] = link->from;
    to->items[to->count + 5] = link->to;
    to->items[to->count + 6] = link->value;
    to->items[to->count + 7] = web_color_of(view, link->value, link->end - link->start);
    to->count += LINK_WORDS;
}

/* Returns the links that overlap a range of time: how many they are, one of how many is kept, and at most about `most`
 * of them: start and end (double), nodes, value and colour.  Which are kept depends on the links alone, so that
 * pictures of neighbouring ranges agree. */
WEB_EXPORT(web_links) web_result *web_links(double from, double to, uint32_t columns, uint32_t most, uint32_t paper)
{
    static web_words words;
    web_view view = view_of(from, to, columns);
    view.paper = paper;
    uint32_t count = 0, stride = 1;
    for (size_t i = 0; i < view.store->link_count; i++)
        count += view.store->links[i].end >= from && view.store->links[i].start <= to;
    while (count / stride > most)
        stride *= 2;
    array_clear(&words);
    *array_push(&words) = count;
    *array_push(&words) = stride;
    for (size_t i = 0; i < view.store->link_count; i++) {
        const view_link *link = &view.store->links[i];
        if (link->end >= from && link->start <= to && hash_of(link) % stride == 0)
            put_link(&view, link, &words);
    }
    return return_words(&words);
}
