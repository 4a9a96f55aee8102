/* Finds the next or previous occurrence of a value, or of a container's name, in all of the trace.
 *
 * What is exact of the part that is looked at comes first; beyond it the whole knows at least in which bin something is.
 * The part is read around that bin then, and the search goes on in it: it may turn out that what is in the bin lies before
 * where the search began. */
#include "view.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int is_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static int contains(pajesim_text text, pajesim_text part)
{
    for (size_t at = 0; at + part.size <= text.size; at++) {
        size_t i = 0;
        while (i < part.size && is_letter(text.bytes[at + i], part.bytes[i]))
            i++;
        if (i == part.size)
            return 1;
    }
    return 0;
}

/* ---- containers: in the order of the tree, and round about */

static view_found find_container(view_search *search, uint32_t from)
{
    uint32_t first = 0, last = 0, before = 0, after = 0;
    int is_past = 0;
    for (uint32_t node = view_next_node(0, 1); node; node = view_next_node(node, 1)) {
        is_past |= node == from;
        if (node == from || !contains(view_all.nodes[node].name, paje_text(&search->name)))
            continue;
        first = first ? first : node;
        last = node;
        before = is_past ? before : node;
        after = is_past && !after ? node : after;
    }
    search->node = search->back ? (before ? before : last) : after ? after : first;
    search->band = NULL;
    return search->node ? VIEW_FOUND : VIEW_FOUND_NONE;
}

/* ---- values */

/* 1 for each value whose name has these letters; or NULL, any will do. */
static const char *wanted_values(const view_search *search, int *any)
{
    static char *wanted;
    *any = 0;
    if (search->what == VIEW_CHANGES) {
        *any = 1;
        return NULL;
    }
    wanted = paje_room(wanted, view_all.value_count);
    for (size_t i = 0; i < view_all.value_count; i++) {
        wanted[i] = (char)contains(view_all.values[i].name, paje_text(&search->name));
        *any |= wanted[i];
    }
    return wanted;
}

static int is_nearer(const view_search *search, const view_span *a, const view_span *b)
{
    return search->back ? a->start > b->start : a->start < b->start;
}

/* In one store, over all bands, or one of them. */
static int find_in(view_search *search, const view_store *store, uint32_t node, view_band *only, const char *wanted,
                   double time)
{
    view_span span;
    int found = 0;
    if (search->what == VIEW_CHANGES) {
        search->node = node;
        search->band = only;
        return only && view_span_beside(store, node, only, NULL, search->back, time, &search->span);
    }
    for (uint32_t i = 0; i < view_all.node_count; i++)
        for (view_band *band = view_all.nodes[i].bands; band; band = band->next)
            if (band->kind != PAJESIM_VARIABLE && view_span_beside(store, i, band, wanted, search->back, time, &span) &&
                (!found || is_nearer(search, &span, &search->span))) {
                search->span = span;
                search->node = i;
                search->band = band;
                found = 1;
            }
    return found;
}

view_found view_find(view_search *search, const view_input *input, uint32_t node, view_band *band, double time)
{
    const view_store *whole = &input->readers[VIEW_WHOLE].store, *part = &input->readers[VIEW_PART].store;
    int any;
    if (search->what == VIEW_CONTAINERS)
        return find_container(search, node);
    const char *wanted = wanted_values(search, &any);
    if (!any)
        return VIEW_FOUND_NONE;
    if (input->state == VIEW_LOADED && part->from <= time && time <= part->to) {
        if (find_in(search, part, node, band, wanted, time) && search->span.start >= part->from &&
            search->span.start <= part->to)
            return VIEW_FOUND;
        time = search->back ? part->from + whole->bin : part->to - whole->bin; /* a bin may lie half in the part */
    }
    if (!find_in(search, whole, node, band, wanted, time))
        return VIEW_FOUND_NONE;
    if (search->span.is_exact || !input->index)
        return VIEW_FOUND;
    return VIEW_FOUND_NEAR;
}
