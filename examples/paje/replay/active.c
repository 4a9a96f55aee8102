/* Which state is on at an instant. */
#include "replay/active.h"

#include <math.h>

#include "base/stream.h"
#include "replay/collective.h"
#include "replay/filter.h"
#include "replay/path.h"
#include "replay/run.h"

enum { MOST_VALUES = 65536, MOST_NAMES = 100000, MOST_CHILDREN = 64 };

active_globs active_receive, active_send;
active_places_array active_places;

static size_t first_free = ACTIVE_NONE;

/* ---- types: the word of a container type counts its types of states; that of such a type is its number of these */

void active_new_type(pajesim *sim, const pajesim_type_info *type)
{
    if (type->kind != PAJESIM_STATE || !paje_shows_type(sim, type->ref))
        return;
    *pajesim_user_data(sim, type->ref) = ++*pajesim_user_data(sim, type->parent);
}

int active_has_type(pajesim *sim, pajesim_ref type)
{
    return *pajesim_user_data(sim, type) != 0;
}

int active_has_states(pajesim *sim, pajesim_ref container)
{
    return *pajesim_user_data(sim, pajesim_type_of(sim, container)) != 0;
}

/* ---- kinds of states in a set: all, and those that globs choose */

enum { ALL, RECEIVE, SEND };

/* The kind of the states with a flag; without globs all are. */
static int kind_of(unsigned flag)
{
    if (flag == ACTIVE_RECEIVE)
        return active_receive.count ? RECEIVE : ALL;
    return flag == ACTIVE_SEND && active_send.count ? SEND : ALL;
}

/* ---- classes: the word of a value is its class, plus 1 */

static hash_map class_names;
static array_of(active_class) classes;
static size_t named_classes;

int active_chooses(const pajesim *sim, active_globs *globs, pajesim_ref type, pajesim_text value, pajesim_text alias)
{
    int is_state = pajesim_kind_of(sim, type) == PAJESIM_STATE, is_chosen = 0;
    for (size_t i = 0; i < globs->count; i++) {
        active_glob *glob = &globs->items[i];
        if (paje_matches(glob->text, value) || paje_matches(glob->text, alias) ||
            paje_matches(glob->text, pajesim_name(sim, type)) || paje_matches(glob->text, pajesim_alias(sim, type))) {
            glob->is_used |= is_state;
            is_chosen = 1;
        }
    }
    return is_chosen;
}

void active_tell_unused(const paje_run *run, const active_globs *globs, const char *option)
{
    const char *which = paje_is_filtered(run->settings) ? " that the filters choose" : "";
    if (named_classes >= MOST_VALUES || paje_is_nothing_shown(run->settings))
        return;
    for (size_t i = 0; i < globs->count; i++)
        if (!globs->items[i].is_used)
            stream_message("%s: no state%s has a value or type like `%s` (%s)", run->source->name, which,
                           globs->items[i].text, option);
}

/* What paje trace writes of MPI_Put and its kin. */
static int is_access(const pajesim *sim, pajesim_ref type, pajesim_text value)
{
    return pajesim_kind_of(sim, type) == PAJESIM_LINK && text_is_equal(pajesim_name(sim, type), text_of("Access")) &&
           (text_is_equal(value, text_of("put")) || text_is_equal(value, text_of("get")) ||
            text_is_equal(value, text_of("update")));
}

static unsigned flags_of(const pajesim *sim, pajesim_ref type, pajesim_text value, pajesim_text alias)
{
    active_globs *globs[] = {&active_receive, &active_send};
    unsigned flags = ACTIVE_ANY;
    for (unsigned i = 0; i < 2; i++)
        if (globs[i]->count == 0 || active_chooses(sim, globs[i], type, value, alias))
            flags |= i + 1;
    if (pajesim_kind_of(sim, type) == PAJESIM_STATE && (flags & ACTIVE_RECEIVE) && paje_is_probe(value))
        flags |= ACTIVE_PROBE;
    if (is_access(sim, type, value))
        flags |= ACTIVE_ACCESS;
    if (paje_is_of_window(value))
        flags |= ACTIVE_WINDOW;
    return flags;
}

/* The kinds of the states of a class, a bit for each. */
static unsigned kinds_of(unsigned flags)
{
    static const unsigned each[] = {ACTIVE_ANY, ACTIVE_RECEIVE, ACTIVE_SEND};
    unsigned kinds = 0;
    for (int kind = 0; kind < BEGUN_KINDS; kind++)
        if ((flags & each[kind]) && kind_of(each[kind]) == kind)
            kinds |= 1u << kind;
    return kinds;
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
    unsigned flags = flags_of(sim, type, value, alias);
    *array_at(&classes, number) =
        (active_class){type, pajesim_kind_of(sim, type), flags, kinds_of(flags), kind == 2};
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
    array_clear(&active_places);
    begun_clear();
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
    *it = (active_place){.container = container, .generation = it->generation + 1, .name = ACTIVE_NONE,
                         .instant = -HUGE_VAL, .probe = {.class = ACTIVE_NONE}};
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
        if (active_has_states(sim, child))
            return child;
    return 0;
}

size_t active_place_of(pajesim *sim, pajesim_ref container)
{
    pajesim_ref at = container;
    while (at && !active_has_states(sim, at)) {
        pajesim_ref below = first_with_states(sim, at);
        at = below ? below : pajesim_first_child(sim, at);
    }
    return active_own_place(sim, at ? at : container);
}

int active_shows(pajesim *sim, pajesim_ref container)
{
    if (paje_shows_container(sim, container))
        return 1;
    size_t place = active_place_of(sim, container);
    return place != ACTIVE_NONE && paje_shows_container(sim, active_places.items[place].container);
}

/* ---- states */

static begun_key key_of(pajesim *sim, const pajesim_entity *state)
{
    return (begun_key){state->start, (uint32_t)*pajesim_user_data(sim, state->type), state->imbrication};
}

void active_began(pajesim *sim, const pajesim_entity *state)
{
    size_t place = active_own_place(sim, state->container), class;
    if (place == ACTIVE_NONE)
        return;
    begun_number number = begun_new(key_of(sim, state));
    class = active_class_of(sim, state);
    begun_at(number)->type = state->type;
    begun_at(number)->class = (uint32_t)class;
    begun_at(number)->kinds = classes.items[class].kinds;
    begun_insert(&active_places.items[place].open, number);
}

begun_number active_number(pajesim *sim, const pajesim_entity *state)
{
    size_t place = active_own_place(sim, state->container);
    if (place == ACTIVE_NONE)
        return 0;
    begun_key key = key_of(sim, state);
    begun_number number = begun_from(&active_places.items[place].open, ALL, key);
    if (!number)
        return 0;
    const begun_key *found = &begun_at(number)->key;
    return !(found->start > key.start) && found->rank == key.rank && found->depth == key.depth ? number : 0;
}

static void forget_ended(active_place *it)
{
    while (it->last_ended) {
        begun_number number = it->last_ended;
        it->last_ended = begun_at(number)->next;
        begun_free(number);
    }
    it->ended = (begun_set){0};
}

/* Moves a state that has ended at the place's instant. */
static void end_state(active_place *it, begun_number number, int has_lasted)
{
    begun_remove(&it->open, number);
    if (!has_lasted) {
        begun_free(number);
        return;
    }
    begun_insert(&it->ended, number);
    begun_at(number)->next = it->last_ended;
    it->last_ended = number;
}

void active_closed(pajesim *sim, const pajesim_entity *entity)
{
    size_t place = active_own_place(sim, entity->container);
    begun_number number;
    if (place == ACTIVE_NONE)
        return;
    active_place *it = &active_places.items[place];
    if (entity->kind == PAJESIM_CONTAINER) {
        *pajesim_user_data(sim, entity->container) = 0;
        forget_ended(it);
        it->container = 0;
        it->next_free = first_free;
        first_free = place;
    } else if (entity->kind == PAJESIM_STATE && active_has_type(sim, entity->type) &&
               (number = active_number(sim, entity)) != 0) {
        if (entity->end > it->instant || entity->end < it->instant)
            forget_ended(it);
        it->instant = entity->end;
        if (classes.items[begun_at(number)->class].flags & ACTIVE_PROBE)
            it->probe = (active_probe){begun_at(number)->class, entity->start, entity->end};
        end_state(it, number, entity->start < entity->end);
    }
}

/* The state that began last before a time; if several did at once, that of the type which was defined first. */
static begun_number last_before(begun_set *set, double time, unsigned flag)
{
    int kind = kind_of(flag);
    begun_number found = begun_before(set, kind, (begun_key){time, 0, 0});
    if (!found)
        return 0;
    double start = begun_at(found)->key.start;
    uint32_t rank = begun_at(begun_from(set, kind, (begun_key){start, 0, 0}))->key.rank;
    return rank == begun_at(found)->key.rank ? found : begun_before(set, kind, (begun_key){start, rank + 1, 0});
}

int active_open(size_t place, double time, unsigned flag, active_state *state)
{
    begun_number number = last_before(&active_places.items[place].open, time, flag);
    if (number)
        *state = (active_state){number, begun_at(number)->class, begun_at(number)->key.start};
    return number != 0;
}

/* Whether a state that has ended comes before one that is open: of one type it is the inner one. */
static int is_later(const begun_key *ended, const begun_key *open)
{
    return ended->start > open->start || (!(ended->start < open->start) && ended->rank <= open->rank);
}

int active_until(size_t place, double time, unsigned flag, active_state *state)
{
    active_place *it = &active_places.items[place];
    int found = active_open(place, time, flag, state);
    if (it->instant < time || it->instant > time)
        return found;
    begun_number number = last_before(&it->ended, HUGE_VAL, flag);
    if (!number || (found && !is_later(&begun_at(number)->key, &begun_at(state->number)->key)))
        return found;
    *state = (active_state){0, begun_at(number)->class, begun_at(number)->key.start};
    return 1;
}

int active_can_wait(pajesim *sim, const pajesim_entity *link, size_t class)
{
    size_t own = active_class_of(sim, link);
    return !(classes.items[own].flags & ACTIVE_ACCESS) ||
           (class != ACTIVE_NONE && (classes.items[class].flags & ACTIVE_WINDOW));
}

int active_probed(size_t place, double sent, double time, active_state *state)
{
    active_probe *it = &active_places.items[place].probe;
    active_state receive;
    if (it->class == ACTIVE_NONE || !(it->start < sent && sent < it->end) ||
        (!active_until(place, time, ACTIVE_RECEIVE, &receive) && !active_until(place, time, ACTIVE_ANY, &receive)) ||
        receive.start < it->end || !paje_receives_probed(active_value(receive.class)))
        return 0;
    *state = (active_state){0, it->class, it->start};
    it->class = ACTIVE_NONE;
    return 1;
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
