/* Sets of states in the order in which they began. */
#include "replay/begun.h"

#include <string.h>

begun_states_array begun_states; /* the first one is none */
static begun_number first_free;

/* Returns a number below, equal to or above 0. */
static int compare(const begun_key *key, const begun_key *other)
{
    if (key->start < other->start || key->start > other->start)
        return key->start < other->start ? -1 : 1;
    if (key->rank != other->rank)
        return key->rank < other->rank ? -1 : 1;
    return key->depth == other->depth ? 0 : key->depth < other->depth ? -1 : 1;
}

begun_number begun_new(begun_key key)
{
    begun_number number = first_free;
    if (number) {
        first_free = begun_states.items[number].next;
    } else {
        if (begun_states.count > UINT32_MAX)
            memory_fail(sizeof *begun_states.items);
        number = begun_states.count ? (begun_number)begun_states.count : 1;
        (void)array_at(&begun_states, number);
    }
    begun_states.items[number] = (begun_state){.key = key};
    return number;
}

void begun_free(begun_number number)
{
    begun_states.items[number].next = first_free;
    first_free = number;
}

void begun_clear(void)
{
    array_clear(&begun_states);
    first_free = 0;
}

/* ---- trees */

/* Returns the new root of a tree that is not empty: the state with the key, or one of the two next to its place. */
static begun_number splay(begun_number root, int kind, const begun_key *key)
{
    begun_state *all = begun_states.items;
    begun_number halves[2], *ends[2] = {&halves[0], &halves[1]}; /* what is before the key, and what is behind it */
    int order;
    while ((order = compare(key, &all[root].key)) != 0) {
        int side = order > 0;
        begun_number next = all[root].sides[kind][side];
        if (next && compare(key, &all[next].key) * order > 0) { /* twice to the same side */
            all[root].sides[kind][side] = all[next].sides[kind][!side];
            all[next].sides[kind][!side] = root;
            root = next;
            next = all[root].sides[kind][side];
        }
        if (!next)
            break;
        *ends[!side] = root;
        ends[!side] = &all[root].sides[kind][side];
        root = next;
    }
    *ends[0] = all[root].sides[kind][0];
    *ends[1] = all[root].sides[kind][1];
    memcpy(all[root].sides[kind], halves, sizeof halves);
    return root;
}

static void insert(begun_number *tree, int kind, begun_number number)
{
    begun_state *new = begun_at(number);
    begun_number *sides = new->sides[kind];
    sides[0] = sides[1] = 0;
    if (*tree) {
        begun_number root = splay(*tree, kind, &new->key);
        int side = compare(&new->key, &begun_at(root)->key) > 0;
        sides[!side] = root;
        sides[side] = begun_at(root)->sides[kind][side];
        begun_at(root)->sides[kind][side] = 0;
    }
    *tree = number;
}

static void remove_from(begun_number *tree, int kind, begun_number number)
{
    const begun_key *key = &begun_at(number)->key;
    (void)splay(*tree, kind, key);
    const begun_number *sides = begun_at(number)->sides[kind];
    *tree = sides[1];
    if (sides[0]) {
        *tree = splay(sides[0], kind, key);
        begun_at(*tree)->sides[kind][1] = sides[1];
    }
}

/* Returns the state next to the place of a key on one side (0: before it, 1: behind it), or if `is_with` that with the
 * key. */
static begun_number next_to(begun_number *tree, int kind, const begun_key *key, int side, int is_with)
{
    if (!*tree)
        return 0;
    begun_number root = *tree = splay(*tree, kind, key);
    int order = compare(&begun_at(root)->key, key);
    if (order == 0 ? is_with : (order > 0) == side)
        return root;
    begun_number *below = &begun_at(root)->sides[kind][side];
    if (*below)
        *below = splay(*below, kind, key);
    return *below;
}

/* Does so for each kind of the state. */
static void change_trees(begun_set *set, begun_number number, void (*change)(begun_number *, int, begun_number))
{
    int kind = 0;
    for (unsigned left = begun_at(number)->kinds; left; left >>= 1, kind++)
        if (left & 1)
            change(&set->roots[kind], kind, number);
}

/* ---- sets */

void begun_insert(begun_set *set, begun_number number)
{
    uint32_t at = set->count++;
    if (at == BEGUN_FEW && !set->has_trees) {
        set->has_trees = 1;
        for (size_t i = 0; i < BEGUN_FEW; i++)
            change_trees(set, set->few[i], insert);
    }
    if (set->has_trees) {
        change_trees(set, number, insert);
        return;
    }
    for (; at > 0 && compare(&begun_at(set->few[at - 1])->key, &begun_at(number)->key) > 0; at--)
        set->few[at] = set->few[at - 1];
    set->few[at] = number;
}

void begun_remove(begun_set *set, begun_number number)
{
    uint32_t at = --set->count;
    begun_number next = number;
    if (set->has_trees) {
        change_trees(set, number, remove_from);
        set->has_trees = set->count > 0;
        return;
    }
    for (;; at--) { /* the states behind it move up */
        begun_number moved = set->few[at];
        set->few[at] = next;
        if (moved == number)
            return;
        next = moved;
    }
}

begun_number begun_before(begun_set *set, int kind, begun_key key)
{
    if (set->has_trees)
        return next_to(&set->roots[kind], kind, &key, 0, 0);
    for (size_t at = set->count; at-- > 0;)
        if ((begun_at(set->few[at])->kinds >> kind & 1) && compare(&begun_at(set->few[at])->key, &key) < 0)
            return set->few[at];
    return 0;
}

begun_number begun_from(begun_set *set, int kind, begun_key key)
{
    begun_number found = 0;
    if (set->has_trees)
        return next_to(&set->roots[kind], kind, &key, 1, 1);
    for (size_t at = set->count; at-- > 0 && compare(&begun_at(set->few[at])->key, &key) >= 0;)
        if (begun_at(set->few[at])->kinds >> kind & 1)
            found = set->few[at];
    return found;
}

begun_number begun_between(begun_set *set, int kind, double from, double to)
{
    begun_number found = begun_from(set, kind, (begun_key){from, 0, 0});
    return found && begun_at(found)->key.start < to ? found : 0;
}
