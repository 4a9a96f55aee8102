/* Containers and the rows that are counted for each of them. */
#include "profile.h"

#include <string.h>

enum { MAX_NAMED_VALUES = 256 }; /* of a type: values that the trace did not define */
/* The user's word of a container that is not counted.  It is 1 + the index of the node of others. */
#define NO_NODE UINT32_MAX

static hash_map class_names; /* keys: type, then name of the value; no name for the whole type */
classes_array profile_classes;
nodes_array profile_nodes;
static size_t first_free = MAP_NONE;

size_t profile_class(const pajesim *sim, pajesim_ref type, pajesim_text value, int add)
{
    static text_buffer name;
    char bytes[sizeof type];
    memcpy(bytes, &type, sizeof type);
    name.size = 0;
    text_put(&name, bytes, sizeof bytes);
    text_append(&name, value);
    if (!add)
        return map_find(&class_names, name.bytes, name.size);
    size_t at = map_add(&class_names, name.bytes, name.size);
    if (at == profile_classes.count)
        *array_push(&profile_classes) = (class){type, pajesim_kind_of(sim, type), 0};
    return at;
}

pajesim_text profile_class_value(size_t at)
{
    pajesim_text name = map_key(&class_names, at);
    return (pajesim_text){name.bytes + sizeof(pajesim_ref), name.size - sizeof(pajesim_ref)};
}

/* The class is cached in the user's word of the type or value. */
static size_t class_of_ref(pajesim *sim, pajesim_ref ref, pajesim_ref type, pajesim_text value)
{
    uint64_t *word = pajesim_user_data(sim, ref);
    if (!*word)
        *word = profile_class(sim, type, value, 1) + 1;
    return (size_t)*word - 1;
}

static size_t class_of_type(pajesim *sim, pajesim_ref type)
{
    return class_of_ref(sim, type, type, (pajesim_text){"", 0});
}

size_t profile_class_of(pajesim *sim, const pajesim_entity *entity)
{
    if (entity->value)
        return class_of_ref(sim, entity->value, entity->type, entity->value_name);
    size_t type = class_of_type(sim, entity->type);
    if (entity->value_name.size == 0)
        return type;
    size_t known = class_names.count;
    int is_new_named = profile_classes.items[type].named < MAX_NAMED_VALUES;
    size_t at = profile_class(sim, entity->type, entity->value_name, is_new_named);
    profile_classes.items[type].named += class_names.count - known;
    return at != MAP_NONE ? at : type;
}

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

node *profile_new_node(pajesim *sim, pajesim_ref container, size_t depth)
{
    if (first_free == MAP_NONE) {
        array_push(&profile_nodes)->next_free = MAP_NONE;
        first_free = profile_nodes.count - 1;
    }
    node *it = &profile_nodes.items[first_free];
    *pajesim_user_data(sim, container) = first_free + 1;
    first_free = it->next_free;
    it->depth = depth;
    return it;
}

/* Gives a container a node, or that of the container that it is in. */
static void place_container(pajesim *sim, pajesim_ref container)
{
    uint64_t above = *pajesim_user_data(sim, pajesim_parent(sim, container));
    size_t depth = above == NO_NODE ? SIZE_MAX : profile_nodes.items[above - 1].depth;
    if (depth < profile_options.depth)
        profile_new_node(sim, container, depth + 1);
    else
        *pajesim_user_data(sim, container) = profile_options.own ? NO_NODE : above;
}

node *profile_node_of(pajesim *sim, pajesim_ref container)
{
    static array_of(pajesim_ref) path;
    array_clear(&path);
    for (pajesim_ref at = container; !*pajesim_user_data(sim, at); at = pajesim_parent(sim, at))
        *array_push(&path) = at; /* up to the root, which has a node */
    while (path.count > 0)
        place_container(sim, path.items[--path.count]);
    uint64_t word = *pajesim_user_data(sim, container);
    return word != NO_NODE ? &profile_nodes.items[word - 1] : NULL;
}

int profile_has_own_node(pajesim *sim, pajesim_ref container)
{
    pajesim_ref parent = pajesim_parent(sim, container);
    uint64_t word = *pajesim_user_data(sim, container);
    return word && word != NO_NODE && (!parent || *pajesim_user_data(sim, parent) != word);
}

void profile_free_node(node *it)
{
    array_clear(&it->rows);
    map_clear(&it->numbers);
    it->next_free = first_free;
    first_free = (size_t)(it - profile_nodes.items);
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
