/* The order in which containers are drawn. */
#include "timeline/order.h"
#include "timeline/timeline.h"

static int is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

/* The end of a run of digits, of which the zeros in front are skipped by `*at`. */
static size_t end_of_number(pajesim_text name, size_t *at)
{
    while (*at + 1 < name.size && name.bytes[*at] == '0' && is_digit(name.bytes[*at + 1]))
        ++*at;
    size_t end = *at;
    while (end < name.size && is_digit(name.bytes[end]))
        end++;
    return end;
}

/* Compares names in which each number counts as one sign: "P1" and "P10" are alike. */
static int compare_forms(pajesim_text a, pajesim_text b)
{
    size_t i = 0, k = 0;
    while (i < a.size && k < b.size) {
        if (is_digit(a.bytes[i]) && is_digit(b.bytes[k])) {
            i = end_of_number(a, &i);
            k = end_of_number(b, &k);
        } else if (a.bytes[i] != b.bytes[k]) {
            return (unsigned char)a.bytes[i] - (unsigned char)b.bytes[k];
        } else {
            i++;
            k++;
        }
    }
    return (i < a.size) - (k < b.size);
}

/* Compares the numbers in names of one form, which end together, from left to right. */
static int compare_numbers(pajesim_text a, pajesim_text b)
{
    for (size_t i = 0, k = 0; i < a.size;) {
        if (!is_digit(a.bytes[i])) {
            i++;
            k++;
            continue;
        }
        size_t end = end_of_number(a, &i), other = end_of_number(b, &k);
        int order = (end - i > other - k) - (end - i < other - k);
        if (!order)
            order = memcmp(a.bytes + i, b.bytes + k, end - i);
        if (order)
            return order;
        i = end;
        k = other;
    }
    return 0;
}

static int compare_kinds(const order_item *a, const order_item *b)
{
    int order = (a->type > b->type) - (a->type < b->type);
    return order ? order : compare_forms(a->name, b->name);
}

static int compare_places(const order_item *a, const order_item *b)
{
    return (a->place > b->place) - (a->place < b->place);
}

static int by_kind_and_place(const void *left, const void *right)
{
    int order = compare_kinds(left, right);
    return order ? order : compare_places(left, right);
}

static int by_kind_and_number(const void *left, const void *right)
{
    const order_item *a = left, *b = right;
    int order = compare_kinds(a, b);
    order = order ? order : compare_numbers(a->name, b->name);
    return order ? order : compare_places(a, b);
}

void order_items(order_item *items, size_t count, uint32_t *indexes)
{
    order_item *sorted = memory_alloc(count, sizeof *sorted);
    for (size_t i = 0; i < count; i++)
        sorted[i] = items[i];
    if (count > 1) {
        qsort(items, count, sizeof *items, by_kind_and_place);
        qsort(sorted, count, sizeof *sorted, by_kind_and_number);
    }
    for (size_t i = 0; i < count; i++)
        indexes[items[i].place] = sorted[i].index;
    free(sorted);
}

/* `items` and `placed` have room for all. */
static void order_children(timeline *tl, uint32_t parent, order_item *items, uint32_t *placed)
{
    uint32_t count = 0;
    for (uint32_t child = node_at(tl, parent)->first; child; child = node_at(tl, child)->next)
        items[count++] = (order_item){node_at(tl, child)->name, node_at(tl, child)->type, child, 0};
    for (uint32_t i = 0; i < count; i++) {
        items[i].place = count - 1 - i; /* the youngest is the first until now */
        placed[items[i].place] = items[i].index;
    }
    if (!tl->keeps_order)
        order_items(items, count, placed);
    node_at(tl, parent)->first = count > 0 ? placed[0] : 0;
    for (uint32_t i = 0; i < count; i++)
        node_at(tl, placed[i])->next = i + 1 < count ? placed[i + 1] : 0;
}

void timeline_order_nodes(timeline *tl)
{
    order_item *items = memory_alloc(tl->nodes.count, sizeof *items);
    uint32_t *placed = memory_alloc(tl->nodes.count, sizeof *placed);
    for (uint32_t i = 0; i < tl->nodes.count; i++)
        if (node_at(tl, i)->merged_into == i)
            order_children(tl, i, items, placed);
    free(items);
    free(placed);
}

const char *timeline_order_option(timeline *tl, const char *argument)
{
    tl->keeps_order = strcmp(argument, "trace") == 0;
    return tl->keeps_order || strcmp(argument, "numbers") == 0 ? NULL : "must be numbers or trace";
}
