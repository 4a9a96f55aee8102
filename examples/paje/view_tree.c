/* Containers, types and values of the viewer: both simulations know them by other refs, it by one index.
 *
 * Each simulation keeps the index in their words.  An image may come from a file, without such words, or have been
 * taken where they were set: so they are no more than a hint, and what has none is looked up by what it is called. */
#include "view.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_VALUES = 1 << 16, LETTERED_VALUES = 4096, NAME_BYTES = 200 };

#define UNKNOWN_NODE (VIEW_NO_NODE - 1)

view_tree view_all;

static paje_set types, values, nodes, bands; /* what they are called: see the keys below */
static view_band **band_at;                  /* of each entry of `bands` */
static size_t type_room, value_room, node_room, band_room;

static void *grow(void *block, size_t *room, size_t count, size_t size)
{
    if (count < *room)
        return block;
    *room += *room / 2 + 64;
    return paje_room(block, *room * size);
}

static pajesim_text key_of(uint32_t within, pajesim_text name)
{
    static paje_buffer key;
    key.size = 0;
    paje_add(&key, (const char *)&within, sizeof within);
    paje_add(&key, name.bytes, name.size < NAME_BYTES ? name.size : NAME_BYTES);
    return paje_text(&key);
}

/* ---- types and values */

static uint32_t add_type(pajesim_text key, pajesim_text name, pajesim_kind kind, uint32_t color)
{
    view_all.types = grow(view_all.types, &type_room, view_all.type_count, sizeof *view_all.types);
    view_all.types[view_all.type_count++] = (view_type){.name = diagram_copy(name), .kind = kind, .color = color};
    return (uint32_t)paje_set_add(&types, key.bytes, key.size);
}

uint32_t view_type_of(pajesim *sim, int which, pajesim_ref type)
{
    uint64_t word = *pajesim_word(sim, type);
    if (word && word <= view_all.type_count && view_all.types[word - 1].refs[which] == type)
        return (uint32_t)word - 1;
    pajesim_text name = pajesim_name(sim, type), key = key_of(0, pajesim_alias(sim, type));
    size_t known = paje_set_find(&types, key.bytes, key.size);
    if (known == PAJE_NONE) {
        pajesim_kind kind = pajesim_kind_of(sim, type);
        int is_drawn = kind == PAJESIM_VARIABLE; /* of the others it is the values that have colours */
        known = add_type(key, name, kind, is_drawn ? diagram_color(name, pajesim_color(sim, type), kind) : 0);
    }
    view_all.types[known].refs[which] = type;
    *pajesim_word(sim, type) = known + 1;
    return (uint32_t)known;
}

/* A letter of its name that no earlier value of the type has, if there is one. */
static uint32_t letter_of(pajesim_text name, uint32_t type)
{
    char taken[128] = {0};
    if (view_all.value_count >= LETTERED_VALUES)
        return '#';
    for (size_t i = 0; i < view_all.value_count; i++)
        if (view_all.values[i].type == type)
            taken[view_all.values[i].letter] = 1;
    for (size_t i = 0; i < name.size; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        if (byte < 128 && isalnum(byte) && !taken[byte])
            return byte;
    }
    for (unsigned char byte = 'a'; byte <= 'z'; byte++)
        if (!taken[byte])
            return byte;
    return '#';
}

static uint32_t add_value(uint32_t type, pajesim_text name, pajesim_text color)
{
    pajesim_text key = key_of(type, name);
    size_t known = paje_set_find(&values, key.bytes, key.size);
    if (known != PAJE_NONE)
        return (uint32_t)known;
    if (view_all.value_count == MOST_VALUES)
        return DIAGRAM_OTHER_VALUES;
    view_all.values = grow(view_all.values, &value_room, view_all.value_count, sizeof *view_all.values);
    view_value value = {.name = diagram_copy(name), .type = type};
    value.color = diagram_color(name, color, view_all.types[type].kind);
    value.letter = letter_of(name, type);
    view_all.values[view_all.value_count++] = value;
    return (uint32_t)paje_set_add(&values, key.bytes, key.size);
}

uint32_t view_value_of(pajesim *sim, int which, const pajesim_entity *entity)
{
    uint64_t word = entity->value ? *pajesim_word(sim, entity->value) : 0;
    uint32_t type = view_type_of(sim, which, entity->type);
    if (word && word <= view_all.value_count && view_all.values[word - 1].type == type)
        return (uint32_t)word - 1;
    uint32_t value = add_value(type, entity->value_name,
                               entity->value ? pajesim_color(sim, entity->value) : (pajesim_text){"", 0});
    if (entity->value)
        *pajesim_word(sim, entity->value) = (uint64_t)value + 1;
    return value;
}

/* ---- containers */

static uint32_t add_node(uint32_t parent, uint32_t type, pajesim_text name)
{
    view_all.nodes = grow(view_all.nodes, &node_room, view_all.node_count, sizeof *view_all.nodes);
    uint32_t at = (uint32_t)view_all.node_count++;
    view_node *it = &view_all.nodes[at], *above = &view_all.nodes[parent];
    *it = (view_node){.parent = parent, .type = type, .name = diagram_copy(name), .start = HUGE_VAL, .end = -HUGE_VAL,
                      .is_open = 1};
    if (at == 0)
        return at;
    it->level = above->level + 1;
    if (above->last)
        view_all.nodes[above->last].next = at;
    else
        above->first = at;
    above->last = at;
    return at;
}

void view_begin_tree(void)
{
    pajesim_text none = {"", 0}, other = {"other values", 12}, root = {"/", 1};
    add_type(key_of(UINT32_MAX, none), none, PAJESIM_CONTAINER, 0);
    view_all.values = grow(view_all.values, &value_room, 0, sizeof *view_all.values);
    view_all.values[view_all.value_count++] = (view_value){.name = other, .color = 0xb8b8b8, .letter = '*'};
    pajesim_text key = key_of(UINT32_MAX, none);
    paje_set_add(&values, key.bytes, key.size);
    paje_set_add(&nodes, key.bytes, key.size);
    add_node(0, 0, root);
}

/* Made anew after its destruction a container is the same one, if it is in the same one. */
static uint32_t child_of(pajesim *sim, int which, uint32_t parent, pajesim_ref container)
{
    pajesim_text key = key_of(parent, pajesim_alias(sim, container));
    size_t known = paje_set_find(&nodes, key.bytes, key.size);
    if (known != PAJE_NONE)
        return (uint32_t)known;
    if (view_all.node_count >= view_all.most_nodes) {
        view_all.left_out++;
        view_all.nodes[parent].left_out++;
        return VIEW_NO_NODE;
    }
    paje_set_add(&nodes, key.bytes, key.size);
    uint32_t type = view_type_of(sim, which, pajesim_type_of(sim, container));
    return add_node(parent, type, pajesim_name(sim, container));
}

/* The index that the word tells, if that is right. */
static uint32_t known_node(pajesim *sim, int which, pajesim_ref container)
{
    if (!container || container == pajesim_root(sim))
        return 0;
    uint64_t word = *pajesim_word(sim, container);
    if (word == VIEW_NO_NODE)
        return VIEW_NO_NODE;
    if (word && word <= view_all.node_count && view_all.nodes[word - 1].refs[which] == container)
        return (uint32_t)word - 1;
    return UNKNOWN_NODE;
}

uint32_t view_node_of(pajesim *sim, int which, pajesim_ref container)
{
    for (;;) { /* from the uppermost that is not known down to it */
        uint32_t node = known_node(sim, which, container), parent = UNKNOWN_NODE;
        pajesim_ref at = container;
        if (node != UNKNOWN_NODE)
            return node;
        while ((parent = known_node(sim, which, pajesim_parent(sim, at))) == UNKNOWN_NODE)
            at = pajesim_parent(sim, at);
        node = parent == VIEW_NO_NODE ? VIEW_NO_NODE : child_of(sim, which, parent, at);
        *pajesim_word(sim, at) = node == VIEW_NO_NODE ? VIEW_NO_NODE : (uint64_t)node + 1;
        if (node != VIEW_NO_NODE) {
            view_node *it = &view_all.nodes[node];
            it->refs[which] = at;
            it->is_alive[which] = 1;
            it->start = fmin(it->start, pajesim_start_of(sim, at));
            if (which == VIEW_WHOLE || it->end < it->start)
                it->end = HUGE_VAL;
        }
    }
}

/* ---- what they bear */

view_band *view_band_of(uint32_t node, pajesim_kind kind, uint32_t type)
{
    const uint32_t key[] = {node, (uint32_t)kind, type};
    size_t known = paje_set_find(&bands, key, sizeof key);
    if (known != PAJE_NONE)
        return band_at[known];
    view_band *band = memset(paje_room(NULL, sizeof *band), 0, sizeof *band);
    band->kind = kind;
    band->type = type;
    band->next = view_all.nodes[node].bands;
    view_all.nodes[node].bands = band;
    view_all.nodes[node].is_unsorted = 1;
    band_at = grow(band_at, &band_room, bands.count, sizeof *band_at);
    band_at[bands.count] = band;
    paje_set_add(&bands, key, sizeof key);
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

view_band *view_bands_of(uint32_t node)
{
    static view_band **sorted;
    static size_t room;
    view_node *it = &view_all.nodes[node];
    size_t count = 0;
    if (!it->is_unsorted)
        return it->bands;
    for (view_band *band = it->bands; band; band = band->next) {
        sorted = grow(sorted, &room, count, sizeof *sorted);
        sorted[count++] = band;
    }
    qsort(sorted, count, sizeof *sorted, compare_bands);
    for (it->bands = NULL; count; it->bands = sorted[count])
        sorted[--count]->next = it->bands;
    it->is_unsorted = 0;
    return it->bands;
}

uint32_t view_next_node(uint32_t node, int all)
{
    const view_node *it = &view_all.nodes[node];
    if (it->first && (all || it->is_open))
        return it->first;
    while (node && !view_all.nodes[node].next)
        node = view_all.nodes[node].parent;
    return node ? view_all.nodes[node].next : 0;
}

void view_add_path(paje_buffer *buffer, uint32_t node)
{
    uint32_t path[256];
    size_t count = 0;
    for (; node && count < sizeof path / sizeof *path; node = view_all.nodes[node].parent)
        path[count++] = node;
    if (count == 0)
        paje_add(buffer, "/", 1);
    while (count > 0) {
        paje_add(buffer, "/", 1);
        paje_add_text(buffer, view_all.nodes[path[--count]].name);
    }
}
