/* Which state is on at an instant. */
#include "replay/active.h"

#include <math.h>

#include "replay/filter.h"
#include "replay/path.h"
#include "replay/run.h"

enum { MOST_VALUES = 65536, MOST_NAMES = 100000, MOST_CHILDREN = 64 };

active_globs active_receive, active_send;
active_places_array active_places;

static size_t first_free = ACTIVE_NONE;

/* ---- types: the word of a container type is the number of its list of types of states, plus 1 */

typedef array_of(pajesim_ref) type_list;
static array_of(type_list) lists;

static const type_list *types_of(pajesim *sim, pajesim_ref container_type)
{
    uint64_t word = *pajesim_user_data(sim, container_type);
    return word ? &lists.items[word - 1] : NULL;
}

void active_new_type(pajesim *sim, const pajesim_type_info *type)
{
    if (type->kind != PAJESIM_STATE || !paje_shows_type(sim, type->ref))
        return;
    pajesim_user_word *word = pajesim_user_data(sim, type->parent);
    if (!*word) {
        (void)array_push(&lists);
        *word = lists.count;
    }
    *array_push(&lists.items[*word - 1]) = type->ref;
    *pajesim_user_data(sim, type->ref) = 1;
}

int active_has_type(pajesim *sim, pajesim_ref type)
{
    return *pajesim_user_data(sim, type) != 0;
}

size_t active_type_count(pajesim *sim, pajesim_ref container)
{
    const type_list *types = types_of(sim, pajesim_type_of(sim, container));
    return types ? types->count : 0;
}

pajesim_ref active_type_at(pajesim *sim, pajesim_ref container, size_t number)
{
    return types_of(sim, pajesim_type_of(sim, container))->items[number];
}

/* ---- classes: the word of a value is its class, plus 1 */

static hash_map class_names;
static array_of(active_class) classes;
static size_t named_classes;

static unsigned flags_of(const pajesim *sim, pajesim_ref type, pajesim_text value, pajesim_text alias)
{
    const active_globs *globs[] = {&active_receive, &active_send};
    unsigned flags = ACTIVE_ANY;
    for (unsigned i = 0; i < 2; i++) {
        int is_chosen = globs[i]->count == 0;
        for (size_t k = 0; k < globs[i]->count && !is_chosen; k++) {
            const char *glob = globs[i]->items[k];
            is_chosen = paje_matches(glob, value) || paje_matches(glob, alias) ||
                        paje_matches(glob, pajesim_name(sim, type)) ||
                        paje_matches(glob, pajesim_alias(sim, type));
        }
        flags |= is_chosen ? i + 1 : 0;
    }
    return flags;
}

/* `kind`: 0 a value, 1 the type as a whole, 2 its other values */
static size_t find_class(pajesim *sim, pajesim_ref type, char kind, pajesim_text value, pajesim_text alias)
{
    static text_buffer key;
    text_clear(&key);
    text_put(&key, (const char *)&type, sizeof type);
    text_putc(&key, kind);
    text_append(&key, value);
    size_t number = map_find(&class_names, key.bytes, key.size);
    if (number != MAP_NONE)
        return number;
    if (kind == 0 && named_classes >= MOST_VALUES)
        return find_class(sim, type, 2, text_of("(others)"), text_of(""));
    named_classes += kind == 0;
    number = map_add(&class_names, key.bytes, key.size);
    *array_at(&classes, number) =
        (active_class){type, pajesim_kind_of(sim, type), flags_of(sim, type, value, alias), kind == 2};
    return number;
}

size_t active_class_of(pajesim *sim, const pajesim_entity *entity)
{
    pajesim_user_word *word = entity->value ? pajesim_user_data(sim, entity->value) : NULL;
    if (word && *word)
        return (size_t)*word - 1;
    size_t class = find_class(sim, entity->type, 0, entity->value_name, pajesim_alias(sim, entity->value));
    if (word)
        *word = class + 1;
    return class;
}

size_t active_class_of_type(pajesim *sim, pajesim_ref type)
{
    return find_class(sim, type, 1, text_of(""), text_of(""));
}

const active_class *active_class_at(size_t class)
{
    return &classes.items[class];
}

pajesim_text active_value(size_t class)
{
    pajesim_text key = map_key(&class_names, class);
    return (pajesim_text){key.bytes + sizeof(pajesim_ref) + 1, key.size - sizeof(pajesim_ref) - 1};
}

/* ---- places: the word of a container is the number of its place, plus 1 */

void active_begin(pajesim *sim)
{
    active_created(sim, pajesim_root(sim));
}

void active_clear(void)
{
    for (size_t i = 0; i < lists.count; i++)
        array_free(&lists.items[i]);
    for (size_t i = 0; i < active_places.count; i++)
        array_free(&active_places.items[i].ended);
    array_clear(&lists);
    array_clear(&active_places);
    first_free = ACTIVE_NONE;
}

void active_created(pajesim *sim, pajesim_ref container)
{
    if (first_free == ACTIVE_NONE) {
        array_push(&active_places)->next_free = ACTIVE_NONE;
        first_free = active_places.count - 1;
    }
    active_place *it = &active_places.items[first_free];
    *pajesim_user_data(sim, container) = first_free + 1;
    first_free = it->next_free;
    it->container = container;
    it->generation++;
    it->name = ACTIVE_NONE;
    it->instant = -HUGE_VAL;
    array_clear(&it->ended);
}

size_t active_own_place(pajesim *sim, pajesim_ref container)
{
    uint64_t word = *pajesim_user_data(sim, container);
    return word ? (size_t)word - 1 : ACTIVE_NONE;
}

/* The first container in one whose type has states.  Of many that have none only the first are looked at. */
static pajesim_ref first_with_states(pajesim *sim, pajesim_ref container)
{
    pajesim_ref child = pajesim_first_child(sim, container);
    for (int i = 0; child && i < MOST_CHILDREN; i++, child = pajesim_next_sibling(sim, child))
        if (types_of(sim, pajesim_type_of(sim, child)))
            return child;
    return 0;
}

size_t active_place_of(pajesim *sim, pajesim_ref container)
{
    pajesim_ref at = container;
    while (at && !types_of(sim, pajesim_type_of(sim, at))) {
        pajesim_ref below = first_with_states(sim, at);
        at = below ? below : pajesim_first_child(sim, at);
    }
    return active_own_place(sim, at ? at : container);
}

void active_closed(pajesim *sim, const pajesim_entity *entity)
{
    size_t place = active_own_place(sim, entity->container);
    if (place == ACTIVE_NONE)
        return;
    active_place *it = &active_places.items[place];
    if (entity->kind == PAJESIM_CONTAINER) {
        *pajesim_user_data(sim, entity->container) = 0;
        it->container = 0;
        it->next_free = first_free;
        first_free = place;
    } else if (entity->kind == PAJESIM_STATE && active_has_type(sim, entity->type)) {
        if (entity->end > it->instant || entity->end < it->instant) {
            array_clear(&it->ended);
            it->instant = entity->end;
        }
        if (entity->start < entity->end)
            *array_push(&it->ended) = (active_state){active_class_of(sim, entity), entity->type, entity->imbrication,
                                                     entity->start};
    }
}

/* ---- states */

static int is_later(const active_state *state, const active_state *than)
{
    return state->start > than->start ||
           (!(state->start < than->start) && state->type == than->type && state->depth > than->depth);
}

/* The innermost open state of a type that began before `time`. */
static int find_open(pajesim *sim, pajesim_ref container, pajesim_ref type, double time, unsigned flag,
                     active_state *state)
{
    const paje_run *run = pajesim_data(sim);
    pajesim_entity entity;
    for (uint32_t depth = pajesim_depth(sim, container, type); depth-- > 0;) {
        pajesim_open_entity(sim, container, type, depth, &entity);
        double start = paje_in_seconds(run->settings, entity.start);
        size_t class = active_class_of(sim, &entity);
        if (!(start < time) || !(classes.items[class].flags & flag))
            continue;
        *state = (active_state){class, type, depth, start};
        return 1;
    }
    return 0;
}

int active_open(pajesim *sim, size_t place, double time, unsigned flag, active_state *state)
{
    const active_place *it = &active_places.items[place];
    const type_list *types = types_of(sim, pajesim_type_of(sim, it->container));
    active_state one;
    int found = 0;
    for (size_t i = 0; types && i < types->count; i++)
        if (find_open(sim, it->container, types->items[i], time, flag, &one) && (!found || is_later(&one, state))) {
            *state = one;
            found = 1;
        }
    return found;
}

int active_until(pajesim *sim, size_t place, double time, unsigned flag, active_state *state)
{
    const active_place *it = &active_places.items[place];
    int found = active_open(sim, place, time, flag, state);
    if (it->instant < time || it->instant > time)
        return found;
    for (size_t i = 0; i < it->ended.count; i++) {
        const active_state *one = &it->ended.items[i];
        if (!(classes.items[one->class].flags & flag))
            continue;
        if (!found || is_later(one, state)) {
            *state = *one;
            found = 1;
        }
    }
    return found;
}

/* ---- paths */

static hash_map names; /* keys: path and alias */
static array_of(size_t) path_sizes;

size_t active_name(pajesim *sim, size_t place)
{
    static text_buffer key;
    active_place *it = &active_places.items[place];
    if (it->name != ACTIVE_NONE)
        return it->name;
    text_clear(&key);
    paje_put_path(&key, sim, it->container);
    size_t size = key.size;
    text_append(&key, pajesim_alias(sim, it->container));
    text_put(&key, (const char *)&size, sizeof size); /* of the path: where the alias begins */
    it->name = map_find(&names, key.bytes, key.size);
    if (it->name != MAP_NONE)
        return it->name;
    if (names.used >= MOST_NAMES) {
        text_clear(&key);
        text_puts(&key, "(others)");
        size = key.size;
        text_put(&key, (const char *)&size, sizeof size);
    }
    it->name = map_add(&names, key.bytes, key.size);
    *array_at(&path_sizes, it->name) = size;
    return it->name;
}

pajesim_text active_path(size_t name)
{
    return (pajesim_text){map_key(&names, name).bytes, path_sizes.items[name]};
}

pajesim_text active_alias(size_t name)
{
    pajesim_text key = map_key(&names, name);
    size_t size = path_sizes.items[name];
    return (pajesim_text){key.bytes + size, key.size - size - sizeof size};
}

static int is_alone(size_t name)
{
    static hash_map paths;
    static array_of(size_t) counts;
    static size_t counted; /* names; their paths and how often each occurs are in the map */
    for (; counted < names.count; counted++)
        ++*array_at(&counts, map_add(&paths, active_path(counted).bytes, active_path(counted).size));
    return counts.items[map_find(&paths, active_path(name).bytes, active_path(name).size)] == 1;
}

pajesim_text active_label(size_t name)
{
    static text_buffer label;
    if (is_alone(name))
        return active_path(name);
    text_clear(&label);
    text_append(&label, active_path(name));
    text_puts(&label, " [");
    text_append(&label, active_alias(name));
    text_puts(&label, "]");
    return text_view(&label);
}
