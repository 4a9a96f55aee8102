/* Containers and the rows that are counted for each of them. */
#include "profile.h"

#include <string.h>

/* What is noted of a container that is not counted; else it is 1 + the index of its node. */
#define NO_NODE UINT32_MAX

nodes_array profile_nodes;
static size_t first_free = MAP_NONE;

const row *profile_find_row(const node *in, size_t one)
{
    size_t number = map_find(&in->numbers, &one, sizeof one);
    return number != MAP_NONE ? &in->rows.items[number] : NULL;
}

row *profile_row_of(node *in, size_t one)
{
    size_t number = map_add(&in->numbers, &one, sizeof one);
    if (number < in->rows.count)
        return &in->rows.items[number];
    row *new = array_push(&in->rows);
    new->class = one;
    return new;
}

static void add_node(pajesim *sim, pajesim_ref container, size_t depth)
{
    if (first_free == MAP_NONE) {
        array_push(&profile_nodes)->next_free = MAP_NONE;
        first_free = profile_nodes.count - 1;
    }
    node *it = &profile_nodes.items[first_free];
    paje_note(sim, container, (uint32_t)first_free + 1);
    first_free = it->next_free;
    it->depth = depth;
    it->serial = pajesim_serial(sim, container);
}

/* Gives a container a node, or that of the container that it is in. */
static void place_container(pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    uint32_t above = parent ? paje_noted(sim, parent) : 0;
    size_t depth = above == NO_NODE ? SIZE_MAX : above ? profile_nodes.items[above - 1].depth : 0;
    if (!parent)
        add_node(sim, container, 0);
    else if (depth < profile_options.depth)
        add_node(sim, container, depth + 1);
    else
        paje_note(sim, container, profile_options.own ? NO_NODE : above);
}

node *profile_node_of(pajesim *sim, pajesim_ref container)
{
    static array_of(pajesim_ref) path;
    array_clear(&path);
    for (pajesim_ref at = container; at && !paje_noted(sim, at); at = pajesim_parent(sim, at))
        *array_push(&path) = at;
    while (path.count > 0)
        place_container(sim, path.items[--path.count]);
    uint32_t noted = paje_noted(sim, container);
    return noted != NO_NODE ? &profile_nodes.items[noted - 1] : NULL;
}

int profile_has_own_node(pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    uint32_t noted = paje_noted(sim, container);
    return noted && noted != NO_NODE && (!parent || paje_noted(sim, parent) != noted);
}

void profile_free_node(node *it)
{
    array_clear(&it->rows);
    map_clear(&it->numbers);
    it->next_free = first_free;
    first_free = (size_t)(it - profile_nodes.items);
}

void profile_free_nodes(void)
{
    first_free = MAP_NONE;
    for (size_t i = profile_nodes.count; i-- > 0;)
        profile_free_node(&profile_nodes.items[i]);
}

void profile_count(row *it, const pajesim_entity *entity, const interval *part)
{
    double duration = part->end - part->start;
    double measure = entity->kind == PAJESIM_VARIABLE ? entity->number : duration;
    if (it->count == 0 || measure < it->least)
        it->least = measure;
    if (it->count == 0 || measure > it->greatest)
        it->greatest = measure;
    it->count++;
    sum_add(&it->total, duration);
    sum_add(&it->integral, duration * part->number);
    if (entity->kind == PAJESIM_STATE)
        sum_add(&it->exclusive, duration);
}

void profile_add_row(row *to, const row *from)
{
    if (to->count == 0 || (from->count && from->least < to->least))
        to->least = from->least;
    if (to->count == 0 || (from->count && from->greatest > to->greatest))
        to->greatest = from->greatest;
    to->count += from->count;
    sum_add_sum(&to->total, &from->total);
    sum_add_sum(&to->exclusive, &from->exclusive);
    sum_add_sum(&to->integral, &from->integral);
}
