/* Containers, types and values of the viewer.  The two simulations have different refs for them, but one index.
 *
 * Each simulation keeps the index in the word of the ref.  But a simulation that was restored from an image has the
 * words of that image, or none: so a word is only a hint, and is checked; without it the name is looked up. */
#include "view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1 << 16 };

#define UNKNOWN_NODE (VIEW_NO_NODE - 1)

static pajesim_text key_of(view_tree *tree, uint32_t scope, pajesim_text name)
{
    return name_key(&tree->key, scope, name);
}

/* ---- types and values */

static uint32_t add_type(view_tree *tree, pajesim_text key, pajesim_text name, pajesim_kind kind, uint32_t color)
{
    *array_push(&tree->types) = (view_type){.name = name_copy(name), .kind = kind, .color = color};
    return (uint32_t)map_add(&tree->type_keys, key.bytes, key.size);
}

uint32_t view_type_of(view_tree *tree, pajesim *sim, int which, pajesim_ref type)
{
    uint64_t word = *pajesim_user_data(sim, type);
    if (word && word <= tree->types.count && tree->types.items[word - 1].refs[which] == type)
        return (uint32_t)word - 1;
    pajesim_text name = pajesim_name(sim, type), key = key_of(tree, 0, pajesim_alias(sim, type));
    size_t known = map_find(&tree->type_keys, key.bytes, key.size);
    if (known == MAP_NONE) {
        pajesim_kind kind = pajesim_kind_of(sim, type);
        uint32_t color = 0;
        if (kind == PAJESIM_VARIABLE) /* for other types, the values have colours */
            color = palette_color(&tree->palette, name, pajesim_color(sim, type), kind);
        known = add_type(tree, key, name, kind, color);
    }
    tree->types.items[known].refs[which] = type;
    *pajesim_user_data(sim, type) = known + 1;
    return (uint32_t)known;
}

/* The letter for a value: one of its name that no earlier value of the type has, if there is any. */
static uint32_t letter_of(view_type *type, pajesim_text name)
{
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        if (byte < sizeof(type->taken) && isalnum(byte) && !type->taken[byte])
            return type->taken[byte] = 1, byte;
    }
    for (unsigned char byte = 'a'; byte <= 'z'; byte++)
        if (!type->taken[byte])
            return type->taken[byte] = 1, byte;
    return '#';
}

static uint32_t add_value(view_tree *tree, uint32_t type, pajesim_text name, pajesim_text color)
{
    pajesim_text key = key_of(tree, type, name);
    size_t known = map_find(&tree->value_keys, key.bytes, key.size);
    if (known != MAP_NONE)
        return (uint32_t)known;
    if (tree->values.count == MOST_VALUES) {
        tree->is_full_of_values = 1;
        return OTHER_VALUES;
    }
    view_value value = {.name = name_copy(name), .type = type};
    value.color = palette_color(&tree->palette, name, color, tree->types.items[type].kind);
    value.letter = letter_of(&tree->types.items[type], name);
    *array_push(&tree->values) = value;
    return (uint32_t)map_add(&tree->value_keys, key.bytes, key.size);
}

uint32_t view_value_of(view_tree *tree, pajesim *sim, int which, const pajesim_entity *entity)
{
    uint64_t word = entity->value ? *pajesim_user_data(sim, entity->value) : 0;
    uint32_t type = view_type_of(tree, sim, which, entity->type);
    if (word && word <= tree->values.count && tree->values.items[word - 1].type == type)
        return (uint32_t)word - 1;
    uint32_t value = add_value(tree, type, entity->value_name,
                               entity->value ? pajesim_color(sim, entity->value) : text_of(""));
    if (entity->value)
        *pajesim_user_data(sim, entity->value) = (uint64_t)value + 1;
    return value;
}

/* ---- containers */

static uint32_t add_node(view_tree *tree, uint32_t parent, uint32_t type, pajesim_text name)
{
    uint32_t at = (uint32_t)tree->nodes.count;
    view_node *it = array_push(&tree->nodes), *above = &tree->nodes.items[parent];
    *it = (view_node){.parent = parent, .type = type, .name = name_copy(name), .start = HUGE_VAL, .end = -HUGE_VAL,
                      .is_open = 1};
    if (at == 0)
        return at;
    it->level = above->level + 1;
    if (above->last)
        tree->nodes.items[above->last].next = at;
    else
        above->first = at;
    above->last = at;
    return at;
}

void view_begin_tree(view_tree *tree)
{
    pajesim_text none = text_of(""), other = text_of("other values"), root = text_of("/");
    add_type(tree, key_of(tree, UINT32_MAX, none), none, PAJESIM_CONTAINER, 0);
    *array_push(&tree->values) = (view_value){.name = other, .color = 0xb8b8b8, .letter = '*'};
    pajesim_text key = key_of(tree, UINT32_MAX, none);
    map_add(&tree->value_keys, key.bytes, key.size);
    map_add(&tree->node_keys, key.bytes, key.size);
    add_node(tree, 0, 0, root);
}

/* The child of that alias.  A container that is created again after its destruction is the same node. */
static uint32_t child_of(view_tree *tree, pajesim *sim, int which, uint32_t parent, pajesim_ref container)
{
    pajesim_text key = key_of(tree, parent, pajesim_alias(sim, container));
    size_t known = map_find(&tree->node_keys, key.bytes, key.size);
    if (known != MAP_NONE)
        return (uint32_t)known;
    if (tree->nodes.count >= tree->most_nodes) {
        tree->left_out++;
        tree->nodes.items[parent].left_out++;
        return VIEW_NO_NODE;
    }
    map_add(&tree->node_keys, key.bytes, key.size);
    uint32_t type = view_type_of(tree, sim, which, pajesim_type_of(sim, container));
    return add_node(tree, parent, type, pajesim_name(sim, container));
}

/* The index in the word of a container, if it is right. */
static uint32_t known_node(const view_tree *tree, pajesim *sim, int which, pajesim_ref container)
{
    if (!container || container == pajesim_root(sim))
        return 0;
    uint64_t word = *pajesim_user_data(sim, container);
    if (word == VIEW_NO_NODE)
        return VIEW_NO_NODE;
    if (word && word <= tree->nodes.count && tree->nodes.items[word - 1].refs[which] == container)
        return (uint32_t)word - 1;
    return UNKNOWN_NODE;
}

uint32_t view_node_of(view_tree *tree, pajesim *sim, int which, pajesim_ref container)
{
    for (;;) { /* adds the uppermost unknown ancestor, until the container itself is known */
        uint32_t node = known_node(tree, sim, which, container), parent = UNKNOWN_NODE;
        pajesim_ref at = container;
        if (node == 0) { /* the root, which is never created */
            tree->nodes.items[0].refs[which] = pajesim_root(sim);
            tree->nodes.items[0].is_alive[which] = 1;
        }
        if (node != UNKNOWN_NODE)
            return node;
        while ((parent = known_node(tree, sim, which, pajesim_parent(sim, at))) == UNKNOWN_NODE)
            at = pajesim_parent(sim, at);
        node = parent == VIEW_NO_NODE ? VIEW_NO_NODE : child_of(tree, sim, which, parent, at);
        *pajesim_user_data(sim, at) = node == VIEW_NO_NODE ? VIEW_NO_NODE : (uint64_t)node + 1;
        if (node != VIEW_NO_NODE) {
            view_node *it = &tree->nodes.items[node];
            it->refs[which] = at;
            it->is_alive[which] = 1;
            it->start = fmin(it->start, pajesim_start_of(sim, at));
            if (which == VIEW_WHOLE || it->end < it->start)
                it->end = HUGE_VAL;
        }
    }
}

/* ---- bands */

view_band *view_band_of(view_tree *tree, uint32_t node, pajesim_kind kind, uint32_t type)
{
    const uint32_t key[] = {node, (uint32_t)kind, type};
    size_t known = map_find(&tree->band_keys, key, sizeof key);
    if (known != MAP_NONE)
        return tree->bands.items[known];
    view_band *band = memory_alloc_zero(1, sizeof *band);
    band->kind = kind;
    band->type = type;
    band->next = tree->nodes.items[node].bands;
    tree->nodes.items[node].bands = band;
    tree->nodes.items[node].is_unsorted = 1;
    *array_push(&tree->bands) = band;
    map_add(&tree->band_keys, key, sizeof key);
    return band;
}

static int compare_bands(const void *a, const void *b)
{
    static const int places[] = {[PAJESIM_STATE] = 0, [PAJESIM_VARIABLE] = 1, [PAJESIM_EVENT] = 2};
    const view_band *x = *(view_band *const *)a, *y = *(view_band *const *)b;
    if (x->kind != y->kind)
        return places[x->kind] - places[y->kind];
    return (x->type > y->type) - (x->type < y->type);
}

view_band *view_bands_of(view_tree *tree, uint32_t node)
{
    array_of(view_band *) sorted = {0};
    view_node *it = &tree->nodes.items[node];
    if (!it->is_unsorted)
        return it->bands;
    for (view_band *band = it->bands; band; band = band->next)
        *array_push(&sorted) = band;
    if (sorted.count) /* else there is no array */
        qsort(sorted.items, sorted.count, sizeof *sorted.items, compare_bands);
    it->bands = NULL;
    for (size_t i = sorted.count; i-- > 0; it->bands = sorted.items[i])
        sorted.items[i]->next = it->bands;
    it->is_unsorted = 0;
    array_free(&sorted);
    return it->bands;
}

pajesim_text view_band_name(const view_tree *tree, const view_band *band)
{
    return band->type ? tree->types.items[band->type].name : text_of("events");
}

uint32_t view_next_node(const view_tree *tree, uint32_t node, int all)
{
    const view_node *it = &tree->nodes.items[node];
    if (it->first && (all || it->is_open))
        return it->first;
    while (node && !tree->nodes.items[node].next)
        node = tree->nodes.items[node].parent;
    return node ? tree->nodes.items[node].next : 0;
}

void view_add_path(const view_tree *tree, text_buffer *buffer, uint32_t node)
{
    uint32_t path[256];
    size_t count = 0;
    for (; node && count < sizeof path / sizeof *path; node = tree->nodes.items[node].parent)
        path[count++] = node;
    if (count == 0)
        text_putc(buffer, '/');
    while (count > 0) {
        text_putc(buffer, '/');
        text_append(buffer, tree->nodes.items[path[--count]].name);
    }
}
