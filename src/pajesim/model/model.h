/* The records of the simulation: types, values, containers, and the entities that are open on them. */
#pragma once

#include "../api/travel.h"
#include "state.h"

/* Types, values and containers begin alike, so that one query serves all three.  References are to the id. */
typedef struct pajesim__record {
#if PAJESIM_REFERENCE == 16
    pajesim__id id;
#endif
    pajesim_user_word word;
    pajesim__text name, color; /* name 0: the identifier */
    pajesim_ref parent;
    uint8_t tag; /* pajesim__tag */
    uint8_t kind; /* pajesim_kind */
    uint8_t flags;
    uint8_t unused;
#if PAJESIM_REFERENCE != 16
    pajesim__id id; /* next to what events need of a container */
#endif
} pajesim__record;
#define PAJESIM__RECORD_MEMBERS(X, T) \
    X(T, id) X(T, word) X(T, name) X(T, color) X(T, parent) X(T, tag) X(T, kind) X(T, flags) X(T, unused)

enum pajesim__tag { PAJESIM__TYPE = 1, PAJESIM__VALUE, PAJESIM__CONTAINER };

enum { /* flags */
    PAJESIM__IMPLICIT = 1, /* a value that no line defined: it may be evicted when no open state refers to it */
    PAJESIM__QUEUED = 2,   /* in a queue of records that may be evicted */
    PAJESIM__LISTED = 4    /* a destroyed container that its identifier still finds */
};

/* Types and containers are trees. */
typedef struct pajesim__tree {
    pajesim_ref first, last, next, previous;
} pajesim__tree;
#define PAJESIM__TREE_MEMBERS(X, T) \
    X(T, first) X(T, last) X(T, next) X(T, previous)

typedef struct pajesim__type {
    pajesim__record record;
    pajesim__tree tree;
    pajesim__length slot; /* which slot of a container of the parent type is for entities of this type */
#if PAJESIM_REFERENCE != 16
    pajesim_ref next_entity; /* the next type of entities on the same containers; of a container type, the first type
                                of those on its containers */
#endif
    union {
        struct {
            pajesim_ref start_type, end_type;
        } link;
        pajesim__length slots; /* of a container of this type */
    } of;
#if PAJESIM_CHECKS
    uint32_t depth;
    pajesim_ref jump; /* an ancestor farther away: see pajesim__is_within */
#endif
} pajesim__type;
#define PAJESIM__TYPE_MEMBERS(X, T) \
    X(T, record) X(T, tree) X(T, slot) PAJESIM__IF_32(X(T, next_entity)) X(T, of.link.start_type) \
    X(T, of.link.end_type) X(T, of.slots) \
    PAJESIM__IF_CHECKS(X(T, depth) X(T, jump))

/* Values belong to their type: record.parent. */
typedef struct pajesim__value {
    pajesim__record record;
    pajesim__length refs; /* of an implicit value: open states */
    pajesim__offset next;
} pajesim__value;
#define PAJESIM__VALUE_MEMBERS(X, T) \
    X(T, record) X(T, refs) X(T, next)

/* What events need lies together, from its id to its slots, so that it is in few cache lines. */
typedef struct pajesim__container {
    pajesim_time start;
    pajesim__tree tree;
    pajesim_ref declared_type; /* also of a destroyed container */
    pajesim__offset links;  /* pending links of this container */
#if PAJESIM_REFERENCE != 16 /* else it is at the end, so that the id is at a multiple of 8 bytes */
    pajesim__offset fields; /* user fields of its creation */
    pajesim__offset late;   /* the first one of its late slots */
#endif
    union {
        pajesim__offset next; /* destroyed */
#if PAJESIM_TRAVEL
        uint32_t open_index;      /* alive: see PAJESIM__TRACKED; */
        pajesim_ref copy;     /* where a window replays, its copy in the part that is filled */
#endif
    } aux;
#if PAJESIM_TRAVEL
    uint32_t serial;
#endif
    pajesim__length own_slots; /* that follow this record in its block: of the types there were at its creation */
    pajesim__record record;
    pajesim_ref type; /* 0: destroyed, so that no event's type is a child of it; its type is declared_type */
    pajesim__offset slots;
    pajesim__length slot_count;
    pajesim__length refs; /* that keep its record once it is destroyed: pending links that end there, and destroyed
                             containers that were in it */
#if PAJESIM_REFERENCE == 16
    pajesim__offset fields;
#endif
} pajesim__container;
#define PAJESIM__CONTAINER_MEMBERS(X, T) \
    X(T, start) X(T, tree) X(T, declared_type) X(T, links) X(T, fields) \
    PAJESIM__IF_32(X(T, late)) X(T, aux.next) PAJESIM__IF_TRAVEL(X(T, aux.open_index) X(T, aux.copy) X(T, serial)) \
    X(T, own_slots) X(T, record) X(T, type) X(T, slots) X(T, slot_count) X(T, refs)

/* What a record's block has before what references to it name, and a container's from there to its own slots. */
#define PAJESIM__BEFORE_ID offsetof(pajesim__record, id)
#define PAJESIM__BEFORE_CONTAINER_ID (offsetof(pajesim__container, record) + PAJESIM__BEFORE_ID)
#define PAJESIM__RECORD_HEAD PAJESIM__UNITS(PAJESIM__BEFORE_ID)
#define PAJESIM__RECORD_IN(block) ((pajesim_ref)((block) + PAJESIM__RECORD_HEAD))
#define PAJESIM__CONTAINER_HEAD /* in steps, as blocks are, so that ids and slots are not cut by lines of a cache */   \
    ((PAJESIM__BEFORE_CONTAINER_ID + PAJESIM__CLASS_STEP - 1) / PAJESIM__CLASS_STEP *                                  \
     (PAJESIM__CLASS_STEP / PAJESIM__UNIT))
#define PAJESIM__CONTAINER_REST PAJESIM__UNITS(sizeof(pajesim__container) - PAJESIM__BEFORE_CONTAINER_ID)
#define PAJESIM__CONTAINER_IN(block) ((pajesim_ref)((block) + PAJESIM__CONTAINER_HEAD))
#define PAJESIM__OWN_SLOTS(ref) ((pajesim__offset)((ref) + PAJESIM__CONTAINER_REST))

/* What is open on a container, of one type. */
typedef struct pajesim__slot {
    pajesim_time last; /* event of this container and type */
    pajesim_time start;
    union {
        struct {
            pajesim__offset frames;
            pajesim__length depth, capacity;
#if PAJESIM_TRAVEL
            uint32_t open_index; /* of the outermost state */
#endif
        } stack;
        struct {
            pajesim_quantity number;
            pajesim__length set; /* 1: it is; plus twice its ending */
            pajesim__offset fields;
        } variable;
    } open;
} pajesim__slot;
#define PAJESIM__SLOT_MEMBERS(X, T) \
    X(T, last) X(T, start) X(T, open.stack.frames) X(T, open.stack.depth) X(T, open.stack.capacity) \
    PAJESIM__IF_TRAVEL(X(T, open.stack.open_index)) X(T, open.variable.number) X(T, open.variable.set) \
    X(T, open.variable.fields)

/* The slots of the first types lie side by side in an array; with so many, a container takes 1 KiB.  The others are
 * late slots, which are made when they are used first: so thousands of types take no memory on each container. */
#if PAJESIM_REFERENCE != 16
#ifndef PAJESIM__EARLY_TYPES /* tests set it to 1, so that most slots are late */
#define PAJESIM__EARLY_TYPES 28u
#endif
#define PAJESIM__EARLY_SLOTS(slots) PAJESIM__MIN(slots, PAJESIM__EARLY_TYPES)
#define PAJESIM__IS_LATE(type) ((type)->slot >= PAJESIM__EARLY_TYPES)

/* The late slots of a container are a tree.  The digits of a slot's key lead to it; on the way it has the first place
 * whose slot has a greater number.  So each slot is the first one of its subtree, and subtrees are in order.  The slots
 * are a ring as well, which begins anywhere. */
typedef struct pajesim__late_slot {
    pajesim__slot slot;
    pajesim_ref type;
    pajesim__offset next;
    pajesim__offset below[4]; /* by the next digit of the key */
} pajesim__late_slot;
#define PAJESIM__LATE_SLOT_MEMBERS(X, T) \
    X(T, slot) X(T, type) X(T, next) X(T, below)
#define PAJESIM__LATE_SLOT_AT(sim, offset) PAJESIM__AT(sim, pajesim__late_slot, offset)
#else
#define PAJESIM__EARLY_SLOTS(slots) (slots)
#define PAJESIM__IS_LATE(type) 0
#endif

typedef struct pajesim__frame {
    pajesim_time start;
    pajesim_ref value;
    pajesim__offset fields;
} pajesim__frame;
#define PAJESIM__FRAME_MEMBERS(X, T) \
    X(T, start) X(T, value) X(T, fields)

/* A link of which one end is known.  Its id is its key, within container and type. */
typedef struct pajesim__link {
    pajesim__id id;
    pajesim__offset next, previous; /* of its container's pending links */
    pajesim_time time;
    pajesim_ref end_point;
    pajesim_ref value;
    pajesim__text value_text; /* of a value that is not defined */
    pajesim__offset fields;
    pajesim__length started; /* 1: its start is known, 0: its end */
#if PAJESIM_TRAVEL
    uint32_t open_index;
#endif
} pajesim__link;
#define PAJESIM__LINK_MEMBERS(X, T) \
    X(T, id) X(T, next) X(T, previous) X(T, time) X(T, end_point) X(T, value) X(T, value_text) X(T, fields) \
    X(T, started) PAJESIM__IF_TRAVEL(X(T, open_index))

/* In a reference to the user fields of what is open: it was open at the latest checkpoint of an index, too, and
 * `ending` is its number there, in the order of pajesim__walk_next. */
#define PAJESIM__TRACKED ((pajesim__offset)PAJESIM_TRAVEL)

/* The least time; its negative is the greatest. */
#if PAJESIM_TIME_DECIMALS < 0
#define PAJESIM__TIME_LEAST (-1.7976931348623157e308)
#else
#define PAJESIM__TIME_LEAST (-INT64_MAX)
#endif

#define PAJESIM__WHOLE(sim, type, ref, before_id) ((type *)(void *)(PAJESIM__BYTES(sim, ref) - (before_id)))
#define PAJESIM__RECORD(sim, ref) PAJESIM__WHOLE(sim, pajesim__record, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__TYPE_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__type, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__VALUE_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__value, ref, PAJESIM__BEFORE_ID)
#define PAJESIM__CONTAINER_AT(sim, ref) PAJESIM__WHOLE(sim, pajesim__container, ref, PAJESIM__BEFORE_CONTAINER_ID)

#define PAJESIM__IS_SET(slot) ((slot)->open.variable.set & 1u)

/* The parent of a container, which it keeps when it is destroyed; 0 in small builds, where it does not. */
#define PAJESIM__KEPT_PARENT(container) ((pajesim_ref)(PAJESIM_SMALL ? 0 : (container)->record.parent))

/* Whether a container that an identifier finds is destroyed, and remembered. */
#define PAJESIM__IS_DESTROYED(sim, ref) (PAJESIM_REPAIRS && !PAJESIM__CONTAINER_AT(sim, ref)->type)

/* What the identifiers of containers find is about to change: see run/prefetch.h. */
#if PAJESIM__BLOCKS
#define PAJESIM__CHANGES(sim) ((sim)->changes)
#define PAJESIM__CHANGED(sim) ((void)(sim)->changes++)
#else
#define PAJESIM__CHANGES(sim) 0u
#define PAJESIM__CHANGED(sim) ((void)0)
#endif

static pajesim__tree *pajesim__tree_of(const pajesim *sim, pajesim_ref ref)
{
    PAJESIM__ASSERT(PAJESIM__RECORD(sim, ref)->tag == PAJESIM__TYPE ||
                    PAJESIM__RECORD(sim, ref)->tag == PAJESIM__CONTAINER);
    return PAJESIM__RECORD(sim, ref)->tag == PAJESIM__TYPE ? &PAJESIM__TYPE_AT(sim, ref)->tree
                                                      : &PAJESIM__CONTAINER_AT(sim, ref)->tree;
}

static void pajesim__tree_append(pajesim *sim, pajesim_ref parent, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    memset(tree, 0, sizeof *tree);
    PAJESIM__RECORD(sim, child)->parent = parent;
    if (parent) {
        pajesim__tree *above = pajesim__tree_of(sim, parent);
        tree->previous = above->last;
        if (above->last)
            pajesim__tree_of(sim, above->last)->next = child;
        else
            above->first = child;
        above->last = child;
    }
}

/* Removes a container that is destroyed. */
static void pajesim__tree_remove(pajesim *sim, pajesim_ref child)
{
    pajesim__tree *tree = pajesim__tree_of(sim, child);
    pajesim_ref parent = PAJESIM__RECORD(sim, child)->parent;
    if (tree->previous)
        pajesim__tree_of(sim, tree->previous)->next = tree->next;
    else if (parent)
        pajesim__tree_of(sim, parent)->first = tree->next;
    if (tree->next)
        pajesim__tree_of(sim, tree->next)->previous = tree->previous;
    else if (parent)
        pajesim__tree_of(sim, parent)->last = tree->previous;
    tree->next = tree->previous = 0;
    if (PAJESIM_SMALL)
        PAJESIM__RECORD(sim, child)->parent = 0;
}

/* Empties the slots of a container from slot_count on, which becomes `count`. */
static void pajesim__clear_slots(pajesim *sim, pajesim__container *container, uint32_t count)
{
    pajesim__slot *slots = PAJESIM__AT(sim, pajesim__slot, container->slots);
    PAJESIM__ASSERT(container->slot_count <= count);
    for (; container->slot_count < count; container->slot_count++) {
        memset(&slots[container->slot_count], 0, sizeof *slots);
        slots[container->slot_count].last = PAJESIM__TIME_LEAST;
    }
}

/* Frees the early slots of a container if they are in a block of their own. */
static void pajesim__free_slots(pajesim *sim, pajesim_ref ref)
{
    const pajesim__container *container = PAJESIM__CONTAINER_AT(sim, ref);
    if (container->slot_count > container->own_slots)
        pajesim__free(sim, container->slots, container->slot_count * (pajesim__size)sizeof(pajesim__slot));
}

#if PAJESIM_REFERENCE != 16
/* Returns a key of 16 digits in base 4, which is in the order of the numbers of slots and leads to short ones in few
 * steps: two digits tell how many the number has, and these follow. */
static uint32_t pajesim__late_key(const pajesim *sim, pajesim_ref type)
{
    uint32_t number = PAJESIM__TYPE_AT(sim, type)->slot, digits = (pajesim__bit_width(number | 1) + 1) / 2;
    return (digits - 1) << 28 | number << (32 - 2 * digits) >> 4;
}

/* Returns the first subtree from `digit` on; 0 if there is none. */
static pajesim__offset pajesim__late_subtree(const pajesim *sim, pajesim__offset at, uint32_t digit)
{
    while (digit < 4 && !PAJESIM__LATE_SLOT_AT(sim, at)->below[digit])
        digit++;
    return digit < 4 ? PAJESIM__LATE_SLOT_AT(sim, at)->below[digit] : 0;
}

/* Returns the late slot that comes after that of a type; 0 after the last one. */
static pajesim__offset pajesim__next_late_slot(const pajesim *sim, pajesim__offset at, pajesim_ref type)
{
    uint32_t key = pajesim__late_key(sim, type);
    pajesim__offset after = 0, subtree;
    for (; PAJESIM__LATE_SLOT_AT(sim, at)->type != type; key <<= 2) {
        subtree = pajesim__late_subtree(sim, at, (key >> 30) + 1);
        after = subtree ? subtree : after;
        at = PAJESIM__LATE_SLOT_AT(sim, at)->below[key >> 30];
    }
    subtree = pajesim__late_subtree(sim, at, 0);
    return subtree ? subtree : after;
}

/* Returns the late slot of a type on a container; NULL if there is none.  Out of line, as most types are early. */
PAJESIM__COLD pajesim__slot *pajesim__late_slot_of(const pajesim *sim, const pajesim__container *container,
                                                   pajesim_ref type)
{
    pajesim__offset at = PAJESIM__IS_LATE(PAJESIM__TYPE_AT(sim, type)) ? container->late : 0;
    uint32_t key = at ? pajesim__late_key(sim, type) : 0;
    for (; at && PAJESIM__LATE_SLOT_AT(sim, at)->type != type; key <<= 2)
        at = PAJESIM__LATE_SLOT_AT(sim, at)->below[key >> 30];
    return at ? &PAJESIM__LATE_SLOT_AT(sim, at)->slot : NULL;
}

/* Adds a late slot, whose type is set, to the tree of a container; returns 0 if the type has one. */
static int pajesim__add_late_slot(pajesim *sim, pajesim__container *container, pajesim__offset added)
{
    pajesim__offset *link = &container->late;
    pajesim__late_slot *late = PAJESIM__LATE_SLOT_AT(sim, added);
    uint32_t depth;
    for (depth = 0; *link; depth += 2) {
        pajesim__late_slot *other = PAJESIM__LATE_SLOT_AT(sim, *link);
        if (other->type == late->type)
            return 0;
        if (PAJESIM__TYPE_AT(sim, other->type)->slot > PAJESIM__TYPE_AT(sim, late->type)->slot) { /* in its place */
            pajesim__offset moved = *link;
            memcpy(late->below, other->below, sizeof late->below);
            *link = added;
            added = moved;
            link = late->below;
            late = other;
        } else {
            link = other->below;
        }
        link += pajesim__late_key(sim, late->type) << depth >> 30;
    }
    memset(late->below, 0, sizeof late->below);
    *link = added;
    return 1;
}

static void pajesim__free_late_slots(pajesim *sim, pajesim__container *container)
{
    pajesim__offset at = container->late, next;
    if (at)
        do {
            next = PAJESIM__LATE_SLOT_AT(sim, at)->next;
            pajesim__free(sim, at, sizeof(pajesim__late_slot));
            at = next;
        } while (at != container->late);
    container->late = 0;
}
#else
#define pajesim__late_slot_of(sim, container, type) NULL
#define pajesim__free_late_slots(sim, container) ((void)0)
#endif

/* Returns the slot of a type of those that a container may have entities of; NULL if there is none yet. */
PAJESIM__INLINE pajesim__slot *pajesim__find_slot(const pajesim *sim, const pajesim__container *container,
                                                  pajesim_ref type)
{
    uint32_t slot = PAJESIM__TYPE_AT(sim, type)->slot;
    return PAJESIM__LIKELY(slot < container->slot_count) ? PAJESIM__AT(sim, pajesim__slot, container->slots) + slot
                                                         : pajesim__late_slot_of(sim, container, type);
}

/* The slot of a type that has one on the container. */
#if PAJESIM_REFERENCE != 16
#define pajesim__slot_at(sim, container, type) pajesim__find_slot(sim, container, type)
#else
#define pajesim__slot_at(sim, container, type)                                                                         \
    (PAJESIM__AT(sim, pajesim__slot, (container)->slots) + PAJESIM__TYPE_AT(sim, type)->slot)
#endif

/* Returns the type after `type`, or the first one for 0, of those that have a slot on the container, in the
 * order of their definition; 0 after the last one.  With references of 16 bits, container types are among them. */
static pajesim_ref pajesim__next_slot_type(const pajesim *sim, const pajesim__container *container, pajesim_ref type)
{
#if PAJESIM_REFERENCE != 16
    const pajesim__type *before = PAJESIM__TYPE_AT(sim, type ? type : container->declared_type);
    pajesim__offset late = container->late;
    if (PAJESIM__IS_LATE(before)) {
        late = pajesim__next_late_slot(sim, late, type);
    } else if (before->next_entity && PAJESIM__TYPE_AT(sim, before->next_entity)->slot < container->slot_count) {
        return before->next_entity;
    }
    return late ? PAJESIM__LATE_SLOT_AT(sim, late)->type : 0;
#else
    type = type ? PAJESIM__TYPE_AT(sim, type)->tree.next : PAJESIM__TYPE_AT(sim, container->declared_type)->tree.first;
    return PAJESIM__TYPE_AT(sim, type)->slot < container->slot_count ? type : 0;
#endif
}

/* ---- queries ---- */

PAJESIM_API pajesim_ref pajesim_root(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->root;
}

PAJESIM_API pajesim_ref pajesim_root_type(const pajesim *sim)
{
    return PAJESIM__CONST_STATE(sim)->root_type;
}

PAJESIM_API pajesim_text pajesim_alias(const pajesim *sim, pajesim_ref ref)
{
    return ref ? pajesim__id_text(sim, &PAJESIM__RECORD(sim, ref)->id) : pajesim__view("", 0);
}

PAJESIM__INLINE pajesim_text pajesim__name_of(const pajesim *sim, pajesim_ref ref)
{
    if (ref && PAJESIM__RECORD(sim, ref)->name)
        return pajesim__text_at(sim, PAJESIM__RECORD(sim, ref)->name);
    return pajesim_alias(sim, ref);
}

PAJESIM_API pajesim_text pajesim_name(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__name_of(sim, ref);
}

PAJESIM_API pajesim_text pajesim_color(const pajesim *sim, pajesim_ref ref)
{
    return pajesim__text_at(sim, PAJESIM_FIELDS && ref ? PAJESIM__RECORD(sim, ref)->color : 0);
}

PAJESIM_API pajesim_ref pajesim_parent(const pajesim *sim, pajesim_ref ref)
{
    return ref ? PAJESIM__RECORD(sim, ref)->parent : 0;
}

PAJESIM_API pajesim_ref pajesim_type_of(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__RECORD(sim, container)->tag == PAJESIM__CONTAINER
               ? PAJESIM__CONTAINER_AT(sim, container)->declared_type
               : 0;
}

PAJESIM_API pajesim_kind pajesim_kind_of(const pajesim *sim, pajesim_ref ref)
{
    return ref ? (pajesim_kind)PAJESIM__RECORD(sim, ref)->kind : (pajesim_kind)0;
}

PAJESIM_API pajesim_ref pajesim_first_child(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__RECORD(sim, ref)->tag != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->first : 0;
}

PAJESIM_API pajesim_ref pajesim_next_sibling(const pajesim *sim, pajesim_ref ref)
{
    return ref && PAJESIM__RECORD(sim, ref)->tag != PAJESIM__VALUE ? pajesim__tree_of(sim, ref)->next : 0;
}

PAJESIM_API pajesim_time pajesim_start_of(const pajesim *sim, pajesim_ref container)
{
    return container ? PAJESIM__CONTAINER_AT(sim, container)->start : 0;
}

#if PAJESIM_TRAVEL
PAJESIM_API uint32_t pajesim_serial(const pajesim *sim, pajesim_ref container)
{
    return container && PAJESIM__RECORD(sim, container)->tag == PAJESIM__CONTAINER
               ? PAJESIM__CONTAINER_AT(sim, container)->serial
               : 0;
}
#endif

PAJESIM_API pajesim_user_word *pajesim_user_data(pajesim *sim, pajesim_ref ref)
{
    return ref ? &PAJESIM__RECORD(sim, ref)->word : NULL;
}

PAJESIM_API pajesim_ref pajesim_find_container(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    pajesim_ref container = pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->containers, &key, 0, 0);
    return container && PAJESIM__CONTAINER_AT(sim, container)->type ? container : 0;
}

PAJESIM_API pajesim_ref pajesim_find_type(const pajesim *sim, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->types, &key, 0, 0);
}

PAJESIM_API pajesim_ref pajesim_find_value(const pajesim *sim, pajesim_ref type, const char *alias, size_t size)
{
    pajesim__key key = pajesim__key_of(alias, (uint32_t)size);
    return pajesim__table_find(sim, &PAJESIM__CONST_STATE(sim)->values, &key, type, 0);
}

/* Returns the slot of a type on a container; NULL if no event has used it. */
static pajesim__slot *pajesim__slot_of(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__container *owner;
    if (!container || !type)
        return NULL;
    owner = PAJESIM__CONTAINER_AT(sim, container);
    return PAJESIM__RECORD(sim, type)->parent == owner->declared_type ? pajesim__find_slot(sim, owner, type) : NULL;
}

PAJESIM_API uint32_t pajesim_depth(const pajesim *sim, pajesim_ref container, pajesim_ref type)
{
    const pajesim__slot *slot = pajesim__slot_of(sim, container, type);
    if (!slot)
        return 0;
    switch (PAJESIM__RECORD(sim, type)->kind) {
    case PAJESIM_STATE:
        return slot->open.stack.depth;
    case PAJESIM_VARIABLE:
        return PAJESIM__IS_SET(slot);
    default:
        return 0;
    }
}
