/* paje at: what there is at one instant. */
#include "paje.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A container, or what is on it; `text` is what is printed of it. */
typedef struct item {
    uint32_t container, parent; /* pajesim_serial */
    pajesim_kind kind;          /* in this order; then by type, then by imbrication, then by order of completion */
    uint32_t imbrication, order;
    int ends_now;
    paje_buffer type, text;
    size_t first, next; /* of a container: within it, and beside it; + 1; 0: none */
} item;

static item *items;
static size_t item_count, item_room;
static double instant, last = HUGE_VAL; /* last: time of the trace, if its end was replayed */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_EVENT || entity->start > instant || entity->end < instant)
        return PAJESIM_GO_ON;
    if (item_count == item_room) {
        item_room = 2 * item_room + 64;
        items = paje_room(items, item_room * sizeof *items);
    }
    item *it = &items[item_count];
    memset(it, 0, sizeof *it);
    it->container = pajesim_serial(sim, entity->container);
    it->parent = pajesim_serial(sim, pajesim_parent(sim, entity->container));
    it->kind = entity->kind;
    it->imbrication = entity->imbrication;
    it->order = (uint32_t)item_count++;
    it->ends_now = entity->end <= instant;
    paje_add_printable(&it->type, pajesim_name(sim, entity->type));

    paje_buffer *text = &it->text;
    if (entity->kind == PAJESIM_CONTAINER)
        paje_add_printable(text, pajesim_name(sim, entity->container));
    else if (entity->kind == PAJESIM_VARIABLE)
        paje_add_number(text, entity->number);
    else
        paje_add_printable(text, entity->value_name);
    if (entity->kind == PAJESIM_LINK) {
        paje_add(text, " from ", 6);
        paje_add_printable(text, pajesim_name(sim, entity->start_container));
        paje_add(text, " to ", 4);
        paje_add_printable(text, pajesim_name(sim, entity->end_container));
        paje_add(text, ", key ", 6);
        paje_add_printable(text, entity->key);
    }
    paje_add(text, ", ", 2);
    paje_add_number(text, entity->start);
    paje_add(text, " to ", 4);
    paje_add_number(text, entity->end);
    return PAJESIM_GO_ON;
}

static int compare(const void *left, const void *right)
{
    const item *l = left, *r = right;
    if (l->container != r->container)
        return l->container < r->container ? -1 : 1;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    size_t size = l->type.size < r->type.size ? l->type.size : r->type.size;
    int types = size ? memcmp(l->type.bytes, r->type.bytes, size) : 0;
    if (types || l->type.size != r->type.size)
        return types ? types : l->type.size < r->type.size ? -1 : 1;
    if (l->imbrication != r->imbrication)
        return l->imbrication < r->imbrication ? -1 : 1;
    return l->order < r->order ? -1 : 1;
}

/* The container of a serial number, in sorted items; NULL: there is none now. */
static item *find(uint32_t serial)
{
    size_t low = 0, high = item_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items[middle].container < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < item_count && items[low].container == serial && items[low].kind == PAJESIM_CONTAINER ? &items[low] : NULL;
}

static void print_line(const item *it, int depth)
{
    static const char *const kinds[] = {
        [PAJESIM_STATE] = "state ", [PAJESIM_VARIABLE] = "variable ", [PAJESIM_LINK] = "link ", [PAJESIM_CONTAINER] = ""};
    paje_addf(&paje_output, "%*s%s", 2 * depth, "", kinds[it->kind]);
    paje_add_text(&paje_output, paje_text(&it->type));
    if (it->kind == PAJESIM_STATE)
        paje_addf(&paje_output, " [%lu]", (unsigned long)it->imbrication);
    paje_add(&paje_output, ": ", 2);
    paje_add_text(&paje_output, paje_text(&it->text));
    paje_end_line();
}

/* What ends now is over, but at the very end. */
static void leave_out_ended(void)
{
    size_t count = item_count;
    item_count = 0;
    for (size_t i = 0; i < count; i++)
        if (!items[i].ends_now || instant >= last)
            items[item_count++] = items[i];
}

/* Each container, what is on it, what is within it. */
static void print(void)
{
    if (item_count == 0)
        return;
    qsort(items, item_count, sizeof *items, compare);
    for (size_t i = item_count; i-- > 1;) { /* from the last one on: so that each list is in order of creation */
        item *parent = items[i].kind == PAJESIM_CONTAINER ? find(items[i].parent) : NULL;
        if (parent) {
            items[i].next = parent->first;
            parent->first = i + 1;
        }
    }
    size_t *path = paje_room(NULL, (item_count + 1) * sizeof *path), depth = 1;
    path[0] = 1;
    while (depth > 0) {
        size_t at = path[depth - 1];
        if (at == 0) {
            depth--;
            continue;
        }
        print_line(&items[at - 1], (int)depth - 1);
        for (size_t i = at; i < item_count && items[i].container == items[at - 1].container; i++)
            print_line(&items[i], (int)depth);
        path[depth - 1] = items[at - 1].next;
        path[depth++] = items[at - 1].first;
    }
    free(path);
}

static int finished(pajesim *sim)
{
    last = pajesim_count(sim)->last;
    return PAJESIM_GO_ON;
}

static int run_at(const paje_settings *settings, char **names, int count)
{
    if (count != 2 || !paje_parse_number(names[1], &instant))
        paje_usage(settings->plugin, "it takes a file and a time");
    int status = paje_replay_range(settings, names[0], instant, instant, 1, NULL);
    leave_out_ended();
    print();
    return status;
}

const paje_plugin paje_at = {
    .name = "at",
    .summary = "Prints what there is at one instant",
    .details = "The tree of containers, and on each its states, with their depth, its variables and the links in flight,\n"
               "each with its start and end.  With an index (`paje index`) it is there at once.  A FILE that is - is\n"
               "standard input.",
    .traces = 2,
    .operands = "FILE TIME",
    .callbacks = {.closed = closed, .finished = finished},
    .run = run_at,
};
