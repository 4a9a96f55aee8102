/* Types, each as a whole and by its values. */
#include "profile.h"

#include <string.h>

enum { MAX_NAMED_VALUES = 256 }; /* of a type: values that the trace did not define */
/* Added to the type of such a value by processes, which do not know how many there were before. */
#define NAMED (SIZE_MAX / 2 + 1)

static hash_map type_keys;   /* see paje_add_type() */
static hash_map class_names; /* keys: the number of the type, then the name of the value; no name for the whole type */
profile_types_array profile_types;
profile_classes_array profile_classes;

size_t profile_class_type_number(size_t class)
{
    return profile_classes.items[class] & ~NAMED;
}

const profile_type *profile_class_type(size_t class)
{
    return &profile_types.items[profile_class_type_number(class)];
}

pajesim_text profile_class_value(size_t class)
{
    pajesim_text name = map_key(&class_names, class);
    return (pajesim_text){name.bytes + sizeof(size_t), name.size - sizeof(size_t)};
}

size_t profile_class(size_t type, pajesim_text value, int add)
{
    static text_buffer name;
    text_clear(&name);
    text_put(&name, (const char *)&type, sizeof type);
    text_append(&name, value);
    if (!add)
        return map_find(&class_names, name.bytes, name.size);
    size_t at = map_add(&class_names, name.bytes, name.size);
    if (at == profile_classes.count)
        *array_push(&profile_classes) = type;
    return at;
}

/* Returns the class of a value that the trace did not define: its own if there are not too many, else that of the type
 * as a whole. */
static size_t class_of_name(size_t type, pajesim_text value)
{
    size_t known = profile_classes.count;
    int is_new_named = profile_types.items[type].named < MAX_NAMED_VALUES;
    size_t at = profile_class(type, value, is_new_named);
    profile_types.items[type].named += profile_classes.count - known;
    return at != MAP_NONE ? at : profile_class(type, text_of(""), 1);
}

/* ---- of a simulation: the class of a type or value is noted there, plus 1; of a type that has none yet its number,
 * plus 1, with a bit */

#define WITHOUT_CLASS (UINT32_C(1) << 31)

static pajesim_text copy_of(pajesim_text text)
{
    text_buffer copy = {0};
    text_append(&copy, text);
    return text_view(&copy);
}

/* Adds a type unless it is known by its alias and name in the type above it. */
static size_t add_type(const profile_type *type)
{
    size_t number = paje_add_type(&type_keys, type->above, type->alias, type->name);
    if (number == profile_types.count) {
        profile_type *new = array_push(&profile_types);
        *new = *type;
        new->name = copy_of(type->name);
        new->alias = copy_of(type->alias);
    }
    return number;
}

/* Adds the types that it is in first, of which there may be many, and notes the number of each. */
size_t profile_type_number(pajesim *sim, pajesim_ref type)
{
    static array_of(pajesim_ref) path;
    pajesim_ref at = type;
    array_clear(&path);
    for (; at && !paje_noted(sim, at); at = pajesim_parent(sim, at))
        *array_push(&path) = at;
    uint32_t noted = at ? paje_noted(sim, at) : 0;
    size_t number = !noted                  ? MAP_NONE
                    : noted & WITHOUT_CLASS ? (noted & ~WITHOUT_CLASS) - 1
                                            : profile_classes.items[noted - 1];
    while (path.count > 0) {
        at = path.items[--path.count];
        const profile_type new = {.kind = pajesim_kind_of(sim, at), .name = pajesim_name(sim, at),
                                  .alias = pajesim_alias(sim, at), .above = number,
                                  .is_shown = paje_shows_type(sim, at)};
        number = add_type(&new);
        paje_note(sim, at, WITHOUT_CLASS | ((uint32_t)number + 1));
    }
    return number;
}

static size_t note_class(pajesim *sim, pajesim_ref of, pajesim_ref type, pajesim_text value)
{
    uint32_t noted = paje_noted(sim, of);
    if (!noted || (noted & WITHOUT_CLASS)) {
        noted = (uint32_t)profile_class(profile_type_number(sim, type), value, 1) + 1;
        paje_note(sim, of, noted);
    }
    return noted - 1;
}

size_t profile_class_of_type(pajesim *sim, pajesim_ref type)
{
    return note_class(sim, type, type, text_of(""));
}

size_t profile_class_of(pajesim *sim, const pajesim_entity *entity)
{
    const paje_run *run = pajesim_data(sim);
    if (entity->value)
        return note_class(sim, entity->value, entity->type, entity->value_name);
    size_t class = profile_class_of_type(sim, entity->type);
    if (entity->value_name.size == 0)
        return class;
    size_t type = profile_classes.items[class];
    return run->settings->is_part ? profile_class(type | NAMED, entity->value_name, 1)
                                  : class_of_name(type, entity->value_name);
}

/* ---- what processes hand over */

static void free_copy(pajesim_text copy)
{
    if (copy.size > 0)
        free((void *)(uintptr_t)copy.bytes);
}

void profile_save_classes(text_buffer *to)
{
    paje_put_number(to, profile_types.count);
    for (size_t i = 0; i < profile_types.count; i++) {
        profile_type *it = &profile_types.items[i];
        paje_put_text(to, it->name);
        paje_put_text(to, it->alias);
        text_put(to, (const char *)it, sizeof *it);
        free_copy(it->name);
        free_copy(it->alias);
    }
    paje_put_number(to, profile_classes.count);
    for (size_t i = 0; i < profile_classes.count; i++) {
        paje_put_number(to, profile_classes.items[i]);
        paje_put_text(to, profile_class_value(i));
    }
    array_clear(&profile_types);
    array_clear(&profile_classes);
    map_clear(&type_keys);
    map_clear(&class_names);
}

static size_t join_type(paje_parcel *from, const size_t *types)
{
    profile_type new;
    pajesim_text name = paje_take_text(from), alias = paje_take_text(from);
    paje_take(from, &new, sizeof new);
    new.name = name;
    new.alias = alias;
    new.above = new.above == MAP_NONE ? MAP_NONE : types[new.above];
    new.named = 0;
    return add_type(&new);
}

const size_t *profile_join_classes(paje_parcel *from)
{
    static array_of(size_t) types, classes;
    array_clear(&types);
    array_clear(&classes);
    array_reserve(&classes, 1); /* an address, even of none */
    for (uint64_t left = paje_take_number(from); left > 0; left--) {
        size_t number = join_type(from, types.items);
        *array_push(&types) = number;
    }
    for (uint64_t left = paje_take_number(from); left > 0; left--) {
        size_t number = (size_t)paje_take_number(from), type = types.items[number & ~NAMED];
        pajesim_text value = paje_take_text(from);
        size_t class = number & NAMED ? class_of_name(type, value) : profile_class(type, value, 1);
        *array_push(&classes) = class;
    }
    return classes.items;
}
