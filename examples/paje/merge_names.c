/* What identifiers of the inputs stand for, and what it is called in the merged trace.
 *
 * Types keep their identifiers, or get a number behind it where another one has it already.  Values are called by their
 * names, as those are that were never defined: so these are the same, and nothing else is.  Containers are numbered: so
 * no identifier comes twice, though what is destroyed is forgotten. */
#include "merge.h"

#include <stdlib.h>
#include <string.h>

#define REMEMBERED 64 /* destroyed containers, for lines that come late: the reader shall say so, not the merge */

typedef struct merge_use {
    merge_container *container;
    merge_entry *entry; /* that of the input's identifier, which owns this */
    struct merge_use *next;
    uint32_t input;
} merge_use;

static merge_type root_type;
static merge_container root;
static merge_container *gone[REMEMBERED];
static size_t next_gone;
static uint32_t type_count;
static uint64_t container_count;

static const pajesim_text nothing = {"", 0};

static int is_root(pajesim_text alias)
{
    return alias.size == 1 && (alias.bytes[0] == '0' || alias.bytes[0] == '/');
}

/* ---- types and values */

/* The identifier, or the first of NAME_2, NAME_3, ... that is free.  Takes it. */
static pajesim_text take_alias(pajesim_text wanted)
{
    paje_buffer alias = {0};
    paje_add_text(&alias, wanted);
    for (uint32_t n = 2; merge_find(merge_make_key(MERGE_TAKEN_TYPE, 0, 0, 0, (pajesim_text){alias.bytes, alias.size}));
         n++) {
        alias.size = wanted.size;
        paje_addf(&alias, "_%lu", (unsigned long)n);
    }
    pajesim_text taken = {alias.bytes, alias.size};
    merge_add(merge_make_key(MERGE_TAKEN_TYPE, 0, 0, 0, taken), alias.bytes, 1);
    return taken;
}

merge_type *merge_find_type(const merge_input *input, pajesim_text alias)
{
    merge_entry *entry = merge_find(merge_make_key(MERGE_TYPE, input->index, 0, 0, alias));
    if (entry)
        return entry->thing;
    if (is_root(alias))
        return &root_type;
    entry = merge_find(merge_make_key(MERGE_ANY_TYPE, 0, 0, 0, alias));
    return entry ? entry->thing : NULL;
}

static int has_type(const merge_input *input, const merge_type *type)
{
    return merge_find(merge_make_key(MERGE_HAS_TYPE, input->index, type->number, 0, nothing)) != NULL;
}

merge_type *merge_define_type(const merge_input *input, pajesim_kind kind, merge_type *parent, const merge_type *start,
                              const merge_type *end, pajesim_text name, pajesim_text alias, int *made)
{
    uint64_t ends = start ? (uint64_t)start->number << 32 | end->number : 0;
    merge_type *type = NULL;
    *made = 0;
    if (merge_find(merge_make_key(MERGE_TYPE, input->index, 0, 0, alias)))
        return NULL;
    /* An input may call several types alike: the first of them is the first of others, and so on. */
    for (uint64_t ordinal = 0; !type; ordinal++) {
        merge_key key = merge_make_key(MERGE_KNOWN_TYPE, (uint64_t)kind << 32 | ordinal, parent->number, ends, name);
        merge_entry *entry = merge_find(key);
        if (!entry) {
            type = paje_room(NULL, sizeof *type);
            type->parent = parent;
            type->number = ++type_count;
            type->kind = kind;
            merge_add(key, type, 1);
            type->alias = take_alias(alias);
            *made = 1;
        } else if (!has_type(input, entry->thing)) {
            type = entry->thing;
        }
    }
    merge_add(merge_make_key(MERGE_TYPE, input->index, 0, 0, alias), type, 0);
    merge_add(merge_make_key(MERGE_HAS_TYPE, input->index, type->number, 0, nothing), NULL, 0);
    /* An input may define it for all, but only if it is clear which. */
    merge_entry *any = merge_find(merge_make_key(MERGE_ANY_TYPE, 0, 0, 0, alias));
    if (!any)
        merge_add(merge_make_key(MERGE_ANY_TYPE, 0, 0, 0, alias), type, 0);
    else if (any->thing != type)
        any->thing = NULL;
    return type;
}

pajesim_text merge_define_value(const merge_input *input, const merge_type *type, pajesim_text name, pajesim_text alias,
                                int *made)
{
    *made = 0;
    if (merge_find(merge_make_key(MERGE_VALUE, input->index, type->number, 0, alias)))
        return (pajesim_text){NULL, 0};
    merge_key key = merge_make_key(MERGE_KNOWN_VALUE, type->number, 0, 0, name);
    *made = !merge_find(key);
    if (*made)
        merge_add(key, NULL, 0);
    pajesim_text *value = paje_room(NULL, sizeof *value + name.size);
    *value = (pajesim_text){memcpy(value + 1, name.bytes, name.size), name.size};
    merge_add(merge_make_key(MERGE_VALUE, input->index, type->number, 0, alias), value, 1);
    if (!merge_find(merge_make_key(MERGE_ANY_VALUE, type->number, 0, 0, alias)))
        merge_add(merge_make_key(MERGE_ANY_VALUE, type->number, 0, 0, alias), value, 0);
    return *value;
}

pajesim_text merge_find_value(const merge_input *input, const merge_type *type, pajesim_text alias)
{
    merge_entry *entry = merge_find(merge_make_key(MERGE_VALUE, input->index, type->number, 0, alias));
    if (!entry && !has_type(input, type)) /* the input that defined the type may have defined its values, too */
        entry = merge_find(merge_make_key(MERGE_ANY_VALUE, type->number, 0, 0, alias));
    return entry ? *(pajesim_text *)entry->thing : alias;
}

/* ---- containers */

static merge_use *use_of(uint32_t input, pajesim_text alias)
{
    merge_entry *entry = merge_find(merge_make_key(MERGE_USE, input, 0, 0, alias));
    return entry ? entry->thing : NULL;
}

merge_container *merge_find_container(const merge_input *input, pajesim_text alias, const merge_type *parent_type)
{
    merge_use *use = use_of(input->index, alias);
    if (is_root(alias) && (!use || parent_type == &root_type))
        return &root;
    if (use)
        return use->container;
    /* As for types. */
    const merge_entry *any = merge_find(merge_make_key(MERGE_ANY_CONTAINER, 0, 0, 0, alias));
    return any && !merge_find_next(any) ? any->thing : NULL;
}

static void remove_use(merge_use *use)
{
    merge_use **at = &use->container->uses;
    while (*at != use)
        at = &(*at)->next;
    *at = use->next;
    merge_remove(use->entry);
}

merge_container *merge_create_container(merge_input *input, merge_container *parent, merge_type *type,
                                        pajesim_text name, pajesim_text alias, int *made)
{
    merge_use *use = use_of(input->index, alias);
    *made = 0;
    if (use && use->container->known)
        return NULL;
    if (use)
        remove_use(use);
    if (!parent->known && parent != &root)
        parent = &root;

    paje_buffer text = {0};
    paje_add_text(&text, alias);
    paje_add_text(&text, name);
    uint64_t apart = merge_apart ? input->index + 1u : 0;
    pajesim_text names = {text.bytes, text.size};
    uint64_t sizes = apart << 32 | alias.size;
    uint64_t identity = merge_hash(merge_make_key(MERGE_KNOWN_CONTAINER, type->number, parent->identity, sizes, names));
    merge_key key = merge_make_key(MERGE_KNOWN_CONTAINER, type->number, parent->number, sizes, names);
    paje_release(&text);
    merge_entry *entry = merge_find(key);
    merge_container *container;
    if (entry) {
        container = entry->thing;
    } else {
        container = paje_room(NULL, sizeof *container);
        container->parent = parent;
        container->first_child = container->previous = NULL;
        container->next = parent->first_child;
        if (container->next)
            container->next->previous = container;
        parent->first_child = container;
        container->type = type;
        container->number = ++container_count;
        container->uses = NULL;
        container->places = NULL;
        container->known = merge_add(key, container, 0);
        container->identity = identity;
        container->any = merge_add(merge_make_key(MERGE_ANY_CONTAINER, 0, 0, 0, alias), container, 0);
        *made = 1;
    }
    use = paje_room(NULL, sizeof *use);
    use->container = container;
    use->next = container->uses;
    use->input = input->index;
    use->entry = merge_add(merge_make_key(MERGE_USE, input->index, 0, 0, alias), use, 1);
    container->uses = use;
    return container;
}

static void free_container(merge_container *container)
{
    if (!container)
        return;
    while (container->uses)
        remove_use(container->uses);
    free(container);
}

/* Takes it, and what is in it, from among the living. */
static void bury(merge_container *container)
{
    while (container->first_child)
        bury(container->first_child);
    if (container->previous)
        container->previous->next = container->next;
    else
        container->parent->first_child = container->next;
    if (container->next)
        container->next->previous = container->previous;
    merge_remove(container->known);
    merge_remove(container->any);
    container->known = NULL;
    merge_forget_places(container);
    free_container(gone[next_gone]);
    gone[next_gone] = container;
    next_gone = (next_gone + 1) % REMEMBERED;
}

void merge_destroy_container(merge_input *input, merge_container *container,
                             void (*destroyed)(merge_container *container, void *data), void *data)
{
    merge_use *use = container->uses, *others = NULL;
    merge_use *own = NULL;
    for (; use; use = use->next)
        if (use->input == input->index)
            own = use;
        else
            others = use;
    if (!container->known) { /* late: it is the reader's to say so */
        destroyed(container, data);
    } else if (!own || !others) {
        destroyed(container, data);
        bury(container);
    } else { /* it lives on for the others, but what only this input has in it ends here */
        merge_container *child = container->first_child, *next;
        for (; child; child = next) {
            next = child->next;
            for (use = child->uses; use && use->input != input->index; use = use->next) {
            }
            if (use)
                merge_destroy_container(input, child, destroyed, data);
        }
        remove_use(own);
    }
}

void merge_begin_names(void)
{
    container_count = 0;
    root_type.kind = PAJESIM_CONTAINER;
    root_type.alias = (pajesim_text){"0", 1};
    root.type = &root_type;
}

void merge_end_names(void)
{
    while (root.first_child)
        bury(root.first_child);
    merge_forget_places(&root);
    for (size_t i = 0; i < REMEMBERED; i++) {
        free_container(gone[i]);
        gone[i] = NULL;
    }
}
