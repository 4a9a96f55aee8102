/* Scopes of link keys: a scope is a link type in a container.
 *
 * An input has keys of its own in a scope if its links both start and end in it; the survey finds that out.  Where
 * several inputs number their links alike, keys collide, and some halves may have lost their other half, as in a
 * recording that began late: these are not taken for halves of other inputs, unless all that is left of a key at the
 * end of the survey are starts in one input and as many ends in another one (links.c). */
#include "merge.h"

#include <stdlib.h>

struct merge_scope {
    merge_scope *next; /* of the container */
    size_t key, use;   /* `use` is the only one, unless there are several */
    uint32_t least;    /* of the inputs that use it */
    int has_several, is_shared;
    int collides; /* links of two inputs had one key */
};

struct merge_scope_use {
    merge_scope *scope;
    int is_shared; /* some links of the input start or end in other inputs */
    uint64_t own, crossing; /* links whose other half is in the input, as the first survey has it; in another one */
    uint64_t unsure; /* of the latter: those that cannot be joined, or may be none */
    uint64_t guessed; /* links within the input that have the keys of some from input to input */
    uint64_t second; /* links that began while one of another input with the same key was in flight */
};

static merge_scope *add_scope(merge *m, const merge_type *type, merge_container *container, uint32_t input)
{
    merge_scopes *scopes = &m->scopes;
    size_t key = merge_add(m, &scopes->keys, type->number, container->identity, merge_no_text);
    merge_scope **scope = array_at(&scopes->items, key);
    if (*scope) {
        (*scope)->has_several = 1;
        (*scope)->least = input < (*scope)->least ? input : (*scope)->least;
        return *scope;
    }
    *scope = memory_alloc_zero(1, sizeof **scope);
    (*scope)->next = container->scopes;
    (*scope)->key = key;
    (*scope)->least = input;
    container->scopes = *scope;
    return *scope;
}

merge_scope_use *merge_find_scope_use(merge *m, uint32_t input, const merge_type *type, merge_container *container)
{
    merge_scopes *scopes = &m->scopes;
    uint64_t type_and_input = merge_two(type->number, input);
    size_t number = merge_find(m, &scopes->uses, type_and_input, container->identity, merge_no_text);
    if (number != MAP_NONE)
        return scopes->by_use.items[number];
    if (m->pass != MERGE_SURVEY)
        return NULL;
    merge_scope_use *use = memory_alloc(1, sizeof *use);
    number = merge_add(m, &scopes->uses, type_and_input, container->identity, merge_no_text);
    *array_at(&scopes->by_use, number) = use;
    *use = (merge_scope_use){.scope = add_scope(m, type, container, input)};
    if (!use->scope->has_several)
        use->scope->use = number;
    return use;
}

void merge_note_collision(merge_scope_use *use, int is_in_flight)
{
    use->scope->collides = 1;
    use->second += is_in_flight ? 1 : 0;
}

int merge_may_cross(const merge_scope_use *one, const merge_scope_use *other)
{
    return one == other || !one->scope->collides || !one->own || !other->own;
}

void merge_note_link(const merge *m, merge_scope_use *one, merge_scope_use *other)
{
    if (one == other) {
        one->own += !m->links.is_second;
    } else {
        one->crossing++;
        other->crossing++;
    }
}

void merge_note_unsure(merge_scope_use *use)
{
    use->unsure++;
}

void merge_note_guess(merge_scope_use *use)
{
    use->guessed++;
}

/* Where keys collide, links within inputs get keys of their own, and those from input to input are joined, unless more
 * of these would be lost than of those. */
static int is_shared(const merge_scope_use *use)
{
    return use->crossing > 0 && (!use->scope->collides || use->unsure >= use->own);
}

void merge_settle_scopes(merge *m)
{
    for (size_t i = 0; i < m->scopes.by_use.count; i++) {
        merge_scope_use *use = m->scopes.by_use.items[i];
        if (use && is_shared(use))
            use->is_shared = use->scope->is_shared = 1;
    }
}

static int is_in_doubt(const merge_scope_use *use, int by_clocks)
{
    enum { MOST_REMEMBERED = 1 << 18 }; /* the second survey remembers them all */
    if (!use->own || !use->scope->has_several)
        return 0;
    if (by_clocks)
        return use->crossing > 0 && !use->scope->collides;
    return use->scope->collides && use->unsure > 0 && (!use->is_shared || use->unsure <= MOST_REMEMBERED);
}

int merge_is_survey_in_doubt(const merge *m, int by_clocks)
{
    for (size_t i = 0; i < m->scopes.by_use.count; i++)
        if (m->scopes.by_use.items[i] && is_in_doubt(m->scopes.by_use.items[i], by_clocks))
            return 1;
    return 0;
}

void merge_begin_recount(merge *m)
{
    for (size_t i = 0; i < m->scopes.by_use.count; i++) {
        merge_scope_use *use = m->scopes.by_use.items[i];
        if (!use)
            continue;
        use->crossing = use->unsure = use->guessed = use->second = 0;
        use->is_shared = use->scope->is_shared = 0;
    }
}

int merge_is_only_use(const merge_scope_use *use)
{
    return !use || !use->scope->has_several;
}

void merge_report_scopes(const merge *m)
{
    uint64_t second = 0, guessed = 0;
    for (size_t i = 0; i < m->scopes.by_use.count; i++) {
        const merge_scope_use *use = m->scopes.by_use.items[i];
        second += use && use->is_shared ? use->second : 0;
        guessed += use && !use->is_shared ? use->guessed : 0;
    }
    if (guessed)
        stream_message("%llu links are taken for links within a file, but may be some from file to file: keys of both "
                       "are alike", (unsigned long long)guessed);
    if (m->links.disputed)
        stream_message("%llu links that may go from file to file are not joined: they have keys of links within a file",
                       (unsigned long long)m->links.disputed);
    if (second)
        stream_message("%llu links begin while one of another file with the same key is in flight: these cannot be "
                       "told apart, as links from file to file keep their keys", (unsigned long long)second);
}

int merge_keeps_keys(const merge_scope_use *use)
{
    return use->is_shared;
}

int merge_has_own_keys(const merge *m, const merge_scope_use *use)
{
    return !merge_surveys_links(m) && use && !use->is_shared && use->scope->has_several;
}

/* The keys of the first input stay as they are if all inputs have their own. */
int merge_renames_keys(const merge *m, const merge_scope_use *use, uint32_t input)
{
    return merge_has_own_keys(m, use) && (use->scope->is_shared || use->scope->least != input);
}

void merge_forget_scopes(merge *m, merge_container *container)
{
    merge_scopes *scopes = &m->scopes;
    merge_scope *scope = container->scopes, *next;
    container->scopes = NULL;
    for (; scope; scope = next) {
        next = scope->next;
        if (scope->has_several) {
            container->keeps_identity = 1;
            continue;
        }
        map_remove(&scopes->uses, scope->use);
        free(scopes->by_use.items[scope->use]);
        scopes->by_use.items[scope->use] = NULL;
        map_remove(&scopes->keys, scope->key);
        scopes->items.items[scope->key] = NULL;
        free(scope);
    }
}

void merge_free_scopes(merge *m)
{
    merge_scopes *scopes = &m->scopes;
    for (size_t i = 0; i < scopes->items.count; i++)
        free(scopes->items.items[i]);
    for (size_t i = 0; i < scopes->by_use.count; i++)
        free(scopes->by_use.items[i]);
    array_free(&scopes->items);
    array_free(&scopes->by_use);
    map_free(&scopes->keys);
    map_free(&scopes->uses);
}
