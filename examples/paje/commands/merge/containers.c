/* Containers of the merged trace.
 *
 * Containers of the same identifier, name, type and parent are one, which is destroyed when the last input destroys it.
 * They are numbered in the merged trace, so no identifier is used twice although destroyed containers are forgotten. */
#include "merge.h"

#include <stdlib.h>

/* An input that has a container. */
struct merge_use {
    merge_container *container;
    merge_input *input;
    size_t number; /* in its `uses` */
    merge_use *next, *previous; /* of the container */
};

void merge_begin_containers(merge *m)
{
    m->containers.count = 0;
    merge_clear_shared(m);
    m->containers.root.type = &m->types.root;
    m->containers.root.is_alive = 1;
    m->containers.root.digit_count = (uint8_t)merge_digits(m->containers.root.digits, 0).size;
    if (m->input_count > 1)
        merge_note_shared(m, &m->containers.root, (pajesim_text){"0", 1});
}

static merge_use *find_use(const merge_input *input, pajesim_text alias)
{
    size_t found = map_find(&input->uses, alias.bytes, alias.size);
    return found == MAP_NONE ? NULL : input->by_use.items[found];
}

merge_container *merge_find_container(merge *m, const merge_input *input, pajesim_text alias,
                                      const merge_type *parent_type)
{
    merge_containers *containers = &m->containers;
    const merge_use *use = find_use(input, alias);
    if (merge_is_root(alias) && (!use || parent_type == &m->types.root))
        return &containers->root;
    if (use)
        return use->container;
    /* Inputs that have no such identifier use that of others, but only if it is clear which. */
    size_t any = map_find(&containers->aliases, alias.bytes, alias.size);
    merge_container *first = any == MAP_NONE ? NULL : containers->by_alias.items[any];
    return first && !first->alias_next ? first : NULL;
}

/* ---- living containers with the same identifier */

static void add_to_alias(merge *m, merge_container *container, pajesim_text alias)
{
    m->containers.changes++;
    container->alias_list = map_add(&m->containers.aliases, alias.bytes, alias.size);
    merge_container **first = array_at(&m->containers.by_alias, container->alias_list);
    container->alias_previous = NULL;
    container->alias_next = *first;
    if (*first)
        (*first)->alias_previous = container;
    *first = container;
}

static void remove_from_alias(merge *m, const merge_container *container)
{
    m->containers.changes++;
    merge_container **first = &m->containers.by_alias.items[container->alias_list];
    if (container->alias_next)
        container->alias_next->alias_previous = container->alias_previous;
    if (container->alias_previous)
        container->alias_previous->alias_next = container->alias_next;
    else
        *first = container->alias_next;
    if (!*first)
        map_remove(&m->containers.aliases, container->alias_list);
}

/* ---- creation */

static void add_use(merge_input *input, merge_container *container, pajesim_text alias)
{
    input->merge->containers.changes++;
    merge_use *use = memory_alloc(1, sizeof *use);
    *use = (merge_use){container, input, map_add(&input->uses, alias.bytes, alias.size), container->uses, NULL};
    if (use->next)
        use->next->previous = use;
    container->uses = use;
    *array_at(&input->by_use, use->number) = use;
}

static void remove_use(merge_use *use)
{
    use->input->merge->containers.changes++;
    if (use->previous)
        use->previous->next = use->next;
    else
        use->container->uses = use->next;
    if (use->next)
        use->next->previous = use->previous;
    map_remove(&use->input->uses, use->number);
    free(use);
}

/* Makes the key of a container, with the number or the identity of its parent; valid until the next key. */
static pajesim_text container_key(merge *m, const merge_input *input, uint64_t parent, const merge_type *type,
                                  pajesim_text name, pajesim_text alias)
{
    uint64_t alias_size = alias.size;
    merge_key(m, merge_two(type->number, m->keeps_apart ? input->index + 1 : 0), parent, alias);
    text_append(&m->key, name);
    text_put(&m->key, (const char *)&alias_size, sizeof alias_size);
    return text_view(&m->key);
}

/* ---- identities */

static uint64_t add_identity(merge *m, uint64_t parent, pajesim_text key)
{
    merge_containers *containers = &m->containers;
    size_t before = containers->identities.used, number = map_add(&containers->identities, key.bytes, key.size);
    merge_identity *it = array_at(&containers->by_identity, number);
    if (containers->identities.used > before) {
        *it = (merge_identity){parent, 0, 0};
        if (parent)
            containers->by_identity.items[parent - 1].references++;
    }
    it->references++;
    return number + 1;
}

static void release_identity(merge *m, const merge_container *container)
{
    merge_containers *containers = &m->containers;
    uint64_t identity = container->identity;
    merge_identity *own = &containers->by_identity.items[identity - 1];
    if ((container->keeps_identity || container->scopes) && !own->is_kept) {
        own->is_kept = 1;
        own->references++;
    }
    while (identity && --containers->by_identity.items[identity - 1].references == 0) {
        map_remove(&containers->identities, (size_t)identity - 1);
        identity = containers->by_identity.items[identity - 1].parent;
    }
}

/* ---- creation and destruction */

static merge_container *add_container(merge *m, merge_container *parent, const merge_type *type, pajesim_text alias)
{
    merge_container *container = memory_alloc_zero(1, sizeof *container);
    container->parent = parent;
    container->next = parent->first_child;
    if (container->next)
        container->next->previous = container;
    parent->first_child = container;
    container->type = type;
    container->number = ++m->containers.count;
    container->digit_count = (uint8_t)merge_digits(container->digits, container->number).size;
    container->is_alive = 1;
    add_to_alias(m, container, alias);
    return container;
}

merge_container *merge_create_container(merge *m, merge_input *input, merge_container *parent,
                                        const merge_type *type, pajesim_text name, pajesim_text alias, int *is_new)
{
    merge_containers *containers = &m->containers;
    merge_use *use = find_use(input, alias);
    *is_new = 0;
    if (use && use->container->is_alive)
        return NULL;
    if (use)
        remove_use(use);
    if (!parent->is_alive)
        parent = &containers->root;
    pajesim_text key = container_key(m, input, parent->number, type, name, alias);
    size_t before = containers->keys.used, number = map_add(&containers->keys, key.bytes, key.size);
    merge_container **known = array_at(&containers->by_key, number);
    if (containers->keys.used > before) {
        *known = add_container(m, parent, type, alias);
        (*known)->key = number;
        key = container_key(m, input, parent->identity, type, name, alias);
        (*known)->identity = add_identity(m, parent->identity, key);
        *is_new = 1;
    } else if (!(*known)->is_shared) {
        merge_note_shared(m, *known, name);
        merge_note_early(m, *known, (*known)->uses->input);
    }
    add_use(input, *known, alias);
    return *known;
}

static void free_container(merge *m, merge_container *container)
{
    if (!container)
        return;
    for (merge_use *use = container->uses, *next; use; use = next) {
        next = use->next;
        remove_use(use);
    }
    release_identity(m, container);
    free(container);
}

/* Removes a container that has none in it.  The last few removed ones are remembered, for
 * messages about lines that come too late. */
static void retire_leaf(merge *m, merge_container *container)
{
    merge_containers *containers = &m->containers;
    if (container->previous)
        container->previous->next = container->next;
    else
        container->parent->first_child = container->next;
    if (container->next)
        container->next->previous = container->previous;
    map_remove(&containers->keys, container->key);
    remove_from_alias(m, container);
    container->is_alive = 0;
    merge_forget_scopes(m, container);
    free_container(m, containers->retired[containers->next_retired]);
    containers->retired[containers->next_retired] = container;
    containers->next_retired = (containers->next_retired + 1) % MERGE_RETIRED;
}

/* Removes a container after those in it, however deep they are. */
static void retire(merge *m, merge_container *container)
{
    merge_container *at = container, *next = container;
    do {
        for (at = next; at->first_child;)
            at = at->first_child;
        next = at->parent;
        retire_leaf(m, at);
    } while (at != container);
}

/* Returns the use of a living container by an input: all that use it have the same identifier for it. */
static merge_use *use_by(const merge *m, const merge_container *container, const merge_input *input)
{
    merge_use *use = find_use(input, map_key(&m->containers.aliases, container->alias_list));
    return use && use->container == container ? use : NULL;
}

/* Destroys a container if the input is the last one that has it.  Otherwise it lives on for the others, but what only
 * this input has in it ends: it is put on the path, to be searched. */
static void destroy_one(merge *m, const merge_input *input, merge_container *container)
{
    merge_use *own = container->is_alive ? use_by(m, container, input) : NULL;
    if (own && container->uses->next) {
        *array_push(&m->containers.path) = (merge_search){own, container->first_child};
        return;
    }
    *array_push(&m->containers.destroyed) = (merge_destroyed){container->number, container->type};
    if (container->is_alive) /* otherwise a line of a raw file is late, which the reader of the merged trace reports */
        retire(m, container);
}

static void destroy(merge *m, const merge_input *input, merge_container *container)
{
    merge_containers *containers = &m->containers;
    destroy_one(m, input, container);
    while (containers->path.count > 0) {
        merge_search *last = &containers->path.items[containers->path.count - 1];
        merge_container *child = last->next;
        if (!child) {
            remove_use(last->own);
            containers->path.count--;
        } else {
            last->next = child->next;
            if (use_by(m, child, input))
                destroy_one(m, input, child);
        }
    }
}

void merge_destroy_container(merge *m, const merge_input *input, merge_container *container)
{
    array_clear(&m->containers.destroyed);
    destroy(m, input, container);
}

void merge_end_containers(merge *m)
{
    merge_containers *containers = &m->containers;
    while (containers->root.first_child)
        retire(m, containers->root.first_child);
    merge_forget_scopes(m, &containers->root);
    for (size_t i = 0; i < MERGE_RETIRED; i++) {
        free_container(m, containers->retired[i]);
        containers->retired[i] = NULL;
    }
}

void merge_free_containers(merge *m)
{
    merge_containers *containers = &m->containers;
    array_free(&containers->by_key);
    array_free(&containers->by_identity);
    array_free(&containers->by_alias);
    array_free(&containers->destroyed);
    array_free(&containers->path);
    map_free(&containers->keys);
    map_free(&containers->identities);
    map_free(&containers->aliases);
}
