/* The containers of the whole trace, in the orders of pj_dump. */
#include "dump.h"

#include <stdlib.h>
#include <string.h>

static array_of(dump_container) containers;
static hash_map by_ref; /* the last container of each ref */
static array_of(size_t) indexes; /* of the entries of by_ref */

static array_of(size_t) ordered; /* what dump_containers() returns */
static dump_order order_of_ordered;
static int is_current; /* no container was added since */

char *dump_copy(pajesim_text text)
{
    char *copy = memory_alloc(text.size + 1, 1);
    if (text.size)
        memcpy(copy, text.bytes, text.size);
    copy[text.size] = '\0';
    return copy;
}

int dump_compare(const char *a, const char *b)
{
    return strcmp(a, b);
}

static void add(const pajesim *sim, pajesim_ref container, size_t parent)
{
    dump_container *it = array_push(&containers);
    it->parent = parent;
    it->type = pajesim_type_of(sim, container);
    it->name = dump_copy(pajesim_name(sim, container));
    it->alias = dump_copy(pajesim_alias(sim, container));
    *array_at(&indexes, map_add(&by_ref, &container, sizeof container)) = containers.count - 1;
    is_current = 0;
}

void dump_add_container(const pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    if (containers.count == 0)
        add(sim, pajesim_root(sim), 0);
    if (parent)
        add(sim, container, dump_index_of(parent));
}

size_t dump_index_of(pajesim_ref container)
{
    size_t number = map_find(&by_ref, &container, sizeof container);
    return number == MAP_NONE ? 0 : indexes.items[number];
}

const dump_container *dump_container_at(size_t index)
{
    return &containers.items[index];
}

/* ---- sorting */

static const pajesim *sorted_sim; /* for the functions that compare */
static dump_order sorted_order;

static int compare_text(pajesim_ref a, pajesim_ref b)
{
    return text_compare(pajesim_alias(sorted_sim, a), pajesim_alias(sorted_sim, b));
}

static int compare_types(const void *a, const void *b)
{
    return compare_text(*(const pajesim_ref *)a, *(const pajesim_ref *)b);
}

/* By parent, then from that which is visited last. */
static int compare_containers(const void *a, const void *b)
{
    size_t left = *(const size_t *)a, right = *(const size_t *)b;
    const dump_container *x = &containers.items[left], *y = &containers.items[right];
    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    int order = sorted_order == DUMP_BY_TYPE && x->type != y->type ? compare_text(x->type, y->type) : 0;
    if (!order)
        order = dump_compare(x->alias, y->alias);
    if (!order)
        order = left < right ? -1 : left > right;
    return sorted_order == DUMP_BY_TYPE ? order : -order;
}

const pajesim_ref *dump_types_of(const pajesim *sim, pajesim_ref type, size_t *count)
{
    static array_of(pajesim_ref) types;
    array_clear(&types);
    for (pajesim_ref it = pajesim_first_child(sim, type); it; it = pajesim_next_sibling(sim, it))
        *array_push(&types) = it;
    sorted_sim = sim;
    if (types.count)
        qsort(types.items, types.count, sizeof *types.items, compare_types);
    *count = types.count;
    return types.items;
}

const size_t *dump_containers(const pajesim *sim, dump_order order, size_t *count)
{
    if (containers.count == 0)
        dump_add_container(sim, pajesim_root(sim));
    *count = containers.count;
    if (is_current && order_of_ordered == order)
        return ordered.items;

    size_t total = containers.count, *sorted = memory_alloc(total, sizeof *sorted);
    size_t *first = memory_alloc(total + 1, sizeof *first); /* of each container, its children in `sorted` */
    size_t *stack = memory_alloc(total, sizeof *stack), depth = 0, at = 0;
    for (size_t i = 0; i < total; i++)
        sorted[i] = i;
    sorted_sim = sim;
    sorted_order = order;
    qsort(sorted + 1, total - 1, sizeof *sorted, compare_containers);
    for (size_t i = 0, child = 1; i <= total; i++) {
        first[i] = child;
        while (child < total && containers.items[sorted[child]].parent == i)
            child++;
    }
    array_clear(&ordered);
    stack[depth++] = 0;
    while (depth > 0) {
        *array_push(&ordered) = at = stack[--depth];
        for (size_t i = first[at]; i < first[at + 1]; i++)
            stack[depth++] = sorted[i];
    }
    free(sorted);
    free(first);
    free(stack);
    order_of_ordered = order;
    is_current = 1;
    return ordered.items;
}
