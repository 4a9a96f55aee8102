/* Types and values of the merged trace.
 *
 * Types of the same kind, parent, ends and name are one.  They keep their identifiers, or get a number appended where
 * another type has the identifier already.  Values are written by their names, as undefined values are: so a defined
 * value and an undefined one of that name are the same. */
#include "merge.h"

#include <stdlib.h>

int merge_is_root(pajesim_text alias)
{
    return alias.size == 1 && (alias.bytes[0] == '0' || alias.bytes[0] == '/');
}

void merge_begin_types(merge *m)
{
    m->types.root.kind = PAJESIM_CONTAINER;
    m->types.root.alias = text_of("0");
}

/* ---- types */

/* Takes the identifier, or the first of ALIAS_2, ALIAS_3, ... that is free. */
static pajesim_text take_alias(merge *m, pajesim_text wanted)
{
    merge_types *types = &m->types;
    text_buffer alias = {0};
    text_append(&alias, wanted);
    size_t first = map_add(&types->written_aliases, wanted.bytes, wanted.size), taken, before;
    uint32_t suffix = *array_at(&types->suffixes, first);
    if (suffix == 0) { /* it was free */
        types->suffixes.items[first] = 1;
        return text_view(&alias);
    }
    do {
        alias.size = wanted.size;
        text_printf(&alias, "_%lu", (unsigned long)++suffix);
        before = types->written_aliases.used;
        taken = map_add(&types->written_aliases, alias.bytes, alias.size);
    } while (types->written_aliases.used == before);
    *array_at(&types->suffixes, taken) = 1;
    types->suffixes.items[first] = suffix;
    return text_view(&alias);
}

merge_type *merge_find_type(merge *m, const merge_input *input, pajesim_text alias)
{
    merge_types *types = &m->types;
    size_t found = merge_find(m, &types->input_aliases, input->index, 0, alias);
    if (found != MAP_NONE)
        return types->by_input_alias.items[found];
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
    *type = (merge_type){parent, ++m->types.count, kind, group, (uint32_t)alike->count, take_alias(m, alias)};
    *array_push(alike) = type;
    return type;
}

merge_type *merge_define_type(merge *m, const merge_input *input, pajesim_kind kind, merge_type *parent,
                              const merge_type *start, const merge_type *end, pajesim_text name, pajesim_text alias,
                              int *is_new)
{
    merge_types *types = &m->types;
    *is_new = 0;
    if (merge_find(m, &types->input_aliases, input->index, 0, alias) != MAP_NONE)
        return NULL;
    uint64_t ends = start ? merge_two(start->number, end->number) : 0;
    uint32_t group = (uint32_t)merge_add(m, &types->groups, merge_two((uint32_t)kind, parent->number), ends, name);
    const merge_type_list *alike = array_at(&types->by_group, group);
    /* The first type that an input defines with this name is the first one of other inputs, and so on. */
    uint32_t ordinal = (*count_of(m, input, group))++;
    *is_new = ordinal == alike->count;
    merge_type *type = *is_new ? add_type(m, kind, parent, group, alias) : alike->items[ordinal];
    *array_at(&types->by_input_alias, merge_add(m, &types->input_aliases, input->index, 0, alias)) = type;
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

int merge_define_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text name,
                       pajesim_text alias, int *is_new)
{
    merge_types *types = &m->types;
    size_t before = types->input_value_aliases.used;
    size_t own = merge_add(m, &types->input_value_aliases, merge_two(type->number, input->index), 0, alias);
    *is_new = 0;
    if (types->input_value_aliases.used == before)
        return 0;
    before = types->values.used;
    size_t value = merge_add(m, &types->values, type->number, 0, name);
    *is_new = types->values.used > before;
    *array_at(&types->by_input_value_alias, own) = value;
    before = types->value_aliases.used;
    size_t any = merge_add(m, &types->value_aliases, type->number, 0, alias);
    if (types->value_aliases.used > before)
        *array_at(&types->by_value_alias, any) = value;
    return 1;
}

pajesim_text merge_find_value(merge *m, const merge_input *input, const merge_type *type, pajesim_text alias)
{
    const merge_types *types = &m->types;
    size_t found = merge_find(m, &types->input_value_aliases, merge_two(type->number, input->index), 0, alias), value;
    if (found != MAP_NONE) {
        value = types->by_input_value_alias.items[found];
    } else { /* another input that defined the type may have defined its values as well */
        found = has_defined(m, input, type) ? MAP_NONE : merge_find(m, &types->value_aliases, type->number, 0, alias);
        if (found == MAP_NONE)
            return alias;
        value = types->by_value_alias.items[found];
    }
    return merge_key_text(map_key(&types->values, value));
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
    array_free(&types->by_group);
    array_free(&types->counted);
    array_free(&types->by_input_alias);
    array_free(&types->by_alias);
    array_free(&types->suffixes);
    array_free(&types->by_input_value_alias);
    array_free(&types->by_value_alias);
    hash_map *maps[] = {&types->groups, &types->counts, &types->input_aliases, &types->aliases,
                        &types->written_aliases, &types->values, &types->input_value_aliases, &types->value_aliases};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_free(maps[i]);
}
