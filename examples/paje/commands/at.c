/* paje at: prints what exists at one instant. */
#include "command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A container, or an entity of one; `text` is what is printed of it. */
typedef struct item {
    uint32_t container, parent; /* pajesim_serial */
    pajesim_kind kind;          /* items are sorted by container, kind, type, imbrication and order of completion */
    uint32_t imbrication, order;
    int ends_now;
    int is_shown; /* chosen, or a container that leads to what is */
    text_buffer type, text;
    size_t first, next; /* of a container: first child and next sibling, + 1; 0: none */
} item;

static array_of(item) items;
static double instant, last = HUGE_VAL; /* in the unit that is printed; last: of the trace, if its end was replayed */

static int closed(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->kind == PAJESIM_EVENT || entity->start > instant || entity->end < instant)
        return PAJESIM_GO_ON;
    item *it = array_push(&items);
    it->container = pajesim_serial(sim, entity->container);
    it->parent = pajesim_serial(sim, pajesim_parent(sim, entity->container));
    it->kind = entity->kind;
    it->imbrication = entity->imbrication;
    it->order = (uint32_t)items.count - 1;
    it->ends_now = entity->end <= instant;
    it->is_shown = paje_shows(sim, entity);
    text_put_printable(&it->type, pajesim_name(sim, entity->type));

    text_buffer *text = &it->text;
    if (entity->kind == PAJESIM_CONTAINER)
        text_put_printable(text, pajesim_name(sim, entity->container));
    else if (entity->kind == PAJESIM_VARIABLE)
        text_put_number(text, entity->number);
    else
        text_put_printable(text, entity->value_name);
    if (entity->kind == PAJESIM_LINK) {
        text_puts(text, " from ");
        text_put_printable(text, pajesim_name(sim, entity->start_container));
        text_puts(text, " to ");
        text_put_printable(text, pajesim_name(sim, entity->end_container));
        text_puts(text, ", key ");
        text_put_printable(text, entity->key);
    }
    text_puts(text, ", ");
    text_put_number(text, entity->start);
    text_puts(text, " to ");
    text_put_number(text, entity->end);
    return PAJESIM_GO_ON;
}

static int compare(const void *left, const void *right)
{
    const item *l = left, *r = right;
    if (l->container != r->container)
        return l->container < r->container ? -1 : 1;
    if (l->kind != r->kind)
        return l->kind < r->kind ? -1 : 1;
    int types = text_compare(text_view(&l->type), text_view(&r->type));
    if (types)
        return types;
    if (l->imbrication != r->imbrication)
        return l->imbrication < r->imbrication ? -1 : 1;
    return l->order < r->order ? -1 : 1;
}

/* Finds a container by serial number in the sorted items; NULL if it does not exist now. */
static item *find(uint32_t serial)
{
    size_t low = 0, high = items.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (items.items[middle].container < serial)
            low = middle + 1;
        else
            high = middle;
    }
    item *found = low < items.count ? &items.items[low] : NULL;
    return found && found->container == serial && found->kind == PAJESIM_CONTAINER ? found : NULL;
}

static void print_line(const item *it, int depth)
{
    static const char *const kinds[] = {
        [PAJESIM_STATE] = "state ",
        [PAJESIM_VARIABLE] = "variable ",
        [PAJESIM_LINK] = "link ",
        [PAJESIM_CONTAINER] = "",
    };
    int indent = depth < 60 ? 2 * depth : 120; /* so that the output grows as the trace does */
    text_printf(&stream_output, "%*s%s", indent, "", kinds[it->kind]);
    text_append(&stream_output, text_view(&it->type));
    if (it->kind == PAJESIM_STATE)
        text_printf(&stream_output, " [%lu]", (unsigned long)it->imbrication);
    text_puts(&stream_output, ": ");
    text_append(&stream_output, text_view(&it->text));
    stream_end_line();
}

/* Drops entities that end at the instant, unless it is the end of the trace. */
static void leave_out_ended(void)
{
    size_t count = items.count;
    items.count = 0;
    for (size_t i = 0; i < count; i++)
        if (!items.items[i].ends_now || instant >= last)
            items.items[items.count++] = items.items[i];
}

/* Drops items that are not shown, but keeps the containers that lead to shown ones. */
static void keep_shown(void)
{
    for (size_t i = items.count; i-- > 0;) { /* containers are created before what is in them */
        item *it = &items.items[i], *above;
        if (!it->is_shown)
            continue;
        above = find(it->kind == PAJESIM_CONTAINER ? it->parent : it->container);
        if (above)
            above->is_shown = 1;
    }
    size_t count = items.count;
    array_clear(&items);
    for (size_t i = 0; i < count; i++)
        if (items.items[i].is_shown)
            items.items[items.count++] = items.items[i];
}

/* Prints each container, its entities, then its children.  At the top are the root, and what is in a container that
 * does not exist yet: the root begins at 0, and a container may be created later than what is in it. */
static void print(void)
{
    if (items.count == 0)
        return;
    qsort(items.items, items.count, sizeof *items.items, compare);
    keep_shown();
    if (items.count == 0)
        return;
    size_t top = 0;
    for (size_t i = items.count; i-- > 0;) { /* backwards, so that each list of children is in order of creation */
        item *it = &items.items[i];
        if (i > 0 && it[-1].container == it->container)
            continue;
        item *parent = it->kind == PAJESIM_CONTAINER ? find(it->parent) : NULL;
        size_t *list = parent && parent != it ? &parent->first : &top;
        it->next = *list;
        *list = i + 1;
    }
    size_t *path = memory_alloc((items.count + 1), sizeof *path), depth = 1;
    path[0] = top;
    while (depth > 0) {
        size_t at = path[depth - 1];
        if (at == 0) {
            depth--;
            continue;
        }
        const item *head = &items.items[at - 1];
        print_line(head, (int)depth - 1);
        for (size_t i = at; i < items.count && items.items[i].container == head->container; i++)
            print_line(&items.items[i], (int)depth - (head->kind != PAJESIM_CONTAINER));
        path[depth - 1] = items.items[at - 1].next;
        path[depth++] = items.items[at - 1].first;
    }
    free(path);
}

static int finished(pajesim *sim)
{
    const paje_run *run = pajesim_data(sim);
    last = paje_in_seconds(run->settings, pajesim_count(sim)->last);
    return PAJESIM_GO_ON;
}

static int run_at(const paje_settings *settings, char **names, int count)
{
    if (count != 2 || !paje_parse_number(names[1], &instant))
        paje_usage(settings->command, "it takes a file and a time");
    double time = instant;
    instant = paje_in_seconds(settings, time);
    int status = paje_replay_range(settings, names[0], time, time, 1, NULL);
    leave_out_ended();
    if (instant > last && !paje_is_filtered(settings))
        stream_message("%s: nothing is shown: the trace lasts until %.15g", names[0], last);
    else if (items.count == 0 && !paje_is_filtered(settings))
        stream_message("%s: nothing is shown: nothing exists at %.15g", names[0], instant);
    print();
    return status;
}

const paje_command command_at = {
    .name = "at",
    .summary = "Prints what exists at one instant",
    .details = "The tree of containers; of each its states with their depth, its variables and the links in flight,\n"
               "each with its start and end.  With an index (`paje index`) this is immediate.  A FILE that is - is\n"
               "standard input.  TIME is in the unit of the trace.  Containers that lead to what is chosen are\n"
               "printed, too.",
    .traces = 2,
    .operands = "FILE TIME",
    .trials = "FILE 1.3\nFILE 0.001\n--container *1 --type *S* --unit us FILE 1.3",
    .filters = PAJE_NAME_FILTER | PAJE_UNIT | PAJE_SEES_ALL,
    .unfiltered = "TIME is the instant that is shown",
    .callbacks = {.closed = closed, .finished = finished},
    .run = run_at,
};
