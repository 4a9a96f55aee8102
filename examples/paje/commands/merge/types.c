/* Types and values of the merged trace.
 *
 * Types of the same kind, parent, ends and name are one.  They keep their identifiers, or get a number appended where
 * another type has the identifier already.  Values are written by their names, as undefined values are: so a defined
 * value and an undefined one of that name are the same, and no name is the identifier of another value, which strict
 * readers refuse.  Long names get short identifiers. */
#include "merge.h"

#include <stdlib.h>

int merge_is_root(pajesim_text alias)
{
    return alias.size == 1 && (alias.bytes[0] == '0' || alias.bytes[0] == '/');
}

void merge_begin_types(merge *m)
{
    m->types.root.kind = PAJESIM_CONTAINER;
    static const char root[MERGE_SLACK] = "0";
    m->types.root.alias = (pajesim_text){root, 1};
}

/* ---- identifiers */

enum { LONGEST_ALIAS = 32 };

/* Returns an identifier as it is written: the wanted one, or the first of ALIAS_2, ALIAS_3, ... that is free.  A long
 * one is replaced, as each line that refers to it would be as long.  `type`: of a value, else 0. */
static pajesim_text take_alias(merge *m, merge_aliases *aliases, uint32_t type, pajesim_text wanted)
{
    text_buffer alias = {0}, word = {0};
    if (wanted.size > LONGEST_ALIAS)
        text_printf(&alias, "long-name-%lu", (unsigned long)aliases->taken.used + 1);
    else
        text_append(&alias, wanted);
    size_t size = alias.size, first, taken, before = aliases->taken.used;
    first = taken = merge_add(m, &aliases->taken, type, 0, text_view(&alias));
    if (aliases->taken.used == before) { /* it is not free */
        uint32_t suffix = aliases->suffixes.items[first];
        do {
            alias.size = size;
            text_printf(&alias, "_%lu", (unsigned long)++suffix);
            taken = merge_add(m, &aliases->taken, type, 0, text_view(&alias));
        } while (aliases->taken.used == before);
        aliases->suffixes.items[first] = suffix;
    }
    *array_at(&aliases->suffixes, taken) = 1;
    merge_put_word(&word, text_view(&alias), m->is_strict);
    text_reserve(&word, MERGE_SLACK);
    text_free(&alias);
    return text_view(&word);
}

static void free_aliases(merge_aliases *aliases)
{
    map_free(&aliases->taken);
    array_free(&aliases->suffixes);
}

/* ---- types */

merge_type *merge_find_type(merge *m, const merge_input *input, pajesim_text alias)
{
    merge_types *types = &m->types;
    size_t found = map_find(&input->types, alias.bytes, alias.size);
    if (found != MAP_NONE)
        return input->by_type.items[found];
    if (merge_is_root(alias))
        return &types->root;
    found = map_find(&types->aliases, alias.bytes, alias.size);
    return found == MAP_NONE ? NULL : types->by_alias.items[found];
}

/* Returns the number of types of a group that the input has defined. */
static uint32_t *count_of(merge *m, const merge_input *input, uint32_t group)
{
    return array_at(&m->types.counted, merge_add(m, &m->types.counts, group, input->index, merge_no_text));
}

static int has_defined(merge *m, const merge_input *input, const merge_type *type)
{
    size_t found = merge_find(m, &m->types.counts, type->group, input->index, merge_no_text);
    return type != &m->types.root && found != MAP_NONE && m->types.counted.items[found] > type->ordinal;
}

static merge_type *add_type(merge *m, pajesim_kind kind, merge_type *parent, uint32_t group, pajesim_text alias)
{
    merge_type_list *alike = &m->types.by_group.items[group];
    merge_type *type = memory_alloc(1, sizeof *type);
    pajesim_text written = take_alias(m, &m->types.written, 0, alias);
    *type = (merge_type){.parent = parent, .number = ++m->types.count, .kind = kind, .group = group,
                         .ordinal = (uint32_t)alike->count, .alias = written};
    if (kind == PAJESIM_STATE || kind == PAJESIM_VARIABLE)
        type->lasting_number = parent->lasting_types++;
    *array_push(alike) = type;
    return type;
}

merge_type *merge_define_type(merge *m, merge_input *input, pajesim_kind kind, merge_type *parent,
                              const merge_type *start, const merge_type *end, pajesim_text name, pajesim_text alias,
                              int *is_new)
{
    merge_types *types = &m->types;
    *is_new = 0;
    if (map_find(&input->types, alias.bytes, alias.size) != MAP_NONE)
        return NULL;
    uint64_t ends = start ? merge_two(start->number, end->number) : 0;
    uint32_t group = (uint32_t)merge_add(m, &types->groups, merge_two((uint32_t)kind, parent->number), ends, name);
    const merge_type_list *alike = array_at(&types->by_group, group);
    /* The first type that an input defines with this name is the first one of other inputs, and so on. */
    uint32_t ordinal = (*count_of(m, input, group))++;
    *is_new = ordinal == alike->count;
    merge_type *type = *is_new ? add_type(m, kind, parent, group, alias) : alike->items[ordinal];
    *array_at(&input->by_type, map_add(&input->types, alias.bytes, alias.size)) = type;
    /* Inputs that have no such identifier use that of others, but only if it is clear which. */
    size_t before = types->aliases.used, any = map_add(&types->aliases, alias.bytes, alias.size);
    merge_type **shared = array_at(&types->by_alias, any);
    if (types->aliases.used > before)
        *shared = type;
    else if (*shared != type)
        *shared = NULL;
    return type;
}

/* ---- values */

/* Makes a key of a type and a text; valid until the next key. */
static pajesim_text value_key(merge *m, const merge_type *type, pajesim_text text)
{
    text_clear(&m->key);
    text_put(&m->key, (const char *)&type->number, sizeof type->number);
    text_append(&m->key, text);
    return text_view(&m->key);
}

static size_t find_value(merge *m, const hash_map *map, const merge_type *type, pajesim_text text)
{
    pajesim_text key = value_key(m, type, text);
    return map_find(map, key.bytes, key.size);
}

/* Returns the number of the value of that name, which is added if it is new. */
static size_t add_value(merge *m, const merge_type *type, pajesim_text name)
{
    merge_types *types = &m->types;
    size_t before = types->values.used;
    pajesim_text key = value_key(m, type, name);
    size_t value = map_add(&types->values, key.bytes, key.size);
    if (types->values.used > before) {
        pajesim_text written = take_alias(m, &types->written_values, type->number, name);
        *array_at(&types->by_value, value) = written;
    }
    return value;
}

int merge_define_value(merge *m, merge_input *input, const merge_type *type, pajesim_text name, pajesim_text alias,
                       pajesim_text *written)
{
    merge_types *types = &m->types;
    size_t before = input->values.used;
    pajesim_text key = value_key(m, type, alias);
    size_t own = map_add(&input->values, key.bytes, key.size);
    *written = (pajesim_text){NULL, 0};
    if (input->values.used == before)
        return 0;
    before = types->values.used;
    size_t value = add_value(m, type, name);
    if (types->values.used > before)
        *written = types->by_value.items[value];
    *array_at(&input->by_value, own) = value;
    before = types->value_aliases.used;
    key = value_key(m, type, alias);
    size_t any = map_add(&types->value_aliases, key.bytes, key.size);
    if (types->value_aliases.used > before)
        *array_at(&types->by_value_alias, any) = value;
    return 1;
}

/* The number of the value that an input calls so; MAP_NONE: it was not used before, and is not defined. */
static size_t look_up_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias)
{
    const merge_types *types = &m->types;
    size_t found = find_value(m, &input->values, type, alias);
    if (found != MAP_NONE)
        return input->by_value.items[found];
    /* Another input that defined the type may have defined its values as well. */
    found = has_defined(m, input, type) ? MAP_NONE : find_value(m, &types->value_aliases, type, alias);
    return found != MAP_NONE ? types->by_value_alias.items[found] : find_value(m, &types->values, type, alias);
}

pajesim_text merge_look_up_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias)
{
    size_t found = look_up_value(m, input, type, alias);
    return found == MAP_NONE ? alias : m->types.by_value.items[found];
}

pajesim_text merge_find_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias,
                              int *is_new)
{
    merge_types *types = &m->types;
    size_t found = look_up_value(m, input, type, alias);
    *is_new = 0;
    if (found == MAP_NONE) {
        if (merge_find(m, &types->written_values.taken, type->number, 0, alias) == MAP_NONE)
            return (pajesim_text){NULL, 0};
        found = add_value(m, type, alias);
        *is_new = 1;
    }
    return types->by_value.items[found];
}

void merge_free_types(merge *m)
{
    merge_types *types = &m->types;
    for (size_t group = 0; group < types->by_group.count; group++) {
        merge_type_list *alike = &types->by_group.items[group];
        for (size_t i = 0; i < alike->count; i++) {
            free((char *)(uintptr_t)alike->items[i]->alias.bytes);
            free(alike->items[i]);
        }
        array_free(alike);
    }
    for (size_t i = 0; i < types->by_value.count; i++)
        free((char *)(uintptr_t)types->by_value.items[i].bytes);
    array_free(&types->by_group);
    array_free(&types->counted);
    array_free(&types->by_alias);
    array_free(&types->by_value);
    array_free(&types->by_value_alias);
    free_aliases(&types->written);
    free_aliases(&types->written_values);
    hash_map *maps[] = {&types->groups, &types->counts, &types->aliases, &types->values, &types->value_aliases};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
}
