/* Finds the next or previous occurrence of a value, or of a container's name: in the store of the whole trace, as far
 * as that is exact; where it is not, reader.c searches the trace itself. */
#include "view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether letters are equal, upper case or lower case. */
static int is_same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int contains(pajesim_text text, pajesim_text part)
{
    for (size_t at = 0; at + part.size <= text.size; at++) {
        size_t i = 0;
        while (i < part.size && is_same_letter(text.bytes[at + i], part.bytes[i]))
            i++;
        if (i == part.size)
            return 1;
    }
    return 0;
}

/* ---- containers: in the order of the tree; after the last one comes the first */

static int find_container(view_search *search, const view_tree *tree)
{
    uint32_t first = 0, last = 0, before = 0, after = 0;
    int is_past = 0;
    for (uint32_t node = view_next_node(tree, 0, 1); node; node = view_next_node(tree, node, 1)) {
        is_past |= node == search->of_node;
        if (node == search->of_node || !contains(tree->nodes.items[node].name, text_view(&search->name)))
            continue;
        first = first ? first : node;
        last = node;
        before = is_past ? before : node;
        after = is_past && !after ? node : after;
    }
    search->node = search->back ? (before ? before : last) : after ? after : first;
    search->band = NULL;
    search->found = search->node != 0;
    return 1;
}

/* ---- values */

/* Gives values their places that only open states out of sight have: none has been drawn yet. */
static void know_open_values(const view_store *store)
{
    lane_piece piece;
    for (uint32_t i = 0; i < store->tree->nodes.count; i++)
        for (const view_band *band = view_bands_of(store->tree, i); band; band = band->next)
            for (uint32_t depth = view_open_depth(store, i, band); depth-- > 0;)
                view_open_piece(store, i, band, depth, &piece);
}

/* Returns an array, to be freed: 1 for each value whose name contains the searched one; NULL: any value will do. */
static char *wanted_values(const view_search *search, const view_store *store)
{
    if (search->what == VIEW_CHANGES)
        return NULL;
    const view_tree *tree = store->tree;
    know_open_values(store);
    char *wanted = memory_alloc(tree->values.count, 1);
    for (size_t i = 0; i < tree->values.count; i++)
        wanted[i] = (char)contains(tree->values.items[i].name, text_view(&search->name));
    return wanted;
}

/* Searches all bands, or that of the search. */
static int find_span(view_search *search, const view_store *store, const char *wanted, int within, view_span *best)
{
    view_tree *tree = store->tree;
    view_span span;
    int found = 0;
    if (search->what == VIEW_CHANGES) {
        search->node = search->of_node;
        search->band = search->of_band;
        return view_span_beside(store, search->node, search->band, NULL, search->back, within, search->from, best);
    }
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        for (view_band *band = view_bands_of(tree, i); band; band = band->next)
            if (band->kind != PAJESIM_VARIABLE &&
                view_span_beside(store, i, band, wanted, search->back, within, search->from, &span) &&
                (!found || (search->back ? span.at > best->at : span.at < best->at))) {
                *best = span;
                search->node = i;
                search->band = band;
                found = 1;
            }
    return found;
}

int view_find(view_search *search, const view_store *whole, int has_index)
{
    view_span span;
    search->found = 0;
    if (search->what == VIEW_CONTAINERS)
        return find_container(search, whole->tree);
    char *wanted = wanted_values(search, whole);
    int may_match = !wanted || whole->tree->is_full_of_values || memchr(wanted, 1, whole->tree->values.count);
    int is_found = may_match && find_span(search, whole, wanted, has_index, &span);
    free(wanted);
    if (!is_found)
        return 1;
    if (has_index && !span.is_exact) {
        search->from = search->back ? span.at : fmax(search->from, nextafter(span.start, -HUGE_VAL));
        return 0;
    }
    search->start = span.start;
    search->found = 1;
    return 1;
}

void view_consider(view_search *search, view_tree *tree, pajesim *sim, int which, const pajesim_entity *entity)
{
    double start = entity->start;
    int is_better = search->back ? start < search->from && (!search->found || start > search->start)
                                 : start > search->from && (!search->found || start < search->start);
    if (!is_better || (search->what == VIEW_VALUES && !contains(entity->value_name, text_view(&search->name))))
        return;
    uint32_t node = view_node_of(tree, sim, which, entity->container);
    if (node == VIEW_NO_NODE)
        return;
    uint32_t type = entity->kind == PAJESIM_EVENT ? 0 : view_type_of(tree, sim, which, entity->type);
    view_band *band = view_band_of(tree, node, entity->kind, type);
    if (search->what == VIEW_CHANGES && band != search->of_band)
        return;
    if (search->what == VIEW_VALUES && entity->kind == PAJESIM_VARIABLE)
        return;
    search->node = node;
    search->band = band;
    search->start = start;
    search->found = 1;
}
